//! What becomes of each kind of entry in a log.

mod common;

use common::*;
use interloper_tap::message::STOPPED;
use interloper_tap::{Jvm, Message, log};
use interloper_trace::{Batch, Source};
use std::time::Duration;

/// Lets `write` write logs as a JVM does, and gives the lines of the trace.
fn trace(write: impl FnOnce(&Program, &mut Log, &mut Log)) -> (Vec<String>, Jvm) {
    let (program, mut jvm) = connected(16, 4);
    program.tell(4);
    let (mut a, mut b) = (program.log(0), program.log(1));
    a.one(log::START, 0, 0);
    b.one(log::START, 0, 1);
    for (id, class) in [(1, ACCOUNT), (2, ACCOUNT), (3, DOUBLES), (4, LATCH)] {
        a.two(log::OBJECT, 0, id, u64::from(class));
    }
    write(&program, &mut a, &mut b);
    program.end();
    let events = events(&mut jvm);
    (lines(jvm.names(), &events), jvm)
}

#[test]
fn accesses_become_reads_and_writes_of_named_variables() {
    let (lines, jvm) = trace(|_, a, _| {
        a.one(log::ACCESS, READ, 1);
        a.one(log::ACCESS, WRITE, 2);
        a.one(log::ACCESS, WRITE, 1);
        a.one(log::ACCESS, VOLATILE_READ, 1);
        a.one(log::ACCESS, VOLATILE_WRITE, 1);
        a.one(log::ACCESS, FINAL_READ, 1);
        a.two(log::OBJECT, log::NO_SITE, 9, u64::from(log::STATIC));
        a.one(log::ACCESS, STATIC_WRITE, 9);
        a.one(log::ACCESS, UPDATE, 4);
        a.two(log::ELEMENT, ELEMENT_READ, 3, 17);
        a.two(log::ELEMENT, ELEMENT_WRITE, 3, 0);
    });
    let expected = [
        "t0|r(Account#1.balance)",
        "t0|w(Account#2.balance)",
        "t0|w(Account#1.balance)",
        "t0|vr(Account#1.flag)",
        "t0|vw(Account#1.flag)",
        "t0|w(Account.total)",
        "t0|rmw(CountDownLatch#1.value)",
        "t0|r(double[]#1[17])",
        "t0|w(double[]#1[0])",
    ];
    assert_eq!(lines, expected);
    let facts = jvm.facts();
    assert_eq!((facts.events, facts.dropped, facts.broken, facts.cut), (9, 0, 0, 0));
    assert!(!facts.is_cut_off());
}

