//! Reads text traces as they stream in.

use super::line::{Line, complaint, parse, shown};
use super::plain::{Letters, WINDOW, plain};
use crate::error::{Place, Problem, TraceError};
use crate::event::{Batch, Event, Op, OperandKind, Position, SiteId, ThreadId};
use crate::names::{Form, Hash, Interner, Names};
use crate::source::{Damage, Source};
use std::io::{self, ErrorKind, Read};
use std::ops::Range;

/// Longer lines are not events.
const LONGEST_LINE: usize = 64 * 1024;
/// Holds a batch of lines and still leaves room in the second-level cache.
const BUFFER: usize = 192 * 1024;
/// What some editors put before UTF-8 text; no part of the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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
    /// How many bytes of the input were read.
    bytes: u64,
    damage: Option<Damage>,
    /// The number of the next line.
    line: u64,
    /// Where the latest batch starts: in the buffer, and its line.
    batch_start: (usize, u64),
    /// The events of the batch in hand that came the general way. All others came by the fast lane,
    /// and hold the numbers in their names where the names' ids belong: these are looked up together
    /// when the batch is complete, so that the look-ups wait for memory together, not each alone.
    general: Vec<usize>,
    /// Variables of events that came the general way, to be looked up together for the same reason.
    pending: Vec<Pending>,
}

