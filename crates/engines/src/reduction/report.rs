//! What a programmer is told of a transaction that does not reduce.

use super::item::{Item, Token};
use super::judge::{Misfit, Mover, letters};
use super::trees::Tree;
use interloper_findings::{
    Access, Certainty, Kind, Mark, OpenBlock, Sameness, Sink, Warning, Witness,
};
use interloper_trace::{LabelId, LockId, Names, Op, OperandKind, Position, SiteId};

/// The most events that are shown of a transaction.
const MOST: usize = 12;
/// The most letters of a pattern.
const LETTERS: usize = 80;

/// A transaction to be reported.
pub(super) struct Report<'a> {
    pub(super) tree: &'a Tree,
    pub(super) items: &'a [Item],
    pub(super) movers: &'a [Mover],
    pub(super) names: &'a Names,
}

impl Report<'_> {
    /// Tells of two events that do not fit, as often as the transaction ran.
    pub(super) fn tell(&self, misfit: &Misfit, sink: &mut dyn Sink) {
        let mark = |place: usize| self.mark(place);
        let (first, second) = (mark(self.shown(misfit.commit)), mark(misfit.offender));
        let same = Sameness::new(Kind::Atomicity, &[self.block(misfit.begin), first, second]);
        let event = self.items[misfit.offender].at();
        for _ in 0..self.tree.count {
            if sink.warn(event, same) {
                sink.describe(same, self.warning(misfit));
            }
        }
    }

    fn block(&self, begin: usize) -> Mark {
        match self.items[begin].word.token() {
            Token::Begin(label) => Mark::Label(label),
            _ => Mark::Site(self.items[begin].site),
        }
    }

    fn mark(&self, place: usize) -> Mark {
        let item = &self.items[place];
        let otherwise = match item.word.token() {
            Token::Access(var, _) => Mark::Var(var),
            Token::Acquire(lock) | Token::Release(lock) => Mark::Lock(lock),
            _ => Mark::None,
        };
        Mark::place(item.site, otherwise)
    }

    /// The event that stands for another in a report: for a release, the acquire where its block begins.
    fn shown(&self, place: usize) -> usize {
        let Token::Release(lock) = self.items[place].word.token() else { return place };
        let mut before = self.items[..place].iter();
        before.rposition(|item| item.word.token() == Token::Acquire(lock)).unwrap_or(place)
    }

    fn warning(&self, misfit: &Misfit) -> Warning {
        let (steps, more) = self.steps(misfit);
        let pattern = letters(&self.movers[misfit.begin..self.end(misfit)], LETTERS);
        let left_out = if pattern.contains('[') { ", leaving out what is in brackets" } else { "" };
        let mut notes = vec![
            self.why(misfit),
            format!("the events move as {pattern}, which is not R*N?L*{left_out}"),
        ];
        if more > 0 {
            notes.push(format!("and {more} more such events"));
        }
        Warning {
            kind: Kind::Atomicity,
            certainty: Certainty::Possible,
            message: None,
            event: self.items[misfit.offender].at(),
            thread: self.tree.thread,
            blocks: self.open_blocks(misfit),
            steps,
            cycle: vec![],
            notes,
        }
    }

    fn why(&self, misfit: &Misfit) -> String {
        let [from, to] = [misfit.commit, misfit.offender].map(|place| {
            let item = &self.items[place];
            let racy = self.movers[place] == Mover::Non;
            event_in_words(self.names, (item.op(), operand(item)), (item.site, item.at()), racy)
        });
        between(&from, &to)
    }

    /// The blocks around the event that does not fit.
    fn open_blocks(&self, misfit: &Misfit) -> Vec<OpenBlock> {
        let mut open: Vec<OpenBlock> = vec![];
        for item in &self.items[..misfit.offender] {
            let label = match item.word.token() {
                Token::Begin(label) => label,
                Token::BeginAt(_) => LabelId::UNNAMED,
                Token::End => {
                    open.pop();
                    continue;
                }
                _ => continue,
            };
            let refuted = open.len() < misfit.depth;
            open.push(OpenBlock { label, begin: item.at(), site: item.site, refuted });
        }
        open
    }

    /// Where the innermost block around both events ends.
    fn end(&self, misfit: &Misfit) -> usize {
        let mut depth = 0;
        for (place, item) in self.items.iter().enumerate().skip(misfit.begin) {
            match item.word.token() {
                Token::Begin(_) | Token::BeginAt(_) => depth += 1,
                Token::End if depth == 1 => return place,
                Token::End => depth -= 1,
                _ => {}
            }
        }
        self.items.len()
    }

    /// The blocks under a lock and the accesses that do not fit together, and how many more there are.
    fn steps(&self, misfit: &Misfit) -> (Vec<Witness>, usize) {
        let mut parts = self.parts(misfit.begin + 1, self.end(misfit));
        if parts.len() < 2 {
            parts = vec![self.shown(misfit.commit), misfit.offender];
        }
        let more = parts.len().saturating_sub(MOST);
        parts.truncate(MOST);
        let label = match self.items.iter().map(|item| item.word.token()).find(is_begin) {
            Some(Token::Begin(label)) => label,
            _ => LabelId::UNNAMED,
        };
        (parts.into_iter().map(|place| self.witness(place, label)).collect(), more)
    }

    /// The parts of a stretch that count and are not within each other. As long as that is one block
    /// under a lock, the parts of what is in it.
    fn parts(&self, from: usize, to: usize) -> Vec<usize> {
        let (mut from, mut to) = (from, to);
        loop {
            let (mut parts, mut inside) = (vec![], None);
            let mut place = from;
            while place < to {
                match self.movers[place] {
                    Mover::Right => {
                        let close = self.close(place, to);
                        parts.push(place);
                        inside = close.map(|close| (place + 1, close));
                        place = close.unwrap_or(place);
                    }
                    Mover::Non | Mover::Left => parts.push(place),
                    _ => {}
                }
                place += 1;
            }
            match (parts.len(), inside) {
                (1, Some(stretch)) => (from, to) = stretch,
                _ => return parts,
            }
        }
    }

    /// The release of a lock acquired here.
    fn close(&self, open: usize, to: usize) -> Option<usize> {
        let Token::Acquire(lock) = self.items[open].word.token() else { return None };
        let mut rest = self.items[open..to].iter();
        let close = rest.position(|item| item.word.token() == Token::Release(lock))?;
        Some(open + close)
    }

    fn witness(&self, place: usize, label: LabelId) -> Witness {
        let item = &self.items[place];
        let access = Access {
            event: item.at(),
            thread: self.tree.thread,
            op: item.op(),
            operand: operand(item),
            site: item.site,
            label,
            same_transaction: true,
        };
        Witness { access, held: self.held(place) }
    }

    /// The locks held before an event.
    fn held(&self, place: usize) -> Vec<LockId> {
        let mut held = vec![];
        for item in &self.items[..place] {
            match item.word.token() {
                Token::Held(lock) | Token::Acquire(lock) => held.push(lock),
                Token::Release(lock) => held.retain(|&other| other != lock),
                _ => {}
            }
        }
        held
    }
}

