//! What threads hold for a while, and let go of to wait.

use super::meetings::PERMIT;
use super::{Blocked, State};
use crate::verdicts::execution::Blocks;
use crate::verdicts::execution::signals::Kind;
use crate::verdicts::program::Guard;

const LOCK: &str = "L";
/// The writers' part of the read-write lock.
const WRITE: &str = "W";

/// What a thread holds.
#[derive(Clone)]
pub(super) enum Held {
    /// By the name of the object.
    Monitor(String),
    Lock,
    Read,
    Write,
    Permit,
}

impl State {
    pub(super) fn enter(&mut self, me: usize, guard: Guard) -> Result<(), Blocked> {
        let held = match guard {
            Guard::Monitor(object) => {
                let object = self.object(me, object);
                if self.blocks == Blocks::Monitors {
                    self.tell("begin", ".monitor");
                }
                self.lock(me, &object, 1)?;
                Held::Monitor(object)
            }
            Guard::Lock => {
                self.lock(me, LOCK, 1)?;
                Held::Lock
            }
            Guard::Read => {
                self.read(me)?;
                Held::Read
            }
            Guard::Write => {
                self.write(me)?;
                Held::Write
            }
            Guard::Permit => {
                self.permits = self.permits.checked_sub(1).ok_or(Blocked)?;
                self.wait_for_signals(me, PERMIT, Kind::Alone);
                Held::Permit
            }
        };
        self.threads[me].held.push(held);
        Ok(())
    }

    pub(super) fn exit(&mut self, me: usize) {
        match self.threads[me].held.pop().unwrap() {
            Held::Monitor(object) => {
                self.unlock(&object);
                if self.blocks == Blocks::Monitors {
                    self.tell("end", "");
                }
            }
            Held::Lock => self.unlock(LOCK),
            Held::Read => {
                self.threads[me].reads -= 1;
                if self.threads[me].reads == 0 {
                    self.signal(me, WRITE, Kind::Shared);
                }
            }
            Held::Write => {
                if self.let_go(WRITE) {
                    self.signal(me, WRITE, Kind::Alone);
                }
            }
            Held::Permit => self.release(me),
        }
    }

    /// Whether it is the first time.
    fn take(&mut self, me: usize, lock: &str, times: u32) -> Result<bool, Blocked> {
        let held = self.locks.entry(lock.to_string()).or_insert((me, 0));
        if held.0 != me {
            return Err(Blocked);
        }
        held.1 += times;
        Ok(held.1 == times)
    }

    /// Whether it was the last time.
    fn let_go(&mut self, lock: &str) -> bool {
        let held = self.locks.get_mut(lock).unwrap();
        held.1 -= 1;
        let last = held.1 == 0;
        if last {
            self.locks.remove(lock);
        }
        last
    }

    fn lock(&mut self, me: usize, lock: &str, times: u32) -> Result<(), Blocked> {
        if self.take(me, lock, times)? {
            self.tell("acq", lock);
        }
        Ok(())
    }

    fn unlock(&mut self, lock: &str) {
        if self.let_go(lock) {
            self.tell("rel", lock);
        }
    }

    fn read(&mut self, me: usize) -> Result<(), Blocked> {
        if self.locks.get(WRITE).is_some_and(|it| it.0 != me) {
            return Err(Blocked);
        }
        self.threads[me].reads += 1;
        self.wait_for_signals(me, WRITE, Kind::Shared);
        Ok(())
    }

    fn write(&mut self, me: usize) -> Result<(), Blocked> {
        let read = self.threads.iter().any(|thread| thread.reads > 0);
        if read && !self.locks.contains_key(WRITE) {
            return Err(Blocked);
        }
        self.take(me, WRITE, 1)?;
        self.wait_for_signals(me, WRITE, Kind::Alone);
        Ok(())
    }

    pub(super) fn innermost(&self, me: usize) -> String {
        let monitor = self.threads[me].held.iter().rev().find_map(|held| match held {
            Held::Monitor(object) => Some(object.clone()),
            _ => None,
        });
        monitor.unwrap()
    }

    pub(super) fn is_waited_for(&self, monitor: &str) -> bool {
        let mut waits = self.threads.iter().filter_map(|thread| thread.waits.as_ref());
        waits.any(|(it, _)| it == monitor)
    }

    /// One waits at a time, because it is not known who wakes up.
    pub(super) fn wait(&mut self, me: usize) -> Result<(), Blocked> {
        let monitor = self.innermost(me);
        if self.is_waited_for(&monitor) {
            return Err(Blocked);
        }
        let (_, times) = self.locks.remove(&monitor).unwrap();
        self.tell("wait", &monitor);
        self.threads[me].waits = Some((monitor, times));
        Ok(())
    }

    pub(super) fn resume(&mut self, me: usize) -> Result<(), Blocked> {
        match self.threads[me].waits.take() {
            Some((monitor, times)) => self.lock(me, &monitor, times),
            None => Ok(()),
        }
    }
}
