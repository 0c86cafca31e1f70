//! Call chains, found when a warning is to be shown: down from a call to where its lock is acquired, up from a
//! method to a block that confirms its potential witness. The way down follows the origins that `propagate.rs` noted; where a set does
//! not tell (global locks), and on the way up, the search is breadth first, so chains are as short as can be.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};

use crate::filter::Reason;
use crate::finals::{Finals, globals_held, is_held};
use crate::globals::GlobalId;
use crate::graph::{Lists, Node, NodeId};
use crate::ir::{CallId, ExprId, LockExpr, Method, MethodId, RegionId, StmtId};
use crate::marks::{Marked, Marks};
use crate::solution::Origin;
use crate::table::{Lock, Table};
use crate::world::World;

type Seed = foldhash::fast::FixedState;

/// Two locks of a method.
type Pair = (Lock, Lock);

/// A call on the way: who calls, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) method: MethodId,
    pub(crate) stmt: StmtId,
}

/// Where a lock is acquired: the calls that lead there, the method, the region and the lock's name there.
#[derive(Clone, Debug)]
pub(crate) struct Acquired {
    pub(crate) steps: Vec<Step>,
    pub(crate) method: MethodId,
    pub(crate) region: RegionId,
    pub(crate) lock: Lock,
}

/// A block that is the context of a potential witness: its method, the region, and the calls that lead to the witness's method.
#[derive(Clone, Debug)]
pub(crate) struct Confirmed {
    pub(crate) method: MethodId,
    pub(crate) region: RegionId,
    pub(crate) steps: Vec<Step>,
}

/// Searches with what they have in common: tables of the methods visited, and answers given.
pub(crate) struct Search<'a, 'p> {
    pub(crate) world: &'a World<'p>,
    tables: HashMap<MethodId, Table, Seed>,
    acquired: HashMap<(MethodId, CallId, Lock), Result<Acquired, Reason>, Seed>,
    /// The locks of the callees of calls, as the callers know them.
    translated: HashMap<(MethodId, CallId), HashMap<Lock, usize, Seed>, Seed>,
    marked: HashMap<MethodId, Marked, Seed>,
    /// How many calls a chain should have at most.
    depth: usize,
}

/// A node on the way down, and the one before it.
struct Below {
    node: NodeId,
    from: usize,
    /// How many calls lead there.
    calls: usize,
}

/// A method on the way up, with the potential witness.
struct Above {
    method: MethodId,
    pair: Pair,
    from: Option<(usize, Step)>,
}

impl<'a, 'p> Search<'a, 'p> {
    pub(crate) fn new(world: &'a World<'p>, depth: usize) -> Self {
        Self {
            world,
            depth,
            tables: HashMap::default(),
            acquired: HashMap::default(),
            translated: HashMap::default(),
            marked: HashMap::default(),
        }
    }

    /// A callee's lock as a caller knows it.
    pub(crate) fn translate(
        &mut self,
        caller: MethodId,
        call: CallId,
        callee: &[LockExpr],
        expr: ExprId,
    ) -> Option<Lock> {
        let table = self.tables.entry(caller).or_insert_with(|| self.world.table(caller));
        self.world.translate(table, self.world.method(caller), call, callee, expr)
    }

    /// Where a call acquires a lock; or why that is not told.
    pub(crate) fn acquisition(
        &mut self,
        method: MethodId,
        stmt: StmtId,
        call: CallId,
        lock: Lock,
    ) -> Result<Acquired, Reason> {
        if let Some(known) = self.acquired.get(&(method, call, lock)) {
            return known.clone();
        }
        let found = self.descend(method, stmt, call, lock);
        self.acquired.insert((method, call, lock), found.clone());
        found
    }

    fn descend(
        &mut self,
        method: MethodId,
        stmt: StmtId,
        call: CallId,
        lock: Lock,
    ) -> Result<Acquired, Reason> {
        let world = self.world;
        let steps = vec![Step { method, stmt }];
        let dispatch = world.graph.of_dispatch(world.method(method).call(call).dispatch);
        let set = world.held.get(dispatch).ok_or(Reason::Untold)?;
        if let Lock::Global(global) = lock
            && world.options.statics_cross_calls
            && set.globals.contains(global.0)
        {
            return self.descend_global(dispatch, global, steps);
        }
        let at = self.position(method, call, lock).ok_or(Reason::Untold)?;
        let found = self.follow(dispatch, at, &mut steps.clone()).ok_or(Reason::Untold)?;
        if found.steps.len() <= self.depth {
            return Ok(found);
        }
        Ok(self.nearest(dispatch, at, steps, self.depth).unwrap_or(found))
    }

