//! Theorem 5: dependences that go round among three and more transactions, none of which need be
//! wrong in twos.
//!
//! In any such round, `t1` before `t2` before … before `t1`, there is a transaction that it leaves by
//! an event `out` and comes back to by a later event `in`, such that the first event it arrives at comes
//! between the two (take, of those that it comes back to later than it left them, the one that it comes
//! back to last of all). So the search starts where the rule for two variables found that a pair of
//! events can be cut, goes on from variable to variable through transactions whose periods can
//! overlap, and comes back. Where it arrives at one transaction it may leave by another that cannot begin
//! before the first has ended: a later one of the same thread, or of a thread that waits for it.
//!
//! Each round that is found is then tried: whether some schedule of these transactions runs it and is
//! not view-equivalent to any order in which each runs in one piece (see `rehearsal`). So what is
//! reported is true of these transactions among themselves. What is not found may be there: rounds of
//! more than [`MOST`] transactions, those of blocks that are blamed already, and what is beyond the budget,
//! in which case the engine says so. The problem as a whole takes exponential time, says the paper.

use super::collect::{Roles, Var};
use super::overlap::WhenId;
use super::pattern::conflict;
use super::rehearsal::{Cast, rehearse};
use super::report::{Code, Report, Story};
use super::store::{Run, TxnId};
use super::study::{Place, Study};
use super::twovar::{Block, counts};
use crate::context::locksets::SetId;
use crate::engine::Progress;

/// The most transactions in a round.
const MOST: usize = 5;
/// How many transactions are tried, for one start and in all.
const STEPS: u64 = 20_000;
const ALL_STEPS: u64 = 20_000_000;
/// How many rounds are rehearsed for one start.
const REHEARSALS: u32 = 64;
/// With how many transactions in all every one that must come later is tried, not only to come back.
const FEW: usize = 64;
/// How many runs of a transaction are tried with those of others.
const RUNS: usize = 6;

/// A transaction on the way: where the round arrives and leaves.
#[derive(Clone, Copy)]
struct Stop {
    txn: TxnId,
    /// `None` if it is arrived at because it must come after the one before.
    arrives: Option<u32>,
    /// `None` if it is left because the next one must come after it.
    leaves: Option<u32>,
}

/// Looks for rounds that start at these pairs of events; tells how many starts there were.
pub(super) fn look(
    study: &mut Study,
    starts: &[Block],
    report: &mut Report,
    progress: &mut dyn Progress,
) -> u64 {
    let mut steps = 0;
    for (at, &(txn, first, last)) in starts.iter().enumerate() {
        if at.is_multiple_of(64) {
            progress.at(at as u64, starts.len() as u64);
        }
        let code = Code::of(study, txn, first, last);
        if report.is_blamed(&code) {
            continue;
        }
        if steps >= ALL_STEPS {
            report.gave_up = true;
            break;
        }
        let within = study.throughout_set(txn, first, last);
        let stop = Stop { txn, arrives: Some(last), leaves: Some(first) };
        let mut search = Search {
            study,
            report,
            within,
            path: vec![stop],
            steps: 0,
            rehearsals: 0,
            found: false,
        };
        search.go_on(Place { txn, mark: first });
        steps += search.steps;
        let spent = !search.found && (search.steps >= STEPS || search.rehearsals >= REHEARSALS);
        report.gave_up |= spent;
    }
    starts.len() as u64
}

struct Search<'a, 'b, 's> {
    study: &'a mut Study<'b>,
    report: &'a mut Report<'s>,
    /// The locks that the first transaction holds from where it is left to where it is come back to.
    within: SetId,
    path: Vec<Stop>,
    steps: u64,
    rehearsals: u32,
    found: bool,
}

impl<'b> Search<'_, 'b, '_> {
    fn is_over(&self) -> bool {
        self.found || self.steps >= STEPS || self.rehearsals >= REHEARSALS
    }

    /// From an event of the last transaction to those of others that depend on it.
    fn go_on(&mut self, from: Place) {
        let (var, roles) = (self.study.mark(from).var, self.study.mark(from).roles());
        for at in 0..self.study.by_var.of(var).len() {
            if self.is_over() {
                return;
            }
            let place = self.study.by_var.of(var)[at];
            self.steps += 1;
            let depends = conflict(roles, self.study.mark(place).roles());
            if depends && self.fits(place.txn) && (self.path.len() > 1 || self.can_cut(place)) {
                self.arrive(place);
            }
        }
    }

    /// Whether the first event that is arrived at can come while the first transaction is on its way.
    fn can_cut(&mut self, place: Place) -> bool {
        let held = self.study.used_set(place.txn, place.mark, place.mark);
        self.study.locksets.disjoint(self.within, held)
    }

    /// Whether a transaction is new on the way, and can run beside those that are on it or after them.
    fn fits(&mut self, txn: TxnId) -> bool {
        let when = self.study.when(txn);
        (0..self.path.len()).all(|at| {
            let other = self.path[at].txn;
            other != txn && self.can_run_along(self.study.when(other), when)
        })
    }

    fn can_run_along(&mut self, one: WhenId, other: WhenId) -> bool {
        self.study.overlaps.both(one, other).is_some() || self.study.overlaps.follows(one, other)
    }

    fn arrive(&mut self, place: Place) {
        let Place { txn, mark } = place;
        self.path.push(Stop { txn, arrives: Some(mark), leaves: None });
        if self.path.len() >= 3 {
            self.come_back();
        }
        if self.path.len() < MOST && !self.is_over() {
            self.come_back_by_a_later_one();
            self.leave();
            self.leave_by_a_later_one();
        }
        self.path.pop();
    }

