//! Signals: order that goes one way only, from whoever signals to whoever has waited for it.
//!
//! Every signal is a volatile write of a variable of its own; who waits reads the variables of the latest
//! signal of each other thread. A signal that another one implies is not read: the thread that gave the other
//! had waited for it before (or given it), so whoever depends on the other depends on it already. This keeps
//! the number of reads small where every thread waits and signals in turn, as with semaphores.
//!
//! Signals of those who share something with others of their kind (readers of a read-write lock) are for those
//! who want it alone: who shares it, too, does not wait for them. So they imply none of the others.

use super::Hashed;
use hashbrown::hash_map::Entry;
use interloper_trace::{ThreadId, VarId};
use std::collections::VecDeque;

#[derive(Clone, Copy)]
struct Signal {
    number: u64,
    thread: ThreadId,
    var: VarId,
    kind: Kind,
    /// The number of the signal that implies this one.
    implied_by: u64,
}

impl Signal {
    fn is_latest(&self) -> bool {
        self.implied_by == u64::MAX
    }
}

/// Who gives a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Somebody who had the object alone.
    Alone,
    /// One of many who share it.
    Shared,
}

/// Which signals somebody has waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// All up to a number.
    All,
    /// The same without those of threads that share the object.
    Shared,
    /// The one of this number.
    One,
}

/// What a thread has had to do with an object, by numbers of signals; 0: nothing.
#[derive(Default)]
struct Past {
    /// Up to where it has waited since it last signalled, for signals of both kinds.
    awaited: u64,
    /// Its own signals that no other implies, by kind.
    signalled: [u64; 2],
}

/// Signals of one kind that no other implies, by their numbers: at most one a thread.
#[derive(Default)]
struct Latest {
    /// Some that are implied by now are still among them, fewer than others.
    list: VecDeque<Signal>,
    /// How many those are.
    stale: usize,
}

impl Latest {
    /// They come in the order of their numbers, unless that order could not be kept.
    fn add(&mut self, signal: Signal) {
        match self.list.back() {
            Some(last) if last.number > signal.number => {
                let place = self.list.partition_point(|other| other.number <= signal.number);
                self.list.insert(place, signal);
            }
            _ => self.list.push_back(signal),
        }
    }

    /// The first one, if its number is not above this; it is no longer here.
    fn take_up_to(&mut self, number: u64) -> Option<Signal> {
        while self.list.front().is_some_and(|signal| signal.number <= number) {
            let signal = self.list.pop_front()?;
            if signal.is_latest() {
                return Some(signal);
            }
            self.stale -= 1;
        }
        None
    }

    /// The one of this number and thread, if it is here.
    fn take(&mut self, number: u64, thread: ThreadId) -> Option<Signal> {
        let place = self.list.partition_point(|signal| signal.number < number);
        let is_it = |it: &&mut Signal| it.number == number && it.thread == thread && it.is_latest();
        let found = self.list.get_mut(place).filter(is_it)?;
        let taken = *found;
        found.implied_by = number;
        self.stale += 1;
        if self.stale > self.list.len() / 2 {
            self.list.retain(Signal::is_latest);
            self.stale = 0;
        }
        Some(taken)
    }

    fn iter(&self) -> impl Iterator<Item = &Signal> {
        self.list.iter().filter(|signal| signal.is_latest())
    }
}

/// Signals of one object.
#[derive(Default)]
struct Signals {
    /// By kind.
    latest: [Latest; 2],
    /// Those that others imply, by the number of what implies them.
    implied: VecDeque<Signal>,
    /// Threads with a past that matters.
    threads: Hashed<ThreadId, Past>,
}

