//! Random programs: the analysis equals the reference.

use std::collections::BTreeSet;

use interloper_scan::ir::{Action, Callees, MethodId, Program};
use interloper_scan::{Analysis, Occurrence, Options, Outcome, Place};
use proptest::prelude::*;

use super::ast::{E, K, M, St, lower};
use super::reference::{Expected, Pair, Pairs, Reference};

const BOUND: u8 = 3;
const LIMIT: usize = 400;

fn cases(base: u32) -> ProptestConfig {
    let factor = std::env::var("INTERLOPER_CASES").ok().and_then(|c| c.parse().ok()).unwrap_or(1);
    ProptestConfig::with_cases(base * factor)
}

fn var(name: &str) -> E {
    E::Var(name.to_owned())
}

fn field(base: E, name: &str) -> E {
    E::Field(Box::new(base), name.to_owned())
}

fn static_lock(name: &str) -> E {
    E::Static("G".to_owned(), name.to_owned())
}

fn index(base: E, index: E) -> E {
    E::Index(Box::new(base), Box::new(index))
}

fn any_expr() -> impl Strategy<Value = E> {
    prop_oneof![
        3 => Just(E::This),
        4 => Just(var("p")),
        3 => Just(var("q")),
        2 => Just(var("v")),
        2 => Just(static_lock("a")),
        1 => Just(static_lock("class")),
        1 => Just(E::Unknown),
        2 => Just(field(E::This, "f")),
        2 => Just(field(var("p"), "f")),
        1 => Just(field(static_lock("a"), "f")),
        1 => Just(field(field(E::This, "f"), "g")),
        1 => Just(field(field(field(E::This, "f"), "g"), "h")),
        1 => Just(index(var("p"), var("q"))),
        1 => Just(index(field(E::This, "f"), E::Const(0))),
        1 => Just(index(var("p"), static_lock("i"))),
    ]
}

fn any_target() -> impl Strategy<Value = E> {
    prop_oneof![
        2 => Just(var("p")),
        2 => Just(var("q")),
        2 => Just(var("v")),
        1 => Just(static_lock("a")),
        1 => Just(static_lock("i")),
        2 => Just(field(E::This, "f")),
        1 => Just(field(var("p"), "f")),
        1 => Just(field(static_lock("a"), "f")),
    ]
}

fn any_argument() -> impl Strategy<Value = E> {
    prop_oneof![6 => any_expr(), 1 => Just(E::Const(0))]
}

fn any_leaf() -> impl Strategy<Value = K> {
    let call =
        (any_expr(), 0..3u8, any_argument(), any_argument()).prop_map(|(receiver, name, a, b)| {
            K::Call { receiver, name: format!("m{name}"), args: vec![a, b] }
        });
    prop_oneof![
        5 => any_expr().prop_map(|e| K::Sync(e, Vec::new())),
        4 => call,
        3 => any_target().prop_map(K::Assign),
        1 => Just(K::Return),
        1 => Just(K::Break),
        1 => Just(K::Continue),
    ]
}

fn any_kind() -> impl Strategy<Value = K> {
    any_leaf().prop_recursive(3, 10, 3, |inner| {
        let stmts = prop::collection::vec(inner.prop_map(|kind| St { line: 0, kind }), 0..4);
        prop_oneof![
            6 => (any_expr(), stmts.clone()).prop_map(|(e, body)| K::Sync(e, body)),
            2 => (stmts.clone(), stmts.clone()).prop_map(|(a, b)| K::If(a, b)),
            2 => stmts.clone().prop_map(K::Loop),
            1 => stmts.clone().prop_map(K::Forever),
            1 => (stmts.clone(), stmts).prop_map(|(a, b)| K::Try(a, b)),
        ]
    })
}

