//! What is in a trace: counts that tell its shape.

use crate::event::{Batch, Op};

/// Counts over the events of a trace.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Stats {
    /// How many events of each operation, in the order of [`Op::ALL`].
    pub by_op: [u64; Op::ALL.len()],
    /// Transactions: outermost blocks.
    pub transactions: u64,
    /// Events outside blocks, each a transaction of its own.
    pub outside: u64,
    /// The most events in one transaction, `begin` and `end` included.
    pub longest: u64,
    /// How deep blocks nest at most.
    pub deepest: u32,
    threads: Vec<Thread>,
}

#[derive(Clone, Default, Debug, PartialEq, Eq)]
struct Thread {
    depth: u32,
    events: u64,
}

impl Stats {
    /// Counts the next events.
    pub fn count(&mut self, batch: &Batch) {
        for event in &batch.events {
            let count = u64::from(event.more) + 1;
            self.by_op[event.op as usize] += count;
            if self.threads.len() <= event.thread.index() {
                self.threads.resize(event.thread.index() + 1, Thread::default());
            }
            let thread = &mut self.threads[event.thread.index()];
            match event.op {
                Op::Begin => {
                    if thread.depth == 0 {
                        self.transactions += 1;
                        thread.events = 0;
                    }
                    thread.depth += 1;
                    self.deepest = self.deepest.max(thread.depth);
                }
                Op::End => thread.depth = thread.depth.saturating_sub(1),
                _ if thread.depth == 0 => self.outside += count,
                _ => {}
            }
            thread.events += count;
            if thread.depth > 0 || event.op == Op::End {
                self.longest = self.longest.max(thread.events);
            }
        }
    }

    /// All events.
    pub fn events(&self) -> u64 {
        self.by_op.iter().sum()
    }
}
