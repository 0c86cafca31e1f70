//! Sets of locks that travel from callees to callers: the least solution of an equation of the form
//!
//! > S(m) = base(m) ∪ ⋃ { TRANSLATELOCK(x) | x ∈ S(m'), m' ∈ CALLEES(st), st ∈ calls(m) } \ {*}
//!
//! which both LOCKSHELD (Figure 7) and FINAL_T (Figure 8) have. Strongly connected components of the call graph
//! are solved callees first; inside a component a work list hands on what is new. Components that do not depend
//! on each other are solved at the same time, each by one thread, so that every run gives the same sets in the same order.
//!
//! An element is a *pair* of locks, as the variant of section 4.6 has it. The original pattern is the case where both are the same.
//! Global locks (see `globals.rs`) are no elements but bits of a set that a whole component shares.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::bits::BitSet;
use crate::globals::{GlobalId, Globals};
use crate::graph::{Components, Graph, Node, NodeId};
use crate::ir::{CallId, ExprId, LockExpr, Method, MethodId, Program, RegionId};
use crate::options::Options;
use crate::solution::{Elem, Origin, Set, Solution, Tables};
use crate::table::{Binding, Formals, Lock, Reach, Table};

type Seed = foldhash::fast::FixedState;

/// What distinguishes one equation from the other.
pub(crate) trait Equation: Sync {
    /// Whether a method has anything of its own.
    fn has_base(&self, id: MethodId, method: &Method) -> bool;

    /// What it has; its global locks may be in [`Self::base_globals`] instead.
    fn base(&self, id: MethodId, method: &Method, table: &mut Table) -> Vec<(Lock, Lock)>;

    /// Global locks that it has.
    fn base_globals(&self, _: MethodId) -> Option<&BitSet> {
        None
    }

    /// Whether calls in a region count.
    fn follows(&self, region: RegionId) -> bool;

    /// How many elements a node hands to its callers; what is beyond is dropped and counted.
    fn cap(&self, _: &Options) -> usize {
        usize::MAX
    }

    /// Whether a callee's element is worth translating for a caller.
    fn takes(&self, _: &[LockExpr], _: ExprId, _: &[LockExpr], _: Binding<'_>) -> bool {
        true
    }
}

/// LOCKSHELD: what a method or its callees acquire.
pub(crate) struct LocksHeld<'a>(pub(crate) &'a Globals);

impl Equation for LocksHeld<'_> {
    fn has_base(&self, _: MethodId, method: &Method) -> bool {
        method.regions().len() > 1
    }

    fn base(&self, _: MethodId, method: &Method, table: &mut Table) -> Vec<(Lock, Lock)> {
        let locks = method.regions()[1..].iter().filter_map(|r| table.lock(r.lock, self.0));
        locks.map(|l| (l, l)).collect()
    }

    fn follows(&self, _: RegionId) -> bool {
        true
    }

    /// This makes the cost linear: a call costs at most as much as the locks its callees hand on.
    fn cap(&self, options: &Options) -> usize {
        options.lock_cap
    }
}

/// All that solving needs.
pub(crate) struct Solver<'a, E> {
    pub(crate) program: &'a Program,
    pub(crate) graph: &'a Graph,
    pub(crate) globals: &'a Globals,
    /// The global expressions an equation's base may name by id.
    pub(crate) global_nodes: &'a [LockExpr],
    pub(crate) options: &'a Options,
    pub(crate) equation: E,
}

/// What solving a component yields for one of its nodes.
struct Solved {
    node: NodeId,
    set: Set,
    table: Option<Box<[LockExpr]>>,
    capped: bool,
}

impl<E: Equation> Solver<'_, E> {
    /// Solves the equation, and writes new expressions to the tables.
    pub(crate) fn solve(&self, components: &Components, tables: &mut Tables<'_>) -> Solution {
        let mut sets: Vec<Option<Box<Set>>> = Vec::new();
        sets.resize_with(self.graph.len(), || None);
        let mut solution = Solution { sets, capped: 0 };
        for level in &components.levels {
            let solved: Vec<Solved> = {
                let (solution, tables) = (&solution, &*tables);
                let solve =
                    |&c| Component::new(self, solution, tables, components.members(c)).run();
                level.par_iter().flat_map_iter(solve).collect()
            };
            for Solved { node, set, table, capped } in solved {
                solution.sets[node as usize] = Some(Box::new(set));
                solution.capped += usize::from(capped);
                if table.is_some() {
                    tables.grown[node as usize] = table;
                }
            }
        }
        solution
    }
}

/// A component that is being solved.
struct Component<'a, 'p, E> {
    solver: &'a Solver<'p, E>,
    solution: &'a Solution,
    tables: &'a Tables<'p>,
    members: &'a [NodeId],
    /// The position of each member; empty if there is only one.
    positions: HashMap<NodeId, usize, Seed>,
    works: Vec<Work>,
}

