//! The paper's examples.

use interloper_scan::{Analysis, Explanation, Options, Outcome, analyse};

use super::ast::lower;
use super::parse::parse;

/// The outcome of a program.
pub fn run(text: &str, options: &Options) -> Outcome {
    let (program, callees) = lower(&parse(text), options.size_bound);
    analyse(&program, &callees, options)
}

/// Which places are reported: witness, line of the first acquisition, line of the second, context, its line.
pub fn reported(text: &str, options: &Options) -> Vec<(String, u32, u32, String, u32)> {
    let outcome = run(text, options);
    let occurrences = outcome.warnings.into_iter().flat_map(|w| w.occurrences);
    occurrences
        .map(|o| {
            let (first, second) = (o.first.start().line, o.second.start().line);
            (o.witness, first, second, o.context.lock, o.context.place.line)
        })
        .collect()
}

fn explained(text: &str, method: &str) -> Explanation {
    let options = Options::default();
    let (program, callees) = lower(&parse(text), options.size_bound);
    let analysis = Analysis::new(&program, &callees, &options);
    let found = program.find_methods(method);
    assert_eq!(found.len(), 1, "{method}");
    analysis.explain(found[0])
}

fn expected(
    witness: &str,
    first: u32,
    second: u32,
    context: &str,
    line: u32,
) -> (String, u32, u32, String, u32) {
    (witness.to_owned(), first, second, context.to_owned(), line)
}

const LINE: &str = "\
synchronized Line.contains(point) {
  point.distanceTo(this.start);
  point.distanceTo(this.end);
  this.start.distanceTo(this.end);
}
synchronized Location.distanceTo(p) { }";

#[test]
fn figure_1() {
    let found = reported(LINE, &Options::default());
    assert_eq!(found, [expected("point", 2, 3, "this", 1)]);
}

#[test]
fn a_warning_tells_the_whole_way() {
    let outcome = run(LINE, &Options::default());
    let [warning] = &outcome.warnings[..] else { panic!("{outcome:?}") };
    let [occurrence] = &warning.occurrences[..] else { panic!("{warning:?}") };
    assert!(occurrence.context.calls.is_empty());
    assert_eq!(occurrence.second.lock, "this");
    assert_eq!((occurrence.second.place.method.0, occurrence.second.place.line), (1, 6));
    let calls: Vec<_> = occurrence.second.calls.iter().map(|p| (p.method.0, p.line)).collect();
    assert_eq!(calls, [(0, 3)]);
    assert_eq!((outcome.stats.methods, outcome.stats.regions, outcome.stats.calls), (2, 2, 3));
}

#[test]
fn figure_1_repaired() {
    let repaired = "\
synchronized Line.contains(point) {
  sync (point) {
    point.distanceTo(this.start);
    point.distanceTo(this.end);
  }
  this.start.distanceTo(this.end);
}
synchronized Location.distanceTo(p) { }";
    assert!(reported(repaired, &Options::default()).is_empty());
}

#[test]
fn either_or_is_no_violation() {
    let text = "\
synchronized Line.contains(point, b) {
  if { point.distanceTo(this.start); } else { point.distanceTo(this.end); }
}
synchronized Location.distanceTo(p) { }";
    assert!(reported(text, &Options::default()).is_empty());
}

#[test]
fn a_loop_over_endpoints_locks_the_same_point() {
    let text = "\
synchronized Line.contains(point) {
  i = ?;
  loop {
    point.distanceTo(this.endpoints[i]);
    i = ?;
  }
}
synchronized Location.distanceTo(p) { }";
    assert_eq!(reported(text, &Options::default()), [expected("point", 4, 4, "this", 1)]);
}

#[test]
fn a_loop_over_points_locks_different_ones() {
    let text = "\
synchronized Line.contains(point) {
  i = ?;
  loop {
    point[i].distanceTo(this.endpoints[i]);
    i = ?;
  }
}
synchronized Location.distanceTo(p) { }";
    assert!(reported(text, &Options::default()).is_empty());
    let marked_before = text.replace("    i = ?;", "    point[i].distanceTo(this.start); i = ?;");
    let found = reported(&marked_before, &Options::default());
    assert_eq!(found, [expected("point[i]", 4, 5, "this", 1)]);
}

/// Figure 4; A and B are locks that all methods can name.
const CALL_GRAPH: &str = "\
C.m1() { sync (G::A) { this.m2(); } }
C.m2() { this.m3(); this.m4(); }
C.m3() { sync (G::A) { this.m5(); } }
C.m4() { sync (G::A) { this.m5(); } }
C.m5() { sync (G::B) { } }";