impl Signals {
    /// A signal implies the thread's own before it and all that the thread has waited for. No other is looked at: there may
    /// be one of each of many threads.
    fn imply(&mut self, number: u64, kind: Kind, thread: ThreadId) {
        let past = self.threads.entry(thread).or_default();
        let awaited = std::mem::take(&mut past.awaited);
        let implies = match kind {
            Kind::Alone => 0..2,
            Kind::Shared => 1..2,
        };
        let mut own = [0; 2];
        for of in implies.clone() {
            own[of] = std::mem::take(&mut past.signalled[of]);
        }
        past.signalled[kind as usize] = number;
        for of in implies {
            while let Some(signal) = self.latest[of].take_up_to(awaited) {
                self.implied.push_back(Signal { implied_by: number, ..signal });
                if signal.thread != thread {
                    self.is_implied(signal);
                }
            }
            if let Some(signal) = self.latest[of].take(own[of], thread) {
                self.implied.push_back(Signal { implied_by: number, ..signal });
            }
        }
    }

    /// Another thread's signal implies this one.
    fn is_implied(&mut self, signal: Signal) {
        if let Entry::Occupied(mut entry) = self.threads.entry(signal.thread) {
            let Past { awaited, signalled } = entry.get_mut();
            let own = &mut signalled[signal.kind as usize];
            if *own == signal.number {
                *own = 0;
            }
            if *awaited == 0 && *signalled == [0; 2] {
                entry.remove();
            }
        }
    }
}

/// How many implied signals an object remembers: logs are not read in step, so somebody who waited before
/// the signal that implies one may turn up later.
const MEMORY: usize = 1 << 14;

/// Signals of all objects.
#[derive(Default)]
pub(super) struct Board(Hashed<u32, Signals>);

impl Board {
    /// A thread gives an object's signal of this number. Calls back with variables that nobody will read any more.
    pub(super) fn signal(
        &mut self,
        object: u32,
        (number, kind): (u64, Kind),
        thread: ThreadId,
        var: VarId,
        forget: impl FnMut(VarId),
    ) {
        // The largest number is for those that no other implies.
        let number = number.min(u64::MAX - 1);
        let signals = self.0.entry(object).or_default();
        signals.imply(number, kind, thread);
        let signal = Signal { number, thread, var, kind, implied_by: u64::MAX };
        signals.latest[kind as usize].add(signal);
        if signals.implied.len() > MEMORY {
            signals.implied.drain(..MEMORY / 2).map(|signal| signal.var).for_each(forget);
        }
    }

    /// The object is dead. Calls back with the variables of its signals.
    pub(super) fn bury(&mut self, object: u32, forget: impl FnMut(VarId)) {
        if let Some(Signals { latest, implied, .. }) = self.0.remove(&object) {
            let latest = latest.iter().flat_map(Latest::iter);
            latest.chain(&implied).map(|signal| signal.var).for_each(forget);
        }
    }