#[test]
fn a_field_is_the_one_that_its_class_declares() {
    let (lines, _) = trace(|_, a, _| {
        a.one(log::ACCESS, INHERITED_WRITE, 1);
        a.one(log::ACCESS, VOLATILE_WRITE, 1);
        a.one(log::ACCESS, WRITE, 1);
        a.one(log::ACCESS, HIDDEN_WRITE, 1);
    });
    let expected = [
        "t0|vw(Account#1.flag)",
        "t0|vw(Account#1.flag)",
        "t0|w(Account#1.balance)",
        "t0|w(Account#1.balance(Base))",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn locations_are_those_of_stack_traces() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(1);
    let mut a = program.log(0);
    a.one(log::START, 0, 0);
    a.two(log::OBJECT, 0, 1, u64::from(ACCOUNT));
    a.one(log::BEGIN, 0, METHOD);
    a.one(log::ACCESS, READ, 1);
    a.one(log::END, 0, 0);
    program.end();
    let events = events(&mut jvm);
    let lines: Vec<String> = events.iter().map(|event| jvm.names().line(event)).collect();
    let expected = [
        "t0|begin(com.acme.Account.withdraw)|com.acme.Account.withdraw(Account.java:9)",
        "t0|r(Account#1.balance)|com.acme.Account.withdraw(Account.java:11)",
        "t0|end|com.acme.Account.withdraw(Account.java:9)",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn an_edge_holds_a_log_back() {
    let (lines, _) = trace(|_, a, b| {
        a.one(log::ACCESS, WRITE, 1);
        let position = b.position + 3;
        a.two(log::EDGE, 0, 1, position);
        a.one(log::ACCESS, READ, 2);
        for _ in 0..5 {
            b.one(log::ACCESS, WRITE, 2);
        }
    });
    let read = lines.iter().position(|line| line.starts_with("t0|r")).expect("the read");
    assert_eq!(lines[..read].iter().filter(|line| line.starts_with("t1|w")).count(), 3);
    assert_eq!(lines.len(), 7);
}

#[test]
fn made_numbers_come_in_order() {
    let (lines, _) = trace(|_, a, b| {
        a.one(log::SEEN, 0, 3);
        a.one(log::ACCESS, READ, 1);
        a.one(log::MAKE, 0, 4);
        a.one(log::ACCESS, READ, 1);
        b.one(log::MAKE, 0, 1);
        b.one(log::MAKE, 0, 2);
        b.one(log::ACCESS, WRITE, 1);
        b.one(log::MAKE, 0, 3);
        b.one(log::SEEN, 0, 4);
        b.one(log::ACCESS, WRITE, 1);
    });
    let short: Vec<&str> = lines.iter().map(|line| &line[..4]).collect();
    assert_eq!(short, ["t1|w", "t0|r", "t0|r", "t1|w"]);
}

#[test]
fn a_lock_has_one_holder_also_without_edges() {
    let (lines, jvm) = trace(|_, a, b| {
        b.one(log::ACQ, CALL, 1);
        b.one(log::ACQ, CALL, 1);
        b.one(log::WAIT, CALL, 1);
        a.one(log::ACQ, CALL, 1);
        a.one(log::NOTIFY, CALL, 1);
        a.one(log::REL, CALL, 1);
        a.one(log::REL, CALL, 1);
        b.one(log::ACQ, CALL, 1);
        b.one(log::REL, CALL, 1);
        b.one(log::REL, CALL, 1);
        b.one(log::BARRIER, CALL, 4);
    });
    assert_eq!(lines.len(), 10);
    assert_eq!(lines.last().map(String::as_str), Some("t1|barrier(CountDownLatch#1)"));
    assert!(lines.contains(&"t0|notify(Account#1)".to_string()));
    // The release of what is not held.
    assert_eq!(jvm.facts().dropped, 1);
}

#[test]
fn a_lock_that_was_released_out_of_sight_does_not_stop_others() {
    let (lines, jvm) = trace(|_, a, b| {
        a.one(log::ACQ, CALL, 1);
        b.edge(a);
        b.one(log::ACQ, CALL, 1);
        b.one(log::REL, CALL, 1);
        a.edge(b);
        a.one(log::REL, CALL, 1);
    });
    let expected =
        ["t0|acq(Account#1)", "t0|rel(Account#1)", "t1|acq(Account#1)", "t1|rel(Account#1)"];
    assert_eq!(lines, expected);
    assert_eq!((jvm.facts().cut, jvm.facts().broken, jvm.facts().dropped), (0, 0, 1));
}

#[test]
fn threads_start_end_and_are_joined() {
    let (lines, jvm) = trace(|_, a, b| {
        a.one(log::FORK, CALL, 2);
        b.one(log::EXIT, 0, 0);
        b.one(log::START, 0, 2);
        b.edge(a);
        b.one(log::BEGIN, 0, METHOD);
        b.one(log::ACQ, CALL, 1);
        b.one(log::ACCESS, WRITE, 1);
        b.one(log::EXIT, 0, 0);
        b.one(log::ACCESS, WRITE, 1);
        a.one(log::JOIN, CALL, 2);
        a.one(log::JOIN, CALL, 3);
        a.one(log::FORK, CALL, 3);
        a.one(log::FORK, CALL, 0);
    });
    let of = |thread: &str| -> Vec<String> {
        lines.iter().filter(|line| line.starts_with(thread)).cloned().collect()
    };
    assert_eq!(of("t1"), ["t1|exit"]);
    assert_eq!(of("t0"), ["t0|fork(t2)", "t0|join(t2)", "t0|join(t3)"]);
    let expected = [
        "t2|begin(com.acme.Account.withdraw)",
        "t2|acq(Account#1)",
        "t2|w(Account#1.balance)",
        "t2|rel(Account#1)",
        "t2|end",
        "t2|exit",
    ];
    assert_eq!(of("t2"), expected);
    assert_eq!((jvm.facts().dropped, jvm.facts().threads), (3, 3));
}

#[test]
fn a_join_waits_for_the_end_of_a_thread_that_has_begun() {
    let (lines, _) = trace(|_, a, b| {
        a.one(log::ACCESS, WRITE, 1);
        a.one(log::JOIN, CALL, 1);
        a.one(log::ACCESS, WRITE, 1);
        for _ in 0..5000 {
            b.one(log::ACCESS, WRITE, 2);
        }
        b.one(log::EXIT, 0, 0);
    });
    assert_eq!(lines[lines.len() - 3..], ["t1|exit", "t0|join(t1)", "t0|w(Account#1.balance)"]);
}

#[test]
fn threads_of_the_same_name_are_told_apart() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(1);
    for (uid, name) in [(1, "t0"), (2, ""), (3, "a|b\n")] {
        program.connection.send(&Message::Thread { uid, name: name.into() });
    }
    for uid in 0..4 {
        let mut log = program.log(uid);
        log.one(log::START, 0, uid);
        log.one(log::EXIT, 0, 0);
    }
    program.end();
    let events = events(&mut jvm);
    let mut lines = lines(jvm.names(), &events);
    lines.sort();
    assert_eq!(lines, ["a_b_|exit", "t0#1|exit", "t0|exit", "thread|exit"]);
}

#[test]
fn names_of_threads_end_somewhere() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(1);
    for uid in [1, 2] {
        program.connection.send(&Message::Thread { uid, name: "é".repeat(2000) });
    }
    for uid in 0..3 {
        let mut log = program.log(uid);
        log.one(log::START, 0, uid);
        log.one(log::EXIT, 0, 0);
    }
    program.end();
    let events = events(&mut jvm);
    let mut lines = lines(jvm.names(), &events);
    lines.sort();
    let short = "é".repeat(1000);
    let [one, other] = [format!("{short}…#2|exit"), format!("{short}…|exit")];
    assert_eq!(lines, ["t0|exit", &one, &other]);
}

#[test]
fn a_name_that_comes_a_little_late_is_waited_for() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(1);
    let mut logs = [program.log(0), program.log(1)];
    for (log, uid) in logs.iter_mut().zip(0..) {
        log.one(log::START, 0, uid);
        log.one(log::EXIT, 0, 0);
    }
    let agent = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        program.connection.send(&Message::Thread { uid: 1, name: "late".into() });
        program.end();
    });
    let events = events(&mut jvm);
    agent.join().expect("ended");
    assert_eq!(lines(jvm.names(), &events), ["t0|exit", "late|exit"]);
}

