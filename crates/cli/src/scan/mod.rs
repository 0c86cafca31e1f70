//! `interloper scan`: class files in, lock patterns out.

mod args;
mod config;
mod convert;
mod progress;
mod tell;

pub use args::Scan;

use crate::analysis as reporting;
use crate::args::{Color, Format, Style};
use crate::failure::{Exit, Failure, say};
use crate::output::{Output, refuse_overwriting};
use config::Settings;
use convert::Converter;
use interloper_findings::{Baseline, Kind};
use interloper_report::{EngineRun, Report, Run, Scanned};
use interloper_scan::hierarchy::Capped;
use interloper_scan::input::{Input, InputLimits, read_input};
use interloper_scan::ir::Callees;
use interloper_scan::lower::{LowerOptions, Lowered, Problem, lower};
use interloper_scan::{Analysis, Outcome};
use progress::Progress;
use std::collections::HashSet;
use std::path::Path;

/// Its name in reports.
const ENGINE: &str = "scan";
/// What its verdicts are worth.
const GUARANTEE: &str = "neither sound nor complete: the pattern often means a violation, and there are violations without it";

/// Scans, and reports.
pub fn scan(args: &Scan, color: Color) -> Result<Exit, Failure> {
    let settings = Settings::new(args)?;
    refuse_nonsense(args, &settings)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.jobs).build();
    let pool = pool.map_err(|error| Failure::Usage(format!("--jobs: {error}")))?;
    pool.install(|| scan_with(args, settings, color))
}

fn refuse_nonsense(args: &Scan, settings: &Settings) -> Result<(), Failure> {
    for path in &settings.paths {
        let input = path.to_string_lossy();
        refuse_overwriting(&input, settings.output.as_deref())?;
        refuse_overwriting(&input, args.write_baseline.as_deref())?;
    }
    if args.explain.is_some() && args.format.is_some_and(|format| format != Format::Text) {
        return Err(Failure::Usage("--explain prints text only".to_owned()));
    }
    Ok(())
}

/// A program that was read, with what must be told of the reading.
struct Code {
    lowered: Lowered,
    /// Which methods calls reach, and how many calls are not followed.
    callees: Callees,
    capped: Capped,
    /// Classes of the JDK, unless it is what is scanned.
    libraries: HashSet<String>,
    archives: usize,
    /// Whether something could not be read.
    bad: bool,
    notes: Vec<String>,
}

fn scan_with(args: &Scan, mut settings: Settings, color: Color) -> Result<Exit, Failure> {
    let mut output = Output::open(settings.output.as_deref())?;
    let progress = Progress::new();
    let code = read(&settings, &progress);
    progress.doing("analysing");
    let Lowered { program, .. } = &code.lowered;
    set_filters(&code, &mut settings);
    let analysis = Analysis::new(program, &code.callees, &settings.options);
    if let Some(method) = &args.explain {
        let found = program.find_methods(method);
        if found.is_empty() {
            return Err(Failure::Usage(format!("--explain {method}: there is no such method")));
        }
        drop(progress);
        let told = found.iter().map(|id| analysis.explain(*id).to_string());
        let told = told.collect::<Vec<_>>().join("\n");
        output.write(|out| write!(out, "{told}"))?;
        return Ok(if code.bad { Exit::BadInput } else { Exit::Clean });
    }
    let outcome = analysis.outcome();
    let mut run = report(&code, &outcome, &mut settings);
    drop(progress);
    if let Some(path) = &args.write_baseline {
        write_baseline(path, &mut run)?;
    }
    let exit = exit(&run, code.bad);
    let report = Report { runs: vec![run] };
    let style = Style {
        format: Some(settings.format),
        source_path: settings.source_path,
        stats: settings.stats,
        full: settings.full,
    };
    reporting::write(&report, &style, color, &mut output)?;
    Ok(exit)
}

fn exit(run: &Run, bad: bool) -> Exit {
    match run.scanned {
        _ if bad => Exit::BadInput,
        Some(Scanned { methods: 0, .. }) | None => {
            say(format_args!("warning: no class with code was found, nothing was scanned"));
            Exit::NothingChecked
        }
        Some(_) if run.engines.iter().any(EngineRun::found) => Exit::Found,
        Some(_) => Exit::Clean,
    }
}

