//! The insert-only rewriter: adds code to methods, and fields and methods to a class, copies everything
//! else byte for byte. The one thing that can be changed is the bootstrap method of a dynamic call site.
//!
//! Guarantee: a class that verifies still does, whatever straight-line code is inserted that is well
//! typed where it stands; with nothing inserted the result is the input, bit for bit. Constants are
//! only appended, so every index of the class stays what it is; only the `Code` attributes of edited
//! methods are written anew. What does not fit (a method over 64 KB, a pool of 65,535 constants) is
//! refused with a reason ([`Refusal`]), and the class can be finished without it.
//!
//! Why this holds without inferring types: inserted code has no jumps but those of a guard at the entry, so stack-map frames stay true
//! where they are and only their offsets move. The four places that need a frame of their own have
//! one at hand: the handler around a whole body takes none of the method's locals
//! (`[] [Throwable]` fits everywhere), an island for a jump that has become too long takes its
//! target's, the copy of a monitor's handler takes the handler's, and what a guard leads to takes the parameters. Local variables that an edit adds
//! stand behind those of the method and are set before anything else, so they are true in every frame:
//! all frames are extended by them.

mod code;
mod emit;
mod frames;
mod layout;
mod members;
mod pool;
mod sites;
mod snippet;
mod table;
mod writer;

pub use code::{CodeEdit, LocalKind};
pub use members::NewMethod;
pub use pool::NewConstants;
pub use snippet::Snippet;

use crate::bootstrap::BootstrapMethod;
use crate::class::{ClassFile, Member};
use crate::error::ClassError;
use members::Added;
use sites::NewBootstraps;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why an edit was not made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The method would be longer than the JVM allows.
    #[error("the method would be {0} bytes long, more than 65,535")]
    TooLong(usize),
    /// The class would have more constants than the JVM allows.
    #[error("the class would have more than 65,535 constants")]
    TooManyConstants,
    /// The class would have more fields than the JVM allows.
    #[error("the class would have more than 65,535 fields")]
    TooManyFields,
    /// The class would have more methods than the JVM allows.
    #[error("the class would have more than 65,535 methods")]
    TooManyMethods,
    /// The class would have more bootstrap methods than the JVM allows.
    #[error("the class would have more than 65,535 bootstrap methods")]
    TooManyBootstraps,
    /// There is no such dynamic call site, or its bootstrap method has no such argument.
    #[error("there is no such dynamic call site, or no such argument of its bootstrap method")]
    NoBootstrap,
    /// A jump has become too long, and there is no place for an island on its way.
    #[error("the jump at {0} has become too long")]
    Jump(u16),
    /// The method would have more local variables, or a deeper stack, than the JVM allows.
    #[error("the method would have {0} slots of local variables or stack, more than there can be")]
    TooManySlots(u32),
    /// The local variables of the edit are numbered for other code.
    #[error("the local variables of the edit are not made for this method")]
    OtherCode,
    /// There is no such method, or it has no code.
    #[error("the method has no code")]
    NoCode,
    /// Code was to be inserted where no instruction is.
    #[error("there is no instruction at {0}")]
    NoInstruction(u16),
    /// The stack-map table says what no table may.
    #[error("malformed stack-map table")]
    Frames,
    /// The stack-map table would be larger than is reasonable.
    #[error("the stack-map table would be too large")]
    TableTooLarge,
    /// The class cannot be read.
    #[error(transparent)]
    Class(#[from] ClassError),
}

/// A class in the making: the old one and what is to change.
pub struct ClassEdit<'a> {
    class: &'a ClassFile<'a>,
    constants: NewConstants<'a>,
    fields: Added,
    methods: Added,
    bootstraps: NewBootstraps,
    /// Those that the class has; filled when first asked.
    bootstrap_methods: Option<Vec<BootstrapMethod>>,
    /// By position of the method: its new `Code` attribute, whole.
    codes: BTreeMap<usize, Vec<u8>>,
}

impl<'a> ClassEdit<'a> {
    /// Nothing is to change yet.
    pub fn new(class: &'a ClassFile<'a>) -> ClassEdit<'a> {
        ClassEdit {
            class,
            constants: NewConstants::new(class),
            fields: Added::default(),
            methods: Added::default(),
            bootstraps: NewBootstraps::default(),
            bootstrap_methods: None,
            codes: BTreeMap::new(),
        }
    }

    /// The class as it was.
    pub fn class(&self) -> &'a ClassFile<'a> {
        self.class
    }

    /// The constants, to add to them.
    pub fn constants(&mut self) -> &mut NewConstants<'a> {
        &mut self.constants
    }

    /// Edits the code of the method at this position of [`ClassFile::methods`]. A second edit of the
    /// same method takes the place of the first.
    pub fn edit_code(&mut self, method: usize, edit: &CodeEdit) -> Result<(), Refusal> {
        let member = self.class.methods.get(method).ok_or(Refusal::NoCode)?;
        let code = self.class.code(member)?.ok_or(Refusal::NoCode)?;
        let body = self.class.body(member, &code)?;
        let attribute = emit::code(self.class, member, &code, &body, edit, &mut self.constants)?;
        self.codes.insert(method, attribute);
        Ok(())
    }

    /// The new class file.
    pub fn finish(self) -> Vec<u8> {
        let ClassEdit { class, constants, fields, methods, bootstraps, codes, .. } = self;
        let bytes = class.bytes;
        let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 2);
        let pool = class.pool.span();
        out.extend_from_slice(&bytes[..pool.start]);
        out.extend_from_slice(&constants.count().to_be_bytes());
        out.extend_from_slice(&bytes[pool.start + 2..pool.end]);
        bootstraps.write_sites(&mut out);
        out.extend_from_slice(constants.bytes());
        let fields_at = pool.end + 8 + 2 * class.interfaces.len();
        out.extend_from_slice(&bytes[pool.end..fields_at]);
        out.extend_from_slice(&(class.fields.len() as u16 + fields.count).to_be_bytes());
        let methods_at = class.fields.last().map_or(fields_at + 2, |field| field.span.end);
        out.extend_from_slice(&bytes[fields_at + 2..methods_at]);
        out.extend_from_slice(&fields.bytes);
        out.extend_from_slice(&(class.methods.len() as u16 + methods.count).to_be_bytes());
        let mut copied = methods_at + 2;
        for (method, attribute) in codes {
            let Some(span) = code_span(class, &class.methods[method]) else { continue };
            out.extend_from_slice(&bytes[copied..span.start]);
            out.extend_from_slice(&attribute);
            copied = span.end;
        }
        out.extend_from_slice(&bytes[copied..class.attributes.span().start]);
        out.extend_from_slice(&methods.bytes);
        bootstraps.write_attributes(class, &mut out);
        out
    }
}

/// Where the `Code` attribute of a method stands in the file.
fn code_span(class: &ClassFile<'_>, method: &Member<'_>) -> Option<std::ops::Range<usize>> {
    method.attributes.named(&class.pool, "Code").next().map(|attribute| attribute.span())
}
