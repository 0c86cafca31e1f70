//! The machine that the protocol runs on: memory, store buffers, logs; and what really happened.
//!
//! Stores go into a buffer of the thread's own and from there to memory, first in first out, at any
//! time; locked operations and fences empty the own buffer first. A log word and the position after it
//! are stored together: nobody but the reader looks at words, so nothing is lost. What the protocol
//! stores only by locked operations (states, numbers, `touching`) is in memory at once.

use super::program::{Kind, ObjectId, Op, Program, ThreadId};
use std::fmt;

/// A place among the running threads, with its log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId(pub u8);

/// An access of the program: which thread's, which of its operations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessId {
    pub thread: ThreadId,
    pub at: u8,
}

/// A transaction: the n-th of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Transaction {
    pub thread: ThreadId,
    pub number: u8,
}

/// An object's state word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Word {
    Fresh,
    /// The owner, and the stretch in which the owner let nobody in.
    New(SlotId, u8),
    /// The owner, and how often the owner had taken something from others.
    Write(SlotId, u8),
    Read(SlotId, u8),
    Shared(u8),
    Busy(SlotId),
    Lease(SlotId, u8),
}

/// What an object is called: by its owner alone, or by everybody.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    Birth(u8),
    Id(ObjectId),
}

impl Number {
    /// Whether it is the number of an object that its owner has made, not before the one of this number.
    pub fn is_born_since(self, first: u8) -> bool {
        matches!(self, Number::Birth(birth) if birth >= first)
    }
}

/// An entry of a log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Entry {
    Start(ThreadId),
    Exit,
    Access(AccessId),
    Edge {
        slot: SlotId,
        position: u8,
    },
    Make(u8),
    Seen(u8),
    Begin(Transaction),
    End(Transaction),
    /// The running transaction of another thread has made the object.
    Behalf {
        of: Transaction,
        object: ObjectId,
    },
}

/// How a thread opens windows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Without a fence.
    Awake,
    /// With a fence, because it is taking an object.
    Taking,
    /// Not at all, before it has woken up with a fence.
    Asleep,
    /// A thread is just putting it to sleep.
    Falling(SlotId),
}

/// A store on its way to memory. An access's log entry carries its mark in the filter with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Store {
    Open(bool),
    Mode(Mode),
    Words,
    Answered(u8),
    /// The highest number of a read-shared state that the thread may read.
    SharedSeen(u8),
    Stretch(u8),
    Depth {
        running: Option<Transaction>,
        first_birth: u8,
    },
    Mark,
    Log(Entry),
    Variable(ObjectId, AccessId),
    /// No store: a read that was answered from this buffer, and so comes right after its write.
    Forwarded(ObjectId, AccessId),
}

/// A mark in the filter. Marks are only added; the last one of a kind and number counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mark {
    pub kind: Kind,
    pub number: Number,
    pub region: u8,
    /// The state that allowed the access.
    pub word: Word,
    pub access: AccessId,
}

/// What became of an access in the logs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Record {
    Logged,
    /// The same access is in the log of the same region.
    Filtered(AccessId),
    /// The object was NEW.
    Unshared,
    /// It was NEW, and who took it has written that down.
    OnBehalf,
}

/// What is known of an access that was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fact {
    pub access: AccessId,
    pub object: ObjectId,
    pub kind: Kind,
    pub record: Record,
    pub within: Option<Transaction>,
}

/// An object; `birth` is what it was called first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    pub word: Word,
    pub number: Option<Number>,
    pub birth: Option<Number>,
    pub hot: u8,
    pub in_a_row: u8,
    /// The truth: accesses in the order of memory; reads next to each other in the order of names.
    pub order: Vec<AccessId>,
}

/// A log and who writes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Slot {
    pub log: Vec<Entry>,
    pub user: Option<ThreadId>,
    pub last: Option<ThreadId>,
}

