//! Objects that everybody may read: a second reader, further readers, a writer that takes it from them all.

use super::machine::{Entry, Number, SlotId, Store, Word};
use super::protocol::{Fault, Pc, Turn};
use super::taking::Taking::{self, *};
use super::taking::{First, Reader, Watched};
use super::violation::Violation;

impl Turn<'_> {
    pub fn read_shared(&mut self, taking: Taking) -> Result<Pc, Violation> {
        match taking {
            SharedSeen(number) => {
                let silent = self.has(Fault::SeenNotLogged);
                let this = self.this();
                if number > this.shared_seen {
                    this.shared_seen = number;
                    this.push(Store::SharedSeen(number));
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
        this.push(Store::SharedSeen(this.shared_seen));
    }

    /// A second reader. Claims the object, so that the owner it finds is the one it looked at; waits for the owner's
    /// window, so that whoever reads the object from now on has seen the number; and takes the
    /// number after the position, so that every number below that position is a lower one.
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
                let first = First { slot: from, thread: self.user(from), number: None };
                match self.model.fault {
                    Some(Fault::NumberBeforePosition) => ShareEarly(first),
                    Some(Fault::ShareUnwaited) => ShareEdge(first),
                    _ => Watch(Watched::First(first)),
                }
            }
            ShareEarly(first) => {
                let number = Some(self.next_share()?);
                Watch(Watched::First(First { number, ..first }))
            }
            ShareEdge(first) => {
                let position = self.position_of(first.thread, first.slot);
                self.edge(first.slot, position);
                first.number.map_or(ShareNumber, ShareMake)
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
                if self.swap(Word::Shared(number), Word::Busy(own))? {
                    AllCount(number)
                } else {
                    Look
                }
            }
            AllCount(number) => {
                let of = self.state.slots.len() as u8;
                self.next_reader(Reader { slot: SlotId(0), of, number, thread: None })
            }
            AllReader(reader) => {
                // Whoever may read the object without asking has seen its number.
                let thread = self.state.slot(reader.slot).last;
                match thread.filter(|&it| self.state.thread(it).seen_shared >= reader.number) {
                    thread @ Some(_) => Watch(Watched::Reader(Reader { thread, ..reader })),
                    None => self.next_reader(reader.next()),
                }
            }
            AllEdge(reader) => {
                let position = self.position_of(reader.thread, reader.slot);
                if position != 0 {
                    self.edge(reader.slot, position);
                }
                self.next_reader(reader.next())
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

impl Reader {
    /// Whoever has the next slot.
    fn next(self) -> Reader {
        Reader { slot: SlotId(self.slot.0 + 1), ..self }
    }
}
