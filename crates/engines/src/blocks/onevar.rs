//! Theorem 3: one variable at a time. Every 1v-block is held against every event of the variable that
//! could cut it, by classes of equal operation, locks and periods.
//!
//! Most variables need no comparison: some lock is held at all accesses that can overlap with others,
//! and in every 1v-block without interruption.

use super::classes::{Classes, Group};
use super::collect::{PairKind, Roles, Var};
use super::overlap::WhenId;
use super::pattern::cuts;
use super::report::{Code, Report};
use super::study::{Check, Place, Span, Study};
use crate::context::hashing::IdMap;
use crate::context::locksets::SetId;
use crate::engine::Progress;
use interloper_trace::{LockId, SiteId, ThreadId};
use smallvec::SmallVec;

/// How many different sets of periods of a variable are compared with each other.
const FEW: usize = 48;
/// How many findings are tried on one variable, apart from those of blocks not yet blamed.
const TRIES: usize = 48;
/// How many comparisons of classes there are in all.
pub(super) const COMPARISONS: u64 = 1 << 31;

/// What is known of each variable: what section 6.2 needs of section 6.1.
#[derive(Default)]
pub(super) struct Facts {
    /// By variable: whether conflicting accesses can overlap, and where its locks end.
    vars: Vec<(bool, u32)>,
    locks: Vec<LockId>,
}

impl Facts {
    /// Whether conflicting accesses of different threads can overlap.
    pub(super) fn is_shared(&self, var: Var) -> bool {
        self.vars[var.index()].0
    }

    /// Locks that are held at all accesses that can overlap with others.
    pub(super) fn locks(&self, var: Var) -> &[LockId] {
        let start = var.index().checked_sub(1).map_or(0, |before| self.vars[before].1);
        &self.locks[start as usize..self.vars[var.index()].1 as usize]
    }
}

/// A class of events.
struct Singles {
    roles: Roles,
    set: SetId,
    /// By place in the code.
    groups: Vec<Group<SiteId, Place>>,
}

/// A class of pairs.
struct Pairs {
    kind: PairKind,
    set: SetId,
    groups: Vec<Group<Code, Span>>,
}

/// Looks at all variables.
pub(super) fn look(study: &mut Study, report: &mut Report, progress: &mut dyn Progress) -> Facts {
    let mut rule = OneVar { facts: Facts::default(), report, progress, tried: 0, done: 0, of: 0 };
    rule.of = study.vars().count() as u64;
    for var in study.vars() {
        rule.variable(study, var);
        rule.facts
            .vars
            .last_mut()
            .iter_mut()
            .for_each(|facts| facts.1 = rule.facts.locks.len() as u32);
    }
    rule.facts
}

struct OneVar<'a, 's> {
    facts: Facts,
    report: &'a mut Report<'s>,
    progress: &'a mut dyn Progress,
    /// On this variable.
    tried: usize,
    done: u64,
    of: u64,
}

impl OneVar<'_, '_> {
    fn variable(&mut self, study: &mut Study, var: Var) {
        self.tick();
        self.facts.vars.push((false, 0));
        // First as if all accesses could overlap: mostly that is enough.
        let mut whens = Whens::new();
        let mut common = common_locks(study, var, &whens);
        if common.is_empty() {
            match live(study, var) {
                Some(live) => whens = live,
                None => return,
            }
            common = common_locks(study, var, &whens);
        }
        self.facts.vars.last_mut().iter_mut().for_each(|facts| facts.0 = true);
        self.facts.locks.extend_from_slice(&common);
        let mut held = vec![];
        let covered = |span: Span| {
            study.throughout(span.txn, span.first, span.last, &mut held);
            held.iter().any(|lock| common.contains(lock))
        };
        if !study.spans(var).all(covered) {
            self.compare(study, var, &whens, &common);
        }
    }

    fn tick(&mut self) {
        self.done += 1;
        if self.done.is_multiple_of(4096) {
            self.progress.at(self.done, self.of);
        }
    }

