//! Copies of methods: where calls go that find something to do at the entry (`guards.rs`).
//!
//! A copy is private, has the type of its original, the same code with all its probes, and the same numbers of sites: whatever it tells, it tells in
//! the name of the original. Like bridges, copies can be added to a class only when it is loaded first, and have to stay when it is redefined.

use crate::FIELD;
use crate::around::value_kind;
use crate::bridges::Bridges;
use interloper_jvm::rewrite::{ClassEdit, NewConstants, Refusal, Snippet};
use interloper_jvm::{AccessFlags, ClassFile, Local, Member, MethodDescriptor};

/// What the names of copies begin with; as bridges they are of a kind that makes no call.
const KIND: &str = "copy:";

/// The name of the copy of a method of this name.
fn name_of_copy(name: &str) -> String {
    format!("{FIELD}{KIND}{name}")
}

/// Whether a method of this name is a copy.
pub(crate) fn is_copy(name: &str) -> bool {
    name.strip_prefix(FIELD).is_some_and(|it| it.starts_with(KIND))
}

/// Of methods that should have copies, by their positions: those that can; and those that must, because they have them.
pub(crate) fn allowed(class: &ClassFile<'_>, wanted: Vec<usize>, kept: Bridges<'_>) -> Vec<usize> {
    let Bridges::Kept(kept) = kept else { return wanted };
    let has_one = |method: &Member<'_>| {
        let (name, descriptor) = (class.member_name(method), class.member_descriptor(method));
        let name = name_of_copy(&name);
        kept.iter().any(|it| it.0 == name && it.1 == descriptor)
    };
    let methods = class.methods.iter().enumerate();
    methods.filter(|(_, method)| has_one(method)).map(|(index, _)| index).collect()
}

/// The class with copies of these methods; `None` if there are none.
pub(crate) fn add(class: &ClassFile<'_>, methods: &[usize]) -> Result<Option<Vec<u8>>, Refusal> {
    let mut edit = ClassEdit::new(class);
    for &method in methods {
        let name = name_of_copy(&class.member_name(&class.methods[method]));
        let access = AccessFlags(AccessFlags::PRIVATE.0 | AccessFlags::SYNTHETIC.0);
        edit.copy_method(method, access, &name)?;
    }
    Ok((!methods.is_empty()).then(|| edit.finish()))
}

/// The position of the copy of a method.
pub(crate) fn copy_of(class: &ClassFile<'_>, method: &Member<'_>) -> Option<usize> {
    let name = name_of_copy(&class.member_name(method));
    class
        .methods
        .iter()
        .position(|it| it.descriptor == method.descriptor && class.member_name(it) == name)
}

/// Calls the copy of a method in its place.
pub(crate) fn call(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    constants: &mut NewConstants<'_>,
) -> Result<Snippet, Refusal> {
    let (name, descriptor) = (class.member_name(method), class.member_descriptor(method));
    let copy = constants.method(&class.name, &name_of_copy(&name), &descriptor)?;
    let mut snippet = Snippet::new().load_reference(Local(0));
    // It was read when it was found out what the method looks at.
    let Ok(parsed) = MethodDescriptor::parse(&descriptor) else { return Ok(snippet) };
    let mut slots = 1;
    for parameter in &parsed.parameters {
        snippet = snippet.load(value_kind(*parameter), Local(slots));
        slots += parameter.slots();
    }
    snippet = snippet.invoke_special(copy);
    Ok(snippet.return_from_method(parsed.result.map(value_kind)))
}