/// Methods m0, m1, m2, one of them twice; each statement on a line of its own.
fn any_program() -> impl Strategy<Value = Vec<M>> {
    let body = prop::collection::vec(any_kind().prop_map(|kind| St { line: 0, kind }), 0..4);
    prop::collection::vec(body, 4).prop_map(|bodies| {
        let mut line = 0;
        let method = |(at, mut body): (usize, Vec<St>)| {
            number(&mut body, &mut line);
            M {
                class: format!("C{at}"),
                name: format!("m{}", at % 3),
                params: vec!["p".to_owned(), "q".to_owned()],
                body: in_scope(body, false),
            }
        };
        bodies.into_iter().enumerate().map(method).collect()
    })
}

/// Drops `break` and `continue` outside of loops, which no program has.
fn in_scope(body: Vec<St>, in_loop: bool) -> Vec<St> {
    let mut kept = Vec::new();
    for St { line, kind } in body {
        let kind = match kind {
            K::Break | K::Continue if !in_loop => continue,
            K::Sync(e, a) => K::Sync(e, in_scope(a, in_loop)),
            K::Loop(a) => K::Loop(in_scope(a, true)),
            K::Forever(a) => K::Forever(in_scope(a, true)),
            K::If(a, b) => K::If(in_scope(a, in_loop), in_scope(b, in_loop)),
            K::Try(a, b) => K::Try(in_scope(a, in_loop), in_scope(b, in_loop)),
            other => other,
        };
        kept.push(St { line, kind });
    }
    kept
}

fn number(stmts: &mut [St], line: &mut u32) {
    for st in stmts {
        *line += 1;
        st.line = *line;
        match &mut st.kind {
            K::Sync(_, a) | K::Loop(a) | K::Forever(a) => number(a, line),
            K::If(a, b) | K::Try(a, b) => {
                number(a, line);
                number(b, line);
            }
            _ => {}
        }
    }
}

fn options(variant: bool) -> Options {
    // The reference has no limits.
    let (pair_cap, places_per_warning) = (usize::MAX, usize::MAX);
    Options { size_bound: BOUND, variant, pair_cap, places_per_warning, ..Options::default() }
}

fn show(pair: &Pair) -> String {
    if pair.0 == pair.1 { pair.0.to_string() } else { format!("⟨{}, {}⟩", pair.0, pair.1) }
}

fn shown(pairs: &Pairs) -> BTreeSet<String> {
    pairs.iter().map(show).collect()
}

fn names(locks: &BTreeSet<E>) -> BTreeSet<String> {
    locks.iter().map(E::to_string).collect()
}

fn set(list: &[String]) -> BTreeSet<String> {
    list.iter().cloned().collect()
}

fn compare_facts(analysis: &Analysis<'_>, expected: &[Expected]) {
    for (method, expected) in expected.iter().enumerate() {
        let facts = analysis.explain(MethodId::from_index(method));
        assert_eq!(set(&facts.locks_held), names(&expected.held), "LOCKSHELD of {method}");
        assert_eq!(set(&facts.exit.released), names(&expected.released), "R of {method}");
        assert_eq!(set(&facts.exit.twice), shown(&expected.twice), "T of {method}");
        assert_eq!(set(&facts.exit.pattern), shown(&expected.pattern), "P of {method}");
        assert_eq!(set(&facts.final_twice), shown(&expected.final_twice), "FINAL_T of {method}");
        assert_eq!(
            set(&facts.final_pattern),
            shown(&expected.final_pattern),
            "FINAL_P of {method}"
        );
    }
}

/// The places of a method that are to be reported.
fn places(expected: &Expected) -> BTreeSet<(u32, u32, Pair)> {
    let by_callers = |p: &&(u32, u32, Pair)| expected.by_callers.contains(&p.2);
    let open = expected.open.iter().filter(by_callers);
    expected.confirmed.iter().chain(open).cloned().collect()
}

