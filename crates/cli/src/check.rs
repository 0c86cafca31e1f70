//! `interloper check`: traces in, engines, report out.

use crate::args::{ALL_ENGINES, Check, Color, Format};
use crate::failure::{Exit, Failure, say};
use crate::output::{Output, refuse_overwriting};
use crate::progress::Progress;
use interloper_engines::{Checker, Engine, Outcome};
use interloper_report::{EngineRun, Report, Run, TextOptions, ToolInfo};
use interloper_trace::{Batch, Source, TraceError, Validated};

/// Analyses the traces and reports. A bad trace does not keep the others from being analysed.
pub fn check(args: &Check, color: Color) -> Result<Exit, Failure> {
    let names = engine_names(&args.engine);
    for path in &args.traces {
        refuse_overwriting(path, args.output.as_deref())?;
    }
    let mut output = Output::open(args.output.as_deref())?;
    let (mut report, mut bad, mut empty) = (Report::default(), false, false);
    for path in &args.traces {
        match check_one(path, &names, args) {
            Ok((run, damaged)) => {
                bad |= damaged;
                if run.events == 0 {
                    empty = true;
                    say(format_args!("warning: {}: no event seen, nothing was checked", run.input));
                }
                report.runs.push(run);
            }
            Err(error) => {
                bad = true;
                Failure::from(error).tell();
            }
        }
    }
    if !report.runs.is_empty() || args.format != Format::Text {
        match write(&report, args, color, &mut output) {
            // The exit code says what was found, also to those who read only the first lines.
            Ok(()) | Err(Failure::ReaderGone) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(match () {
        _ if bad => Exit::BadInput,
        _ if report.findings() > 0 => Exit::Found,
        _ if empty => Exit::NothingChecked,
        _ => Exit::Clean,
    })
}

/// Each engine once, in the user's order.
fn engine_names(wanted: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = vec![];
    for name in wanted {
        let some: &[&str] =
            if name == ALL_ENGINES { &interloper_engines::NAMES } else { &[name.as_str()] };
        for name in some {
            if !names.contains(name) {
                names.push(name);
            }
        }
    }
    names
}

/// Analyses one trace; also tells whether it is damaged.
fn check_one(path: &str, engines: &[&str], args: &Check) -> Result<(Run, bool), TraceError> {
    let input = interloper_trace::open(path, args.lenient)?;
    let mut progress = Progress::new(input.size, input.read.clone());
    let mut source = Validated::new(input.source, args.lenient);
    let engines: Vec<Box<dyn Engine>> =
        engines.iter().filter_map(|name| interloper_engines::by_name(name)).collect();
    let mut checker = Checker::with_limit(engines, args.limit);
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        checker.feed(&batch);
        progress.tick(checker.events());
    }
    drop(progress);
    let damage = source.damage();
    let outcomes = checker.outcomes(source.names());
    let run = Run {
        input: path.to_string(),
        events: checker.events(),
        threads: source.validator().threads(),
        notes: notes(&source, &outcomes),
        complete: damage.is_none(),
        engines: outcomes.into_iter().map(engine_run).collect(),
    };
    Ok((run, damage.is_some_and(|damage| !damage.cut_off)))
}

fn engine_run(outcome: Outcome) -> EngineRun {
    EngineRun {
        engine: outcome.engine.to_string(),
        guarantee: outcome.guarantee.promise.to_string(),
        all_clear: outcome.guarantee.all_clear.to_string(),
        violations: outcome.violations,
        findings: outcome.findings,
        stats: outcome.stats.into_iter().map(|stat| (stat.name.to_string(), stat.value)).collect(),
    }
}

/// What the user must know beside the findings.
fn notes<S: Source>(source: &Validated<S>, outcomes: &[Outcome]) -> Vec<String> {
    let mut notes = vec![];
    if source.skipped() > 0 {
        notes.push(format!("skipped {} that are no valid events", source.skipped()));
    }
    if source.validator().reentrant() > 0 {
        let count = source.validator().reentrant();
        notes.push(format!("filtered {count} re-entrant acquires and releases"));
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.unlisted > 0) {
        notes.push(format!(
            "{}: {} violations of further kinds are counted but not listed; `--limit` lists more",
            outcome.engine, outcome.unlisted
        ));
    }
    if let Some(damage) = source.damage() {
        notes.push(damage.message.clone());
        say(format_args!(
            "warning: {}: at byte {}: {}",
            source.input(),
            damage.byte,
            damage.message
        ));
    }
    notes
}

fn write(report: &Report, args: &Check, color: Color, output: &mut Output) -> Result<(), Failure> {
    let tool = ToolInfo { name: "interloper".into(), version: env!("CARGO_PKG_VERSION").into() };
    let options = TextOptions {
        colour: output.is_coloured(color),
        sources: args.source_path.clone(),
        width: output.width(),
        stats: args.stats,
        full: args.full,
    };
    output.write(|out| match args.format {
        Format::Text => interloper_report::text(report, &options, out),
        Format::Json => interloper_report::json(report, &tool, out),
        Format::Dot => interloper_report::dot(report, out),
        Format::Sarif => interloper_report::sarif(report, &tool, out),
    })
}
