//! Signals: order that goes one way only, from whoever signals to whoever has waited for it.
//!
//! Every signal is a volatile write of a variable of its own; who waits reads the variables of the latest
//! signal of each other thread. A signal that another one implies is not read: the thread that gave the other
//! had waited for it before (or given it), so whoever depends on the other depends on it already. This keeps
//! the number of reads small where every thread waits and signals in turn, as with semaphores.

use super::Hashed;
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

/// Signals of one object.
#[derive(Default)]
struct Signals {
    /// Those that no other implies: at most one a thread.
    latest: Vec<Signal>,
    /// The others, by the number of what implies them.
    implied: VecDeque<Signal>,
    /// Up to where a thread has waited since it last signalled.
    awaited: Hashed<ThreadId, u64>,
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
        let Signals { latest, implied, awaited } = self.0.entry(object).or_default();
        let awaited = awaited.remove(&thread).unwrap_or(0);
        latest.retain_mut(|other| {
            let keep = other.thread != thread && other.number > awaited;
            if !keep {
                other.implied_by = number;
                implied.push_back(*other);
            }
            keep
        });
        latest.push(Signal { number, thread, var, implied_by: u64::MAX });
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

    /// A thread has waited for signals up to this number: the variables that it reads.
    pub(super) fn wait(&mut self, object: u32, number: u64, thread: ThreadId) -> Vec<VarId> {
        let Some(Signals { latest, implied, awaited }) = self.0.get_mut(&object) else {
            return Vec::new();
        };
        let awaited = awaited.entry(thread).or_default();
        *awaited = number.max(*awaited);
        let later = implied.iter().rev().take_while(|signal| signal.implied_by > number);
        let counts = |signal: &&Signal| signal.number <= number && signal.thread != thread;
        latest.iter().chain(later).filter(counts).map(|signal| signal.var).collect()
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
