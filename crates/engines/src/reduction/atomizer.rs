//! The Atomizer: online reduction (Flanagan and Freund, *Atomizer: a dynamic atomicity checker for
//! multithreaded programs*, POPL 2004; as Wang and Stoller, 2006, describe it in sections 5 and 8).
//!
//! **Method.** Theorem 1: a transaction is atomic if it has the form `R* N? L*`. While a block moves right it
//! may acquire; the first release or racy access commits it; from there on it must move left, and an
//! acquire or another racy access is the error, reported at that event together with the one that committed. Races
//! are guessed by access- and write-protecting locksets ([`crate::races`]), with von Praun and Gross's transfer
//! of ownership; locks that only one thread uses, or that another lock protects, are both-movers
//! (section 5.5). Each nested block has a commit point of its own: those that contain both
//! events are refuted.
//!
//! **Guarantee.** None, in either direction. It misses violations: every classification is by what was
//! seen *so far*. The first accesses to a variable are taken for initialization, a lock that nobody else has
//! used yet for thread-local, one that was always held within another for protected; if it
//! turns out otherwise, what was said before is not taken back, and what was not said is not made up
//! for. And it raises false alarms, as reduction does. It also takes for granted that there is no
//! potential for deadlock. For the sound variant see [`super::Reduction`].
//!
//! **Deviations.** `escape` is heeded: an object's variables start anew there (the paper's online
//! algorithm ran without). `fork`, `join` and `barrier` end transactions but order nothing. Volatile accesses and
//! updates are accesses like others.
//!
//! **Cost.** Constant time an event, memory by variables, locks and open blocks.

use super::locks::Locks;
use super::report::{between, event_in_words};
use crate::context::escapes::Escapes;
use crate::context::locksets::{Locksets, SetId};
use crate::engine::{Engine, Guarantee, Stat};
use crate::races::protecting::{Protecting, Start};
use crate::settings::Settings;
use interloper_findings::{
    Access, Certainty, Kind, Mark, OpenBlock, Sameness, Sink, Warning, Witness,
};
use interloper_trace::{
    Batch, Event, LabelId, LockId, Names, Op, OperandKind, Position, SiteId, ThreadId, VarId,
};
use smallvec::SmallVec;
use std::hint::{black_box, select_unpredictable};

/// How many events ahead variables are asked for.
const AHEAD: usize = 32;

/// The Atomizer. See the module's documentation.
pub struct Atomizer {
    /// Whether `escape` means nothing.
    no_escapes: bool,
    escapes: Escapes,
    locksets: Locksets,
    locks: Locks,
    races: Protecting,
    /// By variable: the one lock that protects all accesses and all writes, plus one; 0 if it is not
    /// so. Whoever holds it changes nothing and need not be looked at.
    guards: Vec<u32>,
    /// By thread.
    threads: Vec<Thread>,
    racy: u64,
}

#[derive(Default)]
struct Thread {
    hand: Hand,
    /// The open blocks, outermost first.
    blocks: Vec<Block>,
    /// How many of them, from outside, are past their commit point.
    committed: usize,
}

struct Block {
    label: LabelId,
    begin: Position,
    site: SiteId,
    reported: bool,
    /// What committed it, if anything has.
    commit: Moment,
}

/// The locks that a thread holds, in the order of acquisition.
type Held = SmallVec<[LockId; 4]>;

/// The same, and as a set if that was asked for: most events can do without.
#[derive(Default)]
struct Hand {
    held: Held,
    set: Option<SetId>,
}

impl Hand {
    fn set(&mut self, locksets: &mut Locksets) -> SetId {
        *self.set.get_or_insert_with(|| locksets.of(self.held.to_vec()))
    }
}

/// An event with what is needed to tell of it.
#[derive(Clone)]
struct Moment {
    at: Position,
    event: Event,
    held: Held,
}

impl Engine for Atomizer {
    fn name(&self) -> &'static str {
        "atomizer"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            promise: "heuristic: reports blocks that do not reduce by what was seen so far; \
                      false alarms and misses",
            all_clear: "no block was seen not to reduce; that proves nothing",
        }
    }

    fn assumes_no_deadlock(&self) -> bool {
        true
    }

    fn feed(&mut self, batch: &Batch, names: &Names, sink: &mut dyn Sink) {
        self.escapes.learn(names);
        let threads = names.threads.len().max(self.threads.len());
        self.threads.resize_with(threads, Thread::default);
        self.guards.resize(names.vars.len().max(self.guards.len()), 0);
        let mut at = batch.first;
        let mut chunks = batch.events.chunks(AHEAD).peekable();
        while let Some(events) = chunks.next() {
            if let Some(next) = chunks.peek() {
                self.fetch(next);
            }
            for event in events {
                self.event(at, event, names, sink);
                at += 1;
            }
        }
    }

    fn stats(&self) -> Vec<Stat> {
        vec![Stat { name: "accesses that could race", value: self.racy }]
    }
}

