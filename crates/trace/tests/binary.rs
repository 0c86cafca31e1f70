//! The binary format: what is written is read; what is damaged is read up to the damage.

// Clippy's leave to unwrap in tests does not reach the functions that tests share.
#![allow(clippy::unwrap_used)]

use interloper_trace::{
    Batch, BinaryReader, BinaryWriter, Damage, Event, Extent, LabelId, LockId, Names, Op,
    OperandKind, Problem, Remarks, SiteId, Source, ThreadId, TraceError, VarId, is_binary,
    positions,
};
use proptest::prelude::*;
use std::io::{self, Read};
use xxhash_rust::xxh3::xxh3_64;

const FILE_HEADER: usize = 16;
const BLOCK_HEADER: usize = 40;

/// Everything a reader gives.
struct Reading {
    events: Vec<Event>,
    names: Names,
    damage: Option<Damage>,
}

fn read(input: impl Read) -> Result<Reading, TraceError> {
    let mut reader = BinaryReader::new("test", input)?;
    let mut batch = Batch::default();
    let mut events = Vec::new();
    while reader.next_batch(&mut batch)? {
        assert_eq!(batch.first, positions(&events));
        assert!(batch.events.len() <= Batch::SIZE);
        events.extend_from_slice(&batch.events);
    }
    assert!(batch.events.is_empty());
    assert!(!reader.next_batch(&mut batch)?, "an ended stream stays ended");
    let (names, damage) = (reader.names().clone(), reader.damage().cloned());
    Ok(Reading { events, names, damage })
}

fn texts(names: &Names) -> [Vec<String>; 5] {
    [&names.threads, &names.vars, &names.locks, &names.labels, &names.sites]
        .map(|table| (0..table.len() as u32).map(|id| table.text(id).to_string()).collect())
}

/// A small file of four blocks, the second without new names, and its events; `ends` are the
/// numbers of events and of bytes at the end of each block.
struct Small {
    file: Vec<u8>,
    events: Vec<Event>,
    ends: Vec<(usize, usize)>,
}

fn small() -> Small {
    let mut names = Names::default();
    let (t, u) = (names.thread("main"), names.thread("wörker"));
    let (x, m) = (names.var("x"), names.lock("m"));
    let (label, site) = (names.label("Account.withdraw"), names.site("Account.java:12"));
    let first = [
        Event::fork(t, u, SiteId::UNKNOWN),
        Event::begin(t, label, site),
        Event::acquire(t, m, site),
    ];
    let second: Vec<Event> = (0..40).map(|_| Event::read(t, x, site)).collect();
    let mut writer = BinaryWriter::new(Vec::new()).unwrap();
    writer.write(&names, &first).unwrap();
    writer.flush().unwrap();
    writer.write(&names, &second).unwrap();
    writer.flush().unwrap();
    let y = names.var("y");
    let stem = names.vars.stem("int[]#1");
    let element = VarId(names.vars.family(stem, 8, 56).unwrap());
    let third = [
        Event::write(u, y, site),
        Event::write(u, element, site).and_more(27, 2),
        Event::release(t, m, site),
        Event::end(t, site),
    ];
    writer.write(&names, &third).unwrap();
    let file = writer.finish().unwrap();
    let mut ends = Vec::new();
    let (mut at, mut count) = (FILE_HEADER, 0);
    while at < file.len() {
        let number = |i| u32::from_le_bytes(file[at + i..at + i + 4].try_into().unwrap()) as usize;
        count += number(8);
        at += BLOCK_HEADER + number(4);
        ends.push((count, at));
    }
    assert_eq!(ends.len(), 4);
    Small { file, events: [&first[..], &second, &third].concat(), ends }
}

/// The whole blocks within the first `size` bytes: how many, their events, where they end.
fn whole(small: &Small, size: usize) -> (usize, usize, usize) {
    let blocks = small.ends.iter().take_while(|end| end.1 <= size).count();
    let (events, end) = if blocks == 0 { (0, FILE_HEADER) } else { small.ends[blocks - 1] };
    (blocks, events, end)
}

