//! Many logs, one stream.
//!
//! The logs of a JVM's threads are read side by side. Each is read in order, as far as it goes; the entries
//! that demand an order (`EDGE`, `MAKE`, `SEEN`, locks, joins) hold a log back until the others have come far
//! enough. Everything that they demand was so in real time, so as long as all that was written is seen, one of
//! the logs can always go on.
//!
//! Guarantee: events of a thread keep their order; where the logs demand an order, the stream has it; and
//! [`interloper_trace::Validator`] accepts the stream, whatever is in the logs. Memory depends on how many
//! objects live at a time and on how many threads and sites there are, not on how long the program runs, if numbers are used again
//! ([`Jvm::use_numbers_again`]); else on the names of all objects there ever were.
//!
//! When the JVM was killed, the last words of some logs are missing. A log that would have to wait for them
//! ends there and is counted as cut. If a log cannot go on although the JVM lives, what it waits for is given
//! up after a moment and counted as broken: the program under test must not hang because of us.

mod classes;
mod deaths;
mod index;
mod makings;
mod naming;
mod objects;
mod paged;
mod read;
mod run;
mod runs;
mod signals;
mod step;
mod stock;
mod threads;

use crate::arena::{Arena, Recording};
use crate::facts::{Facts, Omission};
use crate::listen::Inbox;
use crate::message::{self, Hello, Message};
use interloper_trace::{Batch, LockId, Names, Retired, Source, ThreadId, TraceError, Validator};
use run::Merger;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

type Hashed<K, V> = hashbrown::HashMap<K, V, foldhash::fast::FixedState>;

/// What a log waits for before its next entry can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    /// Another log's position.
    Position { slot: u32, position: u64 },
    /// `MAKE` of this number.
    Made(u32),
    /// The class of an object.
    Object(u32),
    /// A lock that somebody else holds.
    Lock(LockId),
    /// The end of a thread.
    Ended(ThreadId),
    /// What a site is.
    Site(u32),
    /// What a method is called.
    Method(u32),
    /// What a class is called.
    ClassName(u32),
    /// Whoever uses this object's field first depends on its maker: that is told before.
    Maker(u32),
    /// What a thread is called.
    Thread(u32),
}

impl Need {
    /// Whether it is nothing wrong if it is never met: threads that wrote no log are joined, and locks
    /// released where no probe is.
    fn is_soft(self) -> bool {
        matches!(self, Need::Lock(_) | Need::Ended(_))
    }
}

/// How long all logs may wait for something before it is given up although the JVM lives. It can take as long
/// as a thread gets no processor just after it was given a number to `MAKE`.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most positions that a batch can have.
const LARGEST_BATCH: u64 = 2 * Batch::SIZE as u64 * (1 << 16);

/// A JVM that is watched: a source of events that ends when the JVM ends.
pub struct Jvm {
    inbox: Inbox,
    merger: Merger,
    facts: Facts,
    input: String,
    delivered: u64,
    /// Nothing more will come over the socket.
    gone: bool,
    finished: bool,
    /// Others say that it was watched for long enough.
    enough: Arc<AtomicBool>,
    stalled_since: Option<Instant>,
    patience: Duration,
}

impl Jvm {
    pub(crate) fn new(hello: Hello, arena: Arena, inbox: Inbox) -> Jvm {
        let Hello { pid, java, command, .. } = hello;
        Jvm {
            inbox,
            merger: Merger::new(arena),
            input: format!("JVM {pid}"),
            facts: Facts { pid, java, command, ..Facts::default() },
            delivered: 0,
            gone: false,
            finished: false,
            enough: Arc::default(),
            stalled_since: None,
            patience: PATIENCE,
        }
    }

    /// What is known about the JVM by now.
    pub fn facts(&self) -> Facts {
        let counts = self.merger.counts;
        let damaged_log = self.merger.damaged.then(|| "a log makes no sense".to_string());
        let untold = self.merger.arena.recording() == Recording::Stopped;
        let untold = untold.then(|| "it did not tell why".to_string());
        Facts {
            threads: counts.threads,
            words: counts.words,
            dropped: counts.dropped,
            broken: counts.broken,
            cut: counts.cut,
            dead: counts.dead,
            events: self.delivered,
            blocks: self.merger.blocks(),
            stopped: self.facts.stopped.clone().or(untold),
            damaged: self.facts.damaged.clone().or(damaged_log),
            ..self.facts.clone()
        }
    }

    /// How long all logs may wait for something that never comes before it is given up (10 s unless said
    /// otherwise): only an agent that is wrong makes them wait for long.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Once this is set, an idle JVM is no longer waited for: the source ends there, although the JVM goes on.
    pub fn leave_when(&mut self, enough: Arc<AtomicBool>) {
        self.enough = enough;
    }

    /// Numbers of variables and locks are used again once their objects are dead and [`Source::take_back`] says that nobody mentions
    /// them any more. Without this, a number has one name for ever, as in a file.
    pub fn use_numbers_again(&mut self) {
        self.merger.objects.stock.ask();
    }

    /// Tells the JVM that nobody reads any more: its program goes on, unrecorded.
    pub fn stop(&self) {
        self.merger.arena.stop();
    }

