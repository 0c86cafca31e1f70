//! The places where a lock is acquired for the second time.
//!
//! An [`Event`] is a place of a method that acquires locks when some were released before: a call, or the entry of a
//! region. With the stable `R` of `flow.rs` it tells which locks enter `T`, at which level, and which of them are confirmed
//! as witnesses (enter `P`) by a region of the same method.
//!
//! An acquisition inside a block that locks the same lock anyway is no place of its own: the lock is re-entrant, and the
//! block is the place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::bits::{BitSet, has, ones, set};
use crate::flow::{Flow, State};
use crate::ir::{Action, BlockId, RegionId, StmtId};
use crate::table::Lock;
use crate::universe::Location;

/// A place that acquires locks.
pub(crate) struct Event {
    pub(crate) location: Location,
    /// The facts just before.
    pub(crate) state: State,
    /// What is acquired.
    pub(crate) acquired: Vec<u64>,
}

/// Two locks in the numbers of a universe, the second acquired at the event; and the region at whose level they enter `T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suspect {
    pub(crate) region: RegionId,
    pub(crate) first: u32,
    pub(crate) second: u32,
}

/// What a method tells the rest of the program.
#[derive(Debug, Default)]
pub(crate) struct RootFacts {
    /// A(m)_T, as far as callers can translate it: what is not one global lock, and what is.
    pub(crate) twice: Box<[(Lock, Lock)]>,
    pub(crate) globals: BitSet,
    /// Whether the method has a witness with a context of its own.
    pub(crate) confirmed: bool,
    /// Whether there were pairs beyond the cap.
    pub(crate) capped: bool,
}

impl Flow<'_> {
    /// All places that acquire something after something was released, in order.
    pub(crate) fn events(&self) -> Vec<Event> {
        let (method, universe) = (self.machine.method, &self.machine.universe);
        let mut events = Vec::new();
        let mut entered: BTreeMap<RegionId, State> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let Some(entry) = entry else { continue };
            let stmt = |state: &State, id: StmtId| {
                if let Action::Call(call) = method.stmts()[id.index()].action
                    && let Some(acquired) = universe.acquired_by(call)
                    && state.rows.iter().any(|&w| w != 0)
                {
                    let (state, acquired) = (state.clone(), acquired.to_vec());
                    events.push(Event { location: Location::Stmt(id), state, acquired });
                }
            };
            let edge = |state: &State, to: BlockId| {
                if to == BlockId::EXIT {
                    return;
                }
                let region = method.region_of(to);
                if region != state.region && method.region(region).parent == state.region {
                    entered.entry(region).or_insert_with(|| state.clone()).join(state);
                }
            };
            self.machine.walk(BlockId::from_index(at), entry.clone(), stmt, edge);
        }
        for (region, state) in entered {
            if let Some(lock) = universe.lock_of(region)
                && state.rows.iter().any(|&w| w != 0)
            {
                let mut acquired = vec![0; universe.words];
                set(&mut acquired, lock);
                events.push(Event { location: Location::Region(region), state, acquired });
            }
        }
        events.sort_by_key(|e| e.location);
        events
    }

    /// Calls back with all locks that a region of this method confirms at an event, those of inner regions first; with
    /// `variant`, pairs of different locks too, after those that are the same.
    pub(crate) fn each_confirmed(
        &self,
        event: &Event,
        variant: bool,
        mut call: impl FnMut(Suspect) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut region = event.state.region;
        while region != RegionId::ROOT {
            let (firsts, seconds) = self.candidates(event, region);
            suspects(region, &firsts, &seconds, variant, &mut call)?;
            region = self.machine.method.region(region).parent;
        }
        ControlFlow::Continue(())
    }

    /// Calls back with all locks that enter `T` at the level of the method and that callers can translate.
    pub(crate) fn each_root(
        &self,
        event: &Event,
        variant: bool,
        mut call: impl FnMut(Suspect) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (mut firsts, mut seconds) = self.candidates(event, RegionId::ROOT);
        let exported = &self.machine.universe.exported;
        firsts.iter_mut().zip(exported).for_each(|(w, e)| *w &= e);
        seconds.iter_mut().zip(exported).for_each(|(w, e)| *w &= e);
        suspects(RegionId::ROOT, &firsts, &seconds, variant, &mut call)
    }

    /// What was released at the level of a region, and what the event acquires, without the locks of the regions around,
    /// which cannot be witnesses, and without those that are held already.
    fn candidates(&self, event: &Event, region: RegionId) -> (Vec<u64>, Vec<u64>) {
        let (method, universe) = (self.machine.method, &self.machine.universe);
        let words = universe.words;
        let level = method.depth(region) * words;
        let mut firsts = event.state.rows[level..level + words].to_vec();
        let mut seconds = event.acquired.clone();
        for lock in universe.locks_around(method, region) {
            clear(&mut firsts, lock);
        }
        for lock in universe.locks_around(method, event.state.region) {
            clear(&mut seconds, lock);
        }
        (firsts, seconds)
    }

    /// A(m)_T for callers, and whether there is anything to report in the method itself.
    pub(crate) fn root_facts(&self, variant: bool, pair_cap: usize) -> RootFacts {
        let universe = &self.machine.universe;
        let mut facts = RootFacts::default();
        let mut same = vec![0; universe.words];
        let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
        for event in self.events() {
            let confirmed =
                || self.each_confirmed(&event, variant, |_| ControlFlow::Break(())).is_break();
            facts.confirmed = facts.confirmed || confirmed();
            let _ = self.each_root(&event, variant, |s| {
                if s.first == s.second {
                    set(&mut same, s.first);
                } else if pairs.len() < pair_cap {
                    pairs.insert((s.first, s.second));
                } else if !pairs.contains(&(s.first, s.second)) {
                    facts.capped = true;
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
        }
        let lock = |n: u32| universe.lock(n);
        facts.globals = universe.globals_of(&same);
        let same = universe.locals_of(&same).map(|n| (lock(n), lock(n)));
        facts.twice = same.chain(pairs.iter().map(|&(a, b)| (lock(a), lock(b)))).collect();
        facts
    }
}

fn clear(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] &= !(1 << (bit % 64));
}

fn suspects(
    region: RegionId,
    firsts: &[u64],
    seconds: &[u64],
    variant: bool,
    call: &mut impl FnMut(Suspect) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for second in ones(seconds).filter(|&n| has(firsts, n)) {
        call(Suspect { region, first: second, second })?;
    }
    if variant {
        for second in ones(seconds) {
            for first in ones(firsts).filter(|&n| n != second) {
                call(Suspect { region, first, second })?;
            }
        }
    }
    ControlFlow::Continue(())
}
