//! The workers of a generated trace and the scheduler that interleaves them.
//!
//! Serializable by conservative two-phase locking: a transaction takes all its locks, in ascending
//! order, before its first access, touches only what these guard, and lets none go before its last
//! access. Between its last acquire and its first release lies a moment at which it could have run
//! as one step; every dependence leads from an earlier such moment to a later one, so there is no
//! cycle. An event outside a block is a step anyway: under the lock, or without it while the lock is
//! free, it comes before or after the whole of any transaction that touches the same variable.
//! Inner blocks lie between the acquires and the releases: they structure the accesses and have no
//! say in the order of transactions. Nor have barriers: workers arrive between transactions, and an
//! arrival comes before whatever the others do once all have arrived.
//!
//! Ascending order excludes deadlock; a worker that has to wait is not asked again before the lock
//! was released, so no time is spent on workers that cannot move.

use super::locks::{Locks, Slot};
use super::patterns::{Act, Line, Patterns, Style};
use super::rng::{Rng, high, low, scale};
use super::shape::Shape;
use crate::event::{Event, LockId, Op, SiteId, ThreadId, VarId};

/// The mean number of accesses in a section under a lock outside any block.
const SECTION: u32 = 3;
/// The most locks of a transaction.
const MOST_LOCKS: u32 = 3;
/// How often a variable is drawn in the hope that its lock is free, before a section waits for it.
const ATTEMPTS: u32 = 4;

/// What a worker does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Draw something new to do.
    Choose,
    /// Read the flag of the long transaction.
    Flag,
    /// Take the next lock.
    Acquire,
    /// Access, or open or close an inner block.
    Access,
    /// Let the latest lock go.
    Release,
    /// Close the transaction.
    End,
    /// Go on with a code pattern.
    Pattern,
    /// Nothing, until all have arrived at the barrier.
    Arrived,
}

#[derive(Clone)]
struct Worker {
    thread: ThreadId,
    step: Step,
    /// Accesses still to be made.
    left: u32,
    /// Open blocks; 0 outside.
    depth: u32,
    /// How deep blocks shall nest in this transaction.
    deepest: u32,
    /// The innermost block has no access yet.
    fresh: bool,
    /// The locks of this transaction or section, ascending.
    locks: [LockId; MOST_LOCKS as usize],
    /// How many of them there are.
    wanted: u8,
    /// How many of them are held: the first ones.
    held: u8,
    /// The next line of the code pattern.
    line: u32,
}

/// The settings as the hot loop wants them: ids, and chances out of 2^32.
struct Plan {
    first_site: u32,
    sites: u32,
    first_label: u32,
    labels: u32,
    flag: Option<VarId>,
    block_length: u32,
    nesting: u32,
    burst: u32,
    write: u64,
    /// What is drawn below this is a transaction,
    block: u64,
    /// and from there below this an access without a lock; the rest are sections.
    bare: u64,
}

impl Plan {
    fn new(shape: &Shape, ids: &Ids) -> Plan {
        // All in integers from here, so that no platform rounds otherwise.
        let million = 1_000_000;
        let unary = (shape.unary * million as f64).round() as u64;
        let writes = (shape.writes * million as f64).round() as u64;
        // A job of `n` accesses on average is chosen `n` times less often than its share of the
        // accesses says; all weights are multiplied by `2 * SECTION * block_length`.
        let length = u64::from(shape.block_length);
        let block = (million - unary) * u64::from(2 * SECTION);
        let bare = unary * length * u64::from(SECTION);
        let section = unary * length;
        let total = block + bare + section;
        Plan {
            first_site: ids.first_site,
            sites: shape.locations,
            first_label: ids.first_label,
            labels: ids.labels,
            flag: ids.flag,
            block_length: shape.block_length,
            nesting: shape.nesting,
            burst: shape.burst,
            write: chance(writes, million),
            block: chance(block, total),
            bare: chance(block + bare, total),
        }
    }
}

