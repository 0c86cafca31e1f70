//! The types of runtime annotations; their values are skipped.

use crate::attribute::{Attribute, Attributes};
use crate::cursor::Cursor;
use crate::error::{Fault, Flaw};
use crate::pool::{ConstantPool, PoolIndex};
use std::borrow::Cow;

/// Annotations may hold annotations; so deep, and no deeper, because skipping recurses.
const DEPTH: u32 = 64;

/// The internal names (`org/example/GuardedBy`) of the annotations, visible and invisible at run
/// time, among the attributes of a class, field or method.
pub(crate) fn types<'a>(
    attributes: &Attributes<'a>,
    pool: &ConstantPool<'a>,
    file: &'a [u8],
) -> Result<Vec<Cow<'a, str>>, Fault> {
    let mut types = Vec::new();
    for name in ["RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"] {
        for attribute in attributes.named(pool, name) {
            read_types(attribute, pool, file, &mut types)?;
        }
    }
    Ok(types)
}

fn read_types<'a>(
    attribute: Attribute<'a>,
    pool: &ConstantPool<'a>,
    file: &'a [u8],
    types: &mut Vec<Cow<'a, str>>,
) -> Result<(), Fault> {
    const WHAT: &str = "annotations";
    let mut cursor = Cursor::new(file, attribute.data_span());
    for _ in 0..cursor.u16(WHAT)? {
        let offset = cursor.at();
        let index = PoolIndex(cursor.u16(WHAT)?);
        types.push(internal_name(pool.utf8(index).map_err(|flaw| flaw.at(offset))?));
        skip_pairs(&mut cursor, 0)?;
    }
    cursor.finish(WHAT)
}

/// `Lorg/example/Guarded;` as `org/example/Guarded`; anything else as it is.
fn internal_name(descriptor: Cow<'_, str>) -> Cow<'_, str> {
    let bare = |text: &str| text.len() > 2 && text.starts_with('L') && text.ends_with(';');
    match descriptor {
        Cow::Borrowed(text) if bare(text) => Cow::Borrowed(&text[1..text.len() - 1]),
        Cow::Owned(text) if bare(&text) => Cow::Owned(text[1..text.len() - 1].to_owned()),
        other => other,
    }
}

fn skip_pairs(cursor: &mut Cursor<'_>, depth: u32) -> Result<(), Fault> {
    const WHAT: &str = "annotations";
    for _ in 0..cursor.u16(WHAT)? {
        cursor.u16(WHAT)?;
        skip_value(cursor, depth)?;
    }
    Ok(())
}

fn skip_value(cursor: &mut Cursor<'_>, depth: u32) -> Result<(), Fault> {
    const WHAT: &str = "an annotation's value";
    let offset = cursor.at();
    if depth >= DEPTH {
        return Err(Flaw::AnnotationDepth(DEPTH).at(offset));
    }
    match cursor.u8(WHAT)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            cursor.u16(WHAT)?;
        }
        b'e' => {
            cursor.u32(WHAT)?;
        }
        b'@' => {
            cursor.u16(WHAT)?;
            skip_pairs(cursor, depth + 1)?;
        }
        b'[' => {
            for _ in 0..cursor.u16(WHAT)? {
                skip_value(cursor, depth + 1)?;
            }
        }
        tag => return Err(Flaw::AnnotationValue(tag).at(offset)),
    }
    Ok(())
}
