//! A lock pattern as a result: the alert stands where the witness is locked the second time; each place is a code flow of
//! its own, with the calls that lead to both acquisitions.

use super::{MOST_STEPS, message, physical, plain};
use crate::location::Location as Place;
use crate::model::Run;
use crate::rules;
use interloper_findings::{
    Finding, LockPattern, PatternStep, Place as Found, Site, Suppressor, short_method,
};
use serde_json::json;
use serde_sarif::sarif as s;
use std::collections::BTreeMap;

/// The most places of a result that are told in full.
const MOST_PLACES: usize = 20;

/// The result of a pattern; `input` is named where the class file names no source.
pub(super) fn result(
    finding: &Finding,
    pattern: &LockPattern,
    run: &Run,
    input: &str,
    fingerprints: BTreeMap<String, String>,
) -> s::Result {
    let rule = rules::index(finding.kind, finding.certainty);
    let first = pattern.places.first();
    let steps = first.map(Found::steps).unwrap_or_default();
    let further = pattern.places.iter().skip(1).take(MOST_PLACES);
    let also = further.clone().enumerate().map(|(i, place)| {
        let text = format!("also here: {}", plain(&place.message()));
        related(location(place.second.start(), input), steps.len() + i + 1, &text)
    });
    let own = steps
        .iter()
        .enumerate()
        .map(|(i, step)| related(location(step.site, input), i + 1, &plain(&told(step))));
    let flows = first.into_iter().chain(further).map(|place| flow(place, input));
    let mut result = s::Result::builder()
        .rule_id(rules::id(rule))
        .rule_index(rule as i64)
        .level(s::ResultLevel::Note)
        .message(message(&text(finding, &steps)))
        .locations(first.map(|place| primary(place, input)).into_iter().collect::<Vec<_>>())
        .related_locations(own.chain(also).collect::<Vec<_>>())
        .code_flows(flows.collect::<Vec<_>>())
        .partial_fingerprints(fingerprints)
        .occurrence_count(i64::try_from(finding.count).unwrap_or(i64::MAX))
        // all results of a run have them, or none
        .suppressions(suppressions(finding))
        .properties(properties(finding, pattern, run))
        .build();
    result.baseline_state = finding.review.baseline.map(|state| json!(state.word()));
    result
}

/// `A.m locks x twice while it holds this: A.m locks this [(1)](1), then … Then why, and what to do.`
fn text(finding: &Finding, steps: &[PatternStep<'_>]) -> String {
    const FEW: usize = 12;
    let step = |(i, step): (usize, &PatternStep<'_>)| {
        format!("{} [({n})]({n})", plain(&told(step)), n = i + 1)
    };
    let mut shown: Vec<String> = steps.iter().enumerate().map(step).collect();
    if shown.len() > FEW {
        let left_out = shown.len() - FEW;
        shown.splice(FEW - 2..shown.len() - 1, [format!("{} more steps", left_out + 1)]);
    }
    let mut text = format!("{}: {}.", plain(&finding.message), shown.join(", then "));
    for note in &finding.notes {
        let mut note = plain(note);
        if let Some(first) = note.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        text += &format!(" {}.", note.trim_end_matches('.'));
    }
    text
}

/// `Location.distanceTo locks this, which is point, again`
fn told(step: &PatternStep<'_>) -> String {
    format!("{} {}", short_method(&step.site.method), step.action)
}

fn primary(place: &Found, input: &str) -> s::Location {
    location(place.second.start(), input)
}

/// A place in a source file, with its method; or, where the class file names none, in the input.
fn location(site: &Site, input: &str) -> s::Location {
    let physical = match Place::parse(&site.at) {
        Some(place) => physical(&place.inner_path(), place.line, place.column),
        None => physical(input, 1, None),
    };
    let method = s::LogicalLocation::builder()
        .fully_qualified_name(plain(&site.method))
        .kind("function")
        .build();
    s::Location::builder().physical_location(physical).logical_locations(vec![method]).build()
}

fn related(mut location: s::Location, id: usize, text: &str) -> s::Location {
    location.id = Some(id as i64);
    location.message = Some(message(text));
    location
}

fn flow(place: &Found, input: &str) -> s::CodeFlow {
    let steps = place.steps();
    let locations = steps.iter().take(MOST_STEPS).enumerate().map(|(i, step)| {
        let importance = match step.role {
            interloper_findings::Role::Call => "important",
            _ => "essential",
        };
        let mut location = location(step.site, input);
        location.message = Some(message(&plain(&told(step))));
        s::ThreadFlowLocation::builder()
            .location(location)
            .execution_order(i as i64 + 1)
            .nesting_level(step.depth as i64)
            .importance(json!(importance))
            .build()
    });
    let flow = s::ThreadFlow::builder().locations(locations.collect::<Vec<_>>()).build();
    s::CodeFlow::builder()
        .message(message(&plain(&place.message())))
        .thread_flows(vec![flow])
        .build()
}

fn suppressions(finding: &Finding) -> Vec<s::Suppression> {
    let suppressed = finding.review.suppressed.iter().map(|suppressed| {
        let kind = match suppressed.by {
            Suppressor::Source => "inSource",
            Suppressor::List => "external",
        };
        s::Suppression::builder()
            .kind(json!(kind))
            .status(json!("accepted"))
            .justification(plain(&suppressed.reason))
            .build()
    });
    suppressed.collect()
}

fn properties(finding: &Finding, pattern: &LockPattern, run: &Run) -> s::PropertyBag {
    let engines = run.engines.iter().map(|engine| &engine.engine).collect::<Vec<_>>();
    let mut properties = BTreeMap::from([
        ("input".to_string(), json!(run.input)),
        ("count".to_string(), json!(finding.count)),
        ("engines".to_string(), json!(engines)),
        ("certainty".to_string(), json!(finding.certainty.word())),
        ("subject".to_string(), json!(finding.subject)),
    ]);
    if let Some(place) = pattern.places.first() {
        properties.insert("context".to_string(), json!(place.context.lock));
        properties.insert("witness".to_string(), json!(place.witness));
    }
    s::PropertyBag::builder().additional_properties(properties).build()
}
