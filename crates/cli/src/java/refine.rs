//! `interloper refine`: which methods of a program are atomic, by iterative refinement.
//!
//! Biswas, Huang, Sengupta and Bond, "DoubleChecker: Efficient Sound and Precise Atomicity Checking" (PLDI 2014), section 5.1
//! and Figure 6: all methods are taken to be atomic but for a few; methods that are blamed for violations are taken out of
//! the specification; the program is run again, until nothing new was reported for a number of runs.
//!
//! A violation takes out every block that it refutes: the one that the report blames, which is the innermost, and those around
//! it. None of them can be atomic, and the violation may not come again to refute those that were left. Where a cycle refutes
//! no single block, the paper's rule is used: blamed is every transaction whose outgoing edge is older than its incoming edge.
//! There is always one, so no violation stays without consequences.

use super::args::Refine;
use super::config::Section;
use super::exit::why_nothing;
use super::session::{self, Checked};
use super::signals::Signals;
use super::watch::Watch;
use crate::analysis::{Chosen, refuse_missing_sources, write};
use crate::args::Color;
use crate::failure::{Exit, Failure, say};
use crate::output::{Output, refuse_unwritable};
use interloper_findings::{Certainty, Edge, Finding, Kind};
use interloper_report::{EngineRun, Report, Run, count};
use interloper_weave::{Config, MethodPattern};
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::io::{self, IsTerminal};
use std::iter;
use std::path::Path;

/// How many runs without anything new are enough.
const RUNS: u32 = 10;

/// Runs the program again and again, and writes what was found out.
pub fn refine(args: &Refine, color: Color) -> Result<Exit, Failure> {
    let section = Section::read(&args.program)?;
    let config = section.instrumentation(&args.instrumentation)?;
    let chosen = Chosen::new(&section.engines(&args.engines)?)?;
    let style = section.style(&args.style)?;
    refuse_missing_sources(&style)?;
    refuse_unwritable(&args.output)?;
    let mut output = Output::open_or_stderr(args.report.as_deref())?;
    let watch = Watch {
        command: args.program.command.clone(),
        linger: section.linger(&args.program),
        signals: Signals::default(),
    };
    let mut refinement = Refinement::new(config);
    let end = refinement.run(&watch, &chosen, section.runs(args.runs).unwrap_or(RUNS))?;
    if refinement.runs == 0 {
        return Ok(refinement.nothing(end));
    }
    // if it cannot be written, the report is the more welcome
    let written = std::fs::write(&args.output, refinement.spec(end));
    let written = written.map_err(|error| Failure::output(&args.output, error));
    let report = Report { runs: std::mem::take(&mut refinement.found) };
    write(&report, &style, color, &mut output)?;
    written?;
    refinement.conclude(&args.output, end);
    Ok(match () {
        _ if refinement.failed || end != End::Quiet => Exit::BadInput,
        _ if report.found() => Exit::Found,
        _ => Exit::Clean,
    })
}

/// Why the program is not run again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// There is nothing new any more.
    Quiet,
    /// A signal asked for it.
    Interrupted,
    /// This run could not be checked.
    Unchecked(u32),
}

/// What is known so far.
struct Refinement {
    config: Config,
    /// How often the program was run, and how often in a row nothing new was found.
    runs: u32,
    quiet: u32,
    /// The methods that are not atomic, in the order in which that was found out.
    removed: Vec<Removed>,
    /// The new violations of each run.
    found: Vec<Run>,
    /// Their fingerprints.
    known: HashSet<String>,
    failed: bool,
}

/// A method that was taken out of the specification.
struct Removed {
    method: String,
    why: Why,
    run: u32,
}

/// Why a method is not atomic.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Why {
    /// It is what reports call to blame.
    Blamed,
    /// It is around this one, which is to blame.
    RefutedWith(String),
}

impl fmt::Display for Removed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Removed { method, why, run } = self;
        match why {
            Why::Blamed => write!(f, "{method}  # blamed in run {run}"),
            Why::RefutedWith(blamed) => write!(f, "{method}  # refuted with {blamed} in run {run}"),
        }
    }
}

