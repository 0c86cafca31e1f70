//! What engines found, told once.
//!
//! An engine reports each [`Violation`] in ids; the [`Collector`] counts those that a programmer
//! would call the same bug and turns the first of each into a [`Finding`] in words. Reports know
//! findings only.

mod collector;
mod finding;
mod violation;

pub use collector::Collector;
pub use finding::{Blame, Block, Edge, Finding, Kind, Step, Transaction};
pub use violation::{Access, Dependence, Key, OpenBlock, Sink, Violation};
