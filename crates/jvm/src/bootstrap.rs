//! The bootstrap methods of a class: what its dynamic call sites and constants are made by.

use crate::class::ClassFile;
use crate::cursor::Cursor;
use crate::error::Fault;
use crate::pool::PoolIndex;

/// A bootstrap method and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// The method handle.
    pub method: PoolIndex,
    /// The constants that it is given.
    pub arguments: Vec<PoolIndex>,
}

impl ClassFile<'_> {
    /// The bootstrap methods, in order; `None` if there are none or they cannot be read.
    pub fn bootstrap_methods(&self) -> Option<Vec<BootstrapMethod>> {
        let attribute = self.attributes.named(&self.pool, "BootstrapMethods").next()?;
        let mut cursor = Cursor::new(self.bytes, attribute.data_span());
        let methods = read(&mut cursor).ok()?;
        cursor.finish("the bootstrap methods").ok()?;
        Some(methods)
    }
}

fn read(cursor: &mut Cursor<'_>) -> Result<Vec<BootstrapMethod>, Fault> {
    const WHAT: &str = "a bootstrap method";
    let mut methods = vec![];
    for _ in 0..cursor.u16(WHAT)? {
        let method = PoolIndex(cursor.u16(WHAT)?);
        let count = cursor.u16(WHAT)?;
        let mut arguments = vec![];
        for _ in 0..count {
            arguments.push(PoolIndex(cursor.u16(WHAT)?));
        }
        methods.push(BootstrapMethod { method, arguments });
    }
    Ok(methods)
}
