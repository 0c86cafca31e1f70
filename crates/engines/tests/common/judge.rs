//! Holds an engine against the oracle.

use super::cycle::{Facts, ensure};
use super::reference::{OracleViolation, all_violations};
use super::text::text;
use interloper_engines::Engine;
use interloper_findings::{Key, Sink, Violation};
use interloper_trace::{Batch, Event, Names, Position, SiteId};

/// Makes a fresh engine.
pub type Make<'a> = &'a dyn Fn() -> Box<dyn Engine>;

/// Everything an engine reported.
#[derive(Default)]
pub struct Recorder {
    /// Whether every violation must be explained, or none.
    explain: bool,
    pub counted: Vec<(Position, Key)>,
    pub explained: Vec<Violation>,
    /// A violation counted and not explained yet.
    awaited: Option<(Position, Key)>,
    /// What the engine did that no engine may do.
    misuse: Option<String>,
}

impl Recorder {
    /// Asks for all explanations, or for none.
    pub fn new(explain: bool) -> Recorder {
        Recorder { explain, ..Recorder::default() }
    }

    fn finished(&self) -> Result<(), String> {
        if let Some((event, _)) = self.awaited {
            return Err(format!("the violation at {event} was not explained"));
        }
        self.misuse.clone().map_or(Ok(()), Err)
    }
}

impl Sink for Recorder {
    fn count(&mut self, event: Position, key: Key) -> bool {
        if let Some((event, _)) = self.awaited.take() {
            self.misuse = Some(format!("the violation at {event} was not explained"));
        }
        self.counted.push((event, key));
        self.awaited = self.explain.then_some((event, key));
        self.explain
    }

    fn explain(&mut self, key: Key, violation: Violation) {
        if self.awaited.take() != Some((violation.event, key)) {
            self.misuse = Some(format!("unasked explanation of {}", violation.event));
        }
        self.explained.push(violation);
    }
}

/// Judges an engine on a trace: all violations are found, each with the blocks it refutes and a
/// true explanation, and nothing else is; at the event itself, however the trace is cut into
/// batches (and so on every prefix); whether explanations are asked for or not.
///
/// The error tells what is wrong, and the trace.
pub fn judge(make: Make<'_>, events: &[Event]) -> Result<(), String> {
    judge_against(make, events, &all_violations(events))
}

/// As [`judge`], with the oracle's answer at hand.
pub fn judge_against(
    make: Make<'_>,
    events: &[Event],
    expected: &[OracleViolation],
) -> Result<(), String> {
    judged(make, events, expected).map_err(|wrong| {
        let name = make().name();
        let told: Vec<_> = expected.iter().map(|v| (v.event, &v.open, &v.refuted)).collect();
        format!(
            "{name}: {wrong}\noracle (event, open blocks, refuted blocks): {told:?}\n{}",
            text(events)
        )
    })
}

fn judged(make: Make<'_>, events: &[Event], expected: &[OracleViolation]) -> Result<(), String> {
    let whole = run(make, events, events.len().max(1), true)?;
    compare(&Facts::new(events), &whole, expected)?;
    let single = run(make, events, 1, true)?;
    ensure!(
        single.explained == whole.explained && single.counted == whole.counted,
        "it depends on how the trace is cut into batches:\n{:?}\n{:?}",
        whole.explained,
        single.explained
    );
    let silent = run(make, events, events.len().max(1), false)?;
    ensure!(silent.counted == whole.counted, "it depends on whether explanations are asked for");
    Ok(())
}

/// Feeds the events in batches of this size. Each violation must be reported with its batch.
pub fn run(
    make: Make<'_>,
    events: &[Event],
    size: usize,
    explain: bool,
) -> Result<Recorder, String> {
    let mut engine = make();
    let mut recorder = Recorder::new(explain);
    for (i, chunk) in events.chunks(size).enumerate() {
        let first = (i * size) as Position;
        let known = recorder.counted.len();
        engine.feed(&Batch { first, events: chunk.to_vec() }, &Names::default(), &mut recorder);
        for &(event, _) in &recorder.counted[known..] {
            let batch = first..first + chunk.len() as Position;
            ensure!(batch.contains(&event), "event {event} is reported with batch {batch:?}");
        }
    }
    recorder.finished()?;
    Ok(recorder)
}

/// Compares what an engine reported with what the oracle says.
fn compare(facts: &Facts<'_>, told: &Recorder, expected: &[OracleViolation]) -> Result<(), String> {
    let found: Vec<usize> = told.explained.iter().map(|v| v.event as usize).collect();
    let wanted: Vec<usize> = expected.iter().map(|v| v.event).collect();
    ensure!(found == wanted, "violations at {found:?}, the oracle says {wanted:?}");
    for ((violation, oracle), (_, key)) in told.explained.iter().zip(expected).zip(&told.counted) {
        violation_agrees(facts, violation, oracle)
            .and_then(|()| facts.check(violation))
            .and_then(|()| key_agrees(facts, violation, key))
            .map_err(|wrong| format!("at event {}: {wrong}\n{violation:#?}", oracle.event))?;
    }
    Ok(())
}

fn violation_agrees(
    facts: &Facts<'_>,
    violation: &Violation,
    oracle: &OracleViolation,
) -> Result<(), String> {
    ensure!(violation.thread == oracle.thread, "it is a violation of {:?}", oracle.thread);
    let blocks = &violation.blocks;
    let open: Vec<usize> = blocks.iter().map(|block| block.begin as usize).collect();
    ensure!(open == oracle.open, "open blocks {open:?}, the oracle says {:?}", oracle.open);
    let refuted: Vec<usize> =
        blocks.iter().filter(|block| block.refuted).map(|block| block.begin as usize).collect();
    ensure!(
        refuted == oracle.refuted,
        "refuted blocks {refuted:?}, the oracle says {:?}",
        oracle.refuted
    );
    for block in blocks {
        let begin = &facts.events[block.begin as usize];
        ensure!(
            block.label == begin.label() && block.site == begin.site,
            "wrong label or site of the block begun at {}",
            block.begin
        );
    }
    Ok(())
}

/// The key is that of the explanation.
fn key_agrees(facts: &Facts<'_>, violation: &Violation, key: &Key) -> Result<(), String> {
    let closing = violation.cycle[violation.cycle.len() - 1];
    let closes = facts.events[violation.event as usize].site;
    let refuted = violation.blocks.iter().rev().find(|block| block.refuted);
    let block = refuted.unwrap_or(&violation.blocks[0]);
    let block = (block.label, block.site);
    let wanted = Key::new(block, refuted.is_some(), closing.from.site, closes);
    ensure!(*key == wanted, "counted under {key:?}, explained under {wanted:?}");
    Ok(())
}
