//! Bad inputs: every one a clear error, none a panic; and what leniency makes of them.

// Clippy's leave to unwrap in tests does not reach the functions that tests share.
#![allow(clippy::unwrap_used)]

use interloper_trace::{
    Batch, BinaryWriter, Damage, Event, Names, Place, Source, TextWriter, TraceError, Validated,
    open, open_reader,
};
use proptest::prelude::*;
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;

/// All that can be had of a trace: the events as text, and how many were skipped.
fn read(mut source: impl Source) -> Result<(String, u64), TraceError> {
    let mut writer = TextWriter::new(vec![]);
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        writer.write(source.names(), &batch.events).unwrap();
    }
    Ok((String::from_utf8(writer.finish().unwrap()).unwrap(), source.skipped()))
}

/// The traces of the corpus with what is expected of them.
fn corpus() -> Vec<(PathBuf, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "std"));
    paths.sort();
    assert!(paths.len() >= 35, "the corpus is there");
    let expected = |path: &PathBuf| fs::read_to_string(path.with_extension("expected")).unwrap();
    paths.into_iter().map(|path| (path.clone(), expected(&path))).collect()
}

#[test]
fn each_bad_trace_is_an_error_that_names_file_line_and_text() {
    for (path, expected) in corpus() {
        let path = path.to_str().unwrap();
        let input = open(path, false).unwrap();
        let result = read(Validated::new(input.source, false));
        let (verdict, lenient) = expected.split_once("lenient: ").unwrap();
        match result {
            Ok((events, skipped)) => {
                assert_eq!(verdict, "valid\n", "{path}");
                assert_eq!(skipped, 0, "{path}");
                assert_eq!(format!("0 skipped\n{events}"), lenient, "{path}");
            }
            Err(error) => {
                let error = error.to_string();
                let (found, help) = error.split_once("\n  = help: ").expect("help");
                let expected = verdict.replace("error at line ", &format!("{path}:"));
                assert_eq!(format!("{found}\n"), expected);
                assert!(help.contains("`--lenient`"), "{help}");
            }
        }
    }
}

#[test]
fn lenient_reading_skips_exactly_what_is_bad() {
    for (path, expected) in corpus() {
        let path = path.to_str().unwrap();
        let input = open(path, true).unwrap();
        let (events, skipped) = read(Validated::new(input.source, true)).unwrap();
        let (_, lenient) = expected.split_once("lenient: ").unwrap();
        assert_eq!(format!("{skipped} skipped\n{events}"), lenient, "{path}");
    }
}

/// Events that mean something together, so that a change is likely to break the meaning.
fn valid_trace() -> String {
    let mut text = String::from("T0|fork(T1)|0\nT0|fork(T2)|0\n");
    for n in 0..12 {
        let thread = n % 3;
        text.push_str(&format!(
            "T{thread}|begin(f{n})|A:1\nT{thread}|acq(m)|A:2\nT{thread}|acq(m)|A:3\n\
             T{thread}|r(V{n})|A:4\nT{thread}|wait(m)|\nT{thread}|acq(m)|\nT{thread}|rel(m)|A:5\n\
             T{thread}|w(V{n})|A:6\nT{thread}|rel(m)|A:7\nT{thread}|end|A:8\n"
        ));
    }
    text.push_str("T1|exit|\nT0|join(T1)|0\nT0|join(T2)|0\n");
    text
}

/// The same in all formats.
fn wrapped(text: &str) -> [Vec<u8>; 4] {
    let mut source =
        open_reader("text", Cursor::new(text.to_string()), None, false).unwrap().source;
    let mut writer = BinaryWriter::new(vec![]).unwrap();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch).unwrap() {
        writer.write(source.names(), &batch.events).unwrap();
    }
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    [
        text.as_bytes().to_vec(),
        writer.finish().unwrap(),
        gzip.finish().unwrap(),
        zstd::encode_all(text.as_bytes(), 3).unwrap(),
    ]
}

