//! The exact engines under test, and what a test file needs to run over all of them.

use super::definition::verdict_by_definition;
use super::judge::{judge, run};
use super::reference::all_violations;
use super::text::trace;
use interloper_engines::{Engine, Frontier, Guarantee, by_name};
use interloper_findings::Sink;
use interloper_trace::{Batch, Names};
use proptest::test_runner::Config;

/// Makes a module of tests for each exact engine of functions that take an engine's name.
macro_rules! engine_tests {
    ($($test:ident),+ $(,)?) => {
        engine_tests!(@ frontier "frontier" $($test)+);
        engine_tests!(@ frontier_with_arrays "frontier-with-arrays" $($test)+);
        engine_tests!(@ velodrome "velodrome" $($test)+);
        engine_tests!(@ velodrome_unmerged "velodrome-unmerged" $($test)+);
    };
    (@ $module:ident $name:literal $($test:ident)+) => {
        mod $module {
            $(
                #[test]
                fn $test() {
                    super::$test($name);
                }
            )+
        }
    };
}
pub(crate) use engine_tests;

/// The frontier where there are arrays, so that variables may share what is remembered of them, also if each is accessed alone.
struct WithArrays {
    engine: Frontier,
    names: Names,
}

impl WithArrays {
    fn new() -> WithArrays {
        let mut names = Names::default();
        let stem = names.vars.stem("array");
        names.vars.family(stem, 0, 8).expect("there is room");
        WithArrays { engine: Frontier::new(), names }
    }
}

impl Engine for WithArrays {
    fn name(&self) -> &'static str {
        "frontier-with-arrays"
    }

    fn guarantee(&self) -> Guarantee {
        self.engine.guarantee()
    }

    fn feed(&mut self, batch: &Batch, _: &Names, sink: &mut dyn Sink) {
        self.engine.feed(batch, &self.names, sink);
    }
}

/// A fresh engine.
pub fn engine(name: &str) -> Box<dyn Engine> {
    if name == "frontier-with-arrays" {
        return Box::new(WithArrays::new());
    }
    by_name(name).unwrap_or_else(|| panic!("there is no engine `{name}`"))
}

/// How many times as many random traces as usual: `INTERLOPER_CASES`.
pub fn times() -> u32 {
    std::env::var("INTERLOPER_CASES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// A run of that many random traces, or more if asked for.
pub fn cases(usual: u32) -> Config {
    Config {
        cases: usual.saturating_mul(times()),
        // A failure prints its whole trace; that is what to keep, as a test of its own.
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    }
}

/// A violation by hand: the position of its event, and the labels of the blocks it refutes,
/// outermost first (none: nobody is to blame).
pub type Expected<'a> = (u64, &'a [&'a str]);

/// The engine finds exactly these violations in the trace; the oracle agrees.
pub fn expect(name: &str, text: &str, expected: &[Expected<'_>]) {
    let trace = trace(text);
    let make = || engine(name);
    let told = run(&make, &trace.events, 1, true).unwrap_or_else(|wrong| panic!("{wrong}"));
    let label = |id: interloper_trace::LabelId| trace.names.labels.text(id.0).to_string();
    let found: Vec<(u64, Vec<String>)> = told
        .explained
        .iter()
        .map(|violation| {
            let refuted = violation.blocks.iter().filter(|block| block.refuted);
            (violation.event, refuted.map(|block| label(block.label)).collect())
        })
        .collect();
    let expected: Vec<(u64, Vec<String>)> = expected
        .iter()
        .map(|(event, refuted)| (*event, refuted.iter().map(|&label| label.into()).collect()))
        .collect();
    assert_eq!(found, expected, "{name} on\n{text}");
    judge(&make, &trace.events).unwrap_or_else(|wrong| panic!("{wrong}"));
    let first = all_violations(&trace.events).first().map(|violation| violation.event);
    assert_eq!(first, verdict_by_definition(&trace.events).map(|verdict| verdict.event));
}
