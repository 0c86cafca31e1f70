//! What reading costs in memory, measured at the allocator.

// A global allocator can be written in no other way; it only counts and passes on.
#![allow(unsafe_code)]

use interloper_trace::{Batch, Source, TextReader, Validated, open_reader};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Cursor, Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One measurement at a time.
static ALONE: Mutex<()> = Mutex::new(());

const MB: usize = 1_000_000;

/// Runs `work` and gives what it returns, the bytes still allocated then, and the most at any time.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    let (live, peak) = (LIVE.load(Relaxed), PEAK.load(Relaxed));
    (result, live.saturating_sub(before), peak.saturating_sub(before))
}

/// Text made up line by line as it is read, so that it costs no memory itself.
struct Lines<F> {
    line: F,
    number: u64,
    count: u64,
    left: Vec<u8>,
}

impl<F: FnMut(u64, &mut Vec<u8>)> Lines<F> {
    fn new(count: u64, line: F) -> Lines<F> {
        Lines { line, number: 0, count, left: vec![] }
    }
}

impl<F: FnMut(u64, &mut Vec<u8>)> Read for Lines<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.left.len() < buffer.len() && self.number < self.count {
            (self.line)(self.number, &mut self.left);
            self.number += 1;
        }
        let size = self.left.len().min(buffer.len());
        buffer[..size].copy_from_slice(&self.left[..size]);
        self.left.drain(..size);
        Ok(size)
    }
}

/// Reads all of it; gives back the reader, with its names, and the number of events.
fn read_all<S: Source>(mut source: S) -> (S, u64) {
    let (mut batch, mut events) = (Batch::default(), 0);
    while source.next_batch(&mut batch).expect("a good trace") {
        events += batch.events.len() as u64;
    }
    (source, events)
}

fn text(count: u64, line: impl FnMut(u64, &mut Vec<u8>)) -> impl Source {
    Validated::new(TextReader::new("test", Lines::new(count, line), false), false)
}

#[test]
fn a_million_variables_cost_tens_of_megabytes() {
    let _alone = ALONE.lock();
    // Half of them numbered as recorders do, half with names as programs have.
    let trace = text(1_000_000, |n, out| {
        let object = if n % 2 == 0 { "V" } else { "bank.Account.balance@" };
        let _ = writeln!(out, "T0|w({object}{n})|1");
    });
    let ((source, events), live, peak) = measured(|| read_all(trace));
    assert_eq!((events, source.names().vars.len()), (1_000_000, 1_000_000));
    println!("{live} bytes live, {peak} at most");
    assert!(live < 80 * MB, "{live} bytes for a million variables");
    assert!(peak < 120 * MB, "{peak} bytes at most");
}

#[test]
fn huge_and_sparse_numbers_cost_no_more_than_others() {
    let _alone = ALONE.lock();
    const COUNT: u64 = 50_000;
    // Coprime to the modulus: all different, none near the other.
    let numbers = |n: u64| (n * 61_803_399) % 99_999_989;
    for numbers in [numbers, |n| 90_000_000 + n, |n| n * 999, |n| 99_999_999 - n] {
        let trace = text(COUNT, |n, out| {
            let _ = writeln!(out, "T0|w(V{})|1", if n == 0 { 1 } else { numbers(n) });
        });
        let ((source, _), live, peak) = measured(|| read_all(trace));
        assert_eq!(source.names().vars.len() as u64, COUNT);
        println!("sparse: {live} bytes live, {peak} at most");
        assert!(live < 5 * MB && peak < 8 * MB, "{live} bytes, {peak} at most");
    }
}

#[test]
fn memory_depends_on_the_names_not_on_the_length() {
    let _alone = ALONE.lock();
    let cost = |events| {
        let trace = text(events, |n, out| {
            let _ = writeln!(out, "T{}|r(V{})|{}", n % 4, n % 1000, n % 100);
        });
        measured(|| read_all(trace)).2
    };
    let (short, long) = (cost(20_000), cost(120_000));
    assert!(long < short + MB / 10, "{short} bytes for the short trace, {long} for the long one");
}

/// A hundred megabytes without a line break, then an event.
fn long_line() -> impl Read {
    io::repeat(b'x').take(100 * MB as u64).chain(Cursor::new(b"\nT0|r(x)|1\n"))
}

#[test]
fn a_line_without_end_is_refused_or_passed_over_in_bounded_memory() {
    let _alone = ALONE.lock();
    let (error, _, peak) = measured(|| {
        let mut batch = Batch::default();
        let error = TextReader::new("test", long_line(), false).next_batch(&mut batch);
        error.expect_err("too long").to_string()
    });
    assert!(error.starts_with("test:1: this line is longer than 65536 bytes"), "{error}");
    assert!(error.len() < 1000, "{error}");
    assert!(peak < MB, "{peak} bytes at most");

    let ((source, events), _, peak) =
        measured(|| read_all(TextReader::new("test", long_line(), true)));
    assert_eq!((events, source.skipped()), (1, 1));
    assert!(peak < MB, "{peak} bytes at most");
}

#[test]
fn a_small_file_that_unpacks_to_a_huge_line_is_refused_in_bounded_memory() {
    let _alone = ALONE.lock();
    let bomb = zstd::encode_all(long_line().take(30 * MB as u64), 1).expect("memory takes it");
    assert!(bomb.len() < MB);
    let ((), _, peak) = measured(|| {
        let mut source =
            open_reader("bomb", Cursor::new(bomb), None, false).expect("it opens").source;
        assert!(source.next_batch(&mut Batch::default()).is_err());
    });
    // Unpacking needs its window of the text.
    assert!(peak < 2 * MB, "{peak} bytes at most");
}