impl Default for Atomizer {
    fn default() -> Atomizer {
        Atomizer::new(Settings::default())
    }
}

impl Atomizer {
    /// A new engine, before any event. Of the settings, only whether escapes count matters.
    pub fn new(settings: Settings) -> Atomizer {
        Atomizer {
            no_escapes: settings.without.escape,
            escapes: Escapes::default(),
            locksets: Locksets::default(),
            locks: Locks::default(),
            races: Protecting::new(Start::Transfer),
            guards: vec![],
            threads: vec![],
            racy: 0,
        }
    }

    /// Asks for the variables of coming events.
    #[inline(always)]
    fn fetch(&self, events: &[Event]) {
        let mut all = 0;
        for event in events {
            // Without a branch, which would be mispredicted: operations follow no pattern.
            let is_access = event.op.operand_kind() == OperandKind::Var;
            let var = select_unpredictable(is_access, event.operand, 0) as usize;
            all ^= self.guards.get(var).copied().unwrap_or(0);
        }
        black_box(all);
    }

    #[inline(always)]
    fn event(&mut self, at: Position, event: &Event, names: &Names, sink: &mut dyn Sink) {
        match event.op {
            Op::Read | Op::VolatileRead => self.access(at, event, false, names, sink),
            Op::Write | Op::VolatileWrite | Op::Update => {
                self.access(at, event, true, names, sink);
            }
            Op::Acquire => self.acquire(at, event, names, sink),
            Op::Release | Op::Wait => self.release(at, event),
            Op::Begin => self.begin(at, event),
            Op::End => self.end(event.thread),
            Op::Fork | Op::Join | Op::Barrier => self.split(event.thread),
            Op::Exit => self.threads[event.thread.index()] = Thread::default(),
            Op::Escape => self.escape(event, names),
            Op::Dummy | Op::Notify => {}
        }
    }

    #[inline(always)]
    fn access(
        &mut self,
        at: Position,
        event: &Event,
        write: bool,
        names: &Names,
        sink: &mut dyn Sink,
    ) {
        let guard = self.guards[event.operand as usize];
        let held = &self.threads[event.thread.index()].hand.held;
        // (No lock has the number that "no guard" makes.)
        if held.iter().any(|lock| lock.0 == guard.wrapping_sub(1)) {
            return;
        }
        if !self.is_race_free(event.var(), write, event.thread) {
            self.racy += 1;
            self.must_be_right(at, event, names, sink);
            self.commit(at, event);
        }
    }

    fn is_race_free(&mut self, var: VarId, write: bool, thread: ThreadId) -> bool {
        let held = self.threads[thread.index()].hand.set(&mut self.locksets);
        let free = self.races.access(var, write, thread, held, &mut self.locksets);
        let (all, writes) = (self.races.access_protecting(var), self.races.write_protecting(var));
        let same = all.filter(|&set| all == writes && self.locksets.len(set) == 1);
        let guard = same.and_then(|set| self.locksets.locks(set).first().copied());
        self.guards[var.index()] = guard.map_or(0, |lock| lock.0 + 1);
        free
    }

    #[inline(always)]
    fn acquire(&mut self, at: Position, event: &Event, names: &Names, sink: &mut dyn Sink) {
        let (lock, thread) = (event.lock(), &mut self.threads[event.thread.index()]);
        let held = |locksets: &mut Locksets| thread.hand.set(locksets);
        self.locks.acquire(lock, event.thread, held, &mut self.locksets);
        if thread.committed > 0 && !self.locks.is_private(lock) {
            self.must_be_right(at, event, names, sink);
        }
        let hand = &mut self.threads[event.thread.index()].hand;
        hand.held.push(lock);
        hand.set = None;
    }

