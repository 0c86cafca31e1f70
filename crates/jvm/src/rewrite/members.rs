//! Fields and methods that are added to a class.

use super::{ClassEdit, Refusal, Snippet, code_span};
use crate::class::AccessFlags;

/// Entries to be appended to those of a table.
#[derive(Default)]
pub(super) struct Added {
    pub(super) bytes: Vec<u8>,
    pub(super) count: u16,
}

impl Added {
    /// Counts one more behind so many; `false` if there can be no more.
    pub(super) fn count_one(&mut self, present: usize) -> bool {
        let fits = present + usize::from(self.count) < usize::from(u16::MAX);
        self.count += u16::from(fits);
        fits
    }

    pub(super) fn halves(&mut self, halves: &[u16]) {
        self.bytes.extend(halves.iter().flat_map(|half| half.to_be_bytes()));
    }
}

/// A method to be added: straight-line code that ends with a return.
#[derive(Debug, Clone)]
pub struct NewMethod<'m> {
    /// Its access flags.
    pub access: AccessFlags,
    /// Its name.
    pub name: &'m str,
    /// Its descriptor.
    pub descriptor: &'m str,
    /// Its code.
    pub code: Snippet,
    /// How many slots of the operand stack the code needs.
    pub max_stack: u16,
    /// How many slots of local variables it needs, those of the parameters among them.
    pub max_locals: u16,
    /// The line that it stands for, or 0.
    pub line: u16,
}

impl ClassEdit<'_> {
    /// Adds a field without attributes.
    pub fn add_field(
        &mut self,
        access: AccessFlags,
        name: &str,
        descriptor: &str,
    ) -> Result<(), Refusal> {
        let (name, descriptor) = (self.constants.utf8(name)?, self.constants.utf8(descriptor)?);
        if !self.fields.count_one(self.class.fields.len()) {
            return Err(Refusal::TooManyFields);
        }
        self.fields.halves(&[access.0, name.0, descriptor.0, 0]);
        Ok(())
    }

    /// Adds a method with the code of another one, byte for byte. Its code cannot be edited here, either.
    pub fn copy_method(
        &mut self,
        method: usize,
        access: AccessFlags,
        name: &str,
    ) -> Result<(), Refusal> {
        let class = self.class;
        let member = class.methods.get(method).ok_or(Refusal::NoCode)?;
        let code = code_span(class, member).ok_or(Refusal::NoCode)?;
        let name = self.constants.utf8(name)?;
        if !self.methods.count_one(class.methods.len()) {
            return Err(Refusal::TooManyMethods);
        }
        self.methods.halves(&[access.0, name.0, member.descriptor.0, 1]);
        self.methods.bytes.extend_from_slice(&class.bytes[code]);
        Ok(())
    }

    /// Adds a method. Its code cannot be edited here: it is of the class once that is finished.
    pub fn add_method(&mut self, method: &NewMethod<'_>) -> Result<(), Refusal> {
        let code = method.code.bytes();
        if code.len() > usize::from(u16::MAX) {
            return Err(Refusal::TooLong(code.len()));
        }
        let constants = &mut self.constants;
        let name = constants.utf8(method.name)?;
        let descriptor = constants.utf8(method.descriptor)?;
        let code_name = constants.utf8("Code")?;
        let lines_name = constants.utf8("LineNumberTable")?;
        if !self.methods.count_one(self.class.methods.len()) {
            return Err(Refusal::TooManyMethods);
        }
        let lines: &[u16] = match method.line {
            0 => &[0],
            line => &[1, lines_name.0, 0, 6, 1, 0, line],
        };
        let length = 12 + code.len() as u32 + 2 * lines.len() as u32 - 2;
        let added = &mut self.methods;
        added.halves(&[method.access.0, name.0, descriptor.0, 1, code_name.0]);
        added.bytes.extend_from_slice(&length.to_be_bytes());
        added.halves(&[method.max_stack, method.max_locals, 0, code.len() as u16]);
        added.bytes.extend_from_slice(code);
        // No exception handlers.
        added.halves(&[0]);
        added.halves(lines);
        Ok(())
    }
}