    /// The first element of a call's dispatch that is a lock for the caller.
    fn position(&mut self, method: MethodId, call: CallId, lock: Lock) -> Option<usize> {
        if !self.translated.contains_key(&(method, call)) {
            let mut known: HashMap<Lock, usize, Seed> = HashMap::default();
            let (set, nodes) = self.world.held_by_call(self.world.method(method), call)?;
            for (at, elem) in set.exported().iter().enumerate() {
                if let Some(lock) = self.translate(method, call, nodes, elem.second) {
                    known.entry(lock).or_insert(at);
                }
            }
            self.translated.insert((method, call), known);
        }
        self.translated[&(method, call)].get(&lock).copied()
    }

    /// Follows origins, from a node's exported element to where it is acquired.
    fn follow(&self, mut node: NodeId, mut at: usize, steps: &mut Vec<Step>) -> Option<Acquired> {
        let world = self.world;
        loop {
            let set = world.held.get(node)?;
            match (set.origin(at), world.graph.node(node)) {
                (Origin::Own, Node::Method(method)) => {
                    let lock = Lock::Local(set.elems()[at].second);
                    let region = self.region_of(method, lock)?;
                    return Some(Acquired { steps: std::mem::take(steps), method, region, lock });
                }
                (Origin::Callee { node: callee, call, at: position }, here) => {
                    if let (Node::Method(method), Some(call)) = (here, call) {
                        steps.push(Step { method, stmt: stmt_of(world.method(method), call)? });
                    }
                    (node, at) = (callee, position as usize);
                }
                (Origin::Own, Node::Dispatch(_)) => return None,
            }
        }
    }

    /// From a dispatch that acquires a global lock to the nearest method that locks it by that name, or that passes it to
    /// one that knows it by another. Not further than chains may be long: in a large program nearly everything is somewhere below.
    fn descend_global(
        &self,
        dispatch: NodeId,
        lock: GlobalId,
        mut steps: Vec<Step>,
    ) -> Result<Acquired, Reason> {
        let world = self.world;
        let mut below = vec![Below { node: dispatch, from: 0, calls: steps.len() }];
        let mut seen: HashSet<NodeId, Seed> = HashSet::default();
        let mut at = 0;
        while at < below.len() {
            let Below { node, mut calls, .. } = below[at];
            let set = world.held.get(node).ok_or(Reason::Untold)?;
            if let Node::Method(method) = world.graph.node(node) {
                if let Some(region) = self.region_of(method, Lock::Global(lock)) {
                    steps.extend(self.steps_down(&below, at).ok_or(Reason::Untold)?);
                    return Ok(Acquired { steps, method, region, lock: Lock::Global(lock) });
                }
                if let Some(Origin::Callee { node, call: Some(call), at: position }) =
                    set.introduced(lock)
                {
                    steps.extend(self.steps_down(&below, at).ok_or(Reason::Untold)?);
                    let stmt = stmt_of(world.method(method), call).ok_or(Reason::Untold)?;
                    steps.push(Step { method, stmt });
                    let found = self.follow(node, position as usize, &mut steps);
                    return found.ok_or(Reason::Untold);
                }
                calls += 1;
            }
            if calls > self.depth {
                at += 1;
                continue;
            }
            for &to in world.graph.successors.of(node) {
                if world.held.get(to).is_some_and(|s| s.globals.contains(lock.0)) && seen.insert(to)
                {
                    below.push(Below { node: to, from: at, calls });
                }
            }
            at += 1;
        }
        Err(Reason::Deep)
    }

    /// The calls on the way down to a method.
    fn steps_down(&self, below: &[Below], mut at: usize) -> Option<Vec<Step>> {
        let world = self.world;
        let mut steps = Vec::new();
        while at != 0 {
            let from = below[at].from;
            if let (Node::Method(method), Node::Dispatch(dispatch)) =
                (world.graph.node(below[from].node), world.graph.node(below[at].node))
            {
                let body = world.method(method);
                let site = body.sites().find(|s| body.call(s.call).dispatch == dispatch)?;
                steps.push(Step { method, stmt: site.stmt });
            }
            at = from;
        }
        steps.reverse();
        Some(steps)
    }

