//! From a closed cycle back to the dependences that form it.
//!
//! Each entry of the table remembers the dependence that set it. Walking them backwards from the
//! source of the closing dependence leads to the transaction that closed the cycle: every step goes
//! to a strict ancestor in an acyclic graph, so the walk ends.

use super::table::{Slot, Stair, Table, Time};
use interloper_findings::{Access, Dependence};

/// A dependence that entries of the table refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeId(u32);

impl EdgeId {
    /// No edge.
    pub(super) const NONE: EdgeId = EdgeId(u32::MAX);
}

/// A dependence between events of two threads.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) from_slot: Slot,
    pub(super) from: Access,
    pub(super) to: Access,
    /// When the transaction of `to` ended; [`Time::NEVER`] while it runs.
    pub(super) to_ended: Time,
}

/// The dependences that the table refers to, and some that it no longer does.
pub(super) struct Edges {
    edges: Vec<Edge>,
    /// At this size, those that nothing refers to are dropped.
    limit: usize,
}

const SMALLEST_LIMIT: usize = 4096;

impl Default for Edges {
    fn default() -> Self {
        Edges { edges: vec![], limit: SMALLEST_LIMIT }
    }
}

impl Edges {
    pub(super) fn add(&mut self, edge: Edge) -> EdgeId {
        self.edges.push(edge);
        EdgeId(self.edges.len() as u32 - 1)
    }

    pub(super) fn get(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0 as usize]
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Edge] {
        &self.edges
    }

    pub(super) fn end(&mut self, id: EdgeId, time: Time) {
        self.edges[id.0 as usize].to_ended = time;
    }

    pub(super) fn is_full(&self) -> bool {
        self.edges.len() >= self.limit
    }

    /// Drops what the table does not refer to, and renumbers the rest. `others` are lists of edges
    /// into running transactions: those dropped leave the lists.
    pub(super) fn compact<'a>(
        &mut self,
        table: &mut Table,
        others: impl Iterator<Item = &'a mut Vec<EdgeId>>,
    ) {
        const DEAD: u32 = u32::MAX;
        let mut renumbered = vec![DEAD; self.edges.len()];
        table.visit_edges(|id| renumbered[id.0 as usize] = 0);
        let mut kept = vec![];
        for (old, new) in renumbered.iter_mut().enumerate().filter(|(_, new)| **new == 0) {
            *new = kept.len() as u32;
            kept.push(self.edges[old]);
        }
        table.visit_edges(|id| id.0 = renumbered[id.0 as usize]);
        for list in others {
            list.retain_mut(|id| {
                id.0 = renumbered[id.0 as usize];
                id.0 != DEAD
            });
        }
        self.limit = SMALLEST_LIMIT.max(2 * kept.len());
        self.edges = kept;
    }
}

/// The latest event of the row's transaction that happens before the event of `column` at `time`,
/// as far as open blocks can tell apart.
pub(super) fn root(table: &Table, row: Slot, column: Slot, time: Time) -> Option<Time> {
    if row == column {
        return (table.begin_of(row) <= time).then_some(time);
    }
    stair(table, row, column, time).map(|stair| stair.root)
}

fn stair(table: &Table, row: Slot, column: Slot, time: Time) -> Option<&Stair> {
    let stairs = &table.entry(row, column)?.stairs;
    let below = stairs.partition_point(|stair| stair.arrival <= time);
    stairs[..below].last()
}

/// The chain of dependences from the running transaction of `row` to `source`, an event of
/// `column`, then the closing dependence. Along events if `by_events`, else along transactions.
pub(super) fn cycle(
    table: &Table,
    edges: &Edges,
    row: Slot,
    column: Slot,
    closing: Dependence,
    by_events: bool,
) -> Vec<Dependence> {
    let mut chain = vec![closing];
    let mut at = column;
    while at != row {
        let here = chain.len() - 1;
        let time = Time(chain[here].from.event + 1);
        let id = match by_events {
            true => stair(table, row, at, time).map(|stair| stair.edge),
            false => table.entry(row, at).map(|entry| entry.edge),
        };
        let Some(id) = id else {
            debug_assert!(false, "an entry without an edge");
            break;
        };
        let edge = edges.get(id);
        chain[here].from.same_transaction = time <= edge.to_ended;
        chain.push(Dependence { from: edge.from, to: edge.to });
        at = edge.from_slot;
    }
    chain.reverse();
    chain
}