/// Reads and lowers everything; names on standard error what cannot be read.
fn read(settings: &Settings, progress: &Progress) -> Code {
    progress.doing("reading");
    let limits = InputLimits::default();
    let mut input = read_input(&settings.paths, &[], limits);
    let own = input.classes.len();
    if let Some(jdk) = &settings.jdk {
        let jdk = read_input(&[], std::slice::from_ref(jdk), limits);
        append(&mut input, jdk);
    }
    let mut bad = tell::skipped(&input);
    // a JDK beside other code is there to be called, not to be judged
    let judged = if own == 0 { input.classes.len() } else { own };
    let libraries = input.classes[judged..].iter().filter_map(|it| module_class(&it.origin));
    let mut libraries: HashSet<String> = libraries.map(str::to_owned).collect();
    progress.counting("classes", input.classes.len());
    let options = LowerOptions { bound: settings.options.size_bound };
    let lowered = lower(&input.classes, options, &|count| progress.done(count));
    for problem in &lowered.problems {
        if let Problem::Duplicate { origin } = problem {
            module_class(origin).map(|class| libraries.remove(class));
        }
    }
    bad |= tell::problems(&lowered);
    let notes = tell::notes(&input, &lowered);
    let archives = input.archives;
    drop(input);
    progress.doing("looking for call targets");
    let (cap, names) = (settings.options.callee_cap, &lowered.program.names);
    let (callees, capped) = lowered.hierarchy.callees(names, Some(cap), settings.callbacks);
    Code { lowered, callees, capped, libraries, archives, bad, notes }
}

/// Tells the analysis what not to report, now that it is known.
fn set_filters(code: &Code, settings: &mut Settings) {
    let filters = &mut settings.options.filters;
    if !settings.aliases {
        filters.handed_on = code.lowered.handed_on.clone();
        filters.leads_back = true;
    }
    if !settings.unlikely {
        filters.comes_to_itself = true;
        filters.some_targets = true;
    }
    if !settings.within_jdk {
        filters.elsewhere = code.libraries.clone();
    }
}

fn append(input: &mut Input, mut other: Input) {
    input.classes.append(&mut other.classes);
    input.skipped.append(&mut other.skipped);
    input.multi_release.append(&mut other.multi_release);
    input.archives += other.archives;
}

/// The internal name of a class of a JDK, by where it comes from: `…/java.base.jmod!/classes/java/lang/Object.class`,
/// `…/lib/modules!/java.base/java/lang/Object.class`.
fn module_class(origin: &str) -> Option<&str> {
    let (_, path) = origin.rsplit_once("!/")?;
    let (_, class) = path.split_once('/')?;
    class.strip_suffix(".class")
}

/// Findings in words, with what was decided of them before.
fn report(code: &Code, outcome: &Outcome, settings: &mut Settings) -> Run {
    let converter = Converter {
        program: &code.lowered.program,
        hierarchy: &code.lowered.hierarchy,
        annotations: &settings.annotations,
    };
    let mut findings = converter.findings(&outcome.warnings);
    let mut notes = code.notes.clone();
    tell::left_out(outcome, settings.options.filters.depth, &mut notes);
    let places = settings.suppressions.apply(&mut findings);
    tell::suppressed(places, &settings.suppressions, &mut notes);
    if let Some(baseline) = &settings.baseline {
        tell::gone(&baseline.apply(&mut findings), &mut notes);
    }
    let open = findings.iter().filter(|finding| finding.review.is_open());
    let engine = EngineRun {
        engine: ENGINE.to_owned(),
        judges: Kind::Pattern,
        guarantee: GUARANTEE.to_owned(),
        violations: open.map(|finding| finding.count).sum(),
        findings,
        stats: tell::stats(&code.lowered, outcome, code.archives, code.capped),
        ..EngineRun::default()
    };
    Run {
        input: tell::input(settings),
        notes,
        complete: !code.bad,
        engines: vec![engine],
        scanned: Some(Scanned {
            classes: code.lowered.counts.classes as u64,
            methods: code.lowered.counts.methods as u64,
        }),
        ..Run::default()
    }
}

/// Writes the baseline. What is in it is known from now on.
fn write_baseline(path: &Path, run: &mut Run) -> Result<(), Failure> {
    for engine in &mut run.engines {
        let wrong =
            |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: {error}", path.display()));
        let text = Baseline::write(&engine.findings).map_err(|error| wrong(&error))?;
        std::fs::write(path, &text).map_err(|error| Failure::output(path, error))?;
        let baseline = Baseline::parse(&text).map_err(|error| wrong(&error))?;
        baseline.apply(&mut engine.findings);
        engine.violations = 0;
    }
    Ok(())
}
