//! SARIF 2.1.0, as code scanning services take it.
//!
//! Deliberate choices, all for GitHub: one run for all inputs (it refuses several runs of one tool
//! and category); one result for each bug, whichever engines and inputs show it; a physical
//! location for each result, the trace itself if the trace names no file; URIs relative to the
//! repository, never absolute; the fingerprint also under the one key that GitHub reads.

mod pattern;

use crate::chain::Chain;
use crate::located::located;
use crate::location::{Location as Place, inner_path};
use crate::model::{Report, Run, ToolInfo};
use crate::rules;
use crate::words::{escape, holding, name};
use interloper_findings::{Certainty, Finding, Kind, Step};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use serde_sarif::sarif as s;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::PathBuf;

/// What may stand in a URI path as it is.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The most steps of a result that GitHub shows.
const MOST_STEPS: usize = 1_000;
/// The schema, where the standard's own committee keeps it.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the report as SARIF. Files found in the `sources` folders are named by their paths from the
/// working folder, which should be the root of the repository.
pub fn sarif(
    report: &Report,
    tool: &ToolInfo,
    sources: &[PathBuf],
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = &located(report, sources);
    let results = bugs(report);
    let document = s::Sarif {
        schema: Some(SCHEMA.into()),
        version: json!("2.1.0"),
        runs: vec![
            s::Run::builder()
                .tool(driver(tool))
                .results(results.iter().map(Found::result).collect::<Vec<_>>())
                .invocations(vec![invocation(report)])
                .column_kind(json!("unicodeCodePoints"))
                .build(),
        ],
        inline_external_properties: None,
        properties: None,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// Each bug once, however many inputs show it.
fn bugs(report: &Report) -> Vec<Found<'_>> {
    let mut found: Vec<Found<'_>> = vec![];
    let mut known: HashMap<(usize, &str), usize> = HashMap::new();
    for run in &report.runs {
        for told in run.told() {
            let (finding, engines) = (told.finding, told.engines());
            // Of another certainty, of another rule: another result.
            let bug = (rules::index(finding.kind, finding.certainty), &*finding.fingerprint);
            match known.get(&bug).map(|&i| &mut found[i]) {
                Some(same) if !std::ptr::eq(same.run, run) => same.seen += finding.count,
                _ => {
                    known.entry(bug).or_insert(found.len());
                    found.push(Found { run, finding, engines, seen: finding.count });
                }
            }
        }
    }
    found
}

fn driver(tool: &ToolInfo) -> s::ToolComponent {
    s::ToolComponent::builder()
        .name(tool.name.clone())
        .version(tool.version.clone())
        .semantic_version(tool.version.clone())
        .rules(rules::all())
        .build()
}

/// What the user must know of the inputs, as notifications.
fn invocation(report: &Report) -> s::Invocation {
    let mut notes = vec![];
    for run in &report.runs {
        if let Some(error) = &run.error {
            notes.push(notification("error", error));
            continue;
        }
        let incomplete = (!run.complete).then_some("the input is incomplete");
        for note in run.notes.iter().map(String::as_str).chain(incomplete) {
            notes.push(notification("warning", &format!("{}: {note}", run.input)));
        }
        for engine in &run.engines {
            if let Some(caveat) = &engine.caveat {
                let text = format!("{}: {}: {caveat}", run.input, engine.engine);
                notes.push(notification("warning", &text));
            }
        }
    }
    s::Invocation::builder()
        .execution_successful(report.runs.iter().all(|run| run.error.is_none()))
        .tool_execution_notifications(notes)
        .build()
}

fn notification(level: &str, text: &str) -> s::Notification {
    s::Notification::builder().level(json!(level)).message(message(&escape(text))).build()
}

fn message(text: &str) -> s::Message {
    s::Message::builder().text(text).build()
}

/// A bug, with what was seen of it.
struct Found<'a> {
    run: &'a Run,
    finding: &'a Finding,
    engines: Vec<&'a str>,
    seen: u64,
}