impl Refinement {
    fn new(config: Config) -> Refinement {
        let (removed, found, known) = (vec![], vec![], HashSet::new());
        Refinement { config, runs: 0, quiet: 0, removed, found, known, failed: false }
    }

    /// Runs the program until nothing new was found for so many runs, or it makes no sense any more.
    fn run(&mut self, watch: &Watch, chosen: &Chosen, enough: u32) -> Result<End, Failure> {
        while self.quiet < enough {
            let next = self.runs + 1;
            let checked = match session::check(watch, &self.config, chosen) {
                Ok(checked) => checked,
                Err(Failure::Interrupted) => return Ok(End::Interrupted),
                Err(failure) if self.runs == 0 => return Err(failure),
                Err(failure) => {
                    failure.tell();
                    return Ok(End::Unchecked(next));
                }
            };
            let interrupted = watch.signals.interrupted();
            if self.has_something(&checked) {
                self.take(checked, !interrupted);
                self.tell(enough);
            } else if !interrupted {
                let ended = (&watch.command[..], checked.status);
                let why = why_nothing(ended, &checked.jvms, checked.lost, &self.config);
                tell_unmet(&checked);
                say(format_args!("warning: run {next}: nothing was checked: {why}"));
                return Ok(End::Unchecked(next));
            }
            if interrupted {
                return Ok(End::Interrupted);
            }
        }
        Ok(End::Quiet)
    }

    /// Whether a run tells anything. Later than in the first, there may be nothing atomic left.
    fn has_something(&self, checked: &Checked) -> bool {
        let something = if self.runs == 0 { checked.judged() } else { checked.checked() };
        something || checked.failed || checked.stopped()
    }

    /// Takes in what one run has shown; one that is not `whole` has not shown that there is nothing new.
    fn take(&mut self, checked: Checked, whole: bool) {
        if self.runs == 0 {
            tell_unmet(&checked);
        }
        self.runs += 1;
        self.failed |= checked.failed || checked.unwatched || checked.stopped();
        for warning in &checked.warnings {
            say(format_args!("warning: run {}: {warning}", self.runs));
        }
        let before = (self.removed.len(), self.known.len());
        for run in checked.runs {
            let findings = run.engines.iter().flat_map(|engine| &engine.findings);
            let violations = findings.filter(|finding| is_violation(finding));
            let methods: Vec<(String, Why)> = violations.flat_map(not_atomic).collect();
            methods.into_iter().for_each(|(method, why)| self.exclude(method, why));
            self.keep_new(run);
        }
        let new = (self.removed.len(), self.known.len()) != before;
        self.quiet = if new { 0 } else { self.quiet + u32::from(whole) };
    }

    /// The method is not atomic from now on.
    fn exclude(&mut self, method: String, why: Why) {
        if self.removed.iter().any(|known| known.method == method) {
            return;
        }
        // labels are names of methods; one that is not cannot be taken out, and stays a finding
        if let Some(pattern) = MethodPattern::parse(&method) {
            self.config.not_atomic.push(pattern);
            self.removed.push(Removed { method, why, run: self.runs });
        }
    }

    /// Keeps what was not found in a run before.
    fn keep_new(&mut self, mut run: Run) {
        for engine in &mut run.engines {
            engine.findings.retain(|finding| self.known.insert(finding.fingerprint.clone()));
            engine.violations = engine.findings.iter().map(|finding| finding.count).sum();
        }
        if run.engines.iter().any(EngineRun::found) {
            run.input = format!("run {}: {}", self.runs, run.input);
            self.found.push(run);
        }
    }

    /// A line for each run, for who waits.
    fn tell(&self, enough: u32) {
        if !io::stderr().is_terminal() {
            return;
        }
        let new: Vec<&str> = self.new_methods().collect();
        let found = match new[..] {
            [] => format!("nothing new ({} of {enough})", self.quiet),
            _ => format!("not atomic: {}", new.join(", ")),
        };
        say(format_args!("run {}: {found}", self.runs));
    }

    fn new_methods(&self) -> impl Iterator<Item = &str> {
        self.removed.iter().filter(|it| it.run == self.runs).map(|it| &*it.method)
    }

