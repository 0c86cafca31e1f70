//! Reads of a variable by several threads.
//!
//! A list is a few records in a row, in the order of slots, with room for twice as many as when it last was too small. Lists of
//! the same size are side by side; how long one is stands where it is referred to ([`ListId`]). So what a thread
//! does to a list mostly touches one line of memory: the last record is its own, or that of a thread that is older.

use super::memory::Record;

/// A list, and how long it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ListId {
    /// Its place among the lists of its size.
    place: u32,
    len: u32,
    size: u8,
}

const LEN_BITS: u32 = 24;

/// The size of lists with room for two records.
pub(super) const SMALL: u8 = 0;
/// The size of lists with room for eight.
pub(super) const MEDIUM: u8 = 2;

/// Lists no longer than this are looked through one by one, from the end.
const SHORT: usize = 8;

/// Behind which records of a list one belongs: those of its own slot and smaller ones.
#[inline(always)]
fn place(list: &[Record], record: Record) -> usize {
    let is_before = |other: &Record| other.slot() <= record.slot();
    match list.len() {
        0..=SHORT => list.iter().rposition(is_before).map_or(0, |at| at + 1),
        _ => list.partition_point(is_before),
    }
}

impl ListId {
    /// As a word that a record has room for.
    pub(super) fn pack(self) -> u64 {
        let (place, len, size) = (u64::from(self.place), u64::from(self.len), u64::from(self.size));
        place | len << 32 | size << (32 + LEN_BITS)
    }

    #[inline(always)]
    pub(super) fn unpack(word: u64) -> ListId {
        let len = (word >> 32) as u32 & ((1 << LEN_BITS) - 1);
        ListId { place: word as u32, len, size: (word >> (32 + LEN_BITS)) as u8 }
    }

    /// How many records there is room for.
    #[inline(always)]
    fn capacity(self) -> usize {
        2 << self.size
    }

    #[inline(always)]
    fn start(self) -> usize {
        self.place as usize * self.capacity()
    }

    fn is_full(self) -> bool {
        self.len as usize == self.capacity()
    }
}

/// Lists of one size.
#[derive(Default)]
struct Shelf {
    records: Vec<Record>,
    free: Vec<u32>,
}

/// All lists.
#[derive(Default)]
pub(super) struct Lists {
    /// By size: twice as much room each.
    shelves: Vec<Shelf>,
    used: usize,
}

impl Lists {
    /// How many lists there are.
    pub(super) fn count(&self) -> usize {
        self.used
    }

    /// The records of a list.
    #[inline(always)]
    pub(super) fn get(&self, id: ListId) -> &[Record] {
        &self.shelves[usize::from(id.size)].records[id.start()..id.start() + id.len as usize]
    }

    fn get_mut(&mut self, id: ListId) -> &mut [Record] {
        let shelf = &mut self.shelves[usize::from(id.size)];
        &mut shelf.records[id.start()..id.start() + id.len as usize]
    }

    /// A list without records.
    fn take(&mut self, size: u8) -> ListId {
        let number = usize::from(size);
        if self.shelves.len() <= number {
            self.shelves.resize_with(number + 1, Shelf::default);
        }
        let Shelf { records, free } = &mut self.shelves[number];
        let mut id = ListId { place: 0, len: 0, size };
        id.place = free.pop().unwrap_or_else(|| {
            let place = records.len() / id.capacity();
            records.resize(records.len() + id.capacity(), Record::NONE);
            place as u32
        });
        self.used += 1;
        id
    }

    /// Gives a list back.
    pub(super) fn give_back(&mut self, id: ListId) {
        self.shelves[usize::from(id.size)].free.push(id.place);
        self.used -= 1;
    }

    /// A list of this size, with two records of different slots.
    pub(super) fn pair(&mut self, size: u8, first: Record, second: Record) -> ListId {
        let in_order = first.slot() < second.slot();
        let id = ListId { len: 2, ..self.take(size) };
        if let [low, high, ..] = self.get_mut(id) {
            (*low, *high) = if in_order { (first, second) } else { (second, first) };
        }
        id
    }

    /// The same records once more.
    pub(super) fn copy(&mut self, from: ListId) -> ListId {
        self.copy_to(from, from.size)
    }

    fn copy_to(&mut self, from: ListId, size: u8) -> ListId {
        let to = ListId { len: from.len, ..self.take(size) };
        let (left, right) = self.shelves.split_at_mut(usize::from(size));
        let place = to.start()..to.start() + to.len as usize;
        let source = from.start()..from.start() + from.len as usize;
        match (left.get(usize::from(from.size)), right) {
            (Some(other), [shelf, ..]) => {
                shelf.records[place].copy_from_slice(&other.records[source]);
            }
            (None, [shelf, ..]) => shelf.records.copy_within(source, place.start),
            (_, []) => {}
        }
        to
    }

    /// Puts a record into a list, in the place of its slot's if there is one. Where there is no room, those that are forgotten go
    /// first. Gives the list as it is then.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        id: ListId,
        record: Record,
        is_forgotten: impl Fn(&Record) -> bool,
    ) -> ListId {
        let list = self.get_mut(id);
        let place = place(list, record);
        match list[..place].last_mut() {
            Some(known) if known.slot() == record.slot() => {
                *known = record;
                id
            }
            _ if id.is_full() => self.insert_into_full(id, record, is_forgotten),
            _ => self.insert(id, place, record),
        }
    }

    /// Puts a record into the place of its slot's; whether there is one.
    pub(super) fn replace(&mut self, id: ListId, record: Record) -> bool {
        let list = self.get_mut(id);
        let place = place(list, record);
        let known = list[..place].last_mut().filter(|known| known.slot() == record.slot());
        known.map(|known| *known = record).is_some()
    }

    #[inline(always)]
    fn insert(&mut self, id: ListId, place: usize, record: Record) -> ListId {
        let id = ListId { len: id.len + 1, ..id };
        let list = self.get_mut(id);
        if place + 1 < list.len() {
            list.copy_within(place..list.len() - 1, place + 1);
        }
        list[place] = record;
        id
    }

    fn insert_into_full(
        &mut self,
        id: ListId,
        record: Record,
        is_forgotten: impl Fn(&Record) -> bool,
    ) -> ListId {
        let mut id = self.retain(id, is_forgotten);
        if id.is_full() {
            let larger = self.copy_to(id, id.size + 1);
            self.give_back(id);
            id = larger;
        }
        let place = place(self.get(id), record);
        self.insert(id, place, record)
    }

    /// Takes records that are forgotten out of a list. Gives the list as it is then, which may be empty.
    pub(super) fn retain(&mut self, id: ListId, is_forgotten: impl Fn(&Record) -> bool) -> ListId {
        let list = self.get_mut(id);
        let mut len = 0;
        for at in 0..list.len() {
            list[len] = list[at];
            len += usize::from(!is_forgotten(&list[at]));
        }
        ListId { len: len as u32, ..id }
    }

    /// How many records all lists that there were have room for.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.shelves.iter().map(|shelf| shelf.records.len()).sum()
    }

    /// How many lists there were at a time.
    #[cfg(test)]
    pub(super) fn most(&self) -> usize {
        let lists = |(size, shelf): (usize, &Shelf)| shelf.records.len() / (2 << size);
        self.shelves.iter().enumerate().map(lists).sum()
    }
}
