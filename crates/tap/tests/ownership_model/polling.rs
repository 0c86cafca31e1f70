//! Windows that stay open over the rounds of a loop: who wants one closed asks for that, and the thread looks whether
//! it is asked before it goes round.
//!
//! An answer is as good as a window that is seen to be closed, and better than a barrier: the thread has read the
//! question after the object was claimed, so it will find the claim, and what it did before is
//! in memory before the answer is.

use super::machine::{Fact, Record, Store};
use super::program::{Op, Program, ThreadId};
use super::protocol::{Fault, Pc, State, Turn};
use super::taking::Taking::{self, *};
use super::taking::Watched;
use super::violation::Violation;

impl Turn<'_> {
    pub fn is_asked(&mut self) -> bool {
        let this = self.this();
        this.asked != this.answered
    }

    /// Closes the window and says so.
    pub fn answer(&mut self) {
        let (stays, keeps) = (self.has(Fault::AnswersWhileOpen), self.has(Fault::HeldAcrossAnswer));
        let held = self.this().held.clone();
        if !stays {
            self.this().set_open(false);
        }
        if keeps {
            self.this().held = held;
        }
        self.tell();
    }

    /// All questions are answered that were asked up to now. A store that would change nothing is left out.
    pub fn tell(&mut self) {
        let this = self.this();
        if this.asked != this.answered {
            this.answered = this.asked;
            this.push(Store::Answered(this.asked));
        }
    }

    /// The access of an earlier round, in the same window: it stands behind the one that was recorded then.
    pub fn repeat(&mut self) -> Result<Pc, Violation> {
        let (object, kind, _) = self.access();
        let access = self.access_id();
        let same = |fact: &&Fact| fact.object == object && fact.kind == kind;
        let facts = &self.this().facts;
        let fact = *facts.iter().rev().find(same).expect("what is held was accessed");
        let record = match fact.record {
            Record::Unshared => Record::Unshared,
            Record::Filtered(earlier) => Record::Filtered(earlier),
            Record::Logged | Record::OnBehalf => Record::Filtered(fact.access),
        };
        if record == Record::Unshared {
            self.check_alone()?;
        }
        self.this().facts.push(Fact { access, record, ..fact });
        Ok(Pc::Touch)
    }

    /// Asks for the window of another thread, by a locked addition. The question's number.
    pub fn ask(&mut self, watch: Watched) -> Result<u8, Violation> {
        if let Watched::Owner(claim) = watch
            && let Some(asked) = claim.asked
        {
            return Ok(asked);
        }
        self.drain()?;
        let any = self.has(Fault::AnyAnswer);
        let Some(thread) = watch.thread() else { return Ok(0) };
        let other = self.state.thread(thread);
        other.asked += 1;
        Ok(if any { other.seen_answered + 1 } else { other.asked })
    }

    pub fn has_answered(&mut self, watch: Watched, asked: u8) -> bool {
        watch.thread().is_none_or(|thread| self.state.thread(thread).seen_answered >= asked)
    }

    /// Whether the thread can go on because of an answer, although it could also stop waiting for it.
    pub fn can_heed(&mut self) -> bool {
        match self.this().pc {
            Pc::Take(Lull { watch, asked }) => self.has_answered(watch, asked),
            _ => false,
        }
    }

    pub fn heed(&mut self) {
        let Pc::Take(Lull { watch, .. }) = self.this().pc else { panic!("nothing was asked") };
        self.this().pc = Pc::Take(self.finished(watch));
    }

    pub fn is_closed(&mut self, watch: Watched) -> bool {
        watch.thread().is_none_or(|thread| !self.state.thread(thread).open)
    }

    /// Waits for a window that would be seen if it was open: until it is closed, or has been meanwhile.
    pub fn wait(&mut self, taking: Taking) -> Result<Taking, Violation> {
        Ok(match taking {
            Await(watch) if self.is_closed(watch) || self.has(Fault::NoWait) => {
                self.finished(watch)
            }
            Await(watch) => AwaitAsk(watch),
            AwaitAsk(watch) => AwaitAnswer { watch, asked: self.ask(watch)? },
            AwaitAnswer { watch, .. } => self.finished(watch),
            other => panic!("nobody to wait for: {other:?}"),
        })
    }

    /// The other thread has finished what it began before the object was claimed.
    fn finished(&mut self, watch: Watched) -> Taking {
        match watch {
            Watched::Owner(claim) if self.has(Fault::TouchesLate) && claim.touched().is_some() => {
                FromTouching(claim)
            }
            Watched::Owner(claim) => FromEdge(claim),
            Watched::Reader(reader) => AllEdge(reader),
            Watched::First(first) => ShareEdge(first),
        }
    }
}

/// Takes out of a state what no thread can notice any more: questions that nobody waits for but that a loop will look at,
/// and answers to them. So ways that differ in nothing else come together.
pub fn forget_questions(state: &mut State, program: &Program) {
    for index in 0..state.threads.len() {
        if state.threads[index].asked == 0 {
            continue;
        }
        let id = ThreadId(index as u8);
        let waited = waited_for(state, id);
        let rank = |number: u8| waited.iter().filter(|&&other| other <= number).count() as u8;
        for pc in state.threads.iter_mut().map(|thread| &mut thread.pc) {
            if let Some(asked) = question(pc, id) {
                *asked = rank(*asked);
            }
        }
        let script = &program.scripts[index].ops;
        let this = state.thread(id);
        let polls = script[usize::from(this.at)..].contains(&Op::Poll);
        let is_asked = this.asked != this.answered;
        (this.asked, this.answered) = (rank(this.asked), rank(this.answered));
        this.asked += u8::from(is_asked && polls && this.asked == this.answered);
        this.seen_answered = 0;
        let mut last = 0;
        this.buffer.retain_mut(|store| {
            let Store::Answered(number) = store else { return true };
            *number = rank(*number);
            std::mem::replace(&mut last, *number) != *number
        });
    }
}

/// The questions to a thread that others wait for, in order.
fn waited_for(state: &mut State, id: ThreadId) -> Vec<u8> {
    let answered = state.thread(id).seen_answered;
    let asked = state.threads.iter_mut().filter_map(|thread| question(&mut thread.pc, id).copied());
    let mut waited: Vec<u8> = asked.filter(|&number| number > answered).collect();
    waited.sort_unstable();
    waited.dedup();
    waited
}

/// The question to a thread whose answer is waited for.
fn question(pc: &mut Pc, to: ThreadId) -> Option<&mut u8> {
    match pc {
        Pc::Take(Lull { watch, asked } | AwaitAnswer { watch, asked }) => {
            (watch.thread() == Some(to)).then_some(asked)
        }
        _ => None,
    }
}
