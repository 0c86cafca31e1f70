//! Every class on its way into the JVM: woven if it is wanted, otherwise left exactly as it is.
//!
//! Runs inside class loading, so it must not load classes or run Java code itself. Whatever fails
//! leaves the class alone and tells the reader.

use crate::book::LoaderKey;
use crate::fields;
use crate::frame::{Frame, Local};
use crate::names::internal_name;
use crate::probe;
use crate::session::Session;
use interloper_jvm::ClassFile;
use interloper_weave::bridges::{Bridges, is_bridge};
use interloper_weave::{FIELD, Further, Loaded, hooks};

/// A class file that passes the hook.
pub struct Passing<'f> {
    /// Its bytes.
    pub bytes: &'f [u8],
    /// Its name, if the JVM knows it yet.
    pub name: Option<&'f str>,
    /// The loader that defines it; none for the boot loader.
    pub loader: Option<Local<'f>>,
    /// The class that this thread is just redefining. It can be another one, of which this is a part.
    pub redefined: Option<Local<'f>>,
}

/// The bytes to load instead, if any.
pub fn pass<'f>(session: &Session, frame: &Frame<'f>, passing: &Passing<'f>) -> Option<Vec<u8>> {
    match passing.name {
        Some(name) => pass_named(session, frame, passing, name),
        None => {
            let class = ClassFile::parse(passing.bytes).ok()?;
            pass_named(session, frame, passing, &class.name)
        }
    }
}

fn pass_named<'f>(
    session: &Session,
    frame: &Frame<'f>,
    passing: &Passing<'f>,
    name: &str,
) -> Option<Vec<u8>> {
    if name.starts_with(probe::PREFIX) {
        return None;
    }
    session.weaver.meet(name);
    let woven = weave_wanted(session, frame, passing, name);
    session.tell_met();
    woven
}

fn weave_wanted<'f>(
    session: &Session,
    frame: &Frame<'f>,
    passing: &Passing<'f>,
    name: &str,
) -> Option<Vec<u8>> {
    let from_jdk = session.is_of_jdk(frame, passing.loader);
    let hooked = if from_jdk && hooks::HOOKED.contains(&name) {
        put_hooks(session, passing.bytes, name)
    } else {
        None
    };
    let foreign = from_jdk || Session::is_of_build_tool(frame, passing.loader);
    if !session.weaver.config().wants(name, foreign) {
        // Of classes that are there already, that was told before.
        if passing.redefined.is_none() {
            session.explain_refusal(name);
        }
        return hooked;
    }
    let bytes = hooked.as_deref().unwrap_or(passing.bytes);
    weave(session, frame, passing, name, bytes).or(hooked)
}

fn put_hooks(session: &Session, bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    hooks::weave(bytes).unwrap_or_else(|error| {
        session.skipped(name, &error.to_string());
        None
    })
}

fn weave<'f>(
    session: &Session,
    frame: &Frame<'f>,
    passing: &Passing<'f>,
    name: &str,
    bytes: &[u8],
) -> Option<Vec<u8>> {
    let loader = passing.loader.map_or(LoaderKey::BOOT, |loader| LoaderKey(frame.identity(loader)));
    let again = being_redefined(frame, passing, name);
    let kept = again.and_then(|class| fields::further(frame, class));
    let early = again.is_some() && session.book.outcome(loader, name).is_none();
    let in_jvm = again.and_then(|class| fields::has_state(frame, class)).or(early.then_some(false));
    let loaded = how_loaded(session, passing, in_jvm, kept.as_deref(), loader);
    let bridges = match again {
        Some(class) => bridges_of(frame, class).or(loaded.retransformed.then(Vec::new)),
        None => None,
    };
    let bridges = bridges.as_deref().map_or(Bridges::Needed, Bridges::Kept);
    let loaded = Loaded { bridges, ..loaded };
    match session.weaver.weave(bytes, loaded) {
        Ok(woven) => {
            session.book.note(
                loader,
                name,
                loaded.super_instrumented || declares_state(&woven.bytes),
            );
            session.describe(woven.class, &woven.leaves, woven.skipped);
            Some(woven.bytes)
        }
        Err(error) => {
            session.book.note(loader, name, loaded.super_instrumented);
            session.skipped(name, &error.to_string());
            None
        }
    }
}

/// The class of this name that is being redefined.
fn being_redefined<'f>(frame: &Frame<'f>, passing: &Passing<'f>, name: &str) -> Option<Local<'f>> {
    passing.redefined.filter(|class| {
        frame.signature(*class).is_some_and(|signature| internal_name(&signature) == Some(name))
    })
}

/// The bridges that a class in the JVM has: it must keep them, and can get no others. `None` if it is
/// not prepared yet.
fn bridges_of<'f>(frame: &Frame<'f>, class: Local<'f>) -> Option<Vec<(String, String)>> {
    let methods = frame.declared_methods(class)?;
    Some(methods.into_iter().filter(|(name, _)| is_bridge(name)).collect())
}

/// `in_jvm`: whether the class, as it is in the JVM already, has the state field. The JVM does not tell that of a class that is
/// loaded but not prepared yet. If the book does not know such a class either, it was loaded before there was a hook, as it was:
/// nothing can be added to it. If it does, what is done now has to be what was done then.
fn how_loaded<'k>(
    session: &Session,
    passing: &Passing<'_>,
    in_jvm: Option<bool>,
    kept: Option<&'k str>,
    loader: LoaderKey,
) -> Loaded<'k> {
    match in_jvm {
        // The class must keep the fields it has, these too, whatever is known of its superclass.
        Some(true) => Loaded { further: Further::Kept(kept), ..Loaded::default() },
        in_jvm => Loaded {
            retransformed: in_jvm.is_some(),
            super_instrumented: super_carries(session, passing, loader),
            ..Loaded::default()
        },
    }
}

/// Whether the superclass has the state field: as the book says, else by the rule for its name.
fn super_carries(session: &Session, passing: &Passing<'_>, loader: LoaderKey) -> bool {
    let Ok(class) = ClassFile::parse(passing.bytes) else {
        return false;
    };
    class.super_name().is_some_and(|name| {
        session.book.carries(loader, &name).unwrap_or_else(|| session.expects_woven(&name))
    })
}

/// Whether the class itself has the state field now.
fn declares_state(bytes: &[u8]) -> bool {
    ClassFile::parse(bytes)
        .is_ok_and(|class| class.fields.iter().any(|field| class.member_name(field) == FIELD))
}
