//! What is around an event: locks, period, blocks.

use super::Touch;
use super::hands::{Grip, Hands};
use super::witness::Record;
use crate::context::blocks::Blocks;
use crate::context::escapes::Escapes;
use crate::context::locksets::Locksets;
use crate::context::periods::Periods;
use interloper_findings::OpenBlock;
use interloper_trace::{Event, LabelId, Op, Position, ThreadId};

/// The state of all threads, as far as races depend on it.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) locksets: Locksets,
    pub(super) hands: Hands,
    pub(super) periods: Periods,
    pub(super) escapes: Escapes,
    blocks: Blocks,
}

impl Scene {
    /// A plain access, in the state of its thread.
    #[inline(always)]
    pub(super) fn touch(&mut self, event: &Event) -> Touch<Grip> {
        Touch {
            var: event.var(),
            write: event.op == Op::Write,
            thread: event.thread,
            period: self.periods.of(event.thread),
            held: self.hands.grip(event.thread, &mut self.locksets),
        }
    }

    /// The same, to be remembered.
    #[inline(always)]
    pub(super) fn record(&self, at: Position, event: &Event, touch: &Touch<Grip>) -> Record {
        Record::new(at, event, touch, self.label(event.thread))
    }

    /// The label of a thread's transaction.
    #[inline(always)]
    pub(super) fn label(&self, thread: ThreadId) -> LabelId {
        self.blocks.open(thread).first().map_or(LabelId::OUTSIDE, |open| open.label)
    }

    /// The blocks that are open in a thread.
    pub(super) fn open_blocks(&self, thread: ThreadId) -> Vec<OpenBlock> {
        self.blocks.open(thread).iter().map(|open| open.block(false)).collect()
    }

    /// Takes note of an event that is no access.
    #[inline(always)]
    pub(super) fn event(&mut self, at: Position, event: &Event) {
        match event.op {
            Op::Acquire | Op::Release | Op::Wait => {
                self.periods.of(event.thread);
                self.hands.event(event);
            }
            Op::Begin | Op::End | Op::Exit => {
                self.blocks.event(at, event);
                self.periods.of(event.thread);
            }
            _ => {
                self.periods.of(event.thread);
                self.periods.event(event);
            }
        }
    }
}
