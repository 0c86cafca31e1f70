//! The analyses. An engine takes events and reports violations; it knows no source, does no I/O.

mod engine;

pub use engine::{Engine, Stat};
