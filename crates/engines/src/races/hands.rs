//! The locks in each thread's hands. A set of two locks and more is given a number only where one
//! is asked for: most accesses tell nothing new, which can be seen without.

use super::{Locks, grown};
use crate::context::locksets::{Locksets, SetId};
use interloper_trace::{Event, LockId, Op, ThreadId};
use smallvec::SmallVec;

/// The locks held at an access, to be remembered: a set that has a number (most of one lock or none),
/// and up to two locks besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grip {
    set: SetId,
    /// [`NONE`] where there is none.
    others: [LockId; 2],
}

const NONE: LockId = LockId(u32::MAX);

/// How many of the locks that a thread holds are looked at, those acquired first. No program holds as
/// many; a trace that does would need memory by the square of their number. To overlook a lock can
/// raise an alarm, but never hides one.
const MOST: usize = 64;

impl Grip {
    /// No lock.
    pub(super) const EMPTY: Grip = Grip::of(SetId::EMPTY);

    const fn of(set: SetId) -> Grip {
        Grip { set, others: [NONE; 2] }
    }

    fn others(self) -> impl Iterator<Item = LockId> {
        self.others.into_iter().filter(|&other| other != NONE)
    }

    /// The locks.
    pub(super) fn locks(self, locksets: &Locksets) -> Vec<LockId> {
        let mut locks = locksets.locks(self.set);
        locks.extend(self.others());
        locks
    }
}

impl Locks for Grip {
    fn set(self, locksets: &mut Locksets) -> SetId {
        self.others().fold(self.set, |set, other| locksets.with(set, other))
    }

    fn meet(self, with: SetId, locksets: &mut Locksets) -> SetId {
        let mut meet = locksets.meet(self.set, with);
        let mut len = locksets.len(meet);
        for other in self.others() {
            if locksets.contains(with, other) {
                len += 1;
                // Mostly all is in common with such a set: looking for its number takes longer.
                let all = len == locksets.len(with);
                meet = if all { with } else { locksets.with(meet, other) };
            }
        }
        meet
    }
}

struct Hand {
    /// In the order of acquisition.
    locks: SmallVec<[LockId; 4]>,
    /// The same, if there are three at most or if it was asked for.
    grip: Option<Grip>,
}

impl Default for Hand {
    fn default() -> Hand {
        Hand { locks: SmallVec::new(), grip: Some(Grip::EMPTY) }
    }
}

impl Hand {
    /// After a change.
    #[inline(always)]
    fn look(&mut self) {
        let few = |set, others| Some(Grip { set: SetId::single(set), others });
        self.grip = match self.locks[..] {
            [] => Some(Grip::EMPTY),
            [one] => few(one, [NONE; 2]),
            [one, two] => few(one, [two, NONE]),
            [one, two, three] => few(one, [two, three]),
            _ => None,
        };
    }
}

/// The locks of all threads.
#[derive(Default)]
pub(super) struct Hands {
    threads: Vec<Hand>,
}

impl Hands {
    /// Whether the thread is seen at once to hold all locks of a set: it is a set of one lock, or
    /// none, or exactly what it holds. (`false` may be wrong.)
    #[inline(always)]
    pub(super) fn surely_hold(&self, thread: ThreadId, set: SetId) -> bool {
        let Some(hand) = self.threads.get(thread.index()) else { return set.is_empty() };
        set.is_empty()
            || hand.locks.iter().any(|&lock| SetId::single(lock) == set)
            || hand.grip == Some(Grip::of(set))
    }

    /// The locks that a thread holds.
    #[inline(always)]
    pub(super) fn grip(&mut self, thread: ThreadId, locksets: &mut Locksets) -> Grip {
        match self.threads.get(thread.index()) {
            None => Grip::EMPTY,
            Some(&Hand { grip: Some(grip), .. }) => grip,
            Some(_) => self.number(thread, locksets),
        }
    }

    /// Their ids, in the order of acquisition.
    pub(super) fn locks(&self, thread: ThreadId) -> Vec<LockId> {
        self.threads.get(thread.index()).map_or(vec![], |hand| hand.locks.to_vec())
    }

    #[inline(never)]
    fn number(&mut self, thread: ThreadId, locksets: &mut Locksets) -> Grip {
        let hand = &mut self.threads[thread.index()];
        let some = &hand.locks[..hand.locks.len().min(MOST)];
        let grip = Grip::of(locksets.of(some.to_vec()));
        hand.grip = Some(grip);
        grip
    }

    /// Takes note of `acq`, `rel` or `wait`.
    #[inline(always)]
    pub(super) fn event(&mut self, event: &Event) {
        let hand = grown(&mut self.threads, event.thread.index());
        if event.op == Op::Acquire {
            hand.locks.push(event.lock());
        } else if let Some(place) = hand.locks.iter().rposition(|&held| held == event.lock()) {
            hand.locks.remove(place);
        }
        hand.look();
    }
}
