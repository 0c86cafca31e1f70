//! Every claim of the race engines against brute force, on thousands of random traces.

mod common;

use common::order::{By, conflict, happens_before, held};
use common::racing::warnings;
use common::schedules::Schedules;
use common::shapes::{Shape, named};
use common::suite::times;
use common::text::{Trace, text};
use common::walk::{self, Random};
use interloper_findings::Warning;
use interloper_trace::{Event, Op, OperandKind, SiteId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// By variable: the event at which a race is known.
type Reports = BTreeMap<u32, u64>;

fn is_plain(event: &Event) -> bool {
    matches!(event.op, Op::Read | Op::Write)
}

/// An engine's reports. Each variable at most once; what is shown must be true: two conflicting
/// accesses of different threads, in order, the later not after the report, with the locks that
/// were held.
fn reports(name: &str, trace: &Trace) -> (Reports, Vec<Warning>) {
    let events = &trace.events;
    let locks = held(events);
    let all = warnings(name, trace, 7);
    assert_eq!(all, warnings(name, trace, 10_000), "batches make no difference");
    let mut reports = Reports::new();
    for warning in &all {
        let [first, second] = &warning.steps[..] else { panic!("two accesses: {warning:?}") };
        let (a, b) = (first.access.event as usize, second.access.event as usize);
        assert!(a < b && b as u64 <= warning.event, "{name}: {warning:?}\n{}", text(events));
        assert!(conflict(&events[a], &events[b]), "{name}: {warning:?}\n{}", text(events));
        for (step, at) in [(first, a), (second, b)] {
            let (access, event) = (&step.access, &events[at]);
            assert_eq!((access.thread, access.op), (event.thread, event.op));
            assert_eq!((access.operand, access.site), (event.operand, event.site));
            let mut shown: Vec<u32> = step.held.iter().map(|lock| lock.0).collect();
            let mut expected = locks[at].clone();
            shown.sort_unstable();
            expected.sort_unstable();
            assert_eq!(shown, expected, "{name}: {warning:?}\n{}", text(events));
        }
        let before = reports.insert(events[b].operand, warning.event);
        assert_eq!(before, None, "{name}: once a variable\n{}", text(events));
    }
    (reports, all)
}

/// Traces of all kinds: short ones made for schedules, longer ones of other tests.
fn shapes() -> Vec<Shape> {
    let all = Shape {
        forks: true,
        barriers: true,
        waits: true,
        volatiles: true,
        ordered: false,
        nested: false,
        in_blocks: false,
        ..Shape::PLAIN
    };
    vec![
        Shape { in_blocks: false, ..Shape::PLAIN },
        Shape { in_blocks: false, forks: true, vars: 1, ..Shape::PLAIN },
        Shape { in_blocks: false, barriers: true, vars: 1, ..Shape::PLAIN },
        Shape { threads: 4, vars: 1, locks: 3, accesses: 4, ..all },
        Shape { threads: 5, vars: 2, steps: 8, ..all },
        all,
    ]
}

fn traces(each: u64) -> impl Iterator<Item = Trace> {
    let each = each * u64::from(times());
    let small = shapes().into_iter().flat_map(move |shape| (0..each).map(move |i| shape.trace(i)));
    let long = walk::profiles().into_iter().flat_map(move |profile| {
        (0..each / 4).map(move |seed| profile.long(seed, 60 + seed as usize % 60))
    });
    small.chain(long).enumerate().map(|(i, mut events)| {
        // Those of the walk may come after accesses of several threads, as in no program.
        for event in events.iter_mut().filter(|event| event.op == Op::Escape) {
            *event = Event::new(event.thread, Op::Dummy, 0, event.site);
        }
        let trace = named(&events);
        if i % 3 == 0 { escaping(trace, i as u64) } else { trace }
    })
}

/// Some variables escape on the way; until then only the thread that shares them touches them.
fn escaping(Trace { mut names, mut events }: Trace, seed: u64) -> Trace {
    let mut random = Random(seed);
    let vars: BTreeSet<u32> = events.iter().filter(|e| is_plain(e)).map(|e| e.operand).collect();
    for var in vars {
        let place = random.below(events.len());
        let owner = events[place].thread;
        for event in events[..place].iter_mut() {
            if event.operand == var
                && event.op.operand_kind() == OperandKind::Var
                && event.thread != owner
            {
                *event = Event::new(event.thread, Op::Dummy, 0, event.site);
            }
        }
        // Before an event of its own, so that it is alive.
        let site = names.site(&format!("escape{place}"));
        events.insert(place, Event::new(owner, Op::Escape, var, site));
    }
    Trace { names, events }
}

/// The trace without the accesses that do not count.
fn counting(events: &[Event]) -> Vec<Event> {
    let mut events = events.to_vec();
    for at in 0..events.len() {
        if events[at].op == Op::Escape {
            let var = events[at].operand;
            for event in events[..at].iter_mut().filter(|e| is_plain(e) && e.operand == var) {
                *event = Event::new(event.thread, Op::Dummy, 0, SiteId::UNKNOWN);
            }
        }
    }
    events
}

/// `hb` reports a variable exactly if the definition has a race on it, at the first event that has
/// one, with an earlier access of that race.
#[test]
fn hb_is_exact() {
    let (mut racy, mut quiet) = (0, 0);
    for trace in traces(200) {
        let (found, all) = reports("hb", &trace);
        let events = counting(&trace.events);
        let before = happens_before(&events, By::All);
        let mut expected = Reports::new();
        for b in 0..events.len() {
            if (0..b).any(|a| conflict(&events[a], &events[b]) && !before[a][b]) {
                expected.entry(events[b].operand).or_insert(b as u64);
            }
        }
        assert_eq!(found, expected, "on\n{}", text(&trace.events));
        for warning in &all {
            let [a, b] = [0, 1].map(|i| warning.steps[i].access.event as usize);
            assert!(!before[a][b] && b as u64 == warning.event, "{warning:?}");
        }
        if expected.is_empty() { quiet += 1 } else { racy += 1 }
    }
    assert!(racy > 500 && quiet > 150, "both happen: {racy} {quiet}");
}

/// `multilockset` reports every race that some schedule shows, when its later access comes at the
/// latest.
#[test]
fn multilockset_misses_nothing() {
    let (mut asked, mut shown, mut false_alarms) = (0, 0, 0);
    for (i, trace) in traces(200).enumerate() {
        let events = counting(&trace.events);
        if events.len() > 60 {
            continue;
        }
        let schedules = Schedules::new(&events).with_cap(20_000);
        let Some(races) = schedules.races() else { continue };
        let (found, _) = reports("multilockset", &trace);
        for &(_, b) in &races {
            let report = found.get(&events[b].operand);
            assert!(
                report.is_some_and(|&at| at <= b as u64),
                "case {i}: {races:?} but {found:?} on\n{}",
                text(&trace.events)
            );
        }
        let racy: BTreeSet<u32> = races.iter().map(|&(_, b)| events[b].operand).collect();
        asked += 1;
        shown += racy.len();
        false_alarms += found.keys().filter(|var| !racy.contains(var)).count();
    }
    assert!(asked > 700 && shown > 400, "{asked} {shown} {false_alarms}");
    assert!(false_alarms < shown / 4, "few false alarms: {false_alarms} beside {shown}");
}

/// Figure 3 to the letter (with the sets that the text means), all periods kept: the same reports
/// at the same events. And what `hb` observes, it predicts.
#[test]
fn multilockset_is_figure_3() {
    for trace in traces(150) {
        let (found, all) = reports("multilockset", &trace);
        let events = counting(&trace.events);
        let expected = figure_3(&events);
        assert_eq!(found, expected, "on\n{}", text(&trace.events));
        let (observed, _) = reports("hb", &trace);
        for (var, at) in observed {
            assert!(found.get(&var).is_some_and(|&by| by <= at), "on\n{}", text(&trace.events));
        }
        let before = happens_before(&events, By::Threads);
        for warning in all {
            let [a, b] = [0, 1].map(|i| warning.steps[i].access.event as usize);
            let doubt = warning.notes.iter().find(|note| note.contains("false alarm"));
            let locks = held(&events);
            let apart = !locks[a].iter().any(|lock| locks[b].contains(lock));
            assert_eq!(doubt.is_none(), apart && !before[a][b], "{warning:?}");
        }
    }
}

fn figure_3(events: &[Event]) -> Reports {
    let before = happens_before(events, By::Threads);
    let locks = held(events);
    let concurrent =
        |a: usize, b: usize| events[a].thread != events[b].thread && !before[a][b] && !before[b][a];
    let overlap = |some: &[usize], others: &[usize]| {
        some.iter().any(|&a| others.iter().any(|&b| concurrent(a, b)))
    };
    #[derive(Default)]
    struct Variable {
        write_set: Option<BTreeSet<u32>>,
        read_sets: Vec<BTreeSet<u32>>,
        reads: Vec<usize>,
        writes: Vec<usize>,
    }
    let mut vars: HashMap<u32, Variable> = HashMap::new();
    let mut reports = Reports::new();
    for (at, event) in events.iter().enumerate().filter(|(_, event)| is_plain(event)) {
        let held: BTreeSet<u32> = locks[at].iter().copied().collect();
        let var = vars.entry(event.operand).or_default();
        if event.op == Op::Read {
            if !var.read_sets.iter().any(|set| set.is_subset(&held)) {
                var.read_sets.retain(|set| !held.is_subset(set));
                var.read_sets.push(held);
            }
            var.reads.push(at);
        } else {
            var.write_set = Some(match &var.write_set {
                Some(set) => set & &held,
                None => held,
            });
            var.writes.push(at);
        }
        let racy = match &var.write_set {
            None => false,
            Some(set) if set.is_empty() => {
                overlap(&var.writes, &var.writes) || overlap(&var.writes, &var.reads)
            }
            Some(set) => {
                var.read_sets.iter().any(|read| read.is_disjoint(set))
                    && overlap(&var.writes, &var.reads)
            }
        };
        if racy {
            reports.entry(event.operand).or_insert(at as u64);
        }
    }
    reports
}

/// One lockset a variable, to the letter of section 5.4; `owners` threads may use it before locks
/// count.
fn one_lockset(events: &[Event], owners: usize) -> Reports {
    #[derive(Default)]
    struct Variable {
        /// The threads that owned it, in order.
        owners: Vec<u32>,
        shared: bool,
        written: bool,
        lockset: Option<BTreeSet<u32>>,
    }
    let locks = held(events);
    let mut vars: HashMap<u32, Variable> = HashMap::new();
    let mut reports = Reports::new();
    for (at, event) in events.iter().enumerate().filter(|(_, event)| is_plain(event)) {
        let held: BTreeSet<u32> = locks[at].iter().copied().collect();
        let var = vars.entry(event.operand).or_default();
        if !var.shared && var.owners.last() != Some(&event.thread.0) {
            var.owners.push(event.thread.0);
            var.shared = var.owners.len() > owners;
        }
        if !var.shared {
            continue;
        }
        var.written |= event.op == Op::Write;
        let lockset = match &var.lockset {
            Some(set) => set & &held,
            None => held,
        };
        if var.written && lockset.is_empty() {
            reports.entry(event.operand).or_insert(at as u64);
        }
        var.lockset = Some(lockset);
    }
    reports
}

/// Eraser and its variant with transfer of ownership are what the paper says they are.
#[test]
fn eraser_and_objectrace_go_by_the_book() {
    let mut racy = [0, 0];
    for trace in traces(150) {
        let events = counting(&trace.events);
        for (i, (name, owners)) in [("eraser", 1), ("objectrace", 2)].into_iter().enumerate() {
            let (found, _) = reports(name, &trace);
            assert_eq!(found, one_lockset(&events, owners), "{name} on\n{}", text(&trace.events));
            racy[i] += found.len();
        }
    }
    assert!(racy[0] > racy[1] && racy[1] > 300, "{racy:?}");
}