/// The code patterns of a shape that has any.
fn patterns(shape: &Shape, plan: &Plan) -> Option<Patterns> {
    let objects = shape.locks.min(shape.vars);
    let style = Style {
        first_site: plan.first_site,
        sites: plan.sites,
        first_label: plan.first_label,
        flag: plan.flag.is_some(),
        block_length: plan.block_length,
        nesting: plan.nesting,
        write: plan.write,
        roles: shape.vars / objects,
    };
    (shape.patterns > 0).then(|| Patterns::new(shape.patterns, objects, &style, shape.seed))
}

/// `part` of `whole`, out of 2^32.
fn chance(part: u64, whole: u64) -> u64 {
    ((u128::from(part) << 32) / u128::from(whole)) as u64
}

/// The ids of the names in a trace. Variables and locks are numbered from 0 as in their names.
pub(super) struct Ids {
    pub(super) first_site: u32,
    pub(super) first_label: u32,
    pub(super) labels: u32,
    pub(super) flag: Option<VarId>,
    pub(super) barrier: Option<LockId>,
}

/// All workers of the running phase.
pub(super) struct Crew {
    plan: Plan,
    patterns: Option<Patterns>,
    barrier: Option<LockId>,
    rng: Rng,
    workers: Vec<Worker>,
    locks: Locks,
    /// Those who could act: neither waiting for a lock nor at rest.
    ready: Vec<Slot>,
    /// Whose turn it is, as a place in `ready`, and for how many more events.
    turn: usize,
    turn_left: u32,
    /// Nothing new is begun.
    finishing: bool,
}

impl Crew {
    pub(super) fn new(shape: &Shape, ids: &Ids) -> Crew {
        let idle = Worker {
            thread: ThreadId(0),
            step: Step::Choose,
            left: 0,
            depth: 0,
            deepest: 0,
            fresh: false,
            locks: [LockId(0); MOST_LOCKS as usize],
            wanted: 0,
            held: 0,
            line: 0,
        };
        let plan = Plan::new(shape, ids);
        Crew {
            patterns: patterns(shape, &plan),
            plan,
            barrier: ids.barrier,
            rng: Rng::new(shape.seed),
            workers: vec![idle; shape.threads as usize],
            locks: Locks::new(shape.locks.min(shape.vars), shape.vars, shape.threads),
            ready: Vec::with_capacity(shape.threads as usize),
            turn: 0,
            turn_left: 0,
            finishing: false,
        }
    }

    /// Gives a place to a thread, which stays at rest until [`Crew::start`].
    pub(super) fn seat(&mut self, slot: Slot, thread: ThreadId) {
        self.workers[slot.index()].thread = thread;
    }

    /// The thread that has this place.
    pub(super) fn thread(&self, slot: Slot) -> ThreadId {
        self.workers[slot.index()].thread
    }

    /// Lets a worker at rest begin.
    pub(super) fn start(&mut self, slot: Slot) {
        self.finishing = false;
        self.workers[slot.index()].step = Step::Choose;
        self.ready.push(slot);
    }

    /// From now on nothing new is begun, and what is under way comes to a quick end: at most one
    /// more access each, or the rest of a code pattern. Then all arrive at the barrier, if there is
    /// one.
    pub(super) fn finish(&mut self) {
        self.finishing = true;
        for worker in &mut self.workers {
            worker.left = worker.left.min(1);
        }
    }

    /// Nobody has anything to do.
    pub(super) fn is_at_rest(&self) -> bool {
        self.ready.is_empty()
    }

    /// A location.
    #[inline(always)]
    pub(super) fn site(&mut self) -> SiteId {
        let bits = self.rng.next();
        self.site_from(high(bits))
    }

    #[inline(always)]
    fn site_from(&self, bits: u32) -> SiteId {
        SiteId(self.plan.first_site + scale(bits, self.plan.sites))
    }

    /// `begin` of a block with some label.
    pub(super) fn begin(&mut self, thread: ThreadId) -> Event {
        let bits = self.rng.next();
        let label = self.plan.first_label + scale(low(bits), self.plan.labels);
        Event::new(thread, Op::Begin, label, self.site_from(high(bits)))
    }

