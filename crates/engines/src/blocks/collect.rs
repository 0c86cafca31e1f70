//! From the events of a transaction to what is kept of it: *marks* (events that can be part of an
//! unserializable pattern), pairs of them on one variable (1v-blocks), and the skeleton of lock
//! operations, from which `held`, `held` throughout and `heldmid` of any events follow. 2v-blocks are
//! pairs of marks on different variables; they are made only when asked for (see `twovar`).
//!
//! Kept are the paper's blocks but for those that others stand for: of the pairs of an initial read
//! and the final write (rule B) the one with the first initial read, which is open the longest; of
//! events in one segment and at one place in the code, and of pairs of such, one. A transaction that
//! repeats itself within, with lock operations between, keeps the first [`ENOUGH`] of its events a
//! variable; from then on only such with locks that are new.

use super::log::{Entry, What};
use super::skeleton::LockOp;
use super::table::Mixer;
use crate::context::hashing::IdMap;
use interloper_trace::{LabelId, LockId, Op, Position, SiteId};
use smallvec::SmallVec;

/// How many marks of one variable and transaction are kept for their place alone.
const ENOUGH: usize = 48;

/// What a marked event is to its transaction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Roles(pub(super) u8);

impl Roles {
    pub(super) const NONE: Roles = Roles(0);
    /// Reads, and no write of the variable came before.
    pub(super) const INITIAL: Roles = Roles(1);
    /// Writes.
    pub(super) const WRITE: Roles = Roles(2);
    /// Writes, and no write of the variable comes after.
    pub(super) const FINAL: Roles = Roles(4);
    /// The first initial read of the variable.
    pub(super) const FIRST: Roles = Roles(8);
    /// Of a volatile variable.
    pub(super) const VOLATILE: Roles = Roles(16);
    /// Reads and writes in one step.
    pub(super) const UPDATE: Roles = Roles(32);

    #[inline(always)]
    pub(super) fn has(self, role: Roles) -> bool {
        self.0 & role.0 != 0
    }

    pub(super) fn and(self, role: Roles) -> Roles {
        Roles(self.0 | role.0)
    }

    /// The operation as events have it.
    pub(super) fn op(self) -> Op {
        match (self.has(Roles::UPDATE), self.has(Roles::WRITE), self.has(Roles::VOLATILE)) {
            (true, ..) => Op::Update,
            (_, true, false) => Op::Write,
            (_, true, true) => Op::VolatileWrite,
            (_, false, false) => Op::Read,
            (_, false, true) => Op::VolatileRead,
        }
    }
}

/// How a pair of events of one transaction and variable can be cut: see `pattern`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum PairKind {
    /// Two writes, none between.
    WriteWrite,
    /// Two initial reads, none between.
    ReadRead,
    /// A write and a read that reads it if nobody interferes.
    WriteRead,
    /// The first initial read and the final write.
    ReadWrite,
}

/// A block around an event, among those of its transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Around {
    pub(super) label: LabelId,
    pub(super) site: SiteId,
    pub(super) begin: Position,
    /// The next outer one.
    pub(super) outer: Option<u32>,
}

/// A marked event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) var: Var,
    pub(super) site: SiteId,
    pub(super) segment: u32,
    /// The innermost block around it.
    pub(super) block: Option<u32>,
    pub(super) roles: Roles,
    pub(super) at: Position,
    /// Its number in the transaction.
    pub(super) entry: u32,
    /// The locks held, as a hash of the set.
    locks: u64,
}

/// A variable, from its escape on: what came before is another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Var(pub(super) u32);

impl Var {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

type MarkIndex = u32;

/// A pair of marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) first: MarkIndex,
    pub(super) last: MarkIndex,
    pub(super) kind: PairKind,
}

/// An event in hand that may become a mark.
#[derive(Clone, Copy)]
struct Held {
    found: Found,
    mark: Option<MarkIndex>,
}

#[derive(Default)]
struct OfVar {
    last_read: Option<Held>,
    last_write: Option<Held>,
    has_initial: bool,
    marks: SmallVec<[MarkIndex; 4]>,
    pairs: SmallVec<[u32; 4]>,
}

/// What is known of a transaction so far.
#[derive(Default)]
pub(super) struct Collect {
    pub(super) parts: Parts,
    vars: IdMap<Var, OfVar>,
}

