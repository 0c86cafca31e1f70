//! The Atomizer against a second one, straight from the definitions, on random traces: the same warnings
//! at the same events, refuting the same blocks.

mod common;

use common::guarded::Manner;
use common::shapes::{Shape, named, shrink};
use common::suite::times;
use common::text::text;
use common::walk::Random;
use interloper_engines::Checker;
use interloper_engines::reduction::Atomizer;
use interloper_trace::{Event, LockId, Op, SiteId, ThreadId};
use std::collections::{BTreeSet, HashMap};

type Set = BTreeSet<LockId>;

/// A warning: its event, and the beginnings of the refuted blocks, outermost first.
type Told = (usize, Vec<u64>);

/// What the Atomizer tells. Every block gets a label of its own, so that no two are one finding.
fn atomizer(events: &[Event]) -> Vec<Told> {
    let relabel = |(at, event): (usize, &Event)| match event.op {
        Op::Begin => Event { operand: at as u32, ..*event },
        _ => *event,
    };
    let trace = named(&events.iter().enumerate().map(relabel).collect::<Vec<Event>>());
    let mut checker = Checker::of(Atomizer::default());
    trace.events.iter().for_each(|&event| checker.push(event, &trace.names));
    checker.finish(&trace.names);
    let told = |finding: &interloper_findings::Finding| {
        assert_eq!(finding.count, 1);
        let refuted = finding.blocks.iter().filter(|block| block.refuted);
        (finding.event as usize, refuted.map(|block| block.begin).collect())
    };
    checker.outcomes(&trace.names)[0].findings.iter().map(told).collect()
}

#[derive(Default)]
struct Var {
    /// Who owned it, one after the other, until it was shared.
    owners: Vec<ThreadId>,
    shared: bool,
    all: Option<Set>,
    writes: Option<Set>,
}

impl Var {
    /// Whether an access is race-free so far (sections 5.3 and 5.4 of Wang and Stoller).
    fn access(&mut self, thread: ThreadId, write: bool, held: &Set) -> bool {
        if self.owners.last() != Some(&thread) {
            self.owners.push(thread);
            self.shared |= self.owners.len() > 2;
        }
        if !self.shared {
            return true;
        }
        refine(&mut self.all, held);
        if write {
            refine(&mut self.writes, held);
            self.all.as_ref().is_some_and(|all| !all.is_empty())
        } else {
            self.writes.as_ref().is_none_or(|writes| !writes.is_disjoint(held))
        }
    }
}

fn refine(set: &mut Option<Set>, held: &Set) {
    *set = Some(set.take().map_or(held.clone(), |set| &set & held));
}

#[derive(Default)]
struct Lock {
    users: BTreeSet<ThreadId>,
    protectors: Option<Set>,
}

struct Block {
    begin: u64,
    letters: String,
    reported: bool,
}

#[derive(Default)]
struct Thread {
    held: Vec<LockId>,
    blocks: Vec<Block>,
}

#[derive(Default)]
struct Naive {
    vars: HashMap<u32, Var>,
    locks: HashMap<LockId, Lock>,
    threads: HashMap<ThreadId, Thread>,
    told: Vec<Told>,
}

