//! What the agent knows in one JVM: made once in `Agent_OnLoad`, used by all threads, never given back.

use crate::book::Book;
use crate::frame::{Frame, Global, Local};
use crate::probe::{Defined, Probe};
use crate::site_words::SiteWords;
use crate::sites::Sites;
use interloper_tap::message::{Class, Message, Site, SiteKind};
use interloper_tap::{Arena, Connection};
use interloper_weave::{Arrays, MET, Pattern, Weaver};
use jvmti_bindings::prelude::{Jvmti, jvmti};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

/// What the probe asks for when it starts, numbered as in `InterloperNative`.
pub mod setting {
    pub const ARENA: i32 = 0;
    pub const CHUNK_WORDS: i32 = 1;
    pub const CHUNKS: i32 = 2;
    pub const SLOTS: i32 = 3;
    pub const SLOT_TABLE: i32 = 4;
    pub const RING: i32 = 5;
    pub const CHUNK_AREA: i32 = 6;
    pub const SITES: i32 = 7;
    pub const LOG: i32 = 8;
    pub const ARRAY_CUTOFF: i32 = 9;
    pub const ALL_ACCESSES: i32 = 10;
    pub const LEAVES: i32 = 11;
    pub const REPETITIONS: i32 = 12;
}

static SESSION: OnceLock<Session> = OnceLock::new();

/// The session, once the agent is loaded.
pub fn current() -> Option<&'static Session> {
    SESSION.get()
}

/// Makes this the session. There is one a JVM: a later one is not kept.
pub fn begin(session: Session) {
    let _ = SESSION.set(session);
}

/// Adds lines to a file in the folder of a run, to which other JVMs may add at the same time.
pub fn leave(folder: &Path, name: &str, lines: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join(name))?;
    file.write_all(format!("{lines}\n").as_bytes())
}

/// Everything that events and native methods share.
pub struct Session {
    /// Puts probes into classes.
    pub weaver: Weaver,
    /// The fields of the sites.
    pub sites: Sites,
    /// Which classes have the state field.
    pub book: Book,
    jvmti: usize,
    /// The folder of the run.
    folder: PathBuf,
    connection: Connection,
    last_thread: Mutex<Option<Message>>,
    site_words: SiteWords,
    defined: Mutex<Option<Defined>>,
    probe: OnceLock<Probe>,
    platform_loader: OnceLock<Global>,
    /// The thread that ends the JVM.
    ended_by: OnceLock<ThreadId>,
}

impl Session {
    /// A session in which nothing has happened yet.
    pub fn new(
        jvmti: &Jvmti,
        folder: &Path,
        weaver: Weaver,
        connection: Connection,
        site_words: SiteWords,
    ) -> Self {
        Self {
            weaver,
            sites: Sites::default(),
            book: Book::default(),
            jvmti: jvmti.raw() as usize,
            folder: folder.to_owned(),
            connection,
            last_thread: Mutex::new(None),
            site_words,
            defined: Mutex::new(None),
            probe: OnceLock::new(),
            platform_loader: OnceLock::new(),
            ended_by: OnceLock::new(),
        }
    }

    /// The JVMTI environment: it may be used by any thread that belongs to the JVM.
    pub fn jvmti(&self) -> Jvmti {
        // SAFETY: the environment was valid when the session was made and is never disposed of.
        unsafe { Jvmti::from_raw(self.jvmti as *mut jvmti::jvmtiEnv) }
    }

    /// The probe, once it can be called.
    pub fn probe(&self) -> Option<&Probe> {
        self.probe.get()
    }

    /// Keeps the defined probe until the JVM can run it.
    pub fn keep_defined(&self, defined: Defined) {
        *self.defined.lock().unwrap_or_else(PoisonError::into_inner) = Some(defined);
    }

    /// The defined probe, once.
    pub fn take_defined(&self) -> Option<Defined> {
        self.defined.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The probe can be called from now on.
    pub fn keep_probe(&self, probe: Probe) {
        let _ = self.probe.set(probe);
    }

    /// Remembers the loader of the JDK's outer modules.
    pub fn keep_platform_loader(&self, loader: Global) {
        let _ = self.platform_loader.set(loader);
    }

    /// Whether classes of this loader belong to the JDK.
    pub fn is_of_jdk<'f>(&self, frame: &Frame<'f>, loader: Option<Local<'f>>) -> bool {
        match (loader, self.platform_loader.get()) {
            (None, _) | (_, None) => true,
            (Some(loader), Some(platform)) => frame.is(loader, platform),
        }
    }

