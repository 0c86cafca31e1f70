//! The blocks as the paper writes them, to compare with its examples.

use super::Blocks;
use super::collect::{PairKind, Roles};
use super::store::{Mark, TxnId};
use interloper_trace::{LockId, Names};
use std::collections::BTreeSet;

impl Blocks {
    /// The 1v-blocks of all transactions that have ended, as in section 6.1 of the paper:
    /// `<v, R, W, false, true, T1, {a}, {a, b}, {a}>`, with the threads for their periods.
    #[doc(hidden)]
    pub fn listed_1v(&self, names: &Names) -> BTreeSet<String> {
        let lister = Lister { blocks: self, names };
        self.store.ids().flat_map(|txn| lister.one(txn)).collect()
    }

    /// The 2v-blocks, as in section 6.2: `<x, y, R, W, T1, {}, {}, {}, {}>`.
    #[doc(hidden)]
    pub fn listed_2v(&self, names: &Names) -> BTreeSet<String> {
        let lister = Lister { blocks: self, names };
        self.store.ids().flat_map(|txn| lister.two(txn)).collect()
    }
}

struct Lister<'a> {
    blocks: &'a Blocks,
    names: &'a Names,
}

impl Lister<'_> {
    fn one(&self, txn: TxnId) -> Vec<String> {
        let marks = self.blocks.store.marks(txn);
        let mut pairs: Vec<(usize, usize)> = self
            .blocks
            .store
            .pairs(txn)
            .iter()
            .filter(|pair| pair.kind != PairKind::ReadWrite)
            .map(|pair| (pair.first as usize, pair.last as usize))
            .collect();
        for (last, mark) in marks.iter().enumerate().filter(|(_, mark)| mark.is(Roles::WRITE)) {
            let earlier = |at: &usize| marks[*at].var == mark.var;
            let first_write = !(0..last).filter(earlier).any(|at| marks[at].is(Roles::WRITE));
            let mut reads = (0..last).filter(earlier).filter(|&at| marks[at].is(Roles::INITIAL));
            match mark.is(Roles::FINAL) {
                true => pairs.extend(reads.map(|read| (read, last))),
                false if first_write => pairs.extend(reads.next_back().map(|read| (read, last))),
                false => {}
            }
        }
        let alone =
            |at: &usize| marks.iter().filter(|mark| mark.var == marks[*at].var).count() == 1;
        let singles = (0..marks.len()).filter(alone).map(|at| self.dummy(txn, &marks[at]));
        pairs.iter().map(|&(first, last)| self.pair(txn, first, last)).chain(singles).collect()
    }

    fn pair(&self, txn: TxnId, first: usize, last: usize) -> String {
        let marks = self.blocks.store.marks(txn);
        let (first, last) = (&marks[first], &marks[last]);
        format!(
            "<{}, {}, {}, {}, {}, {}, {}, {}, {}>",
            self.var(first),
            op(first),
            op(last),
            first.is(Roles::FINAL),
            last.is(Roles::FINAL),
            self.threads(txn),
            self.set(self.held(txn, first)),
            self.set(self.held(txn, last)),
            self.set(self.throughout(txn, first, last)),
        )
    }

    fn dummy(&self, txn: TxnId, mark: &Mark) -> String {
        let (var, op, last) = (self.var(mark), op(mark), mark.is(Roles::FINAL));
        let (threads, held) = (self.threads(txn), self.set(self.held(txn, mark)));
        format!("<{var}, {op}, dummy, {last}, false, {threads}, {held}, {{}}, {{}}>")
    }

    fn two(&self, txn: TxnId) -> Vec<String> {
        let counts = |mark: &&Mark| mark.is(Roles::FIRST) || mark.is(Roles::FINAL);
        let marks: Vec<&Mark> = self.blocks.store.marks(txn).iter().filter(counts).collect();
        let mut listed = vec![];
        for (at, first) in marks.iter().enumerate() {
            for last in marks[at + 1..].iter().filter(|last| last.var != first.var) {
                listed.push(self.block(txn, first, last));
            }
        }
        listed
    }

    fn block(&self, txn: TxnId, first: &Mark, last: &Mark) -> String {
        let (before, after) = (self.held(txn, first), self.held(txn, last));
        let mut between = vec![];
        self.blocks.store.skeleton(txn).used(first.segment, last.segment, &mut between);
        between.retain(|lock| !before.contains(lock) && !after.contains(lock));
        format!(
            "<{}, {}, {}, {}, {}, {}, {}, {}, {}>",
            self.var(first),
            self.var(last),
            op(first),
            op(last),
            self.threads(txn),
            self.set(before),
            self.set(after),
            self.set(self.throughout(txn, first, last)),
            self.set(between),
        )
    }

    fn var(&self, mark: &Mark) -> &str {
        self.names.vars.text(self.blocks.vars.origin[mark.var.index()].0)
    }

    fn threads(&self, txn: TxnId) -> String {
        let thread = |period| self.blocks.periods.thread(period);
        let threads = self.blocks.store.runs(txn).map(|run| thread(run.period));
        let threads: BTreeSet<&str> =
            threads.map(|thread| self.names.threads.text(thread.0)).collect();
        threads.into_iter().collect::<Vec<_>>().join("+")
    }

    fn held(&self, txn: TxnId, mark: &Mark) -> Vec<LockId> {
        self.throughout(txn, mark, mark)
    }

    fn throughout(&self, txn: TxnId, first: &Mark, last: &Mark) -> Vec<LockId> {
        let mut held = vec![];
        self.blocks.store.skeleton(txn).throughout(first.segment, last.segment, &mut held);
        held
    }

    fn set(&self, locks: Vec<LockId>) -> String {
        let names: BTreeSet<&str> =
            locks.iter().map(|lock| self.names.locks.text(lock.0)).collect();
        format!("{{{}}}", names.into_iter().collect::<Vec<_>>().join(", "))
    }
}

fn op(mark: &Mark) -> &'static str {
    match (mark.is(Roles::UPDATE), mark.is(Roles::WRITE)) {
        (true, _) => "RW",
        (_, true) => "W",
        _ => "R",
    }
}
