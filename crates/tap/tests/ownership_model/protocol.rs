//! The protocol, one access to shared memory a step: accesses, transactions, threads that come and go.
//! `taking.rs` has the way of an object from hand to hand.
//!
//! Who uses a FRESH object first counts as its maker, so it is NEW; which is more than the probe lets pass.
//! A thread that spins cannot step until what it waits for has come. Left out, because it orders
//! nothing: naming of objects in the log, chunks, nested blocks, and evictions from the filter. `MADE_BY` is told of running transactions
//! only: on one that has ended, nothing waits.

use super::machine::{
    AccessId, EdgeAhead, Entry, Fact, Machine, Mark, Mode, Number, Record, SlotId, Store, Thread,
    Transaction, Word,
};
use super::program::{Kind, ObjectId, Op, Program, ThreadId};
use super::taking::Taking;
use super::violation::Violation;

/// A way in which the protocol can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Taking does not send other processors through a barrier.
    NoBarrier,
    /// Taking does not wait until the owner's window is closed.
    NoWait,
    /// Who uses an own object does not look again once the window is open.
    NoSecondLook,
    /// Who uses an own object opens the window without a fence.
    OwnUnfenced,
    /// Who has to take an object leaves the own window open.
    WaitsWhileOpen,
    /// The owner's position is read before its window is closed.
    EarlyPosition,
    /// A transaction ends although others still write on its behalf.
    TouchingNotAwaited,
    /// A second reader takes a number, then looks how far the owner is, and claims nothing.
    ShareUnclaimed,
    /// A second reader claims the object, but takes the number before it looks how far the owner is.
    NumberBeforePosition,
    /// Who numbers an object forgets what its owner called it.
    BirthForgotten,
    /// Births start again when a slot is used again.
    BirthsRestart,
    /// Readers of read-shared objects do not write down what they have seen.
    SeenNotLogged,
    /// What a thread takes from others looks as if it had never been away.
    HoldsAlike,
    /// A thread's first taking has the number that another one had in its slot.
    HoldsRestart,
    /// Marks are compared although the state is another one's claim by now.
    TrustsBusy,
    /// Marks of read-shared objects do not say which shared state it was.
    SharesAlike,
    /// Who puts a thread to sleep leaves it its words.
    KeepsWords,
    /// A thread counts as asleep before the barrier.
    FallingIsAsleep,
    /// Who puts a thread to sleep leaves it the word of what it has made.
    KeepsNewWord,
    /// A thread that is asleep ends its transaction without a fence.
    EndsUnfenced,
    /// A thread counts as one that has let others in before it did.
    StretchesAlike,
    /// Who takes an old NEW object does not care whether its owner's transaction is just ending.
    RunningIgnored,
    /// A thread wakes up without a fence.
    WakesUnfenced,
    /// What was accessed in a window counts as held although it was closed to take something else.
    HeldAcrossTaking,
    /// The same, although it was closed because somebody asked for that.
    HeldAcrossAnswer,
    /// Who is asked to close the window says that it is closed, and goes on in it.
    AnswersWhileOpen,
    /// Who takes an object asks its owner first and claims the object then.
    AsksFirst,
    /// Who asks goes on when anything has been answered, whoever has asked for it.
    AnyAnswer,
    /// Who takes a NEW object keeps its owner from ending the transaction only when the owner has answered.
    TouchesLate,
    /// A second reader does not wait for the first one's window.
    ShareUnwaited,
}

/// The protocol and its constants.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// So many changes of hands make a lease.
    pub hot_at: u8,
    /// So many uses in a row end a lease.
    pub cool_at: u8,
    pub fault: Option<Fault>,
}

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pc {
    Start,
    LogStart,
    Next,
    Answer,
    Look,
    LookAtWords(Word),
    Record { unshared: bool },
    Touch,
    Close,
    Take(Taking),
    LookAfterTaking,
    EndDepth,
    EndFence,
    EndTouching,
    EndTouches,
    EndAwait,
    EndEdges,
    EndLog,
    LogExit,
    Leave,
    Done,
}

impl Pc {
    /// Whether the thread has said that its transaction runs no longer.
    pub fn is_ending(self) -> bool {
        matches!(
            self,
            Pc::EndFence
                | Pc::EndTouching
                | Pc::EndTouches
                | Pc::EndAwait
                | Pc::EndEdges
                | Pc::EndLog
        )
    }
}

