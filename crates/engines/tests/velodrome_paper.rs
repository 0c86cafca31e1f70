//! The examples of the Velodrome paper (Flanagan, Freund, Yi, PLDI 2008), with its answers.

mod common;

use common::definition::equivalent_traces;
use common::suite::{engine_tests, expect};
use common::text::trace;
use std::fmt::Write;

engine_tests!(
    introduction_cycle_of_three,
    set_add_over_a_vector,
    set_add_over_a_vector_of_atomic_methods,
    read_modify_write,
    read_modify_write_alone_is_serial,
    volatile_hand_over,
    volatile_hand_over_gone_wrong,
    self_serializable_transactions_first_trace,
    self_serializable_transactions_second_trace,
    increasing_cycle_blames_and_the_other_does_not,
    nested_blocks_p_q_r,
    nested_root_in_a_closed_block,
    nested_innermost_block_refuted_too,
    merge_with_nothing_before,
    merge_with_the_thread_before,
    merge_with_the_thread_after_the_write,
    merge_must_not_follow_the_wrong_way,
    merge_into_a_running_transaction_hides_a_cycle,
    merge_into_a_running_transaction_by_a_release,
    merge_of_a_write_after_many_reads,
    reads_that_others_cover_still_count,
    merge_makes_no_cycle,
    collected_transactions_are_forgotten,
    wait_gives_the_lock_away_inside_a_block,
);

/// Section 1: the diagram, as the text describes it. B and C end before A reaches anything, B''
/// and C'' are kept alive by A.
fn introduction_cycle_of_three(engine: &str) {
    let text = "
        T2|w(b)|B
        T3|begin(C)|C
        T3|w(c)|C
        T3|end|C
        T1|begin(outer)|A           # 4
        T1|begin(inner)|A
        T1|acq(m)|A
        T1|rel(m)|A
        T1|end|A
        T2|begin(Bprime)|Bprime     # 9
        T2|acq(m)|Bprime
        T2|w(y)|Bprime
        T2|rel(m)|Bprime
        T2|end|Bprime
        T3|begin(Cprime)|Cprime     # 14
        T3|r(y)|Cprime
        T3|w(x)|Cprime
        T3|end|Cprime
        T2|begin(Bsecond)|Bsecond
        T2|r(b)|Bsecond
        T2|end|Bsecond
        T3|r(c)|Csecond
        T1|r(x)|A                   # 22
        T1|end|A";
    expect(engine, text, &[(22, &["outer"])]);
}

/// Section 1: no race, and yet not atomic.
fn set_add_over_a_vector(engine: &str) {
    let text = "
        T1|begin(Set.add)|4
        T1|acq(elems)|8
        T1|r(size)|8
        T1|rel(elems)|8
        T2|begin(Set.add)|4
        T2|acq(elems)|8
        T2|r(size)|8
        T2|rel(elems)|8
        T2|acq(elems)|7
        T2|r(size)|7
        T2|w(size)|7
        T2|rel(elems)|7
        T2|end|4
        T1|acq(elems)|7             # 13: after T2's release
        T1|r(size)|7                # 14: after T2's write
        T1|w(size)|7                # 15: the same
        T1|rel(elems)|7
        T1|end|4";
    let add: &[&str] = &["Set.add"];
    expect(engine, text, &[(13, add), (14, add), (15, add)]);
}

/// The methods of the vector are atomic blocks, too, and rightly so.
fn set_add_over_a_vector_of_atomic_methods(engine: &str) {
    let text = "
        T1|begin(Set.add)|4
        T1|begin(Vector.contains)|8
        T1|acq(elems)|8
        T1|r(size)|8
        T1|rel(elems)|8
        T1|end|8
        T2|begin(Set.add)|4
        T2|begin(Vector.contains)|8
        T2|acq(elems)|8
        T2|r(size)|8
        T2|rel(elems)|8
        T2|end|8
        T1|begin(Vector.add)|7
        T1|acq(elems)|7             # 13: after T2's release
        T1|w(size)|7                # 14: after T2's read
        T1|rel(elems)|7
        T1|end|7
        T1|end|4
        T2|begin(Vector.add)|7
        T2|acq(elems)|7             # 19: accepted: what led from T2 to T1 was left out
        T2|w(size)|7
        T2|rel(elems)|7
        T2|end|7
        T2|end|4";
    expect(engine, text, &[(13, &["Set.add"]), (14, &["Set.add"])]);
}

