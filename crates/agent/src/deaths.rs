//! The agent's own thread: it has the probe look for dead objects after garbage was collected (`InterloperDeaths.java`).
//!
//! Threads of agents are not seen by the program. Without this one, say because there is no memory for it, nothing is wrong: the
//! reader just remembers the dead for ever.

use crate::frame::Frame;
use crate::session::{self, Session};
use jvmti_bindings::env::JniEnv;
use jvmti_bindings::sys::jni::{JNIEnv, jvalue};
use jvmti_bindings::sys::jvmti::{JVMTI_THREAD_NORM_PRIORITY, jvmtiEnv};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

/// After so many looks, the dead that were found are told of, however few they are.
const PATIENCE: u32 = 20;

/// Whether garbage was collected since the last look.
static COLLECTED: AtomicBool = AtomicBool::new(false);

/// Garbage was collected: called while all threads stand still.
pub fn collected() {
    COLLECTED.store(true, Ordering::Relaxed);
}

/// Starts the thread, if there is a log to tell of deaths in.
pub fn begin(session: &Session, frame: &Frame<'_>) {
    if session.weaver.config().log && !is_started(frame) {
        frame.clear_exception();
        session.note("no thread to look for dead objects: memory grows with the run".to_owned());
    }
}

fn is_started(frame: &Frame<'_>) -> bool {
    let jni = frame.jni();
    let Some(class) = jni.find_class_cstr(c"java/lang/Thread") else {
        return false;
    };
    let Some(name) = frame.new_string("interloper") else {
        return false;
    };
    // SAFETY: class, constructor and argument belong together, and all were made in this frame. The thread gets a
    // function that lives as long as the agent, which is never unloaded.
    unsafe {
        let constructor = jni.get_method_id_cstr(class, c"<init>", c"(Ljava/lang/String;)V");
        let thread = constructor.and_then(|constructor| {
            jni.new_object(class, constructor, &[jvalue { l: name.raw() }])
        });
        thread.is_some_and(|thread| {
            let (nothing, priority) = (std::ptr::null(), JVMTI_THREAD_NORM_PRIORITY);
            frame.jvmti().run_agent_thread(thread, look_now_and_then, nothing, priority).is_ok()
        })
    }
}

/// The thread's work, until the JVM ends. Nothing in it can panic.
unsafe extern "system" fn look_now_and_then(_: *mut jvmtiEnv, env: *mut JNIEnv, _: *mut c_void) {
    let Some(session) = session::current().filter(|_| !env.is_null()) else {
        return;
    };
    // SAFETY: the JVM passes the environment of this thread, valid until the function returns.
    let (jvmti, jni) = unsafe { (session.jvmti(), JniEnv::from_raw(env)) };
    // SAFETY: as above; the other environment is any thread's.
    let frame = unsafe { Frame::new(&jvmti, &jni) };
    let mut rounds = 0;
    while let Some(probe) = session.probe() {
        probe.rest(&frame);
        if COLLECTED.swap(false, Ordering::Relaxed) {
            probe.look_for_dead(&frame);
        }
        rounds = (rounds + 1) % PATIENCE;
        if rounds == 0 {
            probe.tell_of_dead(&frame);
        }
    }
}
