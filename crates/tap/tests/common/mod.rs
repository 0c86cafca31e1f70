//! A JVM made up for tests: logs as the probe writes them, messages as the agent sends them.

#![allow(dead_code, unused_imports)] // Each test uses a part.

mod random;

use interloper_tap::{
    Arena, Class, Connection, Field, Hello, Jvm, Listener, Message, Method, Site, SiteKind, log,
    message,
};
use interloper_trace::{Batch, Event, Names, Source, Validator};
pub use random::Random;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How many cases to try: more if `INTERLOPER_CASES` says so.
pub fn cases(usual: u64) -> u64 {
    let times = std::env::var("INTERLOPER_CASES").ok().and_then(|times| times.parse().ok());
    usual * times.unwrap_or(1)
}

/// A folder of its own, removed in the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "interloper-tap-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("a new folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A JVM that has connected: its end.
pub struct Program {
    pub arena: Arc<Arena>,
    pub connection: Connection,
}

/// Both ends.
pub fn connected(chunks: u32, slots: u32) -> (Program, Jvm) {
    let folder = Folder::new();
    let listener = Listener::bind(&folder.0).expect("bind");
    let arena = Arc::new(Arena::create(chunks, slots).expect("arena"));
    let hello =
        Hello { version: message::VERSION, pid: 7, java: "21".into(), command: "Main".into() };
    let connection = Connection::open(&folder.0, Arc::clone(&arena), hello).expect("open");
    let jvm = listener.accept(Duration::from_secs(5)).expect("accept").expect("a JVM");
    (Program { arena, connection }, jvm)
}

/// Sites of the class that [`Program::tell`] tells of.
pub const READ: u32 = 1;
pub const WRITE: u32 = 2;
pub const VOLATILE_READ: u32 = 3;
pub const VOLATILE_WRITE: u32 = 4;
pub const FINAL_READ: u32 = 5;
pub const STATIC_WRITE: u32 = 6;
pub const ELEMENT_READ: u32 = 7;
pub const ELEMENT_WRITE: u32 = 8;
pub const UPDATE: u32 = 9;
pub const CALL: u32 = 10;
pub const INHERITED_WRITE: u32 = 11;
pub const HIDDEN_WRITE: u32 = 12;
/// Sites from here read elements.
pub const ELEMENT_READS: std::ops::Range<u32> = 20..24;
/// Sites from here read and write fields `f0`, `f1`, …: two a field.
pub const MANY: u32 = 100;
/// How many such fields there are.
pub const FIELDS: u32 = 8;

pub const METHOD: u32 = 1;

fn site(id: u32, kind: SiteKind, owner: &str, member: &str) -> Site {
    Site {
        id,
        kind,
        is_static: id == STATIC_WRITE,
        owner: owner.into(),
        member: member.into(),
        method: METHOD,
        line: 10 + id,
    }
}

fn field(name: &str, access: u16) -> Field {
    Field { name: name.into(), access }
}

/// A class with a site of each kind, and its super class.
fn classes() -> [Class; 2] {
    use SiteKind::*;
    let base = Class {
        name: "com/acme/Base".into(),
        super_name: "java/lang/Object".into(),
        fields: vec![field("balance", 0), field("flag", message::VOLATILE)],
        ..Class::default()
    };
    let mut sites = vec![
        site(READ, Read, "com/acme/Account", "balance"),
        site(WRITE, Write, "com/acme/Account", "balance"),
        site(VOLATILE_READ, Read, "com/acme/Account", "flag"),
        site(VOLATILE_WRITE, Write, "com/acme/Account", "flag"),
        site(FINAL_READ, Read, "com/acme/Account", "owner"),
        site(STATIC_WRITE, Write, "com/acme/Account", "total"),
        site(ELEMENT_READ, ElementRead, "", ""),
        site(ELEMENT_WRITE, ElementWrite, "", ""),
        site(UPDATE, Update, "java/util/concurrent/atomic/AtomicInteger", "value"),
        site(CALL, Call, "", ""),
        site(INHERITED_WRITE, Write, "com/acme/Base", "flag"),
        site(HIDDEN_WRITE, Write, "com/acme/Base", "balance"),
    ];
    sites.extend(ELEMENT_READS.map(|id| site(id, ElementRead, "", "")));
    for number in 0..FIELDS {
        let name = format!("f{number}");
        sites.push(site(MANY + 2 * number, Read, "com/acme/Account", &name));
        sites.push(site(MANY + 2 * number + 1, Write, "com/acme/Account", &name));
    }
    let method =
        Method { id: METHOD, label: "com.acme.Account.withdraw".into(), atomic: true, line: 9 };
    let account = Class {
        name: "com/acme/Account".into(),
        super_name: "com/acme/Base".into(),
        source: Some("Account.java".into()),
        fields: vec![
            field("balance", 0),
            field("owner", message::FINAL),
            field("total", message::STATIC),
        ],
        methods: vec![method],
        sites,
    };
    [base, account]
}

