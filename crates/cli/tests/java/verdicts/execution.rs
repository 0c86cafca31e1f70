//! One execution of a program, at random: whose turn it is when, and the trace that tells all that happens.

use super::program::{Access, CELLS, Call, ELEMENTS, Item, Program};
use super::random::Random;
use std::collections::HashMap;

/// Which blocks are atomic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    Methods,
    Monitors,
}

/// What a thread does, step by step.
#[derive(Clone, Copy)]
enum Step {
    Access(Access),
    Turn,
    Begin(usize),
    End,
    Enter(u32),
    Exit(u32),
}

pub struct Execution {
    /// Whose turn it is, one after the other.
    pub order: Vec<usize>,
    /// Lines of a trace, without places.
    pub trace: Vec<String>,
}

/// The lock that is no cell's monitor.
const LOCK: u32 = CELLS;

/// Longer programs are not worth the time.
const LONGEST: usize = 400;

struct Machine<'a> {
    name: &'a str,
    blocks: Blocks,
    steps: Vec<Vec<Step>>,
    at: Vec<usize>,
    /// Who holds the monitor of a cell, and how often.
    held: HashMap<u32, (usize, u32)>,
    /// What the next cell of each is called.
    next: Vec<String>,
    made: u32,
    trace: Vec<String>,
}

impl Execution {
    /// `None`: the program is too long, or has come to a deadlock.
    pub fn random(
        program: &Program,
        name: &str,
        blocks: Blocks,
        random: &mut Random,
    ) -> Option<Execution> {
        let flat = |thread: &Vec<Item>| {
            let mut steps = vec![Step::Turn];
            // What is thrown ends the thread.
            let _ = flatten(thread, program, &mut steps);
            steps
        };
        let steps: Vec<Vec<Step>> = program.threads.iter().map(flat).collect();
        if steps.iter().map(Vec::len).sum::<usize>() > LONGEST {
            return None;
        }
        let at = vec![0; steps.len()];
        let next = (0..CELLS).map(|cell| format!("N{cell}")).collect();
        let (held, made, trace) = (HashMap::new(), 0, vec![]);
        let mut machine = Machine { name, blocks, steps, at, held, next, made, trace };
        let order = machine.run(random)?;
        Some(Execution { order, trace: machine.trace })
    }
}

