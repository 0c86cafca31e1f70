//! Runs the command on traces and takes the kernel's account of each run.

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use thiserror::Error;
use wait4::Wait4;

/// How a trace is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, ValueEnum)]
pub enum Format {
    /// STD text
    Text,
    /// Interloper's binary format
    Binary,
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Format::Text => "std",
            Format::Binary => "itl",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Text => "text",
            Format::Binary => "binary",
        })
    }
}

/// Not a shape of the generator's but the smallest trace there is, of one thread, variable and lock:
/// to check it costs what it costs to start and end the process.
///
/// A short trace of a shape will not do: in the binary format it begins with the names of all the
/// variables that the shape has, and these alone take longer to read than the process to start.
pub const START_UP: &str = "start-up";

/// The generator's shape of few code patterns on many objects.
pub const PATTERNS: &str = "patterns";

/// The same few methods on the same few objects over and over: after a while nothing is new.
pub const LOOP: &str = "loop";

/// One configuration to measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The shape of the trace, or [`START_UP`].
    pub shape: String,
    /// The number of events asked of the generator.
    pub events: u64,
    /// How the trace is stored.
    pub format: Format,
    /// The engine that analyses it.
    pub engine: String,
}

/// What a run of the command cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// User and system time.
    pub cpu: Duration,
    /// The most memory that was resident at a time, in bytes.
    pub peak: u64,
}

impl Cost {
    /// The least time, since noise only adds to it, but the highest peak, since that is a promise.
    fn best(self, other: Cost) -> Cost {
        Cost { cpu: self.cpu.min(other.cpu), peak: self.peak.max(other.peak) }
    }
}

/// What was measured of one configuration.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The configuration.
    pub job: Job,
    /// The number of events that are in the trace.
    pub events: u64,
    /// The best of all repetitions.
    pub cost: Cost,
}

/// Why nothing can be measured.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The command cannot be started.
    #[error(
        "cannot run {}: {error}; build it with `cargo build --release -p interloper`, or name it \
         as the argument", path.display()
    )]
    Start { path: PathBuf, error: io::Error },
    /// The command did not end as it should.
    #[error("`{command}` ended with {status}{}", told(stderr))]
    Failed { command: String, status: String, stderr: String },
    /// The command's output is not what was expected.
    #[error("`{command}` printed what cannot be understood: {why}")]
    Output { command: String, why: String },
    /// The folder of traces cannot be used.
    #[error("{}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
}

fn told(stderr: &str) -> String {
    match stderr.trim() {
        "" => String::new(),
        text => format!(" and said:\n{text}"),
    }
}

/// The command under measurement, and where its traces are.
pub struct Bench {
    /// The command.
    pub binary: PathBuf,
    /// The folder of traces.
    pub dir: PathBuf,
    /// Whether traces that are there already are generated anew.
    pub fresh: bool,
}

impl Bench {
    /// What the command calls itself.
    pub fn version(&self) -> Result<String, BenchError> {
        Ok(self.output(&["--version"])?.trim().to_string())
    }

