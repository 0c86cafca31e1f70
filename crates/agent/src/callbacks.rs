//! The JVM's events, in the order of a JVM's life: start, init, classes and threads, death.
//!
//! Panics in here are caught by the binding's trampolines, which are built to unwind.

use crate::frame::{Frame, Global, Local};
use crate::hook::{self, Passing};
use crate::session::{self, Session};
use crate::{deaths, loading, probe, retransform};
use jvmti_bindings::prelude::{
    Agent, AgentLoadContext, CallbackContext, ClassFileLoadHookEvent, ThreadEvent, export_agent,
    jni, jvmti,
};

/// What the JVM calls. All state is in the [`Session`], which the native methods need too.
#[derive(Default)]
struct InterloperAgent;

export_agent!(InterloperAgent);

impl Agent for InterloperAgent {
    fn on_load(&self, context: AgentLoadContext<'_>) -> jni::jint {
        loading::load(&context)
    }

    fn on_attach(&self, _: AgentLoadContext<'_>) -> jni::jint {
        eprintln!(
            "interloper: the agent cannot be attached to a running JVM, only started with it"
        );
        jni::JNI_ERR
    }

    fn callback_panicked(&self, event: &'static str) {
        if let Some(session) = session::current() {
            session.note(format!(
                "the agent failed in the event {event}: a class or a thread's end may be missing"
            ));
        }
    }

    fn vm_start(&self, context: CallbackContext<'_>) {
        with_frame(&context, |session, frame| match probe::define(frame) {
            Ok(defined) => session.keep_defined(defined),
            Err(problem) => session.give_up(&problem),
        });
    }

    fn vm_init(&self, context: CallbackContext<'_>, _: ThreadEvent) {
        with_frame(&context, |session, frame| {
            let Some(defined) = session.take_defined() else {
                return;
            };
            match begin(session, frame, defined) {
                Ok(()) => {
                    deaths::begin(session, frame);
                    retransform::early_classes(session, frame);
                }
                Err(problem) => session.give_up(&problem),
            }
        });
    }

    fn class_file_load_hook<'c>(
        &self,
        context: CallbackContext<'c>,
        mut event: ClassFileLoadHookEvent<'c>,
    ) {
        let name = event.name_str().ok().flatten();
        let woven = with_frame(&context, |session, frame| {
            // SAFETY: both are null or references of this callback.
            let (loader, redefined) = unsafe {
                (frame.local(event.loader()), frame.local(event.class_being_redefined()))
            };
            let bytes = event.class_data();
            hook::pass(session, frame, &Passing { bytes, name: name.as_deref(), loader, redefined })
        });
        if let Some(bytes) = woven.flatten()
            && event.set_transformed_class(&context, &bytes).is_err()
            && let Some(session) = session::current()
        {
            session.skipped(name.as_deref().unwrap_or("a class"), "no memory for the woven class");
        }
    }

    fn thread_end(&self, context: CallbackContext<'_>, _: ThreadEvent) {
        thread_ends(&context);
    }

    fn virtual_thread_end(&self, context: CallbackContext<'_>, _: ThreadEvent) {
        thread_ends(&context);
    }

    fn garbage_collection_finish(&self, _: CallbackContext<'_>) {
        deaths::collected();
    }

    fn vm_death(&self, context: CallbackContext<'_>) {
        with_frame(&context, |session, frame| {
            if let Some(probe) = session.probe() {
                probe.shutdown(frame);
            }
            session.bye();
        });
    }
}

/// Runs the body with the session and the frame of this callback.
fn with_frame<R>(
    context: &CallbackContext<'_>,
    body: impl FnOnce(&'static Session, &Frame<'_>) -> R,
) -> Option<R> {
    let session = session::current()?;
    // SAFETY: the environments of a callback are its thread's and valid until it returns.
    let frame = unsafe { Frame::new(context.jvmti(), context.jni()?) };
    Some(body(session, &frame))
}

fn thread_ends(context: &CallbackContext<'_>) {
    with_frame(context, |session, frame| {
        if let Some(probe) = session.probe() {
            probe.exit(frame);
        }
    });
}

/// From here on the program is watched.
fn begin(session: &Session, frame: &Frame<'_>, defined: probe::Defined) -> Result<(), String> {
    let platform = platform_loader(frame).ok_or("the JVM has no platform class loader")?;
    session.keep_platform_loader(platform);
    session.keep_probe(probe::initialise(frame, defined)?);
    let mut events = vec![jvmti::JVMTI_EVENT_THREAD_END, jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK];
    let had = frame.jvmti().get_capabilities().ok();
    if had.as_ref().is_some_and(|had| had.can_support_virtual_threads()) {
        events.push(jvmti::JVMTI_EVENT_VIRTUAL_THREAD_END);
    }
    if had.is_some_and(|had| had.can_generate_garbage_collection_events()) {
        events.push(jvmti::JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
    }
    frame
        .jvmti()
        .enable_events_global(&events)
        .map_err(|error| format!("the JVM refuses events: {error:?}"))
}

/// The loader of those JDK classes that the boot loader does not load.
fn platform_loader(frame: &Frame<'_>) -> Option<Global> {
    let class = frame.jni().find_class_cstr(c"java/lang/ClassLoader")?;
    let (name, signature) = (c"getPlatformClassLoader", c"()Ljava/lang/ClassLoader;");
    // SAFETY: the class was found just now, the method is its own and takes nothing.
    let loader: Option<Local<'_>> = unsafe {
        let method = frame.jni().get_static_method_id_cstr(class, name, signature);
        method.and_then(|method| {
            frame.local(frame.jni().call_static_object_method(class, method, &[]))
        })
    };
    frame.clear_exception();
    frame.global(loader?)
}
