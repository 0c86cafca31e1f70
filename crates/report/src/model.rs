//! What a report is made of. The command fills it; the formats only read it.

use interloper_findings::{Finding, Kind};

/// Everything there is to report.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// One for each input, in the user's order.
    pub runs: Vec<Run>,
}

/// What was found in one input.
#[derive(Clone, Default, Debug)]
pub struct Run {
    /// The input's name, as the user gave it; `-` for standard input.
    pub input: String,
    /// How many events were analysed.
    pub events: u64,
    /// How many threads they came from.
    pub threads: u64,
    /// What else the user must know of this input: `skipped 3 bad lines`.
    pub notes: Vec<String>,
    /// How many lines or events were passed over because they cannot be; verdicts hold for the rest.
    pub skipped: u64,
    /// Whether the whole input was read; `false` if it was cut off or damaged, so that verdicts
    /// hold for the part before the damage only.
    pub complete: bool,
    /// Why the input could not be analysed, in a sentence; then there are no events and no engines.
    pub error: Option<String>,
    /// One for each engine, in the user's order.
    pub engines: Vec<EngineRun>,
    /// How much code was scanned, if the input is code and not a trace; then there are no events and no threads.
    pub scanned: Option<Scanned>,
    /// What was done to the program, if the input is a Java program that was checked while it ran.
    pub jvm: Option<Jvm>,
}

/// A Java program that was checked while it ran.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Jvm {
    /// Its process.
    pub pid: u32,
    /// The version of Java that it ran on.
    pub java: String,
    /// How many classes were instrumented.
    pub classes: u64,
    /// How many of their methods.
    pub methods: u64,
    /// How many of those methods are, or have, atomic blocks.
    pub atomic: u64,
    /// How many atomic blocks were executed.
    pub blocks: u64,
    /// What was left alone, by the reason.
    pub left_alone: Vec<LeftAlone>,
}

/// Classes and methods that could not be instrumented.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct LeftAlone {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// The first few.
    pub examples: Vec<String>,
}

/// How much code was scanned.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Scanned {
    /// Class files.
    pub classes: u64,
    /// Methods that have code.
    pub methods: u64,
}

/// What one engine found in one input.
#[derive(Clone, Debug)]
pub struct EngineRun {
    /// The name by which users choose it.
    pub engine: String,
    /// What it looks for.
    pub judges: Kind,
    /// What its verdicts are worth, in a phrase: `exact: reports if and only if the observed order
    /// is not serializable`.
    pub guarantee: String,
    /// What it means that this engine found nothing: `the observed run is serializable; other runs
    /// may not be`. Empty: the guarantee alone is shown.
    pub all_clear: String,
    /// Why its verdicts on this input are worth less than that, in a sentence; `None`: they are not.
    pub caveat: Option<String>,
    /// How many violations there were, repetitions included.
    pub violations: u64,
    /// One for each bug, in the order of their first occurrence.
    pub findings: Vec<Finding>,
    /// What the engine tells about its work: a name and a number.
    pub stats: Vec<(String, u64)>,
}

impl Default for EngineRun {
    /// An engine without a name that found no violation of atomicity.
    fn default() -> EngineRun {
        EngineRun {
            engine: String::new(),
            judges: Kind::Atomicity,
            guarantee: String::new(),
            all_clear: String::new(),
            caveat: None,
            violations: 0,
            findings: vec![],
            stats: vec![],
        }
    }
}

impl EngineRun {
    /// Whether there was a violation, listed or only counted, that is neither suppressed nor known from the baseline.
    pub fn found(&self) -> bool {
        self.violations > 0 || self.findings.iter().any(|finding| finding.review.is_open())
    }
}

/// The tool that made the report.
#[derive(Clone, Default, Debug)]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Report {
    /// How many findings there are, over all inputs and engines.
    pub fn findings(&self) -> usize {
        self.runs.iter().flat_map(|run| &run.engines).map(|engine| engine.findings.len()).sum()
    }

    /// Whether any engine found a violation in any input, listed or only counted.
    pub fn found(&self) -> bool {
        self.runs.iter().flat_map(|run| &run.engines).any(EngineRun::found)
    }
}

impl Run {
    /// An input that could not be analysed, and why.
    pub fn failed(input: impl Into<String>, error: impl Into<String>) -> Run {
        Run { input: input.into(), error: Some(error.into()), ..Run::default() }
    }

    /// Says of engines that look for violations of atomicity and have found none why that means nothing, before what there is to say already.
    pub fn doubt_atomicity(&mut self, why: &str) {
        let idle = |it: &&mut EngineRun| it.judges == Kind::Atomicity && !it.found();
        for engine in self.engines.iter_mut().filter(idle) {
            let before = engine.caveat.take().map(|caveat| format!("; {caveat}"));
            engine.caveat = Some(format!("{why}{}", before.unwrap_or_default()));
        }
    }
}
