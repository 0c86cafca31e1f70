//! Warnings (section 4.5): one for each place where a witness is locked the second time, those with the same witness combined.
//!
//! A *place* is a statement of the method in which the second acquisition follows the first, a call or the entry of a block:
//! with Figure 1, line 5 of `contains`. (The line in `distanceTo` would make all callers of `distanceTo` one warning.) One statement may
//! acquire several locks for the second time; they share one warning, which tells of the first in full and of the others by name.
//!
//! Locks are the same when they are written the same in the same method, or when they are global.

use std::ops::ControlFlow;

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::finals::Finals;
use crate::flow::Flow;
use crate::globals::GlobalId;
use crate::graph::Lists;
use crate::ir::{Action, ClassId, ExprId, MethodId, RegionId, StmtId};
use crate::marks::{Marked, Marks};
use crate::pivot::{Event, RootFacts, Suspect};
use crate::search::{Acquired, Confirmed, Search, Step};
use crate::table::Lock;
use crate::universe::Location;
use crate::warning::{Acquisition, Context, Occurrence, Place, Warning};
use crate::world::World;

type Seed = foldhash::fast::FixedState;

/// How many other witnesses of a place are named.
const NAMED: usize = 8;
/// How many witnesses of a place are looked at.
const EXAMINED: usize = 256;

/// What a warning is combined by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Witness {
    Of(MethodId, ExprId),
    Global(GlobalId),
}

/// A place that is to be reported: its method and position there, and the first of its witnesses.
#[derive(Clone, Copy)]
struct Candidate {
    method: MethodId,
    location: Location,
    witness: Witness,
    /// Whether a block of the method itself is the context.
    own: bool,
}

/// Places with the same witness.
struct Group {
    candidates: Vec<Candidate>,
    /// How many were looked at, and what came of them.
    looked_at: usize,
    reported: Vec<(Witness, Occurrence)>,
    filtered: usize,
}

/// All that makes warnings.
pub(crate) struct Reporter<'a, 'p> {
    world: &'a World<'p>,
    finals: &'a Finals<'a, 'p>,
    marks: &'a Marks,
    callers: Lists,
    /// The library classes that the program has; none, as a rule, if the library is not analysed.
    library: HashSet<ClassId, Seed>,
}

impl<'a, 'p> Reporter<'a, 'p> {
    pub(crate) fn new(finals: &'a Finals<'a, 'p>, marks: &'a Marks) -> Self {
        let world = finals.world;
        let names = &world.program.names;
        let listed = world.options.library_classes.iter().filter(|_| !world.options.keep_library);
        let listed: HashSet<ClassId, Seed> = listed.filter_map(|c| names.find_class(c)).collect();
        let classes = world.program.methods.iter().map(|m| names.method(m.name).class);
        let library = classes.filter(|c| listed.contains(c)).collect();
        let callers = world.graph.successors.reversed();
        Self { world, finals, marks, callers, library }
    }

    /// The warnings, and how many places were filtered out.
    pub(crate) fn run(&self, roots: &[RootFacts]) -> (Vec<Warning>, usize) {
        let suspicious: Vec<MethodId> = self
            .world
            .program
            .method_ids()
            .filter(|&m| roots[m.index()].confirmed || self.marks.any(self.finals, m))
            .collect();
        let candidates: Vec<Candidate> =
            suspicious.par_iter().flat_map_iter(|&m| self.candidates(m)).collect();
        let mut groups = group(candidates);
        // A witness whose first places are all filtered may have others that are not.
        let mut batch = self.world.options.places_per_warning.max(1);
        while self.look_at(&mut groups, batch) {
            batch = batch.saturating_mul(4);
        }
        combine(groups)
    }

    /// The places of a method.
    fn candidates(&self, id: MethodId) -> Vec<Candidate> {
        let Some(flow) = Flow::new(self.world, id) else { return Vec::new() };
        let marked = self.marks.of(self.finals, id);
        let candidate = |event: Event| {
            let first = *self.suspects(&flow, &event, &marked, 1).first()?;
            let witness = witness(id, flow.machine.universe.locks[first.second as usize]);
            let own = first.region != RegionId::ROOT;
            Some(Candidate { method: id, location: event.location, witness, own })
        };
        flow.events().into_iter().filter_map(candidate).collect()
    }

