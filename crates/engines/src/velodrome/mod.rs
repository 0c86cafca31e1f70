//! Velodrome: the happens-before graph over transactions, kept small, searched for cycles as it
//! grows. After C. Flanagan, S. N. Freund, J. Yi: *Velodrome: A Sound and Complete Dynamic
//! Atomicity Checker for Multithreaded Programs*, PLDI 2008; the rules are those of its Figure 4.
//!
//! # Guarantee
//!
//! A violation is reported at an event if and only if that event makes the trace so far (without
//! the dependences left out at earlier violations) not conflict serializable. The running
//! transaction is blamed if and only if it is not self-serializable, that is, a chain of events
//! leaves it and comes back; a nested block is refuted if and only if such a chain starts inside
//! it. The dependence that would close a cycle is left out, so the graph stays acyclic and the
//! analysis goes on.
//!
//! # State
//!
//! As in the paper: `C` (open blocks) and `L` (last step) of each thread, `U` (last release) of
//! each lock, `W` (last write) and `R` (each thread's last read since) of each variable, and `H`,
//! the graph. A [`step::Step`] is a node and a time; the time is the event's position in the trace.
//! Steps are weak references, nodes are collected by reference counts and recycled.
//!
//! # Deviations from the paper
//!
//! 1. *Several edges between two nodes.* The paper keeps the newest only. Then an increasing cycle
//!    through an older one, which arrives earlier, is lost. Here an edge is dropped only if an
//!    earlier edge into the same node already carries everything that comes before it: one from
//!    the same thread, with a source as late, or such that nothing entered the source's
//!    transaction in between (no edge, no nested block). See [`graph::Graph::extend`].
//! 2. *Stricter merging.* As printed, `merge` may choose a step of a transaction that still runs,
//!    and cycles through the merged event are lost; and it orders steps by their transactions,
//!    and blame is lost. See [`merge`].
//! 3. *Running ancestors only.* The paper keeps all ancestors of each node, which is quadratic in
//!    the nodes alive. Edges arrive at running transactions only, so only those can close a cycle:
//!    it is enough to know which running transactions come before a node. See [`ancestors`].
//! 4. *More events*: fork and join, barriers, volatile accesses and atomic updates, wait. A write forgets the
//!    reads before it: later writes come after them through it. A thread that has ended or was
//!    joined with blocks open has closed them.

mod ancestors;
mod barriers;
mod blame;
mod graph;
mod merge;
mod step;
#[cfg(test)]
mod tests;

use crate::context::rounds::Rounds;
use crate::engine::{EXACT, Engine, Guarantee, Stat};
use blame::{Path, Search};
use graph::{Graph, Outcome};
use interloper_findings::{Key, OpenBlock, Sink, Violation};
use interloper_trace::{Batch, Event, Names, Op, Position, ThreadId};
use std::cmp::Reverse;
use step::{Before, Block, NodeId, Source, Step, Target, Thread, Var};

/// How many events ahead variables are loaded into the cache.
const AHEAD: usize = 64;

/// The engine.
pub struct Velodrome {
    merging: bool,
    /// `C` and `L`
    threads: Vec<Thread>,
    /// `U`
    locks: Vec<Step>,
    /// `R` and `W`
    vars: Vec<Var>,
    /// `H`
    graph: Graph,
    /// Arrivals at barriers.
    rounds: Rounds<Source>,
    /// What the current event depends on: steps of other threads, none of them ⊥.
    sources: Vec<Source>,
    /// Those of them whose edge would have closed a cycle.
    left_out: Vec<Source>,
    search: Search,
}

impl Default for Velodrome {
    fn default() -> Self {
        Velodrome::new()
    }
}

impl Velodrome {
    /// The engine as in the paper's Figure 4.
    pub fn new() -> Velodrome {
        Velodrome {
            merging: true,
            threads: vec![],
            locks: vec![],
            vars: vec![],
            graph: Graph::new(),
            rounds: Rounds::default(),
            sources: vec![],
            left_out: vec![],
            search: Search::default(),
        }
    }

    /// The engine with a node for each event outside blocks, as in the paper's Figure 2: the same
    /// findings, more work. It shows what merging saves.
    pub fn without_merging() -> Velodrome {
        Velodrome { merging: false, ..Velodrome::new() }
    }

    /// Loads what these events are about to look up, all at once rather than one by one. (Operands
    /// that are no variables load something, too: cheaper than to ask.)
    #[inline]
    fn touch(&self, events: &[Event]) {
        let Some(last) = self.vars.len().checked_sub(1) else { return };
        let mut seen = 0;
        for event in events {
            seen ^= self.vars[(event.operand as usize).min(last)].write.at;
        }
        std::hint::black_box(seen);
    }

