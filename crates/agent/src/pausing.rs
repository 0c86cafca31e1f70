//! How a thread of the checked program waits: for another thread, or for room in the log.

use crate::session;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The unit and the longest of the pauses.
const STEP: Duration = Duration::from_micros(50);
const MOST_STEPS: u32 = 20;

/// How often it is looked whether the reader is still there.
const LOOK: Duration = Duration::from_millis(200);

/// Lets others run; the larger the step, the longer.
pub fn pause(step: i32) {
    match u32::try_from(step) {
        Err(_) | Ok(0) => std::thread::yield_now(),
        Ok(step) => {
            std::thread::sleep(STEP * step.min(MOST_STEPS));
            if step >= MOST_STEPS {
                look_for_reader();
            }
        }
    }
}

/// Whoever waits long may wait for a reader that is gone.
fn look_for_reader() {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    // If another thread is at it, that is enough.
    let Ok(mut last) = LAST.try_lock() else {
        return;
    };
    if last.is_none_or(|last| last.elapsed() >= LOOK) {
        *last = Some(Instant::now());
        if let Some(session) = session::current() {
            session.stop_if_deserted();
        }
    }
}
