//! The trace generator: valid traces of a chosen shape, for tests and benchmarks.
//!
//! A [`Generator`] is a [`Source`]: it makes up events as they are asked for and keeps only the
//! state of its threads and locks, so a trace may be of any length. Everything follows from the
//! seed; there is no clock, no hash order and no floating-point arithmetic beyond reading the
//! shares.
//!
//! What it guarantees:
//!
//! - The trace is valid: blocks are balanced, locks are held by one thread at a time, threads act
//!   between their fork and their join, and at the end every block is closed and every lock free.
//! - With [`Placement::None`] it is conflict serializable, by two-phase locking (see `crew`).
//! - Otherwise one dependence closes a cycle, and only one: a block reads a variable and writes it
//!   back, and between the two another thread writes it. Nobody else touches that variable, so
//!   without that last write the trace is serializable.
//! - The long transaction only writes a flag, which others only read: much depends on it, and it
//!   depends on nothing but its fork.

mod crew;
mod locks;
mod patterns;
mod rng;
mod shape;

pub use shape::{Placement, Preset, Shape, ShapeError};

use crate::error::TraceError;
use crate::event::{Batch, Event, Position, ThreadId, VarId};
use crate::names::Names;
use crate::source::Source;
use crew::{Crew, Ids};
use locks::Slot;
use std::collections::VecDeque;
use std::fmt::Write;

/// The number of distinct labels of blocks.
const LABELS: u32 = 100;

/// The two workers between which the violation happens.
const VICTIM: Slot = Slot(0);
const INTERLOPER: Slot = Slot(1);

/// What comes next, once the events of `script` are through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The long transaction begins.
    Start,
    /// The threads of a phase start.
    Open,
    /// All work but the victim and the interloper; the violation comes at the given position.
    UntilViolation(Position),
    /// All work, up to the given position.
    Work(Position),
    /// What is open is brought to its end; all arrive at the barrier, if there is one.
    Finish,
    /// The threads of the phase are joined; at the end of the trace, the long transaction ends.
    Close,
    /// Nothing.
    Done,
}

/// A source of made-up events; see [`Shape::generate`].
pub struct Generator {
    shape: Shape,
    names: Names,
    crew: Crew,
    stage: Stage,
    phase: u32,
    /// Of the phase, how many rounds are over, which end at a barrier.
    round: u32,
    position: Position,
    /// Events that come one after the other, with nothing between them.
    script: VecDeque<Event>,
    threads: u32,
    main: Option<ThreadId>,
    long: Option<ThreadId>,
    flag: Option<VarId>,
    /// The variable of the violation.
    contended: Option<VarId>,
}

impl Shape {
    /// A source of events of this shape.
    pub fn generate(&self) -> Result<Generator, ShapeError> {
        self.check()?;
        let mut names = Names::default();
        number(self.vars, "V", |name| names.vars.intern(name));
        number(self.locks.min(self.vars), "L", |name| names.locks.intern(name));
        let first_site = number(self.locations, "", |name| names.sites.intern(name));
        let labels = if self.patterns > 0 { self.patterns } else { LABELS };
        let first_label = number(labels, "m", |name| names.labels.intern(name));
        let barrier = (self.barriers > 0).then(|| names.lock("B0"));
        let flag = self.long.then(|| names.var(&format!("V{}", self.vars)));
        let contended = (self.violation != Placement::None)
            .then(|| names.var(&format!("V{}", self.vars + u32::from(self.long))));
        let crew = Crew::new(self, &Ids { first_site, first_label, labels, flag, barrier });
        Ok(Generator {
            shape: self.clone(),
            names,
            crew,
            stage: Stage::Start,
            phase: 0,
            round: 0,
            position: 0,
            script: VecDeque::new(),
            threads: 0,
            main: None,
            long: None,
            flag,
            contended,
        })
    }
}

/// Interns `prefix0`, `prefix1` and so on; the ids follow upon the first, which is returned.
fn number(count: u32, prefix: &str, mut intern: impl FnMut(&str) -> u32) -> u32 {
    let mut name = String::new();
    let mut first = None;
    for n in 0..count {
        name.clear();
        // Writing to a string does not fail.
        let _ = write!(name, "{prefix}{n}");
        let id = intern(&name);
        first.get_or_insert(id);
    }
    first.unwrap_or(0)
}

impl Source for Generator {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.first = self.position;
        batch.events.clear();
        loop {
            let room = Batch::SIZE - batch.events.len();
            let scripted = room.min(self.script.len());
            batch.events.extend(self.script.drain(..scripted));
            self.position += scripted as u64;
            if scripted == room || self.stage == Stage::Done {
                return Ok(!batch.events.is_empty());
            }
            self.advance(&mut batch.events, room - scripted);
        }
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn input(&self) -> &str {
        "generated trace"
    }
}

impl Generator {
    /// Does a part of the present stage, or goes on to the next.
    fn advance(&mut self, events: &mut Vec<Event>, room: usize) {
        match self.stage {
            Stage::Start => {
                self.begin_long();
                self.stage = Stage::Open;
            }
            Stage::Open => self.open_phase(),
            Stage::UntilViolation(end) | Stage::Work(end) if self.position < end => {
                debug_assert!(!self.crew.is_at_rest(), "a deadlock");
                let left = usize::try_from(end - self.position).unwrap_or(usize::MAX);
                self.work(events, room.min(left));
            }
            Stage::UntilViolation(_) => {
                self.violate();
                self.crew.start(VICTIM);
                self.crew.start(INTERLOPER);
                self.stage = Stage::Work(self.end_of_work());
            }
            Stage::Work(_) => {
                self.crew.finish();
                self.stage = Stage::Finish;
            }
            Stage::Finish if !self.crew.is_at_rest() => self.work(events, room),
            Stage::Finish if self.is_last_round() => self.stage = Stage::Close,
            Stage::Finish => self.next_round(),
            Stage::Close => self.close_phase(),
            Stage::Done => {}
        }
    }

