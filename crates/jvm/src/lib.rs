//! Java class files: reader, bytecode, control flow. No JVM is needed.
//!
//! [`ClassFile::parse`] reads a class of any version up to Java 25 as a view over the bytes it is
//! given. Everything in the view knows where it stands in those bytes, so that a rewriter can copy
//! verbatim whatever it does not edit. [`Body::of`] decodes the bytecode of a method and cuts it into
//! basic blocks with normal and exceptional edges.
//!
//! Guarantee: input is hostile. No byte sequence makes the reader panic, run for longer than in
//! proportion to its length, or allocate more than a constant times its length (the edges of a
//! control-flow graph, which could be quadratic, have a bound of their own:
//! [`MAX_EDGES`]). What is wrong is said by a [`ClassError`] with class, method and offset.
//!
//! Not a verifier: the reader checks that a class is well formed (JVMS chapter 4.8 and the parts of
//! 4.9 that say that jumps go to instructions), not that it is well typed.

mod annotation;
mod attribute;
mod body;
mod bootstrap;
mod class;
mod code;
mod cursor;
mod decode;
mod descriptor;
mod error;
mod flow;
mod instruction;
mod mutf8;
mod pool;
pub mod rewrite;

pub use attribute::{Attribute, Attributes};
pub use body::{Block, BlockId, Body, Located, MAX_EDGES};
pub use bootstrap::BootstrapMethod;
pub use class::{AccessFlags, ClassFile, Member, NEWEST_MAJOR};
pub use code::{Code, ExceptionHandler, LineNumber, LocalVariable};
pub use decode::Instructions;
pub use descriptor::{FieldType, MethodDescriptor, Primitive};
pub use error::{ClassError, Fault, Flaw};
pub use instruction::{
    ArrayKind, BinaryOp, CompareOp, Condition, Conversion, Immediate, Instruction, InvokeKind,
    Local, Pc, StackOp, Switch, ValueKind,
};
pub use pool::{Constant, ConstantPool, MemberRef, NameAndType, PoolIndex};
