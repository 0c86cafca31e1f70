//! The barrier a thread asks for so that all other threads of the process execute one.

use rustix::thread::{MembarrierCommand, membarrier};
use std::sync::atomic::{AtomicBool, Ordering, fence};

/// Whether the kernel lets this process use the quick kind.
static QUICK: AtomicBool = AtomicBool::new(false);

/// Announces to the kernel that this process will ask for barriers. False if it offers none at all.
pub fn register() -> bool {
    let quick = membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok();
    QUICK.store(quick, Ordering::Relaxed);
    quick || membarrier(MembarrierCommand::Global).is_ok()
}

/// When this returns, every running thread of the process has executed a full barrier since the call.
pub fn everywhere() {
    let done =
        QUICK.load(Ordering::Relaxed) && membarrier(MembarrierCommand::PrivateExpedited).is_ok();
    if !done && membarrier(MembarrierCommand::Global).is_err() {
        // `register` refused to start without either; this thread's own barrier is all that is left.
        fence(Ordering::SeqCst);
    }
}
