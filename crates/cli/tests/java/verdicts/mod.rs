//! `run` says of a Java program what the definition says of what the program really did.
//!
//! Random programs are run under a random schedule that is forced upon them, so the true trace is known beforehand: every access, recorded or not.
//! What `check` finds in it (an engine that is tested against the definition) is what `run` must find:
//!
//! - exactly the same programs have a violation;
//! - whatever `run` blames for certain is not atomic in the true trace, even if nothing else had to be.
//!
//! The other way round it may blame less: what a transaction does again is not recorded again each time.
//! `INTERLOPER_CASES=20` tries twenty times as many programs.

mod execution;
mod program;
#[path = "../../../../tap/tests/common/random.rs"]
mod random;

use crate::common::{Classes, Jdk, interloper, jdks, programs, run};
use execution::{Blocks, Execution};
use program::Program;
use random::Random;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

/// Programs that run one after the other in one JVM.
struct Batch {
    source: String,
    /// The programs' names and true traces.
    traces: Vec<(String, Vec<String>)>,
}

#[derive(Clone, Copy)]
enum How {
    Run,
    Record,
}

/// Of each program with a violation, what is blamed for certain.
type Verdicts = BTreeMap<String, BTreeSet<String>>;

impl Batch {
    fn random(first: u64, count: u64, blocks: Blocks) -> Batch {
        let (mut source, mut calls, mut traces) = (String::new(), String::new(), Vec::new());
        for seed in first..first + count {
            let name = format!("Case{seed}");
            let (program, execution) = case(&name, blocks, &mut Random(seed));
            source += &program.source(&name, &execution.order);
            write!(calls, " {name}.go();").unwrap();
            traces.push((name, execution.trace));
        }
        let main = "public static void main(String[] args) throws Exception";
        writeln!(source, "class Verdicts {{ {main} {{{calls} }} }}").unwrap();
        Batch { source, traces }
    }

    /// Whether a block is not atomic, even if others need not be: the trace without the others' beginnings and ends has a violation.
    fn refutes(&self, name: &str, label: &str) -> bool {
        let begin = format!("begin({label})");
        let (_, lines) = self.traces.iter().find(|(it, _)| it == name).unwrap();
        let mut open: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        let is_kept = |line: &&String| {
            let (thread, what) = line.split_once('|').unwrap();
            let open = open.entry(thread.to_string()).or_default();
            if what.starts_with("begin") {
                open.push(what == begin);
            }
            match what {
                "end" => open.pop().unwrap(),
                _ => what == begin || !what.starts_with("begin"),
            }
        };
        !truth(lines.iter().filter(is_kept)).is_empty()
    }

    /// What is found by running it.
    fn verdicts(&self, jdk: &Jdk, how: How, options: &[&str]) -> Verdicts {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("Verdicts.java"), &self.source).unwrap();
        let order = programs().join("events/schedule/Order.java");
        let classes = Classes::compile(jdk, &[path("Verdicts.java"), order], &[]);
        let mut command = match how {
            How::Run => interloper(&["run", "--format", "json", "-o"]),
            How::Record => interloper(&["record", "-o"]),
        };
        command.arg(path("out")).args(["--exclude", "schedule.*", "--exclude", "Verdicts"]);
        command.args(options).arg("--").arg(jdk.java()).args(["-cp", &classes.path(), "Verdicts"]);
        let outcome = run(command);
        match how {
            How::Run => {
                outcome.was_checked();
                verdicts(&path("out"))
            }
            How::Record => {
                outcome.exits(0);
                checked(&path("out"), &path("report"))
            }
        }
    }
}

/// What there is to be found in a trace.
fn truth<'a>(lines: impl Iterator<Item = &'a String>) -> Verdicts {
    let folder = tempfile::tempdir().unwrap();
    let (trace, report) = (folder.path().join("true.std"), folder.path().join("true.json"));
    // Places of their own: each finding is then told by itself.
    let lines: Vec<String> =
        lines.enumerate().map(|(place, line)| format!("{line}|{place}\n")).collect();
    std::fs::write(&trace, lines.concat()).unwrap();
    checked(&trace, &report)
}

/// What `check` finds in a trace; it leaves a report.
fn checked(trace: &Path, report: &Path) -> Verdicts {
    let mut command = interloper(&["check", "--format", "json", "--output"]);
    command.arg(report).arg(trace);
    run(command);
    verdicts(report)
}

/// A program, and one of its executions.
fn case(name: &str, blocks: Blocks, random: &mut Random) -> (Program, Execution) {
    loop {
        let program = Program::random(random);
        if let Some(execution) = Execution::random(&program, name, blocks, random) {
            return (program, execution);
        }
    }
}

/// What a report in JSON says of each program.
fn verdicts(report: &Path) -> Verdicts {
    let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let mut verdicts = Verdicts::new();
    for finding in report["runs"][0]["engines"][0]["findings"].as_array().unwrap() {
        let subject = finding["subject"].as_str().unwrap();
        let name = subject.split(['.', '$']).next().unwrap();
        let blamed = verdicts.entry(name.to_string()).or_default();
        let refuted = finding["blame"]["refuted"].as_array().into_iter().flatten();
        blamed.extend(refuted.map(|label| label.as_str().unwrap().to_string()));
    }
    verdicts
}

fn violated(verdicts: &Verdicts) -> BTreeSet<&String> {
    verdicts.keys().collect()
}

/// So many programs, or more.
fn cases(first: u64, usual: u64) -> Range<u64> {
    let times = std::env::var("INTERLOPER_CASES").ok().and_then(|times| times.parse().ok());
    first..first + usual * times.unwrap_or(1)
}

/// Runs these programs, in several JVMs.
#[track_caller]
fn agree(seeds: Range<u64>, blocks: Blocks, how: How, options: &[&str]) {
    const AT_ONCE: u64 = 100;
    for jdk in jdks() {
        for first in seeds.clone().step_by(AT_ONCE as usize) {
            let batch = Batch::random(first, AT_ONCE, blocks);
            let found = batch.verdicts(&jdk, how, options);
            let truth = truth(batch.traces.iter().flat_map(|(_, lines)| lines));
            assert!(truth.len() > 10 && truth.len() < 90, "{} are violated", truth.len());
            assert_eq!(violated(&found), violated(&truth), "JDK {}", jdk.version);
            if blocks == Blocks::Methods {
                for (name, blamed) in &found {
                    // Of several violations, which is left out depends on the order in which independent events are read.
                    let mut others = blamed.difference(&truth[name]);
                    let unfounded = others.find(|label| !batch.refutes(name, label));
                    assert_eq!(unfounded, None, "JDK {}", jdk.version);
                }
            }
        }
    }
}

#[test]
fn of_methods() {
    agree(cases(0, 200), Blocks::Methods, How::Run, &[]);
}

#[test]
fn of_methods_from_birth_on() {
    agree(cases(1_000_000, 100), Blocks::Methods, How::Run, &["--all-accesses"]);
}

#[test]
fn of_recorded_methods() {
    agree(cases(2_000_000, 100), Blocks::Methods, How::Record, &[]);
}

#[test]
fn of_monitors() {
    agree(cases(3_000_000, 200), Blocks::Monitors, How::Run, &["--atomic", "synchronized"]);
}