    /// The first region of a method that locks a lock.
    pub(crate) fn region_of(&self, method: MethodId, lock: Lock) -> Option<RegionId> {
        let world = self.world;
        let regions = world.method(method).regions();
        let nodes = world.method(method).exprs().nodes();
        let locks = |expr: ExprId| match lock {
            Lock::Local(local) => expr == local,
            Lock::Global(global) => {
                expr != ExprId::UNKNOWN && world.globals.find(nodes, expr) == Some(global)
            }
        };
        (1..regions.len()).find(|&r| locks(regions[r].lock)).map(RegionId::from_index)
    }

    /// The nearest blocks, in callers or further up, that confirm what a method acquires twice: at most `limit` of them, and none that
    /// longer chains than wanted lead to.
    pub(crate) fn contexts(
        &mut self,
        finals: &Finals<'_, '_>,
        marks: &Marks,
        callers: &Lists,
        (method, pair): (MethodId, Pair),
        limit: usize,
    ) -> Vec<Confirmed> {
        let mut found: Vec<Confirmed> = Vec::new();
        let mut above = vec![Above { method, pair, from: None }];
        let mut seen: HashSet<(MethodId, Pair), Seed> = HashSet::default();
        seen.insert((method, pair));
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            let below = steps_up(&above, at);
            if below.len() >= self.depth {
                break;
            }
            for step in self.callers_of(&above[at], callers) {
                let (caller, region) = (step.caller.method, step.region);
                if region != RegionId::ROOT {
                    if !self.holds(caller, region, step.pair) {
                        let steps = [&[step.caller], &below[..]].concat();
                        found.push(Confirmed { method: caller, region, steps });
                        if found.len() == limit {
                            return found;
                        }
                    }
                } else if self
                    .marked
                    .entry(caller)
                    .or_insert_with(|| marks.of(finals, caller))
                    .contains(step.pair)
                    && seen.insert((caller, step.pair))
                {
                    queue.push_back(above.len());
                    let from = Some((at, step.caller));
                    above.push(Above { method: caller, pair: step.pair, from });
                }
            }
        }
        found
    }

    /// The calls of a method that know its potential witness by a name.
    fn callers_of(&mut self, callee: &Above, callers: &Lists) -> Vec<CallUp> {
        let world = self.world;
        let mut found = Vec::new();
        for &dispatch_node in callers.of(world.graph.of_method(callee.method)) {
            let Node::Dispatch(dispatch) = world.graph.node(dispatch_node) else { continue };
            for &caller_node in callers.of(dispatch_node) {
                let Node::Method(caller) = world.graph.node(caller_node) else { continue };
                let sites = world.method(caller).sites();
                for site in sites.filter(|s| world.method(caller).call(s.call).dispatch == dispatch)
                {
                    let mut up = |lock| match lock {
                        Lock::Global(_) => world.options.statics_cross_calls.then_some(lock),
                        Lock::Local(expr) => {
                            self.translate(caller, site.call, world.nodes(callee.method), expr)
                        }
                    };
                    let (Some(first), Some(second)) = (up(callee.pair.0), up(callee.pair.1)) else {
                        continue;
                    };
                    let caller = Step { method: caller, stmt: site.stmt };
                    found.push(CallUp { caller, region: site.region, pair: (first, second) });
                }
            }
        }
        found
    }

    /// Whether a region or one around it locks one of two locks.
    fn holds(&self, id: MethodId, region: RegionId, pair: Pair) -> bool {
        let held = |lock| match lock {
            Lock::Local(expr) => is_held(self.world.method(id), region, expr),
            Lock::Global(global) => globals_held(self.world, id, region).contains(global.0),
        };
        held(pair.0) || held(pair.1)
    }
}

/// A call that leads to a potential witness, and what the caller knows it by.
struct CallUp {
    caller: Step,
    region: RegionId,
    pair: Pair,
}

/// The statement of a call.
fn stmt_of(method: &Method, call: CallId) -> Option<StmtId> {
    method.sites().find(|s| s.call == call).map(|s| s.stmt)
}

/// The calls from a method down to the start.
fn steps_up(above: &[Above], mut at: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some((from, step)) = above[at].from {
        steps.push(step);
        at = from;
    }
    steps
}
