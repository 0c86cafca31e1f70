//! What engines found, told once.
//!
//! An engine reports each [`Violation`] in ids; the [`Collector`] counts those that a programmer
//! would call the same bug and turns the first of each into a [`Finding`] in words. Reports know
//! findings only.

mod baseline;
mod collector;
mod finding;
mod pattern;
mod review;
mod suppress;
mod violation;
mod warning;
mod words;

pub use baseline::{Baseline, BaselineError};
pub use collector::Collector;
pub use finding::{Blame, Block, Certainty, Edge, Finding, Kind, Step, Transaction};
pub use pattern::{
    Acquisition, Context, LockPattern, PatternStep, Place, Role, Scope, Site, short as short_method,
};
pub use review::{BaselineState, Review, Suppression, Suppressor};
pub use suppress::{SuppressError, Suppressions};
pub use violation::{Access, Dependence, Key, OpenBlock, Sink, Violation};
pub use warning::{Mark, Sameness, Warning, Witness};
