//! `Agent_OnLoad`: from a run folder to a session.

use crate::session::{self, Session};
use crate::site_words::SiteWords;
use crate::{barrier, caching, environment};
use interloper_tap::archive::Archive;
use interloper_tap::message::{Hello, VERSION};
use interloper_tap::{Arena, Connection, UNWATCHED};
use interloper_weave::{Config, Weaver};
use jvmti_bindings::prelude::{AgentLoadContext, Jvmti, jni, jvmti};
use std::path::Path;
use std::sync::Arc;

/// If set, a JVM that cannot be checked does not start. Without it, it runs unchecked.
const STRICT: &str = "INTERLOPER_STRICT";

/// Sets everything up. The JVM starts in any case, but for [`STRICT`].
pub fn load(context: &AgentLoadContext<'_>) -> jni::jint {
    if session::current().is_some() {
        // Named twice, on the command line and in the environment: once is enough.
        return jni::JNI_OK;
    }
    match try_load(context) {
        Ok(()) => jni::JNI_OK,
        Err(problem) => {
            eprintln!("interloper: this JVM is not checked: {problem}");
            tell_unwatched(context, &problem);
            if std::env::var_os(STRICT).is_some() { jni::JNI_ERR } else { jni::JNI_OK }
        }
    }
}

/// Whoever has started the program is told at its end, too.
fn tell_unwatched(context: &AgentLoadContext<'_>, problem: &str) {
    let Ok(Some(folder)) = context.options_str() else { return };
    let line = format!("process {} was not checked: {problem}", std::process::id());
    // If nobody waits any more, there is nobody to tell.
    let _ = session::leave(Path::new(&*folder), UNWATCHED, &line.replace('\n', " "));
}

fn try_load(context: &AgentLoadContext<'_>) -> Result<(), String> {
    if let Some(option) = caching::option() {
        return Err(format!("{option}: {}; leave the option out", Archive::AheadOfTime));
    }
    let options = context.options_str().map_err(|_| "the run folder's name is not text")?;
    let run_folder = options
        .filter(|folder| !folder.is_empty())
        .ok_or("the agent needs a run folder: -agentpath:LIBRARY=FOLDER")?;
    let folder = Path::new(&*run_folder);
    if !folder.exists() {
        return Err(format!(
            "the interloper process that it was to report to has ended ({run_folder} is gone)"
        ));
    }
    let config = read_config(&folder.join("config"))?;
    let jvmti = context.vm().jvmti().map_err(|code| format!("the JVM offers no JVMTI ({code})"))?;
    if !barrier::register() {
        return Err("the kernel offers no membarrier".to_owned());
    }
    let arena = Arena::create(Arena::CHUNKS, Arena::SLOTS)
        .map_err(|error| format!("no shared memory: {error}"))?;
    let site_words = SiteWords::reserve().map_err(|error| format!("no memory: {error}"))?;
    add_capabilities(&jvmti).map_err(|error| format!("the JVM refuses capabilities: {error:?}"))?;
    let connection = Connection::open(folder, Arc::new(arena), hello(&jvmti))
        .map_err(|error| format!("no interloper process listens: {error}"))?;
    session::begin(Session::new(&jvmti, folder, Weaver::new(config), connection, site_words));
    listen(&jvmti).map_err(|error| format!("the JVM refuses events: {error:?}"))?;
    environment::hand_down(&run_folder);
    Ok(())
}

fn read_config(path: &Path) -> Result<Config, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Config::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Early class hooks are not among them: they would switch class-data sharing off.
fn add_capabilities(jvmti: &Jvmti) -> Result<(), jvmti::jvmtiError> {
    let possible = jvmti.get_potential_capabilities()?;
    let mut wanted = jvmti::jvmtiCapabilities::default();
    wanted.set_can_generate_all_class_hook_events(true);
    wanted.set_can_retransform_classes(true);
    wanted.set_can_retransform_any_class(true);
    wanted.set_can_support_virtual_threads(possible.can_support_virtual_threads());
    let collections = possible.can_generate_garbage_collection_events();
    wanted.set_can_generate_garbage_collection_events(collections);
    jvmti.add_capabilities(&wanted)
}

/// The first events; those of classes and threads are asked for when the probe is ready.
fn listen(jvmti: &Jvmti) -> Result<(), jvmti::jvmtiError> {
    jvmti.set_default_agent_callbacks()?;
    jvmti.enable_events_global(&[
        jvmti::JVMTI_EVENT_VM_START,
        jvmti::JVMTI_EVENT_VM_INIT,
        jvmti::JVMTI_EVENT_VM_DEATH,
    ])
}

fn hello(jvmti: &Jvmti) -> Hello {
    let property =
        |name: &str| jvmti.get_system_property(name).ok().filter(|value| !value.is_empty());
    Hello {
        version: VERSION,
        pid: std::process::id(),
        java: property("java.vm.version").or_else(|| property("java.version")).unwrap_or_default(),
        command: property("sun.java.command").unwrap_or_default(),
    }
}
