//! Reads binary traces.
//!
//! Guarantee: what is delivered are the events of whole blocks with right checksums, from the start
//! of the file, in order. The first block that is not whole or not right ends the stream, and
//! [`Source::damage`] says where and why. (A block that no writer of ours makes, with right
//! checksums around impossible events, ends it too; then batches from before those events may have
//! been delivered.) No header makes the reader allocate more than a few megabytes: only names, which
//! must be there to be read, are kept.

use super::columns::{Columns, Limits};
use super::format::{
    BLOCK_HEADER, BlockHeader, FILE_HEADER, Flaw, PREDEFINED, Stop, TABLES, Tag, check_file_header,
    u32_at, u64_at,
};
use super::payload::Payload;
use super::remarks;
use super::tables::Tables;
use crate::error::{Place, Problem, TraceError};
use crate::event::Batch;
use crate::names::Names;
use crate::remarks::Remarks;
use crate::source::{Damage, Source};
use std::io::{self, BufReader, Read};
use xxhash_rust::xxh3::xxh3_64;

/// Small blocks share a system call of this many bytes; larger payloads go past the buffer.
const BUFFER: usize = 64 * 1024;

/// A source of events that reads the binary format.
pub struct BinaryReader<R: Read> {
    input: String,
    reader: BufReader<R>,
    tables: Tables,
    /// The current block: the one being delivered, or the one that ended the stream.
    block: Block,
    payload: Payload,
    /// The ids that the block's events may have.
    limits: Limits,
    remarks: Option<Remarks>,
    ended: bool,
    damage: Option<Damage>,
}

/// Where the reader is.
struct Block {
    /// The block's number, from 1.
    number: u64,
    /// Where it begins in the file.
    byte: u64,
    /// How many bytes it takes; 0 until it was read whole.
    size: u64,
    /// The position of its first event.
    first: u64,
    /// How many events it has; 0 until it was read whole.
    events: usize,
    /// How many of them were delivered, and how many positions these have.
    delivered: usize,
    positions: u64,
}

impl Block {
    fn next(&self) -> Block {
        Block {
            number: self.number + 1,
            byte: self.byte + self.size,
            size: 0,
            first: self.first + self.positions,
            events: 0,
            delivered: 0,
            positions: 0,
        }
    }
}

impl<R: Read> BinaryReader<R> {
    /// Reads the file header. `input` is the file's name, for messages.
    pub fn new(input: &str, reader: R) -> Result<BinaryReader<R>, TraceError> {
        let mut reader = BufReader::with_capacity(BUFFER, reader);
        let mut header = [0; FILE_HEADER];
        read_full(&mut reader, &mut header)
            .map_err(Problem::Io)
            .and_then(|size| check_file_header(&header[..size]))
            .map_err(|problem| TraceError::whole(input, problem))?;
        let size = FILE_HEADER as u64;
        Ok(BinaryReader {
            input: input.to_string(),
            reader,
            tables: Tables::default(),
            block: Block {
                number: 0,
                byte: 0,
                size,
                first: 0,
                events: 0,
                delivered: 0,
                positions: 0,
            },
            payload: Payload::default(),
            limits: Limits::new(PREDEFINED),
            remarks: None,
            ended: false,
            damage: None,
        })
    }

    /// Goes on to the next block.
    fn next_block(&mut self) -> Result<(), Stop> {
        self.block = self.block.next();
        let mut bytes = [0; BLOCK_HEADER];
        let size = read_full(&mut self.reader, &mut bytes)?;
        if size < BLOCK_HEADER {
            return Err(Stop::CutOff(size));
        }
        let header = BlockHeader::decode(&bytes)?;
        if header.first != self.block.first {
            return Err(Flaw::Position { found: header.first, due: self.block.first }.into());
        }
        self.read_payload(&header)?;
        match header.tag {
            Tag::Events => {
                self.payload.unpack(&header)?;
                self.tables.decode(self.payload.section(0))?;
                self.limits = Limits::new(self.tables.lengths());
            }
            Tag::Remarks => self.remarks = Some(remarks::decode(&self.payload.stored)?),
            Tag::End => self.check_totals()?,
        }
        self.block.size = BLOCK_HEADER as u64 + u64::from(header.stored);
        self.block.events = header.events as usize;
        if header.tag == Tag::End { self.end() } else { Ok(()) }
    }