    /// The specification: everything that `--atomic` says, but for these.
    fn spec(&self, end: End) -> String {
        let mut text =
            String::from("# Methods that are not atomic, for `interloper run --spec FILE`.\n");
        let mut line = |line: fmt::Arguments| {
            // writing to a string cannot fail
            let _ = writeln!(text, "{line}");
        };
        line(format_args!(
            "# Refined from `--atomic {}` in {}.",
            self.config.atomic,
            runs(self.runs)
        ));
        match end {
            End::Quiet => {}
            End::Interrupted => line(format_args!("# It is incomplete: refining was interrupted.")),
            End::Unchecked(run) => {
                line(format_args!("# It is incomplete: run {run} could not be checked."))
            }
        }
        let given = self.config.not_atomic.len() - self.removed.len();
        for method in &self.config.not_atomic[..given] {
            line(format_args!("{method}"));
        }
        for removed in &self.removed {
            line(format_args!("{removed}"));
        }
        text
    }

    /// What to say, and how to end, if nothing is known.
    fn nothing(&self, end: End) -> Exit {
        if end == End::Interrupted {
            say(format_args!("interrupted before anything was checked"));
            return Exit::BadInput;
        }
        Exit::NothingChecked
    }

    fn conclude(&self, path: &Path, end: End) {
        let methods = match self.removed.len() {
            0 => "no method was blamed".to_string(),
            1 => "1 method is not atomic".to_string(),
            n => format!("{n} methods are not atomic"),
        };
        let (runs, quiet, path) = (runs(self.runs), self.quiet, path.display());
        let so_far = format!("{methods} after {runs}; {path} is the specification so far");
        match end {
            End::Quiet => say(format_args!(
                "{methods} after {runs}, the last {quiet} without anything new; {path} is the specification"
            )),
            End::Interrupted => say(format_args!("interrupted: {so_far}")),
            End::Unchecked(run) => {
                say(format_args!("stopped, as run {run} could not be checked: {so_far}"))
            }
        }
    }
}

/// Names of the user that nothing has.
fn tell_unmet(checked: &Checked) {
    checked.unmet.iter().for_each(|warning| say(format_args!("warning: {warning}")));
}

fn runs(runs: u32) -> String {
    count(runs.into(), "run")
}

fn is_violation(finding: &Finding) -> bool {
    finding.kind == Kind::Atomicity && finding.certainty == Certainty::Observed
}

/// The methods that a violation takes out of the specification, the one to blame first.
fn not_atomic(finding: &Finding) -> Vec<(String, Why)> {
    if let Some((blamed, around)) = refuted(finding).split_first() {
        let with = |method: &String| (method.clone(), Why::RefutedWith(blamed.clone()));
        return iter::once((blamed.clone(), Why::Blamed)).chain(around.iter().map(with)).collect();
    }
    completing(finding).into_iter().map(|method| (method, Why::Blamed)).collect()
}

/// The blocks with a name that a violation refutes, innermost first.
fn refuted(finding: &Finding) -> Vec<String> {
    let labels = finding.blame.iter().flat_map(|blame| blame.refuted.iter().rev());
    labels.filter(|label| !label.is_empty()).cloned().collect()
}

/// The transactions that complete a cycle which refutes none of them.
fn completing(finding: &Finding) -> Vec<String> {
    let named = |label: Option<&String>| label.filter(|label| !label.is_empty()).cloned();
    let label = |i: usize| named(finding.transactions.get(i).and_then(|it| it.label.as_ref()));
    let older: Vec<String> = (0..finding.transactions.len())
        .filter(|&i| completes(&finding.edges, i))
        .filter_map(label)
        .collect();
    // the transaction in which the cycle closed completes it, whatever is known of the others
    if older.is_empty() { label(0).into_iter().collect() } else { older }
}

