//! The dataflow of section 4.2: which locks were released before, at each point of a method.
//!
//! # What is computed
//!
//! The paper starts every synchronization block with empty facts and looks up A(sb), the facts at its exit, when control
//! comes to the statement after it. That is the same as keeping, at a point inside blocks sb₁ ⊃ sb₂ ⊃ … ⊃ sbₙ of a
//! method sb₀, one set R for each of them: `Rᵢ` holds what was released since sbᵢ was entered and before sbᵢ₊₁ was.
//! A release adds to `Rₙ` only. Leaving sbₙ adds `Rₙ` and the lock of sbₙ to `Rₙ₋₁`; leaving several blocks at once does so one
//! after the other. A lock acquired at this point enters `Tᵢ` for all i with the lock in `Rᵢ`, which is what the paper's
//! `T ∪ (R ∩ (R_sb ∪ {e}))` says of the block one level further out. It enters P if i > 0 and no block from sb₁ to sbᵢ locks it.
//!
//! `T` and `P` only grow along a path, so they need no fixed point: one more pass over the stable `R` finds all members and the
//! places where they arise (`pivot.rs`). A(sb) is the join over all exits of sb for R, and over all of its points for T and P: a
//! block that runs for ever has no exit, but what happened in it has happened.
//!
//! All transfer functions distribute over union, so the result is the join over all paths, no more and no less.
//!
//! # Deviations
//!
//! - An exit carries only the facts of the paths that lead to it. With one A(sb) for all exits, a `return` from within
//!   a block would mark locks on the way past the block.
//! - An assignment inside of a block also unmarks the locks released before the block was entered, and the block's own
//!   lock, if that is no longer what the expression denotes when the block ends. Figure 6(a) forgets both: a loop
//!   `synchronized (m) { i++; } synchronized (a[i]) {}` would lock the same `a[i]` twice.
//! - A lock in `R` that is acquired again in a block *before* the block assigns to one of its variables is a witness, although it
//!   is no longer in R_sb at the end of the block.
//! - A call unmarks what depends on what it may assign (`assigned.rs`), after it has acquired what it acquires: `c.close();
//!   c.close();` with `close() { lock.close(); lock = null; }` does not lock the same `lock` twice.
//! - An exception may be raised before, between and after all statements of its block.

use crate::bits::{has, join};
use crate::ir::{Action, BlockId, Method, MethodId, RegionId, StmtId};
use crate::universe::Universe;
use crate::world::World;

/// The most deeply nested blocks that are analysed: a bit each in `State::pending`.
const MAX_DEPTH: usize = 63;

/// Whether a method's blocks are nested too deeply.
pub(crate) fn is_too_deep(method: &Method) -> bool {
    // A block comes after those around it, so few blocks cannot be deep.
    let regions = method.regions().len();
    regions > MAX_DEPTH && (0..regions).any(|r| method.depth(RegionId::from_index(r)) > MAX_DEPTH)
}

/// The facts at one point.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The innermost region.
    pub(crate) region: RegionId,
    /// `R` of each region from the root inwards, a row each.
    pub(crate) rows: Vec<u64>,
    /// For each region but the root: does its locking expression still denote what it locked?
    pub(crate) pending: u64,
}

impl State {
    /// Adds the facts of another path to the same region; says whether any was new.
    pub(crate) fn join(&mut self, other: &State) -> bool {
        let grown = other.pending & !self.pending != 0;
        self.pending |= other.pending;
        join(&mut self.rows, &other.rows) | grown
    }
}

/// The transfer functions of a method.
pub(crate) struct Machine<'a> {
    pub(crate) method: &'a Method,
    pub(crate) universe: Universe,
}

/// The stable facts of a method.
pub(crate) struct Flow<'a> {
    pub(crate) machine: Machine<'a>,
    /// At the entry of each block; nothing, if it is never reached.
    pub(crate) entries: Vec<Option<State>>,
}

impl<'a> Flow<'a> {
    /// Analyses a method; nothing, if it acquires no lock that has a name.
    pub(crate) fn new(world: &'a World<'_>, id: MethodId) -> Option<Self> {
        let method = world.method(id);
        if is_too_deep(method) {
            return None;
        }
        let universe = Universe::new(world, id)?;
        let machine = Machine { method, universe };
        let entries = machine.stabilise();
        Some(Self { machine, entries })
    }
}

