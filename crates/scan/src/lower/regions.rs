//! Recovers synchronization blocks from where locks are taken and released.
//!
//! Forward dataflow: at each point, the list of the sites whose locks are held, outermost first. Compilers nest
//! them properly, and so all ways to a point bring the same list:
//!
//! - javac, ecj and kotlinc end a `synchronized` block by `monitorexit` on each way out, and cover it by a handler
//!   that catches everything, exits the monitor and throws again. The handler is entered with the monitor held, from inside the
//!   block and (javac lets it cover itself) from the handler itself: it is simply part of the block.
//! - `lock()` before `try` and `unlock()` in `finally` look alike, with calls instead.
//!
//! Where ways bring different lists, what they have in common is kept: rather too few locks held than too
//! many, so that no context is invented. Such places are counted, as are releases of what is not held. An explicit lock that is still held
//! when the method returns is no block of this method at all, and its `lock()` is ignored.
//!
//! Deviations: `lock()` is taken not to throw, so that handlers which unlock are entered with the lock held even if
//! `lock()` stands inside `try`; `tryLock()` takes no lock.

use smallvec::SmallVec;

use super::event::{Event, Site, SiteId};
use super::flow::Events;
use crate::ir::{ExprId, RegionKind};
use interloper_jvm::{BlockId, Body, Code, Instruction};
use std::collections::BTreeSet;

/// The locks that are held, outermost first.
pub(super) type Held = SmallVec<[SiteId; 4]>;

/// Locks nested deeper than this are not followed.
const MAX_DEPTH: usize = 64;

/// After so many rounds of leaving out explicit locks, all of them are left out.
const MAX_ROUNDS: usize = 8;

/// What is held at the beginning of each block.
pub(super) struct Nesting<'n> {
    body: &'n Body<'n>,
    code: &'n Code<'n>,
    events: &'n Events,
    sites: &'n [Site],
    /// Sites that take no part.
    ignored: Vec<bool>,
    entries: Vec<Option<Held>>,
    /// How many places were not nested as they should be.
    pub unstructured: usize,
}

/// What an event did to the list of locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Entered,
    Left,
    /// A release of something else than the innermost lock.
    Disorder,
}