/// What is kept of a transaction.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) marks: Vec<Found>,
    pub(super) pairs: Vec<Pair>,
    pub(super) ops: Vec<LockOp>,
    pub(super) blocks: Vec<Around>,
    /// The locks in hand when it began, in the order of their acquisition.
    pub(super) initial: Vec<LockId>,
    /// Whether since the first of them was acquired a lock was released other than the latest.
    pub(super) crooked: bool,
    /// The locks in hand, and the numbers of the operations that acquired them, from one; 0 if that was
    /// before.
    held: Vec<(LockId, u64)>,
    /// By pair: the locks held throughout, as a hash of the set.
    pair_locks: Vec<u64>,
    /// The innermost open block.
    block: Option<u32>,
    /// How many events came before.
    entry: u32,
}

impl Collect {
    /// Makes ready for a transaction that begins with these locks in hand and within these blocks.
    pub(super) fn begin(&mut self, initial: &[LockId], crooked: bool, blocks: &[Around]) {
        self.vars.clear();
        let parts = &mut self.parts;
        parts.marks.clear();
        parts.pairs.clear();
        parts.ops.clear();
        parts.initial.clear();
        parts.initial.extend_from_slice(initial);
        parts.crooked = crooked;
        parts.held.clear();
        parts.held.extend(initial.iter().map(|&lock| (lock, 0)));
        parts.pair_locks.clear();
        parts.blocks.clear();
        parts.blocks.extend_from_slice(blocks);
        parts.block = blocks.len().checked_sub(1).map(|last| last as u32);
        parts.entry = 0;
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, entry: &Entry) {
        let roles = match entry.what {
            What::Read => Some(Roles::NONE),
            What::VolatileRead => Some(Roles::VOLATILE),
            What::Write => Some(Roles::WRITE),
            What::VolatileWrite => Some(Roles::WRITE.and(Roles::VOLATILE)),
            What::Update => Some(Roles::WRITE.and(Roles::UPDATE)),
            What::Acquire | What::Release | What::Begin | What::End => None,
        };
        match roles {
            Some(roles) => {
                let state = self.vars.entry(Var(entry.operand)).or_default();
                self.parts.access(state, entry, roles);
            }
            None => self.parts.go_on(entry),
        }
        self.parts.entry += 1;
    }

    /// The transaction has ended: marks are put into the order of their events, final writes are
    /// known now, and blocks without marks are forgotten.
    pub(super) fn end(&mut self) {
        for state in self.vars.values_mut() {
            if let Some(mut write) = state.last_write {
                let mark = self.parts.mark(state, &mut write);
                let roles = &mut self.parts.marks[mark as usize].roles;
                *roles = roles.and(Roles::FINAL);
            }
        }
        self.vars.clear();
        self.parts.sort();
        self.parts.forget_blocks();
    }
}

impl Parts {
    /// An event that is no access.
    fn go_on(&mut self, entry: &Entry) {
        match entry.what {
            What::Acquire => {
                self.ops.push(LockOp::acquire(LockId(entry.operand)));
                self.held.push((LockId(entry.operand), self.ops.len() as u64));
            }
            What::Release => {
                self.ops.push(LockOp::release(LockId(entry.operand)));
                self.held.retain(|(lock, _)| lock.0 != entry.operand);
            }
            What::Begin => {
                let (label, site, begin) = (LabelId(entry.operand), entry.site, entry.at);
                self.blocks.push(Around { label, site, begin, outer: self.block });
                self.block = Some(self.blocks.len() as u32 - 1);
            }
            _ => self.block = self.block.and_then(|block| self.blocks[block as usize].outer),
        }
    }

    fn access(&mut self, state: &mut OfVar, entry: &Entry, mut roles: Roles) {
        let var = Var(entry.operand);
        let reads = !roles.has(Roles::WRITE) || roles.has(Roles::UPDATE);
        if reads && state.last_write.is_none() {
            roles = roles.and(Roles::INITIAL);
            if !state.has_initial {
                roles = roles.and(Roles::FIRST);
                state.has_initial = true;
            }
        }
        let segment = self.ops.len() as u32;
        let (site, block, at) = (entry.site, self.block, entry.at);
        let locks = self.locks_since(segment);
        let found = Found { var, site, segment, block, roles, at, entry: self.entry, locks };
        let mut now = Held { found, mark: None };
        if roles.0 & (Roles::INITIAL.0 | Roles::WRITE.0) != 0 && self.is_new(state, &found) {
            self.mark(state, &mut now);
        }
        if reads {
            match state.last_write {
                Some(_) => {
                    let mut write = state.last_write.take();
                    self.pair(state, &mut write, &mut now, PairKind::WriteRead);
                    state.last_write = write;
                }
                None => {
                    let mut read = state.last_read.take();
                    self.pair(state, &mut read, &mut now, PairKind::ReadRead);
                }
            }
            state.last_read = Some(now);
        }
        if roles.has(Roles::WRITE) {
            let mut write = state.last_write.take();
            self.pair(state, &mut write, &mut now, PairKind::WriteWrite);
            state.last_write = Some(now);
        }
    }

