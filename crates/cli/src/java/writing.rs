//! A trace that is written while the program runs.
//!
//! Every second, what has come by then is made a whole block of the file, so that whatever happens to us, or to the
//! machine, little is lost. If the file can no longer be written, that is told once, the events go nowhere and the program
//! goes on.

use crate::failure::say;
use crate::output::Replacing;
use interloper_trace::{BinaryWriter, Event, Names, Remarks};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How much of a recording is lost at most if we are killed.
const FLUSH: Duration = Duration::from_secs(1);

type Writer = BinaryWriter<BufWriter<Replacing>>;

/// A file that is written, by one thread, and flushed by another.
pub struct Writing {
    path: PathBuf,
    file: Arc<Shared>,
    flusher: thread::JoinHandle<()>,
}

/// The file; `None` once it is finished or could not be written.
struct Shared {
    writer: Mutex<Option<Writer>>,
    ended: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the file, unless it has failed; the first failure is told.
    fn attempt(&self, path: &Path, step: impl FnOnce(&mut Writer) -> io::Result<()>) {
        let mut writer = self.lock();
        if let Some(Err(error)) = writer.as_mut().map(step) {
            *writer = None;
            told(path, &error);
        }
    }
}

fn told(path: &Path, error: &io::Error) {
    let path = path.display();
    say(format_args!(
        "error: {path}: {error}; recording has stopped, the program goes on; the file holds what was recorded until then"
    ));
}

impl Writing {
    /// Starts the file; that it cannot be written is told, and shows in the end.
    pub fn start(path: PathBuf) -> Writing {
        let opened = Replacing::open(&path)
            .map_err(|failure| io::Error::other(failure.to_string()))
            .and_then(|file| BinaryWriter::new(BufWriter::new(file)));
        let writer = opened.inspect_err(|error| told(&path, error)).ok();
        let file = Arc::new(Shared { writer: Mutex::new(writer), ended: Condvar::new() });
        let (shared, name) = (file.clone(), path.clone());
        let flusher = thread::spawn(move || flush_now_and_then(&shared, &name));
        Writing { path, file, flusher }
    }

    /// Appends events.
    pub fn write(&mut self, names: &Names, events: &[Event]) {
        self.file.attempt(&self.path, |writer| writer.write(names, events));
    }

    /// Ends the file with what there is to remark; tells its name and whether everything is in it.
    pub fn finish(self, remarks: &Remarks) -> (PathBuf, bool) {
        self.file.attempt(&self.path, |writer| writer.remark(remarks));
        let writer = self.file.lock().take();
        self.file.ended.notify_all();
        let complete = match writer.map(BinaryWriter::finish) {
            Some(Ok(_)) => true,
            Some(Err(error)) => {
                told(&self.path, &error);
                false
            }
            None => false,
        };
        // it has nothing left to do and cannot fail
        let _ = self.flusher.join();
        (self.path, complete)
    }
}

fn flush_now_and_then(file: &Shared, path: &Path) {
    loop {
        let writer = file.lock();
        let waited = file.ended.wait_timeout_while(writer, FLUSH, |writer| writer.is_some());
        let (writer, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            return;
        }
        drop(writer);
        file.attempt(path, BinaryWriter::flush);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_trace::{Batch, Source};

    #[test]
    fn what_was_flushed_is_readable_before_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.itl");
        let mut names = Names::default();
        let (thread, x, site) = (names.thread("T"), names.var("x"), names.site("1"));
        let event = Event::read(thread, x, site);
        let mut writing = Writing::start(path.clone());
        writing.write(&names, &[event]);
        let before = std::time::Instant::now();
        let events = || {
            interloper_trace::open(path.to_str().unwrap(), false).ok().map_or(0, |mut it| {
                let mut batch = Batch::default();
                it.source.next_batch(&mut batch).map_or(0, |_| batch.events.len())
            })
        };
        while events() == 0 && before.elapsed() < 20 * FLUSH {
            thread::sleep(FLUSH / 10);
        }
        assert_eq!(events(), 1);
        assert_eq!(writing.finish(&Remarks::default()), (path.clone(), true));
    }
}
