//! The locks that each thread holds. Sets are made only when they are asked for: that of all locks
//! often is not, as where two locks are held and nothing happens but their release.

use super::locksets::{Locksets, SetId};
use interloper_trace::{Event, LockId, Op, Position, SiteId, ThreadId};

/// A lock in a thread's hands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Holding {
    /// The lock.
    pub(crate) lock: LockId,
    /// The event that acquired it.
    pub(crate) acquired: Position,
    /// Where in the source that was.
    pub(crate) site: SiteId,
    /// All locks held from then on, this one included, once it was asked for.
    set: Option<SetId>,
}

/// The locks of all threads.
#[derive(Default)]
pub(crate) struct Held {
    /// By thread, in the order of acquisition.
    lists: Vec<Vec<Holding>>,
}

impl Held {
    /// A thread's locks, in the order of acquisition.
    #[inline(always)]
    pub(crate) fn list(&self, thread: ThreadId) -> &[Holding] {
        self.lists.get(thread.index()).map_or(&[], |list| list)
    }

    /// Whether a thread holds any.
    #[inline(always)]
    pub(crate) fn any(&self, thread: ThreadId) -> bool {
        !self.list(thread).is_empty()
    }

    /// All of a thread's locks.
    #[inline]
    pub(crate) fn set(&mut self, thread: ThreadId, locksets: &mut Locksets) -> SetId {
        let Some(list) = self.lists.get_mut(thread.index()) else { return SetId::EMPTY };
        let known = list.iter().rposition(|holding| holding.set.is_some());
        let mut set = known.and_then(|at| list[at].set).unwrap_or(SetId::EMPTY);
        for holding in &mut list[known.map_or(0, |at| at + 1)..] {
            set = locksets.with(set, holding.lock);
            holding.set = Some(set);
        }
        set
    }

    /// Takes note of an event. Only `acq`, `rel` and `wait` change anything.
    #[inline(always)]
    pub(crate) fn event(&mut self, at: Position, event: &Event) {
        match event.op {
            Op::Acquire => self.acquire(at, event),
            Op::Release | Op::Wait => self.release(event),
            _ => {}
        }
    }

    fn acquire(&mut self, at: Position, event: &Event) {
        let thread = event.thread.index();
        if thread >= self.lists.len() {
            self.lists.resize(thread + 1, vec![]);
        }
        let (lock, site) = (event.lock(), event.site);
        self.lists[thread].push(Holding { lock, acquired: at, site, set: None });
    }

    fn release(&mut self, event: &Event) {
        let Some(list) = self.lists.get_mut(event.thread.index()) else { return };
        let Some(place) = list.iter().rposition(|held| held.lock == event.lock()) else { return };
        list.remove(place);
        // Those acquired later are now in smaller sets.
        for holding in &mut list[place..] {
            holding.set = None;
        }
    }
}
