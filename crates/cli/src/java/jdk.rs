//! Which JVMs there are on this machine.

use super::signals::{Signals, pid};
use interloper_tap::option::TOOL_OPTIONS;
use rustix::process::Signal;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The versions of Java that the agent works on.
pub const SUPPORTED: std::ops::RangeInclusive<u32> = 17..=25;

/// A JVM.
pub struct Java {
    /// The program.
    pub path: PathBuf,
    /// How it was found.
    pub from: &'static str,
}

/// What programs find: `java` on the path, and that of `JAVA_HOME` if it is another one.
pub fn find() -> Vec<Java> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("java"));
    let on_path = on_path.filter(|it| it.is_file()).take(1).map(|path| Java { path, from: "PATH" });
    let home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
    let at_home = home.map(|home| PathBuf::from(home).join("bin/java"));
    let at_home = at_home.map(|path| Java { path, from: "JAVA_HOME" });
    let mut found: Vec<Java> = vec![];
    for java in on_path.chain(at_home) {
        if !found.iter().any(|known| real(&known.path) == real(&java.path)) {
            found.push(java);
        }
    }
    found
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or(path.to_path_buf())
}

/// Where JVMs take options from besides their command line.
pub const VARIABLES: [&str; 3] = [TOOL_OPTIONS, "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// Starts a JVM that has little to do, without options from the environment.
pub fn plain(java: &Path) -> Command {
    let mut command = Command::new(java);
    VARIABLES.iter().for_each(|variable| {
        command.env_remove(variable);
    });
    command
}

/// The version that a JVM tells of itself, `17.0.15`; else why it does not.
pub fn version(java: &Path, patience: &Patience) -> Result<String, String> {
    let mut command = plain(java);
    command.args(["-XshowSettings:properties", "-version"]);
    let (_, text) = patience.ask(command)?;
    let property = text.lines().find_map(|line| line.trim().strip_prefix("java.version = "));
    property.map(str::to_string).ok_or_else(|| "it does not tell its version".to_string())
}

/// How long programs may take that have little to do.
pub struct Patience {
    /// So long.
    pub limit: Duration,
    /// And no longer if one of these comes.
    pub signals: Signals,
}

impl Patience {
    /// How often it is looked whether a program has ended.
    const NAP: Duration = Duration::from_millis(10);

    /// Runs a program; tells how it ended and what it said. JVMs that cannot begin say why on either stream.
    pub fn ask(&self, mut command: Command) -> Result<(ExitStatus, String), String> {
        let told = |error: io::Error| error.to_string();
        let mut said = tempfile::tempfile().map_err(told)?;
        command.stdin(Stdio::null()).stdout(said.try_clone().map_err(told)?);
        // a script may have started something that would go on without it
        command.stderr(said.try_clone().map_err(told)?).process_group(0);
        let mut child = command.spawn().map_err(told)?;
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(told)? {
                break status;
            }
            if begun.elapsed() > self.limit || self.signals.interrupted() {
                end_all(&mut child);
                return Err(self.exceeded());
            }
            std::thread::sleep(Patience::NAP);
        };
        let mut text = vec![];
        said.rewind().and_then(|()| said.read_to_end(&mut text)).map_err(told)?;
        Ok((status, String::from_utf8_lossy(&text).into_owned()))
    }

    /// What to say of a program that took longer.
    pub fn exceeded(&self) -> String {
        format!("it did not end within {} s", self.limit.as_secs())
    }
}

/// Ends a program that has a process group of its own, and whatever it has started.
fn end_all(child: &mut Child) {
    if let Some(pid) = pid(child) {
        // fails if there is nobody left
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    }
    // it was killed: this takes no time
    let _ = child.wait();
}

/// `17` of `17.0.15`, `25` of `25-ea`, `8` of `1.8.0_402`.
pub fn feature(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match numbers.next()? {
        Ok(1) => numbers.next()?.ok(),
        number => number.ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_old_and_new() {
        for (version, feature_of) in
            [("17.0.15", 17), ("25-ea", 25), ("1.8.0_402", 8), ("21", 21), ("11.0.2+9", 11)]
        {
            assert_eq!(feature(version), Some(feature_of), "{version}");
        }
        assert_eq!(feature("nonsense"), None);
    }

    #[test]
    fn patience_has_an_end() {
        let ask = |script: &str| {
            let patience = Patience { limit: Duration::from_secs(1), signals: Signals::default() };
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            patience.ask(command)
        };
        let (status, said) = ask("echo no >&2; exit 3").unwrap();
        assert_eq!((status.code(), &*said), (Some(3), "no\n"));
        let begun = Instant::now();
        assert_eq!(ask("sleep 30 | sleep 30").unwrap_err(), "it did not end within 1 s");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}
