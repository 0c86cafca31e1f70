//! Threads and locks as the trace knows them: the same rules as [`interloper_trace::Validator`] has, kept
//! here so that every event that is let through is one it accepts.
//!
//! What a program cannot have done is left out: the release of a lock that the thread does not hold (it was
//! acquired where no probe is), a second fork. A thread that ends lets go of its locks and closes its blocks.

use super::Hashed;
use super::classes::Classes;
use crate::log;
use interloper_trace::{Event, LockId, Names, SiteId, ThreadId, Validator};

/// A thread that was mentioned.
#[derive(Default)]
pub(super) struct Thread {
    /// The slot that it writes to.
    pub(super) slot: Option<u32>,
    /// Where its open blocks began, the outermost first.
    pub(super) blocks: Vec<SiteId>,
    /// The position in its slot's log of the word that began the outermost.
    pub(super) outermost: u64,
    /// Open blocks that are left out because there are too many.
    uncounted: u32,
    /// How many variables there were for what its transactions make.
    pub(super) made_count: u64,
    /// Locks it holds.
    held: Vec<LockId>,
    forked: bool,
    /// An event of it was let through.
    pub(super) acted: bool,
    pub(super) ended: bool,
}

#[derive(Clone, Copy, Default)]
struct Lock {
    holder: Option<ThreadId>,
    /// How often the holder has acquired it beyond the first time.
    again: u32,
    /// Somebody has arrived at it: it is a barrier.
    is_barrier: bool,
}

/// All threads and locks.
#[derive(Default)]
pub(super) struct Threads {
    by_uid: Hashed<u32, ThreadId>,
    told: Hashed<u32, String>,
    threads: Vec<Thread>,
    locks: Vec<Lock>,
    /// How often those who wait on a lock held it beyond the first time.
    waiting: Hashed<(ThreadId, LockId), u32>,
    open: i64,
}

/// As many characters of a thread's name are kept; binary traces have no room for names without end.
const LONGEST: usize = 1000;
/// Threads stop so far short of what names may cost.
const ROOM: u64 = 16 << 20;

impl Threads {
    /// Takes in a thread's name.
    pub(super) fn learn(&mut self, uid: u32, name: String) {
        if !self.by_uid.contains_key(&uid) {
            self.told.insert(uid, name);
        }
    }

    /// The thread with this number, if it was given a name in the trace.
    pub(super) fn find(&self, uid: u32) -> Option<ThreadId> {
        self.by_uid.get(&uid).copied()
    }

    /// Gives a thread its name in the trace, if it was told.
    pub(super) fn settle(&mut self, uid: u32, names: &mut Names) -> bool {
        let Some(name) = self.told.remove(&uid) else { return false };
        self.christen(uid, &name, names);
        true
    }

    /// Gives up on the name of a thread.
    pub(super) fn give_up(&mut self, uid: u32, names: &mut Names) {
        self.christen(uid, "", names);
    }

    fn christen(&mut self, uid: u32, name: &str, names: &mut Names) {
        let mut name = super::classes::clean(name);
        if let Some((end, _)) = name.char_indices().nth(LONGEST) {
            name.truncate(end);
            name.push('…');
        }
        // A line of a text trace that begins so is a comment.
        if name.is_empty() || name.starts_with('#') {
            name.insert_str(0, "thread");
        }
        if names.threads.find(&name).is_some() {
            name.push_str(&format!("#{uid}"));
        }
        while names.threads.find(&name).is_some() {
            name.push('\'');
        }
        let thread = names.thread(&name);
        self.threads.push(Thread::default());
        self.by_uid.insert(uid, thread);
    }

    /// Whether there may be one more thread.
    pub(super) fn has_room(&self, names: &Names) -> bool {
        self.threads.len() < Validator::MOST_THREADS && names.cost() < Names::MOST_COST - ROOM
    }

    /// A thread's state.
    #[inline(always)]
    pub(super) fn get(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.threads[thread.index()]
    }

    fn lock(&mut self, lock: LockId) -> &mut Lock {
        if lock.index() >= self.locks.len() {
            self.locks.resize(lock.index() + 1, Lock::default());
        }
        &mut self.locks[lock.index()]
    }

    /// Who else holds the lock.
    pub(super) fn other_holder(&mut self, lock: LockId, thread: ThreadId) -> Option<ThreadId> {
        self.lock(lock).holder.filter(|&holder| holder != thread)
    }

    /// The slot of whoever holds the lock.
    pub(super) fn holder_slot(&mut self, lock: LockId) -> Option<u32> {
        let holder = self.lock(lock).holder?;
        self.get(holder).slot
    }

