//! Steps, and the parts of the analysis state that hold them: `C` and `L` of a thread, `R` and `W`
//! of a variable. (`U` of a lock is a bare step.)

use crate::context::rounds::RoundId;
use interloper_trace::{Event, LabelId, Op, Position, SiteId, ThreadId};

/// A node of the happens-before graph. Nodes are recycled; see [`Step`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId(pub u32);

impl NodeId {
    /// The node that is never alive: a step of it is ⊥.
    pub const BOTTOM: NodeId = NodeId(0);

    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The paper's step, a node and a time stamp, with what an explanation wants to know of the event.
///
/// The time stamp is the event's position in the trace. A step is a weak reference: it is ⊥ once
/// its node was collected, which shows by the node's being younger than the time stamp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub at: Position,
    pub node: NodeId,
    pub thread: ThreadId,
    pub site: SiteId,
    pub op: Op,
    /// The event stood outside all blocks, whatever transaction its node began as.
    pub outside: bool,
}

impl Step {
    /// ⊥, of no thread.
    pub const BOTTOM: Step = Step {
        at: 0,
        node: NodeId::BOTTOM,
        thread: ThreadId(u32::MAX),
        site: SiteId::UNKNOWN,
        op: Op::Dummy,
        outside: true,
    };
}

/// A step as the source of a dependence: with its operand, which a variable's or lock's own state
/// need not repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub step: Step,
    pub operand: u32,
}

impl Source {
    pub const BOTTOM: Source = Source { step: Step::BOTTOM, operand: 0 };
}

/// The event that a dependence arrives at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub at: Position,
    pub event: Event,
}

/// An entry of the stack `C(t)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub label: LabelId,
    pub begin: Position,
    pub site: SiteId,
}

/// `C(t)` and `L(t)`, and what else the thread's next event comes after.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// The node of the running transaction, or `BOTTOM` outside blocks.
    pub current: NodeId,
    /// `C(t)`: the open blocks, outermost first.
    pub blocks: Vec<Block>,
    /// `L(t)`: the last step.
    pub last: Source,
    /// What the next event comes after, besides the last and what it does itself.
    pub before: Before,
}

/// What a thread's next event comes after.
#[derive(Clone, Copy, Debug)]
pub(super) enum Before {
    /// Nothing special.
    Nothing,
    /// The fork that started the thread: this is its first event.
    Fork(Source),
    /// The arrivals of this round at a barrier, among them the thread's own.
    Round(RoundId),
}

impl Thread {
    pub const NEW: Thread = Thread {
        current: NodeId::BOTTOM,
        blocks: Vec::new(),
        last: Source::BOTTOM,
        before: Before::Nothing,
    };
}

/// `W(x)` and `R(x, ·)`. Most variables have one reader at a time: its read needs no allocation, and
/// the whole is one line of the cache.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Var {
    /// `W(x)`
    pub write: Step,
    /// One thread's last read since the last write.
    read: Step,
    /// Those of further threads.
    more: Option<Box<Reads>>,
}

/// Reads, ordered by thread, at most one of each.
#[derive(Default, Debug)]
struct Reads(Vec<Step>);

impl Var {
    pub const NEW: Var = Var { write: Step::BOTTOM, read: Step::BOTTOM, more: None };

    /// `R(x, ·)`; some may be ⊥.
    #[inline]
    pub fn reads(&self) -> impl Iterator<Item = &Step> {
        let more = self.more.as_ref().map_or(&[][..], |more| &more.0);
        std::iter::once(&self.read).chain(more)
    }

    /// A write: earlier reads come before it, and through it before all later writes.
    #[inline]
    pub fn clear_reads(&mut self) {
        self.read = Step::BOTTOM;
        if let Some(more) = &mut self.more {
            more.0.clear();
        }
    }

    /// `R(x, t) := step`, in the room of a ⊥ entry if there is one.
    #[inline]
    pub fn record_read(&mut self, step: Step, alive: impl Fn(&Step) -> bool) {
        if self.read.thread == step.thread {
            self.read = step;
        } else {
            self.record_other_read(step, alive);
        }
    }

    fn record_other_read(&mut self, step: Step, alive: impl Fn(&Step) -> bool) {
        let found = match &mut self.more {
            None => Err(0),
            Some(more) => more.0.binary_search_by_key(&step.thread, |read| read.thread),
        };
        let Err(mut place) = found else {
            if let (Some(more), Ok(place)) = (&mut self.more, found) {
                more.0[place] = step;
            }
            return;
        };
        if !alive(&self.read) {
            self.read = step;
            return;
        }
        let reads = &mut self.more.get_or_insert_default().0;
        if reads.len() == reads.capacity() {
            reads.retain(&alive);
            place = reads.partition_point(|read| read.thread < step.thread);
        }
        reads.insert(place, step);
    }
}