/// One member's state.
#[derive(Default)]
struct Work {
    table: Option<Table>,
    exported: Vec<Elem>,
    private: Vec<Elem>,
    /// Where those came from.
    exported_origins: Vec<Origin>,
    private_origins: Vec<Origin>,
    introduced: Vec<(GlobalId, Origin)>,
    seen: HashSet<Elem, Seed>,
    globals: BitSet,
    inputs: Vec<Input>,
    pairs: usize,
    capped: bool,
}

/// An edge to a callee: how far its elements were taken over.
struct Input {
    from: NodeId,
    call: Option<CallId>,
    taken: usize,
}

impl<'a, 'p, E: Equation> Component<'a, 'p, E> {
    fn new(
        solver: &'a Solver<'p, E>,
        solution: &'a Solution,
        tables: &'a Tables<'p>,
        members: &'a [NodeId],
    ) -> Self {
        Self { solver, solution, tables, members, positions: HashMap::default(), works: Vec::new() }
    }

    fn run(mut self) -> Vec<Solved> {
        if !self.members.iter().any(|&n| self.is_active(n)) {
            return Vec::new();
        }
        if self.members.len() > 1 {
            self.positions = self.members.iter().enumerate().map(|(at, &n)| (n, at)).collect();
        }
        self.works = self.members.iter().map(|&node| self.start(node)).collect();
        self.iterate();
        self.finish()
    }

    /// Whether a node has anything of its own or from outside the component.
    fn is_active(&self, node: NodeId) -> bool {
        if let Node::Method(id) = self.solver.graph.node(node)
            && self.solver.equation.has_base(id, self.solver.program.method(id))
        {
            return true;
        }
        self.solver.graph.successors.of(node).iter().any(|&to| self.solution.get(to).is_some())
    }

    fn start(&self, node: NodeId) -> Work {
        let mut work = Work::default();
        if let Node::Method(id) = self.solver.graph.node(node) {
            let method = self.solver.program.method(id);
            if self.solver.equation.has_base(id, method) {
                let table = work.table.get_or_insert_with(|| self.table(node));
                for (first, second) in self.solver.equation.base(id, method, table) {
                    if let (Lock::Global(lock), true) = (first, first == second) {
                        work.globals.insert(lock.0);
                        continue;
                    }
                    let table = work.table.get_or_insert_with(|| self.table(node));
                    let first = table.expr(first, self.solver.global_nodes);
                    let second = table.expr(second, self.solver.global_nodes);
                    work.add(Elem { first, second }, Origin::Own, self.solver);
                }
                if let Some(globals) = self.solver.equation.base_globals(id) {
                    work.globals.union(globals);
                }
            }
            for site in method.sites().filter(|s| self.solver.equation.follows(s.region)) {
                let call = method.call(site.call);
                let binding = Binding::Call(call.receiver, method.args(site.call));
                let from = self.solver.graph.of_dispatch(call.dispatch);
                if binding.is_useful(self.solver.options.variant) && self.may_have_elems(from) {
                    work.inputs.push(Input { from, call: Some(site.call), taken: 0 });
                }
            }
        } else {
            let successors = self.solver.graph.successors.of(node).iter();
            let useful = successors.filter(|&&from| self.may_have_elems(from));
            work.inputs.extend(useful.map(|&from| Input { from, call: None, taken: 0 }));
        }
        if self.solver.options.statics_cross_calls {
            for set in
                self.solver.graph.successors.of(node).iter().filter_map(|&n| self.solution.get(n))
            {
                work.globals.union(&set.globals);
            }
        }
        work
    }

    fn may_have_elems(&self, node: NodeId) -> bool {
        self.positions.contains_key(&node)
            || self.solution.get(node).is_some_and(|s| s.exported > 0)
    }

    fn table(&self, node: NodeId) -> Table {
        let formals = match self.solver.graph.node(node) {
            Node::Method(id) => Formals::of(self.solver.program.method(id)),
            Node::Dispatch(_) => Formals::ALL,
        };
        Table::resume(self.tables.nodes(node), formals, self.solver.options.size_bound)
    }

    /// Hands elements on until nothing is new.
    fn iterate(&mut self) {
        let users = self.users();
        let mut queue: VecDeque<usize> = (0..self.works.len()).collect();
        let mut queued = vec![true; self.works.len()];
        while let Some(at) = queue.pop_front() {
            queued[at] = false;
            if !self.update(at) || users.is_empty() {
                continue;
            }
            for &user in &users[at] {
                if !std::mem::replace(&mut queued[user], true) {
                    queue.push_back(user);
                }
            }
        }
    }

    /// Which members take from each member. Nobody, in a component of one: no node is its own callee.
    fn users(&self) -> Vec<Vec<usize>> {
        if self.positions.is_empty() {
            return Vec::new();
        }
        let mut users = vec![Vec::new(); self.works.len()];
        for (at, work) in self.works.iter().enumerate() {
            for input in &work.inputs {
                if let Some(&from) = self.positions.get(&input.from)
                    && users[from].last() != Some(&at)
                {
                    users[from].push(at);
                }
            }
        }
        users
    }

