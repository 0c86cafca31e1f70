//! Which log is read when.
//!
//! Logs take turns. One that has to wait for a certain other log lets that one go first, and just as far as
//! needed: this keeps the stream close to what happened, and finds the way through chains of such waits
//! without trying all logs.

use super::Need;
use super::classes::{Action, Classes, Place};
use super::objects::Objects;
use super::runs::{Desk, Growing, Runs};
use super::signals::Board;
use super::threads::Threads;
use crate::arena::Arena;
use crate::log;
use interloper_trace::{Batch, Event, Names, Retired, ThreadId};
use std::sync::atomic::Ordering;

/// What was counted while reading.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) words: u64,
    pub(super) threads: u64,
    pub(super) dropped: u64,
    pub(super) broken: u64,
    pub(super) cut: u64,
    pub(super) dead: u64,
}

/// One log and how far it was read.
#[derive(Default)]
pub(super) struct Slot {
    /// `None` until the log begins.
    chunk: Option<u32>,
    index: usize,
    pub(super) position: u64,
    /// Nothing more is read from it.
    over: bool,
    pub(super) thread: Option<ThreadId>,
    /// What stands in the way of its next entry, and since which round.
    need: Option<Need>,
    need_since: u64,
    /// The latest round in which it was seen to have nothing more to read.
    empty_in: u64,
    /// The next edge is passed, whatever it demands.
    pub(super) forced: bool,
    /// Entries that may still grow.
    runs: Runs,
}

/// Why a log is not read on.
enum Pause {
    Empty,
    /// It has had its turn.
    Enough,
    /// The batch is full.
    Full,
    Blocked(Need),
}

/// A log whose turn it is.
struct Turn {
    slot: u32,
    until: u64,
    /// What it had to wait for when it last stopped.
    need: Option<Need>,
}

/// How many words a log's turn has. Long turns are faster, short ones closer to what happened.
const TURN: u64 = 4096;

/// The logs and everything that is known about what they mention.
pub(super) struct Merger {
    pub(super) arena: Arena,
    pub(super) names: Names,
    pub(super) classes: Classes,
    pub(super) objects: Objects,
    pub(super) threads: Threads,
    pub(super) signals: Board,
    pub(super) slots: Vec<Slot>,
    /// The latest `MAKE`.
    pub(super) made: u32,
    pub(super) counts: Counts,
    /// Events that wait to be handed over.
    pub(super) out: Vec<Event>,
    /// A log makes no sense: nothing more is read.
    pub(super) damaged: bool,
    round: u64,
    next: usize,
    left: usize,
    turns: Vec<Turn>,
}

impl Merger {
    pub(super) fn new(arena: Arena) -> Merger {
        Merger {
            arena,
            names: Names::default(),
            classes: Classes::new(),
            objects: Objects::new(),
            threads: Threads::default(),
            signals: Board::default(),
            slots: Vec::new(),
            made: 0,
            counts: Counts::default(),
            out: Vec::with_capacity(2 * Batch::SIZE),
            damaged: false,
            round: 0,
            next: 0,
            left: 0,
            turns: Vec::new(),
        }
    }

    /// How many blocks the threads have begun, as they have counted by themselves, over all slots.
    pub(super) fn blocks(&self) -> u64 {
        let slots = 0..self.slots.len() as u32;
        slots.map(|slot| self.arena.blocks(slot)).fold(0, u64::wrapping_add)
    }

    /// Moves events into a batch, no more than it may have.
    pub(super) fn hand_over(&mut self, events: &mut Vec<Event>) {
        if self.out.len() <= Batch::SIZE {
            std::mem::swap(&mut self.out, events);
        } else {
            events.extend(self.out.drain(..Batch::SIZE));
        }
    }

    /// What no event is about that was not handed over yet.
    pub(super) fn take_retired(&mut self) -> Retired {
        if self.out.is_empty() { self.objects.stock.take_retired() } else { Retired::default() }
    }

    /// Nobody mentions these any more.
    pub(super) fn take_back(&mut self, free: Retired) {
        self.objects.stock.take_back(free, &mut self.names);
    }

    /// Begins a sweep over all logs.
    pub(super) fn begin_sweep(&mut self) {
        self.discover();
        self.round += 1;
        self.left = self.slots.len();
        self.turns.clear();
    }

    /// Slots are mostly taken in order: looks at the next ones.
    fn discover(&mut self) -> bool {
        let before = self.slots.len();
        while let Some(next) = self.next_slot()
            && self.arena.first_chunk(next).is_some()
        {
            self.slots.push(Slot::default());
        }
        self.slots.len() > before
    }

