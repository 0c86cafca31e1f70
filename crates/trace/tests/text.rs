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
fn names_that_resemble_known_ones_are_not_mistaken_for_them() {
    // Reading learns the form of names from the first batch.
    let habit = |thread: &str, var: &str| format!("{thread}|r({var})|1\n").repeat(Batch::SIZE);
    let after = |habit: String, line: &[u8]| {
        let text = [habit.as_bytes(), line, b"\n"].concat();
        read(text).map(|lines| lines.last().cloned().unwrap())
    };
    assert_eq!(after(habit("T1", "1"), b"T1|r(\x001)|1").unwrap(), "T1|r(\u{0}1)|1");
    assert_eq!(after(habit("1", "1"), b"\x001|r(\x001)|1").unwrap(), "\u{0}1|r(\u{0}1)|1");
    assert_eq!(after(habit("T1", "V1"), "T1|r(é1)|1".as_bytes()).unwrap(), "T1|r(é1)|1");
    assert!(after(habit("é1", "V1"), b"\xc31|r(V1)|1").is_err(), "not UTF-8");
    assert!(after(habit("T1", "é1"), b"T1|r(\xc31)|1").is_err(), "not UTF-8");
    assert_eq!(after(habit("T1", "V1"), b"T1|r(V01)|01").unwrap(), "T1|r(V01)|01");
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
        OperandKind::Var | OperandKind::Object => x.0,
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
        "barrier(m)",
        "escape(x)",
    ];
    let expected: String = expected.iter().map(|op| format!("T|{op}|A.java:1\n")).collect();
    assert_eq!(write(&names, &events).unwrap(), expected);

    let mut source = TextReader::new("test", expected.as_bytes(), false);
    let mut batch = Batch::default();
    assert!(source.next_batch(&mut batch).unwrap());
    let ops: Vec<Op> = batch.events.iter().map(|event| event.op).collect();
    assert_eq!(ops, Op::ALL);
    let [begin, .., exit, barrier, escape] = &batch.events[..] else { panic!("events") };
    assert_eq!((begin.label(), exit.operand), (LabelId(1), 0));
    assert_eq!((barrier.lock(), escape.operand), (LockId(0), x.0));
    assert_eq!((batch.events[2].var(), batch.events[4].lock()), (VarId(0), LockId(0)));
    assert_eq!(batch.events[6].child(), ThreadId(1));
}

/// What a line is, by the page on the format alone: the event in its plain form, `None` for what is
/// no event.
fn by_the_book(line: &[u8]) -> Option<String> {
    let [thread, action, site] = line.split(|&byte| byte == b'|').collect::<Vec<_>>()[..] else {
        return None;
    };
    let (thread, site) = (text(thread)?, text(site)?);
    let word = if action.starts_with(b"begin") {
        // Anything may follow.
        match operand_in(&action[5..]) {
            Some(label) if !label.is_empty() => format!("begin({})", text(label)?),
            _ => "begin".to_string(),
        }
    } else if action.starts_with(b"end") {
        "end".to_string()
    } else {
        let word = action.iter().position(|&byte| byte == b'(').unwrap_or(action.len());
        let (word, brackets) = action.split_at(word);
        let op = Op::ALL.into_iter().find(|op| op.word().as_bytes() == word)?;
        match op.operand_kind() {
            OperandKind::None if brackets.is_empty() => op.word().to_string(),
            OperandKind::None => operand_in(brackets).map(|_| op.word().to_string())?,
            _ => {
                let operand = operand_in(brackets).filter(|operand| !operand.is_empty())?;
                format!("{}({})", op.word(), text(operand)?)
            }
        }
    };
    (!thread.is_empty()).then(|| format!("{thread}|{word}|{site}"))
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn operand_in(brackets: &[u8]) -> Option<&[u8]> {
    brackets.strip_prefix(b"(")?.strip_suffix(b")")
}

/// Bytes from a list.
fn one_of(list: &'static [&'static [u8]]) -> impl Strategy<Value = &'static [u8]> {
    prop::sample::select(list)
}

