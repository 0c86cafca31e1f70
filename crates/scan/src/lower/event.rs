//! What the interpretation of a basic block tells: the few things that matter, in order.

use smallvec::SmallVec;

use crate::ir::{DispatchId, ExprId, RegionKind};

/// A place where a lock is taken: a position in the list of [`Site`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SiteId(pub u32);

impl SiteId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A `monitorenter`, or a call of `lock()`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub kind: RegionKind,
    pub lock: ExprId,
    pub line: u32,
}

/// One thing that happens. Expressions are those of the interpretation.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A local variable gets a value.
    Store { slot: u16, line: u32 },
    /// A field or an array element gets a value.
    Assign { target: ExprId, line: u32 },
    /// A call.
    Call { dispatch: DispatchId, receiver: ExprId, args: SmallVec<[ExprId; 4]>, line: u32 },
    /// A lock is taken.
    Enter(SiteId),
    /// A lock is released: of an explicit one we know which.
    Exit { kind: RegionKind, lock: ExprId },
    /// Something that may throw. (Calls may, too.)
    Throws,
}
