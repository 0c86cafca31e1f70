//! What a program does at one place: reads and writes of variables, and calls that threads meet by.

use super::habits::Habits;
use super::{CELLS, ELEMENTS};
use crate::verdicts::random::Random;

/// What things are called at some place.
pub struct Names<'a> {
    /// Whose code it is, if it is a thread's own.
    pub me: Option<usize>,
    /// The class of cells.
    pub cell: &'a str,
}

/// An object with fields `a`, `b` and `d`.
#[derive(Clone, Copy)]
pub enum Object {
    /// A cell, which also has a volatile `v`, `next`, another cell, and `array`; from [`CELLS`] on, one of the first threads.
    Fixed(u32),
    /// The next one of a cell.
    Next(u32),
    /// What is in the local variable `c`.
    Local,
    /// A new one, which nobody knows yet; to be put there.
    New,
}

impl Object {
    pub fn random(random: &mut Random, habits: &Habits) -> Object {
        match random.below(4) {
            0 => Object::Next(habits.cell(random)),
            _ => Object::Fixed(habits.object(random)),
        }
    }

    pub fn source(self, names: &Names<'_>) -> String {
        match self {
            Object::Fixed(cell) if cell < CELLS => format!("c{cell}"),
            Object::Fixed(object) if names.me == Some((object - CELLS) as usize) => {
                "this".to_string()
            }
            Object::Fixed(object) => format!("t{}", object - CELLS),
            Object::Next(cell) => format!("c{cell}.next"),
            Object::Local => "c".to_string(),
            Object::New => format!("new {}(1)", names.cell),
        }
    }
}

#[derive(Clone, Copy)]
pub enum Array {
    /// The one that all share from the beginning.
    Fixed,
    /// That of a cell.
    Of(u32),
    /// What is in the local variable `x`.
    Local,
    /// A new one, which nobody knows yet; to be put there.
    New,
}

impl Array {
    pub fn random(random: &mut Random, habits: &Habits) -> Array {
        match random.below(2) {
            0 => Array::Fixed,
            _ => Array::Of(habits.cell(random)),
        }
    }

    pub fn source(self) -> String {
        match self {
            Array::Fixed => "e".to_string(),
            Array::Of(cell) => format!("c{cell}.array"),
            Array::Local => "x".to_string(),
            Array::New => format!("new int[{ELEMENTS}]"),
        }
    }
}

/// What is done to a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    Read,
    Write,
    /// A read and a write, which others may come between.
    Update,
}

impl Touch {
    pub fn random(random: &mut Random) -> Touch {
        match random.below(9) {
            0..4 => Touch::Read,
            4..8 => Touch::Write,
            _ => Touch::Update,
        }
    }

    fn either(random: &mut Random) -> Touch {
        if random.percent(50) { Touch::Read } else { Touch::Write }
    }

    pub fn source(self, variable: &str) -> String {
        match self {
            Touch::Read => format!("r += {variable};"),
            Touch::Write => format!("{variable} = 1;"),
            Touch::Update => format!("{variable}++;"),
        }
    }
}

#[derive(Clone, Copy)]
pub enum Access {
    Field {
        object: Object,
        field: char,
        touch: Touch,
    },
    Element {
        array: Array,
        index: u32,
        touch: Touch,
    },
    Volatile {
        cell: u32,
        touch: Touch,
    },
    Static(Touch),
    /// Of an atomic variable.
    Atomic(Call),
    /// A new cell is the next one.
    MakeNext {
        cell: u32,
    },
    /// A cell gets a new array, with something in it perhaps.
    MakeArray {
        cell: u32,
        filled: bool,
    },
    /// What is in a local variable is the next cell, or a cell's array.
    PutNext {
        cell: u32,
    },
    PutArray {
        cell: u32,
    },
    Meet(Meeting),
}

/// The local variables at some place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Locals {
    None,
    /// `c` and `x`.
    Any,
    /// The same, and `c` is a cell.
    Cell,
}

/// A call of an atomic variable's method.
#[derive(Clone, Copy)]
pub enum Call {
    Get,
    Set,
    Add,
    /// An exchange that succeeds, and one that fails.
    Exchange,
    Fail,
}

/// A call that threads meet by; none of them waits, but for the end of a thread.
#[derive(Clone, Copy)]
pub enum Meeting {
    /// Of a semaphore.
    Release,
    TryAcquire,
    /// Of a latch.
    CountDown,
    Await,
    /// Of a future.
    Complete,
    GetNow,
    IsDone,
    /// The thread of this number, if it is not started yet; and its end, if it is.
    Start(usize),
    Join(usize),
}

