//! What a variable and a lock remember: who touched them last, when and where.
//!
//! A [`Record`] is sixteen bytes and a variable two of them, half a cache line: with a hundred
//! thousand variables the memory of the last accesses is most of what an event touches.

use super::table::{Slot, Time};
use interloper_trace::{Event, LabelId, Op, SiteId};

const SLOT_BITS: u32 = 20;
const SLOT_MASK: u64 = (1 << SLOT_BITS) - 1;
const LABEL_BITS: u32 = 28;
const LABEL_MASK: u32 = (1 << LABEL_BITS) - 1;

/// An earlier event that later ones may depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// Time (44 bits: seventeen million million events) and slot. If there was no event, the time
    /// is 0: before everything, and so forgotten.
    stamp: u64,
    site: SiteId,
    /// Operation and label of the transaction.
    word: u32,
}

impl Record {
    pub(super) const NONE: Record = Record { stamp: 0, site: SiteId::UNKNOWN, word: 0 };

    #[inline(always)]
    pub(super) fn new(slot: Slot, time: Time, op: Op, site: SiteId, label: LabelId) -> Record {
        Record {
            stamp: time.0 << SLOT_BITS | u64::from(slot.0),
            site,
            word: (op as u32) << LABEL_BITS | (label.0 & LABEL_MASK),
        }
    }

    #[inline(always)]
    pub(super) fn slot(&self) -> Slot {
        Slot((self.stamp & SLOT_MASK) as u32)
    }

    #[inline(always)]
    pub(super) fn time(&self) -> Time {
        Time(self.stamp >> SLOT_BITS)
    }

    pub(super) fn site(&self) -> SiteId {
        self.site
    }

    pub(super) fn op(&self) -> Op {
        Op::from_code((self.word >> LABEL_BITS) as u8).unwrap_or(Op::Dummy)
    }

    pub(super) fn label(&self) -> LabelId {
        match self.word & LABEL_MASK {
            LABEL_MASK => LabelId::OUTSIDE,
            label => LabelId(label),
        }
    }
}

/// The last write of a variable, and the reads since: one in place, more of them in a list.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Variable {
    pub(super) write: Record,
    pub(super) read: Reads,
}

impl Variable {
    const NEW: Variable = Variable { write: Record::NONE, read: Reads { record: Record::NONE } };
}

/// The reads of a variable since its last write. A record whose stamp is all ones is no read but
/// the number of a list.
#[derive(Clone, Copy)]
pub(super) struct Reads {
    record: Record,
}

const LIST: u64 = u64::MAX;

impl Reads {
    pub(super) const NONE: Reads = Reads { record: Record::NONE };

    #[inline(always)]
    pub(super) fn one(record: Record) -> Reads {
        Reads { record }
    }

    fn list(number: u32) -> Reads {
        Reads { record: Record { stamp: LIST, site: SiteId(number), word: 0 } }
    }

    /// The single read, or the number of the list.
    #[inline(always)]
    pub(super) fn get(self) -> Result<Record, ListId> {
        if self.record.stamp == LIST {
            Err(ListId(self.record.site.index()))
        } else {
            Ok(self.record)
        }
    }
}

/// A list of reads in [`Memory`].
#[derive(Clone, Copy)]
pub(super) struct ListId(usize);

/// All variables and locks.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) variables: Vec<Variable>,
    pub(super) releases: Vec<Record>,
    lists: Vec<Vec<Record>>,
    free: Vec<ListId>,
}

impl Memory {
    /// Loads what these events are about to look up. The loads do not wait for each other, as they
    /// would one event at a time: with variables beyond the second-level cache, this halves the time
    /// of the whole engine. (Operands that are no variables load something, too: cheaper than to ask.)
    #[inline(always)]
    pub(super) fn touch(&self, events: &[Event]) {
        let Some(last) = self.variables.len().checked_sub(1) else { return };
        let mut seen = 0;
        for event in events {
            seen ^= self.variables[(event.operand as usize).min(last)].write.stamp;
        }
        std::hint::black_box(seen);
    }

    /// Makes room for a variable that is mentioned for the first time.
    #[cold]
    pub(super) fn grow_variables(&mut self, index: usize) {
        self.variables.resize(index + 1, Variable::NEW);
    }

    /// Makes room for a lock that is mentioned for the first time.
    #[cold]
    pub(super) fn grow_releases(&mut self, index: usize) {
        self.releases.resize(index + 1, Record::NONE);
    }

    pub(super) fn list_mut(&mut self, list: ListId) -> &mut Vec<Record> {
        &mut self.lists[list.0]
    }

    pub(super) fn list(&self, list: ListId) -> &[Record] {
        &self.lists[list.0]
    }

    /// A list of these two reads.
    pub(super) fn new_list(&mut self, first: Record, second: Record) -> Reads {
        let list = self.free.pop().unwrap_or_else(|| {
            self.lists.push(vec![]);
            ListId(self.lists.len() - 1)
        });
        self.lists[list.0].extend([first, second]);
        Reads::list(list.0 as u32)
    }

    /// Gives a list back.
    pub(super) fn free_list(&mut self, list: ListId) {
        self.lists[list.0].clear();
        self.free.push(list);
    }
}