    /// Compares all classes of pairs with all classes of events.
    fn compare(&mut self, study: &mut Study, var: Var, whens: &[WhenId], common: &[LockId]) {
        self.tried = 0;
        let locks = shared_locks(study, var);
        let mut singles = singles(study, var, &locks, whens);
        let mut pairs = pairs(study, var, &locks, whens);
        let index = ByLock::new(study, &singles);
        self.of += pairs.len() as u64;
        for pair in &mut pairs {
            self.tick();
            let locks = study.locksets.locks(pair.set);
            if locks.iter().any(|lock| common.contains(lock)) {
                continue;
            }
            for at in index.disjoint(&locks) {
                let single = &mut singles[at];
                if cuts(single.roles, pair.kind) && self.report.may_compare() {
                    self.cut(study, pair, single);
                }
            }
        }
    }

    /// An event of the one class comes between a pair of the other if their periods can overlap.
    fn cut(&mut self, study: &mut Study, pairs: &mut Pairs, singles: &mut Singles) {
        for pair in &mut pairs.groups {
            for single in &mut singles.groups {
                let spent = self.tried >= TRIES && self.report.is_blamed(&pair.key);
                if spent || self.report.is_full(&pair.key) {
                    break;
                }
                self.tried += 1;
                let (one, other) = (pair.when(study), single.when(study));
                if let Some((p, q)) = study.overlaps.both(one, other) {
                    let pairs = pair.some(study, p, |span| span.txn);
                    let singles = single.some(study, q, |place| place.txn);
                    self.try_members(study, &pairs, &singles);
                }
            }
        }
    }

    fn try_members(&mut self, study: &mut Study, pairs: &[Span], singles: &[Place]) {
        let mut unchecked = None;
        for &span in pairs {
            for &between in singles {
                if study.both(span.txn, between.txn).is_none() {
                    continue;
                }
                match study.can_cut(span.txn, span.first, span.last, between) {
                    Check::Possible => return self.report.one(study, span, between, true),
                    Check::Impossible => {}
                    Check::Unchecked => unchecked = unchecked.or(Some((span, between))),
                }
            }
        }
        if let Some((span, between)) = unchecked {
            self.report.one(study, span, between, false);
        }
    }
}

/// Sets of periods; none stands for all.
type Whens = SmallVec<[WhenId; 8]>;

/// The sets of periods of a variable that can overlap with others of them. `None` if no conflicting
/// accesses of different threads can overlap.
fn live(study: &mut Study, var: Var) -> Option<Whens> {
    let mut whens = Whens::new();
    let mut writes = false;
    for &place in study.by_var.of(var) {
        writes |= study.mark(place).is(Roles::WRITE);
        let when = study.when(place.txn);
        if whens.len() <= FEW && !whens.contains(&when) {
            whens.push(when);
        }
    }
    if !writes {
        return None;
    }
    if whens.len() > FEW {
        return Some(Whens::new());
    }
    let all = whens.clone();
    whens.retain(|when| all.iter().any(|&other| study.overlaps.both(*when, other).is_some()));
    (!whens.is_empty()).then_some(whens)
}

