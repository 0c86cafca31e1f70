//! Which locks matter: an acquire is a right-mover and a release a left-mover, unless nobody else can
//! ever want the lock at that moment (Wang and Stoller, section 5.5).
//!
//! - *Thread-local*: only one thread uses the lock.
//! - *Protected*: whoever holds it also holds a certain other lock, all the time.
//!
//! Both are what was seen so far: right at the end of the trace, and a guess before (what was
//! thread-local or protected may not be so later; never the other way round). Locks acquired again by
//! their holder are filtered before any engine sees them.

use crate::context::locksets::{Locksets, SetId};
use interloper_trace::{LockId, ThreadId};

#[derive(Clone, Copy, Default)]
struct Lock {
    /// Who acquired it first.
    user: Option<ThreadId>,
    /// Somebody else did, too.
    shared: bool,
    /// The locks that were held whenever it was; `None` before the first time.
    protectors: Option<SetId>,
    /// It was held from one transaction to the next.
    crosses: bool,
}

/// All locks so far.
#[derive(Default)]
pub(super) struct Locks {
    locks: Vec<Lock>,
}

impl Locks {
    /// A thread acquires a lock while it holds others, which are asked for only if they matter.
    #[inline]
    pub(super) fn acquire(
        &mut self,
        lock: LockId,
        thread: ThreadId,
        held: impl FnOnce(&mut Locksets) -> SetId,
        locksets: &mut Locksets,
    ) {
        let lock = self.lock(lock);
        lock.shared |= *lock.user.get_or_insert(thread) != thread;
        lock.protectors = Some(match lock.protectors {
            Some(SetId::EMPTY) => SetId::EMPTY,
            Some(protectors) => {
                let held = held(locksets);
                locksets.meet(protectors, held)
            }
            None => held(locksets),
        });
    }

    /// A thread is about to release a lock; the locks that it holds are given in the opposite order of
    /// acquisition. Those acquired after it go on without its protection.
    #[inline]
    pub(super) fn release(
        &mut self,
        lock: LockId,
        held: impl Iterator<Item = LockId>,
        locksets: &mut Locksets,
    ) {
        for later in held.take_while(|&held| held != lock) {
            let later = self.lock(later);
            later.protectors = later.protectors.map(|set| locksets.without(set, lock));
        }
    }

    /// A transaction ends, or there is none, while its thread holds the lock.
    pub(super) fn cross(&mut self, lock: LockId) {
        self.lock(lock).crosses = true;
    }

    /// Whether acquiring and releasing it are both-movers, because no other thread can want it then.
    #[inline]
    pub(super) fn is_private(&self, lock: LockId) -> bool {
        self.locks.get(lock.index()).is_none_or(|lock| {
            !lock.shared || lock.protectors.is_some_and(|protectors| !protectors.is_empty())
        })
    }

    /// Whether it was ever held from one transaction to the next.
    #[inline]
    pub(super) fn crosses(&self, lock: LockId) -> bool {
        self.locks.get(lock.index()).is_some_and(|lock| lock.crosses)
    }

    fn lock(&mut self, lock: LockId) -> &mut Lock {
        if lock.index() >= self.locks.len() {
            self.locks.resize(lock.index() + 1, Lock::default());
        }
        &mut self.locks[lock.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::held::Held;
    use interloper_trace::{Event, SiteId};

    /// Runs steps such as `1+a` (thread 1 acquires lock a) and `1-a`; which of the locks are private?
    fn private(steps: &str) -> String {
        let (mut locks, mut held, mut sets) =
            (Locks::default(), Held::default(), Locksets::default());
        for step in steps.split(' ') {
            let (thread, lock) = (ThreadId(step.as_bytes()[0].into()), step.as_bytes()[2] - b'a');
            let lock = LockId(lock.into());
            let event = if step.contains('+') {
                locks.acquire(lock, thread, |sets| held.set(thread, sets), &mut sets);
                Event::acquire(thread, lock, SiteId::UNKNOWN)
            } else {
                let list = held.list(thread).iter().rev();
                locks.release(lock, list.map(|holding| holding.lock), &mut sets);
                Event::release(thread, lock, SiteId::UNKNOWN)
            };
            held.event(0, &event);
        }
        (0..3)
            .filter(|&lock| locks.is_private(LockId(lock)))
            .map(|l| (b'a' + l as u8) as char)
            .collect()
    }

    #[test]
    fn a_lock_of_one_thread_is_private() {
        assert_eq!(private("1+a 1-a 1+a 1-a 2+b 2-b 1+b 1-b"), "ac");
    }

    #[test]
    fn a_lock_within_another_is_private() {
        assert_eq!(private("1+a 1+b 1-b 1-a 2+a 2+b 2-b 2-a"), "bc");
        assert_eq!(private("1+a 1+b 1-b 1-a 2+c 2+b 2-b 2-c"), "ac", "not within the same");
        assert_eq!(private("1+a 1+b 1-b 1-a 2+b 2-b 2+a 2-a"), "c");
    }

    /// The outer lock is let go first: from then on another thread could take both.
    #[test]
    fn protection_must_last() {
        assert_eq!(private("1+a 1+b 1-a 1-b 2+a 2+b 2-b 2-a"), "c");
    }
}
