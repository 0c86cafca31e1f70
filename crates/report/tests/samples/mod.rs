//! Findings made by hand, for the tests and the example.
#![allow(dead_code)]

use interloper_findings::{Blame, Block, Certainty, Edge, Finding, Kind, Step, Transaction};
use interloper_report::{EngineRun, Report, Run, ToolInfo};

/// An event of a cycle.
pub fn step(event: u64, thread: &str, op: &str, at: &str) -> Step {
    let (word, operand) = op.split_once('(').unwrap_or((op, ""));
    let verb = match word {
        "r" => "reads",
        "w" => "writes",
        "acq" => "acquires",
        "rel" => "releases",
        other => other,
    };
    let action = format!("{verb} {}", operand.strip_suffix(')').unwrap_or(operand));
    Step { event, thread: thread.into(), op: op.into(), action, at: at.into(), held: None }
}

/// An open block.
pub fn block(label: &str, begin: u64, at: &str, refuted: bool) -> Block {
    Block { label: label.into(), begin, at: at.into(), refuted }
}

/// A dependence between two transactions.
pub fn dependence(from: usize, to: usize, source: Step, target: Step, reason: &str) -> Edge {
    let (source, target) = (Some(source), Some(target));
    Edge { from, to, source, target, reason: reason.into(), closing: to == 0 }
}

/// The order of two transactions of one thread.
pub fn program_order(from: usize, to: usize) -> Edge {
    Edge { from, to, source: None, target: None, reason: "program order".into(), closing: false }
}

/// A finding; transactions are given as thread and label.
pub fn finding(
    message: &str,
    fingerprint: &str,
    blocks: Vec<Block>,
    transactions: &[(&str, Option<&str>)],
    edges: Vec<Edge>,
) -> Finding {
    let mut steps: Vec<Step> = vec![];
    for step in edges.iter().flat_map(|edge| [&edge.source, &edge.target]).flatten() {
        if steps.last().is_none_or(|last| last.event != step.event) {
            steps.push(step.clone());
        }
    }
    let thread = transactions[0].0.to_string();
    let refuted = blocks.iter().filter(|block| block.refuted).map(|block| block.label.clone());
    let blame = blocks.first().filter(|block| block.refuted).map(|first| Blame {
        thread: thread.clone(),
        label: first.label.clone(),
        begin: first.begin,
        certain: true,
        refuted: refuted.collect(),
    });
    let transaction = |(i, (thread, label)): (usize, &(&str, Option<&str>))| Transaction {
        thread: (*thread).into(),
        label: label.map(String::from),
        blamed: i == 0 && blame.is_some(),
    };
    Finding {
        kind: Kind::Atomicity,
        certainty: Certainty::Observed,
        subject: subject(&blocks, transactions),
        fingerprint: fingerprint.into(),
        event: steps.iter().map(|step| step.event).max().unwrap_or(0),
        count: 1,
        transactions: transactions.iter().enumerate().map(transaction).collect(),
        blame,
        thread,
        blocks,
        message: message.into(),
        steps,
        edges,
        notes: vec![],
        review: Default::default(),
        pattern: None,
    }
}

/// The innermost refuted block, or all blocks.
fn subject(blocks: &[Block], transactions: &[(&str, Option<&str>)]) -> String {
    match blocks.iter().rev().find(|block| block.refuted) {
        Some(block) if block.label.is_empty() => {
            format!("the block begun at event {}", block.begin)
        }
        Some(block) => block.label.clone(),
        None => transactions.iter().filter_map(|t| t.1).collect::<Vec<_>>().join(", "),
    }
}

