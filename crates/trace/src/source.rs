//! Where events come from: one interface for files, generators and programs under test.

use crate::error::{Place, TraceError};
use crate::event::{Batch, Position};
use crate::names::Names;
use crate::remarks::Remarks;
use crate::retired::Retired;

/// A stream of events. A source knows no engine.
pub trait Source {
    /// Replaces the contents of `batch` by the next run of events. `false`: the stream has ended
    /// (and the batch is empty).
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError>;

    /// The names of everything that the events so far mention.
    fn names(&self) -> &Names;

    /// What no event after the latest batch is about, as far as it was not said before. Most sources do not know.
    fn take_retired(&mut self) -> Retired {
        Retired::default()
    }

    /// Nobody mentions these any more, which the source said were retired: it may give their numbers to others.
    fn take_back(&mut self, _free: Retired) {}

    /// The input's name, as the user knows it.
    fn input(&self) -> &str;

    /// Where in the input an event of the latest batch stands.
    fn place(&self, batch: &Batch, position: Position) -> Place {
        let text =
            batch.event_at(position).map(|event| self.names().line(&event)).unwrap_or_default();
        Place::Event { position, text }
    }

    /// What was passed over so far because the user asked for leniency.
    fn skipped(&self) -> u64 {
        0
    }

    /// What its recorder has to say of it, as far as the stream was read; it stands at the end.
    fn remarks(&self) -> Option<&Remarks> {
        None
    }

    /// Damage that ended the stream early: everything before it was delivered.
    fn damage(&self) -> Option<&Damage> {
        None
    }
}

/// Why a recorded trace ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file was cut off (the program was killed, the disk was full), rather than altered.
    pub cut_off: bool,
    /// Where the damage begins.
    pub byte: u64,
    /// What is wrong, in a sentence.
    pub message: String,
}

impl Damage {
    /// What is wrong, and how much was delivered nevertheless.
    pub(crate) fn message(what: &str, events: Position) -> String {
        match events {
            1 => format!("{what}; the 1 event before that was read"),
            _ => format!("{what}; the {events} events before that were read"),
        }
    }
}
