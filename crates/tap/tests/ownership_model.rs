//! The ownership protocol of the probe (`java/java/lang/InterloperOwnership.java` and what it calls), with
//! every execution of small programs.
//!
//! Threads run the protocol a shared-memory access at a time on a machine with store buffers, as x86 has them;
//! the order in which accesses get to memory is the truth. Of every execution is checked:
//!
//! - conflicting accesses that are logged come in the order of memory in every merge that the logs allow;
//! - an access is logged, or filtered with nothing conflicting since the one it stands behind, or its object was NEW; whoever takes a
//!   NEW object writes down if its owner's running transaction has made it, and not otherwise;
//! - what is written on behalf of a transaction comes between its begin and end, and before what others do later;
//! - nobody waits for ever or goes round in circles; nothing stays BUSY, open or touched;
//! - logs can be merged at any time, but for what waits for a MAKE that is numbered and not yet written.
//!
//! The second half breaks the protocol in one place at a time and wants a counterexample: run with `--nocapture` to
//! read it. A name like `t1#0` is the first operation of thread 1, `s1` its log.
//!
//! `INTERLOPER_CASES=2` makes the programs longer (minutes, in release mode).

#[path = "ownership_model/mod.rs"]
mod model;

use model::explore::explore;
use model::generate::{
    Extent, after_accesses, from_the_start, loops_after_accesses, with_slots_used_again,
};
use model::program::Program;
use model::protocol::{Fault, Model};
use model::violation::Violation;

/// No object is ever used so much that it becomes a lease.
const PLAIN: Model = Model { hot_at: 100, cool_at: 2, fault: None };
/// The second change of hands makes a lease, the second use in a row ends it.
const LEASES: Model = Model { hot_at: 2, ..PLAIN };

fn is_large() -> bool {
    std::env::var("INTERLOPER_CASES").is_ok_and(|times| times != "1")
}

/// No execution of these programs goes wrong.
fn all_hold(programs: &[Program], models: &[Model]) {
    assert!(!programs.is_empty());
    let (mut states, mut ends) = (0, 0);
    for program in programs {
        for model in models {
            match explore(program, model) {
                Ok(counts) => {
                    states += counts.states;
                    ends += counts.ends;
                }
                Err(bad) => panic!("{bad}"),
            }
        }
    }
    println!("{} programs, {states} states, {ends} different ends", programs.len());
}

fn hold(programs: &[(&str, &str)]) {
    let programs: Vec<Program> =
        programs.iter().map(|(text, prelude)| Program::new(text, prelude)).collect();
    all_hold(&programs, &[PLAIN, LEASES]);
}

#[test]
fn two_threads_from_the_start() {
    all_hold(&from_the_start(1, 1, Extent::Large), &[PLAIN]);
    if is_large() {
        all_hold(&from_the_start(1, 2, Extent::Large), &[PLAIN, LEASES]);
        all_hold(&from_the_start(2, 2, Extent::Large), &[LEASES]);
    } else {
        all_hold(&from_the_start(1, 2, Extent::Small), &[LEASES]);
    }
}

#[test]
fn two_threads_after_whatever_happened_before() {
    let (most, most_within) = if is_large() { (5, 5) } else { (3, 2) };
    for length in 1..=most {
        all_hold(&after_accesses(2, length, false, 1), &[PLAIN, LEASES]);
    }
    for length in 1..=most_within {
        all_hold(&after_accesses(2, length, true, 1), &[PLAIN, LEASES]);
    }
    if is_large() {
        all_hold(&after_accesses(2, 2, false, 2), &[PLAIN, LEASES]);
    }
}

#[test]
fn three_threads_after_whatever_happened_before() {
    if !is_large() {
        return all_hold(&after_accesses(3, 1, false, 1), &[PLAIN]);
    }
    for length in 0..=3 {
        all_hold(&after_accesses(3, length, false, 1), &[PLAIN, LEASES]);
    }
    for length in 1..=2 {
        all_hold(&after_accesses(3, length, true, 1), &[PLAIN]);
    }
}

#[test]
fn windows_that_stay_open_over_several_accesses() {
    hold(&[("wA+ wA | wA", "0"), ("wA wA+ rB | wA+ wB", "01"), ("[ wA+ wB ] | rB rA", "0")]);
}

#[test]
fn what_is_accessed_again_in_a_window_is_not_looked_at_again() {
    hold(&[
        ("wA+ wB+ wA | wA wB", "0"),
        ("rA+ rB+ rA | wA wB", "0"),
        ("rA+ wB+ rA | wB+ wA", "01"),
        ("[ rA+ rB+ rA ] | [ wA wB ]", ""),
        ("wA+ wB+ rA+ rB | rA+ rB", "0"),
    ]);
}