/// A thread: first what others can see, then its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread<Pc> {
    pub open: bool,
    pub mode: Mode,
    /// Whether it has its words to compare with the states of objects.
    pub words: bool,
    /// How often others have asked for its window to be closed, and the last of these times that it has told them of.
    pub asked: u8,
    pub seen_answered: u8,
    pub seen_shared: u8,
    /// The stretch as others see it.
    pub seen_stretch: u8,
    pub running: Option<Transaction>,
    /// The first object that the running transaction has made, as others see it.
    pub seen_first_birth: u8,
    pub touching: u8,
    pub touches: Vec<(SlotId, u8)>,
    pub last_position: Option<u8>,
    pub buffer: Vec<Store>,
    pub pc: Pc,
    pub at: u8,
    pub slot: Option<SlotId>,
    pub opened: bool,
    pub answered: u8,
    /// What was accessed since the window was opened: the state need not be looked at again.
    pub held: Vec<(ObjectId, Kind)>,
    pub within: Option<Transaction>,
    pub transactions: u8,
    pub begin_logged: bool,
    pub region: u8,
    pub shared_seen: u8,
    pub births: u8,
    /// The first of the running transaction, or of the last one.
    pub first_birth: u8,
    pub stretch: u8,
    /// How often it has taken something from others.
    pub holds: u8,
    pub marks: Vec<Mark>,
    pub facts: Vec<Fact>,
}

/// Everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine<Pc> {
    pub objects: Vec<Object>,
    pub threads: Vec<Thread<Pc>>,
    pub slots: Vec<Slot>,
    pub free: Vec<SlotId>,
    pub shares: u8,
}

/// An edge got into the log before what it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeAhead(pub SlotId, pub u8);

impl Object {
    fn fresh() -> Object {
        let (word, order) = (Word::Fresh, Vec::new());
        Object { word, number: None, birth: None, hot: 0, in_a_row: 0, order }
    }

    fn happened(&mut self, access: AccessId, kind: Kind, kind_of: impl Fn(AccessId) -> Kind) {
        let mut place = self.order.len();
        if kind == Kind::Read {
            let comes_after = |other: AccessId| other > access && kind_of(other) == Kind::Read;
            while place > 0 && comes_after(self.order[place - 1]) {
                place -= 1;
            }
        }
        self.order.insert(place, access);
    }
}

impl<Pc> Thread<Pc> {
    pub fn new(pc: Pc) -> Thread<Pc> {
        Thread {
            open: false,
            mode: Mode::Awake,
            words: true,
            asked: 0,
            seen_answered: 0,
            seen_shared: 0,
            seen_stretch: 0,
            running: None,
            seen_first_birth: 0,
            touching: 0,
            touches: Vec::new(),
            last_position: None,
            buffer: Vec::new(),
            pc,
            at: 0,
            slot: None,
            opened: false,
            answered: 0,
            held: Vec::new(),
            within: None,
            transactions: 0,
            begin_logged: false,
            region: 0,
            shared_seen: 0,
            births: 0,
            first_birth: 0,
            stretch: 0,
            holds: 0,
            marks: Vec::new(),
            facts: Vec::new(),
        }
    }

    pub fn push(&mut self, store: Store) {
        self.buffer.push(store);
    }

    pub fn log(&mut self, entry: Entry) {
        self.push(Store::Log(entry));
    }

    /// Opens or closes the window; a store that would change nothing is left out.
    pub fn set_open(&mut self, open: bool) {
        if self.opened != open {
            self.opened = open;
            self.push(Store::Open(open));
        }
        if !open {
            self.held.clear();
        }
    }

    pub fn edge(&mut self, slot: SlotId, position: u8) {
        if Some(slot) != self.slot {
            self.log(Entry::Edge { slot, position });
        }
    }

    /// Whether an access is to be recorded; marks it if so. If a thread that wants the object next has been here
    /// already, the state does not tell any more what allowed the access: unless `trusting`, it is recorded.
    pub fn news(&mut self, mark: Mark, trusting: bool) -> Result<(), AccessId> {
        let same = |old: &&Mark| old.kind == mark.kind && old.number == mark.number;
        let when = (mark.region, mark.word);
        let known = trusting || !matches!(mark.word, Word::Busy(_));
        match self.marks.iter().rev().find(same) {
            Some(old) if known && (old.region, old.word) == when => Err(old.access),
            _ => {
                self.marks.push(mark);
                Ok(())
            }
        }
    }
}

impl<Pc> Machine<Pc> {
    pub fn new(objects: usize, threads: Vec<Thread<Pc>>) -> Machine<Pc> {
        let objects = vec![Object::fresh(); objects];
        Machine { objects, threads, slots: Vec::new(), free: Vec::new(), shares: 0 }
    }

