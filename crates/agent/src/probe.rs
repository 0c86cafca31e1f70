//! The probe: the Java classes that woven code calls, put into the JVM before any other class of
//! the program.

use crate::frame::{Frame, Global};
use crate::{handles, natives};
use jvmti_bindings::sys::jni;
use std::ffi::CStr;

macro_rules! probe_classes {
    ($($name:literal),* $(,)?) => {
        &[$((
            concat!("java/lang/", $name),
            include_bytes!(concat!("../probe/", $name, ".class")),
        )),*]
    };
}

/// All classes of the probe with their bytes, superclasses before subclasses.
pub const CLASSES: &[(&str, &[u8])] = probe_classes![
    "InterloperNative",
    "InterloperDeath",
    "InterloperRecord",
    "InterloperOffer",
    "InterloperPhases",
    "InterloperLock",
    "InterloperWaits",
    "InterloperEnds",
    "InterloperClass",
    "InterloperSites",
    "InterloperStretches",
    "InterloperTold",
    "InterloperRun",
    "InterloperThread",
    "InterloperCounters",
    "InterloperMap",
    "InterloperDeaths",
    "InterloperNames",
    "InterloperPages",
    "InterloperLog",
    "InterloperThreads",
    "InterloperOwnership",
    "InterloperStatics$Variable",
    "InterloperStatics",
    "InterloperUpdate",
    "InterloperHandles$Meaning",
    "InterloperHandles",
    "InterloperSync",
    "InterloperProbe",
    "InterloperFields",
    "InterloperTogether",
    "InterloperElements",
    "InterloperMade",
    "InterloperAtomics",
    "InterloperCalls",
    "InterloperStarts",
    "InterloperCopies",
];

/// Names that start like this belong to the probe and are never woven.
pub const PREFIX: &str = "java/lang/Interloper";

const NATIVE: &str = "java/lang/InterloperNative";
const HANDLES: &str = "java/lang/InterloperHandles";
const MAIN: &str = "java/lang/InterloperProbe";
const DEATHS: &str = "java/lang/InterloperDeaths";

/// The classes of the probe, defined and not yet initialised.
pub struct Defined(Vec<Global>);

/// The probe, ready to be called.
pub struct Probe {
    class: Global,
    exit: Method,
    shutdown: Method,
    deaths: Global,
    look: Method,
    tell: Method,
    rest: Method,
}

/// A static method without parameters or result.
struct Method(usize);

impl Method {
    fn find(frame: &Frame<'_>, class: &Global, name: &CStr) -> Result<Method, String> {
        // SAFETY: a global reference to a class.
        let id = unsafe { frame.jni().get_static_method_id_cstr(class.raw(), name, c"()V") };
        id.map(|id| Method(id as usize)).ok_or_else(|| {
            frame.describe_exception();
            format!("the probe has no method {}", name.to_string_lossy())
        })
    }
}

/// Defines all classes as classes of the boot loader. Runs none of their code.
pub fn define(frame: &Frame<'_>) -> Result<Defined, String> {
    let define = |(name, bytes): &(&str, &[u8])| {
        // SAFETY: a null loader is the boot loader.
        let raw = unsafe { frame.jni().define_class(name, std::ptr::null_mut(), bytes) };
        // SAFETY: a reference made just now in this frame.
        let class = raw.and_then(|raw| unsafe { frame.local(raw) });
        let global = class.and_then(|class| frame.global(class));
        if let Some(raw) = raw {
            // SAFETY: the same reference, which nobody has any more. The JVM has room for few in a frame.
            unsafe { frame.jni().delete_local_ref(raw) };
        }
        global.ok_or_else(|| {
            frame.describe_exception();
            format!("the JVM refuses the class {name}")
        })
    };
    CLASSES.iter().map(define).collect::<Result<_, _>>().map(Defined)
}

