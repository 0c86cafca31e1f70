//! Several engines over one pass of the same events.

use crate::engine::{Engine, Guarantee, Progress, Stat, Unwatched};
use crate::retiring::{Mentioned, Retiring};
use crate::{by_name, judges};
use interloper_findings::{Collector, Finding, Kind};
use interloper_trace::{Batch, Event, Names, Retired, Source, TraceError};

/// Feeds events to engines side by side and gathers what they find.
///
/// Some engines take for granted that no schedule ends in a deadlock. Where such an engine runs, the
/// checker also looks for potential deadlocks, whether or not it was asked to, and says of that
/// engine's verdicts if they rest on sand ([`Outcome::caveat`]).
///
/// ```
/// use interloper_engines::{Checker, Frontier};
/// use interloper_trace::{Event, Names};
///
/// let mut names = Names::default();
/// let (alice, bob) = (names.thread("alice"), names.thread("bob"));
/// let balance = names.var("balance");
/// let withdraw = names.label("Account.withdraw");
/// let [at11, at12, at14] =
///     [11, 12, 14].map(|line| names.site(&format!("Account.java:{line}")));
///
/// let mut checker = Checker::of(Frontier::new());
/// for event in [
///     Event::begin(alice, withdraw, at11),
///     Event::read(alice, balance, at12),
///     Event::write(bob, balance, at14),
///     Event::write(alice, balance, at14),
/// ] {
///     checker.push(event, &names);
/// }
/// checker.finish(&names);
///
/// let [outcome] = &checker.outcomes(&names)[..] else { unreachable!() };
/// assert_eq!(outcome.findings[0].message, "Account.withdraw is not atomic");
/// assert_eq!(outcome.findings[0].event, 3);
/// ```
pub struct Checker {
    lanes: Vec<Lane>,
    /// Looks for deadlocks, if an engine relies on there being none and nobody else looks.
    lookout: Option<Lane>,
    events: u64,
    /// Whether all of them understand accesses of several variables.
    takes_ranges: bool,
    retiring: Retiring,
}

/// The engine that looks for deadlocks.
const GOODLOCK: &str = "goodlock";

struct Lane {
    engine: Box<dyn Engine>,
    collector: Collector,
}

