//! `run`, `record` and `refine` on a program that only plays a JVM: it speaks to the command as the agent does, so these
//! tests need no JDK.
//!
//! The program is this test binary, which is started again with [`PART`] set.

use crate::common::{Outcome, Scratch, command, interloper, run};
use interloper_tap::message::{STOPPED, VERSION};
use interloper_tap::{
    Arena, Class, Connection, Field, Hello, Message, Method, Site, SiteKind, log,
};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What the program is to play.
const PART: &str = "INTERLOPER_TEST_PART";

/// The program, if a part is given; else nothing.
#[test]
fn the_program() {
    let Ok(part) = std::env::var(PART) else { return };
    let (part, code) = part.split_once(':').unwrap_or((&part, "0"));
    if part == "interrupting-early" {
        interrupt_the_command();
    }
    // the first time a JVM, and then no more
    let faded = part == "fading" && std::fs::File::create_new("played").is_err();
    if part != "none" && !faded {
        let folder = run_folder();
        if part == "unwelcome" {
            limit_files_of_the_command("3:");
        }
        play(part, &folder);
        if part == "unwelcome" {
            std::thread::sleep(Duration::from_secs(3));
            limit_files_of_the_command("64:");
        }
    }
    if part.starts_with("killed") {
        std::process::abort();
    }
    std::process::exit(code.parse().unwrap());
}

/// Says how many files who has started this may have open from now on.
fn limit_files_of_the_command(limit: &str) {
    let parent = std::os::unix::process::parent_id().to_string();
    let args = ["--pid", &parent, &format!("--nofile={limit}")];
    assert!(Command::new("prlimit").args(args).status().unwrap().success());
}

/// Asks who has started this to end, and waits for the consequences.
fn interrupt_the_command() {
    let parent = std::os::unix::process::parent_id().to_string();
    assert!(Command::new("kill").args(["-TERM", &parent]).status().unwrap().success());
    std::thread::sleep(Duration::from_secs(20));
}

/// As the agent is told.
fn run_folder() -> PathBuf {
    let options = std::env::var("JAVA_TOOL_OPTIONS").unwrap();
    let option = options.split(' ').next_back().unwrap();
    let (library, folder) = option.strip_prefix("-agentpath:").unwrap().split_once('=').unwrap();
    assert!(std::fs::read(library).unwrap().starts_with(b"\x7fELF"));
    assert!(PathBuf::from(folder).join("config").exists());
    folder.into()
}

fn play(part: &str, folder: &std::path::Path) {
    let arena = Arc::new(Arena::create(16, 4).unwrap());
    let hello = Hello {
        version: VERSION,
        pid: std::process::id(),
        java: "17.0.1".into(),
        command: format!("bank.Main {part}"),
    };
    let connection = Connection::open(folder, arena.clone(), hello).unwrap();
    if part != "idle" {
        let config = std::fs::read_to_string(folder.join("config")).unwrap();
        connection.send(&Message::Class(account(&config)));
        let what = "bank.Big.parse".to_string();
        connection.send(&Message::Skipped { what, reason: "too long".into() });
        let name = "bank/Account".to_string();
        connection.send(&Message::ClassName { number: ACCOUNT, name });
        for (uid, name) in [(1, "main"), (2, "bob")] {
            connection.send(&Message::Thread { uid, name: name.into() });
        }
        write_logs(
            &arena,
            config.contains("not-atomic bank.Account.withdraw"),
            !part.ends_with("serial"),
        );
        arena.count_blocks(0, 1);
    }
    if part == "limited" || part == "limited-serial" {
        // time to read what there is, which is not used after that
        std::thread::sleep(Duration::from_millis(500));
        arena.stop_writing();
        let text = format!("{STOPPED}more than 4 threads ran at once");
        connection.send(&Message::Note { text });
    }
    if part == "slow" {
        std::thread::sleep(Duration::from_millis(1500));
    } else if part == "endless" {
        std::thread::sleep(Duration::from_secs(20));
    }
    if part.starts_with("interrupting") {
        // the command passes it on
        interrupt_the_command();
    }
    if !part.starts_with("killed") {
        connection.send(&Message::Bye { reason: "exit".into() });
    }
}