    fn next_slot(&self) -> Option<u32> {
        let next = self.slots.len() as u32;
        (next < self.arena.slots()).then_some(next)
    }

    /// Looks at all slots.
    fn discover_all(&mut self) -> bool {
        let unknown = self.slots.len() as u32..self.arena.slots();
        let Some(last) = unknown.rev().find(|&slot| self.arena.first_chunk(slot).is_some()) else {
            return false;
        };
        self.slots.resize_with(last as usize + 1, Slot::default);
        true
    }

    /// Goes on with the sweep until it is done or the batch is full. If a log waits for something that
    /// messages tell, returns what: to be continued after [`Merger::settle`] or [`Merger::postpone`].
    pub(super) fn sweep(&mut self) -> Option<Need> {
        while !self.damaged {
            let Some(turn) = self.turns.last() else {
                if self.left == 0 {
                    return None;
                }
                self.left -= 1;
                let slot = self.next % self.slots.len();
                self.next = slot + 1;
                let until = self.slots[slot].position + TURN;
                self.turns.push(Turn { slot: slot as u32, until, need: None });
                continue;
            };
            let (slot, until) = (turn.slot as usize, turn.until);
            match self.run(slot, until) {
                Pause::Full => return None,
                Pause::Empty => {
                    self.slots[slot].empty_in = self.round;
                    self.turns.pop();
                }
                Pause::Enough => {
                    self.turns.pop();
                }
                Pause::Blocked(need) => {
                    if self.blocked(slot, need) {
                        return Some(need);
                    }
                }
            }
        }
        None
    }

    /// Lets go first what the log waits for, if that is known. Whether it is up to messages.
    fn blocked(&mut self, slot: usize, need: Need) -> bool {
        let state = &mut self.slots[slot];
        if state.need != Some(need) {
            (state.need, state.need_since) = (Some(need), self.round);
        }
        let again = self.turns.last_mut().and_then(|turn| turn.need.replace(need)) == Some(need);
        if matches!(need, Need::Site(_) | Need::Method(_) | Need::ClassName(_) | Need::Thread(_)) {
            return true;
        }
        if need.is_soft() && self.is_hopeless(slot, need) {
            self.force(slot, need);
            return false;
        }
        let first = match need {
            Need::Position { slot, position } => Some((slot, position)),
            Need::Lock(lock) => self.threads.holder_slot(lock).map(|slot| (slot, u64::MAX)),
            Need::Ended(thread) => self.threads.get(thread).slot.map(|slot| (slot, u64::MAX)),
            _ => None,
        };
        match first {
            Some((first, until))
                if !again
                    && (first as usize) < self.slots.len()
                    && self.turns.iter().all(|turn| turn.slot != first) =>
            {
                let until = until.min(self.slots[first as usize].position + TURN);
                self.turns.push(Turn { slot: first, until, need: None });
            }
            _ => self.postpone(),
        }
        false
    }

    /// Whether what the log waits for will not come: everything that was written when it began to wait, and
    /// that could have brought it, has been read since.
    fn is_hopeless(&mut self, slot: usize, need: Need) -> bool {
        let since = self.slots[slot].need_since;
        let read = |state: &Slot| state.over || state.empty_in > since;
        let where_it_comes = match need {
            Need::Lock(lock) => self.threads.holder_slot(lock),
            Need::Ended(thread) => self.threads.get(thread).slot,
            _ => None,
        };
        match where_it_comes {
            Some(other) => read(&self.slots[other as usize]),
            None => {
                let mut others = self.slots.iter().enumerate().filter(|(other, _)| *other != slot);
                others.all(|(_, state)| read(state)) && !self.discover_all()
            }
        }
    }

    /// Ends the turn of the log that waits.
    pub(super) fn postpone(&mut self) {
        self.turns.pop();
    }

    /// Whether messages have told what is needed.
    pub(super) fn settle(&mut self, need: Need) -> bool {
        match need {
            Need::Site(site) => self.classes.settle_site(site, &mut self.names),
            Need::Method(method) => self.classes.settle_method(method, &mut self.names),
            Need::ClassName(number) => self.objects.knows_class(number),
            Need::Thread(uid) => self.threads.settle(uid, &mut self.names),
            _ => false,
        }
    }