/// Names whose forms reading gets used to.
const HABITS: &[&[u8]] = &[b"T0", b"V1", b"1", "é1".as_bytes(), b"x"];

/// Names that are plain, nearly so, or not at all.
const NAMES: &[&[u8]] = &[
    b"1",
    b"2",
    b"12",
    b"T1",
    b"V2",
    b"V31",
    b"L1",
    b"m1",
    b"99999999",
    b"V99999999",
    b"V123456789",
    b"V01",
    b"01",
    b"V",
    b"",
    b"\x001",
    b"\xc31",
    "é1".as_bytes(),
    b"Vx",
    b"V1x",
    b"V 1",
    b"(1",
    b")1",
    b"V:",
    b"V/",
    b"#1",
    b"\xff",
    b"A.java:1",
    b"1\r",
];

/// A line that is plain, or not quite: most have one thing that is odd.
fn near_plain() -> impl Strategy<Value = Vec<u8>> {
    let thread = prop_oneof![4 => one_of(&[b"T0", b"T1"]), 1 => one_of(NAMES)];
    let operand = prop_oneof![2 => one_of(&[b"V1", b"V2", b"L1", b"m1"]), 2 => one_of(NAMES)];
    let site = prop_oneof![4 => one_of(&[b"1", b"2", b"12"]), 1 => one_of(NAMES)];
    let word = prop_oneof![
        4 => one_of(&[b"r", b"w", b"acq", b"rel", b"begin"]),
        1 => one_of(&[
            b"end", b"fork", b"join", b"vr", b"exit", b"dummy", b"", b"x", b"re", b"rel ", b"ending",
            b"beginning", b"R",
        ]),
    ];
    let around: &[[&[u8]; 2]] =
        &[[b"", b""], [b"(", b""], [b"((", b"))"], [b"", b")"], [b"[", b"]"]];
    let brackets = prop_oneof![8 => Just([&b"("[..], b")"]), 1 => prop::sample::select(around)];
    let bar = || prop_oneof![20 => one_of(&[b"|"]), 1 => one_of(&[b"", b"||"])];
    let end =
        prop_oneof![9 => one_of(&[b"\n"]), 1 => one_of(&[b"\r\n", b"\n\n", b"\n#c\n", b"\r\r\n"])];
    (thread, bar(), word, brackets, operand, bar(), site, end).prop_map(
        |(thread, bar, word, [open, close], operand, other_bar, site, end)| {
            [thread, bar, word, open, operand, close, other_bar, site, end].concat()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Lines of one form, which reading gets used to, and then lines like them.
    #[test]
    fn lines_are_what_the_book_says(
        first in (one_of(HABITS), one_of(HABITS)),
        more in prop::collection::vec(near_plain(), 1..5),
        last in prop::collection::vec(near_plain(), 0..200),
    ) {
        let mut bytes = [first.0, b"|r(", first.1, b")|1\n"].concat().repeat(40);
        bytes.extend(more.concat().repeat(2100 / more.len()));
        bytes.extend(b"T0|r(V1)|1\nT0|acq(L1)|1\nT1|begin(m1)|2\n".repeat(30));
        bytes.extend(last.concat());
        let (mut expected, mut skipped) = (vec![], 0);
        for line in bytes.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.starts_with(b"#") || line.trim_ascii().is_empty() {
                continue;
            }
            match by_the_book(line) {
                Some(event) => expected.push(event),
                None => skipped += 1,
            }
        }
        let mut source = TextReader::new("test", bytes.as_slice(), true);
        let mut found = vec![];
        let mut batch = Batch::default();
        while source.next_batch(&mut batch).unwrap() {
            found.extend(batch.events.iter().map(|event| source.names().line(event)));
        }
        prop_assert_eq!(found, expected);
        prop_assert_eq!(source.skipped(), skipped);
    }
}
