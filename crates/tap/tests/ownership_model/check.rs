//! What must hold when all threads are done.
//!
//! What the logs imply is computed as a merger would: an entry can be taken when its log has come to it
//! and what it demands has been taken. Its clock says how much of each log comes before it in every order
//! that the logs allow. Prefixes need no check of their own: edges are in the log after what they name
//! (checked as they get there) and numbers are given before they are written, so what could stop a merger
//! on the way, but for a MAKE that is still to come, also stops it at the end.

use super::machine::{AccessId, Entry, Fact, Record, SlotId, Word, kind_of};
use super::program::{Kind, ObjectId, Program, ThreadId};
use super::protocol::State;
use super::violation::Violation;

/// An entry's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    slot: usize,
    index: usize,
}

/// How much of each log comes before an entry, itself included.
type Clock = Vec<usize>;

/// What the logs imply.
struct Merged<'a> {
    state: &'a State,
    clocks: Vec<Vec<Clock>>,
}

pub fn at_end(state: &State, program: &Program) -> Result<(), Violation> {
    nothing_left(state)?;
    let merged = Merged::new(state)?;
    for index in 0..state.objects.len() {
        let object = ObjectId(index as u8);
        recorded(state, object, program)?;
        ordered(&merged, object, program)?;
    }
    on_behalf(&merged)
}

fn nothing_left(state: &State) -> Result<(), Violation> {
    for (index, object) in state.objects.iter().enumerate() {
        if matches!(object.word, Word::Busy(_)) {
            return Err(Violation::LeftBusy { object: ObjectId(index as u8) });
        }
    }
    for (index, thread) in state.threads.iter().enumerate() {
        if thread.open || thread.touching != 0 {
            return Err(Violation::LeftOpen { thread: ThreadId(index as u8) });
        }
    }
    Ok(())
}

fn fact(state: &State, access: AccessId) -> Option<&Fact> {
    let facts = &state.threads[usize::from(access.thread.0)].facts;
    facts.iter().find(|fact| fact.access == access)
}

/// Pairs of an object's accesses by different threads that conflict, first things first.
fn conflicts<'a>(
    order: &'a [AccessId],
    program: &'a Program,
) -> impl Iterator<Item = (AccessId, AccessId)> + 'a {
    let pairs = order.iter().enumerate().flat_map(move |(index, &first)| {
        order[index + 1..].iter().map(move |&second| (first, second))
    });
    pairs.filter(move |(first, second)| {
        let conflict = kind_of(program, *first).conflicts(kind_of(program, *second));
        first.thread != second.thread && conflict
    })
}

/// Every access is in the log, or stands behind one that is, or the object was NEW: then nobody else's that conflicts
/// with it comes before.
fn recorded(state: &State, object: ObjectId, program: &Program) -> Result<(), Violation> {
    let order = &state.objects[usize::from(object.0)].order;
    for (to, &access) in order.iter().enumerate() {
        let kind = kind_of(program, access);
        let cuts = |other: &&AccessId| {
            other.thread != access.thread && conflicts_with(program, **other, kind)
        };
        match fact(state, access).map(|fact| fact.record) {
            None => return Err(Violation::Unrecorded { access }),
            Some(Record::Logged) => {}
            Some(Record::Unshared | Record::OnBehalf) => {
                if let Some(&other) = order[..to].iter().find(cuts) {
                    return Err(Violation::NotAlone { access, other });
                }
            }
            Some(Record::Filtered(earlier)) => {
                let from = order.iter().position(|&other| other == earlier);
                let Some(from) = from else { return Err(Violation::Unrecorded { access }) };
                if let Some(&between) = order[from..to].iter().find(cuts) {
                    return Err(Violation::FilteredAcross { filtered: access, between });
                }
            }
        }
    }
    Ok(())
}

/// What was logged and conflicts is in the order of memory wherever the logs are merged.
fn ordered(merged: &Merged<'_>, object: ObjectId, program: &Program) -> Result<(), Violation> {
    let order = &merged.state.objects[usize::from(object.0)].order;
    for (first, second) in conflicts(order, program) {
        let places = merged.access(first).zip(merged.access(second));
        if places.is_some_and(|(first, second)| !merged.precedes(first, second)) {
            return Err(Violation::Unordered { first, second });
        }
    }
    Ok(())
}

