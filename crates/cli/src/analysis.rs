//! Engines over valid events, and the report of what they say: what `check` and `run` share.

use crate::args::{ALL_ENGINES, Color, Engines, Format, Improvement, NOT_IN_ALL, Style};
use crate::failure::{Failure, skipped};
use crate::output::Output;
use crate::reading::is_complete;
use interloper_engines::{Checker, Engine, Outcome, Progress, Settings};
use interloper_findings::{Collector, Kind};
use interloper_report::{EngineRun, Report, Run, TextOptions, ToolInfo, number};
use interloper_trace::{Batch, Names, Op, Source, Validated};

/// The engine that runs if none is named.
const DEFAULT: &str = "frontier";

/// The engines that the user has chosen.
#[derive(Clone)]
pub struct Chosen {
    names: Vec<String>,
    settings: Settings,
    limit: usize,
}

impl Chosen {
    /// Each engine once, in the user's order. Settings of engines that do not run are refused: who gives them
    /// expects a difference.
    pub fn new(args: &Engines) -> Result<Chosen, Failure> {
        let names = engine_names(&args.engine);
        refuse_idle_settings(args, &names)?;
        let limit = args
            .limit
            .map_or(Collector::LIMIT, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(Chosen { names, settings: args.settings(), limit })
    }

    /// The engines, before the first event.
    pub fn start(&self) -> Analysis {
        let checker = Checker::with_limit(self.engines(), self.limit);
        Analysis { checker, checked: false, blocks: false }
    }

    fn engines(&self) -> Vec<Box<dyn Engine>> {
        let engine = |name: &String| interloper_engines::by_name_with(name, &self.settings);
        self.names.iter().filter_map(engine).collect()
    }

    /// Whether none of them cares where between locks a block repeats an access.
    pub fn judges_by_conflicts(&self) -> bool {
        self.engines().iter().all(|engine| engine.judges_by_conflicts())
    }
}

fn engine_names(wanted: &[String]) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    for name in wanted {
        let all = interloper_engines::NAMES.into_iter().filter(|name| *name != NOT_IN_ALL);
        let some: Vec<&str> = if name == ALL_ENGINES { all.collect() } else { vec![name] };
        for name in some {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
    }
    if names.is_empty() { vec![DEFAULT.to_string()] } else { names }
}

fn refuse_idle_settings(args: &Engines, engines: &[String]) -> Result<(), Failure> {
    let none_runs = |needed: &[&str]| engines.iter().all(|engine| !needed.contains(&&**engine));
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

/// Engines at work on one stream of events.
pub struct Analysis {
    checker: Checker,
    /// Whether there was any event that means something; most often the first.
    checked: bool,
    /// Whether any atomic block began.
    blocks: bool,
}

impl Analysis {
    /// Takes the next events.
    pub fn feed(&mut self, batch: &Batch, names: &Names) {
        self.checked = self.checked || batch.events.iter().any(|event| event.op != Op::Dummy);
        self.blocks = self.blocks || batch.events.iter().any(|event| event.op == Op::Begin);
        self.checker.feed(batch, names);
    }

    /// Whether any atomic block began so far.
    pub fn has_blocks(&self) -> bool {
        self.blocks
    }

    /// Whether numbers of variables can be used again: all engines can forget.
    pub fn forgets(&self) -> bool {
        self.checker.forgets()
    }

    /// Forgets what has retired with the latest batch, and gives back what nobody mentions any more.
    pub fn forget_retired(&mut self, source: &mut dyn Source) {
        let retired = source.take_retired();
        if !retired.is_empty() {
            source.take_back(self.checker.retire(retired));
        }
    }

    /// Lets the engines judge; of each that takes long, `watch` gets to know how far it is.
    pub fn finish<S: Source>(
        mut self,
        source: &Validated<S>,
        watch: &mut dyn FnMut(&'static str) -> Box<dyn Progress>,
    ) -> Run {
        self.checker.finish_watched(source.names(), watch);
        let outcomes = self.checker.outcomes(source.names());
        let mut run = Run {
            input: source.input().to_string(),
            // Events that mean nothing are no analysis: the report must not call them serializable.
            events: if self.checked { self.checker.events() } else { 0 },
            threads: source.validator().threads(),
            skipped: source.skipped(),
            notes: notes(source, &outcomes),
            complete: is_complete(source),
            engines: outcomes.into_iter().map(engine_run).collect(),
            ..Run::default()
        };
        if !self.checked {
            run.notes.push(why_nothing_was_checked(self.checker.events()));
        }
        run
    }
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
    notes.extend(source.remarks().into_iter().flat_map(|remarks| remarks.notes.iter().cloned()));
    notes.extend(source.damage().map(|damage| damage.message.clone()));
    notes
}

/// Refuses folders of source that are not there.
pub fn refuse_missing_sources(style: &Style) -> Result<(), Failure> {
    match style.source_path.iter().find(|path| !path.is_dir()) {
        Some(path) => {
            let path = path.display();
            Err(Failure::Usage(format!("--source-path {path}: there is no such folder")))
        }
        None => Ok(()),
    }
}

/// Writes the report. That its reader has seen enough after the first lines is no failure.
pub fn write(
    report: &Report,
    style: &Style,
    color: Color,
    output: &mut Output,
) -> Result<(), Failure> {
    let tool = ToolInfo { name: "interloper".into(), version: env!("CARGO_PKG_VERSION").into() };
    let options = TextOptions {
        colour: output.is_coloured(color),
        sources: style.source_path.clone(),
        width: output.width(),
        stats: style.stats,
        full: style.full,
    };
    let written = output.write(|out| match style.format.unwrap_or(Format::Text) {
        Format::Text => interloper_report::text(report, &options, out),
        Format::Json => interloper_report::json(report, &tool, out),
        Format::Dot => interloper_report::dot(report, out),
        Format::Sarif => interloper_report::sarif(report, &tool, &style.source_path, out),
    });
    match written {
        Err(Failure::ReaderGone) => Ok(()),
        written => written,
    }
}