    /// Appends up to `room` events; fewer only if all workers have come to rest.
    pub(super) fn run(&mut self, events: &mut Vec<Event>, room: usize) {
        let full = events.len() + room;
        while events.len() < full && !self.ready.is_empty() {
            if self.turn_left == 0 {
                self.turn = self.rng.below(self.ready.len() as u32) as usize;
                self.turn_left = self.rng_burst();
            }
            self.turn_left -= 1;
            match self.act(self.ready[self.turn]) {
                Some(event) => events.push(event),
                None => {
                    self.ready.swap_remove(self.turn);
                    self.turn_left = 0;
                }
            }
        }
    }

    #[inline(always)]
    fn rng_burst(&mut self) -> u32 {
        if self.plan.burst == 1 { 1 } else { self.rng.around(self.plan.burst) }
    }

    /// The next event of a worker; `None` if it has to wait for a lock, or has nothing left to do.
    #[inline(always)]
    fn act(&mut self, slot: Slot) -> Option<Event> {
        match self.workers[slot.index()].step {
            Step::Choose if self.finishing => self.rest(slot),
            Step::Choose => self.choose(slot),
            Step::Flag => {
                let site = self.site();
                let worker = &mut self.workers[slot.index()];
                worker.step = Step::Acquire;
                let flag = self.plan.flag?;
                Some(Event::read(worker.thread, flag, site))
            }
            Step::Acquire => self.acquire(slot),
            Step::Access => Some(self.access(slot)),
            Step::Release => Some(self.release(slot)),
            Step::End => {
                let site = self.site();
                let worker = &mut self.workers[slot.index()];
                worker.step = Step::Choose;
                worker.depth = 0;
                Some(Event::end(worker.thread, site))
            }
            Step::Pattern => self.run_line(slot),
            Step::Arrived => None,
        }
    }

    /// A worker has nothing left to do.
    fn rest(&mut self, slot: Slot) -> Option<Event> {
        let barrier = self.barrier?;
        let site = self.site();
        let worker = &mut self.workers[slot.index()];
        worker.step = Step::Arrived;
        Some(Event::new(worker.thread, Op::Barrier, barrier.0, site))
    }

    /// Draws what to do next, and does the first event of it.
    fn choose(&mut self, slot: Slot) -> Option<Event> {
        let drawn = u64::from(high(self.rng.next()));
        if drawn < self.plan.block {
            if self.patterns.is_some() {
                return self.open_pattern(slot);
            }
            return Some(self.open_transaction(slot));
        }
        let lock = if drawn < self.plan.bare {
            for _ in 0..ATTEMPTS {
                let lock = self.draw_lock();
                if self.locks.is_free(lock) {
                    let thread = self.workers[slot.index()].thread;
                    return Some(self.access_under(thread, lock));
                }
            }
            // Every lock seems to be held: wait for one, to come to this one access after all.
            self.workers[slot.index()].left = 1;
            self.draw_lock()
        } else {
            self.workers[slot.index()].left = self.rng.around(SECTION);
            self.draw_lock()
        };
        let worker = &mut self.workers[slot.index()];
        worker.step = Step::Acquire;
        worker.locks[0] = lock;
        worker.wanted = 1;
        self.acquire(slot)
    }

    fn open_transaction(&mut self, slot: Slot) -> Event {
        let mut locks = [LockId(0); MOST_LOCKS as usize];
        let wish = 1 + self.rng.below(MOST_LOCKS) as usize;
        let mut wanted = 0;
        for _ in 0..wish {
            let lock = self.draw_lock();
            if !locks[..wanted].contains(&lock) {
                locks[wanted] = lock;
                wanted += 1;
            }
        }
        locks[..wanted].sort_unstable();
        let left = self.rng.around(self.plan.block_length);
        let deepest = 1 + self.rng.below(self.plan.nesting);
        let worker = &mut self.workers[slot.index()];
        worker.step = if self.plan.flag.is_some() { Step::Flag } else { Step::Acquire };
        worker.locks = locks;
        worker.wanted = wanted as u8;
        worker.left = left;
        worker.depth = 1;
        worker.deepest = deepest;
        worker.fresh = true;
        let thread = worker.thread;
        self.begin(thread)
    }

    /// Draws a code pattern and an object to run it on.
    fn open_pattern(&mut self, slot: Slot) -> Option<Event> {
        let bits = self.rng.next();
        let patterns = self.patterns.as_ref()?;
        let pattern = scale(high(bits), patterns.len());
        let worker = &mut self.workers[slot.index()];
        worker.step = Step::Pattern;
        worker.line = patterns.start(pattern);
        worker.locks[0] = patterns.object(pattern, self.locks.len(), low(bits));
        self.run_line(slot)
    }

