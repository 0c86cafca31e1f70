//! Theorem 4: two variables, two transactions. A 2v-block is a pair of events of one transaction on
//! different variables, the first initial read or the final write of each.
//!
//! A transaction of `n` variables has about `n²` of them, and nearly all are of no interest, so they
//! are not made blindly. In an unserializable order at least one of the two transactions is *cut*: an
//! event of the other, in conflict with one end of its block, comes between the two ends; then the
//! two have no lock in common that the block holds throughout. So first the blocks are looked for that
//! can be cut by any event at all. Properly locked transactions have none, which a look at the locks
//! that protect their variables tells without looking at pairs. Then only those pairs of variables
//! are compared on which there is such a block.

use super::classes::{Classes, Group};
use super::collect::{Roles, Var};
use super::onevar::Facts;
use super::overlap::WhenId;
use super::pattern::conflict;
use super::report::{Code, Report};
use super::store::TxnId;
use super::study::{ByVar, Check, Place, Study};
use crate::context::hashing::{IdMap, IdSet};
use crate::context::locksets::SetId;
use crate::engine::Progress;
use std::rc::Rc;

/// How many pairs of events are asked whether they can be cut, in all.
const QUESTIONS: u64 = 1 << 28;
/// How many pairs of variables are compared.
const PAIRS: usize = 1 << 22;
/// How many findings are tried on one pair of variables, apart from those of blocks not yet blamed.
const TRIES: usize = 24;

/// A pair of variables, the smaller number first.
type Both = (Var, Var);

/// What there was to look at.
pub(super) struct Looked {
    /// How many pairs of variables were compared.
    pub(super) pairs: u64,
    /// The 2v-blocks that can be cut by some event in conflict with their first, if they are wanted.
    pub(super) starts: Vec<Block>,
}

/// How many of these are kept.
const STARTS: usize = 1 << 20;

/// Looks at all pairs of variables that need it.
pub(super) fn look(
    study: &mut Study,
    facts: &Facts,
    wants_starts: bool,
    report: &mut Report,
    progress: &mut dyn Progress,
) -> Looked {
    let mut search = Search::new(facts, wants_starts);
    let mut ends = None;
    let (mut pairs, all) = (0u64, study.store.len() as u64);
    for txn in study.store.ids() {
        // What its blocks are blamed for already is enough; if it can cut others, they will tell.
        if !report.is_full_of(study, txn) {
            search.transaction(study, txn);
        }
        let done = u64::from(txn.0) + 1;
        if !done.is_multiple_of(4096) && done != all {
            continue;
        }
        for (x, y) in std::mem::take(&mut search.fresh) {
            if pairs.is_multiple_of(256) {
                progress.at(done, all);
            }
            let ends = ends.get_or_insert_with(|| ends_of(study, facts));
            compare(study, report, ends, x, y);
            pairs += 1;
        }
        progress.at(done, all);
    }
    let starts = search.starts.unwrap_or_default();
    report.gave_up |= search.asked > QUESTIONS || search.found.len() >= PAIRS;
    report.gave_up |= starts.len() >= STARTS;
    Looked { pairs, starts }
}

/// Events of a variable that are alike: their roles, their locks, their periods.
type Alike = (Roles, SetId, WhenId);

/// Whether the mark counts for blocks on two variables.
pub(super) fn counts(roles: Roles) -> bool {
    roles.has(Roles::FIRST) || roles.has(Roles::FINAL)
}

/// What matters of roles for blocks on two variables.
fn as_end(roles: Roles) -> Roles {
    Roles(roles.0 & (Roles::FIRST.0 | Roles::FINAL.0))
}

/// The search for blocks that can be cut.
struct Search<'a> {
    facts: &'a Facts,
    /// By variable: its events.
    events: IdMap<Var, Rc<[Alike]>>,
    found: IdSet<Both>,
    /// Those found since last asked for.
    fresh: Vec<Both>,
    /// If they are wanted.
    starts: Option<Vec<Block>>,
    asked: u64,
    /// Those of the transaction in hand.
    here: Vec<Event>,
}

