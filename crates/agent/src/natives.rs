//! The native methods of `java.lang.InterloperNative`.
//!
//! The JVM finds them by their exported names (and warns on standard error if an agent registers
//! natives of `java.lang` itself). They may be called by any thread, with null for any object, and
//! in a JVM that is going down: every one of them answers with a harmless value then, or not at all once the
//! JVM has ended. No panic and no exception gets out.

use crate::fields;
use crate::frame::{Frame, Global, Local};
use crate::names::{internal_name, readable};
use crate::session::{self, Session};
use crate::{barrier, pausing};
use interloper_tap::message::Message;
use jvmti_bindings::env::JniEnv;
use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jlong, jobject, jstring, jvalue};
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

/// A native method: name, signature, kind of result.
pub(crate) type Native = (&'static CStr, &'static CStr, Kind);

/// The native methods.
pub(crate) const METHODS: &[Native] = &[
    (c"membarrier", c"()V", Kind::Void),
    (c"pause", c"(I)V", Kind::Void),
    (c"settings", c"(I)J", Kind::Long),
    (c"declaring", c"(Ljava/lang/Object;Ljava/lang/Class;I)Ljava/lang/Class;", Kind::Object),
    (c"flags", c"(Ljava/lang/Class;I)I", Kind::Int),
    (c"fieldNumber", c"(I)I", Kind::Int),
    (c"root", c"(Ljava/lang/Class;)Ljava/lang/Class;", Kind::Object),
    (c"groups", c"(Ljava/lang/Class;)Ljava/lang/String;", Kind::Object),
    (c"group", c"(Ljava/lang/Class;I)I", Kind::Int),
    (c"className", c"(ILjava/lang/Class;Z)V", Kind::Void),
    (c"threadName", c"(ILjava/lang/Thread;)V", Kind::Void),
    (c"note", c"(Ljava/lang/String;)V", Kind::Void),
];

/// No native method has more parameters.
const MOST_PARAMETERS: usize = 7;

/// What a native method gives back.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Void,
    Int,
    Long,
    Object,
}

/// Calls every native method of a class once, with nothing. The JVM looks a native method up when it is first
/// called, and runs code of the JDK for that: woven code, later, which would call the probe, which
/// would call the native method. Says which method is missing, if one is.
pub(crate) fn link(
    frame: &Frame<'_>,
    class: &Global,
    methods: &[Native],
) -> Result<(), &'static CStr> {
    let nothing = [jvalue { j: 0 }; MOST_PARAMETERS];
    let (jni, class) = (frame.jni(), class.raw());
    for &(name, signature, kind) in methods {
        // SAFETY: the class is a class. The method, if there, has no more parameters than there are
        // values, zero is a value of each, and it gives back what the table says.
        unsafe {
            let method = jni.get_static_method_id_cstr(class, name, signature).ok_or(name)?;
            match kind {
                Kind::Void => jni.call_static_void_method(class, method, &nothing),
                Kind::Int => drop(jni.call_static_int_method(class, method, &nothing)),
                Kind::Long => drop(jni.call_static_long_method(class, method, &nothing)),
                Kind::Object => drop(jni.call_static_object_method(class, method, &nothing)),
            }
        }
        if jni.exception_check() {
            return Err(name);
        }
    }
    Ok(())
}

/// Runs the body of a native method where it can do no harm: with a session, no exception pending
/// before or after, and no panic.
pub(crate) fn guarded<T: Copy>(
    env: *mut JNIEnv,
    otherwise: T,
    body: impl FnOnce(&Frame<'_>, &Session) -> Option<T>,
) -> T {
    let Some(session) = session::current().filter(|_| !env.is_null()) else {
        return otherwise;
    };
    let answer = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the JVM passes the environment of the calling thread, valid until the method returns.
        let jni = unsafe { JniEnv::from_raw(env) };
        if jni.exception_check() {
            return None;
        }
        let jvmti = session.jvmti();
        // SAFETY: as above; the JVMTI environment lives as long as the JVM.
        let frame = unsafe { Frame::new(&jvmti, &jni) };
        let answer = body(&frame, session);
        frame.clear_exception();
        while session.is_over()
            && let Some(probe) = session.probe()
        {
            // What there is no answer to any more must not be taken for answered: the thread ends here, with the JVM.
            probe.rest(&frame);
        }
        answer
    }));
    answer.ok().flatten().unwrap_or(otherwise)
}

