//! What is found and not reported: places that are seldom what people look for, or seldom possible.
//!
//! A place is left out only if every way to it is: other contexts, and other witnesses of the same place, are tried first. Each
//! filter can be switched off ([`Filters`]), and the places it leaves out are counted ([`LeftOut`]).

use hashbrown::HashSet;

use crate::ir::{ClassId, MethodId};
use crate::options::Filters;
use crate::repeat::{comes_to_itself, is_left_to_chance};
use crate::search::{Acquired, Confirmed};
use crate::table::Lock;
use crate::warning::LeftOut;
use crate::world::World;

type Seed = foldhash::fast::FixedState;

/// Why something is not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Both acquisitions are the doing of classes that mostly serve one thread.
    Library,
    /// Only classes that are there to be called take part.
    Elsewhere,
    /// The chain of calls is too long.
    Deep,
    /// The witness may be the context, which objects hand on to each other.
    HandedOn,
    /// The witness may be the context, to which a path leads back.
    LeadsBack,
    /// A call would have to come to itself with the same arguments.
    ComesToItself,
    /// A loop would have to meet two objects that acquire the lock, and not all do.
    SomeTargets,
    /// The analysis has no chain of calls to show.
    Untold,
}

impl LeftOut {
    pub(crate) fn count(&mut self, reason: Reason) {
        match reason {
            Reason::Library => self.library += 1,
            Reason::Elsewhere => self.elsewhere += 1,
            Reason::Deep => self.deep += 1,
            Reason::HandedOn => self.handed_on += 1,
            Reason::LeadsBack => self.leads_back += 1,
            Reason::ComesToItself => self.comes_to_itself += 1,
            Reason::SomeTargets => self.some_targets += 1,
            Reason::Untold => self.untold += 1,
        }
    }
}

/// Decides.
pub(crate) struct Filter<'a, 'p> {
    world: &'a World<'p>,
    filters: &'a Filters,
    /// The library classes that the program has; none, as a rule, if the library is not analysed.
    library: HashSet<ClassId, Seed>,
    elsewhere: HashSet<ClassId, Seed>,
}

impl<'a, 'p> Filter<'a, 'p> {
    pub(crate) fn new(world: &'a World<'p>) -> Self {
        let (names, options) = (&world.program.names, world.options);
        let listed = options.library_classes.iter().filter(|_| !options.keep_library);
        let listed: HashSet<ClassId, Seed> = listed.filter_map(|c| names.find_class(c)).collect();
        let classes = world.program.methods.iter().map(|m| names.method(m.name).class);
        let library = classes.filter(|c| listed.contains(c)).collect();
        let filters = &options.filters;
        let elsewhere = filters.elsewhere.iter().filter_map(|c| names.find_class(c)).collect();
        Self { world, filters, library, elsewhere }
    }

    /// How many calls a chain may have.
    pub(crate) fn depth(&self) -> usize {
        self.filters.depth.unwrap_or(usize::MAX)
    }

    /// Whether a context will do for a place of a method.
    pub(crate) fn context(&self, method: MethodId, context: &Confirmed) -> Result<(), Reason> {
        let elsewhere = |method| self.elsewhere.contains(&self.class(method));
        if elsewhere(method) && elsewhere(context.method) {
            return Err(Reason::Elsewhere);
        }
        self.chain(context.steps.len())
    }

    /// Whether an acquisition of a witness, by its name in the method of the place, will do in a context.
    pub(crate) fn acquisition(
        &self,
        context: &Confirmed,
        name: &str,
        acquired: &Acquired,
    ) -> Result<(), Reason> {
        let held = self.lock(context.method, context.region);
        let lock = self.lock(acquired.method, acquired.region);
        if self.is_handed_on(&held, &lock) {
            return Err(Reason::HandedOn);
        }
        if self.filters.leads_back
            && self.class(context.method) == self.class(acquired.method)
            && may_lead_back(&held, &lock, name, context.steps.len())
        {
            return Err(Reason::LeadsBack);
        }
        if self.filters.comes_to_itself
            && comes_to_itself(self.world, &[&context.steps[..], &acquired.steps].concat())
        {
            return Err(Reason::ComesToItself);
        }
        Ok(())
    }

    /// Whether two acquisitions are worth telling. A client that locks a `Vector` itself shares it.
    pub(crate) fn both(&self, site: [&Acquired; 2]) -> Result<(), Reason> {
        let library = |a: &Acquired| self.library.contains(&self.class(a.method));
        if site.into_iter().all(library) { Err(Reason::Library) } else { Ok(()) }
    }

    /// Whether a loop that acquires a lock by one call, on another object each time, will do.
    pub(crate) fn targets(
        &self,
        method: MethodId,
        lock: Lock,
        site: [&Acquired; 2],
    ) -> Result<(), Reason> {
        match site.map(|acquired| acquired.steps.first()) {
            [Some(first), Some(second)]
                if self.filters.some_targets
                    && first == second
                    && is_left_to_chance(self.world, method, first.stmt, lock) =>
            {
                Err(Reason::SomeTargets)
            }
            _ => Ok(()),
        }
    }

    /// Whether the calls that lead to two acquisitions are few enough.
    pub(crate) fn chains(&self, site: [&Acquired; 2]) -> Result<(), Reason> {
        site.into_iter().try_for_each(|acquired| self.chain(acquired.steps.len()))
    }

    fn chain(&self, calls: usize) -> Result<(), Reason> {
        if calls > self.depth() { Err(Reason::Deep) } else { Ok(()) }
    }

    /// A mutex that objects hand on to each other (`mutex = owner.mutex`), held and locked again.
    fn is_handed_on(&self, held: &str, lock: &str) -> bool {
        let last = |lock: &str| lock.rsplit_once('.').map(|(_, field)| field.to_owned());
        last(held).is_some_and(|field| {
            self.filters.handed_on.contains(&field) && last(lock).as_ref() == Some(&field)
        })
    }

    fn class(&self, method: MethodId) -> ClassId {
        self.world.program.names.method(self.world.method(method).name).class
    }

    /// What a region locks, by its name there.
    fn lock(&self, method: MethodId, region: crate::ir::RegionId) -> String {
        self.world.show(method, Lock::Local(self.world.method(method).region(region).lock))
    }
}

/// Whether an object may lead back to who holds the lock (`this.child.parent.lock`): the same lock of the same class, by a
/// path that has at least two steps. Seen from who holds the lock, one step leads to another object, two may lead back.
fn may_lead_back(held: &str, lock: &str, name: &str, calls: usize) -> bool {
    let of_this = held == "this" || held.starts_with("this.");
    let within = lock.strip_prefix("this").unwrap_or_default();
    let object = name.strip_suffix(within).unwrap_or(name);
    of_this && held == lock && object.contains('.') && object.matches('.').count() + calls >= 2
}
