//! Whether an explanation is true: every dependence of the cycle is real, each starts where the one
//! before arrived, and the whole leads from the closing transaction back into it.

use super::definition::{Order, transactions};
use interloper_findings::{Access, Violation};
use interloper_trace::{Event, LabelId, Op};

/// What the checks need to know of a trace.
pub struct Facts<'a> {
    pub events: &'a [Event],
    order: Order<'a>,
    /// The transaction of each event.
    of: Vec<usize>,
    /// The label of each transaction.
    labels: Vec<LabelId>,
}

macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}
pub(super) use ensure;

impl<'a> Facts<'a> {
    pub fn new(events: &'a [Event]) -> Facts<'a> {
        let of = transactions(events);
        let mut labels = vec![];
        for (event, &transaction) in events.iter().zip(&of) {
            if transaction == labels.len() {
                let block = event.op == Op::Begin;
                labels.push(if block { event.label() } else { LabelId::OUTSIDE });
            }
        }
        Facts { events, order: Order::new(events), of, labels }
    }

    /// Checks the cycle of a violation whose event, thread and blocks are right.
    pub fn check(&self, violation: &Violation) -> Result<(), String> {
        let cycle = &violation.cycle;
        ensure!(cycle.len() >= 2, "a cycle of {} dependences", cycle.len());
        for dependence in cycle {
            self.access(&dependence.from)?;
            self.access(&dependence.to)?;
            let (from, to) = (dependence.from.event as usize, dependence.to.event as usize);
            ensure!(from < to, "the dependence {from} -> {to} goes back in time");
            let (first, second) = (&self.events[from], &self.events[to]);
            ensure!(first.thread != second.thread, "{from} -> {to} stays in its thread");
            ensure!(self.order.is_fixed(from, to), "{from} and {to} do not conflict");
        }
        self.ends(violation)?;
        let blamed = violation.blocks.iter().any(|block| block.refuted);
        for pair in cycle.windows(2) {
            self.link(&pair[0].to, &pair[1].from, blamed)?;
        }
        Ok(())
    }

    /// An access says of its event what the trace says.
    fn access(&self, access: &Access) -> Result<(), String> {
        let at = access.event as usize;
        let event = self.events.get(at).ok_or(format!("no event {at}"))?;
        let told = Event::new(access.thread, access.op, access.operand, access.site);
        ensure!(told == *event, "event {at} is {event:?}, not {told:?}");
        let label = self.labels[self.of[at]];
        ensure!(access.label == label, "event {at} is in {label:?}, not in {:?}", access.label);
        Ok(())
    }

    /// The cycle leaves the closing transaction (if it is to blame: its innermost refuted block)
    /// and comes back by the closing event.
    fn ends(&self, violation: &Violation) -> Result<(), String> {
        let cycle = &violation.cycle;
        let (leaves, closes) = (cycle[0].from.event, cycle[cycle.len() - 1].to.event);
        ensure!(closes == violation.event, "the cycle closes at {closes}");
        ensure!(
            self.of[leaves as usize] == self.of[closes as usize],
            "the cycle leaves another transaction, by event {leaves}"
        );
        if let Some(block) = violation.blocks.iter().rev().find(|block| block.refuted) {
            ensure!(
                leaves >= block.begin,
                "event {leaves} is not in the innermost refuted block, begun at {}",
                block.begin
            );
        }
        Ok(())
    }

    /// The next dependence leaves the thread in which the last one arrived: after its arrival where
    /// a block is refuted, in the same or a later transaction where none is.
    fn link(&self, arrived: &Access, leaves: &Access, blamed: bool) -> Result<(), String> {
        let (arrival, departure) = (arrived.event as usize, leaves.event as usize);
        ensure!(
            arrived.thread == leaves.thread,
            "{departure} is not in the thread in which {arrival} arrives"
        );
        let same = self.of[arrival] == self.of[departure];
        if blamed {
            ensure!(arrival <= departure, "the path goes from {arrival} back to {departure}");
        } else {
            ensure!(
                same || arrival < departure,
                "{departure} is in an earlier transaction than {arrival}"
            );
        }
        ensure!(
            leaves.same_transaction == same,
            "{departure} is {}in the transaction of {arrival}",
            if same { "" } else { "not " }
        );
        Ok(())
    }
}