fn compare_warnings(
    program: &Program,
    callees: &Callees,
    outcome: &Outcome,
    reference: &Reference<'_>,
) {
    let expected = &reference.expected;
    let occurrences: Vec<_> = outcome.warnings.iter().flat_map(|w| &w.occurrences).collect();
    let found: BTreeSet<_> =
        occurrences.iter().map(|o| (o.method.index(), o.second.start().line)).collect();
    assert_eq!(found.len(), occurrences.len(), "a place is reported once");
    let mut wanted = BTreeSet::new();
    for (method, expected) in expected.iter().enumerate() {
        wanted.extend(places(expected).iter().map(|&(_, line, _)| (method, line)));
    }
    assert_eq!(found, wanted);
    for occurrence in occurrences {
        let places = places(&expected[occurrence.method.index()]);
        let (first, second) = (occurrence.first.start().line, occurrence.second.start().line);
        let known = places.iter().find(|(x, y, pair)| {
            (*x, *y) == (first, second)
                && pair.0.to_string() == occurrence.first_witness
                && pair.1.to_string() == occurrence.witness
        });
        let Some((_, _, pair)) = known else { panic!("{occurrence:?}") };
        let calls: Vec<_> = occurrence.context.calls.iter().map(|c| c.line).collect();
        assert!(reference.is_context(occurrence.method.index(), pair, &calls), "{occurrence:?}");
        check_chains(program, callees, occurrence);
    }
}

/// Each call leads to the method of the next place.
fn check_chains(program: &Program, callees: &Callees, occurrence: &Occurrence) {
    let here = Place { method: occurrence.method, line: 0 };
    let context = &occurrence.context;
    let down = |calls: &[Place], end: Place| {
        for (call, next) in calls.iter().zip(calls.iter().skip(1).chain([&end])) {
            let method = program.method(call.method);
            let leads = method.stmts().iter().any(|s| match s.action {
                Action::Call(c) => {
                    s.line == call.line
                        && callees.of(method.call(c).dispatch).contains(&next.method)
                }
                Action::Assign(_) => false,
            });
            assert!(leads, "{call:?} to {next:?} in {occurrence:?}");
        }
        calls.first().map_or(end.method, |c| c.method)
    };
    assert_eq!(down(&context.calls, here), context.place.method);
    for acquisition in [&occurrence.first, &occurrence.second] {
        assert_eq!(down(&acquisition.calls, acquisition.place), here.method);
        let method = program.method(acquisition.place.method);
        let lock_at = method.regions().iter().find(|r| r.line == acquisition.place.line);
        let lock = lock_at.map(|r| method.exprs().show(r.lock, method, &program.names));
        assert_eq!(lock.as_ref(), Some(&acquisition.lock));
    }
}

fn check(methods: &[M], variant: bool) {
    let Some(reference) = Reference::new(methods, BOUND as usize, variant, LIMIT) else { return };
    let options = options(variant);
    let (program, callees) = lower(methods, BOUND);
    let analysis = Analysis::new(&program, &callees, &options);
    compare_facts(&analysis, &reference.expected);
    compare_warnings(&program, &callees, &analysis.outcome(), &reference);
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn the_analysis_equals_the_reference(methods in any_program()) {
        check(&methods, false);
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn the_variant_equals_the_reference(methods in any_program()) {
        check(&methods, true);
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn the_number_of_threads_does_not_matter(methods in any_program(), variant: bool) {
        let (program, callees) = lower(&methods, BOUND);
        let options = options(variant);
        let outcome = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Analysis::new(&program, &callees, &options).outcome())
        };
        let one = outcome(1);
        for threads in [2, 4] {
            prop_assert_eq!(&outcome(threads), &one);
        }
    }
}

/// Programs that are worth something: most have few enough paths, and many a warning.
#[test]
fn random_programs_are_not_idle() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut compared, mut warned, mut across) = (0, 0, 0);
    for _ in 0..300 {
        let methods = any_program().new_tree(&mut runner).unwrap().current();
        let Some(reference) = Reference::new(&methods, BOUND as usize, false, LIMIT) else {
            continue;
        };
        compared += 1;
        warned += usize::from(reference.expected.iter().any(|e| !places(e).is_empty()));
        across += usize::from(reference.expected.iter().any(|e| !e.by_callers.is_empty()));
    }
    assert!(compared > 240 && warned > 60 && across > 10, "{compared} {warned} {across}");
}
