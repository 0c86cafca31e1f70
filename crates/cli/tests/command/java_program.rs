//! The program that is run keeps its input, output, signals and environment. None of these starts a JVM.

use crate::common::{Scratch, command, fed, run};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

#[test]
fn input_and_output_are_the_program_s_own() {
    let outcome = fed(&["run", "--", "cat"], b"to be or not\n").exits(3);
    assert_eq!(outcome.stdout, "to be or not\n");
    let outcome = run(command(&["run", "--", "sh", "-c", "echo out; echo err >&2; exit 4"]));
    let outcome = outcome.exits(4);
    assert_eq!(outcome.stdout, "out\n");
    assert!(outcome.stderr.starts_with("err\n"), "{outcome:?}");
}

#[test]
fn a_script_without_an_interpreter_is_run_by_the_shell() {
    let scratch = Scratch::new();
    let executable = |name, contents: &[u8]| {
        let path = scratch.file(name, contents);
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        path
    };
    let script = executable("script", b"echo $1 ${JAVA_TOOL_OPTIONS:+options}; exit 4\n");
    let outcome = run(command(&["run", "--", &script, "given"])).exits(4);
    assert_eq!(outcome.stdout, "given options\n");
    let mut by_name = command(&["run", "--", "script", "given"]);
    by_name.env("PATH", scratch.path());
    assert_eq!(run(by_name).exits(4).stdout, "given options\n");
    let binary = executable("binary", b"\x01\0\x02");
    let outcome = run(command(&["run", "--", &binary])).exits(2);
    assert!(outcome.stderr.contains("binary: cannot be started: "), "{outcome:?}");
}

#[test]
fn java_options_that_are_set_stay() {
    let mut command = command(&["run", "--", "sh", "-c", "echo $JAVA_TOOL_OPTIONS"]);
    command.env("JAVA_TOOL_OPTIONS", "-Xmx1g");
    let outcome = run(command).exits(3);
    assert!(outcome.stdout.starts_with("-Xmx1g -XX:"), "{outcome:?}");
}

#[test]
fn the_folder_of_the_run_is_private_and_has_the_settings() {
    let script = "folder=${JAVA_TOOL_OPTIONS##*=}; stat -c %a $folder; cat $folder/config; \
                  test -S $folder/socket && echo socket";
    let args = ["run", "--atomic", "public", "--only", "com.acme.*", "--", "sh", "-c", script];
    let outcome = run(command(&args)).exits(3);
    for line in ["700", "atomic public", "only com.acme.*", "socket"] {
        assert!(outcome.stdout.lines().any(|it| it == line), "{line}: {outcome:?}");
    }
}

/// The command, with no signal ignored: whoever runs the tests may have had some ignored, and that is handed down.
fn with_signals(args: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_interloper")]).args(args);
    command.stdin(Stdio::null());
    command
}

/// Starts a script under `run`, and waits until it says something.
fn started(script: &str) -> (Child, BufReader<impl Read>) {
    let mut command = with_signals(&["run", "--", "sh", "-c", script]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (child, stdout)
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn signals_are_passed_on_to_the_program() {
    for name in ["TERM", "HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "VTALRM", "PROF"] {
        let script = format!(
            "trap 'echo got {name}; exit 5' {name}; sleep 0.2; echo ready; \
             i=0; while [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done"
        );
        let (mut child, mut stdout) = started(&script);
        send(&child, &format!("-{name}"));
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, format!("got {name}\n"));
        assert_eq!(child.wait().unwrap().code(), Some(5));
    }
}

#[test]
fn signals_that_are_ignored_stay_so_for_both() {
    // the program would get the second one
    let script = "kill -HUP $PPID; kill -USR1 $PPID; exec sleep 20";
    let mut command = Command::new("env");
    command.args(["--default-signal", "--ignore-signal=HUP", env!("CARGO_BIN_EXE_interloper")]);
    command.args(["run", "--", "sh", "-c", script]).stdin(Stdio::null());
    run(command).exits(128 + 10);
}

#[test]
fn a_program_that_a_signal_ends_gives_the_code_that_shells_give() {
    let outcome = run(command(&["run", "--", "sh", "-c", "kill -9 $$"])).exits(128 + 9);
    assert!(outcome.stderr.contains("no JVM loaded the agent"), "{outcome:?}");
}

#[test]
fn without_a_cache_the_agent_is_in_the_folder_of_the_run() {
    let scratch = Scratch::new();
    let file = scratch.file("no-folder", "");
    let mut command = command(&["run", "--", "sh", "-c", "echo $JAVA_TOOL_OPTIONS"]);
    command.env("XDG_CACHE_HOME", file).env_remove("JAVA_TOOL_OPTIONS");
    let outcome = run(command).exits(3);
    let (_, option) = outcome.stdout.trim().split_once("-agentpath:").unwrap();
    let (library, folder) = option.split_once('=').unwrap();
    assert!(library.starts_with(&format!("{folder}/agent-")), "{option}");
}
