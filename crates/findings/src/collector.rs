//! De-duplication: counts violations, keeps one finding a bug, puts it into words.

use crate::finding::{Blame, Block, Edge, Finding, Kind, Step, Transaction};
use crate::violation::{Access, Dependence, Key, Sink, Violation};
use hashbrown::HashMap;
use interloper_trace::{LabelId, Names, Op, Position};
use xxhash_rust::xxh3::xxh3_64;

/// Gathers the violations of one engine over one trace.
pub struct Collector {
    counted: HashMap<Key, Counted, foldhash::fast::FixedState>,
    explained: Vec<(Key, Violation)>,
    limit: usize,
    /// How much more all explanations together may hold, in blocks and dependences.
    room: usize,
    total: u64,
    unlisted: u64,
}

/// Deep nests and long cycles make large explanations: a few hundred megabytes for all of them.
const ROOM: usize = 1 << 20;

impl Default for Collector {
    /// A collector of [`Collector::LIMIT`] findings.
    fn default() -> Collector {
        Collector::with_limit(Collector::LIMIT)
    }
}

struct Counted {
    first: Position,
    times: u64,
}

impl Sink for Collector {
    fn count(&mut self, event: Position, key: Key) -> bool {
        self.total += 1;
        let full = self.counted.len() >= self.limit || self.room == 0;
        if full && !self.counted.contains_key(&key) {
            self.unlisted += 1;
            return false;
        }
        let counted = self.counted.entry(key).or_insert(Counted { first: event, times: 0 });
        counted.times += 1;
        counted.times == 1
    }

    fn explain(&mut self, key: Key, violation: Violation) {
        let size = violation.blocks.len() + violation.cycle.len();
        self.room = self.room.saturating_sub(size);
        self.explained.push((key, violation));
    }
}

impl Collector {
    /// Enough findings for anybody, and few enough to keep in memory.
    pub const LIMIT: usize = 10_000;

    /// A collector of at most `limit` findings; violations that are none of them are only counted.
    pub fn with_limit(limit: usize) -> Collector {
        Collector {
            counted: HashMap::default(),
            explained: vec![],
            limit,
            room: ROOM,
            total: 0,
            unlisted: 0,
        }
    }

    /// How many violations are none of the findings, because there are too many kinds of them.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// How many violations there were in all, repetitions included.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The findings, in the order of their first occurrence.
    pub fn findings(&self, names: &Names) -> Vec<Finding> {
        self.explained
            .iter()
            .map(|(key, violation)| {
                let (event, count) =
                    self.counted.get(key).map_or((violation.event, 1), |c| (c.first, c.times));
                Finding { event, count, ..Words { names }.finding(key, violation) }
            })
            .collect()
    }
}

/// Puts ids into words.
struct Words<'a> {
    names: &'a Names,
}