    /// Whether classes of this loader belong to a build tool: Maven gives itself and its plugins loaders of their own, with the libraries
    /// they use, which may be the application's, too.
    pub fn is_of_build_tool<'f>(frame: &Frame<'f>, loader: Option<Local<'f>>) -> bool {
        const REALM: &str = "Lorg/codehaus/plexus/classworlds/realm/ClassRealm;";
        let class = loader.and_then(|loader| frame.class_of(loader));
        class.and_then(|class| frame.signature(class)).is_some_and(|it| it == REALM)
    }

    /// Whether a class that was not seen yet will get probes, as far as its name tells.
    pub fn expects_woven(&self, name: &str) -> bool {
        let jdk = ["java/", "javax/", "jdk/", "sun/"];
        self.weaver.config().wants(name, jdk.iter().any(|package| name.starts_with(package)))
    }

    /// One of the numbers the probe asks for when it starts ([`setting`]).
    pub fn setting(&self, what: i32) -> Option<i64> {
        let config = self.weaver.config();
        let arena = self.connection.arena();
        let value = match what {
            setting::ARENA => arena.base() as i64,
            setting::CHUNK_WORDS => Arena::CHUNK_WORDS as i64,
            setting::CHUNKS => i64::from(arena.chunks()),
            setting::SLOTS => i64::from(arena.slots()),
            setting::SLOT_TABLE => Arena::AT_SLOTS as i64,
            setting::RING => arena.ring_offset() as i64,
            setting::CHUNK_AREA => arena.data_offset() as i64,
            setting::SITES => self.site_words.address() as i64,
            setting::LOG => i64::from(config.log),
            setting::ARRAY_CUTOFF => match config.arrays {
                Arrays::On => i64::from(i32::MAX),
                Arrays::Off => 0,
                Arrays::Below(end) => i64::from(end.min(i32::MAX as u32)),
            },
            setting::ALL_ACCESSES => i64::from(config.all_accesses),
            setting::LEAVES => self.site_words.leaves() as i64,
            setting::REPETITIONS => i64::from(config.repetitions),
            _ => return None,
        };
        Some(value)
    }

    /// Sends a message. If nobody takes it, nobody reads the logs either: the connection stops the
    /// recording.
    pub fn send(&self, message: &Message) {
        if !self.connection.send(message) {
            self.connection
                .send(&Message::Note { text: "a message was too long to be sent".to_owned() });
        }
    }

    /// Names a thread.
    pub fn name_thread(&self, uid: u32, name: String) {
        let message = Message::Thread { uid, name };
        self.send(&message);
        *self.last_thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
    }

    /// Stops recording if the reader is gone: that shows when something is sent, so the last
    /// thread's name is said once more, which changes nothing for a reader that is there.
    pub fn stop_if_deserted(&self) {
        if let Some(message) = &*self.last_thread.lock().unwrap_or_else(PoisonError::into_inner) {
            self.send(message);
        }
    }

    /// Tells the reader of a woven class, before any of its code can run.
    pub fn describe(&self, class: Class, leaves: &[u32], skipped: Vec<(String, String)>) {
        for site in class.sites.iter().filter(|site| leaves.binary_search(&site.method).is_ok()) {
            self.site_words.set_leaf(site.id, site.method);
        }
        self.sites.add(class.sites.iter().filter_map(field));
        self.send(&Message::Class(class));
        for (what, reason) in skipped {
            self.skipped(&what, &reason);
        }
    }

    /// Says so if the user has asked for a class that cannot carry probes.
    pub fn explain_refusal(&self, name: &str) {
        let config = self.weaver.config();
        let among = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(name));
        if among(&config.include) && !among(&config.exclude) {
            self.skipped(name, "the probe itself depends on this class");
        }
    }

    /// Something that the report should say.
    pub fn note(&self, text: String) {
        self.send(&Message::Note { text });
    }

    /// Something was left as it was. If the user has asked for that very class, it is not one among many.
    pub fn skipped(&self, what: &str, reason: &str) {
        let what = what.replace('/', ".");
        if self.weaver.config().include.iter().any(|pattern| pattern.names(&what)) {
            self.note(format!("{what} was asked for, but it is not instrumented: {reason}"));
        }
        self.send(&Message::Skipped { what, reason: reason.to_owned() });
    }

    /// Adds what was newly met of the settings to a file in the folder of the run. All JVMs of a program write to the same
    /// file, as a name counts as met if any of them has met it.
    pub fn tell_met(&self) {
        let met = self.weaver.newly_met();
        if met.is_empty() {
            return;
        }
        // If it cannot be written, the user is told that a name was not met, and that is all.
        let _ = leave(&self.folder, MET, &met.join("\n"));
    }

    /// The probe cannot work in this JVM: the program goes on unwatched, and both sides are told.
    pub fn give_up(&self, problem: &str) {
        eprintln!("interloper: this JVM is not checked: {problem}");
        self.note(format!("not checked: {problem}"));
        self.connection.arena().stop();
    }

    /// Whether the JVM has ended and this thread still runs: of what it does from now on nobody is to know, because the JVM
    /// tells the agent nothing any more.
    pub fn is_over(&self) -> bool {
        self.ended_by.get().is_some_and(|by| *by != thread::current().id())
    }

    /// The JVM ends.
    pub fn bye(&self) {
        let _ = self.ended_by.set(thread::current().id());
        self.send(&Message::Bye { reason: "the JVM ended".to_owned() });
    }
}

/// The field a site names (id, owner, member), if the probe may have to find it.
fn field(site: &Site) -> Option<(u32, &str, &str)> {
    let is_field = matches!(site.kind, SiteKind::Read | SiteKind::Write);
    is_field.then_some((site.id, site.owner.as_str(), site.member.as_str()))
}
