//! Suppression: a list of what nobody wants to hear of.
//!
//! One entry a line; what follows `#` is the reason. An entry is a fingerprint (sixteen hexadecimal digits), or names code:
//! `org.example` all of a package, `org.example.Cache` a class and those in it, `org.example.Cache.put` all methods
//! of that name, `org.example.Cache.put(String)` one of them, `org.example.Cache.LOCK` a static lock. `*` stands for any characters.

use crate::finding::Finding;
use crate::pattern::{LockPattern, Place, Scope};
use crate::review::{Suppression, Suppressor};
use thiserror::Error;

/// A line of a list that is no entry.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {why}: {text}")]
pub struct SuppressError {
    /// Its number, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// The entries of all lists.
#[derive(Clone, Debug, Default)]
pub struct Suppressions {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    what: String,
    reason: String,
    used: bool,
}

impl Suppressions {
    /// Adds the entries of a list.
    pub fn add_list(&mut self, text: &str) -> Result<(), SuppressError> {
        for (number, line) in text.lines().enumerate() {
            if line.split('#').next().is_some_and(|it| !it.trim().is_empty()) {
                self.add(line).map_err(|why| SuppressError {
                    line: number + 1,
                    text: line.to_owned(),
                    why,
                })?;
            }
        }
        Ok(())
    }

    /// Adds one entry, with or without a reason.
    pub fn add(&mut self, entry: &str) -> Result<(), &'static str> {
        let (what, reason) = entry.split_once('#').unwrap_or((entry, ""));
        let (what, reason) = (what.trim().replace('/', "."), reason.trim().to_owned());
        let head = what.split('(').next().unwrap_or(&what);
        if head.trim_matches(['*', '.']).is_empty() {
            return Err("this would suppress everything");
        }
        if head.contains(char::is_whitespace) {
            return Err("an entry is one name or one fingerprint");
        }
        self.entries.push(Entry { what, reason, used: false });
        Ok(())
    }

    /// Marks what is suppressed. Of findings with several places, those suppressed are taken out if others remain; returns
    /// how many.
    pub fn apply(&mut self, findings: &mut [Finding]) -> usize {
        findings.iter_mut().map(|finding| self.apply_to(finding)).sum()
    }

    /// The entries that suppressed nothing.
    pub fn unused(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|it| !it.used).map(|it| it.what.as_str())
    }

    fn apply_to(&mut self, finding: &mut Finding) -> usize {
        let Some(pattern) = &mut finding.pattern else {
            let labels = finding.blocks.iter().map(|it| it.label.as_str());
            let names: Vec<&str> = labels.chain([finding.subject.as_str()]).collect();
            finding.review.suppressed = self.find(&[&finding.fingerprint], &names);
            return 0;
        };
        for place in &mut pattern.places {
            if place.suppressed.is_none() {
                let own = place.fingerprint();
                let global = pattern.scope == Scope::Program;
                let witness = if global { place.witness.as_str() } else { "" };
                let names = [&place.method, &place.context.site.method, witness];
                place.suppressed = self.find(&[&finding.fingerprint, &own], &names);
            }
        }
        settle(finding)
    }

    fn find(&mut self, fingerprints: &[&str], names: &[&str]) -> Option<Suppression> {
        let hit = |entry: &&mut Entry| {
            let name = |name: &&str| !name.is_empty() && names_code(&entry.what, name);
            fingerprints.contains(&entry.what.as_str()) || names.iter().any(name)
        };
        let entry = self.entries.iter_mut().find(hit)?;
        entry.used = true;
        let reason = match entry.reason.as_str() {
            "" => entry.what.clone(),
            reason => format!("{}: {reason}", entry.what),
        };
        Some(Suppression { by: Suppressor::List, reason })
    }
}

/// A finding is suppressed if all its places are; otherwise those that are go.
fn settle(finding: &mut Finding) -> usize {
    let Some(pattern) = finding.pattern.take() else { return 0 };
    let is_open = |place: &Place| place.suppressed.is_none();
    if !pattern.places.iter().any(is_open) {
        finding.review.suppressed = pattern.places.first().and_then(|it| it.suppressed.clone());
        finding.pattern = Some(pattern);
        return 0;
    }
    let LockPattern { scope, places, more } = *pattern;
    let before = places.len();
    let places: Vec<Place> = places.into_iter().filter(is_open).collect();
    let gone = before - places.len();
    // what the finding says in words is of its first place
    let review = std::mem::take(&mut finding.review);
    *finding = Finding { review, ..LockPattern { scope, places, more }.into_finding() };
    gone
}

/// Whether an entry names this code, or what it lies in.
fn names_code(entry: &str, name: &str) -> bool {
    let ends = name.char_indices().filter(|(_, c)| matches!(c, '.' | '$' | '(')).map(|(at, _)| at);
    ends.chain([name.len()]).any(|end| matches(entry.as_bytes(), &name.as_bytes()[..end]))
}

/// Whether a pattern with `*` is this text: the last `*` takes one byte more each time that the rest does not fit.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match (pattern.get(p), star) {
            (Some(b'*'), _) => {
                star = Some((p, t));
                p += 1;
            }
            (Some(&byte), _) if byte == text[t] => {
                p += 1;
                t += 1;
            }
            (_, Some((at, taken))) => {
                star = Some((at, taken + 1));
                p = at + 1;
                t = taken + 1;
            }
            (_, None) => return false,
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_name_packages_classes_and_methods() {
        const NAME: &str = "org.example.Cache$Entry.put(String, int)";
        for entry in [
            "org.example",
            "org.example.Cache",
            "org.example.Cache$Entry",
            "org.example.Cache$Entry.put",
            NAME,
            "*.Cache",
            "org.*.put",
            "*.put(*, int)",
        ] {
            assert!(names_code(entry, NAME), "{entry}");
        }
        for entry in ["org.exam", "example", "org.example.Cach", "Cache", "*.putt", "*put(int)"] {
            assert!(!names_code(entry, NAME), "{entry}");
        }
    }

    #[test]
    fn lists_have_reasons_and_wrong_lines_are_told() {
        let mut all = Suppressions::default();
        let list = "# ours\n\norg.example.Cache  # only used by one thread\n00112233445566aa\n";
        assert_eq!(all.add_list(list), Ok(()));
        assert_eq!(all.unused().collect::<Vec<_>>(), ["org.example.Cache", "00112233445566aa"]);
        let found = all.find(&[], &["org.example.Cache.get()"]).unwrap();
        assert_eq!(found.reason, "org.example.Cache: only used by one thread");
        assert_eq!(all.unused().collect::<Vec<_>>(), ["00112233445566aa"]);
        let wrong = all.add_list("a.b\n *.*\n").unwrap_err();
        assert_eq!((wrong.line, wrong.why), (2, "this would suppress everything"));
        assert!(all.add_list("a b").is_err());
        assert!(all.add("a.B.m(int, long)").is_ok());
    }
}
