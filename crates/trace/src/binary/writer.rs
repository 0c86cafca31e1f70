//! Writes binary traces.

use super::columns::{self, Limits};
use super::format::{
    BlockHeader, END_PAYLOAD, MAX_EVENTS, MAX_NAME, MAX_NAMES, TABLES, Tag, file_header,
};
use super::payload::{Packer, SECTIONS};
use super::remarks;
use super::tables::NewNames;
use crate::event::Event;
use crate::names::Names;
use crate::remarks::Remarks;
use std::io::{self, Write};
use xxhash_rust::xxh3::xxh3_64;

/// Events in a full block: small enough that a decompressed block stays in the second-level cache of
/// its reader, large enough to compress well.
const BLOCK_EVENTS: usize = 32 * 1024;

/// A block ends early once its names take this many bytes.
const BLOCK_NAMES: usize = 1024 * 1024;

const _: () = assert!(BLOCK_EVENTS <= MAX_EVENTS);
const _: () = assert!(4 * TABLES + BLOCK_NAMES + 12 + MAX_NAME as usize <= MAX_NAMES);

/// Writes a trace in the binary format.
///
/// Events are gathered into blocks; what is not yet a whole block is lost if the program dies, so
/// recorders call [`BinaryWriter::flush`] now and then. [`BinaryWriter::finish`] writes the end
/// mark, without which readers take the file for cut off. After an error the file's end is in
/// doubt: write no more to it.
///
/// ```
/// use interloper_trace::{Batch, BinaryReader, BinaryWriter, Event, Names, Source};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut names = Names::default();
/// let (alice, balance, line) = (names.thread("alice"), names.var("balance"), names.site("12"));
/// let mut writer = BinaryWriter::new(Vec::new())?;
/// writer.write(&names, &[Event::read(alice, balance, line)])?;
/// let file = writer.finish()?;
///
/// let mut reader = BinaryReader::new("a.itl", file.as_slice())?;
/// let mut batch = Batch::default();
/// assert!(reader.next_batch(&mut batch)?);
/// assert_eq!(batch.events, [Event::read(alice, balance, line)]);
/// assert!(!reader.next_batch(&mut batch)?);
/// assert_eq!(reader.damage(), None);
/// # Ok(())
/// # }
/// ```
pub struct BinaryWriter<W: Write> {
    out: W,
    /// The open block's names.
    names: NewNames,
    /// The open block's events.
    events: Vec<Event>,
    /// The position of the open block's first event, and that behind its last.
    first: u64,
    next: u64,
    blocks: u64,
    sections: [Vec<u8>; SECTIONS],
    packer: Packer,
}

impl<W: Write> BinaryWriter<W> {
    /// Starts a trace: writes the file header.
    pub fn new(mut out: W) -> io::Result<BinaryWriter<W>> {
        out.write_all(&file_header())?;
        Ok(BinaryWriter {
            out,
            names: NewNames::new(),
            events: Vec::with_capacity(BLOCK_EVENTS),
            first: 0,
            next: 0,
            blocks: 0,
            sections: Default::default(),
            packer: Packer::default(),
        })
    }

    /// Appends events whose names are in `names`, and all names that are new there since the last
    /// call. Every call must be given the same tables, as they grow.
    ///
    /// Events that mention numbers without a name, and names of 65,535 bytes and more, are refused with
    /// [`io::ErrorKind::InvalidInput`].
    pub fn write(&mut self, names: &Names, events: &[Event]) -> io::Result<()> {
        while !self.names.add(names, BLOCK_NAMES)? {
            self.end_block()?;
        }
        let limits = Limits::new(self.names.written);
        let mut rest = events;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(BLOCK_EVENTS - self.events.len()));
            self.next = check_events(&limits, self.next, now)?;
            self.events.extend_from_slice(now);
            if self.events.len() == BLOCK_EVENTS {
                self.end_block()?;
            }
            rest = later;
        }
        Ok(())
    }

    /// Ends the open block early, so that all events so far are with the operating system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.end_block()?;
        self.out.flush()
    }

    /// Writes what there is to remark of the events so far; nothing if there is nothing. To be called last.
    pub fn remark(&mut self, remarks: &Remarks) -> io::Result<()> {
        if remarks.is_empty() {
            return Ok(());
        }
        self.end_block()?;
        let payload = remarks::encode(remarks);
        write_block(&mut self.out, Tag::Remarks, 0, 0, self.first, &payload)?;
        self.blocks += 1;
        Ok(())
    }

    /// Ends the trace: writes what is left and the end mark, and gives back the output, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_block()?;
        let mut payload = Vec::with_capacity(END_PAYLOAD);
        for count in self.names.written {
            payload.extend_from_slice(&count.to_le_bytes());
        }
        payload.extend_from_slice(&self.blocks.to_le_bytes());
        write_block(&mut self.out, Tag::End, 0, 0, self.first, &payload)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes the open block, if there is anything in it.
    fn end_block(&mut self) -> io::Result<()> {
        if self.events.is_empty() && self.names.is_empty() {
            return Ok(());
        }
        self.names.encode(&mut self.sections[0]);
        let widths = columns::encode(&self.events, &mut self.sections);
        let names = self.sections[0].len();
        let events = self.events.len();
        let payload = self.packer.pack(&self.sections, widths);
        write_block(&mut self.out, Tag::Events, events, names, self.first, payload)?;
        self.blocks += 1;
        self.first = self.next;
        self.events.clear();
        Ok(())
    }
}

/// Checks events, the first of which has this position; tells the position behind them.
fn check_events(limits: &Limits, first: u64, events: &[Event]) -> io::Result<u64> {
    let mut position = first;
    for event in events {
        limits
            .check(position, event)
            .map_err(|flaw| io::Error::new(io::ErrorKind::InvalidInput, flaw.to_string()))?;
        position += u64::from(event.more) + 1;
    }
    Ok(position)
}

fn write_block(
    out: &mut impl Write,
    tag: Tag,
    events: usize,
    names: usize,
    first: u64,
    payload: &[u8],
) -> io::Result<()> {
    // All sizes are far below 2³²: a block's names and events are bounded.
    let header = BlockHeader {
        tag,
        stored: payload.len() as u32,
        events: events as u32,
        names: names as u32,
        first,
        payload_sum: xxh3_64(payload),
    };
    out.write_all(&header.encode())?;
    out.write_all(payload)
}