#[test]
fn a_whole_file_is_read_whole() {
    let small = small();
    let reading = read(small.file.as_slice()).unwrap();
    assert_eq!(reading.events, small.events);
    assert_eq!(reading.damage, None);
    assert_eq!(reading.names.threads.text(1), "wörker");
    assert!(is_binary(&small.file));
}

#[test]
fn a_file_cut_off_anywhere_is_read_up_to_its_last_whole_block() {
    let small = small();
    for size in 0..small.file.len() {
        let result = read(&small.file[..size]);
        if size < FILE_HEADER {
            let problem = result.err().unwrap().problem;
            assert!(matches!(problem, Problem::Damaged(_)), "{size}: {problem}");
            continue;
        }
        let reading = result.unwrap();
        let (blocks, events, end) = whole(&small, size);
        assert_eq!(reading.events, small.events[..events], "{size}");
        let damage = reading.damage.unwrap();
        assert!(damage.cut_off, "{size}: {damage:?}");
        assert_eq!(damage.byte, end as u64, "{size}");
        assert!(damage.message.contains(&format!("block {}", blocks + 1)), "{damage:?}");
        let count = positions(&reading.events);
        assert!(damage.message.contains(&format!("the {count} events")), "{damage:?}");
    }
}

#[test]
fn a_flipped_bit_anywhere_ends_the_stream_at_its_block() {
    let mut small = small();
    for byte in 0..small.file.len() {
        for bit in 0..8 {
            small.file[byte] ^= 1 << bit;
            let result = read(small.file.as_slice());
            small.file[byte] ^= 1 << bit;
            if byte < FILE_HEADER {
                let problem = result.err().unwrap().problem;
                assert_eq!((8..12).contains(&byte), matches!(problem, Problem::Version { .. }));
                assert_eq!(!(8..12).contains(&byte), matches!(problem, Problem::Damaged(_)));
                continue;
            }
            let reading = result.unwrap();
            let (blocks, events, end) = whole(&small, byte);
            assert_eq!(reading.events, small.events[..events], "{byte}.{bit}");
            let damage = reading.damage.unwrap();
            assert!(!damage.cut_off, "{byte}.{bit}: {damage:?}");
            assert_eq!(damage.byte, end as u64);
            assert!(damage.message.starts_with(&format!("block {} is damaged", blocks + 1)));
            let count = positions(&reading.events);
            assert!(damage.message.contains(&format!("the {count} events")), "{damage:?}");
        }
    }
}

#[test]
fn a_missing_doubled_or_foreign_block_is_damage() {
    let small = small();
    let Small { file, events, ends } = &small;
    let missing = [&file[..ends[0].1], &file[ends[1].1..]].concat();
    let reading = read(missing.as_slice()).unwrap();
    assert_eq!(reading.events, events[..3]);
    assert!(reading.damage.unwrap().message.contains("begins with event 43 where event 3 is due"));

    let doubled = [&file[..ends[0].1], &file[FILE_HEADER..]].concat();
    let reading = read(doubled.as_slice()).unwrap();
    assert_eq!(reading.events, events[..3]);
    assert_eq!(reading.damage.unwrap().byte, ends[0].1 as u64);

    let twice = [&file[..], &file[..]].concat();
    let reading = read(twice.as_slice()).unwrap();
    assert_eq!(&reading.events, events);
    let damage = reading.damage.unwrap();
    assert!(!damage.cut_off && damage.message.contains("after the end mark"), "{damage:?}");
    assert_eq!(damage.byte, file.len() as u64);
}

#[test]
fn the_file_header_is_checked() {
    let file = small().file;
    let problem = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = file.clone();
        change(&mut file);
        let error = read(file.as_slice()).err().unwrap();
        assert_eq!(error.input, "test");
        error.problem
    };
    let version = problem(&|file| file[8..12].copy_from_slice(&7u32.to_le_bytes()));
    assert!(matches!(version, Problem::Version { found: 7, known: 1 }));
    let flags = problem(&|file| file[15] = 0x80).to_string();
    assert!(flags.contains("0x80000000"), "{flags}");
    let text = problem(&|file| *file = b"T1|r(x)|12\nT2|w(x)|13\n".to_vec()).to_string();
    assert!(text.contains("not a binary trace"), "{text}");
}

