//! An engine made of the reference analysis, with explanations found by search: what the judge is
//! tried on. Given a fault, it is what the judge must turn down.

use super::reference::{OracleViolation, Reference};
use interloper_engines::Engine;
use interloper_findings::{Access, Dependence, Key, OpenBlock, Sink, Violation};
use interloper_trace::{Batch, Event, LabelId, Names, Op};
use std::collections::HashMap;

/// A mistake an engine could make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// None: a right engine.
    None,
    /// It stops at the first violation.
    FirstOnly,
    /// It blames every closing transaction.
    BlamesAlways,
    /// It blames nobody.
    BlamesNever,
    /// Of a blamed transaction it refutes every open block.
    RefutesAllBlocks,
    /// It takes forks and joins for nothing.
    DeafToForkAndJoin,
    /// It takes volatile accesses for nothing.
    DeafToVolatiles,
    /// It takes arrivals at barriers for nothing.
    DeafToBarriers,
    /// It tells the cycle without its first dependence.
    ShortCycle,
    /// It tells a cycle through transactions where a path through events is due.
    LooseCycle,
    /// It takes every dependence to leave the transaction in which the one before arrived.
    AlwaysSameTransaction,
    /// It tells nothing of transactions' labels.
    NoLabels,
}

impl Fault {
    /// Every real one.
    pub const ALL: [Fault; 11] = [
        Fault::FirstOnly,
        Fault::BlamesAlways,
        Fault::BlamesNever,
        Fault::RefutesAllBlocks,
        Fault::DeafToForkAndJoin,
        Fault::DeafToVolatiles,
        Fault::DeafToBarriers,
        Fault::ShortCycle,
        Fault::LooseCycle,
        Fault::AlwaysSameTransaction,
        Fault::NoLabels,
    ];
}

/// The engine.
pub struct Naive {
    fault: Fault,
    reference: Reference,
    labels: Vec<LabelId>,
    found: usize,
}

impl Naive {
    pub fn new(fault: Fault) -> Naive {
        Naive { fault, reference: Reference::default(), labels: vec![], found: 0 }
    }
}

impl Engine for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn guarantee(&self) -> interloper_engines::Guarantee {
        interloper_engines::Guarantee { promise: "exact, unless it has a fault", all_clear: "" }
    }

    fn feed(&mut self, batch: &Batch, _names: &Names, sink: &mut dyn Sink) {
        for &event in &batch.events {
            let found = self.reference.step(self.heard(event));
            // The position keeps what really happened there.
            let at = self.reference.events.len() - 1;
            self.reference.events[at] = event;
            if self.reference.of[at] == self.labels.len() {
                let begins = event.op == Op::Begin;
                self.labels.push(if begins { event.label() } else { LabelId::OUTSIDE });
            }
            if let Some(oracle) = found
                && !(self.fault == Fault::FirstOnly && self.found > 0)
            {
                self.found += 1;
                self.report(&oracle, sink);
            }
        }
    }
}

impl Naive {
    fn heard(&self, event: Event) -> Event {
        let deaf = match self.fault {
            Fault::DeafToForkAndJoin => matches!(event.op, Op::Fork | Op::Join),
            Fault::DeafToBarriers => event.op == Op::Barrier,
            Fault::DeafToVolatiles => matches!(event.op, Op::VolatileRead | Op::VolatileWrite),
            _ => false,
        };
        if deaf { Event { op: Op::Dummy, operand: 0, ..event } } else { event }
    }

    fn report(&self, oracle: &OracleViolation, sink: &mut dyn Sink) {
        let cycle = self.cycle(oracle);
        let refuted = |begin| match self.fault {
            Fault::BlamesAlways => begin == oracle.open[0] || oracle.refuted.contains(&begin),
            Fault::BlamesNever => false,
            Fault::RefutesAllBlocks => oracle.blamed,
            _ => oracle.refuted.contains(&begin),
        };
        let block = |&begin: &usize| {
            let event = &self.reference.events[begin];
            OpenBlock {
                label: event.label(),
                begin: begin as u64,
                site: event.site,
                refuted: refuted(begin),
            }
        };
        let blocks: Vec<OpenBlock> = oracle.open.iter().map(block).collect();
        let closes = self.reference.events[oracle.event].site;
        let refuted = blocks.iter().rev().find(|block| block.refuted);
        let named = refuted.unwrap_or(&blocks[0]);
        let interloper = cycle[cycle.len() - 1].from.site;
        let key = Key::new((named.label, named.site), refuted.is_some(), interloper, closes);
        let event = oracle.event as u64;
        if sink.count(event, key) {
            sink.explain(key, Violation { event, thread: oracle.thread, blocks, cycle });
        }
    }

    /// The shortest way from the innermost refuted block (or else the transaction) to a left-out
    /// source, and the dependence that was left out.
    fn cycle(&self, oracle: &OracleViolation) -> Vec<Dependence> {
        let loose = !oracle.blamed || self.fault == Fault::LooseCycle;
        let begin = oracle.refuted.last().or(oracle.open.first()).copied().unwrap_or(0);
        let of = &self.reference.of;
        let starts = (begin..oracle.event).filter(|&i| of[i] == of[oracle.event]).collect();
        let (mut chain, source) = self
            .path(starts, &oracle.left_out, loose)
            .expect("a violation has a way to a left-out source");
        chain.push((source, oracle.event));
        let mut cycle: Vec<Dependence> = vec![];
        for (from, to) in chain {
            let same = match cycle.last() {
                Some(last) if self.fault != Fault::AlwaysSameTransaction => {
                    of[last.to.event as usize] == of[from]
                }
                _ => true,
            };
            cycle.push(Dependence { from: self.access(from, same), to: self.access(to, true) });
        }
        if self.fault == Fault::ShortCycle {
            cycle.remove(0);
        }
        cycle
    }

    /// Breadth-first over events: along program order and accepted dependences, and, if `loose`,
    /// to anywhere in the same transaction. Gives the dependences on the way, and the end
    /// it leads to.
    fn path(
        &self,
        starts: Vec<usize>,
        ends: &[usize],
        loose: bool,
    ) -> Option<(Vec<(usize, usize)>, usize)> {
        let Reference { events, of, accepted, previous, .. } = &self.reference;
        let mut came: HashMap<usize, usize> = starts.iter().map(|&start| (start, start)).collect();
        let mut wave = starts;
        let mut read = 0;
        while let Some(&here) = wave.get(read) {
            read += 1;
            if ends.contains(&here) {
                let mut dependences = vec![];
                let mut now = here;
                while came[&now] != now {
                    if events[came[&now]].thread != events[now].thread {
                        dependences.insert(0, (came[&now], now));
                    }
                    now = came[&now];
                }
                return Some((dependences, here));
            }
            for to in 0..events.len() {
                let step = accepted[to].contains(&here)
                    || previous[to] == Some(here)
                    || loose && of[to] == of[here];
                if step && !came.contains_key(&to) {
                    came.insert(to, here);
                    wave.push(to);
                }
            }
        }
        None
    }

    fn access(&self, at: usize, same_transaction: bool) -> Access {
        let Event { thread, op, operand, site, .. } = self.reference.events[at];
        let label = match self.fault {
            Fault::NoLabels => LabelId::OUTSIDE,
            _ => self.labels[self.reference.of[at]],
        };
        Access { event: at as u64, thread, op, operand, site, label, same_transaction }
    }
}
