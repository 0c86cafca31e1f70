//! Java programs under the agent: what is found in them, what is recorded of them, and that they run as they would alone.
//!
//! The programs are in `tests/java`. Everything is done for each JDK found (17 and later); without one, or without a
//! program's jar, a test passes and says so on standard error.

// Clippy's leave to unwrap in tests does not reach the functions that tests share.
#![allow(clippy::unwrap_used)]

mod common;
mod events;
mod head;
mod races;
mod real;
mod selflog;
mod stress;
mod verdicts;