#[test]
fn signals_order_one_way() {
    let (lines, _) = trace(|_, a, b| {
        a.two(log::SIGNAL, CALL, 4, 1);
        a.two(log::SIGNAL, CALL, 4, 2);
        b.edge(a);
        b.two(log::AWAIT, CALL, 4, 2);
        b.two(log::AWAIT, CALL, 4, 1);
        b.two(log::AWAIT, CALL, 4, 0);
    });
    let expected = [
        "t0|vw(CountDownLatch#1.signal#1)",
        "t0|vw(CountDownLatch#1.signal#2)",
        "t1|vr(CountDownLatch#1.signal#2)",
        "t1|vr(CountDownLatch#1.signal#1)",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn who_uses_what_a_running_transaction_has_made_depends_on_it() {
    let births = |user: i32| (-1 - 10 * user) as u32;
    let (lines, jvm) = trace(|_, a, b| {
        for user in 0..3 {
            a.one(log::BEGIN, 0, METHOD);
            a.one(log::MAKES, 0, births(user));
            if user != 1 {
                b.edge(a);
                b.two(log::MADE_BY, 0, 1, u64::from(births(user) - 1) << 32);
                a.edge(b);
            }
            a.one(log::END, 0, 0);
        }
        b.edge(a);
        // It has ended by now; this one was read before; this has made nothing like that.
        b.two(log::MADE_BY, 0, 1, u64::from(births(1) - 5) << 32);
        b.two(log::MADE_BY, 0, 1, u64::from(births(2) - 5) << 32);
        b.two(log::MADE_BY, 0, 1, 0);
        // What is made outside of transactions is of none.
        a.one(log::MAKES, 0, births(3));
        b.edge(a);
        b.two(log::MADE_BY, 0, 1, u64::from(births(3) - 5) << 32);
        b.one(log::MAKES, 0, 0);
        // The thread itself, and nobody.
        b.two(log::MADE_BY, 0, 1, 1);
        b.two(log::MADE_BY, 0, 1, 99);
    });
    let accesses: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| line.contains("new objects")).collect();
    let expected = [
        "t0|vw(new objects of t0#1)",
        "t1|vr(new objects of t0#1)",
        "t0|vw(new objects of t0#2)",
        "t0|vw(new objects of t0#3)",
        "t1|vr(new objects of t0#3)",
        "t1|vr(new objects of t0#2)",
    ];
    assert_eq!(accesses, expected);
    assert_eq!(jvm.facts().dropped, 2);
}

#[test]
fn static_variables_and_entries_without_a_place_are_known() {
    let (lines, jvm) = trace(|_, a, _| {
        a.two(log::OBJECT, 0, 8, 0);
        a.one(log::ACCESS, STATIC_WRITE, 8);
        a.one(log::ACCESS, WRITE, 8);
        a.one(log::FORK, log::NO_SITE, 2);
    });
    assert_eq!(lines, ["t0|w(Account.total)", "t0|w(Account.balance)", "t0|fork(t2)"]);
    assert_eq!(jvm.facts().cut, 0);
}

#[test]
fn nothing_is_read_once_writers_were_told_to_stop() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(1);
    let mut a = program.log(0);
    a.one(log::START, 0, 0);
    a.one(log::EXIT, 0, 0);
    program.arena.stop();
    program.end();
    assert_eq!(events(&mut jvm), []);
    assert_eq!(jvm.facts().ended.as_deref(), Some("done"));
    assert!(jvm.facts().damaged.is_some() && jvm.facts().stopped.is_none());
}

