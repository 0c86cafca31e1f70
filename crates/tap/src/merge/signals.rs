//! Signals: order that goes one way only, from whoever signals to whoever has waited for it.
//!
//! Every signal is a volatile write of a variable of its own; who waits reads the variables of the latest
//! signal of each other thread. A signal that another one implies is not read: the thread that gave the other
//! had waited for it before (or given it), so whoever depends on the other depends on it already. This keeps
//! the number of reads small where every thread waits and signals in turn, as with semaphores.
//!
//! Signals of those who share something with others of their kind (readers of a read-write lock) are for those
//! who want it alone: who shares it, too, does not wait for them.

use super::Hashed;
use interloper_trace::{ThreadId, VarId};
use std::collections::VecDeque;

#[derive(Clone, Copy)]
struct Signal {
    number: u64,
    thread: ThreadId,
    var: VarId,
    /// Given by one of many who share the object.
    shared: bool,
    /// The number of the signal that implies this one.
    implied_by: u64,
}

/// Signals of one object.
#[derive(Default)]
struct Signals {
    /// Those that no other implies: at most one a thread, and one more that is shared.
    latest: Vec<Signal>,
    /// The others, by the number of what implies them.
    implied: VecDeque<Signal>,
    /// Up to where a thread has waited since it last signalled, for signals of both kinds.
    awaited: Hashed<ThreadId, u64>,
}

/// How many implied signals an object remembers: logs are not read in step, so somebody who waited before
/// the signal that implies one may turn up later.
const MEMORY: usize = 1 << 14;

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

/// Signals of all objects.
#[derive(Default)]
pub(super) struct Board(Hashed<u32, Signals>);

impl Board {
    /// A thread gives an object's signal of this number. Calls back with variables that nobody will read any more.
    pub(super) fn signal(
        &mut self,
        object: u32,
        (number, shared): (u64, bool),
        thread: ThreadId,
        var: VarId,
        forget: impl FnMut(VarId),
    ) {
        let Signals { latest, implied, awaited } = self.0.entry(object).or_default();
        let awaited = awaited.remove(&thread).unwrap_or(0);
        latest.retain_mut(|other| {
            // Who shares the object does not wait for a shared signal, so that implies none of the others.
            let keep = other.thread != thread && other.number > awaited || shared && !other.shared;
            if !keep {
                other.implied_by = number;
                implied.push_back(*other);
            }
            keep
        });
        latest.push(Signal { number, thread, var, shared, implied_by: u64::MAX });
        if implied.len() > MEMORY {
            implied.drain(..MEMORY / 2).map(|signal| signal.var).for_each(forget);
        }
    }

    /// The object is dead. Calls back with the variables of its signals.
    pub(super) fn bury(&mut self, object: u32, forget: impl FnMut(VarId)) {
        if let Some(Signals { latest, implied, .. }) = self.0.remove(&object) {
            latest.iter().chain(&implied).map(|signal| signal.var).for_each(forget);
        }
    }

    /// A thread has waited for signals, by this number: the variables that it reads.
    pub(super) fn wait(
        &mut self,
        object: u32,
        (number, wait): (u64, Wait),
        thread: ThreadId,
    ) -> Vec<VarId> {
        let Some(Signals { latest, implied, awaited }) = self.0.get_mut(&object) else {
            return Vec::new();
        };
        if wait == Wait::All {
            let awaited = awaited.entry(thread).or_default();
            *awaited = number.max(*awaited);
        }
        let later = implied.iter().rev().take_while(|signal| signal.implied_by > number);
        let counts = |signal: &&Signal| {
            let meant = match wait {
                Wait::All => signal.number <= number,
                Wait::Shared => signal.number <= number && !signal.shared,
                Wait::One => signal.number == number,
            };
            meant && signal.thread != thread
        };
        latest.iter().chain(later).filter(counts).map(|signal| signal.var).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(board: &mut Board, number: u64, thread: u32) {
        board.signal(7, (number, false), ThreadId(thread), VarId(number as u32), |_| {});
    }

    fn given_shared(board: &mut Board, number: u64, thread: u32) {
        board.signal(7, (number, true), ThreadId(thread), VarId(number as u32), |_| {});
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
            board.signal(7, (number, false), thread, var, |var| forgotten.push(var.0));
        }
        assert!(forgotten.len() > 50_000);
        board.bury(7, |var| forgotten.push(var.0));
        forgotten.sort_unstable();
        assert_eq!(forgotten, (1..100_000).collect::<Vec<u32>>());
        assert_eq!(board.wait(7, (100_000, Wait::All), ThreadId(9)), []);
    }
}
