//! `interloper check`: traces in, engines, report out.

use crate::args::{ALL_ENGINES, Check, Color, Format, Improvement, NOT_IN_ALL};
use crate::failure::{Exit, Failure, say, skipped};
use crate::output::{Output, refuse_overwriting};
use crate::progress::Finishing;
use crate::reading::{Read, read_through, tell_damage};
use interloper_engines::{Checker, Engine, Outcome};
use interloper_findings::Kind;
use interloper_report::{EngineRun, Report, Run, TextOptions, ToolInfo, number};
use interloper_trace::{Op, STANDARD_INPUT, Source, TraceError, Validated};

/// Analyses the traces and reports. A bad trace does not keep the others from being analysed.
pub fn check(args: &Check, color: Color) -> Result<Exit, Failure> {
    let names = engine_names(&args.engine);
    refuse_nonsense(args)?;
    refuse_idle_settings(args, &names)?;
    for path in &args.traces {
        refuse_overwriting(path, args.output.as_deref())?;
    }
    let mut output = Output::open(args.output.as_deref())?;
    let (mut report, mut bad, mut empty) = (Report::default(), false, false);
    for path in &args.traces {
        match check_one(path, &names, args) {
            Ok((run, damaged)) => {
                bad |= damaged;
                empty |= run.events == 0;
                report.runs.push(run);
            }
            Err(error) => {
                bad = true;
                report.runs.push(Run::failed(path, error.headline()));
                Failure::from(error).tell();
            }
        }
    }
    match write(&report, args, color, &mut output) {
        // The exit code says what was found, also to those who read only the first lines.
        Ok(()) | Err(Failure::ReaderGone) => {}
        Err(failure) => return Err(failure),
    }
    Ok(match () {
        _ if bad => Exit::BadInput,
        _ if report.found() => Exit::Found,
        _ if empty => Exit::NothingChecked,
        _ => Exit::Clean,
    })
}

/// Refuses what cannot be meant.
fn refuse_nonsense(args: &Check) -> Result<(), Failure> {
    if args.traces.iter().filter(|path| *path == STANDARD_INPUT).count() > 1 {
        return Err(Failure::Usage("standard input (`-`) can be read only once".to_string()));
    }
    match args.source_path.iter().find(|path| !path.is_dir()) {
        Some(path) => {
            let path = path.display();
            Err(Failure::Usage(format!("--source-path {path}: there is no such folder")))
        }
        None => Ok(()),
    }
}

/// Refuses settings of engines that do not run: who gives them expects a difference.
fn refuse_idle_settings(args: &Check, engines: &[&str]) -> Result<(), Failure> {
    let none_runs = |needed: &[&str]| engines.iter().all(|engine| !needed.contains(engine));
    let refuse = |setting: String, needed: &[&str]| {
        let (needed, choices) = (needed.join(" and "), needed.join(","));
        let message = format!(
            "{setting} is for {needed}, which you did not choose: add it by --engine {choices}"
        );
        Err(Failure::Usage(message))
    };
    if args.blocks.is_some() && none_runs(&["blocks"]) {
        return refuse("--blocks".to_string(), &["blocks"]);
    }
    for improvement in &args.without {
        let needed: &[&str] = match improvement {
            Improvement::Escape | Improvement::HappensBefore => &["reduction", "blocks"],
            Improvement::Multilockset | Improvement::AcqRel => &["reduction"],
        };
        if none_runs(needed) {
            let name = clap::ValueEnum::to_possible_value(improvement);
            let name = name.map_or(String::new(), |value| format!(" {}", value.get_name()));
            return refuse(format!("--without{name}"), needed);
        }
    }
    Ok(())
}