/// Two threads, one variable: the classic.
pub fn lost_update() -> Finding {
    let (read, set) =
        (step(4_180, "alice", "r(balance)", "Account.java:11"), "com/acme/Account.java:15:9");
    let write = || step(4_181, "bob", "w(balance)", "Account.java:20");
    let finding = finding(
        "Account.withdraw is not atomic",
        "8c1f0a2b3d4e5f60",
        vec![block("Account.withdraw", 4_178, "Account.java:10", true)],
        &[("alice", Some("Account.withdraw")), ("bob", Some("Account.deposit"))],
        vec![
            dependence(0, 1, read, write(), "read before write of balance"),
            dependence(
                1,
                0,
                write(),
                step(4_182, "alice", "w(balance)", set),
                "write before write of balance",
            ),
        ],
    );
    Finding { count: 3, ..finding }
}

/// Three threads, through a lock and two variables.
pub fn three_threads() -> Finding {
    finding(
        "A is not atomic",
        "00112233445566aa",
        vec![block("A", 2, "10", true)],
        &[("T1", Some("A")), ("T2", Some("B'")), ("T3", Some("C'"))],
        vec![
            dependence(
                0,
                1,
                step(4, "T1", "rel(m)", "12"),
                step(6, "T2", "acq(m)", "21"),
                "release before acquire of m",
            ),
            dependence(
                1,
                2,
                step(7, "T2", "w(y)", "22"),
                step(9, "T3", "r(y)", "31"),
                "write before read of y",
            ),
            dependence(
                2,
                0,
                step(10, "T3", "w(x)", "32"),
                step(12, "T1", "r(x)", "13"),
                "write before read of x",
            ),
        ],
    )
}

/// Each block could run alone, not both together.
pub fn no_blame() -> Finding {
    finding(
        "left, right cannot all be atomic",
        "77889900aabbccdd",
        vec![block("left", 0, "Pair.java:3", false)],
        &[("T1", Some("left")), ("T2", Some("right"))],
        vec![
            dependence(
                0,
                1,
                step(3, "T1", "w(x)", "Pair.java:4"),
                step(4, "T2", "r(x)", "Pair.java:11"),
                "write before read of x",
            ),
            dependence(
                1,
                0,
                step(2, "T2", "w(y)", "Pair.java:10"),
                step(5, "T1", "r(y)", "Pair.java:5"),
                "write before read of y",
            ),
        ],
    )
}

/// Blocks within each other: `p` and `q` contain both accesses, `r` only the last.
pub fn nested() -> Finding {
    let write = || step(5, "T2", "w(x)", "N.java:20");
    finding(
        "q is not atomic",
        "abcdefabcdefabcd",
        vec![
            block("p", 0, "N.java:1", true),
            block("q", 1, "N.java:2", true),
            block("r", 4, "N.java:4", false),
        ],
        &[("T1", Some("p")), ("T2", None)],
        vec![
            dependence(0, 1, step(2, "T1", "r(x)", "N.java:3"), write(), "read before write of x"),
            dependence(1, 0, write(), step(6, "T1", "r(x)", "N.java:5"), "write before read of x"),
        ],
    )
}

/// Nameless blocks, no locations, an interloper outside any block.
pub fn nameless() -> Finding {
    let write = || step(3, "T2", "w(x)", "");
    finding(
        "the block begun at event 1 is not atomic",
        "0000000000000001",
        vec![block("", 1, "", true)],
        &[("T1", Some("")), ("T2", None)],
        vec![
            dependence(0, 1, step(2, "T1", "r(x)", ""), write(), "read before write of x"),
            dependence(1, 0, write(), step(4, "T1", "w(x)", ""), "write before write of x"),
        ],
    )
}

/// The way back leads through two transactions of one thread.
pub fn program_order_hop() -> Finding {
    finding(
        "Cache.get is not atomic",
        "5555aaaa5555aaaa",
        vec![block("Cache.get", 100, "Cache.java:40", true)],
        &[("reader", Some("Cache.get")), ("filler", Some("Cache.put")), ("filler", None)],
        vec![
            dependence(
                0,
                1,
                step(101, "reader", "r(size)", "Cache.java:41"),
                step(205, "filler", "w(size)", "Cache.java:60"),
                "read before write of size",
            ),
            program_order(1, 2),
            dependence(
                2,
                0,
                step(1_310, "filler", "w(table)", "Filler.java:9"),
                step(1_400, "reader", "r(table)", "Cache.java:43"),
                "write before read of table",
            ),
        ],
    )
}

