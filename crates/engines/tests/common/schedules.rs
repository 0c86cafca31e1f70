//! All schedules of a small trace, by brute force: what the engines that look beyond the observed
//! order are held against.
//!
//! A schedule is an order of the trace's events that keeps each thread's own order and that locks,
//! `fork`/`join` and barriers allow (Wang and Stoller, section 2). `wait` lets its lock go, and the
//! `acq` after it takes it again whenever the lock is free; signals, values and volatile variables
//! hold nobody up. A round of a barrier has the arrivals that it has in the given trace. A schedule
//! in which nobody can go on and somebody has not finished ends in a deadlock.
//!
//! Transactions are the paper's: outermost blocks, cut at `fork`, `join` and `barrier`, which
//! belong to none; an event outside blocks is one by itself. Two schedules are equivalent if every
//! read has the same write-predecessor and every variable the same final write, and those that end
//! in a deadlock only if all threads have come equally far.
//!
//! Every question can be answered by `None`: too much work. Nothing of the engines is used here.

use super::programs::{Place, Program, Unit};
use interloper_trace::{Event, Op, OperandKind};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A small trace, to be asked what its schedules can do.
#[derive(Clone)]
pub struct Schedules {
    program: Program,
    /// Whether events that no other thread can be hindered or influenced by are run at once. Makes
    /// no difference but in time; `schedules_self.rs` sees to that.
    eager: bool,
    /// How many states are looked at before giving up.
    cap: usize,
}

/// How far each thread has come.
type State = Vec<u8>;

/// How far each thread has come, the last write of each variable, the write-predecessor of each
/// read so far: as event numbers, see [`INITIAL`] and [`UNREAD`].
type View = Vec<u8>;

/// The value that a variable has before all writes.
const INITIAL: u8 = 254;
/// A read that has not happened yet.
const UNREAD: u8 = 255;

/// The order of a schedule's events, by their positions in the given trace. Events that mean
/// nothing here (`begin`, `end`, `dummy`, `notify`, `exit`, `escape`) are not listed.
pub type Order = Vec<usize>;

impl Schedules {
    /// The schedules of a valid trace of at most 250 events.
    pub fn new(events: &[Event]) -> Schedules {
        assert!(events.len() <= 250, "too long to enumerate");
        Schedules { program: Program::new(events), eager: true, cap: 200_000 }
    }

    /// Gives up after so many states.
    pub fn with_cap(self, cap: usize) -> Schedules {
        Schedules { cap, ..self }
    }

    /// Without the short cuts: slower, and the same.
    pub fn literal(self) -> Schedules {
        Schedules { eager: false, ..self }
    }

    /// The same, without the accesses for which `keep` is false. All synchronization stays, and so
    /// do the numbers of events and units.
    pub fn keeping(&self, keep: impl Fn(usize) -> bool) -> Schedules {
        let mut fewer = self.clone();
        fewer.program.drop_events(|at, event| variable(event).is_some() && !keep(at));
        fewer
    }

    /// The transactions, and the events that belong to none as units of their own.
    pub fn units(&self) -> &[Unit] {
        &self.program.units
    }

    /// An event of the trace.
    pub fn event(&self, at: usize) -> &Event {
        &self.program.events[at]
    }

    /// The unit of each event.
    pub fn unit_of(&self, event: usize) -> usize {
        self.program.unit_of[event]
    }

    /// Whether some schedule ends in a deadlock.
    pub fn deadlocks(&self) -> Option<bool> {
        Some(!self.stuck()?.is_empty())
    }

    /// Every way to end in a deadlock: the next events of the threads that have not finished, by
    /// thread.
    pub fn stuck(&self) -> Option<Vec<Vec<usize>>> {
        let mut stuck = vec![];
        self.states(self.eager, &mut |state, enabled| {
            if enabled.is_empty() && !self.program.complete(state) {
                stuck.push(self.program.pending(state));
            }
        })?;
        Some(stuck)
    }

    /// The pairs of conflicting plain accesses of different threads that some schedule can run next
    /// to each other, the earlier event of the trace first.
    pub fn races(&self) -> Option<BTreeSet<(usize, usize)>> {
        let mut races = BTreeSet::new();
        self.states(self.eager, &mut |state, enabled| {
            for &t in enabled {
                for &u in enabled {
                    let (a, b) = (self.program.next(state, t), self.program.next(state, u));
                    if a < b && self.plain_conflict(a, b) {
                        races.insert((a, b));
                    }
                }
            }
        })?;
        Some(races)
    }

