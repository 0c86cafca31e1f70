//! The facts of one method, for people who ask why: ⟨R, T, P⟩ at each statement, A(sb) of each block, A(m), LOCKSHELD, FINAL_T and
//! FINAL_P.
//!
//! `T` and `P` are carried along the paths here, as in the paper, which the analysis itself has no need for: see `flow.rs`.

use std::collections::BTreeSet;
use std::fmt;

use crate::bits::{join, ones};
use crate::finals::Finals;
use crate::flow::{Flow, State};
use crate::globals::GlobalId;
use crate::ir::{Action, BlockId, ExprId, MethodId, RegionId, StmtId};
use crate::table::Lock;
use crate::world::World;

/// The facts at a point, in words; locks are in alphabetical order, pairs are `⟨a, b⟩`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Released before, in the innermost block.
    pub released: Vec<String>,
    /// Acquired and released twice.
    pub twice: Vec<String>,
    /// Witnesses of the pattern.
    pub pattern: Vec<String>,
}

/// A statement or a synchronization block, with its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The line, 0 if unknown.
    pub line: u32,
    /// How many blocks lie around it.
    pub depth: usize,
    /// What it is.
    pub text: String,
    /// After a statement: the facts there. For a block: A(sb), the facts at its exits.
    pub facts: Facts,
}

/// All facts of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The method.
    pub method: String,
    /// LOCKSHELD.
    pub locks_held: Vec<String>,
    /// Its statements and blocks, in the order of the code; only those that are ever reached.
    pub points: Vec<Point>,
    /// A(m).
    pub exit: Facts,
    /// FINAL_T.
    pub final_twice: Vec<String>,
    /// FINAL_P.
    pub final_pattern: Vec<String>,
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "⟨{}, {}, {}⟩", set(&self.released), set(&self.twice), set(&self.pattern))
    }
}

fn set(locks: &[String]) -> String {
    if locks.is_empty() { "∅".to_owned() } else { format!("{{{}}}", locks.join(", ")) }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.method)?;
        writeln!(f, "  LOCKSHELD = {}", set(&self.locks_held))?;
        let text = |p: &Point| format!("{}{}", "  ".repeat(p.depth), p.text);
        let width = self.points.iter().map(|p| text(p).chars().count()).max().unwrap_or(0).min(60);
        for point in &self.points {
            let line = if point.line == 0 { "?".to_owned() } else { point.line.to_string() };
            writeln!(f, "  {line:>5}  {:width$}  {}", text(point), point.facts)?;
        }
        writeln!(f, "  A(m) = {}", self.exit)?;
        writeln!(f, "  FINAL_T = {}", set(&self.final_twice))?;
        writeln!(f, "  FINAL_P = {}", set(&self.final_pattern))
    }
}

/// Two locks by number.
type Pairs = BTreeSet<(u32, u32)>;

/// `T` and `P` of the regions around a point, from the root inwards.
type Levels = Vec<(Pairs, Pairs)>;

/// Explains a method.
pub(crate) fn explain(finals: &Finals<'_, '_>, id: MethodId) -> Explanation {
    let world = finals.world;
    let flow = Flow::new(world, id);
    let mut teller = flow.as_ref().map(|flow| Teller::new(world, id, flow));
    let (points, exit) = teller.as_mut().map_or_else(Default::default, Teller::tell);
    let mut final_twice: BTreeSet<String> = exit.twice.iter().cloned().collect();
    let mut final_pattern: BTreeSet<String> = exit.pattern.iter().cloned().collect();
    if let Some(set) = finals.twice.get(world.graph.of_method(id)) {
        final_twice.extend(show_all(world, id, set));
    }
    let confirmed = finals.confirmed_by_calls(id);
    final_pattern.extend(confirmed.iter().map(|&(a, b)| show(world, id, a, b)));
    let held = world.held_by(id).map(|set| show_all(world, id, set)).unwrap_or_default();
    Explanation {
        method: world.program.method_name(id),
        locks_held: held.into_iter().collect(),
        points,
        exit,
        final_twice: final_twice.into_iter().collect(),
        final_pattern: final_pattern.into_iter().collect(),
    }
}

