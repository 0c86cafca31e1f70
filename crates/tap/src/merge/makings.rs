//! Which transaction has made an object.
//!
//! Objects are not in the log while only their maker knows them. Whoever is the second to use one depends on the transaction that has made it (`MADE_BY`), by a
//! variable that stands for all that this transaction makes (`MAKES`). Objects are known by their births, which a slot counts down: each transaction
//! has those below the number that its entry says, and above that of the next one.

use interloper_trace::{ThreadId, VarId};
use std::collections::VecDeque;

/// So many transactions of a slot are remembered. What older ones have made has been used by others since, or will hardly ever be while a
/// transaction still runs that was there then.
const MOST: usize = 256;

struct Making {
    /// The births are below this.
    below: i32,
    /// What stands for them; `None` outside of transactions, where nobody depends on anything.
    var: Option<VarId>,
    /// Who has read that last, if anybody.
    reader: Option<ThreadId>,
    /// The variable must not stand for anything else.
    taken: bool,
}

/// The latest transactions of a slot that have made something.
#[derive(Default)]
pub(super) struct Makings(VecDeque<Making>);

impl Makings {
    /// What is born from here on is of no transaction.
    pub(super) fn outside(&mut self, below: i32, mut retire: impl FnMut(VarId)) {
        if let Some(again) = self.begin(below, &mut retire) {
            retire(again);
        }
        if self.0.back().is_none_or(|last| last.var.is_some()) {
            self.0.push_back(Making { below, var: None, reader: None, taken: false });
        }
    }

    /// What is born from here on is the running transaction's. Gives the variable for it; a new one is only made if there is none to be used again.
    pub(super) fn inside(
        &mut self,
        below: i32,
        retire: impl FnMut(VarId),
        new: impl FnOnce() -> Option<VarId>,
    ) -> Option<VarId> {
        let again = self.begin(below, retire);
        // Without a variable, too: what is born from here on is not the last transaction's.
        let var = again.or_else(new);
        self.0.push_back(Making { below, var, reader: None, taken: false });
        var
    }

    /// Makes room; gives a variable that nobody has read.
    fn begin(&mut self, below: i32, mut retire: impl FnMut(VarId)) -> Option<VarId> {
        // Births have begun anew.
        let anew = self.0.back().is_some_and(|last| below > last.below);
        let keep = if anew { 0 } else { MOST - 1 };
        let mut again = None;
        while self.0.len() > keep
            && let Some(old) = self.0.pop_front()
        {
            match old.var {
                Some(var) if again.is_none() && !old.taken => again = Some(var),
                Some(var) => retire(var),
                None => {}
            }
        }
        again
    }

    /// The variable that this thread has to read as the second to use an object; `None` if no transaction is known to have made it, or the thread has read it.
    pub(super) fn read(&mut self, birth: i32, thread: ThreadId) -> Option<VarId> {
        let next = self.0.partition_point(|making| making.below > birth);
        let making = self.0.get_mut(next.checked_sub(1)?)?;
        let var = making.var?;
        making.taken = true;
        (making.reader.replace(thread) != Some(thread)).then_some(var)
    }

    /// Another thread gets the slot, whose name its variables must not have.
    pub(super) fn hand_on(&mut self) {
        self.0.iter_mut().for_each(|making| making.taken = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: ThreadId = ThreadId(1);
    const OTHER: ThreadId = ThreadId(2);

    #[test]
    fn each_transaction_has_its_births() {
        let mut makings = Makings::default();
        let mut begin = |below, var| makings.inside(below, |_| panic!(), || Some(VarId(var)));
        assert_eq!(begin(-1, 10), Some(VarId(10)));
        assert_eq!(begin(-5, 11), Some(VarId(11)));
        makings.outside(-9, |_| panic!());
        makings.outside(-12, |_| panic!());
        makings.inside(-20, |_| panic!(), || Some(VarId(12)));
        let reads = [-1, -2, -5, -6, -9, -10, -13, -20, -21].map(|it| makings.read(it, USER));
        let var = |number| Some(VarId(number));
        let none = None;
        assert_eq!(reads, [none, var(10), none, var(11), none, none, none, none, var(12)]);
        assert_eq!([-4, -3].map(|it| makings.read(it, OTHER)), [var(10), none]);
    }

    #[test]
    fn a_transaction_without_a_variable_is_not_the_one_before() {
        let mut makings = Makings::default();
        makings.inside(-1, |_| panic!(), || Some(VarId(1)));
        assert_eq!(makings.inside(-5, |_| panic!(), || None), None);
        assert_eq!([-6, -2].map(|it| makings.read(it, USER)), [None, Some(VarId(1))]);
    }

    #[test]
    fn no_variable_gets_lost() {
        let mut makings = Makings::default();
        let (mut made, mut retired) = (0, 0);
        for i in 0..4 * MOST as i32 {
            let new = || {
                made += 1;
                Some(VarId(made))
            };
            makings.inside(-1 - 2 * i, |_| retired += 1, new);
            makings.outside(-2 - 2 * i, |_| retired += 1);
        }
        let kept = makings.0.iter().filter(|it| it.var.is_some()).count();
        assert_eq!(made as usize, retired + kept);
    }

    #[test]
    fn variables_are_used_again_if_nobody_has_read_them() {
        let mut makings = Makings::default();
        let mut retired = vec![];
        for i in 0..MOST as i32 {
            makings.inside(-1 - i, |_| panic!(), || Some(VarId(i as u32)));
        }
        makings.read(-3, USER);
        let mut next =
            |below| makings.inside(below, |var| retired.push(var.0), || Some(VarId(999)));
        assert_eq!(next(-1000), Some(VarId(0)));
        assert_eq!(next(-1001), Some(VarId(999)));
        assert_eq!(next(-1002), Some(VarId(2)));
        assert_eq!(retired, [1]);
        // Births begin anew: only one of them can be used at once.
        assert_eq!(makings.inside(-1, |var| retired.push(var.0), || None), Some(VarId(3)));
        assert_eq!(retired.len(), MOST);
        makings.hand_on();
        assert_eq!(makings.inside(0, |var| retired.push(var.0), || None), None);
    }
}
