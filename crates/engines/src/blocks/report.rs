//! Findings: which block can be cut in two, by whom, in which order.
//!
//! Blamed is the transaction that contributes two events to the pattern. On two variables both do:
//! then it is the one that is cut, between whose events an event of the other comes; if the pattern
//! can be run so that either one is cut by the whole of the other, there is a finding for each; if
//! they can only cut each other, it is the one that comes first.

use super::onevar::COMPARISONS;
use super::store::{Run, TxnId};
use super::study::{Place, Span, Study};
use crate::context::hashing::IdSet;
use interloper_findings::{
    Access, Certainty, Dependence, Kind, Mark as Same, Sameness, Sink, Warning, Witness,
};
use interloper_trace::{LabelId, LockId, Names, SiteId, VarId};

/// A pair of events by where they are in the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Code {
    /// The innermost block around both.
    pub(super) block: (LabelId, SiteId),
    pub(super) first: SiteId,
    pub(super) last: SiteId,
}

impl Code {
    pub(super) fn of(study: &Study, txn: TxnId, first: u32, last: u32) -> Code {
        let site = |mark: u32| study.mark(Place { txn, mark }).site;
        let around = study.store.block_around(txn, first, last);
        let block = around.unwrap_or((LabelId::OUTSIDE, SiteId::UNKNOWN));
        Code { block: named(block), first: site(first), last: site(last) }
    }
}

/// Blocks with a label are known by that alone.
fn named((label, site): (LabelId, SiteId)) -> (LabelId, SiteId) {
    if label == LabelId::UNNAMED { (label, site) } else { (label, SiteId::UNKNOWN) }
}

/// How many findings there are at most; beyond them only such of blocks that are not blamed yet.
const MOST: usize = 4_000;

/// An order of events that cuts the transaction of the first actor in two.
pub(super) struct Story<'a> {
    /// The transactions, the one that is cut first, and the runs they are shown by.
    pub(super) actors: Vec<(TxnId, &'a Run)>,
    /// The events in the order that does it: an actor and one of its marks.
    pub(super) order: Vec<(usize, u32)>,
    /// The dependences: the first leaves the cut transaction, the last comes back.
    pub(super) cycle: Vec<[(usize, u32); 2]>,
    /// Whether the exact check was made.
    pub(super) checked: bool,
    pub(super) notes: Vec<String>,
}

/// Where findings go.
pub(super) struct Report<'s> {
    sink: &'s mut dyn Sink,
    names: &'s Names,
    /// What the variables are in the trace.
    origin: &'s [VarId],
    told: IdSet<Sameness>,
    blamed: IdSet<(LabelId, SiteId)>,
    comparisons: u64,
    /// Whether something was left undone.
    pub(super) gave_up: bool,
}

