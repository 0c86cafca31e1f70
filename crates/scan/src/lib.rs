//! The static lock-pattern analysis: likely atomicity violations in class files and jars.
//!
//! The pattern: while a lock (the *context*) is held, another one (the *witness*) is acquired and released, and acquired again.
//! The context says that a block was meant to be atomic; between the two acquisitions of the witness, other threads
//! can change what it protects.
//!
//! [`ir`] is what the analysis sees of a program; [`analyse`] finds the pattern in it; [`Analysis::explain`] tells why.

mod analysis;
mod assigned;
mod bits;
mod explain;
mod filter;
mod finals;
mod first;
mod flow;
mod globals;
mod graph;
pub mod hierarchy;
pub mod input;
pub mod ir;
pub mod lower;
mod marks;
mod options;
mod paths;
mod pivot;
mod propagate;
mod repeat;
mod report;
mod search;
mod shortcut;
mod solution;
mod table;
mod universe;
mod warning;
mod world;

pub use analysis::{Analysis, analyse};
pub use explain::{Explanation, Facts, Point};
pub use options::{Filters, LIBRARY_CLASSES, Options};
pub use warning::{Acquisition, Context, LeftOut, Occurrence, Outcome, Place, Stats, Warning};