#[test]
fn second_readers_at_the_same_time() {
    hold(&[
        ("wA rB rA | wB rA rB", "0101"),
        ("wA wA | rA rA | rA", "01"),
        ("wA rA | wA | rA | rA", "010"),
    ]);
}

#[test]
fn leases_that_cool_down_while_they_are_taken() {
    hold(&[("wA wA wA wA | wA wA wA", "0101"), ("wA rA rA | wA rA wA", "011")]);
}

#[test]
fn transactions_that_end_while_others_write_on_their_behalf() {
    hold(&[
        ("[ wA wB ] | rB rA", "000"),
        ("[ wA wB ] | rA | wB", "000"),
        ("[ wA ] [ rA ] | wA", "00"),
        ("[ wA ] | rA | wA", "00"),
        ("[ wA nA rA ] | nA wA", "0"),
    ]);
}

#[test]
fn threads_that_are_put_to_sleep_and_go_on() {
    hold(&[
        ("wA wB h wA wB wB rB | wA wB", "00000"),
        ("wA wB h wA wB wB | wA | wB", "00000"),
        ("wA wB h rA rB rA | rA rB wA wB", "00000"),
        ("[ wA wB ] | rA wB", "0000"),
        ("[ wA h wA ] wA | wA rA", "00"),
        ("[ wA h ] [ wA ] | wA rA", "00"),
        ("wA wA h wA | rA wA", "0"),
    ]);
}

#[test]
fn slots_that_are_used_again() {
    hold(&[
        ("wA x | <0 rA | wA", ""),
        ("wA rA x | <0 wA | wA", "02"),
        ("wA x | <0 [ rA wB ] | wA", "00"),
        ("wA x | <0 [ wB ] | wA", "00"),
        ("wA rA x | <0 wA | rA wA", "02"),
    ]);
    if is_large() {
        all_hold(&with_slots_used_again(), &[PLAIN, LEASES]);
    }
}

#[test]
fn owners_that_let_others_in() {
    hold(&[
        ("[ wA h rA ] | rA", "00"),
        ("[ wA h wA ] | wA", "00"),
        ("[ wA nA h wA ] | wA", "00"),
        ("wA h wA | rA | wA", "0"),
    ]);
}

#[test]
fn loops_that_leave_their_windows_open() {
    hold(&[
        ("wA+ p wA~+ p wA~ | wA rA", "0"),
        ("wA | wA wA+ p wA~+ p wA~ | rA", "01"),
        ("wA | rA rA+ p rA~+ p rA~ | wA rA", "01"),
        ("wA rA | rA rA+ p rA~+ p rA~ | wA", "010"),
        ("[ wA+ p wA~+ p rA ] | wA", "0"),
        ("[ wA+ p wA~+ p ] wA | rA", "00"),
        ("wA h wA+ p wA~+ p wA~ | wA", "00"),
        ("wA+ p h wA~+ p wA~ | wA", "0"),
    ]);
    if is_large() {
        hold(&[("wA+ p wA~+ p wA~ | wA rA", ""), ("[ wA+ p wA~ ] | rA | wA", "0")]);
    }
}

#[test]
fn loops_after_whatever_happened_before() {
    let most = if is_large() { 4 } else { 1 };
    for length in 0..=most {
        all_hold(&loops_after_accesses(length), &[PLAIN, LEASES]);
    }
    if !is_large() {
        all_hold(&loops_after_accesses(2), &[LEASES]);
    }
}

#[test]
fn loops_that_use_two_objects() {
    hold(&[
        ("wA+ wB+ p wA~+ wB~ | wB wA", "00"),
        ("wA wB | rA+ wB+ p rA~+ wB~+ p rA~ | wB wA", "00"),
        ("wA wB | wA+ rB+ p wA~+ rB~+ p rB~ | rB+ wA", "0011"),
    ]);
}

#[test]
fn loops_that_two_threads_ask_at_once() {
    hold(&[
        ("wA wA | wA+ p wA~+ p wA~ | rA", "01"),
        ("wA wA | rA+ p rA~ | rA", "01"),
        ("wA wB rA | wA+ wB+ p wA~+ wB~ | rB", "0011"),
    ]);
    let apart = Program::new("wA+ wB+ p wB~+ p wA~ | wA | wB", "00");
    all_hold(&[apart], &[PLAIN]);
    if is_large() {
        hold(&[
            ("wA | wA wA+ p wA~+ p wA~ | rA | wA", "01"),
            ("wA wB | wA wB wA+ wB+ p wB~+ wA~ | rA | rB", "0011"),
        ]);
    }
}

