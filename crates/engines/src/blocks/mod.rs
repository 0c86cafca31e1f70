//! Atomicity by blocks: pairs of events of a transaction that another schedule could separate
//! (Wang and Stoller, "Runtime analysis of atomicity for multithreaded programs", 2006, section 6).
//!
//! **What it does.** From one trace it tells which transactions could be cut in two by others under
//! another schedule of the same events, as far as locks, `fork`, `join` and barriers allow other
//! schedules. While the trace streams, transactions are broken down (`log`, `collect`) to the events
//! that can be part of an unserializable pattern (`pattern`), pairs of them on one variable
//! (1v-blocks), and the lock operations from which `held`, `held` throughout and `heldmid` follow
//! (`skeleton`). Equal transactions are stored once, with the periods they ran in (`store`); one that
//! repeats a recent one is not even broken down. At the end, variables are looked at one by one
//! (`onevar`, Theorem 3), then pairs of variables (`twovar`, Theorem 4), then, if asked for, rounds of
//! dependences among three and more transactions (`cycles`, Theorem 5).
//!
//! **Guarantee.** If no schedule of the trace ends in a deadlock, two transactions are found if and only
//! if they, by themselves, are not atomic: some schedule is not view-equivalent to either order of the
//! two. This holds for any use of locks within transactions; tested against all schedules of thousands of
//! small traces. What is reported as predicted comes with an order of events that a schedule runs.
//!
//! **Where this is not the paper's algorithm.**
//!
//! - The paper's first pattern has any read between two writes. If that read follows a write of its own
//!   transaction under the same lock, nothing is wrong. Only initial reads count here; where another
//!   write comes between the own write and the read, the third pattern says so anyway.
//! - `can-occur-between` compares sets of locks. That is exact if locks are nested and there is no
//!   deadlock. Here it only selects; whether the two can really meet there is then checked on all ways
//!   through the lock operations of both (`grid`), which is exact for locks hand over hand, and in the
//!   presence of deadlocks (the paper's example (3)). Where that would be too large, or locks are not nested
//!   and were in hand before the transaction began, so that it depends on what came before, a finding is
//!   called possible, not predicted.
//! - For patterns on two variables the paper gives conditions for one pair of events within another. Pairs
//!   in opposite order need only overlap: it takes no more than that no lock is held throughout by both.
//! - Of the initial reads of a variable, only the first is an end of 2v-blocks; if others would make
//!   a difference, there is a pattern on one variable.
//! - Theorem 3 is true of two transactions. In a larger set, a later transaction may write over what an
//!   unserializable order of two has done, and the set be atomic. Two that are not are reported all the same.
//! - Theorem 5 takes exponential time; see `cycles` for how far it is followed.
//! - A lock that is held from one transaction of a thread to the next, or while another thread is
//!   started, can rule out serial orders altogether, so that transactions are not atomic that have no
//!   pattern. That is not found, nor is it in the paper.
//!
//! `wait` is a release, and the return from it an acquire. An `rmw` is a read and a write in one step.
//!
//! **Cost.** Memory by distinct transactions (about thirty bytes an access, a hundred a transaction) and
//! the periods they run in, not by repetitions. Time for properly locked variables by their distinct
//! accesses; otherwise by classes of equal operation, locks and periods.

mod classes;
mod collect;
mod cycles;
mod grid;

mod inspect;
mod log;
mod onevar;
mod overlap;
mod pattern;
mod rehearsal;
mod report;
mod skeleton;
mod store;
mod study;
mod table;
mod twovar;

use crate::context::blocks::{Blocks as OpenBlocks, Turn};
use crate::context::escapes::Escapes;
use crate::context::periods::Periods;
use crate::engine::{Engine, Guarantee, Progress, Stat};
use crate::settings::{BlockRule, Settings};
use collect::Var;
use interloper_findings::Sink;
use interloper_trace::{Batch, Event, Names, Op, Position, ThreadId, VarId};
use log::{Closer, Entry, Running, What};
use overlap::Order;
use report::Report;
use store::Store;
use study::Study;