/// The sites of [`account`].
const READ: u32 = 1;
const WRITE: u32 = 2;
const DEPOSIT: u32 = 3;
const START: u32 = 4;
/// The number of the class, and of its only object.
const ACCOUNT: u32 = 1;
/// The method `withdraw`.
const WITHDRAW: u32 = 1;

/// A class with a balance.
fn account(config: &str) -> Class {
    let site = |id, kind, member: &str, method, line| Site {
        id,
        kind,
        is_static: false,
        owner: "bank/Account".into(),
        member: member.into(),
        method,
        line,
    };
    let atomic = !config.contains("atomic none");
    let method =
        |id, name: &str, line| Method { id, label: format!("bank.Account.{name}"), atomic, line };
    Class {
        name: "bank/Account".into(),
        super_name: "java/lang/Object".into(),
        source: Some("Account.java".into()),
        fields: vec![Field { name: "balance".into(), access: 0 }],
        methods: vec![method(WITHDRAW, "withdraw", 11), method(2, "deposit", 20)],
        sites: vec![
            site(READ, SiteKind::Read, "balance", WITHDRAW, 12),
            site(WRITE, SiteKind::Write, "balance", WITHDRAW, 14),
            site(DEPOSIT, SiteKind::Write, "balance", 2, 21),
            site(START, SiteKind::Call, "", 2, 30),
        ],
    }
}

/// `main` withdraws, and `bob` deposits: in between if `cut`, or else afterwards.
fn write_logs(arena: &Arena, plain: bool, cut: bool) {
    let word = log::word;
    let mut main = vec![word(log::START, 0, 1), word(log::FORK, START, 2)];
    main.extend([word(log::OBJECT, 0, ACCOUNT), u64::from(ACCOUNT)]);
    if !plain {
        main.push(word(log::BEGIN, 0, WITHDRAW));
    }
    main.push(word(log::ACCESS, READ, ACCOUNT));
    let read = main.len() as u64;
    // bob's log up to his deposit
    let deposited = 1 + 2 + 2 + 1;
    if cut {
        main.extend([word(log::EDGE, 0, 1), deposited]);
    }
    main.push(word(log::ACCESS, WRITE, ACCOUNT));
    if !plain {
        main.push(word(log::END, 0, 0));
    }
    let seen = if cut { read } else { main.len() as u64 };
    main.push(word(log::EXIT, 0, 0));
    let mut bob = vec![word(log::START, 0, 2), word(log::EDGE, 0, 0), 2];
    bob.extend([word(log::EDGE, 0, 0), seen, word(log::ACCESS, DEPOSIT, ACCOUNT)]);
    bob.push(word(log::EXIT, 0, 0));
    for (slot, words) in [(0, main), (1, bob)] {
        let chunk = arena.take_chunk().unwrap();
        let place = arena.chunk(chunk).unwrap();
        // backwards: of an entry of two words the first is written last
        for (place, word) in place.iter().zip(words).rev() {
            place.store(word, Ordering::Release);
        }
        arena.begin_slot(slot, chunk);
    }
}

/// The command with a program that plays this part, not yet started; it finds its cache in the folder.
fn with_part(scratch: &Scratch, args: &[&str], part: &str) -> Command {
    let exe = std::env::current_exe().unwrap();
    let program = ["--", exe.to_str().unwrap(), "--exact", "java_fake::the_program", "--nocapture"];
    let mut command = command(&[args, &program[..]].concat());
    command.env(PART, part).env("XDG_CACHE_HOME", scratch.at("cache"));
    command.env_remove("JAVA_TOOL_OPTIONS").current_dir(scratch.path());
    command
}