pub type State = Machine<Pc>;
type This = Thread<Pc>;

/// One thread's turn.
pub struct Turn<'a> {
    pub state: &'a mut State,
    pub program: &'a Program,
    pub model: &'a Model,
    pub id: ThreadId,
}

/// All threads of a program that start at once have their slots.
pub fn start(program: &Program) -> State {
    let threads = program.scripts.iter().map(|_| Thread::new(Pc::Start)).collect();
    let mut state = Machine::new(program.objects(), threads);
    for (index, script) in program.scripts.iter().enumerate() {
        if script.after.is_none() {
            let id = ThreadId(index as u8);
            enter(&mut state, id, true, true);
            let slot = state.slots.last_mut().expect("just entered");
            slot.log.push(Entry::Start(id));
            state.thread(id).pc = Pc::Next;
        }
    }
    state
}

/// A thread gets a slot: a free one, or a new one.
fn enter(state: &mut State, id: ThreadId, keep_births: bool, keep_holds: bool) {
    let slot = state.free.pop().unwrap_or_else(|| {
        state.slots.push(Default::default());
        SlotId(state.slots.len() as u8 - 1)
    });
    let before = state.slot(slot).last;
    if let (Some(before), true) = (before, keep_births) {
        let births = state.thread(before).births;
        (state.thread(id).births, state.thread(id).first_birth) = (births, births);
    }
    if let (Some(before), true) = (before, keep_holds) {
        state.thread(id).holds = state.thread(before).holds;
    }
    if let Some(before) = before {
        let seen = state.thread(before).shared_seen;
        (state.thread(id).shared_seen, state.thread(id).seen_shared) = (seen, seen);
    }
    if let Some(before) = before {
        let stretch = state.thread(before).stretch + 1;
        (state.thread(id).stretch, state.thread(id).seen_stretch) = (stretch, stretch);
    }
    let place = &mut state.slots[usize::from(slot.0)];
    (place.user, place.last) = (Some(id), Some(id));
    state.thread(id).slot = Some(slot);
}

impl From<EdgeAhead> for Violation {
    fn from(EdgeAhead(slot, position): EdgeAhead) -> Violation {
        Violation::EdgeAhead { slot, position }
    }
}