    /// A whole sweep has read nothing: gives up what logs wait for. `gone`: nothing more will be written;
    /// `patient`: there is still hope. `false`: nothing was given up, and there is nothing to look at again.
    pub(super) fn unblock(&mut self, gone: bool, patient: bool) -> bool {
        let waiting: Vec<(usize, Need)> = self
            .slots
            .iter()
            .enumerate()
            .filter_map(|(slot, state)| state.need.filter(|_| !state.over).map(|need| (slot, need)))
            .collect();
        let idle = self.round.is_multiple_of(64) || gone;
        if waiting.is_empty() {
            return idle && self.discover_all();
        }
        // One that came to wait in this very sweep may wait for what was written since the sweep began.
        let fresh = waiting.iter().any(|&(slot, _)| self.slots[slot].need_since == self.round);
        if fresh || self.discover_all() {
            return true;
        }
        // What need not come may still come behind what must come.
        let hope = patient && !gone && waiting.iter().any(|(_, need)| !need.is_soft());
        if hope {
            return false;
        }
        if let Some(&(slot, need)) = waiting.iter().find(|(_, need)| need.is_soft()) {
            self.force(slot, need);
        } else if gone {
            for &(slot, _) in &waiting {
                self.slots[slot].over = true;
                self.counts.cut += 1;
            }
        } else {
            let (slot, need) = waiting[0];
            self.counts.broken += 1;
            self.force(slot, need);
        }
        true
    }

    /// Makes the log go on without what it waits for.
    fn force(&mut self, slot: usize, need: Need) {
        match need {
            Need::Position { .. } => self.slots[slot].forced = true,
            Need::Made(number) => self.made = number,
            Need::Object(id) => self.objects.give_up(id),
            Need::Lock(lock) => self.threads.wrest(lock, &mut self.out),
            Need::Ended(thread) => self.finish(thread),
            Need::Site(site) => self.classes.give_up_site(site),
            Need::Method(method) => self.classes.give_up_method(method),
            Need::ClassName(number) => self.objects.give_up_class(number),
            Need::Thread(uid) => self.threads.give_up(uid, &mut self.names),
        }
    }

    /// Reads one log until a position.
    fn run(&mut self, slot: usize, until: u64) -> Pause {
        let (events, words) = (self.out.len(), self.slots[slot].position);
        let pause = self.read(slot, until);
        let state = &mut self.slots[slot];
        if state.position > words {
            state.need = None;
            self.counts.words += state.position - words;
        }
        if let (true, Some(thread)) = (self.out.len() > events, state.thread) {
            self.threads.get(thread).acted = true;
        }
        pause
    }

    fn read(&mut self, slot: usize, until: u64) -> Pause {
        loop {
            self.read_accesses(slot, until);
            let state = &mut self.slots[slot];
            if state.chunk.is_none() {
                state.chunk = self.arena.first_chunk(slot as u32);
            }
            let (Some(chunk), false) = (state.chunk, state.over) else { return Pause::Empty };
            if self.out.len() >= Batch::SIZE {
                return Pause::Full;
            }
            if state.position >= until {
                return Pause::Enough;
            }
            let entry = self.arena.chunk(chunk).map(|words| (words, words.get(state.index)));
            let Some((words, Some(first))) = entry else { return self.damage(slot) };
            let word = first.load(Ordering::Acquire);
            if word == 0 {
                return Pause::Empty;
            }
            // The second word was written before the first, so it is there.
            let second = words.get(state.index + 1).map(|word| word.load(Ordering::Relaxed));
            let tag = log::tag(word);
            let (length, second) = match (log::length(tag), second) {
                (Some(1), _) => (1, 0),
                (Some(2), Some(second)) => (2, second),
                _ => return self.damage(slot),
            };
            if ends_run(tag) {
                self.close_runs(slot);
                if self.ends_region(slot, tag) {
                    self.slots[slot].runs.forget();
                }
            }
            let state = &mut self.slots[slot];
            if tag == log::NEXT {
                self.arena.recycle(chunk);
                (state.chunk, state.index) = (Some(log::id(word)), 0);
                state.position += 1;
                continue;
            }
            if let Err(need) = self.step(slot, word, second) {
                return Pause::Blocked(need);
            }
            let state = &mut self.slots[slot];
            state.index += length;
            state.position += length as u64;
        }
    }

    /// Takes what a log's entries have grown by, because another log goes on from here: it may have got hold of what they
    /// are about.
    pub(super) fn poll_runs(&mut self, slot: usize) {
        let Merger { arena, names, objects, slots, out, counts, .. } = self;
        if let Some(state) = slots.get_mut(slot) {
            state.runs.poll(arena, &mut Desk { objects, names, out, counts });
            state.runs.forget();
        }
    }

