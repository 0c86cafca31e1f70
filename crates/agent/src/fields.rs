//! Which field an instruction means: the JVM's own rule (JVMS 5.4.3.2), asked without running or
//! initialising anything.
//!
//! JNI's GetFieldID would be shorter, but it initialises the class and so can wait for a thread
//! that waits for us. Deviation: fields are told apart by name only, not by type. Only obfuscators
//! give two fields of one class the same name.

use crate::frame::{Field, Frame, Local};
use crate::names::internal_name;
use crate::sites::FieldName;
use interloper_weave::{FIELD, groups};

/// The class that declares the field which `field` means in `class`: the class itself, else its
/// superinterfaces, else its superclasses.
pub fn resolve<'f>(frame: &Frame<'f>, class: Local<'f>, field: &FieldName) -> Option<Local<'f>> {
    if declared(frame, class, field).is_some() {
        return Some(class);
    }
    frame
        .interfaces(class)
        .into_iter()
        .find_map(|interface| resolve(frame, interface, field))
        .or_else(|| resolve(frame, frame.superclass(class)?, field))
}

/// The field of this name that `class` itself declares.
fn declared<'f>(frame: &Frame<'f>, class: Local<'f>, field: &FieldName) -> Option<Field> {
    frame.declared_fields(class)?.into_iter().find(|found| *found.name == *field.member)
}

/// The access flags of the field in the class that declares it.
pub fn flags<'f>(frame: &Frame<'f>, declaring: Local<'f>, field: &FieldName) -> Option<i32> {
    let found = declared(frame, declaring, field)?;
    frame.flags(declaring, &found)
}

/// The class of this internal name among `class` and its superclasses.
pub fn ancestor<'f>(frame: &Frame<'f>, class: Local<'f>, name: &str) -> Option<Local<'f>> {
    frame.ancestry(class).find(|class| {
        frame.signature(*class).is_some_and(|signature| internal_name(&signature) == Some(name))
    })
}

/// Whether the class itself declares the state field; `None` if it is not prepared yet.
pub fn has_state<'f>(frame: &Frame<'f>, class: Local<'f>) -> Option<bool> {
    let fields = frame.declared_fields(class)?;
    Some(fields.iter().any(|field| field.name == FIELD))
}

/// The field for the states of further groups, if the class itself declares one.
pub fn further<'f>(frame: &Frame<'f>, class: Local<'f>) -> Option<String> {
    let fields = frame.declared_fields(class)?;
    fields.into_iter().map(|field| field.name).find(|name| groups::is_further(name))
}

/// The group of a field in the class that declares it.
pub fn group<'f>(frame: &Frame<'f>, declaring: Local<'f>, field: &FieldName) -> Option<usize> {
    let fields = frame.declared_fields(declaring)?;
    let further = fields.iter().find(|found| groups::is_further(&found.name))?;
    let position = fields.iter().position(|found| *found.name == *field.member)?;
    Some(groups::group_of(&further.name, position))
}
