//! `interloper record`: what the JVMs of a program do goes into files.

use super::args::Record;
use super::config::Section;
use super::exit::{after, why_nothing};
use super::facts;
use super::signals::Signals;
use super::watch::{Tapped, Watch};
use super::writing::Writing;
use crate::failure::{Exit, Failure, say};
use crate::output::Replacing;
use interloper_report::count;
use interloper_tap::Facts;
use interloper_trace::{Batch, Event, Source, Validator};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs and records.
pub fn record(args: &Record) -> Result<Exit, Failure> {
    let section = Section::read(&args.program)?;
    let config = section.instrumentation(&args.instrumentation)?;
    let files = Arc::new(Files::new(&args.output)?);
    let watch = Watch {
        command: args.program.command.clone(),
        linger: section.linger(&args.program),
        signals: Signals::default(),
    };
    let shared = files.clone();
    let watched = watch.run(&config, move |jvm| record_jvm(jvm, &shared));
    files.tidy();
    let watched = watched?;
    for warning in &watched.warnings {
        say(format_args!("warning: {warning}"));
    }
    let recordings: Vec<&Recording> = watched.jvms.iter().filter(|it| it.events > 0).collect();
    for recording in &recordings {
        recording.tell();
    }
    let ours = match () {
        _ if watched.jvms.iter().any(|recording| recording.failed) => Exit::BadInput,
        _ if recordings.is_empty() => {
            let jvms: Vec<Facts> = watched.jvms.iter().map(|it| it.facts.clone()).collect();
            let why = why_nothing(&watch.command, &jvms, watched.lost, &config);
            say(format_args!("warning: nothing was recorded: {why}"));
            Exit::NothingChecked
        }
        _ => Exit::Clean,
    };
    Ok(after(watched.status, ours))
}

/// What was recorded of one JVM.
struct Recording {
    path: PathBuf,
    events: u64,
    failed: bool,
    facts: Facts,
}

impl Recording {
    fn tell(&self) {
        let (path, facts) = (self.path.display(), &self.facts);
        let (events, threads) = (count(self.events, "event"), count(facts.threads, "thread"));
        let (methods, pid) = (count(facts.methods, "instrumented method"), facts.pid);
        say(format_args!("{path}: {events} of {threads} and {methods} in process {pid}"));
    }
}

/// The files of a recording, given out as JVMs have something to record.
struct Files {
    first: PathBuf,
    /// Whether that was not there before.
    new: bool,
    given: AtomicUsize,
}

impl Files {
    /// Makes sure that the first can be written: better now than when the program has run.
    fn new(first: &Path) -> Result<Files, Failure> {
        let new = !first.exists();
        Replacing::open(first)?;
        Ok(Files { first: first.to_path_buf(), new, given: AtomicUsize::new(0) })
    }

    fn next(&self) -> PathBuf {
        numbered(&self.first, self.given.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Nothing was recorded: there is to be no empty file.
    fn tidy(&self) {
        if self.new && self.given.load(Ordering::Relaxed) == 0 {
            // if it stays, it is empty, and reading it says so
            let _ = std::fs::remove_file(&self.first);
        }
    }
}

/// `run.itl`, `run.2.itl`, `run.3.itl`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_path_buf();
    }
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!(".{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

/// Records one JVM. What comes is checked as well, so that an error of ours is told now and not when the file is
/// read; it is recorded all the same.
fn record_jvm(mut jvm: Tapped, files: &Files) -> Recording {
    let mut source = &mut jvm;
    let (mut recorder, mut validator) = (Recorder::new(files), Some(Validator::new(false)));
    let mut error = None;
    let mut batch = Batch::default();
    loop {
        match source.next_batch(&mut batch) {
            Ok(true) => {}
            Ok(false) => break,
            Err(wrong) => {
                error = Some(wrong.to_string());
                break;
            }
        }
        recorder.take(source, &batch);
        let checked = validator.as_mut().map(|it| it.check(&mut batch, source.names()));
        if let Some(Err((position, disorder))) = checked {
            error = Some(format!("event {position}: {disorder}"));
            validator = None;
        }
    }
    let (path, events, complete) = recorder.finish(source);
    let facts = jvm.jvm.facts();
    let error = facts::internal_error(&facts, error);
    if let Some(error) = &error {
        say(format_args!("error: {}", facts::our_fault(&facts, error)));
    }
    let limit = facts::limit(&facts);
    if let Some(limit) = &limit {
        say(format_args!("error: {limit}"));
    }
    let failed = !complete || error.is_some() || limit.is_some();
    Recording { path, events, failed, facts }
}

/// Records as soon as there is something worth a file: in every JVM threads start and end, but in some there is nothing more.
struct Recorder<'a> {
    files: &'a Files,
    /// Events before the first class was instrumented.
    pending: Vec<Event>,
    writing: Option<Writing>,
    events: u64,
}

impl Recorder<'_> {
    /// So many events are worth a file in any case.
    const MOST_PENDING: usize = 1 << 16;

    fn new(files: &Files) -> Recorder<'_> {
        Recorder { files, pending: vec![], writing: None, events: 0 }
    }

    fn take(&mut self, source: &Tapped, batch: &Batch) {
        if batch.events.is_empty() {
            return;
        }
        self.events += batch.end() - batch.first;
        if let Some(writing) = &mut self.writing {
            return writing.write(source.jvm.names(), &batch.events);
        }
        self.pending.extend_from_slice(&batch.events);
        if self.pending.len() > Recorder::MOST_PENDING || source.jvm.facts().classes > 0 {
            self.start(source);
        }
    }

    fn start(&mut self, source: &Tapped) {
        let mut writing = Writing::start(self.files.next());
        writing.write(source.jvm.names(), &std::mem::take(&mut self.pending));
        self.writing = Some(writing);
    }

    /// Ends the file, if there is one; tells its name, how many events are in it, and whether that is all.
    fn finish(mut self, source: &Tapped) -> (PathBuf, u64, bool) {
        if self.writing.is_none() && self.events > 0 && source.jvm.facts().classes > 0 {
            self.start(source);
        }
        match self.writing {
            Some(writing) => {
                let (path, complete) = writing.finish();
                (path, self.events, complete)
            }
            None => (PathBuf::new(), 0, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_files_are_numbered_before_their_ending() {
        let name = |path: &str, number| numbered(Path::new(path), number).display().to_string();
        assert_eq!(name("out/run.itl", 1), "out/run.itl");
        assert_eq!(name("out/run.itl", 2), "out/run.2.itl");
        assert_eq!(name("run", 3), "run.3");
    }

    #[test]
    fn a_file_that_nothing_was_recorded_to_goes_and_one_that_was_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.itl");
        Files::new(&path).unwrap().tidy();
        assert!(!path.exists());
        std::fs::write(&path, "before").unwrap();
        Files::new(&path).unwrap().tidy();
        assert_eq!(std::fs::read(&path).unwrap(), b"before");
    }
}
