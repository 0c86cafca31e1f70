//! The locks in each thread's hands, as [`crate::context::held`] has them, but with sets made only when
//! they are asked for: that of all locks is not, unless yet another lock is acquired, and most nests are
//! two deep.

use crate::context::locksets::{Locksets, SetId};
use interloper_trace::{Event, LockId, SiteId, ThreadId};

/// A lock in a thread's hands.
#[derive(Clone, Copy)]
pub(super) struct Hold {
    pub(super) lock: LockId,
    /// Where it was acquired.
    pub(super) site: SiteId,
    /// All locks held from then on, this one included, once it was asked for.
    set: Option<SetId>,
}

/// The locks of all threads.
#[derive(Default)]
pub(super) struct Hands {
    /// By thread, in the order of acquisition.
    lists: Vec<Vec<Hold>>,
}

impl Hands {
    /// A thread's locks, in the order of acquisition.
    #[inline(always)]
    pub(super) fn list(&self, thread: ThreadId) -> &[Hold] {
        self.lists.get(thread.index()).map_or(&[], |list| list)
    }

    /// Whether it has any.
    #[inline(always)]
    pub(super) fn hold(&self, thread: ThreadId) -> bool {
        !self.list(thread).is_empty()
    }

    /// All of a thread's locks.
    pub(super) fn set(&mut self, thread: ThreadId, locksets: &mut Locksets) -> SetId {
        let Some(list) = self.lists.get_mut(thread.index()) else { return SetId::EMPTY };
        let known = list.iter().rposition(|hold| hold.set.is_some());
        let mut set = known.and_then(|at| list[at].set).unwrap_or(SetId::EMPTY);
        for hold in &mut list[known.map_or(0, |at| at + 1)..] {
            set = locksets.with(set, hold.lock);
            hold.set = Some(set);
        }
        set
    }

    #[inline(always)]
    pub(super) fn acquire(&mut self, event: &Event) {
        let thread = event.thread.index();
        if thread >= self.lists.len() {
            self.lists.resize(thread + 1, vec![]);
        }
        self.lists[thread].push(Hold { lock: event.lock(), site: event.site, set: None });
    }

    #[inline(always)]
    pub(super) fn release(&mut self, event: &Event) {
        let Some(list) = self.lists.get_mut(event.thread.index()) else { return };
        let Some(place) = list.iter().rposition(|hold| hold.lock == event.lock()) else { return };
        list.remove(place);
        // Those acquired later are now in smaller sets.
        for hold in &mut list[place..] {
            hold.set = None;
        }
    }
}
