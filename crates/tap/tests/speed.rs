//! How many words a second the merger reads. Run with `--release -- --ignored --nocapture`.

mod common;

use common::*;
use interloper_tap::log::Run;
use interloper_tap::{Arena, log};
use interloper_trace::{Batch, Source};

/// The time that this thread has had on a processor, in seconds: others may be busy too.
fn cpu_time() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").expect("schedstat");
    let nanoseconds = times.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.expect("a number") / 1e9
}

/// Reads logs that are written already, and says how long it took.
fn measure(what: &str, objects: u32, write: impl Fn(&mut [Log], u32)) {
    const SLOTS: u32 = 4;
    let (program, mut jvm) = connected(Arena::CHUNKS, Arena::SLOTS);
    program.tell(SLOTS);
    let mut logs: Vec<Log> = (0..SLOTS).map(|slot| program.log(slot)).collect();
    for (log, uid) in logs.iter_mut().zip(0..) {
        log.one(log::START, 0, uid);
    }
    for id in 1..=objects {
        let class = if id % 2 == 0 { DOUBLES } else { ACCOUNT };
        logs[0].two(log::OBJECT, 0, id, u64::from(class));
    }
    let mut step = 0;
    while logs.iter().map(|log| log.position).sum::<u64>() < 20_000_000 {
        write(&mut logs, step);
        step += 1;
    }
    program.end();
    let start = cpu_time();
    let mut batch = Batch::default();
    while jvm.next_batch(&mut batch).expect("no error") {}
    let seconds = cpu_time() - start;
    let (words, events) = (jvm.facts().words as f64 / 1e6, jvm.facts().events as f64 / 1e6);
    assert_eq!((jvm.facts().broken, jvm.facts().cut, jvm.facts().dropped), (0, 0, 0));
    println!(
        "{what}: {:.1} million words/s, {:.1} million events/s",
        words / seconds,
        events / seconds
    );
}

fn accesses(log: &mut Log, objects: u32, from: u32, count: u32) {
    for number in from..from + count {
        let id = 1 + (number.wrapping_mul(0x9E37_79B1) >> 8) % (objects / 2) * 2;
        log.one(log::ACCESS, MANY + number % (2 * FIELDS), id);
    }
}

#[test]
#[ignore = "a measurement"]
fn words_a_second() {
    for objects in [100, 1000, 100_000] {
        measure(&format!("accesses of {} fields", objects * 4), objects, |logs, step| {
            accesses(&mut logs[(step % 4) as usize], objects, step * 500, 500);
        });
    }
    measure("array elements", 1000, |logs, step| {
        let log = &mut logs[(step % 4) as usize];
        for number in 0..500 {
            let id = 2 + (number + step) % 500 * 2;
            log.two(log::ELEMENT, ELEMENT_WRITE, id, u64::from(number % 8));
        }
    });
    measure("blocks of 8 accesses", 1000, |logs, step| {
        let log = &mut logs[(step % 4) as usize];
        log.one(log::BEGIN, 0, METHOD);
        accesses(log, 1000, step * 8, 8);
        log.one(log::END, 0, 0);
    });
    measure("rows of a matrix, each a block within a block", 10, |logs, step| {
        let log = &mut logs[(step / 1000 % 4) as usize];
        if step.is_multiple_of(1000) {
            log.one(log::BEGIN, 0, METHOD);
        }
        let (row, run) = (step % 20_000, |index, more| Run { index, stride: 1, more }.pack());
        log.one(log::BEGIN, 0, METHOD);
        let runs = [(2, run(row, 1)), (4, run(12 * row, 11)), (6, run(12 * row, 11))];
        for (site, (id, run)) in ELEMENT_READS.zip(runs) {
            log.two(log::ELEMENT, site, id, run);
        }
        for far in 0..3 {
            log.two(log::ELEMENT, ELEMENT_READ, 8, u64::from((7919 * row + far) % 20_000));
        }
        log.one(log::END, 0, 0);
        if step % 1000 == 999 {
            log.one(log::END, 0, 0);
        }
    });
    measure("a lock, an edge and 4 accesses a turn", 1000, |logs, step| {
        let (slot, other) = ((step % 4) as usize, ((step + 3) % 4) as usize);
        let (to, position) = (logs[other].slot, logs[other].position);
        let log = &mut logs[slot];
        log.two(log::EDGE, 0, to, position);
        log.one(log::ACQ, CALL, 1);
        accesses(log, 1000, step * 4, 4);
        log.one(log::REL, CALL, 1);
    });
    measure("a number made and 4 reads a turn", 1000, |logs, step| {
        let log = &mut logs[(step * 7 % 4) as usize];
        log.one(log::MAKE, 0, step + 1);
        accesses(log, 1000, step * 4, 4);
    });
}