pub const ACCOUNT: u32 = 1;
pub const DOUBLES: u32 = 2;
pub const LATCH: u32 = 3;

impl Program {
    /// Tells of classes and of so many threads, `t0`, `t1`, ….
    pub fn tell(&self, threads: u32) {
        for class in classes() {
            self.connection.send(&Message::Class(class));
        }
        let names = [(ACCOUNT, "com.acme.Account"), (DOUBLES, "[D"), (LATCH, "a.CountDownLatch")];
        for (number, name) in names {
            self.connection.send(&Message::ClassName { number, name: name.into() });
        }
        for uid in 0..threads {
            self.connection.send(&Message::Thread { uid, name: format!("t{uid}") });
        }
    }

    pub fn log(&self, slot: u32) -> Log {
        Log::new(Arc::clone(&self.arena), slot)
    }

    /// The JVM ends in good order.
    pub fn end(self) {
        self.connection.send(&Message::Bye { reason: "done".into() });
    }
}

/// The log of a slot, as the probe writes it.
pub struct Log {
    arena: Arc<Arena>,
    pub slot: u32,
    chunk: Option<u32>,
    index: usize,
    pub position: u64,
    /// Nothing is written from this position on, as if the JVM had been killed.
    pub cut: u64,
}

impl Log {
    fn new(arena: Arc<Arena>, slot: u32) -> Log {
        Log { arena, slot, chunk: None, index: 0, position: 0, cut: u64::MAX }
    }

    fn store(&mut self, index: usize, word: u64) {
        if let Some(words) = self.chunk.and_then(|chunk| self.arena.chunk(chunk))
            && self.position < self.cut
        {
            words[index].store(word, Ordering::Release);
        }
    }

    fn take_chunk(&self) -> u32 {
        loop {
            if let Some(chunk) = self.arena.take_chunk() {
                return chunk;
            }
            std::thread::sleep(Duration::from_micros(20));
        }
    }

    /// Room for an entry of so many words and a `NEXT`.
    fn make_room(&mut self, length: usize) {
        if self.chunk.is_none() {
            let chunk = self.take_chunk();
            self.chunk = Some(chunk);
            self.arena.begin_slot(self.slot, chunk);
        }
        if self.index + length + 1 > Arena::CHUNK_WORDS {
            let chunk = self.take_chunk();
            self.store(self.index, log::word(log::NEXT, 0, chunk));
            (self.chunk, self.index) = (Some(chunk), 0);
            self.position += 1;
        }
    }

    pub fn one(&mut self, tag: u8, site: u32, id: u32) {
        self.make_room(1);
        self.store(self.index, log::word(tag, site, id));
        self.index += 1;
        self.position += 1;
    }

    pub fn two(&mut self, tag: u8, site: u32, id: u32, second: u64) {
        self.make_room(2);
        self.store(self.index + 1, second);
        self.store(self.index, log::word(tag, site, id));
        self.index += 2;
        self.position += 2;
    }

    /// Where the word is that was written last; to be used as long as the log is in the same chunk.
    pub fn last_word(&self) -> usize {
        self.index - 1 + self.chunk.unwrap_or(0) as usize * Arena::CHUNK_WORDS
    }

    /// Writes a word once more.
    pub fn set(&mut self, at: usize, word: u64) {
        if let Some(words) = self.arena.chunk((at / Arena::CHUNK_WORDS) as u32) {
            words[at % Arena::CHUNK_WORDS].store(word, Ordering::Release);
        }
    }

    pub fn raw(&mut self, word: u64) {
        self.make_room(1);
        self.store(self.index, word);
        self.index += 1;
        self.position += 1;
    }

    pub fn edge(&mut self, to: &Log) {
        self.two(log::EDGE, 0, to.slot, to.position);
    }
}

/// All events of a JVM, one for each variable; the validator has to accept them.
pub fn events(jvm: &mut Jvm) -> Vec<Event> {
    let mut validator = Validator::new(false);
    let (mut batch, mut all) = (Batch::default(), Vec::new());
    while jvm.next_batch(&mut batch).expect("no error") {
        assert_eq!(batch.first, all.len() as u64);
        assert!(!batch.events.is_empty() && batch.events.len() <= Batch::SIZE);
        all.extend(batch.events.iter().flat_map(|event| event.singles()));
        if let Err((position, disorder)) = validator.check(&mut batch, jvm.names()) {
            panic!("event {position}: {disorder}");
        }
        // Nothing, unless somebody has asked for it.
        let retired = jvm.take_retired();
        jvm.take_back(retired);
    }
    all
}

/// Events without their locations: `t0|w(Account#1.balance)`.
pub fn lines(names: &Names, events: &[Event]) -> Vec<String> {
    let short = |event: &Event| {
        let line = names.line(event);
        line.rsplit_once('|').map_or(line.clone(), |(start, _)| start.to_string())
    };
    events.iter().map(short).collect()
}
