//! Which variables can be involved in a race, by the whole of a trace: for engines that judge at
//! its end, with the race detection of their choice.

use super::Touch;
use super::multilockset::Table as Multi;
use super::overlap::Order;
use super::single::Table as Single;
use super::states::Start;
use crate::context::locksets::Locksets;
use crate::context::periods::{PeriodId, Periods};
use crate::settings::Without;
use interloper_trace::VarId;

/// A race detection that is fed all accesses and asked at the end.
pub(crate) enum Verdict {
    /// Many locksets a variable.
    Multi(Multi),
    /// One.
    Single(Single),
}

impl Verdict {
    /// The race detection of Wang and Stoller's reduction without some of its improvements: the
    /// multilockset algorithm, or the revised Eraser, or, where escapes do not count either, von
    /// Praun and Gross's by variable.
    pub(crate) fn new(without: Without) -> Verdict {
        let order = if without.happens_before { Order::Threads } else { Order::Periods };
        if !without.multilockset {
            return Verdict::Multi(Multi::new(order));
        }
        let start = if without.escape { Start::Transfer } else { Start::SecondThread };
        Verdict::Single(Single::new(start, order))
    }

    /// The next access in the order of the trace.
    #[inline]
    pub(crate) fn feed(&mut self, touch: &Touch, locksets: &mut Locksets, periods: &Periods) {
        match self {
            Verdict::Multi(table) => {
                table.feed(touch, locksets, periods);
            }
            Verdict::Single(table) => table.feed(touch, locksets, periods),
        }
    }

    /// The variable's object escapes, by an event in this period: what went before does not count.
    pub(crate) fn escape(&mut self, var: VarId, period: PeriodId) {
        match self {
            Verdict::Multi(table) => table.renew(var),
            Verdict::Single(table) => table.escape(var, period),
        }
    }

    /// Whether there can be a race on the variable, by what was fed.
    #[inline]
    pub(crate) fn is_racy(&self, var: VarId) -> bool {
        match self {
            Verdict::Multi(table) => table.is_racy(var),
            Verdict::Single(table) => table.is_racy(var),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::locksets::SetId;
    use interloper_trace::{Event, LockId, Names, SiteId};

    const X: VarId = VarId(0);

    /// Steps such as `1w12` (thread 1 writes with locks 1 and 2), `1f2` (starts thread 2), `1j2`
    /// (awaits it), `1e` (the object escapes): whether the variable is racy without some
    /// improvements, as Table 2 adds them one by one.
    fn columns(steps: &str) -> [bool; 4] {
        let none =
            Without { escape: true, happens_before: true, multilockset: true, acq_rel: true };
        let escape = Without { escape: false, ..none };
        let happens_before = Without { happens_before: false, ..escape };
        let multilockset = Without { multilockset: false, ..happens_before };
        [none, escape, happens_before, multilockset].map(|without| racy(steps, without))
    }

    fn racy(steps: &str, without: Without) -> bool {
        let mut verdict = Verdict::new(without);
        let (mut locksets, mut periods) = (Locksets::default(), Periods::default());
        let mut names = Names::default();
        for step in steps.split(' ') {
            let letters: Vec<char> = step.chars().collect();
            let digits = || letters[2..].iter().filter_map(|letter| letter.to_digit(10));
            let thread = names.thread(&letters[0].to_string());
            let period = periods.of(thread);
            let other = letters.get(2).map_or(thread, |letter| names.thread(&letter.to_string()));
            match letters[1] {
                'f' => periods.event(&Event::fork(thread, other, SiteId::UNKNOWN)),
                'j' => periods.event(&Event::join(thread, other, SiteId::UNKNOWN)),
                // Without escape analysis nobody tells.
                'e' if without.escape => {}
                'e' => verdict.escape(X, period),
                letter => {
                    let held: SetId = locksets.of(digits().map(LockId).collect());
                    let write = letter == 'w';
                    let touch = Touch { var: X, write, thread, period, held };
                    verdict.feed(&touch, &mut locksets, &periods);
                }
            }
        }
        verdict.is_racy(X)
    }

    #[test]
    fn a_race_between_three_threads_is_seen_by_all() {
        assert_eq!(columns("1w 2w 3w"), [true; 4]);
        assert_eq!(columns("1w1 2w1 3w1 1w1"), [false; 4]);
        assert_eq!(columns("1r 2r 3r 1r"), [false; 4]);
    }

    /// Two threads: von Praun and Gross take it for a transfer; what was before the escape is no
    /// access at all.
    #[test]
    fn escape_replaces_ownership_transfer() {
        assert_eq!(columns("1w 2w"), [false, true, true, true]);
        assert_eq!(columns("1w 1e 2w1 1w1"), [false; 4]);
        assert_eq!(columns("1w 2w 1w 1e 2w1 1w1"), [true, false, false, false]);
        assert_eq!(columns("1e 2w 2w"), [false; 4], "one thread only");
    }

    #[test]
    fn start_and_join_keep_threads_apart() {
        assert_eq!(columns("1w 1f2 2w 1j2 1w"), [true, true, false, false]);
        assert_eq!(columns("1f2 1w 2w 1j2 1w"), [true; 4]);
    }

    /// Readers may use either lock of a writer; and a read that one lockset takes for
    /// initialization counts.
    #[test]
    fn many_locksets() {
        assert_eq!(columns("9w12 8w12 1r1 2r2 3w12"), [true, true, true, false]);
        assert_eq!(columns("1w 2r"), [false, false, false, true]);
    }
}
