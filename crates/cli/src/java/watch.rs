//! Runs a program, and gives each JVM that it starts to somebody to watch.

use super::signals::Signals;
use super::{launch, library, unmet};
use crate::failure::Failure;
use interloper_tap::{Jvm, Listener, TapError, UNWATCHED};
use interloper_trace::{Batch, Names, Retired, Source, TraceError};
use interloper_weave::{Config, MET};
use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long it takes at most to notice that the program has ended.
const NAP: Duration = Duration::from_millis(10);
/// How long what the program has left behind may take to become a JVM, or to start one.
const SETTLING: Duration = Duration::from_secs(1);
/// How often to look for that.
const LOOK: Duration = Duration::from_millis(50);
/// How long a JVM that is to be watched no longer may take to let go.
const PARTING: Duration = Duration::from_secs(2);
/// How many JVMs that were not watched are named.
const MOST_UNWATCHED: usize = 10;
/// Addresses of sockets are short; the rest is for what is in the folder.
const LONGEST_FOLDER: usize = 80;

/// What to run, and how.
pub struct Watch {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// How long JVMs that outlive the program are watched.
    pub linger: Duration,
    /// Who gets the signals.
    pub signals: Signals,
}

/// What came of it.
pub struct Watched<T> {
    /// How the program ended.
    pub status: ExitStatus,
    /// What those say who watched, in the order in which the JVMs started.
    pub jvms: Vec<T>,
    /// How many more there were, of which nothing is known in the end.
    pub lost: usize,
    /// What else there is to say.
    pub warnings: Vec<String>,
    /// Whether there may have been a JVM that nobody watched: it could not be taken in, or could not be instrumented.
    pub unwatched: bool,
    /// What of the settings JVMs have met: lines of the configuration.
    pub met: String,
}

impl<T> Watched<T> {
    /// Adds what JVMs have left in the folder of the run that were not watched.
    fn add_unwatched(&mut self, folder: &Path) {
        // no such file: there was none
        let told = std::fs::read_to_string(folder.join(UNWATCHED)).unwrap_or_default();
        let mut lines = told.lines();
        self.unwatched |= !told.is_empty();
        self.warnings.extend(lines.by_ref().take(MOST_UNWATCHED).map(str::to_string));
        let more = lines.count();
        if more > 0 {
            self.warnings.push(format!("{more} more were not checked"));
        }
    }

    /// What there is to say of names that the user gave and no JVM has met; nothing if there was no JVM.
    pub fn unmet(&self, config: &Config) -> Vec<String> {
        if self.jvms.is_empty() { vec![] } else { unmet::warnings(config, &self.met) }
    }
}

impl Watch {
    /// Runs the program with its JVMs under an agent that is told `config`. Each JVM is given to `each`, in a thread of
    /// its own.
    pub fn run<T, F>(&self, config: &Config, each: F) -> Result<Watched<T>, Failure>
    where
        T: Send + 'static,
        F: Fn(Tapped) -> T + Send + Sync + 'static,
    {
        let waiting = |error| Failure::Usage(format!("waiting: {error}"));
        self.signals.install().map_err(waiting)?;
        let folder = run_folder()?;
        let path = folder.path();
        self.signals.ends_with_us(path);
        let config_file = path.join("config");
        std::fs::write(&config_file, config.to_text())
            .map_err(|error| Failure::output(&config_file, error))?;
        let library = library::unpack(path)?;
        let listener = Listener::bind(path)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
        let start = || launch::start(&self.command, &library, path);
        let mut child = self.signals.start(start)?;
        let reception = Reception::open(listener, Arc::new(each));
        let status = self.signals.wait(&mut child);
        let ended = Instant::now();
        self.stay(path, ended);
        let (guests, warnings, unwatched) = reception.close();
        let (status, met) = (status.map_err(waiting)?, String::new());
        let mut watched = Watched { status, jvms: vec![], lost: 0, warnings, unwatched, met };
        self.collect(guests, ended, &mut watched);
        watched.add_unwatched(path);
        // no such file: nothing was met
        watched.met = std::fs::read_to_string(path.join(MET)).unwrap_or_default();
        Ok(watched)
    }