fn show_all(world: &World<'_>, id: MethodId, set: &crate::solution::Set) -> BTreeSet<String> {
    let local = |e| Lock::Local(e);
    let elems = set.elems().iter().map(|e| (local(e.first), local(e.second)));
    let globals = set.globals.iter().map(|g| Lock::Global(GlobalId(g))).map(|g| (g, g));
    elems.chain(globals).map(|(a, b)| show(world, id, a, b)).collect()
}

/// A lock in words, or a pair. With the variant a lock that is acquired twice is a pair with itself, and shown as one lock.
fn show(world: &World<'_>, id: MethodId, first: Lock, second: Lock) -> String {
    if first == second {
        return world.show(id, first);
    }
    format!("⟨{}, {}⟩", world.show(id, first), world.show(id, second))
}

/// Computes and words the facts.
struct Teller<'a, 'p> {
    world: &'a World<'p>,
    id: MethodId,
    flow: &'a Flow<'a>,
    entries: Vec<Option<Levels>>,
    /// For each region: R at its exits, T and P at all of its points.
    exits: Vec<(Vec<u64>, Pairs, Pairs)>,
}

impl<'a, 'p> Teller<'a, 'p> {
    fn new(world: &'a World<'p>, id: MethodId, flow: &'a Flow<'a>) -> Self {
        let method = flow.machine.method;
        let exit = (vec![0; flow.machine.universe.words], Pairs::new(), Pairs::new());
        Self {
            world,
            id,
            flow,
            entries: vec![None; method.block_count()],
            exits: vec![exit; method.regions().len()],
        }
    }

    fn tell(&mut self) -> (Vec<Point>, Facts) {
        self.stabilise();
        let mut points = Vec::new();
        let mut after = vec![None; self.flow.machine.method.stmts().len()];
        for at in 0..self.entries.len() {
            self.visit(BlockId::from_index(at), &mut after);
        }
        self.close_regions();
        let method = self.flow.machine.method;
        let mut told = vec![false; method.regions().len()];
        told[0] = true;
        for block in (0..method.block_count()).map(BlockId::from_index) {
            if self.entries[block.index()].is_none() {
                continue;
            }
            self.tell_regions(method.region_of(block), &mut told, &mut points);
            for at in method.stmts_of(block) {
                if let Some(facts) = after[at].take() {
                    points.push(self.tell_stmt(StmtId::from_index(at), block, facts));
                }
            }
        }
        let (released, twice, pattern) = &self.exits[0];
        (points, self.facts(released, twice, pattern))
    }

