//! The locks that all of some accesses have in common.

use super::Locks;
use crate::context::locksets::{Locksets, SetId};

/// The locks that were held at all accesses so far: every lock there is, before the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Common(Option<SetId>);

impl Common {
    /// Another access, with these locks held. Whether that made the set smaller.
    #[inline(always)]
    pub(crate) fn refine(&mut self, held: impl Locks, locksets: &mut Locksets) -> bool {
        let less = match self.0 {
            Some(set) => held.meet(set, locksets),
            None => held.set(locksets),
        };
        self.0.replace(less) != Some(less)
    }

    /// Whether there was an access, and no lock is left.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == Some(SetId::EMPTY)
    }

    /// The locks; `None` if there was no access so far.
    pub(crate) fn get(self) -> Option<SetId> {
        self.0
    }
}
