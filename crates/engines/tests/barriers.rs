//! Barriers: whoever goes on comes after the arrivals of all others in its round, and after nothing
//! else. And `escape`, which orders nothing.

mod common;

use common::suite::{engine_tests, expect};
use interloper_engines::{Checker, by_name};
use interloper_trace::{Source, open_reader};

engine_tests!(
    barrier_orders_a_round,
    barrier_outside_blocks_is_no_violation,
    barrier_inside_a_block_is_one,
    barrier_inside_a_block_alone,
    barrier_of_a_later_round,
    barrier_and_lock_of_one_name,
    two_barriers_at_once,
    arrival_right_after_an_arrival,
    cycle_closed_by_the_end_after_a_barrier,
    cycle_closed_by_the_exit_after_a_barrier,
    join_of_a_thread_at_a_barrier,
    second_join_of_a_thread_at_a_barrier,
    join_completes_a_round,
    escape_is_an_event_like_dummy,
);

/// What A did before the barrier comes before what B does after it, and that before A's read.
fn barrier_orders_a_round(engine: &str) {
    let text = "
        A|begin(a)|1
        A|barrier(b)|2
        B|barrier(b)|3
        B|w(x)|4                    # completes the round
        A|r(x)|5                    # 4
        A|end|6";
    expect(engine, text, &[(4, &["a"])]);
}

fn barrier_outside_blocks_is_no_violation(engine: &str) {
    let mut text = String::new();
    for round in 0..5 {
        for thread in ["A", "B", "C"] {
            let lines = format!(
                "{thread}|begin(work)|1
                 {thread}|r(x)|2
                 {thread}|w({thread}{round})|3
                 {thread}|end|4
                 {thread}|barrier(b)|5\n"
            );
            text.push_str(&lines);
        }
        text.push_str("B|w(x)|6\nB|barrier(b)|7\nA|barrier(b)|8\nC|barrier(b)|9\n");
    }
    expect(engine, &text, &[]);
}

/// Each block comes after the other's arrival and before what it does next.
fn barrier_inside_a_block_is_one(engine: &str) {
    let text = "
        A|begin(a)|1
        B|begin(b)|2
        A|barrier(m)|3
        B|barrier(m)|4
        A|w(x)|5                    # b before a
        B|w(y)|6                    # 5: a before b
        A|end|7
        B|end|8";
    expect(engine, text, &[(5, &[])]);
}

fn barrier_inside_a_block_alone(engine: &str) {
    let text = "
        A|begin(a)|1
        A|barrier(m)|2
        A|w(x)|3
        B|barrier(m)|4              # comes too late for that round
        B|w(y)|5
        A|r(y)|6
        A|end|7";
    expect(engine, text, &[]);
}

/// C arrives after B has gone on: it is of no round with A and B.
fn barrier_of_a_later_round(engine: &str) {
    let text = "
        A|begin(a)|1
        A|barrier(m)|2
        B|barrier(m)|3
        B|w(x)|4
        C|barrier(m)|5
        C|w(y)|6
        A|r(y)|7
        B|barrier(m)|8
        C|barrier(m)|9
        C|w(z)|10                   # after B's write, so after A's arrival
        A|r(z)|11                   # 10
        A|end|12";
    expect(engine, text, &[(10, &["a"])]);
}

fn barrier_and_lock_of_one_name(engine: &str) {
    let text = "
        A|begin(a)|1
        A|acq(m)|2
        A|barrier(m)|3
        A|rel(m)|4
        B|acq(m)|5
        B|barrier(m)|6
        B|rel(m)|7
        B|w(x)|8
        C|barrier(m)|9
        A|r(y)|10
        A|r(x)|11                   # 10: by the lock
        A|end|12";
    expect(engine, text, &[(10, &["a"])]);
}

fn two_barriers_at_once(engine: &str) {
    let text = "
        A|begin(a)|1
        A|barrier(m)|2
        C|barrier(n)|3
        B|barrier(m)|4
        D|barrier(n)|5
        D|w(x)|6
        C|w(x)|7
        A|r(x)|8                    # nothing leads from A to C and D
        B|w(y)|9
        A|r(y)|10                   # 9
        A|end|11";
    expect(engine, text, &[(9, &["a"])]);
}