fn played(scratch: &Scratch, args: &[&str], part: &str) -> Outcome {
    run(with_part(scratch, args, part))
}

#[test]
fn a_violation_is_reported_on_standard_error_and_is_the_exit_code() {
    let scratch = Scratch::new();
    let outcome = played(&scratch, &["run"], "cut").exits(1);
    for says in [
        "bank.Account.withdraw is not atomic",
        "Account.java:12",
        "bob",
        "Account#1.balance",
        "bank.Main cut: ",
        "instrumented 2 methods of 1 class (2 atomic), executed 1 atomic block",
        "left alone: 1 (bank.Big.parse): too long",
    ] {
        assert!(outcome.stderr.contains(says), "{says}: {}", outcome.stderr);
    }
    assert!(!outcome.stdout.contains("atomic"), "that is the program's: {outcome:?}");
    assert!(!outcome.stderr.contains("warning"), "{}", outcome.stderr);
}

#[test]
fn the_program_s_own_exit_code_wins() {
    let scratch = Scratch::new();
    played(&scratch, &["run"], "serial").exits(0);
    played(&scratch, &["run"], "serial:7").exits(7);
    let outcome = played(&scratch, &["run"], "cut:7").exits(7);
    assert!(outcome.stderr.contains("is not atomic"), "{outcome:?}");
    let outcome = played(&scratch, &["run"], "killed").exits(128 + 6);
    assert!(outcome.stderr.contains("is not atomic"), "what came is checked: {outcome:?}");
    assert!(outcome.stderr.contains("ended without a word"), "{outcome:?}");
}

#[test]
fn nothing_to_check_is_three_and_why() {
    let scratch = Scratch::new();
    for (part, says) in [("none", "no JVM loaded the agent"), ("idle", "no class was instrumented")]
    {
        let outcome = played(&scratch, &["run"], part).exits(3);
        assert!(outcome.stderr.contains(&format!("nothing was checked: {says}")), "{outcome:?}");
    }
    played(&scratch, &["run"], "none:4").exits(4);
}

#[test]
fn where_nothing_is_atomic_nothing_was_checked_but_races() {
    let scratch = Scratch::new();
    let none = ["run", "--atomic", "none"];
    let outcome = played(&scratch, &none, "serial").exits(3);
    assert!(
        outcome.stderr.contains("none of their methods is atomic by `--atomic none`"),
        "{outcome:?}"
    );
    let outcome =
        played(&scratch, &[&none[..], &["--engine", "goodlock"]].concat(), "serial").exits(0);
    assert!(!outcome.stderr.contains("nothing was checked"), "{outcome:?}");
    played(&scratch, &["refine", "--runs", "1", "--atomic", "none"], "serial").exits(3);
    let trace = scratch.at("run.itl");
    let outcome =
        played(&scratch, &["record", "-o", &trace, "--atomic", "none"], "serial").exits(0);
    assert!(outcome.stderr.contains("no atomic block in what was recorded"), "{outcome:?}");
}

#[test]
fn names_that_nothing_has_are_told() {
    let scratch = Scratch::new();
    let args = ["--atomic", "methods,@No.Such,a.B.c", "--not-atomic", "bank.Bank.pay"];
    for command in [&["run"][..], &["record", "-o", "run.itl"]] {
        let outcome = played(&scratch, &[command, &args].concat(), "serial").exits(0);
        for says in
            ["--atomic @No.Such: ", "retention", "--atomic a.B.c: ", "--spec bank.Bank.pay: "]
        {
            assert!(outcome.stderr.contains(says), "{says}: {}", outcome.stderr);
        }
    }
}

