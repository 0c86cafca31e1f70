//! The search for circles among the orders of locks.
//!
//! A circle is a sequence of patterns, each of which acquires a lock that the next one holds, the
//! last one's being held by the first. As no two of them may hold a common lock, a lock on the
//! circle has one holder, and no circle contains another. A circle is found from its first pattern
//! in the order of their first occurrence.
//!
//! Short circles come first: the search is repeated with growing limits on their length, and what
//! is left of a search that has used up its budget is given up.

use super::cast::Cast;
use super::knots::Knots;
use super::orders::{Occurrence, Pattern};
use crate::context::hashing::IdMap;
use crate::context::locksets::Locksets;
use crate::context::periods::Periods;
use crate::engine::Progress;
use interloper_trace::{LockId, ThreadId};
use std::collections::HashSet;

/// How long the circles may be in each search; the longest that are looked for at all at the end.
const LIMITS: [usize; 8] = [2, 3, 4, 6, 8, 16, 64, 1000];
/// How many steps a search may take: about a second.
const STEPS: u64 = 20_000_000;
/// How many pairs of a lock held and a lock acquired are looked at: some hundred megabytes. (A thread that holds thousands at once has millions.)
const PAIRS: usize = 1 << 22;
/// After so many circles nobody wants to know of more.
const CIRCLES: usize = 10_000;

/// Steps that may still be taken.
pub(super) struct Budget(u64);

impl Budget {
    /// Takes a step, if there is one left.
    #[inline]
    pub(super) fn spend(&mut self) -> bool {
        let left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        left
    }
}

/// A part of a circle: who acquires a lock of the next one.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) lock: LockId,
    pub(super) who: &'a Occurrence,
}

/// What a search came to.
#[derive(Default)]
pub(super) struct Outcome<'a> {
    /// The circles found, short ones first.
    pub(super) circles: Vec<Vec<Part<'a>>>,
    /// Whether there may be more.
    pub(super) given_up: bool,
}

/// A pattern that can be on a circle.
struct Node<'a> {
    pattern: &'a Pattern,
    held: Vec<LockId>,
    /// The only thread that does so, if there is only one.
    only: Option<ThreadId>,
}

/// A search.
pub(super) struct Search<'a> {
    periods: &'a Periods,
    /// Whether a circle of threads that came directly is better than another.
    pub(super) prefer_direct: bool,
    nodes: Vec<Node<'a>>,
    /// By lock: the nodes that hold it and acquire a lock of its component, ascending.
    holders: Vec<Vec<u32>>,
    /// By lock held and lock acquired: the nodes.
    edges: IdMap<(LockId, LockId), Vec<u32>>,
    /// How many different threads there are.
    threads: usize,
    /// The nodes of the path so far, and how many of the last one's followers were tried.
    path: Vec<(u32, usize)>,
    /// By lock: which place on the path holds it, from 1.
    taken: Vec<u32>,
    /// The threads that a node of the path cannot do without.
    bound: HashSet<ThreadId>,
    /// The longest circle looked for, and the longest that was looked for before.
    limit: usize,
    known: usize,
    /// Whether a path was left because of the limit.
    cut: bool,
    budget: Budget,
    outcome: Outcome<'a>,
}