/// The block-based engine. See the module's documentation.
#[derive(Default)]
pub struct Blocks {
    settings: Settings,
    periods: Periods,
    open: OpenBlocks,
    escapes: Escapes,
    /// By thread.
    running: Vec<Running>,
    closer: Closer,
    store: Store,
    vars: Vars,
    stats: Vec<Stat>,
    /// Whether some comparison or search was given up at its limit.
    gave_up: bool,
}

/// The variables, each anew from its escape on.
#[derive(Default)]
struct Vars {
    /// By variable of the trace: what it is now, plus one.
    now: Vec<u32>,
    /// The other way round.
    origin: Vec<VarId>,
    /// Whether its object has escaped since.
    dead: Vec<bool>,
}

impl Vars {
    #[inline(always)]
    fn of(&mut self, var: VarId) -> Var {
        match self.now.get(var.index()) {
            Some(&now) if now != 0 => Var(now - 1),
            _ => self.begin(var),
        }
    }

    #[cold]
    fn begin(&mut self, var: VarId) -> Var {
        if var.index() >= self.now.len() {
            self.now.resize(var.index() + 1, 0);
        }
        self.origin.push(var);
        self.dead.push(false);
        self.now[var.index()] = self.origin.len() as u32;
        Var(self.origin.len() as u32 - 1)
    }

    /// What came so far is not to be counted with what will come.
    fn end(&mut self, var: VarId) {
        if let Some(now) = self.now.get_mut(var.index())
            && let Some(var) = std::mem::take(now).checked_sub(1)
        {
            self.dead[var as usize] = true;
        }
    }
}

impl Engine for Blocks {
    fn name(&self) -> &'static str {
        "blocks"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            promise: "predicts: reports two transactions if some schedule of their events, as far as \
                      locks, fork, join and barriers allow, is not serializable",
            all_clear: match self.settings.blocks {
                BlockRule::OneVariable => {
                    "no two transactions of this run can cut each other on one variable"
                }
                BlockRule::TwoVariables => {
                    "no schedule of any two transactions of this run is unserializable"
                }
                BlockRule::Cycles => {
                    "no schedule of the transactions of this run is unserializable, as far as the \
                     search for cycles went"
                }
            },
        }
    }

    fn feed(&mut self, batch: &Batch, names: &Names, _sink: &mut dyn Sink) {
        self.escapes.learn(names);
        for (event, at) in batch.events.iter().zip(batch.first..) {
            self.event(at, event, names);
        }
    }

    fn finish(&mut self, names: &Names, sink: &mut dyn Sink, progress: &mut dyn Progress) {
        for thread in (0..self.running.len() as u32).map(ThreadId) {
            if self.running[thread.index()].open {
                self.close(thread, Position::MAX);
            }
        }
        let without = self.settings.without.happens_before;
        let order = if without { Order::Threads } else { Order::Periods };
        let mut study = Study::new(&self.store, &self.periods, order, &self.vars.dead);
        let mut report = Report::new(sink, names, &self.vars.origin);
        let facts = onevar::look(&mut study, &mut report, progress);
        let (mut pairs, mut starts) = (0, None);
        if self.settings.blocks >= BlockRule::TwoVariables {
            let cycles = self.settings.blocks == BlockRule::Cycles;
            let looked = twovar::look(&mut study, &facts, cycles, &mut report, progress);
            pairs = looked.pairs;
            starts =
                cycles.then(|| cycles::look(&mut study, &looked.starts, &mut report, progress));
        }
        self.gave_up = report.gave_up;
        let stats = [
            ("transactions", Some(self.closer.transactions)),
            ("distinct transactions", Some(self.store.len() as u64)),
            ("transactions that repeated a recent one", Some(self.closer.hits)),
            ("pairs of variables compared", Some(pairs)),
            ("blocks from which cycles were looked for", starts),
            ("exact checks", Some(study.checked)),
            ("exact checks too large to make", some(study.unchecked)),
            ("transactions left out for want of memory", some(self.store.left_out)),
            ("searches given up", some(u64::from(self.gave_up))),
        ];
        let stat = |(name, value): (_, Option<u64>)| Some(Stat { name, value: value? });
        self.stats = stats.into_iter().filter_map(stat).collect();
    }

    fn assumes_no_deadlock(&self) -> bool {
        true
    }

    fn shortfall(&self) -> Option<String> {
        let left_out = match self.store.left_out {
            0 => None,
            1 => Some("1 transaction was left out for want of memory".to_string()),
            n => Some(format!("{n} transactions were left out for want of memory")),
        };
        let told = "its search was given up at its limit: there may be more";
        let gave_up = self.gave_up.then(|| told.to_string());
        let all: Vec<String> = left_out.into_iter().chain(gave_up).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    fn stats(&self) -> Vec<Stat> {
        self.stats.clone()
    }
}

