//! Locks that are the same everywhere: static fields, class literals, and what is reached from them.
//!
//! A translation from callee to caller leaves them alone, so all methods of a recursive knot acquire the same ones, and
//! one bit set serves them all. While LOCKSHELD is solved, ids are given by whichever thread comes first; [`Globals::sorted`] then
//! puts them in an order that depends on the expressions alone.

use std::cmp::Ordering;
use std::sync::{PoisonError, RwLock};

use crate::ir::{ExprId, Interner, LockExpr};

/// A lock of the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GlobalId(pub(crate) u32);

/// The table of such locks, for many threads.
pub(crate) struct Globals {
    table: RwLock<Interner>,
}

impl Globals {
    pub(crate) fn new() -> Self {
        // Expressions were held to the bound where they were made.
        Self { table: RwLock::new(Interner::new(u8::MAX)) }
    }

    /// The id of a method's expression that has neither `this` nor locals in it.
    pub(crate) fn intern(&self, nodes: &[LockExpr], id: ExprId) -> GlobalId {
        if let Some(found) = self.find(nodes, id) {
            return found;
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        GlobalId(copy(nodes, id, &mut |node| Some(table.intern(node))).map_or(0, |e| e.0))
    }

    /// The id, if the expression is already known.
    pub(crate) fn find(&self, nodes: &[LockExpr], id: ExprId) -> Option<GlobalId> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        copy(nodes, id, &mut |node| table.find(node)).map(|e| GlobalId(e.0))
    }

    /// All expressions so far, indexed by [`GlobalId`].
    pub(crate) fn nodes(&self) -> Vec<LockExpr> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).nodes().to_vec()
    }

    /// The same table with ids in an order that depends on the expressions alone, parts before wholes; and the new id of each old
    /// one.
    pub(crate) fn sorted(&self) -> (Self, Vec<u32>) {
        let nodes = self.nodes();
        let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
        let depths: Vec<u32> = order.iter().map(|&id| depth(&nodes, ExprId(id))).collect();
        order.sort_by(|&a, &b| {
            let depths = depths[a as usize].cmp(&depths[b as usize]);
            depths.then_with(|| compare(&nodes, ExprId(a), ExprId(b)))
        });
        let mut new_ids = vec![0; nodes.len()];
        let mut table = Interner::new(u8::MAX);
        for &old in &order {
            let new = |id: ExprId| ExprId(new_ids[id.index()]);
            let node = match nodes[old as usize] {
                LockExpr::Field(base, name) => LockExpr::Field(new(base), name),
                LockExpr::Index(base, index) => LockExpr::Index(new(base), new(index)),
                leaf => leaf,
            };
            new_ids[old as usize] = table.intern(node).0;
        }
        (Self { table: RwLock::new(table) }, new_ids)
    }
}

fn depth(nodes: &[LockExpr], id: ExprId) -> u32 {
    match nodes[id.index()] {
        LockExpr::Unknown => 0,
        LockExpr::Field(base, _) => depth(nodes, base) + 1,
        LockExpr::Index(base, index) => depth(nodes, base).max(depth(nodes, index)) + 1,
        _ => 1,
    }
}

/// Calls back with an expression and all of its parts.
pub(crate) fn each_part(nodes: &[LockExpr], id: ExprId, call: &mut impl FnMut(ExprId)) {
    call(id);
    match nodes[id.index()] {
        LockExpr::Field(base, _) => each_part(nodes, base, call),
        LockExpr::Index(base, index) => {
            each_part(nodes, base, call);
            each_part(nodes, index, call);
        }
        _ => {}
    }
}

fn compare(nodes: &[LockExpr], a: ExprId, b: ExprId) -> Ordering {
    use LockExpr::{Field, Index};
    match (nodes[a.index()], nodes[b.index()]) {
        (Field(a, f), Field(b, g)) => compare(nodes, a, b).then(f.cmp(&g)),
        (Index(a, i), Index(b, j)) => compare(nodes, a, b).then_with(|| compare(nodes, i, j)),
        // Different kinds, or no parts: the order of the enumeration.
        (a, b) => a.cmp(&b),
    }
}

/// Rebuilds an expression in another table, whose way of making nodes is given.
pub(crate) fn copy(
    nodes: &[LockExpr],
    id: ExprId,
    make: &mut impl FnMut(LockExpr) -> Option<ExprId>,
) -> Option<ExprId> {
    let node = match nodes[id.index()] {
        LockExpr::Field(base, name) => LockExpr::Field(copy(nodes, base, make)?, name),
        LockExpr::Index(base, index) => {
            LockExpr::Index(copy(nodes, base, make)?, copy(nodes, index, make)?)
        }
        leaf => leaf,
    };
    make(node)
}