    /// Whether an event says more than the marks that there are.
    fn is_new(&self, state: &OfVar, found: &Found) -> bool {
        if found.roles.has(Roles::FIRST) {
            return true;
        }
        let role = Roles(found.roles.0 & (Roles::INITIAL.0 | Roles::WRITE.0));
        let mut others = state.marks.iter().map(|&mark| &self.marks[mark as usize]);
        let covers = |mark: &Found| mark.roles.0 & role.0 == role.0;
        if state.marks.len() < ENOUGH {
            let here = |mark: &Found| {
                (mark.segment, mark.site, mark.block) == (found.segment, found.site, found.block)
            };
            return !others.any(|mark| covers(mark) && here(mark));
        }
        !others.any(|mark| covers(mark) && mark.locks == found.locks)
    }

    /// The locks held without interruption from a segment until now, as a hash of the set.
    fn locks_since(&self, segment: u32) -> u64 {
        let since = self.held.iter().filter(|(_, op)| *op <= u64::from(segment));
        since.fold(0, |sum, (lock, _)| {
            let mut mixer = Mixer::new();
            mixer.word(lock.0);
            sum.wrapping_add(mixer.finish() | 1)
        })
    }

    fn mark(&mut self, state: &mut OfVar, held: &mut Held) -> MarkIndex {
        *held.mark.get_or_insert_with(|| {
            let mark = self.marks.len() as MarkIndex;
            self.marks.push(held.found);
            state.marks.push(mark);
            mark
        })
    }

    fn pair(
        &mut self,
        state: &mut OfVar,
        first: &mut Option<Held>,
        last: &mut Held,
        kind: PairKind,
    ) {
        let Some(first) = first else { return };
        if self.is_new_pair(state, &first.found, &last.found, kind) {
            let locks = self.locks_since(first.found.segment);
            let (first, last) = (self.mark(state, first), self.mark(state, last));
            state.pairs.push(self.pairs.len() as u32);
            self.pairs.push(Pair { first, last, kind });
            self.pair_locks.push(locks);
        }
    }

    fn is_new_pair(&self, state: &OfVar, first: &Found, last: &Found, kind: PairKind) -> bool {
        let mark = |mark: MarkIndex| &self.marks[mark as usize];
        let mut others = state.pairs.iter().map(|&pair| &self.pairs[pair as usize]);
        if state.pairs.len() < ENOUGH {
            let same =
                |a: &Found, b: &Found| (a.segment, a.site, a.block) == (b.segment, b.site, b.block);
            return !others.any(|pair| {
                pair.kind == kind && same(mark(pair.first), first) && same(mark(pair.last), last)
            });
        }
        let locks = self.locks_since(first.segment);
        let mut others = state.pairs.iter().map(|&pair| pair as usize);
        !others.any(|pair| self.pairs[pair].kind == kind && self.pair_locks[pair] == locks)
    }

    fn sort(&mut self) {
        if self.marks.is_sorted_by_key(|mark| mark.entry) {
            return;
        }
        let mut order: Vec<MarkIndex> = (0..self.marks.len() as MarkIndex).collect();
        order.sort_unstable_by_key(|&mark| self.marks[mark as usize].entry);
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as MarkIndex;
        }
        self.marks.sort_unstable_by_key(|mark| mark.entry);
        for pair in &mut self.pairs {
            pair.first = place[pair.first as usize];
            pair.last = place[pair.last as usize];
        }
    }

    fn forget_blocks(&mut self) {
        let mut needed = vec![false; self.blocks.len()];
        for mark in &self.marks {
            let mut next = mark.block;
            while let Some(block) = next
                && !std::mem::replace(&mut needed[block as usize], true)
            {
                next = self.blocks[block as usize].outer;
            }
        }
        if needed.iter().all(|&needed| needed) {
            return;
        }
        let mut count = 0;
        let place: Vec<u32> = needed
            .iter()
            .map(|&needed| {
                count += u32::from(needed);
                count.wrapping_sub(1)
            })
            .collect();
        let mut kept = needed.iter();
        self.blocks.retain(|_| kept.next() == Some(&true));
        for block in &mut self.blocks {
            block.outer = block.outer.map(|outer| place[outer as usize]);
        }
        for mark in &mut self.marks {
            mark.block = mark.block.map(|block| place[block as usize]);
        }
    }
}
