//! Blame and explanations: which paths of the graph lead from the transaction that closed a cycle
//! to the steps its last event depends on.
//!
//! The search runs backwards from those steps. A path is *increasing* if at each node it arrives
//! no later than it leaves; such a path is a chain of events, each before the next, and the
//! transaction it starts in is to blame. Nodes are visited by falling time of leaving, so each is
//! visited once, at the latest time possible, and the first root that no remaining node can better
//! is the latest root.

use super::graph::{Edge, Graph};
use super::step::{NodeId, Source, Step, Target};
use interloper_findings::{Access, Dependence};
use interloper_trace::{Event, LabelId, Position};
use std::collections::BinaryHeap;

/// A path from the transaction to one of the steps.
pub(super) struct Path {
    /// The edges in order; the first leaves the transaction.
    edges: Vec<Edge>,
    /// The step it ends in: the source of the edge that was left out.
    end: Source,
}

/// A node on the way back.
#[derive(Clone, Copy)]
struct Visit {
    node: NodeId,
    /// The time in the node's own thread at which the path leaves.
    leaves: Position,
    depth: u64,
    onward: Onward,
}

/// How the path goes on from a node.
#[derive(Clone, Copy)]
enum Onward {
    /// By this incoming edge of the visit with this number.
    Edge(usize, usize),
    /// By the left-out edge from this source.
    End(usize),
}

/// What a search needs, kept for the next.
#[derive(Default)]
pub(super) struct Search {
    visits: Vec<Visit>,
    queue: BinaryHeap<(u64, usize)>,
    /// For each node the search that visited it last.
    visited: Vec<u32>,
    searches: u32,
}

impl Search {
    /// The path from the running transaction `to` to one of `ends` with the latest root, if it is
    /// to be increasing; otherwise a shortest one.
    pub fn path(
        &mut self,
        graph: &Graph,
        to: NodeId,
        ends: &[Source],
        increasing: bool,
    ) -> Option<Path> {
        self.begin(graph);
        for (i, end) in ends.iter().enumerate() {
            let leaves = graph.host(&end.step);
            let visit = Visit { node: end.step.node, leaves, depth: 0, onward: Onward::End(i) };
            self.push(visit, increasing);
        }
        let mut best: Option<(Position, usize, usize)> = None;
        while let Some((key, number)) = self.queue.pop() {
            if best.is_some_and(|(root, ..)| !increasing || key <= root) {
                break;
            }
            let node = self.visits[number].node.index();
            if std::mem::replace(&mut self.visited[node], self.searches) == self.searches {
                continue;
            }
            if let Some((root, place)) = self.expand(graph, to, number, increasing)
                && best.is_none_or(|(latest, ..)| root > latest)
            {
                best = Some((root, number, place));
            }
        }
        best.map(|(_, number, place)| self.trace(graph, ends, number, place))
    }

    fn begin(&mut self, graph: &Graph) {
        self.visits.clear();
        self.queue.clear();
        self.visited.resize(graph.size(), 0);
        self.searches = self.searches.wrapping_add(1);
        if self.searches == 0 {
            self.visited.fill(0);
            self.searches = 1;
        }
    }

    fn push(&mut self, visit: Visit, increasing: bool) {
        let key = if increasing { visit.leaves } else { u64::MAX - visit.depth };
        self.queue.push((key, self.visits.len()));
        self.visits.push(visit);
    }

    /// Follows the edges into a visited node. Returns the latest one that comes from `to`: where
    /// it leaves, and its place.
    fn expand(
        &mut self,
        graph: &Graph,
        to: NodeId,
        number: usize,
        increasing: bool,
    ) -> Option<(Position, usize)> {
        let slot = graph.node(to).running?;
        let Visit { node, leaves, depth, .. } = self.visits[number];
        let mut root = None;
        for (place, edge) in graph.node(node).incoming.iter().enumerate() {
            let from = edge.step.node;
            if (increasing && edge.target.at > leaves) || !graph.alive(&edge.step) {
                continue;
            }
            if from == to {
                root = root.max(Some((edge.host, place)));
            } else if graph.ancestors.has(from, slot) && self.visited[from.index()] != self.searches
            {
                let onward = Onward::Edge(number, place);
                let visit = Visit { node: from, leaves: edge.host, depth: depth + 1, onward };
                self.push(visit, increasing);
            }
        }
        root
    }

