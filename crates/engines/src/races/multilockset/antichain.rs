//! Sets of locks of which none is part of another: the least of those that were added.

use crate::context::locksets::{Locksets, SetId};
use crate::races::slab::{Slab, Slot};

/// How many sets there are at most.
const LIMIT: usize = 32;

/// The least sets of locks. Beyond [`LIMIT`] of them the two that have the most in common become
/// one, of what they have in common: some set of locks then counts as less than it was, which can
/// raise an alarm but never hide one. (A variable that is only read, each time under the lock of
/// another object, would otherwise remember all those locks.)
///
/// Must be given the same [`Chains`] each time.
#[derive(Clone, Copy, Default)]
pub(super) struct Antichain {
    /// The first.
    first: Option<SetId>,
    /// The others: few variables have any.
    more: Option<Slot>,
}

/// All but the first sets of all antichains.
pub(super) type Chains = Slab<Vec<SetId>>;

impl Antichain {
    /// Whether nothing was added.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The first of the sets.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<SetId> {
        self.first
    }

    /// Adds a set, unless it has another one as its part. Whether anything changed.
    #[inline(always)]
    pub(super) fn add(&mut self, set: SetId, locksets: &mut Locksets, chains: &mut Chains) -> bool {
        match self.first {
            Some(first) => !locksets.is_subset(first, set) && self.add_new(set, locksets, chains),
            None => {
                self.first = Some(set);
                true
            }
        }
    }

    fn add_new(&mut self, set: SetId, locksets: &mut Locksets, chains: &mut Chains) -> bool {
        let mut sets: Vec<SetId> = self.sets(chains).collect();
        if sets.iter().any(|&part| locksets.is_subset(part, set)) {
            return false;
        }
        let mut set = set;
        sets.retain(|&other| !locksets.is_subset(set, other));
        if sets.len() >= LIMIT {
            let common = |&other: &SetId| {
                let meet = locksets.meet(set, other);
                (locksets.len(meet), meet)
            };
            let closest = sets.iter().map(common).max();
            set = closest.map_or(set, |(_, meet)| meet);
            sets.retain(|&other| !locksets.is_subset(set, other));
        }
        sets.push(set);
        self.set(&sets, chains);
        true
    }

    /// Takes from all sets the locks that are not in this one.
    pub(super) fn narrow(&mut self, to: SetId, locksets: &mut Locksets, chains: &mut Chains) {
        let sets: Vec<SetId> = self.sets(chains).collect();
        self.forget(chains);
        for set in sets {
            let less = locksets.meet(set, to);
            self.add(less, locksets, chains);
        }
    }

    fn set(&mut self, sets: &[SetId], chains: &mut Chains) {
        self.first = sets.first().copied();
        match sets.get(1..) {
            Some(others) if !others.is_empty() => {
                let slot = *self.more.get_or_insert_with(|| chains.add());
                *chains.get_mut(slot) = others.to_vec();
            }
            _ => chains.remove(self.more.take()),
        }
    }

    /// The sets.
    pub(super) fn sets<'a>(&self, chains: &'a Chains) -> impl Iterator<Item = SetId> + use<'a> {
        let more = self.more.map_or(&[][..], |slot| chains.get(slot));
        self.first.into_iter().chain(more.iter().copied())
    }

    /// Forgets all sets.
    pub(super) fn forget(&mut self, chains: &mut Chains) {
        self.set(&[], chains);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_trace::LockId;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn ids(locks: &BTreeSet<u32>) -> Vec<LockId> {
        locks.iter().map(|&lock| LockId(lock)).collect()
    }

    proptest! {
        /// The least sets, straight from the definition.
        #[test]
        fn the_least_sets_remain(
            added in prop::collection::vec(prop::collection::btree_set(0u32..5, 0..4), 0..12),
        ) {
            let (mut locksets, mut chains) = (Locksets::default(), Chains::default());
            let mut chain = Antichain::default();
            for locks in &added {
                let set = locksets.of(ids(locks));
                chain.add(set, &mut locksets, &mut chains);
            }
            let least = |set: &&BTreeSet<u32>| {
                !added.iter().any(|other| other != *set && other.is_subset(set))
            };
            let expected: BTreeSet<SetId> =
                added.iter().filter(least).map(|set| locksets.of(ids(set))).collect();
            let found: BTreeSet<SetId> = chain.sets(&chains).collect();
            prop_assert_eq!(found, expected);
        }

        /// Beyond the limit sets are merged; whatever was added still has a part among them.
        #[test]
        fn too_many_are_merged(
            added in prop::collection::vec(prop::collection::btree_set(0u32..40, 1..4), 40..120),
        ) {
            let (mut locksets, mut chains) = (Locksets::default(), Chains::default());
            let mut chain = Antichain::default();
            for locks in &added {
                let set = locksets.of(ids(locks));
                chain.add(set, &mut locksets, &mut chains);
            }
            prop_assert!(chain.sets(&chains).count() <= LIMIT);
            for locks in &added {
                let set = locksets.of(ids(locks));
                prop_assert!(chain.sets(&chains).any(|part| locksets.is_subset(part, set)));
            }
        }
    }

    /// Readers that share a lock keep it, however many other locks they hold.
    #[test]
    fn merging_keeps_what_is_in_common() {
        let (mut locksets, mut chains) = (Locksets::default(), Chains::default());
        let mut chain = Antichain::default();
        for i in 0..100 {
            let set = locksets.of(vec![LockId(i % 2), LockId(10 + i)]);
            chain.add(set, &mut locksets, &mut chains);
        }
        let mut sets: Vec<SetId> = chain.sets(&chains).collect();
        sets.sort();
        assert_eq!(sets, [SetId::single(LockId(0)), SetId::single(LockId(1))]);
    }
}
