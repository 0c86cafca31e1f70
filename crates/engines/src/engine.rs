//! What every engine is to the rest of the program.

use interloper_findings::Sink;
use interloper_trace::Batch;

/// One number an engine tells about its work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stat {
    /// What it counts, in words.
    pub name: &'static str,
    /// How much.
    pub value: u64,
}

/// The guarantee of the exact engines.
pub(crate) const EXACT: &str =
    "exact: a violation is reported if and only if the observed order is not serializable";

/// An analysis over one stream of valid events.
///
/// Events must be valid (see `interloper_trace::Validator`): an engine does not check them again.
pub trait Engine {
    /// The name by which users choose it.
    fn name(&self) -> &'static str;

    /// What its verdict means, in a phrase.
    fn guarantee(&self) -> &'static str;

    /// Takes the next events; reports what they violate.
    fn feed(&mut self, batch: &Batch, sink: &mut dyn Sink);

    /// What it has to tell about its work.
    fn stats(&self) -> Vec<Stat> {
        vec![]
    }
}
