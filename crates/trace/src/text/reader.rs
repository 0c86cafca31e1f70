//! Reads text traces as they stream in.

use super::line::{Line, complaint, parse, shown};
use crate::error::{Place, Problem, TraceError};
use crate::event::{Batch, Event, OperandKind, Position, SiteId, ThreadId};
use crate::names::{Interner, Names};
use crate::source::Source;
use std::io::{ErrorKind, Read};
use std::ops::Range;

/// Longer lines are not events.
const LONGEST_LINE: usize = 64 * 1024;
/// Holds a batch of lines and still leaves room in the second-level cache.
const BUFFER: usize = 192 * 1024;

/// A text trace as a [`Source`]. Blank lines and lines that start with `#` are passed over.
pub struct TextReader<R> {
    input: String,
    reader: R,
    lenient: bool,
    names: Names,
    position: Position,
    skipped: u64,
    buffer: Vec<u8>,
    /// What of the buffer is read from the input and not yet taken apart.
    unread: Range<usize>,
    at_end: bool,
    /// The number of the next line.
    line: u64,
    /// Where the latest batch starts: in the buffer, and its line.
    batch_start: (usize, u64),
}

impl<R: Read> TextReader<R> {
    /// A reader of `reader`, which the user knows as `input`. If `lenient`, lines that are not events
    /// are passed over and counted.
    pub fn new(input: &str, reader: R, lenient: bool) -> TextReader<R> {
        TextReader {
            input: input.to_string(),
            reader,
            lenient,
            names: Names::default(),
            position: 0,
            skipped: 0,
            buffer: vec![0; BUFFER],
            unread: 0..0,
            at_end: false,
            line: 1,
            batch_start: (0, 1),
        }
    }

    /// Moves what is unread to the front and reads more behind it.
    fn fill(&mut self) -> Result<(), TraceError> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        while !self.at_end && self.unread.end < self.buffer.len() {
            match self.reader.read(&mut self.buffer[self.unread.end..]) {
                Ok(0) => self.at_end = true,
                Ok(n) => self.unread.end += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let text = "(the input cannot be read any further)".to_string();
                    return Err(self.error_at(self.line, text, error.into()));
                }
            }
        }
        Ok(())
    }

    fn error_at(&self, number: u64, text: String, problem: Problem) -> TraceError {
        TraceError { input: self.input.clone(), place: Place::Line { number, text }, problem }
    }

    /// The next line of the buffer; at the end of the input, also one without a line break.
    #[inline(always)]
    fn next_line(&mut self) -> Option<Range<usize>> {
        let start = self.unread.start;
        let unread = &self.buffer[self.unread.clone()];
        let length = match memchr::memchr(b'\n', unread) {
            Some(length) => {
                self.unread.start += length + 1;
                length
            }
            None if self.at_end && !unread.is_empty() => {
                self.unread.start = self.unread.end;
                self.unread.end - start
            }
            None => return None,
        };
        self.line += 1;
        let carriage_return = length > 0 && self.buffer[start + length - 1] == b'\r';
        Some(start..start + length - usize::from(carriage_return))
    }

    /// Takes a line apart and interns its names; `None` if it holds no event.
    #[inline(always)]
    fn event(&mut self, range: Range<usize>) -> Result<Option<Event>, TraceError> {
        let text = &self.buffer[range.clone()];
        if text.len() <= LONGEST_LINE
            && let Some(line) = parse(text)
            && let Some(event) = intern(&mut self.names, &line)
        {
            return Ok(Some(event));
        }
        self.no_event(range)
    }

    #[cold]
    fn no_event(&mut self, range: Range<usize>) -> Result<Option<Event>, TraceError> {
        let text = &self.buffer[range];
        if is_blank(text) {
            return Ok(None);
        }
        if self.lenient {
            self.skipped += 1;
            return Ok(None);
        }
        let problem = match () {
            _ if text.len() > LONGEST_LINE => Problem::LongLine { limit: LONGEST_LINE },
            _ if std::str::from_utf8(text).is_err() => Problem::NotUtf8,
            _ if parse(text).is_some() => {
                Problem::TooMuch(format!("more than {} distinct names", Interner::LIMIT))
            }
            _ => Problem::Syntax(complaint(text)),
        };
        Err(self.error_at(self.line - 1, shown(text), problem))
    }

    /// The buffer is full and holds no line break.
    #[cold]
    fn long_line(&mut self) -> Result<(), TraceError> {
        let text = &self.buffer[self.unread.clone()];
        if !self.lenient {
            let (text, problem) = (shown(text), Problem::LongLine { limit: LONGEST_LINE });
            return Err(self.error_at(self.line, text, problem));
        }
        // What is left of the line when its end comes counts as the line that is skipped.
        self.unread.start = self.unread.end;
        self.fill()?;
        match memchr::memchr(b'\n', &self.buffer[self.unread.clone()]) {
            Some(end) => {
                self.unread.start += end + 1;
                self.line += 1;
                self.skipped += 1;
                Ok(())
            }
            None if self.at_end => {
                self.unread.start = self.unread.end;
                self.skipped += 1;
                Ok(())
            }
            None => self.long_line(),
        }
    }
}

impl<R: Read> Source for TextReader<R> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.events.clear();
        batch.first = self.position;
        self.batch_start = (self.unread.start, self.line);
        while batch.events.len() < Batch::SIZE {
            match self.next_line() {
                Some(range) => {
                    if let Some(event) = self.event(range)? {
                        batch.events.push(event);
                    }
                }
                // The lines of a batch stay in the buffer, for errors found later.
                None if !batch.events.is_empty() => break,
                None if self.at_end => return Ok(false),
                None if self.unread.len() == self.buffer.len() => self.long_line()?,
                None => {
                    self.fill()?;
                    self.batch_start = (self.unread.start, self.line);
                }
            }
        }
        self.position += batch.events.len() as u64;
        Ok(true)
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn input(&self) -> &str {
        &self.input
    }

    fn place(&self, batch: &Batch, position: Position) -> Place {
        let (start, first_line) = self.batch_start;
        let is_event = |text: &[u8]| {
            parse(text).is_some() && text.len() <= LONGEST_LINE && std::str::from_utf8(text).is_ok()
        };
        self.buffer[start..self.unread.start.max(start)]
            .split(|&byte| byte == b'\n')
            .map(|text| text.strip_suffix(b"\r").unwrap_or(text))
            .zip(first_line..)
            .filter(|(text, _)| is_event(text))
            .nth((position - batch.first) as usize)
            .map_or(Place::Whole, |(text, number)| Place::Line { number, text: shown(text) })
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.first() == Some(&b'#') || line.iter().all(u8::is_ascii_whitespace)
}

#[inline(always)]
fn intern(names: &mut Names, line: &Line) -> Option<Event> {
    let thread = ThreadId(names.threads.intern_bytes(line.thread)?);
    let operand = match line.op.operand_kind() {
        OperandKind::Var => names.vars.intern_bytes(line.operand)?,
        OperandKind::Lock => names.locks.intern_bytes(line.operand)?,
        OperandKind::Thread => names.threads.intern_bytes(line.operand)?,
        OperandKind::Label => names.labels.intern_bytes(line.operand)?,
        OperandKind::None => 0,
    };
    let site = SiteId(names.sites.intern_bytes(line.site)?);
    Some(Event::new(thread, line.op, operand, site))
}
