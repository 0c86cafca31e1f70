//! What can be wrong with a trace, said so that a person can find and mend it: the file, the place
//! in it, the text found there, what is the matter, and what to do.

use crate::event::Position;
use std::fmt;
use std::io;
use thiserror::Error;

/// Where in the input something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text trace, counted from 1.
    Line {
        /// The line's number.
        number: u64,
        /// What it says (shortened if very long).
        text: String,
    },
    /// An event of a trace that has no lines.
    Event {
        /// Its position.
        position: Position,
        /// The event as a text trace would write it.
        text: String,
    },
    /// A byte of the file, counted from 0.
    Byte(u64),
    /// The input as a whole.
    Whole,
}

/// What is the matter with one event, given the events before it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Disorder {
    /// `end` with no open block.
    #[error("`end` in thread {thread}, which has no open block")]
    EndWithoutBegin {
        /// The thread.
        thread: String,
    },
    /// A lock is acquired that another thread holds.
    #[error("thread {thread} acquires lock {lock}, which thread {holder} holds")]
    LockHeld {
        /// Who acquires.
        thread: String,
        /// What.
        lock: String,
        /// Who holds it.
        holder: String,
    },
    /// A lock is released (or waited on) that the thread does not hold.
    #[error("thread {thread} lets go of lock {lock}, which it does not hold")]
    LockNotHeld {
        /// The thread.
        thread: String,
        /// The lock.
        lock: String,
    },
    /// A thread is forked that has run before.
    #[error("fork of thread {child}, which has run before its fork")]
    RanBeforeFork {
        /// The forked thread.
        child: String,
    },
    /// A thread is forked that never ran and has been joined.
    #[error("fork of thread {child}, which has been joined before its fork")]
    JoinedBeforeFork {
        /// The forked thread.
        child: String,
    },
    /// A thread is forked twice.
    #[error("thread {child} is forked a second time")]
    ForkedTwice {
        /// The forked thread.
        child: String,
    },
    /// An event of a thread after it ended or was joined.
    #[error("thread {thread} acts after it has ended")]
    ActsAfterEnd {
        /// The thread.
        thread: String,
    },
    /// More threads act than engines can tell apart.
    #[error("more than {limit} threads")]
    TooManyThreads {
        /// The limit.
        limit: usize,
    },
    /// More events than engines can tell apart.
    #[error("more than {limit} events")]
    TooManyEvents {
        /// The limit.
        limit: u64,
    },
    /// More blocks are open at a time than any program has.
    #[error("more than {limit} blocks are open at a time")]
    TooManyBlocks {
        /// The limit.
        limit: i64,
    },
    /// A thread forks or joins itself.
    #[error("thread {thread} forks or joins itself")]
    Itself {
        /// The thread.
        thread: String,
    },
}

impl Disorder {
    /// Whether the event is fine in itself, but one too many.
    fn is_excess(&self) -> bool {
        use Disorder::{TooManyBlocks, TooManyEvents, TooManyThreads};
        matches!(self, TooManyBlocks { .. } | TooManyEvents { .. } | TooManyThreads { .. })
    }
}

/// What is the matter with a trace.
#[derive(Debug, Error)]
pub enum Problem {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A line is not of the form `thread|op(operand)|location`.
    #[error("{0}")]
    Syntax(String),
    /// A line is longer than any sensible event.
    #[error("this line is longer than {limit} bytes")]
    LongLine {
        /// The limit.
        limit: usize,
    },
    /// Bytes that are not UTF-8.
    #[error("this line is not valid UTF-8")]
    NotUtf8,
    /// A binary trace is damaged.
    #[error("{0}")]
    Damaged(String),
    /// A binary trace of a version this program does not know.
    #[error("this trace has format version {found}; this program reads version {known}")]
    Version {
        /// The file's version.
        found: u32,
        /// The version we read.
        known: u32,
    },
    /// More distinct names, or larger ones, than a trace may have.
    #[error("{0}")]
    TooMuch(String),
    /// The event cannot follow those before it.
    #[error("{0}")]
    Disorder(#[from] Disorder),
}

impl Problem {
    /// What the user can do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Problem::Syntax(_) => Some(
                "an event is `thread|op(operand)|location`, as in `T1|r(x)|12`; operations are r, w, acq, rel, begin, end, fork, join, vr, vw, rmw, wait, notify, exit, dummy; `--lenient` skips lines that are no events",
            ),
            Problem::LongLine { .. } | Problem::NotUtf8 => {
                Some("is this a text trace? `--lenient` skips such lines")
            }
            Problem::Disorder(disorder) if disorder.is_excess() => None,
            Problem::Disorder(_) => Some(
                "no run of a program gives this order; `--lenient` skips such events and counts them",
            ),
            Problem::Version { .. } => Some("use a newer release to read it"),
            _ => None,
        }
    }
}

/// Something wrong with an input, and where.
#[derive(Debug)]
pub struct TraceError {
    /// The input's name, as the user gave it.
    pub input: String,
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

impl TraceError {
    /// An error about the input as a whole.
    pub fn whole(input: &str, problem: impl Into<Problem>) -> TraceError {
        TraceError { input: input.to_string(), place: Place::Whole, problem: problem.into() }
    }

    /// Where and what, without the text found there and without help.
    pub fn headline(&self) -> String {
        let TraceError { input, place, problem } = self;
        match place {
            Place::Line { number, .. } => format!("{input}:{number}: {problem}"),
            Place::Event { position, .. } => format!("{input}: event {position}: {problem}"),
            Place::Byte(offset) => format!("{input}: at byte {offset}: {problem}"),
            Place::Whole => format!("{input}: {problem}"),
        }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        if let Place::Line { text, .. } | Place::Event { text, .. } = &self.place {
            write!(f, "\n  | {text}")?;
        }
        if let Some(help) = self.problem.help() {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for TraceError {}