    /// The next line of a code pattern.
    #[inline(always)]
    fn run_line(&mut self, slot: Slot) -> Option<Event> {
        let worker = &mut self.workers[slot.index()];
        let Line { site, act } = self.patterns.as_ref()?.line(worker.line);
        let (thread, lock) = (worker.thread, worker.locks[0]);
        let event = match act {
            Act::Begin(label) => Event::begin(thread, label, site),
            Act::Flag => Event::read(thread, self.plan.flag?, site),
            Act::Acquire if !self.locks.take(lock, slot) => return None,
            Act::Acquire => Event::acquire(thread, lock, site),
            Act::Access(op, role) => Event::new(thread, op, self.locks.var(lock, role).0, site),
            Act::Release => {
                self.ready.extend(self.locks.release(lock));
                Event::release(thread, lock, site)
            }
            Act::End => Event::end(thread, site),
            Act::Return => {
                worker.step = Step::Choose;
                Event::end(thread, site)
            }
        };
        worker.line += 1;
        Some(event)
    }

    fn draw_lock(&mut self) -> LockId {
        LockId(self.rng.below(self.locks.len()))
    }

    #[inline(always)]
    fn acquire(&mut self, slot: Slot) -> Option<Event> {
        let worker = &mut self.workers[slot.index()];
        let lock = worker.locks[worker.held as usize];
        if !self.locks.take(lock, slot) {
            return None;
        }
        worker.held += 1;
        if worker.held == worker.wanted {
            worker.step = Step::Access;
        }
        let thread = worker.thread;
        Some(Event::acquire(thread, lock, self.site()))
    }

    #[inline(always)]
    fn access(&mut self, slot: Slot) -> Event {
        if self.workers[slot.index()].depth > 0
            && self.plan.nesting > 1
            && let Some(event) = self.nest(slot)
        {
            return event;
        }
        let bits = self.rng.next();
        let worker = &mut self.workers[slot.index()];
        worker.fresh = false;
        worker.left -= 1;
        if worker.left == 0 && worker.depth <= 1 {
            worker.step = Step::Release;
        }
        let lock = worker.locks[scale(high(bits), u32::from(worker.wanted)) as usize];
        let thread = worker.thread;
        self.access_under(thread, lock)
    }

    /// Opens or closes an inner block, or neither. No block stays without an access.
    fn nest(&mut self, slot: Slot) -> Option<Event> {
        let bits = low(self.rng.next());
        let worker = &mut self.workers[slot.index()];
        let thread = worker.thread;
        if worker.depth > 1 && (worker.left == 0 || !worker.fresh && bits >> 30 == 0) {
            worker.depth -= 1;
            if worker.left == 0 && worker.depth == 1 {
                worker.step = Step::Release;
            }
            return Some(Event::end(thread, self.site()));
        }
        if worker.depth < worker.deepest && bits >> 31 == 1 {
            worker.depth += 1;
            worker.fresh = true;
            return Some(self.begin(thread));
        }
        None
    }

    /// An access to one of the variables that `lock` guards.
    #[inline(always)]
    fn access_under(&mut self, thread: ThreadId, lock: LockId) -> Event {
        let bits = self.rng.next();
        let site = self.site_from(high(bits));
        let op = if u64::from(low(bits)) < self.plan.write { Op::Write } else { Op::Read };
        let nth = self.rng.below(self.locks.guarded(lock));
        Event::new(thread, op, self.locks.var(lock, nth).0, site)
    }

    #[inline(always)]
    fn release(&mut self, slot: Slot) -> Event {
        let site = self.site();
        let worker = &mut self.workers[slot.index()];
        worker.held -= 1;
        if worker.held == 0 {
            worker.step = if worker.depth > 0 { Step::End } else { Step::Choose };
        }
        let lock = worker.locks[worker.held as usize];
        if let Some(woken) = self.locks.release(lock) {
            self.ready.push(woken);
        }
        Event::release(worker.thread, lock, site)
    }
}
