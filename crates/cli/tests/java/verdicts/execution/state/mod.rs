//! What there is at one moment of an execution, and what a step makes of it.

mod guards;
mod meetings;

use super::Blocks;
use super::signals::Signals;
use super::steps::Step;
use crate::verdicts::program::{
    Access, Array, CELLS, COUNT, Call, ELEMENTS, Object, PERMITS, Touch,
};
use guards::Held;
use std::collections::HashMap;

/// The step cannot be made now.
pub struct Blocked;

/// What a thread has of its own.
#[derive(Clone, Default)]
pub struct Own {
    pub is_started: bool,
    pub is_done: bool,
    held: Vec<Held>,
    /// The monitor that it waits for, and how often it held it.
    waits: Option<(String, u32)>,
    object: String,
    array: String,
    /// Of the read-write lock.
    reads: u32,
}

#[derive(Clone)]
pub struct State {
    blocks: Blocks,
    pub threads: Vec<Own>,
    /// Who holds a lock, and how often.
    locks: HashMap<String, (usize, u32)>,
    signals: HashMap<&'static str, Signals>,
    permits: u32,
    count: u32,
    is_complete: bool,
    /// Of each cell.
    next: Vec<String>,
    arrays: Vec<String>,
    made: u32,
    /// What has happened since the state was last looked at.
    pub told: Vec<Told>,
}

/// An event of the thread whose turn it is.
#[derive(Clone)]
pub struct Told {
    pub op: &'static str,
    pub what: String,
}

impl Told {
    /// Whether a block begins or ends.
    pub fn is_border(&self) -> bool {
        matches!(self.op, "begin" | "end")
    }
}

impl State {
    pub fn new(threads: usize, first: usize, blocks: Blocks) -> State {
        let thread = |number| Own { is_started: number < first, ..Own::default() };
        State {
            blocks,
            threads: (0..threads).map(thread).collect(),
            locks: HashMap::new(),
            signals: HashMap::new(),
            permits: PERMITS,
            count: COUNT,
            is_complete: false,
            next: (0..CELLS).map(|cell| format!("N{cell}")).collect(),
            arrays: (0..CELLS).map(|cell| format!("A{cell}")).collect(),
            made: 0,
            told: vec![],
        }
    }

    pub fn step(&mut self, me: usize, step: Step) -> Result<(), Blocked> {
        match step {
            Step::Begin(method) if self.is_block(method) => {
                self.tell("begin", &format!(".m{method}"));
            }
            Step::End(method) if self.is_block(method) => self.tell("end", ""),
            Step::Begin(_) | Step::End(_) | Step::Turn => {}
            Step::Enter(guard) => self.enter(me, guard)?,
            Step::Exit => self.exit(me),
            Step::Access(Access::Meet(meeting)) => self.meet(me, meeting)?,
            Step::Access(access) => self.access(me, access),
            Step::Locals(object, array) => {
                self.threads[me].object = self.object(me, object);
                self.threads[me].array = self.array(me, array);
            }
            Step::Wait => self.wait(me)?,
            Step::Resume => self.resume(me)?,
            Step::Notify => {
                let monitor = self.innermost(me);
                if !self.is_waited_for(&monitor) {
                    self.tell("notify", &monitor);
                }
            }
        }
        Ok(())
    }

    fn is_block(&self, method: usize) -> bool {
        match self.blocks {
            Blocks::Methods => true,
            Blocks::Method(block) => block == method,
            Blocks::Monitors => false,
        }
    }

    fn tell(&mut self, op: &'static str, what: &str) {
        self.told.push(Told { op, what: what.to_string() });
    }

    fn touch(&mut self, touch: Touch, variable: &str) {
        if touch != Touch::Write {
            self.tell("r", variable);
        }
        if touch != Touch::Read {
            self.tell("w", variable);
        }
    }

    fn object(&mut self, me: usize, object: Object) -> String {
        match object {
            Object::Fixed(number) => format!("C{number}"),
            Object::Next(cell) => {
                self.tell("r", &format!("C{cell}.next"));
                self.next[cell as usize].clone()
            }
            Object::Local => self.threads[me].object.clone(),
            Object::New => {
                let made = self.make();
                self.tell("w", &format!("{made}.a"));
                made
            }
        }
    }

    fn array(&mut self, me: usize, array: Array) -> String {
        match array {
            Array::Fixed => "E".to_string(),
            Array::Of(cell) => {
                self.tell("r", &format!("C{cell}.array"));
                self.arrays[cell as usize].clone()
            }
            Array::Local => self.threads[me].array.clone(),
            Array::New => self.make(),
        }
    }

    fn access(&mut self, me: usize, access: Access) {
        match access {
            Access::Field { object, field, touch } => {
                let object = self.object(me, object);
                self.touch(touch, &format!("{object}.{field}"));
            }
            Access::Element { array, index, touch } => {
                let array = self.array(me, array);
                self.touch(touch, &format!("{array}[{index}]"));
            }
            Access::Volatile { cell, touch } => self.touch(touch, &format!("C{cell}.v")),
            Access::Static(touch) => self.touch(touch, "S"),
            Access::Atomic(Call::Get | Call::Fail) => self.tell("r", "N"),
            Access::Atomic(_) => self.tell("w", "N"),
            Access::MakeNext { cell } => {
                let made = self.object(me, Object::New);
                self.put_next(cell, made);
            }
            Access::MakeArray { cell, filled } => {
                let made = self.make();
                for index in (0..ELEMENTS).filter(|_| filled) {
                    self.tell("w", &format!("{made}[{index}]"));
                }
                self.put_array(cell, made);
            }
            Access::PutNext { cell } => {
                let object = self.object(me, Object::Local);
                self.put_next(cell, object);
            }
            Access::PutArray { cell } => {
                let array = self.array(me, Array::Local);
                self.put_array(cell, array);
            }
            Access::Meet(_) => {}
        }
    }

    fn put_next(&mut self, cell: u32, object: String) {
        self.tell("w", &format!("C{cell}.next"));
        self.next[cell as usize] = object;
    }

    fn put_array(&mut self, cell: u32, array: String) {
        self.tell("w", &format!("C{cell}.array"));
        self.arrays[cell as usize] = array;
    }

    fn make(&mut self) -> String {
        self.made += 1;
        format!("M{}", self.made)
    }
}
