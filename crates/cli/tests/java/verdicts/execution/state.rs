//! What there is at one moment of an execution, and what a step makes of it.

use super::Blocks;
use super::signals::{Kind, Signals};
use super::steps::Step;
use crate::verdicts::program::{
    Access, Array, CELLS, COUNT, Call, ELEMENTS, Guard, Meeting, Object, PERMITS, Touch,
};
use std::collections::HashMap;

/// The step cannot be made now.
pub struct Blocked;

/// What a thread holds.
#[derive(Clone)]
enum Held {
    /// By the name of the object.
    Monitor(String),
    Lock,
    Read,
    Write,
    Permit,
}

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

const LOCK: &str = "L";
const WRITE: &str = "W";
const PERMIT: &str = "P";
const LATCH: &str = "D";
const FUTURE: &str = "Q";

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

    // ---- what is held

    fn enter(&mut self, me: usize, guard: Guard) -> Result<(), Blocked> {
        let held = match guard {
            Guard::Monitor(object) => {
                let object = self.object(me, object);
                if self.blocks == Blocks::Monitors {
                    self.tell("begin", ".monitor");
                }
                self.lock(me, &object, 1)?;
                Held::Monitor(object)
            }
            Guard::Lock => {
                self.lock(me, LOCK, 1)?;
                Held::Lock
            }
            Guard::Read => {
                self.read(me)?;
                Held::Read
            }
            Guard::Write => {
                self.write(me)?;
                Held::Write
            }
            Guard::Permit => {
                self.permits = self.permits.checked_sub(1).ok_or(Blocked)?;
                self.wait_for_signals(me, PERMIT, Kind::Alone);
                Held::Permit
            }
        };
        self.threads[me].held.push(held);
        Ok(())
    }

    fn exit(&mut self, me: usize) {
        match self.threads[me].held.pop().unwrap() {
            Held::Monitor(object) => {
                self.unlock(&object);
                if self.blocks == Blocks::Monitors {
                    self.tell("end", "");
                }
            }
            Held::Lock => self.unlock(LOCK),
            Held::Read => {
                self.threads[me].reads -= 1;
                if self.threads[me].reads == 0 {
                    self.signal(me, WRITE, Kind::Shared);
                }
            }
            Held::Write => {
                if self.let_go(WRITE) {
                    self.signal(me, WRITE, Kind::Alone);
                }
            }
            Held::Permit => self.release(me),
        }
    }

    /// Whether it is the first time.
    fn take(&mut self, me: usize, lock: &str, times: u32) -> Result<bool, Blocked> {
        let held = self.locks.entry(lock.to_string()).or_insert((me, 0));
        if held.0 != me {
            return Err(Blocked);
        }
        held.1 += times;
        Ok(held.1 == times)
    }

    /// Whether it was the last time.
    fn let_go(&mut self, lock: &str) -> bool {
        let held = self.locks.get_mut(lock).unwrap();
        held.1 -= 1;
        let last = held.1 == 0;
        if last {
            self.locks.remove(lock);
        }
        last
    }

    fn lock(&mut self, me: usize, lock: &str, times: u32) -> Result<(), Blocked> {
        if self.take(me, lock, times)? {
            self.tell("acq", lock);
        }
        Ok(())
    }

    fn unlock(&mut self, lock: &str) {
        if self.let_go(lock) {
            self.tell("rel", lock);
        }
    }

    fn read(&mut self, me: usize) -> Result<(), Blocked> {
        if self.locks.get(WRITE).is_some_and(|it| it.0 != me) {
            return Err(Blocked);
        }
        self.threads[me].reads += 1;
        self.wait_for_signals(me, WRITE, Kind::Shared);
        Ok(())
    }

    fn write(&mut self, me: usize) -> Result<(), Blocked> {
        let read = self.threads.iter().any(|thread| thread.reads > 0);
        if read && !self.locks.contains_key(WRITE) {
            return Err(Blocked);
        }
        self.take(me, WRITE, 1)?;
        self.wait_for_signals(me, WRITE, Kind::Alone);
        Ok(())
    }

    fn release(&mut self, me: usize) {
        self.signal(me, PERMIT, Kind::Alone);
        self.permits += 1;
    }

    fn signal(&mut self, me: usize, of: &'static str, kind: Kind) {
        let number = self.signals.entry(of).or_default().give(me, kind);
        self.tell("vw", &format!("{of}.signal{number}"));
    }

    fn wait_for_signals(&mut self, me: usize, of: &'static str, kind: Kind) {
        for number in self.signals.entry(of).or_default().awaited(me, kind) {
            self.tell("vr", &format!("{of}.signal{number}"));
        }
    }

    // ---- waiting

    fn innermost(&self, me: usize) -> String {
        let monitor = self.threads[me].held.iter().rev().find_map(|held| match held {
            Held::Monitor(object) => Some(object.clone()),
            _ => None,
        });
        monitor.unwrap()
    }

    fn is_waited_for(&self, monitor: &str) -> bool {
        let mut waits = self.threads.iter().filter_map(|thread| thread.waits.as_ref());
        waits.any(|(it, _)| it == monitor)
    }

    /// One waits at a time, because it is not known who wakes up.
    fn wait(&mut self, me: usize) -> Result<(), Blocked> {
        let monitor = self.innermost(me);
        if self.is_waited_for(&monitor) {
            return Err(Blocked);
        }
        let (_, times) = self.locks.remove(&monitor).unwrap();
        self.tell("wait", &monitor);
        self.threads[me].waits = Some((monitor, times));
        Ok(())
    }

    fn resume(&mut self, me: usize) -> Result<(), Blocked> {
        match self.threads[me].waits.take() {
            Some((monitor, times)) => self.lock(me, &monitor, times),
            None => Ok(()),
        }
    }

    // ---- meetings

    fn meet(&mut self, me: usize, meeting: Meeting) -> Result<(), Blocked> {
        match meeting {
            Meeting::Release => self.release(me),
            Meeting::TryAcquire => {
                if self.permits > 0 {
                    self.permits -= 1;
                    self.wait_for_signals(me, PERMIT, Kind::Alone);
                }
            }
            Meeting::CountDown => {
                if self.count > 0 {
                    self.count -= 1;
                    self.signal(me, LATCH, Kind::Alone);
                }
            }
            Meeting::Await => {
                if self.count == 0 {
                    self.wait_for_signals(me, LATCH, Kind::Alone);
                }
            }
            Meeting::Complete => {
                if !self.is_complete {
                    self.is_complete = true;
                    self.signal(me, FUTURE, Kind::Alone);
                }
            }
            Meeting::GetNow | Meeting::IsDone => self.wait_for_signals(me, FUTURE, Kind::Alone),
            Meeting::Start(thread) => {
                if !std::mem::replace(&mut self.threads[thread].is_started, true) {
                    self.tell("fork", &format!(".T{thread}"));
                }
            }
            Meeting::Join(thread) => match &self.threads[thread] {
                Own { is_done: true, .. } => self.tell("join", &format!(".T{thread}")),
                Own { is_started: true, .. } => return Err(Blocked),
                _ => {}
            },
        }
        Ok(())
    }

    // ---- variables

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
