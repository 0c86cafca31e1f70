//! Numbers of variables and locks that no later event is about: who still mentions them?
//!
//! A source gives a number to something else only once nobody does, so that no report ever calls a thing by another's name. Engines
//! and findings are asked what they mention, all at once, when so much has retired that this costs little for each.

use interloper_trace::{LockId, Op, OperandKind, Retired, VarRange};

/// What has retired and was not let go of yet.
pub(crate) struct Retiring {
    waiting: Retired,
    /// At so many it is worth a look.
    enough: usize,
}

/// So few are not worth a look. (Tests are small, and are to meet it, too.)
const FEW: usize = if cfg!(debug_assertions) { 4 } else { 1 << 12 };

impl Default for Retiring {
    fn default() -> Retiring {
        Retiring { waiting: Retired::default(), enough: FEW }
    }
}

impl Retiring {
    /// Takes what has retired, and says whether it is time to ask what of all this is mentioned.
    pub(crate) fn add(&mut self, retired: Retired) -> bool {
        self.waiting.extend(retired);
        self.waiting.len() >= self.enough
    }

    /// Lets go of what is not mentioned.
    pub(crate) fn release(&mut self, mentioned: Mentioned) -> Retired {
        let Mentioned { vars, locks } = mentioned.sorted();
        let is_free = |range: &VarRange| {
            let next = vars.partition_point(|&var| var < range.first.0);
            vars.get(next).is_none_or(|&var| var >= range.end())
        };
        let is_free_lock = |lock: &LockId| locks.binary_search(&lock.0).is_err();
        let Retired { vars: ranges, locks: retired } = std::mem::take(&mut self.waiting);
        let (free_vars, kept_vars) = ranges.into_iter().partition(is_free);
        let (free_locks, kept_locks) = retired.into_iter().partition(is_free_lock);
        self.waiting = Retired { vars: kept_vars, locks: kept_locks };
        self.enough = FEW.max(2 * self.waiting.len()).max(vars.len() + locks.len());
        Retired { vars: free_vars, locks: free_locks }
    }
}

/// Numbers that somebody mentions.
#[derive(Default)]
pub(crate) struct Mentioned {
    vars: Vec<u32>,
    locks: Vec<u32>,
}

impl Mentioned {
    /// An operation with this operand is mentioned.
    pub(crate) fn add(&mut self, op: Op, operand: u32) {
        match op.operand_kind() {
            OperandKind::Var | OperandKind::Object => self.vars.push(operand),
            OperandKind::Lock => self.locks.push(operand),
            OperandKind::None | OperandKind::Thread | OperandKind::Label => {}
        }
    }

    fn sorted(mut self) -> Mentioned {
        for list in [&mut self.vars, &mut self.locks] {
            list.sort_unstable();
            list.dedup();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_trace::VarId;

    #[test]
    fn what_is_mentioned_is_kept_until_it_is_not() {
        let range = |first, count| VarRange { first: VarId(first), count };
        let mut retiring = Retiring::default();
        let vars = vec![range(3, 1), range(8, 8), range(16, 8), range(24, 8)];
        let retired = Retired { vars, locks: vec![LockId(3), LockId(4)] };
        assert!(retiring.add(retired));
        let mut mentioned = Mentioned::default();
        for (op, operand) in [(Op::Read, 15), (Op::Acquire, 3), (Op::Update, 24), (Op::Fork, 16)] {
            mentioned.add(op, operand);
        }
        let free = retiring.release(mentioned);
        assert_eq!(free.vars, [range(3, 1), range(16, 8)]);
        assert_eq!(free.locks, [LockId(4)]);
        let free = retiring.release(Mentioned::default());
        assert_eq!((free.vars.len(), free.locks), (2, vec![LockId(3)]));
        assert!(retiring.waiting.is_empty());
    }
}
