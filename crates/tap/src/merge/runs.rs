//! Elements of arrays that a thread goes through one after the other: one entry that grows.
//!
//! An `ELEMENT` entry counts how many more elements the same site has accessed, at equal distances, in the same array and
//! the same region of the same block, without the array having been away (see [`log::Run`]). Its thread counts up in place, so an
//! entry that was read may have grown since. What is new is taken
//!
//! - before the next entry of the same log that ends a region: from there on it does not grow;
//! - before an entry of another log that comes after this one (`EDGE`), because that may be about the same elements.
//!
//! In between nobody can have accessed these elements in a way that conflicts: whoever does has an edge. So where in between
//! the accesses of a block stand in the stream makes no difference. Outside of blocks it may: there what an entry has grown by is taken before any
//! other entry of its log, and where it matters the writer lets an entry grow only as long as it is the last one.
//!
//! Neighbouring sites go through the same elements again (`a[i - 1] + a[i + 1]`). The writer, who counts, does not see
//! that; here a stretch of elements that the region has accessed already is passed over, as long as no other log
//! has an edge to this one.

use super::Hashed;
use super::classes::Place;
use super::objects::{Objects, Page};
use super::run::Counts;
use crate::arena::Arena;
use crate::log;
use interloper_trace::{Event, Names, Op, ThreadId, VarId};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// What growing entries are turned into events with.
pub(super) struct Desk<'a> {
    pub(super) objects: &'a mut Objects,
    pub(super) names: &'a mut Names,
    pub(super) out: &'a mut Vec<Event>,
    pub(super) counts: &'a mut Counts,
}

/// An entry that may grow.
#[derive(Clone, Copy)]
pub(super) struct Growing {
    pub(super) thread: ThreadId,
    pub(super) place: Place,
    /// The array.
    pub(super) id: u32,
    /// Where its second word is.
    pub(super) chunk: u32,
    pub(super) index: usize,
    /// How many elements were taken.
    pub(super) taken: u32,
}

/// The entries of one log that may grow.
#[derive(Default)]
pub(super) struct Runs {
    /// At the places that their sites have in the writer's table, too: where one is replaced, it grows no more.
    open: Vec<Option<Growing>>,
    /// Where they are.
    places: Vec<u8>,
    covered: Covered,
}

/// For elements at equal distances: array, operation, distance, and where they start. In one word, which is hashed faster.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Comb(u64);

impl Comb {
    #[inline(always)]
    fn new(id: u32, op: Op, stride: u8, offset: u8) -> Comb {
        Comb(u64::from(id) << 32 | (op as u64) << 16 | u64::from(stride) << 8 | u64::from(offset))
    }
}

/// The stretches of elements that the region has accessed, one to a comb; in numbers of teeth.
#[derive(Default)]
struct Covered(Hashed<Comb, Range<u32>>);

/// Room for so many of them is kept for the next region.
const KEPT: usize = 64;

/// Shorter stretches are not worth a look.
const SHORT: u32 = 8;

impl Covered {
    /// What of a stretch is new: what is before and what is behind the known part. All of it is known afterwards.
    #[inline(always)]
    fn add(&mut self, comb: Comb, new: Range<u32>) -> [Range<u32>; 2] {
        let known = self.0.entry(comb).or_insert(0..0);
        if new.start > known.end || new.end < known.start || Range::is_empty(known) {
            // Apart, or nothing known: the later one is the one that may come again.
            *known = new.clone();
            return [new, 0..0];
        }
        let (before, behind) = (new.start..known.start, known.end..new.end);
        *known = known.start.min(new.start)..known.end.max(new.end);
        [before, behind]
    }
}

impl Runs {
    /// Takes an entry, which may grow from now on. The first of its elements has this variable, or is left out.
    #[inline(always)]
    pub(super) fn begin(
        &mut self,
        arena: &Arena,
        site: u32,
        run: Growing,
        (second, first): (u64, Option<VarId>),
        desk: &mut Desk<'_>,
    ) {
        if self.open.is_empty() {
            self.open.resize(log::RUNS, None);
        }
        let place = site as usize % log::RUNS;
        let open = &mut self.open[place];
        match open {
            Some(before) => before.poll(arena, &mut self.covered, desk),
            None => self.places.push(place as u8),
        }
        let run = open.insert(run);
        match (log::Run::unpack(second).more, first) {
            (0, _) => run.take_first(first, desk),
            (_, None) => run.take(second, None, &mut self.covered, desk),
            (_, Some(var)) => {
                run.take(second, Some((second as u32, var)), &mut self.covered, desk);
            }
        }
    }

    /// Takes what entries have grown by.
    pub(super) fn poll(&mut self, arena: &Arena, desk: &mut Desk<'_>) {
        let Runs { open, places, covered } = self;
        for &place in &*places {
            if let Some(run) = &mut open[usize::from(place)] {
                run.poll(arena, covered, desk);
            }
        }
    }

    /// The same for the last time.
    pub(super) fn close(&mut self, arena: &Arena, desk: &mut Desk<'_>) {
        self.poll(arena, desk);
        for place in self.places.drain(..) {
            self.open[usize::from(place)] = None;
        }
    }
}

