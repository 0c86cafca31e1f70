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
    if let Some(option) = dumping(command) {
        let option = option.to_string_lossy();
        return Err(Failure::Usage(format!(
            "{option}: a JVM that writes an archive of its classes does not start with an agent; leave the option out"
        )));
    }
    prepare(command, library, folder).spawn().map_err(|error| {
        let program = program.to_string_lossy();
        Failure::Usage(format!("{program}: cannot be started: {error}"))
    })
}

/// Whether a path can stand in an option of a JVM, also in the environment.
pub fn can_be_told(path: &Path) -> bool {
    !path.as_os_str().as_bytes().iter().any(|byte| b"'\"=,".contains(byte))
}

/// The option of a JVM that is started right here which makes it write an archive of its classes. Such a JVM refuses every agent that
/// is not written in Java.
fn dumping(command: &[OsString]) -> Option<&OsStr> {
    let (program, arguments) = command.split_first()?;
    if !is_java(program) {
        return None;
    }
    let options = own_options(arguments);
    let begins = |option: &OsStr, with: &str| option.as_bytes().starts_with(with.as_bytes());
    // If it is there already, it may do.
    let is_there = |option: &&OsStr| {
        let path = option.as_bytes().strip_prefix(b"-XX:SharedArchiveFile=");
        path.is_some_and(|path| Path::new(OsStr::from_bytes(path)).exists())
    };
    options.iter().copied().find(|option| {
        begins(option, "-XX:ArchiveClassesAtExit=")
            || *option == "-Xshare:dump"
            || *option == "-XX:+AutoCreateSharedArchive" && !options.iter().any(is_there)
    })
}

/// The arguments of `java` that are its own: what follows the main class is the program's.
fn own_options(arguments: &[OsString]) -> Vec<&OsStr> {
    const WITH_VALUE: [&str; 12] = [
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--upgrade-module-path",
        "--add-modules",
        "--add-exports",
        "--add-opens",
        "--add-reads",
        "--limit-modules",
        "--enable-native-access",
    ];
    let (mut options, mut rest) = (vec![], arguments.iter());
    while let Some(option) = rest.next() {
        let own = option.as_bytes().first().is_some_and(|first| b"-@".contains(first));
        if !own || ["-jar", "-m", "--module"].iter().any(|it| option == it) {
            break;
        }
        options.push(option.as_os_str());
        if WITH_VALUE.iter().any(|it| option == it) {
            rest.next();
        }
    }
    options
}

fn is_java(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new("java"))
}

/// The program, not yet started.
fn prepare(command: &[OsString], library: &Path, folder: &Path) -> Command {
    let (program, arguments) =
        command.split_first().map_or((OsStr::new(""), &[][..]), |it| (it.0.as_os_str(), it.1));
    let mut prepared = Command::new(program);
    let option = agent_option(library, folder);
    if is_java(program) {
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
    fn a_jvm_that_would_refuse_the_agent_is_not_started() {
        let refused = |command: &[&str]| {
            let command: Vec<OsString> = command.iter().map(OsString::from).collect();
            dumping(&command).map(|option| option.to_str().unwrap().to_string())
        };
        let (at_exit, auto) = ("-XX:ArchiveClassesAtExit=a.jsa", "-XX:+AutoCreateSharedArchive");
        assert_eq!(refused(&["java", "-cp", "a", at_exit, "Main"]).as_deref(), Some(at_exit));
        assert_eq!(refused(&["/opt/bin/java", auto, "Main"]).as_deref(), Some(auto));
        assert!(refused(&["java", auto, "-XX:SharedArchiveFile=/no/a.jsa", "Main"]).is_some());
        assert!(refused(&["java", auto, "-XX:SharedArchiveFile=/dev/null", "Main"]).is_none());
        assert!(refused(&["java", "-cp", "a", "Main", at_exit]).is_none(), "the program's own");
        assert!(refused(&["java", "-jar", "a.jar", at_exit]).is_none());
        assert!(refused(&["make", at_exit]).is_none());
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