/// Initialises all classes of the probe, so that none can fail later, in the middle of the program.
pub fn initialise(frame: &Frame<'_>, defined: Defined) -> Result<Probe, String> {
    let (mut main, mut deaths) = (None, None);
    for (class, (name, _)) in defined.0.into_iter().zip(CLASSES) {
        // SAFETY: a global reference to a class that is not abstract. The object is not used:
        // making one is the shortest way to have a class initialised.
        let Some(object) = (unsafe { frame.jni().alloc_object(class.raw()) }) else {
            frame.describe_exception();
            return Err(format!("the class {name} does not work in this JVM"));
        };
        // SAFETY: a reference made just now in this frame.
        unsafe { frame.jni().delete_local_ref(object) };
        let methods = match *name {
            NATIVE => natives::METHODS,
            HANDLES => handles::METHODS,
            _ => &[],
        };
        natives::link(frame, &class, methods).map_err(|method| {
            frame.describe_exception();
            format!("the native method {} does not work", method.to_string_lossy())
        })?;
        match *name {
            MAIN => main = Some(class),
            DEATHS => deaths = Some(class),
            _ => {}
        }
    }
    let (class, deaths) = main.zip(deaths).ok_or("the probe lacks a class")?;
    let method = |name: &CStr| Method::find(frame, &class, name);
    let (exit, shutdown) = (method(c"exit")?, method(c"shutdown")?);
    let method = |name: &CStr| Method::find(frame, &deaths, name);
    let (look, tell, rest) = (method(c"look")?, method(c"tellInTime")?, method(c"rest")?);
    Ok(Probe { class, exit, shutdown, deaths, look, tell, rest })
}

impl Probe {
    /// The current thread ends.
    pub fn exit(&self, frame: &Frame<'_>) {
        self.call(frame, &self.class, &self.exit);
    }

    /// Looks for dead objects: for one thread only.
    pub fn look_for_dead(&self, frame: &Frame<'_>) {
        self.call(frame, &self.deaths, &self.look);
    }

    /// Sleeps for a while: for the same thread.
    pub fn rest(&self, frame: &Frame<'_>) {
        self.call(frame, &self.deaths, &self.rest);
    }

    /// Tells of the dead that were found: for the same thread.
    pub fn tell_of_dead(&self, frame: &Frame<'_>) {
        self.call(frame, &self.deaths, &self.tell);
    }

    /// The JVM ends: no events after this.
    pub fn shutdown(&self, frame: &Frame<'_>) {
        self.call(frame, &self.class, &self.shutdown);
    }

    fn call(&self, frame: &Frame<'_>, class: &Global, method: &Method) {
        // An exception of the program's own may be on its way (a thread dies of one): it has to
        // survive.
        let pending = frame.jni().exception_occurred();
        frame.clear_exception();
        // SAFETY: class and method belong together, the method takes nothing and gives nothing back.
        unsafe {
            frame.jni().call_static_void_method(class.raw(), method.0 as jni::jmethodID, &[])
        };
        frame.clear_exception();
        if let Some(exception) = pending {
            // SAFETY: the reference was made in this frame.
            let thrown = unsafe { frame.jni().throw(exception) };
            debug_assert!(thrown.is_ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_jvm::ClassFile;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_has_every_class_of_the_folder() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/probe"))
            .expect("the folder is there");
        let files =
            folder.map(|entry| entry.expect("readable").file_name().into_string().expect("text"));
        let in_folder: BTreeSet<String> = files
            .filter_map(|file| file.strip_suffix(".class").map(|name| format!("java/lang/{name}")))
            .collect();
        let in_table: BTreeSet<String> =
            CLASSES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(in_table, in_folder);
    }

    #[test]
    fn every_class_has_its_name_and_comes_after_its_superclass() {
        let mut defined = BTreeSet::new();
        for (name, bytes) in CLASSES {
            let class = ClassFile::parse(bytes).expect("a class file");
            assert_eq!(class.name, *name);
            let parent = class.super_name().expect("a superclass");
            let there = !parent.starts_with(PREFIX) || defined.contains(&*parent);
            assert!(there, "{name} comes before {parent}");
            defined.insert((*name).to_owned());
        }
    }
}
