//! The orders in which locks are acquired: every acquisition with locks in hand, each combination
//! of locks held, lock acquired, thread and period once.
//!
//! With several locks in hand, an acquisition tells nothing new if the same thread was seen, in the
//! same period, to acquire the same lock with each of them alone in hand: whatever circle goes
//! through it also goes through one of those.

use super::knots::Knots;
use crate::context::hashing::IdMap;
use crate::context::held::Holding;
use crate::context::locksets::SetId;
use crate::context::periods::{PeriodId, Periods};
use interloper_trace::{LabelId, LockId, Position, SiteId, ThreadId};
use smallvec::SmallVec;

/// What a thread has done since it last held no lock; the better first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) enum Way {
    /// Acquired the locks it holds.
    #[default]
    Direct,
    /// Acquired further locks, and released them.
    Detour,
    /// Started a thread.
    Forking,
}

/// An acquisition with locks in hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scene {
    pub(super) thread: ThreadId,
    pub(super) period: PeriodId,
    /// All locks in hand.
    pub(super) held: SetId,
    /// The lock acquired.
    pub(super) lock: LockId,
    pub(super) way: Way,
}

/// The first such acquisition by one thread in one period, or the first that came there in a better
/// way.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub(super) thread: ThreadId,
    pub(super) period: PeriodId,
    pub(super) at: Position,
    pub(super) site: SiteId,
    pub(super) label: LabelId,
    pub(super) held: SetId,
    pub(super) lock: LockId,
    pub(super) way: Way,
    /// The locks in hand in the order of acquisition, with the places: the latest [`KEPT`] of them.
    pub(super) latest: SmallVec<[(LockId, SiteId); 2]>,
}

/// The locks held and the lock acquired, and who did so.
pub(super) struct Pattern {
    pub(super) held: SetId,
    pub(super) lock: LockId,
    /// Made up of chains, in each of which every period happens before the next.
    by: Vec<Occurrence>,
    /// Where each chain ends.
    ends: Vec<usize>,
}

/// How many of the locks in hand are remembered with their places. (Those who hold hundreds
/// acquired most of them in one loop.)
const KEPT: usize = 16;
/// How many chains a new thread tries to go on with.
const TRIES: usize = 64;
/// How many recent acquisitions are remembered, to be recognized at once: a power of two.
const RECENT: usize = 1 << 12;

/// All orders so far.
#[derive(Default)]
pub(super) struct Orders {
    all: Vec<Occurrence>,
    /// The latest occurrence of each combination by each thread: the periods of a thread follow
    /// each other.
    latest: IdMap<(SetId, LockId, ThreadId), u32>,
    recent: Vec<Option<Scene>>,
}

impl Orders {
    /// Whether the acquisition is known, by a quick look.
    #[inline]
    pub(super) fn knows(&self, scene: &Scene) -> bool {
        let known = self.recent.get(Orders::place(scene)).copied().flatten();
        known.is_some_and(|known| {
            known.way <= scene.way && Scene { way: known.way, ..*scene } == known
        })
    }

    #[inline]
    fn place(scene: &Scene) -> usize {
        let mixed =
            scene.lock.0.wrapping_mul(0x9e37_79b1) ^ scene.thread.0.wrapping_mul(0x85eb_ca77);
        (mixed >> 16) as usize % RECENT
    }

    /// Takes note of an acquisition by a thread that holds the locks of `list`.
    pub(super) fn note(
        &mut self,
        scene: &Scene,
        (at, site, label): (Position, SiteId, LabelId),
        list: &[Holding],
    ) {
        if self.recent.is_empty() {
            self.recent.resize(RECENT, None);
        }
        self.recent[Orders::place(scene)] = Some(*scene);
        if list.len() > 1 && self.tells_nothing(scene, list) {
            return;
        }
        let Scene { thread, period, held, lock, way } = *scene;
        let next = self.all.len() as u32;
        let latest = self.latest.entry((held, lock, thread)).or_insert(next);
        let known = self.all.get_mut(*latest as usize).filter(|known| known.period == period);
        if known.as_ref().is_some_and(|known| known.way <= way) {
            return;
        }
        let kept = &list[list.len().saturating_sub(KEPT)..];
        let kept = kept.iter().map(|held| (held.lock, held.site)).collect();
        let one = Occurrence { thread, period, at, site, label, held, lock, way, latest: kept };
        match known {
            Some(known) => *known = one,
            None => {
                *latest = next;
                self.all.push(one);
            }
        }
    }

    /// Whether the thread was seen with each of the locks alone in hand.
    fn tells_nothing(&self, scene: &Scene, list: &[Holding]) -> bool {
        list.iter().all(|held| {
            let alone = (SetId::single(held.lock), scene.lock, scene.thread);
            self.latest.get(&alone).is_some_and(|&known| {
                let known = &self.all[known as usize];
                known.period == scene.period && known.way <= scene.way
            })
        })
    }

    /// All of them, in the order of their first occurrence.
    pub(super) fn all(&self) -> &[Occurrence] {
        &self.all
    }

    /// Those that can be on a circle, by the locks held and acquired.
    pub(super) fn patterns(&mut self, knots: &Knots<'_>, periods: &Periods) -> Vec<Pattern> {
        self.latest = IdMap::default();
        let mut index: IdMap<(SetId, LockId), usize> = IdMap::default();
        let mut patterns: Vec<Pattern> = vec![];
        let all = std::mem::take(&mut self.all);
        for one in all.into_iter().filter(|one| knots.ties(one.held, one.lock)) {
            let (held, lock) = (one.held, one.lock);
            let pattern = *index.entry((held, lock)).or_insert_with(|| {
                patterns.push(Pattern { held, lock, by: vec![], ends: vec![] });
                patterns.len() - 1
            });
            patterns[pattern].by.push(one);
        }
        patterns.iter_mut().for_each(|pattern| pattern.arrange(periods));
        patterns
    }
}

impl Pattern {
    /// The chains of occurrences that happen one before the other.
    pub(super) fn chains(&self) -> impl Iterator<Item = &[Occurrence]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.by[start..end])
    }

    /// Those who do so.
    pub(super) fn threads(&self) -> impl Iterator<Item = ThreadId> {
        self.by.iter().map(|one| one.thread)
    }

    /// The only thread that does so, if there is only one.
    pub(super) fn only(&self) -> Option<ThreadId> {
        let first = self.threads().next()?;
        self.threads().all(|thread| thread == first).then_some(first)
    }

    /// Puts the occurrences into chains: few, though not the fewest. A thread stays in its chain; a
    /// new one goes on where another has ended.
    fn arrange(&mut self, periods: &Periods) {
        if self.by.len() == 1 {
            self.ends = vec![1];
            return;
        }
        // Whatever happens before comes before.
        self.by.sort_unstable_by_key(|one| one.at);
        let mut chains: Vec<Vec<Occurrence>> = vec![];
        let mut own: IdMap<ThreadId, usize> = IdMap::default();
        for one in std::mem::take(&mut self.by) {
            let fits = |chain: &usize| {
                chains[*chain].last().is_some_and(|last| periods.before(last.period, one.period))
            };
            let known = own.get(&one.thread).copied().filter(fits);
            let chain = known.or_else(|| (0..chains.len().min(TRIES)).find(fits));
            let chain = chain.unwrap_or_else(|| {
                chains.push(vec![]);
                chains.len() - 1
            });
            own.insert(one.thread, chain);
            chains[chain].push(one);
        }
        for chain in chains {
            self.by.extend(chain);
            self.ends.push(self.by.len());
        }
    }
}
