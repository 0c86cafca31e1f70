//! What variables remember that may share a cell.
//!
//! Such are the elements of arrays, which several threads read one after the other, and again whenever the program comes back to them. So a cell
//! is a whole line of memory, with room for the reads of two threads. Those of more are in a list, which is touched only
//! when both places are taken.

use super::lists::{ListId, Lists, SMALL};
use super::memory::Record;
use super::table::{Slot, Table};
use smallvec::SmallVec;

/// A cell of variables that have the same past.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Wide {
    /// The last write.
    pub(super) write: Record,
    /// Reads since by different threads; no event where there is none.
    reads: [Record; 2],
    /// Reads by yet other threads: a [`ListId`], packed, or 0.
    list: u64,
    /// No smaller than the slots of these.
    latest: Slot,
    /// How many variables have the cell, and above, if they are known to be at equal distances, the distance.
    variables: u32,
}

/// An access is of no more variables than that at a time.
const COUNT_BITS: u32 = 24;
const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;

const _: () = assert!(size_of::<Wide>() == 64);

impl Wide {
    /// A cell of so many variables of which nothing is known.
    pub(super) fn new(count: u32) -> Wide {
        let reads = [Record::NONE; 2];
        Wide { write: Record::NONE, reads, list: 0, latest: Slot::NOBODY, variables: count }
    }

    /// How many variables have the cell.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.variables & COUNT_MASK
    }

    /// Some variables, at whatever distances, have the cell no more.
    pub(super) fn leave(&mut self, count: u32) {
        self.variables = self.count() - count;
    }

    /// Whether it has so many variables, and these are known to be at such distances from one to the next.
    #[inline(always)]
    pub(super) fn is_even(&self, count: u32, stride: i8) -> bool {
        self.variables == (u32::from(stride.unsigned_abs()) << COUNT_BITS | count) && stride != 0
    }

    /// Its variables are at such distances.
    pub(super) fn set_even(&mut self, stride: i8) {
        self.variables = u32::from(stride.unsigned_abs()) << COUNT_BITS | self.count();
    }

    /// A cell of one variable with a past.
    pub(super) fn with(write: Record, read: Result<Record, ListId>, lists: &Lists) -> Wide {
        let mut wide = Wide { write, ..Wide::new(1) };
        match read {
            Ok(read) => wide.reads[0] = read,
            Err(list) => wide.set_list(list, lists),
        }
        wide
    }

    /// The list of reads, if there is one.
    #[inline(always)]
    fn list(&self) -> Option<ListId> {
        (self.list != 0).then(|| ListId::unpack(self.list))
    }

    fn set_list(&mut self, list: ListId, lists: &Lists) {
        self.list = list.pack();
        self.latest = lists.get(list).last().map_or(Slot::NOBODY, |read| read.slot());
    }

    /// Remembers a read if that touches no list; whether it did.
    #[inline(always)]
    pub(super) fn read(&mut self, read: Record, is_forgotten: impl Fn(&Record) -> bool) -> bool {
        let [first, second] = &mut self.reads;
        if first.slot() == read.slot() {
            *first = read;
        } else if second.slot() == read.slot() {
            *second = read;
        } else if self.list != 0 && read.slot() <= self.latest {
            return false;
        } else if is_forgotten(first) {
            *first = read;
        } else if is_forgotten(second) {
            *second = read;
        } else {
            return false;
        }
        true
    }

    /// Remembers a read that touches a list.
    pub(super) fn read_by_list(&mut self, read: Record, lists: &mut Lists, table: &Table) {
        if let Some(list) = self.list()
            && read.slot() <= self.latest
            && lists.replace(list, read)
        {
            return;
        }
        let is_forgotten = |read: &Record| table.is_forgotten(read.slot(), read.time());
        if let Some(place) = self.reads.iter_mut().find(|read| is_forgotten(read)) {
            *place = read;
            return;
        }
        let [first, second] = std::mem::replace(&mut self.reads, [read, Record::NONE]);
        let list = match self.list() {
            None => lists.pair(SMALL, first, second),
            Some(list) => {
                let list = lists.put(list, first, is_forgotten);
                lists.put(list, second, is_forgotten)
            }
        };
        self.set_list(list, lists);
    }

    /// Where the next read that touches the list will write to, if one will soon.
    #[inline(always)]
    pub(super) fn next_in_list<'a>(&self, lists: &'a Lists) -> Option<&'a Record> {
        let full = self.reads[1] != Record::NONE;
        self.list().filter(|_| full).and_then(|list| lists.get(list).last())
    }

    /// Calls back with each read.
    pub(super) fn for_each_read(&self, lists: &Lists, mut each: impl FnMut(Record)) {
        self.reads.into_iter().for_each(&mut each);
        if let Some(list) = self.list() {
            lists.get(list).iter().copied().for_each(each);
        }
    }

    /// The reads in the order of slots.
    pub(super) fn reads(&self, lists: &Lists) -> SmallVec<[Record; 8]> {
        let mut reads = SmallVec::<[Record; 8]>::new();
        self.for_each_read(lists, |read| reads.push(read));
        reads.sort_unstable_by_key(|read| read.slot());
        reads
    }

    /// Whether there is nothing in a list and each read is such a one.
    #[inline(always)]
    pub(super) fn has_only(&self, is_such: impl Fn(&Record) -> bool) -> bool {
        let [first, second] = &self.reads;
        self.list == 0 && is_such(first) && is_such(second)
    }

    /// A write, with no reads since, where there is no list.
    #[inline(always)]
    pub(super) fn write(&mut self, write: Record) {
        debug_assert_eq!(self.list, 0, "the reads were taken away before");
        self.write = write;
        self.reads = [Record::NONE; 2];
    }

    /// Forgets all.
    pub(super) fn clear(&mut self, lists: &mut Lists) {
        if let Some(list) = self.list() {
            lists.give_back(list);
        }
        *self = Wide { variables: self.variables, ..Wide::new(0) };
    }

    /// A cell of so many variables that says the same.
    pub(super) fn copy(&self, count: u32, lists: &mut Lists) -> Wide {
        let list = self.list().map_or(0, |list| lists.copy(list).pack());
        Wide { list, variables: count, ..*self }
    }

    /// Drops reads from the list that are forgotten, and the list if all are.
    pub(super) fn sweep(&mut self, lists: &mut Lists, is_forgotten: impl Fn(&Record) -> bool) {
        let Some(list) = self.list() else { return };
        let list = lists.retain(list, is_forgotten);
        if lists.get(list).is_empty() {
            lists.give_back(list);
            self.list = 0;
        } else {
            self.list = list.pack();
        }
    }
}
