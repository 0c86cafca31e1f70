//! An object is taken from the one thread that it belongs to; if that thread's running transaction has made
//! it, that is written down on its behalf.

use super::machine::{Entry, Fact, Number, Record, SlotId, Transaction, Word};
use super::program::{ObjectId, ThreadId};
use super::protocol::{Fault, Turn};
use super::taking::Taking::{self, *};
use super::taking::{Claim, Watched};
use super::violation::Violation;

impl Turn<'_> {
    pub fn take_from(&mut self, taking: Taking) -> Result<Taking, Violation> {
        Ok(match taking {
            FromName(word, from) => {
                let claim = self.name(word, from)?;
                if !self.has(Fault::AsksFirst) {
                    return Ok(FromClaim(claim));
                }
                let owner = self.user(from);
                let asked = self.ask(Watched::Owner(Claim { owner, ..claim }))?;
                FromClaim(Claim { asked: Some(asked), ..claim })
            }
            FromClaim(claim) => {
                let own = self.own_slot();
                if self.swap(claim.word, Word::Busy(own))? { FromOwner(claim) } else { Look }
            }
            FromOwner(claim) => {
                let claim = Claim { owner: self.user(claim.from), ..claim };
                let touches = claim.touched().is_some() && !self.has(Fault::TouchesLate);
                if touches { FromTouching(claim) } else { claim.wait() }
            }
            FromTouching(claim) => {
                self.drain()?;
                if let Some(owner) = claim.touched() {
                    self.state.thread(owner).touching += 1;
                }
                if self.has(Fault::TouchesLate) { FromEdge(claim) } else { claim.wait() }
            }
            FromEdge(claim) => {
                let position = self.position_of(claim.owner, claim.from);
                self.edge(claim.from, claim.early.unwrap_or(position));
                if claim.touched().is_some() {
                    return Ok(FromBehalf(claim));
                }
                claim.give()
            }
            FromBehalf(claim) => self.on_behalf(claim)?,
            FromTouch(claim) => {
                self.drain()?;
                let touch = (self.own_slot(), self.state.own_position(self.id));
                if let Some(owner) = claim.touched() {
                    self.state.thread(owner).touches.push(touch);
                }
                FromUntouch(claim)
            }
            FromUntouch(claim) => {
                self.drain()?;
                if let Some(owner) = claim.touched() {
                    self.state.thread(owner).touching -= 1;
                }
                claim.give()
            }
            other => panic!("not from one owner: {other:?}"),
        })
    }

    /// Reads what the owner calls the object and gives it a number for everybody.
    fn name(&mut self, word: Word, from: SlotId) -> Result<Claim, Violation> {
        self.drain()?;
        let forgotten = self.has(Fault::BirthForgotten);
        let (id, ..) = self.access();
        let object = self.state.object(id);
        let birth = if forgotten { object.number } else { object.birth };
        object.number = Some(Number::Id(id));
        Ok(Claim { word, from, birth, owner: None, early: None, asked: None })
    }

    /// Writes down if the owner's running transaction has made the object.
    fn on_behalf(&mut self, claim: Claim) -> Result<Taking, Violation> {
        let (object, ..) = self.access();
        let owner = claim.touched().expect("there is an owner");
        let thread = self.state.thread(owner);
        let first = thread.seen_first_birth;
        let made = claim.birth.is_some_and(|birth| birth.is_born_since(first));
        let of = thread.running.filter(|_| made);
        self.check_behalf(owner, of, object)?;
        let Some(of) = of else { return Ok(FromUntouch(claim)) };
        self.this().log(Entry::Behalf { of, object });
        for fact in &mut self.state.thread(owner).facts {
            let unlogged = fact.object == object && fact.record == Record::Unshared;
            if unlogged && fact.within == Some(of) {
                fact.record = Record::OnBehalf;
            }
        }
        Ok(FromTouch(claim))
    }

    /// If the running transaction has made the object, that is written down, and not otherwise. An object that had a number for
    /// everybody from the start is known by other ways to others, and so is that they come after it.
    fn check_behalf(
        &mut self,
        owner: ThreadId,
        told: Option<Transaction>,
        object: ObjectId,
    ) -> Result<(), Violation> {
        let named = matches!(self.state.object(object).birth, Some(Number::Id(_)));
        let thread = self.state.thread(owner);
        let still_running = thread.within.filter(|_| !thread.pc.is_ending());
        for fact in thread.facts.iter().filter(|fact| fact.object == object) {
            let due = fact.within.is_some() && fact.within == still_running;
            if due && fact.record == Record::Unshared && told != fact.within && !named {
                return Err(Violation::BehalfMissing { access: fact.access });
            }
        }
        let Some(of) = told else { return Ok(()) };
        let did = |fact: &Fact| fact.object == object && fact.within == Some(of);
        if thread.facts.iter().any(did) {
            return Ok(());
        }
        Err(Violation::BehalfInvented { of, object })
    }
}

impl Claim {
    /// The owner whose running transaction may have used the object unlogged.
    pub fn touched(self) -> Option<ThreadId> {
        self.owner.filter(|_| matches!(self.word, Word::New(..)))
    }

    /// A lease is only used under a fence of its user's own.
    fn wait(self) -> Taking {
        if matches!(self.word, Word::Lease(..)) {
            Await(Watched::Owner(self))
        } else {
            Watch(Watched::Owner(self))
        }
    }

    fn give(self) -> Taking {
        GiveOpen { leased: matches!(self.word, Word::Lease(..)) }
    }
}
