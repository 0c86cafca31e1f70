//! Whether a few transactions can be run so that given dependences hold and the order is not
//! view-equivalent to any in which each transaction runs in one piece. By trying: exponential, within a
//! budget, and only for what there is reason to believe.

use super::collect::Roles;
use super::store::{Run, TxnId};
use super::study::{Place, Study};
use crate::context::hashing::{IdMap, IdSet};
use interloper_trace::LockId;

/// How many states are looked at.
const STATES: usize = 50_000;
/// How many steps the threads may have.
const LONG: usize = 400;

/// The transactions, with the runs they are seen by.
pub(super) type Cast<'b> = Vec<(TxnId, &'b Run)>;

/// An event: a transaction of the cast and one of its marks.
pub(super) type Event = (usize, u32);

/// One step of a thread, or of several of which each waits for the one before.
#[derive(Clone, Copy)]
enum Step {
    Acquire(LockId),
    Release(LockId),
    Access(Access),
}

#[derive(Clone, Copy)]
struct Access {
    event: Event,
    /// Number of the variable among those that matter.
    var: usize,
    writes: bool,
    /// Where to remember which write it reads.
    read: Option<usize>,
}

/// A write: by which transaction of the cast, plus one; and which of its writes of the variable, in
/// the upper bits. 0 for what was there before.
type Write = u32;

/// What a schedule comes to: the last write of each variable, then what each read has read.
type View = Vec<Write>;

/// How far each thread has come, and what that comes to.
type State = (Vec<u16>, View);

struct Rehearsal {
    threads: Vec<Vec<Step>>,
    vars: usize,
    reads: usize,
    /// By event that must wait for others: which ones.
    after: IdMap<Event, Vec<Event>>,
    /// The place of each event: its thread and step.
    places: IdMap<Event, (usize, usize)>,
    /// What the serial orders come to.
    serial: IdSet<View>,
    seen: IdSet<State>,
    order: Vec<Event>,
}

/// An order of the events of the cast in which each pair in `dependences` is in order and that no serial
/// order is equivalent to. Those of the cast that wait begin after the one before them has ended; the
/// others run beside each other. `None` if there is no such order, or it takes too long to find.
pub(super) fn rehearse(
    study: &Study,
    cast: &Cast,
    waits: &[bool],
    dependences: &[[Event; 2]],
) -> Option<Vec<Event>> {
    let mut rehearsal = Rehearsal::new(study, cast, waits, dependences);
    if rehearsal.threads.iter().map(Vec::len).sum::<usize>() > LONG {
        return None;
    }
    rehearsal.run_serially(cast.len());
    let state = (vec![0; rehearsal.threads.len()], vec![0; rehearsal.vars + rehearsal.reads]);
    rehearsal.search(&state).then_some(rehearsal.order)
}

impl Rehearsal {
    fn new(study: &Study, cast: &Cast, waits: &[bool], dependences: &[[Event; 2]]) -> Rehearsal {
        let mut rehearsal = Rehearsal {
            threads: vec![],
            vars: 0,
            reads: 0,
            after: IdMap::default(),
            places: IdMap::default(),
            serial: IdSet::default(),
            seen: IdSet::default(),
            order: vec![],
        };
        for &[from, to] in dependences {
            rehearsal.after.entry(to).or_default().push(from);
        }
        let vars = shared_vars(study, cast);
        rehearsal.vars = vars.len();
        for (actor, &waits) in waits.iter().enumerate() {
            if !waits {
                rehearsal.threads.push(vec![]);
            }
            rehearsal.add(study, cast[actor].0, actor, &vars);
        }
        rehearsal
    }

    /// Adds the steps of a transaction to those of the last thread.
    fn add(&mut self, study: &Study, txn: TxnId, actor: usize, vars: &IdMap<u32, usize>) {
        let thread = self.threads.len() - 1;
        let skeleton = study.store.skeleton(txn);
        let mut ops = skeleton.ops().iter().enumerate().peekable();
        let mut held: Vec<LockId> = vec![];
        for (mark, at) in study.store.marks(txn).iter().zip(0u32..) {
            let row = skeleton.row(mark.segment);
            while let Some((_, op)) = ops.next_if(|(at, _)| *at < row) {
                self.threads[thread].push(lock_step(op.lock(), op.acquires(), &mut held));
            }
            let Some(&var) = vars.get(&mark.var.0) else { continue };
            let writes = mark.is(Roles::WRITE);
            let reads = !writes || mark.is(Roles::UPDATE);
            let event = (actor, at);
            let read = reads.then(|| {
                self.reads += 1;
                self.vars + self.reads - 1
            });
            self.places.insert(event, (thread, self.threads[thread].len()));
            self.threads[thread].push(Step::Access(Access { event, var, writes, read }));
        }
        for (_, op) in ops {
            self.threads[thread].push(lock_step(op.lock(), op.acquires(), &mut held));
        }
        self.threads[thread].extend(held.into_iter().rev().map(Step::Release));
    }