    #[inline(always)]
    fn release(&mut self, at: Position, event: &Event) {
        let (lock, hand) = (event.lock(), &mut self.threads[event.thread.index()].hand);
        self.locks.release(lock, hand.held.iter().rev().copied(), &mut self.locksets);
        if !self.locks.is_private(lock) {
            self.commit(at, event);
        }
        let hand = &mut self.threads[event.thread.index()].hand;
        if let Some(place) = hand.held.iter().rposition(|&held| held == lock) {
            hand.held.remove(place);
        }
        hand.set = None;
    }

    fn begin(&mut self, at: Position, event: &Event) {
        let commit = Moment { at, event: *event, held: Held::new() };
        let (label, site) = (event.label(), event.site);
        let block = Block { label, begin: at, site, reported: false, commit };
        self.threads[event.thread.index()].blocks.push(block);
    }

    fn end(&mut self, thread: ThreadId) {
        let thread = &mut self.threads[thread.index()];
        thread.blocks.pop();
        thread.committed = thread.committed.min(thread.blocks.len());
    }

    /// One transaction ends and another begins, in the same blocks.
    fn split(&mut self, thread: ThreadId) {
        let thread = &mut self.threads[thread.index()];
        thread.committed = 0;
        for block in &mut thread.blocks {
            block.reported = false;
        }
    }

    #[cold]
    fn escape(&mut self, event: &Event, names: &Names) {
        if !self.no_escapes {
            for &var in self.escapes.escape(event, names) {
                self.races.renew(var);
                self.guards[var.index()] = 0;
            }
        }
    }

    /// From this event on, open blocks must move left.
    #[inline(always)]
    fn commit(&mut self, at: Position, event: &Event) {
        let Thread { blocks, committed, hand } = &mut self.threads[event.thread.index()];
        for block in &mut blocks[*committed..] {
            block.commit = Moment { at, event: *event, held: hand.held.clone() };
        }
        *committed = blocks.len();
    }

    /// An event that does not move left: an error in all blocks that must.
    fn must_be_right(&mut self, at: Position, event: &Event, names: &Names, sink: &mut dyn Sink) {
        let Thread { blocks, committed, hand } = &mut self.threads[event.thread.index()];
        let blocks = &mut blocks[..*committed];
        let Some(Block { label, site, reported: false, commit, .. }) = blocks.last() else {
            return;
        };
        let marks = [Mark::block(*label, *site), mark(&commit.event), mark(event)];
        let same = Sameness::new(Kind::Atomicity, &marks);
        let (commit, held) = (commit.clone(), hand.held.clone());
        // Around one that was reported all were.
        let around = blocks.iter_mut().rev().take_while(|block| !block.reported);
        around.for_each(|block| block.reported = true);
        if sink.warn(at, same) {
            let now = Moment { at, event: *event, held };
            sink.describe(same, self.warning(&commit, &now, names));
        }
    }

    #[cold]
    fn warning(&self, commit: &Moment, now: &Moment, names: &Names) -> Warning {
        let thread = &self.threads[now.event.thread.index()];
        let open = |(depth, block): (usize, &Block)| {
            let Block { label, begin, site, .. } = *block;
            OpenBlock { label, begin, site, refuted: depth < thread.committed }
        };
        let [from, to] = [commit, now].map(|moment| {
            let Event { op, operand, site, .. } = moment.event;
            let racy = op.operand_kind() == OperandKind::Var;
            event_in_words(names, (op, operand), (site, moment.at), racy)
        });
        Warning {
            kind: Kind::Atomicity,
            certainty: Certainty::Possible,
            message: None,
            event: now.at,
            thread: now.event.thread,
            blocks: thread.blocks.iter().enumerate().map(open).collect(),
            steps: [commit, now].map(|moment| self.witness(moment)).to_vec(),
            cycle: vec![],
            notes: vec![between(&from, &to)],
        }
    }

    fn witness(&self, moment: &Moment) -> Witness {
        let Event { thread, op, operand, site, .. } = moment.event;
        let blocks = &self.threads[thread.index()].blocks;
        let label = blocks.first().map_or(LabelId::OUTSIDE, |block| block.label);
        let event = moment.at;
        let access = Access { event, thread, op, operand, site, label, same_transaction: true };
        Witness { access, held: moment.held.to_vec() }
    }
}

/// Where an event was, or what it was about if that is not known.
fn mark(event: &Event) -> Mark {
    let otherwise = match event.op.operand_kind() {
        OperandKind::Var => Mark::Var(VarId(event.operand)),
        _ => Mark::Lock(LockId(event.operand)),
    };
    Mark::place(event.site, otherwise)
}
