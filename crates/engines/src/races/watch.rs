//! What the engines that go by locksets have in common: they follow the trace, remember recent
//! accesses, ask a [`Detector`] about each, and report.

use super::hands::Grip;
use super::overlap::Order;
use super::report::{Race, list, report, sameness};
use super::scene::Scene;
use super::witness::{Pair, Recent, Record, Refiners, best};
use super::{Touch, grown};
use crate::engine::{Engine, Guarantee, Stat};
use interloper_findings::{Certainty, Sink};
use interloper_trace::{Batch, Event, Names, Op, OperandKind, Position, VarId};
use std::collections::HashSet;

/// How many events ahead variables are asked for.
const AHEAD: usize = 32;

/// What an access told a detector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum News {
    /// Nothing new.
    None,
    /// A set of locks that it knew of before has become smaller.
    Locks,
    /// There can be a race, for the first time.
    Race,
    /// That was known before; more is of no interest.
    Over,
}

/// What a quick look at an access tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Glance {
    /// It tells nothing new.
    Old,
    /// That there can be a race is known; more is of no interest.
    Over,
    /// It has to be looked at.
    Look,
}

/// A lockset algorithm.
pub(super) trait Detector: Default {
    /// The engine's name.
    const NAME: &'static str;
    /// What its verdicts are worth.
    const GUARANTEE: Guarantee;
    /// What it knows to keep accesses apart, locks aside.
    const ORDER: Order;

    /// Learns of new variables. Called before each batch.
    fn learn(&mut self, _names: &Names) {}

    /// The number of what it keeps locksets of: the variable's, or that of its object.
    #[inline(always)]
    fn key(&self, var: VarId) -> usize {
        var.index()
    }

    /// A quick look at the next access: whether [`Detector::access`] must be told.
    fn glance(&self, key: usize, touch: &Touch<Grip>, scene: &Scene) -> Glance;

    /// The next access.
    fn access(&mut self, key: usize, touch: &Touch<Grip>, scene: &mut Scene) -> News;

    /// What went before does not count.
    fn renew(&mut self, key: usize);

    /// Loads what is known, so that it is near when an access comes.
    fn touch(&self, key: usize) -> u32;

    /// What is wrong with the locks of a variable on which there can be a race.
    fn why(&self, key: usize, scene: &Scene, names: &Names) -> String;
}

/// An engine around a detector.
#[derive(Default)]
pub(super) struct Watch<D> {
    scene: Scene,
    detector: D,
    /// By key.
    recent: Vec<Recent>,
    refiners: Refiners,
    reported: HashSet<usize>,
}

impl<D: Detector> Engine for Watch<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn guarantee(&self) -> Guarantee {
        D::GUARANTEE
    }

    fn feed(&mut self, batch: &Batch, names: &Names, sink: &mut dyn Sink) {
        self.scene.escapes.learn(names);
        self.detector.learn(names);
        let mut at = batch.first;
        for events in batch.events.chunks(AHEAD) {
            self.touch(events);
            for event in events {
                self.event(at, event, names, sink);
                at += 1;
            }
        }
    }

    fn stats(&self) -> Vec<Stat> {
        vec![Stat { name: "variables with a race", value: self.reported.len() as u64 }]
    }
}

impl<D: Detector> Watch<D> {
    /// Loads what these events will look up, all at once rather than one by one.
    #[inline(always)]
    fn touch(&self, events: &[Event]) {
        let mut seen = 0;
        for event in events {
            if event.op.operand_kind() == OperandKind::Var {
                let key = self.detector.key(event.var());
                seen ^= self.detector.touch(key);
                seen ^= self.recent.get(key).map_or(0, Recent::touch);
            }
        }
        std::hint::black_box(seen);
    }

    #[inline(always)]
    fn event(&mut self, at: Position, event: &Event, names: &Names, sink: &mut dyn Sink) {
        match event.op {
            Op::Read | Op::Write => self.access(at, event, names, sink),
            Op::Escape => self.escape(at, event, names),
            _ => self.scene.event(at, event),
        }
    }

