//! What a call may assign: the DEPENDS of Figure 7, extended to calls.
//!
//! ASSIGNED(m) are the fields, array elements and static fields that m or its callees may assign to, as expressions over `this` and the
//! formal parameters; it has the form that `propagate.rs` solves. After a call, locks that depend on what it may have assigned
//! are no longer in `R`: `close() { r.close(); r = null; }` called twice does not lock the same `r` twice. The paper's
//! transfer function for calls forgets this.
//!
//! An assignment that is conditional counts, too: the scan would rather miss an instance than report what is none. Only
//! what can be part of some lock is followed (`paths.rs`), which keeps the sets small.

use std::sync::Arc;

use hashbrown::HashSet;

use crate::bits::BitSet;
use crate::globals::{GlobalId, Globals, each_part};
use crate::graph::{Components, Graph, NodeId};
use crate::ir::{Action, ExprId, LockExpr, Method, MethodId, Program, RegionId, StaticId, Symbol};
use crate::options::Options;
use crate::paths::Paths;
use crate::propagate::{Equation, Solver};
use crate::solution::{Solution, Tables};
use crate::table::{Binding, Lock, Reach, Table};

type Seed = foldhash::fast::FixedState;

/// ASSIGNED, and what follows from it for global locks.
pub(crate) struct Assigned {
    /// ASSIGNED of each node. Global expressions are those of a table of their own.
    pub(crate) sets: Solution,
    /// For each node, the global locks that depend on the global expressions it assigns to.
    killed: Vec<Option<Arc<BitSet>>>,
    /// Global expressions that are assigned to, and the global locks that depend on each.
    targets: Globals,
    dependents: Vec<BitSet>,
    /// Fields that are part of global locks.
    pub(crate) global_fields: HashSet<Symbol, Seed>,
}

impl Assigned {
    /// The global locks that depend on what a node assigns to.
    pub(crate) fn killed_by(&self, node: NodeId) -> Option<&BitSet> {
        self.killed[node as usize].as_deref()
    }

    /// The id of a global expression, if anything assigns to it.
    pub(crate) fn target(&self, nodes: &[LockExpr], target: ExprId) -> Option<GlobalId> {
        self.targets.find(nodes, target)
    }

    /// The global locks that depend on an expression.
    pub(crate) fn dependents(&self, nodes: &[LockExpr], target: ExprId) -> Option<&BitSet> {
        let target = self.target(nodes, target)?;
        self.dependents.get(target.0 as usize)
    }
}

/// Static fields and paths that are part of locks.
#[derive(Default)]
struct Relevant {
    paths: Paths,
    statics: HashSet<StaticId, Seed>,
}

impl Relevant {
    fn new(held: &Solution, tables: &Tables<'_>, global_nodes: &[LockExpr]) -> Self {
        let mut relevant = Self::default();
        (0..global_nodes.len()).for_each(|id| relevant.note(global_nodes, ExprId::from_index(id)));
        for (node, set) in held.sets() {
            let nodes = tables.nodes(node);
            set.elems().iter().for_each(|elem| relevant.note(nodes, elem.second));
        }
        relevant
    }

    fn note(&mut self, nodes: &[LockExpr], lock: ExprId) {
        self.paths.add(nodes, lock);
        each_part(nodes, lock, &mut |part| {
            if let LockExpr::Static(id) = nodes[part.index()] {
                self.statics.insert(id);
            }
        });
    }

    fn contains(&self, nodes: &[LockExpr], expr: ExprId) -> bool {
        match nodes[expr.index()] {
            LockExpr::Static(id) => self.statics.contains(&id),
            LockExpr::Field(..) | LockExpr::Index(..) => self.paths.contains(nodes, expr),
            _ => false,
        }
    }

    /// What a method assigns to, as far as it is part of locks; local variables are nobody else's.
    fn assigned_by<'m>(&'m self, method: &'m Method) -> impl Iterator<Item = ExprId> + 'm {
        let nodes = method.exprs().nodes();
        method.stmts().iter().filter_map(move |stmt| match stmt.action {
            Action::Assign(target) if self.contains(nodes, target) => Some(target),
            _ => None,
        })
    }
}

/// ASSIGNED.
struct MayAssign<'a> {
    relevant: &'a Relevant,
    targets: &'a Globals,
}

impl Equation for MayAssign<'_> {
    fn has_base(&self, _: MethodId, method: &Method) -> bool {
        self.relevant.assigned_by(method).next().is_some()
    }

    fn base(&self, _: MethodId, method: &Method, table: &mut Table) -> Vec<(Lock, Lock)> {
        let targets = self.relevant.assigned_by(method);
        let targets = targets.filter(|&target| table.reach(target) != Reach::Method);
        targets.filter_map(|target| table.lock(target, self.targets)).map(|t| (t, t)).collect()
    }

    fn follows(&self, _: RegionId) -> bool {
        true
    }

    fn takes(
        &self,
        callee: &[LockExpr],
        expr: ExprId,
        caller: &[LockExpr],
        binding: Binding<'_>,
    ) -> bool {
        self.relevant.paths.may_matter(callee, expr, caller, binding)
    }
}

/// Solves ASSIGNED, once LOCKSHELD is known.
pub(crate) fn assigned(
    (program, graph, components): (&Program, &Graph, &Components),
    options: &Options,
    held: &Solution,
    tables: &mut Tables<'_>,
    global_nodes: &[LockExpr],
) -> Assigned {
    let relevant = Relevant::new(held, tables, global_nodes);
    let targets = Globals::new();
    let equation = MayAssign { relevant: &relevant, targets: &targets };
    let solver = Solver { program, graph, globals: &targets, global_nodes: &[], options, equation };
    let sets = solver.solve(components, tables);
    let mut dependents = vec![BitSet::default(); targets.nodes().len()];
    for lock in 1..global_nodes.len() as u32 {
        each_part(global_nodes, ExprId(lock), &mut |part| {
            if let Some(target) = targets.find(global_nodes, part) {
                dependents[target.0 as usize].insert(lock);
            }
        });
    }
    let killed = sets.map_globals(|assigned| {
        let mut locks = BitSet::default();
        assigned.iter().for_each(|target| {
            locks.union(&dependents[target as usize]);
        });
        locks
    });
    let fields = global_nodes.iter().filter_map(|node| match node {
        LockExpr::Field(_, name) => Some(*name),
        _ => None,
    });
    let global_fields = fields.collect();
    Assigned { sets, killed, targets, dependents, global_fields }
}
