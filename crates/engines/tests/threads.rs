//! Threads that start late, end early, and leave their place to others. An engine may use what it
//! keeps of an ended thread for a new one; done too early, or by halves, that invents order (a
//! false alarm) or loses it (a missed violation).

mod common;

use common::suite::{engine_tests, expect};
use std::fmt::Write;

engine_tests!(
    new_thread_is_not_taken_for_the_ended_one,
    new_thread_after_exit_is_not_taken_for_the_ended_one,
    cycle_through_an_ended_thread_is_found_after_a_new_one_started,
    old_writes_are_not_taken_for_those_of_the_new_thread,
    old_reads_are_not_taken_for_those_of_the_new_thread,
    old_release_is_not_taken_for_one_of_the_new_thread,
    second_join_of_an_ended_thread,
    second_join_closes_a_cycle,
    unfinished_block_of_a_joined_thread_is_over,
    unfinished_block_of_a_joined_thread_still_counts,
    unfinished_block_after_exit,
    fork_inside_a_block,
    fork_and_join_inside_a_block,
    fork_of_a_thread_that_does_nothing,
    join_of_a_thread_whose_last_event_is_outside_blocks,
    join_of_a_thread_whose_last_event_is_a_fork,
    join_of_a_thread_whose_last_event_is_a_join,
    join_in_a_later_transaction_is_no_violation,
    joined_by_a_child,
    late_fork_inherits_what_came_before,
    many_phases_of_short_threads_under_one_transaction,
    many_phases_of_short_threads_without_one,
);

/// U ends while A reaches it; V, started by a thread that knows nothing of U, is no U.
fn new_thread_is_not_taken_for_the_ended_one(engine: &str) {
    let text = "
        M|fork(U)|1
        A|begin(a)|2
        A|w(x)|3
        U|r(x)|4
        M|join(U)|5
        W|fork(V)|6
        V|w(z)|7
        A|r(z)|8
        A|end|9";
    expect(engine, text, &[]);
}

fn new_thread_after_exit_is_not_taken_for_the_ended_one(engine: &str) {
    let text = "
        A|begin(a)|2
        A|w(x)|3
        U|begin(u)|4
        U|r(x)|4
        U|end|4
        U|exit|5
        W|fork(V)|6
        V|begin(v)|7
        V|w(z)|7
        V|end|7
        V|exit|7
        W|join(V)|7
        A|r(z)|8
        W|w(y)|9
        A|r(y)|10
        A|end|11";
    expect(engine, text, &[]);
}

fn cycle_through_an_ended_thread_is_found_after_a_new_one_started(engine: &str) {
    let text = "
        M|fork(U)|1
        A|begin(a)|2
        A|w(x)|3
        U|r(x)|4
        U|w(y)|5
        M|join(U)|6
        W|fork(V)|7
        V|w(z)|8
        V|w(q)|9
        A|r(z)|10
        A|r(y)|11                   # 10: A, U, A
        M|w(p)|12
        A|r(p)|13                   # 12: A, U, M, A
        A|end|14";
    expect(engine, text, &[(10, &["a"]), (12, &["a"])]);
}

fn old_writes_are_not_taken_for_those_of_the_new_thread(engine: &str) {
    let text = "
        M|fork(U)|1
        U|w(y)|2
        U|exit|3
        M|join(U)|4
        M|fork(V)|5
        A|begin(a)|6
        A|w(x)|7
        V|r(x)|8
        A|r(y)|9                    # U's, from before
        A|end|10";
    expect(engine, text, &[]);
}

fn old_reads_are_not_taken_for_those_of_the_new_thread(engine: &str) {
    let text = "
        M|fork(U)|1
        U|begin(u)|2
        U|r(y)|2
        U|end|2
        M|join(U)|4
        M|fork(V)|5
        A|begin(a)|6
        A|w(x)|7
        V|begin(v)|8
        V|r(x)|8
        A|w(y)|9                    # U read it, V did not
        V|end|8
        A|end|10
        B|begin(b)|6
        B|w(x)|7
        V|r(x)|8
        V|r(y)|8
        B|w(y)|9                    # 17: this time V did
        B|end|10";
    expect(engine, text, &[(17, &["b"])]);
}