    /// Works out what all serial orders come to.
    fn run_serially(&mut self, count: usize) {
        let mut rest: Vec<usize> = (0..count).collect();
        self.permute(&mut vec![], &mut rest);
    }

    fn permute(&mut self, order: &mut Vec<usize>, rest: &mut Vec<usize>) {
        if rest.is_empty() {
            let view = self.serial_view(order);
            self.serial.insert(view);
            return;
        }
        for at in 0..rest.len() {
            let next = rest.remove(at);
            // Those that wait for each other come in the order of the cast.
            let thread = |actor: usize| self.thread_of(actor);
            if rest.iter().all(|&other| other > next || thread(other) != thread(next)) {
                order.push(next);
                self.permute(order, rest);
                order.pop();
            }
            rest.insert(at, next);
        }
    }

    fn thread_of(&self, actor: usize) -> Option<usize> {
        self.places.iter().find(|((of, _), _)| *of == actor).map(|(_, &(thread, _))| thread)
    }

    fn serial_view(&self, order: &[usize]) -> View {
        let mut view = vec![0; self.vars + self.reads];
        for &actor in order {
            let Some(thread) = self.thread_of(actor) else { continue };
            for step in &self.threads[thread] {
                if let Step::Access(access) = step
                    && access.event.0 == actor
                {
                    access.run(&mut view);
                }
            }
        }
        view
    }

    /// Goes on from a state; `true` if that leads to what is looked for.
    fn search(&mut self, state: &State) -> bool {
        if self.seen.len() >= STATES || !self.seen.insert(state.clone()) {
            return false;
        }
        let (done, view) = state;
        let mut complete = true;
        for thread in 0..self.threads.len() {
            let Some(&step) = self.threads[thread].get(usize::from(done[thread])) else { continue };
            complete = false;
            if !self.can_run(done, thread, step) {
                continue;
            }
            let (mut done, mut view) = (done.clone(), view.clone());
            done[thread] += 1;
            let length = self.order.len();
            if let Step::Access(access) = step {
                access.run(&mut view);
                self.order.push(access.event);
            }
            if self.search(&(done, view)) {
                return true;
            }
            self.order.truncate(length);
        }
        complete && !self.serial.contains(view)
    }

    fn can_run(&self, done: &[u16], thread: usize, step: Step) -> bool {
        match step {
            Step::Release(_) => true,
            Step::Acquire(lock) => (0..self.threads.len())
                .all(|other| other == thread || !self.holds(other, usize::from(done[other]), lock)),
            Step::Access(access) => self.after.get(&access.event).is_none_or(|before| {
                before.iter().all(|event| {
                    self.places
                        .get(event)
                        .is_some_and(|&(thread, at)| usize::from(done[thread]) > at)
                })
            }),
        }
    }

    fn holds(&self, thread: usize, done: usize, lock: LockId) -> bool {
        let mut steps = self.threads[thread][..done].iter().rev();
        let last = steps.find_map(|step| match *step {
            Step::Acquire(other) if other == lock => Some(true),
            Step::Release(other) if other == lock => Some(false),
            _ => None,
        });
        last.unwrap_or(false)
    }
}

impl Access {
    fn run(&self, view: &mut View) {
        if let Some(read) = self.read {
            view[read] = view[self.var];
        }
        if self.writes {
            view[self.var] = (self.event.1 as Write) << 4 | (self.event.0 as Write + 1);
        }
    }
}

fn lock_step(lock: LockId, acquires: bool, held: &mut Vec<LockId>) -> Step {
    match acquires {
        true => {
            held.push(lock);
            Step::Acquire(lock)
        }
        false => {
            held.retain(|&other| other != lock);
            Step::Release(lock)
        }
    }
}

/// The variables that several of the cast access, numbered.
fn shared_vars(study: &Study, cast: &Cast) -> IdMap<u32, usize> {
    let mut users = IdMap::<u32, (usize, bool)>::default();
    for (actor, &(txn, _)) in cast.iter().enumerate() {
        for at in 0..study.store.marks(txn).len() as u32 {
            let var = study.mark(Place { txn, mark: at }).var.0;
            let user = users.entry(var).or_insert((actor, false));
            user.1 |= user.0 != actor;
        }
    }
    let mut vars: Vec<u32> =
        users.into_iter().filter(|(_, (_, several))| *several).map(|(var, _)| var).collect();
    vars.sort_unstable();
    vars.into_iter().zip(0..).collect()
}