#[test]
fn figure_5() {
    const A: &str = "G.A";
    const B: &str = "G.B";
    // Method, locks acquired after propagation, locks acquired twice, the same after propagation.
    // A method's blocks confirm what they hand on: after propagation, B is in P of m1.
    type Locks = &'static [&'static str];
    let rows: [(&str, Locks, Locks, Locks); 5] = [
        ("m1", &[A, B], &[], &[B]),
        ("m2", &[A, B], &[A, B], &[A, B]),
        ("m3", &[A, B], &[], &[]),
        ("m4", &[A, B], &[], &[]),
        ("m5", &[B], &[], &[]),
    ];
    for (method, held, twice, propagated) in rows {
        let facts = explained(CALL_GRAPH, method);
        assert_eq!(facts.locks_held, held, "{method}");
        assert_eq!(facts.exit.twice, twice, "{method}");
        let both = [facts.final_twice.clone(), facts.final_pattern.clone()].concat();
        assert_eq!(both, propagated, "{method}");
    }
    assert_eq!(explained(CALL_GRAPH, "m1").final_pattern, [B]);
    assert!(explained(CALL_GRAPH, "m2").final_pattern.is_empty());
}

#[test]
fn figure_4_is_reported_where_b_is_locked_again() {
    let outcome = run(CALL_GRAPH, &Options::default());
    let [warning] = &outcome.warnings[..] else { panic!("{outcome:?}") };
    let [found] = &warning.occurrences[..] else { panic!("{warning:?}") };
    assert_eq!((found.witness.as_str(), found.context.lock.as_str()), ("G.B", "G.A"));
    assert_eq!(found.context.place.line, 1);
    let lines =
        |places: &[interloper_scan::Place]| places.iter().map(|p| p.line).collect::<Vec<_>>();
    assert_eq!(lines(&found.context.calls), [1]);
    assert_eq!(lines(&found.first.calls), [2, 3]);
    assert_eq!(lines(&found.second.calls), [2, 4]);
    assert_eq!(found.second.place.line, 5);
}

/// The example of section 4.4: m holds x and calls m', which locks y twice.
const SECOND_EXTENSION: &str = "\
C.m(x, y) {
  sync (x) {
    this.n(y);
  }
}
C.n(y) {
  sync (y) { }
  sync (y) { }
}";

#[test]
fn witnesses_are_found_in_callees() {
    let m = explained(SECOND_EXTENSION, "m");
    assert_eq!(m.exit.to_string(), "⟨{x, y}, ∅, ∅⟩");
    assert_eq!(m.final_pattern, ["y"]);
    let n = explained(SECOND_EXTENSION, "n");
    assert_eq!(n.exit.to_string(), "⟨{y}, {y}, ∅⟩");
    assert_eq!(n.final_twice, ["y"]);
    assert!(n.final_pattern.is_empty());
    let found = reported(SECOND_EXTENSION, &Options::default());
    assert_eq!(found, [expected("y", 7, 8, "x", 2)]);
}

#[test]
fn a_caller_that_holds_the_witness_does_not_excuse_the_callee() {
    let text = "C.caller(line, p) { sync (p) { line.contains(p); } }\n".to_owned() + LINE;
    assert_eq!(reported(&text, &Options::default()), [expected("point", 3, 4, "this", 2)]);
}

#[test]
fn a_reentrant_witness_is_none() {
    let held = SECOND_EXTENSION.replace("this.n(y)", "this.n(x)");
    assert!(reported(&held, &Options::default()).is_empty());
    let nested = "C.m(x, y) { sync (x) { sync (y) { sync (x) { } sync (x) { } } } }";
    assert!(reported(nested, &Options::default()).is_empty());
    let own = "C.m(x) { sync (x) { sync (x) { } sync (x) { } } }";
    assert!(reported(own, &Options::default()).is_empty());
}

#[test]
fn unknown_locks_are_contexts_and_never_witnesses() {
    let text = "C.m(x) { sync (?) { sync (x) { } sync (x) { } } }";
    assert_eq!(reported(text, &Options::default()), [expected("x", 1, 1, "*", 1)]);
    let text = "C.m(x) { sync (x) { sync (?) { } sync (?) { } } }";
    assert!(reported(text, &Options::default()).is_empty());
}

const TWO_LOCKS: &str = "\
C.m(a, b, c) {
  sync (a) {
    sync (b) { }
    sync (c) { }
  }
}";

