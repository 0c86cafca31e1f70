//! One view of what several engines say: each bug once with all who found it, each block of code once
//! with everything that is said of it, the most certain first.

use crate::model::Run;
use interloper_findings::{Block, Certainty, Finding, Kind};
use std::collections::HashMap;

/// One bug of a run, and who found it: engines that agree tell it once.
pub(crate) struct Told<'a> {
    /// The finding of the first of the most certain engines that have it.
    pub finding: &'a Finding,
    /// All engines that have it, and how sure each is; the most certain first.
    pub by: Vec<(&'a str, Certainty)>,
}

impl<'a> Told<'a> {
    /// The engines that have it.
    pub fn engines(&self) -> Vec<&'a str> {
        self.by.iter().map(|(engine, _)| *engine).collect()
    }
}

/// What is told in one piece: all that the engines say of one block of code, or of one race, one
/// deadlock.
pub(crate) struct Topic<'a> {
    /// What it is about.
    pub about: About<'a>,
    /// Each bug of it, the most certain first; never empty.
    pub told: Vec<Told<'a>>,
}

/// What makes two findings the same topic.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum About<'a> {
    /// A block of code, by its label.
    Label(&'a str),
    /// A block without a label, by where it begins.
    Place(&'a str),
    /// A block that has neither, by its first event.
    Begin(u64),
    /// Blocks of which no single one is to blame.
    Together(&'a str),
    /// A race, by the pair of places where they are known, else by the variable and the accesses.
    Race(&'a str, [(&'a str, &'a str); 2]),
    /// Anything else, by its fingerprint.
    Bug(Kind, &'a str),
}

impl<'a> About<'a> {
    /// A block of code.
    pub fn block(block: &'a Block) -> About<'a> {
        match (block.label.as_str(), block.at.as_str()) {
            ("", "") => About::Begin(block.begin),
            ("", at) => About::Place(at),
            (label, _) => About::Label(label),
        }
    }

    /// What a finding is about.
    pub fn of(finding: &'a Finding) -> About<'a> {
        match finding.kind {
            Kind::Atomicity => match finding.blocks.iter().rev().find(|block| block.refuted) {
                Some(block) => About::block(block),
                None => About::Together(&finding.subject),
            },
            Kind::Race => match &finding.steps[..] {
                [one, other] => {
                    let known = !one.at.is_empty() && !other.at.is_empty();
                    let end = |step: &'a interloper_findings::Step| {
                        if known { (step.at.as_str(), "") } else { (step.at.as_str(), &*step.op) }
                    };
                    let mut ends = [end(one), end(other)];
                    ends.sort_unstable();
                    About::Race(if known { "" } else { &finding.subject }, ends)
                }
                _ => About::Bug(finding.kind, &finding.fingerprint),
            },
            Kind::Deadlock | Kind::Pattern => About::Bug(finding.kind, &finding.fingerprint),
        }
    }
}

/// What makes two findings the same bug.
#[derive(PartialEq, Eq, Hash)]
enum Bug<'a> {
    /// The same two accesses, in whichever order an engine met them.
    Race(About<'a>),
    /// The same fingerprint. Engines of different certainty tell different stories of it.
    Other(Kind, Certainty, &'a str),
}

impl<'a> Bug<'a> {
    fn of(finding: &'a Finding) -> Bug<'a> {
        match finding.kind {
            Kind::Race => Bug::Race(About::of(finding)),
            kind => Bug::Other(kind, finding.certainty, &finding.fingerprint),
        }
    }
}

/// In which order kinds are told.
pub(crate) fn rank(kind: Kind) -> usize {
    match kind {
        Kind::Atomicity => 0,
        Kind::Race => 1,
        Kind::Deadlock => 2,
        Kind::Pattern => 3,
    }
}

impl Run {
    /// The findings of all engines, each bug once: by kind, then the most certain first.
    pub(crate) fn told(&self) -> Vec<Told<'_>> {
        let mut told: Vec<Told<'_>> = vec![];
        let mut known: HashMap<Bug<'_>, usize> = HashMap::new();
        for engine in &self.engines {
            let name = engine.engine.as_str();
            for finding in &engine.findings {
                let by = (name, finding.certainty);
                match known.get(&Bug::of(finding)).map(|&i| &mut told[i]) {
                    Some(same) if same.by.iter().all(|(engine, _)| *engine != name) => {
                        if finding.certainty < same.finding.certainty {
                            same.finding = finding;
                        }
                        same.by.push(by);
                    }
                    // One engine has two races of the same places: one bug to whoever reads it.
                    Some(_) if finding.kind == Kind::Race => {}
                    // New; or one engine tells two bugs of one fingerprint, and both are shown.
                    _ => {
                        known.entry(Bug::of(finding)).or_insert(told.len());
                        told.push(Told { finding, by: vec![by] });
                    }
                }
            }
        }
        told.iter_mut().for_each(|told| told.by.sort_by_key(|(_, certainty)| *certainty));
        told.sort_by_key(|told| (rank(told.finding.kind), told.finding.certainty));
        told
    }

    /// All that is to be told, in the order of telling.
    pub(crate) fn topics(&self) -> Vec<Topic<'_>> {
        let mut topics: Vec<Topic<'_>> = vec![];
        let mut known: HashMap<About<'_>, usize> = HashMap::new();
        for told in self.told() {
            let about = About::of(told.finding);
            match known.get(&about) {
                Some(&i) => topics[i].told.push(told),
                None => {
                    known.insert(about.clone(), topics.len());
                    topics.push(Topic { about, told: vec![told] });
                }
            }
        }
        topics
    }

    /// How sure each engine is of each topic, where it has it: also of blocks around the one that its
    /// finding is about, if it refutes them too.
    pub(crate) fn opinions(&self) -> HashMap<(usize, About<'_>), Certainty> {
        let mut opinions: HashMap<(usize, About<'_>), Certainty> = HashMap::new();
        for (i, engine) in self.engines.iter().enumerate() {
            for finding in &engine.findings {
                let refuted = finding.blocks.iter().filter(|block| block.refuted);
                let around = refuted.map(About::block).filter(|_| finding.kind == Kind::Atomicity);
                for about in around.chain([About::of(finding)]) {
                    let opinion = opinions.entry((i, about)).or_insert(finding.certainty);
                    *opinion = finding.certainty.min(*opinion);
                }
            }
        }
        opinions
    }
}
