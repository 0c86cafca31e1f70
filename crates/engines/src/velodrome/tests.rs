//! Each rule, each deviation from the paper, and the bounds on memory, by hand. (The integration
//! tests hold the engine against an oracle.)

use super::step::{Step, Var};
use super::*;
use interloper_findings::Dependence;
use interloper_trace::{LabelId, Names, OperandKind, SiteId};

/// Everything reported.
#[derive(Default)]
struct Told(Vec<Violation>);

impl Sink for Told {
    fn count(&mut self, _: Position, _: Key) -> bool {
        true
    }

    fn explain(&mut self, _: Key, violation: Violation) {
        self.0.push(violation);
    }
}

/// A trace of lines like `1 w x`, fed to both engines.
struct Run {
    names: Names,
    merged: Velodrome,
    unmerged: Velodrome,
    at: Position,
    told: Told,
}

impl Run {
    fn new() -> Run {
        Run {
            names: Names::default(),
            merged: Velodrome::new(),
            unmerged: Velodrome::without_merging(),
            at: 0,
            told: Told::default(),
        }
    }

    fn of(lines: &str) -> Run {
        let mut run = Run::new();
        lines
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .for_each(|line| run.feed(line));
        run
    }

    fn feed(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let op = Op::ALL.into_iter().find(|op| op.word() == words[1]).unwrap();
        let operand = words.get(2).map_or(0, |name| match op.operand_kind() {
            OperandKind::None => 0,
            OperandKind::Var | OperandKind::Object => self.names.var(name).0,
            OperandKind::Lock => self.names.lock(name).0,
            OperandKind::Thread => self.names.thread(name).0,
            OperandKind::Label => self.names.label(name).0,
        });
        let thread = self.names.thread(words[0]);
        let events = vec![Event::new(thread, op, operand, SiteId::UNKNOWN)];
        let batch = Batch { first: self.at, events };
        let (known, mut other) = (self.told.0.len(), Told::default());
        self.merged.feed(&batch, &self.names, &mut self.told);
        self.unmerged.feed(&batch, &self.names, &mut other);
        let verdicts = |told: &[Violation]| -> Vec<Vec<OpenBlock>> {
            told.iter().map(|violation| violation.blocks.clone()).collect()
        };
        let new = &self.told.0[known..];
        assert_eq!(verdicts(new), verdicts(&other.0), "merging matters at {line}");
        self.at += 1;
    }

    /// The violations: at which event, and which blocks are refuted.
    fn violations(&self) -> Vec<(Position, Vec<String>)> {
        let label = |block: &OpenBlock| self.names.labels.text(block.label.0).to_string();
        let refuted = |violation: &Violation| {
            violation.blocks.iter().filter(|block| block.refuted).map(label).collect()
        };
        self.told.0.iter().map(|violation| (violation.event, refuted(violation))).collect()
    }

    fn expect(&self, violations: &[(Position, &[&str])]) {
        let expected: Vec<(Position, Vec<String>)> = violations
            .iter()
            .map(|(at, labels)| (*at, labels.iter().map(|label| label.to_string()).collect()))
            .collect();
        assert_eq!(self.violations(), expected);
    }

    /// The edges into the running transaction of a thread.
    fn edges_into(&mut self, thread: &str) -> usize {
        let thread = self.names.thread(thread);
        let node = self.merged.threads[thread.index()].current;
        self.merged.graph.node(node).incoming.len()
    }
}

fn nodes(engine: &Velodrome) -> (u64, u64) {
    (engine.stats()[0].value, engine.stats()[1].value)
}

#[test]
fn each_kind_of_dependence_closes_a_cycle() {
    for (out, back) in [
        (["1 w x", "2 r x"], ["2 w y", "1 r y"]),
        (["1 r x", "2 w x"], ["2 r y", "1 w y"]),
        (["1 w x", "2 w x"], ["2 w y", "1 w y"]),
        (["1 vw x", "2 vr x"], ["2 rmw y", "1 vr y"]),
        (["1 r x", "2 rmw x"], ["2 r y", "1 rmw y"]),
        (["1 rel m", "2 acq m"], ["2 rel m", "1 acq m"]),
        (["1 wait m", "2 acq m"], ["2 wait m", "1 acq m"]),
        (["1 fork 2", "2 dummy"], ["2 notify m", "1 join 2"]),
        (["1 fork 2", "2 begin b"], ["2 begin c", "1 join 2"]),
        (["1 barrier m", "2 barrier m"], ["2 w y", "1 r y"]),
        (["1 w x", "2 r x"], ["2 barrier m", "1 join 2"]),
    ] {
        let mut run = Run::of("1 begin a\n1 acq m");
        if out[0] != "1 rel m" && out[0] != "1 wait m" {
            run.feed("1 rel m");
        } else {
            run.feed("1 dummy");
        }
        [out, back].as_flattened().iter().for_each(|line| run.feed(line));
        run.expect(&[(6, &["a"])]);
    }
}

