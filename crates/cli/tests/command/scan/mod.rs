//! `interloper scan`: class files in; findings, messages and exit codes out.

mod input;
mod known;
mod limits;
mod report;

use crate::common::{Outcome, Scratch, command, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Figure 1 of the paper, in a package.
const LINE: &str = "package geo;
public class Line {
  Location start, end;
  synchronized boolean contains(Location point) {
    double r1 = point.distanceTo(start);
    double r2 = point.distanceTo(end);
    return r1 + r2 <= 1.001;
  }
}
class Location {
  double x, y;
  synchronized double distanceTo(Location p) { return p.x - x; }
}
";

/// Two global locks.
const GLOBAL: &str = "package geo;
@interface Fine {}
class Global {
  static final Object A = new Object(), B = new Object();
  void m() { synchronized (A) { n(); n(); } }
  void n() { synchronized (B) { } }
}
";

/// Nothing wrong.
const CLEAN: &str = "package geo; class Clean { synchronized void m() { } }";

fn tool(name: &str, arguments: &[&str], folder: &Path) -> bool {
    let home = std::env::var_os("JAVA_HOME").map(|it| Path::new(&it).join("bin").join(name));
    let program = home.filter(|it| it.exists()).unwrap_or_else(|| name.into());
    match Command::new(program).args(arguments).current_dir(folder).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(_) => {
            eprintln!("\n==== SKIPPED: no {name} under JAVA_HOME or on the search path ====\n");
            false
        }
    }
}

/// Compiles sources into `classes` of the folder, each from `src/geo`; `None` without a JDK.
fn compiled(sources: &[(&str, &str)]) -> Option<Scratch> {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path().join("src/geo")).unwrap();
    let mut arguments = vec!["-g", "-nowarn", "-d", "classes"];
    let files: Vec<String> = sources.iter().map(|(name, _)| format!("src/geo/{name}")).collect();
    for ((_, text), file) in sources.iter().zip(&files) {
        scratch.file(file, text);
        arguments.push(file);
    }
    tool("javac", &arguments, scratch.path()).then_some(scratch)
}

/// The same, and a jar `app.jar` of it.
fn jar(sources: &[(&str, &str)]) -> Option<Scratch> {
    let scratch = compiled(sources)?;
    let made = tool("jar", &["-c", "-f", "app.jar", "-C", "classes", "."], scratch.path());
    made.then_some(scratch)
}

/// Runs a scan in the folder.
fn scan(scratch: &Scratch, arguments: &[&str]) -> Outcome {
    let mut command = command(&[&["scan"], arguments].concat());
    command.current_dir(scratch.path());
    run(command)
}