    /// A thread has waited for signals, by this number: the variables that it reads.
    pub(super) fn wait(
        &mut self,
        object: u32,
        (number, wait): (u64, Wait),
        thread: ThreadId,
    ) -> Vec<VarId> {
        let Some(Signals { latest, implied, threads }) = self.0.get_mut(&object) else {
            return Vec::new();
        };
        if wait == Wait::All {
            let past = threads.entry(thread).or_default();
            past.awaited = number.max(past.awaited);
        }
        let first = latest.iter().flat_map(|it| it.iter().take_while(|it| it.number <= number));
        let later = implied.iter().rev().take_while(|signal| signal.implied_by > number);
        let counts = |signal: &&Signal| {
            let meant = match wait {
                Wait::All => signal.number <= number,
                Wait::Shared => signal.number <= number && signal.kind == Kind::Alone,
                Wait::One => signal.number == number,
            };
            meant && signal.thread != thread
        };
        first.chain(later).filter(counts).map(|signal| signal.var).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(board: &mut Board, number: u64, thread: u32) {
        given_as(board, Kind::Alone, number, thread);
    }

    fn given_shared(board: &mut Board, number: u64, thread: u32) {
        given_as(board, Kind::Shared, number, thread);
    }

    fn given_as(board: &mut Board, kind: Kind, number: u64, thread: u32) {
        board.signal(7, (number, kind), ThreadId(thread), VarId(number as u32), |_| {});
    }

    fn read(board: &mut Board, number: u64, thread: u32) -> Vec<u32> {
        read_as(board, Wait::All, number, thread)
    }

    fn read_as(board: &mut Board, wait: Wait, number: u64, thread: u32) -> Vec<u32> {
        let vars = board.wait(7, (number, wait), ThreadId(thread));
        let mut vars: Vec<u32> = vars.into_iter().map(|var| var.0).collect();
        vars.sort_unstable();
        vars
    }

    #[test]
    fn a_waiter_reads_the_latest_signal_of_each_other_thread() {
        let mut board = Board::default();
        for (number, thread) in [(1, 1), (2, 2), (3, 1), (4, 3), (5, 1)] {
            given(&mut board, number, thread);
        }
        assert_eq!(read(&mut board, 4, 9), [2, 3, 4]);
        assert_eq!(read(&mut board, 4, 3), [2, 3]);
        assert_eq!(read(&mut board, 0, 9), []);
        assert_eq!(board.wait(8, (4, Wait::All), ThreadId(9)), []);
    }

    #[test]
    fn a_signal_stands_for_all_that_its_thread_has_waited_for() {
        let mut board = Board::default();
        given(&mut board, 1, 1);
        given(&mut board, 2, 2);
        assert_eq!(read(&mut board, 2, 3), [1, 2]);
        given(&mut board, 3, 3);
        assert_eq!(read(&mut board, 3, 9), [3]);
        assert_eq!(read(&mut board, 2, 9), [1, 2]);
    }

    #[test]
    fn who_shares_waits_for_those_who_had_it_alone() {
        let mut board = Board::default();
        given(&mut board, 1, 1);
        given_shared(&mut board, 2, 2);
        given_shared(&mut board, 3, 3);
        assert_eq!(read_as(&mut board, Wait::Shared, 3, 4), [1]);
        given_shared(&mut board, 4, 4);
        assert_eq!(read(&mut board, 4, 5), [1, 2, 3, 4]);
        given(&mut board, 5, 5);
        assert_eq!(read_as(&mut board, Wait::Shared, 5, 4), [5]);
        assert_eq!(read(&mut board, 5, 2), [5]);
    }

    #[test]
    fn a_shared_signal_does_not_stand_for_those_of_the_others() {
        let mut board = Board::default();
        given(&mut board, 1, 1);
        assert_eq!(read(&mut board, 1, 2), [1]);
        given_shared(&mut board, 2, 2);
        given_shared(&mut board, 3, 1);
        assert_eq!(read_as(&mut board, Wait::Shared, 3, 3), [1]);
        assert_eq!(read(&mut board, 3, 3), [1, 2, 3]);
    }

    #[test]
    fn one_signal_alone() {
        let mut board = Board::default();
        for (number, thread) in [(1, 1), (2, 2), (3, 1)] {
            given(&mut board, number, thread);
        }
        assert_eq!(read_as(&mut board, Wait::One, 2, 9), [2]);
        assert_eq!(read_as(&mut board, Wait::One, 1, 9), [1]);
    }

    /// The rules as they are told above, by looking at every signal: number, thread, kind, and what implies it.
    #[derive(Default)]
    struct Plain {
        latest: Vec<(u64, u32, Kind)>,
        implied: Vec<(u64, u32, Kind, u64)>,
        awaited: Hashed<u32, u64>,
    }

    impl Plain {
        fn signal(&mut self, number: u64, kind: Kind, thread: u32) {
            let awaited = self.awaited.remove(&thread).unwrap_or(0);
            let stays = |other: &(u64, u32, Kind)| {
                let apart = kind == Kind::Shared && other.2 == Kind::Alone;
                other.1 != thread && other.0 > awaited || apart
            };
            let goes = self.latest.iter().filter(|other| !stays(other));
            self.implied.extend(goes.map(|&(first, thread, kind)| (first, thread, kind, number)));
            self.latest.retain(stays);
            self.latest.push((number, thread, kind));
        }

        fn wait(&mut self, number: u64, wait: Wait, thread: u32) -> Vec<u32> {
            if wait == Wait::All {
                let awaited = self.awaited.entry(thread).or_default();
                *awaited = number.max(*awaited);
            }
            let later = self.implied.iter().filter(|signal| signal.3 > number);
            let later = later.map(|&(first, thread, kind, _)| (first, thread, kind));
            let counts = |signal: &(u64, u32, Kind)| match wait {
                _ if signal.1 == thread => false,
                Wait::All => signal.0 <= number,
                Wait::Shared => signal.0 <= number && signal.2 == Kind::Alone,
                Wait::One => signal.0 == number,
            };
            let all = self.latest.iter().copied().chain(later);
            let mut read: Vec<u32> = all.filter(counts).map(|signal| signal.0 as u32).collect();
            read.sort_unstable();
            read
        }
    }

    #[test]
    fn what_is_read_is_what_looking_at_every_signal_tells() {
        let mut random = 1u64;
        let mut below = |limit: u64| {
            random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (random >> 33) % limit
        };
        for case in 0..600 {
            let (mut board, mut plain, mut number) = (Board::default(), Plain::default(), 0);
            let (threads, signals, shared) = (1 + below(8), 1 + below(9), below(10));
            for _ in 0..below(200) {
                let thread = below(threads) as u32;
                if number == 0 || below(10) < signals {
                    number += 1;
                    let kind = if below(10) < shared { Kind::Shared } else { Kind::Alone };
                    given_as(&mut board, kind, number, thread);
                    plain.signal(number, kind, thread);
                } else {
                    let up_to = number.saturating_sub(below(4) * below(4));
                    let wait = [Wait::All, Wait::All, Wait::Shared, Wait::One][below(4) as usize];
                    let read = read_as(&mut board, wait, up_to, thread);
                    assert_eq!(read, plain.wait(up_to, wait, thread), "{case}");
                }
            }
        }
    }

    #[test]
    fn numbers_that_come_in_another_order_are_read_like_others() {
        let mut board = Board::default();
        for (number, thread) in [(5, 1), (2, 2), (4, 3), (3, 1)] {
            given(&mut board, number, thread);
        }
        assert_eq!(read(&mut board, 4, 9), [2, 3, 4]);
    }

    /// This would not end if every signal were compared with those of all other threads.
    #[test]
    fn many_threads_signal_once_or_twice() {
        const THREADS: u32 = 300_000;
        let mut board = Board::default();
        for thread in 0..THREADS {
            given(&mut board, u64::from(thread) + 1, thread);
        }
        // The younger half once more.
        for thread in THREADS / 2..THREADS {
            given(&mut board, u64::from(THREADS / 2 + thread) + 1, thread);
        }
        let all = u64::from(THREADS + THREADS / 2);
        assert_eq!(read(&mut board, all, THREADS).len(), THREADS as usize);
        given(&mut board, all + 1, THREADS);
        assert_eq!(read(&mut board, all + 1, 0), [all as u32 + 1]);
        assert_eq!(board.0[&7].threads.len(), 2);
    }

    #[test]
    fn memory_does_not_grow_with_the_number_of_signals() {
        let mut board = Board::default();
        for number in 1..100_000 {
            read(&mut board, number - 1, number as u32 % 3);
            given(&mut board, number, number as u32 % 3);
        }
        let latest: usize = board.0[&7].latest.iter().map(|it| it.list.len()).sum();
        assert!(latest + board.0[&7].implied.len() < 2 * MEMORY);
    }

    #[test]
    fn every_signal_is_forgotten_once() {
        let mut board = Board::default();
        let mut forgotten = vec![];
        for number in 1..100_000 {
            read(&mut board, number - 1, number as u32 % 3);
            let (thread, var) = (ThreadId(number as u32 % 3), VarId(number as u32));
            board.signal(7, (number, Kind::Alone), thread, var, |var| forgotten.push(var.0));
        }
        assert!(forgotten.len() > 50_000);
        board.bury(7, |var| forgotten.push(var.0));
        forgotten.sort_unstable();
        assert_eq!(forgotten, (1..100_000).collect::<Vec<u32>>());
        assert_eq!(board.wait(7, (100_000, Wait::All), ThreadId(9)), []);
    }
}
