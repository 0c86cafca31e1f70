//! Writes text traces.

use crate::event::{Event, OperandKind};
use crate::names::Names;
use std::io::{self, Write};

/// Writes events as lines.
pub struct TextWriter<W> {
    writer: W,
    buffer: Vec<u8>,
}

const BUFFER: usize = 64 * 1024;

impl<W: Write> TextWriter<W> {
    /// A writer into `writer`; it buffers by itself.
    pub fn new(writer: W) -> TextWriter<W> {
        TextWriter { writer, buffer: Vec::with_capacity(BUFFER + 1024) }
    }

    /// Writes events; one that is about several variables is a line for each. Names that a line cannot hold (bars, line breaks,
    /// nothing at all) are an error.
    pub fn write(&mut self, names: &Names, events: &[Event]) -> io::Result<()> {
        for event in events.iter().flat_map(|event| event.singles()) {
            let thread = names.threads.text(event.thread.0);
            let table = names.table(event.op.operand_kind());
            let operand = table.map(|table| table.passing_text(event.operand)).unwrap_or_default();
            let operand = &*operand;
            let site = names.sites.text(event.site.0);
            for name in [thread, operand, site] {
                check(name)?;
            }
            let optional =
                matches!(event.op.operand_kind(), OperandKind::None | OperandKind::Label);
            if thread.is_empty() || thread.starts_with('#') || (operand.is_empty() && !optional) {
                return Err(unreadable(&names.line(&event)));
            }
            let buffer = &mut self.buffer;
            buffer.extend_from_slice(thread.as_bytes());
            buffer.push(b'|');
            buffer.extend_from_slice(event.op.word().as_bytes());
            if !operand.is_empty() {
                buffer.push(b'(');
                buffer.extend_from_slice(operand.as_bytes());
                buffer.push(b')');
            }
            buffer.push(b'|');
            buffer.extend_from_slice(site.as_bytes());
            buffer.push(b'\n');
            if self.buffer.len() >= BUFFER {
                self.drain()?;
            }
        }
        Ok(())
    }

    fn drain(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes what is buffered and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        self.drain()?;
        self.writer.flush()?;
        Ok(self.writer)
    }
}

#[cold]
fn unreadable(line: &str) -> io::Error {
    let message = format!("no text trace can hold {line:?}: a name is empty, or a comment");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[inline]
fn check(name: &str) -> io::Result<()> {
    if name.bytes().any(|byte| matches!(byte, b'|' | b'\n' | b'\r')) {
        let message =
            format!("the name {name:?} has a bar or a line break: text traces cannot hold it");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(())
}
