//! Objects that everybody may read: a second reader, further readers, a writer that takes it from them all.

use super::machine::{Entry, Number, SlotId, Word};
use super::protocol::{Fault, Pc, Turn};
use super::taking::Taking::{self, *};
use super::taking::{Reader, Watched};
use super::violation::Violation;

impl Turn<'_> {
    pub fn read_shared(&mut self, taking: Taking) -> Result<Pc, Violation> {
        match taking {
            SharedSeen(number) => {
                let silent = self.has(Fault::SeenNotLogged);
                let this = self.this();
                if number > this.shared_seen {
                    this.shared_seen = number;
                    if !silent {
                        this.log(Entry::Seen(number));
                    }
                }
                Ok(Pc::Take(SharedOpen(number)))
            }
            SharedOpen(number) => {
                self.open_fenced()?;
                Ok(Pc::Take(SharedLook(number)))
            }
            SharedLook(number) => {
                let done = *self.word() == Word::Shared(number);
                Ok(self.opened(done))
            }
            other => panic!("not shared: {other:?}"),
        }
    }

    /// Takes the next number of a read-shared state.
    fn next_share(&mut self) -> Result<u8, Violation> {
        self.drain()?;
        self.state.shares += 1;
        Ok(self.state.shares)
    }

    fn make(&mut self, number: u8) {
        let this = self.this();
        this.log(Entry::Make(number));
        this.shared_seen = this.shared_seen.max(number);
    }

    /// A second reader. Claims the object, so that the owner it finds is the one it looked at; takes the
    /// number after the position, so that every number below that position is a lower one. Waits for nobody.
    pub fn share(&mut self, taking: Taking) -> Result<Taking, Violation> {
        let own = self.own_slot();
        Ok(match taking {
            ShareClaim(from, hold) => {
                if self.swap(Word::Read(from, hold), Word::Busy(own))? {
                    ShareOwner(from)
                } else {
                    Look
                }
            }
            ShareOwner(from) => {
                let (owner, early) = (self.user(from), self.has(Fault::NumberBeforePosition));
                if early {
                    ShareEarly(from, owner)
                } else {
                    ShareEdge { from, owner, number: None }
                }
            }
            ShareEarly(from, owner) => {
                let number = Some(self.next_share()?);
                ShareEdge { from, owner, number }
            }
            ShareEdge { from, owner, number } => {
                let position = self.position_of(owner, from);
                self.edge(from, position);
                number.map_or(ShareNumber, ShareMake)
            }
            ShareNumber => ShareMake(self.next_share()?),
            ShareMake(number) => {
                self.make(number);
                SharePut(number)
            }
            SharePut(number) => {
                self.drain()?;
                *self.word() = Word::Shared(number);
                SharedOpen(number)
            }
            other => panic!("not for a second reader: {other:?}"),
        })
    }

    /// With a fault: a second reader that claims nothing.
    pub fn share_unclaimed(&mut self, taking: Taking) -> Result<Taking, Violation> {
        Ok(match taking {
            UnclaimedNumber(word, from) => UnclaimedOwner(word, from, self.next_share()?),
            UnclaimedOwner(word, from, number) => {
                UnclaimedEdge(word, from, self.user(from), number)
            }
            UnclaimedEdge(word, from, owner, number) => {
                let position = self.position_of(owner, from);
                self.edge(from, position);
                UnclaimedSwap(word, number)
            }
            UnclaimedSwap(word, number) => {
                // Numbers of takings come again.
                let again = match (*self.word(), word) {
                    (now @ Word::Read(user, _), Word::Read(from, _)) if user == from => now,
                    _ => word,
                };
                let done = self.swap(again, Word::Shared(number))?;
                UnclaimedMake(number, done)
            }
            UnclaimedMake(number, done) => {
                self.make(number);
                if done { SharedOpen(number) } else { Look }
            }
            other => panic!("not for a second reader: {other:?}"),
        })
    }

    pub fn take_from_all(&mut self, taking: Taking) -> Result<Taking, Violation> {
        let own = self.own_slot();
        Ok(match taking {
            AllClaim(number) => {
                let (object, ..) = self.access();
                self.state.object(object).number = Some(Number::Id(object));
                if self.swap(Word::Shared(number), Word::Busy(own))? { AllCount } else { Look }
            }
            AllCount => {
                let of = self.state.slots.len() as u8;
                self.next_reader(Reader { slot: SlotId(0), of, thread: None })
            }
            AllReader(reader) => {
                let thread = self.user(reader.slot);
                Watch(Watched::Reader(Reader { thread, ..reader }))
            }
            AllAwait(reader) => AllEdge(reader),
            AllEdge(reader) => {
                let position = self.position_of(reader.thread, reader.slot);
                if position != 0 {
                    self.edge(reader.slot, position);
                }
                self.next_reader(Reader { slot: SlotId(reader.slot.0 + 1), ..reader })
            }
            other => panic!("not from everybody: {other:?}"),
        })
    }

    /// The first slot from this one on that is not the thread's own.
    fn next_reader(&mut self, from: Reader) -> Taking {
        let skip = u8::from(from.slot == self.own_slot());
        let reader = Reader { slot: SlotId(from.slot.0 + skip), ..from };
        if reader.slot.0 < reader.of { AllReader(reader) } else { GiveOpen { leased: false } }
    }
}