/// An event of interest in a transaction.
#[derive(Clone, Copy)]
struct Event {
    mark: u32,
    segment: u32,
    /// The segments before and behind it from and up to which a lock is held without interruption
    /// that is held wherever somebody could interfere with its variable; none if it holds no such lock.
    safe: Option<(u32, u32)>,
}

impl Event {
    fn is_safe_until(&self, segment: u32) -> bool {
        self.safe.is_some_and(|(_, until)| segment <= until)
    }

    fn is_safe_from(&self, segment: u32) -> bool {
        self.safe.is_some_and(|(from, _)| from <= segment)
    }
}

impl<'a> Search<'a> {
    fn new(facts: &'a Facts, wants_starts: bool) -> Search<'a> {
        Search {
            facts,
            events: IdMap::default(),
            found: IdSet::default(),
            fresh: vec![],
            starts: wants_starts.then(Vec::new),
            asked: 0,
            here: vec![],
        }
    }

    /// Looks for pairs of events that can be cut.
    fn transaction(&mut self, study: &mut Study, txn: TxnId) {
        self.collect(study, txn);
        let events = std::mem::take(&mut self.here);
        let (mut first, mut last) = (u32::MAX, 0);
        for event in &events {
            (first, last) = (first.min(event.segment), last.max(event.segment));
        }
        let is_safe = |event: &Event| event.is_safe_from(first) && event.is_safe_until(last);
        if !events.iter().all(is_safe) {
            for (at, event) in events.iter().enumerate() {
                let later = events.partition_point(|other| event.is_safe_until(other.segment));
                for other in &events[later.max(at + 1)..] {
                    self.ask(study, txn, [event.mark, other.mark], event.mark);
                }
                let earlier = events.partition_point(|other| !event.is_safe_from(other.segment));
                for other in &events[..earlier.min(at)] {
                    self.ask(study, txn, [other.mark, event.mark], event.mark);
                }
            }
        }
        self.here = events;
    }

    /// Finds the events of interest.
    fn collect(&mut self, study: &Study, txn: TxnId) {
        self.here.clear();
        let skeleton = study.store.skeleton(txn);
        for (at, mark) in study.store.marks(txn).iter().enumerate() {
            if counts(mark.roles()) && self.facts.is_shared(mark.var) {
                let safe = self.facts.locks(mark.var).iter();
                let safe = safe.filter_map(|&lock| skeleton.around(mark.segment, lock));
                let safe = safe.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
                self.here.push(Event { mark: at as u32, segment: mark.segment, safe });
            }
        }
    }

    /// Asks whether a pair of events can be cut by one in conflict with the given of the two.
    fn ask(&mut self, study: &mut Study, txn: TxnId, [first, last]: [u32; 2], exposed: u32) {
        let var = |mark: u32| study.mark(Place { txn, mark }).var;
        let both = (var(first).min(var(last)), var(first).max(var(last)));
        let enough = self.asked > QUESTIONS || self.found.len() >= PAIRS;
        let wanted = exposed == first && self.starts.as_ref().is_some_and(|s| s.len() < STARTS);
        if both.0 == both.1 || enough || self.found.contains(&both) && !wanted {
            return;
        }
        self.asked += 1;
        let held = study.throughout_set(txn, first, last);
        if self.can_be_cut(study, txn, exposed, held) {
            if self.found.insert(both) {
                self.fresh.push(both);
            }
            if wanted {
                self.starts.iter_mut().for_each(|starts| starts.push((txn, first, last)));
            }
        }
    }

    /// Whether an event in conflict with this one can come while these locks are held.
    fn can_be_cut(&mut self, study: &mut Study, txn: TxnId, mark: u32, held: SetId) -> bool {
        let mark = study.mark(Place { txn, mark });
        let when = study.when(txn);
        let events = self.events(study, mark.var);
        events.iter().any(|&(roles, set, other)| {
            conflict(mark.roles(), roles)
                && study.locksets.disjoint(set, held)
                && study.overlaps.both(when, other).is_some()
        })
    }

    fn events(&mut self, study: &mut Study, var: Var) -> Rc<[Alike]> {
        if let Some(known) = self.events.get(&var) {
            return known.clone();
        }
        let (mut alike, mut held) = (IdSet::<Alike>::default(), vec![]);
        for at in 0..study.by_var.of(var).len() {
            let place = study.by_var.of(var)[at];
            let roles = as_end(study.mark(place).roles());
            if counts(roles) {
                study.held(place, &mut held);
                let set = study.locksets.of(held.clone());
                alike.insert((roles, set, study.when(place.txn)));
            }
        }
        let mut alike: Vec<Alike> = alike.into_iter().collect();
        alike.sort_unstable();
        let alike: Rc<[Alike]> = alike.into();
        self.events.insert(var, alike.clone());
        alike
    }
}

/// What matters of a 2v-block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    /// Whether the event on the first variable comes first.
    forward: bool,
    x: Roles,
    y: Roles,
    throughout: SetId,
    used: SetId,
}