impl Machine<'_> {
    fn run(&mut self, random: &mut Random) -> Option<Vec<usize>> {
        let threads = 0..self.steps.len();
        for thread in threads.clone() {
            self.trace.push(format!("main|fork({}.T{thread})", self.name));
        }
        let mut order: Vec<usize> = Vec::new();
        while threads.clone().any(|thread| !self.is_done(thread)) {
            let ready: Vec<usize> = threads.clone().filter(|&it| self.is_ready(it)).collect();
            // Some stay at it for a while.
            let again = order.last().copied().filter(|it| ready.contains(it));
            let thread = match again.filter(|_| random.percent(30)) {
                Some(again) => again,
                None if ready.is_empty() => return None,
                None => ready[random.below(ready.len() as u32) as usize],
            };
            order.push(thread);
            self.take_turn(thread);
        }
        for thread in threads {
            self.trace.push(format!("main|join({}.T{thread})", self.name));
        }
        Some(order)
    }

    fn is_done(&self, thread: usize) -> bool {
        self.at[thread] == self.steps[thread].len()
    }

    /// The steps of the thread's next turn.
    fn turn(&self, thread: usize) -> &[Step] {
        let rest = &self.steps[thread][self.at[thread] + 1..];
        let end = rest.iter().position(|step| matches!(step, Step::Turn));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Whether the thread can take its turn to the end, without having to wait for a monitor.
    fn is_ready(&self, thread: usize) -> bool {
        let mine = |cell: &u32| self.held.get(cell).is_none_or(|&(holder, _)| holder == thread);
        !self.is_done(thread)
            && self.turn(thread).iter().all(|step| match step {
                Step::Enter(cell) => mine(cell),
                _ => true,
            })
    }

    fn take_turn(&mut self, thread: usize) {
        let turn = self.turn(thread).to_vec();
        self.at[thread] += turn.len() + 1;
        for step in turn {
            match step {
                Step::Begin(method) if self.blocks == Blocks::Methods => {
                    self.tell(thread, "begin", &format!(".m{method}"));
                }
                Step::End if self.blocks == Blocks::Methods => self.end(thread),
                Step::Enter(cell) => self.enter(thread, cell),
                Step::Exit(cell) => self.exit(thread, cell),
                Step::Access(access) => self.access(thread, access),
                Step::Begin(_) | Step::End | Step::Turn => {}
            }
        }
    }

    fn tell(&mut self, thread: usize, op: &str, what: &str) {
        self.trace.push(format!("{0}.T{thread}|{op}({0}{what})", self.name));
    }

    fn end(&mut self, thread: usize) {
        self.trace.push(format!("{}.T{thread}|end", self.name));
    }

    fn enter(&mut self, thread: usize, cell: u32) {
        if self.blocks == Blocks::Monitors && cell != LOCK {
            self.tell(thread, "begin", &format!(".monitor{cell}"));
        }
        let (_, times) = self.held.entry(cell).or_insert((thread, 0));
        *times += 1;
        if *times == 1 {
            self.tell(thread, "acq", &format!("L{cell}"));
        }
    }

    fn exit(&mut self, thread: usize, cell: u32) {
        let Some((_, times)) = self.held.get_mut(&cell) else { return };
        *times -= 1;
        if *times == 0 {
            self.held.remove(&cell);
            self.tell(thread, "rel", &format!("L{cell}"));
        }
        if self.blocks == Blocks::Monitors && cell != LOCK {
            self.end(thread);
        }
    }

    fn access(&mut self, thread: usize, access: Access) {
        let op = |write: bool| if write { "w" } else { "r" };
        match access {
            Access::Field { cell, field, write } => {
                self.tell(thread, op(write), &format!("C{cell}.{field}"));
            }
            Access::Increment { cell, field } => {
                self.tell(thread, "r", &format!("C{cell}.{field}"));
                self.tell(thread, "w", &format!("C{cell}.{field}"));
            }
            Access::Element { index, write } => {
                self.tell(thread, op(write), &format!("E[{index}]"));
            }
            Access::Volatile { cell, write } => {
                self.tell(thread, op(write), &format!("C{cell}.v"));
            }
            Access::Static { write } => self.tell(thread, op(write), "S"),
            Access::Atomic(call) => {
                self.tell(thread, op(!matches!(call, Call::Get | Call::Fail)), "N");
            }
            Access::MakeNext { cell } => {
                self.made += 1;
                let made = format!("F{}", self.made);
                self.tell(thread, "w", &format!("{made}.a"));
                self.next[cell as usize] = made;
                self.tell(thread, "w", &format!("C{cell}.next"));
            }
            Access::FieldOfNext { cell, field, write } => {
                self.tell(thread, "r", &format!("C{cell}.next"));
                let next = self.next[cell as usize].clone();
                self.tell(thread, op(write), &format!("{next}.{field}"));
            }
        }
    }
}

/// Something is thrown.
struct Thrown;

fn flatten(items: &[Item], program: &Program, out: &mut Vec<Step>) -> Result<(), Thrown> {
    for item in items {
        match item {
            Item::Access(access) => out.push(Step::Access(*access)),
            Item::Turn => out.push(Step::Turn),
            Item::Call(method) => {
                out.push(Step::Begin(*method));
                let result = flatten(&program.methods[*method], program, out);
                out.push(Step::End);
                result?;
            }
            Item::Loop(times, within) => {
                for _ in 0..*times {
                    flatten(within, program, out)?;
                }
            }
            Item::Monitor(cell, within) => flatten_locked(*cell, within, program, out)?,
            Item::Lock(within) => flatten_locked(LOCK, within, program, out)?,
            Item::Try(within) => {
                let _caught = flatten(within, program, out);
            }
            Item::Throw => return Err(Thrown),
            Item::Walk { write, turns } => {
                for index in 0..ELEMENTS {
                    out.push(Step::Access(Access::Element { index, write: *write }));
                    out.extend(turns.then_some(Step::Turn));
                }
            }
        }
    }
    Ok(())
}

fn flatten_locked(
    lock: u32,
    within: &[Item],
    program: &Program,
    out: &mut Vec<Step>,
) -> Result<(), Thrown> {
    out.push(Step::Enter(lock));
    let result = flatten(within, program, out);
    out.push(Step::Exit(lock));
    result
}
