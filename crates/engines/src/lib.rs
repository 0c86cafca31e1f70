//! The analyses. An engine takes events and reports violations; it knows no source, does no I/O.

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
