//! What no later event is about: variables and locks of objects that are dead.
//!
//! A source that knows says so after a batch ([`crate::Source::take_retired`]). Whoever remembers something of them can forget
//! it, and once nobody mentions them any more, their numbers can be given to others ([`crate::Source::take_back`]).

use crate::event::{LockId, VarId};

/// Variables with numbers in a row that retire together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VarRange {
    /// The first of them.
    pub first: VarId,
    /// How many there are.
    pub count: u32,
}

impl VarRange {
    /// One variable.
    pub fn one(var: VarId) -> VarRange {
        VarRange { first: var, count: 1 }
    }

    /// The number behind the last one.
    pub fn end(self) -> u32 {
        self.first.0 + self.count
    }
}

/// Variables and locks that no later event is about.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Retired {
    /// Variables.
    pub vars: Vec<VarRange>,
    /// Locks. No thread holds them, and none was a barrier.
    pub locks: Vec<LockId>,
}

impl Retired {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.vars.is_empty() && self.locks.is_empty()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.vars.len() + self.locks.len()
    }

    /// Adds others.
    pub fn extend(&mut self, others: Retired) {
        self.vars.extend(others.vars);
        self.locks.extend(others.locks);
    }
}
