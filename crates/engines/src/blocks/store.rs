//! Transactions, each once: what equal ones have in common, and the periods in which they ran.
//!
//! Two transactions are equal if they run through the same blocks of code and have equal marks, pairs
//! and skeletons. Memory is taken by distinct transactions; repetitions in further periods cost their
//! positions, repetitions within a period nothing.

use super::collect::{Found, Pair, Parts, Roles, Var};
use super::skeleton::{Skeleton, SkeletonId, Skeletons};
use super::table::{Mixer, Table};
use crate::context::periods::PeriodId;
use interloper_findings::OpenBlock;
use interloper_trace::{LabelId, Position, SiteId};

/// A stored transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct TxnId(pub(super) u32);

impl TxnId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How many marks are stored at most: about a gigabyte.
const MOST_MARKS: usize = 40_000_000;

/// A marked event of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    pub(super) var: Var,
    pub(super) site: SiteId,
    pub(super) segment: u32,
    /// The innermost block plus one, eight bits up, and the roles.
    block_and_roles: u32,
}

const MOST_BLOCKS: u32 = (1 << 24) - 1;

impl Mark {
    fn new(found: &Found) -> Mark {
        let block = found.block.map_or(0, |block| (block + 1).min(MOST_BLOCKS));
        let block_and_roles = block << 8 | u32::from(found.roles.0);
        Mark { var: found.var, site: found.site, segment: found.segment, block_and_roles }
    }

    #[inline(always)]
    pub(super) fn roles(&self) -> Roles {
        Roles(self.block_and_roles as u8)
    }

    #[inline(always)]
    pub(super) fn is(&self, role: Roles) -> bool {
        self.roles().has(role)
    }