#[test]
fn loops_that_take_something_while_they_are_asked() {
    hold(&[
        ("wA+ p wB+ p wA~ | wB wA", "01"),
        ("wA+ p wB+ p wA~ | wB+ p wA+ p wB~", "01"),
        ("rA+ rB+ p rA~+ wB | wA wB | rB", "110"),
        ("[ wA+ p wB+ p wA~ ] | [ wB+ p wA ]", "0011"),
    ]);
    if is_large() {
        hold(&[
            ("wA+ p wB+ p wA~+ p wB~ | wB+ p wA+ p wB~", "01"),
            ("[ wA+ p wB+ p wA~ ] | [ wB+ p wA ]", ""),
        ]);
    }
}

// ---- the protocol with one fault

fn counterexample(program: &Program, model: &Model) -> Option<Violation> {
    let bad = explore(program, model).err()?;
    println!("{:?}: {bad}", model.fault);
    Some(bad.violation)
}

/// What goes wrong in the program with this fault, and that nothing does without.
fn broken(fault: Fault, model: Model, text: &str, prelude: &str) -> Violation {
    let program = Program::new(text, prelude);
    assert_eq!(counterexample(&program, &model), None);
    let model = Model { fault: Some(fault), ..model };
    counterexample(&program, &model).unwrap_or_else(|| panic!("{fault:?} does no harm"))
}

