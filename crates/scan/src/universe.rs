//! The locks that matter in one method, numbered, and what its statements do to them.
//!
//! Sets of locks are rows of bits. The first words of a row are for the method's own expressions, the others are words of the
//! program's global locks: a call that may acquire a thousand of those costs sixteen words, not a thousand steps. In a large
//! program nearly every method may acquire nearly every global lock.

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use crate::bits::{BitSet, set};
use crate::globals::{GlobalId, each_part};
use crate::ir::{Action, CallId, ExprId, LockExpr, Method, MethodId, RegionId, StmtId, Symbol};
use crate::table::{Lock, Reach, Table};
use crate::world::World;

type Seed = foldhash::fast::FixedState;

/// No row.
const NONE: u32 = u32::MAX;

/// The locks a method may acquire, itself or through calls; sets of them are rows of `words` words.
pub(crate) struct Universe {
    /// Expressions of the method, by number.
    locals: Vec<ExprId>,
    /// How many words those take.
    local_words: usize,
    /// Which words of sets of global locks come after those.
    global_words: Vec<u32>,
    pub(crate) words: usize,
    /// Those that callers can translate.
    pub(crate) exported: Vec<u64>,
    /// What each region locks.
    regions: Vec<Option<u32>>,
    /// For each call, the row of what it acquires and of what depends on what it assigns.
    calls: Vec<CallRows>,
    /// The row of each assigned expression, where anything depends on it.
    kills: HashMap<ExprId, u32, Seed>,
    rows: Vec<u64>,
}

/// Two rows of a call; either may be none.
#[derive(Clone, Copy)]
struct CallRows {
    acquired: u32,
    killed: u32,
}

/// Some locks, before numbering.
#[derive(Default)]
struct Locks<'a> {
    locals: Vec<ExprId>,
    globals: BitSet,
    shared: Option<&'a BitSet>,
}

impl Locks<'_> {
    fn add(&mut self, lock: Lock) {
        match lock {
            Lock::Local(id) => self.locals.push(id),
            Lock::Global(id) => {
                self.globals.insert(id.0);
            }
        }
    }
}

impl Universe {
    /// Numbers a method's locks; nothing, if there are none.
    pub(crate) fn new(world: &World<'_>, id: MethodId) -> Option<Self> {
        world.held_by(id)?;
        let method = world.method(id);
        let mut table = world.table(id);
        let calls: Vec<_> = (0..method.calls().len())
            .map(|call| locks_of_call(world, method, &mut table, CallId::from_index(call)))
            .collect();
        let regions: Vec<_> =
            method.regions().iter().map(|r| table.lock(r.lock, &world.globals)).collect();
        let mut universe = Self::numbered(&calls, &regions);
        if universe.words == 0 {
            return None;
        }
        for call in &calls {
            let acquired = universe.row_of(call);
            universe.calls.push(CallRows { acquired, killed: NONE });
        }
        universe.note_exported(world, &table);
        universe.note_kills(world, method, &mut table);
        Some(universe)
    }