    /// Takes in all messages that have come; whether there were any.
    fn take_messages(&mut self) -> bool {
        let mut any = false;
        while !self.gone {
            let received = self.inbox.receive();
            loop {
                match self.inbox.next() {
                    Ok(Some(message)) => {
                        any = true;
                        self.learn(message);
                    }
                    Ok(None) => break,
                    Err(error) => return self.damaged(error.to_string()),
                }
            }
            match received {
                Ok(true) => {}
                Ok(false) if self.inbox.at_end() => self.gone = true,
                Ok(false) => break,
                Err(error) => return self.damaged(error.to_string()),
            }
        }
        any
    }

    /// What came makes no sense: nothing more is taken from this JVM.
    fn damaged(&mut self, message: String) -> bool {
        self.stop();
        self.facts.damaged = Some(message);
        self.gone = true;
        true
    }

    fn learn(&mut self, message: Message) {
        let facts = &mut self.facts;
        match message {
            Message::Hello(_) => {}
            Message::Class(class) => {
                facts.sites += class.sites.len() as u64;
                // One without a name only adds sites to classes that were told before.
                if !class.name.is_empty() {
                    facts.classes += 1;
                    facts.methods += class.methods.len() as u64;
                    let atomic = class.methods.iter().filter(|method| method.atomic).count();
                    facts.atomic_methods += atomic as u64;
                }
                self.merger.classes.learn(class);
            }
            Message::Skipped { what, reason } => {
                facts.skipped_count += 1;
                if facts.skipped.len() < Facts::MOST_LISTED {
                    facts.skipped.push(Omission { what, reason });
                }
            }
            Message::Thread { uid, name } => self.merger.threads.learn(uid, name),
            Message::ClassName { number, name } => self.merger.objects.learn_class(number, &name),
            Message::Note { text } => match text.strip_prefix(message::STOPPED) {
                Some(reason) => facts.stopped = Some(reason.to_string()),
                None => {
                    facts.notes_count += 1;
                    if facts.notes.len() < Facts::MOST_LISTED {
                        facts.notes.push(text);
                    }
                }
            },
            Message::Bye { reason } => facts.ended = Some(reason),
        }
    }

    /// Lets every log go on as far as it can; whether any did.
    fn sweep(&mut self) -> bool {
        let before = self.merger.counts.words;
        self.merger.begin_sweep();
        while let Some(need) = self.merger.sweep() {
            // Also where it was told already: other messages may matter to what it means.
            self.take_messages();
            if !self.merger.settle(need) {
                self.merger.postpone();
            }
        }
        self.merger.counts.words > before
    }

    /// No log could go on. Gives up what cannot come; `false`: there is nothing to give up.
    fn unblock(&mut self, gone: bool) -> bool {
        let since = *self.stalled_since.get_or_insert_with(Instant::now);
        // If this happens again and again, the program under test should not crawl.
        let often = self.merger.counts.broken >= 10;
        let patience = if often { self.patience / 100 } else { self.patience };
        self.merger.unblock(gone, since.elapsed() < patience)
    }

    /// Waits for events; `false`: there are no more.
    fn fill(&mut self) -> bool {
        let mut pause = Pause::default();
        while self.merger.out.is_empty() {
            // In this order: whatever was written before the JVM ended is seen by the sweep.
            self.take_messages();
            let gone = self.gone;
            let stopped = self.merger.arena.is_stopped();
            if !stopped && self.sweep() {
                self.stalled_since = None;
                pause = Pause::default();
            } else if stopped || !self.unblock(gone) {
                if gone || self.enough.load(Ordering::Relaxed) {
                    self.discard_if_stopped();
                    return !stopped && self.merger.close_all_runs();
                }
                pause.sleep();
            }
            self.discard_if_stopped();
        }
        true
    }

    /// Once writers are told to stop, by whomever, they write their chunks again and again. What was read
    /// since then may be anything, so it is not used; what was read before is known to be good.
    fn discard_if_stopped(&mut self) {
        let recording = self.merger.arena.recording();
        if recording == Recording::On || self.merger.damaged {
            return;
        }
        self.merger.out.clear();
        // What stops the recorder itself is a limit, and told as such.
        if recording == Recording::Unread {
            let message = "recording was stopped before the JVM ended";
            self.facts.damaged.get_or_insert_with(|| message.to_string());
        }
    }
}

impl Source for Jvm {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.events.clear();
        batch.first = self.delivered;
        if self.delivered + LARGEST_BATCH > Validator::MOST_EVENTS {
            self.stop();
            self.finished = true;
            self.facts.stopped = Some("there are more events than a trace can have".to_string());
        }
        if self.finished || !self.fill() {
            self.finished = true;
            return Ok(false);
        }
        self.merger.hand_over(&mut batch.events);
        self.delivered = batch.end();
        Ok(true)
    }

    fn names(&self) -> &Names {
        &self.merger.names
    }

    fn take_retired(&mut self) -> Retired {
        self.merger.take_retired()
    }

    fn take_back(&mut self, free: Retired) {
        self.merger.take_back(free);
    }

    fn input(&self) -> &str {
        &self.input
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Sleeps that get longer as long as nothing happens.
struct Pause(Duration);

impl Default for Pause {
    fn default() -> Pause {
        Pause(Duration::from_micros(50))
    }
}

impl Pause {
    const LONGEST: Duration = Duration::from_millis(5);

    fn sleep(&mut self) {
        std::thread::sleep(self.0);
        self.0 = (self.0 * 2).min(Pause::LONGEST);
    }
}
