//! Logs that no program writes: whatever is in them, the stream is one that the validator accepts, and it ends.

mod common;

use common::*;
use interloper_tap::{Jvm, log};

/// Entries of all kinds in no order, with small numbers, so that much of it fits together by chance.
fn write(log: &mut Log, random: &mut Random, entries: u32) {
    log.one(log::START, 0, log.slot);
    for _ in 0..entries {
        let tag = 1 + random.below(u32::from(log::DEAD)) as u8;
        let (site, id) = (random.below(13), random.below(7));
        match tag {
            log::NEXT => {}
            // Most of what these demand is never met.
            log::EDGE | log::MAKE | log::SEEN if random.below(50) > 0 => {}
            log::ACCESS => log.one(tag, site, 1 + id % 4),
            log::ELEMENT => log.two(tag, site, 3, u64::from(random.below(3))),
            log::EDGE => log.two(tag, 0, id % 4, u64::from(random.below(2 * entries))),
            log::MAKE | log::SEEN => log.one(tag, 0, random.below(4)),
            log::BEGIN => log.one(tag, 0, 1),
            log::END => log.one(tag, 0, 0),
            log::OBJECT => log.two(tag, 0, 1 + id % 5, u64::from(random.below(4))),
            log::SIGNAL | log::AWAIT => log.two(tag, CALL, 1 + id % 4, u64::from(random.below(9))),
            log::MADE_BY => {
                let birth = u64::from(random.below(9)) << 32;
                log.two(tag, 0, 1 + id % 4, birth | u64::from(random.below(6)));
            }
            log::MAKES => log.one(tag, 0, random.below(9)),
            log::DEAD if random.below(100) > 0 => {}
            log::DEAD => {
                let others = u64::from(random.below(7)) << 32 | u64::from(random.below(7));
                log.two(tag, 0, id, others);
            }
            log::START | log::EXIT | log::JOIN if random.below(20) > 0 => {}
            log::START | log::EXIT | log::JOIN | log::FORK => log.one(tag, CALL, id % 5),
            _ => log.one(tag, CALL, 1 + id % 4),
        }
    }
}

fn read_nonsense(seed: u64, torn: bool) -> Jvm {
    let (program, mut jvm) = connected(64, 3);
    if seed.is_multiple_of(2) {
        jvm.use_numbers_again();
    }
    program.tell(5);
    let mut random = Random(seed);
    let mut logs = [program.log(0), program.log(1), program.log(2)];
    for id in 1..5 {
        logs[0].two(log::OBJECT, 0, id, u64::from(1 + id % 3));
    }
    for log in &mut logs {
        let entries = 1 + random.below(300);
        write(log, &mut random, entries);
        if torn {
            log.raw(random.below(u32::MAX).into());
        }
    }
    program.end();
    events(&mut jvm);
    jvm
}

#[test]
fn entries_in_no_order_make_a_valid_trace() {
    let mut all = 0;
    for seed in 0..cases(500) {
        all += read_nonsense(seed, false).facts().events;
    }
    assert!(all > 50_000, "{all} events in all");
}

#[test]
fn words_that_are_no_entries_end_the_stream() {
    for seed in 0..cases(300) {
        read_nonsense(seed, true);
    }
}
