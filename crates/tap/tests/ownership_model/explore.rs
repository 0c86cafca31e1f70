//! All executions of a program: depth first, each state once.
//!
//! States are told apart by 128 bits of hash. Logs and the order of memory are part of a state, so states
//! that are the same have the same past as far as it matters. Threads that spin do not step, so if a state
//! comes back all the same, threads can go round without getting on.
//!
//! Nothing is left out, but for what nobody can notice: steps like that are done at once, and questions and answers
//! like that are forgotten.

use super::check;
use super::polling::forget_questions;
use super::program::{ObjectId, Program, ThreadId};
use super::protocol::{Fault, Model, Pc, State, Turn, start};
use super::violation::Violation;
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// What can happen next: a thread steps, or goes on because of an answer where it could also stop waiting for one, or
/// its oldest store gets to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Step(ThreadId),
    Heed(ThreadId),
    Flush(ThreadId),
}

/// How much there was.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub states: u64,
    pub ends: u64,
}

/// How it went wrong: the whole execution in words.
pub struct Counterexample {
    pub violation: Violation,
    text: String,
}

/// A state on the way and what is still to be tried there.
struct Level {
    state: State,
    key: u128,
    actions: Vec<Action>,
    taken: Option<Action>,
}

struct Search<'a> {
    program: &'a Program,
    model: &'a Model,
    /// Whether the state is on the way.
    known: HashMap<u128, bool, BuildHasherDefault<Mixed>>,
    way: Vec<Level>,
    counts: Counts,
}

/// Goes through all executions.
pub fn explore(program: &Program, model: &Model) -> Result<Counts, Box<Counterexample>> {
    let mut search = Search {
        program,
        model,
        known: HashMap::default(),
        way: Vec::new(),
        counts: Counts::default(),
    };
    search.run().map_err(|violation| Box::new(search.explain(violation)))?;
    Ok(search.counts)
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Violation> {
        let first = after_prelude(self.program, self.model)?;
        self.enter(first)?;
        while let Some(level) = self.way.last_mut() {
            let Some(action) = level.actions.pop() else {
                let key = level.key;
                self.known.insert(key, false);
                self.way.pop();
                continue;
            };
            level.taken = Some(action);
            let mut state = level.state.clone();
            apply(&mut state, action, self.program, self.model)?;
            self.enter(state)?;
        }
        Ok(())
    }

    fn enter(&mut self, mut state: State) -> Result<(), Violation> {
        let key = key(&state);
        match self.known.get(&key) {
            Some(true) => return Err(Violation::Livelock),
            Some(false) => return Ok(()),
            None => {}
        }
        let actions = actions(&mut state, self.program, self.model);
        self.counts.states += 1;
        self.known.insert(key, !actions.is_empty());
        if !actions.is_empty() {
            self.way.push(Level { state, key, actions, taken: None });
            return Ok(());
        }
        let is_waiting = |thread: &ThreadId| state.thread(*thread).pc != Pc::Done;
        let waiting: Vec<_> = threads(self.program).filter(is_waiting).collect();
        if !waiting.is_empty() {
            return Err(Violation::Deadlock { waiting });
        }
        self.counts.ends += 1;
        check::at_end(&state, self.program)
    }

    fn explain(&self, violation: Violation) -> Counterexample {
        let actions: Vec<Action> = self.way.iter().filter_map(|level| level.taken).collect();
        let text = replay(self.program, self.model, &actions);
        Counterexample { text: format!("{violation:?}\n{text}"), violation }
    }
}

fn threads(program: &Program) -> impl Iterator<Item = ThreadId> + use<> {
    (0..program.scripts.len() as u8).map(ThreadId)
}

fn key(state: &State) -> u128 {
    // Not zero, which zeros would leave as it is.
    let mut mixed = Mixed(1);
    state.hash(&mut mixed);
    mixed.0
}

/// A hash of 128 bits, all of which are used; quick also where the compiler does not try hard.
#[derive(Default)]
struct Mixed(u128);

