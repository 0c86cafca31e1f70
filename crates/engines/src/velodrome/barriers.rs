//! Barriers: whoever goes on comes after the arrivals of all others in its round.
//!
//! With `k` threads these are `k²` edges a round. A *gathering* makes them `2k`: a node that belongs to no
//! thread, comes after all arrivals, and before the next events of those who arrived outside blocks.
//! For a thread whose block goes on it cannot stand: its own arrival, and with it the block, comes
//! before the gathering, so the edge back would look like a cycle. Such a thread gets its edges
//! from the others' arrivals one by one.

use super::Velodrome;
use super::graph::Graph;
use super::step::{Before, NodeId, Source, Step, Target};
use crate::context::rounds::RoundId;
use interloper_trace::{Event, LabelId, Op, Position, SiteId, ThreadId};

/// With no more arrivals than this, a gathering is not worth it.
const FEW: usize = 2;

/// Gatherings stand for threads that do not exist, of which traces have at most 2²⁴.
const NO_THREADS: u32 = 1 << 31;

impl Step {
    /// Whether this step, which is not ⊥, is no event but stands for the arrivals of a round.
    pub fn is_gathering(&self) -> bool {
        self.thread.0 >= NO_THREADS
    }
}

impl Target {
    /// Whether the dependence arrives at a gathering.
    pub fn is_gathering(&self) -> bool {
        self.event.thread.0 >= NO_THREADS
    }
}

impl Velodrome {
    /// The next step of the thread will come after the arrivals of the others in its round.
    pub(super) fn arrive(&mut self, at: Position, event: &Event) {
        let step = self.step(at, event);
        let round = self.rounds.arrive(event.lock(), Source { step, operand: event.operand });
        self.threads[event.thread.index()].before = Before::Round(round);
    }

    /// The thread does its next event.
    pub(super) fn go_on(&mut self, at: Position, event: &Event, round: RoundId) {
        // Its last step is the arrival.
        let outside = self.threads[event.thread.index()].last.step.outside;
        self.await_round(at, round, [event.thread; 2], outside);
        self.rounds.leave(round);
    }

    /// A joined thread whose last step is an arrival has gone on.
    pub(super) fn join_from_barrier(&mut self, at: Position, event: &Event) {
        if let Before::Round(round) = self.threads[event.child().index()].before {
            let outside = self.threads[event.thread.index()].current == NodeId::BOTTOM;
            self.await_round(at, round, [event.child(), event.thread], outside);
        }
    }

    /// The event comes after the arrivals of this round, but for those of two threads. `outside`: the
    /// arrivals may be gathered.
    fn await_round(&mut self, at: Position, round: RoundId, without: [ThreadId; 2], outside: bool) {
        let mut arrivals = self.rounds.complete(round);
        arrivals.retain(|arrival| self.graph.alive(&arrival.step));
        if outside && arrivals.len() > FEW {
            self.sources.push(gathering(&mut self.graph, at, &mut arrivals));
        } else {
            let is_other = |arrival: &&Source| {
                !arrival.step.is_gathering() && !without.contains(&arrival.step.thread)
            };
            self.sources.extend(arrivals.iter().filter(is_other));
        }
        self.rounds.give_back(round, arrivals);
    }
}

/// The gathering of these arrivals: the last of them, or a new one that is then put there.
fn gathering(graph: &mut Graph, at: Position, arrivals: &mut Vec<Source>) -> Source {
    if let Some(last) = arrivals.last()
        && last.step.is_gathering()
    {
        return *last;
    }
    let operand = arrivals.first().map_or(0, |arrival| arrival.operand);
    let nobody = ThreadId(u32::MAX);
    let node = graph.allocate(nobody, LabelId::OUTSIDE, at);
    // Of its own among all that are alive.
    let thread = ThreadId(NO_THREADS | node.0);
    graph.node_mut(node).owner = thread;
    let event = Event::new(thread, Op::Barrier, operand, SiteId::UNKNOWN);
    for arrival in arrivals.iter() {
        graph.extend(arrival, node, Target { at, event });
    }
    let step = Step { at, node, thread, site: event.site, op: event.op, outside: true };
    arrivals.push(Source { step, operand });
    Source { step, operand }
}
