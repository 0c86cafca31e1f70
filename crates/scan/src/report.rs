//! Warnings (section 4.5): one for each place where a witness is locked the second time, those with the same witness combined.
//!
//! A *place* is a statement of the method in which the second acquisition follows the first, a call or the entry of a block:
//! with Figure 1, line 5 of `contains`. (The line in `distanceTo` would make all callers of `distanceTo` one warning.) One statement may
//! acquire several locks for the second time; they share one warning, which tells of the first in full and of the others by name.
//!
//! Locks are the same when they are written the same in the same method, or when they are global.

use std::ops::ControlFlow;

use hashbrown::HashMap;
use rayon::prelude::*;

use crate::filter::{Filter, Reason};
use crate::finals::Finals;
use crate::flow::Flow;
use crate::globals::GlobalId;
use crate::graph::Lists;
use crate::ir::{Action, ExprId, MethodId, RegionId, StmtId};
use crate::marks::{Marked, Marks};
use crate::pivot::{Event, RootFacts, Suspect};
use crate::search::{Acquired, Confirmed, Search, Step};
use crate::table::Lock;
use crate::universe::Location;
use crate::warning::{Acquisition, Context, LeftOut, Occurrence, Place, Warning};
use crate::world::World;

type Seed = foldhash::fast::FixedState;

/// How many other witnesses of a place are named.
const NAMED: usize = 8;
/// How many witnesses of a place are looked at.
const EXAMINED: usize = 256;
/// How many of them may be left out before the place is.
const TRIED: usize = 8;
/// After so many places of a witness that are all left out, its other places are not looked at.
const LOOKED_AT: usize = 40;
/// How many contexts of a witness are looked at.
const CONTEXTS: usize = 16;

/// What became of a place.
type Told = Result<(Witness, Occurrence), Reason>;

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
    left_out: Vec<Reason>,
}

/// Where an instance of the pattern is: both acquisitions, and the context.
struct Instance {
    first: Acquired,
    second: Acquired,
    context: Confirmed,
}

/// All that makes warnings.
pub(crate) struct Reporter<'a, 'p> {
    world: &'a World<'p>,
    finals: &'a Finals<'a, 'p>,
    marks: &'a Marks,
    callers: Lists,
    filter: Filter<'a, 'p>,
}

impl<'a, 'p> Reporter<'a, 'p> {
    pub(crate) fn new(finals: &'a Finals<'a, 'p>, marks: &'a Marks) -> Self {
        let world = finals.world;
        let callers = world.graph.successors.reversed();
        Self { world, finals, marks, callers, filter: Filter::new(world) }
    }

