//! Atomicity by reduction: can the events of a transaction be moved together? (Lipton, 1975; Flanagan
//! and Freund, 2004; Wang and Stoller, 2006, section 5.)
//!
//! An acquire can change places with what other threads do after it: it moves to the right. A release
//! moves to the left, an access that cannot race both ways, one that can race not at all. A transaction whose
//! events first move right, then perhaps not at all, then left, is as good as executed at one moment,
//! whatever the schedule.
//!
//! Two engines: [`Atomizer`] judges while events arrive, by what it has seen so far; [`Reduction`] at
//! the end, by the whole trace.

mod atomizer;
mod item;
mod judge;
mod locks;
mod offline;
mod recording;
mod report;
mod trees;

#[cfg(test)]
mod tests;

pub use atomizer::Atomizer;
pub use offline::Reduction;
