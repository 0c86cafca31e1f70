//! The stack-map table, taken apart and extended.
//!
//! Guarantee: what is held and written is bounded ([`MAX_TABLE`]), whatever the old table says.

use super::Refusal;
use super::pool::NewConstants;
use crate::class::{AccessFlags, ClassFile, Member};
use crate::descriptor::{FieldType, MethodDescriptor, Primitive};
use crate::instruction::Local;
use crate::pool::PoolIndex;
use std::rc::Rc;

/// So many types are held, so many bytes written, at most. A short frame can stand for 65,535 locals,
/// so that a small class could ask for gigabytes.
pub(super) const MAX_TABLE: usize = 1 << 24;

/// A verification type: its tag, and the class or the instruction it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) tag: u8,
    pub(super) operand: u16,
}

const TOP: u8 = 0;
const INTEGER: u8 = 1;
const FLOAT: u8 = 2;
const DOUBLE: u8 = 3;
const LONG: u8 = 4;
const UNINITIALIZED_THIS: u8 = 6;
pub(super) const OBJECT: u8 = 7;
pub(super) const UNINITIALIZED: u8 = 8;

impl Type {
    /// An int.
    pub(super) const INT: Type = Type { tag: INTEGER, operand: 0 };

    /// An object of this class.
    pub(super) fn object(class: PoolIndex) -> Type {
        Type { tag: OBJECT, operand: class.0 }
    }

    fn plain(tag: u8) -> Type {
        Type { tag, operand: 0 }
    }

    fn slots(self) -> usize {
        if matches!(self.tag, LONG | DOUBLE) { 2 } else { 1 }
    }
}

/// A frame as the table has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// The instruction it describes, by its old pc.
    pub(super) pc: u32,
    pub(super) kind: Kind,
}

/// How a frame is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// The same locals as the frame before, nothing on the stack; whether it was written short.
    Same { short: bool },
    /// The same locals, one value on the stack; whether it was written short.
    SameOne { short: bool, stack: Type },
    /// So many locals fewer.
    Chop(u8),
    /// These locals more.
    Append(Vec<Type>),
    /// All locals and the whole stack.
    Full { locals: Vec<Type>, stack: Vec<Type> },
}

impl Frame {
    /// Whether it needs no frame before it.
    pub(super) fn is_full(&self) -> bool {
        matches!(self.kind, Kind::Full { .. })
    }
}

/// Locals and stack, in full.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// Frames with the same locals share them.
    pub(super) locals: Rc<[Type]>,
    pub(super) stack: Vec<Type>,
}

/// Locals that every frame has behind those of the method.
pub(super) struct Extension {
    /// How many slots the method has.
    max_locals: usize,
    /// In order.
    locals: Vec<(Local, Type)>,
}

impl Extension {
    /// Nothing, for a method with so many slots.
    pub(super) fn new(max_locals: u16) -> Extension {
        Extension { max_locals: max_locals.into(), locals: vec![] }
    }

    /// A local behind the others.
    pub(super) fn add(&mut self, local: Local, a_type: Type) {
        self.locals.push((local, a_type));
    }

    /// Whether frames stay as they are.
    pub(super) fn is_empty(&self) -> bool {
        self.locals.is_empty()
    }

    /// All locals of a frame in which the method has these.
    pub(super) fn extend(&self, locals: &[Type]) -> Result<Rc<[Type]>, Refusal> {
        let mut slots: usize = locals.iter().map(|it| it.slots()).sum();
        if slots > self.max_locals {
            return Err(Refusal::Frames);
        }
        let mut all = locals.to_vec();
        for (local, a_type) in &self.locals {
            let unused = usize::from(local.0).saturating_sub(slots);
            all.extend(std::iter::repeat_n(Type::plain(TOP), unused));
            all.push(*a_type);
            slots += unused + a_type.slots();
        }
        Ok(all.into())
    }
}

/// Reads a table.
pub(super) fn read(data: &[u8]) -> Result<Vec<Frame>, Refusal> {
    let mut bytes = Bytes(data);
    let count = bytes.u16()?;
    let mut frames = Vec::with_capacity(usize::from(count).min(data.len()));
    let mut next = 0u32;
    for _ in 0..count {
        let tag = bytes.u8()?;
        let (delta, kind) = match tag {
            0..=63 => (u16::from(tag), Kind::Same { short: true }),
            64..=127 => {
                (u16::from(tag - 64), Kind::SameOne { short: true, stack: bytes.a_type()? })
            }
            247 => (bytes.u16()?, Kind::SameOne { short: false, stack: bytes.a_type()? }),
            248..=250 => (bytes.u16()?, Kind::Chop(251 - tag)),
            251 => (bytes.u16()?, Kind::Same { short: false }),
            252..=254 => {
                let delta = bytes.u16()?;
                (delta, Kind::Append(bytes.types(u16::from(tag - 251))?))
            }
            255 => {
                let delta = bytes.u16()?;
                let count = bytes.u16()?;
                let locals = bytes.types(count)?;
                let count = bytes.u16()?;
                (delta, Kind::Full { locals, stack: bytes.types(count)? })
            }
            _ => return Err(Refusal::Frames),
        };
        let pc = next + u32::from(delta);
        next = pc + 1;
        frames.push(Frame { pc, kind });
    }
    match bytes.0 {
        [] => Ok(frames),
        _ => Err(Refusal::Frames),
    }
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn u8(&mut self) -> Result<u8, Refusal> {
        let (&first, rest) = self.0.split_first().ok_or(Refusal::Frames)?;
        self.0 = rest;
        Ok(first)
    }

    fn u16(&mut self) -> Result<u16, Refusal> {
        Ok(u16::from_be_bytes([self.u8()?, self.u8()?]))
    }

    fn a_type(&mut self) -> Result<Type, Refusal> {
        match self.u8()? {
            tag @ 0..=6 => Ok(Type::plain(tag)),
            tag @ (OBJECT | UNINITIALIZED) => Ok(Type { tag, operand: self.u16()? }),
            _ => Err(Refusal::Frames),
        }
    }

    fn types(&mut self, count: u16) -> Result<Vec<Type>, Refusal> {
        (0..count).map(|_| self.a_type()).collect()
    }
}