/// A 2v-block.
pub(super) type Block = (TxnId, u32, u32);

type Blocks = Group<Code, Block>;

/// Compares the 2v-blocks on two variables with each other.
fn compare(study: &mut Study, report: &mut Report, ends: &ByVar<Place>, x: Var, y: Var) {
    let mut classes = blocks(study, report, ends, x, y).list;
    let mut tried = 0;
    for one in 0..classes.len() {
        for other in one..classes.len() {
            if !report.may_compare() {
                return;
            }
            let (a, b) = (classes[one].0, classes[other].0);
            if !conflict(a.x, b.x) || !conflict(a.y, b.y) {
                continue;
            }
            if a.forward != b.forward {
                if study.locksets.disjoint(a.throughout, b.throughout) {
                    let mut rule = Rule { report, tried: &mut tried, ask: overlap };
                    rule.groups(study, &mut classes, one, other);
                }
                continue;
            }
            for (outer, inner) in [(one, other), (other, one)] {
                let (around, inside) = (classes[outer].0, classes[inner].0);
                if study.locksets.disjoint(around.throughout, inside.used) {
                    let mut rule = Rule { report, tried: &mut tried, ask: within };
                    rule.groups(study, &mut classes, outer, inner);
                }
                if one == other {
                    break;
                }
            }
        }
    }
}

/// The events that can be ends of 2v-blocks.
fn ends_of(study: &Study, facts: &Facts) -> ByVar<Place> {
    let store = study.store;
    ByVar::new(study.vars().count(), || {
        store.ids().flat_map(move |txn| {
            let marks = store.marks(txn);
            let several = marks.iter().any(|mark| mark.var != marks[0].var);
            let ends = marks.iter().zip(0u32..).filter(move |(mark, _)| {
                several && counts(mark.roles()) && facts.is_shared(mark.var)
            });
            ends.map(move |(mark, at)| (mark.var, Place { txn, mark: at }))
        })
    })
}

/// All 2v-blocks on two variables, by what matters.
fn blocks(
    study: &mut Study,
    report: &Report,
    ends: &ByVar<Place>,
    x: Var,
    y: Var,
) -> Classes<Shape, Code, Block> {
    let (few, many) = if ends.of(x).len() <= ends.of(y).len() { (x, y) } else { (y, x) };
    let mut found: Vec<(Place, Place)> = vec![];
    for &place in ends.of(few) {
        let others = ends.of(many);
        let from = others.partition_point(|other| other.txn < place.txn);
        let same = others[from..].iter().take_while(|other| other.txn == place.txn);
        found.extend(same.map(|&other| if few == x { (place, other) } else { (other, place) }));
    }
    let mut classes = Classes::default();
    if !worth_it(study, report, &found) {
        return classes;
    }
    for (on_x, on_y) in found {
        let (txn, forward) = (on_x.txn, on_x.mark < on_y.mark);
        let (first, last) = (on_x.mark.min(on_y.mark), on_x.mark.max(on_y.mark));
        let shape = Shape {
            forward,
            x: as_end(study.mark(on_x).roles()),
            y: as_end(study.mark(on_y).roles()),
            throughout: study.throughout_set(txn, first, last),
            used: study.used_set(txn, first, last),
        };
        let code = Code::of(study, txn, first, last);
        classes.add(shape, code, study.when(txn), (txn, first, last));
    }
    classes
}

