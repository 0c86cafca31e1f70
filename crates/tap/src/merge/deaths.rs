//! Dead objects: what is known of them goes.
//!
//! The word of an object's death comes after every entry about it, so nothing more is to be said of it. Should something be said all the same (a
//! compiler lets go of objects early; logs may hold anything), it is left out, and counted: it must not look like something that is still
//! to come. So the numbers of the dead are remembered, which takes little room: they are given in a row, and most die.

use super::run::Merger;
use crate::log;
use interloper_trace::VarRange;
use std::collections::BTreeMap;

/// Numbers of objects, as stretches: from the first to the last.
#[derive(Default)]
pub(super) struct Dead(BTreeMap<u32, u32>);

impl Dead {
    pub(super) fn contains(&self, id: u32) -> bool {
        self.0.range(..=id).next_back().is_some_and(|(_, &last)| last >= id)
    }

    pub(super) fn insert(&mut self, id: u32) {
        let before = self.0.range_mut(..=id).next_back();
        let first = match before {
            Some((_, last)) if *last >= id => return,
            Some((&first, last)) if *last + 1 == id => {
                *last = id;
                first
            }
            _ => {
                self.0.insert(id, id);
                id
            }
        };
        let behind = id.checked_add(1).and_then(|next| self.0.remove(&next));
        if let Some(last) = behind {
            self.0.insert(first, last);
        }
    }
}

impl Merger {
    /// Objects are dead: up to three in an entry.
    pub(super) fn dead(&mut self, word: u64, second: u64) {
        self.objects.fetch_dead(log::dead_ids(word, second));
        for id in log::dead_ids(word, second) {
            self.bury(id);
        }
    }

    fn bury(&mut self, id: u32) {
        let lock = self.objects.bury(id);
        let stock = &mut self.objects.stock;
        if let Some(lock) = lock.filter(|&lock| self.threads.is_at_rest(lock)) {
            stock.retire_lock(lock);
        }
        self.signals.bury(id, |var| stock.retire(VarRange::one(var)));
        self.counts.dead += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_numbers_grow_together() {
        let mut dead = Dead::default();
        for id in [5, 7, 0, 1, u32::MAX, 6, 6, 3, u32::MAX - 1] {
            assert!(!dead.contains(id) || id == 6);
            dead.insert(id);
            assert!(dead.contains(id));
        }
        let stretches: Vec<(u32, u32)> = dead.0.iter().map(|(&a, &b)| (a, b)).collect();
        assert_eq!(stretches, [(0, 1), (3, 3), (5, 7), (u32::MAX - 1, u32::MAX)]);
        assert!([2, 4, 8, u32::MAX - 2].iter().all(|&id| !dead.contains(id)));
    }
}
