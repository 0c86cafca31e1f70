//! Constants that are added to a class; those it has already are found and used again.

use super::Refusal;
use crate::class::ClassFile;
use crate::mutf8;
use crate::pool::{Constant, PoolIndex};
use std::collections::HashMap;

/// The kind of method handles that call static methods (JVMS table 5.4.3.5-A).
const INVOKE_STATIC: u8 = 6;

/// What a constant says, with references to others by number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Entry {
    Utf8(Vec<u8>),
    Integer(i32),
    Class(PoolIndex),
    String(PoolIndex),
    NameAndType(PoolIndex, PoolIndex),
    Field(PoolIndex, PoolIndex),
    Method(PoolIndex, PoolIndex),
    InterfaceMethod(PoolIndex, PoolIndex),
    MethodHandle(u8, PoolIndex),
}

/// The constants of a class and those to be appended to them.
pub struct NewConstants<'a> {
    class: &'a ClassFile<'a>,
    /// Filled when first asked: most classes that are looked at are not edited.
    known: Option<HashMap<Entry, PoolIndex>>,
    bytes: Vec<u8>,
    count: u16,
}

impl<'a> NewConstants<'a> {
    pub(super) fn new(class: &'a ClassFile<'a>) -> NewConstants<'a> {
        let count = class.pool.constants().len() as u16;
        NewConstants { class, known: None, bytes: vec![], count }
    }

    /// How many constants there are, as class files count them: one more than there are.
    pub(super) fn count(&self) -> u16 {
        self.count
    }

    /// The new constants.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A text.
    pub fn utf8(&mut self, text: &str) -> Result<PoolIndex, Refusal> {
        self.add(Entry::Utf8(mutf8::encode(text)))
    }

    /// An int, for `ldc`.
    pub fn integer(&mut self, value: i32) -> Result<PoolIndex, Refusal> {
        self.add(Entry::Integer(value))
    }

    /// A class by its internal name, or an array type by its descriptor.
    pub fn class(&mut self, name: &str) -> Result<PoolIndex, Refusal> {
        let name = self.utf8(name)?;
        self.add(Entry::Class(name))
    }

    /// A string, for `ldc`.
    pub fn string(&mut self, text: &str) -> Result<PoolIndex, Refusal> {
        let text = self.utf8(text)?;
        self.add(Entry::String(text))
    }

    /// A field.
    pub fn field(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<PoolIndex, Refusal> {
        let (class, name_and_type) = (self.class(class)?, self.name_and_type(name, descriptor)?);
        self.add(Entry::Field(class, name_and_type))
    }

    /// A method of a class that is no interface.
    pub fn method(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<PoolIndex, Refusal> {
        let (class, name_and_type) = (self.class(class)?, self.name_and_type(name, descriptor)?);
        self.add(Entry::Method(class, name_and_type))
    }

    /// A method of an interface.
    pub fn interface_method(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<PoolIndex, Refusal> {
        let (class, name_and_type) = (self.class(class)?, self.name_and_type(name, descriptor)?);
        self.add(Entry::InterfaceMethod(class, name_and_type))
    }

    /// A handle that calls this static method.
    pub fn static_handle(&mut self, method: PoolIndex) -> Result<PoolIndex, Refusal> {
        self.add(Entry::MethodHandle(INVOKE_STATIC, method))
    }

    fn name_and_type(&mut self, name: &str, descriptor: &str) -> Result<PoolIndex, Refusal> {
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        self.add(Entry::NameAndType(name, descriptor))
    }

    fn add(&mut self, entry: Entry) -> Result<PoolIndex, Refusal> {
        let class = self.class;
        let known = self.known.get_or_insert_with(|| entries(class));
        if let Some(&index) = known.get(&entry) {
            return Ok(index);
        }
        if self.count == u16::MAX {
            return Err(Refusal::TooManyConstants);
        }
        let index = PoolIndex(self.count);
        write(&entry, &mut self.bytes);
        known.insert(entry, index);
        self.count += 1;
        Ok(index)
    }
}

/// The constants that a class has, of the kinds that can be added.
fn entries(class: &ClassFile<'_>) -> HashMap<Entry, PoolIndex> {
    let mut known = HashMap::with_capacity(class.pool.constants().len());
    for (index, constant) in class.pool.constants().iter().enumerate() {
        let index = PoolIndex(index as u16);
        let entry = match *constant {
            Constant::Utf8 { .. } => match class.pool.utf8_bytes(index) {
                Ok(bytes) => Entry::Utf8(bytes.to_vec()),
                Err(_) => continue,
            },
            Constant::Integer(value) => Entry::Integer(value),
            Constant::Class(name) => Entry::Class(name),
            Constant::String(text) => Entry::String(text),
            Constant::NameAndType { name, descriptor } => Entry::NameAndType(name, descriptor),
            Constant::Field { class, name_and_type } => Entry::Field(class, name_and_type),
            Constant::Method { class, name_and_type } => Entry::Method(class, name_and_type),
            Constant::InterfaceMethod { class, name_and_type } => {
                Entry::InterfaceMethod(class, name_and_type)
            }
            Constant::MethodHandle { kind, reference } => Entry::MethodHandle(kind, reference),
            _ => continue,
        };
        known.entry(entry).or_insert(index);
    }
    known
}

fn write(entry: &Entry, out: &mut Vec<u8>) {
    let mut pair = |tag: u8, a: PoolIndex, b: PoolIndex| {
        out.push(tag);
        out.extend_from_slice(&a.0.to_be_bytes());
        out.extend_from_slice(&b.0.to_be_bytes());
    };
    match *entry {
        Entry::Field(class, name_and_type) => pair(9, class, name_and_type),
        Entry::Method(class, name_and_type) => pair(10, class, name_and_type),
        Entry::InterfaceMethod(class, name_and_type) => pair(11, class, name_and_type),
        Entry::NameAndType(name, descriptor) => pair(12, name, descriptor),
        Entry::Class(PoolIndex(name)) => {
            out.push(7);
            out.extend_from_slice(&name.to_be_bytes());
        }
        Entry::String(PoolIndex(text)) => {
            out.push(8);
            out.extend_from_slice(&text.to_be_bytes());
        }
        Entry::MethodHandle(kind, PoolIndex(reference)) => {
            out.extend_from_slice(&[15, kind]);
            out.extend_from_slice(&reference.to_be_bytes());
        }
        Entry::Integer(value) => {
            out.push(3);
            out.extend_from_slice(&value.to_be_bytes());
        }
        Entry::Utf8(ref text) => {
            out.push(1);
            out.extend_from_slice(&(text.len() as u16).to_be_bytes());
            out.extend_from_slice(text);
        }
    }
}