    fn read_payload(&mut self, header: &BlockHeader) -> Result<(), Stop> {
        let stored = &mut self.payload.stored;
        stored.resize(header.stored as usize, 0);
        let size = read_full(&mut self.reader, stored)?;
        if size < stored.len() {
            return Err(Stop::CutOff(BLOCK_HEADER + size));
        }
        if xxh3_64(stored) != header.payload_sum {
            return Err(Flaw::PayloadSum.into());
        }
        Ok(())
    }

    /// Checks the end mark's payload, whose size the header fixed.
    fn check_totals(&self) -> Result<(), Flaw> {
        let totals = &self.payload.stored;
        let lengths = self.tables.lengths();
        let same = (0..TABLES).all(|table| u32_at(totals, 4 * table) == lengths[table]);
        let blocks = self.block.number - 1;
        if same && u64_at(totals, 4 * TABLES) == blocks { Ok(()) } else { Err(Flaw::Totals) }
    }

    /// Ends the stream after the end mark: nothing may follow.
    fn end(&mut self) -> Result<(), Stop> {
        self.ended = true;
        self.block = self.block.next();
        match read_full(&mut self.reader, &mut [0])? {
            0 => Ok(()),
            _ => Err(Flaw::AfterEnd.into()),
        }
    }

    /// Fills the batch; leaves it empty at the end of the stream.
    fn fill(&mut self, batch: &mut Batch) -> Result<(), Stop> {
        while self.block.delivered == self.block.events && !self.ended {
            self.next_block()?;
        }
        let Block { first, events, delivered, positions, .. } = self.block;
        batch.first = first + positions;
        if delivered < events {
            let to = events.min(delivered + Batch::SIZE);
            let columns = Columns::new(&self.payload);
            columns.decode(delivered..to, batch.first, &self.limits, &mut batch.events)?;
            self.block.delivered = to;
            self.block.positions = match columns.has_spans() {
                true => batch.end() - first,
                false => to as u64,
            };
        }
        Ok(())
    }

    /// Ends the stream for a reason.
    fn stop(&mut self, stop: Stop) -> Result<(), TraceError> {
        let Block { number, byte, first, delivered, positions, .. } = self.block;
        let events = first + positions;
        self.ended = true;
        self.block.events = delivered;
        let (cut_off, what) = match stop {
            Stop::Problem(problem) => {
                let place = Place::Byte(byte);
                return Err(TraceError { input: self.input.clone(), place, problem });
            }
            Stop::Flaw(flaw) => (false, format!("block {number} is damaged: {flaw}")),
            Stop::CutOff(0) => {
                (true, format!("the trace is cut off before block {number} and has no end mark"))
            }
            Stop::CutOff(size) => {
                (true, format!("the trace is cut off {size} bytes into block {number}"))
            }
        };
        let message = Damage::message(&what, events);
        self.damage = Some(Damage { cut_off, byte, message });
        Ok(())
    }
}

/// Fills `bytes`, or reads what is left of the input; gives back how much that was. A compressed
/// file that is cut off ends where it does, like any other.
fn read_full(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut size = 0;
    while size < bytes.len() {
        match reader.read(&mut bytes[size..]) {
            Ok(0) => break,
            Ok(read) => size += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        }
    }
    Ok(size)
}

impl<R: Read> Source for BinaryReader<R> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.events.clear();
        if let Err(stop) = self.fill(batch) {
            batch.events.clear();
            self.stop(stop)?;
        }
        Ok(!batch.events.is_empty())
    }

    fn names(&self) -> &Names {
        &self.tables.names
    }

    fn input(&self) -> &str {
        &self.input
    }

    fn remarks(&self) -> Option<&Remarks> {
        self.remarks.as_ref()
    }

    fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }
}