#[test]
fn without_the_barrier_an_access_is_lost() {
    let found = broken(Fault::NoBarrier, PLAIN, "wA wA | wA", "0");
    assert!(matches!(found, Violation::NotAlone { .. }), "{found:?}");
    let found = broken(Fault::NoBarrier, PLAIN, "wA wA | wA rA", "01");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn without_waiting_for_the_window_accesses_are_in_the_wrong_order() {
    let found = broken(Fault::NoWait, PLAIN, "wA wA | wA rA", "01");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn without_a_second_look_a_lease_has_two_users() {
    let found = broken(Fault::NoSecondLook, LEASES, "wA wA rA | wA wA", "010");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn without_a_fence_of_its_user_a_lease_has_two_users() {
    let found = broken(Fault::OwnUnfenced, LEASES, "wA wA rA | wA wA", "010");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn threads_that_wait_with_open_windows_wait_for_each_other() {
    let found = broken(Fault::WaitsWhileOpen, PLAIN, "wA wB | wB wA", "01");
    assert!(matches!(found, Violation::Deadlock { .. }), "{found:?}");
}

#[test]
fn a_position_read_before_the_window_is_closed_is_too_low() {
    let found = broken(Fault::EarlyPosition, PLAIN, "wA wA | wA rA", "01");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn a_thread_that_is_asleep_and_keeps_its_words_uses_what_was_taken() {
    let found = broken(Fault::KeepsWords, PLAIN, "wA wB h wA wB wB rB | wA wB", "00000");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn a_thread_that_counts_as_asleep_before_the_barrier_is_not_waited_for() {
    let found = broken(Fault::FallingIsAsleep, PLAIN, "wA wB h wA wB wB rB | wA | wB", "00000");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn a_thread_that_is_asleep_and_may_use_what_it_has_made_is_not_waited_for() {
    let found = broken(Fault::KeepsNewWord, PLAIN, "wA h wA wB wB | wA wB", "0000");
    assert!(matches!(found, Violation::NotAlone { .. }), "{found:?}");
}

#[test]
fn a_transaction_that_ends_asleep_without_a_fence_ends_unseen() {
    let found = broken(Fault::EndsUnfenced, PLAIN, "[ wA wB ] | wA wB", "000");
    assert!(matches!(found, Violation::BehalfOutside { .. }), "{found:?}");
}

#[test]
fn a_thread_that_has_let_nobody_in_is_not_waited_for() {
    let found = broken(Fault::StretchesAlike, PLAIN, "wA wA | wA", "0");
    assert!(matches!(found, Violation::NotAlone { .. }), "{found:?}");
}

#[test]
fn a_transaction_that_has_let_others_in_can_just_be_ending() {
    let found = broken(Fault::RunningIgnored, PLAIN, "[ wA h ] | wA", "00");
    assert!(matches!(found, Violation::BehalfOutside { .. }), "{found:?}");
}

#[test]
fn a_thread_that_wakes_up_without_a_fence_is_not_waited_for() {
    let found = broken(Fault::WakesUnfenced, PLAIN, "wA wB h wA wB wB wB rB | wA wB", "00000");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn a_transaction_that_awaits_nobody_ends_before_what_it_did() {
    let found = broken(Fault::TouchingNotAwaited, PLAIN, "[ wA ] | wA", "00");
    assert!(matches!(found, Violation::BehalfOutside { .. }), "{found:?}");
}

#[test]
fn a_second_reader_that_claims_nothing_misses_a_write() {
    let found = broken(Fault::ShareUnclaimed, PLAIN, "wA wA | rA rA | rA", "01");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn numbers_taken_before_the_position_contradict_edges() {
    for fault in [Fault::NumberBeforePosition, Fault::ShareUnclaimed] {
        let found = broken(fault, PLAIN, "wA rB rA | wB rA rB", "0101");
        assert!(matches!(found, Violation::Stuck { .. }), "{found:?}");
    }
}

#[test]
fn a_forgotten_birth_hides_what_the_owner_did() {
    let found = broken(Fault::BirthForgotten, PLAIN, "[ wA ] | rA | rA", "00");
    assert!(matches!(found, Violation::BehalfMissing { .. }), "{found:?}");
}

#[test]
fn births_that_start_again_mix_up_objects() {
    let found = broken(Fault::BirthsRestart, PLAIN, "wA x | <0 [ wB ] | wA", "00");
    assert!(matches!(found, Violation::BehalfInvented { .. }), "{found:?}");
}

#[test]
fn readers_that_do_not_say_what_they_saw_are_not_ordered() {
    let found = broken(Fault::SeenNotLogged, PLAIN, "wA rA | wA | rA | rA", "0102");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn what_was_away_must_show_it_or_accesses_are_filtered_wrongly() {
    let found = broken(Fault::HoldsAlike, PLAIN, "wA wA wA | wA wA", "01");
    assert!(matches!(found, Violation::FilteredAcross { .. }), "{found:?}");
}

#[test]
fn takings_are_counted_on_by_the_next_thread_of_a_slot() {
    let found = broken(Fault::HoldsRestart, PLAIN, "wA wA x | wA wA | <0 wA wA", "010");
    assert!(matches!(found, Violation::FilteredAcross { .. }), "{found:?}");
}

#[test]
fn marks_say_nothing_once_another_thread_has_claimed_the_object() {
    let found = broken(Fault::TrustsBusy, PLAIN, "wA wA wA | wA wA wA", "01");
    assert!(matches!(found, Violation::FilteredAcross { .. }), "{found:?}");
}

#[test]
fn reads_of_different_shared_states_must_not_look_alike() {
    let found = broken(Fault::SharesAlike, PLAIN, "rA rA | rA wA | rA rB rA", "01");
    assert!(matches!(found, Violation::FilteredAcross { .. }), "{found:?}");
}

#[test]
fn what_was_held_before_the_window_was_closed_may_be_another_ones() {
    let found = broken(Fault::HeldAcrossTaking, PLAIN, "wA wA+ wB+ wA | wB wA", "01");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn who_answers_and_goes_on_in_the_window_is_not_waited_for() {
    let found = broken(Fault::AnswersWhileOpen, PLAIN, "wA | wA+ p wA~ | wA", "01");
    assert!(matches!(found, Violation::FilteredAcross { .. }), "{found:?}");
    let found = broken(Fault::AnswersWhileOpen, PLAIN, "wA+ p wA~ | wA", "0");
    assert!(matches!(found, Violation::NotAlone { .. }), "{found:?}");
}

#[test]
fn what_was_held_before_an_answer_may_be_another_ones() {
    let found = broken(Fault::HeldAcrossAnswer, PLAIN, "wA | wA+ p wA~ | wA", "01");
    assert!(matches!(found, Violation::FilteredAcross { .. }), "{found:?}");
    let found = broken(Fault::HeldAcrossAnswer, PLAIN, "wA | wA+ p rA | wA", "01");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn who_is_asked_before_the_object_is_claimed_can_still_use_it() {
    let found = broken(Fault::AsksFirst, PLAIN, "wA | wA+ p wA~ | wA", "01");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn an_answer_to_another_question_says_nothing() {
    let found = broken(Fault::AnyAnswer, PLAIN, "wB wA+ p wB | wA | wB", "00");
    assert!(matches!(found, Violation::NotAlone { .. }), "{found:?}");
    let found = broken(Fault::AnyAnswer, PLAIN, "wA wB wB | wA wB+ p rA | wA", "0011");
    assert!(matches!(found, Violation::Unordered { .. }), "{found:?}");
}

#[test]
fn an_owner_that_has_answered_can_just_be_ending_its_transaction() {
    let found = broken(Fault::TouchesLate, PLAIN, "[ wA+ p ] | wA", "00");
    assert!(matches!(found, Violation::BehalfOutside { .. }), "{found:?}");
}

#[test]
fn a_first_reader_that_is_not_waited_for_does_not_know_that_others_read() {
    let found = broken(Fault::ShareUnwaited, PLAIN, "wA rA | rA rA | wA", "01");
    assert!(matches!(found, Violation::FilteredAcross { .. }), "{found:?}");
}
