//! Ids put into words.

use crate::finding::{Blame, Block, Certainty, Edge, Finding, Kind, Step, Transaction};
use crate::review::Review;
use crate::violation::{Access, Dependence, Key, OpenBlock, Violation};
use crate::warning::{Mark, Sameness, Warning, Witness};
use interloper_trace::{LabelId, Names, Op};
use xxhash_rust::xxh3::xxh3_64;

/// Puts ids into words.
pub(crate) struct Words<'a> {
    pub(crate) names: &'a Names,
}

impl Words<'_> {
    /// The finding of an observed violation.
    pub(crate) fn violation(&self, key: &Key, violation: &Violation) -> Finding {
        let thread = self.names.threads.text(violation.thread.0).to_string();
        let blocks = self.blocks(&violation.blocks);
        let blame = blame(&thread, &blocks, true);
        let cycle = &violation.cycle;
        let (transactions, edges) =
            self.graph(violation.thread.0, &violation.blocks, cycle, blame.is_some());
        Finding {
            kind: Kind::Atomicity,
            certainty: Certainty::Observed,
            subject: self.subject(&blocks, cycle),
            fingerprint: self.key_fingerprint(key),
            event: violation.event,
            count: 1,
            message: self.not_atomic(&blocks, cycle),
            steps: self.chain(cycle),
            blame,
            thread,
            blocks,
            transactions,
            edges,
            notes: vec![],
            review: Review::default(),
            pattern: None,
        }
    }

    /// The finding of a warning.
    pub(crate) fn warning(&self, same: &Sameness, warning: &Warning) -> Finding {
        let thread = self.names.threads.text(warning.thread.0).to_string();
        let blocks = self.blocks(&warning.blocks);
        let blame = match warning.kind {
            Kind::Atomicity => blame(&thread, &blocks, warning.certainty == Certainty::Observed),
            Kind::Race | Kind::Deadlock | Kind::Pattern => None,
        };
        let (transactions, edges) = match &warning.cycle[..] {
            [] => (vec![], vec![]),
            cycle => self.graph(warning.thread.0, &warning.blocks, cycle, blame.is_some()),
        };
        let subject = match warning.kind {
            Kind::Atomicity | Kind::Pattern => self.subject(&blocks, &warning.cycle),
            Kind::Race | Kind::Deadlock => self.operands(&warning.steps),
        };
        let message = match (&warning.message, warning.kind, warning.certainty) {
            (Some(message), ..) => message.clone(),
            (None, Kind::Race, Certainty::Observed) => format!("race on {subject}"),
            (None, Kind::Race, _) => format!("possible race on {subject}"),
            (None, Kind::Deadlock, _) => format!("possible deadlock between {subject}"),
            (None, _, Certainty::Possible) => format!("{subject} may not be atomic"),
            (None, _, Certainty::Predicted) => self.can_be_cut(&blocks, &warning.cycle),
            (None, ..) => self.not_atomic(&blocks, &warning.cycle),
        };
        Finding {
            kind: warning.kind,
            certainty: warning.certainty,
            subject,
            fingerprint: self.fingerprint(same),
            event: warning.event,
            count: 1,
            message,
            steps: warning.steps.iter().map(|witness| self.witness(witness)).collect(),
            blame,
            thread,
            blocks,
            transactions,
            edges,
            notes: warning.notes.clone(),
            review: Review::default(),
            pattern: None,
        }
    }

    fn blocks(&self, blocks: &[OpenBlock]) -> Vec<Block> {
        let block = |open: &OpenBlock| Block {
            label: self.label(open.label).to_string(),
            begin: open.begin,
            at: self.names.sites.text(open.site.0).to_string(),
            refuted: open.refuted,
        };
        blocks.iter().map(block).collect()
    }

    /// What an atomicity finding is about: the innermost refuted block, or the blocks of the cycle.
    fn subject(&self, blocks: &[Block], cycle: &[Dependence]) -> String {
        match blocks.iter().rev().find(|block| block.refuted) {
            Some(block) => called(block),
            None => self.labels(cycle).join(", "),
        }
    }

    fn not_atomic(&self, blocks: &[Block], cycle: &[Dependence]) -> String {
        match blocks.iter().rev().find(|block| block.refuted) {
            Some(block) => format!("{} is not atomic", called(block)),
            None => match self.labels(cycle)[..] {
                [] => "these blocks cannot all be atomic".to_string(),
                [one] => format!("these runs of {one} cannot all be atomic"),
                [one, other] => format!("{one} and {other} cannot both be atomic"),
                [ref most @ .., last] => {
                    format!("{} and {last} cannot all be atomic", most.join(", "))
                }
            },
        }
    }

    /// The same of what was not observed.
    fn can_be_cut(&self, blocks: &[Block], cycle: &[Dependence]) -> String {
        match blocks.iter().rev().find(|block| block.refuted) {
            Some(block) => format!("{} can be cut in two", called(block)),
            None => match self.labels(cycle)[..] {
                [] => "these blocks may not all be atomic".to_string(),
                [one] => format!("runs of {one} may not all be atomic"),
                [one, other] => format!("{one} and {other} may not both be atomic"),
                [ref most @ .., last] => {
                    format!("{} and {last} may not all be atomic", most.join(", "))
                }
            },
        }
    }

    /// The labels on a cycle, each once.
    fn labels(&self, cycle: &[Dependence]) -> Vec<&str> {
        let mut labels: Vec<&str> = vec![];
        for dependence in cycle {
            let label = self.label(dependence.from.label);
            if !label.is_empty() && !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels
    }

    /// The operands of the steps, each once: `a`, `a and b`.
    fn operands(&self, steps: &[Witness]) -> String {
        let mut names: Vec<&str> = vec![];
        for Witness { access, .. } in steps {
            let table = self.names.table(access.op.operand_kind());
            let name = table.map_or("", |table| table.text(access.operand));
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        match names[..] {
            [] => String::new(),
            [one] => one.to_string(),
            [ref most @ .., last] => format!("{} and {last}", most.join(", ")),
        }
    }

    /// The chain of events: both ends of each dependence, an event on two of them once.
    fn chain(&self, cycle: &[Dependence]) -> Vec<Step> {
        let mut accesses: Vec<&Access> = vec![];
        for dependence in cycle {
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
            held: None,
        }
    }

    fn witness(&self, witness: &Witness) -> Step {
        let held = witness.held.iter().map(|lock| self.names.locks.text(lock.0).to_string());
        Step { held: Some(held.collect()), ..self.step(&witness.access) }
    }

    fn action(&self, access: &Access) -> String {
        let operand = match self.names.table(access.op.operand_kind()) {
            Some(table) => table.text(access.operand),
            None => "",
        };
        if let Some(of) = signal(access.op, operand) {
            let signals = access.op == Op::VolatileWrite;
            return format!("{} {of}", if signals { "signals" } else { "has waited for" });
        }
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
            Op::Barrier => "arrives at",
            Op::Escape => "shares",
        };
        if operand.is_empty() { verb.to_string() } else { format!("{verb} {operand}") }
    }

    /// The error graph. Two events of one thread that belong to different transactions become two
    /// boxes with an edge of program order between them.
    fn graph(
        &self,
        thread: u32,
        blocks: &[OpenBlock],
        cycle: &[Dependence],
        blamed: bool,
    ) -> (Vec<Transaction>, Vec<Edge>) {
        // The innermost refuted block stands for its transaction: it is what the finding is about.
        let refuted = blocks.iter().rev().find(|block| block.refuted);
        let closing = refuted.or(blocks.first());
        let closing_label = closing.map_or(LabelId::OUTSIDE, |block| block.label);
        let first = self.transaction(thread, closing_label, blamed);
        let (mut boxes, mut edges) = (vec![first], vec![]);
        let mut current = 0;
        let last = cycle.len().saturating_sub(1);
        for (i, dependence) in cycle.iter().enumerate() {
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
            (_, Op::Join) if to.operand == from.thread.0 => format!("thread {} ends", name(to)),
            (Op::Fork, _) => format!("thread {} starts", name(from)),
            (Op::Barrier, _) => format!("barrier {}", name(from)),
            (Op::Release | Op::Wait, Op::Acquire) => {
                format!("release before acquire of {}", name(to))
            }
            _ => match signal(to.op, &name(to)) {
                Some(of) => format!("signal before wait for {of}"),
                None => format!("{} before {} of {}", noun(from.op), noun(to.op), name(to)),
            },
        }
    }

    fn label(&self, label: LabelId) -> &str {
        if label == LabelId::OUTSIDE { "" } else { self.names.labels.text(label.0) }
    }

    /// Of names, not of ids: the same in every run of the same program.
    fn key_fingerprint(&self, key: &Key) -> String {
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
        hash(&text)
    }

    fn fingerprint(&self, same: &Sameness) -> String {
        let mark = |mark: &Mark| match *mark {
            Mark::None => "",
            Mark::Label(label) => self.label(label),
            Mark::Site(site) => self.names.sites.text(site.0),
            Mark::Var(var) => self.names.vars.text(var.0),
            Mark::Lock(lock) => self.names.locks.text(lock.0),
            Mark::Thread(thread) => self.names.threads.text(thread.0),
        };
        let words = [same.kind.word(), "warning"];
        let text: Vec<&str> = words.into_iter().chain(same.marks.iter().map(mark)).collect();
        hash(&text)
    }
}