    #[inline]
    fn event(&mut self, at: Position, event: &Event, sink: &mut dyn Sink) {
        self.know_thread(event.thread);
        match event.op {
            Op::Begin => self.begin(at, event),
            Op::End => self.end(at, event, sink),
            Op::Read | Op::VolatileRead => self.read(at, event),
            Op::Write | Op::VolatileWrite | Op::Update => self.write(at, event),
            Op::Acquire => self.acquire(at, event),
            Op::Release | Op::Wait => self.release(at, event),
            Op::Fork => self.fork(at, event),
            Op::Join => self.join(at, event),
            Op::Exit => self.exit(at, event, sink),
            Op::Barrier => self.arrive(at, event),
            Op::Dummy | Op::Notify | Op::Escape => {
                self.step(at, event);
            }
        }
        if !self.left_out.is_empty() {
            self.report(Target { at, event: *event }, sink);
        }
    }

    /// [INS2 ENTER] and [INS2 RE-ENTER]
    fn begin(&mut self, at: Position, event: &Event) {
        let thread = &mut self.threads[event.thread.index()];
        let label = event.label();
        thread.blocks.push(Block { label, begin: at, site: event.site });
        if thread.current == NodeId::BOTTOM {
            let node = self.graph.allocate(event.thread, label, at);
            self.graph.start(node);
            thread.current = node;
            if self.graph.alive(&thread.last.step) {
                self.graph.extend(&thread.last, node, Target { at, event: *event });
            }
        } else {
            self.graph.node_mut(thread.current).entered = at;
        }
        self.step(at, event);
    }

    /// [INS2 EXIT]
    fn end(&mut self, at: Position, event: &Event, sink: &mut dyn Sink) {
        self.last_step(at, event, sink);
        let thread = &mut self.threads[event.thread.index()];
        thread.blocks.pop();
        if thread.blocks.is_empty() {
            self.finish(event.thread);
        }
    }

    /// [INS2 INSIDE READ] and [INS2 OUTSIDE READ]
    #[inline]
    fn read(&mut self, at: Position, event: &Event) {
        let x = event.var().index();
        if x >= self.vars.len() {
            grow(&mut self.vars, x, || Var::NEW);
        }
        let write = self.vars[x].write;
        self.depend(write, event);
        let step = self.step(at, event);
        if step.node != NodeId::BOTTOM {
            self.vars[x].record_read(step, |step| self.graph.alive(step));
        }
    }

    /// [INS2 INSIDE WRITE] and [INS2 OUTSIDE WRITE]
    #[inline]
    fn write(&mut self, at: Position, event: &Event) {
        let x = event.var().index();
        if x >= self.vars.len() {
            grow(&mut self.vars, x, || Var::NEW);
        }
        let var = &mut self.vars[x];
        for step in std::iter::once(&var.write).chain(var.reads()) {
            if step.thread != event.thread && self.graph.alive(step) {
                self.sources.push(Source { step: *step, operand: event.operand });
            }
        }
        var.clear_reads();
        self.vars[x].write = self.step(at, event);
    }

    /// [INS2 INSIDE ACQUIRE] and [INS2 OUTSIDE ACQUIRE]
    fn acquire(&mut self, at: Position, event: &Event) {
        let release = self.locks.get(event.lock().index()).copied().unwrap_or(Step::BOTTOM);
        self.depend(release, event);
        self.step(at, event);
    }

    /// [INS2 INSIDE RELEASE] and [INS2 OUTSIDE RELEASE]
    fn release(&mut self, at: Position, event: &Event) {
        let m = event.lock().index();
        if m >= self.locks.len() {
            grow(&mut self.locks, m, || Step::BOTTOM);
        }
        self.locks[m] = self.step(at, event);
    }

    /// The first step of the new thread will come after this one.
    fn fork(&mut self, at: Position, event: &Event) {
        self.know_thread(event.child());
        let step = self.step(at, event);
        let fork = Source { step, operand: event.operand };
        self.threads[event.child().index()].before = Before::Fork(fork);
    }

    /// The last step of the other thread comes before this one.
    fn join(&mut self, at: Position, event: &Event) {
        self.know_thread(event.child());
        self.finish(event.child());
        let last = self.threads[event.child().index()].last;
        if self.graph.alive(&last.step) {
            self.sources.push(last);
        }
        self.join_from_barrier(at, event);
        self.step(at, event);
    }

    fn exit(&mut self, at: Position, event: &Event, sink: &mut dyn Sink) {
        self.last_step(at, event, sink);
        self.finish(event.thread);
    }

    /// The step of an event that closes a block: what it violates is reported before that.
    fn last_step(&mut self, at: Position, event: &Event, sink: &mut dyn Sink) {
        self.step(at, event);
        if !self.left_out.is_empty() {
            self.report(Target { at, event: *event }, sink);
        }
    }

    #[inline]
    fn know_thread(&mut self, thread: ThreadId) {
        if thread.index() >= self.threads.len() {
            grow(&mut self.threads, thread.index(), || Thread::NEW);
        }
    }

    /// The event comes after this step, if it is another thread's and not ⊥.
    #[inline]
    fn depend(&mut self, step: Step, event: &Event) {
        if step.thread != event.thread && self.graph.alive(&step) {
            self.sources.push(Source { step, operand: event.operand });
        }
    }