    fn work(&mut self, events: &mut Vec<Event>, room: usize) {
        let before = events.len();
        self.crew.run(events, room);
        self.position += (events.len() - before) as u64;
    }

    /// Makes a thread, by a fork where there is a main thread.
    fn new_thread(&mut self) -> ThreadId {
        let thread = self.names.thread(&format!("T{}", self.threads));
        self.threads += 1;
        if let Some(main) = self.main {
            let site = self.crew.site();
            self.script.push_back(Event::fork(main, thread, site));
        }
        thread
    }

    fn join(&mut self, thread: ThreadId) {
        if let Some(main) = self.main {
            let site = self.crew.site();
            self.script.push_back(Event::join(main, thread, site));
        }
    }

    fn begin_long(&mut self) {
        if self.shape.phases > 0 {
            self.main = Some(self.new_thread());
        }
        if let Some(flag) = self.flag {
            let thread = self.new_thread();
            self.long = Some(thread);
            let begin = self.crew.begin(thread);
            let write = Event::write(thread, flag, self.crew.site());
            self.script.extend([begin, write]);
        }
    }

    fn open_phase(&mut self) {
        let early = self.phase == 0 && self.shape.violation == Placement::Early;
        // Without a third worker nobody could do anything until the violation comes; and where the
        // forks alone fill much of the trace, it would come late.
        let at_once = early && (self.shape.threads == 2 || self.forks() > self.shape.events / 16);
        for slot in (0..self.shape.threads).map(Slot) {
            let thread = self.new_thread();
            self.crew.seat(slot, thread);
            if at_once && slot == INTERLOPER {
                self.violate();
            }
            let held_back = early && !at_once && (slot == VICTIM || slot == INTERLOPER);
            if !held_back {
                self.crew.start(slot);
            }
        }
        self.stage = if early && !at_once {
            Stage::UntilViolation(self.end_of_work().min(self.shape.events / 16))
        } else {
            Stage::Work(self.end_of_work())
        };
    }

    /// All have arrived at the barrier, and go on.
    fn next_round(&mut self) {
        self.round += 1;
        (0..self.shape.threads).for_each(|slot| self.crew.start(Slot(slot)));
        self.stage = Stage::Work(self.end_of_work());
    }

    fn is_last_round(&self) -> bool {
        self.round + 1 >= self.shape.barriers
    }

    /// The number of forks in a phase, which is that of the joins too.
    fn forks(&self) -> u64 {
        if self.shape.phases > 0 { u64::from(self.shape.threads) } else { 0 }
    }

    fn is_last_phase(&self) -> bool {
        self.phase + 1 >= self.shape.phases
    }

    /// Where the running round must stop beginning new things. What is known to come at its end counts
    /// already, so that the trace is hardly longer than asked for.
    fn end_of_work(&self) -> Position {
        let rounds = u128::from(self.shape.barriers.max(1));
        let all = u128::from(self.shape.phases.max(1)) * rounds;
        let over = u128::from(self.phase) * rounds + u128::from(self.round + 1);
        let end = u128::from(self.shape.events) * over / all;
        let mut tail = if self.shape.barriers > 0 { u64::from(self.shape.threads) } else { 0 };
        if self.is_last_round() {
            tail += self.forks();
        }
        if self.is_last_round() && self.is_last_phase() {
            let long = u64::from(self.shape.long);
            tail += long + long * u64::from(self.shape.phases > 0);
            if self.shape.violation == Placement::Last {
                tail += 5 + long;
            }
        }
        (end as u64).saturating_sub(tail)
    }

    fn close_phase(&mut self) {
        let threads = self.shape.threads;
        if self.is_last_phase() && self.shape.violation == Placement::Last {
            self.join_workers(INTERLOPER.0 + 1..threads);
            self.violate();
            self.join_workers(0..INTERLOPER.0 + 1);
        } else {
            self.join_workers(0..threads);
        }
        if !self.is_last_phase() {
            self.phase += 1;
            self.round = 0;
            self.stage = Stage::Open;
            return;
        }
        if let Some(long) = self.long {
            let end = Event::end(long, self.crew.site());
            self.script.push_back(end);
            self.join(long);
        }
        self.stage = Stage::Done;
    }

    fn join_workers(&mut self, slots: std::ops::Range<u32>) {
        for slot in slots {
            self.join(self.crew.thread(Slot(slot)));
        }
    }

    /// A block reads a variable and writes it back; another thread writes it in between.
    fn violate(&mut self) {
        let Some(var) = self.contended else { return };
        let victim = self.crew.thread(VICTIM);
        let interloper = self.crew.thread(INTERLOPER);
        let begin = self.crew.begin(victim);
        self.script.push_back(begin);
        if let Some(flag) = self.flag {
            self.script.push_back(Event::read(victim, flag, self.crew.site()));
        }
        let cut = [
            Event::read(victim, var, self.crew.site()),
            Event::write(interloper, var, self.crew.site()),
            Event::write(victim, var, self.crew.site()),
            Event::end(victim, self.crew.site()),
        ];
        self.script.extend(cut);
    }
}
