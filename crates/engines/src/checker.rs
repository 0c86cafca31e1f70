//! Several engines over one pass of the same events.

use crate::engine::{Engine, Guarantee, Stat};
use interloper_findings::{Collector, Finding};
use interloper_trace::{Batch, Event, Names, Source, TraceError};

/// Feeds events to engines side by side and gathers what they find.
///
/// ```
/// use interloper_engines::{Checker, Frontier};
/// use interloper_trace::{Event, Names};
///
/// let mut names = Names::default();
/// let (alice, bob) = (names.thread("alice"), names.thread("bob"));
/// let balance = names.var("balance");
/// let withdraw = names.label("Account.withdraw");
/// let mut at = |line: u32| names.site(&format!("Account.java:{line}"));
///
/// let mut checker = Checker::of(Frontier::new());
/// for event in [
///     Event::begin(alice, withdraw, at(11)),
///     Event::read(alice, balance, at(12)),
///     Event::write(bob, balance, at(14)),
///     Event::write(alice, balance, at(14)),
/// ] {
///     checker.push(event);
/// }
///
/// let [outcome] = &checker.outcomes(&names)[..] else { unreachable!() };
/// assert_eq!(outcome.findings[0].message, "Account.withdraw is not atomic");
/// assert_eq!(outcome.findings[0].event, 3);
/// ```
pub struct Checker {
    lanes: Vec<Lane>,
    events: u64,
}

struct Lane {
    engine: Box<dyn Engine>,
    collector: Collector,
}

/// What one engine found.
pub struct Outcome {
    /// The engine's name.
    pub engine: &'static str,
    /// What its verdicts are worth.
    pub guarantee: Guarantee,
    /// How many violations it saw, repetitions included.
    pub violations: u64,
    /// How many of these are none of the findings, because there are too many kinds of them.
    pub unlisted: u64,
    /// Each bug once.
    pub findings: Vec<Finding>,
    /// What the engine tells about its work.
    pub stats: Vec<Stat>,
}

impl Checker {
    /// A checker of one engine.
    pub fn of(engine: impl Engine + 'static) -> Checker {
        Checker::new([Box::new(engine) as Box<dyn Engine>])
    }

    /// A checker of these engines.
    pub fn new(engines: impl IntoIterator<Item = Box<dyn Engine>>) -> Checker {
        Checker::with_limit(engines, Collector::LIMIT)
    }

    /// A checker of these engines that keeps at most `limit` findings of each.
    pub fn with_limit(engines: impl IntoIterator<Item = Box<dyn Engine>>, limit: usize) -> Checker {
        let lane = |engine| Lane { engine, collector: Collector::with_limit(limit) };
        Checker { lanes: engines.into_iter().map(lane).collect(), events: 0 }
    }

    /// Takes the next events of a valid trace.
    pub fn feed(&mut self, batch: &Batch) {
        self.events += batch.events.len() as u64;
        for lane in &mut self.lanes {
            lane.engine.feed(batch, &mut lane.collector);
        }
    }

    /// Takes the next event of a valid trace. Convenient, and slower than whole batches.
    pub fn push(&mut self, event: Event) {
        self.feed(&Batch { first: self.events, events: vec![event] });
    }

    /// Takes all events of a source, which must be valid (see `interloper_trace::Validated`).
    pub fn run(&mut self, source: &mut dyn Source) -> Result<(), TraceError> {
        let mut batch = Batch::default();
        while source.next_batch(&mut batch)? {
            self.feed(&batch);
        }
        Ok(())
    }

    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What each engine found, in the order of the engines. `names` are those of the events.
    pub fn outcomes(&self, names: &Names) -> Vec<Outcome> {
        let outcome = |lane: &Lane| Outcome {
            engine: lane.engine.name(),
            guarantee: lane.engine.guarantee(),
            violations: lane.collector.total(),
            unlisted: lane.collector.unlisted(),
            findings: lane.collector.findings(names),
            stats: lane.engine.stats(),
        };
        self.lanes.iter().map(outcome).collect()
    }
}