impl Machine<'_> {
    fn stabilise(&self) -> Vec<Option<State>> {
        let blocks = self.method.block_count();
        let mut entries = vec![None; blocks];
        let rows = vec![0; self.universe.words];
        entries[0] = Some(State { region: RegionId::ROOT, rows, pending: 0 });
        let mut dirty = vec![false; blocks];
        dirty[0] = true;
        let mut again = true;
        // Blocks come in the order of the code, which is almost the order of execution.
        while again {
            again = false;
            for at in 0..blocks {
                if !std::mem::take(&mut dirty[at]) {
                    continue;
                }
                let Some(state) = entries[at].clone() else { continue };
                let edge = |state: &State, to: BlockId| {
                    if self.send(state, to, &mut entries) {
                        dirty[to.index()] = true;
                        again |= to.index() <= at;
                    }
                };
                self.walk(BlockId::from_index(at), state, |_, _| {}, edge);
            }
        }
        entries
    }

    /// Takes the facts at a block's entry through the block: calls back before each statement, and on each edge with
    /// the facts that go along it.
    pub(crate) fn walk(
        &self,
        block: BlockId,
        mut state: State,
        mut stmt: impl FnMut(&State, StmtId),
        mut edge: impl FnMut(&State, BlockId),
    ) {
        let handlers = self.method.handlers(block);
        let mut thrown = (!handlers.is_empty()).then(|| state.clone());
        for at in self.method.stmts_of(block) {
            stmt(&state, StmtId::from_index(at));
            self.step(&mut state, StmtId::from_index(at));
            if let Some(thrown) = &mut thrown {
                thrown.join(&state);
            }
        }
        for &to in self.method.successors(block) {
            edge(&state, to);
        }
        if let Some(thrown) = thrown {
            for &to in handlers {
                edge(&thrown, to);
            }
        }
    }

    /// Adds facts to the entry of a block; says whether any was new.
    fn send(&self, state: &State, to: BlockId, entries: &mut [Option<State>]) -> bool {
        if to == BlockId::EXIT {
            return false;
        }
        let region = self.method.region_of(to);
        match &mut entries[to.index()] {
            Some(entry) if region == state.region => entry.join(state),
            Some(entry) => entry.join(&self.cross(state, region)),
            entry => {
                *entry = Some(self.cross(state, region));
                true
            }
        }
    }

    /// What a statement does to the facts.
    pub(crate) fn step(&self, state: &mut State, stmt: StmtId) {
        let words = self.universe.words;
        let action = self.method.stmts()[stmt.index()].action;
        if let Action::Call(call) = action
            && let Some(acquired) = self.universe.acquired_by(call)
        {
            let innermost = state.rows.len() - words;
            join(&mut state.rows[innermost..], acquired);
        }
        let Some(killed) = self.universe.killed_by(action) else { return };
        for row in state.rows.chunks_mut(words) {
            row.iter_mut().zip(killed).for_each(|(r, k)| *r &= !k);
        }
        let mut region = state.region;
        for depth in (1..=self.method.depth(region)).rev() {
            if self.universe.lock_of(region).is_some_and(|lock| has(killed, lock)) {
                state.pending &= !(1 << depth);
            }
            region = self.method.region(region).parent;
        }
    }

    /// The facts after an edge: into a child of the state's region, to a region around it, or within it.
    fn cross(&self, state: &State, to: RegionId) -> State {
        let words = self.universe.words;
        let mut next = state.clone();
        if to != state.region && self.method.region(to).parent == state.region {
            next.region = to;
            next.rows.resize(next.rows.len() + words, 0);
            next.pending |= 1 << self.method.depth(to);
            return next;
        }
        while next.region != to && next.region != RegionId::ROOT {
            self.leave(&mut next);
        }
        next
    }

    /// Leaves the innermost region.
    pub(crate) fn leave(&self, state: &mut State) {
        let words = self.universe.words;
        let depth = state.rows.len() / words - 1;
        let inner = state.rows.split_off(depth * words);
        let outer = &mut state.rows[(depth - 1) * words..];
        join(outer, &inner);
        if let Some(lock) = self.universe.lock_of(state.region)
            && state.pending >> depth & 1 == 1
        {
            outer[lock as usize / 64] |= 1 << (lock % 64);
        }
        state.pending &= !(1 << depth);
        state.region = self.method.region(state.region).parent;
    }
}
