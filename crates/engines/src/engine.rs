//! What every engine is to the rest of the program.

use interloper_findings::Sink;
use interloper_trace::{Batch, Names, Op, Retired};

/// One number an engine tells about its work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stat {
    /// What it counts, in words.
    pub name: &'static str,
    /// How much.
    pub value: u64,
}

/// What an engine's verdicts are worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guarantee {
    /// What it promises, in a phrase.
    pub promise: &'static str,
    /// What it means that it found nothing.
    pub all_clear: &'static str,
}

/// The guarantee of the exact engines.
pub(crate) const EXACT: Guarantee = Guarantee {
    promise: "exact: reports a violation if and only if the observed order is not serializable",
    all_clear: "this run was serializable; another run may not be",
};

/// Told how far the work after the end of the trace has come.
pub trait Progress {
    /// So much of it is done; `of` may grow.
    fn at(&mut self, done: u64, of: u64);
}

/// Progress that nobody wants to know.
pub struct Unwatched;

impl Progress for Unwatched {
    fn at(&mut self, _done: u64, _of: u64) {}
}

/// An analysis over one stream of valid events.
///
/// Events must be valid (see `interloper_trace::Validator`): an engine does not check them again.
pub trait Engine {
    /// The name by which users choose it.
    fn name(&self) -> &'static str;

    /// What its verdicts are worth.
    fn guarantee(&self) -> Guarantee;

    /// Takes the next events; reports what they violate. The batch must follow the one before it:
    /// its first position is that of the last event so far plus one. `names` are those of all events
    /// so far, the batch's included.
    fn feed(&mut self, batch: &Batch, names: &Names, sink: &mut dyn Sink);

    /// Whether it understands accesses of several variables at once; else it gets an event for each.
    fn takes_ranges(&self) -> bool {
        false
    }

    /// Whether it asks only which accesses of blocks are in conflict, and in which order: then of an access that a block repeats
    /// it need not know where the repetition stands between locks and signals.
    fn judges_by_conflicts(&self) -> bool {
        false
    }

    /// Whether it can tell what it mentions ([`Engine::mentions`]): else no number of a variable or a lock is ever used again.
    fn forgets(&self) -> bool {
        false
    }

    /// No later event is about these, unless their numbers are given to others.
    fn forget(&mut self, _retired: &Retired) {}

    /// Calls back with operation and operand of everything that it may report later and that was before.
    fn mentions(&mut self, _visit: &mut dyn FnMut(Op, u32)) {}

    /// The trace has ended: engines that judge by the whole of it do so now. Called once.
    fn finish(&mut self, _names: &Names, _sink: &mut dyn Sink, _progress: &mut dyn Progress) {}

    /// After the end of the trace: what it could not look at, in a sentence, if its verdicts are
    /// worth less than it promises because of that.
    fn shortfall(&self) -> Option<String> {
        None
    }

    /// Whether its verdicts take for granted that no schedule of the trace ends in a deadlock.
    fn assumes_no_deadlock(&self) -> bool {
        false
    }

    /// What it has to tell about its work.
    fn stats(&self) -> Vec<Stat> {
        vec![]
    }
}
