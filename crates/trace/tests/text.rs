//! The text format: what is written is read, however the bytes arrive; errors name the right line.

// Clippy's leave to unwrap in tests does not reach the functions that tests share.
#![allow(clippy::unwrap_used)]

use interloper_trace::{
    Batch, Event, LabelId, LockId, Names, Op, OperandKind, SiteId, Source, TextReader, TextWriter,
    ThreadId, TraceError, Validated, VarId,
};
use proptest::prelude::*;
use std::io::{self, ErrorKind, Read};

/// The events of a trace as lines.
fn lines(mut source: impl Source) -> Result<Vec<String>, TraceError> {
    let (mut batch, mut lines) = (Batch::default(), vec![]);
    while source.next_batch(&mut batch)? {
        assert_eq!(batch.first, lines.len() as u64);
        assert!(!batch.events.is_empty() && batch.events.len() <= Batch::SIZE);
        lines.extend(batch.events.iter().map(|event| source.names().line(event)));
    }
    assert!(batch.events.is_empty());
    assert!(!source.next_batch(&mut batch)?, "an ended stream stays ended");
    Ok(lines)
}

fn read(text: impl AsRef<[u8]>) -> Result<Vec<String>, TraceError> {
    lines(TextReader::new("test", text.as_ref(), false))
}

fn write(names: &Names, events: &[Event]) -> io::Result<String> {
    let mut writer = TextWriter::new(vec![]);
    writer.write(names, events)?;
    Ok(String::from_utf8(writer.finish()?).unwrap())
}

/// Gives a few bytes at a time, and is interrupted now and then.
struct Dribble<'a> {
    bytes: &'a [u8],
    size: usize,
    interrupted: bool,
}

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let size = self.size.min(self.bytes.len()).min(buffer.len());
        buffer[..size].copy_from_slice(&self.bytes[..size]);
        self.bytes = &self.bytes[size..];
        Ok(size)
    }
}

/// Text that a line can hold as a name.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z][0-9]{1,3}",
        "[0-9]{1,9}",
        "[a-zA-Z.]{1,12}[(]?[)]?[#@][0-9]{1,4}",
        "[^|\r\n\u{feff}#]{1,8}",
    ]
}

/// Events that refer to names by numbers of any size, in the manner of [`build`].
type Raw = (u32, usize, u32, u32);

fn raw() -> impl Strategy<Value = Vec<Raw>> {
    prop::collection::vec((any::<u32>(), 0..Op::ALL.len(), any::<u32>(), any::<u32>()), 0..200)
}

/// Interns the names in all tables and makes events of them.
fn build(all: &[String], raw: &[Raw]) -> (Names, Vec<Event>) {
    let mut names = Names::default();
    for name in all {
        names.thread(name);
        names.var(name);
        names.lock(name);
        names.label(name);
        names.site(name);
    }
    let pick = |n: u32, count: usize| n % count as u32;
    let event = |&(thread, op, operand, site): &Raw| {
        let op = Op::ALL[op];
        let operand = names.table(op.operand_kind()).map_or(0, |t| pick(operand, t.len()));
        let site = SiteId(pick(site, names.sites.len()));
        Event::new(ThreadId(pick(thread, names.threads.len())), op, operand, site)
    };
    let events = raw.iter().map(event).collect();
    (names, events)
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        all in prop::collection::vec(name(), 5..20),
        raw in raw(),
        size in 1..50usize,
    ) {
        let (names, events) = build(&all, &raw);
        let text = write(&names, &events).unwrap();
        let expected: Vec<String> = events.iter().map(|event| names.line(event)).collect();
        prop_assert_eq!(&read(&text).unwrap(), &expected);
        let dribble = Dribble { bytes: text.as_bytes(), size, interrupted: false };
        prop_assert_eq!(&lines(TextReader::new("test", dribble, false)).unwrap(), &expected);
        let windows = text.replace('\n', "\r\n");
        prop_assert_eq!(&read(&windows).unwrap(), &expected);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_line_of_an_error_is_right_in_traces_of_any_length(
        before in 0..6000usize,
        comments in 0..3usize,
        bad in prop::sample::select(vec!["nonsense", "T0|rel(m)|1", "T0|end(x)|1", "T1|r()|1"]),
        after in 0..3000usize,
    ) {
        let mut text = String::new();
        for n in 0..before {
            text.push_str(&format!("T0|r(V{n})|{n}\n"));
            if n % 7 == 0 {
                text.push_str(&"# T0|r(x)|1\n\n".repeat(comments));
            }
        }
        let line = text.lines().count() + 1;
        text.push_str(&format!("{bad}\r\n"));
        text.push_str(&"T0|w(x)|0\n".repeat(after));
        let source = Validated::new(TextReader::new("test", text.as_bytes(), false), false);
        let error = lines_until_error(source).to_string();
        prop_assert!(error.starts_with(&format!("test:{line}: ")), "{}", error);
        let shown = format!("\n  | {bad}\n");
        prop_assert!(error.contains(&shown), "{}", error);
    }
}

