//! Eraser: one lock for each shared variable (Savage et al., 1997; Wang and Stoller, section 5.4).
//!
//! Every shared variable should have a lock that is held at all accesses to it. The set of locks
//! that may be the one shrinks with every access; once it is empty and somebody writes, there is a
//! warning. While one thread alone has touched a variable, and while it is only read since a second
//! one came, nobody need lock it ([`super::states`]).
//!
//! **Guarantee.** None in either direction. It misses races with accesses during initialization: if
//! a thread writes a variable that is within others' reach already, and another one then reads it,
//! neither with a lock, nothing is reported (if the other one writes, it is). It raises false
//! alarms where different locks protect different pairs of accesses, and where threads are kept
//! apart by start, join or barriers. What it does not depend on is the order in which threads
//! happened to take their locks.
//!
//! **Deviations.** Accesses before the `escape` of an object do not count: its variables are virgin
//! from there on.

use super::common::Common;
use super::hands::Grip;
use super::overlap::Order;
use super::scene::Scene;
use super::states::{Life, Start, State};
use super::watch::{Detector, Glance, News, Watch};
use super::{Touch, grown};
use crate::engine::{Engine, Guarantee, Stat};
use interloper_findings::Sink;
use interloper_trace::{Batch, Names, ThreadId, VarId};

/// The locks of one variable or object.
#[derive(Clone, Copy, Default)]
struct Guard {
    life: Life<ThreadId>,
    common: Common,
    racy: bool,
}

impl Guard {
    /// An access.
    #[inline(always)]
    fn access(&mut self, start: Start, touch: &Touch<Grip>, scene: &mut Scene) -> News {
        if self.racy {
            return News::Over;
        }
        let Touch { thread, write, held, .. } = *touch;
        let state = self.life.access(start, thread, write, |owner| owner == thread);
        if !state.is_shared() {
            return News::None;
        }
        let first = self.common.get().is_none();
        let less = self.common.refine(held, &mut scene.locksets);
        if state == State::Modified && self.common.is_empty() {
            self.racy = true;
            News::Race
        } else if less & !first {
            News::Locks
        } else {
            News::None
        }
    }

    /// A quick look at an access.
    #[inline(always)]
    fn glance(&self, touch: &Touch<Grip>, scene: &Scene) -> Glance {
        let Touch { thread, write, .. } = *touch;
        let holds = |set| scene.hands.surely_hold(thread, set);
        let old = self.life.stays(thread, write)
            && (!self.life.state.is_shared() || self.common.get().is_some_and(holds));
        match (self.racy, old) {
            (true, _) => Glance::Over,
            (false, true) => Glance::Old,
            (false, false) => Glance::Look,
        }
    }

    /// Something of it, to load it.
    #[inline(always)]
    fn touch(&self) -> u32 {
        u32::from(self.racy)
    }
}

/// What there is a guard of, each variable or each object, and what follows from that.
pub(super) trait Unit: Default {
    /// The engine's name.
    const NAME: &'static str;
    /// What its verdicts are worth.
    const GUARANTEE: Guarantee;
    /// When locks begin to matter.
    const START: Start;
    /// What is wrong with the locks of a unit on which there can be a race.
    const WHY: &'static str;

    /// Learns of new variables. Called before each batch.
    fn learn(&mut self, _names: &Names) {}

    /// The number of a variable's unit.
    #[inline(always)]
    fn key(&self, var: VarId) -> usize {
        var.index()
    }
}

/// A guard for each unit.
#[derive(Default)]
pub(super) struct Guards<U> {
    units: U,
    /// By key.
    guards: Vec<Guard>,
}

impl<U: Unit> Detector for Guards<U> {
    const NAME: &'static str = U::NAME;
    const GUARANTEE: Guarantee = U::GUARANTEE;
    const ORDER: Order = Order::Threads;

    fn learn(&mut self, names: &Names) {
        self.units.learn(names);
    }

    #[inline(always)]
    fn key(&self, var: VarId) -> usize {
        self.units.key(var)
    }

    #[inline(always)]
    fn glance(&self, key: usize, touch: &Touch<Grip>, scene: &Scene) -> Glance {
        self.guards.get(key).map_or(Glance::Look, |guard| guard.glance(touch, scene))
    }

    fn access(&mut self, key: usize, touch: &Touch<Grip>, scene: &mut Scene) -> News {
        grown(&mut self.guards, key).access(U::START, touch, scene)
    }

    fn renew(&mut self, key: usize) {
        if let Some(guard) = self.guards.get_mut(key) {
            *guard = Guard::default();
        }
    }

    #[inline(always)]
    fn touch(&self, key: usize) -> u32 {
        self.guards.get(key).map_or(0, Guard::touch)
    }

    fn why(&self, _key: usize, _scene: &Scene, _names: &Names) -> String {
        U::WHY.to_string()
    }
}

#[derive(Default)]
struct Variables;

impl Unit for Variables {
    const NAME: &'static str = "eraser";
    const GUARANTEE: Guarantee = Guarantee {
        promise: "a heuristic: warns of variables without one lock for all accesses",
        all_clear: "no race was suspected; accesses before a second thread came were not looked at",
    };
    const START: Start = Start::SecondThread;
    const WHY: &'static str = "no lock was held at every access since a second thread came";
}

/// The Eraser engine. See the head of `races/eraser.rs`.
#[derive(Default)]
pub struct Eraser(Watch<Guards<Variables>>);

impl Eraser {
    /// A new engine, before any event.
    pub fn new() -> Eraser {
        Eraser::default()
    }
}

super::watch::delegate!(Eraser);