impl Found<'_> {
    fn result(&self) -> s::Result {
        let finding = self.finding;
        if let Some(found) = &finding.pattern {
            return pattern::result(finding, found, self.run, &self.trace(), self.fingerprints());
        }
        let chain = Chain::new(finding);
        let numbered = chain.steps.iter().enumerate().map(|(i, told)| (i + 1, told.step));
        // Of a very long cycle, all but the middle: the last step is the one that closes it.
        let last = chain.steps.len();
        let steps: Vec<(usize, &Step)> =
            numbered.filter(|&(number, _)| number < MOST_STEPS || number == last).collect();
        let rule = rules::index(finding.kind, finding.certainty);
        let level = match (&finding.blame, finding.certainty) {
            (_, Certainty::Possible) => s::ResultLevel::Note,
            (_, Certainty::Predicted) => s::ResultLevel::Warning,
            (Some(blame), Certainty::Observed) if !blame.certain => s::ResultLevel::Warning,
            (_, Certainty::Observed) => s::ResultLevel::Error,
        };
        let result = s::Result::builder()
            .rule_id(rules::id(rule))
            .rule_index(rule as i64)
            .level(level)
            .message(message(&self.message(&chain)))
            .locations(vec![self.primary()])
            .partial_fingerprints(self.fingerprints())
            .occurrence_count(i64::try_from(self.seen).unwrap_or(i64::MAX))
            .properties(self.properties());
        if steps.is_empty() {
            return result.build();
        }
        let related = steps.iter().map(|&(number, step)| self.step(step, number));
        result
            .related_locations(related.collect::<Vec<_>>())
            .code_flows(vec![self.flow(&steps)])
            .build()
    }

    /// `A is not atomic: thread alice reads x [1](1), …`, each number a link to its location.
    fn message(&self, chain: &Chain<'_>) -> String {
        const FEW: usize = 8;
        let step = |i: usize| {
            let step = chain.steps[i].step;
            format!("{} [({n})]({n})", doing(step), n = i + 1)
        };
        let n = chain.steps.len();
        let shown: Vec<String> = if n <= FEW {
            (0..n).map(step).collect()
        } else {
            let head = (0..FEW - 2).map(step);
            head.chain([format!("{} more steps", n - FEW + 1), step(n - 1)]).collect()
        };
        let mut text = plain(&self.finding.message);
        if !shown.is_empty() {
            text += &format!(": {}", shown.join(", then "));
        }
        text.push('.');
        for sentence in self.conclusion() {
            text += &format!(" {sentence}");
        }
        for note in &self.finding.notes {
            text += &format!(" {}.", plain(note).trim_end_matches('.'));
        }
        text
    }

    /// What the steps amount to.
    fn conclusion(&self) -> Vec<&'static str> {
        const NOBODY: &str = "No single block is to blame: each could run alone, not all together.";
        let Finding { kind, certainty, blame, edges, .. } = self.finding;
        let mut text = match (kind, certainty) {
            (Kind::Atomicity, Certainty::Observed) => {
                vec!["No serial order of the blocks gives the same result."]
            }
            (Kind::Atomicity, Certainty::Predicted) => vec![
                "This order was not observed, but another schedule allows it; no serial order of \
                 the blocks gives the same result.",
            ],
            (Kind::Deadlock, _) => vec!["Each waits for a lock that the next one holds."],
            _ => vec![],
        };
        if *kind == Kind::Atomicity && blame.is_none() && !edges.is_empty() {
            text.push(NOBODY);
        }
        text
    }

    /// Where the alert stands: at the block that is not atomic, or else at the access that closed
    /// the cycle, or at any step with a place in a file; failing all, in the trace.
    fn primary(&self) -> s::Location {
        let finding = self.finding;
        let block = finding.blocks.iter().rev().find(|block| block.refuted);
        let steps = finding.steps.iter().rev().map(|step| step.at.as_str());
        let mut places = block.map(|block| block.at.as_str()).into_iter().chain(steps);
        let closing = finding.steps.last().map_or("", |step| step.at.as_str());
        let at = places.find(|at| Place::parse(at).is_some()).unwrap_or(closing);
        let label = block.map_or("", |block| block.label.as_str());
        let mut location = self.location(at);
        if !label.is_empty() {
            location.logical_locations = Some(vec![
                s::LogicalLocation::builder().fully_qualified_name(plain(label)).build(),
            ]);
        }
        location
    }

    fn step(&self, step: &Step, id: usize) -> s::Location {
        let mut location = self.location(&step.at);
        location.id = Some(id as i64);
        location.message = Some(message(&doing(step)));
        location
    }

    /// A place in a file; or, for a location that names none, the trace and the location's name.
    fn location(&self, at: &str) -> s::Location {
        let Some(place) = Place::parse(at) else {
            let logical = s::LogicalLocation::builder().fully_qualified_name(plain(at)).build();
            let location =
                s::Location::builder().physical_location(physical(&self.trace(), 1, None));
            return match at {
                "" => location.build(),
                _ => location.logical_locations(vec![logical]).build(),
            };
        };
        let physical = physical(&place.inner_path(), place.line, place.column);
        s::Location::builder().physical_location(physical).build()
    }

    fn trace(&self) -> String {
        match inner_path(&self.run.input.replace('\\', "/")).as_str() {
            "-" => "stdin".to_string(),
            "" => "trace".to_string(),
            input => input.to_string(),
        }
    }

    fn flow(&self, steps: &[(usize, &Step)]) -> s::CodeFlow {
        let locations = steps.iter().map(|&(number, step)| {
            s::ThreadFlowLocation::builder()
                .location(self.step(step, number))
                .execution_order(number as i64)
                .importance(json!("essential"))
                .build()
        });
        let flow = s::ThreadFlow::builder().locations(locations.collect::<Vec<_>>()).build();
        s::CodeFlow::builder()
            .message(message(match self.finding.certainty {
                Certainty::Observed => "the steps of all threads, in the order of time",
                _ => "the steps of all threads, in the order that makes the trouble",
            }))
            .thread_flows(vec![flow])
            .build()
    }

    fn fingerprints(&self) -> BTreeMap<String, String> {
        let fingerprint = &self.finding.fingerprint;
        BTreeMap::from([
            ("interloper/v1".to_string(), fingerprint.clone()),
            ("primaryLocationLineHash".to_string(), format!("{fingerprint}:1")),
        ])
    }

    fn properties(&self) -> s::PropertyBag {
        let finding = self.finding;
        let mut properties = BTreeMap::from([
            ("input".to_string(), json!(self.run.input)),
            ("event".to_string(), json!(finding.event)),
            ("count".to_string(), json!(self.seen)),
            ("engines".to_string(), json!(self.engines)),
            ("certainty".to_string(), json!(finding.certainty.word())),
        ]);
        if let Some(blame) = &finding.blame {
            properties.insert("blamedThread".to_string(), json!(blame.thread));
            properties.insert("certain".to_string(), json!(blame.certain));
            properties.insert("refuted".to_string(), json!(blame.refuted));
        }
        s::PropertyBag::builder().additional_properties(properties).build()
    }
}

/// `thread alice reads balance, holding m`
fn doing(step: &Step) -> String {
    let held = holding(step).map(|held| format!(", {}", plain(&held))).unwrap_or_default();
    format!("thread {} {}{held}", plain(&step.thread), plain(&step.action))
}

fn physical(path: &str, line: usize, column: Option<usize>) -> s::PhysicalLocation {
    let uri = utf8_percent_encode(path, PATH).to_string();
    let mut region = s::Region::builder().start_line(line as i64).build();
    region.start_column = column.map(|column| column as i64);
    s::PhysicalLocation::builder()
        .artifact_location(s::ArtifactLocation::builder().uri(uri).build())
        .region(region)
        .build()
}

/// A name within a message: nothing in it may look like a link.
fn plain(text: &str) -> String {
    name(text).replace("](", "] (")
}
