//! One entry of a log, and what becomes of it in the trace.
//!
//! An entry is either taken whole or not at all: everything that it may have to wait for is looked at before
//! anything is done about it, so it can be tried again later.

use super::Need;
use super::classes::{Action, Place};
use super::run::Merger;
use super::signals::{Kind, Wait};
use crate::log;
use interloper_trace::{Event, LockId, Op, SiteId, ThreadId, VarId, VarRange};

impl Merger {
    /// Takes the next entry of a log, or says what it has to wait for.
    pub(super) fn step(&mut self, slot: usize, word: u64, second: u64) -> Result<(), Need> {
        let id = log::id(word);
        match log::tag(word) {
            log::EDGE => self.edge(slot, id, second),
            log::MAKE => self.make(id),
            log::SEEN => self.seen(id),
            log::START => self.start(slot, id),
            log::OBJECT => {
                self.objects.learn(id, second as u32);
                Ok(())
            }
            log::DEAD => {
                self.dead(word, second);
                Ok(())
            }
            _ => match self.slots[slot].thread {
                Some(thread) => self.act(slot, thread, word, second),
                None => self.drop_entry(),
            },
        }
    }

    fn drop_entry(&mut self) -> Result<(), Need> {
        self.counts.dropped += 1;
        Ok(())
    }

    fn edge(&mut self, slot: usize, other: u32, position: u64) -> Result<(), Need> {
        let reached = self.slots.get(other as usize).map_or(0, |other| other.position);
        let state = &mut self.slots[slot];
        if reached < position && other as usize != slot && !std::mem::take(&mut state.forced) {
            return Err(Need::Position { slot: other, position });
        }
        self.poll_runs(other as usize);
        Ok(())
    }

    /// Numbers start again when 32 bits are used up, so they are compared by their distance.
    fn is_made(&self, number: u32) -> bool {
        self.made.wrapping_sub(number) < 1 << 31
    }

    fn make(&mut self, number: u32) -> Result<(), Need> {
        self.seen(number.wrapping_sub(1))?;
        if !self.is_made(number) {
            self.made = number;
        }
        Ok(())
    }

    fn seen(&self, number: u32) -> Result<(), Need> {
        if self.is_made(number) { Ok(()) } else { Err(Need::Made(number)) }
    }

    fn start(&mut self, slot: usize, uid: u32) -> Result<(), Need> {
        let thread = self.thread(uid)?;
        if let Some(previous) = self.slots[slot].thread {
            self.finish(previous);
        }
        let state = thread.map(|thread| (thread, self.threads.get(thread)));
        let Some((thread, state)) = state.filter(|(_, s)| !s.ended && s.slot.is_none()) else {
            return self.drop_entry();
        };
        state.slot = Some(slot as u32);
        self.slots[slot].thread = Some(thread);
        self.counts.threads += 1;
        Ok(())
    }

    /// The thread with this number; `None` if there are too many.
    fn thread(&self, uid: u32) -> Result<Option<ThreadId>, Need> {
        match self.threads.find(uid) {
            Some(thread) => Ok(Some(thread)),
            None if self.threads.has_room(&self.names) => Err(Need::Thread(uid)),
            None => Ok(None),
        }
    }

    /// A thread does nothing any more.
    pub(super) fn finish(&mut self, thread: ThreadId) {
        let state = self.threads.get(thread);
        if let Some(slot) = state.slot {
            let slot = &mut self.slots[slot as usize];
            slot.thread = None;
            slot.makings.hand_on();
        }
        self.threads.finish(thread, &mut self.out);
    }

