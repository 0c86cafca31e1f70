//! Object races (von Praun and Gross, 2001; Wang and Stoller, section 5.4): Eraser with transfer of
//! ownership, one lockset an object.
//!
//! An object is often made by one thread and handed to another, which then has it to itself: the
//! second thread becomes its owner without having to lock it, and locks count only from the next
//! change of threads on, be it back to the first ([`super::states`]). All fields of an object (and
//! all elements of an array) are one: fewer locksets, and more false alarms where different locks
//! protect different fields.
//!
//! **Guarantee.** None in either direction. It misses what Eraser misses and races between the
//! first two threads besides; a race on an object may be none on any of its fields.
//!
//! **Deviations.** Objects are known by the names of variables: `o.f` and `o[3]` belong to `o`, and
//! a variable without a dot or bracket is an object of its own. Accesses before the `escape` of an
//! object do not count.

use super::eraser::{Guards, Unit};
use super::states::Start;
use super::watch::Watch;
use crate::context::owners::Owners;
use crate::engine::{Engine, Guarantee, Stat};
use interloper_findings::Sink;
use interloper_trace::{Batch, Names, VarId};

#[derive(Default)]
struct Objects {
    owners: Owners,
}

impl Unit for Objects {
    const NAME: &'static str = "objectrace";
    const GUARANTEE: Guarantee = Guarantee {
        promise: "a heuristic: warns of objects without one lock for all accesses to their fields",
        all_clear: "no race was suspected; accesses before a third thread came were not looked at",
    };
    const START: Start = Start::Transfer;
    const WHY: &'static str =
        "no lock was held at every access to the object since it has been shared";

    fn learn(&mut self, names: &Names) {
        self.owners.learn(names);
    }

    #[inline(always)]
    fn key(&self, var: VarId) -> usize {
        self.owners.of(var).map_or(0, |object| object.index())
    }
}

/// The object race engine. See the head of `races/objectrace.rs`.
#[derive(Default)]
pub struct ObjectRace(Watch<Guards<Objects>>);

impl ObjectRace {
    /// A new engine, before any event.
    pub fn new() -> ObjectRace {
        ObjectRace::default()
    }
}

super::watch::delegate!(ObjectRace);
