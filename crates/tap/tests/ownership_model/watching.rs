//! How a thread makes sure that it would see the window of another, after it has claimed an object: the other is quiet,
//! or everybody passes a barrier; and then the other is put to sleep, so that the barrier serves for more.

use super::machine::{Mode, Store, Word};
use super::program::ThreadId;
use super::protocol::{Fault, Pc, Turn};
use super::taking::Taking::{self, *};
use super::taking::{Claim, Watched};
use super::violation::Violation;

impl Watched {
    pub fn thread(self) -> Option<ThreadId> {
        match self {
            Watched::Owner(claim) => claim.owner,
            Watched::Reader(reader) => reader.thread,
            Watched::First(first) => first.thread,
        }
    }

    /// The stretch in which a NEW object was made.
    fn stretch(self) -> Option<u8> {
        match self {
            Watched::Owner(Claim { word: Word::New(_, stretch), .. }) => Some(stretch),
            _ => None,
        }
    }
}

impl Turn<'_> {
    pub fn watch(&mut self, taking: Taking) -> Result<Taking, Violation> {
        let falling = Mode::Falling(self.own_slot());
        Ok(match taking {
            Watch(watch) => match watch.thread() {
                Some(thread) if !self.is_quiet(thread, watch) => Ask(watch),
                _ => self.watched(watch),
            },
            Ask(watch) => Lull { watch, asked: self.ask(watch)? },
            Lull { watch, .. } => {
                let falls = self.change_mode(watch, Mode::Awake, falling)?;
                if falls { LullWords(watch) } else { Barrier { watch, falls } }
            }
            LullWords(watch) => {
                if let Some(thread) = watch.thread() {
                    self.state.thread(thread).words = self.has(Fault::KeepsWords);
                }
                Barrier { watch, falls: true }
            }
            Barrier { watch, falls } => {
                self.barrier()?;
                if falls { Settle(watch) } else { self.watched(watch) }
            }
            Settle(watch) => {
                self.change_mode(watch, falling, Mode::Asleep)?;
                self.watched(watch)
            }
            other => panic!("nobody to watch: {other:?}"),
        })
    }

    fn is_quiet(&mut self, thread: ThreadId, watch: Watched) -> bool {
        let runs = !self.has(Fault::RunningIgnored) && self.state.thread(thread).running.is_some();
        let alike = self.has(Fault::StretchesAlike);
        let (mode, seen) = (self.state.thread(thread).mode, self.state.thread(thread).seen_stretch);
        match (mode, watch.stretch()) {
            (Mode::Taking | Mode::Asleep, _) => true,
            (_, Some(stretch)) => (stretch != seen || alike) && !runs,
            (Mode::Awake, None) => false,
            (Mode::Falling(_), None) => self.has(Fault::FallingIsAsleep),
        }
    }

    /// A locked compare-and-set of another thread's mode.
    fn change_mode(&mut self, watch: Watched, from: Mode, to: Mode) -> Result<bool, Violation> {
        self.drain()?;
        let Some(thread) = watch.thread() else { return Ok(false) };
        let mode = &mut self.state.thread(thread).mode;
        let same = *mode == from;
        if same {
            *mode = to;
        }
        Ok(same)
    }

    /// The other's window is visible if it is open.
    fn watched(&mut self, watch: Watched) -> Taking {
        match watch {
            Watched::Owner(claim) if self.has(Fault::EarlyPosition) => {
                let early = Some(self.position_of(claim.owner, claim.from));
                Await(Watched::Owner(Claim { early, ..claim }))
            }
            other => Await(other),
        }
    }

    /// Everybody's buffer is emptied.
    fn barrier(&mut self) -> Result<(), Violation> {
        self.drain()?;
        if !self.has(Fault::NoBarrier) {
            for thread in 0..self.state.threads.len() {
                self.state.drain(ThreadId(thread as u8), self.program)?;
            }
        }
        Ok(())
    }

    /// The window is open: windows are opened without a fence again from here on.
    pub fn wake(&mut self, taking: Taking) -> Result<Pc, Violation> {
        if taking == Wake {
            self.this().push(Store::Words);
            self.this().push(Store::Mode(Mode::Awake));
            return Ok(Pc::Take(WakeFence));
        }
        if !self.has(Fault::WakesUnfenced) {
            self.drain()?;
        }
        Ok(Pc::LookAfterTaking)
    }
}