fn lines_until_error(mut source: impl Source) -> TraceError {
    let mut batch = Batch::default();
    loop {
        match source.next_batch(&mut batch) {
            Ok(true) => {}
            Ok(false) => panic!("no error"),
            Err(error) => return error,
        }
    }
}

#[test]
fn lines_across_the_buffer_are_whole() {
    // Long names, so that lines lie across every edge of the buffer.
    let text: String =
        (0..3000).map(|n| format!("T{}|w({}{n})|{n}\n", n % 5, "x".repeat(n % 400))).collect();
    let expected: Vec<&str> = text.lines().collect();
    assert_eq!(read(&text).unwrap(), expected);
}

#[test]
fn a_line_may_be_so_long_and_no_longer() {
    let line = |length: usize| format!("T0|r({})|1", "x".repeat(length - "T0|r()|1".len()));
    for ending in ["", "\n", "\r\n"] {
        let longest = format!("T0|w(y)|1\n{}{ending}", line(65_536));
        assert_eq!(read(&longest).unwrap().len(), 2);
        let longer = format!("T0|w(y)|1\n{}{ending}", line(65_537));
        let error = read(&longer).unwrap_err().to_string();
        assert!(error.starts_with("test:2: this line is longer than 65536 bytes\n"), "{error}");
    }
}

#[test]
fn long_lines_are_passed_over_as_one() {
    // Shorter and longer than the buffer, at the beginning, in the middle, at the end.
    for length in [65_537, 150_000, 196_607, 196_608, 196_609, 400_000, 1_000_000] {
        let long = "x".repeat(length);
        let text = format!("{long}\nT0|r(x)|1\n{long}\n{long}\nT0|w(x)|2\nwrong\n{long}");
        let mut source = TextReader::new("test", text.as_bytes(), true);
        let (mut batch, mut events) = (Batch::default(), 0);
        while source.next_batch(&mut batch).unwrap() {
            events += batch.events.len();
        }
        assert_eq!((events, source.skipped()), (2, 5), "{length}");
    }
}

#[test]
fn lines_are_counted_on_after_a_long_one() {
    let text = format!("{}\nT0|r(x)|1\nT0|end|2\n", "x".repeat(500_000));
    let reader = TextReader::new("test", text.as_bytes(), true);
    // The reader passes over lines; the validator refuses events.
    let error = lines_until_error(Validated::new(reader, false)).to_string();
    assert!(error.starts_with("test:3: `end` in thread T0"), "{error}");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_name() {
    assert_eq!(read("\u{feff}T0|r(x)|1\nT0|r(x)|1\n").unwrap(), ["T0|r(x)|1"; 2]);
    assert_eq!(read("\u{feff}# comment\nT0|r(x)|1").unwrap(), ["T0|r(x)|1"]);
    assert!(read("\u{feff}").unwrap().is_empty());
    // Elsewhere it is a character like others.
    assert_eq!(read("T0|r(\u{feff})|1\n").unwrap(), ["T0|r(\u{feff})|1"]);
    assert_eq!(read("T0|r(x)|1\n\u{feff}T0|r(x)|1\n").unwrap(), ["T0|r(x)|1", "\u{feff}T0|r(x)|1"]);
}

#[test]
fn comments_are_no_events_even_where_they_look_like_some() {
    assert_eq!(read("# T0|r(x)|1\n#T0|r(x)|1\nT0|r(#)|#\n").unwrap(), ["T0|r(#)|#"]);
}

#[test]
fn a_reader_that_fails_is_an_error_after_the_lines_before() {
    struct Failing(bool);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0 {
                return Err(io::Error::other("the cable was pulled"));
            }
            self.0 = true;
            let text = b"T0|r(x)|1\nT0|r(x)|2\nT0|r(";
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }
    for lenient in [false, true] {
        let error = lines_until_error(TextReader::new("test", Failing(false), lenient)).to_string();
        assert!(error.starts_with("test:3: the cable was pulled\n"), "{error}");
    }
}

