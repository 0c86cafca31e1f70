//! What was done to a Java program to check it.

use super::TextOptions;
use super::summary::note_line;
use crate::model::{Jvm, LeftAlone};
use crate::words::{count, escape, name, number};
use std::io::{self, Write};

/// How many reasons for leaving something alone are told unless the user asks for all.
const MOST_REASONS: usize = 5;

/// Writes it, below the verdicts.
pub(super) fn write(jvm: &Jvm, opts: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut notes = vec![instrumented(jvm)];
    let shown = if opts.full { jvm.left_alone.len() } else { MOST_REASONS };
    notes.extend(jvm.left_alone.iter().take(shown).map(left_alone));
    if let Some(rest) = jvm.left_alone.get(shown..).filter(|rest| !rest.is_empty()) {
        let sum = rest.iter().map(|left| left.count).sum();
        notes.push(format!("left alone for other reasons: {}; --full shows them", number(sum)));
    }
    notes.iter().try_for_each(|note| note_line(note, opts, out))
}

fn instrumented(jvm: &Jvm) -> String {
    format!(
        "instrumented {} of {} ({} atomic), executed {}; process {}, Java {}",
        count(jvm.methods, "method"),
        classes(jvm.classes),
        number(jvm.atomic),
        count(jvm.blocks, "atomic block"),
        jvm.pid,
        name(&jvm.java),
    )
}

fn classes(classes: u64) -> String {
    match classes {
        1 => "1 class".to_string(),
        n => format!("{} classes", number(n)),
    }
}

/// `left alone: 3 (com.acme.Big.huge, …): the method would be too long`
fn left_alone(left: &LeftAlone) -> String {
    let mut examples: Vec<String> = left.examples.iter().map(|what| name(what)).collect();
    if left.count > examples.len() as u64 && !examples.is_empty() {
        examples.push("…".to_string());
    }
    let (reason, all) = (escape(&left.reason), number(left.count));
    match &examples[..] {
        [] => format!("left alone: {all}: {reason}"),
        examples => format!("left alone: {all} ({}): {reason}", examples.join(", ")),
    }
}
