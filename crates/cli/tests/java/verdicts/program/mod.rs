//! Random programs of some threads that use a few variables, inside and outside of methods, and meet in several ways.

mod access;
mod habits;
mod items;
mod rows;
mod source;

pub use access::{Access, Array, Call, Meeting, Object, Touch};
pub use items::{Guard, Item, Walk};
pub use rows::NAME as ROW;

use super::random::Random;
use access::Locals;
use habits::Habits;
use items::{Scope, items};

pub const CELLS: u32 = 3;
/// Cells and threads.
pub const OBJECTS: u32 = CELLS + 2;
pub const ELEMENTS: u32 = 6;
/// Of the semaphore, and what the latch counts down from.
pub const PERMITS: u32 = 1;
pub const COUNT: u32 = 2;
pub const METHODS: usize = 4;

/// How some start others, and wait for their end.
#[derive(Clone, Copy)]
pub enum Launch {
    Start,
    /// They are tasks for an executor.
    Submit,
    /// The same, by means of a `CompletableFuture`.
    Async,
}

/// A program: what its methods do, and its threads.
pub struct Program {
    /// Whether its class is also the class of the cells: what it does is then done to fields of its own.
    pub is_cell: bool,
    pub methods: Vec<Vec<Item>>,
    pub threads: Vec<Vec<Item>>,
    /// So many threads are there at first. Others start the rest.
    pub first: usize,
    launch: Launch,
}

impl Program {
    /// What is guarded so often, of a hundred times.
    pub fn random(random: &mut Random, guards: u32) -> Program {
        let is_cell = random.percent(50);
        let (first, calls) = (2 + random.below(2) as usize, 25 + random.below(40));
        let count = first + usize::from(random.percent(30));
        let mut scope = Scope {
            depth: 1,
            calls: 0..0,
            children: first..count,
            locals: Locals::None,
            in_monitor: false,
            habits: Habits::random(random, guards),
        };
        let mut methods: Vec<Vec<Item>> = Vec::new();
        for method in (0..METHODS).rev() {
            scope.calls = method + 1..METHODS;
            methods.insert(0, items(random, &scope));
        }
        scope.calls = 0..METHODS;
        let threads = (0..count).map(|_| {
            let mut thread = Vec::new();
            for _ in 0..=random.below(3) {
                if random.percent(calls) {
                    thread.push(Item::Call(random.below(METHODS as u32) as usize));
                } else {
                    thread.extend(items(random, &scope));
                }
            }
            thread.push(Item::Turn);
            thread
        });
        let threads = threads.collect();
        let launch = [Launch::Start, Launch::Submit, Launch::Async][random.below(3) as usize];
        Program { is_cell, methods, threads, first, launch }
    }
}
