//! Signals that come for us while the program runs are meant for the program.
//!
//! What the terminal sends (Ctrl-C) reaches the program by itself, as it does everything in the foreground; it must only
//! not end us before the report. What another process sends to us is passed on. Once no program runs, signals do what
//! they always do.

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin};
use std::io;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Who gets the signals.
#[derive(Clone, Default)]
pub struct Signals {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// The program that runs now.
    program: Mutex<Option<Pid>>,
    /// Whether one that asks for an end has come.
    interrupted: AtomicBool,
    /// Whether they are taken in yet.
    installed: AtomicBool,
}

impl Signals {
    /// Waits for the end of the program, which gets all signals until then.
    ///
    /// Signals are taken in only now: the program was started with those ignored that were ignored when we were.
    pub fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        self.set(pid);
        if !self.shared.installed.swap(true, Ordering::Relaxed) {
            self.install()?;
        }
        if let Some(pid) = pid {
            // Waits without taking notice of the end: as long as that is so, the number is not given to another process.
            let options =
                rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
            let id = rustix::process::WaitId::Pid(pid);
            while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(id.clone(), options) {}
        }
        self.set(None);
        child.wait()
    }

    /// Whether a signal has come that asks for an end.
    pub fn interrupted(&self) -> bool {
        self.shared.interrupted.load(Ordering::Relaxed)
    }

    fn set(&self, program: Option<Pid>) {
        *self.shared.program.lock().unwrap_or_else(PoisonError::into_inner) = program;
    }

    fn install(&self) -> io::Result<()> {
        let mut signals = SignalsInfo::<WithOrigin>::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
        let shared = self.shared.clone();
        // ends with the process
        std::thread::Builder::new().name("signals".to_string()).spawn(move || {
            for origin in &mut signals {
                shared.take(&origin);
            }
        })?;
        Ok(())
    }
}

impl Shared {
    fn take(&self, origin: &Origin) {
        self.interrupted.store(true, Ordering::Relaxed);
        let program = self.program.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pid) = *program else {
            // fails only for signals that cannot be handled
            let _ = signal_hook::low_level::emulate_default_handler(origin.signal);
            return;
        };
        if let (Cause::Sent(_), Some(signal)) = (&origin.cause, passed_on(origin.signal)) {
            // fails if the program has just ended: then there is nobody to tell
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

fn passed_on(signal: i32) -> Option<Signal> {
    match signal {
        SIGHUP => Some(Signal::HUP),
        SIGINT => Some(Signal::INT),
        SIGQUIT => Some(Signal::QUIT),
        SIGTERM => Some(Signal::TERM),
        _ => None,
    }
}
