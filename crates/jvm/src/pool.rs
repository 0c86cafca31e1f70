//! The constant pool.

use crate::cursor::Cursor;
use crate::error::{Fault, Flaw};
use crate::mutf8;
use std::borrow::Cow;
use std::ops::Range;

/// The number of a constant; valid ones count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PoolIndex(pub u16);

/// One constant, its references not followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// Number 0, and the number after a long or double.
    Unusable,
    /// Text: where its bytes begin in the file, and how many there are.
    Utf8 {
        /// Offset of the first byte.
        start: u32,
        /// Number of bytes.
        length: u16,
    },
    /// An int.
    Integer(i32),
    /// A float.
    Float(f32),
    /// A long.
    Long(i64),
    /// A double.
    Double(f64),
    /// A class, interface or array type: the index of its name.
    Class(PoolIndex),
    /// A string: the index of its text.
    String(PoolIndex),
    /// A field.
    Field {
        /// Its class.
        class: PoolIndex,
        /// Its name and type.
        name_and_type: PoolIndex,
    },
    /// A method of a class.
    Method {
        /// Its class.
        class: PoolIndex,
        /// Its name and type.
        name_and_type: PoolIndex,
    },
    /// A method of an interface.
    InterfaceMethod {
        /// Its interface.
        class: PoolIndex,
        /// Its name and type.
        name_and_type: PoolIndex,
    },
    /// A name and a descriptor.
    NameAndType {
        /// The name.
        name: PoolIndex,
        /// The descriptor.
        descriptor: PoolIndex,
    },
    /// A method handle.
    MethodHandle {
        /// What it does, 1 to 9 (JVMS table 5.4.3.5-A).
        kind: u8,
        /// The field or method.
        reference: PoolIndex,
    },
    /// A method type: the index of its descriptor.
    MethodType(PoolIndex),
    /// A constant that is computed at run time.
    Dynamic {
        /// Index into the bootstrap methods.
        bootstrap: u16,
        /// Name and type.
        name_and_type: PoolIndex,
    },
    /// The operand of an invokedynamic instruction.
    InvokeDynamic {
        /// Index into the bootstrap methods.
        bootstrap: u16,
        /// Name and type.
        name_and_type: PoolIndex,
    },
    /// A module: the index of its name.
    Module(PoolIndex),
    /// A package: the index of its name.
    Package(PoolIndex),
}

/// A field or method, by names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRef<'a> {
    /// Internal name of the class it was looked up in; may be an array type such as `[I`.
    pub class: Cow<'a, str>,
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its descriptor.
    pub descriptor: Cow<'a, str>,
    /// Whether `class` is an interface (of methods only).
    pub interface: bool,
}

/// A name and a descriptor, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameAndType<'a> {
    /// The name.
    pub name: Cow<'a, str>,
    /// The descriptor.
    pub descriptor: Cow<'a, str>,
}

/// All constants of a class.
#[derive(Debug, Clone)]
pub struct ConstantPool<'a> {
    file: &'a [u8],
    constants: Vec<Constant>,
    span: Range<usize>,
}

impl<'a> ConstantPool<'a> {
    /// Reads the count and the constants; `file` is the whole class file.
    pub(crate) fn read(file: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Self, Fault> {
        const WHAT: &str = "the constant pool";
        let start = cursor.at();
        let count = cursor.u16(WHAT)?;
        // the smallest constant takes three bytes, so that a short file cannot ask for a large pool
        let mut constants = Vec::with_capacity(usize::from(count).min(cursor.left() / 3 + 1));
        constants.push(Constant::Unusable);
        while constants.len() < usize::from(count) {
            let constant = read_constant(cursor)?;
            let wide = matches!(constant, Constant::Long(_) | Constant::Double(_));
            constants.push(constant);
            if wide {
                constants.push(Constant::Unusable);
            }
        }
        Ok(ConstantPool { file, constants, span: start..cursor.at() })
    }

    /// Where the pool stands in the file: from its count to the end of the last constant.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Where each constant stands in the file, by number; those that are unusable stand where the next one does.
    pub fn places(&self) -> Vec<usize> {
        let mut at = self.span.start + 2;
        let place = |constant: &Constant| {
            let place = at;
            at += match constant {
                Constant::Unusable => 0,
                Constant::Utf8 { length, .. } => 3 + usize::from(*length),
                Constant::Long(_) | Constant::Double(_) => 9,
                Constant::Class(_)
                | Constant::String(_)
                | Constant::MethodType(_)
                | Constant::Module(_)
                | Constant::Package(_) => 3,
                Constant::MethodHandle { .. } => 4,
                _ => 5,
            };
            place
        };
        self.constants.iter().map(place).collect()
    }

    /// All constants; their positions are their numbers.
    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// The constant with this number, `Unusable` if there is none.
    pub fn get(&self, index: PoolIndex) -> Constant {
        self.constants.get(usize::from(index.0)).copied().unwrap_or(Constant::Unusable)
    }

    /// The bytes of a text, in modified UTF-8.
    pub fn utf8_bytes(&self, index: PoolIndex) -> Result<&'a [u8], Flaw> {
        match self.get(index) {
            Constant::Utf8 { start, length } => {
                let start = start as usize;
                Ok(&self.file[start..start + usize::from(length)])
            }
            _ => Err(wrong(index, "a text")),
        }
    }

