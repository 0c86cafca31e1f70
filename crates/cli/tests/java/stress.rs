//! Programs that try the agent's patience: they end, in bounded time, with the result that they have without the agent.

use crate::common::{Classes, Jdk, Outcome, Running, interloper, java_files, jdks, programs, run};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The programs, compiled.
fn compiled(jdk: &Jdk) -> Classes {
    Classes::compile(jdk, &java_files(&programs().join("stress")), &[])
}

/// Runs a program alone, under `run` and under `record`; its output and exit code are always the same.
#[track_caller]
fn is_the_same(jdk: &Jdk, classes: &Classes, options: &[&str], main: &str, code: i32) {
    let java = |mut command: Command| {
        command.args(options).args(["-cp", &classes.path(), main]);
        run(command)
    };
    let alone = java(Command::new(jdk.java())).exits(code);
    assert!(!alone.stdout.is_empty());
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let checked =
        java(interloper(&["run", "--output", report.to_str().unwrap(), "--", &jdk.java()]));
    assert_eq!(checked.stdout, alone.stdout, "run, JDK {}: {checked:#?}", jdk.version);
    let trace = folder.path().join("trace.itl");
    let recorded = java(interloper(&["record", "-o", trace.to_str().unwrap(), "--", &jdk.java()]));
    assert_eq!(recorded.stdout, alone.stdout, "record, JDK {}: {recorded:#?}", jdk.version);
    recorded.exits(code);
    readable(&trace);
}

/// The trace is whole, and has events.
#[track_caller]
fn readable(trace: &Path) -> Outcome {
    let outcome = run(interloper(&["trace", "validate", trace.to_str().unwrap()])).exits(0);
    run(interloper(&["check", trace.to_str().unwrap()])).was_checked();
    outcome
}

/// The same on every JDK that is new enough.
#[track_caller]
fn on_all(oldest: u32, options: &[&str], main: &str, code: i32) {
    for jdk in jdks().iter().filter(|jdk| jdk.version >= oldest) {
        is_the_same(jdk, &compiled(jdk), options, main, code);
    }
}

#[test]
fn a_thousand_platform_threads() {
    on_all(17, &[], "ThousandThreads", 0);
}

#[test]
fn ten_thousand_virtual_threads() {
    on_all(21, &[], "VirtualThreads", 0);
}

#[test]
fn many_class_loaders() {
    on_all(17, &[], "Loaders", 0);
}

#[test]
fn lost_updates_still_happen_and_are_found() {
    for jdk in jdks() {
        let classes = compiled(&jdk);
        let mut command = interloper(&["run", "--", &jdk.java()]);
        command.args(["-cp", &classes.path(), "PlainIncrement"]);
        let outcome = run(command).exits(1);
        assert!(outcome.stdout.contains("some were lost"), "{outcome:#?}");
        let found = "violation: PlainIncrement$Counter.increment is not atomic";
        assert!(outcome.stderr.contains(found), "JDK {}: {outcome:#?}", jdk.version);
    }
}

/// Without being told to, a JVM compiles no method of more bytes than this.
const HUGE: u32 = 8_000;

/// How many bytes a method has that a JVM has compiled with all optimizations, of the lines that it prints of what it compiles.
fn optimized(printed: &str, method: &str) -> Option<u32> {
    printed.lines().filter(|line| !line.contains("COMPILE SKIPPED")).find_map(|line| {
        let (before, size) = line.split_once(&format!(" {method} ("))?;
        (before.split_whitespace().next_back()? == "4").then_some(())?;
        size.strip_suffix(" bytes)")?.parse().ok()
    })
}

#[test]
fn a_long_method_is_still_compiled() {
    for jdk in jdks() {
        let classes = compiled(&jdk);
        let java = |mut command: Command| {
            let options = ["-Xbatch", "-XX:+PrintCompilation", "-cp", &classes.path()];
            command.args(options).arg("LongMethod");
            run(command).exits(0).stdout
        };
        let size = |printed: &str| optimized(printed, "LongMethod::step");
        let alone = size(&java(Command::new(jdk.java()))).unwrap();
        let woven = size(&java(interloper(&["run", "--", &jdk.java()])));
        assert!(alone < HUGE && woven.is_some_and(|it| it > HUGE), "{alone}, {woven:?}");
    }
}

#[test]
fn deep_recursion() {
    on_all(17, &[], "DeepRecursion", 0);
}

#[test]
fn exceptions_everywhere() {
    on_all(17, &[], "Exceptions", 0);
}

#[test]
fn exit_while_threads_run() {
    on_all(17, &[], "ExitWhileRunning", 7);
}

#[test]
fn threads_that_go_on_while_the_jvm_ends_are_not_taken_for_killed() {
    for jdk in jdks() {
        let classes = compiled(&jdk);
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace.itl");
        for moment in (0..24).map(|it| it * 15) {
            let mut command = interloper(&["record", "-o", trace.to_str().unwrap(), "--"]);
            command.arg(jdk.java()).args(["-cp", &classes.path(), "LeftOver", &moment.to_string()]);
            let outcome = run(command).exits(0);
            assert!(!outcome.stderr.contains("incomplete"), "JDK {}: {outcome:#?}", jdk.version);
        }
    }
}

#[test]
fn a_small_heap() {
    on_all(17, &["-Xmx48m"], "SmallHeap", 0);
}