/// Section 2: the write of another thread between the read and the write.
fn read_modify_write(engine: &str) {
    let text = "
        T1|begin(increment)|1
        T1|r(x)|2
        T2|w(x)|10
        T1|w(x)|3
        T1|end|4";
    expect(engine, text, &[(3, &["increment"])]);
}

fn read_modify_write_alone_is_serial(engine: &str) {
    let text = "
        T2|w(x)|10
        T1|begin(increment)|1
        T1|r(x)|2
        T1|w(x)|3
        T1|end|4
        T2|w(x)|10
        T1|begin(increment)|1
        T2|r(x)|11
        T1|r(x)|2
        T1|w(x)|3
        T1|end|4
        T2|rmw(x)|12";
    expect(engine, text, &[]);
}

/// Section 2: a volatile variable says whose turn it is; the other thread looks at it all the time.
fn volatile_hand_over(engine: &str) {
    let mut text = String::new();
    for round in 0..6 {
        let (runs, looks) = if round % 2 == 0 { ("T1", "T2") } else { ("T2", "T1") };
        let lines = format!(
            "{looks}|vr(b)|1
             {runs}|vr(b)|1
             {runs}|begin(turn)|2
             {looks}|vr(b)|1
             {runs}|r(x)|3
             {looks}|vr(b)|1
             {runs}|w(x)|4
             {looks}|vr(b)|1
             {runs}|vw(b)|5
             {looks}|vr(b)|1
             {runs}|end|6
             {looks}|vr(b)|1\n"
        );
        write!(text, "{lines}").expect("writing to a string");
    }
    expect(engine, &text, &[]);
}

/// The same, but the turn is handed over before the work is done.
fn volatile_hand_over_gone_wrong(engine: &str) {
    let text = "
        T1|begin(turn)|2
        T1|r(x)|3
        T1|vw(b)|5
        T2|vr(b)|1
        T2|begin(turn)|2
        T2|r(x)|3
        T1|w(x)|4                   # 6
        T1|end|6";
    expect(engine, text, &[(6, &["turn"])]);
}

const FIRST: &str = "
    T1|begin(E)|E
    T1|w(x)|E
    T2|begin(D)|D
    T2|w(y)|D
    T2|r(x)|D
    T2|end|D
    T1|r(y)|E
    T1|end|E";

/// The same events, and the same order of all that conflict; here E runs serially.
const SECOND: &str = "
    T2|begin(D)|D
    T2|w(y)|D
    T1|begin(E)|E
    T1|w(x)|E
    T1|r(y)|E
    T1|end|E
    T2|r(x)|D
    T2|end|D";

/// Section 4.3: not serializable, yet each transaction by itself could run serially.
fn self_serializable_transactions_first_trace(engine: &str) {
    expect(engine, FIRST, &[(6, &[])]);
}

fn self_serializable_transactions_second_trace(engine: &str) {
    expect(engine, SECOND, &[(6, &[])]);
}

/// The two traces are equivalent, as the paper says.
#[test]
fn the_two_self_serializable_traces_are_equivalent() {
    let (first, second) = (trace(FIRST), trace(SECOND));
    let line = |trace: &common::text::Trace, i: usize| trace.names.line(&trace.events[i]);
    let wanted: Vec<String> = (0..8).map(|i| line(&second, i)).collect();
    let found = equivalent_traces(&first.events)
        .iter()
        .any(|order| order.iter().map(|&i| line(&first, i)).collect::<Vec<_>>() == wanted);
    assert!(found);
}

