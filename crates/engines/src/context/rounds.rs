//! Rounds at barriers: who has arrived, and whom those who go on have waited for.
//!
//! Threads that arrive at a barrier make up a round, until one of them is seen to have gone on: it
//! does something else, or is joined. That completes the round; who arrives later is of the next.

use interloper_trace::LockId;
use std::collections::HashMap;

/// A round at a barrier. Its number is used again once all its threads have left it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RoundId(u32);

struct Round<A> {
    /// The barrier, while more may arrive.
    open_at: Option<LockId>,
    arrivals: Vec<A>,
    /// How many threads have arrived and not left.
    threads: u32,
}

/// All rounds that a thread has arrived in and not left; `A` is what is kept of an arrival.
pub(crate) struct Rounds<A> {
    rounds: Vec<Round<A>>,
    free: Vec<RoundId>,
    open: HashMap<LockId, RoundId>,
}

impl<A> Default for Rounds<A> {
    fn default() -> Rounds<A> {
        Rounds { rounds: vec![], free: vec![], open: HashMap::new() }
    }
}

impl<A> Rounds<A> {
    /// A thread arrives at a barrier.
    pub(crate) fn arrive(&mut self, barrier: LockId, arrival: A) -> RoundId {
        let id = *self.open.entry(barrier).or_insert_with(|| {
            self.free.pop().unwrap_or_else(|| {
                self.rounds.push(Round { open_at: None, arrivals: vec![], threads: 0 });
                RoundId(self.rounds.len() as u32 - 1)
            })
        });
        let round = &mut self.rounds[id.0 as usize];
        round.open_at = Some(barrier);
        round.arrivals.push(arrival);
        round.threads += 1;
        id
    }

    /// A thread of the round is seen to have gone on: the round is complete. Gives its arrivals, to
    /// be given back ([`Rounds::give_back`]), perhaps without some that mean nothing any more.
    pub(crate) fn complete(&mut self, round: RoundId) -> Vec<A> {
        let round = &mut self.rounds[round.0 as usize];
        if let Some(barrier) = round.open_at.take() {
            self.open.remove(&barrier);
        }
        std::mem::take(&mut round.arrivals)
    }

    /// Gives the arrivals back, for the other threads of the round.
    pub(crate) fn give_back(&mut self, round: RoundId, arrivals: Vec<A>) {
        self.rounds[round.0 as usize].arrivals = arrivals;
    }

    /// A thread of the round, which is complete, asks for nothing more.
    pub(crate) fn leave(&mut self, id: RoundId) {
        let round = &mut self.rounds[id.0 as usize];
        round.threads -= 1;
        if round.threads == 0 {
            round.arrivals.clear();
            self.free.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_complete_when_somebody_goes_on() {
        let mut rounds = Rounds::default();
        let (b, c) = (LockId(0), LockId(1));
        let first = rounds.arrive(b, 1);
        assert_eq!(rounds.arrive(b, 2), first);
        let other = rounds.arrive(c, 9);
        assert_ne!(other, first);
        let arrivals = rounds.complete(first);
        assert_eq!(arrivals, [1, 2]);
        rounds.give_back(first, arrivals);
        rounds.leave(first);
        let next = rounds.arrive(b, 3);
        assert_ne!(next, first, "the one who is left has still to ask");
        assert_eq!(rounds.complete(first), [1, 2]);
        rounds.leave(first);
        assert_eq!(rounds.arrive(c, 8), other, "an open round goes on");
        assert_eq!(rounds.complete(next), [3]);
        rounds.leave(next);
        assert!([first, next].contains(&rounds.arrive(b, 4)), "rounds are used again");
        assert_eq!(rounds.rounds.len(), 3);
    }
}
