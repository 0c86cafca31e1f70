//! Things that are alike in all that matters for a comparison, and within such a class by their place
//! in the code, which matters for the report.

use super::overlap::WhenId;
use super::store::TxnId;
use super::study::Study;
use crate::context::hashing::IdMap;
use crate::context::periods::PeriodId;
use std::hash::Hash;

/// How many members of two groups are tried with each other, besides those that are known to run in
/// overlapping periods. The first will do unless locks are not nested.
const MEMBERS: usize = 16;

/// Members of a class at the same place in the code.
pub(super) struct Group<K, T> {
    pub(super) key: K,
    pub(super) members: Vec<T>,
    whens: Vec<WhenId>,
    /// All of `whens`, once it is needed.
    when: Option<WhenId>,
}

impl<K, T> Group<K, T> {
    /// The periods of all members.
    pub(super) fn when(&mut self, study: &mut Study) -> WhenId {
        *self.when.get_or_insert_with(|| study.overlaps.union(&self.whens))
    }
}

impl<K, T: Copy> Group<K, T> {
    /// Some members to try, first of all one that runs in this period.
    pub(super) fn some(
        &self,
        study: &Study,
        period: PeriodId,
        txn: impl Fn(&T) -> TxnId,
    ) -> Vec<T> {
        let runs = |member: &&T| study.run(txn(member), period).is_some();
        let first = self.members.iter().find(runs);
        first.into_iter().chain(self.members.iter().take(MEMBERS)).copied().collect()
    }
}

/// All classes.
pub(super) struct Classes<C, K, T> {
    index: IdMap<C, usize>,
    groups: IdMap<(C, K), usize>,
    pub(super) list: Vec<(C, Vec<Group<K, T>>)>,
}

impl<C, K, T> Default for Classes<C, K, T> {
    fn default() -> Classes<C, K, T> {
        Classes { index: IdMap::default(), groups: IdMap::default(), list: vec![] }
    }
}

impl<C: Copy + Eq + Hash, K: Copy + Eq + Hash, T> Classes<C, K, T> {
    pub(super) fn add(&mut self, class: C, key: K, when: WhenId, member: T) {
        let at = *self.index.entry(class).or_insert_with(|| {
            self.list.push((class, vec![]));
            self.list.len() - 1
        });
        let groups = &mut self.list[at].1;
        let at = *self.groups.entry((class, key)).or_insert_with(|| {
            groups.push(Group { key, whens: vec![], when: None, members: vec![] });
            groups.len() - 1
        });
        let group = &mut groups[at];
        if group.whens.last() != Some(&when) {
            group.whens.push(when);
        }
        group.members.push(member);
    }
}