    /// Measures all configurations, round by round.
    pub fn measure(&self, jobs: &[Job], repetitions: u32) -> Result<Vec<Figure>, BenchError> {
        let mut counts: HashMap<PathBuf, u64> = HashMap::new();
        for job in jobs {
            if let Entry::Vacant(entry) = counts.entry(self.path(job)) {
                let events = self.prepare(job, entry.key())?;
                entry.insert(events);
            }
        }
        let style = ProgressStyle::with_template("round {prefix} {wide_bar} {pos}/{len}  {msg}");
        let bar = ProgressBar::new(u64::from(repetitions) * jobs.len() as u64)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let mut best: Vec<Option<Cost>> = vec![None; jobs.len()];
        for round in 1..=repetitions {
            bar.set_prefix(format!("{round} of {repetitions}"));
            for (job, best) in jobs.iter().zip(&mut best) {
                bar.set_message(format!("{} {} {}", job.shape, job.format, job.engine));
                for _ in 0..runs_a_round(job.events) {
                    let cost = self.check(job)?;
                    *best = Some(best.map_or(cost, |best| best.best(cost)));
                }
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        let figure = |(job, cost): (&Job, Option<Cost>)| {
            let events = counts.get(&self.path(job)).copied()?;
            Some(Figure { job: job.clone(), events, cost: cost? })
        };
        Ok(jobs.iter().zip(best).filter_map(figure).collect())
    }

    fn path(&self, job: &Job) -> PathBuf {
        self.dir.join(format!("{}-{}.{}", job.shape, job.events, job.format.ending()))
    }

    /// Makes the trace unless it is there, and counts its events.
    fn prepare(&self, job: &Job, path: &Path) -> Result<u64, BenchError> {
        if self.fresh || !path.exists() {
            self.generate(job, path)?;
        }
        let path = path.to_string_lossy();
        let words = ["trace", "stat", "--format", "json", &path];
        let sheet = self.output(&words)?;
        events_of(&sheet).map_err(|why| BenchError::Output { command: self.line(&words), why })
    }

    /// Under another name first: a file that bears its name is whole.
    fn generate(&self, job: &Job, path: &Path) -> Result<(), BenchError> {
        let folder = |error| BenchError::Folder { path: self.dir.clone(), error };
        std::fs::create_dir_all(&self.dir).map_err(folder)?;
        eprintln!("generating {}", path.display());
        let unfinished = path.with_extension(format!("new.{}", job.format.ending()));
        let (events, output) = (job.events.to_string(), unfinished.to_string_lossy());
        let mut words = vec!["trace", "generate", "-o", &output, "--events", &events];
        match job.shape.as_str() {
            START_UP => words.extend(["--threads=1", "--vars=1", "--locks=1", "--locations=1"]),
            LOOP => words.extend(["--shape", PATTERNS, "--patterns=50", "--vars=1000"]),
            shape => words.extend(["--shape", shape]),
        }
        self.run(&words, &[0])?;
        std::fs::rename(&unfinished, path).map_err(folder)
    }

    /// One run that counts. Both verdicts are fine; anything else was no check.
    fn check(&self, job: &Job) -> Result<Cost, BenchError> {
        let path = self.path(job);
        self.run(&["check", "--engine", &job.engine, &path.to_string_lossy()], &[0, 1])
    }

    /// Runs the command for its cost, its report thrown away.
    ///
    /// Standard error goes to a pipe: on a terminal the command would draw a progress bar, and that
    /// is not what is measured. The pipe is read to its end before the wait, so nothing blocks.
    fn run(&self, words: &[&str], fine: &[i32]) -> Result<Cost, BenchError> {
        let start = |error| BenchError::Start { path: self.binary.clone(), error };
        let mut child = Command::new(&self.binary)
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start)?;
        let mut stderr = vec![];
        if let Some(mut pipe) = child.stderr.take() {
            // What cannot be read is not worth failing for: the exit status tells the outcome.
            let _ = pipe.read_to_end(&mut stderr);
        }
        let end = child.wait4().map_err(start)?;
        if !end.status.code().is_some_and(|code| fine.contains(&code)) {
            return Err(self.failed(words, end.status.to_string(), &stderr));
        }
        Ok(Cost { cpu: end.rusage.utime + end.rusage.stime, peak: end.rusage.maxrss })
    }

    /// Runs the command for what it prints.
    fn output(&self, words: &[&str]) -> Result<String, BenchError> {
        let output = Command::new(&self.binary)
            .args(words)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| BenchError::Start { path: self.binary.clone(), error })?;
        if !output.status.success() {
            return Err(self.failed(words, output.status.to_string(), &output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn failed(&self, words: &[&str], status: String, stderr: &[u8]) -> BenchError {
        let stderr = String::from_utf8_lossy(stderr).into_owned();
        BenchError::Failed { command: self.line(words), status, stderr }
    }

    fn line(&self, words: &[&str]) -> String {
        let name = self.binary.file_name().unwrap_or(OsStr::new("interloper"));
        format!("{} {}", name.to_string_lossy(), words.join(" "))
    }
}

/// Short runs are cheap and suffer most from noise: they are done more often.
fn runs_a_round(events: u64) -> u64 {
    (1_000_000 / events.max(1)).clamp(1, 10)
}

/// The number of events in what `trace stat --format json` says of one trace.
fn events_of(sheet: &str) -> Result<u64, String> {
    let sheet: serde_json::Value = serde_json::from_str(sheet).map_err(|why| why.to_string())?;
    let trace = &sheet["traces"][0];
    if trace["complete"] != true {
        return Err("the trace is not whole; generate it again with --fresh".into());
    }
    trace["counts"]["events"].as_u64().ok_or_else(|| "no number of events".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_the_fastest_run_and_the_highest_peak() {
        let one = Cost { cpu: Duration::from_millis(5), peak: 70 };
        let other = Cost { cpu: Duration::from_millis(4), peak: 60 };
        assert_eq!(one.best(other), Cost { cpu: Duration::from_millis(4), peak: 70 });
        assert_eq!(one.best(other), other.best(one));
    }

    #[test]
    fn short_traces_are_run_more_often() {
        assert_eq!([1, 100_000, 500_000, 10_000_000].map(runs_a_round), [10, 10, 2, 1]);
    }

    #[test]
    fn events_are_taken_from_whole_traces_only() {
        let sheet = |complete| {
            format!(r#"{{"traces": [{{"complete": {complete}, "counts": {{"events": 12}}}}]}}"#)
        };
        assert_eq!(events_of(&sheet(true)), Ok(12));
        assert!(events_of(&sheet(false)).unwrap_err().contains("--fresh"));
        assert!(events_of("{}").is_err());
        assert!(events_of("events: 12").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_run_has_a_cost_and_a_failure_has_its_reason() {
        let bench = Bench { binary: "/bin/sh".into(), dir: ".".into(), fresh: false };
        let script = "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; exit 1";
        let cost = bench.run(&["-c", script], &[0, 1]).unwrap();
        assert!(cost.cpu > Duration::ZERO && cost.peak > 100_000, "{cost:?}");
        let error = bench.run(&["-c", "echo too bad >&2; exit 2"], &[0, 1]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("exit status: 2") && text.contains("too bad"), "{text}");
    }

    #[test]
    fn a_command_that_is_not_there_is_named() {
        let bench = Bench { binary: "/no/such/interloper".into(), dir: ".".into(), fresh: false };
        let text = bench.version().unwrap_err().to_string();
        assert!(text.contains("/no/such/interloper") && text.contains("cargo build"), "{text}");
    }

    /// Stands in for the command: "generates" by writing a file, and counts 7 events in any.
    ///
    /// Another process makes the program file: one that this process had open for writing while
    /// another test starts a child could not be run ("text file busy").
    #[cfg(unix)]
    fn stand_in(dir: &Path) -> PathBuf {
        let path = dir.join("stand-in");
        let script = r#"#!/bin/sh
case "$1 $2" in
"trace generate") echo made >> "$4" ;;
"trace stat") echo '{"traces": [{"complete": true, "counts": {"events": 7}}]}' ;;
"check --engine") echo "$3 $4" >> "$(dirname "$0")/checked" ;;
esac
"#;
        let make = r#"printf %s "$1" > "$2" && chmod +x "$2""#;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", make, "sh", script]).arg(&path);
        assert!(shell.status().unwrap().success());
        path
    }

    #[cfg(unix)]
    #[test]
    fn traces_are_made_once_and_rounds_go_over_all_jobs() {
        let dir = tempfile::tempdir().unwrap();
        let traces = dir.path().join("traces");
        let bench = Bench { binary: stand_in(dir.path()), dir: traces.clone(), fresh: false };
        let job = |engine: &str| Job {
            shape: "wide".into(),
            events: 1_000_000,
            format: Format::Binary,
            engine: engine.into(),
        };
        let figures = bench.measure(&[job("a"), job("b")], 2).unwrap();
        assert_eq!(figures.iter().map(|figure| figure.events).collect::<Vec<_>>(), [7, 7]);
        let checked = std::fs::read_to_string(dir.path().join("checked")).unwrap();
        let engines: Vec<&str> = checked.lines().map(|line| &line[..1]).collect();
        assert_eq!(engines, ["a", "b", "a", "b"]);
        bench.measure(&[job("a")], 1).unwrap();
        let files: Vec<_> = std::fs::read_dir(&traces).unwrap().map(|f| f.unwrap()).collect();
        assert_eq!(files.len(), 1);
        assert_eq!(std::fs::read_to_string(files[0].path()).unwrap(), "made\n");
    }
}