    pub fn object(&mut self, object: ObjectId) -> &mut Object {
        &mut self.objects[usize::from(object.0)]
    }

    pub fn thread(&mut self, thread: ThreadId) -> &mut Thread<Pc> {
        &mut self.threads[usize::from(thread.0)]
    }

    pub fn slot(&self, slot: SlotId) -> &Slot {
        &self.slots[usize::from(slot.0)]
    }

    /// How far a thread's log is in memory: of an ended thread, how far it came.
    pub fn position(&self, thread: ThreadId) -> u8 {
        let thread = &self.threads[usize::from(thread.0)];
        match (thread.last_position, thread.slot) {
            (Some(position), _) => position,
            (None, Some(slot)) => self.slot(slot).log.len() as u8,
            (None, None) => 0,
        }
    }

    /// How far a thread's log is for the thread itself.
    pub fn own_position(&self, thread: ThreadId) -> u8 {
        let buffer = &self.threads[usize::from(thread.0)].buffer;
        let pending = buffer.iter().filter(|store| matches!(store, Store::Log(_))).count();
        self.position(thread) + pending as u8
    }

    /// The thread's oldest store gets to memory.
    pub fn flush(&mut self, thread: ThreadId, program: &Program) -> Result<(), EdgeAhead> {
        let this = self.thread(thread);
        match this.buffer.remove(0) {
            Store::Open(open) => this.open = open,
            Store::Mode(mode) => this.mode = mode,
            Store::Words => this.words = true,
            Store::Answered(number) => this.seen_answered = number,
            Store::SharedSeen(number) => this.seen_shared = number,
            Store::Stretch(stretch) => this.seen_stretch = stretch,
            Store::Depth { running, first_birth } => {
                this.running = running;
                this.seen_first_birth = first_birth;
            }
            Store::Mark => {}
            Store::Log(entry) => {
                let slot = this.slot;
                return self.append(slot, entry);
            }
            Store::Variable(object, access) => {
                self.happened(object, access, program);
                self.forwarded(thread, object, program);
            }
            Store::Forwarded(object, access) => self.happened(object, access, program),
        }
        Ok(())
    }

    /// The thread's buffer is emptied.
    pub fn drain(&mut self, thread: ThreadId, program: &Program) -> Result<(), EdgeAhead> {
        while !self.thread(thread).buffer.is_empty() {
            self.flush(thread, program)?;
        }
        Ok(())
    }

    fn append(&mut self, slot: Option<SlotId>, entry: Entry) -> Result<(), EdgeAhead> {
        if let Entry::Edge { slot, position } = entry
            && self.slot(slot).log.len() < usize::from(position)
        {
            return Err(EdgeAhead(slot, position));
        }
        let slot = slot.expect("who logs has a slot");
        self.slots[usize::from(slot.0)].log.push(entry);
        Ok(())
    }

    /// A thread's access has its place in the order of memory.
    pub fn happened(&mut self, object: ObjectId, access: AccessId, program: &Program) {
        let kind_of = |access| kind_of(program, access);
        self.object(object).happened(access, kind_of(access), kind_of);
    }

    /// Reads that were answered by the write which is now in memory come right after it.
    fn forwarded(&mut self, thread: ThreadId, object: ObjectId, program: &Program) {
        let buffer = &mut self.thread(thread).buffer;
        let next_write = buffer
            .iter()
            .position(|store| matches!(store, Store::Variable(other, _) if *other == object));
        let (before, after) = buffer.split_at(next_write.unwrap_or(buffer.len()));
        let mut reads = Vec::new();
        let mut rest = Vec::new();
        for store in before {
            match store {
                Store::Forwarded(other, access) if *other == object => reads.push(*access),
                other => rest.push(*other),
            }
        }
        rest.extend_from_slice(after);
        *buffer = rest;
        reads.into_iter().for_each(|access| self.happened(object, access, program));
    }
}

/// What an access of the program does.
pub fn kind_of(program: &Program, access: AccessId) -> Kind {
    match program.scripts[usize::from(access.thread.0)].ops[usize::from(access.at)] {
        Op::Access { kind, .. } => kind,
        other => panic!("{other} is no access"),
    }
}

impl fmt::Debug for SlotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

impl fmt::Debug for AccessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.thread, self.at)
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.thread, self.number)
    }
}