/// What was written on behalf of a transaction comes within it, and before what others did later.
fn on_behalf(merged: &Merged<'_>) -> Result<(), Violation> {
    for (place, entry) in merged.entries() {
        let Entry::Behalf { of, object } = entry else { continue };
        let begin = merged.find(Entry::Begin(of));
        let after_begin = begin.is_some_and(|begin| merged.precedes(begin, place));
        let before_end = merged.find(Entry::End(of)).is_none_or(|end| merged.precedes(place, end));
        if !after_begin || !before_end {
            return Err(Violation::BehalfOutside { of, object });
        }
        for &second in &merged.state.objects[usize::from(object.0)].order {
            let late = |second| !merged.precedes(place, second);
            if second.thread != of.thread && merged.access(second).is_some_and(late) {
                return Err(Violation::BehalfLate { of, second });
            }
        }
    }
    Ok(())
}

fn conflicts_with(program: &Program, access: AccessId, kind: Kind) -> bool {
    kind_of(program, access).conflicts(kind)
}

impl<'a> Merged<'a> {
    fn new(state: &'a State) -> Result<Merged<'a>, Violation> {
        let clocks = vec![Vec::new(); state.slots.len()];
        let mut merged = Merged { state, clocks };
        loop {
            let before: usize = merged.clocks.iter().map(Vec::len).sum();
            (0..state.slots.len()).for_each(|slot| merged.go_on(slot));
            if merged.clocks.iter().map(Vec::len).sum::<usize>() == before {
                break;
            }
        }
        let unread = |slot: &usize| merged.clocks[*slot].len() < state.slots[*slot].log.len();
        let slots: Vec<usize> = (0..state.slots.len()).filter(unread).collect();
        if slots.is_empty() {
            return Ok(merged);
        }
        Err(Violation::Stuck { slots: slots.iter().map(|&slot| SlotId(slot as u8)).collect() })
    }

    /// Takes entries of one log as far as it goes.
    fn go_on(&mut self, slot: usize) {
        let state = self.state;
        while let Some(&entry) = state.slots[slot].log.get(self.clocks[slot].len()) {
            let mut clock = self.clocks[slot].last().cloned().unwrap_or(vec![0; state.slots.len()]);
            match self.demanded(entry) {
                Err(()) => return,
                Ok(None) => {}
                Ok(Some(place)) => {
                    let other = &self.clocks[place.slot][place.index];
                    clock.iter_mut().zip(other).for_each(|(own, other)| *own = (*own).max(*other));
                }
            }
            clock[slot] = self.clocks[slot].len() + 1;
            self.clocks[slot].push(clock);
        }
    }

    /// The entry that another must follow; an error if that is not there yet.
    fn demanded(&self, entry: Entry) -> Result<Option<Place>, ()> {
        let place = match entry {
            Entry::Edge { position: 0, .. } | Entry::Make(1) => return Ok(None),
            Entry::Edge { slot, position } => {
                Place { slot: usize::from(slot.0), index: usize::from(position) - 1 }
            }
            Entry::Make(number) => self.find(Entry::Make(number - 1)).ok_or(())?,
            Entry::Seen(number) => self.find(Entry::Make(number)).ok_or(())?,
            _ => return Ok(None),
        };
        if place.index < self.clocks[place.slot].len() { Ok(Some(place)) } else { Err(()) }
    }

    fn entries(&self) -> impl Iterator<Item = (Place, Entry)> {
        self.state.slots.iter().enumerate().flat_map(|(slot, log)| {
            let entries = log.log.iter().enumerate();
            entries.map(move |(index, &entry)| (Place { slot, index }, entry))
        })
    }

    fn find(&self, wanted: Entry) -> Option<Place> {
        self.entries().find(|(_, entry)| *entry == wanted).map(|(place, _)| place)
    }

    fn access(&self, access: AccessId) -> Option<Place> {
        self.find(Entry::Access(access))
    }

    /// Whether an entry comes before another wherever the logs are merged.
    fn precedes(&self, first: Place, second: Place) -> bool {
        first != second && self.clocks[second.slot][second.index][first.slot] > first.index
    }
}
