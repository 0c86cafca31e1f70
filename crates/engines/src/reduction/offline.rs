//! Offline reduction (Wang and Stoller, 2006, section 5): every transaction is remembered, equal ones
//! once, and judged when the whole trace is known.
//!
//! **Guarantee.** If no schedule of the trace's events ends in a deadlock, and none of the
//! transactions is reported, all of them are atomic: every schedule is equivalent to one that runs them
//! one after the other (view equivalence, section 2 of the paper). It takes for granted that accesses
//! before the `escape` of an object cannot matter. Where improvements are switched off that decide on
//! races by the states of Eraser ([`Without::multilockset`]), there is no guarantee: accesses
//! during initialization are not looked at.
//!
//! Not the other way round: a report may be a false alarm. That is the nature of the method: it asks how
//! events move, not whether moving them matters.
//!
//! **Method.** While events arrive: transactions are written down ([`super::recording`]) and kept if
//! they are new ([`super::trees`]); races are looked for by the multilockset algorithm; of each
//! lock its users, its protecting locks and whether it crosses transactions ([`super::locks`]).
//! At the end: each distinct transaction is read as a pattern ([`super::judge`]). What is learned on the way is
//! only ever for the worse (an access that can race, can race for good), so whatever
//! cannot break the pattern however things turn out is not even kept.
//!
//! **Deviations from the paper.** See [`super::judge`] for `AcqA*Rel` and the order within a node. Volatile
//! accesses and atomic updates are accesses like others: they commute or not for the same reasons; an
//! update is one indivisible event. Blocks within the transaction are judged as well: those
//! around both events that do not fit are refuted, and an inner block is reported for itself if its own
//! events do not fit.
//!
//! **Cost.** Constant time an event but for sorting accesses between two lock operations. Memory by
//! variables and by distinct transactions: sixteen bytes an event of each.

use super::item::{Item, Word};
use super::judge::{Class, Classes, Judge, always_reduces};
use super::locks::Locks;
use super::recording::{Bracket, Numbers, Recording, Seen, lock_item};
use super::report::Report;
use super::trees::Trees;
use crate::context::blocks::{Blocks, Turn};
use crate::context::escapes::Escapes;
use crate::context::held::Held;
use crate::context::locksets::{Locksets, SetId};
use crate::context::periods::{PeriodId, Periods};
use crate::engine::{Engine, Guarantee, Progress, Stat};
use crate::races::Touch;
use crate::races::overlap::{Order, Overlap, Sets};
use crate::races::verdict::Verdict;
use crate::settings::{Settings, Without};
use interloper_findings::Sink;
use interloper_trace::{Batch, Event, Names, Op, OperandKind, Position, ThreadId, VarId};
use std::hint::{black_box, select_unpredictable};

/// How many events ahead variables are asked for.
const AHEAD: usize = 32;

/// What is known of a variable beside races.
#[derive(Default)]
struct Cell {
    seen: Seen,
    told: Told,
    /// Whether conflicting accesses can overlap, locks aside.
    overlap: Overlap,
}

/// What was told of a variable already, so that most accesses need not be looked at.
#[derive(Default)]
struct Told {
    /// The periods of reads and, above these, of writes; those with low numbers.
    periods: u64,
    /// The locks held at the last read and at the last write that was told.
    held: [Option<SetId>; 2],
}

impl Told {
    /// Whether an access may tell something about periods and locks, each for itself, that others have
    /// not told.
    #[inline(always)]
    fn is_news(&mut self, write: bool, period: PeriodId, held: SetId) -> bool {
        let side = usize::from(write);
        let bit = if period.0 < 32 { 1 << (period.0 as usize + 32 * side) } else { 0 };
        let old = self.periods & bit != 0 && self.held[side] == Some(held);
        self.periods |= bit;
        self.held[side] = Some(held);
        !old
    }
}

/// The offline reduction engine. See the module's documentation.
pub struct Reduction {
    without: Without,
    order: Order,
    blocks: Blocks,
    held: Held,
    locksets: Locksets,
    periods: Periods,
    escapes: Escapes,
    verdict: Verdict,
    locks: Locks,
    /// By variable.
    cells: Vec<Cell>,
    sets: Sets,
    /// By thread.
    threads: Vec<Recording>,
    numbers: Numbers,
    trees: Trees,
    transactions: u64,
    refuted: u64,
}

