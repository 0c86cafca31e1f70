//! JDKs, compiling, and running a command with a limit on its time.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The oldest JDK that the agent supports.
const OLDEST: u32 = 17;

/// A JDK of this machine.
#[derive(Clone, Debug)]
pub struct Jdk {
    pub version: u32,
    home: PathBuf,
}

impl Jdk {
    pub fn tool(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }

    pub fn java(&self) -> String {
        self.tool("java").to_str().unwrap().to_string()
    }

    fn at(home: &Path) -> Option<Jdk> {
        let release = std::fs::read_to_string(home.join("release")).ok()?;
        let line = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
        let version = line.split(['.', '"', '-', '+']).next()?.parse().ok()?;
        let home = home.canonicalize().ok()?;
        (version >= OLDEST && home.join("bin/javac").exists()).then_some(Jdk { version, home })
    }
}

/// One JDK of each version, by version; `INTERLOPER_TEST_JDK=17` leaves the others out.
pub fn jdks() -> Vec<Jdk> {
    let mut homes: Vec<PathBuf> =
        std::env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    for folder in ["/usr/lib/jvm", "/opt/java"] {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        homes.extend(entries.map(|entry| entry.path()));
    }
    let mut found = BTreeMap::new();
    for jdk in homes.iter().filter_map(|home| Jdk::at(home)) {
        found.entry(jdk.version).or_insert(jdk);
    }
    if found.is_empty() {
        eprintln!("note: skipped, because there is no JDK {OLDEST} or later");
    }
    let only = std::env::var("INTERLOPER_TEST_JDK").ok().and_then(|it| it.parse::<u32>().ok());
    found.into_values().filter(|jdk| only.is_none_or(|only| jdk.version == only)).collect()
}

/// The folder of the Java programs.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/java")
}

/// The Java files of a folder, by name.
pub fn java_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|it| it == "java")).collect();
    files.sort();
    files
}

/// Compiled classes, in a folder of their own that goes with this value.
pub struct Classes {
    folder: TempDir,
    /// Jars that belong to the class path, too.
    jars: Vec<PathBuf>,
}

impl Classes {
    /// Compiles for the oldest JDK, so that the same class files run on all of them.
    pub fn compile(jdk: &Jdk, files: &[PathBuf], jars: &[PathBuf]) -> Classes {
        let classes = Classes { folder: tempfile::tempdir().unwrap(), jars: jars.to_vec() };
        let mut javac = Command::new(jdk.tool("javac"));
        javac.args(["--release", &OLDEST.to_string(), "-g", "-proc:none", "-cp", &classes.path()]);
        let output = javac.arg("-d").arg(classes.folder()).args(files).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        classes
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The class path.
    pub fn path(&self) -> String {
        let parts: Vec<&str> = [self.folder()]
            .into_iter()
            .chain(self.jars.iter().map(PathBuf::as_path))
            .map(|it| it.to_str().unwrap())
            .collect();
        parts.join(":")
    }
}

/// What a command left behind.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Asserts that one of the lines of standard output is this.
    #[track_caller]
    pub fn prints(&self, line: &str) {
        assert!(self.stdout.lines().any(|it| it == line), "`{line}` is not printed: {self:#?}");
    }

    /// Asserts the exit code, and that no JVM has crashed.
    #[track_caller]
    pub fn exits(self, code: i32) -> Outcome {
        assert!(!self.stderr.contains("fatal error"), "{self:#?}");
        assert_eq!(self.status.code(), Some(code), "{self:#?}");
        self
    }

    /// Asserts that something was checked, and the program ended well, whatever was found.
    #[track_caller]
    pub fn was_checked(self) -> Outcome {
        assert!(matches!(self.status.code(), Some(0 | 1)), "{self:#?}");
        self
    }
}

/// `interloper` with arguments.
pub fn interloper(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.args(args).env_remove("JAVA_TOOL_OPTIONS").env_remove("NO_COLOR");
    command
}

/// A command that runs, with its output in files so that nothing is held up by it.
pub struct Running {
    child: Child,
    output: TempDir,
    told: String,
}

impl Running {
    /// Starts a command in a process group of its own.
    pub fn start(mut command: Command) -> Running {
        let output = tempfile::tempdir().unwrap();
        let file = |name: &str| File::create(output.path().join(name)).unwrap();
        command.stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr"));
        let told = format!("{command:?}");
        let child = command.process_group(0).spawn().unwrap_or_else(|e| panic!("{told}: {e}"));
        Running { child, output, told }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn stdout(&self) -> String {
        self.text("stdout")
    }

    fn text(&self, name: &str) -> String {
        let bytes = std::fs::read(self.output.path().join(name)).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits for its end; a command that takes longer is killed, with all it has started, and the test fails.
    #[track_caller]
    pub fn within(mut self, limit: Duration) -> Outcome {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Outcome {
                    status,
                    stdout: self.text("stdout"),
                    stderr: self.text("stderr"),
                };
            }
            if Instant::now() > deadline {
                let group = format!("-{}", self.child.id());
                Command::new("kill").args(["-9", "--", &group]).status().unwrap();
                self.child.wait().unwrap();
                let (stdout, stderr) = (self.text("stdout"), self.text("stderr"));
                panic!("{} still runs after {limit:?}\n{stdout}\n{stderr}", self.told);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Runs a command for at most two minutes.
#[track_caller]
pub fn run(command: Command) -> Outcome {
    Running::start(command).within(Duration::from_secs(120))
}

/// The events of a trace in text, without their locations: `thread|op(operand)`.
#[track_caller]
pub fn events_of(trace: &Path) -> Vec<String> {
    let path = trace.to_str().unwrap();
    let text = run(interloper(&["trace", "convert", path, "-", "--to", "std"])).exits(0).stdout;
    let event = |line: &str| line.rsplit_once('|').map(|(event, _)| event.to_string());
    text.lines().filter(|line| !line.starts_with('#')).filter_map(event).collect()
}

/// What the first engine found in all runs of a report in JSON: the blocks that are not atomic, each once, in order.
#[track_caller]
pub fn subjects(report: &str) -> Vec<String> {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|e| panic!("{e}: {report}"));
    let runs = report["runs"].as_array().unwrap();
    let findings = runs.iter().flat_map(|run| run["engines"][0]["findings"].as_array().unwrap());
    let mut subjects: Vec<String> =
        findings.map(|it| it["subject"].as_str().unwrap().to_string()).collect();
    subjects.sort();
    subjects.dedup();
    subjects
}
