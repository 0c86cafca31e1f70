//! Which orders of locks can be on a circle at all: those within a strongly connected component of
//! the graph of locks (Tarjan's algorithm, without recursion: a chain of locks may be long).

use super::orders::Orders;
use crate::context::locksets::{Locksets, SetId};
use interloper_trace::LockId;

const UNSEEN: u32 = u32::MAX;

/// The components.
pub(super) struct Knots<'a> {
    locksets: &'a Locksets,
    /// By lock.
    component: Vec<u32>,
}

impl<'a> Knots<'a> {
    /// The components of all orders.
    pub(super) fn new(orders: &Orders, locksets: &'a Locksets) -> Knots<'a> {
        let mut next: Vec<Vec<LockId>> = vec![];
        for one in orders.all() {
            for held in locksets.descending(one.held) {
                let highest = held.max(one.lock).index();
                if highest >= next.len() {
                    next.resize(highest + 1, vec![]);
                }
                next[held.index()].push(one.lock);
            }
        }
        Knots { locksets, component: components(&next) }
    }

    /// How many locks there are, at least.
    pub(super) fn locks(&self) -> usize {
        self.component.len()
    }

    /// Whether two locks are in one component.
    pub(super) fn together(&self, a: LockId, b: LockId) -> bool {
        self.component[a.index()] == self.component[b.index()]
    }

    /// Whether acquiring the lock with these in hand can be on a circle.
    pub(super) fn ties(&self, held: SetId, lock: LockId) -> bool {
        self.locksets.descending(held).any(|held| self.together(held, lock))
    }
}

/// The component of each lock, by the lock's number. `next[m]` are the locks acquired while `m` is
/// held.
fn components(next: &[Vec<LockId>]) -> Vec<u32> {
    let mut tarjan = Tarjan {
        next,
        number: vec![UNSEEN; next.len()],
        lowest: vec![0; next.len()],
        component: vec![UNSEEN; next.len()],
        open: vec![],
        count: 0,
        components: 0,
    };
    for lock in 0..next.len() {
        if tarjan.number[lock] == UNSEEN {
            tarjan.visit(lock);
        }
    }
    tarjan.component
}

struct Tarjan<'a> {
    next: &'a [Vec<LockId>],
    /// In the order of visits.
    number: Vec<u32>,
    /// The lowest number that is known to be reached and not yet in a component.
    lowest: Vec<u32>,
    component: Vec<u32>,
    /// Visited, and not yet in a component.
    open: Vec<usize>,
    count: u32,
    components: u32,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: usize) {
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((lock, done)) = path.last_mut() {
            let lock = *lock;
            if let Some(next) = self.next[lock].get(*done).map(|next| next.index()) {
                *done += 1;
                if self.number[next] == UNSEEN {
                    self.enter(next);
                    path.push((next, 0));
                } else if self.component[next] == UNSEEN {
                    self.lowest[lock] = self.lowest[lock].min(self.number[next]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.lowest[parent] = self.lowest[parent].min(self.lowest[lock]);
            }
            if self.lowest[lock] == self.number[lock] {
                self.close(lock);
            }
        }
    }

    fn enter(&mut self, lock: usize) {
        self.number[lock] = self.count;
        self.lowest[lock] = self.count;
        self.count += 1;
        self.open.push(lock);
    }

    /// All that was visited since `first` and is still open is one component.
    fn close(&mut self, first: usize) {
        while let Some(lock) = self.open.pop() {
            self.component[lock] = self.components;
            if lock == first {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Which locks are reached from each, by closure.
    fn reached(next: &[Vec<LockId>]) -> Vec<Vec<bool>> {
        let n = next.len();
        let mut to: Vec<Vec<bool>> = (0..n).map(|a| (0..n).map(|b| a == b).collect()).collect();
        for _ in 0..n {
            for a in 0..n {
                for b in next[a].iter().map(|lock| lock.index()) {
                    let more = to[b].clone();
                    to[a].iter_mut().zip(more).for_each(|(mine, also)| *mine |= also);
                }
            }
        }
        to
    }

    proptest! {
        /// Two locks are in one component if and only if each is reached from the other.
        #[test]
        fn components_are_what_goes_both_ways(edges in prop::collection::vec((0..8usize, 0..8u32), 0..20)) {
            let mut next = vec![vec![]; 8];
            for (from, to) in edges {
                next[from].push(LockId(to));
            }
            let (component, to) = (components(&next), reached(&next));
            for a in 0..8 {
                for b in 0..8 {
                    prop_assert_eq!(component[a] == component[b], to[a][b] && to[b][a]);
                }
            }
        }
    }

    #[test]
    fn long_chains_need_no_deep_stack() {
        let next: Vec<Vec<LockId>> =
            (1..=300_000).map(|lock| vec![LockId(lock % 300_000)]).collect();
        assert!(components(&next).iter().all(|&component| component == 0));
    }
}
