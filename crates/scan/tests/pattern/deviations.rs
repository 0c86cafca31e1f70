//! Where the analysis is, for a reason, not the paper's.

use interloper_scan::Options;

use super::examples::reported;

fn lines(text: &str) -> Vec<(String, u32, u32)> {
    let found = reported(text, &Options::default());
    found.into_iter().map(|(witness, first, second, ..)| (witness, first, second)).collect()
}

#[test]
fn a_return_from_a_block_does_not_mark_what_follows_the_block() {
    // With one A(sb) for all exits, y would be released before line 3.
    let text = "\
C.m(x, y, z) { sync (x) {
  sync (z) { if { sync (y) { } return; } }
  sync (y) { }
} }";
    assert!(lines(text).is_empty());
    assert_eq!(lines(&text.replace("return;", "")), [("y".to_owned(), 2, 3)]);
}

#[test]
fn an_assignment_in_a_block_unmarks_what_was_released_before_the_block() {
    let text = "\
C.m(x, a, lock) { sync (x) { loop {
  sync (a[i]) { }
  sync (?) { i = ?; }
} } }";
    assert!(lines(text).is_empty());
    assert_eq!(lines(&text.replace("i = ?;", "")), [("a[i]".to_owned(), 2, 2)]);
}

#[test]
fn a_block_that_changes_what_its_own_lock_is_called_does_not_release_that_name() {
    let text = "\
C.m(x) { sync (x) { loop {
  sync (node) { node = ?; }
} } }";
    assert!(lines(text).is_empty());
}

#[test]
fn a_lock_acquired_again_before_its_name_changes_is_a_witness() {
    let text = "\
C.m(x, z) { sync (x) {
  sync (node) { }
  sync (z) { sync (node) { } node = ?; }
} }";
    assert_eq!(lines(text), [("node".to_owned(), 2, 3)]);
}

#[test]
fn a_parameter_that_is_assigned_to_is_not_the_callers_argument() {
    let text = "\
C.m(x, list) { sync (x) {
  this.last(list);
  this.last(list);
} }
C.last(n) { loop { n = ?; } sync (n) { } }";
    assert!(lines(text).is_empty());
    assert_eq!(lines(&text.replace("n = ?;", "")), [("list".to_owned(), 2, 3)]);
}

#[test]
fn a_block_that_is_never_left_has_facts_all_the_same() {
    let text = "\
C.run(x, y) { sync (x) { forever {
  sync (y) { }
} } }";
    assert_eq!(lines(text), [("y".to_owned(), 2, 2)]);
    let called = "\
C.start(x, y) { sync (x) { this.run(y); } }
C.run(y) { forever {
  sync (y) { }
} }";
    assert_eq!(lines(called), [("y".to_owned(), 3, 3)]);
}

#[test]
fn static_locks_cross_calls_unless_told_otherwise() {
    let text = "\
C.m(x) { sync (x) { this.n(); this.n(); } }
C.n() { sync (G::class) { } }";
    assert_eq!(lines(text).len(), 1);
    let paper = Options { statics_cross_calls: false, ..Options::default() };
    assert!(reported(text, &paper).is_empty());
}

#[test]
fn exceptions_carry_what_was_released() {
    let text = "\
C.m(x, y) { sync (x) {
  try { sync (y) { } x.other(); } catch {
    sync (y) { }
  }
} }";
    assert_eq!(lines(text), [("y".to_owned(), 2, 3)]);
}
