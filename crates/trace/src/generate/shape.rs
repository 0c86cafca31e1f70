//! What a generated trace shall look like, and which wishes cannot be met together.

use thiserror::Error;

/// Whether and where the trace is not serializable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Placement {
    /// Nowhere: the whole trace is conflict serializable.
    #[default]
    None,
    /// Once, in the first eighth of the trace.
    Early,
    /// Once, as the last thing that happens but for the ends of threads and of the long transaction.
    Last,
}

/// The settings of a generated trace.
///
/// ```
/// use interloper_trace::{Placement, Shape};
///
/// let shape = Shape { events: 1_000, violation: Placement::Last, ..Shape::default() };
/// assert!(shape.generate().is_ok());
/// assert!(Shape { threads: 0, ..shape }.generate().is_err());
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// The number of events. The trace is never shorter, and longer only by what it takes to close
    /// the blocks that are open then: a few events for each thread, or the rest of its code pattern.
    pub events: u64,
    /// How many worker threads run at a time; main thread and long transaction come on top.
    pub threads: u32,
    /// How many variables there are; the flag of `long` and the variable of a violation come on top.
    pub vars: u32,
    /// How many locks there are. Lock `v % locks` guards variable `v`; locks beyond the number of
    /// variables guard nothing and are not used.
    pub locks: u32,
    /// The mean number of accesses in a transaction, the read of the flag of `long` not counted.
    pub block_length: u32,
    /// How deep blocks nest at most; with 1 there are no blocks inside others.
    pub nesting: u32,
    /// The share of accesses made outside any block, from 0 to 1: half of them in sections under a
    /// lock, half without one.
    pub unary: f64,
    /// The share of accesses that are writes, from 0 to 1.
    pub writes: f64,
    /// The number of rounds in which a main thread forks `threads` new threads and joins them all.
    /// With 0 there is neither fork nor join, and the threads are there from the start.
    pub phases: u32,
    /// The number of rounds in each phase (in all, if there are no phases) that end at a barrier: all
    /// workers come to rest, arrive, and go on once the last has. With 0 there is no barrier.
    pub barriers: u32,
    /// The number of code patterns. With 0 every transaction is drawn anew. Otherwise each runs one of
    /// so many methods, which have a label each, and the same operations at the same places whenever they
    /// run, on some object: a lock, and the variables that it guards. Ten methods make up a class, and
    /// classes share the objects out among themselves.
    pub patterns: u32,
    /// Whether one long transaction, in a thread of its own, spans the whole trace. It begins first
    /// and writes a flag, which every other transaction reads before anything else: each depends on
    /// the long one, and none can be forgotten before the end.
    pub long: bool,
    /// Whether and where the trace is not serializable.
    pub violation: Placement,
    /// The number of distinct code locations.
    pub locations: u32,
    /// The mean number of events that a thread does in a row; with 1 the next thread is drawn anew
    /// for each event.
    pub burst: u32,
    /// The same seed and settings give the same trace, everywhere and always.
    pub seed: u64,
}

impl Default for Shape {
    /// Eight threads under proper locking: the preset `locked`.
    fn default() -> Shape {
        Shape {
            events: 10_000_000,
            threads: 8,
            vars: 100_000,
            locks: 1_000,
            block_length: 8,
            nesting: 1,
            unary: 0.0,
            writes: 0.3,
            phases: 0,
            barriers: 0,
            patterns: 0,
            long: false,
            violation: Placement::None,
            locations: 500,
            burst: 1,
            seed: 0,
        }
    }
}

/// A shape with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preset {
    /// The name by which users choose it.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
}

/// Why a shape cannot be generated.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ShapeError {
    /// A number is too small or too large.
    #[error("`{setting}` must be from {least} to {most}, but is {given}")]
    OutOfRange {
        /// The setting's name.
        setting: &'static str,
        /// The smallest allowed value.
        least: u64,
        /// The largest allowed value.
        most: u64,
        /// The value asked for.
        given: u64,
    },
    /// A share is not between 0 and 1.
    #[error("`{setting}` is a share and must be from 0 to 1, but is {given}")]
    NotAShare {
        /// The setting's name.
        setting: &'static str,
        /// The value asked for.
        given: f64,
    },
    /// A violation in a trace of one thread.
    #[error("a violation takes two threads: set `threads` to 2 or more, or ask for no violation")]
    Lonely,
    /// More threads over all phases than a trace may have.
    #[error("{phases} phases of {threads} threads are more than {most} threads in all")]
    TooManyThreads {
        /// The number of phases.
        phases: u32,
        /// The number of threads in each.
        threads: u32,
        /// How many there may be in all.
        most: u64,
    },
    /// Too few events for so many threads to be started and joined.
    #[error(
        "{phases} phases of {threads} threads take at least {least} events, but `events` is \
         {given}: ask for more events, fewer phases or fewer threads"
    )]
    TooShort {
        /// The number of phases.
        phases: u32,
        /// The number of threads in each.
        threads: u32,
        /// How many events they take.
        least: u64,
        /// The number asked for.
        given: u64,
    },
    /// Too few events for so many threads to arrive at a barrier so often.
    #[error(
        "{barriers} rounds of {threads} threads that end at a barrier take at least {least} \
         events, but `events` is {given}: ask for more events, fewer rounds or fewer threads"
    )]
    TooManyRounds {
        /// The number of rounds, in all phases.
        barriers: u64,
        /// The number of threads in each.
        threads: u32,
        /// How many events they take.
        least: u64,
        /// The number asked for.
        given: u64,
    },
    /// More code than is worth keeping.
    #[error(
        "{patterns} patterns of {block_length} accesses are more than {most} accesses in all: ask \
         for fewer patterns or a smaller `block_length`"
    )]
    TooMuchCode {
        /// The number of patterns.
        patterns: u32,
        /// The mean number of accesses in each.
        block_length: u32,
        /// How many accesses there may be in all.
        most: u64,
    },
    /// No preset has this name.
    #[error("there is no shape called `{0}`; there are {names}", names = names_of_presets())]
    UnknownPreset(String),
}

