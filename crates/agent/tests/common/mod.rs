//! What the tests of the agent share: JDKs, a small program for each, and runs of it that are
//! listened to.
#![allow(dead_code)]

use crate::wire::{Entry, Failure, Wire, entries};
use interloper_tap::message::{Class, Message};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use tempfile::TempDir;

/// The JDKs on this machine that have a compiler.
pub fn jdks() -> Vec<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .chain(installed.map(|entry| entry.path()))
        .filter_map(|home| home.canonicalize().ok())
        .filter(|home| home.join("bin/javac").exists())
        .collect();
    homes.sort();
    homes.dedup();
    if homes.is_empty() {
        eprintln!("\n==== SKIPPED: no JDK under JAVA_HOME or /usr/lib/jvm ====\n");
    }
    homes
}

/// The agent. Cargo does not build a library that tests cannot link, so this does, once.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--package", "interloper-agent", "--lib", "--message-format", "json"]);
        let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo starts");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut files = told.split('"').filter(|text| text.ends_with("/libinterloper_agent.so"));
        files.next_back().expect("cargo names the library").into()
    })
}

/// A compiled program and a run folder.
pub struct Program {
    jdk: PathBuf,
    folder: TempDir,
}

/// What was heard of one JVM.
#[derive(Default)]
pub struct Heard {
    /// All messages, in order.
    pub messages: Vec<Message>,
    /// All logs, by slot.
    pub logs: Vec<Vec<Entry>>,
}

impl Program {
    /// Compiles the one source file, whose main class is `Main`, and writes the configuration.
    pub fn new(jdk: &Path, source: &str, config: &str) -> Program {
        eprintln!("with {}", jdk.display());
        let folder = TempDir::new().expect("a folder");
        let program = Program { jdk: jdk.to_owned(), folder };
        std::fs::write(program.path("Main.java"), source).expect("written");
        std::fs::create_dir(program.path("run")).expect("made");
        std::fs::write(program.path("run/config"), config).expect("written");
        program.tool("javac", &["-g", "-d", ".", "Main.java"]);
        program
    }

    /// A file of the program's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a tool of the JDK, which must succeed.
    pub fn tool(&self, name: &str, arguments: &[&str]) {
        let mut command = Command::new(self.jdk.join("bin").join(name));
        let output = command.args(arguments).current_dir(&self.folder).output().expect("starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// The command that runs the program with the agent.
    pub fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(self.jdk.join("bin/java"));
        let run = self.path("run");
        command.arg(format!("-agentpath:{}={}", library().display(), run.display()));
        command.args(options).args(["-Xverify:all", "-cp", ".", "Main"]).current_dir(&self.folder);
        command.env_remove("JAVA_TOOL_OPTIONS");
        command
    }

    /// Runs the program and listens to all JVMs that connect. Returns what it printed.
    pub fn run(&self, options: &[&str]) -> (String, Vec<Heard>) {
        let ear = Ear::new(&self.path("run"));
        let output = self.command(options).output().expect("java starts");
        (success(&output), ear.heard())
    }
}

/// What a run that succeeded has printed.
pub fn success(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {stderr}", output.status);
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Listens in a run folder.
struct Ear {
    wires: Arc<Mutex<Vec<Hearing>>>,
}

/// A JVM that is listened to.
type Hearing = JoinHandle<Result<Heard, Failure>>;

impl Ear {
    fn new(folder: &Path) -> Ear {
        let listener = UnixListener::bind(folder.join("socket")).expect("bound");
        let ear = Ear { wires: Arc::default() };
        let wires = Arc::clone(&ear.wires);
        // The thread waits for more JVMs until the test process ends.
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                wires
                    .lock()
                    .expect("whole")
                    .push(std::thread::spawn(move || hear(Wire::greet(stream)?)));
            }
        });
        ear
    }

    fn heard(&self) -> Vec<Heard> {
        let wires: Vec<_> = self.wires.lock().expect("whole").drain(..).collect();
        wires.into_iter().map(|wire| wire.join().expect("no panic").expect("heard")).collect()
    }
}

fn hear(mut wire: Wire) -> Result<Heard, Failure> {
    let mut heard = Heard::default();
    while let Some(message) = wire.message()? {
        heard.messages.push(message);
    }
    heard.logs = (0..wire.arena.slots()).map(|slot| entries(&wire.arena, slot)).collect();
    Ok(heard)
}

impl Heard {
    /// The description of a class.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.messages.iter().find_map(|message| match message {
            Message::Class(class) if class.name == name => Some(class),
            _ => None,
        })
    }

    /// The names of all threads that were told.
    pub fn threads(&self) -> Vec<&str> {
        let names = self.messages.iter().filter_map(|message| match message {
            Message::Thread { name, .. } => Some(name.as_str()),
            _ => None,
        });
        names.collect()
    }

    /// All notes.
    pub fn notes(&self) -> Vec<&str> {
        let notes = self.messages.iter().filter_map(|message| match message {
            Message::Note { text } => Some(text.as_str()),
            _ => None,
        });
        notes.collect()
    }

    /// All entries of all logs.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.logs.iter().flatten()
    }
}
