//! The JVM as seen from one native frame (a native method or an event callback).
//!
//! Everything that needs `unsafe` to ask the JVM something is here, behind two types: a [`Frame`]
//! holds the two environments of the current thread, a [`Local`] is a reference that is live as
//! long as that frame. Who makes one of a raw handle vouches for it once; all questions asked with
//! them are safe then. No question runs Java code, or loads or initialises a class, so all may be
//! asked inside the class file hook ([`Frame::retransform`] and [`Frame::describe_exception`] are no
//! questions).

use jvmti_bindings::env::{JniEnv, Jvmti};
use jvmti_bindings::sys::jni;
use jvmti_bindings::sys::jvmti::jvmtiError;
use std::marker::PhantomData;

/// Both environments of the current thread, valid until the native frame returns.
pub struct Frame<'f> {
    jvmti: &'f Jvmti,
    jni: &'f JniEnv,
}

/// A non-null reference to an object or a class, live as long as the frame it was made in.
#[derive(Clone, Copy)]
pub struct Local<'f> {
    raw: jni::jobject,
    frame: PhantomData<&'f Jvmti>,
}

impl Local<'_> {
    /// The handle itself, to give it back to the JVM.
    pub fn raw(self) -> jni::jobject {
        self.raw
    }
}

/// One declared field of a class.
pub struct Field {
    /// Its name.
    pub name: String,
    id: jni::jfieldID,
}

impl<'f> Frame<'f> {
    /// The frame of the current callback or native method.
    ///
    /// # Safety
    /// Both environments belong to the current thread and stay valid for `'f`.
    pub unsafe fn new(jvmti: &'f Jvmti, jni: &'f JniEnv) -> Self {
        Self { jvmti, jni }
    }

