//! Numbers of variables and locks that are to be used again.
//!
//! What belongs to dead objects retires. Whoever asks for that ([`interloper_trace::Source::take_retired`]) gives back what nobody mentions any more;
//! only then it is given to others, under another name. If nobody asks, as where a trace is written, every number has one name for ever.

use super::Hashed;
use interloper_trace::{LockId, Names, Retired, VarId, VarRange};

/// What has retired, and what was given back.
#[derive(Default)]
pub(super) struct Stock {
    asked: bool,
    retired: Retired,
    vars: Vec<VarId>,
    /// Variables that are parts of objects.
    parts: Vec<VarId>,
    /// First variables of pages, by size.
    pages: Hashed<u32, Vec<VarId>>,
    locks: Vec<LockId>,
}

impl Stock {
    /// Somebody is going to ask.
    pub(super) fn ask(&mut self) {
        self.asked = true;
    }

    /// No later event is about these.
    pub(super) fn retire(&mut self, vars: VarRange) {
        if self.asked {
            self.retired.vars.push(vars);
        }
    }

    /// The same for a lock.
    pub(super) fn retire_lock(&mut self, lock: LockId) {
        if self.asked {
            self.retired.locks.push(lock);
        }
    }

    /// What has retired since the last time.
    pub(super) fn take_retired(&mut self) -> Retired {
        std::mem::take(&mut self.retired)
    }

    /// Nobody mentions these any more.
    pub(super) fn take_back(&mut self, free: Retired, names: &mut Names) {
        for VarRange { first, count } in free.vars {
            if count > 1 {
                self.pages.entry(count).or_default().push(first);
            } else if names.vars.is_part(first.0) {
                self.parts.push(first);
            } else {
                names.vars.release(first.0);
                self.vars.push(first);
            }
        }
        for lock in free.locks {
            names.locks.release(lock.0);
            self.locks.push(lock);
        }
    }

    /// Whether numbers are going to be used again.
    pub(super) fn is_asked(&self) -> bool {
        self.asked
    }

    /// A part of an object to be used again.
    pub(super) fn part(&mut self) -> Option<VarId> {
        self.parts.pop()
    }

    /// Another variable to be used again.
    pub(super) fn var(&mut self) -> Option<VarId> {
        self.vars.pop()
    }

    /// The first of so many variables to be used again, which were a page before.
    pub(super) fn page(&mut self, size: u32) -> Option<VarId> {
        self.pages.get_mut(&size)?.pop()
    }

    /// A lock to be used again.
    pub(super) fn lock(&mut self) -> Option<LockId> {
        self.locks.pop()
    }
}
