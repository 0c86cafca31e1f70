//! The locks of a generated trace: who waits for which, without anyone ever asking in vain twice.

use crate::event::{LockId, VarId};

/// The place of a worker among the workers; threads of later phases take over earlier ones' places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot(pub(super) u32);

impl Slot {
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// No worker.
const NOBODY: Slot = Slot(u32::MAX);

#[derive(Clone, Copy)]
struct Lock {
    held: bool,
    /// The worker that has waited the shortest time; its `next` is the one that waited longest.
    last_waiting: Slot,
}

/// All locks, and the queues before them.
///
/// Lock `v % locks` guards variable `v`. Each queue is a ring through `next`: a worker waits for one
/// lock at a time, so one link for each is enough, however many locks there are.
pub(super) struct Locks {
    locks: Vec<Lock>,
    next: Vec<Slot>,
    /// How many variables each lock guards; the first `with_one_more` guard one more.
    each: u32,
    with_one_more: u32,
}

impl Locks {
    /// `locks` must not be 0.
    pub(super) fn new(locks: u32, vars: u32, workers: u32) -> Locks {
        let free = Lock { held: false, last_waiting: NOBODY };
        Locks {
            locks: vec![free; locks as usize],
            next: vec![NOBODY; workers as usize],
            each: vars / locks,
            with_one_more: vars % locks,
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.locks.len() as u32
    }

    /// How many variables this lock guards.
    #[inline(always)]
    pub(super) fn guarded(&self, lock: LockId) -> u32 {
        self.each + u32::from(lock.0 < self.with_one_more)
    }

    /// One of the variables this lock guards.
    #[inline(always)]
    pub(super) fn var(&self, lock: LockId, nth: u32) -> VarId {
        VarId(lock.0 + nth * self.len())
    }

    #[inline(always)]
    pub(super) fn is_free(&self, lock: LockId) -> bool {
        !self.locks[lock.index()].held
    }

    /// Takes the lock if it is free; otherwise the worker joins the queue before it.
    #[inline(always)]
    pub(super) fn take(&mut self, lock: LockId, worker: Slot) -> bool {
        let state = &mut self.locks[lock.index()];
        if state.held {
            self.wait(lock, worker);
            return false;
        }
        state.held = true;
        true
    }

    #[cold]
    fn wait(&mut self, lock: LockId, worker: Slot) {
        let last = std::mem::replace(&mut self.locks[lock.index()].last_waiting, worker);
        if last == NOBODY {
            self.next[worker.index()] = worker;
        } else {
            self.next[worker.index()] = self.next[last.index()];
            self.next[last.index()] = worker;
        }
    }

    /// Lets the lock go. The worker returned has waited for it longest and shall try again.
    ///
    /// It may come too late, and then waits anew; whoever was faster wakes the next one. So a free
    /// lock with a queue has always one worker on its way to it, and each release is answered by
    /// one attempt at most.
    #[inline(always)]
    pub(super) fn release(&mut self, lock: LockId) -> Option<Slot> {
        let state = &mut self.locks[lock.index()];
        state.held = false;
        if state.last_waiting == NOBODY { None } else { Some(self.wake(lock)) }
    }

    #[cold]
    fn wake(&mut self, lock: LockId) -> Slot {
        let last = self.locks[lock.index()].last_waiting;
        let first = self.next[last.index()];
        if first == last {
            self.locks[lock.index()].last_waiting = NOBODY;
        } else {
            self.next[last.index()] = self.next[first.index()];
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_served_in_order() {
        let mut locks = Locks::new(2, 5, 4);
        let lock = LockId(1);
        assert!(locks.take(lock, Slot(0)));
        for waiting in [2, 1, 3] {
            assert!(!locks.take(lock, Slot(waiting)));
        }
        assert_eq!(locks.release(lock), Some(Slot(2)));
        assert!(locks.take(lock, Slot(0)), "the one woken may come too late");
        assert!(!locks.take(lock, Slot(2)));
        for woken in [1, 3, 2] {
            assert_eq!(locks.release(lock), Some(Slot(woken)));
            assert!(locks.take(lock, Slot(woken)));
        }
        assert_eq!(locks.release(lock), None);
        assert!(locks.is_free(lock));
    }

    #[test]
    fn every_variable_has_the_lock_that_says_so() {
        let locks = Locks::new(3, 8, 1);
        let mut seen: Vec<u32> = (0..3)
            .map(LockId)
            .flat_map(|lock| (0..locks.guarded(lock)).map(move |nth| (lock, nth)))
            .map(|(lock, nth)| {
                let var = locks.var(lock, nth);
                assert_eq!(var.0 % 3, lock.0);
                var.0
            })
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..8).collect::<Vec<_>>());
    }
}
