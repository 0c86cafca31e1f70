//! The slow path: how an object changes hands. One access to shared memory a step.

use super::machine::{Mode, Number, SlotId, Word};
use super::program::{Kind, ThreadId};
use super::protocol::{Fault, Pc, Turn};
use super::violation::Violation;
use std::fmt;

/// What is known of the object that is being taken from its owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    pub word: Word,
    pub from: SlotId,
    pub birth: Option<Number>,
    pub owner: Option<ThreadId>,
    /// Only with faults: the position as it was too early, the question that was asked too early.
    pub early: Option<u8>,
    pub asked: Option<u8>,
}

/// One of the readers that a writer has to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reader {
    pub slot: SlotId,
    pub of: u8,
    pub number: u8,
    pub thread: Option<ThreadId>,
}

/// The one that was alone in reading an object; the number of the shared state, if it is taken already.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct First {
    pub slot: SlotId,
    pub thread: Option<ThreadId>,
    pub number: Option<u8>,
}

/// Whom a thread waits for, having claimed an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Watched {
    Owner(Claim),
    Reader(Reader),
    First(First),
}

/// What a thread on the slow path does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Taking {
    Close,
    Quiet,
    Answer,
    Look,
    Watch(Watched),
    Ask(Watched),
    Lull { watch: Watched, asked: u8 },
    LullWords(Watched),
    Barrier { watch: Watched, falls: bool },
    Settle(Watched),
    Await(Watched),
    AwaitAsk(Watched),
    AwaitAnswer { watch: Watched, asked: u8 },
    Wake,
    WakeFence,
    FreshOpen,
    FreshClaim,
    OwnOpen(Word),
    OwnLook(Word),
    OwnCool(Word),
    SharedSeen(u8),
    SharedOpen(u8),
    SharedLook(u8),
    ShareClaim(SlotId, u8),
    ShareOwner(SlotId),
    ShareEarly(First),
    ShareEdge(First),
    ShareNumber,
    ShareMake(u8),
    SharePut(u8),
    UnclaimedNumber(Word, SlotId),
    UnclaimedOwner(Word, SlotId, u8),
    UnclaimedEdge(Word, SlotId, Option<ThreadId>, u8),
    UnclaimedSwap(Word, u8),
    UnclaimedMake(u8, bool),
    FromName(Word, SlotId),
    FromClaim(Claim),
    FromOwner(Claim),
    FromTouching(Claim),
    FromEdge(Claim),
    FromBehalf(Claim),
    FromTouch(Claim),
    FromUntouch(Claim),
    AllClaim(u8),
    AllCount(u8),
    AllReader(Reader),
    AllEdge(Reader),
    GiveOpen { leased: bool },
    GivePut(Word),
}

use Taking::*;

