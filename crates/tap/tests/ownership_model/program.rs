//! Small programs: what each thread does, and what of it is done before the threads run side by side.
//!
//! In words: `rA` and `wA` read and write object A, `rA+` leaves the window open for the next access,
//! `rA~` is an access that an earlier round of a loop has made, too (if no window was closed since, there is nothing to do
//! about it), `p` closes the window and says so if somebody asks for that,
//! `[` and `]` begin and end a transaction, `nA` gives A its number (as a monitor does), `h` lets others in (as a release does), `x` ends the
//! thread (only where another starts after it). `|` is between threads; a thread whose first word is `<0` starts after thread 0 has ended.

use std::fmt;

/// A thread, by its place in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u8);

/// An object that threads access; one variable each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u8);

/// What an access does; also the site, so the same access again in a region is filtered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Read,
    Write,
}

impl Kind {
    pub fn conflicts(self, other: Kind) -> bool {
        self == Kind::Write || other == Kind::Write
    }
}

/// One thing that a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Access { object: ObjectId, kind: Kind, repeats: bool, stays_open: bool },
    Poll,
    Begin,
    End,
    Name(ObjectId),
    HandOver,
    Exit,
}

/// What one thread does.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Script {
    pub after: Option<ThreadId>,
    pub ops: Vec<Op>,
}

/// What all threads do. `prelude` names the threads that do their next operation before anything else
/// happens, one at a time and in this order: a short way to states that are far from the start.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    pub scripts: Vec<Script>,
    pub prelude: Vec<ThreadId>,
}

impl Program {
    /// Reads a program as described above; the prelude is a string of digits.
    pub fn new(text: &str, prelude: &str) -> Program {
        let scripts = text.split('|').map(script).collect();
        let prelude = prelude.bytes().map(|digit| ThreadId(digit - b'0')).collect();
        Program { scripts, prelude }
    }

    pub fn objects(&self) -> usize {
        let objects =
            self.scripts.iter().flat_map(|script| &script.ops).filter_map(|op| match op {
                Op::Access { object, .. } | Op::Name(object) => Some(usize::from(object.0) + 1),
                Op::Poll | Op::Begin | Op::End | Op::HandOver | Op::Exit => None,
            });
        objects.max().unwrap_or(0)
    }
}

fn script(text: &str) -> Script {
    let mut script = Script::default();
    for word in text.split_whitespace() {
        match word.strip_prefix('<') {
            Some(thread) => script.after = Some(ThreadId(thread.parse().expect("a thread"))),
            None => script.ops.push(op(word)),
        }
    }
    script
}

fn op(word: &str) -> Op {
    let bytes = word.as_bytes();
    let object = || ObjectId(bytes[1] - b'A');
    let access = |kind| Op::Access {
        object: object(),
        kind,
        repeats: word.contains('~'),
        stays_open: word.ends_with('+'),
    };
    match bytes[0] {
        b'r' => access(Kind::Read),
        b'w' => access(Kind::Write),
        b'p' => Op::Poll,
        b'n' => Op::Name(object()),
        b'[' => Op::Begin,
        b']' => Op::End,
        b'h' => Op::HandOver,
        b'x' => Op::Exit,
        _ => panic!("no such operation: {word}"),
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'A' + self.0))
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Access { object, kind, repeats, stays_open } => {
                let letter = if *kind == Kind::Read { 'r' } else { 'w' };
                let (again, open) =
                    (if *repeats { "~" } else { "" }, if *stays_open { "+" } else { "" });
                write!(f, "{letter}{object}{again}{open}")
            }
            Op::Poll => f.write_str("p"),
            Op::Begin => f.write_str("["),
            Op::End => f.write_str("]"),
            Op::Name(object) => write!(f, "n{object}"),
            Op::HandOver => f.write_str("h"),
            Op::Exit => f.write_str("x"),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, script) in self.scripts.iter().enumerate() {
            if index > 0 {
                f.write_str("| ")?;
            }
            if let Some(thread) = script.after {
                write!(f, "<{} ", thread.0)?;
            }
            for op in &script.ops {
                write!(f, "{op} ")?;
            }
        }
        if !self.prelude.is_empty() {
            f.write_str("after ")?;
            self.prelude.iter().try_for_each(|thread| write!(f, "{}", thread.0))?;
        }
        Ok(())
    }
}
