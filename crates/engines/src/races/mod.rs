//! Data races: two threads access a variable, one of them writes, and nothing keeps them apart.
//!
//! Four engines. [`Eraser`], [`ObjectRace`] and [`Multilockset`] look for locks that are held at
//! all accesses, whatever the order in which threads happened to run; they tell what is possible,
//! and raise false alarms. [`HappensBefore`] looks for accesses that the observed run did not
//! order, and raises none.
//!
//! What they have in common: volatile accesses and atomic updates are synchronization, and race
//! with nobody. Accesses before the `escape` of an object do not count. Each variable is reported
//! at most once a run, with two accesses and the locks that were held at them.
//!
//! The locksets are also tables of their own, for engines that ask which accesses are race-free:
//! [`protecting`] while the trace runs, [`verdict`] once it has ended.

mod common;
mod eraser;
mod hands;
mod hb;
pub(crate) mod multilockset;
mod objectrace;
pub(crate) mod overlap;
pub(crate) mod protecting;
mod report;
mod scene;
pub(crate) mod single;
mod slab;
mod stamp;
mod states;
pub(crate) mod verdict;
mod watch;
mod witness;

pub use eraser::Eraser;
pub use hb::HappensBefore;
pub use multilockset::Multilockset;
pub use objectrace::ObjectRace;

use crate::context::locksets::{Locksets, SetId};
use crate::context::periods::PeriodId;
use interloper_trace::{ThreadId, VarId};

/// A plain access to a variable, and what is around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touch<Held = SetId> {
    /// The variable.
    pub(crate) var: VarId,
    /// Whether it is written (or else read).
    pub(crate) write: bool,
    /// Who does it.
    pub(crate) thread: ThreadId,
    /// The period of the thread.
    pub(crate) period: PeriodId,
    /// The locks that the thread holds.
    pub(crate) held: Held,
}

/// A set of locks that need not have a number yet.
pub(crate) trait Locks: Copy {
    /// Gives it one.
    fn set(self, locksets: &mut Locksets) -> SetId;

    /// What it has in common with a set.
    fn meet(self, with: SetId, locksets: &mut Locksets) -> SetId;
}

impl Locks for SetId {
    #[inline(always)]
    fn set(self, _locksets: &mut Locksets) -> SetId {
        self
    }

    #[inline(always)]
    fn meet(self, with: SetId, locksets: &mut Locksets) -> SetId {
        locksets.meet(self, with)
    }
}

/// The entry of a table by variable, which may be mentioned for the first time.
#[inline(always)]
fn grown<T: Default>(cells: &mut Vec<T>, index: usize) -> &mut T {
    if index >= cells.len() {
        grow(cells, index);
    }
    &mut cells[index]
}

#[cold]
fn grow<T: Default>(cells: &mut Vec<T>, index: usize) {
    cells.resize_with(index + 1, T::default);
}
