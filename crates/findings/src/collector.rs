//! De-duplication: counts violations and warnings, keeps one finding a bug.

use crate::finding::Finding;
use crate::violation::{Dependence, Key, Sink, Violation};
use crate::warning::{Mark, Sameness, Warning, Witness};
use crate::words::Words;
use hashbrown::HashMap;
use interloper_trace::{Names, Op, Position};

/// Gathers what one engine reports of one trace.
pub struct Collector {
    counted: HashMap<Bug, Counted, foldhash::fast::FixedState>,
    explained: Vec<Explained>,
    limit: usize,
    /// How much more all explanations together may hold, in blocks and dependences.
    room: usize,
    total: u64,
    unlisted: u64,
}

/// Deep nests and long cycles make large explanations: a few hundred megabytes for all of them.
const ROOM: usize = 1 << 20;

impl Default for Collector {
    /// A collector of [`Collector::LIMIT`] findings.
    fn default() -> Collector {
        Collector::with_limit(Collector::LIMIT)
    }
}

struct Counted {
    first: Position,
    times: u64,
}

/// What makes two reports the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Bug {
    Violation(Key),
    Warning(Sameness),
}

enum Explained {
    Violation(Key, Violation),
    Warning(Sameness, Box<Warning>),
}

impl Sink for Collector {
    fn count(&mut self, event: Position, key: Key) -> bool {
        self.count_bug(event, Bug::Violation(key))
    }

    fn explain(&mut self, key: Key, violation: Violation) {
        let size = violation.blocks.len() + violation.cycle.len();
        self.room = self.room.saturating_sub(size);
        self.explained.push(Explained::Violation(key, violation));
    }

    fn warn(&mut self, event: Position, same: Sameness) -> bool {
        self.count_bug(event, Bug::Warning(same))
    }

    fn describe(&mut self, same: Sameness, warning: Warning) {
        let held: usize = warning.steps.iter().map(|step| 1 + step.held.len() / 16).sum();
        let size = warning.blocks.len() + warning.cycle.len() + held + warning.notes.len();
        self.room = self.room.saturating_sub(size);
        self.explained.push(Explained::Warning(same, Box::new(warning)));
    }
}

impl Collector {
    /// Enough findings for anybody, and few enough to keep in memory.
    pub const LIMIT: usize = 10_000;

    /// A collector of at most `limit` findings; violations that are none of them are only counted.
    pub fn with_limit(limit: usize) -> Collector {
        Collector {
            counted: HashMap::default(),
            explained: vec![],
            limit,
            room: ROOM,
            total: 0,
            unlisted: 0,
        }
    }

    fn count_bug(&mut self, event: Position, bug: Bug) -> bool {
        self.total += 1;
        let full = self.counted.len() >= self.limit || self.room == 0;
        if full && !self.counted.contains_key(&bug) {
            self.unlisted += 1;
            return false;
        }
        let counted = self.counted.entry(bug).or_insert(Counted { first: event, times: 0 });
        counted.times += 1;
        counted.times == 1
    }

    /// How many findings there are.
    pub fn listed(&self) -> usize {
        self.explained.len()
    }

    /// How many violations are none of the findings, because there are too many kinds of them.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// How many violations there were in all, repetitions included.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Calls back with operation and operand of everything that findings mention.
    pub fn mentions(&self, visit: &mut dyn FnMut(Op, u32)) {
        for explained in &self.explained {
            match explained {
                Explained::Violation(_, violation) => mention_cycle(&violation.cycle, visit),
                Explained::Warning(same, warning) => {
                    mention_cycle(&warning.cycle, visit);
                    for Witness { access, held } in &warning.steps {
                        visit(access.op, access.operand);
                        held.iter().for_each(|lock| visit(Op::Acquire, lock.0));
                    }
                    for mark in &same.marks {
                        match mark {
                            Mark::Var(var) => visit(Op::Read, var.0),
                            Mark::Lock(lock) => visit(Op::Acquire, lock.0),
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    /// The findings, in the order of their first occurrence.
    pub fn findings(&self, names: &Names) -> Vec<Finding> {
        let words = Words { names };
        let put = |explained: &Explained| {
            let (bug, finding) = match explained {
                Explained::Violation(key, violation) => {
                    (Bug::Violation(*key), words.violation(key, violation))
                }
                Explained::Warning(same, warning) => {
                    (Bug::Warning(*same), words.warning(same, warning))
                }
            };
            let (event, count) =
                self.counted.get(&bug).map_or((finding.event, 1), |c| (c.first, c.times));
            Finding { event, count, ..finding }
        };
        self.explained.iter().map(put).collect()
    }
}

fn mention_cycle(cycle: &[Dependence], visit: &mut dyn FnMut(Op, u32)) {
    for access in cycle.iter().flat_map(|dependence| [&dependence.from, &dependence.to]) {
        visit(access.op, access.operand);
    }
}
