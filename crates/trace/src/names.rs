//! Names and their numbers. A million distinct variables cost tens of megabytes: the text of all
//! names of a table lies in one buffer, and the index holds four bytes a name.

use crate::event::{Event, LabelId, LockId, Op, OperandKind, SiteId, ThreadId, VarId};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// One table of names: text to number and back. Numbers are dense, in order of first sight.
#[derive(Clone, Default)]
pub struct Interner {
    text: Vec<u8>,
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl Interner {
    /// The number of `name`, a new one if it was never seen.
    ///
    /// `name` must be UTF-8; readers check that where a name is new (see [`Interner::find`]).
    pub fn intern(&mut self, name: &str) -> u32 {
        self.intern_bytes(name.as_bytes())
    }

    fn intern_bytes(&mut self, name: &[u8]) -> u32 {
        let hash = self.hasher.hash_one(name);
        let Interner { text, ends, index, hasher } = self;
        if let Some(&id) = index.find(hash, |&id| slice(text, ends, id) == name) {
            return id;
        }
        let id = ends.len() as u32;
        text.extend_from_slice(name);
        ends.push(text.len());
        index.insert_unique(hash, id, |&id| hasher.hash_one(slice(text, ends, id)));
        id
    }

    /// The number of `name`, if it was seen before.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(name);
        self.index.find(hash, |&id| slice(&self.text, &self.ends, id) == name).copied()
    }

    /// The text of a number; empty if the table has no such number.
    pub fn text(&self, id: u32) -> &str {
        if (id as usize) < self.ends.len() {
            std::str::from_utf8(slice(&self.text, &self.ends, id)).unwrap_or("\u{fffd}")
        } else {
            ""
        }
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[inline(always)]
fn slice<'a>(text: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &text[start..ends[id]]
}

/// All names of a trace.
#[derive(Clone)]
pub struct Names {
    /// Threads.
    pub threads: Interner,
    /// Variables.
    pub vars: Interner,
    /// Locks.
    pub locks: Interner,
    /// Labels of atomic blocks; number 0 is the empty name of blocks without a label.
    pub labels: Interner,
    /// Locations; number 0 is the empty name of events without one.
    pub sites: Interner,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Names {
            threads: Interner::default(),
            vars: Interner::default(),
            locks: Interner::default(),
            labels: Interner::default(),
            sites: Interner::default(),
        };
        names.labels.intern("");
        names.sites.intern("");
        names
    }
}

impl Names {
    /// Interns a thread's name.
    pub fn thread(&mut self, name: &str) -> ThreadId {
        ThreadId(self.threads.intern(name))
    }

    /// Interns a variable's name.
    pub fn var(&mut self, name: &str) -> VarId {
        VarId(self.vars.intern(name))
    }

    /// Interns a lock's name.
    pub fn lock(&mut self, name: &str) -> LockId {
        LockId(self.locks.intern(name))
    }

    /// Interns a block's label.
    pub fn label(&mut self, name: &str) -> LabelId {
        LabelId(self.labels.intern(name))
    }

    /// Interns a location.
    pub fn site(&mut self, name: &str) -> SiteId {
        SiteId(self.sites.intern(name))
    }

    /// The table for this kind of operand.
    pub fn table(&self, kind: OperandKind) -> Option<&Interner> {
        match kind {
            OperandKind::None => None,
            OperandKind::Var => Some(&self.vars),
            OperandKind::Lock => Some(&self.locks),
            OperandKind::Thread => Some(&self.threads),
            OperandKind::Label => Some(&self.labels),
        }
    }

    /// The operation as text traces write it: `r(balance)`, `begin(Account.withdraw)`, `end`.
    pub fn op_text(&self, op: Op, operand: u32) -> String {
        match self.table(op.operand_kind()).map(|table| table.text(operand)) {
            Some(name) if !(op == Op::Begin && name.is_empty()) => format!("{}({name})", op.word()),
            _ => op.word().to_string(),
        }
    }

    /// The event as a line of a text trace.
    pub fn line(&self, event: &Event) -> String {
        format!(
            "{}|{}|{}",
            self.threads.text(event.thread.0),
            self.op_text(event.op, event.operand),
            self.sites.text(event.site.0)
        )
    }
}
