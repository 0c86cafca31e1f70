//! The baseline: the findings of a day, in a file, so that a team can start from there and hear of new ones only.
//!
//! A JSON file with a version, sorted, one finding an object, made to be kept with the code. A finding is known by its fingerprint; one that has
//! several places (the lock pattern) also by the fingerprints of these, so that a new place is noticed. Fingerprints do not
//! contain lines where the finding does not depend on a trace's locations.

use crate::finding::Finding;
use crate::review::BaselineState;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use thiserror::Error;

/// The name and version of the file's format.
const SCHEMA: &str = "interloper-baseline/1";

/// Why a file is no baseline.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// Not JSON, or JSON of another shape.
    #[error("not a baseline: {0}")]
    Format(#[from] serde_json::Error),
    /// A version that this program does not know.
    #[error("a baseline of the format {0:?}; this version reads {SCHEMA:?}")]
    Version(String),
}

/// Known findings.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    known: HashMap<String, Known>,
}

#[derive(Clone, Debug)]
struct Known {
    subject: String,
    /// How many places have each fingerprint.
    places: BTreeMap<String, usize>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    findings: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    fingerprint: String,
    kind: String,
    subject: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    places: Vec<String>,
}

#[derive(Deserialize)]
struct Head {
    schema: String,
}

impl Baseline {
    /// Reads a file's contents.
    pub fn parse(text: &str) -> Result<Baseline, BaselineError> {
        let head: Head = serde_json::from_str(text)?;
        if head.schema != SCHEMA {
            return Err(BaselineError::Version(head.schema));
        }
        let document: Document = serde_json::from_str(text)?;
        let mut baseline = Baseline::default();
        for entry in document.findings {
            let known = baseline
                .known
                .entry(entry.fingerprint)
                .or_insert_with(|| Known { subject: entry.subject, places: BTreeMap::new() });
            for place in entry.places {
                *known.places.entry(place).or_default() += 1;
            }
        }
        Ok(baseline)
    }

    /// The contents of a file that knows these findings. Those that are suppressed need not be known.
    pub fn write(findings: &[Finding]) -> Result<String, BaselineError> {
        let open = findings.iter().filter(|finding| finding.review.suppressed.is_none());
        let mut entries: Vec<Entry> = open
            .map(|finding| Entry {
                fingerprint: finding.fingerprint.clone(),
                kind: finding.kind.word().to_owned(),
                subject: finding.subject.clone(),
                places: places(finding),
            })
            .collect();
        entries.sort_by(|a, b| (&a.subject, &a.fingerprint).cmp(&(&b.subject, &b.fingerprint)));
        let document = Document { schema: SCHEMA.to_owned(), findings: entries };
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    /// Compares findings with it: sets their [`crate::Review::baseline`]. Returns the subjects of known ones that are gone, sorted.
    pub fn apply(&self, findings: &mut [Finding]) -> Vec<&str> {
        let mut seen: HashSet<&str> = HashSet::new();
        for finding in findings {
            let known = self.known.get_key_value(&finding.fingerprint);
            let state = match known {
                None => BaselineState::New,
                Some((_, known)) if known.has_all(&places(finding)) => BaselineState::Unchanged,
                Some(_) => BaselineState::Updated,
            };
            seen.extend(known.map(|(fingerprint, _)| fingerprint.as_str()));
            finding.review.baseline = Some(state);
        }
        let gone =
            self.known.iter().filter(|(fingerprint, _)| !seen.contains(fingerprint.as_str()));
        let mut gone: Vec<&str> = gone.map(|(_, known)| known.subject.as_str()).collect();
        gone.sort_unstable();
        gone
    }
}

impl Known {
    /// Whether all places are known, and as many of each.
    fn has_all(&self, places: &[String]) -> bool {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for place in places {
            *counts.entry(place).or_default() += 1;
        }
        counts.iter().all(|(place, count)| self.places.get(*place).is_some_and(|n| n >= count))
    }
}

/// The fingerprints of a finding's places, sorted; none for findings that have one place only.
fn places(finding: &Finding) -> Vec<String> {
    let places = finding.pattern.iter().flat_map(|pattern| &pattern.places);
    let mut places: Vec<String> = places.map(|place| place.fingerprint()).collect();
    places.sort_unstable();
    places
}