#[test]
fn the_format_is_recognised_by_its_first_bytes() {
    let file = small().file;
    for size in 1..file.len() {
        assert!(is_binary(&file[..size]), "{size}");
    }
    assert!(!is_binary(b""));
    assert!(!is_binary(b"T1|r(x)|12"));
    assert!(!is_binary(&[0x1f, 0x8b, 8, 0]));
}

/// A block with right checksums.
fn block(tag: &[u8; 4], events: u32, names: u32, first: u64, payload: &[u8]) -> Vec<u8> {
    header(tag, payload.len() as u32, events, names, first, xxh3_64(payload))
        .into_iter()
        .chain(payload.iter().copied())
        .collect()
}

fn header(tag: &[u8; 4], stored: u32, events: u32, names: u32, first: u64, sum: u64) -> Vec<u8> {
    let mut bytes = tag.to_vec();
    for number in [stored, events, names] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&first.to_le_bytes());
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    bytes
}

/// A payload with these sections as they are and columns of one byte.
fn payload(sections: [&[u8]; 4]) -> Vec<u8> {
    payload_with(sections.map(|section| section.len() as u32), [1, 1, 1, 0], &sections.concat())
}

fn payload_with(stored: [u32; 4], widths: [u8; 4], rest: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = stored.iter().flat_map(|size| size.to_le_bytes()).collect();
    bytes.extend_from_slice(&widths);
    bytes.extend_from_slice(rest);
    bytes
}

/// A names section: threads, variables, locks, labels, sites.
fn names_section(tables: [&[&[u8]]; 5]) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        tables.iter().flat_map(|names| (names.len() as u32).to_le_bytes()).collect();
    for name in tables.concat() {
        bytes.extend_from_slice(&(name.len() as u16).to_le_bytes());
        bytes.extend_from_slice(name);
    }
    bytes
}

/// The damage that a file of one block has. No event of it may be delivered.
fn damage_of(block: Vec<u8>) -> String {
    let file = [&small().file[..FILE_HEADER], &block].concat();
    let reading = read(file.as_slice()).unwrap();
    assert_eq!(reading.events, []);
    let damage = reading.damage.unwrap();
    assert!(!damage.cut_off, "{damage:?}");
    assert_eq!(damage.byte, FILE_HEADER as u64);
    damage.message
}

#[test]
fn impossible_sizes_are_refused_before_anything_is_allocated() {
    const HUGE: u32 = u32::MAX;
    for (tag, stored, events, names) in [
        (b"EVTS", HUGE, 1, 1),
        (b"EVTS", 1, HUGE, 1),
        (b"EVTS", 1, 1, HUGE),
        (b"EVTS", 24, 64 * 1024 + 1, 0),
        (b"EVTS", 24, 1, 2 * 1024 * 1024 + 1),
        (b"LAST", HUGE, 0, 0),
        (b"LAST", 28, 1, 0),
        (b"LAST", 27, 0, 0),
    ] {
        let message = damage_of(header(tag, stored, events, names, 0, 0));
        assert!(message.contains("impossible sizes"), "{message}");
    }
}

