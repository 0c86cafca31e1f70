//! `interloper record`: what the JVMs of a program do goes into files.

use super::args::Record;
use super::config::Section;
use super::exit::{after, nothing_atomic, why_nothing};
use super::facts;
use super::signals::Signals;
use super::watch::{Tapped, Watch};
use super::writing::Writing;
use crate::failure::{Exit, Failure, say};
use crate::output::{Replacing, STANDARD_OUTPUT};
use crate::reading::tell_shortcoming;
use interloper_report::{count, number};
use interloper_tap::Facts;
use interloper_trace::{Batch, Event, Extent, Remarks, Source, Validator};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs and records.
pub fn record(args: &Record) -> Result<Exit, Failure> {
    let section = Section::read(&args.program)?;
    let config = section.instrumentation(&args.instrumentation)?;
    refuse_other_formats(&args.output)?;
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
    for warning in watched.warnings.iter().chain(&watched.unmet(&config)) {
        say(format_args!("warning: {warning}"));
    }
    let recordings: Vec<&Recording> = watched.jvms.iter().filter(|it| it.came > 0).collect();
    for recording in &recordings {
        say(format_args!("{}", recording.words()));
        recording.tell_shortcomings();
    }
    if !recordings.is_empty() {
        files.tell_leftovers();
    }
    if !recordings.is_empty() && recordings.iter().all(|it| it.facts.atomic_methods == 0) {
        let why = nothing_atomic(&config);
        say(format_args!("warning: there is no atomic block in what was recorded: {why}"));
    }
    let ours = match () {
        _ if watched.jvms.iter().any(|recording| recording.failed) => Exit::BadInput,
        _ if recordings.is_empty() => {
            let jvms: Vec<Facts> = watched.jvms.iter().map(|it| it.facts.clone()).collect();
            let why = why_nothing((&watch.command, watched.status), &jvms, watched.lost, &config);
            say(format_args!("warning: nothing was recorded: {why}"));
            Exit::NothingChecked
        }
        _ if watched.unwatched => Exit::BadInput,
        _ => Exit::Clean,
    };
    Ok(after(watched.status, ours))
}

/// Refuses names that promise something else than a binary trace in a file. Only that is written: it survives whatever happens to
/// us in the middle of it, and keeps what there is to remark.
fn refuse_other_formats(path: &Path) -> Result<(), Failure> {
    if path == Path::new(STANDARD_OUTPUT) {
        let message = "-o -: standard output is the program's own: name a file";
        return Err(Failure::Usage(message.to_string()));
    }
    let ending = path.extension().unwrap_or_default();
    if ["std", "txt", "gz", "zst"].iter().any(|other| ending == *other) {
        return Err(Failure::Usage(format!(
            "-o {}: recordings are binary and not compressed: name it `.itl`; `interloper trace convert` makes others of it",
            path.display()
        )));
    }
    Ok(())
}

/// What was recorded of one JVM.
struct Recording {
    path: PathBuf,
    /// How many events are in the file, and how many there were.
    held: Option<u64>,
    came: u64,
    failed: bool,
    facts: Facts,
    extent: Extent,
}

impl Recording {
    fn words(&self) -> String {
        let (path, facts) = (self.path.display(), &self.facts);
        let (came, threads) = (count(self.came, "event"), count(facts.threads, "thread"));
        let (methods, pid) = (count(facts.methods, "instrumented method"), facts.pid);
        let events = match self.held {
            Some(held) if held == self.came => came,
            Some(held) => format!("the first {} of {came}", number(held)),
            None => format!("an unknown part of {came}"),
        };
        format!("{path}: {events} of {threads} and {methods} in process {pid}")
    }

    /// What `check` will say of the file, too: whoever records is to know it now.
    fn tell_shortcomings(&self) {
        let path = self.path.display();
        for note in facts::notes(&self.facts) {
            say(format_args!("warning: {path}: {note}"));
        }
        tell_shortcoming(&path.to_string(), self.extent);
    }
}