impl Naive {
    fn event(&mut self, at: usize, event: &Event) {
        let thread = self.threads.entry(event.thread).or_default();
        let held: Set = thread.held.iter().copied().collect();
        let letter = match event.op {
            Op::Begin => {
                let block = Block { begin: at as u64, letters: String::new(), reported: false };
                thread.blocks.push(block);
                'B'
            }
            Op::End => {
                thread.blocks.pop();
                'B'
            }
            Op::Fork | Op::Join | Op::Barrier => {
                for block in &mut thread.blocks {
                    block.letters.clear();
                    block.reported = false;
                }
                'B'
            }
            Op::Escape => {
                self.vars.remove(&event.operand);
                'B'
            }
            Op::Acquire => {
                thread.held.push(event.lock());
                let lock = self.locks.entry(event.lock()).or_default();
                lock.users.insert(event.thread);
                refine(&mut lock.protectors, &held);
                if is_private(lock) { 'B' } else { 'R' }
            }
            Op::Release | Op::Wait => {
                thread.held.retain(|&lock| lock != event.lock());
                // Whoever stays is no longer protected.
                for lock in &thread.held {
                    let lock = self.locks.entry(*lock).or_default();
                    if let Some(protectors) = &mut lock.protectors {
                        protectors.remove(&event.lock());
                    }
                }
                if is_private(&self.locks[&event.lock()]) { 'B' } else { 'L' }
            }
            op if op.operand_kind() == interloper_trace::OperandKind::Var => {
                let write = !matches!(op, Op::Read | Op::VolatileRead);
                let var = self.vars.entry(event.operand).or_default();
                if var.access(event.thread, write, &held) { 'B' } else { 'N' }
            }
            _ => 'B',
        };
        self.look(at, event.thread, letter);
    }

    fn look(&mut self, at: usize, thread: ThreadId, letter: char) {
        let blocks = &mut self.threads.entry(thread).or_default().blocks;
        let (mut refuted, mut news) = (vec![], false);
        for block in blocks {
            // The event is an error for a block that it does not fit, be it broken before or not.
            let committed = block.letters.contains(['N', 'L']);
            block.letters.push(letter);
            if committed && matches!(letter, 'R' | 'N') {
                assert!(!reduces(&block.letters));
                refuted.push(block.begin);
                news |= !std::mem::replace(&mut block.reported, true);
            } else {
                assert!(block.reported || reduces(&block.letters));
            }
        }
        if news {
            self.told.push((at, refuted));
        }
    }
}

fn is_private(lock: &Lock) -> bool {
    lock.users.len() < 2 || lock.protectors.as_ref().is_some_and(|set| !set.is_empty())
}

/// `R* N? L*`, both-movers anywhere.
fn reduces(letters: &str) -> bool {
    let moves = letters.replace('B', "");
    let rest = moves.trim_start_matches('R');
    rest.strip_prefix('N').unwrap_or(rest).trim_matches('L').is_empty()
}

fn differs(events: &[Event]) -> bool {
    let mut naive = Naive::default();
    events.iter().enumerate().for_each(|(at, event)| naive.event(at, event));
    naive.told != atomizer(events)
}

/// Both tell the same of many traces; of some of them, something.
fn compare(kind: &dyn std::fmt::Debug, make: &dyn Fn(u64) -> Vec<Event>) {
    let mut told = 0;
    for seed in 0..400 * u64::from(times()) {
        let events = make(seed);
        if differs(&events) {
            let small = shrink(&events, &differs);
            panic!("{kind:?} seed {seed}\n{}{:?}", text(&small), atomizer(&small));
        }
        told += atomizer(&events).len();
    }
    assert!(told > 20, "{kind:?}: {told}");
}

#[test]
fn the_atomizer_does_as_defined() {
    let plain = Shape { steps: 25, threads: 3, vars: 3, locks: 3, ..Shape::PLAIN };
    for shape in [
        plain,
        Shape { nested: false, ..plain },
        Shape { in_blocks: false, forks: true, barriers: true, ..plain },
        Shape { waits: true, volatiles: true, depth: 5, ..plain },
    ] {
        compare(&shape, &|seed| shape.trace(seed));
    }
    let busy = Manner { threads: 3, pieces: 5, careless: 3, ..Manner::CAREFUL };
    for manner in [busy, Manner { crossing: true, forks: true, ..busy }] {
        compare(&manner, &|seed| manner.trace(seed));
    }
    compare(&"escapes", &|seed| {
        let (mut events, mut random) = (busy.trace(seed), Random(seed));
        let at = random.below(events.len());
        let escape = Event::new(events[at].thread, Op::Escape, random.below(3) as u32, SiteId(0));
        events.insert(at, escape);
        events
    });
}
