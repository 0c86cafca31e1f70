//! The lock-pattern analysis on programs in a small language: the paper's examples, deviations from the paper, and random programs
//! compared with a naive reference.

#![allow(clippy::unwrap_used)]

mod ast;
mod deviations;
mod examples;
mod parse;
mod random;
mod reference;
