//! The transactions that are running, event by event, until they end; and the recent ones, so that
//! one that repeats a recent one costs little more than a comparison.

use super::collect::{Around, Collect};
use super::store::{Store, TxnId};
use super::table::Mixer;
use crate::context::blocks::Open;
use crate::context::periods::PeriodId;
use interloper_trace::{LockId, Op, Position, SiteId};

/// What an event of a transaction does, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum What {
    Read,
    VolatileRead,
    Write,
    VolatileWrite,
    Update,
    Acquire,
    Release,
    Begin,
    End,
}

impl What {
    #[inline(always)]
    pub(super) fn of(op: Op) -> Option<What> {
        match op {
            Op::Read => Some(What::Read),
            Op::VolatileRead => Some(What::VolatileRead),
            Op::Write => Some(What::Write),
            Op::VolatileWrite => Some(What::VolatileWrite),
            Op::Update => Some(What::Update),
            Op::Acquire => Some(What::Acquire),
            Op::Release | Op::Wait => Some(What::Release),
            Op::Begin => Some(What::Begin),
            Op::End => Some(What::End),
            _ => None,
        }
    }

    #[inline(always)]
    pub(super) fn is_access(self) -> bool {
        (self as u8) <= What::Update as u8
    }
}

/// An event of a transaction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) at: Position,
    /// A `Var` for accesses, otherwise as in the event.
    pub(super) operand: u32,
    pub(super) site: SiteId,
    pub(super) what: What,
}

impl Entry {
    fn same(&self, other: &Entry) -> bool {
        (self.what, self.operand, self.site) == (other.what, other.operand, other.site)
    }
}

/// How many events of a transaction are kept as they are before they are worked off.
const WHOLE: usize = 1 << 14;
/// How many recent transactions are remembered, and how long they may be.
const RECENT: usize = 1 << 11;
const SHORT: usize = 1 << 9;
/// By thread, how many transactions are known to be noted already.
const NOTED: usize = 64;

/// A thread's transaction, if one is running, and its locks.
#[derive(Default)]
pub(super) struct Running {
    pub(super) open: bool,
    /// The locks in hand, in the order of their acquisition.
    held: Vec<LockId>,
    /// Whether since the first of them was acquired a lock was released other than the latest.
    crooked: bool,
    /// The same when the transaction began.
    initial: Vec<LockId>,
    began_crooked: bool,
    /// The blocks that were open when it began.
    blocks: Vec<Around>,
    entries: Vec<Entry>,
    /// Whether an access is among the entries.
    accesses: bool,
    /// What was worked off already, if the transaction is long.
    long: Option<Box<Collect>>,
    /// The period of the latest transaction, and when the first one of that period began.
    period: Option<PeriodId>,
    since: Position,
    /// Transactions that are noted for the running period.
    noted: Vec<Option<TxnId>>,
}

impl Running {
    /// A transaction begins within these blocks.
    pub(super) fn begin(&mut self, open: &[Open]) {
        self.open = true;
        self.initial.clear();
        self.initial.extend_from_slice(&self.held);
        self.began_crooked = self.crooked;
        self.blocks.clear();
        for (depth, block) in open.iter().enumerate() {
            let Open { label, begin, site } = *block;
            let outer = (depth as u32).checked_sub(1);
            self.blocks.push(Around { label, site, begin, outer });
        }
    }

    /// Takes note of a lock that is acquired or released.
    pub(super) fn lock(&mut self, lock: LockId, acquires: bool) {
        if acquires {
            self.held.push(lock);
        } else if let Some(place) = self.held.iter().rposition(|&held| held == lock) {
            self.crooked |= place + 1 < self.held.len();
            self.held.remove(place);
            self.crooked &= !self.held.is_empty();
        }
    }

    /// Takes an event of the running transaction.
    #[inline(always)]
    pub(super) fn take(&mut self, entry: Entry) {
        self.accesses |= entry.what.is_access();
        self.entries.push(entry);
        if self.entries.len() >= WHOLE {
            self.work_off();
        }
    }

    #[cold]
    fn work_off(&mut self) {
        let long = self.long.get_or_insert_with(|| {
            let mut collect = Box::<Collect>::default();
            collect.begin(&self.initial, self.began_crooked, &self.blocks);
            collect
        });
        self.entries.drain(..).for_each(|entry| long.take(&entry));
    }