    /// Looks at some more places of each witness that has none to report yet; says whether there were any.
    fn look_at(&self, groups: &mut [Group], batch: usize) -> bool {
        let mut chosen: Vec<(Candidate, usize)> = Vec::new();
        for (at, group) in groups.iter_mut().enumerate().filter(|(_, g)| g.reported.is_empty()) {
            let rest = &group.candidates[group.looked_at..];
            let next = &rest[..rest.len().min(batch)];
            chosen.extend(next.iter().map(|&c| (c, at)));
            group.looked_at += next.len();
        }
        // One method's places are looked at together.
        chosen.sort_by_key(|(c, at)| (c.method, *at, c.location));
        let jobs: Vec<&[(Candidate, usize)]> =
            chosen.chunk_by(|a, b| a.0.method == b.0.method).collect();
        let found: Vec<_> = jobs.par_iter().flat_map_iter(|job| self.method(job)).collect();
        for ((_, at), found) in chosen.iter().zip(found) {
            match found {
                Some(reported) => groups[*at].reported.push(reported),
                None => groups[*at].filtered += 1,
            }
        }
        !chosen.is_empty()
    }

    /// Looks at places of one method.
    fn method(&self, places: &[(Candidate, usize)]) -> Vec<Option<(Witness, Occurrence)>> {
        let nothing = || places.iter().map(|_| None).collect();
        let Some(id) = places.first().map(|p| p.0.method) else { return nothing() };
        let Some(flow) = Flow::new(self.world, id) else { return nothing() };
        let mut search = Search::new(self.world);
        let events = flow.events();
        let marked = self.marks.of(self.finals, id);
        let mut found = Vec::with_capacity(places.len());
        for (candidate, _) in places {
            let event = events.iter().find(|e| e.location == candidate.location);
            found.push(event.and_then(|e| self.place(id, &flow, e, &marked, &mut search)));
        }
        found
    }

    /// Looks at a place: its witnesses in order, until enough are found. Nothing, if all are locks of library classes.
    fn place(
        &self,
        id: MethodId,
        flow: &Flow<'_>,
        event: &Event,
        marked: &Marked,
        search: &mut Search<'_, '_>,
    ) -> Option<(Witness, Occurrence)> {
        let suspects = self.suspects(flow, event, marked, EXAMINED);
        let mut reported: Option<(Witness, Occurrence)> = None;
        for (at, &suspect) in suspects.iter().enumerate() {
            if let Some((_, occurrence)) = &mut reported
                && occurrence.others.len() == NAMED
            {
                occurrence.more = suspects.len() - at;
                break;
            }
            if let Some((_, occurrence)) = &mut reported {
                let name = self.name(id, flow, suspect.second);
                if occurrence.witness != name
                    && !occurrence.others.contains(&name)
                    && (self.library.is_empty()
                        || self
                            .site(id, flow, event, suspect, search)
                            .is_some_and(|site| !self.is_library(&site)))
                {
                    occurrence.others.push(name);
                }
                continue;
            }
            let Some(site) = self.site(id, flow, event, suspect, search) else { continue };
            if !self.is_library(&site) {
                reported = self.occurrence(id, flow, suspect, site, search);
            }
        }
        reported
    }

