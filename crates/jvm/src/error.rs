//! What can be wrong with a class file, and where.

use std::fmt;
use thiserror::Error;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Flaw {
    /// The bytes end too early.
    #[error("the bytes end in the middle of {0}")]
    Truncated(&'static str),
    /// There are bytes where there should be none.
    #[error("{0} is longer than what it holds")]
    Trailing(&'static str),
    /// The first four bytes are not those of a class file.
    #[error("not a class file: it begins with {0:#010x}, not with 0xcafebabe")]
    Magic(u32),
    /// The class is for a newer JVM than this reader knows.
    #[error("class file version {major}.{minor} is newer than Java 25 (version {newest})",
            newest = crate::NEWEST_MAJOR)]
    Version {
        /// Major version.
        major: u16,
        /// Minor version.
        minor: u16,
    },
    /// Class files of this size do not exist, and offsets would not fit.
    #[error("a file of {0} bytes is too large to be a class")]
    TooLarge(usize),
    /// An unknown kind of constant.
    #[error("unknown constant tag {0}")]
    Tag(u8),
    /// An index into the constant pool leads nowhere, or to a constant of another kind.
    #[error("constant {index} is not {expected}")]
    Constant {
        /// The index.
        index: u16,
        /// What should be there.
        expected: &'static str,
    },
    /// A descriptor does not follow the grammar.
    #[error("malformed descriptor")]
    Descriptor,
    /// An annotation has a value of unknown kind.
    #[error("unknown kind of annotation value {0:#04x}")]
    AnnotationValue(u8),
    /// Annotations within annotations, too many of them.
    #[error("annotations are nested more than {0} deep")]
    AnnotationDepth(u32),
    /// A byte that is no opcode.
    #[error("unknown opcode {0:#04x}")]
    Opcode(u8),
    /// An instruction's operand has no meaning.
    #[error("operand {0} of the instruction is out of range")]
    Operand(i64),
    /// A jump to where no instruction begins.
    #[error("jump to {0}, where no instruction begins")]
    Target(i64),
    /// A method's code is empty or too long.
    #[error("a code length of {0} is not in 1..65536")]
    CodeLength(u32),
    /// An entry of an exception table has an impossible range.
    #[error("exception handler for {start}..{end} to {handler} lies outside the code")]
    Handler {
        /// First covered pc.
        start: u16,
        /// First pc behind the covered range.
        end: u16,
        /// Where the handler is.
        handler: u16,
    },
    /// The control-flow graph has more edges than [`crate::MAX_EDGES`].
    #[error("the control flow has more than {0} edges")]
    Edges(usize),
}

impl Flaw {
    /// The flaw, found at this offset of the file.
    pub fn at(self, offset: usize) -> Fault {
        Fault { offset, flaw: self }
    }
}

/// A flaw and its offset in the file; becomes a [`ClassError`] where class and method are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("at offset {offset}: {flaw}")]
pub struct Fault {
    /// Where in the class file.
    pub offset: usize,
    /// What is wrong there.
    pub flaw: Flaw,
}

/// Why a class, or a part of it, could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ClassError {
    /// Internal name of the class, where it could be read.
    pub class: Option<String>,
    /// Name and descriptor of the method in which the flaw is, if it is in a method.
    pub method: Option<String>,
    /// Where, and what.
    pub fault: Fault,
}

impl fmt::Display for ClassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(class) = &self.class {
            write!(f, "class {class}, ")?;
        }
        if let Some(method) = &self.method {
            write!(f, "method {method}, ")?;
        }
        self.fault.fmt(f)
    }
}

impl From<Fault> for ClassError {
    fn from(fault: Fault) -> ClassError {
        ClassError { class: None, method: None, fault }
    }
}