#[test]
fn sections_must_fit_the_payload() {
    let cases = [
        // No directory.
        (0, 0, vec![0; 19], "shorter"),
        // Sections beyond the payload's end.
        (1, 0, payload_with([0, 1, 1, u32::MAX], [1, 1, 1, 0], &[0; 3]), "shorter"),
        (1, 0, payload_with([0, 1, 1, 1], [1, 1, 1, 0], &[0; 2]), "shorter"),
        (1, 0, payload_with([0, 1, 1, 1], [1, 1, 1, 0], &[0; 4]), "longer"),
        (1, 0, payload_with([0, 1, 2, 1], [1, 1, 1, 0], &[0; 4]), "impossible sizes"),
        (1, 0, payload_with([0, 1, 1, 1], [1, 5, 1, 0], &[0; 3]), "entries of 5 bytes"),
        (1, 0, payload_with([0, 1, 1, 1], [1, 1, 0, 0], &[0; 3]), "entries of 0 bytes"),
        (1, 0, payload_with([0, 1, 1, 1], [1, 1, 1, 5], &[0; 12]), "entries of 5 bytes"),
        // A section of spans without a size, without bytes, too long.
        (1, 0, payload_with([0, 1, 1, 1], [1; 4], &[0; 3]), "shorter"),
        (1, 0, payload_with([0, 1, 1, 1], [1; 4], &[1, 0, 0, 0, 0, 0, 0]), "shorter"),
        (1, 0, payload_with([0, 1, 1, 1], [1; 4], &[1, 0, 0, 0, 0, 0, 0, 0, 0]), "longer"),
        // Compressed, but not to what it must be.
        (64 * 1024, 0, payload_with([0, 3, 3, 3], [4, 4, 4, 0], &[0; 9]), "decompressed"),
        (0, 2 * 1024 * 1024, payload_with([8, 0, 0, 0], [1, 1, 1, 0], &[0xff; 8]), "decompressed"),
    ];
    for (events, names, payload, expected) in cases {
        let message = damage_of(block(b"EVTS", events, names, 0, &payload));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn names_must_continue_the_tables() {
    let cases = [
        (names_section([&[b"a"], &[b"x", b"x"], &[], &[], &[]]), "variable name 0 is there"),
        (names_section([&[], &[], &[], &[b""], &[]]), "label name 0 is there"),
        (names_section([&[], &[], &[b"\xff"], &[], &[]]), "lock name 0 is not valid UTF-8"),
        ([names_section([&[b"a"], &[], &[], &[], &[]]), vec![0]].concat(), "longer"),
        ([u32::MAX.to_le_bytes(); 5].concat(), "shorter"),
        (vec![0; 19], "shorter"),
    ];
    for (names, expected) in cases {
        let payload = payload([&names, b"", b"", b""]);
        let message = damage_of(block(b"EVTS", 0, names.len() as u32, 0, &payload));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn events_must_mention_known_things_only() {
    let names = names_section([&[b"t"], &[b"x"], &[b"m", b"n"], &[b"l"], &[b"s"]]);
    let one = |step: u8, operand: u8, site: u8| {
        let payload = payload([&names, &[2, step], &[0, operand], &[0, site]]);
        block(b"EVTS", 2, names.len() as u32, 0, &payload)
    };
    for op in Op::ALL {
        let (known, expected) = match op.operand_kind() {
            OperandKind::None => (1, "none is allowed"),
            OperandKind::Var | OperandKind::Object => (1, "variable number 1, which has no name"),
            OperandKind::Thread => (1, "thread number 1, which has no name"),
            OperandKind::Lock => (2, "lock number 2, which has no name"),
            OperandKind::Label => (2, "label number 2, which has no name"),
        };
        // From 15 on, operations share a code, and their operands tell them apart.
        let event = |operand: u8, site| match op as u8 {
            code @ 0..15 => one(code, operand, site),
            code => one(15, 8 * operand + (code - 15), site),
        };
        let message = damage_of(event(known, 0));
        assert!(message.contains("event 1 has") && message.contains(expected), "{message}");

        let file = [&small().file[..FILE_HEADER], &event(known - 1, 1)].concat();
        let reading = read(file.as_slice()).unwrap();
        let event = Event::new(ThreadId(0), op, u32::from(known) - 1, SiteId(1));
        assert_eq!(reading.events[1], event);
        assert!(reading.damage.unwrap().cut_off, "no end mark");
    }
    for kind in Op::ALL.len() as u8 - 15..8 {
        let message = damage_of(one(15, kind, 0));
        assert!(message.contains(&format!("unknown operation code {}", 15 + kind)), "{message}");
    }
    assert!(damage_of(one(16 + 15, 0, 0)).contains("thread number 1, which has no name"));
    assert!(damage_of(one(16 + 2, 0, 0)).contains("thread number 1, which has no name"));
    assert!(damage_of(one(2, 0, 2)).contains("site number 2, which has no name"));
}

/// Rare operations and ids beside each other, in strips with none, some and nothing else.
#[test]
fn rare_operations_are_read_back_among_others() {
    let mut names = Names::default();
    let threads: Vec<ThreadId> = (0..300).map(|n| names.thread(&format!("T{n}"))).collect();
    let vars: Vec<VarId> = (0..70_000).map(|n| names.var(&format!("o{n}.f"))).collect();
    let barrier = names.lock("b");
    let at = |n: usize| {
        let (thread, var) = (threads[n % threads.len()], vars[n * 7 % vars.len()]);
        let site = SiteId::UNKNOWN;
        match n / 1000 {
            0 | 3 => Event::read(thread, var, site),
            1 if n.is_multiple_of(10) => Event::new(thread, Op::Escape, var.0, site),
            1 => Event::write(thread, var, site),
            _ if n.is_multiple_of(2) => Event::new(thread, Op::Escape, var.0, site),
            _ => Event::new(thread, Op::Barrier, barrier.0, site),
        }
    };
    let events: Vec<Event> = (0..4000).map(at).collect();
    let mut writer = BinaryWriter::new(Vec::new()).unwrap();
    writer.write(&names, &events).unwrap();
    let reading = read(writer.finish().unwrap().as_slice()).unwrap();
    assert_eq!(reading.damage, None);
    assert!(reading.events == events);
}

#[test]
fn the_end_mark_must_match() {
    let end = |counts: [u32; 5], blocks: u64| {
        let mut payload: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        payload.extend_from_slice(&blocks.to_le_bytes());
        block(b"LAST", 0, 0, 0, &payload)
    };
    assert!(damage_of(end([0, 0, 0, 1, 1], 1)).contains("end mark"));
    assert!(damage_of(end([0, 1, 0, 1, 1], 0)).contains("end mark"));
    let file = [&small().file[..FILE_HEADER], &end([0, 0, 0, 1, 1], 0)].concat();
    assert_eq!(read(file.as_slice()).unwrap().damage, None);
    assert_eq!(BinaryWriter::new(Vec::new()).unwrap().finish().unwrap(), file);
}

#[test]
fn the_writer_refuses_what_no_reader_would_take() {
    let mut names = Names::default();
    let t = names.thread("t");
    let refused = |names: &Names, event: Event| {
        let mut writer = BinaryWriter::new(Vec::new()).unwrap();
        let error = writer.write(names, &[event]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        error.to_string()
    };
    let site = SiteId::UNKNOWN;
    assert!(refused(&names, Event::read(t, VarId(0), site)).contains("variable number 0"));
    assert!(refused(&names, Event::acquire(t, LockId(0), site)).contains("lock number 0"));
    assert!(refused(&names, Event::begin(t, LabelId::OUTSIDE, site)).contains("label number"));
    assert!(refused(&names, Event::end(ThreadId(1), site)).contains("thread number 1"));
    assert!(refused(&names, Event::end(t, SiteId(1))).contains("site number 1"));
    assert!(refused(&names, Event::new(t, Op::End, 1, site)).contains("operand 1"));
    names.var(&"x".repeat(64 * 1024 - 1));
    assert!(refused(&names, Event::end(t, site)).contains("variable name is longer"));
}

/// Gives a few bytes at a time, and is interrupted again and again.
struct Stuttering<'a>(&'a [u8], usize);

impl Read for Stuttering<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let size = buf.len().min(self.1 % 7 + 1).min(self.0.len());
        self.0.read(&mut buf[..size])
    }
}

#[test]
fn short_and_interrupted_reads_do_no_harm() {
    let small = small();
    let reading = read(Stuttering(&small.file, 0)).unwrap();
    assert_eq!(reading.events, small.events);
    assert_eq!(reading.damage, None);
}

#[test]
fn a_failing_read_is_an_error_and_not_damage() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    let small = small();
    let input = small.file[..small.ends[0].1 + 5].chain(Failing);
    let mut reader = BinaryReader::new("test", input).unwrap();
    let mut batch = Batch::default();
    assert!(reader.next_batch(&mut batch).unwrap());
    assert_eq!(batch.events, small.events[..3]);
    let error = reader.next_batch(&mut batch).unwrap_err();
    assert!(error.to_string().contains("the disk is on fire"), "{error}");
    assert!(matches!(error.problem, Problem::Io(_)));
    assert!(reader.damage().is_none());
    assert!(batch.events.is_empty() && !reader.next_batch(&mut batch).unwrap());
}

#[test]
fn long_traces_and_many_names_are_spread_over_blocks() {
    let mut names = Names::default();
    let threads: Vec<_> = (0..20).map(|i| names.thread(&format!("T{i}"))).collect();
    for i in 0..70_000 {
        names.var(&format!("V{i}"));
    }
    for i in 0..40 {
        names.lock(&"m".repeat(65_534 - i));
    }
    names.site("only");
    let events: Vec<Event> = (0..200_000u32)
        .map(|i| {
            let thread = threads[(i % 20) as usize];
            let site = SiteId(i % 2);
            match i % 3 {
                0 => Event::read(thread, VarId(i % 70_000), site),
                1 => Event::acquire(thread, LockId(i % 40), site),
                _ => Event::end(thread, site),
            }
        })
        .collect();
    let mut writer = BinaryWriter::new(Vec::new()).unwrap();
    writer.write(&names, &events).unwrap();
    let file = writer.finish().unwrap();
    let reading = read(file.as_slice()).unwrap();
    assert_eq!(reading.damage, None);
    assert!(reading.events == events);
    assert!(texts(&reading.names) == texts(&names));
    assert!(file.len() < events.len() * 4, "names and events compress: {} bytes", file.len());
}

/// One call of `write`: names that become known before it, events, whether `flush` follows.
#[derive(Clone, Debug)]
struct Call {
    names: Vec<(u8, String)>,
    events: Vec<(Op, u32, u32, u32)>,
    flush: bool,
}

fn call() -> impl Strategy<Value = Call> {
    let name = prop_oneof![".{0,12}", "[a-c]{0,2}", Just("ж語🦀".repeat(50))];
    let op = proptest::sample::select(&Op::ALL[..]);
    let events = prop_oneof![
        proptest::collection::vec((op.clone(), any::<u32>(), any::<u32>(), any::<u32>()), 0..40),
        // Long runs, which compress.
        (op, any::<u32>(), any::<u32>(), any::<u32>(), 0..2000usize)
            .prop_map(|(op, t, x, s, count)| vec![(op, t, x, s); count]),
    ];
    (proptest::collection::vec((0u8..5, name), 0..80), events, any::<bool>())
        .prop_map(|(names, events, flush)| Call { names, events, flush })
}

/// An event of known things, chosen by arbitrary numbers; none if nothing fitting is known.
fn event(names: &Names, (op, t, x, s): (Op, u32, u32, u32)) -> Option<Event> {
    let pick = |number: u32, len: usize| number.checked_rem(len as u32);
    let operand = match names.table(op.operand_kind()) {
        Some(table) => pick(x, table.len())?,
        None => 0,
    };
    let thread = ThreadId(pick(t, names.threads.len())?);
    let event = Event::new(thread, op, operand, SiteId(pick(s, names.sites.len())?));
    // Some of the accesses are about the variables from here to the last, or back to the first.
    let behind = (names.vars.len() as u32).saturating_sub(1 + operand);
    Some(match (op, t % 4) {
        (Op::Read | Op::Write, 0) if behind > 0 => event.and_more(behind as u16, 1),
        (Op::Read | Op::Write, 1) if operand > 1 => event.and_more(operand as u16 / 2, -2),
        _ => event,
    })
}

#[test]
fn families_of_variables_are_written_as_one() {
    let mut names = Names::default();
    let (thread, site) = (names.thread("t"), names.site("1"));
    names.var("x");
    let stem = names.vars.stem("double[]#1");
    let first = names.vars.family(stem, 8, 56).unwrap();
    let behind = names.var("y");
    let next = names.vars.family(stem, 64, 40_000).unwrap();
    let accesses = [
        Event::read(thread, VarId(first), site).and_more(55, 1),
        Event::write(thread, behind, site),
        Event::write(thread, VarId(next + 39_999), site).and_more(300, -128),
    ];
    let mut writer = BinaryWriter::new(Vec::new()).unwrap();
    writer.write(&names, &accesses).unwrap();
    let file = writer.finish().unwrap();
    assert!(file.len() < 400, "{} bytes", file.len());
    let reading = read(file.as_slice()).unwrap();
    assert_eq!(reading.damage, None);
    assert_eq!(reading.events, accesses);
    assert_eq!(texts(&reading.names), texts(&names));
    assert_eq!(reading.names.vars.text(next + 39_999), "double[]#1[40063]");
    assert_eq!(reading.names.cost(), names.cost());
}

#[test]
fn families_must_be_possible() {
    let family = |from: u32, count: u32, stem: &[u8]| {
        let size = (stem.len() as u16).to_le_bytes();
        [&[0xff, 0xff], &from.to_le_bytes()[..], &count.to_le_bytes(), &size, stem].concat()
    };
    let section = |counts: [u32; 5], entries: &[u8]| {
        let counts = counts.iter().flat_map(|count| count.to_le_bytes());
        counts.chain(entries.iter().copied()).collect::<Vec<u8>>()
    };
    let damage = |section: Vec<u8>| {
        let names = section.len() as u32;
        let payload = payload_with([names, 0, 0, 0], [1, 1, 1, 0], &section);
        damage_of(block(b"EVTS", 0, names, 0, &payload))
    };
    let cases = [
        (section([0, 1, 0, 0, 0], &family(0, 0, b"a")), "family of variable names"),
        (section([0, 1, 0, 0, 0], &family(u32::MAX, 2, b"a")), "family of variable names"),
        (section([1, 0, 0, 0, 0], &family(0, 2, b"a")), "family of thread names"),
        (section([0, 1, 0, 0, 0], &family(0, 2, b"\xff")), "not valid UTF-8"),
        (section([0, 1, 0, 0, 0], &family(0, 2, b"abc")[..13]), "shorter"),
    ];
    for (section, expected) in cases {
        let message = damage(section);
        assert!(message.contains(expected), "{message}");
    }
    // Members cost no memory here, but they do elsewhere.
    for entries in [family(0, 1 << 31, b"a"), family(0, 1 << 27, b"a")] {
        let names = section([0, 1, 0, 0, 0], &entries);
        let payload = payload_with([names.len() as u32, 0, 0, 0], [1, 1, 1, 0], &names);
        let block = block(b"EVTS", 0, names.len() as u32, 0, &payload);
        let file = [&small().file[..FILE_HEADER], &block].concat();
        assert!(matches!(read(file.as_slice()), Err(error) if error.to_string().contains("512")));
    }
}

/// A block of one read of variable 0 of 3 with this span.
fn block_with_span(span: u32, op: u8) -> Vec<u8> {
    let names = names_section([&[b"t"], &[b"x", b"y", b"z"], &[], &[], &[]]);
    let stored = [names.len() as u32, 1, 1, 1];
    let rest = [&4_u32.to_le_bytes()[..], &names, &[op], &[0], &[0], &span.to_le_bytes()].concat();
    block(b"EVTS", 1, names.len() as u32, 0, &payload_with(stored, [1, 1, 1, 4], &rest))
}

#[test]
fn accesses_of_several_variables_must_be_possible() {
    let (read, volatile_read) = (2, 9);
    let accesses = |more: u32, stride: i8| more << 8 | u32::from(stride as u8);
    let is_damaged = |span, op| {
        let file = [&small().file[..FILE_HEADER], &block_with_span(span, op)].concat();
        let damage = crate::read(file.as_slice()).unwrap().damage.unwrap();
        damage.message.contains("event 0 is about several variables that it cannot be about")
    };
    for (more, stride) in [(2, 1), (1, 2)] {
        assert!(!is_damaged(accesses(more, stride), read), "{more} {stride}");
    }
    for (more, stride) in [(3, 1), (2, 2), (1, -1), (1, 0), (0, 1), (1 << 16, 1)] {
        assert!(is_damaged(accesses(more, stride), read), "{more} {stride}");
    }
    assert!(is_damaged(accesses(1, 1), volatile_read));
}

proptest! {
    #[test]
    fn what_is_written_is_read(calls in proptest::collection::vec(call(), 0..8)) {
        let mut names = Names::default();
        let mut events = Vec::new();
        let mut writer = BinaryWriter::new(Vec::new()).unwrap();
        for call in calls {
            for (table, name) in &call.names {
                match table {
                    0 => names.thread(name).0,
                    1 => names.var(name).0,
                    2 => names.lock(name).0,
                    3 => names.label(name).0,
                    _ => names.site(name).0,
                };
            }
            let new: Vec<_> = call.events.iter().filter_map(|&e| event(&names, e)).collect();
            writer.write(&names, &new).unwrap();
            events.extend(new);
            if call.flush {
                writer.flush().unwrap();
            }
        }
        let file = writer.finish().unwrap();
        let reading = read(file.as_slice()).unwrap();
        prop_assert_eq!(reading.damage, None);
        prop_assert_eq!(reading.events, events);
        prop_assert_eq!(texts(&reading.names), texts(&names));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let file = [&small().file[..FILE_HEADER], &bytes].concat();
        prop_assert!(read(file.as_slice()).unwrap().damage.is_some());
    }

    /// Random payloads with right checksums reach the code behind them.
    #[test]
    fn no_payload_makes_the_reader_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        sizes in any::<[u8; 4]>(),
        widths in proptest::array::uniform4(1u8..5),
        events in 0u32..20,
        names in 0u32..60,
    ) {
        let payload = payload_with(sizes.map(|size| u32::from(size % 20)), widths, &bytes);
        let block = block(b"EVTS", events, names, 0, &payload);
        let file = [&small().file[..FILE_HEADER], &block].concat();
        prop_assert!(read(file.as_slice()).unwrap().damage.is_some());
    }
}