    /// Waits while there may be JVMs to come: a script may end before the JVM that it leaves behind has loaded the agent.
    fn stay(&self, folder: &Path, ended: Instant) {
        while !self.signals.hurried() {
            let patience = match left_behind(folder) {
                Some(LeftBehind::Java) => self.linger,
                Some(LeftBehind::Other) => self.linger.min(SETTLING),
                None => return,
            };
            if ended.elapsed() >= patience {
                return;
            }
            thread::sleep(LOOK);
        }
    }

    /// Waits for those who watch; for JVMs that go on for too long only until they let go.
    fn collect<T>(&self, mut guests: Guests<T>, ended: Instant, watched: &mut Watched<T>) {
        let mut over = None;
        let mut jvms: Vec<(usize, T)> = vec![];
        while jvms.len() < guests.list.len() {
            match guests.results.recv_timeout(NAP) {
                Ok((number, result)) => {
                    guests.list[number].done = true;
                    jvms.push((number, result));
                }
                Err(RecvTimeoutError::Timeout)
                    if ended.elapsed() < self.linger && !self.signals.hurried() => {}
                Err(RecvTimeoutError::Timeout) => {
                    let over = over.get_or_insert_with(Instant::now);
                    let going = guests.list.iter().filter(|guest| !guest.done && guest.is_alive());
                    going.for_each(|guest| guest.enough.store(true, Ordering::Relaxed));
                    let late = over.elapsed() > PARTING;
                    if late && guests.list.iter().all(|guest| guest.done || guest.is_alive()) {
                        break;
                    }
                }
                // Somebody who watched is gone without a word; the panic was told.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        for guest in &guests.list {
            let pid = guest.pid;
            if !guest.done {
                watched.lost += 1;
                let what = "what it did is not part of this";
                watched
                    .warnings
                    .push(format!("process {pid} could not be watched to its end: {what}"));
            } else if guest.enough.load(Ordering::Relaxed) {
                let how_long = match self.signals.hurried() {
                    true => "until a signal came".to_string(),
                    false => format!("for {} s more; --linger changes that", self.linger.as_secs()),
                };
                let outlives = "outlives the program and was watched";
                watched.warnings.push(format!("process {pid} {outlives} {how_long}"));
            }
        }
        jvms.sort_by_key(|(number, _)| *number);
        watched.jvms = jvms.into_iter().map(|(_, result)| result).collect();
    }
}

/// The folder of a run, for the user only. It goes when this is dropped.
fn run_folder() -> Result<TempDir, Failure> {
    let fits =
        |path: &PathBuf| path.as_os_str().len() <= LONGEST_FOLDER && launch::can_be_told(path);
    let place = Some(std::env::temp_dir()).filter(fits).unwrap_or(PathBuf::from("/tmp"));
    let private = Permissions::from_mode(0o700);
    let folder =
        tempfile::Builder::new().prefix("interloper-").permissions(private).tempdir_in(&place);
    folder.map_err(|error| {
        let place = place.display();
        Failure::Usage(format!("{place}, for temporary files (TMPDIR names another): {error}"))
    })
}

/// What a program has left behind.
enum LeftBehind {
    /// A `java`, be it watched or not.
    Java,
    /// Something that may become one, or start one.
    Other,
}

/// What runs and was told to load the agent by its environment. What cannot be looked at is not ours.
fn left_behind(folder: &Path) -> Option<LeftBehind> {
    let told = |process: &PathBuf| {
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        let folder = folder.as_os_str().as_bytes();
        environment.windows(folder.len()).any(|part| part == folder)
    };
    let is_java = |process: &PathBuf| {
        let program = std::fs::read_link(process.join("exe")).unwrap_or_default();
        program.file_name().is_some_and(|name| name == "java")
    };
    let mut left = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(told)
        .peekable();
    left.peek()?;
    Some(if left.any(|process| is_java(&process)) { LeftBehind::Java } else { LeftBehind::Other })
}

/// A JVM that is watched.
struct Guest {
    pid: u32,
    /// Whether it is to be watched no longer.
    enough: Arc<AtomicBool>,
    done: bool,
}

impl Guest {
    fn is_alive(&self) -> bool {
        Path::new("/proc").join(self.pid.to_string()).exists()
    }
}

struct Guests<T> {
    list: Vec<Guest>,
    results: Receiver<(usize, T)>,
}

/// Who came, what there is to say of it, and whether somebody may have been sent away.
type Received = (Vec<Guest>, Vec<String>, bool);

/// Takes JVMs in while the program runs.
struct Reception<T> {
    closing: Arc<AtomicBool>,
    thread: thread::JoinHandle<Received>,
    results: Receiver<(usize, T)>,
}

impl<T: Send + 'static> Reception<T> {
    fn open<F>(listener: Listener, each: Arc<F>) -> Reception<T>
    where
        F: Fn(Tapped) -> T + Send + Sync + 'static,
    {
        let closing = Arc::new(AtomicBool::new(false));
        let (sender, results) = channel();
        let until = closing.clone();
        let thread = thread::spawn(move || receive(listener, &until, &sender, &each));
        Reception { closing, thread, results }
    }