/// An argument of a native method.
pub(crate) fn argument<'f>(frame: &Frame<'f>, raw: jobject) -> Option<Local<'f>> {
    // SAFETY: arguments of a native method are null or live until it returns.
    unsafe { frame.local(raw) }
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_membarrier")]
extern "system" fn membarrier(_: *mut JNIEnv, _: jclass) {
    barrier::everywhere();
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_pause")]
extern "system" fn pause(_: *mut JNIEnv, _: jclass, step: jint) {
    // A pause that fails is a short one.
    let _ = catch_unwind(|| pausing::pause(step));
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_settings")]
extern "system" fn settings(_: *mut JNIEnv, _: jclass, what: jint) -> jlong {
    session::current().and_then(|session| session.setting(what)).unwrap_or(0)
}

/// The class that declares the field of this site: found from the object's class, or from the class
/// literal of a static field.
#[unsafe(export_name = "Java_java_lang_InterloperNative_declaring")]
extern "system" fn declaring(
    env: *mut JNIEnv,
    _: jclass,
    object: jobject,
    class: jclass,
    site: jint,
) -> jclass {
    guarded(env, null_mut(), |frame, session| {
        let field = session.sites.field(site)?;
        let start = match argument(frame, object) {
            Some(object) => fields::ancestor(frame, frame.class_of(object)?, &field.owner)?,
            None => argument(frame, class)?,
        };
        fields::resolve(frame, start, &field).map(Local::raw)
    })
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_flags")]
extern "system" fn flags(env: *mut JNIEnv, _: jclass, declaring: jclass, site: jint) -> jint {
    guarded(env, -1, |frame, session| {
        let field = session.sites.field(site)?;
        fields::flags(frame, argument(frame, declaring)?, &field)
    })
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_fieldNumber")]
extern "system" fn field_number(_: *mut JNIEnv, _: jclass, site: jint) -> jint {
    let field = session::current().and_then(|session| session.sites.field(site));
    field.map_or(0, |field| field.number)
}

/// The topmost class that declares the state field: an object has one number, and one state while it is new.
#[unsafe(export_name = "Java_java_lang_InterloperNative_root")]
extern "system" fn root(env: *mut JNIEnv, _: jclass, declaring: jclass) -> jclass {
    guarded(env, null_mut(), |frame, session| {
        let declares = |class: &Local<'_>| {
            // Most classes on the way up do not have it: asking the book first spares listing their
            // fields.
            let signature = frame.signature(*class).unwrap_or_default();
            internal_name(&signature).is_some_and(|name| session.book.may_carry(name))
                && fields::has_state(frame, *class) == Some(true)
        };
        frame.ancestry(argument(frame, declaring)?).filter(declares).last().map(Local::raw)
    })
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_groups")]
extern "system" fn groups(env: *mut JNIEnv, _: jclass, root: jclass) -> jstring {
    guarded(env, null_mut(), |frame, _| {
        let name = fields::further(frame, argument(frame, root)?)?;
        frame.new_string(&name).map(Local::raw)
    })
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_group")]
extern "system" fn group(env: *mut JNIEnv, _: jclass, root: jclass, site: jint) -> jint {
    guarded(env, 0, |frame, session| {
        let field = session.sites.field(site)?;
        let group = fields::group(frame, argument(frame, root)?, &field)?;
        jint::try_from(group).ok()
    })
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_className")]
extern "system" fn class_name(
    env: *mut JNIEnv,
    _: jclass,
    number: jint,
    class: jclass,
    object: jboolean,
) {
    guarded(env, (), |frame, session| {
        let mut name = readable(&frame.signature(argument(frame, class)?)?);
        if object != 0 {
            name.push_str(".class");
        }
        session.send(&Message::ClassName { number: u32::try_from(number).ok()?, name });
        Some(())
    });
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_threadName")]
extern "system" fn thread_name(env: *mut JNIEnv, _: jclass, uid: jint, thread: jobject) {
    guarded(env, (), |frame, session| {
        let name = frame.thread_name(argument(frame, thread)?).unwrap_or_default();
        session.name_thread(u32::try_from(uid).ok()?, name);
        Some(())
    });
}

#[unsafe(export_name = "Java_java_lang_InterloperNative_note")]
extern "system" fn note(env: *mut JNIEnv, _: jclass, text: jstring) {
    guarded(env, (), |frame, session| {
        let text = frame.string(argument(frame, text)?)?;
        session.send(&Message::Note { text });
        Some(())
    });
}
