//! One execution of a program, at random: whose turn it is when, and the trace that tells all that happens.

mod signals;
mod state;
mod steps;

use super::program::Program;
use super::random::Random;
use state::{State, Told};
use steps::{Step, steps};

/// Which blocks are atomic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    Methods,
    /// One of them.
    Method(usize),
    Monitors,
}

pub struct Execution {
    /// Whose turn it is, one after the other.
    pub order: Vec<usize>,
    /// Lines of a trace, without places.
    pub trace: Vec<String>,
}

/// What a block does in one go with several elements of arrays is a block of this name in the trace.
pub const STRETCH: &str = "stretch";

/// Longer programs are not worth the time.
const LONGEST: usize = 400;

struct Machine<'a> {
    name: &'a str,
    steps: Vec<Vec<Step>>,
    at: Vec<usize>,
    state: State,
    order: Vec<usize>,
    trace: Vec<String>,
    /// How many blocks of each thread are open.
    open: Vec<u32>,
}

impl Execution {
    /// `None`: the program is too long, or has come to a deadlock.
    pub fn random(
        program: &Program,
        name: &str,
        blocks: Blocks,
        random: &mut Random,
    ) -> Option<Execution> {
        let steps: Vec<Vec<Step>> =
            program.threads.iter().map(|thread| steps(thread, program)).collect();
        if steps.iter().map(Vec::len).sum::<usize>() > LONGEST {
            return None;
        }
        let at = vec![0; steps.len()];
        let state = State::new(steps.len(), program.first, blocks);
        let (order, trace, open) = (vec![], vec![], vec![0; steps.len()]);
        let mut machine = Machine { name, steps, at, state, order, trace, open };
        machine.run(random)?;
        Some(Execution { order: machine.order, trace: machine.trace })
    }
}

impl Machine<'_> {
    fn run(&mut self, random: &mut Random) -> Option<()> {
        self.main("fork");
        while self.state.threads.iter().any(|it| it.is_started && !it.is_done) {
            let mut ready: Vec<(usize, State)> =
                (0..self.steps.len()).filter_map(|it| Some((it, self.after_turn(it)?))).collect();
            // Some stay at it for a while.
            let last = self.order.last();
            let again = ready.iter().position(|(it, _)| Some(it) == last);
            let chosen = match again.filter(|_| random.percent(30)) {
                Some(again) => again,
                None if ready.is_empty() => return None,
                None => random.below(ready.len() as u32) as usize,
            };
            let (thread, state) = ready.swap_remove(chosen);
            self.take_turn(thread, state);
        }
        self.main("join");
        Some(())
    }

    /// What the main thread does with all that are there.
    fn main(&mut self, op: &str) {
        let there = self.state.threads.iter().enumerate().filter(|(_, it)| it.is_started);
        let lines = there.map(|(thread, _)| format!("main|{op}({}.T{thread})", self.name));
        self.trace.extend(lines);
    }

    /// The steps of the thread's next turn.
    fn turn(&self, thread: usize) -> &[Step] {
        let rest = &self.steps[thread][self.at[thread] + 1..];
        let end = rest.iter().position(|step| matches!(step, Step::Turn));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// What there is when the thread has taken its turn to the end; `None` if it cannot, because it would have to wait for others.
    fn after_turn(&self, thread: usize) -> Option<State> {
        let own = &self.state.threads[thread];
        if !own.is_started || own.is_done {
            return None;
        }
        let turn = self.turn(thread);
        // Somebody else must wake it up.
        if matches!(turn.first(), Some(Step::Resume)) && self.order.last() == Some(&thread) {
            return None;
        }
        let mut state = self.state.clone();
        for step in turn {
            state.step(thread, *step).ok()?;
        }
        let is_last = self.at[thread] + turn.len() + 1 == self.steps[thread].len();
        state.threads[thread].is_done = is_last;
        Some(state)
    }

    fn take_turn(&mut self, thread: usize, state: State) {
        self.at[thread] += self.turn(thread).len() + 1;
        self.order.push(thread);
        self.state = state;
        let told = std::mem::take(&mut self.state.told);
        for stretch in told.chunk_by(|left, right| !left.is_border() && !right.is_border()) {
            self.tell(thread, stretch);
        }
    }

    /// Events that follow each other without a block that begins or ends, or one that does.
    fn tell(&mut self, thread: usize, stretch: &[Told]) {
        let name = self.name;
        let elements = stretch.iter().filter(|it| it.what.ends_with(']')).count();
        let in_block = self.open[thread] > 0 && elements > 1;
        if in_block {
            self.trace.push(format!("{name}.T{thread}|begin({STRETCH})"));
        }
        for Told { op, what } in stretch {
            match *op {
                "begin" => self.open[thread] += 1,
                "end" => self.open[thread] -= 1,
                _ => {}
            }
            let operand = if *op == "end" { String::new() } else { format!("({name}{what})") };
            self.trace.push(format!("{name}.T{thread}|{op}{operand}"));
        }
        if in_block {
            self.trace.push(format!("{name}.T{thread}|end"));
        }
    }
}