#[test]
fn reads_do_not_conflict_and_own_accesses_close_nothing() {
    Run::of("1 begin a\n1 r x\n2 r x\n1 r x\n1 w y\n1 r y\n1 w y\n1 end").expect(&[]);
    Run::of("1 begin a\n1 acq m\n1 rel m\n1 acq m\n1 rel m\n1 end").expect(&[]);
}

#[test]
fn analysis_goes_on_after_a_violation() {
    let run = Run::of(
        "1 begin a
         1 r x
         2 w x
         1 r x
         1 w x
         2 w x
         1 w x
         1 end
         1 r x",
    );
    run.expect(&[(3, &["a"]), (4, &["a"]), (6, &["a"])]);
}

/// After the write at 7, which left its dependence on the read at 6 out, no write depends on that.
#[test]
fn write_forgets_the_reads_before_it() {
    let run = Run::of(
        "1 begin a
         2 begin b
         2 w p
         1 w q
         3 r p
         3 r q
         3 r x
         1 w x
         2 w x",
    );
    run.expect(&[(7, &["a"])]);
}

#[test]
fn blocks_around_both_ends_are_refuted() {
    Run::of("1 begin p\n1 begin q\n1 r x\n1 begin r\n2 w x\n1 w x").expect(&[(5, &["p", "q"])]);
    Run::of("1 begin p\n1 begin q\n1 r x\n1 end\n2 w x\n1 w x").expect(&[(5, &["p"])]);
}

/// The path by thread 2 leaves later, but has the earlier root.
#[test]
fn latest_root_counts() {
    let lines = "1 begin p\n1 w x\n1 begin q\n1 w y\n3 r y\n3 r z\n2 r x\n2 r z\n1 w z";
    Run::of(lines).expect(&[(8, &["p", "q"])]);
}

#[test]
fn nobody_is_to_blame_if_no_path_of_events_comes_back() {
    let run = Run::of("1 begin a\n2 begin b\n2 w y\n1 w x\n2 r x\n2 end\n1 r y");
    run.expect(&[(6, &[])]);
    assert_eq!(dependences(&run), [(3, 4, true), (2, 6, true)]);
}

/// The first violation's cycle: positions, and whether the next hop starts in the transaction
/// where the last arrived.
fn dependences(run: &Run) -> Vec<(Position, Position, bool)> {
    let hop = |Dependence { from, to }: &Dependence| (from.event, to.event, from.same_transaction);
    run.told.0[0].cycle.iter().map(hop).collect()
}

/// Deviation 1: with the newest edge `a → b` only (events 5 and 6), the path by the older one
/// (events 1 and 3) is lost.
#[test]
fn older_edge_between_two_nodes_carries_blame() {
    let run = Run::of(
        "1 begin a
         1 w x
         2 begin b
         2 r x
         2 w y
         1 w z
         2 r z
         3 r y
         3 w q
         1 r q",
    );
    run.expect(&[(9, &["a"])]);
    assert_eq!(dependences(&run), [(1, 3, true), (4, 7, true), (8, 9, false)]);
}

/// Deviation 1: nor is the oldest edge enough, if a block began or an edge arrived in between.
#[test]
fn newer_edge_between_two_nodes_carries_blame() {
    let nested = "1 begin p\n1 w x\n1 begin q\n1 w z\n2 begin b\n2 r x\n2 r z\n2 w y\n1 r y";
    Run::of(nested).expect(&[(8, &["p", "q"])]);
    let entered = "1 begin a\n2 begin b\n2 w u\n3 begin c\n3 r u\n1 w x\n2 r x\n2 w v\n3 r v
                   3 w y\n1 r y";
    Run::of(entered).expect(&[(10, &["a"])]);
}