    /// A text.
    pub fn utf8(&self, index: PoolIndex) -> Result<Cow<'a, str>, Flaw> {
        self.utf8_bytes(index).map(mutf8::decode)
    }

    /// The internal name of a class (`java/lang/Object`), or the descriptor of an array type.
    pub fn class_name(&self, index: PoolIndex) -> Result<Cow<'a, str>, Flaw> {
        match self.get(index) {
            Constant::Class(name) => self.utf8(name),
            _ => Err(wrong(index, "a class")),
        }
    }

    /// A name and a descriptor.
    pub fn name_and_type(&self, index: PoolIndex) -> Result<NameAndType<'a>, Flaw> {
        match self.get(index) {
            Constant::NameAndType { name, descriptor } => {
                Ok(NameAndType { name: self.utf8(name)?, descriptor: self.utf8(descriptor)? })
            }
            _ => Err(wrong(index, "a name and type")),
        }
    }

    /// The field of a field instruction.
    pub fn field(&self, index: PoolIndex) -> Result<MemberRef<'a>, Flaw> {
        match self.get(index) {
            Constant::Field { class, name_and_type } => self.member(class, name_and_type, false),
            _ => Err(wrong(index, "a field")),
        }
    }

    /// The method of an invoke instruction other than invokedynamic.
    pub fn method(&self, index: PoolIndex) -> Result<MemberRef<'a>, Flaw> {
        match self.get(index) {
            Constant::Method { class, name_and_type } => self.member(class, name_and_type, false),
            Constant::InterfaceMethod { class, name_and_type } => {
                self.member(class, name_and_type, true)
            }
            _ => Err(wrong(index, "a method")),
        }
    }

    /// Name and descriptor of an invokedynamic instruction.
    pub fn invoke_dynamic(&self, index: PoolIndex) -> Result<NameAndType<'a>, Flaw> {
        match self.get(index) {
            Constant::InvokeDynamic { name_and_type, .. } => self.name_and_type(name_and_type),
            _ => Err(wrong(index, "a dynamic call site")),
        }
    }

    fn member(
        &self,
        class: PoolIndex,
        name_and_type: PoolIndex,
        interface: bool,
    ) -> Result<MemberRef<'a>, Flaw> {
        let NameAndType { name, descriptor } = self.name_and_type(name_and_type)?;
        Ok(MemberRef { class: self.class_name(class)?, name, descriptor, interface })
    }
}

fn wrong(index: PoolIndex, expected: &'static str) -> Flaw {
    Flaw::Constant { index: index.0, expected }
}

fn read_constant(cursor: &mut Cursor<'_>) -> Result<Constant, Fault> {
    const WHAT: &str = "a constant";
    let offset = cursor.at();
    let tag = cursor.u8(WHAT)?;
    let mut index = || cursor.u16(WHAT).map(PoolIndex);
    Ok(match tag {
        1 => {
            let length = cursor.u16(WHAT)?;
            let start = cursor.at() as u32;
            cursor.take(usize::from(length), WHAT)?;
            Constant::Utf8 { start, length }
        }
        3 => Constant::Integer(cursor.u32(WHAT)? as i32),
        4 => Constant::Float(f32::from_bits(cursor.u32(WHAT)?)),
        5 => Constant::Long(cursor.u64(WHAT)? as i64),
        6 => Constant::Double(f64::from_bits(cursor.u64(WHAT)?)),
        7 => Constant::Class(index()?),
        8 => Constant::String(index()?),
        9 => Constant::Field { class: index()?, name_and_type: index()? },
        10 => Constant::Method { class: index()?, name_and_type: index()? },
        11 => Constant::InterfaceMethod { class: index()?, name_and_type: index()? },
        12 => Constant::NameAndType { name: index()?, descriptor: index()? },
        15 => Constant::MethodHandle {
            kind: cursor.u8(WHAT)?,
            reference: PoolIndex(cursor.u16(WHAT)?),
        },
        16 => Constant::MethodType(index()?),
        17 => Constant::Dynamic { bootstrap: index()?.0, name_and_type: index()? },
        18 => Constant::InvokeDynamic { bootstrap: index()?.0, name_and_type: index()? },
        19 => Constant::Module(index()?),
        20 => Constant::Package(index()?),
        _ => return Err(Flaw::Tag(tag).at(offset)),
    })
}
