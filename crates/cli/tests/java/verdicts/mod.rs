//! `run` says of a Java program what the definition says of what the program really did.
//!
//! Random programs are run under a random schedule that is forced upon them, so the true trace is known beforehand: every access, recorded or not.
//! What `check` finds in it (an engine that is tested against the definition) is what `run` must find:
//!
//! - exactly the same programs have a violation;
//! - whatever `run` blames for certain is not atomic in the true trace, even if nothing else had to be.
//!
//! The other way round it may blame less: what a transaction does again is not recorded again each time.
//!
//! The programs have fields in rows, small methods, arrays and objects made on the way and handed on, loops, monitors with `wait` and `notify`, locks, read-write locks,
//! semaphores, a latch, a future, exceptions, and threads and tasks that others start and wait for. Each leaves some of it out (`program/habits.rs`).
//! `INTERLOPER_CASES=20` tries twenty times as many programs.

mod execution;
mod program;
#[path = "../../../../tap/tests/common/random.rs"]
mod random;

use crate::common::{Classes, Jdk, interloper, jdks, programs, run};
use execution::{Blocks, Execution, STRETCH};
use program::{ELEMENTS, METHODS as IN_EACH, Program, ROW};
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
    /// What is atomic, or not, as options.
    atomic: Vec<String>,
}

/// How programs are checked.
struct Setup {
    /// Which blocks of a program are atomic, by its number.
    blocks: fn(u64) -> Blocks,
    how: How,
    options: &'static [&'static str],
    /// So many elements of an array are looked at.
    elements: u32,
}

#[derive(Clone, Copy)]
enum How {
    Run,
    Record,
}

const METHODS: Setup =
    Setup { blocks: |_| Blocks::Methods, how: How::Run, options: &[], elements: ELEMENTS };
/// One method of each program.
const METHOD: Setup = Setup { blocks: |seed| Blocks::Method(seed as usize % IN_EACH), ..METHODS };

/// Of each program with a violation, what is blamed for certain.
type Verdicts = BTreeMap<String, BTreeSet<String>>;

const IMPORTS: &str = "import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
";

impl Batch {
    fn random(first: u64, count: u64, setup: &Setup) -> Batch {
        let (mut source, mut calls, mut traces) = (IMPORTS.to_string(), String::new(), Vec::new());
        let mut atomic = Vec::new();
        for seed in first..first + count {
            let (name, blocks) = (format!("Case{seed}"), (setup.blocks)(seed));
            let (program, mut execution) = case(&name, blocks, &mut Random(seed));
            execution.trace.retain(|line| !is_beyond(line, setup.elements));
            source += &program.source(&name, &execution.order);
            write!(calls, " {name}.go();").unwrap();
            let owner = if program.is_cell { name.clone() } else { format!("{name}$Cell") };
            atomic.extend(["--not-atomic".to_string(), format!("{owner}.{ROW}*")]);
            if let Blocks::Method(method) = blocks {
                atomic.extend(["--atomic".to_string(), format!("{name}.m{method}")]);
            }
            traces.push((name, execution.trace));
        }
        let main = "public static void main(String[] args) throws Exception";
        writeln!(source, "class Verdicts {{ {main} {{{calls} }} }}").unwrap();
        Batch { source, traces, atomic }
    }

    /// Whether a block is not atomic, even if others need not be: the trace without the others' beginnings and ends has a violation. What others do in one go is one
    /// step: in which order elements of different arrays are accessed in a loop is not recorded.
    fn refutes(&self, name: &str, label: &str) -> bool {
        let (_, lines) = self.traces.iter().find(|(it, _)| it == name).unwrap();
        !truth(with_blocks(lines, |it| it == label || it == STRETCH)).is_empty()
    }

    /// What there is to be found.
    fn truth(&self) -> Verdicts {
        let lines =
            self.traces.iter().flat_map(|(_, lines)| with_blocks(lines, |it| it != STRETCH));
        truth(lines)
    }

    /// What is found by running it.
    fn verdicts(&self, jdk: &Jdk, setup: &Setup) -> Verdicts {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("Verdicts.java"), &self.source).unwrap();
        let order = programs().join("events/schedule/Order.java");
        let classes = Classes::compile(jdk, &[path("Verdicts.java"), order], &[]);
        let mut command = match setup.how {
            How::Run => interloper(&["run", "--format", "json", "-o"]),
            How::Record => interloper(&["record", "-o"]),
        };
        command.arg(path("out")).args(["--exclude", "schedule.*", "--exclude", "Verdicts"]);
        command.args(setup.options).args(&self.atomic).arg("--").arg(jdk.java()).args([
            "-cp",
            &classes.path(),
            "Verdicts",
        ]);
        let outcome = run(command);
        match setup.how {
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

/// A trace without the beginnings and ends of some blocks.
fn with_blocks(lines: &[String], is_kept: impl Fn(&str) -> bool) -> impl Iterator<Item = &String> {
    let mut open: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    lines.iter().filter(move |line| {
        let (thread, what) = line.split_once('|').unwrap();
        let open = open.entry(thread).or_default();
        if what == "end" {
            return open.pop().unwrap();
        }
        let Some(label) = what.strip_prefix("begin(") else { return true };
        open.push(is_kept(label.trim_end_matches(')')));
        open.last() == Some(&true)
    })
}

/// Whether a line of a trace tells of an element that is not looked at.
fn is_beyond(line: &str, elements: u32) -> bool {
    let index = line.strip_suffix("])").and_then(|it| it.rsplit_once('['));
    index.is_some_and(|(_, index)| index.parse::<u32>().unwrap() >= elements)
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
    let guards = if blocks == Blocks::Monitors { 35 } else { 12 };
    loop {
        let program = Program::random(random, guards);
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
fn agree(seeds: Range<u64>, setup: &Setup) {
    const AT_ONCE: u64 = 100;
    for jdk in jdks() {
        for first in seeds.clone().step_by(AT_ONCE as usize) {
            let count = AT_ONCE.min(seeds.end - first);
            let batch = Batch::random(first, count, setup);
            let found = batch.verdicts(&jdk, setup);
            let truth = batch.truth();
            let percent = 100 * truth.len() as u64 / count;
            assert!((5..95).contains(&percent), "{percent} % are violated");
            assert_eq!(violated(&found), violated(&truth), "JDK {}", jdk.version);
            if (setup.blocks)(first) != Blocks::Monitors {
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
    agree(cases(0, 100), &METHODS);
}

#[test]
fn of_one_method() {
    agree(cases(4_000_000, 100), &METHOD);
}

#[test]
fn of_one_method_for_all_engines() {
    agree(cases(5_000_000, 50), &Setup { options: &["--engine", "all"], ..METHOD });
}

#[test]
fn of_methods_from_birth_on() {
    agree(cases(1_000_000, 100), &Setup { options: &["--all-accesses"], ..METHODS });
}

#[test]
fn of_methods_and_first_elements() {
    agree(cases(6_000_000, 50), &Setup { options: &["--arrays", "2"], elements: 2, ..METHOD });
}

#[test]
fn of_recorded_methods() {
    agree(cases(2_000_000, 100), &Setup { how: How::Record, ..METHODS });
}

#[test]
fn of_monitors() {
    let options = &["--atomic", "synchronized"];
    agree(cases(3_000_000, 100), &Setup { blocks: |_| Blocks::Monitors, options, ..METHODS });
}
