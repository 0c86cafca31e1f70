//! Attributes of classes, fields, methods and code: named byte strings, in order, uninterpreted.

use crate::cursor::Cursor;
use crate::error::{Fault, Flaw};
use crate::pool::{ConstantPool, PoolIndex};
use std::ops::Range;

/// Name index and length of an attribute take this many bytes.
const HEADER: usize = 6;

/// One attribute.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'a> {
    /// Index of its name.
    pub name: PoolIndex,
    /// What it holds, without name and length.
    pub data: &'a [u8],
    start: usize,
}

impl Attribute<'_> {
    /// Where the attribute stands in the file, with its name and length.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + HEADER + self.data.len()
    }

    /// Where its data stands in the file.
    pub fn data_span(&self) -> Range<usize> {
        self.start + HEADER..self.start + HEADER + self.data.len()
    }
}

/// A table of attributes, known to be whole.
#[derive(Debug, Clone)]
pub struct Attributes<'a> {
    file: &'a [u8],
    /// From the count to the end of the last attribute.
    span: Range<usize>,
    count: u16,
}

impl<'a> Attributes<'a> {
    /// Reads over a count and as many attributes, and remembers where they are.
    pub(crate) fn read(file: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Self, Fault> {
        const WHAT: &str = "an attribute";
        let start = cursor.at();
        let count = cursor.u16(WHAT)?;
        for _ in 0..count {
            cursor.u16(WHAT)?;
            let length = cursor.u32(WHAT)?;
            cursor.take(length as usize, WHAT)?;
        }
        Ok(Attributes { file, span: start..cursor.at(), count })
    }

    /// Where the table stands in the file, with its count.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The attributes, in order.
    pub fn iter(&self) -> impl Iterator<Item = Attribute<'a>> + use<'a> {
        let mut cursor = Cursor::new(self.file, self.span.start + 2..self.span.end);
        // `read` went the same way without an error, so the first that fails is past the last
        std::iter::from_fn(move || next(&mut cursor).ok())
    }

    /// The attributes with this name, in order.
    pub fn named<'s>(
        &'s self,
        pool: &'s ConstantPool<'a>,
        name: &'s str,
    ) -> impl Iterator<Item = Attribute<'a>> + 's {
        self.iter().filter(move |it| pool.utf8_bytes(it.name) == Ok(name.as_bytes()))
    }

    /// An error if some attribute's name is no text.
    pub(crate) fn check_names(&self, pool: &ConstantPool<'a>) -> Result<(), Fault> {
        for attribute in self.iter() {
            pool.utf8_bytes(attribute.name).map_err(|flaw: Flaw| flaw.at(attribute.start))?;
        }
        Ok(())
    }
}

fn next<'a>(cursor: &mut Cursor<'a>) -> Result<Attribute<'a>, Fault> {
    const WHAT: &str = "an attribute";
    let start = cursor.at();
    let name = PoolIndex(cursor.u16(WHAT)?);
    let length = cursor.u32(WHAT)?;
    Ok(Attribute { name, data: cursor.take(length as usize, WHAT)?, start })
}
