//! Small helpers for text that people read: safe names, numbers, columns.

use interloper_findings::Step;
use unicode_width::UnicodeWidthStr;

/// The display width to which a single name is cut: a name longer than this is no longer read.
const LONGEST_NAME: usize = 120;

/// A name of the checked program, made safe for a terminal: control characters, and those that
/// change the direction of writing or are invisible, are escaped; very long names lose their
/// middle.
pub(crate) fn name(text: &str) -> String {
    shorten(&escape(text), LONGEST_NAME)
}

/// Escapes what must not reach a terminal raw.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if deceives(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// A line of source made safe: as [`escape`], with tabs widened.
pub(crate) fn source_line(text: &str) -> String {
    escape(&text.replace('\t', "    "))
}

/// Whether a character would act on the terminal, or on the reader, rather than be seen.
fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text with its middle left out if it is wider than `width` columns.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_string();
    }
    let keep = width.saturating_sub(1) / 2;
    let head = take_columns(text.chars(), keep);
    let tail: String = take_columns(text.chars().rev(), keep).chars().rev().collect();
    format!("{head}…{tail}")
}

fn take_columns(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut taken = String::new();
    for c in chars {
        if taken.width() + c.to_string().width() > columns {
            break;
        }
        taken.push(c);
    }
    taken
}

/// How many columns the text takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// As many spaces as `text` lacks to be `width` columns wide.
pub(crate) fn fill(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(columns(text)))
}

/// The text in lines of at most `width` columns, broken between words where that can be done, but not
/// at a no-break space.
pub(crate) fn fold(text: &str, width: usize) -> Vec<String> {
    let width = width.max(30);
    let mut lines: Vec<String> = vec![];
    for word in text.split(' ') {
        let word = shorten(word, LONGEST_NAME).replace('\u{a0}', " ");
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(&word) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// A number with separators between thousands: `9,310`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things: `1 finding`, `2 findings`.
pub fn count(value: u64, thing: &str) -> String {
    format!("{} {thing}{}", number(value), if value == 1 { "" } else { "s" })
}

/// How often: `once`, `twice`, `3 times`.
pub(crate) fn times(value: u64) -> String {
    match value {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{} times", number(n)),
    }
}

/// The number of a step: ① to ⑳, then (21).
pub(crate) fn circled(number: usize) -> String {
    match number {
        1..=20 => char::from_u32(0x2460 + number as u32 - 1).into_iter().collect(),
        n => format!("({n})"),
    }
}

/// What a step's thread did with which locks in hand: `holding m`; `None` if that is not known.
pub(crate) fn holding(step: &Step) -> Option<String> {
    locks(step).map(|locks| format!("holding {locks}"))
}

/// The locks that a step's thread held: `m`, or `nothing`; `None` if that is not known.
pub(crate) fn locks(step: &Step) -> Option<String> {
    const MOST: usize = 3;
    let held = step.held.as_ref()?;
    let mut names: Vec<String> = held.iter().take(MOST).map(|lock| name(lock)).collect();
    if held.len() > MOST {
        names.push(format!("{} more", number((held.len() - MOST) as u64)));
    }
    Some(if names.is_empty() { "nothing".to_string() } else { names.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators() {
        assert_eq!(number(0), "0");
        assert_eq!(number(999), "999");
        assert_eq!(number(1000), "1,000");
        assert_eq!(number(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(
            (count(1, "finding"), count(2, "finding")),
            ("1 finding".into(), "2 findings".into())
        );
    }

    #[test]
    fn steps_are_circled_as_long_as_there_are_circles() {
        assert_eq!(circled(1), "①");
        assert_eq!(circled(20), "⑳");
        assert_eq!(circled(21), "(21)");
    }

    #[test]
    fn nothing_that_acts_on_a_terminal_passes() {
        assert_eq!(name("a\x1b[31mb\nc\u{7f}\u{9b}"), "a\\u{1b}[31mb\\nc\\u{7f}\\u{9b}");
        assert_eq!(name("\u{202e}evil\u{2066}"), "\\u{202e}evil\\u{2066}");
        assert_eq!(name("Größe 残高 \"x\""), "Größe 残高 \"x\"");
        assert_eq!(source_line("\tx\r"), "    x\\r");
    }

    #[test]
    fn lines_break_between_words() {
        let lines = fold(&"word ".repeat(20), 31);
        assert!(lines.iter().all(|line| columns(line) <= 31), "{lines:?}");
        assert_eq!(lines.join(" "), "word ".repeat(20));
        assert_eq!(fold("", 40), [""]);
        assert_eq!(fold(&"x".repeat(50), 40).len(), 1, "a word is never broken");
    }

    #[test]
    fn locks_are_told_where_they_are_known() {
        let step = |held: Option<&[&str]>| Step {
            event: 0,
            thread: "T".into(),
            op: "r(x)".into(),
            action: "reads x".into(),
            at: String::new(),
            held: held.map(|held| held.iter().map(|lock| lock.to_string()).collect()),
        };
        assert_eq!(holding(&step(None)), None);
        assert_eq!(holding(&step(Some(&[]))).as_deref(), Some("holding nothing"));
        assert_eq!(holding(&step(Some(&["m", "n"]))).as_deref(), Some("holding m, n"));
        let many = holding(&step(Some(&["a", "b", "c", "d", "e"])));
        assert_eq!(many.as_deref(), Some("holding a, b, c, 2 more"));
    }

    #[test]
    fn long_names_lose_their_middle() {
        let long = name(&format!("head{}tail", "x".repeat(1000)));
        assert!(columns(&long) <= LONGEST_NAME);
        assert!(long.starts_with("head") && long.ends_with("tail") && long.contains('…'));
        assert!(columns(&shorten("残高残高残高", 7)) <= 7);
    }
}