    /// Goes on from transactions that must come later, where there are not too many.
    fn leave_by_a_later_one(&mut self) {
        let Some(&Stop { txn, .. }) = self.path.last() else { return };
        if self.study.store.len() > FEW || self.path.len() + 2 > MOST {
            return;
        }
        for later in self.study.store.ids() {
            let (one, other) = (self.study.when(txn), self.study.when(later));
            if self.study.overlaps.follows(one, other) && self.fits(later) {
                self.path.push(Stop { txn: later, arrives: None, leaves: None });
                self.leave();
                self.path.pop();
            }
        }
    }

    /// Leaves the last transaction by any of its events.
    fn leave(&mut self) {
        let Some(&Stop { txn, .. }) = self.path.last() else { return };
        for (at, mark) in (0u32..).zip(self.study.store.marks(txn)) {
            if counts(mark.roles()) && self.path.len() < MOST && !self.is_over() {
                self.set_leaves(at);
                self.go_on(Place { txn, mark: at });
            }
        }
        self.set_leaves_none();
    }

    fn set_leaves(&mut self, mark: u32) {
        self.path.last_mut().iter_mut().for_each(|stop| stop.leaves = Some(mark));
    }

    fn set_leaves_none(&mut self) {
        self.path.last_mut().iter_mut().for_each(|stop| stop.leaves = None);
    }

    /// The variable and the roles of the event that it must come back to.
    fn home(&self) -> (Var, Roles) {
        let Stop { txn, arrives, .. } = self.path[0];
        let mark = self.study.mark(Place { txn, mark: arrives.unwrap_or(0) });
        (mark.var, mark.roles())
    }

    /// From the last transaction straight back to the first.
    fn come_back(&mut self) {
        let Some(&Stop { txn, .. }) = self.path.last() else { return };
        let (var, roles) = self.home();
        for (at, mark) in (0u32..).zip(self.study.store.marks(txn)) {
            if mark.var == var && conflict(mark.roles(), roles) && !self.is_over() {
                self.set_leaves(at);
                self.try_out();
            }
        }
        self.set_leaves_none();
    }

    /// From the last transaction to one that must come later, and from there back.
    fn come_back_by_a_later_one(&mut self) {
        let Some(&Stop { txn, .. }) = self.path.last() else { return };
        let (var, roles) = self.home();
        for at in 0..self.study.by_var.of(var).len() {
            if self.is_over() {
                return;
            }
            let place = self.study.by_var.of(var)[at];
            self.steps += 1;
            let (one, other) = (self.study.when(txn), self.study.when(place.txn));
            if conflict(self.study.mark(place).roles(), roles)
                && self.study.overlaps.follows(one, other)
                && self.fits(place.txn)
            {
                let stop = Stop { txn: place.txn, arrives: None, leaves: Some(place.mark) };
                self.path.push(stop);
                self.try_out();
                self.path.pop();
            }
        }
    }

    /// The round is closed: is there a schedule that runs it?
    fn try_out(&mut self) {
        self.rehearsals += 1;
        let Some(runs) = self.runs() else { return };
        let dependences = self.dependences();
        let cast: Cast = self.path.iter().map(|stop| stop.txn).zip(runs.iter().copied()).collect();
        let waits: Vec<bool> = self.path.iter().map(|stop| stop.arrives.is_none()).collect();
        let Some(order) = rehearse(self.study, &cast, &waits, &dependences) else { return };
        self.found = true;
        let on_round = |event: &(usize, u32)| {
            let stop = self.path[event.0];
            stop.arrives == Some(event.1) || stop.leaves == Some(event.1)
        };
        let labels = "every order of these transactions in which each runs in one piece breaks one of \
                      these dependences";
        let story = Story {
            actors: cast,
            order: order.into_iter().filter(on_round).collect(),
            cycle: dependences,
            checked: true,
            notes: vec![labels.to_string()],
        };
        self.report.tell(self.study, story);
    }

    /// The dependences of the round between events. Where it goes on to a transaction that must come
    /// later there is none.
    fn dependences(&self) -> Vec<[(usize, u32); 2]> {
        let count = self.path.len();
        let dependence = |at: usize| {
            let next = (at + 1) % count;
            Some([(at, self.path[at].leaves?), (next, self.path[next].arrives?)])
        };
        (0..count).filter_map(dependence).collect()
    }

    /// Runs of the transactions that can happen together: in periods that can overlap, or one after the
    /// other where the round has it so.
    fn runs(&self) -> Option<Vec<&'b Run>> {
        let mut chosen = vec![];
        self.choose(&mut chosen).then_some(chosen)
    }

    fn choose(&self, chosen: &mut Vec<&'b Run>) -> bool {
        let Some(stop) = self.path.get(chosen.len()) else { return true };
        for run in self.study.store.runs(stop.txn).take(RUNS) {
            if (0..chosen.len()).all(|at| self.go_together(at, chosen[at], chosen.len(), run)) {
                chosen.push(run);
                if self.choose(chosen) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }

    fn go_together(&self, one: usize, run: &Run, other: usize, later: &Run) -> bool {
        let overlaps = &self.study.overlaps;
        if one + 1 == other && self.path[one].leaves.is_none() {
            return match overlaps.thread(run.period) == overlaps.thread(later.period) {
                true => self.study.store.position(run, 0) < later.last,
                false => overlaps.before(run.period, later.period),
            };
        }
        overlaps.concurrent(run.period, later.period)
    }
}