impl Mixed {
    fn mix(&mut self, value: u64) {
        const ODD: u128 = 0xda94_2042_e4dd_58b5_9e37_79b9_7f4a_7c15;
        let mixed = (self.0 ^ u128::from(value)).wrapping_mul(ODD);
        self.0 = mixed ^ (mixed >> 71);
    }
}

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.mix(u64::from(byte)));
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    /// Only keys of the table, which are mixed already.
    fn write_u128(&mut self, value: u128) {
        self.0 = value;
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.mix(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0 as u64
    }
}

/// The actions that are possible, the last to be tried first; only one if nobody can notice it.
fn actions(state: &mut State, program: &Program, model: &Model) -> Vec<Action> {
    let mut actions = Vec::new();
    for id in threads(program) {
        if !state.thread(id).buffer.is_empty() {
            actions.push(Action::Flush(id));
        }
    }
    for id in threads(program) {
        let mut turn = Turn { state, program, model, id };
        if turn.is_private() {
            return vec![Action::Step(id)];
        }
        if turn.can_step() {
            actions.push(Action::Step(id));
        }
        if turn.can_heed() {
            actions.push(Action::Heed(id));
        }
    }
    actions
}

fn apply(
    state: &mut State,
    action: Action,
    program: &Program,
    model: &Model,
) -> Result<(), Violation> {
    match action {
        Action::Step(id) => Turn { state, program, model, id }.step()?,
        Action::Heed(id) => Turn { state, program, model, id }.heed(),
        Action::Flush(id) => state.flush(id, program)?,
    }
    if !matches!(model.fault, Some(Fault::AsksFirst | Fault::AnyAnswer)) {
        forget_questions(state, program);
    }
    Ok(())
}

/// The state after the operations that are done one at a time.
fn after_prelude(program: &Program, model: &Model) -> Result<State, Violation> {
    let mut state = start(program);
    for &id in &program.prelude {
        let at = state.thread(id).at;
        while state.thread(id).pc != Pc::Done
            && (state.thread(id).pc != Pc::Next || state.thread(id).at == at)
        {
            let mut turn = Turn { state: &mut state, program, model, id };
            assert!(turn.can_step(), "{program}: the prelude waits");
            turn.step()?;
            state.drain(id, program)?;
        }
    }
    Ok(state)
}

/// An execution in words: a line a step, with what has changed in memory.
fn replay(program: &Program, model: &Model, actions: &[Action]) -> String {
    let mut text = format!("program: {program}\n");
    let Ok(mut state) = after_prelude(program, model) else { return text };
    let _ = writeln!(text, "at first: {}", memory(&state));
    for &action in actions {
        let (id, what) = match action {
            Action::Step(id) => (id, format!("{:?}", state.thread(id).pc)),
            Action::Heed(id) => (id, format!("(answered) {:?}", state.thread(id).pc)),
            Action::Flush(id) => (id, format!("  (stored) {:?}", state.thread(id).buffer[0])),
        };
        let at = usize::from(state.thread(id).at);
        let op = program.scripts[usize::from(id.0)].ops.get(at);
        let op = op.map_or_else(|| "-".to_string(), ToString::to_string);
        let before = memory(&state);
        let result = apply(&mut state, action, program, model);
        let after = memory(&state);
        let change = if before == after { String::new() } else { format!("   => {after}") };
        let indent = usize::from(id.0) * 2;
        let _ = writeln!(text, "{:indent$}{id} {op:4} {what}{change}", "");
        if result.is_err() {
            break;
        }
    }
    for (index, slot) in state.slots.iter().enumerate() {
        let _ = writeln!(text, "log s{index}: {:?}", slot.log);
    }
    for (index, object) in state.objects.iter().enumerate() {
        let _ = writeln!(text, "memory order of {}: {:?}", ObjectId(index as u8), object.order);
    }
    text
}

fn memory(state: &State) -> String {
    let mut text = String::new();
    for object in &state.objects {
        let _ = write!(text, "{:?} ", object.word);
    }
    for thread in &state.threads {
        let open = if thread.open { "open" } else { "closed" };
        let _ = write!(text, "{open} ");
        if thread.asked > 0 {
            let _ = write!(text, "answered={}/{} ", thread.seen_answered, thread.asked);
        }
        if thread.touching > 0 {
            let _ = write!(text, "touching={} ", thread.touching);
        }
    }
    text
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