    /// Takes over what a member's callees have by now; says whether that gave it anything callers would want. (What
    /// it has from the start needs no saying: everybody looks at all callees once.)
    fn update(&mut self, at: usize) -> bool {
        let mut work = std::mem::take(&mut self.works[at]);
        let node = self.members[at];
        let mut inputs = std::mem::take(&mut work.inputs);
        let before = work.exported.len();
        for input in &mut inputs {
            let (elems, nodes) = self.source(input.from);
            if elems.len() == input.taken {
                continue;
            }
            let table = work.table.get_or_insert_with(|| self.table(node));
            let binding = self.binding(node, input.call);
            let mut new = Vec::new();
            for (at, elem) in elems.iter().enumerate().skip(input.taken) {
                if !self.solver.equation.takes(nodes, elem.second, table.nodes(), binding) {
                    continue;
                }
                let first = table.translate(nodes, elem.first, binding);
                let second = if elem.first == elem.second {
                    first
                } else {
                    table.translate(nodes, elem.second, binding)
                };
                if first != ExprId::UNKNOWN && second != ExprId::UNKNOWN {
                    let origin =
                        Origin::Callee { node: input.from, call: input.call, at: at as u32 };
                    new.push((Elem { first, second }, origin));
                }
            }
            input.taken = elems.len();
            for (elem, origin) in new {
                work.add(elem, origin, self.solver);
            }
        }
        work.inputs = inputs;
        let changed = work.exported.len() > before;
        self.works[at] = work;
        changed
    }

    fn binding(&self, node: NodeId, call: Option<CallId>) -> Binding<'a> {
        match (self.solver.graph.node(node), call) {
            (Node::Method(id), Some(call)) => {
                let method = self.solver.program.method(id);
                Binding::Call(method.call(call).receiver, method.args(call))
            }
            _ => Binding::Forward,
        }
    }

    /// What a callee offers, inside the component or outside.
    fn source(&self, from: NodeId) -> (&[Elem], &[LockExpr]) {
        match self.positions.get(&from) {
            Some(&at) => {
                let work = &self.works[at];
                (&work.exported, work.table.as_ref().map_or(&[], Table::nodes))
            }
            None => (self.solution.get(from).map_or(&[], Set::exported), self.tables.nodes(from)),
        }
    }

    fn finish(self) -> Vec<Solved> {
        let cross = self.solver.options.statics_cross_calls;
        let mut all = BitSet::default();
        if cross {
            self.works.iter().for_each(|work| {
                all.union(&work.globals);
            });
        }
        let shared = self.share(all);
        let mut solved = Vec::with_capacity(self.works.len());
        for (work, &node) in self.works.into_iter().zip(self.members) {
            let globals = if cross { shared.clone() } else { Arc::new(work.globals) };
            let exported = work.exported.len() as u32;
            let elems = [work.exported, work.private].concat().into_boxed_slice();
            let origins = [work.exported_origins, work.private_origins].concat().into();
            let introduced = work.introduced.into();
            if elems.is_empty() && globals.is_empty() {
                continue;
            }
            let known = self.tables.nodes(node).len();
            let table = work.table.filter(|t| t.nodes().len() > known);
            let table = table.map(|t| t.nodes().into());
            let set = Set { elems, origins, exported, introduced, globals };
            solved.push(Solved { node, set, table, capped: work.capped });
        }
        solved
    }

    /// The set itself, or the same one of a callee: methods that only pass on share what they pass on.
    fn share(&self, all: BitSet) -> Arc<BitSet> {
        for &node in self.members {
            for &to in self.solver.graph.successors.of(node) {
                if let Some(set) = self.solution.get(to)
                    && *set.globals == all
                {
                    return set.globals.clone();
                }
            }
        }
        Arc::new(all)
    }
}

impl Work {
    fn add<E: Equation>(&mut self, elem: Elem, origin: Origin, solver: &Solver<'_, E>) {
        let Some(table) = &self.table else { return };
        let reach = table.reach(elem.first).max(table.reach(elem.second));
        let is_pair = elem.first != elem.second;
        if !is_pair && reach == Reach::Global {
            let lock = solver.globals.intern(table.nodes(), elem.first);
            self.globals.insert(lock.0);
            if !self.introduced.iter().any(|i| i.0 == lock) {
                self.introduced.push((lock, origin));
            }
            return;
        }
        if is_pair && self.pairs >= solver.options.pair_cap {
            self.capped |= !self.seen.contains(&elem);
            return;
        }
        if reach != Reach::Method && self.exported.len() >= solver.equation.cap(solver.options) {
            self.capped |= !self.seen.contains(&elem);
            return;
        }
        if self.seen.insert(elem) {
            self.pairs += usize::from(is_pair);
            let (elems, origins) = if reach == Reach::Method {
                (&mut self.private, &mut self.private_origins)
            } else {
                (&mut self.exported, &mut self.exported_origins)
            };
            elems.push(elem);
            origins.push(origin);
        }
    }
}
