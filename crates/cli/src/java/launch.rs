//! Starts the program so that its JVMs load the agent.
//!
//! A JVM that is started right here gets the agent by its first options. Everything else hands them down in
//! `JAVA_TOOL_OPTIONS`, of which each JVM tells on standard error that it picked it up.

use crate::failure::Failure;
use interloper_tap::archive::{Archive, own_options, written};
use interloper_tap::option::{TOOL_OPTIONS, jvm_options, quoted};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// What the kernel says of programs that it cannot read: scripts that do not begin with `#!` are some of them.
const NO_FORMAT: i32 = rustix::io::Errno::NOEXEC.raw_os_error();
/// As much of a file tells whether it is text.
const HEAD: u64 = 256;

/// Starts the program; `library` is the agent and `folder` the folder of the run.
pub fn start(command: &[OsString], library: &Path, folder: &Path) -> Result<Child, Failure> {
    let Some(program) = command.first() else {
        return Err(Failure::Usage("there is no program to run".to_string()));
    };
    if let Some((option, archive)) = archiving(command) {
        let option = option.to_string_lossy();
        return Err(Failure::Usage(format!("{option}: {archive}; leave the option out")));
    }
    let mut prepared = prepare(command, library, folder);
    let child = prepared.spawn().or_else(|error| match script(program) {
        Some(script) if error.raw_os_error() == Some(NO_FORMAT) => {
            by_shell(&script, &prepared).spawn()
        }
        _ => Err(error),
    });
    child.map_err(|error| {
        let program = program.to_string_lossy();
        Failure::Usage(format!("{program}: cannot be started: {error}"))
    })
}

/// Whether a path can stand in an option of a JVM, also in the environment.
pub fn can_be_told(path: &Path) -> bool {
    !path.as_os_str().as_bytes().iter().any(|byte| b"'\"=,".contains(byte))
}

/// The option of a JVM that is started right here which makes it write an archive.
fn archiving(command: &[OsString]) -> Option<(&OsStr, Archive)> {
    let (program, arguments) = command.split_first()?;
    let own = || own_options(arguments.iter().map(OsString::as_os_str));
    is_java(program).then(own).and_then(|options| written(&options))
}

fn is_java(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new("java"))
}

/// The program, not yet started.
fn prepare(command: &[OsString], library: &Path, folder: &Path) -> Command {
    let (program, arguments) =
        command.split_first().map_or((OsStr::new(""), &[][..]), |it| (it.0.as_os_str(), it.1));
    let mut prepared = Command::new(program);
    let options = jvm_options(library, folder);
    if is_java(program) {
        prepared.args(options);
    } else {
        let before = std::env::var_os(TOOL_OPTIONS).unwrap_or_default();
        prepared.env(TOOL_OPTIONS, extended(before, &options));
    }
    prepared.args(arguments);
    prepared
}

/// The file of a program, if it is text.
fn script(program: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = match program.as_bytes().contains(&b'/') {
        true => PathBuf::from(program),
        false => std::env::split_paths(&path).map(|it| it.join(program)).find(|it| it.is_file())?,
    };
    let mut head = vec![];
    File::open(&path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    (!head.contains(&0)).then_some(path)
}

/// The program as a script of the shell, as shells run what has no `#!`.
fn by_shell(script: &Path, prepared: &Command) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg(script).args(prepared.get_args());
    let set = prepared.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(set);
    command
}

/// The options that there were, and more.
fn extended(mut options: OsString, more: &[OsString]) -> OsString {
    for option in more {
        if !options.is_empty() {
            options.push(" ");
        }
        options.push(quoted(option));
    }
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
    fn java_itself_gets_options_before_its_own() {
        let command = prepared(&["/usr/bin/java", "-jar", "app.jar"]);
        let arguments: Vec<&OsStr> = command.get_args().collect();
        let [huge, agent] = ["-XX:-DontCompileHugeMethods", "-agentpath:/cache/agent.so=/tmp/run"];
        assert_eq!(arguments, [huge, agent, "-jar", "app.jar"]);
        assert_eq!(command.get_envs().count(), 0);
    }

    #[test]
    fn a_jvm_that_writes_an_archive_is_not_started() {
        let refused = |command: &[&str]| {
            let command: Vec<OsString> = command.iter().map(OsString::from).collect();
            archiving(&command).map(|(option, _)| option.to_str().unwrap().to_string())
        };
        let (at_exit, cache) = ("-XX:ArchiveClassesAtExit=a.jsa", "-XX:AOTCacheOutput=a.aot");
        assert_eq!(refused(&["java", "-cp", "a", at_exit, "Main"]).as_deref(), Some(at_exit));
        assert_eq!(refused(&["/opt/bin/java", cache, "Main"]).as_deref(), Some(cache));
        assert!(refused(&["java", "-cp", "a", "Main", at_exit]).is_none(), "the program's own");
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
        let extended = |before: &str, more: &[&str]| {
            extended(before.into(), &more.iter().map(OsString::from).collect::<Vec<_>>())
        };
        assert_eq!(extended("", &["-a", "-b"]), "-a -b");
        assert_eq!(extended("-Xmx1g -ea", &["-a"]), "-Xmx1g -ea -a");
        assert_eq!(extended("-ea", &["-b", "-a:/my cache/x"]), "-ea -b \"-a:/my cache/x\"");
    }
}
