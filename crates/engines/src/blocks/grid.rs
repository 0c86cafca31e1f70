//! Whether two transactions can meet at given places, exactly: all that their locks allow.
//!
//! How far each has come is a point of a grid, a row for each segment of the one and a column for each
//! segment of the other. Points at which both would hold the same lock are closed. A schedule is a way
//! from the first point to the last, by steps to the next row or column, through points that are not
//! closed; a point is *open* if it is on such a way. This is exact for any use of locks, nested or not,
//! and whether or not the two can come to a deadlock.

use super::skeleton::Skeleton;
use interloper_trace::LockId;
use std::ops::RangeInclusive;

/// The open points of two transactions.
pub(super) enum Grid {
    /// All: they have no lock in common.
    All,
    Some(Points),
}

pub(super) struct Points {
    rows: usize,
    columns: usize,
    open: Vec<bool>,
    /// What comes before the first segments.
    row: usize,
    column: usize,
}

impl Grid {
    /// The grid of two transactions; `None` if it has more than `most` points.
    pub(super) fn new(one: &Skeleton, other: &Skeleton, most: usize) -> Option<Grid> {
        let common = common(one, other);
        if common.is_empty() {
            return Some(Grid::All);
        }
        // What was held before counts as acquired right before, what is held after as released
        // right after.
        let (one_held, other_held) = (timeline(one, &common), timeline(other, &common));
        let (rows, columns) = (one_held.len(), other_held.len());
        if rows.checked_mul(columns).is_none_or(|points| points > most) {
            return None;
        }
        let mut open = Vec::with_capacity(rows * columns);
        for held in &one_held {
            open.extend(
                other_held.iter().map(|other| held.iter().all(|lock| !other.contains(lock))),
            );
        }
        let mut points = Points { rows, columns, open, row: one.row(0), column: other.row(0) };
        points.close_unreachable();
        Some(Grid::Some(points))
    }

    /// How many points it has.
    pub(super) fn points(&self) -> usize {
        match self {
            Grid::All => 1,
            Grid::Some(points) => points.open.len(),
        }
    }

    /// Whether some schedule has the one in one of these segments while the other is in one of those.
    pub(super) fn meet(&self, one: RangeInclusive<u32>, other: RangeInclusive<u32>) -> bool {
        match self {
            Grid::All => true,
            Grid::Some(points) => points.rows_of(one).any(|row| {
                points.columns_of(other.clone()).any(|column| points.is_open(row, column))
            }),
        }
    }

    /// Whether some schedule takes the other from its one segment to its other one, while the one
    /// stays within these.
    pub(super) fn pass(&self, one: RangeInclusive<u32>, other: RangeInclusive<u32>) -> bool {
        match self {
            Grid::All => true,
            Grid::Some(points) => points.pass(one, other),
        }
    }
}

impl Points {
    fn is_open(&self, row: usize, column: usize) -> bool {
        self.open[row * self.columns + column]
    }

    fn rows_of(&self, segments: RangeInclusive<u32>) -> RangeInclusive<usize> {
        self.row + *segments.start() as usize..=self.row + *segments.end() as usize
    }

    fn columns_of(&self, segments: RangeInclusive<u32>) -> RangeInclusive<usize> {
        self.column + *segments.start() as usize..=self.column + *segments.end() as usize
    }

    fn close_unreachable(&mut self) {
        for row in 0..self.rows {
            for column in 0..self.columns {
                let reached = (row, column) == (0, 0)
                    || row > 0 && self.is_open(row - 1, column)
                    || column > 0 && self.is_open(row, column - 1);
                self.open[row * self.columns + column] &= reached;
            }
        }
        for row in (0..self.rows).rev() {
            for column in (0..self.columns).rev() {
                let leads_on = (row + 1, column + 1) == (self.rows, self.columns)
                    || row + 1 < self.rows && self.is_open(row + 1, column)
                    || column + 1 < self.columns && self.is_open(row, column + 1);
                self.open[row * self.columns + column] &= leads_on;
            }
        }
    }

    fn pass(&self, one: RangeInclusive<u32>, other: RangeInclusive<u32>) -> bool {
        let (rows, columns) = (self.rows_of(one), self.columns_of(other));
        // By row: whether the column in hand can be reached there.
        let mut reached: Vec<bool> =
            rows.clone().map(|row| self.is_open(row, *columns.start())).collect();
        for column in columns {
            let mut from_above = false;
            for (row, reached) in rows.clone().zip(&mut reached) {
                *reached = (*reached || from_above) && self.is_open(row, column);
                from_above = *reached;
            }
        }
        reached.contains(&true)
    }
}

/// The locks that both use.
fn common(one: &Skeleton, other: &Skeleton) -> Vec<LockId> {
    let acquired = |skeleton: &Skeleton| {
        let acquired = skeleton.ops().iter().filter(|op| op.acquires());
        let mut locks: Vec<LockId> = acquired.map(|op| op.lock()).collect();
        locks.sort_unstable();
        locks.dedup();
        locks
    };
    let theirs = acquired(other);
    let mut locks = acquired(one);
    locks.retain(|lock| theirs.binary_search(lock).is_ok());
    locks
}

/// Which of the locks are held from one operation to the next, until nothing is held any more.
fn timeline(skeleton: &Skeleton, locks: &[LockId]) -> Vec<Vec<LockId>> {
    let mut held: Vec<LockId> = vec![];
    let mut times = vec![vec![]];
    for op in skeleton.ops() {
        if !op.acquires() {
            held.retain(|&lock| lock != op.lock());
        } else if locks.binary_search(&op.lock()).is_ok() {
            held.push(op.lock());
        }
        times.push(held.clone());
    }
    while held.pop().is_some() {
        times.push(held.clone());
    }
    times
}
