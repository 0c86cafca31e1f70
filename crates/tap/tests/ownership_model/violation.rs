//! What can go wrong.

use super::machine::{AccessId, SlotId, Transaction};
use super::program::{ObjectId, ThreadId};

/// What an execution did that it must not do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The logs do not say that the first came before the second.
    Unordered { first: AccessId, second: AccessId },
    /// An access was filtered although somebody's conflicting one came after the one that was logged.
    FilteredAcross { filtered: AccessId, between: AccessId },
    /// An access was made and is in no log, and nothing excuses it.
    Unrecorded { access: AccessId },
    /// An object was NEW for a thread that was not the only one to use it.
    NotAlone { access: AccessId, other: AccessId },
    /// What a running transaction did to a NEW object was not written on its behalf.
    BehalfMissing { access: AccessId },
    /// Something was written on behalf of a transaction that has not done it.
    BehalfInvented { of: Transaction, object: ObjectId },
    /// What was written on behalf of a transaction is not sure to come between its begin and end.
    BehalfOutside { of: Transaction, object: ObjectId },
    /// What was written on behalf of a transaction may come after an access that came later.
    BehalfLate { of: Transaction, second: AccessId },
    /// An edge was in the log before what it points to.
    EdgeAhead { slot: SlotId, position: u8 },
    /// The logs cannot be merged: these wait for each other.
    Stuck { slots: Vec<SlotId> },
    /// Nobody can go on.
    Deadlock { waiting: Vec<ThreadId> },
    /// Threads can go round in a circle without getting on.
    Livelock,
    /// Everybody is done and the object is BUSY.
    LeftBusy { object: ObjectId },
    /// Everybody is done and the thread's window is open, or others write on its behalf.
    LeftOpen { thread: ThreadId },
}
