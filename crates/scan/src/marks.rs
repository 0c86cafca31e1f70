//! Which potential witnesses of a method does some block, in a caller or further up, confirm?
//!
//! FINAL_P says that a block confirms something; a warning belongs to the place where that arose. So marks are handed down from
//! the blocks, along the calls by which FINAL_T came up.

use hashbrown::{HashMap, HashSet};

use crate::bits::BitSet;
use crate::finals::{Finals, globals_held, is_held};
use crate::graph::{Node, NodeId};
use crate::ir::{DispatchId, MethodId, RegionId};
use crate::solution::{Elem, Set};
use crate::table::{Binding, Formals, Lock, Table};

type Seed = foldhash::fast::FixedState;

/// The marked members of a node's FINAL_T.
#[derive(Debug, Default)]
struct Mark {
    /// By position in the set.
    elems: BitSet,
    globals: BitSet,
}

/// For each node, which of its potential witnesses are confirmed.
pub(crate) struct Marks {
    marks: Vec<Option<Box<Mark>>>,
}

/// What is confirmed of one method's potential witnesses, in the method's terms.
#[derive(Debug, Default)]
pub(crate) struct Marked {
    pairs: HashSet<(Lock, Lock), Seed>,
    globals: BitSet,
}

impl Marked {
    pub(crate) fn contains(&self, pair: (Lock, Lock)) -> bool {
        match pair {
            (Lock::Global(a), Lock::Global(b)) if a == b => self.globals.contains(a.0),
            pair => self.pairs.contains(&pair),
        }
    }
}

impl Marks {
    /// Marks what the blocks of the program confirm.
    pub(crate) fn new(finals: &Finals<'_, '_>) -> Self {
        let nodes = finals.world.graph.len();
        let mut marks = Vec::new();
        marks.resize_with(nodes, || None);
        let marks = Marks { marks };
        let mut marking = Marking { finals, marks, queue: Vec::new(), queued: vec![false; nodes] };
        marking.run();
        marking.marks
    }

    /// Whether a method has any.
    pub(crate) fn any(&self, finals: &Finals<'_, '_>, method: MethodId) -> bool {
        self.marks[finals.world.graph.of_method(method) as usize].is_some()
    }

    /// The marks of a method.
    pub(crate) fn of(&self, finals: &Finals<'_, '_>, method: MethodId) -> Marked {
        let node = finals.world.graph.of_method(method);
        let (Some(mark), Some(set)) = (&self.marks[node as usize], finals.set(node)) else {
            return Marked::default();
        };
        let table = finals.world.table(method);
        let lock = |id| table.lock(id, &finals.world.globals);
        let elems = mark.elems.iter().map(|at| set.exported()[at as usize]);
        let pairs = elems.filter_map(|e| Some((lock(e.first)?, lock(e.second)?))).collect();
        Marked { pairs, globals: mark.globals.clone() }
    }
}

/// Marks that are being handed down.
struct Marking<'a, 'b, 'p> {
    finals: &'a Finals<'b, 'p>,
    marks: Marks,
    /// The nodes that have something to hand down.
    queue: Vec<NodeId>,
    queued: Vec<bool>,
}

