//! Random valid traces: a list of small choices, read as a walk over the states of a program.
//!
//! A choice that is impossible in the present state is passed over, so every list of choices is a
//! valid trace, and so is what remains when some are taken away: that is how failures shrink.

use super::text::text;
use interloper_trace::{Event, Op, SiteId, ThreadId};
use proptest::prelude::*;
use std::fmt;

/// What a thread may be told to do. Those that shrinking should prefer come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Read,
    Write,
    Begin,
    End,
    /// An access under the lock that belongs to the variable, which is kept until `Release`.
    GuardedRead,
    GuardedWrite,
    Acquire,
    Release,
    VolatileRead,
    VolatileWrite,
    Update,
    Fork,
    /// Awaits a thread, which never acts again: it has ended, be it in the middle of a block.
    Join,
    /// Awaits a thread that was joined before.
    JoinAgain,
    Exit,
    /// Lets a lock go; the thread's next event takes it again.
    Wait,
    Notify,
    /// Arrives at a barrier; one of a few, with the numbers of locks.
    Barrier,
    /// The same, and then some of the others do.
    Meet,
    Escape,
    Dummy,
}

/// One choice: who, what, with what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    pub actor: u8,
    pub act: Act,
    pub operand: u8,
}

/// A kind of program.
#[derive(Clone, Debug)]
pub struct Profile {
    pub name: &'static str,
    /// How many threads there are at the beginning, at most.
    pub roots: u32,
    /// How many there may be in all.
    pub threads: u32,
    /// How many there may be at a time.
    pub alive: usize,
    pub vars: u32,
    pub locks: u32,
    /// How deep blocks nest.
    pub depth: usize,
    /// How many choices a trace is made of, at most.
    pub choices: usize,
    /// How often each act is chosen.
    pub acts: Vec<(Act, usize)>,
}

use Act::*;

/// Unprotected accesses to few variables: violations everywhere.
pub fn racy() -> Profile {
    Profile {
        name: "racy",
        roots: 4,
        threads: 5,
        alive: 5,
        vars: 3,
        locks: 1,
        depth: 2,
        choices: 40,
        acts: vec![
            (Read, 12),
            (Write, 8),
            (Begin, 8),
            (End, 6),
            (Acquire, 1),
            (Release, 1),
            (VolatileRead, 1),
            (VolatileWrite, 1),
            (Update, 1),
            (Fork, 1),
            (Join, 1),
            (Dummy, 1),
        ],
    }
}

/// Most accesses under their variable's lock: violations come through the locks, and are rare.
pub fn locked() -> Profile {
    Profile {
        name: "locked",
        roots: 4,
        threads: 5,
        alive: 5,
        vars: 3,
        locks: 2,
        depth: 2,
        choices: 60,
        acts: vec![
            (Read, 1),
            (Write, 1),
            (Begin, 6),
            (End, 6),
            (GuardedRead, 6),
            (GuardedWrite, 6),
            (Acquire, 3),
            (Release, 14),
            (Join, 1),
            (Wait, 3),
            (Notify, 1),
        ],
    }
}

/// Many short threads, so that an engine has reason to use what it keeps of a thread again.
pub fn forking() -> Profile {
    Profile {
        name: "forking",
        roots: 2,
        threads: 14,
        alive: 5,
        vars: 3,
        locks: 1,
        depth: 2,
        choices: 70,
        acts: vec![
            (Read, 6),
            (Write, 5),
            (Begin, 5),
            (End, 4),
            (GuardedWrite, 1),
            (Release, 1),
            (Fork, 9),
            (Join, 6),
            (JoinAgain, 1),
            (Exit, 3),
        ],
    }
}

/// Blocks within blocks: which of them is refuted?
pub fn nested() -> Profile {
    Profile {
        name: "nested",
        roots: 3,
        threads: 3,
        alive: 3,
        vars: 2,
        locks: 1,
        depth: 3,
        choices: 50,
        acts: vec![
            (Read, 6),
            (Write, 5),
            (Begin, 9),
            (End, 7),
            (GuardedRead, 1),
            (GuardedWrite, 1),
            (Acquire, 1),
            (Release, 3),
            (Update, 1),
        ],
    }
}