impl Words<'_> {
    fn finding(&self, key: &Key, violation: &Violation) -> Finding {
        let thread = self.names.threads.text(violation.thread.0).to_string();
        let blocks = self.blocks(violation);
        let blame = self.blame(&thread, &blocks);
        let (transactions, edges) = self.graph(violation, blame.is_some());
        Finding {
            kind: Kind::Atomicity,
            fingerprint: self.fingerprint(key),
            event: violation.event,
            count: 1,
            message: self.message(&blocks, violation),
            steps: self.steps(violation),
            blame,
            thread,
            blocks,
            transactions,
            edges,
        }
    }

    fn blocks(&self, violation: &Violation) -> Vec<Block> {
        let block = |open: &crate::OpenBlock| Block {
            label: self.label(open.label).to_string(),
            begin: open.begin,
            at: self.names.sites.text(open.site.0).to_string(),
            refuted: open.refuted,
        };
        violation.blocks.iter().map(block).collect()
    }

    fn blame(&self, thread: &str, blocks: &[Block]) -> Option<Blame> {
        let transaction = blocks.first().filter(|block| block.refuted)?;
        let refuted = blocks.iter().filter(|block| block.refuted);
        Some(Blame {
            thread: thread.to_string(),
            label: transaction.label.clone(),
            begin: transaction.begin,
            certain: true,
            refuted: refuted.map(|block| block.label.clone()).collect(),
        })
    }

    fn message(&self, blocks: &[Block], violation: &Violation) -> String {
        match blocks.iter().rev().find(|block| block.refuted) {
            Some(block) => format!("{} is not atomic", called(block)),
            None => {
                let mut labels: Vec<&str> = vec![];
                for dependence in &violation.cycle {
                    let label = self.label(dependence.from.label);
                    if !label.is_empty() && !labels.contains(&label) {
                        labels.push(label);
                    }
                }
                match labels[..] {
                    [] => "these blocks cannot all be atomic".to_string(),
                    [one] => format!("these runs of {one} cannot all be atomic"),
                    [one, other] => format!("{one} and {other} cannot both be atomic"),
                    [ref most @ .., last] => {
                        format!("{} and {last} cannot all be atomic", most.join(", "))
                    }
                }
            }
        }
    }

    /// The chain of events: both ends of each dependence, an event on two of them once.
    fn steps(&self, violation: &Violation) -> Vec<Step> {
        let mut accesses: Vec<&Access> = vec![];
        for dependence in &violation.cycle {
            for access in [&dependence.from, &dependence.to] {
                if accesses.last().is_none_or(|last| last.event != access.event) {
                    accesses.push(access);
                }
            }
        }
        accesses.into_iter().map(|access| self.step(access)).collect()
    }

    fn step(&self, access: &Access) -> Step {
        Step {
            event: access.event,
            thread: self.names.threads.text(access.thread.0).to_string(),
            op: self.names.op_text(access.op, access.operand),
            action: self.action(access),
            at: self.names.sites.text(access.site.0).to_string(),
        }
    }

    fn action(&self, access: &Access) -> String {
        let operand = match self.names.table(access.op.operand_kind()) {
            Some(table) => table.text(access.operand),
            None => "",
        };
        let verb = match access.op {
            Op::Begin => "enters",
            Op::End => "leaves a block",
            Op::Read | Op::VolatileRead => "reads",
            Op::Write | Op::VolatileWrite => "writes",
            Op::Update => "updates",
            Op::Acquire => "acquires",
            Op::Release => "releases",
            Op::Wait => "waits on",
            Op::Notify => "notifies",
            Op::Fork => "starts thread",
            Op::Join => "joins thread",
            Op::Dummy => "does nothing",
            Op::Exit => "ends",
        };
        if operand.is_empty() { verb.to_string() } else { format!("{verb} {operand}") }
    }

    /// The error graph. Two events of one thread that belong to different transactions become two
    /// boxes with an edge of program order between them.
    fn graph(&self, violation: &Violation, blamed: bool) -> (Vec<Transaction>, Vec<Edge>) {
        // The innermost refuted block stands for its transaction: it is what the finding is about.
        let refuted = violation.blocks.iter().rev().find(|block| block.refuted);
        let closing = refuted.or(violation.blocks.first());
        let closing_label = closing.map_or(LabelId::OUTSIDE, |block| block.label);
        let first = self.transaction(violation.thread.0, closing_label, blamed);
        let (mut boxes, mut edges) = (vec![first], vec![]);
        let mut current = 0;
        let last = violation.cycle.len().saturating_sub(1);
        for (i, dependence) in violation.cycle.iter().enumerate() {
            let Dependence { from, to } = dependence;
            if i > 0 && !from.same_transaction {
                boxes.push(self.transaction(from.thread.0, from.label, false));
                edges.push(program_order(current, boxes.len() - 1));
                current = boxes.len() - 1;
            }
            let target = if i == last {
                0
            } else {
                boxes.push(self.transaction(to.thread.0, to.label, false));
                boxes.len() - 1
            };
            edges.push(Edge {
                from: current,
                to: target,
                source: Some(self.step(from)),
                target: Some(self.step(to)),
                reason: self.reason(dependence),
                closing: i == last,
            });
            current = target;
        }
        (boxes, edges)
    }

    fn transaction(&self, thread: u32, label: LabelId, blamed: bool) -> Transaction {
        Transaction {
            thread: self.names.threads.text(thread).to_string(),
            label: (label != LabelId::OUTSIDE).then(|| self.label(label).to_string()),
            blamed,
        }
    }

    fn reason(&self, Dependence { from, to }: &Dependence) -> String {
        let name = |access: &Access| {
            let table = self.names.table(access.op.operand_kind());
            table.map_or("", |table| table.text(access.operand)).to_string()
        };
        match (from.op, to.op) {
            (Op::Fork, _) => format!("thread {} starts", name(from)),
            (_, Op::Join) => format!("thread {} ends", name(to)),
            (Op::Release | Op::Wait, Op::Acquire) => {
                format!("release before acquire of {}", name(to))
            }
            _ => format!("{} before {} of {}", noun(from.op), noun(to.op), name(to)),
        }
    }

    fn label(&self, label: LabelId) -> &str {
        if label == LabelId::OUTSIDE { "" } else { self.names.labels.text(label.0) }
    }

    /// Of names, not of ids: the same in every run of the same program.
    fn fingerprint(&self, key: &Key) -> String {
        let site = |id: interloper_trace::SiteId| self.names.sites.text(id.0);
        let label = self.label(key.label);
        let blamed = if key.blamed { "blamed" } else { "cycle" };
        let text = [
            Kind::Atomicity.word(),
            blamed,
            label,
            site(key.begins),
            site(key.interloper),
            site(key.closes),
        ];
        format!("{:016x}", xxh3_64(text.join("\0").as_bytes()))
    }
}

fn program_order(from: usize, to: usize) -> Edge {
    Edge { from, to, source: None, target: None, reason: "program order".into(), closing: false }
}

fn noun(op: Op) -> &'static str {
    match op {
        Op::Read | Op::VolatileRead => "read",
        Op::Write | Op::VolatileWrite => "write",
        Op::Update => "update",
        other => other.word(),
    }
}

/// What to call a block: its label, or where it begins.
fn called(block: &Block) -> String {
    match (block.label.as_str(), block.at.as_str()) {
        ("", "") => format!("the block begun at event {}", block.begin),
        ("", at) => format!("the block at {at}"),
        (label, _) => label.to_string(),
    }
}