impl Marking<'_, '_, '_> {
    fn run(&mut self) {
        let program = self.finals.world.program;
        for id in program.method_ids().filter(|&m| program.method(m).regions().len() > 1) {
            self.confirm(id);
        }
        while let Some(node) = self.queue.pop() {
            self.queued[node as usize] = false;
            // No node calls itself, so its marks can be put aside while those of others change.
            let Some(mark) = self.marks.marks[node as usize].take() else { continue };
            match self.finals.world.graph.node(node) {
                Node::Method(id) => self.hand_to_callees(id, node, &mark),
                Node::Dispatch(dispatch) => self.hand_to_targets(dispatch, node, &mark),
            }
            self.marks.marks[node as usize] = Some(mark);
        }
    }

    /// Adds marks to a node, which comes into the queue if any is new.
    fn mark(&mut self, node: NodeId, add: impl FnOnce(&mut Mark) -> bool) {
        let slot = &mut self.marks.marks[node as usize];
        let mut mark = slot.take().unwrap_or_default();
        let new = add(&mut mark);
        *slot = (!mark.elems.is_empty() || !mark.globals.is_empty()).then_some(mark);
        if new && !std::mem::replace(&mut self.queued[node as usize], true) {
            self.queue.push(node);
        }
    }

    /// Marks what the callees of calls inside of a method's blocks acquire twice.
    fn confirm(&mut self, id: MethodId) {
        let finals = self.finals;
        let method = finals.world.method(id);
        let inside = |region| region != RegionId::ROOT;
        finals.each_final(
            id,
            |site| inside(site.region),
            |site, node, at, elem, _| {
                let held = |lock| is_held(method, site.region, lock);
                if !held(elem.first) && !held(elem.second) {
                    self.mark(node, |mark| mark.elems.insert(at));
                }
            },
        );
        for site in method.sites().filter(|site| inside(site.region)) {
            let node = finals.world.graph.of_dispatch(method.call(site.call).dispatch);
            let Some(set) = finals.set_across(node).filter(|s| !s.globals.is_empty()) else {
                continue;
            };
            let held = globals_held(finals.world, id, site.region);
            self.mark(node, |mark| mark.globals.add_without(&set.globals, &held));
        }
    }

    /// From a method to what it calls outside of its blocks.
    fn hand_to_callees(&mut self, id: MethodId, node: NodeId, mark: &Mark) {
        let finals = self.finals;
        let Some(set) = finals.set(node) else { return };
        let positions = positions(set);
        finals.each_final(
            id,
            |site| site.region == RegionId::ROOT,
            |_, callee, at, elem, table| {
                let marked = match positions.get(&elem) {
                    Some(&position) => mark.elems.contains(position),
                    // One global lock by the name of its reference: `this` of a callee, say.
                    None if elem.first == elem.second => {
                        match table.lock(elem.first, &finals.world.globals) {
                            Some(Lock::Global(global)) => mark.globals.contains(global.0),
                            _ => false,
                        }
                    }
                    None => false,
                };
                if marked {
                    self.mark(callee, |mark| mark.elems.insert(at));
                }
            },
        );
        let method = finals.world.method(id);
        for site in method.sites().filter(|s| s.region == RegionId::ROOT) {
            let callee = finals.world.graph.of_dispatch(method.call(site.call).dispatch);
            self.hand_globals(mark, callee);
        }
    }

    /// From a dispatch to its targets.
    fn hand_to_targets(&mut self, dispatch: DispatchId, node: NodeId, mark: &Mark) {
        let world = self.finals.world;
        let Some(set) = self.finals.set(node) else { return };
        let positions = positions(set);
        let mut table = Table::resume(world.tables.nodes(node), Formals::ALL, u8::MAX);
        for &target in world.targets.of(dispatch) {
            let target = world.graph.of_method(target);
            let Some(theirs) = self.finals.set(target) else { continue };
            let nodes = world.tables.nodes(target);
            for (at, elem) in theirs.exported().iter().enumerate() {
                let first = table.translate(nodes, elem.first, Binding::Forward);
                let second = table.translate(nodes, elem.second, Binding::Forward);
                let position = positions.get(&Elem { first, second });
                if position.is_some_and(|&p| mark.elems.contains(p)) {
                    self.mark(target, |mark| mark.elems.insert(at as u32));
                }
            }
            self.hand_globals(mark, target);
        }
    }

    fn hand_globals(&mut self, mark: &Mark, to: NodeId) {
        let Some(set) = self.finals.set_across(to) else { return };
        if mark.globals.is_empty() || set.globals.is_empty() {
            return;
        }
        self.mark(to, |theirs| theirs.globals.add_common(&set.globals, &mark.globals));
    }
}

/// Where the elements of a set are.
fn positions(set: &Set) -> HashMap<Elem, u32, Seed> {
    set.exported().iter().zip(0..).map(|(&elem, at)| (elem, at)).collect()
}