/// Mostly accesses outside blocks, around a few blocks: what Velodrome merges.
pub fn unary() -> Profile {
    Profile {
        name: "unary",
        roots: 4,
        threads: 4,
        alive: 4,
        vars: 3,
        locks: 2,
        depth: 1,
        choices: 60,
        acts: vec![
            (Read, 10),
            (Write, 7),
            (Begin, 2),
            (End, 4),
            (Acquire, 3),
            (Release, 4),
            (VolatileRead, 2),
            (VolatileWrite, 2),
            (Update, 2),
            (Dummy, 1),
        ],
    }
}

/// Threads that meet at barriers, inside blocks and outside.
pub fn barriers() -> Profile {
    Profile {
        name: "barriers",
        roots: 4,
        threads: 7,
        alive: 5,
        vars: 3,
        locks: 2,
        depth: 2,
        choices: 50,
        acts: vec![
            (Read, 6),
            (Write, 4),
            (Begin, 7),
            (End, 7),
            (GuardedWrite, 1),
            (Release, 2),
            (Fork, 1),
            (Join, 1),
            (JoinAgain, 1),
            (Exit, 1),
            (Barrier, 4),
            (Meet, 5),
            (Escape, 1),
            (Dummy, 1),
        ],
    }
}

/// A little of everything, on short traces.
pub fn mixed() -> Profile {
    Profile {
        name: "mixed",
        roots: 3,
        threads: 5,
        alive: 5,
        vars: 2,
        locks: 2,
        depth: 3,
        choices: 30,
        acts: vec![
            (Read, 6),
            (Write, 5),
            (Begin, 5),
            (End, 4),
            (GuardedRead, 2),
            (GuardedWrite, 2),
            (Acquire, 2),
            (Release, 4),
            (VolatileRead, 2),
            (VolatileWrite, 2),
            (Update, 2),
            (Fork, 2),
            (Join, 2),
            (JoinAgain, 1),
            (Exit, 1),
            (Wait, 2),
            (Notify, 1),
            (Barrier, 1),
            (Meet, 1),
            (Escape, 1),
            (Dummy, 1),
        ],
    }
}

/// All of them.
pub fn profiles() -> Vec<Profile> {
    vec![racy(), locked(), forking(), nested(), unary(), barriers(), mixed()]
}

impl Profile {
    /// The same program, with traces of at most this many choices.
    pub fn shortened(self, choices: usize) -> Profile {
        Profile { choices, ..self }
    }

    fn deck(&self) -> Vec<Act> {
        self.acts.iter().flat_map(|&(act, times)| vec![act; times]).collect()
    }

    /// Traces of this kind.
    pub fn traces(&self) -> impl Strategy<Value = Walked> + use<> {
        let profile = self.clone();
        let act = prop::sample::select(self.deck());
        let choice = (any::<u8>(), act, any::<u8>()).prop_map(|(actor, act, operand)| Choice {
            actor,
            act,
            operand,
        });
        let choices = prop::collection::vec(choice, 0..=self.choices);
        (1..=self.roots, choices).prop_map(move |(roots, choices)| {
            Walked(Profile { roots, ..profile.clone() }.follow(&choices))
        })
    }

    /// The trace that these choices make.
    pub fn follow(&self, choices: &[Choice]) -> Vec<Event> {
        let mut walk = Walk::new(self);
        choices.iter().for_each(|&choice| walk.take(choice));
        walk.events
    }

