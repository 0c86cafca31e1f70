//! `H`: the happens-before graph over transactions, acyclic at all times, with reference-counted
//! collection and the sets of running ancestors.

use super::ancestors::{Ancestors, Slot};
use super::step::{NodeId, Source, Step, Target};
use interloper_trace::{LabelId, Position, ThreadId};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A transaction; or, with merging, one and the events outside blocks that were merged into it.
pub(super) struct Node {
    /// The position of the first event; older steps are of a former use. Free nodes: never.
    pub birth: Position,
    /// The latest position at which an edge or a nested block came in. Steps after it have the
    /// same ancestors.
    pub entered: Position,
    pub owner: ThreadId,
    pub label: LabelId,
    /// The column of the transaction while it runs.
    pub running: Option<Slot>,
    /// Live nodes with an edge to this one, and one if it runs.
    references: u32,
    /// Edges into the node by target position; the source of some may be gone.
    pub incoming: Vec<Edge>,
    /// The latest edge in `incoming` from each thread, once the list is long.
    index: Option<Box<Index>>,
    /// When `incoming` is next searched for edges that can go.
    compact_at: usize,
    outgoing: Vec<NodeId>,
    pub guests: Vec<Guest>,
}

/// An edge of `H`: kept at its target.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub step: Step,
    operand: u32,
    /// The thread that the source's node belongs to.
    pub owner: ThreadId,
    /// The source's time in that thread: see [`Graph::host`].
    pub host: Position,
    pub target: Target,
}

impl Edge {
    pub fn source(&self) -> Source {
        Source { step: self.step, operand: self.operand }
    }
}

/// An event outside blocks that was merged into the node of another thread, because it depends on
/// an event there.
#[derive(Clone, Copy)]
pub(super) struct Guest {
    /// What it depends on: an event of the node's own thread, or an earlier guest.
    pub source: Source,
    /// The event of the node's own thread at the bottom of this.
    pub host: Position,
    pub event: Target,
}

type Index = HashMap<ThreadId, u32, BuildHasherDefault<Spread>>;

/// Thread ids are dense: spreading them is all the hashing they need.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    fn write_u32(&mut self, id: u32) {
        self.0 = (self.0 ^ u64::from(id)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Lists up to this length are searched from end to end.
const SHORT: usize = 16;
/// Lists longer than this are searched for edges that can go, each time they have doubled.
const COMPACT: usize = 64;
/// Lists of free nodes keep their memory up to this capacity.
const KEEP: usize = 256;

/// What became of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It was added, or says nothing new.
    Accepted,
    /// It would have closed a cycle, and was left out.
    LeftOut,
}

/// `H`.
pub(super) struct Graph {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    pub ancestors: Ancestors,
    /// Nodes still to be handled in a walk over the graph: scratch.
    pending: Vec<NodeId>,
    /// How many nodes were ever allocated.
    pub allocated: u64,
    alive: u64,
    /// How many were alive at once, at most.
    pub most_alive: u64,
}

impl Graph {
    pub fn new() -> Graph {
        Graph {
            nodes: vec![Node::free()], // BOTTOM
            free: vec![],
            ancestors: Ancestors::new(),
            pending: vec![],
            allocated: 0,
            alive: 0,
            most_alive: 0,
        }
    }

    #[inline(always)]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    #[inline(always)]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// How many nodes there is room for.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the step is not ⊥.
    #[inline(always)]
    pub fn alive(&self, step: &Step) -> bool {
        self.nodes[step.node.index()].birth <= step.at
    }

    /// The latest event of the node's own thread that the step is, or comes after: guests have no
    /// place in that thread's order, so their host stands for them.
    #[inline]
    pub fn host(&self, step: &Step) -> Position {
        let node = self.node(step.node);
        if node.owner == step.thread {
            return step.at;
        }
        node.invitation(step.thread, step.at).map_or(step.at, |guest| guest.host)
    }