    #[inline(always)]
    fn access(&mut self, at: Position, event: &Event, names: &Names, sink: &mut dyn Sink) {
        let key = self.detector.key(event.var());
        let touch = self.scene.touch(event);
        match self.detector.glance(key, &touch, &self.scene) {
            Glance::Old => drop(self.note(at, key, event, &touch)),
            Glance::Over => {}
            Glance::Look => self.look(at, key, event, touch, names, sink),
        }
    }

    /// Remembers an access.
    #[inline(always)]
    fn note(&mut self, at: Position, key: usize, event: &Event, touch: &Touch<Grip>) -> Record {
        let record = self.scene.record(at, event, touch);
        grown(&mut self.recent, key).note(record, event.thread, &self.scene.periods);
        record
    }

    /// An access that may tell something new.
    #[inline(never)]
    fn look(
        &mut self,
        at: Position,
        key: usize,
        event: &Event,
        touch: Touch<Grip>,
        names: &Names,
        sink: &mut dyn Sink,
    ) {
        match self.detector.access(key, &touch, &mut self.scene) {
            News::None => drop(self.note(at, key, event, &touch)),
            News::Over => {}
            News::Locks => {
                let record = self.note(at, key, event, &touch);
                self.refiners.note(key, record);
            }
            // Not to be noted: it would take the place of one that it races with.
            News::Race => {
                let record = self.scene.record(at, event, &touch);
                self.race(at, key, record, names, sink);
            }
        }
    }

    #[cold]
    fn escape(&mut self, at: Position, event: &Event, names: &Names) {
        self.scene.event(at, event);
        for &var in self.scene.escapes.escape(event, names) {
            let key = self.detector.key(var);
            self.detector.renew(key);
            self.refiners.forget(key);
            if let Some(recent) = self.recent.get_mut(key) {
                *recent = Recent::default();
            }
        }
    }

    #[cold]
    fn race(&mut self, at: Position, key: usize, now: Record, names: &Names, sink: &mut dyn Sink) {
        if !self.reported.insert(key) {
            return;
        }
        let recent = *grown(&mut self.recent, key);
        let pair = best(now, &recent, &self.refiners, key, D::ORDER, &mut self.scene);
        self.refiners.forget(key);
        // Two threads and a write there must be, or it would be no race.
        let Some(pair) = pair else { return };
        let places = [pair.first, pair.second].map(|record| record.site());
        let same = sameness(places, pair.second.var, names);
        report(same, at, sink, || self.describe(at, key, now, pair, names));
    }

    fn describe(&self, at: Position, key: usize, now: Record, pair: Pair, names: &Names) -> Race {
        let thread = now.thread(&self.scene.periods);
        let mut notes = vec![self.detector.why(key, &self.scene, names)];
        notes.extend(self.doubts(&pair, names));
        let objects = [pair.first, pair.second].map(|record| names.owner(record.var));
        let message = (pair.first.var != pair.second.var)
            .then(|| format!("possible race on the fields of {}", objects[1]));
        Race {
            event: at,
            thread,
            certainty: Certainty::Possible,
            message,
            blocks: self.scene.open_blocks(thread),
            steps: [pair.first, pair.second].map(|record| record.witness(at, &self.scene)).to_vec(),
            notes,
        }
    }

    /// Why the two accesses shown may be no race themselves.
    fn doubts(&self, pair: &Pair, names: &Names) -> Option<String> {
        if !pair.concurrent {
            return Some("these two accesses cannot overlap; it may be a false alarm".to_string());
        }
        let [first, second] = [pair.first, pair.second].map(|record| record.locks(&self.scene));
        let common: Vec<_> = first.into_iter().filter(|lock| second.contains(lock)).collect();
        (!pair.disjoint).then(|| {
            let locks = list(&common, names);
            format!("these two accesses both hold {locks}; it may be a false alarm")
        })
    }
}

/// Makes a public engine of a newtype around a [`Watch`].
macro_rules! delegate {
    ($engine:ident) => {
        impl Engine for $engine {
            fn name(&self) -> &'static str {
                self.0.name()
            }

            fn guarantee(&self) -> Guarantee {
                self.0.guarantee()
            }

            fn feed(&mut self, batch: &Batch, names: &Names, sink: &mut dyn Sink) {
                self.0.feed(batch, names, sink);
            }

            fn stats(&self) -> Vec<Stat> {
                self.0.stats()
            }
        }
    };
}
pub(super) use delegate;