/// A variable that is looked up when its batch is complete.
struct Pending {
    /// Its event's place in the batch.
    event: usize,
    hash: Hash,
    guess: Option<u32>,
    /// Where its name stands in the buffer.
    name: Range<usize>,
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
            buffer: vec![0; BUFFER + WINDOW],
            unread: 0..0,
            at_end: false,
            bytes: 0,
            damage: None,
            line: 1,
            batch_start: (0, 1),
            general: vec![],
            pending: vec![],
        }
    }

    /// Moves what is unread to the front and reads more behind it.
    fn fill(&mut self) -> Result<(), TraceError> {
        let at_start = self.line == 1 && self.unread.is_empty();
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        while !self.at_end && self.unread.end < BUFFER {
            match self.reader.read(&mut self.buffer[self.unread.end..BUFFER]) {
                Ok(0) => self.at_end = true,
                Ok(n) => {
                    self.unread.end += n;
                    self.bytes += n as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.cannot_read(error)?,
            }
        }
        if at_start && self.buffer[self.unread.clone()].starts_with(BYTE_ORDER_MARK) {
            self.unread.start += BYTE_ORDER_MARK.len();
        }
        Ok(())
    }

    /// The input fails. A lenient reader of a compressed file that is cut off makes do with the whole
    /// lines before.
    #[cold]
    fn cannot_read(&mut self, error: io::Error) -> Result<(), TraceError> {
        let unread = &self.buffer[self.unread.clone()];
        let line = self.line + memchr::memchr_iter(b'\n', unread).count() as u64;
        if !self.lenient || error.kind() != ErrorKind::UnexpectedEof {
            let text = "(the input cannot be read any further)".to_string();
            return Err(self.error_at(line, text, error.into()));
        }
        let whole = memchr::memrchr(b'\n', unread).map_or(0, |last| last + 1);
        let byte = self.bytes - (unread.len() - whole) as u64;
        self.unread.end = self.unread.start + whole;
        self.at_end = true;
        let message = format!("{error} in line {line}; the lines before that were read");
        self.damage = Some(Damage { cut_off: true, byte, message });
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

    /// The next line by the fast lane; `None` if it has to go the general way.
    #[inline(always)]
    fn next_plain(&mut self, letters: &Letters) -> Option<Event> {
        let start = self.unread.start;
        let window = self.buffer.get(start..)?.first_chunk::<WINDOW>()?;
        let plain = plain(window, letters)?;
        let next = start + plain.length + 1;
        if next > self.unread.end {
            return None;
        }
        self.unread.start = next;
        self.line += 1;
        Some(Event::new(ThreadId(plain.thread), plain.op, plain.operand, SiteId(plain.site)))
    }

    /// The letters that make names plain, as far as they are known.
    fn letters(&self) -> Letters {
        // A byte of a longer character is no letter.
        let letter = |table: &Interner| match table.form() {
            Form::Letter(letter) if letter.is_ascii() => letter,
            _ => Letters::NO_LETTER,
        };
        if self.names.sites.form() != Form::Digits {
            return Letters::NONE;
        }
        let operand =
            |op: Op| self.names.table(op.operand_kind()).map_or(Letters::NO_LETTER, letter);
        Letters { thread: letter(&self.names.threads), operand: Op::ALL.map(operand) }
    }

    /// Puts the names' ids in place of the numbers, in events that came by the fast lane.
    fn look_up(&mut self, events: &mut [Event], letters: &Letters) -> Result<(), TraceError> {
        const NO_OPERAND: &[u32] = &[1];
        let table = |op: Op| {
            self.names.table(op.operand_kind()).map_or(NO_OPERAND, |table| table.by_number())
        };
        let operands = Op::ALL.map(table);
        let (threads, sites) = (self.names.threads.by_number(), self.names.sites.by_number());
        let id = |ids: &[u32], number: u32| ids.get(number as usize).copied().unwrap_or(0);
        let mut unknown = vec![];
        let mut general = self.general.iter().copied().peekable();
        for (i, event) in events.iter_mut().enumerate() {
            if general.peek() == Some(&i) {
                general.next();
                continue;
            }
            let thread = id(threads, event.thread.0);
            let operand = id(operands[event.op as usize], event.operand);
            let site = id(sites, event.site.0);
            if (thread == 0) | (operand == 0) | (site == 0) {
                unknown.push(i);
            } else {
                *event = Event::new(ThreadId(thread - 1), event.op, operand - 1, SiteId(site - 1));
            }
        }
        for i in unknown {
            let event = &mut events[i];
            let thread = format!("{}{}", letters.thread as char, event.thread.0);
            let letter = letters.operand[event.op as usize] as char;
            let operand = format!("{letter}{}", event.operand);
            let site = event.site.0.to_string();
            let (thread, operand, site) = (thread.as_bytes(), operand.as_bytes(), site.as_bytes());
            let line = Line { thread, op: event.op, operand, site };
            *event = intern(&mut self.names, &line, false)
                .ok_or_else(|| TraceError::whole(&self.input, Names::too_much()))?;
        }
        Ok(())
    }

    /// Looks up the variables that are pending.
    fn look_up_pending(&mut self, events: &mut [Event]) -> Result<(), TraceError> {
        let vars = &mut self.names.vars;
        for pending in &mut self.pending {
            pending.guess = vars.guess(pending.hash);
        }
        for Pending { event, guess, name, .. } in &mut self.pending {
            *guess = guess.filter(|&id| vars.is(id, &self.buffer[name.clone()]));
            events[*event].operand = guess.unwrap_or_default();
        }
        for Pending { event, name, .. } in self.pending.drain(..).filter(|p| p.guess.is_none()) {
            events[event].operand = vars
                .intern_bytes(&self.buffer[name])
                .ok_or_else(|| TraceError::whole(&self.input, Names::too_much()))?;
        }
        Ok(())
    }

    /// Takes a line apart and interns its names, but for a variable, which may stay pending; `None` if
    /// the line holds no event. `index` is the event's place in the batch.
    fn event(&mut self, range: Range<usize>, index: usize) -> Result<Option<Event>, TraceError> {
        let text = &self.buffer[range.clone()];
        if text.len() <= LONGEST_LINE
            && let Some(line) = parse(text)
        {
            // A name that is not ASCII may be no text at all, and the line no event.
            let pends = line.op.operand_kind() == OperandKind::Var && line.operand.is_ascii();
            if let Some(event) = intern(&mut self.names, &line, pends) {
                if pends {
                    let end = range.end - line.site.len() - ")|".len();
                    let name = end - line.operand.len()..end;
                    let hash = self.names.vars.hash(line.operand);
                    self.pending.push(Pending { event: index, hash, guess: None, name });
                }
                return Ok(Some(event));
            }
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
            // Only a full table refuses such names.
            _ if parse(text).is_some() => Names::too_much(),
            _ => Problem::Syntax(complaint(text)),
        };
        Err(self.error_at(self.line - 1, shown(text), problem))
    }

    /// Whether there is memory left for names. Asked once a batch: the names of one more are no more
    /// than the buffer holds.
    fn check_names(&self) -> Result<(), TraceError> {
        self.names.check_cost().map_err(|problem| {
            let read = &self.buffer[..self.unread.start];
            let last = read.strip_suffix(b"\n").unwrap_or(read);
            let last = last.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
            self.error_at(self.line - 1, shown(last), problem)
        })
    }

    /// The buffer is full and holds no line break.
    #[cold]
    fn long_line(&mut self) -> Result<(), TraceError> {
        let text = &self.buffer[self.unread.clone()];
        if !self.lenient {
            let (text, problem) = (shown(text), Problem::LongLine { limit: LONGEST_LINE });
            return Err(self.error_at(self.line, text, problem));
        }
        self.skipped += 1;
        loop {
            self.unread.start = self.unread.end;
            self.fill()?;
            match memchr::memchr(b'\n', &self.buffer[self.unread.clone()]) {
                Some(end) => {
                    self.unread.start += end + 1;
                    self.line += 1;
                    return Ok(());
                }
                None if self.at_end => {
                    self.unread.start = self.unread.end;
                    return Ok(());
                }
                None => {}
            }
        }
    }
}

impl<R: Read> Source for TextReader<R> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.events.clear();
        self.general.clear();
        self.pending.clear();
        batch.first = self.position;
        self.batch_start = (self.unread.start, self.line);
        self.check_names()?;
        let letters = self.letters();
        while batch.events.len() < Batch::SIZE {
            if let Some(event) = self.next_plain(&letters) {
                batch.events.push(event);
                continue;
            }
            let start = self.unread.start;
            match self.next_line() {
                Some(range) => match self.event(range, batch.events.len()) {
                    Ok(Some(event)) => {
                        self.general.push(batch.events.len());
                        batch.events.push(event);
                    }
                    Ok(None) => {}
                    // First the events before it: they may be what is wrong first.
                    Err(_) if !batch.events.is_empty() => {
                        self.unread.start = start;
                        self.line -= 1;
                        break;
                    }
                    Err(error) => return Err(error),
                },
                // The lines of a batch stay in the buffer, for errors found later.
                None if !batch.events.is_empty() => break,
                None if self.at_end => return Ok(false),
                None => {
                    if self.unread.len() == BUFFER {
                        self.long_line()?
                    } else {
                        self.fill()?
                    }
                    self.batch_start = (self.unread.start, self.line);
                }
            }
        }
        self.look_up(&mut batch.events, &letters)?;
        self.look_up_pending(&mut batch.events)?;
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
        // As in `event`: what no name is made of, such as the operand of `end`, may be anything.
        let is_text = |name: &[u8]| std::str::from_utf8(name).is_ok();
        let is_event = |text: &[u8]| {
            text.len() <= LONGEST_LINE
                && parse(text).is_some_and(|line| {
                    [line.thread, line.operand, line.site].into_iter().all(is_text)
                })
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

    fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.first() == Some(&b'#') || line.iter().all(u8::is_ascii_whitespace)
}

/// The event of a line; without its variable if that is pending.
#[inline(always)]
fn intern(names: &mut Names, line: &Line, pends: bool) -> Option<Event> {
    let thread = ThreadId(names.threads.intern_bytes(line.thread)?);
    let operand = match line.op.operand_kind() {
        OperandKind::Var if pends => 0,
        OperandKind::Var | OperandKind::Object => names.vars.intern_bytes(line.operand)?,
        OperandKind::Lock => names.locks.intern_bytes(line.operand)?,
        OperandKind::Thread => names.threads.intern_bytes(line.operand)?,
        OperandKind::Label => names.labels.intern_bytes(line.operand)?,
        OperandKind::None => 0,
    };
    let site = SiteId(names.sites.intern_bytes(line.site)?);
    Some(Event::new(thread, line.op, operand, site))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads until something is wrong.
    fn wrong(mut reader: TextReader<&[u8]>) -> TraceError {
        let mut batch = Batch::default();
        loop {
            match reader.next_batch(&mut batch) {
                Ok(more) => assert!(more, "nothing is wrong"),
                Err(error) => return error,
            }
        }
    }

    #[test]
    fn names_that_take_too_much_memory_are_refused_with_the_line() {
        // Lines as long as they may be, of which the buffer holds three.
        let filler = "x".repeat(60_000);
        let text: String = (0..40).map(|n| format!("T0|w({filler}{n})|1\n")).collect();
        for lenient in [false, true] {
            let mut reader = TextReader::new("test", text.as_bytes(), lenient);
            reader.names = Names::with_room(20 * 60_040);
            let error = wrong(reader);
            assert!(matches!(error.problem, Problem::TooMuch(_)), "{error}");
            let Place::Line { number, text } = &error.place else { panic!("{error}") };
            assert!((20..24).contains(number), "line {number}");
            assert!(text.starts_with("T0|w(xxx"), "{text}");
            assert!(error.to_string().contains("more than 512 MiB"), "{error}");
        }
    }

    #[test]
    fn names_are_limited_on_the_fast_lane_too() {
        let text: String = (0..100_000).map(|n| format!("T0|w(V{n})|1\n")).collect();
        let mut reader = TextReader::new("test", text.as_bytes(), false);
        reader.names = Names::with_room(1_000_000);
        let error = wrong(reader);
        assert!(matches!(error.problem, Problem::TooMuch(_)), "{error}");
        // A name such as V12345 costs 22 bytes.
        let Place::Line { number, text } = error.place else { panic!("{error}") };
        assert!((45_000..50_000).contains(&number), "line {number}");
        assert_eq!(text, format!("T0|w(V{})|1", number - 1));
    }

    #[test]
    fn names_within_the_limit_are_not_refused() {
        let mut reader = TextReader::new("test", &b"T0|w(x)|1\nT0|w(y)|2\n"[..], false);
        // Five names of one letter or two.
        reader.names = Names::with_room(5 * 16 + 6);
        let mut batch = Batch::default();
        assert!(reader.next_batch(&mut batch).unwrap());
        assert_eq!(reader.names.cost(), Names::MOST_COST);
        assert!(!reader.next_batch(&mut batch).unwrap());
    }

    #[test]
    fn places_are_right_after_a_line_longer_than_the_buffer() {
        for length in [BUFFER, BUFFER + 1, 3 * BUFFER] {
            // What is left of the long line in the buffer looks like an event.
            let text = format!("{}|r(z)|0\nT0|r(x)|1\nT0|w(y)|2\n", "x".repeat(length));
            let mut reader = TextReader::new("test", text.as_bytes(), true);
            let mut batch = Batch::default();
            assert!(reader.next_batch(&mut batch).unwrap());
            assert_eq!(reader.batch_start, (reader.unread.start - 20, 2), "{length}");
            for (position, line) in [(0, "T0|r(x)|1"), (1, "T0|w(y)|2")] {
                let place = Place::Line { number: position + 2, text: line.into() };
                assert_eq!(reader.place(&batch, position), place, "{length}");
            }
        }
    }
}