    /// The first witnesses of a place: confirmed by the method's own blocks, innermost first, then by callers.
    fn suspects(
        &self,
        flow: &Flow<'_>,
        event: &Event,
        marked: &Marked,
        limit: usize,
    ) -> Vec<Suspect> {
        let variant = self.world.options.variant;
        let mut found: Vec<Suspect> = Vec::new();
        let mut seen: HashSet<(u32, u32), Seed> = HashSet::default();
        let mut add = |s: Suspect| {
            if seen.insert((s.first, s.second)) {
                found.push(s);
            }
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let lock = |n: u32| flow.machine.universe.locks[n as usize];
        if flow.each_confirmed(event, variant, &mut add).is_continue() {
            let _ = flow.each_root(event, variant, |s| {
                if marked.contains((lock(s.first), lock(s.second))) {
                    add(s)
                } else {
                    ControlFlow::Continue(())
                }
            });
        }
        found
    }

    fn name(&self, id: MethodId, flow: &Flow<'_>, lock: u32) -> String {
        self.world.show(id, flow.machine.universe.locks[lock as usize])
    }

    /// Where both locks are acquired.
    fn site(
        &self,
        id: MethodId,
        flow: &Flow<'_>,
        event: &Event,
        suspect: Suspect,
        search: &mut Search<'_, '_>,
    ) -> Option<[Acquired; 2]> {
        let first = flow.first_release(event, suspect)?;
        let lock = |n: u32| flow.machine.universe.locks[n as usize];
        Some([
            acquired(id, flow, first, lock(suspect.first), search)?,
            acquired(id, flow, event.location, lock(suspect.second), search)?,
        ])
    }

    /// Whether both acquisitions are the doing of library classes. A client that locks a `Vector` itself shares it.
    fn is_library(&self, site: &[Acquired; 2]) -> bool {
        let names = &self.world.program.names;
        site.iter().all(|a| {
            let class = names.method(self.world.method(a.method).name).class;
            self.library.contains(&class)
        })
    }

    fn occurrence(
        &self,
        id: MethodId,
        flow: &Flow<'_>,
        suspect: Suspect,
        [first, second]: [Acquired; 2],
        search: &mut Search<'_, '_>,
    ) -> Option<(Witness, Occurrence)> {
        let lock = |n: u32| flow.machine.universe.locks[n as usize];
        let context = if suspect.region == RegionId::ROOT {
            let pair = (lock(suspect.first), lock(suspect.second));
            search.context(self.finals, self.marks, &self.callers, id, pair)?
        } else {
            Confirmed { method: id, region: suspect.region, steps: Vec::new() }
        };
        let witness = witness(id, lock(suspect.second));
        let occurrence = Occurrence {
            method: id,
            witness: self.name(id, flow, suspect.second),
            first_witness: self.name(id, flow, suspect.first),
            context: self.context(&context),
            first: self.acquisition(&first),
            second: self.acquisition(&second),
            others: Vec::new(),
            more: 0,
        };
        Some((witness, occurrence))
    }

    fn context(&self, context: &Confirmed) -> Context {
        let region = self.world.method(context.method).region(context.region);
        Context {
            lock: self.world.show(context.method, Lock::Local(region.lock)),
            place: Place { method: context.method, line: region.line },
            calls: self.places(&context.steps),
        }
    }

    fn acquisition(&self, acquired: &Acquired) -> Acquisition {
        let line = self.world.method(acquired.method).region(acquired.region).line;
        Acquisition {
            calls: self.places(&acquired.steps),
            place: Place { method: acquired.method, line },
            lock: self.world.show(acquired.method, acquired.lock),
        }
    }

    fn places(&self, steps: &[Step]) -> Vec<Place> {
        let line =
            |method: MethodId, stmt: StmtId| self.world.method(method).stmts()[stmt.index()].line;
        steps.iter().map(|s| Place { method: s.method, line: line(s.method, s.stmt) }).collect()
    }
}

/// Where a lock is acquired by a place of a method.
fn acquired(
    id: MethodId,
    flow: &Flow<'_>,
    location: Location,
    lock: Lock,
    search: &mut Search<'_, '_>,
) -> Option<Acquired> {
    match location {
        Location::Region(region) => Some(Acquired { steps: Vec::new(), method: id, region, lock }),
        Location::Stmt(stmt) => match flow.machine.method.stmts()[stmt.index()].action {
            Action::Call(call) => search.acquisition(id, stmt, call, lock),
            Action::Assign(_) => None,
        },
    }
}

fn witness(method: MethodId, lock: Lock) -> Witness {
    match lock {
        Lock::Local(expr) => Witness::Of(method, expr),
        Lock::Global(global) => Witness::Global(global),
    }
}

/// Puts places with the same witness together, in the order of their first ones; those with a context near by come first.
fn group(candidates: Vec<Candidate>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut positions: HashMap<Witness, usize, Seed> = HashMap::default();
    for candidate in candidates {
        let at = *positions.entry(candidate.witness).or_insert(groups.len());
        if at == groups.len() {
            let (candidates, reported) = (Vec::new(), Vec::new());
            groups.push(Group { candidates, looked_at: 0, reported, filtered: 0 });
        }
        groups[at].candidates.push(candidate);
    }
    for group in &mut groups {
        group.candidates.sort_by_key(|c| !c.own);
    }
    groups
}

/// Makes warnings of groups. A place whose first witness was filtered may belong to the warning of another one.
fn combine(groups: Vec<Group>) -> (Vec<Warning>, usize) {
    let mut warnings: Vec<Warning> = Vec::new();
    let mut positions: HashMap<Witness, usize, Seed> = HashMap::default();
    let mut filtered = 0;
    for group in groups {
        filtered += group.filtered;
        let mut more = group.candidates.len() - group.looked_at;
        for (witness, occurrence) in group.reported {
            let at = *positions.entry(witness).or_insert(warnings.len());
            if at == warnings.len() {
                warnings.push(Warning { occurrences: Vec::new(), more: 0 });
            }
            warnings[at].occurrences.push(occurrence);
            warnings[at].more += std::mem::take(&mut more);
        }
    }
    (warnings, filtered)
}