    /// T and P to the fixed point.
    fn stabilise(&mut self) {
        self.entries[0] = Some(vec![Default::default()]);
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..self.entries.len() {
                for (to, levels) in self.pass(BlockId::from_index(at), |_, _, _| {}) {
                    match &mut self.entries[to.index()] {
                        Some(entry) => {
                            for (entry, new) in entry.iter_mut().zip(levels) {
                                let before = (entry.0.len(), entry.1.len());
                                entry.0.extend(new.0);
                                entry.1.extend(new.1);
                                changed |= before != (entry.0.len(), entry.1.len());
                            }
                        }
                        entry => {
                            *entry = Some(levels);
                            changed = true;
                        }
                    }
                }
            }
        }
    }

    /// Takes the facts through a block; calls back after each statement. Returns what goes to other blocks.
    fn pass(
        &self,
        block: BlockId,
        mut after: impl FnMut(StmtId, &State, &Levels),
    ) -> Vec<(BlockId, Levels)> {
        let (Some(state), Some(levels)) =
            (self.flow.entries[block.index()].clone(), self.entries[block.index()].clone())
        else {
            return Vec::new();
        };
        let machine = &self.flow.machine;
        let levels = std::cell::RefCell::new(levels);
        let mut last: Option<StmtId> = None;
        let mut sent = Vec::new();
        let stmt = |state: &State, id: StmtId| {
            if let Some(last) = last.replace(id) {
                after(last, state, &levels.borrow());
            }
            if let Action::Call(call) = machine.method.stmts()[id.index()].action
                && let Some(acquired) = machine.universe.acquired_by(call)
            {
                self.acquire(state, acquired, &mut levels.borrow_mut());
            }
        };
        let edge = |state: &State, to: BlockId| {
            if to != BlockId::EXIT {
                sent.push((to, self.cross(state, machine.method.region_of(to), &levels.borrow())));
            }
        };
        machine.walk(block, state, stmt, edge);
        if let (Some(last), Some(end)) = (last, self.end_of(block)) {
            after(last, &end, &levels.borrow());
        }
        sent
    }

    /// R at the end of a block.
    fn end_of(&self, block: BlockId) -> Option<State> {
        let mut state = self.flow.entries[block.index()].clone()?;
        for at in self.flow.machine.method.stmts_of(block) {
            self.flow.machine.step(&mut state, StmtId::from_index(at));
        }
        Some(state)
    }

    fn acquire(&self, state: &State, acquired: &[u64], levels: &mut Levels) {
        let words = self.flow.machine.universe.words;
        for (row, (twice, _)) in state.rows.chunks(words).zip(levels) {
            for second in ones(acquired) {
                for first in ones(row) {
                    if first == second || self.world.options.variant {
                        twice.insert((first, second));
                    }
                }
            }
        }
    }

    /// Over an edge, as `Machine::cross`.
    fn cross(&self, state: &State, to: RegionId, levels: &Levels) -> Levels {
        let (method, universe) = (self.flow.machine.method, &self.flow.machine.universe);
        let mut levels = levels.clone();
        if to != state.region && method.region(to).parent == state.region {
            if let Some(lock) = universe.lock_of(to) {
                let mut acquired = vec![0; universe.words];
                crate::bits::set(&mut acquired, lock);
                self.acquire(state, &acquired, &mut levels);
            }
            levels.push(Default::default());
            return levels;
        }
        let mut region = state.region;
        while region != to && levels.len() > 1 {
            let Some((twice, pattern)) = levels.pop() else { break };
            let confirmed = twice.union(&pattern).filter(|p| !self.locks(region, p)).copied();
            if let Some((_, outer)) = levels.last_mut() {
                outer.extend(confirmed);
            }
            region = method.region(region).parent;
        }
        levels
    }

    /// Whether a region locks one of a pair.
    fn locks(&self, region: RegionId, pair: &(u32, u32)) -> bool {
        let lock = self.flow.machine.universe.lock_of(region);
        lock == Some(pair.0) || lock == Some(pair.1)
    }

    /// Collects the facts of a block: after each statement, and for each of its regions.
    fn visit(&mut self, block: BlockId, after: &mut [Option<Facts>]) {
        let machine = &self.flow.machine;
        let mut innermost: Vec<(StmtId, State, Levels)> = Vec::new();
        let sent = self.pass(block, |id, state, levels| {
            innermost.push((id, state.clone(), levels.clone()));
        });
        for (id, state, levels) in &innermost {
            let row = &state.rows[state.rows.len() - machine.universe.words..];
            if let Some((twice, pattern)) = levels.last() {
                after[id.index()] = Some(self.facts(row, twice, pattern));
            }
        }
        let all = innermost.into_iter().map(|(_, _, levels)| levels);
        let own = self.entries[block.index()].clone();
        for levels in all.chain(own) {
            self.note(machine.method.region_of(block), levels);
        }
        for (to, levels) in sent {
            self.note(machine.method.region_of(to), levels);
        }
        self.note_exits(block);
    }

    /// T and P of a region and those around it.
    fn note(&mut self, mut region: RegionId, levels: Levels) {
        for (twice, pattern) in levels.into_iter().rev() {
            let exit = &mut self.exits[region.index()];
            exit.1.extend(twice);
            exit.2.extend(pattern);
            region = self.flow.machine.method.region(region).parent;
        }
    }

    /// R of the regions that a block's edges leave.
    fn note_exits(&mut self, block: BlockId) {
        let Some(state) = self.flow.entries[block.index()].clone() else { return };
        let machine = &self.flow.machine;
        let words = machine.universe.words;
        let exits = &mut self.exits;
        machine.walk(
            block,
            state,
            |_, _| {},
            |state, to| {
                let target =
                    if to == BlockId::EXIT { None } else { Some(machine.method.region_of(to)) };
                let mut state = state.clone();
                loop {
                    if target.is_some_and(|t| machine.method.is_within(t, state.region)) {
                        break;
                    }
                    let row = &state.rows[state.rows.len() - words..];
                    join(&mut exits[state.region.index()].0, row);
                    if state.region == RegionId::ROOT {
                        break;
                    }
                    machine.leave(&mut state);
                }
            },
        );
    }

    /// What a region's blocks confirm belongs to P of the region around, even if they are never left.
    fn close_regions(&mut self) {
        for at in (1..self.exits.len()).rev() {
            let region = RegionId::from_index(at);
            let (_, twice, pattern) = &self.exits[at];
            let confirmed: Vec<_> =
                twice.union(pattern).filter(|p| !self.locks(region, p)).copied().collect();
            let parent = self.flow.machine.method.region(region).parent;
            self.exits[parent.index()].2.extend(confirmed);
        }
    }

    fn tell_regions(&self, region: RegionId, told: &mut [bool], points: &mut Vec<Point>) {
        if std::mem::replace(&mut told[region.index()], true) {
            return;
        }
        let method = self.flow.machine.method;
        let (parent, line) = (method.region(region).parent, method.region(region).line);
        self.tell_regions(parent, told, points);
        let (released, twice, pattern) = &self.exits[region.index()];
        let lock = self.world.show(self.id, Lock::Local(method.region(region).lock));
        points.push(Point {
            line,
            depth: method.depth(parent),
            text: format!("synchronized ({lock})"),
            facts: self.facts(released, twice, pattern),
        });
    }

    fn tell_stmt(&self, id: StmtId, block: BlockId, facts: Facts) -> Point {
        let method = self.flow.machine.method;
        let name = |expr: ExprId| self.world.show(self.id, Lock::Local(expr));
        let stmt = method.stmts()[id.index()];
        let text = match stmt.action {
            Action::Assign(target) => format!("{} := …", name(target)),
            Action::Call(call) => {
                let names = &self.world.program.names;
                let (_, callee) = names.dispatch(method.call(call).dispatch);
                let callee = names.text(names.method(callee).name);
                let args: Vec<_> = method.args(call).iter().map(|&a| name(a)).collect();
                format!("call {}.{callee}({})", name(method.call(call).receiver), args.join(", "))
            }
        };
        Point { line: stmt.line, depth: method.depth(method.region_of(block)), text, facts }
    }

    fn facts(&self, released: &[u64], twice: &Pairs, pattern: &Pairs) -> Facts {
        let lock = |n: u32| self.flow.machine.universe.lock(n);
        let word = |(a, b): (u32, u32)| show(self.world, self.id, lock(a), lock(b));
        let sorted = |words: BTreeSet<String>| words.into_iter().collect();
        Facts {
            released: sorted(ones(released).map(|n| word((n, n))).collect()),
            twice: sorted(twice.iter().copied().map(word).collect()),
            pattern: sorted(pattern.iter().copied().map(word).collect()),
        }
    }
}