    /// The thread takes a lock that no other holds.
    pub(super) fn acquire(&mut self, thread: ThreadId, lock: LockId) {
        let again = self.waiting.remove(&(thread, lock)).unwrap_or(0);
        let state = self.lock(lock);
        if state.holder.is_some() {
            state.again += 1;
        } else {
            *state = Lock { holder: Some(thread), again, ..*state };
            self.get(thread).held.push(lock);
        }
    }

    /// The thread lets go of a lock; `false`: it does not hold it.
    pub(super) fn release(&mut self, thread: ThreadId, lock: LockId) -> bool {
        let state = self.lock(lock);
        if state.holder != Some(thread) {
            return false;
        }
        if state.again > 0 {
            state.again -= 1;
        } else {
            state.holder = None;
            self.forget_held(thread, lock);
        }
        true
    }

    /// The thread lets go of a lock, however often it holds it, to wait; `false`: it does not hold it.
    pub(super) fn wait(&mut self, thread: ThreadId, lock: LockId) -> bool {
        let state = self.lock(lock);
        if state.holder != Some(thread) {
            return false;
        }
        let again = std::mem::take(&mut state.again);
        state.holder = None;
        if again > 0 {
            self.waiting.insert((thread, lock), again);
        }
        self.forget_held(thread, lock);
        true
    }

    fn forget_held(&mut self, thread: ThreadId, lock: LockId) {
        let held = &mut self.get(thread).held;
        // Locks are mostly let go of in reverse order.
        if let Some(at) = held.iter().rposition(|&other| other == lock) {
            held.remove(at);
        }
    }

    /// Somebody arrives at a barrier.
    pub(super) fn arrive(&mut self, barrier: LockId) {
        self.lock(barrier).is_barrier = true;
    }

    /// Whether the lock is as good as new: nobody holds it or waits for it, and nobody has arrived at it.
    pub(super) fn is_at_rest(&mut self, lock: LockId) -> bool {
        let Lock { holder, is_barrier, .. } = *self.lock(lock);
        let waits = || self.waiting.keys().any(|&(_, other)| other == lock);
        holder.is_none() && !is_barrier && !waits()
    }

    /// Makes whoever holds the lock let go of it.
    pub(super) fn wrest(&mut self, lock: LockId, out: &mut Vec<Event>) {
        let Some(holder) = self.lock(lock).holder else { return };
        while self.release(holder, lock) {
            out.push(Event::release(holder, lock, SiteId::UNKNOWN));
        }
    }

    /// Opens a block, at this position of the thread's log; `false`: one too many.
    pub(super) fn begin(&mut self, thread: ThreadId, position: u64, location: SiteId) -> bool {
        let full = self.open >= Validator::MOST_BLOCKS;
        let state = self.get(thread);
        if full || state.uncounted > 0 {
            state.uncounted += 1;
            return false;
        }
        if state.blocks.is_empty() {
            state.outermost = position;
        }
        state.blocks.push(location);
        self.open += 1;
        true
    }

    /// Opens or closes a block within a block, as a word of the log says; `None`: it cannot be done, or needs a closer look.
    #[inline(always)]
    pub(super) fn nest(&mut self, thread: ThreadId, word: u64, classes: &Classes) -> Option<Event> {
        let full = self.open >= Validator::MOST_BLOCKS;
        let state = &mut self.threads[thread.index()];
        if state.uncounted > 0 {
            return None;
        }
        if log::tag(word) == log::BEGIN {
            let block = classes.block(log::id(word)).ok().filter(|_| !full)?;
            state.blocks.last()?;
            state.blocks.push(block.location);
            self.open += 1;
            return Some(Event::begin(thread, block.label, block.location));
        }
        let [_, .., _] = state.blocks[..] else { return None };
        self.open -= 1;
        state.blocks.pop().map(|location| Event::end(thread, location))
    }

    /// Closes the innermost block and says where it began; `None`: there is none, or it was left out.
    pub(super) fn end(&mut self, thread: ThreadId) -> Option<SiteId> {
        let state = self.get(thread);
        if state.uncounted > 0 {
            state.uncounted -= 1;
            return None;
        }
        let location = state.blocks.pop()?;
        self.open -= 1;
        Some(location)
    }

    /// Whether the thread can be forked now; then it is.
    pub(super) fn fork(&mut self, child: ThreadId) -> bool {
        let state = self.get(child);
        let possible = !(state.forked || state.acted || state.ended);
        state.forked |= possible;
        possible
    }

    /// The thread does nothing any more: it lets go of its locks and closes its blocks.
    pub(super) fn finish(&mut self, thread: ThreadId, out: &mut Vec<Event>) {
        while let Some(&lock) = self.get(thread).held.last() {
            self.wrest(lock, out);
        }
        self.get(thread).uncounted = 0;
        while let Some(location) = self.end(thread) {
            out.push(Event::end(thread, location));
        }
        let state = self.get(thread);
        state.ended = true;
        state.slot = None;
    }
}