#[test]
fn every_garbage_collector() {
    for collector in ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseZGC"] {
        on_all(17, &["-Xmx64m", collector], "SmallHeap", 0);
    }
}

#[test]
fn objects_that_are_handed_to_and_fro() {
    on_all(17, &[], "ManyHands", 0);
}

#[test]
fn hot_objects() {
    on_all(17, &[], "HotCounters", 0);
}

/// The most memory of its own that a process has, in kilobytes, watched until it ends. (The logs, which it shares with the JVM, are not
/// its own.)
fn peak_memory(process: u32) -> u64 {
    let mut peak = 0;
    while let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) {
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        // A process that has ended, and was not waited for yet, has none.
        let Some(now) = line.and_then(|line| line.split_whitespace().next()?.parse().ok()) else {
            break;
        };
        peak = peak.max(now);
        std::thread::sleep(Duration::from_millis(20));
    }
    peak
}

/// Almost a million objects are handed to another thread and die: nothing is left of them, and what is found afterwards has its own name.
#[test]
fn objects_that_die_are_forgotten() {
    // Half of what it takes to remember them.
    const MOST: u64 = 140_000;
    for jdk in jdks() {
        let classes = compiled(&jdk);
        let mut command = interloper(&["run", "--format", "json", "--", &jdk.java(), "-Xmx48m"]);
        command.args(["-cp", &classes.path(), "ShortLives", "400"]);
        let running = Running::start(command);
        let process = running.id();
        let watching = std::thread::spawn(move || peak_memory(process));
        let outcome = running.within(Duration::from_secs(120)).exits(1);
        let peak = watching.join().unwrap();
        outcome.prints("answers: 359400000");
        assert!(outcome.stderr.contains("ShortLives$Account#1."), "{outcome:#?}");
        assert!((1..MOST).contains(&peak), "{peak} KB, JDK {}", jdk.version);
    }
}

#[test]
fn every_way_to_run_bytecode() {
    for how in [&["-Xint"][..], &["-Xcomp", "-XX:TieredStopAtLevel=1"], &["-Xverify:all"]] {
        on_all(17, how, "Exceptions", 0);
    }
}

#[test]
fn what_a_program_sees_of_itself_is_the_same() {
    on_all(17, &[], "Transparent", 0);
}

#[test]
fn another_agent_in_the_same_jvm() {
    for jdk in jdks() {
        let classes = compiled(&jdk);
        let agent = Classes::compile(&jdk, &java_files(&programs().join("stress/agent")), &[]);
        let manifest = agent.folder().join("manifest");
        std::fs::write(&manifest, "Premain-Class: Counting\n").unwrap();
        let jar = agent.folder().join("agent.jar");
        let mut command = Command::new(jdk.tool("jar"));
        command.arg("cfm").args([&jar, &manifest]).arg("-C").arg(agent.folder()).arg(".");
        assert!(command.status().unwrap().success());
        let option = format!("-javaagent:{}", jar.display());
        is_the_same(&jdk, &classes, &[&option], "HotCounters", 0);
    }
}

/// Waits until the program has printed this many lines.
fn printed(running: &Running, lines: usize) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    while running.stdout().lines().count() < lines {
        assert!(Instant::now() < deadline, "the program does not come to its work");
        std::thread::sleep(Duration::from_millis(20));
    }
    running.stdout()
}

#[test]
fn killed_while_recording() {
    for jdk in jdks() {
        let classes = compiled(&jdk);
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace.itl");
        let mut record = interloper(&["record", "-o", trace.to_str().unwrap(), "--", &jdk.java()]);
        record.args(["-cp", &classes.path(), "Endless"]);
        let running = Running::start(record);
        let stdout = printed(&running, 4);
        let pid = stdout.lines().find_map(|line| line.strip_prefix("pid ")).unwrap();
        assert!(Command::new("kill").args(["-9", pid]).status().unwrap().success());
        running.within(Duration::from_secs(60));
        readable(&trace);
    }
}

#[test]
fn out_of_memory_while_recording() {
    for jdk in jdks() {
        let classes = compiled(&jdk);
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace.itl");
        let mut record = interloper(&["record", "-o", trace.to_str().unwrap(), "--", &jdk.java()]);
        record.args([
            "-Xmx32m",
            "-XX:+ExitOnOutOfMemoryError",
            "-cp",
            &classes.path(),
            "OutOfMemory",
        ]);
        run(record).exits(3);
        readable(&trace);
    }
}

#[test]
fn the_recorder_is_killed_and_the_program_goes_on() {
    for jdk in jdks() {
        let classes = compiled(&jdk);
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace.itl");
        let mut record = interloper(&["record", "-o", trace.to_str().unwrap(), "--", &jdk.java()]);
        record.args(["-cp", &classes.path(), "Endless"]);
        let running = Running::start(record);
        let stdout = printed(&running, 3);
        let pid = stdout.lines().find_map(|line| line.strip_prefix("pid ")).unwrap();
        let recorder = running.id().to_string();
        assert!(Command::new("kill").args(["-9", &recorder]).status().unwrap().success());
        let before = running.stdout().lines().count();
        printed(&running, before + 3);
        Command::new("kill").args(["-9", pid]).status().unwrap();
        running.within(Duration::from_secs(60));
    }
}
