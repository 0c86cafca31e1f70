//! One lockset a variable, and when it begins to count: the race detection that the reduction of
//! Wang and Stoller uses where the multilockset algorithm is switched off (Table 2).
//!
//! - *The lockset algorithm of \[29\]*: ownership is transferred once ([`Start::Transfer`]), here
//!   by variable. (The engine `objectrace` is the same by object.)
//! - *The revised Eraser*: a variable is exclusive, owned by the thread that made it escape, from
//!   the escape of its object on ([`Start::SecondThread`]); one that has no escape, from its first
//!   access on.
//!
//! With [`Order::Periods`] ownership also passes to whoever comes after all that the owner does,
//! and a variable is racy only if conflicting accesses can overlap at all. The paper says no more
//! than that periods "are used to track happen-before relations".
//!
//! **Guarantee.** None: accesses during initialization are not looked at.

use super::common::Common;
use super::overlap::{Order, Overlap, Sets};
use super::states::{Life, Start, State};
use super::{Touch, grown};
use crate::context::locksets::Locksets;
use crate::context::periods::{PeriodId, Periods};
use interloper_trace::VarId;

#[derive(Clone, Default)]
struct Cell {
    life: Life<PeriodId>,
    /// Held at every access since it is shared.
    common: Common,
    /// Of all accesses since the escape.
    overlap: Overlap,
}

/// The locksets of all variables.
pub(crate) struct Table {
    start: Start,
    order: Order,
    cells: Vec<Cell>,
    sets: Sets,
}

impl Table {
    /// Of no variable yet.
    pub(crate) fn new(start: Start, order: Order) -> Table {
        Table { start, order, cells: vec![], sets: Sets::default() }
    }

    /// The next access in the order of the trace.
    #[inline]
    pub(crate) fn feed(&mut self, touch: &Touch, locksets: &mut Locksets, periods: &Periods) {
        let order = self.order;
        let cell = grown(&mut self.cells, touch.var.index());
        cell.overlap.access(touch.write, touch.period, order, periods, &mut self.sets);
        let takes = |owner| !order.concurrent(owner, touch.period, periods);
        if cell.life.access(self.start, touch.period, touch.write, takes).is_shared() {
            cell.common.refine(touch.held, locksets);
        }
    }

    /// The variable's object escapes, by an event in this period: what went before does not count.
    pub(crate) fn escape(&mut self, var: VarId, period: PeriodId) {
        let cell = grown(&mut self.cells, var.index());
        cell.overlap.forget(&mut self.sets);
        *cell = Cell { life: Life::owned_by(period), ..Cell::default() };
    }

    /// Whether there can be a race on the variable, by what was fed.
    pub(crate) fn is_racy(&self, var: VarId) -> bool {
        let racy = |cell: &Cell| {
            cell.life.state == State::Modified && cell.common.is_empty() && cell.overlap.any()
        };
        self.cells.get(var.index()).is_some_and(racy)
    }
}
