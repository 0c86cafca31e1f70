//! The event model: what a thread of the checked program did, in sixteen bytes.
//!
//! Everything is an interned id (see [`crate::Names`]); an id says which table it belongs to by its
//! type, never by convention. A [`Batch`] carries a run of consecutive events; the position of an
//! event in the trace is the batch's first position plus its index.
//!
//! A read or write may be about several variables: the elements of an array that a thread goes through, with
//! nothing else in between. It stands for an event for each of them, one after the other ([`Event::singles`]), and takes as many
//! positions.

use std::fmt;

/// A position in the trace: 0 for the first event. Positions double as time stamps.
pub type Position = u64;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a table.
            #[inline(always)]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}#{}", stringify!($name), self.0)
            }
        }
    };
}

id!(
    /// A thread of the checked program. Never reused, however short the thread's life.
    ThreadId
);
id!(
    /// A variable: a field of one object, a static field, an array element.
    VarId
);
id!(
    /// A lock.
    LockId
);
id!(
    /// The name of an atomic block, as given by `begin(label)`.
    LabelId
);
id!(
    /// A place in the source, as given by an event's last field.
    SiteId
);

impl LabelId {
    /// A block that `begin` gave no name.
    pub const UNNAMED: LabelId = LabelId(0);
    /// Not a block: an event outside any atomic block is a transaction of its own.
    pub const OUTSIDE: LabelId = LabelId(u32::MAX);
}

impl SiteId {
    /// No location was recorded.
    pub const UNKNOWN: SiteId = SiteId(0);
}

/// What an event does. The operand's meaning depends on it: see [`Event::operand`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Op {
    /// `begin(label)`: an atomic block opens; the outermost one starts a transaction.
    Begin = 0,
    /// `end`: the innermost open block closes.
    End = 1,
    /// `r(x)`: a plain read.
    Read = 2,
    /// `w(x)`: a plain write.
    Write = 3,
    /// `acq(m)`: a lock is acquired.
    Acquire = 4,
    /// `rel(m)`: a lock is released.
    Release = 5,
    /// `fork(u)`: thread `u` is started; every event of `u` comes after.
    Fork = 6,
    /// `join(u)`: thread `u` has ended; every event of `u` came before.
    Join = 7,
    /// `dummy(x)`: keeps its place in the trace and means nothing.
    Dummy = 8,
    /// `vr(x)`: a read of a volatile variable.
    VolatileRead = 9,
    /// `vw(x)`: a write of a volatile variable.
    VolatileWrite = 10,
    /// `rmw(x)`: an atomic read-modify-write, one indivisible step.
    Update = 11,
    /// `wait(m)`: the lock is let go to wait for a signal; the thread's next `acq(m)` is its return.
    Wait = 12,
    /// `notify(m)`: a signal to waiters; orders nothing that the lock does not order already.
    Notify = 13,
    /// `exit`: the thread ends.
    Exit = 14,
    /// `barrier(b)`: the thread arrives at a barrier and goes on only once all others of its round
    /// have arrived: the round is complete when the first of them does anything else.
    Barrier = 15,
    /// `escape(o)`: an object becomes reachable for other threads; up to here only this thread could
    /// touch its fields.
    Escape = 16,
}

/// What kind of name an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandKind {
    /// The operation takes none.
    None,
    /// A variable.
    Var,
    /// A lock, or a barrier: they share a table of names.
    Lock,
    /// An object: a name in the table of variables, see [`crate::Names::owner`].
    Object,
    /// Another thread.
    Thread,
    /// A block's label (may be absent in text).
    Label,
}

impl Op {
    /// Every operation, in the order of their codes.
    pub const ALL: [Op; 17] = [
        Op::Begin,
        Op::End,
        Op::Read,
        Op::Write,
        Op::Acquire,
        Op::Release,
        Op::Fork,
        Op::Join,
        Op::Dummy,
        Op::VolatileRead,
        Op::VolatileWrite,
        Op::Update,
        Op::Wait,
        Op::Notify,
        Op::Exit,
        Op::Barrier,
        Op::Escape,
    ];

    /// The operation with this code, as stored in binary traces.
    #[inline]
    pub fn from_code(code: u8) -> Option<Op> {
        Op::ALL.get(code as usize).copied()
    }

    /// The word for it in text traces.
    pub fn word(self) -> &'static str {
        match self {
            Op::Begin => "begin",
            Op::End => "end",
            Op::Read => "r",
            Op::Write => "w",
            Op::Acquire => "acq",
            Op::Release => "rel",
            Op::Fork => "fork",
            Op::Join => "join",
            Op::Dummy => "dummy",
            Op::VolatileRead => "vr",
            Op::VolatileWrite => "vw",
            Op::Update => "rmw",
            Op::Wait => "wait",
            Op::Notify => "notify",
            Op::Exit => "exit",
            Op::Barrier => "barrier",
            Op::Escape => "escape",
        }
    }

    /// What kind of operand it takes.
    #[inline]
    pub const fn operand_kind(self) -> OperandKind {
        match self {
            Op::Begin => OperandKind::Label,
            Op::End | Op::Dummy | Op::Exit => OperandKind::None,
            Op::Read | Op::Write | Op::VolatileRead | Op::VolatileWrite | Op::Update => {
                OperandKind::Var
            }
            Op::Acquire | Op::Release | Op::Wait | Op::Notify | Op::Barrier => OperandKind::Lock,
            Op::Escape => OperandKind::Object,
            Op::Fork | Op::Join => OperandKind::Thread,
        }
    }
}

