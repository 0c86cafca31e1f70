//! Signals: order that goes one way only, from whoever signals to whoever has waited for it.
//!
//! Every signal is a volatile write of a variable of its own; who waits reads the variables of the latest
//! signal of each other thread. A signal that another one implies is not read: the thread that gave the other
//! had waited for it before (or given it), so whoever depends on the other depends on it already. This keeps
//! the number of reads small where every thread waits and signals in turn, as with semaphores.

use super::Hashed;
use hashbrown::hash_map::Entry;
use interloper_trace::{ThreadId, VarId};
use std::collections::VecDeque;

#[derive(Clone, Copy)]
struct Signal {
    number: u64,
    thread: ThreadId,
    var: VarId,
    /// The number of the signal that implies this one.
    implied_by: u64,
}

impl Signal {
    fn is_latest(&self) -> bool {
        self.implied_by == u64::MAX
    }
}

/// What a thread has had to do with an object, by numbers of signals; 0: nothing.
#[derive(Default)]
struct Past {
    /// Up to where it has waited since it last signalled.
    awaited: u64,
    /// Its own signal that no other implies.
    signalled: u64,
}

/// Signals of one object.
#[derive(Default)]
struct Signals {
    /// Those that no other implies, by their numbers: at most one a thread. Some that are implied by now are still
    /// among them, fewer than others.
    latest: VecDeque<Signal>,
    /// How many those are.
    stale: usize,
    /// Those that others imply, by the number of what implies them.
    implied: VecDeque<Signal>,
    /// Threads with a past that matters.
    threads: Hashed<ThreadId, Past>,
}

impl Signals {
    /// A signal implies the thread's own before it and all that the thread has waited for. No other is looked at: there may
    /// be one of each of many threads.
    fn imply(&mut self, number: u64, thread: ThreadId) {
        let past = self.threads.entry(thread).or_default();
        let Past { awaited, signalled } =
            std::mem::replace(past, Past { awaited: 0, signalled: number });
        while self.latest.front().is_some_and(|signal| signal.number <= awaited)
            && let Some(signal) = self.latest.pop_front()
        {
            if !signal.is_latest() {
                self.stale -= 1;
                continue;
            }
            self.implied.push_back(Signal { implied_by: number, ..signal });
            if signal.thread != thread {
                self.is_implied(signal);
            }
        }
        let own = self.latest.partition_point(|signal| signal.number < signalled);
        let is_own = |it: &&mut Signal| it.number == signalled && it.thread == thread;
        if let Some(own) = self.latest.get_mut(own).filter(is_own) {
            own.implied_by = number;
            self.implied.push_back(*own);
            self.stale += 1;
            if self.stale > self.latest.len() / 2 {
                self.latest.retain(Signal::is_latest);
                self.stale = 0;
            }
        }
    }

    /// Another thread's signal implies this one.
    fn is_implied(&mut self, signal: Signal) {
        if let Entry::Occupied(mut entry) = self.threads.entry(signal.thread)
            && entry.get().signalled == signal.number
        {
            entry.get_mut().signalled = 0;
            if entry.get().awaited == 0 {
                entry.remove();
            }
        }
    }

