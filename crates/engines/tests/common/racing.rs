//! The race engines under test.

use super::text::Trace;
use interloper_engines::Engine;
use interloper_engines::races::{Eraser, HappensBefore, Multilockset, ObjectRace};
use interloper_findings::{Key, Sameness, Sink, Violation, Warning};
use interloper_trace::{Batch, Position};

pub const ENGINES: [&str; 4] = ["eraser", "objectrace", "multilockset", "hb"];

/// A fresh race engine.
pub fn engine(name: &str) -> Box<dyn Engine> {
    match name {
        "eraser" => Box::new(Eraser::new()),
        "objectrace" => Box::new(ObjectRace::new()),
        "multilockset" => Box::new(Multilockset::new()),
        "hb" => Box::new(HappensBefore::new()),
        other => panic!("there is no engine `{other}`"),
    }
}

/// All warnings, each described.
#[derive(Default)]
struct All(Vec<Warning>);

impl Sink for All {
    fn count(&mut self, _: Position, _: Key) -> bool {
        panic!("a race engine reports warnings only")
    }

    fn explain(&mut self, _: Key, _: Violation) {}

    fn warn(&mut self, _: Position, _: Sameness) -> bool {
        true
    }

    fn describe(&mut self, _: Sameness, warning: Warning) {
        self.0.push(warning);
    }
}

/// What an engine warns of, given the events in batches of this size.
pub fn warnings(name: &str, Trace { names, events }: &Trace, size: usize) -> Vec<Warning> {
    let (mut engine, mut sink) = (engine(name), All::default());
    for (i, events) in events.chunks(size).enumerate() {
        let batch = Batch { first: (i * size) as u64, events: events.to_vec() };
        engine.feed(&batch, names, &mut sink);
    }
    sink.0
}