    /// The choices of one trace of about this many events, the same for the same seed.
    pub fn long_choices(&self, seed: u64, length: usize) -> Vec<Choice> {
        let mut random = Random(seed);
        let deck = self.deck();
        let mut walk = Walk::new(self);
        let mut choices = vec![];
        // Most choices are possible; where threads die out, the trace ends early.
        while walk.events.len() < length && choices.len() < 20 * length {
            let act = deck[random.below(deck.len())];
            let (actor, operand) = (random.below(256) as u8, random.below(256) as u8);
            choices.push(Choice { actor, act, operand });
            walk.take(Choice { actor, act, operand });
        }
        choices
    }

    /// One trace of about this many events, the same for the same seed.
    pub fn long(&self, seed: u64, length: usize) -> Vec<Event> {
        self.follow(&self.long_choices(seed, length))
    }

    /// Takes away choices for as long as what remains makes the same test fail.
    pub fn shrink(&self, mut choices: Vec<Choice>, fails: &dyn Fn(&[Event]) -> bool) -> Vec<Event> {
        let mut size = choices.len() / 2;
        while size > 0 {
            let mut start = 0;
            while start < choices.len() {
                let mut fewer = choices.clone();
                fewer.drain(start..(start + size).min(choices.len()));
                if fails(&self.follow(&fewer)) {
                    choices = fewer;
                } else {
                    start += size;
                }
            }
            size /= 2;
        }
        self.follow(&choices)
    }
}

/// A trace that shows itself as text.
#[derive(Clone)]
pub struct Walked(pub Vec<Event>);

impl fmt::Debug for Walked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", text(&self.0))
    }
}

/// SplitMix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

#[derive(Default)]
struct Thread {
    depth: usize,
    waits: Option<u32>,
    /// It has ended, by `exit` or because another thread has awaited it.
    ended: bool,
    joined: bool,
}

/// The state of the program.
struct Walk<'a> {
    profile: &'a Profile,
    threads: Vec<Thread>,
    /// Who holds each lock.
    holders: Vec<Option<u32>>,
    events: Vec<Event>,
}

