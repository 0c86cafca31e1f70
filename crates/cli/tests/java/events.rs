//! Small programs with a forced schedule, one for each kind of event: exactly what their heads expect is found, by `run`
//! and by `record` and `check`.

use crate::common::{
    Classes, Jdk, events_of, interloper, java_files, jdks, programs, run, subjects,
};
use crate::head::Head;
use std::path::{Path, PathBuf};

/// Runs all programs of a group on all JDKs, and fails at the end with all that was wrong.
#[track_caller]
fn group(name: &str) {
    let events = programs().join("events");
    let programs = java_files(&events.join(name));
    assert!(!programs.is_empty());
    let files: Vec<PathBuf> =
        programs.iter().cloned().chain(java_files(&events.join("schedule"))).collect();
    let mut wrong = vec![];
    for jdk in jdks() {
        let classes = Classes::compile(&jdk, &files, &[]);
        for program in &programs {
            let head = Head::read(program);
            if head.jdk > jdk.version {
                continue;
            }
            let main = program.file_stem().unwrap().to_str().unwrap();
            let here = Program { jdk: &jdk, classes: &classes, main, head: &head };
            wrong
                .extend(here.wrong().map(|why| format!("{name}/{main} on {}: {why}", jdk.version)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

struct Program<'a> {
    jdk: &'a Jdk,
    classes: &'a Classes,
    main: &'a str,
    head: &'a Head,
}

impl Program<'_> {
    /// What is not as it should be.
    fn wrong(&self) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report.json");
        let trace = folder.path().join("trace.itl");
        let wrong = self.ran(&report).or_else(|| self.recorded(&trace));
        match (self.head.pending, wrong) {
            (true, Some(_)) => None,
            (true, None) => Some("it is pending and works: take `pending` away".to_string()),
            (false, wrong) => wrong,
        }
    }

    fn ran(&self, report: &Path) -> Option<String> {
        let path = report.to_str().unwrap();
        let outcome = run(self.command("run", &["--format", "json", "--output", path]));
        let expected = i32::from(!self.head.violations.is_empty());
        let found = std::fs::read_to_string(report).map(|report| subjects(&report));
        let found = found.unwrap_or_default();
        if found != self.head.violations || outcome.status.code() != Some(expected) {
            let expected = &self.head.violations;
            return Some(format!("run: expected {expected:?}, found {found:?}, {outcome:#?}"));
        }
        let missing =
            self.head.prints.iter().find(|line| !outcome.stdout.lines().any(|it| it == *line));
        missing.map(|line| format!("run: `{line}` is not printed"))
    }

    fn recorded(&self, trace: &Path) -> Option<String> {
        let path = trace.to_str().unwrap();
        run(self.command("record", &["-o", path])).exits(0);
        let report = run(interloper(&["check", "--format", "json", path])).stdout;
        let found = subjects(&report);
        if found != self.head.violations {
            return Some(format!("check: expected {:?}, found {found:?}", self.head.violations));
        }
        let events = events_of(trace);
        let missed = self.head.misses(&events)?;
        Some(format!("trace: {missed}\n{}", events.join("\n")))
    }

    fn command(&self, command: &str, options: &[&str]) -> std::process::Command {
        let mut interloper = interloper(&[command, "--exclude", "schedule.*"]);
        interloper.args(options).args(&self.head.options).arg("--");
        interloper.arg(self.jdk.java()).args(["-cp", &self.classes.path(), self.main]);
        interloper
    }
}

#[test]
fn fields_and_array_elements() {
    group("fields");
}

#[test]
fn monitors_wait_and_notify() {
    group("monitors");
}

#[test]
fn threads_start_and_join() {
    group("threads");
}

#[test]
fn locks_and_conditions() {
    group("locks");
}

#[test]
fn concurrent_utilities() {
    group("concurrent");
}

#[test]
fn blocks_constructors_and_exceptions() {
    group("blocks");
}