/// A's second arrival shows that the first round is complete; B has gone on from that only.
fn arrival_right_after_an_arrival(engine: &str) {
    let text = "
        A|begin(a)|1
        A|barrier(m)|2
        B|barrier(m)|3
        A|begin(inner)|4
        A|barrier(m)|5
        B|w(x)|6
        A|r(x)|7                    # 6: from the first arrival, outside the inner block
        B|barrier(m)|8
        B|w(y)|9
        A|r(y)|10                   # 9: the same
        A|end|11
        A|end|12";
    expect(engine, text, &[(6, &["a"]), (9, &["a"])]);
}

/// B arrives after it has read what A wrote; A's next event, which depends on that, is its `end`.
fn cycle_closed_by_the_end_after_a_barrier(engine: &str) {
    let text = "
        A|begin(a)|1
        A|begin(inner)|2
        A|w(x)|3
        B|r(x)|4
        A|barrier(m)|5
        B|barrier(m)|6
        A|end|7                     # 6
        A|end|8
        A|begin(a)|9
        A|w(x)|10
        B|r(x)|11
        A|barrier(m)|12
        B|barrier(m)|13
        A|end|14                    # 13
        A|w(x)|15";
    expect(engine, text, &[(6, &["a", "inner"]), (13, &["a"])]);
}

fn cycle_closed_by_the_exit_after_a_barrier(engine: &str) {
    let text = "
        A|begin(a)|1
        A|w(x)|2
        B|r(x)|3
        B|barrier(m)|4
        A|barrier(m)|5
        A|exit|6                    # 5
        B|join(A)|7";
    expect(engine, text, &[(5, &["a"])]);
}

/// U has gone on from the barrier, for it has ended: its join comes after B's arrival.
fn join_of_a_thread_at_a_barrier(engine: &str) {
    let text = "
        A|begin(a)|1
        A|w(x)|2
        B|r(x)|3
        U|barrier(m)|4
        B|barrier(m)|5
        A|join(U)|6                 # 5
        A|end|7";
    expect(engine, text, &[(5, &["a"])]);
}

fn second_join_of_a_thread_at_a_barrier(engine: &str) {
    let text = "
        A|begin(a)|1
        A|w(x)|2
        B|r(x)|3
        U|barrier(m)|4
        B|barrier(m)|5
        C|join(U)|6
        N|fork(V)|7
        V|w(z)|8
        A|r(z)|9
        A|join(U)|10                # 9
        A|end|11";
    expect(engine, text, &[(9, &["a"])]);
}

fn join_completes_a_round(engine: &str) {
    let text = "
        U|barrier(m)|1
        M|join(U)|2
        A|begin(a)|3
        A|barrier(m)|4              # the next round, without U
        M|barrier(m)|5
        M|w(x)|6
        A|r(x)|7                    # 6
        A|end|8";
    expect(engine, text, &[(6, &["a"])]);
}

/// Also where it is the last that a joined thread did.
fn escape_is_an_event_like_dummy(engine: &str) {
    let text = "
        A|begin(a)|1
        A|escape(o)|2
        B|w(o)|3
        B|escape(o)|4
        A|r(x)|5
        A|fork(U)|6
        U|escape(o)|7
        A|join(U)|8                 # 7
        A|end|9";
    expect(engine, text, &[(7, &["a"])]);
}

/// What a report says of a dependence: the barrier, unless it is that the thread itself has ended.
#[test]
fn barriers_have_their_words() {
    for engine in ["frontier", "velodrome", "velodrome-unmerged"] {
        let reasons = |text: &'static str| -> Vec<String> {
            let input = open_reader("test", text.as_bytes(), None, false).expect("text");
            let mut checker = Checker::new(by_name(engine));
            let mut source = input.source;
            checker.run(&mut source).expect("a trace");
            let outcomes = checker.outcomes(source.names());
            outcomes[0].findings[0].edges.iter().map(|edge| edge.reason.clone()).collect()
        };
        let after = "A|begin(a)|1\nA|barrier(b)|2\nB|barrier(b)|3\nB|w(x)|4\nA|r(x)|5\n";
        assert_eq!(reasons(after), ["barrier b", "write before read of x"]);
        let joined =
            "A|begin(a)|1\nA|w(x)|2\nB|r(x)|3\nU|barrier(b)|4\nB|barrier(b)|5\nA|join(U)|6\n";
        let told = reasons(joined);
        assert_eq!(told.first().map(String::as_str), Some("write before read of x"));
        assert_eq!(told.last().map(String::as_str), Some("barrier b"));
        let ended = "A|begin(a)|1\nA|w(x)|2\nU|r(x)|3\nU|barrier(b)|4\nA|join(U)|5\n";
        assert_eq!(reasons(ended).last().map(String::as_str), Some("thread U ends"));
    }
}