/// How many events can be read from a file; none if it is none that can be read twice.
fn events_in(path: &Path) -> Option<u64> {
    if !path.is_file() {
        return None;
    }
    let Ok(mut input) = interloper_trace::open(path.to_str()?, false) else { return Some(0) };
    let (mut batch, mut events) = (Batch::default(), 0);
    while let Ok(true) = input.source.next_batch(&mut batch) {
        events += batch.end() - batch.first;
    }
    Some(events)
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

    /// Files that are named as if they were of this recording, and are of an earlier one that had more JVMs. They stay: that nobody
    /// wants them is more than their names tell.
    fn leftovers(&self) -> Vec<PathBuf> {
        let given = self.given.load(Ordering::Relaxed);
        let folder = self.first.parent().filter(|folder| !folder.as_os_str().is_empty());
        // a folder that cannot be read is said to be empty
        let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
        let names = entries.flatten().map(|entry| self.first.with_file_name(entry.file_name()));
        let numbers = names.filter_map(|name| Some((number_of(&name, &self.first)?, name)));
        let mut old: Vec<(usize, PathBuf)> = numbers.filter(|it| it.0 > given).collect();
        old.sort();
        old.into_iter().map(|(_, name)| name).collect()
    }

    fn tell_leftovers(&self) {
        for path in self.leftovers() {
            let path = path.display();
            say(format_args!(
                "warning: {path}: this is not of this recording, but was there before"
            ));
        }
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

/// The number of a further file, if it is one.
fn number_of(path: &Path, first: &Path) -> Option<usize> {
    let stem = Path::new(path.file_stem()?);
    let last = if first.extension().is_some() { stem.extension()? } else { path.extension()? };
    let number: usize = last.to_str()?.parse().ok()?;
    (number > 1 && numbered(first, number) == path).then_some(number)
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
    let (facts, cut_short) = (source.jvm.facts(), source.is_cut_short());
    let error = facts::internal_error(&facts, error);
    let remarks = facts::remarks(&facts, error.as_deref(), cut_short);
    let (path, came, complete) = recorder.finish(source, &remarks);
    let held = if complete { Some(came) } else { events_in(&path) };
    if let Some(error) = &error {
        say(format_args!("error: {}", facts::our_fault(&facts, error)));
    }
    let limit = facts::limit(&facts);
    if let Some(limit) = &limit {
        say(format_args!("error: {limit}"));
    }
    let failed = !complete || error.is_some() || limit.is_some();
    Recording { path, held, came, failed, facts, extent: remarks.extent }
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

    /// Ends the file, if there is one; tells its name, how many events should be in it, and whether they are.
    fn finish(mut self, source: &Tapped, remarks: &Remarks) -> (PathBuf, u64, bool) {
        if self.writing.is_none() && self.events > 0 && source.jvm.facts().classes > 0 {
            self.start(source);
        }
        match self.writing {
            Some(writing) => {
                let (path, complete) = writing.finish(remarks);
                (path, self.events, complete)
            }
            None => (PathBuf::new(), 0, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_trace::{BinaryWriter, Names};
    use std::fs::File;

    #[test]
    fn further_files_are_numbered_before_their_ending() {
        let name = |path: &str, number| numbered(Path::new(path), number).display().to_string();
        assert_eq!(name("out/run.itl", 1), "out/run.itl");
        assert_eq!(name("out/run.itl", 2), "out/run.2.itl");
        assert_eq!(name("run", 3), "run.3");
        for (first, path) in
            [("out/run.itl", "out/run.2.itl"), ("run", "run.2"), ("a.b.itl", "a.b.2.itl")]
        {
            assert_eq!(number_of(Path::new(path), Path::new(first)), Some(2), "{path}");
            assert_eq!(number_of(Path::new(first), Path::new(first)), None);
        }
        for path in ["run.1.itl", "run.02.itl", "run.x.itl", "ran.2.itl", "run.2.std", "run.2"] {
            assert_eq!(number_of(Path::new(path), Path::new("run.itl")), None, "{path}");
        }
    }

    #[test]
    fn of_a_file_that_is_not_whole_what_is_in_it_is_told() {
        let mut names = Names::default();
        let (thread, x, site) = (names.thread("T"), names.var("x"), names.site("1"));
        let event = Event::read(thread, x, site);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.itl");
        let mut writer = BinaryWriter::new(File::create(&path).unwrap()).unwrap();
        writer.write(&names, &[event; 5]).unwrap();
        writer.flush().unwrap();
        let held = std::fs::metadata(&path).unwrap().len();
        writer.write(&names, &[event; 9]).unwrap();
        writer.finish().unwrap();
        assert_eq!(events_in(&path), Some(14));
        // as a disk does that is full
        File::options().write(true).open(&path).unwrap().set_len(held + 3).unwrap();
        assert_eq!(events_in(&path), Some(5));
        assert_eq!((events_in(Path::new("/dev/full")), events_in(folder.path())), (None, None));
        let facts = Facts { threads: 1, methods: 2, pid: 7, ..Facts::default() };
        let words = |held| {
            let (path, facts, extent) = ("f".into(), facts.clone(), Extent::Whole);
            Recording { path, held, came: 14, failed: true, facts, extent }.words()
        };
        let rest = "of 1 thread and 2 instrumented methods in process 7";
        assert_eq!(words(Some(14)), format!("f: 14 events {rest}"));
        assert_eq!(words(Some(5)), format!("f: the first 5 of 14 events {rest}"));
        assert_eq!(words(None), format!("f: an unknown part of 14 events {rest}"));
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