impl<'a> Search<'a> {
    /// A search among these patterns.
    pub(super) fn new(
        patterns: &'a [Pattern],
        knots: &Knots<'_>,
        locksets: &Locksets,
        periods: &'a Periods,
    ) -> Search<'a> {
        let mut search = Search {
            periods,
            prefer_direct: true,
            nodes: vec![],
            holders: vec![vec![]; knots.locks()],
            edges: IdMap::default(),
            threads: patterns.iter().flat_map(Pattern::threads).collect::<HashSet<_>>().len(),
            path: vec![],
            taken: vec![0; knots.locks()],
            bound: HashSet::new(),
            limit: 0,
            known: 0,
            cut: false,
            budget: Budget(0),
            outcome: Outcome::default(),
        };
        let mut room = PAIRS;
        for pattern in patterns {
            let Some(left) = room.checked_sub(locksets.len(pattern.held)) else {
                search.outcome.given_up = true;
                continue;
            };
            room = left;
            let number = search.nodes.len() as u32;
            let held = locksets.locks(pattern.held);
            for &lock in held.iter().filter(|&&lock| knots.together(lock, pattern.lock)) {
                search.holders[lock.index()].push(number);
                search.edges.entry((lock, pattern.lock)).or_default().push(number);
            }
            search.nodes.push(Node { pattern, held, only: pattern.only() });
        }
        search
    }

    /// Searches.
    pub(super) fn run(mut self, progress: &mut dyn Progress) -> Outcome<'a> {
        let all = self.nodes.len() as u64;
        for (round, limit) in (0u64..).zip(LIMITS) {
            (self.limit, self.cut, self.budget) = (limit, false, Budget(STEPS));
            for start in 0..self.nodes.len() as u32 {
                if start % 1024 == 0 {
                    progress.at(round * all + u64::from(start), (round + 1) * all);
                }
                self.from(start);
                if self.budget.0 == 0 || self.outcome.circles.len() >= CIRCLES {
                    self.outcome.given_up = true;
                    return self.outcome;
                }
            }
            self.known = limit;
            if !self.cut || limit >= self.threads {
                return self.outcome;
            }
        }
        self.outcome.given_up = true;
        self.outcome
    }

    /// The circles whose first pattern this is.
    fn from(&mut self, start: u32) {
        self.push(start, start);
        while let Some(&(last, tried)) = self.path.last() {
            if self.path.len() + 1 == self.limit {
                self.close(start, last);
                self.pop();
                continue;
            }
            let lock = self.nodes[last as usize].pattern.lock;
            let Some(&next) = self.holders[lock.index()].get(tried) else {
                self.pop();
                continue;
            };
            if let Some((_, tried)) = self.path.last_mut() {
                *tried += 1;
            }
            if !self.budget.spend() {
                self.clear();
                return;
            }
            if self.fits(next) {
                match self.taken[self.nodes[next as usize].pattern.lock.index()] {
                    0 => self.push(next, start),
                    1 => self.circle(next),
                    // Who holds this lock is on the path already; nobody else may.
                    _ => {}
                }
            }
        }
    }

    /// The circles that one more pattern makes of the path.
    fn close(&mut self, start: u32, last: u32) {
        let lock = self.nodes[last as usize].pattern.lock;
        self.cut |= self.holders[lock.index()].last().is_some_and(|&highest| highest > start);
        for i in 0..self.nodes[start as usize].held.len() {
            let back = self.nodes[start as usize].held[i];
            let Some(edges) = self.edges.get(&(lock, back)) else { continue };
            for next in edges.clone() {
                if next > start && self.budget.spend() && self.fits(next) {
                    self.circle(next);
                }
            }
        }
    }

    /// Whether the path can go on to this pattern: no common lock, and threads enough.
    fn fits(&self, next: u32) -> bool {
        let node = &self.nodes[next as usize];
        node.held.iter().all(|lock| self.taken[lock.index()] == 0)
            && node.only.is_none_or(|thread| !self.bound.contains(&thread))
    }

    fn push(&mut self, next: u32, start: u32) {
        let node = &self.nodes[next as usize];
        let place = self.path.len() as u32 + 1;
        node.held.iter().for_each(|lock| self.taken[lock.index()] = place);
        self.bound.extend(node.only);
        // Followers from the start on; the start itself would share its own locks.
        let followers = &self.holders[node.pattern.lock.index()];
        let tried = followers.partition_point(|&follower| follower <= start);
        self.path.push((next, tried));
    }

    fn pop(&mut self) {
        if let Some((last, _)) = self.path.pop() {
            let node = &self.nodes[last as usize];
            node.held.iter().for_each(|lock| self.taken[lock.index()] = 0);
            if let Some(thread) = node.only {
                self.bound.remove(&thread);
            }
        }
    }

    fn clear(&mut self) {
        while !self.path.is_empty() {
            self.pop();
        }
    }

    /// The path and one more pattern are a circle of locks; now for the threads.
    fn circle(&mut self, last: u32) {
        if self.path.len() < self.known {
            return;
        }
        let nodes = self.path.iter().map(|&(node, _)| node).chain([last]);
        let parts: Vec<&'a Pattern> = nodes.map(|node| self.nodes[node as usize].pattern).collect();
        let Search { periods, budget, .. } = self;
        let direct = self.prefer_direct.then(|| Cast::of(periods, &parts, true, budget)).flatten();
        let Some(cast) = direct.or_else(|| Cast::of(periods, &parts, false, budget)) else {
            return;
        };
        let part = |(part, who): (&&Pattern, _)| Part { lock: part.lock, who };
        self.outcome.circles.push(parts.iter().zip(cast).map(part).collect());
    }
}