    /// The JNI environment, for what this module does not offer.
    pub fn jni(&self) -> &'f JniEnv {
        self.jni
    }

    /// The JVMTI environment, for what this module does not offer.
    pub fn jvmti(&self) -> &'f Jvmti {
        self.jvmti
    }

    /// A reference made of a raw handle; `None` for null.
    ///
    /// # Safety
    /// `raw` is null or a JNI reference that is live for `'f`.
    pub unsafe fn local(&self, raw: jni::jobject) -> Option<Local<'f>> {
        (!raw.is_null()).then_some(Local { raw, frame: PhantomData })
    }

    fn own(&self, raw: jni::jobject) -> Option<Local<'f>> {
        // SAFETY: called with references the JVM has just made in this frame only.
        unsafe { self.local(raw) }
    }

    /// The class of an object.
    pub fn class_of(&self, object: Local<'f>) -> Option<Local<'f>> {
        // SAFETY: a Local is live in this frame, so it is for all calls below of this kind.
        self.own(unsafe { self.jni.get_object_class(object.raw) })
    }

    /// The signature of a class as the JVM writes it (`Ljava/lang/String;`, `[I`).
    pub fn signature(&self, class: Local<'f>) -> Option<String> {
        // SAFETY: see class_of.
        unsafe { self.jvmti.get_class_signature(class.raw) }.ok().map(|(signature, _)| signature)
    }

    /// The superclass; `None` for interfaces and java.lang.Object.
    pub fn superclass(&self, class: Local<'f>) -> Option<Local<'f>> {
        // SAFETY: see class_of.
        unsafe { self.jni.get_superclass(class.raw) }.and_then(|raw| self.own(raw))
    }

    /// The class and its superclasses, nearest first.
    pub fn ancestry(&self, class: Local<'f>) -> impl Iterator<Item = Local<'f>> + '_ {
        std::iter::successors(Some(class), |class| self.superclass(*class))
    }

    /// The direct superinterfaces.
    pub fn interfaces(&self, class: Local<'f>) -> Vec<Local<'f>> {
        // SAFETY: see class_of.
        let raw = unsafe { self.jvmti.get_implemented_interfaces(class.raw) }.unwrap_or_default();
        raw.into_iter().filter_map(|raw| self.own(raw)).collect()
    }

    /// The fields the class itself declares; `None` if the class is not prepared yet (or gone).
    pub fn declared_fields(&self, class: Local<'f>) -> Option<Vec<Field>> {
        // SAFETY: see class_of.
        let ids = unsafe { self.jvmti.get_class_fields(class.raw) }.ok()?;
        let field = |id| {
            // SAFETY: the id was given by this very class.
            let (name, _, _) = unsafe { self.jvmti.get_field_name(class.raw, id) }.ok()?;
            Some(Field { name, id })
        };
        Some(ids.into_iter().filter_map(field).collect())
    }

    /// Names and descriptors of the methods the class itself declares; `None` if it is not prepared yet.
    pub fn declared_methods(&self, class: Local<'f>) -> Option<Vec<(String, String)>> {
        // SAFETY: see class_of.
        let ids = unsafe { self.jvmti.get_class_methods(class.raw) }.ok()?;
        let method = |id| {
            // SAFETY: the id was given by the JVM, and the class is not unloaded as long as `class` lives.
            let (name, descriptor, _) = unsafe { self.jvmti.get_method_name(id) }.ok()?;
            Some((name, descriptor))
        };
        Some(ids.into_iter().filter_map(method).collect())
    }

    /// The access flags of a field that `class` declares.
    pub fn flags(&self, class: Local<'f>, field: &Field) -> Option<i32> {
        // SAFETY: fields come from `declared_fields`; a wrong class is refused by the JVM.
        unsafe { self.jvmti.get_field_modifiers(class.raw, field.id) }.ok()
    }

    /// The defining loader of a class; `None` for the boot loader.
    pub fn loader(&self, class: Local<'f>) -> Option<Local<'f>> {
        // SAFETY: see class_of.
        unsafe { self.jvmti.get_class_loader(class.raw) }.ok().and_then(|raw| self.own(raw))
    }

    /// The identity hash of an object: the same for all references to it, and rarely that of another.
    pub fn identity(&self, object: Local<'f>) -> i32 {
        // SAFETY: see class_of.
        unsafe { self.jvmti.get_object_hash_code(object.raw) }.unwrap_or(0)
    }

    /// Whether an object is the one a global reference names.
    pub fn is(&self, object: Local<'f>, other: &Global) -> bool {
        // SAFETY: see class_of; global references live until the JVM ends.
        unsafe { self.jni.is_same_object(object.raw, other.raw()) }
    }

    /// A reference that outlives the frame.
    pub fn global(&self, object: Local<'f>) -> Option<Global> {
        // SAFETY: see class_of.
        let raw = unsafe { self.jni.new_global_ref(object.raw) };
        (!raw.is_null()).then_some(Global(raw as usize))
    }

    /// The name of a thread, as JVMTI knows it.
    pub fn thread_name(&self, thread: Local<'f>) -> Option<String> {
        // SAFETY: see class_of.
        unsafe { self.jvmti.get_thread_info(thread.raw) }.ok().and_then(|info| info.name)
    }

    /// All classes that are loaded now.
    pub fn loaded_classes(&self) -> Vec<Local<'f>> {
        let raw = self.jvmti.get_loaded_classes().unwrap_or_default();
        raw.into_iter().filter_map(|raw| self.own(raw)).collect()
    }

    /// Whether the JVM lets agents change this class.
    pub fn is_modifiable(&self, class: Local<'f>) -> bool {
        // SAFETY: see class_of.
        unsafe { self.jvmti.is_modifiable_class(class.raw) }.unwrap_or(false)
    }

    /// Sends these classes through the class file hook again.
    pub fn retransform(&self, classes: &[Local<'f>]) -> Result<(), jvmtiError> {
        let raw: Vec<jni::jclass> = classes.iter().map(|class| class.raw).collect();
        // SAFETY: see class_of.
        unsafe { self.jvmti.retransform_classes(&raw) }
    }

    /// The text of a java.lang.String.
    pub fn string(&self, string: Local<'f>) -> Option<String> {
        // SAFETY: see class_of; callers pass strings only.
        unsafe { self.jni.get_string_lossy(string.raw) }
    }

    /// A new java.lang.String.
    pub fn new_string(&self, text: &str) -> Option<Local<'f>> {
        self.jni.new_string(text).and_then(|raw| self.own(raw))
    }

    /// Shows a pending exception on standard error and forgets it.
    pub fn describe_exception(&self) {
        if self.jni.exception_check() {
            self.jni.exception_describe();
            self.jni.exception_clear();
        }
    }

    /// Forgets an exception a call has left behind; says whether there was one.
    pub fn clear_exception(&self) -> bool {
        let pending = self.jni.exception_check();
        if pending {
            self.jni.exception_clear();
        }
        pending
    }
}

/// A global reference that is never given back (the few the agent needs for the JVM's whole life).
pub struct Global(usize);

impl Global {
    /// The handle itself.
    pub fn raw(&self) -> jni::jobject {
        self.0 as jni::jobject
    }
}
