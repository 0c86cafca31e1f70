//! Compiles, runs, and takes the kernel's account of each run.

use crate::workloads::Workload;
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use thiserror::Error;
use wait4::Wait4;

/// How a program is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Mode {
    /// Without Interloper
    Alone,
    /// Ownership of objects is tracked, nothing is logged
    Ownership,
    /// `interloper record`
    Record,
    /// `interloper run` with the exact engine
    Run,
}

impl Mode {
    /// All of them, in the order of the tables.
    pub const ALL: [Mode; 4] = [Mode::Alone, Mode::Ownership, Mode::Record, Mode::Run];

    /// The head of its column.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Alone => "alone",
            Mode::Ownership => "ownership",
            Mode::Record => "record",
            Mode::Run => "run",
        }
    }
}

/// What a run cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// User and system time of all processes.
    pub cpu: Duration,
    /// Time on the wall.
    pub wall: Duration,
    /// The most memory that was resident at a time in one of the processes, in bytes.
    pub peak: u64,
}

impl Cost {
    /// The least time, since noise only adds to it, but the highest peak.
    fn best(self, other: Cost) -> Cost {
        Cost {
            cpu: self.cpu.min(other.cpu),
            wall: self.wall.min(other.wall),
            peak: self.peak.max(other.peak),
        }
    }
}

/// What was measured of a workload.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// By mode, in the order asked for: the CPU time in the steady state, and the whole of the longer run. `None` where the run failed.
    pub costs: Vec<Option<(Duration, Cost)>>,
}

/// Why nothing can be measured.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A command cannot be started.
    #[error("cannot run {}: {error}", path.display())]
    Start { path: PathBuf, error: io::Error },
    /// A command did not end as it should.
    #[error("`{command}` failed:\n{stderr}")]
    Failed { command: String, stderr: String },
    /// There is no place for class files.
    #[error("no temporary folder: {0}")]
    Folder(io::Error),
}

/// How to run things.
pub struct Bench {
    binary: PathBuf,
    java: PathBuf,
    javac: PathBuf,
    repetitions: u32,
    folder: TempDir,
}

/// Compiled classes and the jars they need.
pub struct Classes {
    path: String,
}

impl Bench {
    /// With the tools of a JDK, or of those that the shell finds.
    pub fn new(
        binary: PathBuf,
        jdk: Option<PathBuf>,
        repetitions: u32,
    ) -> Result<Bench, BenchError> {
        let tool = |name: &str| match &jdk {
            Some(home) => home.join("bin").join(name),
            None => PathBuf::from(name),
        };
        let folder = TempDir::new().map_err(BenchError::Folder)?;
        Ok(Bench { binary, java: tool("java"), javac: tool("javac"), repetitions, folder })
    }

    /// The versions of the command and of the JVM.
    pub fn version(&self) -> Result<String, BenchError> {
        let of = |path: &Path| -> Result<String, BenchError> {
            let output = Command::new(path).arg("--version").output();
            let output = output.map_err(|error| BenchError::Start { path: path.into(), error })?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok(text.lines().next().unwrap_or_default().to_string())
        };
        Ok(format!("{}, {}", of(&self.binary)?, of(&self.java)?))
    }

