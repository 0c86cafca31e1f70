//! Who could play the parts of a circle of locks: for each part one of the threads that were seen
//! in it, all different, in periods that are pairwise concurrent.

use super::orders::{Occurrence, Pattern, Way};
use super::search::Budget;
use crate::context::periods::Periods;
use std::ops::Range;

/// A choice of threads for the parts of a circle.
pub(super) struct Cast<'a, 'c> {
    periods: &'a Periods,
    parts: &'c [&'a Pattern],
    /// Only those who came directly.
    direct: bool,
    chosen: Vec<&'a Occurrence>,
}

impl<'a, 'c> Cast<'a, 'c> {
    /// A cast for these parts; `None` if there is none, or the budget does not suffice.
    pub(super) fn of(
        periods: &'a Periods,
        parts: &'c [&'a Pattern],
        direct: bool,
        budget: &mut Budget,
    ) -> Option<Vec<&'a Occurrence>> {
        let mut cast = Cast { periods, parts, direct, chosen: vec![] };
        cast.fill(budget).then_some(cast.chosen)
    }

    /// Fills the parts that have nobody yet.
    fn fill(&mut self, budget: &mut Budget) -> bool {
        let Some(&part) = self.parts.get(self.chosen.len()) else { return true };
        for chain in part.chains() {
            for one in &chain[self.concurrent(chain)] {
                if !budget.spend() {
                    return false;
                }
                let taken = self.chosen.iter().any(|chosen| chosen.thread == one.thread);
                if taken || self.direct && one.way != Way::Direct {
                    continue;
                }
                self.chosen.push(one);
                if self.fill(budget) {
                    return true;
                }
                self.chosen.pop();
            }
            if !budget.spend() {
                return false;
            }
        }
        false
    }

    /// Which occurrences of a chain are concurrent with all those chosen: the first ones happen
    /// before a chosen one and the last ones after.
    fn concurrent(&self, chain: &[Occurrence]) -> Range<usize> {
        let (mut from, mut to) = (0, chain.len());
        for chosen in &self.chosen {
            let before = |one: &Occurrence| self.periods.before(one.period, chosen.period);
            let after = |one: &Occurrence| self.periods.before(chosen.period, one.period);
            from = from.max(chain.partition_point(before));
            to = to.min(chain.partition_point(|one| !after(one)));
        }
        from..to.max(from)
    }
}
