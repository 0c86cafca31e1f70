//! Starts the program so that its JVMs load the agent.
//!
//! Of a JVM that is started right here, the agent becomes the first option. Everything else hands the option down in
//! `JAVA_TOOL_OPTIONS`, of which each JVM tells on standard error that it picked it up.

use crate::failure::Failure;
use interloper_tap::option::{TOOL_OPTIONS, agent_option, quoted};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command};

/// Starts the program; `library` is the agent and `folder` the folder of the run.
pub fn start(command: &[OsString], library: &Path, folder: &Path) -> Result<Child, Failure> {
    let Some(program) = command.first() else {
        return Err(Failure::Usage("there is no program to run".to_string()));
    };
    prepare(command, library, folder).spawn().map_err(|error| {
        let program = program.to_string_lossy();
        Failure::Usage(format!("{program}: cannot be started: {error}"))
    })
}

/// Whether a path can stand in an option of a JVM, also in the environment.
pub fn can_be_told(path: &Path) -> bool {
    !path.as_os_str().as_bytes().iter().any(|byte| b"'\"=,".contains(byte))
}

/// The program, not yet started.
fn prepare(command: &[OsString], library: &Path, folder: &Path) -> Command {
    let (program, arguments) =
        command.split_first().map_or((OsStr::new(""), &[][..]), |it| (it.0.as_os_str(), it.1));
    let mut prepared = Command::new(program);
    let option = agent_option(library, folder);
    if Path::new(program).file_name() == Some(OsStr::new("java")) {
        prepared.arg(option);
    } else {
        let before = std::env::var_os(TOOL_OPTIONS).unwrap_or_default();
        prepared.env(TOOL_OPTIONS, extended(before, &option));
    }
    prepared.args(arguments);
    prepared
}

/// The options that there were, and one more.
fn extended(mut options: OsString, option: &OsStr) -> OsString {
    if !options.is_empty() {
        options.push(" ");
    }
    options.push(quoted(option));
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(command: &[&str]) -> Command {
        let command: Vec<OsString> = command.iter().map(OsString::from).collect();
        prepare(&command, Path::new("/cache/agent.so"), Path::new("/tmp/run"))
    }

    #[test]
    fn java_itself_gets_an_option_before_its_own() {
        let command = prepared(&["/usr/bin/java", "-jar", "app.jar"]);
        let arguments: Vec<&OsStr> = command.get_args().collect();
        assert_eq!(arguments, ["-agentpath:/cache/agent.so=/tmp/run", "-jar", "app.jar"]);
        assert_eq!(command.get_envs().count(), 0);
    }

    #[test]
    fn everything_else_hands_it_down() {
        let command = prepared(&["./gradlew", "test"]);
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["test"]);
        let (name, value) = command.get_envs().next().unwrap();
        assert_eq!(name, TOOL_OPTIONS);
        assert!(value.unwrap().to_str().unwrap().ends_with("-agentpath:/cache/agent.so=/tmp/run"));
    }

    #[test]
    fn options_that_were_there_stay() {
        let extended = |before: &str, option| extended(before.into(), OsStr::new(option));
        assert_eq!(extended("", "-a"), "-a");
        assert_eq!(extended("-Xmx1g -ea", "-a"), "-Xmx1g -ea -a");
        assert_eq!(extended("-ea", "-a:/my cache/x"), "-ea \"-a:/my cache/x\"");
    }
}