    /// A fresh node, with no edges.
    pub fn allocate(&mut self, owner: ThreadId, label: LabelId, at: Position) -> NodeId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(Node::free());
            NodeId(self.nodes.len() as u32 - 1)
        });
        let node = &mut self.nodes[id.index()];
        (node.birth, node.entered, node.owner, node.label) = (at, at, owner, label);
        self.ancestors.clear(id);
        self.allocated += 1;
        self.alive += 1;
        self.most_alive = self.most_alive.max(self.alive);
        id
    }

    /// The node is a transaction that runs.
    pub fn start(&mut self, id: NodeId) {
        let slot = self.ancestors.start();
        let node = self.node_mut(id);
        node.running = Some(slot);
        node.references += 1;
    }

    /// The transaction has ended.
    pub fn finish(&mut self, id: NodeId) {
        if let Some(slot) = self.node_mut(id).running.take() {
            self.ancestors.end(slot);
            let node = self.node_mut(id);
            node.references -= 1;
            if node.references > 0 {
                node.settle();
            }
            self.collect(id);
        }
    }

    /// [INS2 GC]: if nothing refers to the node, it and all that lived by it alone are free.
    pub fn collect(&mut self, id: NodeId) {
        if self.node(id).references > 0 {
            return;
        }
        self.pending.push(id);
        while let Some(id) = self.pending.pop() {
            let mut targets = self.nodes[id.index()].clear();
            for target in targets.drain(..) {
                let node = &mut self.nodes[target.index()];
                node.references -= 1;
                if node.references == 0 {
                    self.pending.push(target);
                }
            }
            if targets.capacity() <= KEEP {
                self.nodes[id.index()].outgoing = targets;
            }
            self.free.push(id);
            self.alive -= 1;
        }
    }

    /// `H ⊎ {(source, target)}`, unless the edge would close a cycle.
    ///
    /// The source must not be ⊥, nor in `to`.
    pub fn extend(&mut self, source: &Source, to: NodeId, target: Target) -> Outcome {
        let from = source.step.node;
        let host = self.host(&source.step);
        let Node { owner, entered, birth, running, .. } = self.nodes[from.index()];
        let node = &self.nodes[to.index()];
        let mut connected = false;
        if let Some(edge) = node.latest_from(owner) {
            if host.min(entered) <= edge.host {
                return Outcome::Accepted; // all that comes before the source came in already
            }
            connected = edge.step.node == from && edge.step.at >= birth;
        }
        if let Some(slot) = node.running
            && self.ancestors.has(from, slot)
        {
            return Outcome::LeftOut;
        }
        self.make_room(to);
        let Source { step, operand } = *source;
        self.nodes[to.index()].push(Edge { step, operand, owner, host, target });
        if !connected {
            self.nodes[to.index()].references += 1;
            self.nodes[from.index()].outgoing.push(to);
            self.inherit(from, running, to);
        }
        Outcome::Accepted
    }

    /// Hands the ancestors of `from` down to `to` and, where they are new, to all that follows.
    fn inherit(&mut self, from: NodeId, running: Option<Slot>, to: NodeId) {
        self.ancestors.inherit(from, running, to);
        if self.ancestors.gained.is_empty() || self.nodes[to.index()].outgoing.is_empty() {
            return;
        }
        self.pending.push(to);
        while let Some(id) = self.pending.pop() {
            for &target in &self.nodes[id.index()].outgoing {
                if self.ancestors.pass_on(target) {
                    self.pending.push(target);
                }
            }
        }
    }

    /// Drops edges whose source is gone, if the list has become long.
    fn make_room(&mut self, id: NodeId) {
        let node = &self.nodes[id.index()];
        if node.incoming.len() < node.compact_at {
            return;
        }
        let mut incoming = std::mem::take(&mut self.nodes[id.index()].incoming);
        incoming.retain(|edge| self.alive(&edge.step));
        let node = &mut self.nodes[id.index()];
        node.incoming = incoming;
        node.compact_at = (node.incoming.len() * 2).max(COMPACT);
        node.reindex();
    }
}

impl Node {
    fn free() -> Node {
        Node {
            birth: Position::MAX,
            entered: 0,
            owner: ThreadId(u32::MAX),
            label: LabelId::OUTSIDE,
            running: None,
            references: 0,
            incoming: vec![],
            index: None,
            compact_at: COMPACT,
            outgoing: vec![],
            guests: vec![],
        }
    }

    /// Frees the node, keeping memory for its next use; returns where its edges led.
    fn clear(&mut self) -> Vec<NodeId> {
        self.birth = Position::MAX;
        if self.incoming.capacity() > KEEP {
            self.incoming = vec![];
        }
        self.incoming.clear();
        self.guests.clear();
        self.index = None;
        self.compact_at = COMPACT;
        std::mem::take(&mut self.outgoing)
    }

    /// No edge will come in any more: gives back the room kept for them.
    fn settle(&mut self) {
        self.index = None;
        if self.incoming.capacity() > self.incoming.len() + 4 {
            self.incoming.shrink_to_fit();
        }
    }

    fn push(&mut self, edge: Edge) {
        self.entered = edge.target.at;
        self.incoming.push(edge);
        match &mut self.index {
            None if self.incoming.len() > SHORT => self.reindex(),
            None => {}
            Some(index) => {
                index.insert(edge.owner, self.incoming.len() as u32 - 1);
            }
        }
    }

    fn reindex(&mut self) {
        self.index = None;
        if self.incoming.len() > SHORT {
            let places = self.incoming.iter().enumerate();
            let index: Index = places.map(|(i, edge)| (edge.owner, i as u32)).collect();
            self.index = Some(Box::new(index));
        }
    }

    /// The latest edge from a node of this thread; it has the latest source, too.
    fn latest_from(&self, owner: ThreadId) -> Option<&Edge> {
        match &self.index {
            None => self.incoming.iter().rev().find(|edge| edge.owner == owner),
            Some(index) => index.get(&owner).map(|&place| &self.incoming[place as usize]),
        }
    }

    /// By what dependence this thread's event became a guest of the node.
    pub fn invitation(&self, thread: ThreadId, at: Position) -> Option<&Guest> {
        let came = |guest: &&Guest| guest.event.event.thread == thread && guest.event.at <= at;
        self.guests.iter().rev().find(came)
    }
}