    /// The same for the last time.
    fn close_runs(&mut self, slot: usize) {
        let Merger { arena, names, objects, slots, out, counts, .. } = self;
        slots[slot].runs.close(arena, &mut Desk { objects, names, out, counts });
    }

    /// Takes what entries have grown by whose logs do not go on. Whether there is anything.
    pub(super) fn close_all_runs(&mut self) -> bool {
        let before = self.out.len();
        (0..self.slots.len()).for_each(|slot| self.close_runs(slot));
        self.out.len() > before
    }

    /// Whether accesses that came before this entry may come again: all but those that only go on in another chunk, or enter
    /// or leave a block within a block.
    fn ends_region(&mut self, slot: usize, tag: u8) -> bool {
        let thread = self.slots[slot].thread;
        let depth = thread.map_or(0, |thread| self.threads.get(thread).blocks.len());
        match tag {
            log::NEXT => false,
            log::BEGIN => depth == 0,
            log::END => depth <= 1,
            _ => true,
        }
    }

    /// A log that makes no sense cannot be read any more. Whoever writes it would wait for chunks sooner or
    /// later, so all are told to stop.
    #[cold]
    fn damage(&mut self, slot: usize) -> Pause {
        self.slots[slot].over = true;
        self.damaged = true;
        self.arena.stop();
        Pause::Empty
    }

    /// The fast lane: accesses of variables that are known, and blocks within blocks. Stops at anything else.
    #[inline]
    fn read_accesses(&mut self, slot: usize, until: u64) {
        let Merger { arena, names, classes, objects, threads, slots, out, counts, .. } = self;
        let state = &mut slots[slot];
        let (Some(thread), Some(chunk)) = (state.thread, state.chunk) else { return };
        let Some(words) = arena.chunk(chunk).filter(|_| !state.over) else { return };
        let start = state.index;
        let last =
            words.len().min(start.saturating_add(until.saturating_sub(state.position) as usize));
        let mut index = start;
        while index < last && out.len() < Batch::SIZE {
            let word = words[index].load(Ordering::Acquire);
            let (id, tag, site) = (log::id(word), log::tag(word), log::site(word));
            let Ok(place) = classes.place(site) else { break };
            match (tag, place.action) {
                (log::ACCESS, Action::Field | Action::Static) => {
                    match objects.field(id, place.field, &classes.fields, names) {
                        Ok(Some(var)) => {
                            out.push(Event::new(thread, place.op, var.0, place.location));
                        }
                        Ok(None) => counts.dropped += 1,
                        Err(_) => break,
                    }
                    index += 1;
                }
                (log::ELEMENT, Action::Element) if index + 1 < last => {
                    let second = words[index + 1].load(Ordering::Acquire);
                    if (second as i32) < 0 {
                        break;
                    }
                    let Ok(first) = objects.element(id, second as u32, names) else { break };
                    let run = Growing { thread, place, id, chunk, index: index + 1, taken: 0 };
                    let mut desk = Desk { objects, names, out, counts };
                    state.runs.begin(arena, site, run, (second, first), &mut desk);
                    index += 2;
                }
                (log::BEGIN | log::END, _) => {
                    let Some(event) = threads.nest(thread, word, classes) else { break };
                    state.runs.close(arena, &mut Desk { objects, names, out, counts });
                    out.push(event);
                    index += 1;
                }
                _ => break,
            }
        }
        state.index = index;
        state.position += (index - start) as u64;
    }

    /// An access of elements, where the fast lane has stopped.
    pub(super) fn elements(
        &mut self,
        slot: usize,
        word: u64,
        place: Place,
        second: u64,
    ) -> Result<(), Need> {
        let Merger { arena, names, objects, slots, out, counts, .. } = self;
        let state = &mut slots[slot];
        let (Some(thread), Some(chunk)) = (state.thread, state.chunk) else { return Ok(()) };
        let (id, index) = (log::id(word), state.index + 1);
        let first = objects.element(id, second as u32, names)?;
        let run = Growing { thread, place, id, chunk, index, taken: 0 };
        let mut desk = Desk { objects, names, out, counts };
        state.runs.begin(arena, log::site(word), run, (second, first), &mut desk);
        Ok(())
    }
}

/// Whether entries before this one grow no more.
fn ends_run(tag: u8) -> bool {
    !matches!(
        tag,
        log::ACCESS | log::ELEMENT | log::OBJECT | log::DEAD | log::EDGE | log::MAKE | log::SEEN
    )
}
