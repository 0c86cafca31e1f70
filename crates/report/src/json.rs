//! The report for tools: a contract. `docs/json.md` says what each field means and
//! `docs/interloper-1.schema.json` is its JSON Schema. Within one version of the schema fields may
//! be added, but none is taken away, renamed or given another meaning.

mod jvm;
mod pattern;

use crate::model::{EngineRun, Report, Run, ToolInfo};
use interloper_findings as findings;
use serde::Serialize;
use std::io::{self, Write};

/// The name and version of the contract.
pub const SCHEMA: &str = "interloper/1";

/// Writes the report as JSON, fields in a fixed order.
pub fn json(report: &Report, tool: &ToolInfo, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        tool: Tool { name: &tool.name, version: &tool.version },
        runs: report.runs.iter().map(run).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    tool: Tool<'a>,
    runs: Vec<RunJson<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct RunJson<'a> {
    input: &'a str,
    events: u64,
    threads: u64,
    skipped: u64,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    scanned: Option<pattern::ScannedJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jvm: Option<jvm::JvmJson<'a>>,
    engines: Vec<EngineJson<'a>>,
}

#[derive(Serialize)]
struct EngineJson<'a> {
    engine: &'a str,
    judges: &'static str,
    guarantee: &'a str,
    caveat: Option<&'a str>,
    verdict: &'static str,
    violations: u64,
    findings: Vec<FindingJson<'a>>,
    stats: Vec<StatJson<'a>>,
}

#[derive(Serialize)]
struct StatJson<'a> {
    name: &'a str,
    value: u64,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    kind: &'static str,
    certainty: &'static str,
    subject: &'a str,
    fingerprint: &'a str,
    event: u64,
    count: u64,
    blame: Option<BlameJson<'a>>,
    message: &'a str,
    thread: &'a str,
    blocks: Vec<BlockJson<'a>>,
    steps: Vec<StepJson<'a>>,
    transactions: Vec<TransactionJson<'a>>,
    edges: Vec<EdgeJson<'a>>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<pattern::SuppressedJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<pattern::PatternJson<'a>>,
}

#[derive(Serialize)]
struct BlameJson<'a> {
    thread: &'a str,
    label: &'a str,
    begin: u64,
    certain: bool,
    refuted: &'a [String],
}

#[derive(Serialize)]
struct BlockJson<'a> {
    label: &'a str,
    begin: u64,
    at: &'a str,
    refuted: bool,
}

#[derive(Serialize)]
struct StepJson<'a> {
    event: u64,
    thread: &'a str,
    op: &'a str,
    action: &'a str,
    at: &'a str,
    held: Option<&'a [String]>,
}

#[derive(Serialize)]
struct TransactionJson<'a> {
    thread: &'a str,
    label: Option<&'a str>,
    blamed: bool,
}

#[derive(Serialize)]
struct EdgeJson<'a> {
    from: usize,
    to: usize,
    source: Option<StepJson<'a>>,
    target: Option<StepJson<'a>>,
    reason: &'a str,
    closing: bool,
}

fn run(run: &Run) -> RunJson<'_> {
    RunJson {
        input: &run.input,
        events: run.events,
        threads: run.threads,
        skipped: run.skipped,
        complete: run.complete,
        error: run.error.as_deref(),
        notes: &run.notes,
        scanned: run.scanned.map(pattern::scanned),
        jvm: run.jvm.as_ref().map(jvm::jvm),
        engines: run.engines.iter().map(engine).collect(),
    }
}

fn engine(engine: &EngineRun) -> EngineJson<'_> {
    EngineJson {
        engine: &engine.engine,
        judges: engine.judges.word(),
        guarantee: &engine.guarantee,
        caveat: engine.caveat.as_deref(),
        verdict: if engine.found() { "violation" } else { "none" },
        violations: engine.violations,
        findings: engine.findings.iter().map(finding).collect(),
        stats: engine.stats.iter().map(|(name, value)| StatJson { name, value: *value }).collect(),
    }
}

fn finding(finding: &findings::Finding) -> FindingJson<'_> {
    FindingJson {
        kind: finding.kind.word(),
        certainty: finding.certainty.word(),
        subject: &finding.subject,
        fingerprint: &finding.fingerprint,
        event: finding.event,
        count: finding.count,
        blame: finding.blame.as_ref().map(|blame| BlameJson {
            thread: &blame.thread,
            label: &blame.label,
            begin: blame.begin,
            certain: blame.certain,
            refuted: &blame.refuted,
        }),
        message: &finding.message,
        thread: &finding.thread,
        blocks: finding.blocks.iter().map(block).collect(),
        steps: finding.steps.iter().map(step).collect(),
        transactions: finding.transactions.iter().map(transaction).collect(),
        edges: finding.edges.iter().map(edge).collect(),
        notes: &finding.notes,
        baseline: finding.review.baseline.map(findings::BaselineState::word),
        suppressed: finding.review.suppressed.as_ref().map(pattern::suppressed),
        pattern: finding.pattern.as_deref().map(pattern::pattern),
    }
}

fn block(block: &findings::Block) -> BlockJson<'_> {
    BlockJson { label: &block.label, begin: block.begin, at: &block.at, refuted: block.refuted }
}

fn step(step: &findings::Step) -> StepJson<'_> {
    StepJson {
        event: step.event,
        thread: &step.thread,
        op: &step.op,
        action: &step.action,
        at: &step.at,
        held: step.held.as_deref(),
    }
}

fn transaction(transaction: &findings::Transaction) -> TransactionJson<'_> {
    TransactionJson {
        thread: &transaction.thread,
        label: transaction.label.as_deref(),
        blamed: transaction.blamed,
    }
}

fn edge(edge: &findings::Edge) -> EdgeJson<'_> {
    EdgeJson {
        from: edge.from,
        to: edge.to,
        source: edge.source.as_ref().map(step),
        target: edge.target.as_ref().map(step),
        reason: &edge.reason,
        closing: edge.closing,
    }
}
