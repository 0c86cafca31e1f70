//! The native methods of `java.lang.InterloperHandles`: the fields of a class, and the sites of accesses
//! through variable handles and field updaters, which are known only when they are made.
//!
//! The rules of `natives.rs` hold here, too.

use crate::names::internal_name;
use crate::natives::{Kind, Native, argument, guarded};
use crate::session::Session;
use interloper_tap::message::{Class, Message, Method, STATIC, Site, SiteKind};
use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jstring};
use std::ptr::null_mut;

/// The native methods.
pub(crate) const METHODS: &[Native] = &[
    (c"fieldNames", c"(Ljava/lang/Class;Z)Ljava/lang/String;", Kind::Object),
    (
        c"tell",
        c"(IILjava/lang/Class;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;I)V",
        Kind::Void,
    ),
];

/// Set in what a place does if the field is static.
const OF_CLASS: jint = 8;

/// The method of the messages about sites: no real one has this number.
const NO_METHOD: u32 = 0;

#[unsafe(export_name = "Java_java_lang_InterloperHandles_fieldNames")]
extern "system" fn field_names(
    env: *mut JNIEnv,
    _: jclass,
    class: jclass,
    is_static: jboolean,
) -> jstring {
    guarded(env, null_mut(), |frame, _| {
        let class = argument(frame, class)?;
        let wanted = is_static != 0;
        let mut names = String::new();
        for field in frame.declared_fields(class)? {
            let flags = frame.flags(class, &field)?;
            if (flags & i32::from(STATIC) != 0) == wanted {
                names += &field.name;
                names.push('\n');
            }
        }
        frame.jni().new_string(&names)
    })
}

#[unsafe(export_name = "Java_java_lang_InterloperHandles_tell")]
extern "system" fn tell(
    env: *mut JNIEnv,
    _: jclass,
    site: jint,
    does: jint,
    declaring: jclass,
    name: jstring,
    label: jstring,
    file: jstring,
    line: jint,
) {
    guarded(env, (), |frame, session| {
        let text = |raw| argument(frame, raw).and_then(|string| frame.string(string));
        let owner = match argument(frame, declaring) {
            Some(class) => internal_name(&frame.signature(class)?)?.to_owned(),
            None => String::new(),
        };
        let place = Place {
            first: u32::try_from(site).ok().filter(|site| *site != 0)?,
            is_static: does & OF_CLASS != 0,
            owner,
            member: text(name).unwrap_or_default(),
            // The JVM has numbers below 0 for what it does not know.
            line: u32::try_from(line).unwrap_or(0),
        };
        let kinds = kinds(does & !OF_CLASS, place.member.is_empty())?;
        place.describe(session, kinds, text(label)?, text(file));
        Some(())
    });
}

/// The kinds of sites of a place, as `InterloperHandles` numbers what it does.
pub(crate) fn kinds(does: jint, element: bool) -> Option<&'static [SiteKind]> {
    use SiteKind::*;
    Some(match (does, element) {
        (0, false) => &[Read],
        (0, true) => &[ElementRead],
        (1, false) => &[Write],
        (1, true) => &[ElementWrite],
        (2, _) => &[VolatileRead],
        (3, _) => &[VolatileWrite],
        (4, _) => &[Update],
        (5, _) => &[VolatileRead, Update],
        _ => return None,
    })
}

/// A place that accesses a variable.
struct Place {
    first: u32,
    is_static: bool,
    owner: String,
    member: String,
    line: u32,
}

impl Place {
    fn describe(
        &self,
        session: &Session,
        kinds: &[SiteKind],
        label: String,
        source: Option<String>,
    ) {
        let Place { first, is_static, line, .. } = *self;
        let site = |(id, kind): (u32, &SiteKind)| Site {
            id,
            kind: *kind,
            is_static,
            owner: self.owner.clone(),
            member: self.member.clone(),
            method: NO_METHOD,
            line,
        };
        let sites: Vec<Site> = (first..).zip(kinds).map(site).collect();
        // The probe asks by the first one only.
        session.sites.add([(first, self.owner.as_str(), self.member.as_str())].into_iter());
        let methods = vec![Method { id: NO_METHOD, label, atomic: false, line }];
        // A class without a name: its sites belong to classes that were told before.
        session.send(&Message::Class(Class { source, methods, sites, ..Class::default() }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_fail_to_write_has_two_sites() {
        assert_eq!(kinds(5, false), Some(&[SiteKind::VolatileRead, SiteKind::Update][..]));
        assert_eq!(kinds(5, true), kinds(5, false));
        assert_eq!(kinds(6, false), None);
    }

    #[test]
    fn plain_accesses_are_those_of_the_variable_itself() {
        assert_eq!(kinds(0, false), Some(&[SiteKind::Read][..]));
        assert_eq!(kinds(1, true), Some(&[SiteKind::ElementWrite][..]));
    }
}
