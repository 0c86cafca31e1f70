//! What the block-based engine says of a trace, in a form that can be held against
//! [`super::schedules`].

use super::programs::Program;
use super::schedules::Schedules;
use interloper_engines::blocks::Blocks;
use interloper_engines::{BlockRule, Engine, Settings, Unwatched};
use interloper_findings::{Key, Sameness, Sink, Violation, Warning};
use interloper_trace::{Batch, Event, Names, Position};
use std::collections::{BTreeSet, HashSet};

/// Takes every warning.
#[derive(Default)]
pub struct Told {
    pub warnings: Vec<Warning>,
}

impl Sink for Told {
    fn count(&mut self, _event: Position, _key: Key) -> bool {
        panic!("blocks observes nothing")
    }

    fn explain(&mut self, _key: Key, _violation: Violation) {}

    fn warn(&mut self, _event: Position, _same: Sameness) -> bool {
        true
    }

    fn describe(&mut self, _same: Sameness, warning: Warning) {
        self.warnings.push(warning);
    }
}

/// The engine's warnings about a trace.
pub fn warnings(settings: Settings, events: &[Event], names: &Names) -> Vec<Warning> {
    let (mut engine, mut told) = (Blocks::new(settings), Told::default());
    for (at, events) in events.chunks(3).enumerate() {
        let batch = Batch { first: at as u64 * 3, events: events.to_vec() };
        engine.feed(&batch, names, &mut told);
    }
    engine.finish(names, &mut told, &mut Unwatched);
    told.warnings
}

/// Settings with this rule.
pub fn rule(blocks: BlockRule) -> Settings {
    Settings { blocks, ..Settings::default() }
}

/// Whether some schedule runs these events in this order.
pub fn can_run(events: &[Event], order: &[usize]) -> bool {
    let program = Program::new(events);
    let first: Vec<u8> = vec![0; program.threads()];
    let mut known = HashSet::from([(first.clone(), 0)]);
    let mut todo = vec![(first, 0)];
    while let Some((state, done)) = todo.pop() {
        if done == order.len() {
            return true;
        }
        for thread in program.able(&state) {
            let event = program.next(&state, thread);
            let due = order[done] == event;
            if !due && order.contains(&event) {
                continue;
            }
            let mut next = state.clone();
            next[thread] += 1;
            let next = (next, done + usize::from(due));
            if known.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    false
}

/// The sets of transactions that the engine reports, each sorted.
pub fn reported(warnings: &[Warning], schedules: &Schedules) -> BTreeSet<Vec<usize>> {
    let units = |warning: &Warning| {
        let unit = |event: Position| schedules.unit_of(event as usize);
        let units = warning.steps.iter().map(|step| unit(step.access.event));
        units.collect::<BTreeSet<usize>>().into_iter().collect()
    };
    warnings.iter().map(units).collect()
}
