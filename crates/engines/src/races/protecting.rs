//! Access- and write-protecting locks (Flanagan and Freund, Atomizer, 2004; Wang and Stoller,
//! section 5.4): which accesses are race-free as far as one can tell so far.
//!
//! Of each variable, the locks that were held at every access, and those that were held at every
//! write. A write is race-free if some lock protects all accesses; a read, if its thread holds one
//! that protects all writes: readers need not exclude each other, and a single writer that holds
//! several locks can let readers use any one of them.
//!
//! Initialization is Eraser's: while one thread alone has touched the variable every access is
//! race-free, and the locks count from the first access of a second thread on. The Atomizer of the
//! paper lets ownership be transferred once ([`Start::Transfer`]); both are here.
//!
//! **Guarantee.** None: what is called race-free now may race with what comes later, and with what
//! happened during initialization. Where every write held a certain lock, and every read too, all
//! accesses are called race-free.

use super::common::Common;
use super::grown;
use super::states::Life;
pub(crate) use super::states::Start;
use crate::context::locksets::{Locksets, SetId};
use interloper_trace::{ThreadId, VarId};

#[derive(Clone, Copy, Default)]
struct Cell {
    life: Life<ThreadId>,
    /// Held at every access since it is shared.
    access: Common,
    /// Held at every write since it is shared.
    write: Common,
}

/// The protecting locks of all variables.
pub(crate) struct Protecting {
    start: Start,
    cells: Vec<Cell>,
}

impl Protecting {
    /// Of no variable yet.
    pub(crate) fn new(start: Start) -> Protecting {
        Protecting { start, cells: vec![] }
    }

    /// An access, with these locks held by its thread. Whether it is race-free so far.
    #[inline(always)]
    pub(crate) fn access(
        &mut self,
        var: VarId,
        write: bool,
        thread: ThreadId,
        held: SetId,
        locksets: &mut Locksets,
    ) -> bool {
        let cell = grown(&mut self.cells, var.index());
        if !cell.life.access(self.start, thread, write, |owner| owner == thread).is_shared() {
            return true;
        }
        cell.access.refine(held, locksets);
        if write {
            cell.write.refine(held, locksets);
            return !cell.access.is_empty();
        }
        // Nothing was written since it is shared: there is nothing to race with.
        cell.write.get().is_none_or(|protecting| !locksets.disjoint(protecting, held))
    }

    /// Where the variable is in its life: whether it is thread-local or only read so far.
    #[cfg(test)]
    fn state(&self, var: VarId) -> super::states::State {
        self.cells.get(var.index()).map_or_else(Default::default, |cell| cell.life.state)
    }

    /// The locks held at every access since the variable is shared; `None` if there was none.
    pub(crate) fn access_protecting(&self, var: VarId) -> Option<SetId> {
        self.cells.get(var.index()).and_then(|cell| cell.access.get())
    }

    /// The locks held at every write since the variable is shared; `None` if there was none.
    pub(crate) fn write_protecting(&self, var: VarId) -> Option<SetId> {
        self.cells.get(var.index()).and_then(|cell| cell.write.get())
    }

    /// The variable's object escapes: what went before does not count.
    pub(crate) fn renew(&mut self, var: VarId) {
        if let Some(cell) = self.cells.get_mut(var.index()) {
            *cell = Cell::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::states::State;
    use interloper_trace::LockId;

    const X: VarId = VarId(3);

    /// Accesses such as `1w12`: thread 1 writes with locks 1 and 2. Which are race-free?
    fn run(start: Start, accesses: &str) -> Vec<bool> {
        let (mut pairs, mut locksets) = (Protecting::new(start), Locksets::default());
        let mut access = |text: &str| {
            let digit = |c: char| c.to_digit(10).expect("a digit");
            let letters: Vec<char> = text.chars().collect();
            let held = locksets.of(letters[2..].iter().map(|&c| LockId(digit(c))).collect());
            let thread = ThreadId(digit(letters[0]));
            pairs.access(X, letters[1] == 'w', thread, held, &mut locksets)
        };
        accesses.split(' ').map(&mut access).collect()
    }

    #[test]
    fn one_thread_needs_no_lock() {
        assert_eq!(run(Start::SecondThread, "1w 1w1 1r"), [true; 3]);
        assert_eq!(run(Start::SecondThread, "1w 2w"), [true, false]);
        assert_eq!(run(Start::Transfer, "1w 2w 2r"), [true; 3]);
        assert_eq!(run(Start::Transfer, "1w 2w 1w"), [true, true, false]);
    }

    #[test]
    fn readers_may_use_either_lock_of_a_writer() {
        assert_eq!(run(Start::SecondThread, "9w 1w12 2r1 3r2"), [true; 4]);
        assert_eq!(
            run(Start::SecondThread, "9w 1w12 2r1 3r2 1w12"),
            [true, true, true, true, false],
            "no lock protects all accesses: the false alarm that many read sets avoid"
        );
        assert_eq!(run(Start::SecondThread, "9w 1w12 2r3"), [true, true, false]);
    }

    #[test]
    fn what_is_only_read_needs_no_lock() {
        assert_eq!(run(Start::SecondThread, "1w 2r 3r 1r"), [true; 4]);
        assert_eq!(run(Start::SecondThread, "1w 2r 3w1 3r"), [true, true, false, false]);
    }

    #[test]
    fn escape_begins_anew() {
        let (mut pairs, mut locksets) = (Protecting::new(Start::SecondThread), Locksets::default());
        let mut write = |pairs: &mut Protecting, thread| {
            pairs.access(X, true, ThreadId(thread), SetId::EMPTY, &mut locksets)
        };
        assert!(write(&mut pairs, 1));
        assert!(!write(&mut pairs, 2));
        pairs.renew(X);
        assert_eq!(pairs.state(X), State::Virgin);
        assert!(write(&mut pairs, 2));
        assert!(!write(&mut pairs, 1));
    }
}
