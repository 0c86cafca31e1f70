//! The command line, defined once: help, man page and completions come from here.

use clap::{Args, Parser, Subcommand, ValueEnum};
use interloper_engines::{BlockRule, Settings, Without};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Exit codes:
  0  nothing found
  1  findings, of any engine: also what is only predicted or possible
  2  bad usage or bad input
  3  nothing was checked: no event seen";

/// Finds atomicity violations: blocks of code that were meant to run as one step and were, or can be,
/// cut in two by another thread.
#[derive(Parser)]
#[command(name = "interloper", version, after_help = AFTER_HELP, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    /// When to colour text
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Subcommand)]
pub enum Command {
    // what is said of these stands at their options
    Run(Box<crate::java::Run>),
    Record(Box<crate::java::Record>),
    Check(Check),
    Refine(Box<crate::java::Refine>),
    /// Tell whether this machine is ready to check Java programs
    Doctor,
    /// Look for likely violations in class files and jars, without running anything
    Scan(Box<crate::scan::Scan>),
    /// Look at, convert, validate and generate traces
    #[command(subcommand)]
    Trace(Trace),
    /// Print shell completions
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Write the pages of all commands into this folder instead
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

/// Analyse recorded traces.
///
/// Reads each trace once, feeds it to the chosen engines side by side, and reports what they find:
/// which block was not atomic, who came between, and the chain of events that proves it. What several
/// engines say of one block is told in one piece, the most certain first.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Check {
    /// Traces: text or binary, plain, .gz or .zst; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<String>,
    #[command(flatten)]
    pub engines: Engines,
    #[command(flatten)]
    pub style: Style,
    /// Write the report to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Pass over what is not a valid event, and count it
    #[arg(long)]
    pub lenient: bool,
}

/// Which engines, and how they are set.
#[derive(Args, Clone, Default)]
pub struct Engines {
    /// Engines to run, separated by commas [default: frontier]
    #[arg(long, short, value_name = "NAME", value_delimiter = ',')]
    #[arg(value_parser = engine_names())]
    pub engine: Vec<String>,
    /// How far the engine `blocks` looks [default: 2v]
    #[arg(long, value_name = "RULE")]
    pub blocks: Option<Blocks>,
    /// Switch off improvements of the engines `reduction` and `blocks`, to see what each is worth
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub without: Vec<Improvement>,
    /// List at most N findings of an engine, and only count the others [default: 10000]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
}

/// How to report.
#[derive(Args, Clone, Default)]
pub struct Style {
    /// How to report [default: text]
    #[arg(long, short, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Look for source files here, to show their lines (may be given several times)
    #[arg(long, value_name = "DIR")]
    pub source_path: Vec<PathBuf>,
    /// Also tell what the engines' work cost them
    #[arg(long)]
    pub stats: bool,
    /// Show long chains of events and long tables in full
    #[arg(long)]
    pub full: bool,
}

/// The rules of the engine `blocks`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Blocks {
    /// Two transactions, one variable at a time
    #[value(name = "1v")]
    OneVariable,
    /// Two transactions, pairs of variables too
    #[value(name = "2v")]
    TwoVariables,
    /// Cycles of three and more transactions too
    Cycles,
}

/// What can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Improvement {
    /// Accesses to an object before it is shared do not count
    Escape,
    /// What start, join or barrier orders cannot overlap
    HappensBefore,
    /// Many locksets a variable instead of one (reduction)
    Multilockset,
    /// Locks around accesses that cannot matter do not count (reduction)
    AcqRel,
}

