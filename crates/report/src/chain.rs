//! A finding as a story: its steps in the order of time, and why the order of any two neighbours
//! cannot be turned.
//!
//! Steps of what was observed are numbered as they happened. Where somebody is to blame that is also
//! the order of the chain, since each dependence starts no earlier than the one before it arrived;
//! where nobody is, the chain jumps back in time within some block, and the numbers show it.
//!
//! Steps of what was not observed stay in the order in which the finding gives them: that order makes
//! the trouble, not the one in which they were seen.

use interloper_findings::{Certainty, Edge, Finding, Step};
use std::collections::{HashMap, HashSet};

/// A finding's steps and the cycle they make, if they do.
pub(crate) struct Chain<'a> {
    /// The steps, in the order of time; a step's number is its index plus one.
    pub steps: Vec<Told<'a>>,
    /// What binds them, in the order of the chain.
    pub links: Vec<Link<'a>>,
}

/// One step.
pub(crate) struct Told<'a> {
    /// The step.
    pub step: &'a Step,
    /// Its transaction: an index into [`Finding::transactions`].
    pub transaction: Option<usize>,
    /// Whether it is the first of the steps in its transaction.
    pub enters: bool,
    /// Whether it is the last of the steps in its transaction.
    pub leaves: bool,
    /// Whether it comes between the accesses of the blamed block.
    pub interloper: bool,
}

/// Why one step comes before another, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Link<'a> {
    /// The first step happened before the second and conflicts with it.
    Before(usize, usize, &'a str),
    /// Two transactions of one thread.
    ProgramOrder(usize, usize, &'a str),
    /// The two steps belong to this transaction.
    OneBlock(usize, usize, usize),
    /// As `OneBlock`, for the transaction in which the chain began.
    Closed(usize, usize, usize),
}

impl<'a> Chain<'a> {
    /// Tells the cycle of `finding`.
    pub fn new(finding: &'a Finding) -> Chain<'a> {
        let mut transactions: HashMap<u64, usize> = HashMap::new();
        let mut steps: Vec<&Step> = finding.steps.iter().collect();
        for edge in &finding.edges {
            for (end, transaction) in [(&edge.source, edge.from), (&edge.target, edge.to)] {
                if let Some(step) = end {
                    transactions.insert(step.event, transaction);
                    steps.push(step);
                }
            }
        }
        if finding.edges.is_empty() && finding.blame.is_some() {
            let own = finding.steps.iter().filter(|step| step.thread == finding.thread);
            transactions.extend(own.map(|step| (step.event, 0)));
        }
        if finding.certainty == Certainty::Observed {
            steps.sort_by_key(|step| step.event);
        }
        let mut known = HashSet::new();
        steps.retain(|step| known.insert(step.event));
        let links = links(&finding.edges, &steps);
        Chain { steps: told(finding, steps, &transactions), links }
    }
}

fn told<'a>(
    finding: &'a Finding,
    steps: Vec<&'a Step>,
    transactions: &HashMap<u64, usize>,
) -> Vec<Told<'a>> {
    let of: Vec<Option<usize>> =
        steps.iter().map(|step| transactions.get(&step.event).copied()).collect();
    let mut ends: HashMap<usize, (usize, usize)> = HashMap::new();
    for (i, transaction) in of.iter().enumerate() {
        if let Some(transaction) = transaction {
            ends.entry(*transaction).or_insert((i, i)).1 = i;
        }
    }
    let tell = |(i, &step): (usize, &&'a Step)| {
        let (first, last) = of[i].and_then(|t| ends.get(&t).copied()).unwrap_or((i, i));
        let foreign = of[i].map_or(step.thread != finding.thread, |transaction| transaction != 0);
        Told {
            step,
            transaction: of[i],
            enters: first == i,
            leaves: last == i,
            interloper: foreign && finding.blame.is_some(),
        }
    };
    steps.iter().enumerate().map(tell).collect()
}

fn links<'a>(edges: &'a [Edge], steps: &[&Step]) -> Vec<Link<'a>> {
    let numbers: HashMap<u64, usize> =
        steps.iter().enumerate().map(|(i, step)| (step.event, i + 1)).collect();
    let number = |step: &Step| numbers.get(&step.event).copied();
    let mut links = vec![];
    let mut start: Option<(usize, usize)> = None;
    let mut arrived: Option<(usize, usize)> = None;
    let mut program_order = false;
    for edge in edges {
        let (Some(source), Some(target)) = (&edge.source, &edge.target) else {
            program_order = true;
            continue;
        };
        let (Some(from), Some(to)) = (number(source), number(target)) else { continue };
        match arrived {
            Some((at, _)) if program_order => {
                links.push(Link::ProgramOrder(at, from, &source.thread));
            }
            Some((at, transaction)) if at != from => {
                links.push(Link::OneBlock(at, from, transaction));
            }
            _ => {}
        }
        links.push(Link::Before(from, to, &edge.reason));
        start.get_or_insert((from, edge.from));
        arrived = Some((to, edge.to));
        program_order = false;
    }
    if let (Some((first, begun)), Some((last, ended))) = (start, arrived)
        && begun == ended
    {
        links.push(Link::Closed(first, last, begun));
    }
    links
}
