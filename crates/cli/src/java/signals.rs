//! Signals that come for us while the program runs are meant for the program.
//!
//! What the terminal sends (Ctrl-C) reaches the program by itself, as it does everything in the foreground; it must only
//! not end us before the report. What another process sends to us is passed on. When no program runs, the first signal
//! means that there is to be no more waiting, and the second ends us at once, as it does everybody.

use crate::failure::Failure;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What would end us, and may be meant for the program.
const TAKEN: [i32; 9] =
    [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF];
/// What ends the program where it does not say otherwise, and with it all that was to come. A JVM that gets `SIGQUIT` tells what
/// its threads do, and goes on.
const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];
/// What terminals send to everything in the foreground.
const OF_TERMINALS: [i32; 3] = [SIGHUP, SIGINT, SIGQUIT];

/// Who gets the signals.
#[derive(Clone, Default)]
pub struct Signals {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    phase: Phase,
    /// Whether one has come that asks for an end.
    interrupted: bool,
    /// Whether one has come that asks to wait no longer, as no program runs.
    hurried: bool,
    /// Whether they are taken in yet.
    installed: bool,
    /// The folder of the run, which goes whatever happens.
    folder: Option<PathBuf>,
}

/// What there is to get signals.
#[derive(Default)]
enum Phase {
    /// No program.
    #[default]
    Idle,
    /// A program in a moment; these have come for it.
    Starting(Vec<i32>),
    Running(Pid),
}

impl Signals {
    /// Takes signals in from now on, but for those that were ignored when we were started: the program is to ignore them, too.
    pub fn install(&self) -> io::Result<()> {
        if std::mem::replace(&mut self.lock().installed, true) {
            return Ok(());
        }
        // without it, all are taken
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let taken = TAKEN.into_iter().filter(|&signal| !is_ignored(signal, &status));
        let mut signals = SignalsInfo::<WithOrigin>::new(taken)?;
        let state = self.state.clone();
        // ends with the process
        std::thread::Builder::new().name("signals".to_string()).spawn(move || {
            for origin in &mut signals {
                locked(&state).take(&origin);
            }
        })?;
        Ok(())
    }

    /// Starts a program, which gets all signals from now on; none if one has come that asks for an end.
    pub fn start(&self, start: impl FnOnce() -> Result<Child, Failure>) -> Result<Child, Failure> {
        {
            let mut state = self.lock();
            if state.hurried {
                return Err(Failure::Interrupted);
            }
            state.phase = Phase::Starting(vec![]);
        }
        let child = start();
        let pid = child.as_ref().ok().and_then(pid);
        let mut state = self.lock();
        let phase = std::mem::replace(&mut state.phase, pid.map_or(Phase::Idle, Phase::Running));
        if let (Phase::Starting(early), Some(pid)) = (phase, pid) {
            early.into_iter().for_each(|signal| pass_on(signal, pid));
        }
        child
    }

    /// Waits for the end of the program, which gets all signals until then.
    pub fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        if let Some(pid) = pid(child) {
            // Waits without taking notice of the end: as long as that is so, the number is not given to another process.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let waited = || rustix::process::waitid(WaitId::Pid(pid), options);
            while let Err(rustix::io::Errno::INTR) = waited() {}
        }
        self.lock().phase = Phase::Idle;
        child.wait()
    }

    /// Ends the program if it still runs.
    pub fn kill_program(&self) {
        if let Phase::Running(pid) = self.lock().phase {
            pass_on(Signal::KILL.as_raw(), pid);
        }
    }

    /// Whether a signal has come that asks for an end.
    pub fn interrupted(&self) -> bool {
        self.lock().interrupted
    }

    /// Whether a signal has come that asks to wait no longer.
    pub fn hurried(&self) -> bool {
        self.lock().hurried
    }

    /// The folder of the run goes with us if a signal ends us.
    pub fn ends_with_us(&self, folder: &Path) {
        self.lock().folder = Some(folder.to_path_buf());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn take(&mut self, origin: &Origin) {
        let signal = origin.signal;
        self.interrupted |= ENDING.contains(&signal);
        let of_terminal = OF_TERMINALS.contains(&signal) && !matches!(origin.cause, Cause::Sent(_));
        match &mut self.phase {
            Phase::Running(_) if of_terminal => {}
            Phase::Running(pid) => pass_on(signal, *pid),
            // it may not be there yet to get it from the terminal; if it is, it gets it twice
            Phase::Starting(early) => early.push(signal),
            Phase::Idle if self.hurried => self.end(signal),
            Phase::Idle => (self.interrupted, self.hurried) = (true, true),
        }
    }

    /// Ends us as the signal would have.
    fn end(&mut self, signal: i32) {
        if let Some(folder) = self.folder.take() {
            // what cannot be removed stays
            let _ = std::fs::remove_dir_all(folder);
        }
        // fails only for signals that cannot be handled
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

fn pass_on(signal: i32, program: Pid) {
    if let Some(signal) = Signal::from_named_raw(signal) {
        // fails if the program has just ended: then there is nobody to tell
        let _ = rustix::process::kill_process(program, signal);
    }
}

/// The number of a program.
pub fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Whether a process ignores a signal, by its status as the kernel tells it.
fn is_ignored(signal: i32, status: &str) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_a_bit_for_each_signal() {
        let status = "SigCgt:\tffffffffffffffff\nSigIgn:\t0000000000001003\n";
        let ignored: Vec<i32> = TAKEN.into_iter().filter(|it| is_ignored(*it, status)).collect();
        assert_eq!(ignored, [SIGHUP, SIGINT]);
        assert!(!is_ignored(SIGHUP, ""));
    }

    #[test]
    fn a_program_can_be_ended() {
        let signals = Signals::default();
        let sleep = || std::process::Command::new("sleep").arg("30").spawn();
        let start = || sleep().map_err(|error| Failure::Usage(error.to_string()));
        let mut child = signals.start(start).unwrap();
        signals.kill_program();
        let status = signals.wait(&mut child).unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
        // there is none any more
        signals.kill_program();
    }
}
