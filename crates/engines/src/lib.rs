//! The analyses. An engine takes events and reports what it finds; it knows no source, does no I/O.
//!
//! A trace from a file, or here from a string, checked by two engines in one pass:
//!
//! ```
//! use interloper_engines::{Checker, by_name};
//! use interloper_trace::{Source, Validated, open_reader};
//!
//! let trace = "\
//! T1|begin(Counter.increment)|7
//! T1|r(count)|8
//! T2|w(count)|12
//! T1|w(count)|9
//! T1|end|10
//! ";
//! let input = open_reader("example", trace.as_bytes(), None, false)?;
//! let mut source = Validated::new(input.source, false);
//!
//! let engines = ["frontier", "velodrome"].into_iter().filter_map(by_name);
//! let mut checker = Checker::new(engines);
//! checker.run(&mut source)?;
//!
//! for outcome in checker.outcomes(source.names()) {
//!     let finding = &outcome.findings[0];
//!     assert_eq!(finding.message, "Counter.increment is not atomic");
//!     assert_eq!(finding.steps[1].action, "writes count");
//! }
//! # Ok::<(), interloper_trace::TraceError>(())
//! ```
//!
//! Events need not come from a trace: see [`Checker`] for events made by hand.

pub mod blocks;
mod checker;
mod context;
mod engine;
pub mod frontier;
pub mod goodlock;
pub mod races;
pub mod reduction;
mod retiring;
mod settings;
pub mod velodrome;

pub use blocks::Blocks;
pub use checker::{Checker, Outcome};
pub use engine::{Engine, Guarantee, Progress, Stat, Unwatched};
pub use frontier::Frontier;
pub use goodlock::Goodlock;
pub use races::{Eraser, HappensBefore, Multilockset, ObjectRace};
pub use reduction::{Atomizer, Reduction};
pub use settings::{BlockRule, Settings, Without};
pub use velodrome::Velodrome;

use interloper_findings::Kind;

/// What users should know of an engine before they choose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About {
    /// The name by which [`by_name`] knows it.
    pub name: &'static str,
    /// What it looks for.
    pub judges: Kind,
    /// What it does and what its verdicts are worth, in a line.
    pub line: &'static str,
}

const fn about(name: &'static str, judges: Kind, line: &'static str) -> About {
    About { name, judges, line }
}

/// All engines: those for atomicity with the surest first, then those for races and deadlocks. The
/// first is the default.
pub const ENGINES: [About; 11] = [
    about("frontier", Kind::Atomicity, "violations that happened: exact; the default"),
    about("velodrome", Kind::Atomicity, "the same by a graph of transactions: exact"),
    about(
        "velodrome-unmerged",
        Kind::Atomicity,
        "the same without merging events outside blocks: exact",
    ),
    about("blocks", Kind::Atomicity, "violations that another schedule allows: few false alarms"),
    about(
        "reduction",
        Kind::Atomicity,
        "blocks not shown atomic in all schedules: false alarms, no misses",
    ),
    about("atomizer", Kind::Atomicity, "the same while events arrive: false alarms and misses"),
    about(
        "multilockset",
        Kind::Race,
        "races that another schedule allows: false alarms, no misses",
    ),
    about("eraser", Kind::Race, "variables that no lock protects: false alarms and misses"),
    about("objectrace", Kind::Race, "objects that no lock protects: false alarms and misses"),
    about("hb", Kind::Race, "races that happened: no false alarms"),
    about(
        "goodlock",
        Kind::Deadlock,
        "deadlocks that another schedule can end in: few false alarms",
    ),
];

/// The names by which [`by_name`] knows the engines; the first is the default.
pub const NAMES: [&str; ENGINES.len()] = {
    let mut names = [""; ENGINES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = ENGINES[i].name;
        i += 1;
    }
    names
};

/// The engine of this name, as most want it.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    by_name_with(name, &Settings::default())
}

/// The engine of this name, set as wished.
pub fn by_name_with(name: &str, settings: &Settings) -> Option<Box<dyn Engine>> {
    let settings = *settings;
    Some(match name {
        "frontier" => Box::new(Frontier::new()),
        "velodrome" => Box::new(Velodrome::new()),
        "velodrome-unmerged" => Box::new(Velodrome::without_merging()),
        "blocks" => Box::new(Blocks::new(settings)),
        "reduction" => Box::new(Reduction::new(settings)),
        "atomizer" => Box::new(Atomizer::new(settings)),
        "multilockset" => Box::new(Multilockset::new()),
        "eraser" => Box::new(Eraser::new()),
        "objectrace" => Box::new(ObjectRace::new()),
        "hb" => Box::new(HappensBefore::new()),
        "goodlock" => Box::new(Goodlock::new()),
        _ => return None,
    })
}

/// What an engine looks for.
fn judges(name: &str) -> Kind {
    ENGINES.iter().find(|about| about.name == name).map_or(Kind::Atomicity, |about| about.judges)
}