    /// Compiles the sources of all workloads.
    pub fn compile<'a>(
        &self,
        workloads: impl Iterator<Item = &'a Workload>,
    ) -> Result<Classes, BenchError> {
        let (mut sources, mut path) =
            (BTreeSet::new(), BTreeSet::from([self.folder.path().to_path_buf()]));
        for workload in workloads {
            sources.extend(workload.sources.iter().cloned());
            path.extend(workload.jars.iter().cloned());
        }
        let path: Vec<String> = path.iter().map(|it| it.to_string_lossy().into_owned()).collect();
        let path = path.join(":");
        let mut command = Command::new(&self.javac);
        command.args(["--release", "17", "-g", "-proc:none", "-nowarn", "-cp", &path, "-d"]);
        command.arg(self.folder.path()).args(sources);
        let output = command.output();
        let output =
            output.map_err(|error| BenchError::Start { path: self.javac.clone(), error })?;
        if !output.status.success() {
            return Err(failed(&command, &output.stderr));
        }
        Ok(Classes { path })
    }

    /// Measures a workload in all modes, taking turns.
    pub fn steady(
        &self,
        classes: &Classes,
        workload: &Workload,
        modes: &[Mode],
    ) -> Result<Row, BenchError> {
        let short = (workload.iterations / 4).max(1);
        let mut best: Vec<Option<(Cost, Cost)>> = vec![None; modes.len()];
        let mut broken = vec![false; modes.len()];
        let mut checksum: Option<String> = None;
        for _ in 0..self.repetitions {
            for (i, mode) in
                modes.iter().enumerate().filter(|(i, _)| !broken[*i]).collect::<Vec<_>>()
            {
                let few = self.once(classes, *mode, &workload.main, short)?;
                let many =
                    self.once(classes, *mode, &workload.main, short + workload.iterations)?;
                let (Some((few, _)), Some((many, printed))) = (few, many) else {
                    eprintln!("{} does not run in mode {}", workload.name, mode.name());
                    broken[i] = true;
                    continue;
                };
                let expected = checksum.get_or_insert_with(|| printed.clone());
                if *expected != printed {
                    eprintln!(
                        "{} in mode {}: {printed} instead of {expected}",
                        workload.name,
                        mode.name()
                    );
                    broken[i] = true;
                }
                best[i] = Some(best[i].map_or((few, many), |(a, b)| (a.best(few), b.best(many))));
            }
        }
        let steady = |(few, many): (Cost, Cost)| (many.cpu.saturating_sub(few.cpu), many);
        let costs =
            best.into_iter().zip(broken).map(|(best, broken)| best.filter(|_| !broken).map(steady));
        Ok(Row { name: workload.name, costs: costs.collect() })
    }

    /// Measures the start of Hello World, with three times as many repetitions.
    pub fn start_up(
        &self,
        classes: &Classes,
        modes: &[Mode],
    ) -> Result<Vec<(Mode, Option<Cost>)>, BenchError> {
        let mut best: Vec<(Mode, Option<Cost>)> = modes.iter().map(|mode| (*mode, None)).collect();
        for _ in 0..3 * self.repetitions {
            for (mode, best) in &mut best {
                if let Some((cost, _)) = self.once(classes, *mode, &["Hello"], 0)? {
                    *best = Some(best.map_or(cost, |it| it.best(cost)));
                }
            }
        }
        Ok(best)
    }

    /// One run, and the first line that it printed; `None` if it failed.
    fn once(
        &self,
        classes: &Classes,
        mode: Mode,
        main: &[&str],
        iterations: u32,
    ) -> Result<Option<(Cost, String)>, BenchError> {
        let mut command = self.command(mode);
        command.args(["-Xmx1g", "-cp", &classes.path]).args(main).arg(iterations.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let start = |error| BenchError::Start { path: self.binary.clone(), error };
        let mut child = command.spawn().map_err(start)?;
        let mut text = String::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_string(&mut text).map_err(start)?;
        }
        let ended = child.wait4().map_err(start)?;
        let cost = Cost {
            cpu: ended.rusage.utime + ended.rusage.stime,
            wall: started.elapsed(),
            peak: ended.rusage.maxrss,
        };
        // With findings, the command ends with 1; without a log, with 3, because nothing was checked.
        let done = match mode {
            Mode::Run => matches!(ended.status.code(), Some(0 | 1)),
            Mode::Ownership => matches!(ended.status.code(), Some(0 | 3)),
            _ => ended.status.success(),
        };
        Ok(text.lines().next().filter(|_| done).map(|line| (cost, line.to_string())))
    }

    /// What stands before the arguments of `java`.
    fn command(&self, mode: Mode) -> Command {
        if mode == Mode::Alone {
            return Command::new(&self.java);
        }
        let file = |name: &str| self.folder.path().join(name);
        let mut command = Command::new(&self.binary);
        match mode {
            Mode::Record => command.arg("record").arg("-o").arg(file("trace.itl")),
            Mode::Ownership => command.args(["run", "--no-log", "-o"]).arg(file("report")),
            _ => command.args(["run", "-o"]).arg(file("report")),
        };
        command.arg("--").arg(&self.java);
        command
    }
}

fn failed(command: &Command, stderr: &[u8]) -> BenchError {
    let stderr = String::from_utf8_lossy(stderr).into_owned();
    BenchError::Failed { command: format!("{command:?}"), stderr }
}