/// The locals with which a method begins.
pub(super) fn initial(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    constants: &mut NewConstants<'_>,
) -> Result<Rc<[Type]>, Refusal> {
    let mut locals = vec![];
    if !method.access.contains(AccessFlags::STATIC) {
        locals.push(match &*class.member_name(method) {
            "<init>" if class.name != "java/lang/Object" => Type::plain(UNINITIALIZED_THIS),
            _ => Type::object(class.this_class),
        });
    }
    let descriptor = class.member_descriptor(method);
    let descriptor = MethodDescriptor::parse(&descriptor).map_err(|_| Refusal::Frames)?;
    for parameter in descriptor.parameters {
        locals.push(match parameter {
            FieldType::Primitive(Primitive::Long) => Type::plain(LONG),
            FieldType::Primitive(Primitive::Double) => Type::plain(DOUBLE),
            FieldType::Primitive(Primitive::Float) => Type::plain(FLOAT),
            FieldType::Primitive(_) => Type::plain(INTEGER),
            FieldType::Object(name) | FieldType::Array(name) => {
                Type::object(constants.class(name)?)
            }
        });
    }
    Ok(locals.into())
}

/// All frames in full, and extended. `initial` is what the first one builds on.
pub(super) fn expand(
    frames: &[Frame],
    initial: &[Type],
    extension: &Extension,
) -> Result<Vec<State>, Refusal> {
    let mut own = initial.to_vec();
    let mut locals = extension.extend(&own)?;
    let mut held = 0;
    let mut states = Vec::with_capacity(frames.len());
    for frame in frames {
        let mut stack = vec![];
        let mut changed = true;
        match &frame.kind {
            Kind::Same { .. } => changed = false,
            Kind::SameOne { stack: one, .. } => {
                changed = false;
                stack.push(*one);
            }
            Kind::Chop(count) => {
                let left = own.len().checked_sub(usize::from(*count)).ok_or(Refusal::Frames)?;
                own.truncate(left);
            }
            Kind::Append(more) => own.extend_from_slice(more),
            Kind::Full { locals, stack: whole } => {
                changed = own != *locals;
                own.clone_from(locals);
                stack.clone_from(whole);
            }
        }
        if changed {
            locals = extension.extend(&own)?;
            held += locals.len();
        }
        if held > MAX_TABLE {
            return Err(Refusal::TableTooLarge);
        }
        states.push(State { locals: locals.clone(), stack });
    }
    Ok(states)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extension(max_locals: u16) -> Extension {
        let mut extension = Extension::new(max_locals);
        extension.add(Local(max_locals), Type::object(PoolIndex(9)));
        extension.add(Local(max_locals + 3), Type::INT);
        extension
    }

    #[test]
    fn unused_slots_are_filled_up() {
        let extended = |max_locals: u16, locals: &[Type]| {
            let all = extension(max_locals).extend(locals)?;
            Ok(all.iter().map(|it| it.tag).collect::<Vec<u8>>())
        };
        let long = Type::plain(LONG);
        let this = Type::plain(UNINITIALIZED_THIS);
        let added = [OBJECT, TOP, TOP, INTEGER];
        assert_eq!(extended(0, &[]), Ok(added.to_vec()));
        assert_eq!(extended(2, &[long]), Ok([&[LONG][..], &added].concat()));
        assert_eq!(
            extended(3, &[this, long]),
            Ok([&[UNINITIALIZED_THIS, LONG][..], &added].concat())
        );
        assert_eq!(extended(3, &[long]), Ok([&[LONG, TOP][..], &added].concat()));
        assert_eq!(extended(1, &[long]), Err(Refusal::Frames));
    }

    #[test]
    fn small_tables_cannot_ask_for_gigabytes() {
        let append = |i: u32| match i % 2 {
            0 => Kind::Append(vec![Type::INT]),
            _ => Kind::Chop(1),
        };
        let frames: Vec<Frame> = (0..60_000).map(|pc| Frame { pc, kind: append(pc) }).collect();
        assert_eq!(
            expand(&frames, &[], &extension(65_000)).map(|states| states.len()),
            Err(Refusal::TableTooLarge)
        );
        assert_eq!(
            expand(&frames, &[], &extension(9)).map(|states| states.len()),
            Ok(frames.len())
        );
    }
}
