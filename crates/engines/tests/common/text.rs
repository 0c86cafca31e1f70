//! Small traces as text, one event a line: `T1|r(x)|12`, the location optional.
//!
//! A reader of its own, so that a mistake in the product's reader cannot hide one in an engine.

use interloper_trace::{Event, Names, Op, OperandKind, SiteId};

/// A trace with the names in it.
pub struct Trace {
    pub names: Names,
    pub events: Vec<Event>,
}

/// Reads a trace; blank lines and `#` comments are passed over.
///
/// # Panics
/// If a line is no event: a test's own text must be right.
pub fn trace(text: &str) -> Trace {
    let mut names = Names::default();
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    let events =
        lines.filter(|line| !line.is_empty()).map(|line| event(&mut names, line)).collect();
    Trace { names, events }
}

fn event(names: &mut Names, line: &str) -> Event {
    let mut fields = line.split('|').map(str::trim);
    let thread = names.thread(fields.next().expect("a thread"));
    let action = fields.next().unwrap_or_else(|| panic!("no operation in `{line}`"));
    let site = fields.next().map_or(SiteId::UNKNOWN, |site| names.site(site));
    let (word, operand) = match action.split_once('(') {
        Some((word, rest)) => (word, rest.strip_suffix(')').expect("a closing parenthesis")),
        None => (action, ""),
    };
    let op = Op::ALL.into_iter().find(|op| op.word() == word);
    let op = op.unwrap_or_else(|| panic!("unknown operation in `{line}`"));
    let operand = match op.operand_kind() {
        OperandKind::None => 0,
        OperandKind::Var | OperandKind::Object => names.var(operand).0,
        OperandKind::Lock => names.lock(operand).0,
        OperandKind::Thread => names.thread(operand).0,
        OperandKind::Label => names.label(operand).0,
    };
    Event::new(thread, op, operand, site)
}

/// The events as text that [`trace`] reads; names are made of the ids.
pub fn text(events: &[Event]) -> String {
    let mut lines = String::new();
    for event in events {
        let word = event.op.word();
        let action = match event.op.operand_kind() {
            OperandKind::None => word.to_string(),
            OperandKind::Var | OperandKind::Object => format!("{word}(x{})", event.operand),
            OperandKind::Lock => format!("{word}(m{})", event.operand),
            OperandKind::Thread => format!("{word}(T{})", event.operand),
            OperandKind::Label => format!("{word}(b{})", event.operand),
        };
        lines.push_str(&format!("T{}|{action}|{}\n", event.thread.0, event.site.0));
    }
    lines
}