    /// The path that enters this visit by the incoming edge at this place.
    fn trace(&self, graph: &Graph, ends: &[Source], mut number: usize, mut place: usize) -> Path {
        let mut edges = vec![];
        loop {
            let visit = &self.visits[number];
            edges.push(graph.node(visit.node).incoming[place]);
            match visit.onward {
                Onward::Edge(next, edge) => (number, place) = (next, edge),
                Onward::End(end) => return Path { edges, end: ends[end] },
            }
        }
    }
}

impl Path {
    /// The event at which the path leaves the transaction.
    pub fn root(&self) -> Step {
        self.edges.first().map_or(Step::BOTTOM, |edge| edge.step)
    }

    /// The cycle that the left-out edge, from the path's end to `closing` in `to`, would close.
    pub fn cycle(&self, graph: &Graph, to: NodeId, closing: Target) -> Vec<Dependence> {
        let mut story = Story { graph, last: None, arrival: None, cycle: vec![] };
        let mut arrivals = self.edges.iter().skip(1).map(|edge| edge.step.node);
        for edge in &self.edges {
            let arrives_in = arrivals.next().unwrap_or(self.end.step.node);
            story.hop(&edge.source(), edge.target, arrives_in);
        }
        story.hop(&self.end, closing, to);
        story.cycle
    }
}

/// A cycle while it is told.
struct Story<'a> {
    graph: &'a Graph,
    /// Where the dependence before arrived.
    last: Option<(Access, NodeId)>,
    /// The arrival at a barrier by which the path came into a gathering.
    arrival: Option<Source>,
    cycle: Vec<Dependence>,
}

impl Story<'_> {
    /// An edge of the path. The order of events of one thread goes without saying.
    fn hop(&mut self, source: &Source, target: Target, arrives_in: NodeId) {
        self.guests(source);
        if source.step.thread != target.event.thread {
            self.tell(source, target, arrives_in, self.graph.node(arrives_in).label);
        }
    }

    /// How the source, if a guest of its node, depends on an event of the node's own thread.
    fn guests(&mut self, source: &Source) {
        let id = source.step.node;
        let node = self.graph.node(id);
        let mut chain = vec![];
        let mut step = source.step;
        while step.thread != node.owner {
            let Some(guest) = node.invitation(step.thread, step.at) else { break };
            chain.push(guest);
            step = guest.source.step;
        }
        for guest in chain.into_iter().rev() {
            self.tell(&guest.source, guest.event, id, LabelId::OUTSIDE);
        }
    }

    /// Tells a dependence; one by a gathering from the arrival that led there.
    fn tell(&mut self, source: &Source, target: Target, arrives_in: NodeId, label: LabelId) {
        if target.is_gathering() {
            self.arrival = Some(*source);
            return;
        }
        let arrival = self.arrival.filter(|_| source.step.is_gathering());
        let source = arrival.as_ref().unwrap_or(source);
        if source.step.thread == target.event.thread {
            return;
        }
        let id = source.step.node;
        let mut from = access(&source.event(), source.step.at, self.source_label(&source.step));
        from.same_transaction = self.last.is_none_or(|(last, node)| {
            let in_one_block =
                node == id && last.label != LabelId::OUTSIDE && from.label != LabelId::OUTSIDE;
            last.event == from.event || in_one_block
        });
        let to = access(&target.event, target.at, label);
        self.last = Some((to, arrives_in));
        self.cycle.push(Dependence { from, to });
    }

    fn source_label(&self, step: &Step) -> LabelId {
        if step.outside { LabelId::OUTSIDE } else { self.graph.node(step.node).label }
    }
}

impl Source {
    fn event(&self) -> Event {
        Event::new(self.step.thread, self.step.op, self.operand, self.step.site)
    }
}

fn access(event: &Event, at: Position, label: LabelId) -> Access {
    Access {
        event: at,
        thread: event.thread,
        op: event.op,
        operand: event.operand,
        site: event.site,
        label,
        same_transaction: false,
    }
}