impl Engine for Reduction {
    fn name(&self) -> &'static str {
        "reduction"
    }

    fn guarantee(&self) -> Guarantee {
        if self.without.multilockset {
            return Guarantee {
                promise: "heuristic: reports blocks that do not reduce; false alarms and misses",
                all_clear: "no block of this run was found not to reduce",
            };
        }
        Guarantee {
            promise: "conservative: reports every block that a schedule of the same events can \
                      break, and false alarms; unless there can be a deadlock",
            all_clear: "no schedule of this run's events breaks a block; another run may have \
                        other events",
        }
    }

    fn assumes_no_deadlock(&self) -> bool {
        true
    }

    fn feed(&mut self, batch: &Batch, names: &Names, _sink: &mut dyn Sink) {
        self.make_room(names);
        self.escapes.learn(names);
        let mut at = batch.first;
        let mut chunks = batch.events.chunks(AHEAD).peekable();
        while let Some(events) = chunks.next() {
            if let Some(next) = chunks.peek() {
                self.fetch(next);
            }
            for event in events {
                self.event(at, event, names);
                at += 1;
            }
        }
    }

    fn finish(&mut self, names: &Names, sink: &mut dyn Sink, progress: &mut dyn Progress) {
        for thread in 0..self.threads.len() {
            if self.threads[thread].runs() {
                self.end(ThreadId(thread as u32));
            }
        }
        self.judge(names, sink, progress);
    }

    fn stats(&self) -> Vec<Stat> {
        vec![
            Stat { name: "transactions", value: self.transactions },
            Stat { name: "distinct transactions kept", value: self.trees.all().len() as u64 },
            Stat { name: "events kept", value: self.trees.stored() },
            Stat { name: "distinct transactions that do not reduce", value: self.refuted },
        ]
    }
}

impl Reduction {
    /// A new engine, before any event.
    pub fn new(settings: Settings) -> Reduction {
        let without = settings.without;
        Reduction {
            without,
            order: if without.happens_before { Order::Threads } else { Order::Periods },
            blocks: Blocks::default(),
            held: Held::default(),
            locksets: Locksets::default(),
            periods: Periods::default(),
            escapes: Escapes::default(),
            verdict: Verdict::new(without),
            locks: Locks::default(),
            cells: vec![],
            sets: Sets::default(),
            threads: vec![],
            numbers: Numbers::default(),
            trees: Trees::default(),
            transactions: 0,
            refuted: 0,
        }
    }

    fn make_room(&mut self, names: &Names) {
        let (vars, threads) = (names.vars.len(), names.threads.len());
        self.cells.resize_with(vars.max(self.cells.len()), Cell::default);
        self.threads.resize_with(threads.max(self.threads.len()), Recording::default);
    }

    /// Asks for the variables of coming events.
    #[inline(always)]
    fn fetch(&self, events: &[Event]) {
        let told = |event: &Event| {
            // Without a branch, which would be mispredicted: operations follow no pattern.
            let is_access = event.op.operand_kind() == OperandKind::Var;
            let var = select_unpredictable(is_access, event.operand, 0) as usize;
            self.cells.get(var).map_or(0, |cell| cell.told.periods)
        };
        black_box(events.iter().fold(0, |all, event| all ^ told(event)));
    }

    #[inline(always)]
    fn event(&mut self, at: Position, event: &Event, names: &Names) {
        let period = self.periods.of(event.thread);
        match event.op {
            Op::Read | Op::VolatileRead => self.access(at, event, false),
            Op::Write | Op::VolatileWrite | Op::Update => self.access(at, event, true),
            Op::Acquire => self.acquire(at, event),
            Op::Release | Op::Wait => self.release(at, event),
            Op::Begin | Op::End | Op::Exit => self.block(at, event),
            Op::Fork | Op::Join | Op::Barrier => {
                self.block(at, event);
                self.periods.event(event);
            }
            Op::Escape if !self.without.escape => {
                for &var in self.escapes.escape(event, names) {
                    self.verdict.escape(var, period);
                    let cell = &mut self.cells[var.index()];
                    cell.overlap.forget(&mut self.sets);
                    *cell = Cell::default();
                }
            }
            Op::Escape | Op::Dummy | Op::Notify => {}
        }
    }