#[test]
fn remarks_are_read_at_the_end_and_only_then() {
    let mut names = Names::default();
    let (thread, x, site) = (names.thread("T"), names.var("x"), names.site("1"));
    let remarks = Remarks { extent: Extent::Cut, notes: vec!["the JVM was killed".into()] };
    let written = |remarks: &Remarks| {
        let mut writer = BinaryWriter::new(vec![]).unwrap();
        writer.write(&names, &[Event::read(thread, x, site); 3]).unwrap();
        writer.remark(remarks).unwrap();
        writer.finish().unwrap()
    };
    let file = written(&remarks);
    let mut reader = BinaryReader::new("test", file.as_slice()).unwrap();
    let mut batch = Batch::default();
    assert!(reader.next_batch(&mut batch).unwrap());
    assert_eq!((batch.events.len(), reader.remarks()), (3, None));
    assert!(!reader.next_batch(&mut batch).unwrap());
    assert_eq!((reader.remarks(), reader.damage()), (Some(&remarks), None));
    // nothing to remark: the file is as it always was
    let plain = written(&Remarks::default());
    assert!(!plain.windows(4).any(|bytes| bytes == b"NOTE"));
    // wherever such a file is cut off or altered, that is damage
    for at in plain.len() - 68..file.len() {
        let mut altered = file.clone();
        altered[at] ^= 0x20;
        assert!(read(altered.as_slice()).unwrap().damage.is_some(), "altered at {at}");
        assert!(read(&file[..at]).unwrap().damage.is_some(), "cut off at {at}");
    }
}