    /// Whether some schedule, be it that it ends in a deadlock later, runs event `between` after
    /// `first` and before `last`, two events of another thread.
    pub fn can_be_between(&self, between: usize, first: usize, last: usize) -> Option<bool> {
        let [Some(inner), Some(after), Some(until)] =
            [between, first, last].map(|event| self.program.place(event))
        else {
            return Some(false);
        };
        let mut found = false;
        self.states(false, &mut |state, enabled| {
            let here = usize::from(state[after.thread]);
            found |= after.step < here
                && here <= until.step
                && enabled.contains(&inner.thread)
                && self.program.next(state, inner.thread) == between;
        })?;
        Some(found)
    }

    /// Whether the transactions are atomic: every schedule is equivalent to one in which each
    /// transaction runs without interruption. A schedule that ends in a deadlock in the middle of a
    /// transaction is not.
    pub fn is_atomic(&self) -> Option<bool> {
        Some(self.unserializable(&|_| true)?.is_none())
    }

    /// A schedule that is equivalent to no serial one, if there is any.
    pub fn cut(&self) -> Option<Option<Order>> {
        self.unserializable(&|_| true)
    }

    /// Whether these transactions are atomic by themselves: the accesses of all others are left
    /// out, while their synchronization stays.
    pub fn is_atomic_among(&self, units: &[usize]) -> Option<bool> {
        let few = self.keeping(|event| units.contains(&self.unit_of(event)));
        Some(few.unserializable(&|unit| units.contains(&unit))?.is_none())
    }

    /// Whether some schedule is equivalent to none in which this transaction, whatever becomes of
    /// the others, runs without interruption: then it is to blame.
    pub fn can_be_cut(&self, unit: usize) -> Option<bool> {
        Some(self.unserializable(&|other| other == unit)?.is_some())
    }

    /// A schedule that is equivalent to none that runs these units without interruption.
    pub fn unserializable(&self, whole: &dyn Fn(usize) -> bool) -> Option<Option<Order>> {
        let all = self.views(&|_| false)?;
        let serial = self.views(whole)?;
        let mut bad = all.into_iter().filter(|(view, _)| !serial.contains_key(view));
        Some(bad.next().map(|(_, order)| order))
    }

    /// How many schedules there are that are not equivalent to each other.
    pub fn distinct(&self) -> Option<usize> {
        Some(self.views(&|_| false)?.len())
    }

    /// Whether this order of events is a schedule (or the beginning of one) that ends as it should.
    pub fn allows(&self, order: &[usize]) -> bool {
        let mut state = vec![0; self.program.threads()];
        order.iter().all(|&event| {
            let Some(Place { thread, step }) = self.program.place(event) else { return false };
            let possible =
                usize::from(state[thread]) == step && self.program.enabled(&state, thread);
            state[thread] += 1;
            possible
        })
    }

