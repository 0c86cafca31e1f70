//! The analyses. An engine takes events and reports violations; it knows no source, does no I/O.
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

mod checker;
mod engine;
pub mod frontier;
pub mod velodrome;

pub use checker::{Checker, Outcome};
pub use engine::{Engine, Guarantee, Stat};
pub use frontier::Frontier;
pub use velodrome::Velodrome;

/// The names by which [`by_name`] knows the engines; the first is the default.
pub const NAMES: [&str; 3] = ["frontier", "velodrome", "velodrome-unmerged"];

/// The engine of this name.
pub fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    match name {
        "frontier" => Some(Box::new(Frontier::new())),
        "velodrome" => Some(Box::new(Velodrome::new())),
        "velodrome-unmerged" => Some(Box::new(Velodrome::without_merging())),
        _ => None,
    }
}
