//! Signals, and the calls that threads meet by.

use super::{Blocked, Own, State};
use crate::verdicts::execution::signals::Kind;
use crate::verdicts::program::Meeting;

pub(super) const PERMIT: &str = "P";
const LATCH: &str = "D";
const FUTURE: &str = "Q";

impl State {
    pub(super) fn release(&mut self, me: usize) {
        self.signal(me, PERMIT, Kind::Alone);
        self.permits += 1;
    }

    pub(super) fn signal(&mut self, me: usize, of: &'static str, kind: Kind) {
        let number = self.signals.entry(of).or_default().give(me, kind);
        self.tell("vw", &format!("{of}.signal{number}"));
    }

    pub(super) fn wait_for_signals(&mut self, me: usize, of: &'static str, kind: Kind) {
        for number in self.signals.entry(of).or_default().awaited(me, kind) {
            self.tell("vr", &format!("{of}.signal{number}"));
        }
    }

    pub(super) fn meet(&mut self, me: usize, meeting: Meeting) -> Result<(), Blocked> {
        match meeting {
            Meeting::Release => self.release(me),
            Meeting::TryAcquire => {
                if self.permits > 0 {
                    self.permits -= 1;
                    self.wait_for_signals(me, PERMIT, Kind::Alone);
                }
            }
            Meeting::CountDown => {
                if self.count > 0 {
                    self.count -= 1;
                    self.signal(me, LATCH, Kind::Alone);
                }
            }
            Meeting::Await => {
                if self.count == 0 {
                    self.wait_for_signals(me, LATCH, Kind::Alone);
                }
            }
            Meeting::Complete => {
                if !self.is_complete {
                    self.is_complete = true;
                    self.signal(me, FUTURE, Kind::Alone);
                }
            }
            Meeting::GetNow | Meeting::IsDone => self.wait_for_signals(me, FUTURE, Kind::Alone),
            Meeting::Start(thread) => {
                if !std::mem::replace(&mut self.threads[thread].is_started, true) {
                    self.tell("fork", &format!(".T{thread}"));
                }
            }
            Meeting::Join(thread) => match &self.threads[thread] {
                Own { is_done: true, .. } => self.tell("join", &format!(".T{thread}")),
                Own { is_started: true, .. } => return Err(Blocked),
                _ => {}
            },
        }
        Ok(())
    }
}