/// A fingerprint of these words.
pub(crate) fn hash(text: &[&str]) -> String {
    format!("{:016x}", xxh3_64(text.join("\0").as_bytes()))
}

fn blame(thread: &str, blocks: &[Block], certain: bool) -> Option<Blame> {
    let transaction = blocks.first()?;
    let refuted: Vec<String> =
        blocks.iter().filter(|block| block.refuted).map(|block| block.label.clone()).collect();
    (!refuted.is_empty()).then(|| Blame {
        thread: thread.to_string(),
        label: transaction.label.clone(),
        begin: transaction.begin,
        certain,
        refuted,
    })
}

fn program_order(from: usize, to: usize) -> Edge {
    Edge { from, to, source: None, target: None, reason: "program order".into(), closing: false }
}

/// Whose signal a volatile variable stands for, if it does: sources that tell of latches, futures and the like call them `CountDownLatch#1.signal#2`.
fn signal(op: Op, variable: &str) -> Option<&str> {
    let (of, number) = variable.rsplit_once(".signal#")?;
    let is_one = matches!(op, Op::VolatileRead | Op::VolatileWrite)
        && !number.is_empty()
        && number.bytes().all(|it| it.is_ascii_digit());
    is_one.then_some(of)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_known_by_their_names() {
        let latch = Some("CountDownLatch#1");
        assert_eq!(signal(Op::VolatileWrite, "CountDownLatch#1.signal#12"), latch);
        assert_eq!(signal(Op::VolatileRead, "CountDownLatch#1.signal#12"), latch);
        assert_eq!(signal(Op::Write, "CountDownLatch#1.signal#12"), None);
        for other in ["Light#1.signal", "Light#1.signal1", "Light#1.signal#", "Light#1.signal#on"] {
            assert_eq!(signal(Op::VolatileRead, other), None, "{other}");
        }
    }
}