/// Whether a transaction's outgoing edge is older than its incoming edge. An edge is as old as the event that it arrives at.
fn completes(edges: &[Edge], transaction: usize) -> bool {
    let age = |edge: &Edge| edge.target.as_ref().map(|target| target.event);
    let out = edges.iter().find(|edge| edge.from == transaction).and_then(age);
    let into = edges.iter().find(|edge| edge.to == transaction).and_then(age);
    matches!((out, into), (Some(out), Some(into)) if out < into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Engines;
    use interloper_engines::Unwatched;
    use interloper_trace::{Batch, Source, Validated};
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    /// What the default engine finds in a trace.
    fn run(trace: &str) -> Run {
        let mut analysis = Chosen::new(&Engines::default()).unwrap().start();
        let reader = io::Cursor::new(trace.to_string().into_bytes());
        let input = interloper_trace::open_reader("-", Box::new(reader), None, false).unwrap();
        let mut source = Validated::new(input.source, false);
        let mut batch = Batch::default();
        while source.next_batch(&mut batch).unwrap() {
            analysis.feed(&batch, source.names());
        }
        analysis.finish(&source, &mut |_| Box::new(Unwatched))
    }

    fn checked(trace: &str) -> Checked {
        let (runs, status) = (vec![run(trace)], ExitStatus::from_raw(0));
        let (warnings, unmet) = (vec![], vec![]);
        let (lost, unwatched, failed) = (0, false, false);
        Checked { status, runs, jvms: vec![], lost, unwatched, warnings, unmet, failed }
    }

    /// A block in a block is cut in two.
    const NESTED: &str = "\
T0|begin(a.B.outer)|1
T0|begin(a.B.inner)|2
T0|r(x)|3
T1|w(x)|4
T0|w(x)|5
T0|end|6
T0|end|7
";

    /// A block is cut in two, and the one in it that has ended is not.
    const AROUND: &str = "\
T0|begin(a.B.whole)|1
T0|begin(a.B.part)|2
T0|r(x)|3
T0|end|4
T1|w(x)|5
T0|w(x)|6
T0|end|7
";

    /// Two blocks that cannot both be atomic: each reads what the other has written before.
    const NO_BLAME: &str = "\
T0|begin(a.B.one)|1
T1|begin(a.B.two)|2
T0|w(x)|3
T1|w(y)|4
T1|r(x)|5
T0|r(y)|6
T0|end|7
T1|end|8
";

    #[test]
    fn all_blocks_that_are_refuted_go_at_once() {
        let mut refinement = Refinement::new(Config::default());
        refinement.take(checked(NESTED), true);
        let removed: Vec<_> =
            refinement.removed.iter().map(|it| (&*it.method, it.why.clone(), it.run)).collect();
        let with = Why::RefutedWith("a.B.inner".to_string());
        assert_eq!(removed, [("a.B.inner", Why::Blamed, 1), ("a.B.outer", with, 1)]);
        assert_eq!(refinement.config.to_text().matches("not-atomic").count(), 2);
        assert_eq!(refinement.quiet, 0);
    }

    #[test]
    fn blocks_that_the_cycle_does_not_cut_stay() {
        let found = run(AROUND);
        let methods = not_atomic(&found.engines[0].findings[0]);
        assert_eq!(methods, [("a.B.whole".to_string(), Why::Blamed)]);
    }

    #[test]
    fn what_is_known_is_not_new() {
        let mut refinement = Refinement::new(Config::default());
        for _ in 0..3 {
            refinement.take(checked(NESTED), true);
        }
        assert_eq!((refinement.runs, refinement.quiet, refinement.found.len()), (3, 2, 1));
        assert_eq!(refinement.found[0].input, "run 1: -");
        refinement.take(checked(NESTED), false);
        assert_eq!(refinement.quiet, 2, "one that was cut short does not count");
    }

    #[test]
    fn without_blame_who_completes_the_cycle_goes() {
        let found = run(NO_BLAME);
        let finding = &found.engines[0].findings[0];
        assert_eq!(finding.blame, None);
        assert_eq!(
            not_atomic(finding),
            [("a.B.one".to_string(), Why::Blamed)],
            "it closed the cycle by its last read"
        );
    }

    #[test]
    fn the_specification_is_read_again() {
        let mut refinement = Refinement::new(Config::parse("not-atomic a.Given.m").unwrap());
        refinement.take(checked(NESTED), true);
        let spec = refinement.spec(End::Quiet);
        let lines: Vec<&str> = spec.lines().filter(|line| !line.starts_with('#')).collect();
        let outer = "a.B.outer  # refuted with a.B.inner in run 1";
        assert_eq!(lines, ["a.Given.m", "a.B.inner  # blamed in run 1", outer]);
    }
}
