//! Measures the `interloper` command end to end on generated traces.
//!
//! Each figure is the cost of a whole process: reading, validating, analysing, reporting. CPU time
//! (user and system) and peak memory are the kernel's own account of that one child. The bars that
//! the project sets itself stand beside the figures; a missed bar is shown and never fails the run,
//! because what is measured is also the machine.

mod machine;
mod measure;
mod report;
mod table;

use clap::Parser;
use measure::{Bench, BenchError, Format, Job, LOOP, PATTERNS, START_UP};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EVENTS: u64 = 10_000_000;
const QUICK_EVENTS: u64 = 1_000_000;
const REPETITIONS: u32 = 3;

/// The shape on which growth with length is shown, and on which engines that stream are measured.
const SCALED: &str = "locked";

/// Engines that are measured on every shape.
const EXACT: [&str; 2] = ["frontier", "velodrome"];
/// Engines that judge when the trace has ended: what they keep grows with what is new in a trace.
const OFFLINE: [&str; 2] = ["reduction", "blocks"];

/// Measures the interloper command on generated traces: speed per CPU second, peak memory, growth.
///
/// Every figure is a whole run of `interloper check` on one trace, in a process of its own: the
/// least CPU time (user and system) and the highest peak memory of all repetitions. Repetitions go
/// round by round over all configurations, so that a busy minute of the machine does not spoil all
/// repetitions of one. A missed bar is marked, and is not an error.
#[derive(Parser)]
#[command(name = "interloper-bench", version, max_term_width = 100)]
struct Args {
    /// The command to measure [default: `interloper` beside this program]
    #[arg(value_name = "INTERLOPER")]
    binary: Option<PathBuf>,
    /// Events of each trace [default: 10000000, or 1000000 with --quick]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(100..))]
    events: Option<u64>,
    /// Runs of each configuration, of which the best counts [default: 3, or 1 with --quick]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: Option<u32>,
    /// Shapes of traces, separated by commas [default: for each engine those it is about]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = shape_names())]
    shapes: Vec<String>,
    /// Engines, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = engine_names())]
    #[arg(
        default_value = "frontier,velodrome,eraser,objectrace,multilockset,hb,atomizer,goodlock,reduction,blocks"
    )]
    engines: Vec<String>,
    /// Formats of traces, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "text,binary")]
    formats: Vec<Format>,
    /// Where traces are kept from one run to the next [default: bench-traces in the target folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Generate all traces anew: after a change to the generator or to a format
    #[arg(long)]
    fresh: bool,
    /// A rough answer soon: 1000000 events, one repetition
    #[arg(long)]
    quick: bool,
    /// Print tables in Markdown
    #[arg(long)]
    markdown: bool,
}

fn shape_names() -> clap::builder::PossibleValuesParser {
    let value = |preset: &interloper_trace::Preset| {
        clap::builder::PossibleValue::new(preset.name).help(preset.about)
    };
    let values: Vec<_> = interloper_trace::Shape::PRESETS.iter().map(value).collect();
    clap::builder::PossibleValuesParser::new(values)
}

fn engine_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(interloper_engines::NAMES)
}

impl Args {
    fn events(&self) -> u64 {
        self.events.unwrap_or(if self.quick { QUICK_EVENTS } else { EVENTS })
    }

    fn repetitions(&self) -> u32 {
        self.repetitions.unwrap_or(if self.quick { 1 } else { REPETITIONS })
    }

    /// The shapes on which an engine is measured: those asked for, or those that it is about.
    fn shapes(&self, engine: &str) -> Vec<String> {
        let all = interloper_trace::Shape::PRESETS.iter().map(|preset| preset.name.to_string());
        match engine {
            _ if !self.shapes.is_empty() => self.shapes.clone(),
            _ if OFFLINE.contains(&engine) => vec![PATTERNS.to_string()],
            _ if EXACT.contains(&engine) => all.filter(|shape| shape != PATTERNS).collect(),
            _ => vec![SCALED.to_string()],
        }
    }

    /// The traces on which an engine is measured: shapes and lengths.
    fn traces(&self, engine: &str) -> Vec<(String, u64)> {
        let shapes = self.shapes(engine);
        let mut traces: Vec<(String, u64)> =
            shapes.iter().map(|shape| (shape.clone(), self.events())).collect();
        if EXACT.contains(&engine) && shapes.iter().any(|shape| shape == SCALED) {
            traces.extend(self.lengths().map(|events| (SCALED.to_string(), events)));
            traces.push((START_UP.to_string(), 1));
        }
        if OFFLINE.contains(&engine) && shapes.iter().any(|shape| shape == PATTERNS) {
            traces.extend(
                [self.events() / 10, self.events()].map(|events| (LOOP.to_string(), events)),
            );
        }
        traces
    }

