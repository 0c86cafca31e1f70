//! One line of a text trace, taken apart.

use crate::event::{Op, OperandKind};

/// The parts of a line, not yet interned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    pub(super) thread: &'a [u8],
    pub(super) op: Op,
    pub(super) operand: &'a [u8],
    pub(super) site: &'a [u8],
}

/// Takes a line apart; `None` if it is not an event ([`complaint`] says why).
#[inline(always)]
pub(super) fn parse(line: &[u8]) -> Option<Line<'_>> {
    // A comment, even where it looks like an event.
    if line.first() == Some(&b'#') {
        return None;
    }
    let bar = find(line, b'|')?;
    let (thread, rest) = (&line[..bar], &line[bar + 1..]);
    let bar = find(rest, b'|')?;
    let (action, site) = (&rest[..bar], &rest[bar + 1..]);
    let (op, operand) = parse_action(action)?;
    (!thread.is_empty() && find(site, b'|').is_none()).then_some(Line { thread, op, operand, site })
}

/// Fields are a few bytes long: a plain loop beats a vectorised search.
#[inline(always)]
fn find(bytes: &[u8], wanted: u8) -> Option<usize> {
    bytes.iter().position(|&byte| byte == wanted)
}

#[inline(always)]
fn parse_action(action: &[u8]) -> Option<(Op, &[u8])> {
    match action {
        [b'r', b'(', operand @ .., b')'] => some_operand(Op::Read, operand),
        [b'w', b'(', operand @ .., b')'] => some_operand(Op::Write, operand),
        [b'a', b'c', b'q', b'(', operand @ .., b')'] => some_operand(Op::Acquire, operand),
        [b'r', b'e', b'l', b'(', operand @ .., b')'] => some_operand(Op::Release, operand),
        // RAPID takes any word that starts so.
        [b'b', b'e', b'g', b'i', b'n', label @ ..] => Some((Op::Begin, in_brackets(label))),
        [b'e', b'n', b'd', ..] => Some((Op::End, b"")),
        _ => parse_rare_action(action),
    }
}

#[inline(never)]
fn parse_rare_action(action: &[u8]) -> Option<(Op, &[u8])> {
    let (word, operand) = match find(action, b'(') {
        Some(open) => (&action[..open], action[open + 1..].strip_suffix(b")")?),
        None => (action, &b""[..]),
    };
    let op = Op::ALL.into_iter().find(|op| op.word().as_bytes() == word)?;
    match op.operand_kind() {
        OperandKind::None => Some((op, b"")),
        _ => some_operand(op, operand),
    }
}

#[inline(always)]
fn some_operand(op: Op, operand: &[u8]) -> Option<(Op, &[u8])> {
    (!operand.is_empty()).then_some((op, operand))
}

#[inline(always)]
fn in_brackets(text: &[u8]) -> &[u8] {
    match text {
        [b'(', label @ .., b')'] => label,
        _ => b"",
    }
}

/// What is wrong with a line that [`parse`] refuses.
pub(super) fn complaint(line: &[u8]) -> String {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b'|').collect();
    let [thread, action, _] = fields[..] else {
        return format!("expected 3 fields between bars, found {}", fields.len());
    };
    if thread.is_empty() {
        return "the first field, the thread, is empty".to_string();
    }
    let word = action.split(|&byte| byte == b'(').next().unwrap_or_default();
    match Op::ALL.into_iter().find(|op| op.word().as_bytes() == word) {
        None => format!("unknown operation `{}`", shown(word)),
        Some(op) if !action.ends_with(b")") => {
            format!("the operand of `{}` is cut off: expected `{}(…)`", op.word(), op.word())
        }
        Some(op) => format!("`{}` needs an operand in brackets", op.word()),
    }
}

/// Bytes of the input, made safe to print: short, valid, without control characters.
pub(super) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 160;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST)]);
    let mut shown: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if bytes.len() > 4 * LONGEST || text.chars().count() > LONGEST {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<(String, Op, String, String)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let line = parse(line.as_bytes())?;
        Some((text(line.thread), line.op, text(line.operand), text(line.site)))
    }

    #[test]
    fn what_rapid_reads_we_read() {
        let event = |op, operand: &str| Some(("T0".into(), op, operand.to_string(), "345".into()));
        assert_eq!(parsed("T0|r(V123)|345"), event(Op::Read, "V123"));
        assert_eq!(parsed("T0|w(V123)|345"), event(Op::Write, "V123"));
        assert_eq!(parsed("T0|acq(L1)|345"), event(Op::Acquire, "L1"));
        assert_eq!(parsed("T0|rel(L1)|345"), event(Op::Release, "L1"));
        assert_eq!(parsed("T0|fork(T1)|345"), event(Op::Fork, "T1"));
        assert_eq!(parsed("T0|join(T1)|345"), event(Op::Join, "T1"));
        assert_eq!(parsed("T0|begin|345"), event(Op::Begin, ""));
        assert_eq!(parsed("T0|begin(m)|345"), event(Op::Begin, "m"));
        assert_eq!(parsed("T0|beginning|345"), event(Op::Begin, ""));
        assert_eq!(parsed("T0|end|345"), event(Op::End, ""));
        assert_eq!(parsed("T0|end(m)|345"), event(Op::End, ""));
        assert_eq!(parsed("T0|dummy(x)|345"), event(Op::Dummy, ""));
        assert_eq!(parsed("T0|r(f(x)[3])|345"), event(Op::Read, "f(x)[3]"));
    }

    #[test]
    fn additions() {
        let event = |op, operand: &str| Some(("T0".into(), op, operand.to_string(), "A:1".into()));
        assert_eq!(parsed("T0|vr(x)|A:1"), event(Op::VolatileRead, "x"));
        assert_eq!(parsed("T0|vw(x)|A:1"), event(Op::VolatileWrite, "x"));
        assert_eq!(parsed("T0|rmw(x)|A:1"), event(Op::Update, "x"));
        assert_eq!(parsed("T0|wait(m)|A:1"), event(Op::Wait, "m"));
        assert_eq!(parsed("T0|notify(m)|A:1"), event(Op::Notify, "m"));
        assert_eq!(parsed("T0|exit|A:1"), event(Op::Exit, ""));
        assert_eq!(parsed("T0|barrier(b)|A:1"), event(Op::Barrier, "b"));
        assert_eq!(parsed("T0|escape(o[3])|A:1"), event(Op::Escape, "o[3]"));
        assert_eq!(parsed("T0|exit|"), Some(("T0".into(), Op::Exit, "".into(), "".into())));
    }

    #[test]
    fn complaints() {
        assert_eq!(parsed("#T0|r(x)|1"), None, "a comment");
        for (line, complaint_) in [
            ("T0|r(x)", "expected 3 fields between bars, found 2"),
            ("T0|r(x)|1|2", "expected 3 fields between bars, found 4"),
            ("nonsense", "expected 3 fields between bars, found 1"),
            ("|r(x)|1", "the first field, the thread, is empty"),
            ("T0|r(x|1", "the operand of `r` is cut off: expected `r(…)`"),
            ("T0|r()|1", "`r` needs an operand in brackets"),
            ("T0|barrier()|1", "`barrier` needs an operand in brackets"),
            ("T0|escape(o|1", "the operand of `escape` is cut off: expected `escape(…)`"),
            ("T0|sync(x)|1", "unknown operation `sync`"),
            ("T0||1", "unknown operation ``"),
        ] {
            assert_eq!(parsed(line), None, "{line}");
            assert_eq!(complaint(line.as_bytes()), complaint_);
        }
    }
}
