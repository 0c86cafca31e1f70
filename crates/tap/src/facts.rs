//! What a report says about a JVM that was watched.

/// Something that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// What.
    pub what: String,
    /// Why.
    pub reason: String,
}

/// What is known about a JVM and about what came from it, at some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The process id.
    pub pid: u32,
    /// Which Java.
    pub java: String,
    /// The command line.
    pub command: String,
    /// Classes instrumented.
    pub classes: u64,
    /// Their methods that have probes.
    pub methods: u64,
    /// Those of them that are atomic blocks.
    pub atomic_methods: u64,
    /// Places with a probe.
    pub sites: u64,
    /// What was left out, at most [`Facts::MOST_LISTED`].
    pub skipped: Vec<Omission>,
    /// How much was left out.
    pub skipped_count: u64,
    /// What the agent wants a report to say, at most [`Facts::MOST_LISTED`].
    pub notes: Vec<String>,
    /// How many notes there were.
    pub notes_count: u64,
    /// Threads that wrote a log.
    pub threads: u64,
    /// Atomic blocks begun, whether logged or not.
    pub blocks: u64,
    /// Words read from the logs.
    pub words: u64,
    /// Events made of them.
    pub events: u64,
    /// Entries that no valid trace could hold and that were left out, such as the release of a lock that
    /// was never seen to be acquired.
    pub dropped: u64,
    /// Orders demanded by the logs that could not be kept, and names that never came: not 0 only if the
    /// agent is wrong.
    pub broken: u64,
    /// Logs whose end was lost because the JVM was killed.
    pub cut: u64,
    /// Objects that are dead and were forgotten.
    pub dead: u64,
    /// Why the JVM ended; `None` if it did not say goodbye.
    pub ended: Option<String>,
    /// Why the recorder has stopped in the middle of the run: it came to a limit. What is here is what came before.
    pub stopped: Option<String>,
    /// Something unreadable came from the JVM, or somebody else stopped recording: what is here is what came before.
    pub damaged: Option<String>,
}

impl Facts {
    /// The most entries that lists of skipped things and notes have.
    pub const MOST_LISTED: usize = 1000;

    /// Whether the JVM was killed, or something went wrong, before its end.
    pub fn is_cut_off(&self) -> bool {
        self.ended.is_none() || self.cut > 0 || self.stopped.is_some() || self.damaged.is_some()
    }
}