    /// Whether the transaction, whose first event is at `first`, is noted for this period already.
    /// If not, the caller shall note it.
    fn saw_again(
        &mut self,
        txn: TxnId,
        period: PeriodId,
        first: Position,
        store: &mut Store,
    ) -> bool {
        if self.period != Some(period) {
            self.period = Some(period);
            self.since = first;
            self.noted.clear();
            self.noted.resize(NOTED, None);
        }
        let place = txn.0 as usize % NOTED;
        let here = self.noted[place].replace(txn) == Some(txn);
        (here && !store.keeps_last) || store.saw_again(txn, period, self.since, first)
    }
}

struct Recent {
    txn: TxnId,
    hash: u64,
    crooked: bool,
    initial: Box<[LockId]>,
    blocks: Box<[Around]>,
    entries: Box<[Entry]>,
}

/// Turns transactions that have ended into stored ones.
#[derive(Default)]
pub(super) struct Closer {
    collect: Collect,
    recent: Vec<Option<Recent>>,
    /// How many transactions repeated a recent one.
    pub(super) hits: u64,
    /// How many there were.
    pub(super) transactions: u64,
}

impl Closer {
    /// The thread's transaction has ended, at the given position, in this period.
    pub(super) fn close(
        &mut self,
        running: &mut Running,
        period: PeriodId,
        at: Position,
        store: &mut Store,
    ) {
        running.open = false;
        if let Some(mut long) = running.long.take() {
            running.entries.drain(..).for_each(|entry| long.take(&entry));
            running.accesses = false;
            self.transactions += 1;
            long.end();
            if let Some(txn) = store.intern(&long.parts) {
                let first = long.parts.marks.first().map_or(at, |mark| mark.at);
                if !running.saw_again(txn, period, first, store) {
                    store.note(txn, period, at, &long.parts);
                }
            }
            return;
        }
        if std::mem::take(&mut running.accesses) {
            self.transactions += 1;
            self.close_short(running, period, at, store);
        }
        running.entries.clear();
    }

    fn close_short(
        &mut self,
        running: &mut Running,
        period: PeriodId,
        at: Position,
        store: &mut Store,
    ) {
        let Some(first) = running.entries.first().map(|entry| entry.at) else { return };
        let short = running.entries.len() <= SHORT;
        let hash = if short { hash(running) } else { 0 };
        if short && let Some(txn) = self.find(running, hash) {
            self.hits += 1;
            if !running.saw_again(txn, period, first, store) {
                self.work(running);
                store.note(txn, period, at, &self.collect.parts);
            }
            return;
        }
        self.work(running);
        let Some(txn) = store.intern(&self.collect.parts) else { return };
        if !running.saw_again(txn, period, first, store) {
            store.note(txn, period, at, &self.collect.parts);
        }
        if short {
            self.remember(running, hash, txn);
        }
    }

    fn work(&mut self, running: &Running) {
        self.collect.begin(&running.initial, running.began_crooked, &running.blocks);
        running.entries.iter().for_each(|entry| self.collect.take(entry));
        self.collect.end();
    }

    fn find(&self, running: &Running, hash: u64) -> Option<TxnId> {
        let recent = self.recent.get(hash as usize % RECENT)?.as_ref()?;
        let same_blocks = || {
            recent.blocks.len() == running.blocks.len()
                && recent
                    .blocks
                    .iter()
                    .zip(&running.blocks)
                    .all(|(one, other)| (one.label, one.site) == (other.label, other.site))
        };
        let same = recent.hash == hash
            && recent.entries.len() == running.entries.len()
            && *recent.initial == *running.initial
            && recent.crooked == running.began_crooked
            && same_blocks()
            && recent.entries.iter().zip(&running.entries).all(|(one, other)| one.same(other));
        same.then_some(recent.txn)
    }

    fn remember(&mut self, running: &Running, hash: u64, txn: TxnId) {
        if self.recent.is_empty() {
            self.recent.resize_with(RECENT, || None);
        }
        self.recent[hash as usize % RECENT] = Some(Recent {
            txn,
            hash,
            crooked: running.began_crooked,
            initial: running.initial[..].into(),
            blocks: running.blocks[..].into(),
            entries: running.entries[..].into(),
        });
    }
}

fn hash(running: &Running) -> u64 {
    let mut mixer = Mixer::new();
    for lock in &running.initial {
        mixer.word(lock.0);
    }
    for block in &running.blocks {
        mixer.word(block.label.0);
        mixer.word(block.site.0);
    }
    for entry in &running.entries {
        mixer.word(entry.operand ^ (entry.what as u32) << 28);
        mixer.word(entry.site.0);
    }
    mixer.finish()
}
