//! Sets of locks of all methods, as `propagate.rs` solves them, with where each lock came from.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::bits::BitSet;
use crate::globals::GlobalId;
use crate::graph::NodeId;
use crate::ir::{CallId, ExprId, LockExpr, Program};

type Seed = foldhash::fast::FixedState;

/// Two locks of a method's table, the second acquired after the first was released; or one lock, twice the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Elem {
    pub(crate) first: ExprId,
    pub(crate) second: ExprId,
}

/// Where an element first came from. Origins lead to where a lock is acquired, and never round in circles: what an element
/// comes from was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The node itself.
    Own,
    /// The exported element of a callee, by position; a method's callee is that of a call.
    Callee { node: NodeId, call: Option<CallId>, at: u32 },
}

/// The set of one node.
#[derive(Debug, Default)]
pub(crate) struct Set {
    /// Elements that are not one global lock; those that callers can translate come first.
    pub(crate) elems: Box<[Elem]>,
    pub(crate) origins: Box<[Origin]>,
    pub(crate) exported: u32,
    /// Global locks that are a callee's `this` or parameter, and so are none of the callee's global locks.
    pub(crate) introduced: Box<[(GlobalId, Origin)]>,
    /// Global locks.
    pub(crate) globals: Arc<BitSet>,
}

impl Set {
    pub(crate) fn elems(&self) -> &[Elem] {
        &self.elems
    }

    pub(crate) fn exported(&self) -> &[Elem] {
        &self.elems[..self.exported as usize]
    }

    /// Where an element came from, by position.
    pub(crate) fn origin(&self, at: usize) -> Origin {
        self.origins[at]
    }

    /// Where a global lock came from that is none of the callees'.
    pub(crate) fn introduced(&self, lock: GlobalId) -> Option<Origin> {
        self.introduced.iter().find(|i| i.0 == lock).map(|i| i.1)
    }
}

/// The expressions of each node: a method's own, and those that translation added.
pub(crate) struct Tables<'a> {
    program: &'a Program,
    graph_methods: u32,
    pub(crate) grown: Vec<Option<Box<[LockExpr]>>>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(program: &'a Program, nodes: usize) -> Self {
        let graph_methods = program.methods.len() as u32;
        Self { program, graph_methods, grown: vec![None; nodes] }
    }

    pub(crate) fn nodes(&self, node: NodeId) -> &[LockExpr] {
        match &self.grown[node as usize] {
            Some(nodes) => nodes,
            None if node < self.graph_methods => {
                self.program.methods[node as usize].exprs().nodes()
            }
            None => &[LockExpr::Unknown],
        }
    }
}

/// The solution: a set for each node that has one.
pub(crate) struct Solution {
    pub(crate) sets: Vec<Option<Box<Set>>>,
    /// How many nodes a cap kept something from.
    pub(crate) capped: usize,
}

impl Solution {
    pub(crate) fn get(&self, node: NodeId) -> Option<&Set> {
        self.sets[node as usize].as_deref()
    }

    /// All sets there are.
    pub(crate) fn sets(&self) -> impl Iterator<Item = (NodeId, &Set)> {
        (0..).zip(&self.sets).filter_map(|(node, set)| Some((node, set.as_deref()?)))
    }

    /// Gives global locks the ids of a sorted table.
    pub(crate) fn renumber(&mut self, new_ids: &[u32]) {
        let mut new = self.map_globals(|old| {
            let mut new = BitSet::default();
            old.iter().for_each(|id| {
                new.insert(new_ids[id as usize]);
            });
            new
        });
        for (set, new) in self.sets.iter_mut().zip(&mut new) {
            let (Some(set), Some(new)) = (set, new.take()) else { continue };
            set.globals = new;
            for (lock, _) in &mut set.introduced {
                lock.0 = new_ids[lock.0 as usize];
            }
        }
    }

    /// Makes other sets of the sets of global locks, for each node. Each is looked at once, however many nodes share it.
    pub(crate) fn map_globals(&self, map: impl Fn(&BitSet) -> BitSet) -> Vec<Option<Arc<BitSet>>> {
        let mut known: HashMap<*const BitSet, Arc<BitSet>, Seed> = HashMap::default();
        let mut new = |set: &Set| {
            let entry = known.entry(Arc::as_ptr(&set.globals));
            entry.or_insert_with(|| Arc::new(map(&set.globals))).clone()
        };
        self.sets.iter().map(|set| set.as_deref().map(&mut new)).collect()
    }
}