/// What one engine found.
pub struct Outcome {
    /// The engine's name.
    pub engine: &'static str,
    /// What it looks for.
    pub judges: Kind,
    /// What its verdicts are worth.
    pub guarantee: Guarantee,
    /// Why they are worth less than that, in a sentence, if what it takes for granted does not hold
    /// for this trace, or if it could not look at all of it.
    pub caveat: Option<String>,
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
        let lanes: Vec<Lane> = engines.into_iter().map(lane).collect();
        let rely = lanes.iter().any(|lane| lane.engine.assumes_no_deadlock());
        let looked = lanes.iter().any(|lane| lane.engine.name() == GOODLOCK);
        let lookout = if rely && !looked { by_name(GOODLOCK).map(lane) } else { None };
        let takes_ranges =
            lanes.iter().chain(&lookout).all(|lane: &Lane| lane.engine.takes_ranges());
        Checker { lanes, lookout, events: 0, takes_ranges, retiring: Retiring::default() }
    }

    /// Takes the next events of a valid trace. `names` are those of all events so far. If an engine does not understand accesses
    /// of several variables, all get an event for each variable instead.
    pub fn feed(&mut self, batch: &Batch, names: &Names) {
        if self.takes_ranges || !batch.has_ranges() {
            return self.feed_all(batch, names);
        }
        let mut singles = batch.events.iter().flat_map(|event| event.singles());
        loop {
            let events: Vec<Event> = singles.by_ref().take(Batch::SIZE).collect();
            if events.is_empty() {
                return;
            }
            self.feed_all(&Batch { first: self.events, events }, names);
        }
    }

    fn feed_all(&mut self, batch: &Batch, names: &Names) {
        self.events += batch.end() - batch.first;
        for lane in self.lanes.iter_mut().chain(&mut self.lookout) {
            lane.engine.feed(batch, names, &mut lane.collector);
        }
    }

    /// Whether all engines can forget: then numbers of variables and locks can be used again.
    pub fn forgets(&self) -> bool {
        self.lanes.iter().chain(&self.lookout).all(|lane| lane.engine.forgets())
    }

    /// No later event is about these. Says which of them, and of those before, neither an engine nor a finding mentions any
    /// more: their numbers may be given to others.
    pub fn retire(&mut self, retired: Retired) -> Retired {
        for lane in self.lanes.iter_mut().chain(&mut self.lookout) {
            lane.engine.forget(&retired);
        }
        if !self.forgets() || !self.retiring.add(retired) {
            return Retired::default();
        }
        let mut mentioned = Mentioned::default();
        let mut visit = |op, operand| mentioned.add(op, operand);
        for lane in self.lanes.iter_mut().chain(&mut self.lookout) {
            lane.engine.mentions(&mut visit);
            lane.collector.mentions(&mut visit);
        }
        self.retiring.release(mentioned)
    }

    /// Takes the next event of a valid trace. Convenient, and slower than whole batches.
    pub fn push(&mut self, event: Event, names: &Names) {
        self.feed(&Batch { first: self.events, events: vec![event] }, names);
    }

    /// Takes all events of a source, which must be valid (see `interloper_trace::Validated`), and
    /// finishes.
    pub fn run(&mut self, source: &mut dyn Source) -> Result<(), TraceError> {
        let mut batch = Batch::default();
        while source.next_batch(&mut batch)? {
            self.feed(&batch, source.names());
            let retired = source.take_retired();
            if !retired.is_empty() {
                source.take_back(self.retire(retired));
            }
        }
        self.finish(source.names());
        Ok(())
    }

    /// The trace has ended: some engines judge only now. To be called once, before
    /// [`Checker::outcomes`]. `names` are those of the events.
    pub fn finish(&mut self, names: &Names) {
        self.finish_watched(names, &mut |_| Box::new(Unwatched));
    }

    /// The same, watched: `watch` gives each engine, by name, somebody to tell how far it is.
    pub fn finish_watched(
        &mut self,
        names: &Names,
        watch: &mut dyn FnMut(&'static str) -> Box<dyn Progress>,
    ) {
        for lane in self.lanes.iter_mut().chain(&mut self.lookout) {
            let mut progress = watch(lane.engine.name());
            lane.engine.finish(names, &mut lane.collector, &mut *progress);
        }
    }

    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What each engine found, in the order of the engines. `names` are those of the events.
    pub fn outcomes(&self, names: &Names) -> Vec<Outcome> {
        let outcome = |lane: &Lane| Outcome {
            engine: lane.engine.name(),
            judges: judges(lane.engine.name()),
            guarantee: lane.engine.guarantee(),
            caveat: self.caveat(&*lane.engine),
            violations: lane.collector.total(),
            unlisted: lane.collector.unlisted(),
            findings: lane.collector.findings(names),
            stats: lane.engine.stats(),
        };
        self.lanes.iter().map(outcome).collect()
    }

    /// Why an engine's verdicts are worth less than it promises.
    fn caveat(&self, engine: &dyn Engine) -> Option<String> {
        let deadlock = engine.assumes_no_deadlock().then(|| self.deadlock()).flatten();
        let caveats: Vec<String> = engine.shortfall().into_iter().chain(deadlock).collect();
        (!caveats.is_empty()).then(|| caveats.join("; "))
    }

    /// Of engines that take for granted that nothing can deadlock: that it can.
    fn deadlock(&self) -> Option<String> {
        let looks = |lane: &&Lane| lane.engine.name() == GOODLOCK;
        let lane = self.lanes.iter().chain(&self.lookout).find(looks)?;
        let shown = match self.lookout {
            Some(_) => "`--engine goodlock` shows",
            None => "goodlock shows",
        };
        let least = if lane.collector.unlisted() > 0 { "at least " } else { "" };
        let found = match lane.collector.listed() {
            0 => return None,
            1 => format!("{least}1 potential deadlock was found, which {shown}"),
            n => format!("{least}{n} potential deadlocks were found, which {shown}"),
        };
        Some(format!(
            "it takes for granted that no schedule can end in a deadlock, and {found}: a block that \
             it says nothing of may still be left half done by one"
        ))
    }
}
