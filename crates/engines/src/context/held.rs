//! The locks that each thread holds.

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
    /// All locks held from then on, this one included.
    pub(crate) set: SetId,
}

/// The locks of all threads.
#[derive(Default)]
pub(crate) struct Held {
    /// By thread: all its locks.
    sets: Vec<SetId>,
    /// By thread: the same, in the order of acquisition.
    lists: Vec<Vec<Holding>>,
}

impl Held {
    /// The locks that a thread holds.
    #[inline(always)]
    pub(crate) fn by(&self, thread: ThreadId) -> SetId {
        self.sets.get(thread.index()).copied().unwrap_or(SetId::EMPTY)
    }

    /// The same, one by one in the order of acquisition.
    pub(crate) fn list(&self, thread: ThreadId) -> &[Holding] {
        self.lists.get(thread.index()).map_or(&[], |list| list)
    }

    /// Their ids, in the order of acquisition.
    pub(crate) fn locks(&self, thread: ThreadId) -> Vec<LockId> {
        self.list(thread).iter().map(|holding| holding.lock).collect()
    }

    /// Takes note of an event. Only `acq`, `rel` and `wait` change anything.
    #[inline(always)]
    pub(crate) fn event(&mut self, at: Position, event: &Event, locksets: &mut Locksets) {
        match event.op {
            Op::Acquire => self.acquire(at, event, locksets),
            Op::Release | Op::Wait => self.release(event, locksets),
            _ => {}
        }
    }

    fn acquire(&mut self, at: Position, event: &Event, locksets: &mut Locksets) {
        let thread = event.thread.index();
        if thread >= self.sets.len() {
            self.sets.resize(thread + 1, SetId::EMPTY);
            self.lists.resize(thread + 1, vec![]);
        }
        let set = locksets.with(self.sets[thread], event.lock());
        self.sets[thread] = set;
        let (lock, site) = (event.lock(), event.site);
        self.lists[thread].push(Holding { lock, acquired: at, site, set });
    }

    fn release(&mut self, event: &Event, locksets: &mut Locksets) {
        let Some(list) = self.lists.get_mut(event.thread.index()) else { return };
        let Some(place) = list.iter().rposition(|held| held.lock == event.lock()) else { return };
        list.remove(place);
        // Locks that were acquired after this one and are still held: their sets have shrunk.
        let mut set = if place == 0 { SetId::EMPTY } else { list[place - 1].set };
        for held in &mut list[place..] {
            set = locksets.with(set, held.lock);
            held.set = set;
        }
        self.sets[event.thread.index()] = set;
    }
}