/// Section 4.3: two ways back to the first transaction; the one through increasing time stamps
/// decides, whichever was there first.
fn increasing_cycle_blames_and_the_other_does_not(engine: &str) {
    let text = "
        T1|begin(E)|1
        T1|w(x)|2
        T2|begin(D)|3
        T2|w(y)|4
        T2|r(x)|5
        T2|w(z)|6
        T2|end|7
        T1|r(y)|8                   # 7: y was written before x was read
        T1|r(z)|9                   # 8: z after it
        T1|end|10";
    expect(engine, text, &[(7, &[]), (8, &["E"])]);
}

/// Section 4.3: steps 0 to 4; p and q contain the root and the target, r only the target.
fn nested_blocks_p_q_r(engine: &str) {
    let text = "
        T1|begin(p)|0
        T1|begin(q)|1
        T1|r(x)|2
        T2|w(x)|10
        T1|begin(r)|3
        T1|w(x)|4                   # 5
        T1|end|5
        T1|end|6
        T1|end|7";
    expect(engine, text, &[(5, &["p", "q"])]);
}

/// The root stands in a block that has ended: only the blocks around both are refuted.
fn nested_root_in_a_closed_block(engine: &str) {
    let text = "
        T1|begin(p)|0
        T1|begin(q)|1
        T1|r(x)|2
        T1|end|3
        T2|w(x)|10
        T1|begin(r)|4
        T1|w(x)|5                   # 6
        T1|end|6
        T1|end|7";
    expect(engine, text, &[(6, &["p"])]);
}

/// Two roots: the later one is what refutes the inner block.
fn nested_innermost_block_refuted_too(engine: &str) {
    let text = "
        T1|begin(p)|0
        T1|r(x)|1
        T1|begin(q)|2
        T1|r(y)|3
        T2|begin(other)|10
        T2|w(y)|11
        T2|w(x)|12
        T2|end|13
        T1|r(x)|4                   # 8
        T1|end|5
        T1|end|6";
    expect(engine, text, &[(8, &["p", "q"])]);
}

/// Section 4.2, first rule: nothing lies before the access, it needs no node.
fn merge_with_nothing_before(engine: &str) {
    let text = "
        T2|r(x)|1
        T1|begin(A)|2
        T1|w(x)|3
        T2|r(y)|4
        T1|w(y)|5
        T1|end|6";
    expect(engine, text, &[]);
}

/// Second rule: only the thread's own last node lies before; a cycle leads through it.
fn merge_with_the_thread_before(engine: &str) {
    let text = "
        T1|begin(A)|1
        T1|w(x)|2
        T2|r(x)|3
        T2|r(y)|4
        T2|w(z)|5
        T1|w(y)|6                   # 5
        T1|w(z)|7                   # 6
        T1|end|8";
    expect(engine, text, &[(5, &["A"]), (6, &["A"])]);
}

/// Third rule: the last write lies before the thread's own last node.
fn merge_with_the_thread_after_the_write(engine: &str) {
    let text = "
        T1|begin(A)|1
        T1|w(x)|2
        T2|r(x)|3
        T2|w(y)|4
        T3|r(y)|5
        T3|r(x)|6
        T3|w(z)|7
        T1|r(z)|8                   # 7
        T1|end|9";
    expect(engine, text, &[(7, &["A"])]);
}

/// A path from the thread's last node to the write, and none back: the access lies after both, and
/// must not be taken for part of the thread's last node.
fn merge_must_not_follow_the_wrong_way(engine: &str) {
    let text = "
        T1|begin(A)|1
        T1|w(a)|2
        T2|r(a)|3
        T2|w(b)|4
        T3|begin(C)|5
        T3|r(b)|6
        T3|r(q)|7
        T3|w(x)|8
        T2|r(x)|9                   # after C, which lies after T2's last
        T2|w(q)|10
        T3|w(c)|11
        T3|r(q)|12                  # 11: C, T2, C
        T3|end|13
        T1|r(c)|14                  # 13: A, T2, C, A
        T1|end|15";
    expect(engine, text, &[(11, &["C"]), (13, &["A"])]);
}