/// Names that are out to hurt.
pub fn hostile() -> Finding {
    let read = step(1, "T\"1\"\n", "r(a\\b&amp;<x>[1](2))", "../../etc/passwd:1");
    let write = || step(2, "残高スレッド", "w(\x1b[31mred\x1b[0m)", "src/a b%#?.c:7:3");
    let close = step(3, "T\"1\"\n", "w(\u{202e}x)", "/abs/路.java:3");
    finding(
        "bad\x07\"label\"\\n is not atomic",
        "feedfacecafebeef",
        vec![block("bad\x07\"label\"\\n", 0, "C:\\x\\Y.java:2", true)],
        &[("T\"1\"\n", Some("bad\x07\"label\"\\n")), ("残高スレッド", Some("口座"))],
        vec![
            dependence(0, 1, read, write(), "read before write of \x1b]0;title\x07"),
            dependence(1, 0, write(), close, "write \"before\" write"),
        ],
    )
}

/// A cycle through many transactions of many threads.
pub fn long(transactions: usize) -> Finding {
    let thread = |i: usize| format!("worker-{i}");
    let names: Vec<String> = (0..transactions).map(thread).collect();
    let boxes: Vec<(&str, Option<&str>)> =
        names.iter().map(|name| (name.as_str(), Some("Ring.pass"))).collect();
    let edges = (0..transactions).map(|i| {
        let next = (i + 1) % transactions;
        let event = 10 * i as u64;
        let source = step(event + 5, &names[i], &format!("w(slot{i})"), "Ring.java:8");
        let target = step(event + 10, &names[next], &format!("r(slot{i})"), "Ring.java:7");
        dependence(i, next, source, target, &format!("write before read of slot{i}"))
    });
    finding(
        "Ring.pass is not atomic",
        "1010101010101010",
        vec![block("Ring.pass", 1, "Ring.java:6", true)],
        &boxes,
        edges.collect(),
    )
}

/// An event, and the locks held at it.
pub fn held(locks: &[&str], step: Step) -> Step {
    Step { held: Some(locks.iter().map(|lock| lock.to_string()).collect()), ..step }
}

/// A finding without a cycle.
pub fn warning(kind: Kind, certainty: Certainty, subject: &str, steps: Vec<Step>) -> Finding {
    Finding {
        kind,
        certainty,
        subject: subject.into(),
        fingerprint: format!("{:016x}", subject.len() * 1_000 + steps.len()),
        event: steps.iter().map(|step| step.event).max().unwrap_or(0),
        count: 1,
        blame: None,
        thread: steps.last().map_or(String::new(), |step| step.thread.clone()),
        blocks: vec![],
        message: String::new(),
        steps,
        transactions: vec![],
        edges: vec![],
        notes: vec![],
        review: Default::default(),
        pattern: None,
    }
}

/// Another schedule lets another thread come between two reads, each under the lock.
pub fn predicted() -> Finding {
    let v1 = |step| held(&["v1"], step);
    let write = || v1(step(18, "t2", "w(v1.elementCount)", "Vector.java:631"));
    let finding = finding(
        "Vector.<init> can be cut in two",
        "00000000000000b1",
        vec![block("Vector.<init>", 3, "Vector.java:130", true)],
        &[("t1", Some("Vector.<init>")), ("t2", Some("Vector.removeAllElements"))],
        vec![
            dependence(
                0,
                1,
                v1(step(5, "t1", "r(v1.elementCount)", "Vector.java:267")),
                write(),
                "read before write of v1.elementCount",
            ),
            dependence(
                1,
                0,
                write(),
                v1(step(9, "t1", "r(v1.elementCount)", "Vector.java:690")),
                "write before read of v1.elementCount",
            ),
        ],
    );
    let blame = finding.blame.clone().map(|blame| Blame { certain: false, ..blame });
    Finding { certainty: Certainty::Predicted, event: 18, blame, ..finding }
}