#[test]
fn what_came_before_the_recorder_stopped_is_good_and_the_reason_is_told() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(1);
    let mut a = program.log(0);
    a.one(log::START, 0, 0);
    a.two(log::OBJECT, 0, 8, 0);
    a.one(log::ACCESS, STATIC_WRITE, 8);
    let mut batch = Batch::default();
    assert!(jvm.next_batch(&mut batch).expect("no error"));
    assert_eq!((batch.events.len(), jvm.facts().stopped), (1, None));
    a.one(log::EXIT, 0, 0);
    program.arena.stop_writing();
    program.connection.send(&Message::Note { text: format!("{STOPPED}too many threads") });
    program.end();
    assert_eq!(events(&mut jvm), []);
    let facts = jvm.facts();
    assert_eq!((facts.stopped.as_deref(), facts.notes_count), (Some("too many threads"), 0));
    assert!(facts.is_cut_off() && facts.damaged.is_none());
}

#[test]
fn an_object_named_in_another_log_is_waited_for() {
    let (lines, jvm) = trace(|_, a, b| {
        a.one(log::ACCESS, WRITE, 8);
        b.one(log::ACCESS, WRITE, 1);
        b.two(log::OBJECT, 0, 8, u64::from(ACCOUNT));
    });
    assert_eq!(lines, ["t1|w(Account#1.balance)", "t0|w(Account#2.balance)"]);
    assert_eq!(jvm.facts().cut, 0);
}

