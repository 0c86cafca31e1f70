//! What the methods and threads of a program consist of, at random.

use super::access::{Access, Array, Locals, Meeting, Object, Touch};
use super::habits::Habits;
use super::rows::Row;
use super::{CELLS, ELEMENTS};
use crate::verdicts::random::Random;
use std::ops::Range;

pub enum Item {
    Access(Access),
    /// Others may run.
    Turn,
    Call(usize),
    Loop(u32, Vec<Item>),
    Guarded(Guard, Vec<Item>),
    /// What is thrown within is caught.
    Try(Vec<Item>),
    Throw,
    /// The innermost monitor is let go until the next turn; or a signal is given to who does so, if nobody does.
    Wait,
    Notify,
    /// An object and an array are in local variables.
    With(Object, Array, Vec<Item>),
    Walk(Walk),
    Row(Row),
}

/// What is held for a while.
#[derive(Clone, Copy)]
pub enum Guard {
    Monitor(Object),
    /// A lock of `java.util.concurrent`, the two of a read-write lock, and a permit of a semaphore.
    Lock,
    Read,
    Write,
    Permit,
}

/// Some elements of an array, one after the other, and in each round something else perhaps; others may run in between.
pub struct Walk {
    pub array: Array,
    pub touch: Touch,
    pub backwards: bool,
    pub step: u32,
    pub also: Vec<Access>,
    pub turns: bool,
}

impl Walk {
    fn random(random: &mut Random, habits: &Habits, locals: Locals) -> Walk {
        let any = locals != Locals::None;
        let local = any && random.percent(70);
        let also = if any { random.below(4) } else { random.below(2) };
        Walk {
            array: if local { Array::Local } else { Array::random(random, habits) },
            touch: Touch::random(random),
            backwards: random.percent(15),
            step: 1 + u32::from(random.percent(15)),
            turns: random.percent(30),
            also: (0..also)
                .map(|_| match any {
                    true => Access::local(random, habits, locals),
                    false => Access::random(random, habits, locals),
                })
                .collect(),
        }
    }

    pub fn indices(&self) -> Vec<u32> {
        let indices = (0..ELEMENTS).step_by(self.step as usize);
        if self.backwards { indices.rev().collect() } else { indices.collect() }
    }
}

/// Where something is.
#[derive(Clone)]
pub struct Scope {
    pub depth: u32,
    /// Methods that can be called.
    pub calls: Range<usize>,
    /// Threads that can be started.
    pub children: Range<usize>,
    pub locals: Locals,
    pub in_monitor: bool,
    pub habits: Habits,
}

impl Scope {
    fn inner(&self) -> Scope {
        Scope { depth: self.depth + 1, ..self.clone() }
    }
}

pub fn items(random: &mut Random, scope: &Scope) -> Vec<Item> {
    let mut out = Vec::new();
    for _ in 0..=random.below(3) {
        if scope.depth < 3 && random.percent(scope.habits.guards) {
            out.push(guarded(random, scope));
            continue;
        }
        match scope.habits.item(random, 100) {
            kind if kind < 45 || scope.depth >= 3 => {
                out.extend((0..=random.below(3)).map(|_| access(random, scope)));
                if random.percent(80) {
                    out.push(Item::Turn);
                }
            }
            0..60 if !scope.calls.is_empty() && scope.locals == Locals::None => {
                let method = scope.calls.start as u32 + random.below(scope.calls.len() as u32);
                out.push(Item::Call(method as usize));
            }
            0..70 => {
                let times = 2 + random.below(2);
                out.push(Item::Loop(times, items(random, &scope.inner())));
            }
            70..73 => out.push(Item::Try(items(random, &scope.inner()))),
            73 => out.push(Item::Throw),
            74..82 => out.push(Item::Walk(Walk::random(random, &scope.habits, scope.locals))),
            82..86 => {
                for _ in 0..=random.below(3) {
                    out.push(Item::Row(Row::random(random, &scope.habits)));
                    if random.percent(50) {
                        out.push(Item::Turn);
                    }
                }
            }
            86..93 if scope.locals == Locals::None => out.push(with(random, scope)),
            93..97 if scope.in_monitor => {
                out.push(if random.percent(70) { Item::Wait } else { Item::Notify });
            }
            _ => out.push(Item::Turn),
        }
    }
    out
}

/// All rows in some items.
pub fn rows<'i>(items: &'i [Item], out: &mut Vec<&'i Row>) {
    for item in items {
        match item {
            Item::Row(row) => out.push(row),
            Item::Loop(_, within)
            | Item::Guarded(_, within)
            | Item::Try(within)
            | Item::With(_, _, within) => rows(within, out),
            _ => {}
        }
    }
}

fn access(random: &mut Random, scope: &Scope) -> Item {
    if !scope.children.is_empty() && random.percent(6) {
        let thread = scope.children.start + random.below(scope.children.len() as u32) as usize;
        let starts = random.percent(60);
        let meeting = if starts { Meeting::Start(thread) } else { Meeting::Join(thread) };
        return Item::Access(Access::Meet(meeting));
    }
    Item::Access(Access::random(random, &scope.habits, scope.locals))
}

fn guarded(random: &mut Random, scope: &Scope) -> Item {
    let guard = match random.below(10) {
        // Not of a thread's: when it ends, it wakes up who waits for it.
        0..6 if scope.locals == Locals::Cell && random.percent(50) => Guard::Monitor(Object::Local),
        0..4 => Guard::Monitor(Object::Fixed(scope.habits.cell(random))),
        4..6 => Guard::Monitor(Object::Next(scope.habits.cell(random))),
        6 => Guard::Lock,
        7 => Guard::Read,
        8 => Guard::Write,
        _ => Guard::Permit,
    };
    let is_monitor = matches!(guard, Guard::Monitor(_));
    let in_monitor = scope.in_monitor || is_monitor;
    let mut within = items(random, &Scope { in_monitor, ..scope.inner() });
    if is_monitor && random.percent(20) {
        within.insert(random.below(within.len() as u32) as usize, Item::Wait);
    }
    Item::Guarded(guard, within)
}

/// Accesses of one object in a row, or what else there is.
fn with(random: &mut Random, scope: &Scope) -> Item {
    let habits = scope.habits;
    let object = if random.percent(30) { Object::New } else { Object::random(random, &habits) };
    let array = if random.percent(30) { Array::New } else { Array::random(random, &habits) };
    let is_cell = !matches!(object, Object::Fixed(CELLS..));
    let locals = if is_cell { Locals::Cell } else { Locals::Any };
    let scope = Scope { locals, ..scope.inner() };
    let within = if random.percent(60) { row(random, &scope) } else { items(random, &scope) };
    Item::With(object, array, within)
}

fn row(random: &mut Random, scope: &Scope) -> Vec<Item> {
    let mut out = Vec::new();
    for _ in 0..2 + random.below(7) {
        out.push(Item::Access(Access::local(random, &scope.habits, scope.locals)));
        if random.percent(12) {
            out.push(Item::Turn);
        }
    }
    out
}
