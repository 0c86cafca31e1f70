//! What is recorded of a transaction's events: a word of four bytes, by which equal transactions are
//! recognized, and beside it where and when it was, for reports.

use interloper_trace::{LabelId, LockId, Op, Position, SiteId, VarId};

/// What an event was, as far as reduction goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Word(u32);

/// A word, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// An access; whether the variable's object had had its `escape` by then.
    Access(VarId, bool),
    /// A lock was acquired.
    Acquire(LockId),
    /// A lock was released, or let go by `wait`.
    Release(LockId),
    /// A lock was held already when the transaction began.
    Held(LockId),
    /// A block opened, or was open already when the transaction began.
    Begin(LabelId),
    /// The same without a label, by its place.
    BeginAt(SiteId),
    /// A block closed.
    End,
}

/// Bits of an operand: tables of names have no more entries.
const OPERAND: u32 = 28;

impl Word {
    fn new(tag: u32, operand: u32) -> Word {
        debug_assert!(operand < 1 << OPERAND);
        Word(tag << OPERAND | operand)
    }

    /// An access; whether the variable's object has had its `escape`.
    #[inline(always)]
    pub(super) fn access(var: VarId, escaped: bool) -> Word {
        Word::new(escaped.into(), var.0)
    }

    /// An `acq`.
    #[inline(always)]
    pub(super) fn acquire(lock: LockId) -> Word {
        Word::new(2, lock.0)
    }

    /// A `rel` or `wait`.
    #[inline(always)]
    pub(super) fn release(lock: LockId) -> Word {
        Word::new(3, lock.0)
    }

    /// A lock that is held when the transaction begins.
    pub(super) fn held(lock: LockId) -> Word {
        Word::new(4, lock.0)
    }

    /// The beginning of a block.
    #[inline(always)]
    pub(super) fn begin(label: LabelId, site: SiteId) -> Word {
        if label == LabelId::UNNAMED { Word::new(6, site.0) } else { Word::new(5, label.0) }
    }

    /// The end of a block.
    #[inline(always)]
    pub(super) fn end() -> Word {
        Word::new(7, 0)
    }

    /// The word as a number.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// Whether it is an access.
    #[inline(always)]
    pub(super) fn is_access(self) -> bool {
        self.0 < 2 << OPERAND
    }

    /// What it says.
    #[inline(always)]
    pub(super) fn token(self) -> Token {
        let operand = self.0 & ((1 << OPERAND) - 1);
        match self.0 >> OPERAND {
            0 => Token::Access(VarId(operand), false),
            1 => Token::Access(VarId(operand), true),
            2 => Token::Acquire(LockId(operand)),
            3 => Token::Release(LockId(operand)),
            4 => Token::Held(LockId(operand)),
            5 => Token::Begin(LabelId(operand)),
            6 => Token::BeginAt(SiteId(operand)),
            _ => Token::End,
        }
    }
}

/// An event of a recorded transaction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// What it was.
    pub(super) word: Word,
    /// Where in the source.
    pub(super) site: SiteId,
    /// Its position, and above that its operation.
    when: u64,
}

/// Bits of a position: traces have no more events.
const POSITION: u32 = 40;

impl Item {
    /// An event.
    #[inline(always)]
    pub(super) fn new(word: Word, op: Op, at: Position, site: SiteId) -> Item {
        Item { word, site, when: (op as u64) << POSITION | at }
    }

    /// Its position in the trace.
    #[inline(always)]
    pub(super) fn at(&self) -> Position {
        self.when & ((1 << POSITION) - 1)
    }

    /// Its operation.
    pub(super) fn op(&self) -> Op {
        Op::from_code((self.when >> POSITION) as u8).unwrap_or(Op::Dummy)
    }
}