/// Whether there can be anything to find: two transactions that write, one of them not known yet.
fn worth_it(study: &Study, report: &Report, found: &[(Place, Place)]) -> bool {
    let writes = |place: Place| study.mark(place).is(Roles::FINAL);
    let Some(&(one, _)) = found.first() else { return false };
    let several = found.iter().any(|(other, _)| other.txn != one.txn)
        || study.overlaps.only_thread(study.when(one.txn)).is_none();
    several
        && found.iter().any(|&(x, _)| writes(x))
        && found.iter().any(|&(_, y)| writes(y))
        && found.iter().any(|&(x, y)| !report.is_full(&Code::of(study, x.txn, x.mark, y.mark)))
}

/// What to ask of two blocks; whether that was a finding.
type Ask = fn(&mut Study, &mut Report, Block, Block) -> bool;

struct Rule<'a, 's> {
    report: &'a mut Report<'s>,
    tried: &'a mut usize,
    ask: Ask,
}

impl Rule<'_, '_> {
    /// Tries the groups of two classes with each other.
    fn groups(
        &mut self,
        study: &mut Study,
        classes: &mut [(Shape, Vec<Blocks>)],
        one: usize,
        other: usize,
    ) {
        for a in 0..classes[one].1.len() {
            for b in 0..classes[other].1.len() {
                let codes = [classes[one].1[a].key, classes[other].1[b].key];
                let old = codes.iter().all(|code| self.report.is_blamed(code));
                let full = codes.iter().all(|code| self.report.is_full(code));
                if old && *self.tried >= TRIES || full {
                    continue;
                }
                *self.tried += 1;
                let when = classes[one].1[a].when(study);
                let others = classes[other].1[b].when(study);
                if let Some((p, q)) = study.overlaps.both(when, others) {
                    let blocks = classes[one].1[a].some(study, p, |block| block.0);
                    let others = classes[other].1[b].some(study, q, |block| block.0);
                    self.members(study, &blocks, &others);
                }
            }
        }
    }

    fn members(&mut self, study: &mut Study, blocks: &[Block], others: &[Block]) {
        for &one in blocks {
            for &other in others {
                let apart = study.both(one.0, other.0).is_none();
                if !apart && (self.ask)(study, self.report, one, other) {
                    return;
                }
            }
        }
    }
}

/// The events of both are in the same order: the second pair within the first.
fn within(study: &mut Study, report: &mut Report, outer: Block, inner: Block) -> bool {
    let check = study.can_be_within(outer, inner);
    if check != Check::Impossible {
        let (a, b) = ((0, outer.1), (0, outer.2));
        let (c, d) = ((1, inner.1), (1, inner.2));
        let checked = check == Check::Possible;
        report.two(study, [outer.0, inner.0], [a, c, d, b], [[a, c], [d, b]], checked);
    }
    check != Check::Impossible
}

/// They are in opposite order: each can be within the other, or they overlap.
fn overlap(study: &mut Study, report: &mut Report, one: Block, other: Block) -> bool {
    let mut found = false;
    for (cut, whole) in [(one, other), (other, one)] {
        let check = study.can_be_within(cut, whole);
        if check != Check::Impossible {
            found = true;
            crossed(study, report, cut, whole, [0, 2, 3, 1], check);
        }
    }
    if found {
        return true;
    }
    for (cut, next) in [(one, other), (other, one)] {
        let check = study.can_cut(cut.0, cut.1, cut.2, Place { txn: next.0, mark: next.1 });
        if check != Check::Impossible {
            crossed(study, report, cut, next, [0, 2, 1, 3], check);
            return true;
        }
    }
    false
}

/// Reports pairs in opposite order; `order` is of the first's two events and the other's two.
fn crossed(
    study: &mut Study,
    report: &mut Report,
    cut: Block,
    other: Block,
    order: [usize; 4],
    check: Check,
) {
    let events = [(0, cut.1), (0, cut.2), (1, other.1), (1, other.2)];
    let [a, b, c, d] = events;
    let checked = check == Check::Possible;
    report.two(study, [cut.0, other.0], order.map(|at| events[at]), [[a, d], [c, b]], checked);
}
