//! Entries for array elements that grow while they are read.

mod common;

use common::*;
use interloper_tap::Arena;
use interloper_tap::log::{self, Run};
use interloper_trace::{Batch, Event, Op, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Reads of `double[]#1`, as the lines of the trace say it.
fn reads(thread: u32, elements: impl Iterator<Item = u32>) -> Vec<String> {
    elements.map(|element| format!("t{thread}|r(double[]#1[{element}])")).collect()
}

fn array(program: &Program) -> (Log, Log) {
    program.tell(2);
    let (mut a, mut b) = (program.log(0), program.log(1));
    a.one(log::START, 0, 0);
    b.one(log::START, 0, 1);
    a.two(log::OBJECT, 0, 3, u64::from(DOUBLES));
    (a, b)
}

#[test]
fn an_entry_stands_for_all_its_elements() {
    let (program, mut jvm) = connected(16, 4);
    let (mut a, _) = array(&program);
    a.two(log::ELEMENT, ELEMENT_READ, 3, Run { index: 60, stride: 3, more: 20 }.pack());
    a.two(log::ELEMENT, ELEMENT_READ, 3, Run { index: 9, stride: -4, more: 2 }.pack());
    program.end();
    let events = events(&mut jvm);
    let expected = (60..=120).step_by(3).chain([9, 5, 1]);
    assert_eq!(lines(jvm.names(), &events), reads(0, expected));
}

#[test]
fn elements_beyond_all_arrays_are_no_events() {
    let (program, mut jvm) = connected(16, 4);
    let (mut a, _) = array(&program);
    a.two(log::ELEMENT, ELEMENT_READ, 3, Run { index: 1, stride: -1, more: 5 }.pack());
    a.two(log::ELEMENT, ELEMENT_READ, 3, u64::MAX);
    a.two(log::ELEMENT, ELEMENT_READ, 3, 4);
    program.end();
    let events = events(&mut jvm);
    assert_eq!(lines(jvm.names(), &events).last(), reads(0, 4..5).last());
}

#[test]
fn what_an_entry_grows_by_comes_before_whoever_takes_the_array_over() {
    let (program, mut jvm) = connected(16, 4);
    let (mut a, mut b) = array(&program);
    a.two(log::ELEMENT, ELEMENT_READ, 3, 7);
    let entry = a.last_word();
    let (mut batch, mut all) = (Batch::default(), Vec::<Event>::new());
    assert!(jvm.next_batch(&mut batch).expect("no error"));
    all.extend(batch.events.iter().flat_map(|event| event.singles()));
    a.set(entry, Run { index: 7, stride: 1, more: 2 }.pack());
    b.edge(&a);
    b.two(log::ELEMENT, ELEMENT_WRITE, 3, 8);
    while !all.iter().any(|event| event.op == Op::Write) {
        assert!(jvm.next_batch(&mut batch).expect("no error"));
        all.extend(batch.events.iter().flat_map(|event| event.singles()));
    }
    // It does not belong to what was taken over: so it may still grow.
    a.set(entry, Run { index: 7, stride: 1, more: 3 }.pack());
    a.one(log::EXIT, 0, 0);
    program.end();
    while jvm.next_batch(&mut batch).expect("no error") {
        all.extend(batch.events.iter().flat_map(|event| event.singles()));
    }
    let expected =
        [reads(0, 7..10), vec!["t1|w(double[]#1[8])".to_string()], reads(0, 10..11)].concat();
    let lines: Vec<String> = lines(jvm.names(), &all);
    assert_eq!(lines[..5], expected);
}

/// What was read before, and has grown since, belongs to the block that was open then.
#[test]
fn growth_comes_before_a_block_within_the_block_begins_or_ends() {
    let (program, mut jvm) = connected(16, 4);
    let (mut a, _) = array(&program);
    a.one(log::BEGIN, 0, METHOD);
    let (mut batch, mut all) = (Batch::default(), Vec::<Event>::new());
    for (index, next) in [(7, log::BEGIN), (20, log::END), (40, log::END)] {
        a.two(log::ELEMENT, ELEMENT_READ, 3, u64::from(index));
        assert!(jvm.next_batch(&mut batch).expect("no error"));
        all.extend(batch.events.iter().flat_map(|event| event.singles()));
        a.set(a.last_word(), Run { index, stride: 1, more: 2 }.pack());
        a.one(next, 0, METHOD);
    }
    program.end();
    while jvm.next_batch(&mut batch).expect("no error") {
        all.extend(batch.events.iter().flat_map(|event| event.singles()));
    }
    let ops: Vec<(Op, usize)> = all
        .chunk_by(|one, other| one.op == other.op)
        .map(|same| (same[0].op, same.len()))
        .collect();
    let (begin, end, reads) = ((Op::Begin, 1), (Op::End, 1), (Op::Read, 3));
    assert_eq!(ops, [begin, reads, begin, reads, end, reads, end]);
}

/// Outside of blocks, what was done first must not come after what the thread depends on later, however late it is read.
#[test]
fn growth_outside_of_blocks_comes_before_whatever_follows() {
    for next in [log::EDGE, log::SEEN, log::ELEMENT, log::ACCESS] {
        let (program, mut jvm) = connected(16, 4);
        let (mut a, mut b) = array(&program);
        a.two(log::OBJECT, 0, 5, u64::from(ACCOUNT));
        b.two(log::ELEMENT, ELEMENT_WRITE, 3, 50);
        b.one(log::MAKE, 0, 1);
        a.two(log::ELEMENT, ELEMENT_READ, 3, 7);
        let (mut batch, mut all) = (Batch::default(), Vec::<Event>::new());
        while all.len() < 2 {
            assert!(jvm.next_batch(&mut batch).expect("no error"));
            all.extend(batch.events.iter().flat_map(|event| event.singles()));
        }
        a.set(a.last_word(), Run { index: 7, stride: 1, more: 2 }.pack());
        match next {
            log::EDGE => a.two(next, 0, 1, 3),
            log::SEEN => a.one(next, 0, 1),
            _ => {}
        }
        let last = match next {
            log::ACCESS => {
                a.one(log::ACCESS, READ, 5);
                "t0|r(Account#1.balance)"
            }
            _ => {
                a.two(log::ELEMENT, ELEMENT_READS.start, 3, 50);
                "t0|r(double[]#1[50])"
            }
        };
        program.end();
        while jvm.next_batch(&mut batch).expect("no error") {
            all.extend(batch.events.iter().flat_map(|event| event.singles()));
        }
        let lines: Vec<String> = lines(jvm.names(), &all).split_off(2);
        assert_eq!(lines, [reads(0, 8..10), vec![last.to_string()]].concat());
    }
}

#[test]
fn growth_is_not_lost_when_the_jvm_is_killed() {
    let (program, mut jvm) = connected(16, 4);
    let (mut a, _) = array(&program);
    a.two(log::ELEMENT, ELEMENT_READ, 3, 7);
    let entry = a.last_word();
    let mut batch = Batch::default();
    assert!(jvm.next_batch(&mut batch).expect("no error"));
    a.set(entry, Run { index: 7, stride: 2, more: 2 }.pack());
    drop(program);
    let rest = events_after(&mut jvm, 1);
    assert_eq!(lines(jvm.names(), &rest), reads(0, [9, 11].into_iter()));
}

fn events_after(jvm: &mut interloper_tap::Jvm, first: u64) -> Vec<Event> {
    let (mut batch, mut all) = (Batch::default(), Vec::new());
    while jvm.next_batch(&mut batch).expect("no error") {
        assert_eq!(batch.first, first + all.len() as u64);
        all.extend(batch.events.iter().flat_map(|event| event.singles()));
    }
    all
}

/// Blocks of two threads that go through one array, at random; it is one thread's at a time.
struct Simulator {
    random: Random,
    logs: [Log; 2],
    owner: usize,
    /// The block each thread is in, and the entries that may grow there, by site.
    block: [u32; 2],
    open: [BTreeMap<u32, (usize, Run)>; 2],
    /// What was done in truth: thread, block, operation, element.
    real: Vec<(usize, u32, Op, u32)>,
}

impl Simulator {
    fn step(&mut self) {
        let thread = self.random.below(2) as usize;
        if self.random.below(20) == 0 {
            self.open[thread].clear();
            self.logs[thread].one(log::END, 0, 0);
            self.logs[thread].one(log::BEGIN, 0, METHOD);
            self.block[thread] += 1;
        }
        if self.owner != thread {
            // The edge begins a new region for the one who takes, and nothing for the other.
            let position = self.logs[self.owner].position;
            self.logs[thread].two(log::EDGE, 0, self.owner as u32, position);
            self.open[thread].clear();
            self.owner = thread;
        }
        for _ in 0..self.random.below(12) {
            self.access(thread);
        }
    }

    fn access(&mut self, thread: usize) {
        let (site, op) = match self.random.below(2) {
            0 => (ELEMENT_READ, Op::Read),
            _ => (ELEMENT_WRITE, Op::Write),
        };
        // No entry grows once its log goes on in another chunk.
        let chunk = self.logs[thread].last_word() / Arena::CHUNK_WORDS;
        self.open[thread].retain(|_, (entry, _)| *entry / Arena::CHUNK_WORDS == chunk);
        let next = self.open[thread].get(&site).and_then(|(_, run)| run.element(run.more + 1));
        let log = &mut self.logs[thread];
        let element = match next {
            Some(next) if self.random.below(8) > 0 && next < 200 => {
                let (entry, run) = self.open[thread].get_mut(&site).expect("it has a next");
                run.more += 1;
                log.set(*entry, run.pack());
                next
            }
            _ => {
                let element = self.random.below(100);
                let stride = self.random.below(4) as i8 - 1;
                let run = Run { index: element, stride, more: 0 };
                log.two(log::ELEMENT, site, 3, run.pack());
                self.open[thread].insert(site, (log.last_word(), run));
                element
            }
        };
        self.real.push((thread, self.block[thread], op, element));
    }
}

/// Which block of the other thread comes after which by a conflict.
fn conflicts(acts: &[(usize, u32, Op, u32)]) -> BTreeSet<[(usize, u32); 2]> {
    let mut result = BTreeSet::new();
    for (at, &(thread, block, op, element)) in acts.iter().enumerate() {
        for &(before, earlier, its, same) in &acts[..at] {
            if same == element && before != thread && (op, its) != (Op::Read, Op::Read) {
                result.insert([(before, earlier), (thread, block)]);
            }
        }
    }
    result
}

#[test]
fn the_trace_has_the_conflicts_of_the_execution() {
    for seed in 0..cases(60) {
        let (program, mut jvm) = connected(64, 2);
        let (mut a, mut b) = array(&program);
        a.one(log::BEGIN, 0, METHOD);
        b.one(log::BEGIN, 0, METHOD);
        let (random, open) = (Random(seed), Default::default());
        let mut simulator =
            Simulator { random, logs: [a, b], owner: 0, block: [0; 2], open, real: vec![] };
        let writer = std::thread::spawn(move || {
            for _ in 0..150 {
                simulator.step();
                // Sometimes the reader comes to see what is half done.
                if simulator.random.below(4) == 0 {
                    std::thread::sleep(std::time::Duration::from_micros(60));
                }
            }
            program.end();
            simulator.real
        });
        let events = events(&mut jvm);
        let real = writer.join().expect("the writer ends");
        let (mut block, mut acts) = ([0; 2], vec![]);
        for event in &events {
            let thread = event.thread.index();
            match event.op {
                Op::End => block[thread] += 1,
                Op::Read | Op::Write => {
                    let name = jvm.names().vars.text(event.operand);
                    let element = name.trim_start_matches("double[]#1[").trim_end_matches(']');
                    let element = element.parse().expect("an index");
                    acts.push((thread, block[thread], event.op, element));
                }
                _ => {}
            }
        }
        assert_eq!(conflicts(&acts), conflicts(&real), "seed {seed}");
    }
}
