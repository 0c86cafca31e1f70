//! Where the analysis is, for a reason, not the paper's.

use interloper_scan::{Filters, Options};

use super::examples::{reported, run};

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

#[test]
fn a_call_unmarks_what_depends_on_what_it_assigns() {
    let text = "\
C.m(x, p) { sync (x) {
  p.close();
  p.close();
} }
C.close() { sync (this.r) { } this.clear(); }
D.clear() { this.r = ?; }";
    assert!(lines(text).is_empty());
    let found = [("p.r".to_owned(), 2, 3)];
    assert_eq!(lines(&text.replace("this.r = ?;", "")), found);
    // another field, or that of another object
    assert_eq!(lines(&text.replace("this.r = ?;", "this.s = ?;")), found);
    assert_eq!(lines(&text.replace("this.r = ?;", "this.s.r = ?;")), found);
    // what was locked before the call that assigns it is locked twice all the same
    assert_eq!(lines(&text.replacen("p.close();", "sync (p.r) { }", 1)), found);
}

#[test]
fn a_call_unmarks_static_locks() {
    let text = "\
C.m(x) { sync (x) {
  this.log();
  this.log();
} }
C.log() { sync (L::out.lock) { } this.reopen(); }
C.reopen() { L::out = ?; }";
    assert!(lines(text).is_empty());
    assert_eq!(lines(&text.replace("L::out = ?", "L::err = ?")).len(), 1);
    // by way of the receiver
    let receiver = "\
C.m(x) { sync (x) {
  L::out.close();
  L::out.close();
} }
C.close() { sync (this.lock) { } this.lock = ?; }";
    assert!(lines(receiver).is_empty());
    assert_eq!(lines(&receiver.replace("this.lock = ?;", "")).len(), 1);
}

#[test]
fn a_parameter_that_was_assigned_is_not_the_callers() {
    // what reset() assigns to is a field of some other object
    let text = "\
C.m(x) { sync (x) {
  sync (this.f) { }
  this.reset(this);
  sync (this.f) { }
} }
C.reset(p) { p = ?; p.f = ?; }";
    assert_eq!(lines(text).len(), 1);
    assert!(lines(&text.replace("p = ?; ", "")).is_empty());
}

fn filtered(text: &str, filters: Filters) -> Vec<String> {
    let found = reported(text, &Options { filters, ..Options::default() });
    found.into_iter().map(|(witness, ..)| witness).collect()
}

#[test]
fn a_place_with_another_context_is_not_left_out() {
    // D.n locks this.d.mutex twice; from C.m by the field that is handed on, from C.k by another.
    let text = "\
C.m() { sync (this.mutex) { this.d.n(); } }
D.n() { sync (this.mutex) { } sync (this.mutex) { } }";
    let filters = || Filters { handed_on: ["mutex".to_owned()].into(), ..Filters::default() };
    assert!(filtered(text, filters()).is_empty());
    assert_eq!(filtered(text, Filters::default()), ["this.mutex"]);
    let other = format!("{text}\nC.k() {{ sync (this.other) {{ this.d.n(); }} }}");
    assert_eq!(filtered(&other, filters()), ["this.mutex"]);
}

#[test]
fn the_depth_is_that_of_the_shortest_chain() {
    let text = "\
C.m(x, p) { sync (x) { this.a(p); this.a(p); } }
C.a(p) { this.b(p); this.d(p); }
C.b(p) { this.c(p); }
C.c(p) { this.d(p); }
C.d(p) { sync (p) { } }";
    let depth = |depth| filtered(text, Filters { depth: Some(depth), ..Filters::default() });
    assert!(depth(1).is_empty());
    assert!(depth(2).contains(&"p".to_owned()));
}

#[test]
fn a_call_that_comes_to_itself_with_the_same_arguments_is_left_out() {
    let filters = || Filters { comes_to_itself: true, ..Filters::default() };
    // held by the outermost call; locked by the one inside it and by the one inside that
    let text = "C.get(k) { sync (G::class) { } sync (?) { this.get(k); } }";
    assert_eq!(filtered(text, Filters::default()).len(), 1);
    assert!(filtered(text, filters()).is_empty());
    // by way of another method
    let round =
        "C.get(k) { sync (G::class) { } sync (?) { this.retry(k); } } C.retry(j) { this.get(j); }";
    assert!(filtered(round, filters()).is_empty());
    for other in ["this.next.get(k)", "this.get(this.k)", "k = ?; this.get(k)"] {
        assert_eq!(filtered(&text.replace("this.get(k)", other), filters()).len(), 1, "{other}");
    }
    // once is often enough
    let once = "C.get(k) { sync (k) { sync (G::class) { } this.get(k); } }";
    assert_eq!(filtered(once, filters()).len(), 1);
}

#[test]
fn a_method_hands_on_only_so_many_locks() {
    let text = "\
C.m(x, p) { sync (x) { this.n(p); this.n(p); } }
C.n(p) { sync (p.a) { } sync (p.b) { } }";
    let with = |lock_cap| run(text, &Options { lock_cap, ..Options::default() });
    let counted = [0, 1, 3].map(|cap| (with(cap).warnings.len(), with(cap).stats.capped_locks > 0));
    // C.m hands on three: x, p.a and p.b
    assert_eq!(counted, [(0, false), (1, true), (1, false)]);
}
