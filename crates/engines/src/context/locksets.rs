//! Sets of locks as numbers: equal sets have equal numbers, so that comparing two is comparing
//! numbers. Most sets are empty or have one lock; these need no memory at all.
//!
//! A larger set is kept as its greatest lock and the number of the set of all others. So a set
//! costs some twenty bytes, however many locks are in it, if the set without its greatest lock has
//! been there, and a lock that is greater than all held ones is added by one look.

use super::hashing::IdMap;
use interloper_trace::LockId;
use smallvec::SmallVec;
use std::num::NonZeroU32;

/// A set of locks. (Never zero, so that there is room for none.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SetId(NonZeroU32);

/// Set in the number of a set of one lock; the rest is the lock's number.
const SINGLE: NonZeroU32 = NonZeroU32::MIN.saturating_add(u32::MAX / 2);

impl SetId {
    /// No lock.
    pub(crate) const EMPTY: SetId = SetId(NonZeroU32::MIN);

    /// Whether there is no lock in it.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self == SetId::EMPTY
    }

    /// The set of one lock.
    #[inline(always)]
    pub(crate) fn single(lock: LockId) -> SetId {
        SetId(SINGLE | lock.0)
    }

    /// Where a set of two locks and more is.
    #[inline(always)]
    fn index(self) -> usize {
        self.0.get() as usize - 2
    }

    /// The lock of a set of one.
    #[inline(always)]
    fn as_single(self) -> Option<LockId> {
        let number = self.0.get();
        (number & SINGLE.get() != 0).then_some(LockId(number & !SINGLE.get()))
    }
}

/// What a set is known by that is not empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// It has this lock only.
    Lock(LockId),
    /// It is the one with this number among those of two locks and more.
    Large(usize),
}

/// A set of two locks and more.
#[derive(Clone, Copy)]
struct Node {
    /// All of them but the greatest.
    rest: SetId,
    greatest: LockId,
    len: u32,
}

/// All sets of two locks and more.
#[derive(Default)]
pub(crate) struct Locksets {
    /// By number less two: that of the empty set is one.
    nodes: Vec<Node>,
    /// By the rest and the greatest lock.
    index: IdMap<u64, SetId>,
}

impl Locksets {
    /// The set's greatest lock, and the others.
    #[inline(always)]
    fn split(&self, set: SetId) -> Option<(LockId, SetId)> {
        match set.as_single() {
            Some(lock) => Some((lock, SetId::EMPTY)),
            None if set.is_empty() => None,
            None => {
                let node = self.nodes[set.index()];
                Some((node.greatest, node.rest))
            }
        }
    }

    /// The sets of two locks and more, in the order of their places: the greatest lock of each, and the set of the others.
    pub(crate) fn large(&self) -> impl Iterator<Item = (LockId, SetId)> {
        self.nodes.iter().map(|node| (node.greatest, node.rest))
    }

    /// The lock of a set of one, or the place of a larger set; of the empty set, nothing.
    pub(crate) fn place(&self, set: SetId) -> Option<Place> {
        match set.as_single() {
            Some(lock) => Some(Place::Lock(lock)),
            None => (!set.is_empty()).then(|| Place::Large(set.index())),
        }
    }

    /// The set's locks, the greatest first.
    pub(crate) fn descending(&self, set: SetId) -> impl Iterator<Item = LockId> {
        let mut rest = set;
        std::iter::from_fn(move || {
            let (lock, others) = self.split(rest)?;
            rest = others;
            Some(lock)
        })
    }

    /// The set's locks in ascending order.
    pub(crate) fn locks(&self, set: SetId) -> Vec<LockId> {
        let mut locks: Vec<LockId> = self.descending(set).collect();
        locks.reverse();
        locks
    }

    /// How many locks are in the set.
    pub(crate) fn len(&self, set: SetId) -> usize {
        match set.as_single() {
            Some(_) => 1,
            None if set.is_empty() => 0,
            None => self.nodes[set.index()].len as usize,
        }
    }

    /// Whether the lock is in the set.
    #[inline]
    pub(crate) fn contains(&self, set: SetId, lock: LockId) -> bool {
        self.descending(set).find(|&other| other <= lock) == Some(lock)
    }

    /// The set of these locks, in any order, each once.
    pub(crate) fn of(&mut self, mut locks: Vec<LockId>) -> SetId {
        locks.sort_unstable();
        locks.dedup();
        locks.into_iter().fold(SetId::EMPTY, |set, lock| self.on_top(set, lock))
    }

