//! The `Code` attribute of a method, and the tables in it.

use crate::attribute::{Attribute, Attributes};
use crate::cursor::Cursor;
use crate::error::{Fault, Flaw};
use crate::instruction::{Local, Pc};
use crate::pool::{ConstantPool, PoolIndex};
use std::ops::Range;

/// The code of a method.
#[derive(Debug, Clone)]
pub struct Code<'a> {
    /// The attribute as a whole.
    pub attribute: Attribute<'a>,
    /// How many slots the operand stack has.
    pub max_stack: u16,
    /// How many slots the local variables have.
    pub max_locals: u16,
    /// The instructions.
    pub bytecode: &'a [u8],
    /// Where the instructions stand in the file: pc 0 is its start.
    pub bytecode_span: Range<usize>,
    /// The exception table, in order: the first entry that fits catches.
    pub handlers: Vec<ExceptionHandler>,
    /// Where the exception table stands in the file, with its count.
    pub handlers_span: Range<usize>,
    /// The attributes of the code: line numbers, local variables, stack maps.
    pub attributes: Attributes<'a>,
}

/// An entry of an exception table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExceptionHandler {
    /// First covered instruction.
    pub start: Pc,
    /// The first pc behind the covered range; may be the length of the code.
    pub end: Pc,
    /// Where the handler begins.
    pub handler: Pc,
    /// The class that is caught; none for everything (`finally`, monitors).
    pub catch_type: Option<PoolIndex>,
}

/// From this instruction on, the code belongs to this line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineNumber {
    /// First instruction.
    pub start: Pc,
    /// Line of the source file, from 1.
    pub line: u16,
}

/// A slot has this name in this range of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalVariable {
    /// First instruction at which the variable has a value.
    pub start: Pc,
    /// The first pc behind its range. Debugging tables can lie: it may be behind the code.
    pub end: u32,
    /// Index of its name.
    pub name: PoolIndex,
    /// Index of its descriptor.
    pub descriptor: PoolIndex,
    /// Its slot.
    pub slot: Local,
}

impl<'a> Code<'a> {
    /// Reads the attribute; `old` is for classes of version 45.2 and before.
    pub(crate) fn read(
        file: &'a [u8],
        attribute: Attribute<'a>,
        old: bool,
    ) -> Result<Code<'a>, Fault> {
        const WHAT: &str = "the code";
        let mut cursor = Cursor::new(file, attribute.data_span());
        let small = |cursor: &mut Cursor<'a>| match old {
            true => cursor.u8(WHAT).map(u16::from),
            false => cursor.u16(WHAT),
        };
        let max_stack = small(&mut cursor)?;
        let max_locals = small(&mut cursor)?;
        let offset = cursor.at();
        let length = if old { cursor.u16(WHAT)?.into() } else { cursor.u32(WHAT)? };
        if !(1..=u32::from(u16::MAX)).contains(&length) {
            return Err(Flaw::CodeLength(length).at(offset));
        }
        let start = cursor.at();
        let bytecode = cursor.take(length as usize, WHAT)?;
        let bytecode_span = start..cursor.at();
        let handlers = read_handlers(&mut cursor, length)?;
        let handlers_span = bytecode_span.end..cursor.at();
        let attributes = Attributes::read(file, &mut cursor)?;
        cursor.finish(WHAT)?;
        Ok(Code {
            attribute,
            max_stack,
            max_locals,
            bytecode,
            bytecode_span,
            handlers,
            handlers_span,
            attributes,
        })
    }

    /// The `StackMapTable`, uninterpreted.
    pub fn stack_map_table(&self, pool: &ConstantPool<'a>) -> Option<Attribute<'a>> {
        self.attributes.named(pool, "StackMapTable").next()
    }

    pub(crate) fn line_numbers(
        &self,
        file: &'a [u8],
        pool: &ConstantPool<'a>,
    ) -> Result<Vec<LineNumber>, Fault> {
        const WHAT: &str = "the line numbers";
        let mut lines = Vec::new();
        // compilers may spread the table over several attributes
        for attribute in self.attributes.named(pool, "LineNumberTable") {
            let mut cursor = Cursor::new(file, attribute.data_span());
            for _ in 0..cursor.u16(WHAT)? {
                let start = Pc(cursor.u16(WHAT)?);
                lines.push(LineNumber { start, line: cursor.u16(WHAT)? });
            }
            cursor.finish(WHAT)?;
        }
        lines.sort_by_key(|it| it.start);
        Ok(lines)
    }

    pub(crate) fn local_variables(
        &self,
        file: &'a [u8],
        pool: &ConstantPool<'a>,
    ) -> Result<Vec<LocalVariable>, Fault> {
        const WHAT: &str = "the local variables";
        let mut variables = Vec::new();
        for attribute in self.attributes.named(pool, "LocalVariableTable") {
            let mut cursor = Cursor::new(file, attribute.data_span());
            for _ in 0..cursor.u16(WHAT)? {
                let start = cursor.u16(WHAT)?;
                let length = cursor.u16(WHAT)?;
                variables.push(LocalVariable {
                    start: Pc(start),
                    end: u32::from(start) + u32::from(length),
                    name: PoolIndex(cursor.u16(WHAT)?),
                    descriptor: PoolIndex(cursor.u16(WHAT)?),
                    slot: Local(cursor.u16(WHAT)?),
                });
            }
            cursor.finish(WHAT)?;
        }
        Ok(variables)
    }
}

fn read_handlers(
    cursor: &mut Cursor<'_>,
    code_length: u32,
) -> Result<Vec<ExceptionHandler>, Fault> {
    const WHAT: &str = "the exception table";
    let count = cursor.u16(WHAT)?;
    let mut handlers = Vec::with_capacity(usize::from(count).min(cursor.left() / 8));
    for _ in 0..count {
        let offset = cursor.at();
        let (start, end) = (cursor.u16(WHAT)?, cursor.u16(WHAT)?);
        let (handler, catch_type) = (cursor.u16(WHAT)?, cursor.u16(WHAT)?);
        // an empty range is not allowed, but was made by old compilers, and covers nothing
        let whole =
            start <= end && u32::from(end) <= code_length && u32::from(handler) < code_length;
        if !whole {
            return Err(Flaw::Handler { start, end, handler }.at(offset));
        }
        handlers.push(ExceptionHandler {
            start: Pc(start),
            end: Pc(end),
            handler: Pc(handler),
            catch_type: Some(PoolIndex(catch_type)).filter(|it| it.0 != 0),
        });
    }
    Ok(handlers)
}
