//! Descriptors: the types of fields, parameters and results.

use crate::error::Flaw;

/// The JVM allows no more dimensions than this.
const MAX_DIMENSIONS: usize = 255;

/// A primitive type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// `byte`
    Byte,
    /// `char`
    Char,
    /// `double`
    Double,
    /// `float`
    Float,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `short`
    Short,
    /// `boolean`
    Boolean,
}

/// The type of a field or parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldType<'d> {
    /// A primitive type.
    Primitive(Primitive),
    /// A class or interface, by internal name.
    Object(&'d str),
    /// An array type, by its whole descriptor (`[[I`).
    Array(&'d str),
}

impl<'d> FieldType<'d> {
    /// The type that is the whole of `descriptor`.
    pub fn parse(descriptor: &'d str) -> Result<FieldType<'d>, Flaw> {
        match split(descriptor)? {
            (first, "") => Ok(first),
            _ => Err(Flaw::Descriptor),
        }
    }

    /// How many slots a value takes: two for `long` and `double`.
    pub fn slots(self) -> u16 {
        match self {
            FieldType::Primitive(Primitive::Long | Primitive::Double) => 2,
            _ => 1,
        }
    }

    /// Whether values are references.
    pub fn is_reference(self) -> bool {
        !matches!(self, FieldType::Primitive(_))
    }
}

/// The type of a method.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MethodDescriptor<'d> {
    /// The parameters, without `this`.
    pub parameters: Vec<FieldType<'d>>,
    /// The result; none for `void`.
    pub result: Option<FieldType<'d>>,
}

impl<'d> MethodDescriptor<'d> {
    /// Parses `(ILjava/lang/String;)V` and the like.
    pub fn parse(descriptor: &'d str) -> Result<MethodDescriptor<'d>, Flaw> {
        let mut rest = descriptor.strip_prefix('(').ok_or(Flaw::Descriptor)?;
        let mut parameters = Vec::new();
        let result = loop {
            if let Some(result) = rest.strip_prefix(')') {
                break result;
            }
            let (parameter, behind) = split(rest)?;
            parameters.push(parameter);
            rest = behind;
        };
        let result = if result == "V" { None } else { Some(FieldType::parse(result)?) };
        Ok(MethodDescriptor { parameters, result })
    }

    /// How many slots the parameters take, without `this`.
    pub fn parameter_slots(&self) -> usize {
        self.parameters.iter().map(|it| usize::from(it.slots())).sum()
    }

    /// How many slots the result takes.
    pub fn result_slots(&self) -> usize {
        self.result.map_or(0, |it| usize::from(it.slots()))
    }
}

/// The first type of `text`, and what follows it.
fn split(text: &str) -> Result<(FieldType<'_>, &str), Flaw> {
    let dimensions = text.bytes().take_while(|it| *it == b'[').count();
    if dimensions > MAX_DIMENSIONS {
        return Err(Flaw::Descriptor);
    }
    let element = &text[dimensions..];
    let primitive = match element.bytes().next() {
        Some(b'B') => Primitive::Byte,
        Some(b'C') => Primitive::Char,
        Some(b'D') => Primitive::Double,
        Some(b'F') => Primitive::Float,
        Some(b'I') => Primitive::Int,
        Some(b'J') => Primitive::Long,
        Some(b'S') => Primitive::Short,
        Some(b'Z') => Primitive::Boolean,
        Some(b'L') => return split_object(text, dimensions),
        _ => return Err(Flaw::Descriptor),
    };
    let (first, rest) = text.split_at(dimensions + 1);
    let first = match dimensions {
        0 => FieldType::Primitive(primitive),
        _ => FieldType::Array(first),
    };
    Ok((first, rest))
}

/// As [`split`], where the element is known to be a class.
fn split_object(text: &str, dimensions: usize) -> Result<(FieldType<'_>, &str), Flaw> {
    let end = text.find(';').filter(|end| *end > dimensions + 1).ok_or(Flaw::Descriptor)?;
    let (first, rest) = text.split_at(end + 1);
    let first = match dimensions {
        0 => FieldType::Object(&first[1..end]),
        _ => FieldType::Array(first),
    };
    Ok((first, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn method_types() {
        let it = MethodDescriptor::parse("(I[[JLjava/lang/String;D[La/B;)J").unwrap();
        assert_eq!(
            it.parameters,
            [
                FieldType::Primitive(Primitive::Int),
                FieldType::Array("[[J"),
                FieldType::Object("java/lang/String"),
                FieldType::Primitive(Primitive::Double),
                FieldType::Array("[La/B;"),
            ]
        );
        assert_eq!((it.parameter_slots(), it.result_slots()), (6, 2));
        assert_eq!(MethodDescriptor::parse("()V").unwrap().result, None);
    }

    #[test]
    fn what_is_no_descriptor() {
        for text in
            ["", "(", "()", "()VV", "(V)V", "(L;)V", "(Lx)V", "([)V", "I", "(I", "()[V", "(é)V"]
        {
            assert_eq!(MethodDescriptor::parse(text), Err(Flaw::Descriptor), "{text}");
        }
        assert_eq!(FieldType::parse("II"), Err(Flaw::Descriptor));
        assert_eq!(FieldType::parse(&"[".repeat(256)), Err(Flaw::Descriptor));
    }
}
