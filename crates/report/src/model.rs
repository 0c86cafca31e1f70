//! What a report is made of. The command fills it; the formats only read it.

use interloper_findings::Finding;
use std::collections::HashMap;

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
}

/// What one engine found in one input.
#[derive(Clone, Default, Debug)]
pub struct EngineRun {
    /// The name by which users choose it.
    pub engine: String,
    /// What its verdicts are worth, in a phrase: `exact: reports if and only if the observed order
    /// is not serializable`.
    pub guarantee: String,
    /// What it means that this engine found nothing: `the observed run is serializable; other runs
    /// may not be`. Empty: the guarantee alone is shown.
    pub all_clear: String,
    /// How many violations there were, repetitions included.
    pub violations: u64,
    /// One for each bug, in the order of their first occurrence.
    pub findings: Vec<Finding>,
    /// What the engine tells about its work: a name and a number.
    pub stats: Vec<(String, u64)>,
}

impl EngineRun {
    /// Whether there was a violation, listed or only counted.
    pub fn found(&self) -> bool {
        self.violations > 0 || !self.findings.is_empty()
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

/// One bug of a run, and who found it: engines that agree tell it once.
pub(crate) struct Told<'a> {
    /// The finding of the first engine that has it.
    pub finding: &'a Finding,
    /// All engines that have it.
    pub engines: Vec<&'a str>,
}

impl Run {
    /// An input that could not be analysed, and why.
    pub fn failed(input: impl Into<String>, error: impl Into<String>) -> Run {
        Run { input: input.into(), error: Some(error.into()), ..Run::default() }
    }

    /// The findings of all engines, each bug once.
    pub(crate) fn told(&self) -> Vec<Told<'_>> {
        let mut told: Vec<Told<'_>> = vec![];
        let mut known: HashMap<(&str, &str), usize> = HashMap::new();
        for engine in &self.engines {
            let name = engine.engine.as_str();
            for finding in &engine.findings {
                let bug = (finding.kind.word(), finding.fingerprint.as_str());
                match known.get(&bug).map(|&i| &mut told[i]) {
                    Some(same) if !same.engines.contains(&name) => same.engines.push(name),
                    // New; or one engine tells two bugs of one fingerprint, and both are shown.
                    _ => {
                        known.entry(bug).or_insert(told.len());
                        told.push(Told { finding, engines: vec![name] });
                    }
                }
            }
        }
        told
    }
}