impl Engines {
    /// How the engines are to be set.
    pub fn settings(&self) -> Settings {
        let off = |improvement| self.without.contains(&improvement);
        Settings {
            blocks: match self.blocks {
                None => BlockRule::default(),
                Some(Blocks::OneVariable) => BlockRule::OneVariable,
                Some(Blocks::TwoVariables) => BlockRule::TwoVariables,
                Some(Blocks::Cycles) => BlockRule::Cycles,
            },
            without: Without {
                escape: off(Improvement::Escape),
                happens_before: off(Improvement::HappensBefore),
                multilockset: off(Improvement::Multilockset),
                acq_rel: off(Improvement::AcqRel),
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For tools: the stable contract `interloper/1`
    Json,
    /// A graph for Graphviz per finding
    Dot,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

#[derive(Subcommand)]
pub enum Trace {
    /// Tell what is in a trace: how many events of which kind, threads, variables, blocks
    Stat(Stat),
    /// Convert a trace between text and binary
    Convert(Convert),
    /// Check that a trace is one that a program could have made
    Validate(Validate),
    /// Make up a trace of a chosen size and shape
    Generate(Generate),
}

#[derive(Args)]
pub struct Stat {
    /// Traces; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<String>,
    /// Pass over what is not a valid event, and count it
    #[arg(long)]
    pub lenient: bool,
    /// How to print
    #[arg(long, short, value_name = "FORMAT", default_value = "text")]
    pub format: StatFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatFormat {
    /// For people
    Text,
    /// For tools
    Json,
}

#[derive(Args)]
pub struct Convert {
    /// The trace to read; `-` is standard input
    #[arg(value_name = "FROM")]
    pub from: String,
    /// The file to write; `-` is standard output
    #[arg(value_name = "TO")]
    pub to: String,
    /// The format to write [default: by the ending of TO: `.itl` is binary, all else text]
    ///
    /// Whatever the format, a further ending `.gz` or `.zst` compresses it.
    #[arg(long = "to", value_name = "FORMAT")]
    pub format: Option<TraceFormat>,
    /// Pass over lines that are not events, and count them
    #[arg(long)]
    pub lenient: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// The STD text format: `thread|op(operand)|location`, one event a line
    Std,
    /// Interloper's binary format
    Binary,
}

#[derive(Args)]
pub struct Validate {
    /// Traces; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<String>,
    /// Count what is wrong instead of stopping at the first
    #[arg(long)]
    pub lenient: bool,
}

/// Make up a trace of a chosen size and shape.
///
/// The same settings give the same trace, everywhere and always. Variables are properly guarded by
/// locks, so the trace is serializable unless a violation is asked for.
#[derive(Args)]
pub struct Generate {
    /// Start from a shape with a name; other options change it
    #[arg(long, value_name = "NAME", default_value = "locked", value_parser = shape_names())]
    pub shape: String,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub output: String,
    /// The format to write [default: by the ending of FILE: `.itl` is binary, all else text]
    ///
    /// Whatever the format, a further ending `.gz` or `.zst` compresses it.
    #[arg(long = "to", value_name = "FORMAT")]
    pub format: Option<TraceFormat>,
    /// About how many events [default: 10000000]
    #[arg(long, value_name = "N")]
    pub events: Option<u64>,
    /// Threads that run at a time
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,
    /// Variables
    #[arg(long, value_name = "N")]
    pub vars: Option<u32>,
    /// Locks
    #[arg(long, value_name = "N")]
    pub locks: Option<u32>,
    /// Accesses in a transaction, on average
    #[arg(long, value_name = "N")]
    pub block_length: Option<u32>,
    /// How deep blocks nest at most
    #[arg(long, value_name = "N")]
    pub nesting: Option<u32>,
    /// Share of accesses outside blocks, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub unary: Option<f64>,
    /// Share of accesses that write, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub writes: Option<f64>,
    /// Rounds in which all threads are forked and joined; 0 for threads that are just there
    #[arg(long, value_name = "N")]
    pub phases: Option<u32>,
    /// Rounds in each phase, or in all, that every thread ends at a barrier; 0 for no barrier
    #[arg(long, value_name = "N")]
    pub barriers: Option<u32>,
    /// Code patterns: methods that are run again and again; 0 for transactions that are all different
    #[arg(long, value_name = "N")]
    pub patterns: Option<u32>,
    /// One long transaction that keeps all others alive
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub long: Option<bool>,
    /// Where the trace is not serializable
    #[arg(long, value_name = "WHERE")]
    pub violation: Option<Violation>,
    /// Distinct code locations
    #[arg(long, value_name = "N")]
    pub locations: Option<u32>,
    /// Events that a thread does in a row, on average
    #[arg(long, value_name = "N")]
    pub burst: Option<u32>,
    /// Another seed, another trace
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Violation {
    /// Nowhere
    None,
    /// Near the beginning
    Early,
    /// As the last thing that happens
    Last,
}

/// The word for all engines.
pub const ALL_ENGINES: &str = "all";
/// All but this one: it only repeats what `velodrome` says, more slowly.
pub const NOT_IN_ALL: &str = "velodrome-unmerged";

fn engine_names() -> clap::builder::PossibleValuesParser {
    let value = clap::builder::PossibleValue::new;
    let engines = interloper_engines::ENGINES;
    let engines = engines.into_iter().map(|about| value(about.name).help(about.line));
    let all = value(ALL_ENGINES).help(format!("all of them but {NOT_IN_ALL}"));
    clap::builder::PossibleValuesParser::new(engines.chain([all]).collect::<Vec<_>>())
}

fn shape_names() -> clap::builder::PossibleValuesParser {
    let value = |preset: &interloper_trace::Preset| {
        clap::builder::PossibleValue::new(preset.name).help(preset.about)
    };
    let values: Vec<_> = interloper_trace::Shape::PRESETS.iter().map(value).collect();
    clap::builder::PossibleValuesParser::new(values)
}