#[test]
fn edge_that_tells_nothing_new_is_dropped() {
    let mut run = Run::of("1 begin a\n1 w x\n1 w y\n2 begin b\n2 r y\n2 r x");
    assert_eq!(run.edges_into("2"), 1, "the source is older");
    run.feed("1 w z");
    run.feed("2 r z");
    assert_eq!(run.edges_into("2"), 1, "nothing entered `a` in between");
    ["1 begin c", "1 w z", "2 r z"].into_iter().for_each(|line| run.feed(line));
    assert_eq!(run.edges_into("2"), 2);
}

/// Deviation 2: the acquire comes after `a` alone, but must not be merged into `a`, which runs.
#[test]
fn events_are_not_merged_into_a_running_transaction() {
    let run = Run::of("1 begin a\n1 acq m\n1 rel m\n2 acq m\n2 w y\n1 r y");
    run.expect(&[(5, &["a"])]);
    assert_eq!(dependences(&run), [(2, 3, true), (4, 5, false)]);
}

/// Deviation 2: the last event of thread 3 comes before `b` as a transaction, but not before its
/// write of `y`; merged into that, its next event would lose the path 1, 2, 8, 9.
#[test]
fn events_are_merged_by_the_order_of_events() {
    let run = Run::of(
        "1 begin a
         1 w p
         3 r p
         3 w v
         2 begin b
         2 w y
         2 r v
         2 end
         3 r y
         1 w y",
    );
    run.expect(&[(9, &["a"])]);
    assert_eq!(dependences(&run), [(1, 2, true), (8, 9, false)]);
}

/// Thread 3's and then thread 4's event go to the node of the finished `b`; the explanation still
/// tells how they depend on it.
#[test]
fn guests_are_explained() {
    let run = Run::of(
        "1 begin a
         1 w x
         2 begin b
         2 r x
         2 w y
         2 end
         3 r y
         3 w z
         4 r z
         4 w q
         1 r q",
    );
    assert_eq!(nodes(&run.merged).0, 2);
    assert_eq!(nodes(&run.unmerged).0, 6);
    run.expect(&[(10, &["a"])]);
    let cycle = [(1, 3, true), (4, 6, true), (7, 8, false), (9, 10, false)];
    assert_eq!(dependences(&run), cycle);
    let labels: Vec<LabelId> = run.told.0[0].cycle.iter().map(|hop| hop.to.label).collect();
    assert_eq!(labels[1..3], [LabelId::OUTSIDE; 2]);
}

/// A thread that was a guest begins a block: the order of its own events is an edge from the host.
#[test]
fn guest_that_begins_a_block_is_explained() {
    let run = Run::of(
        "1 begin a
         1 w x
         2 begin b
         2 r x
         2 w y
         2 end
         3 r y
         3 begin c
         3 w q
         1 r q",
    );
    run.expect(&[(9, &["a"])]);
    assert_eq!(dependences(&run), [(1, 3, true), (4, 6, true), (8, 9, false)]);
}

#[test]
fn node_takes_few_guests_and_all_are_found() {
    let mut run = Run::of("0 begin a\n0 w x\n1 begin b\n1 r x\n1 w y\n1 end");
    for guest in 10..60 {
        run.feed(&format!("{guest} r y"));
        run.feed(&format!("{guest} w z{guest}"));
    }
    let most = run.merged.graph.size();
    assert!((0..most).all(|i| run.merged.graph.node(NodeId(i as u32)).guests.len() <= 16));
    for guest in 10..60 {
        let known = run.told.0.len();
        run.feed(&format!("0 r z{guest}"));
        assert_eq!(run.told.0.len(), known + 1);
        assert_eq!(run.told.0[known].cycle.len(), 3);
    }
}

/// Section 4.2: nothing to come after, nothing allocated.
#[test]
fn events_with_nothing_before_them_cost_nothing() {
    let run = Run::of("1 w x\n2 r x\n2 acq m\n2 rel m\n1 w x\n1 fork 3\n3 r x\n1 join 3");
    assert_eq!(nodes(&run.merged), (0, 0));
    assert_eq!(nodes(&run.unmerged), (8, 1));
}

/// Section 4.1: a finished transaction that nothing running reaches is gone, its node recycled;
/// steps of its first life do not stand for its second.
#[test]
fn collected_steps_are_bottom() {
    let mut run = Run::of("1 begin a\n1 w x\n1 rel m\n1 end\n2 begin b\n2 w y\n3 r y");
    assert_eq!(run.merged.graph.size(), 3, "`b` has the node of `a`");
    ["2 r x", "2 acq m", "2 end"].into_iter().for_each(|line| run.feed(line));
    run.expect(&[]);
    let thread = run.names.thread("3");
    assert!(!run.merged.graph.alive(&run.merged.threads[thread.index()].last.step));
    assert_eq!(nodes(&run.merged), (3, 2));
}