    fn act(&mut self, slot: usize, thread: ThreadId, word: u64, second: u64) -> Result<(), Need> {
        let id = log::id(word);
        match log::tag(word) {
            log::ACCESS => return self.access(thread, word, 0),
            // An index is what Java has as such; atomic arrays have elements at sites of other kinds.
            log::ELEMENT => {
                let place = self.classes.place(log::site(word))?;
                return match (place.action, i32::try_from(second as u32)) {
                    (Action::Nothing, _) => Ok(()),
                    (_, Ok(_)) => self.elements(slot, word, place, second),
                    (_, Err(_)) => self.drop_entry(),
                };
            }
            log::BEGIN => return self.begin(slot, thread, id),
            log::END => return self.end(thread),
            log::EXIT => return self.exit(thread),
            log::MAKES => return self.makes(slot, thread, id as i32),
            log::MADE_BY => return self.made_by(id, second, thread),
            _ => {}
        }
        let at = self.classes.place(log::site(word))?.location;
        match log::tag(word) {
            log::FORK => self.fork(thread, id, at),
            log::JOIN => self.join(thread, id, at),
            log::SIGNAL => self.signal(thread, id, second, at),
            log::AWAIT => self.wait_for_signals(thread, id, second, at),
            tag => match self.objects.lock(id, &mut self.names)? {
                Some(lock) => self.lock_entry(thread, tag, lock, at),
                None => self.drop_entry(),
            },
        }
    }

    fn access(&mut self, thread: ThreadId, word: u64, index: u64) -> Result<(), Need> {
        let place = self.classes.place(log::site(word))?;
        if place.action == Action::Nothing {
            return Ok(());
        }
        let id = log::id(word);
        let mut var = self.variable(log::tag(word), id, place, index);
        if var == Err(Need::Maker(id)) {
            self.depend_on_maker(self.objects.maker(id), thread);
            self.objects.pass(Some(id));
            var = self.variable(log::tag(word), id, place, index);
            self.objects.pass(None);
        }
        let Some(var) = var? else { return self.drop_entry() };
        self.out.push(Event::new(thread, place.op, var.0, place.location));
        Ok(())
    }

    /// The variable that an access at this place is about; `None`: it is left out.
    fn variable(
        &mut self,
        tag: u8,
        id: u32,
        place: Place,
        index: u64,
    ) -> Result<Option<VarId>, Need> {
        let (names, fields) = (&mut self.names, &self.classes.fields);
        match (tag, place.action) {
            (log::ACCESS, Action::Field | Action::Static) => {
                self.objects.field(id, place.field, fields, names)
            }
            (log::ELEMENT, _) if index <= i32::MAX as u64 => {
                self.objects.element(id, index as u32, names)
            }
            _ => Ok(None),
        }
    }

    /// The running transaction makes objects: whoever gets to know them depends on it. It is order only, by a variable that stands for all of them. Outside
    /// of transactions there is none.
    fn makes(&mut self, slot: usize, thread: ThreadId, below: i32) -> Result<(), Need> {
        let Merger { objects, names, threads, slots, .. } = self;
        let (makings, state) = (&mut slots[slot].makings, threads.get(thread));
        let mut retired = vec![];
        let retire = |var| retired.push(VarRange::one(var));
        if state.blocks.is_empty() {
            makings.outside(below, retire);
        } else {
            let new = || {
                state.made_count += 1;
                objects.made_by(thread, state.made_count, names)
            };
            match makings.inside(below, retire, new) {
                Some(var) => {
                    self.out.push(Event::new(thread, Op::VolatileWrite, var.0, SiteId::UNKNOWN))
                }
                None => self.counts.dropped += 1,
            }
        }
        retired.into_iter().for_each(|var| self.objects.stock.retire(var));
        Ok(())
    }

    /// This thread is the second to use an object of the thread in that slot, or of one that was there before.
    fn made_by(&mut self, id: u32, maker: u64, user: ThreadId) -> Result<(), Need> {
        let slot = maker as u32;
        if self.threads.get(user).slot == Some(slot) || self.slots.len() <= slot as usize {
            return self.drop_entry();
        }
        self.objects.learn_maker(id, maker);
        self.depend_on_maker(maker, user);
        Ok(())
    }

