//! `run` says of a Java program what the definition says of what the program really did.
//!
//! Random programs are run under a random schedule that is forced upon them, so the true trace is known beforehand: every access, recorded or not.
//! What `check` finds in it (an engine that is tested against the definition) is what `run` must find:
//!
//! - exactly the same programs have a violation;
//! - whatever `run` blames for certain is to blame in the true trace, too.
//!
//! The other way round it may blame less: what a transaction does again is not recorded again each time.
//! `INTERLOPER_CASES=20` tries twenty times as many programs.

mod execution;
mod program;

use crate::common::{Classes, Jdk, interloper, jdks, programs, run};
use execution::{Blocks, Execution};
use program::{Program, Random};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Programs that run one after the other in one JVM.
struct Batch {
    source: String,
    trace: String,
}

/// Of each program with a violation, what is blamed for certain.
type Verdicts = BTreeMap<String, BTreeSet<String>>;

impl Batch {
    fn random(first: u64, count: u64, blocks: Blocks) -> Batch {
        let (mut source, mut trace, mut calls) = (String::new(), String::new(), String::new());
        let mut lines = 0;
        for seed in first..first + count {
            let name = format!("Case{seed}");
            let (program, execution) = case(&name, blocks, &mut Random(seed));
            source += &program.source(&name, &execution.order);
            write!(calls, " {name}.go();").unwrap();
            for line in &execution.trace {
                // Places of their own: each finding is then told by itself.
                lines += 1;
                writeln!(trace, "{line}|{lines}").unwrap();
            }
        }
        let main = "public static void main(String[] args) throws Exception";
        writeln!(source, "class Verdicts {{ {main} {{{calls} }} }}").unwrap();
        Batch { source, trace }
    }

    /// What is found by running it, and what there is to be found.
    fn verdicts(&self, jdk: &Jdk, options: &[&str]) -> (Verdicts, Verdicts) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("Verdicts.java"), &self.source).unwrap();
        std::fs::write(path("true.std"), &self.trace).unwrap();
        let order = programs().join("events/schedule/Order.java");
        let classes = Classes::compile(jdk, &[path("Verdicts.java"), order], &[]);
        let mut command = interloper(&["run", "--exclude", "schedule.*", "--exclude", "Verdicts"]);
        command.args(options).args(["--format", "json", "--output"]).arg(path("run.json"));
        command.arg("--").arg(jdk.java()).args(["-cp", &classes.path(), "Verdicts"]);
        run(command).was_checked();
        let mut command = interloper(&["check", "--format", "json", "--output"]);
        command.arg(path("true.json")).arg(path("true.std"));
        run(command);
        (verdicts(&path("run.json")), verdicts(&path("true.json")))
    }
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

/// How many programs to try.
fn cases(usual: u64) -> u64 {
    let times = std::env::var("INTERLOPER_CASES").ok().and_then(|times| times.parse().ok());
    usual * times.unwrap_or(1)
}

/// Runs so many programs, in several JVMs.
#[track_caller]
fn agree(first: u64, count: u64, blocks: Blocks, options: &[&str]) {
    const AT_ONCE: u64 = 100;
    for jdk in jdks() {
        for first in (first..first + count).step_by(AT_ONCE as usize) {
            let batch = Batch::random(first, AT_ONCE, blocks);
            let (found, truth) = batch.verdicts(&jdk, options);
            assert!(truth.len() > 10 && truth.len() < 90, "{} are violated", truth.len());
            assert_eq!(violated(&found), violated(&truth), "JDK {}", jdk.version);
            if blocks == Blocks::Methods {
                let unfounded: Vec<_> = found
                    .iter()
                    .filter(|(name, blamed)| !blamed.is_subset(&truth[*name]))
                    .collect();
                assert!(unfounded.is_empty(), "JDK {}: {unfounded:?}", jdk.version);
            }
        }
    }
}

#[test]
fn of_methods() {
    agree(0, cases(200), Blocks::Methods, &[]);
}

#[test]
fn of_methods_from_birth_on() {
    agree(1_000_000, cases(100), Blocks::Methods, &["--all-accesses"]);
}

#[test]
fn of_monitors() {
    agree(2_000_000, cases(200), Blocks::Monitors, &["--atomic", "synchronized"]);
}