    /// The warnings, and how many places were left out.
    pub(crate) fn run(&self, roots: &[RootFacts]) -> (Vec<Warning>, LeftOut) {
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
            let witness = witness(id, flow.machine.universe.lock(first.second));
            let own = first.region != RegionId::ROOT;
            Some(Candidate { method: id, location: event.location, witness, own })
        };
        flow.events().into_iter().filter_map(candidate).collect()
    }

    /// Looks at some more places of each witness that has none to report yet; says whether there were any.
    fn look_at(&self, groups: &mut [Group], batch: usize) -> bool {
        let mut chosen: Vec<(Candidate, usize)> = Vec::new();
        let open = |g: &Group| g.reported.is_empty() && g.looked_at < LOOKED_AT;
        for (at, group) in groups.iter_mut().enumerate().filter(|(_, g)| open(g)) {
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
                Ok(reported) => groups[*at].reported.push(reported),
                Err(reason) => groups[*at].left_out.push(reason),
            }
        }
        !chosen.is_empty()
    }

    /// Looks at places of one method.
    fn method(&self, places: &[(Candidate, usize)]) -> Vec<Told> {
        let nothing = || places.iter().map(|_| Err(Reason::Untold)).collect();
        let Some(id) = places.first().map(|p| p.0.method) else { return nothing() };
        let Some(flow) = Flow::new(self.world, id) else { return nothing() };
        let mut search = Search::new(self.world, self.filter.depth());
        let events = flow.events();
        let marked = self.marks.of(self.finals, id);
        let place = |(candidate, _): &(Candidate, usize)| {
            let event = events.iter().find(|e| e.location == candidate.location);
            let event = event.ok_or(Reason::Untold)?;
            self.place(id, &flow, event, &marked, &mut search)
        };
        places.iter().map(place).collect()
    }

    /// Looks at a place: its witnesses in order, until enough are found. If none will do, tells why the first will not.
    fn place(
        &self,
        id: MethodId,
        flow: &Flow<'_>,
        event: &Event,
        marked: &Marked,
        search: &mut Search<'_, '_>,
    ) -> Told {
        let suspects = self.suspects(flow, event, marked, EXAMINED);
        let mut told: Told = Err(Reason::Untold);
        let mut reasons: Vec<Reason> = Vec::new();
        for (at, &suspect) in suspects.iter().enumerate() {
            let name = self.name(id, flow, suspect.second);
            if let Ok((_, occurrence)) = &told
                && (occurrence.witness == name || occurrence.others.contains(&name))
            {
                continue;
            }
            if let Ok((_, occurrence)) = &mut told
                && occurrence.others.len() == NAMED
            {
                occurrence.more = suspects.len() - at;
                break;
            }
            match (self.instance(id, flow, event, suspect, search), &mut told) {
                (Ok(_), Ok((_, occurrence))) => occurrence.others.push(name),
                (Ok(instance), told) => *told = Ok(self.occurrence(id, flow, suspect, &instance)),
                (Err(why), _) => reasons.push(why),
            }
            if reasons.len() == TRIED {
                break;
            }
        }
        told.map_err(|untold| reasons.first().copied().unwrap_or(untold))
    }

    /// An instance that no filter leaves out, in the nearest context that will do; or why there is none.
    fn instance(
        &self,
        id: MethodId,
        flow: &Flow<'_>,
        event: &Event,
        suspect: Suspect,
        search: &mut Search<'_, '_>,
    ) -> Result<Instance, Reason> {
        let [first, second] = self.site(id, flow, event, suspect, search)?;
        self.filter.both([&first, &second])?;
        self.filter.chains([&first, &second])?;
        if suspect.first == suspect.second {
            let lock = flow.machine.universe.lock(suspect.second);
            self.filter.targets(id, lock, [&first, &second])?;
        }
        let names = [suspect.first, suspect.second].map(|lock| self.name(id, flow, lock));
        let judge = |context: &Confirmed| {
            self.filter.context(id, context)?;
            self.filter.acquisition(context, &names[0], &first)?;
            self.filter.acquisition(context, &names[1], &second)
        };
        // Marks promise a context: if none is found, it is too far away.
        let mut reason = Reason::Deep;
        // Most often the first one will do.
        for limit in [1, CONTEXTS] {
            let contexts = self.contexts(id, flow, suspect, search, limit);
            let mut judged = contexts.iter().map(judge);
            let will_do = judged.position(|judgement| match judgement {
                Ok(()) => true,
                Err(why) => {
                    reason = if reason == Reason::Deep { why } else { reason };
                    false
                }
            });
            if let Some(context) = will_do.and_then(|at| contexts.into_iter().nth(at)) {
                return Ok(Instance { first, second, context });
            }
        }
        Err(reason)
    }

    /// The nearest contexts of a suspect: the block of the method itself, or those of callers.
    fn contexts(
        &self,
        id: MethodId,
        flow: &Flow<'_>,
        suspect: Suspect,
        search: &mut Search<'_, '_>,
        limit: usize,
    ) -> Vec<Confirmed> {
        if suspect.region != RegionId::ROOT {
            return vec![Confirmed { method: id, region: suspect.region, steps: Vec::new() }];
        }
        let universe = &flow.machine.universe;
        let pair = (universe.lock(suspect.first), universe.lock(suspect.second));
        search.contexts(self.finals, self.marks, &self.callers, (id, pair), limit)
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
        let mut add = |s: Suspect| {
            found.push(s);
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let lock = |n: u32| flow.machine.universe.lock(n);
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
        self.world.show(id, flow.machine.universe.lock(lock))
    }

    /// Where both locks are acquired.
    fn site(
        &self,
        id: MethodId,
        flow: &Flow<'_>,
        event: &Event,
        suspect: Suspect,
        search: &mut Search<'_, '_>,
    ) -> Result<[Acquired; 2], Reason> {
        let first = flow.first_release(event, suspect).ok_or(Reason::Untold)?;
        let lock = |n: u32| flow.machine.universe.lock(n);
        Ok([
            acquired(id, flow, first, lock(suspect.first), search)?,
            acquired(id, flow, event.location, lock(suspect.second), search)?,
        ])
    }

    fn occurrence(
        &self,
        id: MethodId,
        flow: &Flow<'_>,
        suspect: Suspect,
        instance: &Instance,
    ) -> (Witness, Occurrence) {
        let witness = witness(id, flow.machine.universe.lock(suspect.second));
        let occurrence = Occurrence {
            method: id,
            witness: self.name(id, flow, suspect.second),
            first_witness: self.name(id, flow, suspect.first),
            context: self.context(&instance.context),
            first: self.acquisition(&instance.first),
            second: self.acquisition(&instance.second),
            others: Vec::new(),
            more: 0,
        };
        (witness, occurrence)
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
) -> Result<Acquired, Reason> {
    match location {
        Location::Region(region) => Ok(Acquired { steps: Vec::new(), method: id, region, lock }),
        Location::Stmt(stmt) => match flow.machine.method.stmts()[stmt.index()].action {
            Action::Call(call) => search.acquisition(id, stmt, call, lock),
            Action::Assign(_) => Err(Reason::Untold),
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
            let (candidates, reported, left_out) = (Vec::new(), Vec::new(), Vec::new());
            groups.push(Group { candidates, looked_at: 0, reported, left_out });
        }
        groups[at].candidates.push(candidate);
    }
    for group in &mut groups {
        group.candidates.sort_by_key(|c| !c.own);
    }
    groups
}

/// Makes warnings of groups. A place whose first witness was filtered may belong to the warning of another one.
fn combine(groups: Vec<Group>) -> (Vec<Warning>, LeftOut) {
    let mut warnings: Vec<Warning> = Vec::new();
    let mut positions: HashMap<Witness, usize, Seed> = HashMap::default();
    let mut left_out = LeftOut::default();
    for group in groups {
        group.left_out.into_iter().for_each(|reason| left_out.count(reason));
        let mut more = group.candidates.len() - group.looked_at;
        if group.reported.is_empty() {
            left_out.unseen += more;
        }
        for (witness, occurrence) in group.reported {
            let at = *positions.entry(witness).or_insert(warnings.len());
            if at == warnings.len() {
                warnings.push(Warning { occurrences: Vec::new(), more: 0 });
            }
            warnings[at].occurrences.push(occurrence);
            warnings[at].more += std::mem::take(&mut more);
        }
    }
    (warnings, left_out)
}