/// A number worth telling.
fn some(number: u64) -> Option<u64> {
    (number > 0).then_some(number)
}

impl Blocks {
    /// A new engine with these settings, before any event.
    pub fn new(settings: Settings) -> Blocks {
        let mut blocks = Blocks { settings, ..Blocks::default() };
        blocks.store.keeps_last = settings.blocks == BlockRule::Cycles;
        blocks
    }

    #[inline(always)]
    fn event(&mut self, at: Position, event: &Event, names: &Names) {
        let thread = event.thread;
        if thread.index() >= self.running.len() {
            self.running.resize_with(thread.index() + 1, Running::default);
        }
        self.periods.of(thread);
        match What::of(event.op) {
            Some(what) if what.is_access() => {
                let operand = self.vars.of(event.var()).0;
                self.access(Entry { at, operand, site: event.site, what }, thread);
            }
            Some(what @ (What::Acquire | What::Release)) => self.lock(at, event, what),
            what => self.other(at, event, what, names),
        }
    }

    #[inline(always)]
    fn access(&mut self, entry: Entry, thread: ThreadId) {
        let running = &mut self.running[thread.index()];
        if running.open {
            running.take(entry);
        } else {
            running.begin(&[]);
            running.take(entry);
            self.close(thread, entry.at);
        }
    }

    fn lock(&mut self, at: Position, event: &Event, what: What) {
        let running = &mut self.running[event.thread.index()];
        let lock = event.lock();
        if running.open {
            running.take(Entry { at, operand: lock.0, site: event.site, what });
        }
        running.lock(lock, what == What::Acquire);
    }

    fn other(&mut self, at: Position, event: &Event, what: Option<What>, names: &Names) {
        let thread = event.thread;
        if event.op == Op::Escape {
            if !self.settings.without.escape {
                let vars = self.escapes.escape(event, names);
                vars.iter().for_each(|&var| self.vars.end(var));
            }
            return;
        }
        match self.open.event(at, event) {
            Turn::Begins => self.running[thread.index()].begin(self.open.open(thread)),
            Turn::Ends => self.close(thread, at),
            Turn::Splits => {
                self.close(thread, at);
                self.running[thread.index()].begin(self.open.open(thread));
            }
            Turn::Goes => {
                if let Some(what) = what
                    && self.running[thread.index()].open
                {
                    let (operand, site) = (event.operand, event.site);
                    self.running[thread.index()].take(Entry { at, operand, site, what });
                }
            }
        }
        self.periods.event(event);
    }

    /// The running transaction of a thread has ended.
    fn close(&mut self, thread: ThreadId, at: Position) {
        let period = self.periods.of(thread);
        self.closer.close(&mut self.running[thread.index()], period, at, &mut self.store);
    }
}