    #[inline(always)]
    fn access(&mut self, at: Position, event: &Event, write: bool) {
        let (var, thread) = (event.var(), event.thread);
        let (period, held) = (self.periods.of(thread), self.held.set(thread, &mut self.locksets));
        let touch = Touch { var, write, thread, period, held };
        let cell = &mut self.cells[var.index()];
        let news = cell.told.is_news(write, period, held);
        // Eraser's states depend on every access; many locksets, only on what is new.
        if news | self.without.multilockset {
            self.verdict.feed(&touch, &mut self.locksets, &self.periods);
        }
        if news && !cell.overlap.any() {
            cell.overlap.access(write, period, self.order, &self.periods, &mut self.sets);
        }
        let recording = &mut self.threads[thread.index()];
        if recording.runs() {
            let word = Word::access(var, self.escapes.has_escaped(var));
            recording.access(word, &mut cell.seen, at, event);
        }
    }

    #[inline(always)]
    fn acquire(&mut self, at: Position, event: &Event) {
        let (lock, thread) = (event.lock(), event.thread);
        self.locks.acquire(lock, thread, |sets| self.held.set(thread, sets), &mut self.locksets);
        self.held.event(at, event);
        let recording = &mut self.threads[thread.index()];
        if recording.runs() {
            recording.open(Bracket::Lock(lock), lock_item(at, event), &mut self.numbers);
        } else {
            self.locks.cross(lock);
        }
    }

    #[inline(always)]
    fn release(&mut self, at: Position, event: &Event) {
        let (lock, thread) = (event.lock(), event.thread);
        let held = self.held.list(thread).iter().rev().map(|holding| holding.lock);
        self.locks.release(lock, held, &mut self.locksets);
        self.held.event(at, event);
        let recording = &mut self.threads[thread.index()];
        if recording.runs() {
            recording.close(Bracket::Lock(lock), lock_item(at, event), &mut self.numbers);
        }
    }

    /// An event that may begin or end a block or a transaction.
    fn block(&mut self, at: Position, event: &Event) {
        match self.blocks.event(at, event) {
            Turn::Begins => self.begin(event.thread),
            Turn::Ends => self.end(event.thread),
            Turn::Splits => {
                self.end(event.thread);
                self.begin(event.thread);
            }
            Turn::Goes => self.inner(at, event),
        }
    }

    /// An inner block begins or ends.
    fn inner(&mut self, at: Position, event: &Event) {
        let (bracket, numbers) = (Bracket::Block, &mut self.numbers);
        let recording = &mut self.threads[event.thread.index()];
        if event.op == Op::Begin {
            let word = Word::begin(event.label(), event.site);
            recording.open(bracket, Item::new(word, Op::Begin, at, event.site), numbers);
        } else if event.op == Op::End {
            recording.close(bracket, Item::new(Word::end(), Op::End, at, event.site), numbers);
        }
    }

    fn begin(&mut self, thread: ThreadId) {
        let locks = self.held.list(thread).iter().map(|holding| {
            Item::new(Word::held(holding.lock), Op::Acquire, holding.acquired, holding.site)
        });
        let blocks = self.blocks.open(thread).iter().map(|open| {
            Item::new(Word::begin(open.label, open.site), Op::Begin, open.begin, open.site)
        });
        self.threads[thread.index()].start(locks, blocks, &mut self.numbers);
    }

    fn end(&mut self, thread: ThreadId) {
        self.transactions += 1;
        for holding in self.held.list(thread) {
            self.locks.cross(holding.lock);
        }
        let items = self.threads[thread.index()].finish();
        if !always_reduces(items) {
            self.trees.add(thread, items);
        }
    }

    /// What accesses to each variable are, by the whole trace.
    fn classes(&self) -> Vec<Class> {
        let class = |(var, cell): (usize, &Cell)| {
            if self.verdict.is_racy(VarId(var as u32)) {
                Class::Racy
            } else if cell.overlap.any() {
                Class::Guarded
            } else {
                Class::Calm
            }
        };
        self.cells.iter().enumerate().map(class).collect()
    }

    fn judge(&mut self, names: &Names, sink: &mut dyn Sink, progress: &mut dyn Progress) {
        let classes = Classes {
            vars: self.classes(),
            escaped: &|var| self.escapes.has_escaped(var),
            locks: &self.locks,
            leave_out: !self.without.acq_rel,
        };
        let (trees, mut judge) = (self.trees.all(), Judge::default());
        for (done, tree) in trees.iter().enumerate() {
            if done % 4096 == 0 {
                progress.at(done as u64, trees.len() as u64);
            }
            let items = self.trees.items(tree);
            let misfits = judge.judge(items, &classes).to_vec();
            self.refuted += u64::from(!misfits.is_empty());
            let report = Report { tree, items, movers: judge.movers(), names };
            misfits.iter().for_each(|misfit| report.tell(misfit, sink));
        }
        progress.at(trees.len() as u64, trees.len() as u64);
    }
}