/// One event of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// The thread that acts.
    pub thread: ThreadId,
    /// The operand's id in the table that [`Op::operand_kind`] names; 0 where there is none.
    pub operand: u32,
    /// Where in the source.
    pub site: SiteId,
    /// What it does.
    pub op: Op,
    /// How far apart the variables of an access are that is about several; else 0.
    pub stride: i8,
    /// How many variables it is about beside its operand: only plain reads and writes have more.
    pub more: u16,
}

const _: () = assert!(size_of::<Event>() == 16);

impl Event {
    /// An event with an untyped operand; prefer the named constructors below.
    #[inline(always)]
    pub fn new(thread: ThreadId, op: Op, operand: u32, site: SiteId) -> Event {
        Event { thread, operand, site, op, stride: 0, more: 0 }
    }

    /// The same access of `more` further variables, whose ids follow in steps of `stride`.
    #[inline(always)]
    pub fn and_more(self, more: u16, stride: i8) -> Event {
        debug_assert!(matches!(self.op, Op::Read | Op::Write));
        Event { more, stride, ..self }
    }

    /// The id of its variable number `at`, from 0.
    #[inline(always)]
    pub fn operand_at(&self, at: u16) -> u32 {
        self.operand.wrapping_add_signed(i32::from(self.stride) * i32::from(at))
    }

    /// The events of one variable each that it stands for; mostly itself.
    #[inline]
    pub fn singles(self) -> impl Iterator<Item = Event> {
        (0..=self.more).map(move |at| Event {
            operand: self.operand_at(at),
            stride: 0,
            more: 0,
            ..self
        })
    }

    /// `begin(label)`
    pub fn begin(thread: ThreadId, label: LabelId, site: SiteId) -> Event {
        Event::new(thread, Op::Begin, label.0, site)
    }

    /// `end`
    pub fn end(thread: ThreadId, site: SiteId) -> Event {
        Event::new(thread, Op::End, 0, site)
    }

    /// `r(x)`
    pub fn read(thread: ThreadId, var: VarId, site: SiteId) -> Event {
        Event::new(thread, Op::Read, var.0, site)
    }

    /// `w(x)`
    pub fn write(thread: ThreadId, var: VarId, site: SiteId) -> Event {
        Event::new(thread, Op::Write, var.0, site)
    }

    /// `acq(m)`
    pub fn acquire(thread: ThreadId, lock: LockId, site: SiteId) -> Event {
        Event::new(thread, Op::Acquire, lock.0, site)
    }

    /// `rel(m)`
    pub fn release(thread: ThreadId, lock: LockId, site: SiteId) -> Event {
        Event::new(thread, Op::Release, lock.0, site)
    }

    /// `fork(u)`
    pub fn fork(thread: ThreadId, child: ThreadId, site: SiteId) -> Event {
        Event::new(thread, Op::Fork, child.0, site)
    }

    /// `join(u)`
    pub fn join(thread: ThreadId, child: ThreadId, site: SiteId) -> Event {
        Event::new(thread, Op::Join, child.0, site)
    }

    /// The variable of an access.
    #[inline(always)]
    pub fn var(&self) -> VarId {
        debug_assert_eq!(self.op.operand_kind(), OperandKind::Var);
        VarId(self.operand)
    }

    /// The lock of a lock operation.
    #[inline(always)]
    pub fn lock(&self) -> LockId {
        debug_assert_eq!(self.op.operand_kind(), OperandKind::Lock);
        LockId(self.operand)
    }

    /// The other thread of a fork or join.
    #[inline(always)]
    pub fn child(&self) -> ThreadId {
        debug_assert_eq!(self.op.operand_kind(), OperandKind::Thread);
        ThreadId(self.operand)
    }

    /// The label of a `begin`.
    #[inline(always)]
    pub fn label(&self) -> LabelId {
        debug_assert_eq!(self.op, Op::Begin);
        LabelId(self.operand)
    }
}

/// A run of consecutive events.
#[derive(Clone, Default, Debug)]
pub struct Batch {
    /// The position of the first event.
    pub first: Position,
    /// The events.
    pub events: Vec<Event>,
}

impl Batch {
    /// The number of events a source puts into a batch at most: large enough that a call per batch
    /// costs nothing, small enough that the batch stays in the second-level cache.
    pub const SIZE: usize = 2 * 1024;

    /// Whether an event is about several variables.
    pub fn has_ranges(&self) -> bool {
        // All of them without a jump: that is faster than to stop at the first, and mostly there is none.
        self.events.iter().fold(0, |all, event| all | event.more) > 0
    }

    /// The position of the event at this index, or behind the last.
    pub fn position(&self, index: usize) -> Position {
        self.first.saturating_add(positions(&self.events[..index]))
    }

    /// The position behind the last event.
    pub fn end(&self) -> Position {
        self.position(self.events.len())
    }

    /// The event of one variable at a position, which must not be before the batch.
    pub fn event_at(&self, position: Position) -> Option<Event> {
        let mut left = position.checked_sub(self.first)?;
        if !self.has_ranges() {
            return self.events.get(left as usize).copied();
        }
        for event in &self.events {
            if left <= u64::from(event.more) {
                return event.singles().nth(left as usize);
            }
            left -= u64::from(event.more) + 1;
        }
        None
    }
}

/// How many positions events take.
pub fn positions(events: &[Event]) -> u64 {
    events.len() as u64 + events.iter().map(|event| u64::from(event.more)).sum::<u64>()
}