    fn block(&self) -> Option<u32> {
        (self.block_and_roles >> 8).checked_sub(1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Block {
    label: LabelId,
    site: SiteId,
    /// The next outer one plus one.
    outer: u32,
}

/// A run of a transaction in a period: the first.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) period: PeriodId,
    /// An earlier run of the same transaction plus one.
    next: u32,
    /// What the offsets count from.
    base: Position,
    /// Where the offsets are: one a mark, then one a block.
    offsets: u32,
    /// When it had ended and was noted.
    noted: Position,
    /// When it ran last in this period: the position of its first event.
    pub(super) last: Position,
}

#[derive(Clone, Copy)]
struct Txn {
    skeleton: SkeletonId,
    /// Where its parts end.
    marks: u32,
    pairs: u32,
    blocks: u32,
    /// Its latest run plus one.
    run: u32,
}

/// All transactions so far.
#[derive(Default)]
pub(super) struct Store {
    pub(super) skeletons: Skeletons,
    table: Table,
    txns: Vec<Txn>,
    marks: Vec<Mark>,
    pairs: Vec<Pair>,
    blocks: Vec<Block>,
    runs: Vec<Run>,
    offsets: Vec<u32>,
    /// Whether it matters when a transaction ran last.
    pub(super) keeps_last: bool,
    /// How many transactions found no room.
    pub(super) left_out: u64,
}

impl Store {
    /// The transaction with these parts; `None` if it is new and there is no room.
    pub(super) fn intern(&mut self, parts: &Parts) -> Option<TxnId> {
        let skeleton = self.skeletons.intern(&parts.initial, parts.crooked, &parts.ops);
        let hash = hash(parts, skeleton);
        if let Some(known) = self.table.find(hash, |id| self.is(TxnId(id), parts, skeleton)) {
            return Some(TxnId(known));
        }
        if self.marks.len() + parts.marks.len() > MOST_MARKS {
            self.left_out += 1;
            return None;
        }
        self.marks.extend(parts.marks.iter().map(Mark::new));
        self.pairs.extend_from_slice(&parts.pairs);
        self.blocks.extend(parts.blocks.iter().map(|block| Block {
            label: block.label,
            site: block.site,
            outer: block.outer.map_or(0, |outer| outer + 1),
        }));
        self.txns.push(Txn {
            skeleton,
            marks: self.marks.len() as u32,
            pairs: self.pairs.len() as u32,
            blocks: self.blocks.len() as u32,
            run: 0,
        });
        Some(TxnId(self.table.add(hash)))
    }

    fn is(&self, txn: TxnId, parts: &Parts, skeleton: SkeletonId) -> bool {
        let blocks = self.blocks_of(txn);
        self.txns[txn.index()].skeleton == skeleton
            && self.marks(txn).len() == parts.marks.len()
            && self
                .marks(txn)
                .iter()
                .zip(&parts.marks)
                .all(|(mark, found)| *mark == Mark::new(found))
            && self.pairs(txn) == &parts.pairs[..]
            && blocks.len() == parts.blocks.len()
            && blocks.iter().zip(&parts.blocks).all(|(block, around)| {
                (block.label, block.site) == (around.label, around.site)
                    && block.outer.checked_sub(1) == around.outer
            })
    }

    fn recent_run(&self, txn: TxnId, period: PeriodId, since: Position) -> Option<usize> {
        let mut next = self.txns[txn.index()].run;
        while let Some(at) = next.checked_sub(1) {
            let run = &self.runs[at as usize];
            if run.period == period {
                return Some(at as usize);
            }
            // The ones noted before the period began are not of it.
            if run.noted < since {
                return None;
            }
            next = run.next;
        }
        None
    }

    /// Whether it ran before in this period, whose first transaction began at `since`; now it ran from
    /// this position on.
    pub(super) fn saw_again(
        &mut self,
        txn: TxnId,
        period: PeriodId,
        since: Position,
        at: Position,
    ) -> bool {
        let run = self.recent_run(txn, period, since);
        if let Some(run) = run {
            self.runs[run].last = at;
        }
        run.is_some()
    }

    /// Notes the first run of a transaction in a period, which has just ended.
    pub(super) fn note(&mut self, txn: TxnId, period: PeriodId, noted: Position, parts: &Parts) {
        let firsts = parts.marks.iter().map(|mark| mark.at);
        let begins = parts.blocks.iter().map(|block| block.begin);
        let positions = firsts.chain(begins);
        let base = positions.clone().min().unwrap_or(0);
        let offsets = self.offsets.len() as u32;
        self.offsets.extend(positions.map(|at| u32::try_from(at - base).unwrap_or(u32::MAX)));
        let last = parts.marks.first().map_or(base, |mark| mark.at);
        let next = self.txns[txn.index()].run;
        self.runs.push(Run { period, next, base, offsets, noted, last });
        self.txns[txn.index()].run = self.runs.len() as u32;
    }

    pub(super) fn len(&self) -> usize {
        self.txns.len()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = TxnId> + use<> {
        (0..self.txns.len() as u32).map(TxnId)
    }

    fn range(&self, txn: TxnId, end: impl Fn(&Txn) -> u32) -> std::ops::Range<usize> {
        let start = txn.index().checked_sub(1).map_or(0, |before| end(&self.txns[before]));
        start as usize..end(&self.txns[txn.index()]) as usize
    }

    /// The marks of a transaction, in the order of their events.
    pub(super) fn marks(&self, txn: TxnId) -> &[Mark] {
        &self.marks[self.range(txn, |txn| txn.marks)]
    }

    pub(super) fn pairs(&self, txn: TxnId) -> &[Pair] {
        &self.pairs[self.range(txn, |txn| txn.pairs)]
    }

    fn blocks_of(&self, txn: TxnId) -> &[Block] {
        &self.blocks[self.range(txn, |txn| txn.blocks)]
    }

    pub(super) fn skeleton_id(&self, txn: TxnId) -> SkeletonId {
        self.txns[txn.index()].skeleton
    }

    pub(super) fn skeleton(&self, txn: TxnId) -> Skeleton<'_> {
        self.skeletons.get(self.skeleton_id(txn))
    }

    /// The first runs of a transaction in each period, the latest first.
    pub(super) fn runs(&self, txn: TxnId) -> impl Iterator<Item = &Run> {
        let mut next = self.txns[txn.index()].run;
        std::iter::from_fn(move || {
            let run = &self.runs[next.checked_sub(1)? as usize];
            next = run.next;
            Some(run)
        })
    }

    /// The position of a mark in a run.
    pub(super) fn position(&self, run: &Run, mark: u32) -> Position {
        run.base + u64::from(self.offsets[(run.offsets + mark) as usize])
    }

    /// The label and the place of the innermost block around two marks, if there is one.
    pub(super) fn block_around(
        &self,
        txn: TxnId,
        one: u32,
        other: u32,
    ) -> Option<(LabelId, SiteId)> {
        let blocks = self.blocks_of(txn);
        let around = self.chain(txn, one);
        let innermost = self.chain(txn, other).into_iter().find(|block| around.contains(block))?;
        let block = &blocks[innermost as usize];
        Some((block.label, block.site))
    }

    /// The labels and the places of all blocks of a transaction.
    pub(super) fn code_blocks(&self, txn: TxnId) -> impl Iterator<Item = (LabelId, SiteId)> {
        self.blocks_of(txn).iter().map(|block| (block.label, block.site))
    }

    /// The label of the transaction.
    pub(super) fn label(&self, txn: TxnId) -> LabelId {
        self.blocks_of(txn).first().map_or(LabelId::OUTSIDE, |block| block.label)
    }

    /// The blocks open at one mark, outermost first; those that contain another mark are refuted.
    pub(super) fn open_blocks(&self, txn: TxnId, run: &Run, at: u32, other: u32) -> Vec<OpenBlock> {
        let (blocks, marks) = (self.blocks_of(txn), self.marks(txn).len() as u32);
        let around = self.chain(txn, other);
        let open = |&index: &u32| {
            let Block { label, site, .. } = blocks[index as usize];
            let begin = self.position(run, marks + index);
            OpenBlock { label, begin, site, refuted: around.contains(&index) }
        };
        self.chain(txn, at).iter().rev().map(open).collect()
    }

    /// The blocks around a mark, innermost first.
    fn chain(&self, txn: TxnId, mark: u32) -> Vec<u32> {
        let blocks = self.blocks_of(txn);
        let mut next = self.marks(txn)[mark as usize].block();
        let mut chain = vec![];
        while let Some(block) = next {
            chain.push(block);
            next = blocks[block as usize].outer.checked_sub(1);
        }
        chain
    }
}

fn hash(parts: &Parts, skeleton: SkeletonId) -> u64 {
    let mut mixer = Mixer::new();
    mixer.word(skeleton.0);
    for found in &parts.marks {
        let mark = Mark::new(found);
        mixer.word(mark.var.0);
        mixer.word(mark.site.0 ^ mark.segment << 20);
        mixer.word(mark.block_and_roles);
    }
    for block in &parts.blocks {
        mixer.word(block.label.0);
        mixer.word(block.site.0);
    }
    for pair in &parts.pairs {
        mixer.word(pair.first << 16 ^ pair.last << 2 ^ pair.kind as u32);
    }
    mixer.finish()
}
