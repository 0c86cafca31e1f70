//! Barriers: a thread that goes on depends on the arrivals of all others in its round.

use super::lives::Life;
use super::memory::Record;
use super::table::Slot;
use super::{Frontier, Now};
use crate::context::rounds::RoundId;
use interloper_findings::Sink;
use interloper_trace::Op;

impl Frontier {
    /// The thread waits for the others. Until it goes on, its slot is found nowhere but in its life:
    /// so its next event, whatever it is, comes to [`Frontier::without_slot`], and events of
    /// threads that wait for nobody pay nothing for it.
    pub(super) fn arrive(&mut self, now: Now, record: Record) {
        let round = self.rounds.arrive(now.event.lock(), (record, now.event.operand));
        *self.life(now.event.thread) = Life::Arrived(now.slot, round);
        self.slots[now.event.thread.index()] = Slot::NOBODY;
    }

    /// The thread, which had arrived, does its next event.
    pub(super) fn go_on(&mut self, now: Now, round: RoundId, sink: &mut dyn Sink) {
        *self.life(now.event.thread) = Life::Plain;
        self.slots[now.event.thread.index()] = now.slot;
        if self.threads[now.slot.index()].blocks.is_empty() {
            self.enter(now);
        }
        self.depend_on_round(now, round);
        self.rounds.leave(round);
        // These close the block that the violation is about.
        if matches!(now.event.op, Op::End | Op::Exit) && !self.closing.is_empty() {
            self.violated(now, sink);
        }
    }

    /// The event comes after the arrivals of a round, which is complete by it if it was not before.
    pub(super) fn depend_on_round(&mut self, now: Now, round: RoundId) {
        let mut arrivals = self.rounds.complete(round);
        let table = &self.table;
        arrivals.retain(|(record, _)| !table.is_forgotten(record.slot(), record.time()));
        for &(record, operand) in &arrivals {
            self.depend_on(now, record, operand);
        }
        self.rounds.give_back(round, arrivals);
    }
}
