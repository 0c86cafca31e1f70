//! A progress bar on a terminal once a scan takes long; nothing otherwise.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Work shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(700);
const TICK: Duration = Duration::from_millis(100);

/// What a scan is doing.
pub struct Progress {
    bar: ProgressBar,
    /// Wakes who waits for the time to show the bar.
    waiter: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Of a scan that begins.
    pub fn new() -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if !io::stderr().is_terminal() {
            return Progress { bar, waiter: None };
        }
        let (sender, receiver) = channel();
        let shown = bar.clone();
        let thread = std::thread::spawn(move || {
            if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
                shown.enable_steady_tick(TICK);
            }
        });
        Progress { bar, waiter: Some((sender, thread)) }
    }

    /// It now does something of which nobody knows how long it takes.
    pub fn doing(&self, what: &'static str) {
        self.style("{spinner} {msg}  {elapsed}");
        self.bar.unset_length();
        self.bar.set_message(what);
    }

    /// It now does so many things.
    pub fn counting(&self, what: &'static str, total: usize) {
        self.style("{bar:32} {human_pos}/{human_len}  {msg}  {eta} left");
        self.bar.set_length(total as u64);
        self.bar.set_position(0);
        self.bar.set_message(what);
    }

    /// So many more are done.
    pub fn done(&self, count: usize) {
        self.bar.inc(count as u64);
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.waiter.take() {
            drop(sender);
            // it only waits and draws
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