/// A change to a file.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Delete(usize, usize),
    Copy(usize, usize, usize),
    Truncate(usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let at = |place: usize, bytes: &[u8]| place % bytes.len().max(1);
        match self {
            _ if bytes.is_empty() => {}
            Change::Set(place, byte) => {
                let place = at(*place, bytes);
                bytes[place] = *byte;
            }
            Change::Insert(place, new) => {
                let place = at(*place, bytes);
                bytes.splice(place..place, new.iter().copied());
            }
            Change::Delete(place, count) => {
                let place = at(*place, bytes);
                bytes.drain(place..(place + count).min(bytes.len()));
            }
            Change::Copy(from, count, to) => {
                let (from, to) = (at(*from, bytes), at(*to, bytes));
                let copy = bytes[from..(from + count).min(bytes.len())].to_vec();
                bytes.splice(to..to, copy);
            }
            Change::Truncate(place) => bytes.truncate(at(*place, bytes)),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<usize>;
    let byte = || prop_oneof![any::<u8>(), prop::sample::select(b"|()\n\r#TmV019rw\0".to_vec())];
    prop_oneof![
        (place(), byte()).prop_map(|(place, byte)| Change::Set(place, byte)),
        (place(), prop::collection::vec(byte(), 1..6))
            .prop_map(|(place, new)| Change::Insert(place, new)),
        (place(), 1..40usize).prop_map(|(place, count)| Change::Delete(place, count)),
        (place(), 1..60usize, place()).prop_map(|(from, count, to)| Change::Copy(from, count, to)),
        place().prop_map(Change::Truncate),
    ]
}

/// Reads in both modes. Text is never refused leniently.
fn survive(bytes: &[u8]) -> Result<(), TestCaseError> {
    for lenient in [false, true] {
        let input = Cursor::new(bytes.to_vec());
        let (format, result) = match open_reader("test", input, None, lenient) {
            Ok(input) => (input.format, drain(Validated::new(input.source, lenient))),
            Err(error) => {
                let known = [&b"\x89"[..], b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];
                prop_assert!(known.iter().any(|magic| bytes.starts_with(magic)), "{}", error);
                continue;
            }
        };
        match result {
            Err(error) if lenient && format == "text" => {
                return Err(TestCaseError::fail(format!("leniently refused: {error}")));
            }
            Err(error) => prop_assert!(error.to_string().starts_with("test:"), "{}", error),
            Ok(events) => check_ids(&events.0, &events.1)?,
        }
    }
    Ok(())
}

fn drain(mut source: impl Source) -> Result<(Names, Vec<Event>), TraceError> {
    let (mut batch, mut events) = (Batch::default(), vec![]);
    while source.next_batch(&mut batch)? {
        assert_eq!(batch.first, events.len() as u64);
        events.extend_from_slice(&batch.events);
    }
    Ok((source.names().clone(), events))
}

/// Every id has a name.
fn check_ids(names: &Names, events: &[Event]) -> Result<(), TestCaseError> {
    for event in events {
        prop_assert!(event.thread.index() < names.threads.len());
        prop_assert!(event.site.index() < names.sites.len());
        if let Some(table) = names.table(event.op.operand_kind()) {
            prop_assert!((event.operand as usize) < table.len());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survive(&bytes)?;
    }

    #[test]
    fn random_lines_of_the_right_letters_are_survived(
        text in "([T#]?[012]?[|](r|w|acq|rel|begin|end|fork|join|wait|exit|x)?[(]?[T01]{0,2}[)]?[|]?[1\r]?\n){0,40}",
    ) {
        survive(text.as_bytes())?;
    }

    #[test]
    fn changed_traces_are_survived(
        wrapping in 0..4usize,
        changes in prop::collection::vec(change(), 1..8),
    ) {
        let mut bytes = wrapped(&valid_trace())[wrapping].clone();
        for change in changes {
            change.apply(&mut bytes);
        }
        survive(&bytes)?;
    }
}

#[test]
fn the_trace_that_is_changed_is_valid() {
    for bytes in wrapped(&valid_trace()) {
        let input = open_reader("test", Cursor::new(bytes), None, false).unwrap();
        let (text, skipped) = read(Validated::new(input.source, false)).unwrap();
        assert_eq!(skipped, 0);
        assert_eq!(text.lines().count(), valid_trace().lines().count());
    }
}

/// Reads a file whatever it is, and gives its events as lines, the damage, or the error.
fn opened(bytes: &[u8], lenient: bool) -> Result<(Vec<String>, Option<Damage>), TraceError> {
    let mut source = open_reader("test", Cursor::new(bytes.to_vec()), None, lenient)?.source;
    let (mut batch, mut lines) = (Batch::default(), vec![]);
    while source.next_batch(&mut batch)? {
        lines.extend(batch.events.iter().map(|event| source.names().line(event)));
    }
    Ok((lines, source.damage().cloned()))
}

fn packed(bytes: &[u8]) -> [Vec<u8>; 2] {
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    gzip.write_all(bytes).unwrap();
    [gzip.finish().unwrap(), zstd::encode_all(bytes, 3).unwrap()]
}

/// A text that does not compress well, so that cuts fall into the midst of it.
fn varied_text(lines: u64) -> String {
    let line = |n: u64| format!("T{}|w(V{})|{n}\n", n % 7, n * 61_803_399 % 9_999_991);
    (0..lines).map(line).collect()
}

#[test]
fn a_packed_binary_trace_cut_off_anywhere_is_read_up_to_its_last_whole_block() {
    // Several of the blocks in which zstd packs.
    let text = varied_text(40_000);
    let lines: Vec<&str> = text.lines().collect();
    let mut source = open_reader("text", Cursor::new(text.clone()), None, false).unwrap().source;
    let mut writer = BinaryWriter::new(vec![]).unwrap();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch).unwrap() {
        writer.write(source.names(), &batch.events).unwrap();
        writer.flush().unwrap();
    }
    let binary = writer.finish().unwrap();
    for whole in packed(&binary) {
        let (mut some, step) = (0, whole.len() / 23);
        for size in (4..whole.len() - 16).step_by(step) {
            match opened(&whole[..size], false) {
                Ok((read, damage)) => {
                    assert_eq!(read, lines[..read.len()], "{size}");
                    let damage = damage.expect("it is cut off");
                    assert!(damage.cut_off, "{size}: {damage:?}");
                    assert!(damage.message.starts_with("the trace is cut off"), "{damage:?}");
                    some += u32::from(!read.is_empty() && read.len() < lines.len());
                }
                // Before the header of the trace is whole, it is no trace.
                Err(error) => {
                    assert!(error.headline().contains("cut off"), "{size}: {error}");
                }
            }
        }
        assert!(some > 5, "the middle of the trace is read");
        let (read, damage) = opened(&whole, false).unwrap();
        assert!(read == lines && damage.is_none());
    }
}

#[test]
fn a_packed_text_that_is_cut_off_is_an_error_in_plain_words_or_read_leniently() {
    let text = varied_text(30_000);
    let lines: Vec<&str> = text.lines().collect();
    for whole in packed(text.as_bytes()) {
        for size in [4, 20, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
            let error = opened(&whole[..size], false).unwrap_err();
            let Place::Line { number, .. } = error.place else { panic!("{error}") };
            let headline = format!("test:{number}: the compressed file is cut off");
            assert_eq!(error.headline(), headline);

            let (read, damage) = opened(&whole[..size], true).unwrap();
            assert_eq!(read, lines[..read.len()], "{size}");
            assert_eq!(read.len() as u64 + 1, number, "whole lines only");
            let damage = damage.expect("it is cut off");
            let bytes: usize = lines[..read.len()].iter().map(|line| line.len() + 1).sum();
            assert_eq!((damage.cut_off, damage.byte), (true, bytes as u64));
            let says = format!("the compressed file is cut off in line {number}; ");
            assert!(damage.message.starts_with(&says), "{damage:?}");
        }
    }
}

#[test]
fn a_zstd_file_may_start_with_a_frame_to_be_skipped() {
    for kind in [0x50, 0x57, 0x5f] {
        let mut file = vec![kind, 0x2a, 0x4d, 0x18, 5, 0, 0, 0];
        file.extend(b"hello");
        file.extend(zstd::encode_all(&b"T0|r(x)|1\n"[..], 3).unwrap());
        assert_eq!(opened(&file, false).unwrap(), (vec!["T0|r(x)|1".to_string()], None));
        let input = open_reader("test", Cursor::new(file), None, false).unwrap();
        assert_eq!(input.format, "text, zstd");
    }
}
