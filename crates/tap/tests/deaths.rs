//! What becomes of dead objects: they are forgotten, their numbers are used again, and no name is ever another's.

mod common;

use common::*;
use interloper_tap::{Jvm, log};
use interloper_trace::{Batch, Retired, Source, Validator, VarRange};

/// Two threads, and somebody else's log with word of the dead.
struct Logs {
    a: Log,
    b: Log,
    deaths: Log,
}

impl Logs {
    fn of(program: &Program) -> Logs {
        let mut logs = Logs { a: program.log(0), b: program.log(1), deaths: program.log(2) };
        logs.a.one(log::START, 0, 0);
        logs.b.one(log::START, 0, 1);
        logs
    }

    /// As the probe does it: after all that the others have written.
    fn die(&mut self, ids: [u32; 3]) {
        self.deaths.edge(&self.a);
        self.deaths.edge(&self.b);
        self.deaths.two(log::DEAD, 0, ids[0], u64::from(ids[2]) << 32 | u64::from(ids[1]));
    }

    /// What comes from now on comes after the deaths.
    fn wait(&mut self) {
        self.a.edge(&self.deaths);
        self.b.edge(&self.deaths);
    }
}

/// Reads all there is, and gives everything back at once that retires. The lines, in the names of their time.
fn lines_with_numbers_used_again(jvm: &mut Jvm) -> (Vec<String>, usize) {
    jvm.use_numbers_again();
    let mut validator = Validator::new(false);
    let (mut batch, mut all, mut retired) = (Batch::default(), vec![], 0);
    while jvm.next_batch(&mut batch).expect("no error") {
        let singles: Vec<_> = batch.events.iter().flat_map(|event| event.singles()).collect();
        all.extend(lines(jvm.names(), &singles));
        validator.check(&mut batch, jvm.names()).unwrap_or_else(|wrong| panic!("{wrong:?}"));
        let gone = jvm.take_retired();
        retired += gone.len();
        jvm.take_back(gone);
    }
    (all, retired)
}

/// Each round has an account, an array and a latch of its own, which both threads use, as a lock, too.
fn round(logs: &mut Logs, number: u32) {
    let [account, doubles, latch] = [1, 2, 3].map(|object| 3 * number + object);
    for (id, class) in [(account, ACCOUNT), (doubles, DOUBLES), (latch, LATCH)] {
        logs.a.two(log::OBJECT, 0, id, u64::from(class));
    }
    logs.a.one(log::ACCESS, WRITE, account);
    logs.a.two(log::ELEMENT, ELEMENT_WRITE, doubles, 100);
    logs.a.two(log::SIGNAL, CALL, latch, 1);
    logs.b.edge(&logs.a);
    logs.b.two(log::AWAIT, CALL, latch, 1);
    logs.b.one(log::ACQ, CALL, account);
    logs.b.one(log::ACCESS, READ, account);
    logs.b.two(log::ELEMENT, ELEMENT_READ, doubles, 3);
    logs.b.one(log::REL, CALL, account);
    logs.die([account, doubles, latch]);
    logs.wait();
}

fn expected(number: u32) -> [String; 8] {
    let n = number + 1;
    [
        format!("t0|w(Account#{n}.balance)"),
        format!("t0|w(double[]#{n}[100])"),
        format!("t0|vw(CountDownLatch#{n}.signal#1)"),
        format!("t1|vr(CountDownLatch#{n}.signal#1)"),
        format!("t1|acq(Account#{n})"),
        format!("t1|r(Account#{n}.balance)"),
        format!("t1|r(double[]#{n}[3])"),
        format!("t1|rel(Account#{n})"),
    ]
}

/// Writes rounds one after the other while they are read, so that what retires is given back in between.
fn play(rounds: u32, again: bool) -> (Vec<String>, Jvm) {
    let (program, mut jvm) = connected(16, 4);
    program.tell(2);
    let writer = std::thread::spawn(move || {
        let mut logs = Logs::of(&program);
        (0..rounds).for_each(|number| round(&mut logs, number));
        program.end();
    });
    let lines = match again {
        true => lines_with_numbers_used_again(&mut jvm).0,
        false => {
            let events = events(&mut jvm);
            lines(jvm.names(), &events)
        }
    };
    writer.join().expect("the writer is done");
    (lines, jvm)
}

#[test]
fn numbers_are_used_again_and_names_are_not() {
    const ROUNDS: u32 = 20_000;
    let (lines, jvm) = play(ROUNDS, true);
    let all: Vec<String> = (0..ROUNDS).flat_map(expected).collect();
    assert!(lines == all, "{:?}", lines.iter().zip(&all).find(|(a, b)| a != b));
    assert_eq!(jvm.facts().dead, u64::from(3 * ROUNDS));
    // As many as are there at a time: a batch is a few thousand rounds.
    let names = jvm.names();
    let most = ROUNDS as usize / 2;
    assert!(names.locks.len() < most, "{} locks", names.locks.len());
    assert!(names.vars.len() < most * 500, "{} variables", names.vars.len());
}

#[test]
fn without_being_asked_every_number_has_one_name() {
    const ROUNDS: u32 = 500;
    let (lines, jvm) = play(ROUNDS, false);
    assert_eq!(lines, (0..ROUNDS).flat_map(expected).collect::<Vec<_>>());
    assert_eq!(jvm.names().locks.len(), ROUNDS as usize);
}

