//! Running the command, and traces to run it on.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A lost update: T0's block reads and writes `x`, and T1 writes it in between.
pub const LOST_UPDATE: &str = "\
T0|begin(withdraw)|Account.java:11
T0|r(x)|Account.java:12
T1|w(x)|Account.java:14
T0|w(x)|Account.java:15
T0|end|Account.java:16
";

/// Two blocks, one after the other.
pub const SERIAL: &str = "T0|begin|1\nT0|w(x)|2\nT0|end|3\nT1|begin|1\nT1|w(x)|2\nT1|end|3\n";

/// A trace that no program can make: its third line releases a lock that nobody holds.
pub const BAD: &str = "T0|begin|1\nT0|w(x)|2\nT0|rel(m)|3\n";

/// The engines that say exactly the same.
pub const EXACT: &str = "frontier,velodrome,velodrome-unmerged";

/// What a run of the command left behind.
#[derive(Debug)]
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Outcome {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// The command, not yet started, free of what the environment may say about colours and widths.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.args(args).stdin(Stdio::null()).env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// Runs the command.
pub fn interloper(args: &[&str]) -> Outcome {
    run(command(args))
}

/// Runs a command.
pub fn run(mut command: Command) -> Outcome {
    let output = command.output().expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Outcome {
        code: output.status.code().expect("no signal ends the command"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Runs the command with `input` as its standard input.
pub fn fed(args: &[&str], input: &[u8]) -> Outcome {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(input).expect("the input is written");
    std::io::Seek::rewind(&mut file).expect("the input is rewound");
    let mut command = command(args);
    command.stdin(file);
    run(command)
}

/// A folder of its own for each test.
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub fn new() -> Scratch {
        Scratch { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file in the folder, there or not.
    pub fn at(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("a path in UTF-8").to_string()
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        fs::write(self.folder.path().join(name), contents).expect("the file is written");
        self.at(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).expect("the file is there")
    }

    /// The names of everything in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        names_in(self.folder.path())
    }
}

/// The names of everything in a folder, in order.
pub fn names_in(folder: &Path) -> Vec<String> {
    let name = |path: PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut names: Vec<String> =
        entries.map(|entry| name(entry.expect("an entry").path())).collect();
    names.sort();
    names
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("memory takes everything")
}

/// A generated trace in text.
pub fn generated(options: &[&str]) -> String {
    let args = [&["trace", "generate"], options].concat();
    interloper(&args).exits(0).stdout
}
