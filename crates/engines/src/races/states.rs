//! Initialization: how long a variable is taken to belong to one thread, so that nobody need lock
//! it (Savage et al., Eraser, 1997, figure 4; von Praun and Gross, Object Race Detection, 2001).
//!
//! ```text
//! virgin ── first access ──▶ exclusive ── another thread ──▶ shared ── write ──▶ modified
//!                                             └────────────── writes ──────────────▲
//! ```
//!
//! With transfer of ownership there are two exclusive states: the second thread becomes the owner,
//! and only the next change of threads, be it back to the first, makes the variable shared.

/// How initialization ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// When a second thread comes (Eraser).
    SecondThread,
    /// When a third comes, or the first again: the second takes the variable over (von Praun and
    /// Gross).
    Transfer,
}

/// Where a variable is in its life.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum State {
    /// Nobody has touched it.
    #[default]
    Virgin,
    /// One thread has.
    Exclusive,
    /// Another thread took it over.
    Second,
    /// Several threads have, and none wrote since it is shared.
    Shared,
    /// Several threads have, and some wrote since it is shared.
    Modified,
}

impl State {
    /// Whether several threads use it, so that locks matter.
    #[inline(always)]
    pub(crate) fn is_shared(self) -> bool {
        self >= State::Shared
    }
}

/// The state of a variable with its owner: a thread, or a period of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Life<Owner> {
    pub(crate) state: State,
    owner: Option<Owner>,
}

impl<Owner> Default for Life<Owner> {
    fn default() -> Life<Owner> {
        Life { state: State::Virgin, owner: None }
    }
}

impl<Owner: Copy> Life<Owner> {
    /// A variable that belongs to somebody who need not have touched it.
    pub(crate) fn owned_by(owner: Owner) -> Life<Owner> {
        Life { state: State::Exclusive, owner: Some(owner) }
    }

    /// Whether an access of this one is sure to change nothing.
    #[inline(always)]
    pub(crate) fn stays(&self, who: Owner, write: bool) -> bool
    where
        Owner: PartialEq,
    {
        // In this order, not by cases: nearly all accesses are of the first kind.
        self.state == State::Modified
            || self.state == State::Shared && !write
            || !self.state.is_shared() && self.owner == Some(who)
    }

    /// An access. `takes` tells whether it may take the variable from its owner without being
    /// another thread in this sense: being the owner itself, or coming after all that it does.
    #[inline(always)]
    pub(crate) fn access(
        &mut self,
        start: Start,
        who: Owner,
        write: bool,
        takes: impl FnOnce(Owner) -> bool,
    ) -> State {
        self.state = match (self.state, self.owner) {
            (State::Modified, _) => State::Modified,
            (State::Shared, _) => shared(write),
            (State::Virgin, _) | (_, None) => {
                self.owner = Some(who);
                State::Exclusive
            }
            (state, Some(owner)) if takes(owner) => {
                self.owner = Some(who);
                state
            }
            (State::Exclusive, _) if start == Start::Transfer => {
                self.owner = Some(who);
                State::Second
            }
            _ => shared(write),
        };
        self.state
    }
}

fn shared(write: bool) -> State {
    if write { State::Modified } else { State::Shared }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(start: Start, accesses: &[(u32, bool)]) -> Vec<State> {
        let mut life = Life::<u32>::default();
        accesses.iter().map(|&(who, write)| life.access(start, who, write, |o| o == who)).collect()
    }

    const R: bool = false;
    const W: bool = true;

    #[test]
    fn eraser_shares_at_the_second_thread() {
        use State::*;
        let run = |accesses| states(Start::SecondThread, accesses);
        assert_eq!(run(&[(1, W), (1, R), (2, R), (1, R)]), [Exclusive, Exclusive, Shared, Shared]);
        assert_eq!(run(&[(1, W), (2, W), (2, R)]), [Exclusive, Modified, Modified]);
        assert_eq!(run(&[(1, R), (2, R), (3, W)]), [Exclusive, Shared, Modified]);
    }

    #[test]
    fn ownership_is_transferred_once() {
        use State::*;
        let run = |accesses| states(Start::Transfer, accesses);
        assert_eq!(
            run(&[(1, W), (2, W), (2, R), (1, R)]),
            [Exclusive, Second, Second, Shared],
            "the first thread counts as a third when it comes back"
        );
        assert_eq!(run(&[(1, W), (2, W), (3, W)]), [Exclusive, Second, Modified]);
    }
}