fn names_of_presets() -> String {
    let names: Vec<&str> = Shape::PRESETS.iter().map(|preset| preset.name).collect();
    names.join(", ")
}

/// The most threads a trace may have over all its phases; their names are all kept.
const MOST_THREADS: u64 = 10_000_000;

/// The most accesses that all code patterns may have together; they are all kept.
const MOST_CODE: u64 = 1_000_000;

/// An arrival and an event of its own, in each round that ends at a barrier.
const LEAST_EVENTS_A_ROUND: u64 = 2;

/// A fork, a join and two events of its own: the least for which a thread is worth starting.
const LEAST_EVENTS_A_THREAD: u64 = 4;

impl Shape {
    /// The shapes that have a name: those that benchmarks are run on.
    pub const PRESETS: &'static [Preset] = &[
        Preset { name: "locked", about: "8 threads, every access in a short block under its lock" },
        Preset { name: "wide", about: "the same with 32 threads" },
        Preset { name: "phases", about: "300 threads at a time, all new in each of 10 phases" },
        Preset {
            name: "long",
            about: "8 threads and one long transaction that all others depend on and that keeps them alive",
        },
        Preset { name: "unary", about: "8 threads, nine accesses of ten outside any block" },
        Preset { name: "nested", about: "8 threads, blocks nested up to 6 deep" },
        Preset {
            name: "patterns",
            about: "8 threads that run 500 methods again and again, on 10,000 objects of 10 variables",
        },
    ];

    /// The shape with this name; see [`Shape::PRESETS`].
    pub fn preset(name: &str) -> Result<Shape, ShapeError> {
        let base = Shape::default();
        match name {
            "locked" => Ok(base),
            "wide" => Ok(Shape { threads: 32, ..base }),
            // More locks than elsewhere: with 1,000, most of 300 threads would only wait.
            "phases" => Ok(Shape { threads: 300, phases: 10, locks: 10_000, ..base }),
            // About 130 events a transaction, so 77,000 of them in ten million events.
            "long" => Ok(Shape { long: true, block_length: 123, ..base }),
            "unary" => Ok(Shape { unary: 0.9, ..base }),
            "nested" => Ok(Shape { nesting: 6, ..base }),
            "patterns" => Ok(Shape { patterns: 500, locks: 10_000, locations: 5_000, ..base }),
            _ => Err(ShapeError::UnknownPreset(name.to_string())),
        }
    }

    /// Whether such a trace can be generated, and if not, why.
    pub fn check(&self) -> Result<(), ShapeError> {
        in_range("events", self.events, 1, 1_000_000_000_000_000)?;
        in_range("threads", self.threads, 1, 100_000)?;
        in_range("vars", self.vars, 1, 10_000_000)?;
        in_range("locks", self.locks, 1, 10_000_000)?;
        in_range("block_length", self.block_length, 1, 1_000_000_000)?;
        in_range("nesting", self.nesting, 1, 1_000)?;
        in_range("phases", self.phases, 0, 1_000_000)?;
        in_range("barriers", self.barriers, 0, 1_000_000)?;
        in_range("patterns", self.patterns, 0, 1_000_000)?;
        in_range("locations", self.locations, 1, 10_000_000)?;
        in_range("burst", self.burst, 1, 1_000_000_000)?;
        share("unary", self.unary)?;
        share("writes", self.writes)?;
        let (phases, threads) = (self.phases, self.threads);
        if self.violation != Placement::None && threads < 2 {
            return Err(ShapeError::Lonely);
        }
        let all = u64::from(phases) * u64::from(threads);
        if all > MOST_THREADS {
            return Err(ShapeError::TooManyThreads { phases, threads, most: MOST_THREADS });
        }
        let least = LEAST_EVENTS_A_THREAD * all;
        if self.events < least {
            return Err(ShapeError::TooShort { phases, threads, least, given: self.events });
        }
        self.check_rounds()?;
        self.check_code()
    }

    fn check_rounds(&self) -> Result<(), ShapeError> {
        let (threads, given) = (self.threads, self.events);
        let barriers = u64::from(self.barriers) * u64::from(self.phases.max(1));
        let forks = LEAST_EVENTS_A_THREAD * u64::from(self.phases);
        let least = (LEAST_EVENTS_A_ROUND * barriers + forks) * u64::from(threads);
        if given < least {
            return Err(ShapeError::TooManyRounds { barriers, threads, least, given });
        }
        Ok(())
    }

    fn check_code(&self) -> Result<(), ShapeError> {
        let (patterns, block_length) = (self.patterns, self.block_length);
        if u64::from(patterns) * u64::from(block_length) > MOST_CODE {
            return Err(ShapeError::TooMuchCode { patterns, block_length, most: MOST_CODE });
        }
        Ok(())
    }
}

fn in_range(
    setting: &'static str,
    given: impl Into<u64>,
    least: u64,
    most: u64,
) -> Result<(), ShapeError> {
    let given = given.into();
    if (least..=most).contains(&given) {
        Ok(())
    } else {
        Err(ShapeError::OutOfRange { setting, least, most, given })
    }
}

fn share(setting: &'static str, given: f64) -> Result<(), ShapeError> {
    if (0.0..=1.0).contains(&given) {
        Ok(())
    } else {
        Err(ShapeError::NotAShare { setting, given })
    }
}
