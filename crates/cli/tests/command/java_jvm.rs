//! `run`, `record`, `refine` and `doctor` on a real JVM. Without a `java` on the path these tests only say so.

use crate::common::{Outcome, Scratch, command, interloper, run};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Whether there is a JDK; a note if not.
fn has_java() -> bool {
    let java = Command::new("java").arg("-version").stderr(Stdio::null()).status();
    let there = java.is_ok_and(|status| status.success());
    if !there {
        eprintln!("skipped: there is no java on the path");
    }
    there
}

const CANARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/canary");

/// Runs the doctor's program under a command.
fn canary(args: &[&str], kind: &str) -> Outcome {
    interloper(&[args, &["--", "java", "-cp", CANARY, "Canary", kind]].concat())
}

#[test]
fn the_doctor_is_content() {
    if has_java() {
        let outcome = interloper(&["doctor"]).exits(0);
        for says in
            ["ok      agent: ", "canary, broken: its violation was found", "canary, correct"]
        {
            assert!(outcome.stdout.contains(says), "{says}: {outcome:?}");
        }
        assert!(!outcome.stdout.contains("failed"), "{outcome:?}");
    }
}

#[test]
fn without_java_the_doctor_says_what_to_do() {
    let mut command = command(&["doctor"]);
    command.env("PATH", "/nowhere").env_remove("JAVA_HOME");
    let outcome = run(command).exits(1);
    assert!(outcome.stdout.contains("failed  java: none found; install a JDK"), "{outcome:?}");
}

#[test]
fn the_doctor_names_a_variable_that_no_jvm_starts_with() {
    if has_java() {
        let doctor = |name: &str, value: &str| {
            let mut command = command(&["doctor"]);
            command.env(name, value);
            run(command)
        };
        for name in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"] {
            let outcome = doctor(name, "-Xfoo").exits(1);
            for says in [
                "ok      agent loads".to_string(),
                format!("failed  {name}, which is set: "),
                format!("no JVM starts with {name}=-Xfoo: correct it, or unset it"),
            ] {
                assert!(outcome.stdout.contains(&says), "{says}: {outcome:?}");
            }
            assert!(!outcome.stdout.contains("bug"), "{outcome:?}");
        }
        let outcome = doctor("JAVA_TOOL_OPTIONS", "-Xmx200m").exits(0);
        assert!(outcome.stdout.contains("ok      JAVA_TOOL_OPTIONS, which is set"), "{outcome:?}");
    }
}

#[test]
fn a_violation_is_shown_in_the_lines_of_the_source() {
    if has_java() {
        let outcome = canary(&["run", "--source-path", CANARY], "broken").exits(1);
        for says in [
            "Canary.withdraw is not atomic",
            "int seen = balance;",
            "balance = balance + amount;",
            "← interloper",
            "Canary.java:",
        ] {
            assert!(outcome.stderr.contains(says), "{says}: {}", outcome.stderr);
        }
        assert_eq!(outcome.stdout, "");
        canary(&["run"], "correct").exits(0);
    }
}

#[test]
fn a_jvm_below_a_script_is_checked() {
    if has_java() {
        let script = format!("echo before; java -cp '{CANARY}' Canary broken; echo after $?");
        let outcome = interloper(&["run", "--", "sh", "-c", &script]).exits(1);
        assert_eq!(outcome.stdout, "before\nafter 0\n");
        assert!(outcome.stderr.contains("Canary.withdraw is not atomic"), "{}", outcome.stderr);
    }
}

/// JVMs that know no AOT caches do not mind here, and none gets to make one.
#[test]
fn a_jvm_that_makes_an_aot_cache_runs_unchecked_and_says_so() {
    if has_java() {
        let script = format!("java -cp '{CANARY}' Canary correct");
        // The JVM removes what is there before: it must be nothing that is needed.
        let folder = tempfile::tempdir().unwrap();
        let options = "-XX:+IgnoreUnrecognizedVMOptions -XX:AOTMode=record -XX:AOTConfiguration=";
        let mut command = command(&["run", "--", "sh", "-c", &script]);
        command.env("JAVA_TOOL_OPTIONS", format!("{options}{}/aot", folder.path().display()));
        let outcome = run(command);
        let says = "this JVM is not checked: -XX:AOTMode=record: a JVM that makes an AOT cache";
        assert!(outcome.stderr.contains(says), "{outcome:?}");
        assert!(outcome.stderr.contains("no JVM loaded the agent"), "{outcome:?}");
        assert_ne!(outcome.code, 128 + 6, "it did not crash: {outcome:?}");
    }
}

#[test]
fn a_jvm_that_is_not_checked_beside_one_that_is_makes_no_green() {
    if has_java() {
        let (java, aside) = (format!("java -cp '{CANARY}' Canary correct"), "-XX:AOTMode=record");
        let script = format!(
            "{java}; JAVA_TOOL_OPTIONS=\"$JAVA_TOOL_OPTIONS -XX:+IgnoreUnrecognizedVMOptions {aside} -XX:AOTConfiguration=aot\" {java}"
        );
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(&["run", "--", "sh", "-c", &script]);
        command.current_dir(folder.path());
        let outcome = run(command).exits(2);
        assert!(outcome.stderr.contains("no violation found"), "{outcome:?}");
        let says = format!("was not checked: {aside}: a JVM that makes an AOT cache");
        assert!(outcome.stderr.contains(&says), "{outcome:?}");
    }
}

