//! FINAL_T and FINAL_P (sections 4.4 and 4.6), and which potential witnesses they confirm.
//!
//! FINAL_T(m) is what m and those it calls *outside of its synchronization blocks* acquire twice: it has the form that
//! `propagate.rs` solves, with A(m)_T as base and the calls in the root region. FINAL_P(m) adds to A(m)_P what the callees of the calls
//! inside a block acquire twice, but for the locks of that block and those around it. It never crosses a method's boundary.

use crate::bits::BitSet;
use crate::globals::GlobalId;
use crate::graph::{Graph, NodeId};
use crate::ir::{ExprId, Method, MethodId, RegionId, Site};
use crate::pivot::RootFacts;
use crate::propagate::{Equation, Solver};
use crate::solution::{Elem, Set, Solution};
use crate::table::{Binding, Lock, Table};
use crate::world::World;

/// FINAL_T.
struct FinalT<'a>(&'a [RootFacts]);

impl Equation for FinalT<'_> {
    fn has_base(&self, id: MethodId, _: &Method) -> bool {
        let facts = &self.0[id.index()];
        !facts.twice.is_empty() || !facts.globals.is_empty()
    }

    fn base(&self, id: MethodId, _: &Method, _: &mut Table) -> Vec<(Lock, Lock)> {
        self.0[id.index()].twice.to_vec()
    }

    fn base_globals(&self, id: MethodId) -> Option<&BitSet> {
        Some(&self.0[id.index()].globals)
    }

    fn follows(&self, region: RegionId) -> bool {
        region == RegionId::ROOT
    }
}

/// Solves FINAL_T. The tables may learn expressions for global locks that are one of a pair.
pub(crate) fn final_t(world: &mut World<'_>, roots: &[RootFacts]) -> Solution {
    let graph = Graph::new(world.program, world.targets, |_, method, found| {
        let root = method.sites().filter(|s| s.region == RegionId::ROOT);
        found.extend(root.map(|s| method.call(s.call).dispatch));
    });
    let solver = Solver {
        program: world.program,
        graph: &graph,
        globals: &world.globals,
        global_nodes: &world.global_nodes,
        options: world.options,
        equation: FinalT(roots),
    };
    solver.solve(&graph.components(), &mut world.tables)
}

/// FINAL_T, and what follows from it.
pub(crate) struct Finals<'a, 'p> {
    pub(crate) world: &'a World<'p>,
    pub(crate) twice: &'a Solution,
}

impl Finals<'_, '_> {
    /// FINAL_T of a node.
    pub(crate) fn set(&self, node: NodeId) -> Option<&Set> {
        self.twice.get(node)
    }

    /// FINAL_T of a node, if global locks cross calls at all.
    pub(crate) fn set_across(&self, node: NodeId) -> Option<&Set> {
        self.set(node).filter(|_| self.world.options.statics_cross_calls)
    }

    /// Calls back with what the callees of a method's calls acquire twice, as the method knows it: the site, the node
    /// called, the position there, and the lock or locks here, with the table that has them.
    pub(crate) fn each_final(
        &self,
        id: MethodId,
        wanted: impl Fn(&Site) -> bool,
        mut call: impl FnMut(&Site, NodeId, u32, Elem, &Table),
    ) {
        let method = self.world.method(id);
        let mut table = None;
        for site in method.sites().filter(wanted) {
            let node = self.world.graph.of_dispatch(method.call(site.call).dispatch);
            let Some(set) = self.set(node) else { continue };
            let binding = Binding::Call(method.call(site.call).receiver, method.args(site.call));
            if !binding.is_useful(self.world.options.variant) {
                continue;
            }
            for (at, elem) in set.exported().iter().enumerate() {
                let table = table.get_or_insert_with(|| self.world.table(id));
                let nodes = self.world.tables.nodes(node);
                let first = table.translate(nodes, elem.first, binding);
                let second = table.translate(nodes, elem.second, binding);
                if first != ExprId::UNKNOWN && second != ExprId::UNKNOWN {
                    call(&site, node, at as u32, Elem { first, second }, table);
                }
            }
        }
    }

    /// What the blocks of a method confirm of its callees' potential witnesses: FINAL_P without A(m)_P.
    pub(crate) fn confirmed_by_calls(&self, id: MethodId) -> Vec<(Lock, Lock)> {
        let method = self.world.method(id);
        let mut found = Vec::new();
        self.each_final(
            id,
            |s| s.region != RegionId::ROOT,
            |site, _, _, elem, table| {
                let held = |lock| is_held(method, site.region, lock);
                let lock = |id| table.lock(id, &self.world.globals);
                if !held(elem.first)
                    && !held(elem.second)
                    && let (Some(first), Some(second)) = (lock(elem.first), lock(elem.second))
                {
                    found.push((first, second));
                }
            },
        );
        for site in method.sites().filter(|s| s.region != RegionId::ROOT) {
            let node = self.world.graph.of_dispatch(method.call(site.call).dispatch);
            if let Some(set) = self.set_across(node) {
                let held = globals_held(self.world, id, site.region);
                let globals = set.globals.iter().filter(|&g| !held.contains(g)).map(GlobalId);
                found.extend(globals.map(|g| (Lock::Global(g), Lock::Global(g))));
            }
        }
        found
    }
}

/// Whether a region or one around it locks an expression.
pub(crate) fn is_held(method: &Method, mut region: RegionId, lock: ExprId) -> bool {
    while region != RegionId::ROOT {
        if method.region(region).lock == lock {
            return true;
        }
        region = method.region(region).parent;
    }
    false
}

/// The global locks of a region and those around it.
pub(crate) fn globals_held(world: &World<'_>, id: MethodId, mut region: RegionId) -> BitSet {
    let method = world.method(id);
    let nodes = method.exprs().nodes();
    let mut held = BitSet::default();
    while region != RegionId::ROOT {
        if let Some(lock) = world.globals.find(nodes, method.region(region).lock) {
            held.insert(lock.0);
        }
        region = method.region(region).parent;
    }
    held
}
