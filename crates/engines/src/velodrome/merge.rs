//! `merge`: where an event outside blocks goes.
//!
//! Such an event is a transaction of its own that gets no edges later. If one of the steps it
//! comes after comes after all the others, the event can share that step's node: whoever reaches
//! the one reaches the other.
//!
//! Two conditions beyond the paper's. The node must be finished: a running one may yet get edges,
//! which would be taken for edges to the event, and an edge from the event back to the running
//! transaction would be taken for one within it. And the others must come before the step at the
//! level of events: were it only their transactions, paths of events would be lost, and with them
//! blame.

use super::graph::{Graph, Guest};
use super::step::{NodeId, Source, Step, Target};
use interloper_trace::{LabelId, Position};

/// How many edges the proof that a step comes before another may look at.
const EFFORT: usize = 64;
/// How many guests a node takes, so that its list stays short.
const GUESTS: usize = 16;
/// With more steps than this, only the latest is tried as the representative.
const CANDIDATES: usize = 4;

impl Graph {
    /// The node for an event outside blocks that comes after `last`, its thread's last step, and
    /// `sources`, steps of other threads that are not ⊥.
    pub fn merge(&mut self, last: &Source, sources: &[Source], target: Target) -> NodeId {
        let last = self.alive(&last.step).then_some(last);
        if sources.is_empty() {
            return last.map_or(NodeId::BOTTOM, |last| last.step.node);
        }
        match self.representative(last, sources) {
            Some(step) if self.welcome(last, step, target) => step.step.node,
            _ => self.fresh(last, sources, target),
        }
    }

    /// A node of its own for the event; collected at once if nothing comes before it.
    pub fn fresh(&mut self, last: Option<&Source>, sources: &[Source], target: Target) -> NodeId {
        let id = self.allocate(target.event.thread, LabelId::OUTSIDE, target.at);
        self.node_mut(id).incoming.reserve_exact(usize::from(last.is_some()) + sources.len());
        for source in last.into_iter().chain(sources) {
            self.extend(source, id, target);
        }
        self.collect(id);
        id
    }

    /// A step that all the others come before, in a finished node.
    fn representative<'a>(
        &self,
        last: Option<&'a Source>,
        sources: &'a [Source],
    ) -> Option<&'a Source> {
        let all = || last.into_iter().chain(sources);
        let fits = |step: &&Source| {
            self.node(step.step.node).running.is_none()
                && all().all(|other| self.comes_before(&other.step, &step.step))
        };
        if sources.len() < CANDIDATES {
            all().find(fits)
        } else {
            all().max_by_key(|step| self.host(&step.step)).filter(fits)
        }
    }

    /// Whether `a` provably is `b` or comes before it, event by event.
    fn comes_before(&self, a: &Step, b: &Step) -> bool {
        let node = self.node(a.node);
        let (owner, time) = (node.owner, self.host(a).min(node.entered));
        let (mut id, mut bound) = (b.node, self.host(b));
        let mut effort = EFFORT;
        while time <= bound {
            let node = self.node(id);
            if node.owner == owner {
                return true;
            }
            let mut previous = None;
            for edge in node.incoming.iter().filter(|edge| edge.target.at <= bound) {
                if edge.owner == owner && edge.host >= time {
                    return true;
                }
                if edge.step.thread == node.owner && self.alive(&edge.step) {
                    previous = Some(edge);
                }
                effort -= 1;
                if effort == 0 {
                    return false;
                }
            }
            let Some(edge) = previous else { return false };
            (id, bound) = (edge.step.node, edge.host);
        }
        false
    }

    /// Takes the event into the step's node; notes why, if the node is another thread's. `false`:
    /// there is no room.
    fn welcome(&mut self, last: Option<&Source>, step: &Source, target: Target) -> bool {
        let id = step.step.node;
        let host = self.host(&step.step);
        if self.node(id).owner == target.event.thread || self.is_host(last, id, host) {
            return true;
        }
        let guests = &mut self.node_mut(id).guests;
        if guests.len() >= GUESTS {
            return false;
        }
        guests.push(Guest { source: *step, host, event: target });
        true
    }

    /// Whether the thread's last event is a guest of this very host already.
    fn is_host(&self, last: Option<&Source>, id: NodeId, host: Position) -> bool {
        last.is_some_and(|last| last.step.node == id && self.host(&last.step) == host)
    }
}