#[test]
fn names_that_a_line_cannot_hold_are_refused() {
    for bad in ["a|b", "a\nb", "a\rb", ""] {
        let mut names = Names::default();
        let (thread, var) = (names.thread("T0"), names.var("x"));
        let (no_thread, no_var) = (names.thread(bad), names.var(bad));
        let (no_lock, no_label) = (names.lock(bad), names.label(bad));
        let no_site = names.site(bad);
        let mut refused = vec![
            Event::read(no_thread, var, SiteId::UNKNOWN),
            Event::read(thread, no_var, SiteId::UNKNOWN),
            Event::acquire(thread, no_lock, SiteId::UNKNOWN),
            Event::fork(thread, no_thread, SiteId::UNKNOWN),
        ];
        let may_be_empty =
            [Event::begin(thread, no_label, SiteId::UNKNOWN), Event::read(thread, var, no_site)];
        if bad.is_empty() {
            assert_eq!(write(&names, &may_be_empty).unwrap(), "T0|begin|\nT0|r(x)|\n");
        } else {
            refused.extend(may_be_empty);
        }
        for event in refused {
            let error = write(&names, &[event]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{bad:?} {event:?}");
        }
    }
    let mut names = Names::default();
    let comment = Event::end(names.thread("#1"), SiteId::UNKNOWN);
    assert!(write(&names, &[comment]).is_err(), "it would be read as a comment");
}

#[test]
fn every_operation_has_its_line() {
    let mut names = Names::default();
    let (t, u) = (names.thread("T"), names.thread("U"));
    let (x, m, f) = (names.var("x"), names.lock("m"), names.label("f"));
    let at = names.site("A.java:1");
    let operand = |op: Op| match op.operand_kind() {
        OperandKind::None => 0,
        OperandKind::Var => x.0,
        OperandKind::Lock => m.0,
        OperandKind::Thread => u.0,
        OperandKind::Label => f.0,
    };
    let events: Vec<Event> = Op::ALL.iter().map(|&op| Event::new(t, op, operand(op), at)).collect();
    let expected = [
        "begin(f)",
        "end",
        "r(x)",
        "w(x)",
        "acq(m)",
        "rel(m)",
        "fork(U)",
        "join(U)",
        "dummy",
        "vr(x)",
        "vw(x)",
        "rmw(x)",
        "wait(m)",
        "notify(m)",
        "exit",
    ];
    let expected: String = expected.iter().map(|op| format!("T|{op}|A.java:1\n")).collect();
    assert_eq!(write(&names, &events).unwrap(), expected);

    let mut source = TextReader::new("test", expected.as_bytes(), false);
    let mut batch = Batch::default();
    assert!(source.next_batch(&mut batch).unwrap());
    let ops: Vec<Op> = batch.events.iter().map(|event| event.op).collect();
    assert_eq!(ops, Op::ALL);
    let [begin, .., exit] = &batch.events[..] else { panic!("events") };
    assert_eq!((begin.label(), exit.operand), (LabelId(1), 0));
    assert_eq!((batch.events[2].var(), batch.events[4].lock()), (VarId(0), LockId(0)));
    assert_eq!(batch.events[6].child(), ThreadId(1));
}