#[test]
fn a_report_for_tools_goes_where_it_is_wanted() {
    let scratch = Scratch::new();
    let report = scratch.at("report.json");
    played(&scratch, &["run", "-f", "json", "-o", &report], "cut").exits(1);
    let json: serde_json::Value = serde_json::from_slice(&scratch.read("report.json")).unwrap();
    let run = &json["runs"][0];
    assert_eq!(run["input"], "bank.Main cut");
    assert_eq!(run["jvm"]["methods"], 2);
    let finding = &run["engines"][0]["findings"][0];
    assert_eq!(finding["blame"]["label"], "bank.Account.withdraw");
    assert_eq!(finding["steps"][0]["at"], "bank.Account.withdraw(Account.java:12)");
}

#[test]
fn settings_come_from_the_file_and_the_command_line_wins() {
    let scratch = Scratch::new();
    // with a mark of byte order, as some editors write it
    let settings =
        "\u{feff}[run]\nnot-atomic = [\"bank.Account.withdraw\"]\nengine = [\"velodrome\"]\n";
    scratch.file("interloper.toml", settings);
    let outcome = played(&scratch, &["run"], "cut").exits(0);
    assert!(outcome.stderr.contains("velodrome"), "{outcome:?}");
    let outcome = played(&scratch, &["run", "--engine", "frontier"], "cut").exits(0);
    assert!(!outcome.stderr.contains("velodrome"), "{outcome:?}");
    scratch.file("interloper.toml", "[run]\nnot-atomik = []\n");
    let outcome = played(&scratch, &["run"], "cut").exits(2);
    assert!(outcome.stderr.contains("not-atomik"), "{outcome:?}");
}

#[test]
fn what_is_recorded_checks_as_it_did() {
    let scratch = Scratch::new();
    let trace = scratch.at("run.itl");
    let outcome = played(&scratch, &["record", "-o", &trace], "cut").exits(0);
    assert!(outcome.stderr.contains(&format!("{trace}: ")), "{outcome:?}");
    let fingerprint = |json: &serde_json::Value| {
        json["runs"][0]["engines"][0]["findings"][0]["fingerprint"].clone()
    };
    let checked = interloper(&["check", "-f", "json", &trace]).exits(1).json();
    let report = scratch.at("report.json");
    played(&scratch, &["run", "-f", "json", "-o", &report], "cut").exits(1);
    let ran: serde_json::Value = serde_json::from_slice(&scratch.read("report.json")).unwrap();
    assert_eq!(fingerprint(&checked), fingerprint(&ran));
    assert!(fingerprint(&checked).is_string());
    assert_eq!(checked["runs"][0]["complete"], true);
}

#[test]
fn a_jvm_that_cannot_be_taken_in_is_told_and_never_green() {
    let scratch = Scratch::new();
    for args in [&["run"][..], &["record", "-o", "run.itl"]] {
        let outcome = played(&scratch, args, "unwelcome").exits(3);
        let says = "warning: no JVM can be taken in: Too many open files";
        assert_eq!(outcome.stderr.matches(says).count(), 1, "{outcome:?}");
    }
}

#[test]
fn a_limit_of_the_recorder_is_told_and_never_green() {
    let scratch = Scratch::new();
    let reason = "recording stopped in the middle of the run: more than 4 threads ran at once";
    let outcome = played(&scratch, &["run"], "limited").exits(1);
    for says in ["bank.Account.withdraw is not atomic", "warning: process ", reason, "incomplete"] {
        assert!(outcome.stderr.contains(says), "{says}: {outcome:?}");
    }
    for args in [&["run"][..], &["record", "-o", "run.itl"], &["refine", "--runs", "1"]] {
        let outcome = played(&scratch, args, "limited-serial").exits(2);
        assert!(outcome.stderr.contains(reason), "{outcome:?}");
        assert!(!outcome.stderr.contains("internal error"), "{outcome:?}");
    }
    let outcome = interloper(&["check", &scratch.at("run.itl")]).exits(2);
    assert!(outcome.stdout.contains(reason), "{outcome:?}");
    played(&scratch, &["record", "-o", "run.itl"], "limited").exits(2);
    interloper(&["check", &scratch.at("run.itl")]).exits(1);
    played(&scratch, &["run"], "limited-serial:9").exits(9);
}