    fn numbered(calls: &[Locks<'_>], regions: &[Option<Lock>]) -> Self {
        let mut all = Locks::default();
        regions.iter().flatten().for_each(|&lock| all.add(lock));
        for call in calls {
            all.locals.extend_from_slice(&call.locals);
            all.globals.union(&call.globals);
            if let Some(shared) = call.shared {
                all.globals.union(shared);
            }
        }
        let mut locals = all.locals;
        locals.sort_unstable();
        locals.dedup();
        let local_words = locals.len().div_ceil(64);
        let global_words: Vec<u32> = all.globals.used_words().collect();
        let words = local_words + global_words.len();
        let mut universe = Self {
            locals,
            local_words,
            global_words,
            words,
            exported: vec![0; words],
            regions: Vec::new(),
            calls: Vec::with_capacity(calls.len()),
            kills: HashMap::default(),
            rows: Vec::new(),
        };
        universe.regions = regions.iter().map(|r| r.and_then(|l| universe.number(l))).collect();
        universe
    }

    /// The lock of a number.
    pub(crate) fn lock(&self, number: u32) -> Lock {
        let (word, bit) = (number as usize / 64, number % 64);
        match word.checked_sub(self.local_words) {
            None => Lock::Local(self.locals[number as usize]),
            Some(at) => Lock::Global(GlobalId(self.global_words[at] * 64 + bit)),
        }
    }

    /// The number of a lock, if the method may acquire it.
    fn number(&self, lock: Lock) -> Option<u32> {
        match lock {
            Lock::Local(id) => self.locals.binary_search(&id).ok().map(|at| at as u32),
            Lock::Global(GlobalId(id)) => {
                let at = self.global_words.binary_search(&(id / 64)).ok()?;
                Some((self.local_words + at) as u32 * 64 + id % 64)
            }
        }
    }

    /// The global locks of a row.
    pub(crate) fn globals_of(&self, row: &[u64]) -> BitSet {
        let mut globals = BitSet::default();
        for (&at, &word) in self.global_words.iter().zip(&row[self.local_words..]) {
            globals.add_word(at, word);
        }
        globals
    }

    /// The local locks of a row, by number.
    pub(crate) fn locals_of<'r>(&self, row: &'r [u64]) -> impl Iterator<Item = u32> + use<'r> {
        crate::bits::ones(&row[..self.local_words])
    }

    /// Makes a row; none, if it is empty.
    fn row_of(&mut self, locks: &Locks<'_>) -> u32 {
        let start = self.rows.len();
        self.rows.resize(start + self.words, 0);
        for &local in &locks.locals {
            if let Some(number) = self.number(Lock::Local(local)) {
                set(&mut self.rows[start..], number);
            }
        }
        for (at, &word) in self.global_words.iter().enumerate() {
            let shared = locks.shared.map_or(0, |shared| shared.word(word));
            self.rows[start + self.local_words + at] = locks.globals.word(word) | shared;
        }
        if self.rows[start..].iter().any(|&word| word != 0) {
            (start / self.words) as u32
        } else {
            self.rows.truncate(start);
            NONE
        }
    }

    fn note_exported(&mut self, world: &World<'_>, table: &Table) {
        for (number, &local) in (0..).zip(&self.locals) {
            if table.reach(local) != Reach::Method {
                set(&mut self.exported, number);
            }
        }
        if world.options.statics_cross_calls {
            self.exported[self.local_words..].fill(u64::MAX);
        }
    }

    /// DEPENDS, for every expression that the method assigns to, and for its calls.
    fn note_kills(&mut self, world: &World<'_>, method: &Method, table: &mut Table) {
        // An expression depends on its parts; it is in the same table, where equal expressions have equal ids.
        let mut dependents: HashMap<ExprId, SmallVec<[ExprId; 4]>, Seed> = HashMap::default();
        // Global parts of expressions, which callees name as they do.
        let mut global_parts: Vec<(u32, ExprId)> = Vec::new();
        let mut fields: HashSet<Symbol, Seed> = HashSet::default();
        for &local in &self.locals {
            each_part(table.nodes(), local, &mut |part| {
                dependents.entry(part).or_default().push(local);
                if let LockExpr::Field(_, name) = table.nodes()[part.index()] {
                    fields.insert(name);
                }
                if table.reach(part) == Reach::Global
                    && let Some(target) = world.assigned.target(table.nodes(), part)
                {
                    global_parts.push((target.0, local));
                }
            });
        }
        let add = |table: &Table, target: ExprId, killed: &mut Locks<'_>| {
            killed.locals.extend(dependents.get(&target).into_iter().flatten());
            if let (Reach::Global, Some(locks)) =
                (table.reach(target), world.assigned.dependents(table.nodes(), target))
            {
                killed.globals.union(locks);
            }
        };
        for stmt in method.stmts() {
            if let Action::Assign(target) = stmt.action
                && !self.kills.contains_key(&target)
            {
                let mut killed = Locks::default();
                add(table, target, &mut killed);
                let row = self.row_of(&killed);
                self.kills.insert(target, row);
            }
        }
        for call in (0..method.calls().len()).map(CallId::from_index) {
            let Some((set, nodes, globals)) = world.assigned_by_call(method, call) else {
                continue;
            };
            let mut killed = Locks::default();
            if world.options.statics_cross_calls {
                killed.shared = globals;
                let parts = global_parts.iter().filter(|part| set.globals.contains(part.0));
                killed.locals.extend(parts.map(|part| part.1));
            }
            // Most of what callees assign is part of none of this method's locks.
            let matters = |target: ExprId| match nodes[target.index()] {
                LockExpr::Field(_, name) => {
                    fields.contains(&name) || world.assigned.global_fields.contains(&name)
                }
                _ => true,
            };
            for elem in set.exported().iter().filter(|elem| matters(elem.second)) {
                let target = world.translate_expr(table, method, call, nodes, elem.second);
                add(table, target, &mut killed);
            }
            self.calls[call.index()].killed = self.row_of(&killed);
        }
    }

    fn row(&self, row: u32) -> Option<&[u64]> {
        (row != NONE).then(|| &self.rows[row as usize * self.words..][..self.words])
    }

    /// What a call acquires and releases: the set L of Figure 6(b).
    pub(crate) fn acquired_by(&self, call: CallId) -> Option<&[u64]> {
        self.row(self.calls[call.index()].acquired)
    }

    /// What depends on what a statement assigns, itself or by a call.
    pub(crate) fn killed_by(&self, action: Action) -> Option<&[u64]> {
        self.row(match action {
            Action::Assign(target) => self.kills.get(&target).copied().unwrap_or(NONE),
            Action::Call(call) => self.calls[call.index()].killed,
        })
    }

    /// What a region locks; nothing for `*`.
    pub(crate) fn lock_of(&self, region: RegionId) -> Option<u32> {
        self.regions[region.index()]
    }

    /// The locks of a region and all around it.
    pub(crate) fn locks_around(&self, method: &Method, mut region: RegionId) -> Vec<u32> {
        let mut locks = Vec::new();
        while region != RegionId::ROOT {
            locks.extend(self.lock_of(region));
            region = method.region(region).parent;
        }
        locks
    }
}

/// The union of the translated LOCKSHELD sets of a call's targets.
fn locks_of_call<'a>(
    world: &'a World<'_>,
    method: &Method,
    table: &mut Table,
    call: CallId,
) -> Locks<'a> {
    let mut locks = Locks::default();
    let Some((set, nodes)) = world.held_by_call(method, call) else { return locks };
    for elem in set.exported() {
        if let Some(lock) = world.translate(table, method, call, nodes, elem.second) {
            locks.add(lock);
        }
    }
    locks.shared = world.options.statics_cross_calls.then_some(&*set.globals);
    locks
}

/// Where a lock is acquired: by a statement (a call), or by entering a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Location {
    Stmt(StmtId),
    Region(RegionId),
}
