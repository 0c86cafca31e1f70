//! Which log is read when.
//!
//! Logs take turns. One that has to wait for a certain other log lets that one go first, and just as far as
//! needed: this keeps the stream close to what happened, and finds the way through chains of such waits
//! without trying all logs.

use super::Need;
use super::classes::Classes;
use super::makings::Makings;
use super::objects::Objects;
use super::runs::Runs;
use super::signals::Board;
use super::threads::Threads;
use crate::arena::Arena;
use interloper_trace::{Batch, Event, Names, Retired, ThreadId};

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
    pub(super) chunk: Option<u32>,
    pub(super) index: usize,
    pub(super) position: u64,
    /// Nothing more is read from it.
    pub(super) over: bool,
    pub(super) thread: Option<ThreadId>,
    /// What stands in the way of its next entry, and since which round.
    need: Option<Need>,
    need_since: u64,
    /// The latest round in which it was seen to have nothing more to read.
    empty_in: u64,
    /// The next edge is passed, whatever it demands.
    pub(super) forced: bool,
    /// Entries that may still grow.
    pub(super) runs: Runs,
    /// What its threads have made.
    pub(super) makings: Makings,
}

/// Why a log is not read on.
pub(super) enum Pause {
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
            Need::Maker(id) => self.objects.pass(Some(id)),
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
}