    fn plain_conflict(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.program.events[a], &self.program.events[b]);
        let plain = |event: &Event| matches!(event.op, Op::Read | Op::Write);
        plain(a)
            && plain(b)
            && a.thread != b.thread
            && a.operand == b.operand
            && (a.op == Op::Write || b.op == Op::Write)
    }

    /// Visits each state that can be reached, with the threads that can go on.
    fn states(&self, eager: bool, visit: &mut dyn FnMut(&[u8], &[usize])) -> Option<()> {
        let first: State = vec![0; self.program.threads()];
        let mut known = HashSet::from([first.clone()]);
        let mut todo = vec![first];
        while let Some(state) = todo.pop() {
            if known.len() > self.cap {
                return None;
            }
            let mut enabled = self.program.able(&state);
            visit(&state, &enabled);
            if let Some(one) = enabled.iter().find(|&&t| eager && self.is_free(&state, t)) {
                enabled = vec![*one];
            }
            for thread in enabled {
                let mut next = state.clone();
                next[thread] += 1;
                if known.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        Some(())
    }

    /// What the schedules come to in which the units that `whole` names run without interruption,
    /// each with one schedule that comes to it.
    fn views(&self, whole: &dyn Fn(usize) -> bool) -> Option<HashMap<View, Order>> {
        let layout = Layout::of(&self.program);
        let mut ends = HashMap::new();
        let mut known = HashSet::from([layout.first.clone()]);
        let mut todo = vec![(layout.first.clone(), vec![])];
        while let Some((view, order)) = todo.pop() {
            if known.len() > self.cap {
                return None;
            }
            let state = &view[..self.program.threads()];
            let running = self.running(state, whole);
            let able = self.program.able(state);
            if able.is_empty() && running.is_none() {
                ends.entry(view).or_insert(order);
                continue;
            }
            for thread in self.choices(state, able, running, whole) {
                let mut next = view.clone();
                let event = self.program.next(state, thread);
                layout.run(&self.program, &mut next, thread, event);
                if known.insert(next.clone()) {
                    let order = [&order[..], &[event]].concat();
                    todo.push((next, order));
                }
            }
        }
        Some(ends)
    }

    /// Which of the able threads to try.
    fn choices(
        &self,
        state: &[u8],
        mut able: Vec<usize>,
        running: Option<usize>,
        whole: &dyn Fn(usize) -> bool,
    ) -> Vec<usize> {
        if let Some(running) = running {
            able.retain(|&thread| thread == running);
            return able;
        }
        let free = |thread: &&usize| {
            let unit = self.unit_of(self.program.next(state, **thread));
            self.eager && !whole(unit) && self.is_free(state, **thread)
        };
        match able.iter().find(free) {
            Some(&one) => vec![one],
            None => able,
        }
    }

    /// The thread that is in the middle of a unit that must not be interrupted.
    fn running(&self, state: &[u8], whole: &dyn Fn(usize) -> bool) -> Option<usize> {
        (0..self.program.threads())
            .find(|&thread| self.program.inside(state, thread).is_some_and(whole))
    }

    /// Whether the next event of a thread, which can run, may as well run at once: it hinders
    /// nobody, and nothing that others have still to do would change what it does or be changed by
    /// it.
    fn is_free(&self, state: &[u8], thread: usize) -> bool {
        let event = &self.program.events[self.program.next(state, thread)];
        let others_do = |what: &dyn Fn(&Event) -> bool| {
            (0..self.program.threads()).filter(|&other| other != thread).any(|other| {
                self.program.rest(state, other).iter().any(|&e| what(&self.program.events[e]))
            })
        };
        let same = |other: &Event| {
            other.op.operand_kind() == event.op.operand_kind() && other.operand == event.operand
        };
        match event.op {
            Op::Release | Op::Wait | Op::Fork | Op::Join | Op::Barrier => true,
            Op::Read | Op::VolatileRead => !others_do(&|e| same(e) && writes(e)),
            _ => !others_do(&same),
        }
    }
}

fn variable(event: &Event) -> Option<u32> {
    (event.op.operand_kind() == OperandKind::Var).then_some(event.operand)
}

fn reads(event: &Event) -> bool {
    matches!(event.op, Op::Read | Op::VolatileRead | Op::Update)
}

fn writes(event: &Event) -> bool {
    matches!(event.op, Op::Write | Op::VolatileWrite | Op::Update)
}

/// Where things are in a [`View`].
struct Layout {
    first: View,
    /// By variable: the place of its last write.
    vars: HashMap<u32, usize>,
    /// By event that reads: the place of its write-predecessor.
    reads: HashMap<usize, usize>,
}

impl Layout {
    fn of(program: &Program) -> Layout {
        let mut first: View = vec![0; program.threads()];
        let (mut vars, mut readers) = (HashMap::new(), HashMap::new());
        for &at in program.listed() {
            let Some(var) = variable(&program.events[at]) else { continue };
            vars.entry(var).or_insert_with(|| {
                first.push(INITIAL);
                first.len() - 1
            });
            if reads(&program.events[at]) {
                readers.insert(at, first.len());
                first.push(UNREAD);
            }
        }
        Layout { first, vars, reads: readers }
    }

    fn run(&self, program: &Program, view: &mut View, thread: usize, at: usize) {
        view[thread] += 1;
        let event = &program.events[at];
        let Some(var) = variable(event) else { return };
        let last = self.vars[&var];
        if reads(event) {
            view[self.reads[&at]] = view[last];
        }
        if writes(event) {
            view[last] = at as u8;
        }
    }
}
