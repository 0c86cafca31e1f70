//! Variables and locks that no later event is about.
//!
//! Nothing can depend on them any more, so what is remembered of them goes, and nothing changes in what is found. The names of some are
//! still needed to explain what is found later: of those that a dependence in the table, or the last event of a thread, is about.

use super::Frontier;
use super::lives::Life;
use interloper_trace::{Op, Retired};

impl Frontier {
    /// Forgets variables and locks.
    pub(super) fn forget_retired(&mut self, retired: &Retired) {
        for &vars in &retired.vars {
            self.memory.retire(vars);
        }
        for &lock in &retired.locks {
            self.memory.retire_lock(lock);
        }
    }

    /// Calls back with everything that an explanation may name. (Barriers do not retire.)
    pub(super) fn visit_mentions(&mut self, visit: &mut dyn FnMut(Op, u32)) {
        self.compact_edges();
        for edge in self.edges.all() {
            visit(edge.from.op, edge.from.operand);
            visit(edge.to.op, edge.to.operand);
        }
        for thread in &self.threads {
            let event = thread.last_event;
            visit(event.op, event.operand);
            visit(event.op, event.operand_at(event.more));
        }
        for life in &self.lives {
            if let Life::Ended(last, operand, _) = life {
                visit(last.op(), *operand);
            }
        }
    }
}