/// What a report says of how complete its input was.
fn doubts(report: &serde_json::Value) -> (bool, Vec<String>) {
    let run = &report["runs"][0];
    let notes = run["notes"].as_array().unwrap().iter();
    (run["complete"].as_bool().unwrap(), notes.map(|it| it.as_str().unwrap().into()).collect())
}

#[test]
fn a_recording_that_is_not_whole_says_so_as_the_run_would_have() {
    let scratch = Scratch::new();
    let report = scratch.at("report.json");
    for (part, code) in [("killed", 128 + 6), ("killed-serial", 128 + 6), ("limited-serial", 2)] {
        played(&scratch, &["run", "-f", "json", "-o", &report], part).exits(code);
        let ran = serde_json::from_slice(&scratch.read("report.json")).unwrap();
        let outcome = played(&scratch, &["record", "-o", "run.itl"], part).exits(code);
        let last = outcome.stderr.trim_end().lines().next_back().unwrap();
        assert!(last.contains("run.itl: the recording is incomplete"), "{outcome:?}");
        let checked = interloper(&["check", "-f", "json", &scratch.at("run.itl")]);
        assert!(checked.stderr.contains("the recording is incomplete"), "{checked:?}");
        assert_eq!(doubts(&checked.json()), doubts(&ran), "{part}");
        assert!(!doubts(&ran).0);
    }
    played(&scratch, &["record", "-o", "run.itl"], "serial").exits(0);
    let checked = interloper(&["check", "-f", "json", &scratch.at("run.itl")]).exits(0);
    assert_eq!(doubts(&checked.json()), (true, vec![]));
}

#[test]
fn what_a_recording_says_of_itself_is_kept_or_missed() {
    let scratch = Scratch::new();
    let [trace, copy, text] = ["run.itl", "copy.itl.gz", "run.std"].map(|name| scratch.at(name));
    played(&scratch, &["record", "-o", &trace], "killed-serial").exits(128 + 6);
    interloper(&["trace", "convert", &trace, &copy]).exits(0);
    for trace in [&trace, &copy] {
        let checked = interloper(&["check", "-f", "json", trace]).exits(0).json();
        let (complete, notes) = doubts(&checked);
        assert!(!complete && notes[0].contains("ended without a word"), "{notes:?}");
        let stat = interloper(&["trace", "stat", "-f", "json", trace]).exits(0);
        assert_eq!(stat.json()["traces"][0]["complete"], false);
        let outcome = interloper(&["trace", "validate", trace]).exits(0);
        assert!(outcome.stderr.contains("the recording is incomplete"), "{outcome:?}");
    }
    let outcome = interloper(&["trace", "convert", &trace, &text]).exits(2);
    assert!(outcome.stderr.contains("a text trace cannot keep that"), "{outcome:?}");
}