/// The same block does not reduce.
pub fn does_not_reduce() -> Finding {
    let steps = vec![
        held(&[], step(4, "t1", "acq(v1)", "Vector.java:266")),
        held(&[], step(8, "t1", "acq(v1)", "Vector.java:689")),
    ];
    let blame = Blame {
        thread: "t1".into(),
        label: "Vector.<init>".into(),
        begin: 3,
        certain: false,
        refuted: vec!["Vector.<init>".into()],
    };
    Finding {
        message: "Vector.<init> may not be atomic".into(),
        fingerprint: "00000000000000b2".into(),
        blocks: vec![block("Vector.<init>", 3, "Vector.java:130", true)],
        blame: Some(blame),
        notes: vec!["R B L R B B B L does not reduce".into()],
        ..warning(Kind::Atomicity, Certainty::Possible, "Vector.<init>", steps)
    }
}

/// A race that was observed.
pub fn race() -> Finding {
    let steps = vec![
        held(&["m"], step(7, "T1", "w(stats.hits)", "Stats.java:20")),
        held(&[], step(9, "T2", "r(stats.hits)", "Stats.java:31")),
    ];
    let message = "race on stats.hits".into();
    Finding { message, ..warning(Kind::Race, Certainty::Observed, "stats.hits", steps) }
}

/// The same, as an engine sees it that only looks at locks.
pub fn possible_race() -> Finding {
    let race = race();
    Finding {
        certainty: Certainty::Possible,
        message: "possible race on stats.hits".into(),
        notes: vec!["no lock was held at all accesses of stats.hits".into()],
        steps: vec![race.steps[1].clone(), race.steps[0].clone()],
        ..race
    }
}

/// Three locks in a circle.
pub fn deadlock() -> Finding {
    let steps = vec![
        held(&["a"], step(2, "T1", "acq(b)", "Philosopher.java:12")),
        held(&["b"], step(6, "T2", "acq(c)", "Philosopher.java:12")),
        held(&["c"], step(10, "T3", "acq(a)", "Philosopher.java:12")),
    ];
    let message = "possible deadlock between a, b and c".into();
    Finding { message, ..warning(Kind::Deadlock, Certainty::Predicted, "a, b and c", steps) }
}

/// What an engine that predicts says of itself.
pub fn predictor(name: &str, judges: Kind, findings: Vec<Finding>) -> EngineRun {
    EngineRun {
        judges,
        guarantee: "reports what another schedule of the same steps allows".into(),
        all_clear: "no schedule of these steps goes wrong".into(),
        ..engine(name, findings)
    }
}

