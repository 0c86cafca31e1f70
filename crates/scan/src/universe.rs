//! The locks that matter in one method, numbered, and what its statements do to them.

use hashbrown::HashMap;

use crate::bits::BitSet;
use crate::globals::GlobalId;
use crate::ir::{Action, CallId, ExprId, Method, MethodId, RegionId, StmtId};
use crate::table::{Lock, Reach, Table, Term};
use crate::world::World;

type Seed = foldhash::fast::FixedState;

/// No row.
const NONE: u32 = u32::MAX;

/// The locks a method may acquire, itself or through calls; sets of them are rows of `words` words.
pub(crate) struct Universe {
    /// By number: expressions of the method first, then global locks, in an order that is the same in every run.
    pub(crate) locks: Vec<Lock>,
    pub(crate) words: usize,
    /// Those that callers can translate.
    pub(crate) exported: Vec<u64>,
    /// What each region locks.
    regions: Vec<Option<u32>>,
    /// The row of each call, or none.
    calls: Vec<u32>,
    /// The row of each assigned expression, where anything depends on it.
    kills: HashMap<ExprId, u32, Seed>,
    rows: Vec<u64>,
}

/// What a call acquires, before numbering.
#[derive(Default)]
struct CallLocks<'a> {
    locals: Vec<ExprId>,
    globals: Vec<GlobalId>,
    shared: Option<&'a BitSet>,
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
        let locks = number(world, &calls, &regions);
        if locks.is_empty() {
            return None;
        }
        let words = locks.len().div_ceil(64);
        let numbers: HashMap<Lock, u32, Seed> =
            locks.iter().enumerate().map(|(n, &lock)| (lock, n as u32)).collect();
        let mut universe = Self {
            words,
            exported: vec![0; words],
            regions: regions.iter().map(|r| r.and_then(|l| numbers.get(&l).copied())).collect(),
            calls: Vec::with_capacity(calls.len()),
            kills: HashMap::default(),
            rows: Vec::new(),
            locks,
        };
        for call in &calls {
            let row = universe.row_of(call, &numbers);
            universe.calls.push(row);
        }
        universe.note_exported(world, &table);
        universe.note_kills(world, method, &table);
        Some(universe)
    }

    fn row_of(&mut self, call: &CallLocks<'_>, numbers: &HashMap<Lock, u32, Seed>) -> u32 {
        let locals = call.locals.iter().map(|&l| Lock::Local(l));
        let globals = call.globals.iter().map(|&g| Lock::Global(g));
        let shared = call.shared.iter().flat_map(|s| s.iter()).map(|g| Lock::Global(GlobalId(g)));
        let numbered = locals.chain(globals).chain(shared).filter_map(|l| numbers.get(&l));
        let start = self.rows.len();
        self.rows.resize(start + self.words, 0);
        let mut any = false;
        for &n in numbered {
            self.rows[start + n as usize / 64] |= 1 << (n % 64);
            any = true;
        }
        if any {
            (start / self.words) as u32
        } else {
            self.rows.truncate(start);
            NONE
        }
    }

    fn note_exported(&mut self, world: &World<'_>, table: &Table) {
        for (n, lock) in self.locks.iter().enumerate() {
            let exported = match lock {
                Lock::Local(expr) => table.reach(*expr) != Reach::Method,
                Lock::Global(_) => world.options.statics_cross_calls,
            };
            self.exported[n / 64] |= u64::from(exported) << (n % 64);
        }
    }

    /// DEPENDS, for every expression that the method assigns to.
    fn note_kills(&mut self, world: &World<'_>, method: &Method, table: &Table) {
        for stmt in method.stmts() {
            let Action::Assign(target) = stmt.action else { continue };
            if self.kills.contains_key(&target) {
                continue;
            }
            let changed = Term { nodes: table.nodes(), id: target };
            let start = self.rows.len();
            self.rows.resize(start + self.words, 0);
            let mut any = false;
            for (n, &lock) in self.locks.iter().enumerate() {
                let term = match lock {
                    Lock::Local(id) => Term { nodes: table.nodes(), id },
                    // Global locks have no locals and no `this` in them.
                    Lock::Global(_) if table.reach(target) != Reach::Global => continue,
                    Lock::Global(id) => Term { nodes: &world.global_nodes, id: ExprId(id.0) },
                };
                if term.depends_on(changed) {
                    self.rows[start + n / 64] |= 1 << (n % 64);
                    any = true;
                }
            }
            let row = if any { (start / self.words) as u32 } else { NONE };
            if !any {
                self.rows.truncate(start);
            }
            self.kills.insert(target, row);
        }
    }

    fn row(&self, row: u32) -> Option<&[u64]> {
        (row != NONE).then(|| &self.rows[row as usize * self.words..][..self.words])
    }

    /// What a call acquires and releases: the set L of Figure 6(b).
    pub(crate) fn acquired_by(&self, call: CallId) -> Option<&[u64]> {
        self.row(self.calls[call.index()])
    }

    /// What depends on an expression.
    pub(crate) fn killed_by(&self, target: ExprId) -> Option<&[u64]> {
        self.kills.get(&target).and_then(|&row| self.row(row))
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
) -> CallLocks<'a> {
    let mut locks = CallLocks::default();
    let Some((set, nodes)) = world.held_by_call(method, call) else { return locks };
    for elem in set.exported() {
        match world.translate(table, method, call, nodes, elem.second) {
            Some(Lock::Local(id)) => locks.locals.push(id),
            Some(Lock::Global(id)) => locks.globals.push(id),
            None => {}
        }
    }
    locks.shared = world.options.statics_cross_calls.then_some(&*set.globals);
    locks
}

fn number(world: &World<'_>, calls: &[CallLocks<'_>], regions: &[Option<Lock>]) -> Vec<Lock> {
    let (mut locals, mut globals) = (Vec::new(), BitSet::default());
    for lock in regions.iter().flatten() {
        match lock {
            Lock::Local(id) => locals.push(*id),
            Lock::Global(id) => {
                globals.insert(id.0);
            }
        }
    }
    for call in calls {
        locals.extend_from_slice(&call.locals);
        for global in &call.globals {
            globals.insert(global.0);
        }
        if let Some(shared) = call.shared {
            globals.union(shared);
        }
    }
    locals.sort_unstable();
    locals.dedup();
    let mut globals: Vec<u32> = globals.iter().collect();
    globals.sort_unstable_by_key(|&g| world.ranks[g as usize]);
    let locals = locals.into_iter().map(Lock::Local);
    locals.chain(globals.into_iter().map(|g| Lock::Global(GlobalId(g)))).collect()
}

/// Where a lock is acquired: by a statement (a call), or by entering a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Location {
    Stmt(StmtId),
    Region(RegionId),
}
