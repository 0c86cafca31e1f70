//! What a transaction does with locks, without anything else: its skeleton. Lock operations cut the
//! transaction into segments, numbered from 0; an event is in one of them, and all that locks have to
//! say about the event follows from its segment.

use super::table::{Mixer, Table};
use interloper_trace::LockId;

/// One lock operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LockOp(u32);

impl LockOp {
    pub(super) fn acquire(lock: LockId) -> LockOp {
        LockOp(lock.0 << 1 | 1)
    }

    pub(super) fn release(lock: LockId) -> LockOp {
        LockOp(lock.0 << 1)
    }

    pub(super) fn lock(self) -> LockId {
        LockId(self.0 >> 1)
    }

    pub(super) fn acquires(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A skeleton among the stored ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct SkeletonId(pub(super) u32);

/// All skeletons, each once.
#[derive(Default)]
pub(super) struct Skeletons {
    table: Table,
    /// By skeleton: where it ends in `ops`, and what comes before the transaction.
    ends: Vec<(u32, Before)>,
    ops: Vec<LockOp>,
}

/// What a transaction begins with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Before {
    /// How many locks are in hand.
    pub(super) locks: u32,
    /// Whether since the first of them was acquired a lock was released other than the latest.
    pub(super) crooked: bool,
}

impl Skeletons {
    /// The skeleton of a transaction that begins with these locks in hand, in the order of their
    /// acquisition.
    pub(super) fn intern(
        &mut self,
        initial: &[LockId],
        crooked: bool,
        ops: &[LockOp],
    ) -> SkeletonId {
        let begins = Before { locks: initial.len() as u32, crooked };
        let mut mixer = Mixer::new();
        mixer.word(begins.locks << 1 | u32::from(crooked));
        let before = initial.iter().map(|&lock| LockOp::acquire(lock));
        let all = before.chain(ops.iter().copied());
        all.clone().for_each(|op| mixer.word(op.0));
        let hash = mixer.finish();
        let same = |id: u32| {
            let known = self.get(SkeletonId(id));
            known.before == begins
                && known.ops.len() == initial.len() + ops.len()
                && all.clone().eq(known.ops.iter().copied())
        };
        if let Some(known) = self.table.find(hash, same) {
            return SkeletonId(known);
        }
        self.ops.extend(all);
        self.ends.push((self.ops.len() as u32, begins));
        SkeletonId(self.table.add(hash))
    }

    pub(super) fn get(&self, id: SkeletonId) -> Skeleton<'_> {
        let at = id.0 as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, before) = self.ends[at];
        Skeleton { ops: &self.ops[start as usize..end as usize], before }
    }
}

/// A skeleton.
#[derive(Clone, Copy)]
pub(super) struct Skeleton<'a> {
    /// What was acquired before the transaction and is still held when it begins, then what the
    /// transaction does.
    ops: &'a [LockOp],
    before: Before,
}

impl<'a> Skeleton<'a> {
    /// All lock operations, those before the transaction included.
    pub(super) fn ops(&self) -> &'a [LockOp] {
        self.ops
    }

    /// How many operations come before a segment of the transaction.
    pub(super) fn row(&self, segment: u32) -> usize {
        self.before.locks as usize + segment as usize
    }

    /// The locks held in a segment, in the order of their acquisition.
    pub(super) fn held(&self, segment: u32, held: &mut Vec<LockId>) {
        held.clear();
        for op in &self.ops[..self.row(segment)] {
            match op.acquires() {
                true => held.push(op.lock()),
                false => drop_last(held, op.lock()),
            }
        }
    }

    /// The locks held without interruption from one segment to another.
    pub(super) fn throughout(&self, from: u32, to: u32, held: &mut Vec<LockId>) {
        self.held(from, held);
        for op in &self.ops[self.row(from)..self.row(to)] {
            if held.is_empty() {
                return;
            }
            if !op.acquires() {
                drop_last(held, op.lock());
            }
        }
    }

    /// The locks held at any time between two segments, these included: `held` of both ends and
    /// `heldmid`.
    pub(super) fn used(&self, from: u32, to: u32, used: &mut Vec<LockId>) {
        self.held(from, used);
        let between = &self.ops[self.row(from)..self.row(to)];
        for op in between.iter().filter(|op| op.acquires()) {
            if !used.contains(&op.lock()) {
                used.push(op.lock());
            }
        }
    }

    /// The first and the last segment of those around this one in which a lock is held without
    /// interruption; `None` if it is not held here.
    pub(super) fn around(&self, segment: u32, lock: LockId) -> Option<(u32, u32)> {
        let row = self.row(segment);
        let (before, after) = self.ops.split_at(row);
        let latest = before.iter().rposition(|op| op.lock() == lock)?;
        if !before[latest].acquires() {
            return None;
        }
        let from = (latest + 1).saturating_sub(self.before.locks as usize);
        let until = after.iter().position(|op| op.lock() == lock).unwrap_or(after.len());
        Some((from as u32, segment + until as u32))
    }

    /// Whether it begins with locks in hand.
    pub(super) fn begins_locked(&self) -> bool {
        self.before.locks > 0
    }

    /// Whether locks are released in the opposite order of their acquisition, as far as that can be
    /// known.
    pub(super) fn is_nested(&self) -> bool {
        if self.before.crooked {
            return false;
        }
        let mut held: Vec<LockId> = vec![];
        self.ops.iter().all(|op| {
            if op.acquires() {
                held.push(op.lock());
                return true;
            }
            held.pop() == Some(op.lock())
        })
    }
}

fn drop_last(held: &mut Vec<LockId>, lock: LockId) {
    if let Some(place) = held.iter().rposition(|&other| other == lock) {
        held.remove(place);
    }
}