fn is_begin(token: &Token) -> bool {
    matches!(token, Token::Begin(_) | Token::BeginAt(_))
}

fn operand(item: &Item) -> u32 {
    match item.word.token() {
        Token::Access(var, _) => var.0,
        Token::Acquire(lock) | Token::Release(lock) | Token::Held(lock) => lock.0,
        Token::Begin(label) => label.0,
        Token::BeginAt(_) | Token::End => 0,
    }
}

/// `the release of m at Vector.java:267`.
pub(super) fn event_in_words(
    names: &Names,
    (op, operand): (Op, u32),
    (site, at): (SiteId, Position),
    racy: bool,
) -> String {
    let what = match op {
        Op::Read | Op::VolatileRead => "read",
        Op::Write | Op::VolatileWrite => "write",
        Op::Update => "update",
        Op::Acquire => "acquisition",
        Op::Wait => "wait, which is a release,",
        _ => "release",
    };
    let name = match op.operand_kind() {
        OperandKind::Var => names.vars.text(operand),
        _ => names.locks.text(operand),
    };
    let racy = if racy { "racy " } else { "" };
    match names.sites.text(site.0) {
        "" => format!("the {racy}{what} of {name} (event {at})"),
        place => format!("the {racy}{what} of {name} at {place}"),
    }
}

/// Why the two do not fit.
pub(super) fn between(from: &str, to: &str) -> String {
    format!("other threads can come between {from} and {to}")
}
