//! What the tests of the exact engines share: small traces in text, random traces, the oracle, and
//! the judge that holds an engine against it.
//!
//! The oracle knows nothing of how engines work. It comes in two parts: [`definition`] (all pairs
//! of events, straight from the definitions of the Velodrome paper, sections 2 to 4) gives the
//! first violation; [`reference`] (an explicit graph, nothing ever forgotten) gives all of them.
//! For engines that look beyond the observed order there is [`schedules`]: all orders of a small
//! trace's events, with random traces from [`shapes`].

// Every test binary compiles this module for itself and uses its own part of it.
#![allow(dead_code, unused_imports, unused_macros)]

pub mod cuts;
pub mod cycle;
pub mod definition;
pub mod guarded;
pub mod judge;
pub mod naive;
pub mod order;
pub mod programs;
pub mod racing;
pub mod reference;
pub mod schedules;
pub mod shapes;
pub mod suite;
pub mod text;
pub mod walk;