/// The write is of a transaction that still runs, and may yet come to depend on others: accesses
/// after it are not part of it. Taken for part of it, they would close the cycle unseen.
fn merge_into_a_running_transaction_hides_a_cycle(engine: &str) {
    let text = "
        T1|begin(A)|1
        T1|w(x)|2
        T2|r(x)|3
        T2|w(y)|4
        T1|r(y)|5                   # 4
        T1|end|6";
    expect(engine, text, &[(4, &["A"])]);
}

fn merge_into_a_running_transaction_by_a_release(engine: &str) {
    let text = "
        T1|begin(A)|1
        T1|acq(m)|2
        T1|rel(m)|3
        T2|acq(m)|4
        T2|rel(m)|5
        T1|acq(m)|6                 # 5
        T1|rel(m)|7
        T1|end|8";
    expect(engine, text, &[(5, &["A"])]);
}

/// A write outside blocks lies after every thread's last read.
fn merge_of_a_write_after_many_reads(engine: &str) {
    let text = "
        T1|begin(A)|1
        T1|r(x)|2
        T2|begin(B)|3
        T2|r(x)|4
        T3|w(x)|5
        T3|w(y)|6
        T2|r(y)|7                   # 6
        T2|end|8
        T1|r(y)|9                   # 8
        T1|end|10";
    expect(engine, text, &[(6, &["B"]), (8, &["A"])]);
}

/// Accesses outside blocks lie between two transactions of other threads, one after the other:
/// merged too far, they would seem to lie on both sides.
fn merge_makes_no_cycle(engine: &str) {
    let text = "
        T1|begin(A)|1
        T1|w(x)|2
        T2|w(y)|3
        T3|begin(C)|4
        T3|r(y)|5
        T2|r(x)|6                   # after A; the write of y was before
        T1|r(y)|7
        T3|w(z)|8
        T3|end|9
        T1|r(z)|10
        T1|end|11
        T2|r(z)|12";
    expect(engine, text, &[]);
}

/// Section 4.1: what has ended with nothing before it can be on no cycle.
fn collected_transactions_are_forgotten(engine: &str) {
    let text = "
        T1|begin(A)|1
        T1|w(x)|2
        T1|end|3
        T2|begin(B)|4
        T2|r(x)|5
        T1|begin(A)|1
        T1|w(y)|2
        T1|end|3
        T2|r(y)|6
        T1|begin(A)|1
        T1|w(x)|2
        T2|w(z)|7
        T1|r(x)|3
        T1|end|3
        T2|end|8
        T1|r(z)|9";
    expect(engine, text, &[]);
}

/// `wait` lets the lock go in the middle of a block: what comes in then interrupts it.
fn wait_gives_the_lock_away_inside_a_block(engine: &str) {
    let text = "
        T1|begin(take)|1
        T1|acq(m)|2
        T1|r(x)|3
        T1|wait(m)|4
        T2|acq(m)|10
        T2|w(x)|11
        T2|notify(m)|12
        T2|rel(m)|13
        T1|acq(m)|5                 # 8
        T1|r(x)|6                   # 9
        T1|rel(m)|7
        T1|end|8";
    expect(engine, text, &[(8, &["take"]), (9, &["take"])]);
}

/// Whoever comes after D's read of `x` comes after A's, too, because of `y`; but the dependence on D's is the one that closes the
/// first cycle and is left out. The one on A's is not.
fn reads_that_others_cover_still_count(engine: &str) {
    let text = "
        A|begin(a)|1
        A|r(y)|2
        B|begin(b)|3
        B|r(y)|4
        C|w(y)|5
        A|r(x)|6
        D|r(y)|7
        D|r(x)|8
        B|w(x)|9                    # 8: after D's read, which comes after B's of y
        A|r(x)|10                   # 9: before and after B's write";
    expect(engine, text, &[(8, &["b"]), (9, &["a"])]);
}
