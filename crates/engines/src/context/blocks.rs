//! The blocks that are open in each thread, and where transactions begin.
//!
//! Outermost blocks are transactions, but for these engines `fork`, `join` and `barrier` end one and
//! begin another (Wang and Stoller, section 4): code with such an operation inside is not expected
//! to be atomic as a whole. The open blocks stay open across them.

use interloper_findings::OpenBlock;
use interloper_trace::{Event, LabelId, Op, Position, SiteId, ThreadId};

/// An open block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Open {
    /// Its label.
    pub(crate) label: LabelId,
    /// The event that opened it.
    pub(crate) begin: Position,
    /// Where that is in the source.
    pub(crate) site: SiteId,
}

impl Open {
    /// The same for a report.
    pub(crate) fn block(&self, refuted: bool) -> OpenBlock {
        OpenBlock { label: self.label, begin: self.begin, site: self.site, refuted }
    }
}

/// What an event does to its thread's transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// Nothing: it is inside the running one, or outside any.
    Goes,
    /// It begins one.
    Begins,
    /// It ends one.
    Ends,
    /// It is between two: one ends before it, and another begins after it.
    Splits,
}

/// The open blocks of all threads.
#[derive(Default)]
pub(crate) struct Blocks {
    threads: Vec<Vec<Open>>,
}

impl Blocks {
    /// The blocks open in a thread, outermost first.
    #[inline(always)]
    pub(crate) fn open(&self, thread: ThreadId) -> &[Open] {
        self.threads.get(thread.index()).map_or(&[], |open| open)
    }

    /// Takes note of an event. (When it ends a transaction, its block is closed already.)
    #[inline(always)]
    pub(crate) fn event(&mut self, at: Position, event: &Event) -> Turn {
        match event.op {
            Op::Begin => self.begin(at, event),
            Op::End => self.end(event.thread),
            Op::Fork | Op::Join | Op::Barrier if !self.open(event.thread).is_empty() => {
                Turn::Splits
            }
            Op::Exit => self.exit(event.thread),
            _ => Turn::Goes,
        }
    }

    fn exit(&mut self, thread: ThreadId) -> Turn {
        match self.threads.get_mut(thread.index()) {
            Some(open) if !open.is_empty() => {
                open.clear();
                Turn::Ends
            }
            _ => Turn::Goes,
        }
    }

    fn begin(&mut self, at: Position, event: &Event) -> Turn {
        let thread = event.thread.index();
        if thread >= self.threads.len() {
            self.threads.resize(thread + 1, vec![]);
        }
        let open = &mut self.threads[thread];
        open.push(Open { label: event.label(), begin: at, site: event.site });
        if open.len() == 1 { Turn::Begins } else { Turn::Goes }
    }

    fn end(&mut self, thread: ThreadId) -> Turn {
        let Some(open) = self.threads.get_mut(thread.index()) else { return Turn::Goes };
        let closed = open.pop().is_some();
        if closed && open.is_empty() { Turn::Ends } else { Turn::Goes }
    }
}