/// Each engine once, in the user's order.
fn engine_names(wanted: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = vec![];
    for name in wanted {
        let all = interloper_engines::NAMES.into_iter().filter(|name| *name != NOT_IN_ALL);
        let some: Vec<&str> = if name == ALL_ENGINES { all.collect() } else { vec![name] };
        for name in some {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Analyses one trace; also tells whether it is damaged.
fn check_one(path: &str, engines: &[&str], args: &Check) -> Result<(Run, bool), TraceError> {
    let settings = args.settings();
    let engine = |name: &&str| interloper_engines::by_name_with(name, &settings);
    let engines: Vec<Box<dyn Engine>> = engines.iter().filter_map(engine).collect();
    let mut checker =
        Checker::with_limit(engines, usize::try_from(args.limit).unwrap_or(usize::MAX));
    // Whether there was any event that means something; most often the first.
    let mut checked = false;
    let Read { source, .. } = read_through(path, args.lenient, |batch, names| {
        checked = checked || batch.events.iter().any(|event| event.op != Op::Dummy);
        checker.feed(batch, names);
    })?;
    checker.finish_watched(source.names(), &mut |engine| Box::new(Finishing::new(engine)));
    let damage = source.damage();
    let outcomes = checker.outcomes(source.names());
    let mut run = Run {
        input: path.to_string(),
        // Events that mean nothing are no analysis: the report must not call them serializable.
        events: if checked { checker.events() } else { 0 },
        threads: source.validator().threads(),
        skipped: source.skipped(),
        notes: notes(&source, &outcomes),
        complete: damage.is_none(),
        error: None,
        engines: outcomes.into_iter().map(engine_run).collect(),
        scanned: None,
    };
    if !checked {
        let why = why_nothing_was_checked(checker.events());
        say(format_args!("warning: {path}: {why}, nothing was checked"));
        run.notes.push(why);
    }
    Ok((run, damage.is_some_and(|damage| !damage.cut_off)))
}

fn why_nothing_was_checked(events: u64) -> String {
    match events {
        0 => "no event seen".to_string(),
        1 => "the only event was skipped or is `dummy`".to_string(),
        _ => format!("all {} events were skipped or are `dummy`", number(events)),
    }
}

fn engine_run(outcome: Outcome) -> EngineRun {
    EngineRun {
        engine: outcome.engine.to_string(),
        judges: outcome.judges,
        guarantee: outcome.guarantee.promise.to_string(),
        all_clear: outcome.guarantee.all_clear.to_string(),
        caveat: outcome.caveat,
        violations: outcome.violations,
        findings: outcome.findings,
        stats: outcome.stats.into_iter().map(|stat| (stat.name.to_string(), stat.value)).collect(),
    }
}

/// What the user must know beside the findings.
fn notes<S: Source>(source: &Validated<S>, outcomes: &[Outcome]) -> Vec<String> {
    let mut notes = vec![];
    if source.skipped() > 0 {
        notes.push(format!("skipped {}", skipped(source.skipped())));
    }
    if source.validator().reentrant() > 0 {
        notes.push(match source.validator().reentrant() {
            1 => "filtered 1 re-entrant acquire".to_string(),
            count => format!("filtered {} re-entrant acquires and releases", number(count)),
        });
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.unlisted > 0) {
        let (one, many) = match outcome.judges {
            Kind::Atomicity => ("violation", "violations"),
            Kind::Race => ("race", "races"),
            Kind::Deadlock => ("deadlock", "deadlocks"),
            Kind::Pattern => ("pattern", "patterns"),
        };
        let unlisted = match outcome.unlisted {
            1 => format!("1 {one} of a further kind is"),
            count => format!("{} {many} of further kinds are", number(count)),
        };
        let engine = outcome.engine;
        notes.push(format!("{engine}: {unlisted} counted but not listed; `--limit` lists more"));
    }
    if let Some(damage) = source.damage() {
        notes.push(damage.message.clone());
        tell_damage("warning", source.input(), damage);
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
        Format::Sarif => interloper_report::sarif(report, &tool, &args.source_path, out),
    })
}