#[test]
fn the_variant_takes_different_witnesses() {
    let variant = Options { variant: true, ..Options::default() };
    assert!(reported(TWO_LOCKS, &Options::default()).is_empty());
    let outcome = run(TWO_LOCKS, &variant);
    let [warning] = &outcome.warnings[..] else { panic!("{outcome:?}") };
    let found = &warning.occurrences[0];
    assert_eq!((found.first_witness.as_str(), found.witness.as_str()), ("b", "c"));
    assert_eq!((found.first.place.line, found.second.place.line), (3, 4));
    // The context is none of the two.
    let reentrant = TWO_LOCKS.replace("sync (c)", "sync (a)");
    assert!(reported(&reentrant, &variant).is_empty());
    // What the original pattern finds, the variant finds too.
    assert_eq!(reported(LINE, &variant)[0], expected("point", 2, 3, "this", 1));
    assert!(reported(LINE, &variant).len() > reported(LINE, &Options::default()).len());
}

#[test]
fn the_variant_crosses_calls() {
    let variant = Options { variant: true, ..Options::default() };
    let text = "\
C.m(x, y) { sync (x) { this.n(y, G::L); } }
C.n(p, q) {
  sync (p) { }
  sync (q) { }
}";
    assert_eq!(reported(text, &variant), [expected("q", 3, 4, "x", 1)]);
    assert!(reported(&text.replace("this.n(y, G::L)", "this.n(y, x)"), &variant).is_empty());
    assert!(reported(&text.replace("this.n(y, G::L)", "this.n(y, ?)"), &variant).is_empty());
}

const VECTOR: &str = "\
synchronized C.m() {
  this.list.add();
  this.list.size();
}
synchronized java/util/Vector.add() { }
synchronized java/util/Vector.size() { }";

#[test]
fn locks_of_library_classes_are_filtered_and_counted() {
    // The language has no slashes in names: the class is renamed after parsing.
    let vector = |text: &str, options: &Options| {
        let mut methods = parse(&text.replace("java/util/Vector", "Vector"));
        for method in &mut methods {
            if method.class == "Vector" {
                method.class = "java/util/Vector".to_owned();
            }
        }
        let (program, callees) = lower(&methods, options.size_bound);
        let outcome = analyse(&program, &callees, options);
        (outcome.warnings.len(), outcome.left_out.library)
    };
    assert_eq!(vector(VECTOR, &Options::default()), (0, 1));
    let all = Options { keep_library: true, ..Options::default() };
    assert_eq!(vector(VECTOR, &all), (1, 0));
    let none = Options { library_classes: Vec::new(), ..Options::default() };
    assert_eq!(vector(VECTOR, &none), (1, 0));
    // Whoever locks it shares it.
    let shared = VECTOR.replace("this.list.size();", "sync (this.list) { this.list.size(); }");
    assert_eq!(vector(&shared, &Options::default()), (1, 0));
}

#[test]
fn places_with_the_same_witness_are_one_warning() {
    let text = LINE.replace("this.start.distanceTo", "point.distanceTo");
    let outcome = run(&text, &Options::default());
    let [warning] = &outcome.warnings[..] else { panic!("{outcome:?}") };
    let lines: Vec<_> = warning.occurrences.iter().map(|o| o.second.start().line).collect();
    assert_eq!((lines, warning.more), (vec![3, 4], 0));
    let few = run(&text, &Options { places_per_warning: 1, ..Options::default() });
    assert_eq!((few.warnings[0].occurrences.len(), few.warnings[0].more), (1, 1));
}

#[test]
fn an_explanation_reads_well() {
    let text = explained(LINE, "Line.contains").to_string();
    let expected = "\
Line.contains()
  LOCKSHELD = {point, this, this.start}
      1  synchronized (this)                     ⟨{point, this.start}, {point}, ∅⟩
      2    call point.distanceTo(this.start)     ⟨{point}, ∅, ∅⟩
      3    call point.distanceTo(this.end)       ⟨{point}, {point}, ∅⟩
      4    call this.start.distanceTo(this.end)  ⟨{point, this.start}, {point}, ∅⟩
  A(m) = ⟨{point, this, this.start}, ∅, {point}⟩
  FINAL_T = ∅
  FINAL_P = {point}
";
    assert_eq!(text, expected);
}

#[test]
fn calls_with_too_many_targets_are_not_followed() {
    let text = "\
C.m(x, y) { sync (x) { y.f(); y.f(); } }
synchronized A.f() { }
synchronized B.f() { }";
    assert_eq!(reported(text, &Options::default()).len(), 1);
    let capped = Options { callee_cap: 1, ..Options::default() };
    let outcome = run(text, &capped);
    assert_eq!((outcome.warnings.len(), outcome.stats.capped_dispatches), (0, 1));
}