#[test]
fn what_was_never_told_is_cut_when_the_jvm_is_gone() {
    for write in [
        |a: &mut Log| a.one(log::ACCESS, 9999, 1),
        |a: &mut Log| a.one(log::ACCESS, WRITE, 99),
        |a: &mut Log| a.one(log::BEGIN, 0, 99),
        |a: &mut Log| a.two(log::EDGE, 0, 1, 1_000_000),
        |a: &mut Log| a.two(log::EDGE, 0, 99, 1),
        |a: &mut Log| a.one(log::MAKE, 0, 2),
        |a: &mut Log| a.one(log::SEEN, 0, 1),
    ] {
        let (lines, jvm) = trace(|_, a, b| {
            write(a);
            a.one(log::ACCESS, READ, 1);
            b.one(log::ACCESS, READ, 2);
        });
        assert_eq!(lines, ["t1|r(Account#1.balance)"]);
        assert_eq!(jvm.facts().cut, 1);
        assert!(jvm.facts().is_cut_off());
    }
}

#[test]
fn what_was_never_told_does_not_stop_a_living_jvm() {
    let (program, mut jvm) = connected(16, 4);
    jvm.set_patience(Duration::from_millis(50));
    program.tell(2);
    let (mut a, mut b) = (program.log(0), program.log(1));
    a.one(log::START, 0, 0);
    b.one(log::START, 0, 1);
    a.one(log::ACCESS, 9999, 1);
    a.one(log::BEGIN, 0, 99);
    a.two(log::EDGE, 0, 1, 1_000_000);
    b.one(log::MAKE, 0, 3);
    a.one(log::ACCESS, WRITE, 99);
    b.one(log::ACCESS, WRITE, 99);
    let ending = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        program.end();
    });
    let events = events(&mut jvm);
    ending.join().expect("ended");
    let mut lines = lines(jvm.names(), &events);
    lines.sort();
    assert_eq!(lines, ["t0|begin", "t0|w(Object#1.balance)", "t1|w(Object#1.balance)"]);
    assert_eq!((jvm.facts().broken, jvm.facts().cut), (5, 0));
}

#[test]
fn a_log_that_makes_no_sense_ends_and_the_program_goes_on() {
    for word in [u64::from(log::MAKES) + 1, 0xff, log::word(log::NEXT, 0, 99)] {
        let (program, mut jvm) = connected(16, 4);
        program.tell(1);
        let mut a = program.log(0);
        a.one(log::START, 0, 0);
        a.raw(word);
        a.one(log::EXIT, 0, 0);
        let arena = std::sync::Arc::clone(&program.arena);
        program.end();
        assert_eq!(events(&mut jvm), []);
        assert!(arena.is_stopped() && jvm.facts().damaged.is_some());
    }
}

#[test]
fn facts_tell_what_was_instrumented_and_counted() {
    let (program, mut jvm) = connected(16, 4);
    program.tell(1);
    let mut a = program.log(0);
    a.one(log::START, 0, 0);
    program.arena.count_blocks(0, 3);
    // More than the socket holds: the agent waits for the reader.
    let agent = std::thread::spawn(move || {
        for number in 0..2000 {
            let (what, reason) = (format!("C{number}"), "too large".into());
            program.connection.send(&Message::Skipped { what, reason });
        }
        program.connection.send(&Message::Note { text: "hm".into() });
        program.end();
    });
    events(&mut jvm);
    agent.join().expect("ended");
    let facts = jvm.facts();
    assert_eq!((facts.pid, facts.java.as_str(), facts.command.as_str()), (7, "21", "Main"));
    assert_eq!((facts.classes, facts.methods, facts.atomic_methods, facts.sites), (2, 1, 1, 32));
    assert_eq!((facts.skipped.len(), facts.skipped_count), (1000, 2000));
    assert_eq!((facts.notes.len(), facts.threads, facts.words), (1, 1, 1));
    assert_eq!((facts.blocks, facts.stopped), (3, None));
    assert_eq!(facts.ended.as_deref(), Some("done"));
}
