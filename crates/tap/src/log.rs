//! The words of a log: what a thread of the JVM did, in eight or sixteen bytes.
//!
//! A word has the tag in its low 8 bits, then 24 bits that are mostly a site, then 32 bits that are
//! mostly an id. Some entries have a second word, a bare number; it is written before the first one, so
//! whoever sees the first sees both. A zero word means that nothing was written here yet.
//!
//! The *position* of a log is the number of words ever written to its slot: first words, second words and
//! `NEXT` count, places that were left unused at the end of a chunk do not. A two-word entry never
//! straddles two chunks, and the last entry of a full chunk is `NEXT`.

/// An access of a field: id, site. Operation and name come from the site.
pub const ACCESS: u8 = 1;
/// An access of an array element, or of several at equal distances: id, site; [`Run`]. The second word may change later.
pub const ELEMENT: u8 = 2;
/// What follows comes after another log (id = slot) up to, and excluding, a position; position.
pub const EDGE: u8 = 3;
/// `MAKE n` comes after `MAKE n-1`, in whatever log (id = n, from 1).
pub const MAKE: u8 = 4;
/// What follows comes after `MAKE n` (id = n).
pub const SEEN: u8 = 5;
/// An atomic block opens (id = method).
pub const BEGIN: u8 = 6;
/// The innermost atomic block closes.
pub const END: u8 = 7;
/// A lock was acquired: id, site.
pub const ACQ: u8 = 8;
/// A lock is about to be released: id, site.
pub const REL: u8 = 9;
/// A lock is about to be released in order to wait: id, site.
pub const WAIT: u8 = 10;
/// Waiters are about to be notified: id, site.
pub const NOTIFY: u8 = 11;
/// A thread is about to be started (id = its uid), site.
pub const FORK: u8 = 12;
/// A thread was seen to have ended (id = its uid), site.
pub const JOIN: u8 = 13;
/// The first word of a thread in its slot (id = its uid); an `EDGE` to its parent follows.
pub const START: u8 = 14;
/// The thread ends; the slot may go on with another `START`.
pub const EXIT: u8 = 15;
/// A signal: id, site; its number k among the signals of this object, from 1; [`SHARED`] if it is for those who want
/// the object alone.
pub const SIGNAL: u8 = 16;
/// What follows depends on signals up to a number: id, site; k; with [`SHARED`], on those that are not; with [`ONE`], on
/// the signal of this number alone.
pub const AWAIT: u8 = 17;
/// Arrival at a barrier: id, site. Whoever goes on has edges to the other arrivals of the round.
pub const BARRIER: u8 = 18;
/// An object has this class: id; class number. At or before the first use in real time.
pub const OBJECT: u8 = 19;
/// The log goes on in another chunk (id = chunk).
pub const NEXT: u8 = 20;
/// Another thread has made an object, and this thread is the second to use it: id; the other's slot, and above it the object's birth. An `EDGE` to the
/// other log precedes, and if the transaction that has made it still runs, its `END` comes after it.
pub const MADE_BY: u8 = 21;
/// Objects are dead: id; up to two more ids, 0 where there is none. `EDGE`s to all logs precede, so every entry about them does.
pub const DEAD: u8 = 22;
/// From here on objects are made by the running transaction, or outside of any: id, below which their births are. Others may come to depend on that (`MADE_BY`).
pub const MAKES: u8 = 23;

/// With the number of a [`SIGNAL`] or [`AWAIT`]: by one of many who share the object, as readers do.
pub const SHARED: u64 = 1 << 32;
/// With the number of an [`AWAIT`]: for one signal.
pub const ONE: u64 = 1 << 33;

/// The site of entries that have no place in the code.
pub const NO_SITE: u32 = 0;

/// The class number of static variables, which are named by their sites.
pub const STATIC: u32 = 0;

/// The most that fits a word's 24 bits.
pub const MOST_SITE: u32 = (1 << 24) - 1;

/// A word from its parts; of `site` the low 24 bits count.
#[inline(always)]
pub const fn word(tag: u8, site: u32, id: u32) -> u64 {
    tag as u64 | ((site & MOST_SITE) as u64) << 8 | (id as u64) << 32
}

/// A word's tag.
#[inline(always)]
pub const fn tag(word: u64) -> u8 {
    word as u8
}

/// A word's 24 bits between tag and id.
#[inline(always)]
pub const fn site(word: u64) -> u32 {
    (word as u32) >> 8
}

/// A word's id.
#[inline(always)]
pub const fn id(word: u64) -> u32 {
    (word >> 32) as u32
}

/// How many words an entry with this tag has; `None` if there is no such tag.
#[inline(always)]
pub const fn length(tag: u8) -> Option<usize> {
    match tag {
        ELEMENT | EDGE | SIGNAL | AWAIT | OBJECT | MADE_BY | DEAD => Some(2),
        ACCESS..=MAKES => Some(1),
        _ => None,
    }
}

/// The objects that a [`DEAD`] entry tells of.
pub fn dead_ids(word: u64, second: u64) -> impl Iterator<Item = u32> {
    [id(word), second as u32, (second >> 32) as u32].into_iter().filter(|&id| id != 0)
}

/// How many entries of a thread can grow at a time: one to each residue of the site.
pub const RUNS: usize = 64;

/// The second word of an [`ELEMENT`] entry: the elements `index`, `index + stride`, … , `index + more * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first element's index.
    pub index: u32,
    /// From one element to the next.
    pub stride: i8,
    /// How many more elements there are: at most [`Run::MOST`].
    pub more: u32,
}

impl Run {
    /// The most elements that an entry grows by.
    pub const MOST: u32 = (1 << 12) - 1;

    /// As a word.
    pub const fn pack(self) -> u64 {
        self.index as u64 | (self.stride as u8 as u64) << 32 | (self.more as u64) << 40
    }

    /// From a word.
    #[inline(always)]
    pub const fn unpack(word: u64) -> Run {
        let more = (word >> 40) as u32;
        let more = if more > Run::MOST { Run::MOST } else { more };
        Run { index: word as u32, stride: (word >> 32) as u8 as i8, more }
    }

    /// The index of an element; `None`: no array has it.
    #[inline(always)]
    pub const fn element(self, number: u32) -> Option<u32> {
        let index = self.index as i64 + self.stride as i64 * number as i64;
        if index >= 0 && index <= i32::MAX as i64 { Some(index as u32) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_gives_back_its_parts() {
        for (t, s, i) in [(ACCESS, 0, 0), (MADE_BY, MOST_SITE, u32::MAX), (EDGE, 1, 7)] {
            let packed = word(t, s, i);
            assert_eq!((tag(packed), site(packed), id(packed)), (t, s, i));
        }
    }

    #[test]
    fn a_run_is_an_index_that_counts_on() {
        let run = Run { index: 17, stride: -2, more: 3 };
        assert_eq!(Run::unpack(run.pack()), run);
        assert_eq!(Run::unpack(17), Run { index: 17, stride: 0, more: 0 });
        let elements: Vec<_> = (0..=10).map(|number| run.element(number)).collect();
        assert_eq!(elements[..4], [Some(17), Some(15), Some(13), Some(11)]);
        assert_eq!(elements[8..], [Some(1), None, None]);
        assert_eq!(Run::unpack(u64::MAX).more, Run::MOST);
    }

    #[test]
    fn every_tag_has_a_length_and_nothing_else_has() {
        let known: Vec<u8> = (0..=u8::MAX).filter(|&tag| length(tag).is_some()).collect();
        assert_eq!(known, (ACCESS..=MAKES).collect::<Vec<_>>());
    }
}
