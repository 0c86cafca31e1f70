//! Compiles Java programs for tests.
#![allow(dead_code)]

use interloper_scan::input::{Input, InputLimits, read_input};
use interloper_scan::lower::{LowerOptions, Lowered, lower, pretty};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A JDK with a compiler: that of `JAVA_HOME`, or that of the search path.
fn tool(name: &str) -> PathBuf {
    let home = std::env::var_os("JAVA_HOME").map(|it| PathBuf::from(it).join("bin").join(name));
    home.filter(|it| it.exists()).unwrap_or_else(|| PathBuf::from(name))
}

/// Whether there is a Java compiler; says loudly if not.
pub fn has_javac() -> bool {
    let found = Command::new(tool("javac")).arg("-version").output().is_ok();
    if !found {
        eprintln!("\n==== SKIPPED: no javac under JAVA_HOME or on the search path ====\n");
    }
    found
}

/// Compiles a source file into a folder. `-g` is for names of local variables.
pub fn compile(source: &str, arguments: &[&str], into: &Path) {
    let file = into.join("Source.java");
    std::fs::write(&file, source).unwrap();
    let output = Command::new(tool("javac"))
        .args(["-nowarn", "-d"])
        .arg(into)
        .args(arguments)
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(file).unwrap();
}

/// The classes of a program.
pub fn classes(source: &str, arguments: &[&str]) -> Input {
    let folder = tempfile::tempdir().unwrap();
    compile(source, arguments, folder.path());
    let input = read_input(&[folder.path().to_owned()], &[], InputLimits::default());
    assert!(input.skipped.is_empty(), "{:?}", input.skipped);
    input
}

/// A program in the intermediate form.
pub fn lowered(source: &str, arguments: &[&str]) -> Lowered {
    let input = classes(source, arguments);
    let lowered = lower(&input.classes, LowerOptions { bound: 5 }, &|_| ());
    assert!(lowered.problems.is_empty(), "{:?}", lowered.problems);
    lowered
}

/// One of its methods as text, by class and name.
pub fn text(lowered: &Lowered, method: &str) -> String {
    let found = lowered.program.find_methods(method);
    assert_eq!(found.len(), 1, "{method}");
    pretty(lowered.program.method(found[0]), &lowered.program.names)
}

/// A method as text: lines without indentation, empty ones left out, as the tests write it.
#[track_caller]
pub fn assert_text(lowered: &Lowered, method: &str, expected: &str) {
    let lines = |text: &str| {
        let lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
        lines.map(|it| format!("{it}\n")).collect::<String>()
    };
    let found = text(lowered, method);
    assert_eq!(lines(&found), lines(expected), "{method} is:\n{found}");
}