#[test]
fn nothing_recorded_leaves_no_file() {
    let scratch = Scratch::new();
    let trace = scratch.at("run.itl");
    let outcome = played(&scratch, &["record", "-o", &trace], "idle").exits(3);
    assert!(outcome.stderr.contains("nothing was recorded"), "{outcome:?}");
    assert!(!PathBuf::from(trace).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_does_not_stop_the_program() {
    let scratch = Scratch::new();
    let outcome = played(&scratch, &["record", "-o", "/dev/full"], "cut").exits(2);
    let told = outcome.stderr.matches("recording has stopped, the program goes on").count();
    assert_eq!(told, 1, "{outcome:?}");
    played(&scratch, &["record", "-o", "/dev/full"], "cut:9").exits(9);
}

#[test]
fn several_jvms_have_a_file_each() {
    let scratch = Scratch::new();
    let exe = std::env::current_exe().unwrap();
    let script = "for part in cut idle serial; do \
        INTERLOPER_TEST_PART=$part \"$0\" --exact java_fake::the_program --nocapture; done";
    let args = ["record", "-o", "run.itl", "--", "sh", "-c", script, exe.to_str().unwrap()];
    let mut command = command(&args);
    command.env("XDG_CACHE_HOME", scratch.at("cache")).current_dir(scratch.path());
    let outcome = run(command).exits(0);
    assert!(!outcome.stderr.contains("was there before"), "{outcome:?}");
    assert_eq!(scratch.names(), ["cache", "run.2.itl", "run.itl"]);
    interloper(&["check", &scratch.at("run.itl")]).exits(1);
    interloper(&["check", &scratch.at("run.2.itl")]).exits(0);
    let outcome = played(&scratch, &["record", "-o", "run.itl"], "serial").exits(0);
    let says = "warning: run.2.itl: this is not of this recording, but was there before";
    assert!(outcome.stderr.contains(says), "{outcome:?}");
}

#[test]
fn jvms_that_outlive_the_program_are_watched_for_a_while() {
    let scratch = Scratch::new();
    let exe = std::env::current_exe().unwrap();
    let script = "\"$0\" --exact java_fake::the_program --nocapture & sleep 0.7";
    let lingering_in = |how: &[&str], part, seconds| {
        let args = ["--linger", seconds, "--", "sh", "-c", script, exe.to_str().unwrap()];
        let mut command = command(&[how, &args].concat());
        command.env(PART, part).env("XDG_CACHE_HOME", scratch.at("cache"));
        command.current_dir(scratch.path()).stdout(Stdio::null());
        run(command)
    };
    let lingering = |part, seconds| lingering_in(&["run"], part, seconds);
    let outcome = lingering("slow", "60").exits(1);
    assert!(!outcome.stderr.contains("warning"), "{outcome:?}");
    // One that is idle and goes on: what it did so far counts.
    let outcome = lingering("endless", "0").exits(1);
    assert!(outcome.stderr.contains("is not atomic"), "{outcome:?}");
    assert!(outcome.stderr.contains("outlives the program"), "{outcome:?}");
    // And its recording says as much.
    let outcome = lingering_in(&["record", "-o", "run.itl"], "endless", "0").exits(0);
    assert!(outcome.stderr.contains("run.itl: the recording is incomplete"), "{outcome:?}");
    let checked = interloper(&["check", "-f", "json", &scratch.at("run.itl")]).exits(1).json();
    let (complete, notes) = doubts(&checked);
    assert!(!complete && notes[0].contains("or still runs"), "{notes:?}");
}

#[test]
fn a_jvm_that_is_not_there_yet_when_its_script_ends_is_watched() {
    let scratch = Scratch::new();
    let exe = std::env::current_exe().unwrap();
    let script = "(sleep 0.3; exec \"$0\" --exact java_fake::the_program --nocapture) &";
    let left_by = |script: &str, seconds: &str| {
        let mut command = command(&["run", "--linger", seconds, "--", "sh", "-c", script]);
        command.arg(&exe).env(PART, "withdrawing").env("XDG_CACHE_HOME", scratch.at("cache"));
        command.stdout(Stdio::null());
        run(command)
    };
    let outcome = left_by(script, "60").exits(1);
    assert!(!outcome.stderr.contains("warning"), "{outcome:?}");
    left_by(script, "0").exits(3);
    // what does not become a JVM is not waited for as long
    let begun = Instant::now();
    left_by("sleep 20 2>/dev/null &", "60").exits(3);
    assert!(begun.elapsed() < Duration::from_secs(15));
}

/// A script whose JVM outlives it, and that has the command get a signal after that.
const SIGNALLED: &str = "\"$0\" --exact java_fake::the_program --nocapture 2>/dev/null & \
    (sleep 1.7; kill -TERM $PPID) & sleep 0.7";

/// The command with that script; its temporary folder is one of its own.
fn signalled(scratch: &Scratch, args: &[&str]) -> Outcome {
    let exe = std::env::current_exe().unwrap();
    let temp = scratch.at("tmp");
    std::fs::create_dir_all(&temp).unwrap();
    let program = ["--linger", "60", "--", "sh", "-c", SIGNALLED, exe.to_str().unwrap()];
    let mut command = command(&[args, &program[..]].concat());
    command.env(PART, "endless").env("XDG_CACHE_HOME", scratch.at("cache")).env("TMPDIR", &temp);
    command.current_dir(scratch.path()).stdout(Stdio::null());
    let begun = Instant::now();
    let outcome = run(command);
    assert!(begun.elapsed() < Duration::from_secs(15), "{outcome:?}");
    assert_eq!(crate::common::names_in(temp.as_ref()), [""; 0], "{outcome:?}");
    outcome
}

#[test]
fn a_signal_after_the_program_ends_the_waiting_and_not_the_report() {
    let scratch = Scratch::new();
    let outcome = signalled(&scratch, &["run"]).exits(1);
    for says in ["bank.Account.withdraw is not atomic", "was watched until a signal came"] {
        assert!(outcome.stderr.contains(says), "{says}: {outcome:?}");
    }
    signalled(&scratch, &["record", "-o", "run.itl"]).exits(0);
    interloper(&["check", &scratch.at("run.itl")]).exits(1);
    let outcome = signalled(&scratch, &["refine"]).exits(2);
    for says in ["bank.Account.withdraw is not atomic", "interrupted: 1 method is not atomic"] {
        assert!(outcome.stderr.contains(says), "{says}: {outcome:?}");
    }
    let spec = String::from_utf8(scratch.read("interloper.spec")).unwrap();
    assert!(spec.contains("\nbank.Account.withdraw  # blamed in run 1\n"), "{spec}");
}

#[test]
fn what_refining_has_shown_is_kept_when_it_is_interrupted() {
    let scratch = Scratch::new();
    let outcome = played(&scratch, &["refine"], "interrupting").exits(2);
    for says in ["bank.Account.withdraw is not atomic", "interrupted: 1 method is not atomic"] {
        assert!(outcome.stderr.contains(says), "{says}: {outcome:?}");
    }
    let spec = String::from_utf8(scratch.read("interloper.spec")).unwrap();
    assert!(spec.contains("# It is incomplete: refining was interrupted.\n"), "{spec}");
    let outcome = played(&scratch, &["refine", "-o", "other"], "interrupting-serial").exits(2);
    assert!(
        outcome.stderr.contains("interrupted: no method was blamed after 1 run"),
        "{outcome:?}"
    );
    let outcome = played(&scratch, &["refine", "-o", "none"], "interrupting-early").exits(2);
    assert!(outcome.stderr.contains("interrupted before anything was checked"), "{outcome:?}");
    assert!(!outcome.stderr.contains("no JVM"), "{outcome:?}");
    assert!(!PathBuf::from(scratch.at("none")).exists());
}

#[test]
fn what_refining_has_shown_is_kept_when_a_later_run_shows_nothing() {
    let scratch = Scratch::new();
    let outcome = played(&scratch, &["refine"], "fading").exits(2);
    for says in [
        "run 2: nothing was checked: no JVM loaded the agent",
        "bank.Account.withdraw is not atomic",
        "stopped, as run 2 could not be checked: 1 method is not atomic after 1 run",
    ] {
        assert!(outcome.stderr.contains(says), "{says}: {outcome:?}");
    }
    let spec = String::from_utf8(scratch.read("interloper.spec")).unwrap();
    assert!(spec.contains("# It is incomplete: run 2 could not be checked.\n"), "{spec}");
    assert!(spec.contains("\nbank.Account.withdraw  # blamed in run 1\n"), "{spec}");
}

#[test]
fn a_specification_that_cannot_be_written_does_not_cost_the_report() {
    let scratch = Scratch::new();
    let outcome = played(&scratch, &["refine", "-o", "/no/such/folder/spec"], "cut").exits(2);
    assert!(outcome.stderr.contains("/no/such/folder/spec: "), "{outcome:?}");
    assert!(!outcome.stderr.contains("not atomic"), "nothing was run: {outcome:?}");
    let outcome = played(&scratch, &["refine", "--runs", "1", "-o", "/dev/full"], "cut").exits(2);
    assert!(outcome.stderr.contains("/dev/full: "), "{outcome:?}");
    assert!(outcome.stderr.contains("bank.Account.withdraw is not atomic"), "{outcome:?}");
    played(&scratch, &["refine", "-o", "none"], "idle").exits(3);
    assert!(!PathBuf::from(scratch.at("none")).exists(), "there is nothing to specify");
}

#[test]
fn refining_takes_blamed_methods_out_until_nothing_is_new() {
    let scratch = Scratch::new();
    let outcome = played(&scratch, &["refine", "--runs", "2"], "cut").exits(1);
    assert!(outcome.stderr.contains("run 1: bank.Main cut"), "{outcome:?}");
    assert!(outcome.stderr.contains("1 method is not atomic after 3 runs"), "{outcome:?}");
    let spec = String::from_utf8(scratch.read("interloper.spec")).unwrap();
    assert!(spec.contains("\nbank.Account.withdraw  # blamed in run 1\n"), "{spec}");
    let outcome = played(&scratch, &["run", "--spec", "interloper.spec"], "cut").exits(0);
    assert!(outcome.stderr.contains("no violation found"), "{outcome:?}");
    played(&scratch, &["refine", "--runs", "1", "-o", "spec"], "serial").exits(0);
    played(&scratch, &["refine", "--runs", "1"], "idle").exits(3);
}

#[test]
fn the_agent_is_kept_in_the_cache_and_the_run_folder_goes() {
    let scratch = Scratch::new();
    let temp = scratch.at("tmp");
    std::fs::create_dir(&temp).unwrap();
    let mut command = with_part(&scratch, &["run"], "serial");
    command.env("TMPDIR", &temp);
    run(command).exits(0);
    assert_eq!(crate::common::names_in(temp.as_ref()), [""; 0]);
    let cached = crate::common::names_in(scratch.path().join("cache/interloper").as_ref());
    assert!(matches!(&cached[..], [one] if one.starts_with("agent-") && one.ends_with(".so")));
}

#[test]
fn what_cannot_be_run_is_bad_usage() {
    for (args, says) in [
        (&["run"][..], "required"),
        (&["run", "--", "/no/such/program"], "/no/such/program: cannot be started"),
        (&["run", "--atomic", "most", "--", "true"], "--atomic most: "),
        (&["run", "--arrays", "some", "--", "true"], "--arrays some: "),
        (&["run", "--arrays", "4294967296", "--", "true"], "4294967295 is the most"),
        (&["run", "--", "java", "-Xshare:dump"], "-Xshare:dump: a JVM that writes an archive"),
        (&["run", "--", "java", "-XX:AOTMode=record", "Main"], "a JVM that makes an AOT cache"),
        (&["run", "--spec", "/no/such/file", "--", "true"], "/no/such/file: "),
        (&["record", "-o", "/no/such/folder/x", "--", "true"], "/no/such/folder/x: "),
        (&["record", "-o", "-", "--", "true"], "-o -: standard output is the program's own"),
        (&["record", "-o", "/no/run.std", "--", "true"], "-o /no/run.std: recordings are binary"),
        (&["record", "-o", "/no/run.itl.gz", "--", "true"], "and not compressed"),
        (&["run", "--atomic", "", "--", "true"], "names nothing"),
        (&["refine", "--runs", "0", "--", "true"], "0 is not in"),
    ] {
        let outcome = interloper(args).exits(2);
        assert!(outcome.stderr.contains(says), "{says}: {outcome:?}");
    }
}