    /// The thread's next step: after its last one, and after `sources`.
    #[inline]
    fn step(&mut self, at: Position, event: &Event) -> Step {
        let thread = &self.threads[event.thread.index()];
        if !matches!(thread.before, Before::Nothing) {
            self.first_step(at, event);
        }
        let thread = &self.threads[event.thread.index()];
        let outside = thread.current == NodeId::BOTTOM;
        let node = if outside {
            self.outside(Target { at, event: *event })
        } else {
            let node = thread.current;
            if !self.sources.is_empty() {
                self.inside(node, Target { at, event: *event });
            }
            node
        };
        let Event { thread, op, site, operand, .. } = *event;
        let step = Step { at, node, thread, site, op, outside };
        self.threads[thread.index()].last = Source { step, operand };
        step
    }

    /// The thread's first step, or the first since it arrived at a barrier.
    #[cold]
    fn first_step(&mut self, at: Position, event: &Event) {
        let before = &mut self.threads[event.thread.index()].before;
        match std::mem::replace(before, Before::Nothing) {
            Before::Nothing => {}
            Before::Fork(fork) if self.graph.alive(&fork.step) => self.sources.push(fork),
            Before::Fork(_) => {}
            Before::Round(round) => self.go_on(at, event, round),
        }
    }

    /// `H ⊎ {(source, step) | source ∈ sources}`
    fn inside(&mut self, node: NodeId, target: Target) {
        for source in &self.sources {
            if self.graph.extend(source, node, target) == Outcome::LeftOut {
                self.left_out.push(*source);
            }
        }
        self.sources.clear();
    }

    /// `merge(H, {L(t)} ∪ sources)`
    #[inline]
    fn outside(&mut self, target: Target) -> NodeId {
        let last = &self.threads[target.event.thread.index()].last;
        let node = if self.merging {
            self.graph.merge(last, &self.sources, target)
        } else {
            let last = self.graph.alive(&last.step).then_some(last);
            self.graph.fresh(last, &self.sources, target)
        };
        self.sources.clear();
        node
    }

    /// The thread has no open block any more.
    fn finish(&mut self, thread: ThreadId) {
        let thread = &mut self.threads[thread.index()];
        thread.blocks.clear();
        let node = std::mem::replace(&mut thread.current, NodeId::BOTTOM);
        if node != NodeId::BOTTOM {
            self.graph.finish(node);
        }
    }

    /// Reports the violation that the edges in `left_out` show: by the one that refutes the most
    /// blocks, and of these the one from the first source.
    #[cold]
    fn report(&mut self, closing: Target, sink: &mut dyn Sink) {
        let Velodrome { threads, graph, search, left_out, .. } = self;
        let Thread { blocks, current, .. } = &threads[closing.event.thread.index()];
        let depth = |path: &Path| blocks.partition_point(|b| b.begin <= path.root().at);
        let mut ranked = vec![];
        for source in left_out.iter() {
            let path = search.path(graph, *current, &[*source], true);
            let refuted = path.as_ref().map_or(0, depth);
            ranked.push((refuted, Reverse(source.step.at), source, path));
        }
        let most = ranked.into_iter().max_by_key(|(refuted, first, ..)| (*refuted, *first));
        let Some((refuted, _, &source, path)) = most else { return };
        let block = &blocks[refuted.saturating_sub(1)];
        let Target { at: event, event: Event { thread, site, .. } } = closing;
        let key = Key::new((block.label, block.site), refuted > 0, source.step.site, site);
        if sink.count(event, key) {
            let path = path.or_else(|| search.path(graph, *current, &[source], false));
            debug_assert!(path.is_some(), "an edge was left out, so there is a path");
            let cycle = path.map_or(vec![], |path| path.cycle(graph, *current, closing));
            let open = |(depth, block): (usize, &Block)| OpenBlock {
                label: block.label,
                begin: block.begin,
                site: block.site,
                refuted: depth < refuted,
            };
            let blocks = blocks.iter().enumerate().map(open).collect();
            sink.explain(key, Violation { event, thread, blocks, cycle });
        }
        self.left_out.clear();
    }
}

/// Makes room for an element at `index`, and some more.
#[cold]
fn grow<T>(list: &mut Vec<T>, index: usize, new: impl FnMut() -> T) {
    list.resize_with((index + 1).max(list.len() * 2), new);
}

impl Engine for Velodrome {
    fn name(&self) -> &'static str {
        if self.merging { "velodrome" } else { "velodrome-unmerged" }
    }

    fn guarantee(&self) -> Guarantee {
        EXACT
    }

    fn judges_by_conflicts(&self) -> bool {
        true
    }

    fn feed(&mut self, batch: &Batch, _names: &Names, sink: &mut dyn Sink) {
        let mut first = batch.first;
        for events in batch.events.chunks(AHEAD) {
            self.touch(events);
            for (at, event) in (first..).zip(events) {
                self.event(at, event, sink);
            }
            first += events.len() as Position;
        }
    }

    fn stats(&self) -> Vec<Stat> {
        vec![
            Stat { name: "transactions allocated", value: self.graph.allocated },
            Stat { name: "transactions alive at most", value: self.graph.most_alive },
        ]
    }
}