    /// They come in the order of their numbers, unless that order could not be kept.
    fn add(&mut self, signal: Signal) {
        match self.latest.back() {
            Some(last) if last.number > signal.number => {
                let place = self.latest.partition_point(|other| other.number <= signal.number);
                self.latest.insert(place, signal);
            }
            _ => self.latest.push_back(signal),
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
        number: u64,
        thread: ThreadId,
        var: VarId,
        forget: impl FnMut(VarId),
    ) {
        // The largest number is for those that no other implies.
        let number = number.min(u64::MAX - 1);
        let signals = self.0.entry(object).or_default();
        signals.imply(number, thread);
        signals.add(Signal { number, thread, var, implied_by: u64::MAX });
        if signals.implied.len() > MEMORY {
            signals.implied.drain(..MEMORY / 2).map(|signal| signal.var).for_each(forget);
        }
    }

    /// The object is dead. Calls back with the variables of its signals.
    pub(super) fn bury(&mut self, object: u32, forget: impl FnMut(VarId)) {
        if let Some(Signals { latest, implied, .. }) = self.0.remove(&object) {
            let latest = latest.iter().filter(|signal| signal.is_latest());
            latest.chain(&implied).map(|signal| signal.var).for_each(forget);
        }
    }

    /// A thread has waited for signals up to this number: the variables that it reads.
    pub(super) fn wait(&mut self, object: u32, number: u64, thread: ThreadId) -> Vec<VarId> {
        let Some(Signals { latest, implied, threads, .. }) = self.0.get_mut(&object) else {
            return Vec::new();
        };
        let past = threads.entry(thread).or_default();
        past.awaited = number.max(past.awaited);
        let first = latest.iter().take_while(|signal| signal.number <= number);
        let first = first.filter(|signal| signal.is_latest());
        let later = implied.iter().rev().take_while(|signal| signal.implied_by > number);
        let counts = |signal: &&Signal| signal.number <= number && signal.thread != thread;
        first.chain(later).filter(counts).map(|signal| signal.var).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(board: &mut Board, number: u64, thread: u32) {
        board.signal(7, number, ThreadId(thread), VarId(number as u32), |_| {});
    }

    fn read(board: &mut Board, number: u64, thread: u32) -> Vec<u32> {
        let vars = board.wait(7, number, ThreadId(thread));
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
        assert_eq!(board.wait(8, 4, ThreadId(9)), []);
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

    /// The rules as they are told above, by looking at every signal.
    #[derive(Default)]
    struct Plain {
        latest: Vec<(u64, u32)>,
        implied: Vec<(u64, u32, u64)>,
        awaited: Hashed<u32, u64>,
    }

    impl Plain {
        fn signal(&mut self, number: u64, thread: u32) {
            let awaited = self.awaited.remove(&thread).unwrap_or(0);
            let stays = |other: &(u64, u32)| other.1 != thread && other.0 > awaited;
            let goes = self.latest.iter().filter(|other| !stays(other));
            self.implied.extend(goes.map(|&(first, thread)| (first, thread, number)));
            self.latest.retain(stays);
            self.latest.push((number, thread));
        }

        fn wait(&mut self, number: u64, thread: u32) -> Vec<u32> {
            let awaited = self.awaited.entry(thread).or_default();
            *awaited = number.max(*awaited);
            let later = self.implied.iter().rev().take_while(|signal| signal.2 > number);
            let all = self.latest.iter().copied().chain(later.map(|signal| (signal.0, signal.1)));
            let counts = |signal: &(u64, u32)| signal.0 <= number && signal.1 != thread;
            all.filter(counts).map(|signal| signal.0 as u32).collect()
        }
    }

    #[test]
    fn what_is_read_is_what_looking_at_every_signal_tells() {
        let mut random = 1u64;
        let mut below = |limit: u64| {
            random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (random >> 33) % limit
        };
        for case in 0..300 {
            let (mut board, mut plain, mut number) = (Board::default(), Plain::default(), 0);
            let (threads, signals) = (1 + below(8), 1 + below(9));
            for _ in 0..below(200) {
                let thread = below(threads) as u32;
                if below(10) < signals {
                    number += 1;
                    given(&mut board, number, thread);
                    plain.signal(number, thread);
                } else {
                    let up_to = number.saturating_sub(below(4) * below(4));
                    let vars = board.wait(7, up_to, ThreadId(thread)).into_iter();
                    let plainly = plain.wait(up_to, thread);
                    if number > 0 {
                        assert_eq!(vars.map(|var| var.0).collect::<Vec<_>>(), plainly, "{case}");
                    } else {
                        // Of what was never signalled nothing is remembered.
                        plain.awaited.clear();
                    }
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
        assert!(board.0[&7].latest.len() + board.0[&7].implied.len() < 2 * MEMORY);
    }

    #[test]
    fn every_signal_is_forgotten_once() {
        let mut board = Board::default();
        let mut forgotten = vec![];
        for number in 1..100_000 {
            read(&mut board, number - 1, number as u32 % 3);
            let (thread, var) = (ThreadId(number as u32 % 3), VarId(number as u32));
            board.signal(7, number, thread, var, |var| forgotten.push(var.0));
        }
        assert!(forgotten.len() > 50_000);
        board.bury(7, |var| forgotten.push(var.0));
        forgotten.sort_unstable();
        assert_eq!(forgotten, (1..100_000).collect::<Vec<u32>>());
        assert_eq!(board.wait(7, 100_000, ThreadId(9)), []);
    }
}