impl<'s> Report<'s> {
    pub(super) fn new(sink: &'s mut dyn Sink, names: &'s Names, origin: &'s [VarId]) -> Report<'s> {
        let (told, blamed) = (IdSet::default(), IdSet::default());
        Report { sink, names, origin, told, blamed, comparisons: 0, gave_up: false }
    }

    /// Counts a comparison of two classes; `false` if there were too many.
    pub(super) fn may_compare(&mut self) -> bool {
        self.comparisons += 1;
        self.gave_up |= self.comparisons > COMPARISONS;
        !self.gave_up
    }

    /// Whether the block of this pair is blamed already.
    pub(super) fn is_blamed(&self, code: &Code) -> bool {
        self.blamed.contains(&code.block)
    }

    /// Whether there are so many findings that one more of this block would help nobody.
    pub(super) fn is_full(&self, code: &Code) -> bool {
        self.told.len() >= MOST && self.is_blamed(code)
    }

    /// The same of all blocks of a transaction.
    pub(super) fn is_full_of(&self, study: &Study, txn: TxnId) -> bool {
        self.told.len() >= MOST
            && study.store.code_blocks(txn).all(|block| self.blamed.contains(&named(block)))
    }

    /// An event between two of another transaction, on one variable.
    pub(super) fn one(&mut self, study: &mut Study, span: Span, between: Place, checked: bool) {
        let Some((p, q)) = study.both(span.txn, between.txn) else { return };
        let (Some(run), Some(other)) = (study.run(span.txn, p), study.run(between.txn, q)) else {
            return;
        };
        let (first, cut, last) = ((0, span.first), (1, between.mark), (0, span.last));
        let story = Story {
            actors: vec![(span.txn, run), (between.txn, other)],
            order: vec![first, cut, last],
            cycle: vec![[first, cut], [cut, last]],
            checked,
            notes: vec![],
        };
        self.tell(study, story);
    }

    /// Two pairs of events on two variables.
    pub(super) fn two(
        &mut self,
        study: &mut Study,
        [cut, other]: [TxnId; 2],
        order: [(usize, u32); 4],
        cycle: [[(usize, u32); 2]; 2],
        checked: bool,
    ) {
        let Some((p, q)) = study.both(cut, other) else { return };
        let (Some(run), Some(others)) = (study.run(cut, p), study.run(other, q)) else { return };
        let story = Story {
            actors: vec![(cut, run), (other, others)],
            order: order.to_vec(),
            cycle: cycle.to_vec(),
            checked,
            notes: vec![],
        };
        self.tell(study, story);
    }

    /// Reports a story.
    pub(super) fn tell(&mut self, study: &Study, mut story: Story) {
        let (Some(&[first, _]), Some(&[_, last])) = (story.cycle.first(), story.cycle.last())
        else {
            return;
        };
        let (txn, run) = story.actors[0];
        let code = Code::of(study, txn, first.1.min(last.1), first.1.max(last.1));
        let same = self.sameness(study, &story, &code);
        self.told.insert(same);
        self.blamed.insert(code.block);
        let event = study.store.position(run, last.1);
        if !self.sink.warn(event, same) {
            return;
        }
        let sure = is_sure(study, &story);
        let access = |at: (usize, u32)| self.access(study, &story, at);
        let steps = story.order.iter().map(|&at| Witness {
            access: access(at),
            held: held(study, Place { txn: story.actors[at.0].0, mark: at.1 }),
        });
        let steps = steps.collect();
        let mut before = None;
        let dependence = |&[from, to]: &[(usize, u32); 2]| {
            let same_transaction = before.replace(to.0).is_none_or(|actor| actor == from.0);
            let from = Access { same_transaction, ..access(from) };
            Dependence { from, to: access(to) }
        };
        let cycle = story.cycle.iter().map(dependence).collect();
        let mut notes = self.locks_note(study, &story);
        notes.append(&mut story.notes);
        let warning = Warning {
            kind: Kind::Atomicity,
            certainty: if sure { Certainty::Predicted } else { Certainty::Possible },
            message: None,
            event,
            thread: study.overlaps.thread(run.period),
            blocks: study.store.open_blocks(txn, run, last.1, first.1),
            steps,
            cycle,
            notes,
        };
        self.sink.describe(same, warning);
    }

    fn sameness(&self, study: &Study, story: &Story, code: &Code) -> Sameness {
        let mut marks = vec![Same::block(code.block.0, code.block.1)];
        for &(actor, mark) in &story.order {
            let mark = study.mark(Place { txn: story.actors[actor].0, mark });
            marks.push(Same::place(mark.site, Same::Var(self.origin[mark.var.index()])));
        }
        marks.truncate(Sameness::MARKS);
        Sameness::new(Kind::Atomicity, &marks)
    }

    fn access(&self, study: &Study, story: &Story, (actor, at): (usize, u32)) -> Access {
        let (txn, run) = story.actors[actor];
        let mark = study.mark(Place { txn, mark: at });
        Access {
            event: study.store.position(run, at),
            thread: study.overlaps.thread(run.period),
            op: mark.roles().op(),
            operand: self.origin[mark.var.index()].0,
            site: mark.site,
            label: study.store.label(txn),
            same_transaction: true,
        }
    }

    /// What the locks have to say.
    fn locks_note(&self, study: &Study, story: &Story) -> Vec<String> {
        let (Some(&[first, _]), Some(&[_, last])) = (story.cycle.first(), story.cycle.last())
        else {
            return vec![];
        };
        let (from, to) = (first.1.min(last.1), first.1.max(last.1));
        let (txn, run) = story.actors[0];
        let mut throughout = vec![];
        study.throughout(txn, from, to, &mut throughout);
        let thread = self.names.threads.text(study.overlaps.thread(run.period).0);
        let name = |lock: &LockId| self.names.locks.text(lock.0).to_string();
        let locks: Vec<String> = throughout.iter().map(name).collect();
        let note = match locks[..] {
            [] => format!("{thread} holds no lock from its first to its last step here"),
            _ => format!(
                "{thread} holds {} from its first to its last step here, which the others do not need",
                locks.join(", ")
            ),
        };
        vec![note]
    }
}

/// Whether a schedule is known to run the story (where there is no deadlock): locks are nested, so that
/// the sets of locks tell all; or else the exact check was made and nothing before the transactions
/// can be in the way.
fn is_sure(study: &Study, story: &Story) -> bool {
    let mut skeletons = story.actors.iter().map(|(txn, _)| study.store.skeleton(*txn));
    let nested = skeletons.clone().all(|skeleton| skeleton.is_nested());
    nested || story.checked && !skeletons.any(|skeleton| skeleton.begins_locked())
}

/// The locks held at an event, in the order of their acquisition.
fn held(study: &Study, place: Place) -> Vec<LockId> {
    let mut held = vec![];
    study.held(place, &mut held);
    held
}