#[test]
fn a_jvm_without_a_class_to_check_is_three() {
    if has_java() {
        let outcome = canary(&["run", "--exclude", "Canary"], "broken").exits(3);
        assert!(outcome.stderr.contains("none is left of the application"), "{outcome:?}");
        let outcome = interloper(&["run", "--", "java", "--version"]).exits(3);
        assert!(outcome.stderr.contains("nothing was checked"), "{outcome:?}");
    }
}

#[test]
fn a_jvm_in_which_nothing_is_atomic_is_three_for_those_who_need_it() {
    if has_java() {
        for atomic in ["@No.Such", "No.such.method"] {
            let outcome = canary(&["run", "--atomic", atomic], "broken").exits(3);
            for says in [
                "nothing was checked: ",
                &format!("--atomic {atomic}: "),
                "no method that was loaded is",
            ] {
                assert!(outcome.stderr.contains(says), "{says}: {}", outcome.stderr);
            }
        }
        let outcome =
            canary(&["run", "--atomic", "none", "--engine", "goodlock"], "broken").exits(0);
        assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
        let outcome = canary(
            &["run", "--atomic", "Canary.withdraw", "--instrument", "java.util.Vecto"],
            "broken",
        );
        let told = outcome.exits(1).stderr;
        assert!(
            told.contains("--instrument java.util.Vecto: ") && !told.contains("--atomic"),
            "{told}"
        );
    }
}

#[test]
fn what_is_recorded_is_found_again() {
    if has_java() {
        let scratch = Scratch::new();
        let (trace, report) = (scratch.at("canary.itl"), scratch.at("run.json"));
        canary(&["record", "-o", &trace], "broken").exits(0);
        canary(&["run", "-f", "json", "-o", &report], "broken").exits(1);
        let ran: serde_json::Value = serde_json::from_slice(&scratch.read("run.json")).unwrap();
        let checked = interloper(&["check", "-f", "json", &trace]).exits(1).json();
        let found = |report: &serde_json::Value| {
            let findings = report["runs"][0]["engines"][0]["findings"].as_array().unwrap().clone();
            findings.iter().map(|it| it["fingerprint"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(found(&checked), found(&ran));
        assert_eq!(checked["runs"][0]["complete"], true);
    }
}

#[test]
fn refining_ends_with_what_the_program_keeps() {
    if has_java() {
        let scratch = Scratch::new();
        let spec = scratch.at("spec");
        let outcome = canary(&["refine", "--runs", "2", "-o", &spec], "broken").exits(1);
        assert!(outcome.stderr.contains("Canary.withdraw is not atomic"), "{}", outcome.stderr);
        let text = String::from_utf8(scratch.read("spec")).unwrap();
        assert!(text.contains("\nCanary.withdraw  # blamed in run 1\n"), "{text}");
        canary(&["run", "--spec", &spec], "broken").exits(0);
    }
}

/// Writes a field in two threads for ever.
const FOREVER: &str = "\
class Forever extends Thread {
    static int x;
    public static void main(String[] args) { new Forever().start(); new Forever().start(); }
    public void run() { while (true) { step(); } }
    static void step() { synchronized (Forever.class) { x++; } }
}
";

#[test]
fn a_jvm_that_is_killed_leaves_a_trace_that_can_be_read() {
    if has_java() {
        let scratch = Scratch::new();
        let source = scratch.file("Forever.java", FOREVER);
        let trace = scratch.at("forever.itl");
        let script =
            "\"$@\" & pid=$!; while [ ! -s \"$0\" ]; do sleep 0.1; done; kill -9 $pid; wait $pid";
        let args = ["record", "-o", &trace, "--", "sh", "-c", script, &trace, "java", &source];
        let outcome = interloper(&args).exits(128 + 9);
        assert!(outcome.stderr.contains("forever.itl: the recording is incomplete"), "{outcome:?}");
        let checked = interloper(&["check", "-f", "json", &trace]);
        let run = &checked.json()["runs"][0];
        assert!(run["events"].as_u64().unwrap() > 0, "{run:#}");
        assert_eq!(run["complete"], false, "the file is whole, the run is not: {run:#}");
        assert!(run["notes"].to_string().contains("ended without a word"), "{run:#}");
    }
}

#[test]
fn if_the_command_is_killed_the_program_goes_on_and_the_file_is_readable() {
    if has_java() {
        let scratch = Scratch::new();
        let source = scratch.file("Forever.java", FOREVER);
        let trace = scratch.at("forever.itl");
        let pid_file = scratch.at("pid");
        let script = "echo $$ > \"$0\"; exec \"$@\"";
        let mut child = command(&[
            "record", "-o", &trace, "--", "sh", "-c", script, &pid_file, "java", &source,
        ])
        // killed, it cannot remove the folder of the run
        .env("TMPDIR", scratch.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        let begun = Instant::now();
        let size = || std::fs::metadata(&trace).map_or(0, |file| file.len());
        while size() < 1000 && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(100));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let pid = String::from_utf8(scratch.read("pid")).unwrap();
        std::thread::sleep(Duration::from_millis(500));
        let alive = Path::new("/proc").join(pid.trim()).exists();
        let killed = Command::new("kill").args(["-9", pid.trim()]).status().unwrap();
        assert!(alive && killed.success(), "the program goes on");
        let checked = interloper(&["check", "-f", "json", &trace]);
        let run = &checked.json()["runs"][0];
        assert!(run["events"].as_u64().unwrap() > 0, "{run:#}");
        assert_eq!(run["complete"], false, "{run:#}");
    }
}
