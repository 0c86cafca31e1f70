//! Shorter ways down than origins tell: an origin is where a lock came from first, which need not be the nearest place.

use std::collections::VecDeque;

use hashbrown::HashSet;

use crate::graph::{Node, NodeId};
use crate::ir::{DispatchId, MethodId};
use crate::search::{Acquired, Search, Step};
use crate::solution::Origin;
use crate::table::{Binding, Formals, Lock, Table};

type Seed = foldhash::fast::FixedState;

/// How many elements are looked at on the way: this is to spare people a long chain, and must not cost much.
const WAYS: usize = 64;

/// An exported element of a node's LOCKSHELD, by position, and the calls that lead there.
struct Way {
    node: NodeId,
    at: usize,
    steps: Vec<Step>,
}

impl Search<'_, '_> {
    /// From a dispatch's element to the nearest place that acquires it, by at most `limit` calls.
    pub(crate) fn nearest(
        &mut self,
        dispatch: NodeId,
        at: usize,
        steps: Vec<Step>,
        limit: usize,
    ) -> Option<Acquired> {
        let world = self.world;
        let mut queue = VecDeque::from([Way { node: dispatch, at, steps }]);
        let mut seen: HashSet<(NodeId, usize), Seed> = HashSet::default();
        while let Some(way) = queue.pop_front() {
            if !seen.insert((way.node, way.at)) {
                continue;
            }
            if seen.len() > WAYS {
                return None;
            }
            let set = world.held.get(way.node)?;
            match world.graph.node(way.node) {
                Node::Method(method) if set.origin(way.at) == Origin::Own => {
                    let lock = Lock::Local(set.elems()[way.at].second);
                    let region = self.region_of(method, lock)?;
                    return Some(Acquired { steps: way.steps, method, region, lock });
                }
                Node::Method(method) if way.steps.len() < limit => {
                    self.calls_to(method, &way, &mut queue);
                }
                Node::Method(_) => {}
                Node::Dispatch(dispatch) => self.targets_of(dispatch, &way, &mut queue),
            }
        }
        None
    }

    /// The calls of a method that acquire an element of it.
    fn calls_to(&mut self, method: MethodId, way: &Way, queue: &mut VecDeque<Way>) {
        let world = self.world;
        let Some(set) = world.held.get(way.node) else { return };
        let wanted = Some(Lock::Local(set.elems()[way.at].second));
        for site in world.method(method).sites() {
            let node = world.graph.of_dispatch(world.method(method).call(site.call).dispatch);
            let Some(theirs) = world.held.get(node) else { continue };
            for (at, elem) in theirs.exported().iter().enumerate() {
                let nodes = world.tables.nodes(node);
                if self.translate(method, site.call, nodes, elem.second) == wanted {
                    let mut steps = way.steps.clone();
                    steps.push(Step { method, stmt: site.stmt });
                    queue.push_back(Way { node, at, steps });
                }
            }
        }
    }

    /// The targets of a dispatch that acquire an element of it.
    fn targets_of(&self, dispatch: DispatchId, way: &Way, queue: &mut VecDeque<Way>) {
        let world = self.world;
        let Some(set) = world.held.get(way.node) else { return };
        let wanted = set.elems()[way.at].second;
        let mut table = Table::resume(world.tables.nodes(way.node), Formals::ALL, u8::MAX);
        for &target in world.targets.of(dispatch) {
            let node = world.graph.of_method(target);
            let Some(theirs) = world.held.get(node) else { continue };
            for (at, elem) in theirs.exported().iter().enumerate() {
                let nodes = world.tables.nodes(node);
                if table.translate(nodes, elem.second, Binding::Forward) == wanted {
                    queue.push_back(Way { node, at, steps: way.steps.clone() });
                }
            }
        }
    }
}