    /// The set and a lock that is greater than all of its locks.
    #[inline]
    fn on_top(&mut self, rest: SetId, greatest: LockId) -> SetId {
        if rest.is_empty() {
            return SetId::single(greatest);
        }
        let key = u64::from(rest.0.get()) << 32 | u64::from(greatest.0);
        if let Some(&set) = self.index.get(&key) {
            return set;
        }
        let len = self.len(rest) as u32 + 1;
        self.nodes.push(Node { rest, greatest, len });
        let set = SetId(NonZeroU32::MIN.saturating_add(self.nodes.len() as u32));
        self.index.insert(key, set);
        set
    }

    /// The set and this lock.
    #[inline]
    pub(crate) fn with(&mut self, set: SetId, lock: LockId) -> SetId {
        self.change(set, lock, true)
    }

    /// The set less this lock.
    #[inline]
    pub(crate) fn without(&mut self, set: SetId, lock: LockId) -> SetId {
        self.change(set, lock, false)
    }

    #[inline]
    fn change(&mut self, set: SetId, lock: LockId, add: bool) -> SetId {
        // The greater ones are put back on top, in ascending order.
        let mut greater: SmallVec<[LockId; 8]> = SmallVec::new();
        let mut rest = set;
        while let Some((top, others)) = self.split(rest) {
            if top < lock {
                break;
            }
            rest = others;
            if top == lock {
                break;
            }
            greater.push(top);
        }
        let base = if add { self.on_top(rest, lock) } else { rest };
        greater.into_iter().rev().fold(base, |set, top| self.on_top(set, top))
    }

    /// What both sets have.
    #[inline(always)]
    pub(crate) fn meet(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b { a } else { self.meet_of_different(a, b) }
    }

    fn meet_of_different(&mut self, a: SetId, b: SetId) -> SetId {
        if a.is_empty() || b.is_empty() {
            return SetId::EMPTY;
        }
        match (a.as_single(), b.as_single()) {
            (Some(_), Some(_)) => return SetId::EMPTY,
            (Some(lock), None) => return if self.contains(b, lock) { a } else { SetId::EMPTY },
            (None, Some(lock)) => return if self.contains(a, lock) { b } else { SetId::EMPTY },
            (None, None) => {}
        }
        let mut common: SmallVec<[LockId; 8]> = SmallVec::new();
        let (mut rest, mut others) = (a, b);
        let base = loop {
            // What is below is the same in both.
            if rest == others {
                break rest;
            }
            let (Some((x, less)), Some((y, fewer))) = (self.split(rest), self.split(others)) else {
                break SetId::EMPTY;
            };
            if x == y {
                common.push(x);
            }
            rest = if x >= y { less } else { rest };
            others = if y >= x { fewer } else { others };
        };
        common.into_iter().rev().fold(base, |set, lock| self.on_top(set, lock))
    }

    /// Whether they have no lock in common.
    #[inline]
    pub(crate) fn disjoint(&mut self, a: SetId, b: SetId) -> bool {
        self.meet(a, b).is_empty()
    }

    /// Whether all locks of `a` are in `b`.
    #[inline]
    pub(crate) fn is_subset(&mut self, a: SetId, b: SetId) -> bool {
        a.is_empty() || self.meet(a, b) == a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set() -> impl Strategy<Value = BTreeSet<u32>> {
        prop::collection::btree_set(0u32..6, 0..5)
    }

    proptest! {
        /// Sets are what they stand for.
        #[test]
        fn sets_are_sets(a in set(), b in set(), lock in 0u32..6) {
            let mut sets = Locksets::default();
            let ids = |set: &BTreeSet<u32>| set.iter().map(|&l| LockId(l)).collect::<Vec<_>>();
            let (x, y) = (sets.of(ids(&a)), sets.of(ids(&b)));
            prop_assert_eq!(x == y, a == b);
            prop_assert_eq!((sets.locks(x), sets.len(x)), (ids(&a), a.len()));
            for _ in 0..2 {
                let both = sets.meet(x, y);
                prop_assert_eq!(sets.locks(both), ids(&(&a & &b)));
                prop_assert_eq!(sets.disjoint(x, y), a.is_disjoint(&b));
                prop_assert_eq!(sets.is_subset(x, y), a.is_subset(&b));
                let one = BTreeSet::from([lock]);
                let more = sets.with(x, LockId(lock));
                prop_assert_eq!(sets.locks(more), ids(&(&a | &one)));
                let less = sets.without(x, LockId(lock));
                prop_assert_eq!(sets.locks(less), ids(&(&a - &one)));
                prop_assert_eq!(sets.contains(x, LockId(lock)), a.contains(&lock));
            }
        }
    }
}