impl Turn<'_> {
    pub fn word(&mut self) -> &mut Word {
        let (object, ..) = self.access();
        &mut self.state.object(object).word
    }

    /// A locked compare-and-set of the state.
    pub fn swap(&mut self, from: Word, to: Word) -> Result<bool, Violation> {
        self.drain()?;
        let word = self.word();
        let same = *word == from;
        if same {
            *word = to;
        }
        Ok(same)
    }

    /// A store to the window, with the fence that follows.
    pub fn open_fenced(&mut self) -> Result<(), Violation> {
        self.this().set_open(true);
        self.drain()
    }

    pub fn user(&self, slot: SlotId) -> Option<ThreadId> {
        self.state.slot(slot).user
    }

    pub fn position_of(&self, thread: Option<ThreadId>, slot: SlotId) -> u8 {
        thread.or(self.state.slot(slot).last).map_or(0, |thread| self.state.position(thread))
    }

    pub fn can_go_on(&mut self, taking: Taking) -> bool {
        match taking {
            Look => !matches!(self.word(), Word::Busy(_)),
            AwaitAnswer { watch, asked } => {
                self.is_closed(watch) || self.has_answered(watch, asked)
            }
            _ => true,
        }
    }

    /// Whether the step only looks up who uses a slot.
    pub fn looks_up(taking: Taking) -> bool {
        matches!(taking, ShareOwner(_) | UnclaimedOwner(..) | FromOwner(_) | AllCount(_))
    }

    pub fn take(&mut self, taking: Taking) -> Result<Pc, Violation> {
        let next = match taking {
            Close => {
                let (open, kept) =
                    (self.has(Fault::WaitsWhileOpen), self.has(Fault::HeldAcrossTaking));
                let held = self.this().held.clone();
                self.this().set_open(open);
                if kept {
                    self.this().held = held;
                }
                Quiet
            }
            Quiet => {
                self.drain()?;
                self.this().mode = Mode::Taking;
                Answer
            }
            Answer => {
                self.tell();
                Look
            }
            Watch(_) | Ask(_) | Lull { .. } | LullWords(_) | Barrier { .. } | Settle(_) => {
                self.watch(taking)?
            }
            Await(_) | AwaitAsk(_) | AwaitAnswer { .. } => self.wait(taking)?,
            Wake | WakeFence => return self.wake(taking),
            Look => self.choose(),
            FreshOpen | FreshClaim => return self.take_fresh(taking),
            OwnOpen(_) | OwnLook(_) | OwnCool(_) => return self.use_own(taking),
            SharedSeen(_) | SharedOpen(_) | SharedLook(_) => return self.read_shared(taking),
            ShareClaim(..) | ShareOwner(_) | ShareEarly(_) | ShareEdge(_) | ShareNumber
            | ShareMake(_) | SharePut(_) => self.share(taking)?,
            AllClaim(_) | AllCount(_) | AllReader(_) | AllEdge(_) => self.take_from_all(taking)?,
            GiveOpen { .. } | GivePut(_) => return self.give(taking),
            FromName(..) | FromClaim(_) | FromOwner(_) | FromTouching(_) | FromEdge(_)
            | FromBehalf(_) | FromTouch(_) | FromUntouch(_) => self.take_from(taking)?,
            _ => self.share_unclaimed(taking)?,
        };
        Ok(Pc::Take(next))
    }

    fn choose(&mut self) -> Taking {
        let (_, kind, _) = self.access();
        let own = self.own_slot();
        let write = kind == Kind::Write;
        match *self.word() {
            Word::Fresh => FreshOpen,
            Word::Busy(_) => Look,
            Word::Shared(number) if write => AllClaim(number),
            Word::Shared(number) => SharedSeen(number),
            word @ (Word::New(slot, _)
            | Word::Write(slot, _)
            | Word::Read(slot, _)
            | Word::Lease(slot, _)) => match word {
                _ if slot == own => OwnOpen(word),
                Word::Read(..) if !write && self.has(Fault::ShareUnclaimed) => {
                    UnclaimedNumber(word, slot)
                }
                Word::Read(_, hold) if !write => ShareClaim(slot, hold),
                _ => FromName(word, slot),
            },
        }
    }

    /// The window is open and the state may allow the access; if not, closes it and starts again.
    pub fn opened(&mut self, done: bool) -> Pc {
        Pc::Take(if done { Wake } else { Close })
    }

    fn take_fresh(&mut self, taking: Taking) -> Result<Pc, Violation> {
        if taking == FreshOpen {
            self.open_fenced()?;
            return Ok(Pc::Take(FreshClaim));
        }
        let own = self.own_slot();
        let new = Word::New(own, self.this().stretch);
        let done = self.swap(Word::Fresh, new)?;
        if done {
            let birth = Number::Birth(self.this().births);
            self.this().births += 1;
            let (object, ..) = self.access();
            let object = self.state.object(object);
            object.birth = Some(*object.number.get_or_insert(birth));
        }
        Ok(self.opened(done))
    }

    fn use_own(&mut self, taking: Taking) -> Result<Pc, Violation> {
        let (object, kind, _) = self.access();
        let own = self.own_slot();
        match taking {
            OwnOpen(word) => {
                if self.has(Fault::OwnUnfenced) {
                    self.this().set_open(true);
                } else {
                    self.open_fenced()?;
                }
                Ok(Pc::Take(OwnLook(word)))
            }
            OwnLook(word @ Word::New(..)) if !self.is_new_word(word) => {
                self.state.object(object).number = Some(Number::Id(object));
                let hold = self.this().holds;
                let done = self.swap(word, Word::Write(own, hold))?;
                Ok(self.opened(done))
            }
            OwnLook(word @ Word::Read(_, hold)) if kind == Kind::Write => {
                let done = self.swap(word, Word::Write(own, hold))?;
                Ok(self.opened(done))
            }
            OwnLook(word) => {
                let done = *self.word() == word || self.has(Fault::NoSecondLook);
                if !done || !matches!(word, Word::Lease(..)) {
                    return Ok(self.opened(done));
                }
                let cool_at = self.model.cool_at;
                let object = self.state.object(object);
                object.in_a_row += 1;
                if object.in_a_row < cool_at {
                    return Ok(self.opened(true));
                }
                object.in_a_row = 0;
                object.hot = self.model.hot_at / 2;
                Ok(Pc::Take(OwnCool(word)))
            }
            OwnCool(word) => {
                let Word::Lease(_, hold) = word else { panic!("no lease: {word:?}") };
                self.swap(word, Word::Write(own, hold))?;
                Ok(self.opened(true))
            }
            other => panic!("not own: {other:?}"),
        }
    }

    fn give(&mut self, taking: Taking) -> Result<Pc, Violation> {
        let (object, kind, _) = self.access();
        let own = self.own_slot();
        match taking {
            GiveOpen { leased } => {
                let alike = self.has(Fault::HoldsAlike);
                self.this().holds += u8::from(!alike);
                let hold = self.this().holds;
                let hot_at = self.model.hot_at;
                let object = self.state.object(object);
                object.hot = object.hot.saturating_add(1);
                object.in_a_row = 0;
                let word = match kind {
                    _ if leased || object.hot >= hot_at => Word::Lease(own, hold),
                    Kind::Write => Word::Write(own, hold),
                    Kind::Read => Word::Read(own, hold),
                };
                self.open_fenced()?;
                Ok(Pc::Take(GivePut(word)))
            }
            GivePut(word) => {
                self.drain()?;
                *self.word() = word;
                Ok(self.opened(true))
            }
            other => panic!("nothing to give: {other:?}"),
        }
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.word)
    }
}