impl<'n> Nesting<'n> {
    pub fn solve(
        body: &'n Body<'n>,
        code: &'n Code<'n>,
        events: &'n Events,
        sites: &'n [Site],
    ) -> Nesting<'n> {
        let mut nesting = Nesting {
            body,
            code,
            events,
            sites,
            ignored: vec![false; sites.len()],
            entries: Vec::new(),
            unstructured: 0,
        };
        if sites.is_empty() {
            // the usual case; what is released here was locked elsewhere
            let exits =
                events.iter().flatten().flatten().filter(|it| matches!(it, Event::Exit { .. }));
            nesting.unstructured = exits.count();
            return nesting;
        }
        for round in 0.. {
            nesting.propagate();
            let mut leaked = nesting.leaked();
            if leaked.is_empty() {
                break;
            }
            if round == MAX_ROUNDS {
                leaked = nesting.explicit_sites();
            }
            nesting.unstructured += leaked.len();
            leaked.into_iter().for_each(|it| nesting.ignored[it.index()] = true);
        }
        nesting.unstructured += nesting.count_disorder();
        nesting
    }

    /// What is held at the beginning of a block that can be reached.
    pub fn entry(&self, block: BlockId) -> &[SiteId] {
        self.entries.get(block.index()).and_then(Option::as_ref).map_or(&[], |it| it)
    }

    /// Applies an event to the list.
    pub fn apply(&self, event: &Event, held: &mut Held) -> Change {
        match event {
            Event::Enter(site) if !self.ignored[site.index()] && held.len() < MAX_DEPTH => {
                held.push(*site);
                Change::Entered
            }
            Event::Exit { kind, lock } => self.release(*kind, *lock, held),
            _ => Change::None,
        }
    }

    fn release(&self, kind: RegionKind, lock: ExprId, held: &mut Held) -> Change {
        // The operand of monitorexit is a copy in a local variable whose name may have changed since; as monitors
        // nest, the innermost one is meant. Explicit locks need not nest, and are told apart.
        let fits = |site: &SiteId| {
            let site = self.sites[site.index()];
            site.kind == kind && (kind == RegionKind::Monitor || site.lock == lock)
        };
        let Some(at) = held.iter().rposition(fits) else {
            let ours = |it: &Site| it.kind == kind && it.lock == lock;
            let ignored = self.sites.iter().zip(&self.ignored).any(|(it, off)| *off && ours(it));
            return if ignored { Change::None } else { Change::Disorder };
        };
        let innermost = at + 1 == held.len();
        held.truncate(at);
        if innermost { Change::Left } else { Change::Disorder }
    }

    fn propagate(&mut self) {
        self.entries = vec![None; self.body.blocks.len()];
        self.entries[0] = Some(Held::new());
        let mut waiting = BTreeSet::from([BlockId(0)]);
        while let Some(block) = waiting.pop_first() {
            let Ways { out, thrown, .. } = self.ways(block);
            let successors = self.body.successors(block).iter().map(|it| (*it, &out));
            let handlers = handlers(self.body, self.code, block);
            let handlers = handlers.flat_map(|it| thrown.as_ref().map(|held| (it, held)));
            for (target, held) in successors.chain(handlers) {
                if self.events[target.index()].is_some() && self.arrive(target, held) {
                    waiting.insert(target);
                }
            }
        }
    }

    /// With which locks held control leaves a block.
    fn ways(&self, block: BlockId) -> Ways {
        let mut out: Held = self.entry(block).into();
        let mut thrown: Option<Held> = None;
        let mut disorder = 0;
        for event in self.events[block.index()].iter().flatten() {
            if may_throw(event) {
                let common = thrown.as_ref().map(|it| common(it, &out)).unwrap_or(out.len());
                disorder += usize::from(self.has_monitor(&out[common..]));
                thrown = Some(out[..common].into());
            }
            disorder += usize::from(self.apply(event, &mut out) == Change::Disorder);
        }
        Ways { out, thrown, disorder }
    }

    fn has_monitor(&self, sites: &[SiteId]) -> bool {
        sites.iter().any(|it| self.sites[it.index()].kind == RegionKind::Monitor)
    }

    /// Locks held on the way to a block; whether this is news to it.
    fn arrive(&mut self, block: BlockId, held: &Held) -> bool {
        match &mut self.entries[block.index()] {
            Some(known) => {
                let common = common(known, held);
                let shrinks = common < known.len();
                known.truncate(common);
                shrinks
            }
            none => {
                *none = Some(held.clone());
                true
            }
        }
    }

    fn explicit_sites(&self) -> BTreeSet<SiteId> {
        let explicit = |it: &SiteId| self.sites[it.index()].kind == RegionKind::ExplicitLock;
        (0..self.sites.len() as u32).map(SiteId).filter(explicit).collect()
    }

    /// The explicit locks that are held at some return.
    fn leaked(&self) -> BTreeSet<SiteId> {
        let mut leaked = BTreeSet::new();
        for block in self.reached() {
            let last = self.body.code_of(block).last().map(|it| it.instruction);
            if matches!(last, Some(Instruction::Return(_))) {
                leaked.extend(self.ways(block).out);
            }
        }
        leaked.retain(|it| self.sites[it.index()].kind == RegionKind::ExplicitLock);
        leaked
    }

    fn reached(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.body.block_ids().filter(|it| self.entries[it.index()].is_some())
    }

    /// How many places are out of order: releases that do not fit, ways that disagree.
    fn count_disorder(&self) -> usize {
        let mut count = 0;
        for block in self.reached() {
            let Ways { out, thrown, disorder } = self.ways(block);
            count += disorder;
            let lost = |target: BlockId, held: &Held| {
                held.get(self.entry(target).len()..).unwrap_or_default().to_vec()
            };
            let successors = self.body.successors(block);
            count += successors.iter().filter(|it| !lost(**it, &out).is_empty()).count();
            // an exception may leave explicit locks locked: that is the program's business
            let Some(thrown) = thrown else { continue };
            count += handlers(self.body, self.code, block)
                .filter(|it| self.has_monitor(&lost(*it, &thrown)))
                .count();
        }
        count
    }
}

/// With which locks held control leaves a block.
struct Ways {
    /// At its end.
    out: Held,
    /// By exceptions: what is held at all places that may throw; none if there is no such place.
    thrown: Option<Held>,
    /// How many places were out of order.
    disorder: usize,
}

/// How many locks two lists have in common, from the outermost on.
fn common(one: &[SiteId], other: &[SiteId]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// Whether an exception may come from an event.
pub(super) fn may_throw(event: &Event) -> bool {
    matches!(event, Event::Throws | Event::Call { .. })
}

/// The blocks in which exceptions of a block may be caught.
pub(super) fn handlers<'b>(
    body: &'b Body<'_>,
    code: &'b Code<'_>,
    block: BlockId,
) -> impl Iterator<Item = BlockId> + 'b {
    body.handlers(block)
        .iter()
        .filter_map(|entry| body.block_at(code.handlers[usize::from(*entry)].handler))
}