/// What a compiler or a hostile program may do.
#[test]
fn whatever_is_said_of_the_dead_is_left_out_at_once() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(2);
    let mut logs = Logs::of(&program);
    for id in 1..=3 {
        logs.a.two(log::OBJECT, 0, id, u64::from([ACCOUNT, DOUBLES, LATCH][id as usize - 1]));
    }
    logs.a.one(log::ACCESS, WRITE, 1);
    logs.a.two(log::ELEMENT, ELEMENT_WRITE, 2, 0);
    logs.die([1, 2, 3]);
    logs.die([1, 77, 0]);
    logs.wait();
    logs.b.one(log::ACCESS, READ, 1);
    logs.b.one(log::ACQ, CALL, 1);
    logs.b.two(log::ELEMENT, ELEMENT_READ, 2, 0);
    logs.b.two(log::SIGNAL, CALL, 3, 1);
    logs.b.two(log::AWAIT, CALL, 3, 1);
    logs.b.one(log::ACCESS, READ, 77);
    logs.b.two(log::OBJECT, 0, 4, u64::from(ACCOUNT));
    logs.b.one(log::ACCESS, READ, 4);
    program.end();
    let before = std::time::Instant::now();
    let (lines, _) = lines_with_numbers_used_again(&mut jvm);
    assert!(before.elapsed().as_secs() < 5, "somebody has waited for the dead");
    let lines: Vec<&str> =
        lines.iter().map(String::as_str).filter(|it| !it.contains("begin")).collect();
    assert_eq!(lines[..2], ["t0|w(Account#1.balance)", "t0|w(double[]#1[0])"]);
    assert_eq!(lines[lines.len() - 1], "t1|r(Account#2.balance)");
    let facts = jvm.facts();
    assert_eq!((facts.dropped, facts.broken, facts.cut), (5, 0, 0));
}

/// A page that is at hand is forgotten like any other.
#[test]
fn elements_of_the_dead_are_left_out_also_if_they_were_used_just_before() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(2);
    let mut logs = Logs::of(&program);
    logs.a.two(log::OBJECT, 0, 1, u64::from(DOUBLES));
    logs.a.two(log::OBJECT, 0, 2, u64::from(DOUBLES));
    for index in 0..3 {
        logs.a.two(log::ELEMENT, ELEMENT_WRITE, 1, index);
    }
    logs.die([1, 0, 0]);
    logs.wait();
    logs.b.two(log::ELEMENT, ELEMENT_READ, 1, 0);
    logs.b.two(log::ELEMENT, ELEMENT_READ, 2, 0);
    program.end();
    let (lines, retired) = lines_with_numbers_used_again(&mut jvm);
    let written = [0, 1, 2].map(|index| format!("t0|w(double[]#1[{index}])"));
    assert_eq!(lines[..3], written);
    assert_eq!(lines[3..], ["t1|r(double[]#2[0])"]);
    assert_eq!((retired, jvm.facts().dropped), (1, 1));
}

/// An entry that grows is taken as far as it has grown before its array is forgotten.
#[test]
fn what_an_entry_has_grown_by_is_told_before_the_death() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(2);
    let mut logs = Logs::of(&program);
    logs.a.two(log::OBJECT, 0, 1, u64::from(DOUBLES));
    logs.a.two(log::ELEMENT, ELEMENT_WRITE, 1, 5);
    let entry = logs.a.last_word();
    let mut batch = Batch::default();
    assert!(jvm.next_batch(&mut batch).expect("no error"));
    assert_eq!(lines(jvm.names(), &batch.events), ["t0|w(double[]#1[5])"]);
    logs.a.set(entry, log::Run { index: 5, stride: 1, more: 2 }.pack());
    logs.die([1, 0, 0]);
    program.end();
    let (lines, retired) = lines_with_numbers_used_again(&mut jvm);
    assert_eq!(lines, [6, 7].map(|at| format!("t0|w(double[]#1[{at}])")));
    assert_eq!((retired, jvm.facts().dropped), (1, 0));
}

/// The release may be where no probe is; a barrier has a past that engines remember.
#[test]
fn locks_that_are_held_and_barriers_do_not_retire() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(2);
    let mut logs = Logs::of(&program);
    for id in 1..=3 {
        logs.a.two(log::OBJECT, 0, id, u64::from(ACCOUNT));
    }
    logs.a.one(log::ACQ, CALL, 1);
    logs.a.one(log::BARRIER, CALL, 2);
    logs.a.one(log::ACQ, CALL, 3);
    logs.a.one(log::REL, CALL, 3);
    logs.die([1, 2, 3]);
    program.end();
    jvm.use_numbers_again();
    let mut retired = Retired::default();
    while jvm.next_batch(&mut Batch::default()).expect("no error") {
        retired.extend(jvm.take_retired());
    }
    retired.extend(jvm.take_retired());
    assert_eq!(retired.vars, [] as [VarRange; 0]);
    let names: Vec<&str> =
        retired.locks.iter().map(|lock| jvm.names().locks.text(lock.0)).collect();
    assert_eq!(names, ["Account#3"]);
}