    /// Takes in who is at the door, and closes it.
    fn close(self) -> (Guests<T>, Vec<String>, bool) {
        self.closing.store(true, Ordering::Relaxed);
        let (list, warnings, unwatched) = self.thread.join().unwrap_or_default();
        (Guests { list, results: self.results }, warnings, unwatched)
    }
}

/// Until the program has ended. If nobody can be let in for long, the door is closed: whoever waits at it goes on unwatched.
fn receive<T, F>(
    listener: Listener,
    closing: &AtomicBool,
    sender: &Sender<(usize, T)>,
    each: &Arc<F>,
) -> Received
where
    T: Send + 'static,
    F: Fn(Tapped) -> T + Send + Sync + 'static,
{
    let (mut guests, mut warnings) = (vec![], vec![]);
    let mut closed_since = None;
    loop {
        // asked before looking: who has come by then is taken in
        let last = closing.load(Ordering::Relaxed);
        match listener.accept(if last { Duration::ZERO } else { NAP }) {
            Ok(Some(mut jvm)) => {
                closed_since = None;
                let enough = Arc::new(AtomicBool::new(false));
                jvm.leave_when(enough.clone());
                let number = guests.len();
                guests.push(Guest { pid: jvm.facts().pid, enough: enough.clone(), done: false });
                let (each, sender) = (each.clone(), sender.clone());
                thread::spawn(move || {
                    let result = each(Tapped { jvm, enough });
                    // nobody waits for it any more only if we are about to end
                    let _ = sender.send((number, result));
                });
            }
            Ok(None) if last => return (guests, warnings, false),
            Ok(None) => closed_since = None,
            Err(error @ TapError::Closed(_)) => {
                let since = *closed_since.get_or_insert_with(Instant::now);
                if since.elapsed() > PARTING {
                    warnings.push(error.to_string());
                    return (guests, warnings, true);
                }
                thread::sleep(NAP);
            }
            Err(error) => warnings.push(error.to_string()),
        }
    }
}

/// A JVM as a source of events, until it ends or has been watched for long enough.
pub struct Tapped {
    /// The JVM.
    pub jvm: Jvm,
    enough: Arc<AtomicBool>,
}

impl Tapped {
    /// Whether it was watched to its end.
    pub fn is_cut_short(&self) -> bool {
        self.enough.load(Ordering::Relaxed)
    }
}

impl Source for &mut Tapped {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        if self.is_cut_short() {
            batch.events.clear();
            return Ok(false);
        }
        self.jvm.next_batch(batch)
    }

    fn names(&self) -> &Names {
        self.jvm.names()
    }

    fn take_retired(&mut self) -> Retired {
        self.jvm.take_retired()
    }

    fn take_back(&mut self, free: Retired) {
        self.jvm.take_back(free);
    }

    fn input(&self) -> &str {
        self.jvm.input()
    }
}