impl Access {
    pub fn random(random: &mut Random, habits: &Habits, locals: Locals) -> Access {
        let cell = habits.cell(random);
        match habits.access(random, 20) {
            0..7 => Access::of_field(random, habits, locals),
            7..10 => Access::of_element(random, habits, locals),
            10 => Access::Volatile { cell, touch: Touch::either(random) },
            11 => Access::Static(Touch::either(random)),
            12..14 => Access::MakeNext { cell },
            14 => Access::MakeArray { cell, filled: random.percent(40) },
            15..17 => Access::Atomic(
                [Call::Get, Call::Set, Call::Add, Call::Exchange, Call::Fail]
                    [random.below(5) as usize],
            ),
            17 => Access::Meet(Meeting::random(random)),
            18 if locals == Locals::Cell => Access::PutNext { cell },
            18 if locals == Locals::Any => Access::PutArray { cell },
            _ => Access::of_field(random, habits, locals),
        }
    }

    /// Of local variables only.
    pub fn local(random: &mut Random, habits: &Habits, locals: Locals) -> Access {
        let cell = habits.cell(random);
        match random.below(16) {
            0 if locals == Locals::Cell => return Access::PutNext { cell },
            1 => return Access::PutArray { cell },
            _ => {}
        }
        let field = random.percent(75);
        let (index, touch) = (random.below(ELEMENTS), Touch::random(random));
        match field {
            true => Access::Field { object: Object::Local, field: field_of(random), touch },
            false => Access::Element { array: Array::Local, index, touch },
        }
    }

    fn of_field(random: &mut Random, habits: &Habits, locals: Locals) -> Access {
        let local = locals != Locals::None && random.percent(60);
        let object = if local { Object::Local } else { Object::random(random, habits) };
        Access::Field { object, field: field_of(random), touch: Touch::random(random) }
    }

    fn of_element(random: &mut Random, habits: &Habits, locals: Locals) -> Access {
        let local = locals != Locals::None && random.percent(60);
        let array = if local { Array::Local } else { Array::random(random, habits) };
        Access::Element { array, index: random.below(ELEMENTS), touch: Touch::random(random) }
    }

    pub fn source(self, names: &Names<'_>) -> String {
        match self {
            Access::Field { object, field, touch } => {
                touch.source(&format!("{}.{field}", object.source(names)))
            }
            Access::Element { array, index, touch } => {
                touch.source(&format!("{}[{index}]", array.source()))
            }
            Access::Volatile { cell, touch } => touch.source(&format!("c{cell}.v")),
            Access::Static(touch) => touch.source("s"),
            Access::Atomic(Call::Get) => "r += n.get();".to_string(),
            Access::Atomic(Call::Set) => "n.set(0);".to_string(),
            Access::Atomic(Call::Add) => "n.getAndAdd(0);".to_string(),
            Access::Atomic(Call::Exchange) => "n.compareAndSet(0, 0);".to_string(),
            Access::Atomic(Call::Fail) => "n.compareAndSet(7, 0);".to_string(),
            Access::MakeNext { cell } => format!("c{cell}.next = new {}(1);", names.cell),
            Access::MakeArray { cell, filled: false } => {
                format!("c{cell}.array = new int[{ELEMENTS}];")
            }
            Access::MakeArray { cell, filled: true } => {
                format!("c{cell}.array = new int[] {{{}}};", ["1"; ELEMENTS as usize].join(", "))
            }
            Access::PutNext { cell } => format!("c{cell}.next = c;"),
            Access::PutArray { cell } => format!("c{cell}.array = x;"),
            Access::Meet(meeting) => meeting.source(),
        }
    }
}

impl Meeting {
    fn random(random: &mut Random) -> Meeting {
        [
            Meeting::Release,
            Meeting::TryAcquire,
            Meeting::CountDown,
            Meeting::Await,
            Meeting::Complete,
            Meeting::GetNow,
            Meeting::IsDone,
        ][random.below(7) as usize]
    }

    fn source(self) -> String {
        match self {
            Meeting::Release => "permits.release();".to_string(),
            Meeting::TryAcquire => "if (permits.tryAcquire()) r++;".to_string(),
            Meeting::CountDown => "countDown();".to_string(),
            Meeting::Await => "await();".to_string(),
            Meeting::Complete => "future.complete(1);".to_string(),
            Meeting::GetNow => "getNow();".to_string(),
            Meeting::IsDone => "if (future.isDone()) r++;".to_string(),
            Meeting::Start(thread) => format!("start{thread}();"),
            Meeting::Join(thread) => format!("join{thread}();"),
        }
    }
}

pub fn field_of(random: &mut Random) -> char {
    ['a', 'b', 'd'][random.below(3) as usize]
}