fn old_release_is_not_taken_for_one_of_the_new_thread(engine: &str) {
    let text = "
        M|fork(U)|1
        U|acq(m)|2
        U|rel(m)|2
        M|join(U)|4
        M|fork(V)|5
        A|begin(a)|6
        A|w(x)|7
        V|r(x)|8
        A|acq(m)|9
        A|rel(m)|9
        A|end|10";
    expect(engine, text, &[]);
}

fn second_join_of_an_ended_thread(engine: &str) {
    let text = "
        M|fork(U)|1
        U|w(y)|2
        M|join(U)|4
        M|fork(V)|5
        A|begin(a)|6
        A|w(x)|7
        V|r(x)|8
        A|join(U)|9                 # U, not V
        A|end|10";
    expect(engine, text, &[]);
}

fn second_join_closes_a_cycle(engine: &str) {
    let text = "
        M|fork(U)|1
        A|begin(a)|2
        A|w(x)|3
        U|r(x)|4
        U|exit|5
        M|join(U)|6
        W|fork(V)|7
        V|w(z)|8
        A|r(z)|9
        A|join(U)|10                # 9
        A|end|11";
    expect(engine, text, &[(9, &["a"])]);
}

/// U's block will never end; V begins one of its own in its place.
fn unfinished_block_of_a_joined_thread_is_over(engine: &str) {
    let text = "
        M|fork(U)|1
        U|begin(u)|2
        U|begin(inner)|2
        U|w(x)|3
        M|join(U)|4
        N|r(x)|5
        N|w(y)|6
        W|fork(V)|7
        V|r(y)|8                    # outside blocks, and not in U's
        V|begin(v)|9
        V|r(y)|10
        V|w(z)|11
        N|r(z)|12
        N|w(q)|13
        V|r(q)|14                   # 14
        V|end|15";
    expect(engine, text, &[(14, &["v"])]);
}

/// What U's block did before it was cut off binds as ever.
fn unfinished_block_of_a_joined_thread_still_counts(engine: &str) {
    let text = "
        M|fork(U)|1
        A|begin(a)|2
        A|w(x)|3
        U|begin(u)|4
        U|w(y)|5
        U|r(x)|6
        M|join(U)|7
        W|fork(V)|8
        V|begin(v)|9
        V|w(z)|10
        A|r(z)|11
        A|r(y)|12                   # 11: through u, which could have run later
        M|w(p)|13
        A|r(p)|14                   # 13: through M, which could not
        A|end|15";
    expect(engine, text, &[(11, &[]), (13, &["a"])]);
}

fn unfinished_block_after_exit(engine: &str) {
    let text = "
        U|begin(u)|1
        U|r(x)|2
        U|exit|3
        N|w(x)|4
        N|fork(V)|5
        V|begin(v)|6
        V|w(y)|7
        V|end|8
        N|join(V)|9
        N|join(U)|10
        N|fork(T)|11
        T|begin(t)|12
        T|w(x)|13
        T|end|14
        N|join(T)|15";
    expect(engine, text, &[]);
}

fn fork_inside_a_block(engine: &str) {
    let text = "
        A|begin(a)|1
        A|begin(inner)|2
        A|fork(V)|3
        A|end|4
        V|w(x)|5
        A|r(x)|6                    # 5
        A|end|7";
    expect(engine, text, &[(5, &["a"])]);
}

fn fork_and_join_inside_a_block(engine: &str) {
    let text = "
        A|begin(a)|1
        A|fork(V)|2
        V|begin(v)|3
        V|end|4
        A|begin(inner)|5
        A|join(V)|6                 # 5
        A|end|7
        A|end|8";
    expect(engine, text, &[(5, &["a"])]);
}

fn fork_of_a_thread_that_does_nothing(engine: &str) {
    let text = "
        A|begin(a)|1
        A|fork(V)|2
        A|join(V)|3
        A|fork(W)|4
        B|join(W)|5
        B|fork(U)|6
        U|w(x)|7
        A|r(x)|8
        A|end|9";
    expect(engine, text, &[]);
}

fn join_of_a_thread_whose_last_event_is_outside_blocks(engine: &str) {
    let text = "
        M|fork(U)|1
        A|begin(a)|2
        A|r(x)|3
        U|begin(u)|4
        U|w(x)|5
        U|end|6
        U|dummy|7
        A|join(U)|8                 # 7
        A|end|9";
    expect(engine, text, &[(7, &["a"])]);
}