    /// The lengths at which growth is shown.
    fn lengths(&self) -> [u64; 3] {
        let events = self.events();
        [events / 100, events / 10, events]
    }

    /// All that is to be measured, each once.
    fn jobs(&self) -> Vec<Job> {
        let mut jobs: Vec<Job> = vec![];
        for engine in &self.engines {
            for (shape, events) in self.traces(engine) {
                for &format in &self.formats {
                    let job = Job { shape: shape.clone(), events, format, engine: engine.clone() };
                    if !jobs.contains(&job) {
                        jobs.push(job);
                    }
                }
            }
        }
        jobs
    }
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<String, BenchError> {
    let own = std::env::current_exe().ok();
    let bench = Bench {
        binary: args.binary.clone().unwrap_or_else(|| default_binary(own.as_deref())),
        dir: args.dir.clone().unwrap_or_else(|| default_dir(own.as_deref())),
        fresh: args.fresh,
    };
    let version = bench.version()?;
    let figures = bench.measure(&args.jobs(), args.repetitions())?;
    let mut text = machine::describe(&version, args.repetitions());
    text += &report::speed(&figures, args.events()).render(args.markdown);
    text.push('\n');
    if figures.iter().any(|figure| figure.job.shape == START_UP) {
        text += &report::growth(&figures, SCALED, &args.lengths()).render(args.markdown);
        text.push('\n');
    }
    text += &report::bars(&figures, args.events()).render(args.markdown);
    if args.events() != EVENTS {
        text +=
            "\nThe bars are set for traces of 10,000,000 events; these are of another length.\n";
    }
    Ok(text)
}

/// `interloper` in the folder that this program is in.
fn default_binary(own: Option<&Path>) -> PathBuf {
    let name = format!("interloper{}", std::env::consts::EXE_SUFFIX);
    own.and_then(Path::parent).unwrap_or(Path::new(".")).join(name)
}

/// `bench-traces` in the target folder: this program is in a folder of it, named for the profile.
fn default_dir(own: Option<&Path>) -> PathBuf {
    let target = own.and_then(Path::parent).and_then(Path::parent);
    target.unwrap_or(Path::new("target")).join("bench-traces")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn args(words: &[&str]) -> Args {
        Args::try_parse_from([&["interloper-bench"], words].concat()).unwrap()
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn quick_changes_defaults_and_only_defaults() {
        assert_eq!((args(&[]).events(), args(&[]).repetitions()), (10_000_000, 3));
        let quick = args(&["--quick", "--repetitions", "2"]);
        assert_eq!((quick.events(), quick.repetitions()), (1_000_000, 2));
        assert_eq!(args(&["--quick", "--events", "500"]).events(), 500);
    }

    #[test]
    fn every_configuration_is_measured_once() {
        let exact = ["--engines", "frontier,velodrome"];
        let jobs = args(&[&exact[..], &["--shapes", "locked,wide", "--events", "1000"]].concat());
        // Two formats and two engines, on: both shapes, two more lengths, start-up.
        assert_eq!(jobs.jobs().len(), 4 * (2 + 2 + 1));
        let wide = args(&[&exact[..], &["--shapes", "wide", "--formats", "text"]].concat());
        assert_eq!(wide.jobs().len(), 2);
        let stream = args(&["--engines", "eraser"]).jobs();
        assert_eq!(stream.len(), 2, "one shape, two formats");
        let offline = args(&["--engines", "blocks", "--formats", "binary"]).jobs();
        let shapes: Vec<&str> = offline.iter().map(|job| job.shape.as_str()).collect();
        assert_eq!(shapes, [PATTERNS, LOOP, LOOP]);
    }

    #[test]
    fn unknown_names_are_refused() {
        for words in [["--shapes", "square"], ["--engines", "steam"], ["--events", "0"]] {
            assert!(Args::try_parse_from([&["interloper-bench"], &words[..]].concat()).is_err());
        }
    }

    #[test]
    fn defaults_lie_beside_the_program() {
        let own = Path::new("/x/target/release/interloper-bench");
        assert!(default_binary(Some(own)).starts_with("/x/target/release"));
        assert_eq!(default_dir(Some(own)), Path::new("/x/target/bench-traces"));
    }
}