/// Many engines, one view: a block that is cut in two, one that can be, one that may be, a race, a
/// deadlock.
pub fn many_engines() -> Report {
    let lost = || {
        let finding = lost_update();
        Finding { count: 1, event: 20, ..finding }
    };
    let certain = |mut finding: Finding, certainty, fingerprint: &str| {
        finding.certainty = certainty;
        finding.fingerprint = fingerprint.into();
        finding
    };
    let cut = certain(lost(), Certainty::Predicted, "00000000000000c1");
    let may = certain(lost(), Certainty::Possible, "00000000000000c2");
    let may = Finding { edges: vec![], notes: vec!["R B L R B L does not reduce".into()], ..may };
    let only = |mut finding: Finding| {
        finding.blocks[0].label = "Cache.refreshAllEntriesThatHaveExpiredSinceTheLastTime".into();
        finding.subject = finding.blocks[0].label.clone();
        finding.message = format!("{} may not be atomic", finding.subject);
        finding.fingerprint = "00000000000000d1".into();
        finding
    };
    let mut reduction = predictor(
        "reduction",
        Kind::Atomicity,
        vec![only(does_not_reduce()), does_not_reduce(), may.clone()],
    );
    reduction.caveat =
        Some("it takes for granted that nothing can deadlock, which is wrong".into());
    let engines = vec![
        engine("frontier", vec![lost()]),
        engine("velodrome", vec![lost()]),
        predictor("blocks", Kind::Atomicity, vec![predicted(), cut]),
        reduction,
        predictor("atomizer", Kind::Atomicity, vec![may]),
        predictor("multilockset", Kind::Race, vec![possible_race()]),
        predictor("eraser", Kind::Race, vec![possible_race()]),
        predictor("objectrace", Kind::Race, vec![]),
        predictor("hb", Kind::Race, vec![race()]),
        predictor("goodlock", Kind::Deadlock, vec![deadlock()]),
    ];
    run("traces/vector.std", 24, 3, engines)
}

/// What an exact engine says of itself.
pub fn engine(name: &str, findings: Vec<Finding>) -> EngineRun {
    EngineRun {
        engine: name.into(),
        guarantee: "exact: reports if and only if the observed order is not serializable".into(),
        all_clear: "the observed run is serializable; other runs may not be".into(),
        violations: findings.iter().map(|finding| finding.count).sum(),
        findings,
        ..EngineRun::default()
    }
}

/// A report of one input.
pub fn run(input: &str, events: u64, threads: u64, engines: Vec<EngineRun>) -> Report {
    let input = input.into();
    let run = Run { input, events, threads, complete: true, engines, ..Run::default() };
    Report { runs: vec![run] }
}

/// A report of one finding of the default engine.
pub fn one(input: &str, finding: Finding) -> Report {
    run(input, 9_310, 2, vec![engine("frontier", vec![finding])])
}

/// The tool, with a version that does not change.
pub fn tool() -> ToolInfo {
    ToolInfo { name: "Interloper".into(), version: "1.2.3".into() }
}

/// Compares with `tests/expected/<name>`; writes it if `UPDATE_EXPECTED` is set.
pub fn expect(name: &str, actual: &[u8]) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, actual).expect("the expected file can be written");
        return;
    }
    let expected = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; UPDATE_EXPECTED=1 writes it", path.display()));
    assert!(
        expected == actual,
        "differs from {} (UPDATE_EXPECTED=1 rewrites it); now:\n{}",
        path.display(),
        String::from_utf8_lossy(actual)
    );
}

/// All samples, by name.
pub fn all() -> Vec<(&'static str, Finding)> {
    vec![
        ("lost-update", lost_update()),
        ("three-threads", three_threads()),
        ("no-blame", no_blame()),
        ("nested", nested()),
        ("nameless", nameless()),
        ("program-order", program_order_hop()),
        ("hostile", hostile()),
        ("long", long(12)),
        ("predicted", predicted()),
        ("does-not-reduce", does_not_reduce()),
        ("race", race()),
        ("deadlock", deadlock()),
    ]
}

/// Everything in one report: two inputs, two engines that agree, notes, an input cut off.
pub fn everything() -> Report {
    let findings: Vec<Finding> = all().into_iter().map(|(_, finding)| finding).collect();
    let mut report = run(
        "traces/all of them.std",
        9_310,
        12,
        vec![engine("frontier", findings.clone()), engine("velodrome", findings)],
    );
    report.runs[0].engines[1].stats = vec![("nodes allocated".into(), 1_234_567)];
    let mut cut = run("/abs/cut.ilt", 17, 2, vec![engine("frontier", vec![])]).runs.remove(0);
    cut.complete = false;
    cut.notes = vec!["skipped 3 bad lines".into()];
    report.runs.push(cut);
    report
}
