//! Checks the JVMs of a program while they run.

use super::facts;
use super::watch::{Tapped, Watch, Watched};
use crate::analysis::Chosen;
use crate::failure::Failure;
use interloper_engines::Unwatched;
use interloper_findings::Kind;
use interloper_report::Run;
use interloper_tap::Facts;
use interloper_trace::{Batch, Source, Validated};
use interloper_weave::Config;
use std::process::ExitStatus;

/// A program that was run and checked.
pub struct Checked {
    /// How it ended.
    pub status: ExitStatus,
    /// What was found in each JVM that had something to check.
    pub runs: Vec<Run>,
    /// All JVMs.
    pub jvms: Vec<Facts>,
    /// How many more there were, of which nothing is known.
    pub lost: usize,
    /// Whether there may have been one that nobody watched.
    pub unwatched: bool,
    /// What else there is to say.
    pub warnings: Vec<String>,
    /// What there is to say of names that nothing in the program has.
    pub unmet: Vec<String>,
    /// Whether something went wrong with the check, through no fault of the program.
    pub failed: bool,
}

impl Checked {
    /// Whether any engine found anything.
    pub fn found(&self) -> bool {
        self.runs.iter().flat_map(|run| &run.engines).any(interloper_report::EngineRun::found)
    }

    /// Whether any engine had anything to look at.
    pub fn checked(&self) -> bool {
        self.runs.iter().any(|run| run.events > 0)
    }

    /// Whether any engine had anything to judge: those that look for violations of atomicity need something that is atomic.
    pub fn judged(&self) -> bool {
        self.runs.iter().filter(|run| run.events > 0).any(|run| {
            let atomic = run.jvm.as_ref().is_none_or(|jvm| jvm.atomic > 0);
            atomic || run.engines.iter().any(|engine| engine.judges != Kind::Atomicity)
        })
    }

    /// Whether the recorder came to a limit: only what was before was checked.
    pub fn stopped(&self) -> bool {
        self.jvms.iter().any(|jvm| jvm.stopped.is_some())
    }
}

/// Runs the program once and checks it.
pub fn check(watch: &Watch, config: &Config, chosen: &Chosen) -> Result<Checked, Failure> {
    let chosen = chosen.clone();
    let config = Config { repetitions: !chosen.judges_by_conflicts(), ..config.clone() };
    let watched = watch.run(&config, move |jvm| check_jvm(jvm, &chosen))?;
    let unmet = watched.unmet(&config);
    let Watched { status, jvms, lost, warnings, unwatched, .. } = watched;
    let (runs, failed) = (vec![], false);
    let mut checked =
        Checked { status, runs, jvms: vec![], lost, unwatched, warnings, unmet, failed };
    for (run, facts, error) in jvms {
        if let Some(error) = error {
            checked.warnings.push(facts::our_fault(&facts, &error));
            checked.failed = true;
        }
        checked.warnings.extend(facts::limit(&facts));
        // threads that start and end are events, too, but there is nothing to check about them
        if facts.classes > 0 {
            checked.runs.push(run);
        }
        checked.jvms.push(facts);
    }
    Ok(checked)
}

/// What is found in one JVM. An event that cannot be is an error of ours, not of the program: what came before it was checked.
fn check_jvm(mut jvm: Tapped, chosen: &Chosen) -> (Run, Facts, Option<String>) {
    let mut analysis = chosen.start();
    if analysis.forgets() {
        jvm.jvm.use_numbers_again();
    }
    let mut source = Validated::new(&mut jvm, false);
    let mut batch = Batch::default();
    let error = loop {
        match source.next_batch(&mut batch) {
            Ok(true) => {
                analysis.feed(&batch, source.names());
                analysis.forget_retired(&mut source);
            }
            Ok(false) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    let run = analysis.finish(&source, &mut |_| Box::new(Unwatched));
    let cut_short = jvm.is_cut_short();
    let facts = jvm.jvm.facts();
    let run = Run { complete: error.is_none() && !cut_short && !facts.is_cut_off(), ..run };
    let error = facts::internal_error(&facts, error);
    (facts::describe(run, &facts, error.as_deref()), facts, error)
}