/// The event that a join depends on is told as it was, with the thread it started.
fn join_of_a_thread_whose_last_event_is_a_fork(engine: &str) {
    let text = "
        Z|w(z)|0
        A|begin(a)|1
        A|fork(U)|2
        U|fork(V)|3
        A|join(U)|4                 # 4
        A|end|5
        V|w(x)|6";
    expect(engine, text, &[(4, &["a"])]);
}

fn join_of_a_thread_whose_last_event_is_a_join(engine: &str) {
    let text = "
        Z|w(z)|0
        A|begin(a)|1
        A|fork(U)|2
        U|fork(V)|3
        V|begin(v)|4
        U|join(V)|5
        A|join(U)|6                 # 6
        A|join(V)|7                 # 7
        A|end|8";
    expect(engine, text, &[(6, &["a"]), (7, &["a"])]);
}

fn join_in_a_later_transaction_is_no_violation(engine: &str) {
    let text = "
        A|begin(a)|1
        A|fork(U)|2
        A|end|3
        U|begin(u)|4
        U|w(x)|5
        A|begin(b)|6
        A|w(y)|7
        U|end|8
        A|join(U)|9
        A|r(x)|10
        A|end|11";
    expect(engine, text, &[]);
}

/// The parent is awaited by its child, and ends in the middle of a block.
fn joined_by_a_child(engine: &str) {
    let text = "
        A|begin(a)|1
        A|fork(U)|2
        A|w(x)|3
        U|begin(u)|4
        U|r(y)|5
        A|w(y)|6                    # 5: a, u, a; the way from u to a is left out
        U|r(x)|7
        U|join(A)|8
        U|fork(V)|9
        V|w(x)|10
        U|r(x)|11                   # 10
        U|end|12";
    expect(engine, text, &[(5, &["a"]), (10, &["u"])]);
}

/// A starts nothing itself; what it did reaches V through the thread that starts V.
fn late_fork_inherits_what_came_before(engine: &str) {
    let text = "
        A|begin(a)|1
        A|w(x)|2
        M|r(x)|3
        M|fork(V)|4
        V|begin(v)|5
        V|w(y)|6
        V|end|7
        V|exit|8
        M|join(V)|9
        M|fork(W)|10
        W|begin(w)|11
        W|w(z)|12
        A|r(z)|13                   # 12
        A|r(y)|14                   # 13
        A|end|15";
    expect(engine, text, &[(12, &["a"]), (13, &["a"])]);
}

/// Phase after phase under one transaction that reaches some threads and not others.
fn many_phases_of_short_threads_under_one_transaction(engine: &str) {
    let mut text = String::from("A|begin(a)|1\nA|w(x)|2\n");
    for phase in 0..40 {
        let (reader, other) = (format!("R{phase}"), format!("O{phase}"));
        let lines = format!(
            "M|fork({reader})|3
             N|fork({other})|4
             {reader}|begin(reader)|5
             {other}|begin(other)|6
             {other}|w(y{phase})|7
             {reader}|r(x)|8
             {reader}|end|9
             {other}|end|10
             N|join({other})|11
             M|join({reader})|12
             A|r(y{phase})|13\n"
        );
        write!(text, "{lines}").expect("writing to a string");
    }
    let closing = 2 + 40 * 11;
    text.push_str("M|w(z)|14\nA|r(z)|15\nA|end|16\n");
    expect(engine, &text, &[(closing + 1, &["a"])]);
}

/// Nothing runs through the phases; a violation within one is found in the last as in the first.
fn many_phases_of_short_threads_without_one(engine: &str) {
    let mut text = String::new();
    let mut expected = vec![];
    for phase in 0..40u64 {
        let (one, two) = (format!("P{phase}"), format!("Q{phase}"));
        let lines = format!(
            "M|fork({one})|1
             M|fork({two})|2
             {one}|begin(one)|3
             {one}|r(x)|4
             {two}|begin(two)|5
             {two}|w(x)|6
             {two}|end|7
             {one}|w(x)|8
             {one}|end|9
             {one}|exit|10
             M|join({one})|11
             M|join({two})|12\n"
        );
        write!(text, "{lines}").expect("writing to a string");
        expected.push((12 * phase + 7, &["one"][..]));
    }
    expect(engine, &text, &expected);
}
