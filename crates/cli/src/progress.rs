//! A progress bar on a terminal when work is long; nothing otherwise.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use interloper_engines::Progress as Work;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far a trace has been read.
pub struct Progress {
    total: Option<u64>,
    read: Arc<AtomicU64>,
    started: Instant,
    bar: Option<ProgressBar>,
    wanted: bool,
}

impl Progress {
    /// Progress by bytes read of `total`.
    pub fn new(total: Option<u64>, read: Arc<AtomicU64>) -> Progress {
        let wanted = io::stderr().is_terminal();
        Progress { total, read, started: Instant::now(), bar: None, wanted }
    }

    /// To be called now and then, with the number of events so far.
    pub fn tick(&mut self, events: u64) {
        if !self.wanted || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        let total = self.total;
        let bar = self.bar.get_or_insert_with(|| new_bar(total));
        bar.set_position(self.read.load(Ordering::Relaxed));
        bar.set_message(format!("{:.1} million events", events as f64 / 1e6));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How far an engine is that judges at the end of the trace.
pub struct Finishing {
    engine: &'static str,
    started: Instant,
    bar: Option<ProgressBar>,
    wanted: bool,
}

impl Finishing {
    /// Of the engine of this name.
    pub fn new(engine: &'static str) -> Finishing {
        let wanted = io::stderr().is_terminal();
        Finishing { engine, started: Instant::now(), bar: None, wanted }
    }
}

impl Work for Finishing {
    fn at(&mut self, done: u64, of: u64) {
        if !self.wanted || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        let engine = self.engine;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = styled(Some(of), "{bar:32} {percent}%  {msg} judges  {eta} left");
            bar.with_message(engine)
        });
        bar.set_length(of);
        bar.set_position(done.min(of));
    }
}

impl Drop for Finishing {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "{bar:32} {bytes}/{total_bytes}  {msg}  {eta} left",
        None => "{spinner} {bytes}  {msg}",
    };
    styled(total, template)
}

fn styled(total: Option<u64>, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10)).with_style(style)
}
