//! Which orders of locks can be on a circle at all: those within a strongly connected component of
//! the graph of locks (Tarjan's algorithm, without recursion: a chain of locks may be long).
//!
//! Sets of locks are nodes of the graph, too: a lock leads to the set that it is the greatest of, a set to those that have one more,
//! greater lock, and a set that somebody held to the lock acquired. So a lock leads by sets just to what was acquired with it in hand, and there are
//! not as many edges as locks in all these sets.

use super::orders::{Occurrence, Orders};
use crate::context::locksets::{Locksets, Place, SetId};
use interloper_trace::LockId;
use smallvec::{SmallVec, smallvec};

const UNSEEN: u32 = u32::MAX;

/// The components.
pub(super) struct Knots<'a> {
    locksets: &'a Locksets,
    /// By lock.
    component: Vec<u32>,
    /// By component: how many locks it has.
    locks_in: Vec<u32>,
}

impl<'a> Knots<'a> {
    /// The components of all orders.
    pub(super) fn new(orders: &Orders, locksets: &'a Locksets) -> Knots<'a> {
        let greatest = |one: &Occurrence| {
            let held = locksets.descending(one.held).next();
            held.map_or(one.lock, |held| held.max(one.lock)).index()
        };
        let locks = orders.all().iter().map(greatest).max().map_or(0, |most| most + 1);
        let node = |set| match locksets.place(set) {
            Some(Place::Lock(lock)) => Some(lock.index()).filter(|&lock| lock < locks),
            Some(Place::Large(place)) => Some(locks + place),
            None => None,
        };
        let mut next: Vec<SmallVec<[u32; 2]>> = vec![smallvec![]; locks];
        next.extend(locksets.large().map(|_| smallvec![]));
        for (place, (greatest, rest)) in locksets.large().enumerate() {
            for part in [node(SetId::single(greatest)), node(rest)].into_iter().flatten() {
                next[part].push((locks + place) as u32);
            }
        }
        for one in orders.all() {
            if let Some(held) = node(one.held) {
                next[held].push(one.lock.0);
            }
        }
        let mut component = components(&next);
        component.truncate(locks);
        let mut locks_in = vec![0; next.len()];
        component.iter().for_each(|&component| locks_in[component as usize] += 1);
        Knots { locksets, component, locks_in }
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
        let alone = self.locks_in[self.component[lock.index()] as usize] == 1;
        !alone && self.locksets.descending(held).any(|held| self.together(held, lock))
    }
}

/// The component of each node; `next[n]` are those that `n` leads to.
fn components(next: &[SmallVec<[u32; 2]>]) -> Vec<u32> {
    let mut tarjan = Tarjan {
        next,
        number: vec![UNSEEN; next.len()],
        lowest: vec![0; next.len()],
        component: vec![UNSEEN; next.len()],
        open: vec![],
        count: 0,
        components: 0,
    };
    for node in 0..next.len() {
        if tarjan.number[node] == UNSEEN {
            tarjan.visit(node);
        }
    }
    tarjan.component
}

struct Tarjan<'a> {
    next: &'a [SmallVec<[u32; 2]>],
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
        while let Some((node, done)) = path.last_mut() {
            let node = *node;
            if let Some(next) = self.next[node].get(*done).map(|&next| next as usize) {
                *done += 1;
                if self.number[next] == UNSEEN {
                    self.enter(next);
                    path.push((next, 0));
                } else if self.component[next] == UNSEEN {
                    self.lowest[node] = self.lowest[node].min(self.number[next]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.lowest[parent] = self.lowest[parent].min(self.lowest[node]);
            }
            if self.lowest[node] == self.number[node] {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.number[node] = self.count;
        self.lowest[node] = self.count;
        self.count += 1;
        self.open.push(node);
    }

    /// All that was visited since `first` and is still open is one component.
    fn close(&mut self, first: usize) {
        while let Some(node) = self.open.pop() {
            self.component[node] = self.components;
            if node == first {
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
    fn reached(next: &[SmallVec<[u32; 2]>]) -> Vec<Vec<bool>> {
        let n = next.len();
        let mut to: Vec<Vec<bool>> = (0..n).map(|a| (0..n).map(|b| a == b).collect()).collect();
        for _ in 0..n {
            for a in 0..n {
                for b in next[a].iter().map(|&next| next as usize) {
                    let more = to[b].clone();
                    to[a].iter_mut().zip(more).for_each(|(mine, also)| *mine |= also);
                }
            }
        }
        to
    }

    proptest! {
        /// Two nodes are in one component if and only if each is reached from the other.
        #[test]
        fn components_are_what_goes_both_ways(edges in prop::collection::vec((0..8usize, 0..8u32), 0..20)) {
            let mut next = vec![smallvec![]; 8];
            for (from, to) in edges {
                next[from].push(to);
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
        let next: Vec<_> = (1..=300_000).map(|node| smallvec![node % 300_000]).collect();
        assert!(components(&next).iter().all(|&component| component == 0));
    }
}