impl Turn<'_> {
    pub fn this(&mut self) -> &mut This {
        self.state.thread(self.id)
    }

    pub fn own_slot(&mut self) -> SlotId {
        self.this().slot.expect("a running thread has a slot")
    }

    pub fn has(&self, fault: Fault) -> bool {
        self.model.fault == Some(fault)
    }

    /// The own buffer is emptied, as before every locked operation.
    pub fn drain(&mut self) -> Result<(), Violation> {
        Ok(self.state.drain(self.id, self.program)?)
    }

    pub fn edge(&mut self, slot: SlotId, position: u8) {
        self.this().edge(slot, position);
    }

    fn op(&self) -> Option<Op> {
        let thread = usize::from(self.id.0);
        let at = usize::from(self.state.threads[thread].at);
        self.program.scripts[thread].ops.get(at).copied()
    }

    /// The access that is under way.
    pub fn access(&self) -> (ObjectId, Kind, bool) {
        match self.op() {
            Some(Op::Access { object, kind, stays_open, .. }) => (object, kind, stays_open),
            other => panic!("no access: {other:?}"),
        }
    }

    pub fn access_id(&mut self) -> AccessId {
        AccessId { thread: self.id, at: self.this().at }
    }

    /// Whether the thread can do anything, and does not wait or is done.
    pub fn can_step(&mut self) -> bool {
        match self.this().pc {
            Pc::Done => false,
            Pc::Start => {
                let after = self.program.scripts[usize::from(self.id.0)].after;
                after.is_none_or(|other| self.state.thread(other).pc == Pc::Done)
            }
            Pc::EndAwait => self.this().touching == 0 || self.has(Fault::TouchingNotAwaited),
            Pc::Take(taking) => self.can_go_on(taking),
            _ => true,
        }
    }

    /// Whether the next step is one that nobody can notice or prevent: it looks up who uses a slot,
    /// and that never changes in this program.
    pub fn is_private(&mut self) -> bool {
        let looks_up = matches!(self.this().pc, Pc::Take(taking) if Turn::looks_up(taking));
        looks_up && self.program.scripts.iter().all(|script| script.after.is_none())
    }

    /// Does the next step.
    pub fn step(&mut self) -> Result<(), Violation> {
        let next = match self.this().pc {
            Pc::Start => {
                let keep_births = !self.has(Fault::BirthsRestart);
                let keep_holds = !self.has(Fault::HoldsRestart);
                enter(self.state, self.id, keep_births, keep_holds);
                Pc::LogStart
            }
            Pc::LogStart => {
                let entry = Entry::Start(self.id);
                self.this().log(entry);
                Pc::Next
            }
            Pc::Next => self.begin_op()?,
            Pc::Answer => {
                self.answer();
                self.finish_op()
            }
            Pc::Look => self.look(),
            Pc::LookAtWords(word) => self.look_at_words(word),
            Pc::Record { unshared } => {
                if unshared {
                    self.check_alone()?;
                }
                self.record(unshared)?
            }
            Pc::Touch => self.touch(),
            Pc::Close => {
                self.this().set_open(false);
                self.finish_op()
            }
            Pc::Take(taking) => self.take(taking)?,
            Pc::LookAfterTaking => Pc::Record { unshared: self.is_new() },
            Pc::LogExit => {
                self.this().log(Entry::Exit);
                Pc::Leave
            }
            Pc::Leave => self.leave()?,
            Pc::Done => panic!("a thread that is done does not step"),
            _ => self.step_to_end()?,
        };
        self.this().pc = next;
        Ok(())
    }

    fn finish_op(&mut self) -> Pc {
        self.this().at += 1;
        if self.op().is_some() { Pc::Next } else { Pc::Done }
    }

    fn begin_op(&mut self) -> Result<Pc, Violation> {
        Ok(match self.op() {
            None => panic!("nothing left to do"),
            Some(Op::Access { object, kind, repeats: true, .. })
                if self.this().held.contains(&(object, kind)) =>
            {
                self.repeat()?
            }
            Some(Op::Access { object, kind, .. }) => {
                let enough = |held: &(ObjectId, Kind)| {
                    held.0 == object && (held.1 == kind || held.1 == Kind::Write)
                };
                let again = self.this().held.iter().any(enough);
                self.this().set_open(true);
                if again { Pc::LookAfterTaking } else { Pc::Look }
            }
            Some(Op::Poll) => {
                if self.is_asked() {
                    Pc::Answer
                } else {
                    self.finish_op()
                }
            }
            Some(Op::Begin) => {
                let thread = self.id;
                let this = self.this();
                this.region += 1;
                this.transactions += 1;
                let running = Some(Transaction { thread, number: this.transactions });
                this.within = running;
                this.first_birth = this.births;
                this.push(Store::Depth { running, first_birth: this.first_birth });
                self.finish_op()
            }
            Some(Op::End) => {
                self.this().set_open(false);
                Pc::EndDepth
            }
            Some(Op::Name(object)) => {
                self.drain()?;
                self.state.object(object).number = Some(Number::Id(object));
                self.finish_op()
            }
            Some(Op::HandOver) => {
                let this = self.this();
                this.stretch += 1;
                this.push(Store::Stretch(this.stretch));
                this.held.clear();
                self.finish_op()
            }
            Some(Op::Exit) => {
                self.this().set_open(false);
                Pc::LogExit
            }
        })
    }

    /// The fast path: does the state allow the access as it is?
    fn look(&mut self) -> Pc {
        Pc::LookAtWords(*self.word())
    }

    /// The thread's own words, which others can take away, are read after the state.
    fn look_at_words(&mut self, word: Word) -> Pc {
        let (_, kind, _) = self.access();
        let own = self.own_slot();
        let read = kind == Kind::Read;
        if self.is_new_word(word) && (self.this().words || self.has(Fault::KeepsNewWord)) {
            return Pc::Record { unshared: true };
        }
        let allows = match word {
            Word::Write(slot, _) => slot == own,
            Word::Read(slot, _) => slot == own && read,
            Word::Shared(number) => number <= self.this().shared_seen && read,
            _ => false,
        };
        match allows && self.this().words {
            true => Pc::Record { unshared: false },
            false => Pc::Take(Taking::Close),
        }
    }

    fn is_new(&mut self) -> bool {
        let word = *self.word();
        self.is_new_word(word)
    }

    /// Whether the state is that of an object that this thread has made since it let others in, in the running transaction if there is one.
    pub fn is_new_word(&mut self, word: Word) -> bool {
        let new = Word::New(self.own_slot(), self.this().stretch);
        let (object, ..) = self.access();
        let first = self.this().first_birth;
        word == new && self.state.object(object).number.is_some_and(|it| it.is_born_since(first))
    }

    /// An object that is NEW was used by nobody else.
    pub fn check_alone(&mut self) -> Result<(), Violation> {
        let (object, ..) = self.access();
        let access = self.access_id();
        for other in self.state.object(object).order.clone() {
            if other.thread != self.id {
                return Err(Violation::NotAlone { access, other });
            }
        }
        Ok(())
    }

    /// Writes the log and the filter, or only the filter.
    fn record(&mut self, unshared: bool) -> Result<Pc, Violation> {
        let (object, kind, _) = self.access();
        let access = self.access_id();
        let number = self.state.object(object).number.expect("an object in use has a number");
        let word = self.state.object(object).word;
        let (alike, trusting) = (self.has(Fault::SharesAlike), self.has(Fault::TrustsBusy));
        let this = self.this();
        let marked = if alike && matches!(word, Word::Shared(_)) { Word::Shared(0) } else { word };
        let mark = Mark { kind, number, region: this.region, word: marked, access };
        let news = this.news(mark, trusting);
        if news.is_ok() {
            if unshared {
                this.push(Store::Mark);
            }
            if let (Some(transaction), false) = (this.within, this.begin_logged) {
                this.begin_logged = true;
                this.log(Entry::Begin(transaction));
            }
            if !unshared {
                this.log(Entry::Access(access));
            }
        }
        let record = match news {
            _ if unshared => Record::Unshared,
            Ok(()) => Record::Logged,
            Err(earlier) => Record::Filtered(earlier),
        };
        this.facts.push(Fact { access, object, kind, record, within: this.within });
        if let (Record::Filtered(earlier), Word::Write(..)) = (record, word) {
            let unlogged = |fact: &Fact| fact.access == earlier && fact.record == Record::Unshared;
            if this.facts.iter().any(unlogged) {
                return Err(Violation::Unrecorded { access });
            }
        }
        Ok(Pc::Touch)
    }

    /// The access itself.
    fn touch(&mut self) -> Pc {
        let (object, kind, stays_open) = self.access();
        let access = self.access_id();
        let this = self.this();
        if stays_open && !this.held.contains(&(object, kind)) {
            this.held.push((object, kind));
        }
        let is_own = |store: &Store| matches!(store, Store::Variable(other, _) if *other == object);
        if kind == Kind::Write {
            this.push(Store::Variable(object, access));
        } else if this.buffer.iter().any(is_own) {
            this.push(Store::Forwarded(object, access));
        } else {
            self.state.happened(object, access, self.program);
        }
        if stays_open { self.finish_op() } else { Pc::Close }
    }

    fn step_to_end(&mut self) -> Result<Pc, Violation> {
        let this = self.this();
        Ok(match this.pc {
            Pc::EndDepth => {
                this.push(Store::Depth { running: None, first_birth: this.first_birth });
                this.region += 1;
                Pc::EndFence
            }
            // By its own store buffer it may just be waking up: then a fence comes before the mode is.
            Pc::EndFence => {
                if this.mode != Mode::Awake && !self.has(Fault::EndsUnfenced) {
                    self.drain()?;
                }
                Pc::EndTouching
            }
            Pc::EndTouching if this.touching == 0 => Pc::EndTouches,
            Pc::EndTouching => Pc::EndAwait,
            Pc::EndTouches if this.touches.is_empty() => Pc::EndLog,
            Pc::EndTouches => Pc::EndAwait,
            Pc::EndAwait => Pc::EndEdges,
            Pc::EndEdges => {
                self.drain()?;
                let touches = std::mem::take(&mut self.this().touches);
                touches.into_iter().for_each(|(slot, position)| self.edge(slot, position));
                Pc::EndLog
            }
            _ => {
                if let (Some(transaction), true) = (this.within, this.begin_logged) {
                    this.log(Entry::End(transaction));
                }
                (this.within, this.begin_logged) = (None, false);
                self.finish_op()
            }
        })
    }

    fn leave(&mut self) -> Result<Pc, Violation> {
        self.drain()?;
        let slot = self.own_slot();
        let position = self.state.position(self.id);
        self.this().last_position = Some(position);
        self.state.slots[usize::from(slot.0)].user = None;
        self.state.free.push(slot);
        Ok(Pc::Done)
    }
}
