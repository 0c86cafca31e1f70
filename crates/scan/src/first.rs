//! Where a lock was released first: backwards from the place of its second acquisition to the nearest release.

use std::collections::VecDeque;

use crate::bits::has;
use crate::flow::Flow;
use crate::ir::{Action, BlockId, StmtId};
use crate::pivot::{Event, Suspect};
use crate::universe::Location;

/// Which edges lead to each block.
struct Predecessors {
    /// The block an edge comes from, and whether by an exception.
    of: Vec<Vec<(BlockId, bool)>>,
}

/// A point to go back from: the end of a block (or after an exception in it).
#[derive(Clone, Copy)]
struct Point {
    block: BlockId,
    thrown: bool,
    /// Whether the path is still inside a block that was entered after the first release: releases in it do not count.
    inside: bool,
}

impl Flow<'_> {
    /// The nearest place before an event that releases the first lock of a suspect.
    pub(crate) fn first_release(&self, event: &Event, suspect: Suspect) -> Option<Location> {
        let method = self.machine.method;
        let predecessors = self.predecessors();
        let mut seen = vec![[false; 4]; method.block_count()];
        let mut queue = VecDeque::new();
        let inside = event.state.region != suspect.region;
        match event.location {
            Location::Stmt(stmt) => {
                let block = self.block_of(stmt)?;
                let before = method.stmts_of(block).start..stmt.index();
                match self.back(before, suspect.first, inside) {
                    Back::Found(location) => return Some(location),
                    Back::Lost => {}
                    Back::Through => {
                        // Nothing is found by entering the event's own block: what it locks is still held.
                        let point = Point { block, thrown: false, inside };
                        let _ = self.go_back(point, suspect, &predecessors, &mut queue);
                    }
                }
            }
            Location::Region(region) => {
                for block in (0..method.block_count()).map(BlockId::from_index) {
                    if method.region_of(block) == region {
                        let outside =
                            |p: &&(BlockId, bool)| method.region_of(p.0) == event.state.region;
                        for &(block, thrown) in
                            predecessors.of[block.index()].iter().filter(outside)
                        {
                            queue.push_back(Point { block, thrown, inside });
                        }
                    }
                }
            }
        }
        while let Some(point) = queue.pop_front() {
            let slot = usize::from(point.thrown) + 2 * usize::from(point.inside);
            if std::mem::replace(&mut seen[point.block.index()][slot], true) {
                continue;
            }
            if self.entries[point.block.index()].is_none() {
                continue;
            }
            let range = method.stmts_of(point.block);
            let back = if point.thrown {
                self.back_thrown(range, suspect.first, point.inside)
            } else {
                self.back(range, suspect.first, point.inside)
            };
            match back {
                Back::Found(location) => return Some(location),
                Back::Lost => continue,
                Back::Through => {}
            }
            if let Some(location) = self.go_back(point, suspect, &predecessors, &mut queue) {
                return Some(location);
            }
        }
        None
    }

    /// Over the edges that lead to a block. Crossing the entry of a region that was left again since is a release.
    fn go_back(
        &self,
        point: Point,
        suspect: Suspect,
        predecessors: &Predecessors,
        queue: &mut VecDeque<Point>,
    ) -> Option<Location> {
        let method = self.machine.method;
        let region = method.region_of(point.block);
        for &(block, thrown) in &predecessors.of[point.block.index()] {
            let from = method.region_of(block);
            let enters = region != from && method.region(region).parent == from;
            if enters {
                if region == suspect.region {
                    continue;
                }
                if !point.inside && self.machine.universe.lock_of(region) == Some(suspect.first) {
                    return Some(Location::Region(region));
                }
            }
            let inside = point.inside && from != suspect.region;
            queue.push_back(Point { block, thrown, inside });
        }
        None
    }

    /// Back over some statements.
    fn back(&self, range: std::ops::Range<usize>, lock: u32, inside: bool) -> Back {
        for at in range.rev() {
            match self.effect(at, lock) {
                Effect::Releases if !inside => {
                    return Back::Found(Location::Stmt(StmtId::from_index(at)));
                }
                Effect::Changes => return Back::Lost,
                _ => {}
            }
        }
        Back::Through
    }

    /// Back over the statements of a block that raised an exception somewhere.
    fn back_thrown(&self, range: std::ops::Range<usize>, lock: u32, inside: bool) -> Back {
        let mut releases = range.rev().filter(|&at| self.effect(at, lock) == Effect::Releases);
        match releases.next() {
            Some(at) if !inside => Back::Found(Location::Stmt(StmtId::from_index(at))),
            _ => Back::Through,
        }
    }

    fn effect(&self, at: usize, lock: u32) -> Effect {
        let universe = &self.machine.universe;
        let action = self.machine.method.stmts()[at].action;
        if universe.killed_by(action).is_some_and(|row| has(row, lock)) {
            return Effect::Changes;
        }
        match action {
            Action::Call(call) if universe.acquired_by(call).is_some_and(|row| has(row, lock)) => {
                Effect::Releases
            }
            _ => Effect::Nothing,
        }
    }

    fn block_of(&self, stmt: StmtId) -> Option<BlockId> {
        let method = self.machine.method;
        let mut blocks = (0..method.block_count()).map(BlockId::from_index);
        blocks.find(|&b| method.stmts_of(b).contains(&stmt.index()))
    }

    fn predecessors(&self) -> Predecessors {
        let method = self.machine.method;
        let mut of = vec![Vec::new(); method.block_count()];
        for block in (0..method.block_count()).map(BlockId::from_index) {
            for &to in method.successors(block).iter().filter(|&&to| to != BlockId::EXIT) {
                of[to.index()].push((block, false));
            }
            for &to in method.handlers(block).iter().filter(|&&to| to != BlockId::EXIT) {
                of[to.index()].push((block, true));
            }
        }
        Predecessors { of }
    }
}

/// What a statement does to one lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Nothing,
    /// Acquires and releases it.
    Releases,
    /// Gives its expression another meaning.
    Changes,
}

/// What going back over statements comes to.
enum Back {
    Found(Location),
    /// The expression meant something else before.
    Lost,
    Through,
}
