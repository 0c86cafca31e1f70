//! The stack-map table, taken apart and put together again.

use super::Refusal;
use super::pool::NewConstants;
use crate::class::{AccessFlags, ClassFile, Member};
use crate::descriptor::{FieldType, MethodDescriptor, Primitive};
use crate::pool::PoolIndex;

/// A verification type: its tag, and the class or the instruction it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Type {
    tag: u8,
    operand: u16,
}

const INTEGER: u8 = 1;
const FLOAT: u8 = 2;
const DOUBLE: u8 = 3;
const LONG: u8 = 4;
const UNINITIALIZED_THIS: u8 = 6;
const OBJECT: u8 = 7;
const UNINITIALIZED: u8 = 8;

impl Type {
    /// An object of this class.
    pub(super) fn object(class: PoolIndex) -> Type {
        Type { tag: OBJECT, operand: class.0 }
    }

    fn plain(tag: u8) -> Type {
        Type { tag, operand: 0 }
    }
}

/// A frame as the table has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// The instruction it describes, by its old pc.
    pub(super) pc: u32,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// The same locals as the frame before, nothing on the stack; whether it was written short.
    Same { short: bool },
    /// The same locals, one value on the stack; whether it was written short.
    SameOne { short: bool, stack: Type },
    /// So many locals fewer.
    Chop(u8),
    /// These locals more.
    Append(Vec<Type>),
    /// All locals and the whole stack.
    Full(State),
}

/// Locals and stack, in full.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) locals: Vec<Type>,
    pub(super) stack: Vec<Type>,
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
                (delta, Kind::Full(State { locals, stack: bytes.types(count)? }))
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
) -> Result<State, Refusal> {
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
    Ok(State { locals, stack: vec![] })
}

/// All frames in full.
pub(super) fn expand(frames: &[Frame], initial: State) -> Result<Vec<State>, Refusal> {
    let mut locals = initial.locals;
    let mut states = Vec::with_capacity(frames.len());
    for frame in frames {
        let mut stack = vec![];
        match &frame.kind {
            Kind::Same { .. } => {}
            Kind::SameOne { stack: one, .. } => stack.push(*one),
            Kind::Chop(count) => {
                let left = locals.len().checked_sub(usize::from(*count)).ok_or(Refusal::Frames)?;
                locals.truncate(left);
            }
            Kind::Append(more) => locals.extend_from_slice(more),
            Kind::Full(state) => {
                locals.clone_from(&state.locals);
                stack.clone_from(&state.stack);
            }
        }
        states.push(State { locals: locals.clone(), stack });
    }
    Ok(states)
}

/// Writes a table, frame by frame in the order of the new code.
pub(super) struct Writer<F> {
    bytes: Vec<u8>,
    count: u16,
    /// The place of the frame before.
    last: Option<usize>,
    /// Where the `new` instruction at an old pc has come to.
    place_of_new: F,
}

impl<F: Fn(u16) -> usize> Writer<F> {
    pub(super) fn new(place_of_new: F) -> Writer<F> {
        Writer { bytes: vec![], count: 0, last: None, place_of_new }
    }

    /// Writes a frame as it was, at its new place. The frame before must be the one that was before
    /// it.
    pub(super) fn keep(&mut self, frame: &Frame, at: usize) {
        let delta = self.step(at);
        match &frame.kind {
            Kind::Same { short: true } if delta < 64 => self.bytes.push(delta as u8),
            Kind::Same { .. } => self.tagged(251, delta),
            Kind::SameOne { short: true, stack } if delta < 64 => {
                self.bytes.push(64 + delta as u8);
                self.types(&[*stack]);
            }
            Kind::SameOne { stack, .. } => {
                self.tagged(247, delta);
                self.types(&[*stack]);
            }
            Kind::Chop(count) => self.tagged(251 - count, delta),
            Kind::Append(more) => {
                self.tagged(251 + more.len() as u8, delta);
                self.types(more);
            }
            Kind::Full(state) => self.full_at(delta, state),
        }
    }

    /// Writes a frame in full.
    pub(super) fn full(&mut self, state: &State, at: usize) {
        let delta = self.step(at);
        self.full_at(delta, state);
    }

    /// The data of the attribute; `None` if there is no frame.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        (self.count > 0).then(|| [&self.count.to_be_bytes()[..], &self.bytes].concat())
    }

    fn full_at(&mut self, delta: u16, state: &State) {
        self.tagged(255, delta);
        for types in [&state.locals, &state.stack] {
            self.bytes.extend_from_slice(&(types.len() as u16).to_be_bytes());
            self.types(types);
        }
    }

    /// The distance to the frame before, as tables count it.
    fn step(&mut self, at: usize) -> u16 {
        let delta = self.last.map_or(at, |last| at.wrapping_sub(last + 1));
        self.last = Some(at);
        self.count += 1;
        delta as u16
    }

    fn tagged(&mut self, tag: u8, delta: u16) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(&delta.to_be_bytes());
    }

    fn types(&mut self, types: &[Type]) {
        for a_type in types {
            self.bytes.push(a_type.tag);
            match a_type.tag {
                OBJECT => self.bytes.extend_from_slice(&a_type.operand.to_be_bytes()),
                UNINITIALIZED => {
                    let place = (self.place_of_new)(a_type.operand) as u16;
                    self.bytes.extend_from_slice(&place.to_be_bytes());
                }
                _ => {}
            }
        }
    }
}