    /// A thread uses for the first time what another one, or one that was in its slot before, has made: in which transaction, the birth says.
    fn depend_on_maker(&mut self, maker: u64, user: ThreadId) {
        let (slot, birth) = (maker as u32, (maker >> 32) as i32);
        let own = self.threads.get(user).slot == Some(slot);
        let Some(maker) = self.slots.get_mut(slot as usize).filter(|_| !own) else { return };
        if let Some(var) = maker.makings.read(birth, user) {
            self.out.push(Event::new(user, Op::VolatileRead, var.0, SiteId::UNKNOWN));
        }
    }

    fn begin(&mut self, slot: usize, thread: ThreadId, method: u32) -> Result<(), Need> {
        let block = self.classes.block(method)?;
        let position = self.slots[slot].position;
        if !self.threads.begin(thread, position, block.location) {
            return self.drop_entry();
        }
        self.out.push(Event::begin(thread, block.label, block.location));
        Ok(())
    }

    fn end(&mut self, thread: ThreadId) -> Result<(), Need> {
        let Some(location) = self.threads.end(thread) else { return self.drop_entry() };
        self.out.push(Event::end(thread, location));
        Ok(())
    }

    fn exit(&mut self, thread: ThreadId) -> Result<(), Need> {
        self.finish(thread);
        self.out.push(Event::new(thread, Op::Exit, 0, SiteId::UNKNOWN));
        Ok(())
    }

    fn fork(&mut self, thread: ThreadId, uid: u32, at: SiteId) -> Result<(), Need> {
        let child = self.thread(uid)?;
        match child.filter(|&child| child != thread && self.threads.fork(child)) {
            Some(child) => self.out.push(Event::fork(thread, child, at)),
            None => self.counts.dropped += 1,
        }
        Ok(())
    }

    fn join(&mut self, thread: ThreadId, uid: u32, at: SiteId) -> Result<(), Need> {
        let child = self.thread(uid)?;
        let Some(child) = child.filter(|&child| child != thread) else { return self.drop_entry() };
        if !self.threads.get(child).ended {
            return Err(Need::Ended(child));
        }
        self.out.push(Event::join(thread, child, at));
        Ok(())
    }

    fn signal(&mut self, thread: ThreadId, id: u32, second: u64, at: SiteId) -> Result<(), Need> {
        let number = u64::from(second as u32);
        let kind = if second & log::SHARED != 0 { Kind::Shared } else { Kind::Alone };
        let Some(var) = self.objects.signal(id, number, &mut self.names)? else {
            return self.drop_entry();
        };
        let stock = &mut self.objects.stock;
        let signal = (number, kind);
        self.signals.signal(id, signal, thread, var, |var| stock.retire(VarRange::one(var)));
        self.out.push(Event::new(thread, Op::VolatileWrite, var.0, at));
        Ok(())
    }

    fn wait_for_signals(
        &mut self,
        thread: ThreadId,
        id: u32,
        second: u64,
        at: SiteId,
    ) -> Result<(), Need> {
        let wait = match second & (log::SHARED | log::ONE) {
            0 => Wait::All,
            log::SHARED => Wait::Shared,
            _ => Wait::One,
        };
        for var in self.signals.wait(id, (u64::from(second as u32), wait), thread) {
            self.out.push(Event::new(thread, Op::VolatileRead, var.0, at));
        }
        Ok(())
    }

    fn lock_entry(
        &mut self,
        thread: ThreadId,
        tag: u8,
        lock: LockId,
        at: SiteId,
    ) -> Result<(), Need> {
        let (op, possible) = match tag {
            log::ACQ if self.threads.other_holder(lock, thread).is_some() => {
                return Err(Need::Lock(lock));
            }
            log::ACQ => {
                self.threads.acquire(thread, lock);
                (Op::Acquire, true)
            }
            log::REL => (Op::Release, self.threads.release(thread, lock)),
            log::WAIT => (Op::Wait, self.threads.wait(thread, lock)),
            log::NOTIFY => (Op::Notify, true),
            _ => {
                self.threads.arrive(lock);
                (Op::Barrier, true)
            }
        };
        if !possible {
            return self.drop_entry();
        }
        self.out.push(Event::new(thread, op, lock.0, at));
        Ok(())
    }
}