impl<'a> Walk<'a> {
    fn new(profile: &'a Profile) -> Walk<'a> {
        Walk {
            profile,
            threads: (0..profile.roots).map(|_| Thread::default()).collect(),
            holders: vec![None; profile.locks as usize],
            events: vec![],
        }
    }

    /// Follows a choice as far as it is possible.
    fn take(&mut self, Choice { actor, act, operand }: Choice) {
        let Some(t) = pick(self.that(|_, thread| !thread.ended), actor) else { return };
        if let Some(lock) = self.threads[t as usize].waits {
            self.acquire(t, lock);
            return;
        }
        let var = u32::from(operand) % self.profile.vars;
        let lock = if self.profile.locks > 0 { u32::from(operand) % self.profile.locks } else { 0 };
        match act {
            Read => self.emit(t, Op::Read, var),
            Write => self.emit(t, Op::Write, var),
            VolatileRead => self.emit(t, Op::VolatileRead, var),
            VolatileWrite => self.emit(t, Op::VolatileWrite, var),
            Update => self.emit(t, Op::Update, var),
            GuardedRead => self.guarded(t, Op::Read, var),
            GuardedWrite => self.guarded(t, Op::Write, var),
            Dummy => self.emit(t, Op::Dummy, 0),
            Notify => self.emit(t, Op::Notify, lock),
            Barrier => self.emit(t, Op::Barrier, lock),
            Meet => self.meet(t, lock, operand),
            Escape => self.emit(t, Op::Escape, var),
            Acquire => drop(self.acquire(t, lock)),
            Release => drop(self.let_go(t, Op::Release, operand)),
            // With a second lock in hand, two who wait could wait for each other.
            Wait if self.holders.iter().filter(|holder| **holder == Some(t)).count() > 1 => {}
            Wait => self.threads[t as usize].waits = self.let_go(t, Op::Wait, operand),
            Begin | End => self.block(t, act, operand),
            Fork => self.fork(t),
            Join | JoinAgain => self.join(t, act == JoinAgain, operand),
            // The last one stays: there would be nothing more to see.
            Exit if self.that(|_, thread| !thread.ended).len() < 2 || self.holds(t) => {}
            Exit => {
                self.emit(t, Op::Exit, 0);
                self.threads[t as usize].ended = true;
            }
        }
    }

    /// The threads of which this is true.
    fn that(&self, is: impl Fn(u32, &Thread) -> bool) -> Vec<u32> {
        (0u32..)
            .zip(&self.threads)
            .filter(|(id, thread)| is(*id, thread))
            .map(|(id, _)| id)
            .collect()
    }

    /// Every event has a location of its own, so that a wrong one shows.
    fn emit(&mut self, thread: u32, op: Op, operand: u32) {
        let site = SiteId(self.events.len() as u32 + 1);
        self.events.push(Event::new(ThreadId(thread), op, operand, site));
    }

    /// Takes a free lock; whether the thread now holds it.
    fn acquire(&mut self, t: u32, lock: u32) -> bool {
        let Some(holder) = self.holders.get_mut(lock as usize) else { return false };
        if holder.is_some() {
            return false;
        }
        *holder = Some(t);
        self.threads[t as usize].waits = None;
        self.emit(t, Op::Acquire, lock);
        true
    }

    fn guarded(&mut self, t: u32, op: Op, var: u32) {
        let lock = var % self.profile.locks.max(1);
        if self.holders.get(lock as usize) == Some(&Some(t)) || self.acquire(t, lock) {
            self.emit(t, op, var);
        }
    }

    /// Lets go of a lock that the thread holds, if it holds any.
    fn let_go(&mut self, t: u32, op: Op, operand: u8) -> Option<u32> {
        let held = (0u32..).zip(&self.holders).filter(|(_, holder)| **holder == Some(t));
        let lock = pick(held.map(|(lock, _)| lock).collect(), operand)?;
        self.holders[lock as usize] = None;
        self.emit(t, op, lock);
        Some(lock)
    }

    fn block(&mut self, t: u32, act: Act, operand: u8) {
        let depth = self.threads[t as usize].depth;
        if act == Begin && depth < self.profile.depth {
            self.threads[t as usize].depth += 1;
            // Label 0 is that of blocks without a name.
            self.emit(t, Op::Begin, u32::from(operand) % 5);
        } else if act == End && depth > 0 {
            self.threads[t as usize].depth -= 1;
            self.emit(t, Op::End, 0);
        }
    }

    /// The thread arrives at a barrier, and so do others, in any order.
    fn meet(&mut self, t: u32, barrier: u32, operand: u8) {
        let mut others = self.that(|id, other| id != t && !other.ended && other.waits.is_none());
        self.emit(t, Op::Barrier, barrier);
        while let Some(other) = pick(others.clone(), operand) {
            others.retain(|&id| id != other);
            if operand & 1 << (other % 8) != 0 {
                self.emit(other, Op::Barrier, barrier);
            }
        }
    }

    fn fork(&mut self, t: u32) {
        let child = self.threads.len() as u32;
        let alive = self.that(|_, thread| !thread.ended).len();
        if child < self.profile.threads && alive < self.profile.alive {
            self.threads.push(Thread::default());
            self.emit(t, Op::Fork, child);
        }
    }

    /// Whether the thread holds a lock. Such a thread does not end: the lock would be lost.
    fn holds(&self, t: u32) -> bool {
        self.holders.contains(&Some(t))
    }

    fn join(&mut self, t: u32, again: bool, operand: u8) {
        let candidates =
            self.that(|id, thread| id != t && thread.joined == again && !self.holds(id));
        if let Some(child) = pick(candidates, operand) {
            let thread = &mut self.threads[child as usize];
            (thread.ended, thread.joined) = (true, true);
            self.emit(t, Op::Join, child);
        }
    }
}

fn pick(from: Vec<u32>, choice: u8) -> Option<u32> {
    if from.is_empty() { None } else { Some(from[choice as usize % from.len()]) }
}
