//! Text traces: the STD format of the RAPID tool and our additions to it (`docs/text-format.md`).
//!
//! One event a line, `thread|op(operand)|location`.

mod line;
mod plain;
mod reader;
mod writer;

pub use reader::TextReader;
pub use writer::TextWriter;