/// The node of `b` is that of `a`, and so is its thread: its edge is a new one all the same.
#[test]
fn edge_from_a_recycled_node_is_no_old_one() {
    let lines =
        "1 begin long\n2 begin a\n2 w x\n1 r x\n2 end\n2 begin b\n2 w y\n1 r y\n1 w z\n2 r z";
    Run::of(lines).expect(&[(9, &["b"])]);
}

/// Deviation 3: what came after `b` did not come after `c`, which runs in its place.
#[test]
fn ended_transaction_is_no_running_ancestor() {
    let lines = "1 begin a\n1 w x\n2 begin b\n2 w y\n3 r x\n3 r y\n3 w z\n2 end\n2 begin c\n2 r z";
    Run::of(lines).expect(&[]);
}

/// Deviation 3: an ancestor found late is handed down a long chain, and closes the cycle at its
/// end. (A recursion would run out of stack.)
#[test]
fn late_ancestor_is_handed_down_a_long_chain() {
    let mut run = Run::of("1 begin long\n1 w x\n2 begin late\n2 w y");
    for link in 0..20_000 {
        let thread = 3 + link % 2;
        for line in ["begin b", if link == 0 { "r x" } else { "dummy" }, "rmw chain", "end"] {
            run.feed(&format!("{thread} {line}"));
        }
    }
    assert_eq!(nodes(&run.merged), (20_002, 20_002));
    run.feed("1 r y");
    run.expect(&[]);
    let close = run.at;
    run.feed("2 r chain");
    run.expect(&[(close, &[])]);
    run.feed("1 end");
    run.feed("2 end");
    assert_eq!(run.merged.graph.allocated, 20_002);
    run.feed("5 begin b");
    run.feed("5 end");
    assert_eq!(run.merged.graph.most_alive, 20_002, "all of them were collected");
}

/// More running transactions than the table of ancestors first has columns for.
#[test]
fn many_running_transactions() {
    let mut run = Run::new();
    for thread in 0..100 {
        run.feed(&format!("{thread} begin b"));
        run.feed(&format!("{thread} w x{thread}"));
    }
    for thread in 1..100 {
        run.feed(&format!("{thread} r x{}", thread - 1));
    }
    run.expect(&[]);
    let close = run.at;
    run.feed("0 r x99");
    run.expect(&[(close, &[])]);
}

#[test]
fn edges_from_collected_nodes_do_not_pile_up() {
    let mut run = Run::of("1 begin long");
    for round in 0..1_000 {
        let thread = round % 50 + 10;
        for line in [
            format!("2 begin a\n2 w x\n{thread} begin b\n{thread} r x\n{thread} w y{round}"),
            format!("1 r y{round}\n2 end\n{thread} end"),
        ] {
            line.lines().for_each(|line| run.feed(line));
        }
        assert!(run.edges_into("1") <= 64);
    }
    run.expect(&[]);
    assert!(run.merged.graph.size() < 10);
}

#[test]
fn reads_of_collected_nodes_do_not_pile_up() {
    let read = |thread: u32| Step { thread: ThreadId(thread), ..Step::BOTTOM };
    let mut var = Var::NEW;
    for thread in 0..1_000 {
        var.record_read(read(thread), |step| step.thread.0.saturating_add(3) > thread);
        var.record_read(read(thread), |_| true);
        assert!(var.reads().count() <= 6);
    }
    let mut threads: Vec<u32> = var.reads().map(|read| read.thread.0).collect();
    threads.sort_unstable();
    threads.dedup();
    assert_eq!(threads.len(), var.reads().count(), "one read a thread");
    assert!([997, 998, 999].iter().all(|thread| threads.contains(thread)));
    assert_eq!((size_of::<Var>(), size_of::<graph::Edge>()), (64, 64));
}

#[test]
fn names_and_statistics() {
    let (merged, unmerged) = (Velodrome::default(), Velodrome::without_merging());
    assert_eq!((merged.name(), unmerged.name()), ("velodrome", "velodrome-unmerged"));
    let names: Vec<&str> = merged.stats().iter().map(|stat| stat.name).collect();
    assert_eq!(names, ["transactions allocated", "transactions alive at most"]);
}