/// The locks held at all events in these periods.
fn common_locks(study: &Study, var: Var, whens: &[WhenId]) -> Vec<LockId> {
    let live = |place: &&Place| whens.is_empty() || whens.contains(&study.when(place.txn));
    let (mut common, mut held) = (None::<Vec<LockId>>, vec![]);
    for place in study.by_var.of(var).iter().filter(live) {
        study.held(*place, &mut held);
        match &mut common {
            None => common = Some(held.clone()),
            Some(common) => common.retain(|lock| held.contains(lock)),
        }
        if common.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    common.unwrap_or_default()
}

/// The locks that several threads hold at accesses of the variable: others keep nobody apart.
fn shared_locks(study: &Study, var: Var) -> IdMap<LockId, Option<ThreadId>> {
    let (mut holders, mut held) = (IdMap::<LockId, Option<ThreadId>>::default(), vec![]);
    for &place in study.by_var.of(var) {
        let thread = study.overlaps.only_thread(study.when(place.txn));
        study.held(place, &mut held);
        for &lock in &held {
            let holder = holders.entry(lock).or_insert(thread);
            if *holder != thread {
                *holder = None;
            }
        }
    }
    holders.retain(|_, thread| thread.is_none());
    holders
}

fn singles(
    study: &mut Study,
    var: Var,
    locks: &IdMap<LockId, Option<ThreadId>>,
    whens: &[WhenId],
) -> Vec<Singles> {
    let mut classes = Classes::default();
    let mut held = vec![];
    for at in 0..study.by_var.of(var).len() {
        let place = study.by_var.of(var)[at];
        let (mark, when) = (study.mark(place), study.when(place.txn));
        if !whens.is_empty() && !whens.contains(&when) {
            continue;
        }
        study.held(place, &mut held);
        held.retain(|lock| locks.contains_key(lock));
        let set = study.locksets.of(held.clone());
        let roles = mark.roles().0 & (Roles::INITIAL.0 | Roles::WRITE.0 | Roles::FINAL.0);
        classes.add((Roles(roles), set), mark.site, when, place);
    }
    let single = |((roles, set), groups)| Singles { roles, set, groups };
    classes.list.into_iter().map(single).collect()
}

fn pairs(
    study: &mut Study,
    var: Var,
    locks: &IdMap<LockId, Option<ThreadId>>,
    whens: &[WhenId],
) -> Vec<Pairs> {
    let mut classes = Classes::default();
    let mut held = vec![];
    let spans: Vec<Span> = study.spans(var).collect();
    for span in spans {
        let when = study.when(span.txn);
        if !whens.is_empty() && !whens.contains(&when) {
            continue;
        }
        study.throughout(span.txn, span.first, span.last, &mut held);
        held.retain(|lock| locks.contains_key(lock));
        let set = study.locksets.of(held.clone());
        let code = Code::of(study, span.txn, span.first, span.last);
        classes.add((span.kind, set), code, when, span);
    }
    let pair = |((kind, set), groups)| Pairs { kind, set, groups };
    classes.list.into_iter().map(pair).collect()
}

/// Classes of events by lock, to find those that have none of some locks.
struct ByLock {
    classes: usize,
    with: IdMap<LockId, Members>,
}

/// Some classes.
enum Members {
    Few(Vec<u32>),
    /// Sixty-four classes a word.
    Many(Vec<u64>),
}

impl ByLock {
    fn new(study: &Study, singles: &[Singles]) -> ByLock {
        let words = singles.len().div_ceil(64);
        let mut with = IdMap::<LockId, Vec<u32>>::default();
        for (at, single) in singles.iter().enumerate() {
            for lock in study.locksets.locks(single.set) {
                with.entry(lock).or_default().push(at as u32);
            }
        }
        let pack = |members: Vec<u32>| {
            if members.len() < words {
                return Members::Few(members);
            }
            let mut bits = vec![0; words];
            members.iter().for_each(|&class| bits[class as usize / 64] |= 1 << (class % 64));
            Members::Many(bits)
        };
        let with = with.into_iter().map(|(lock, members)| (lock, pack(members))).collect();
        ByLock { classes: singles.len(), with }
    }

    /// The classes that have none of these locks.
    fn disjoint(&self, locks: &[LockId]) -> Vec<usize> {
        let mut free = vec![u64::MAX; self.classes.div_ceil(64)];
        if let (Some(last), 1..) = (free.last_mut(), self.classes % 64) {
            *last = (1 << (self.classes % 64)) - 1;
        }
        for lock in locks {
            match self.with.get(lock) {
                None => {}
                Some(Members::Few(members)) => {
                    members
                        .iter()
                        .for_each(|&class| free[class as usize / 64] &= !(1 << (class % 64)));
                }
                Some(Members::Many(bits)) => {
                    free.iter_mut().zip(bits).for_each(|(free, bits)| *free &= !bits);
                }
            }
        }
        let mut disjoint = vec![];
        for (at, mut word) in free.into_iter().enumerate() {
            while word != 0 {
                disjoint.push(at * 64 + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
        disjoint
    }
}