impl Runs {
    /// What was accessed before may be accessed again: in a new region, or after others.
    pub(super) fn forget(&mut self) {
        let Covered(stretches) = &mut self.covered;
        if stretches.capacity() > KEPT {
            *stretches = Hashed::default();
        } else if !stretches.is_empty() {
            stretches.clear();
        }
    }
}

impl Growing {
    #[inline(always)]
    fn poll(&mut self, arena: &Arena, covered: &mut Covered, desk: &mut Desk<'_>) {
        let words = arena.chunk(self.chunk).unwrap_or_default();
        let Some(second) = words.get(self.index) else { return };
        let second = second.load(Ordering::Acquire);
        if log::Run::unpack(second).more >= self.taken {
            self.take(second, None, covered, desk);
        }
    }

    /// Makes an event of the only element so far, which has this variable, or is left out.
    #[inline]
    fn take_first(&mut self, var: Option<VarId>, desk: &mut Desk<'_>) {
        self.taken = 1;
        match var {
            Some(var) => {
                desk.out.push(Event::new(self.thread, self.place.op, var.0, self.place.location));
            }
            None => desk.counts.dropped += 1,
        }
    }

    /// Makes events of the elements that were not taken yet. Of one of them, the variable may be known.
    #[inline(never)]
    fn take(
        &mut self,
        second: u64,
        known: Option<(u32, VarId)>,
        covered: &mut Covered,
        desk: &mut Desk<'_>,
    ) {
        let run = log::Run::unpack(second);
        let Some(count) = (run.more + 1).checked_sub(self.taken).filter(|&count| count > 0) else {
            return;
        };
        let (first, last) = (run.element(self.taken), run.element(run.more));
        self.taken = run.more + 1;
        let (Some(first), Some(last)) = (first, last) else { return };
        let stride = run.stride.unsigned_abs();
        if count < SHORT || !(1..=i8::MAX as u8).contains(&stride) {
            return self.put(first, count, run.stride, known, desk);
        }
        let (low, high) = (first.min(last), first.max(last));
        let width = u32::from(stride);
        // Mostly they are neighbours, and divisions are slow.
        let (offset, from, to) = match width {
            1 => (0, low, high),
            _ => (low % width, low / width, high / width),
        };
        let comb = Comb::new(self.id, self.place.op, stride, offset as u8);
        for teeth in covered.add(comb, from..to + 1) {
            if !teeth.is_empty() {
                let first = teeth.start * width + offset;
                self.put(first, teeth.end - teeth.start, stride as i8, known, desk);
            }
        }
    }

    /// Makes events of so many elements: one for each page, as neighbours in a page have numbers in a row.
    #[inline(always)]
    fn put(
        &self,
        mut index: u32,
        mut count: u32,
        stride: i8,
        known: Option<(u32, VarId)>,
        desk: &mut Desk<'_>,
    ) {
        let step = i32::from(stride);
        while count > 0 {
            let page = Page::of(index);
            let room = match step {
                0 => count,
                1 => page.end() - index,
                2.. => (page.end() - 1 - index) / step.unsigned_abs() + 1,
                _ => (index - page.first) / step.unsigned_abs() + 1,
            };
            let now = count.min(room);
            let var = match known {
                Some((known, var)) if known == index => Some(var),
                _ => desk.objects.element(self.id, index, desk.names).ok().flatten(),
            };
            match var {
                Some(var) => {
                    let event = Event::new(self.thread, self.place.op, var.0, self.place.location);
                    push_several(event, now, stride, desk.out);
                }
                None => desk.counts.dropped += u64::from(now),
            }
            count -= now;
            index = index.wrapping_add_signed(step * now as i32);
        }
    }
}

/// The same access of so many variables: as one event if it is a plain one.
fn push_several(event: Event, count: u32, stride: i8, out: &mut Vec<Event>) {
    let more = if stride == 0 { 0 } else { (count - 1) as u16 };
    if more == 0 {
        out.push(event);
    } else if matches!(event.op, Op::Read | Op::Write) {
        out.push(event.and_more(more, stride));
    } else {
        out.extend(Event { more, stride, ..event }.singles());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_covered_is_not_new() {
        let mut covered = Covered::default();
        let comb = Comb::new(1, Op::Read, 2, 1);
        let mut new = |comb, first: u32, last: u32| -> Vec<u32> {
            covered.add(comb, first..last + 1).into_iter().flatten().collect()
        };
        assert_eq!(new(comb, 5, 7), [5, 6, 7]);
        assert_eq!(new(comb, 5, 7), [0; 0]);
        assert_eq!(new(comb, 4, 9), [4, 8, 9]);
        assert_eq!(new(comb, 10, 11), [10, 11]);
        assert_eq!(new(comb, 0, 3), [0, 1, 2, 3]);
        assert_eq!(new(comb, 2, 11), [0; 0]);
        assert_eq!(new(Comb::new(1, Op::Write, 2, 1), 2, 3), [2, 3]);
        assert_eq!(new(Comb::new(1, Op::Read, 2, 0), 2, 3), [2, 3]);
        // Of two stretches apart, the later one is remembered.
        assert_eq!(new(comb, 20, 21), [20, 21]);
        assert_eq!(new(comb, 21, 22), [22]);
        assert_eq!(new(comb, 0, 1), [0, 1]);
    }
}
