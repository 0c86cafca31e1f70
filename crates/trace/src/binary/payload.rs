//! A block's payload: a directory, then four sections (names and three columns), each compressed by
//! itself or left as it is.
//!
//! Sections are compressed one by one because they differ: sites repeat and shrink, operands often
//! hardly do, and decompressing is most of what reading costs. A section is stored compressed only
//! where that saves a quarter.

use super::format::{BlockHeader, Flaw, MAX_EVENTS, MAX_NAMES, u32_at};
use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};
use std::ops::Range;

/// Names, steps (thread and operation), operands, sites.
pub(super) const SECTIONS: usize = 4;

/// The columns: all sections but the first.
pub(super) const COLUMNS: usize = SECTIONS - 1;

/// The stored size of every section, the bytes an entry of every column takes, and a spare byte.
const DIRECTORY: usize = 4 * SECTIONS + COLUMNS + 1;

/// The most bytes a payload may have.
pub(super) const MAX_PAYLOAD: usize = DIRECTORY + MAX_NAMES + MAX_EVENTS * 4 * COLUMNS;

/// Puts a payload together; keeps its buffers.
#[derive(Default)]
pub(super) struct Packer {
    payload: Vec<u8>,
    compressed: Vec<u8>,
}

impl Packer {
    /// The payload of these sections, whose columns have these widths.
    pub fn pack(&mut self, sections: &[Vec<u8>; SECTIONS], widths: [u8; COLUMNS]) -> &[u8] {
        self.payload.clear();
        self.payload.resize(DIRECTORY, 0);
        for (i, section) in sections.iter().enumerate() {
            self.compressed.resize(get_maximum_output_size(section.len()), 0);
            let stored = match compress_into(section, &mut self.compressed) {
                Ok(size) if size <= section.len() / 4 * 3 => &self.compressed[..size],
                _ => section,
            };
            self.payload[4 * i..4 * i + 4].copy_from_slice(&(stored.len() as u32).to_le_bytes());
            self.payload.extend_from_slice(stored);
        }
        self.payload[4 * SECTIONS..][..COLUMNS].copy_from_slice(&widths);
        &self.payload
    }
}

/// The payload of the block that is being read.
#[derive(Default)]
pub(super) struct Payload {
    /// As in the file.
    pub stored: Vec<u8>,
    /// The sections that were compressed, one after the other.
    unpacked: Vec<u8>,
    sections: [Section; SECTIONS],
    /// The bytes an entry of each column takes.
    pub widths: [u8; COLUMNS],
}

/// Where a section is.
#[derive(Clone, Default)]
struct Section {
    compressed: bool,
    /// In `unpacked` if compressed, else in `stored`.
    bytes: Range<usize>,
}

impl Payload {
    /// The bytes of a section.
    pub fn section(&self, number: usize) -> &[u8] {
        let Section { compressed, bytes } = self.sections[number].clone();
        if compressed { &self.unpacked[bytes] } else { &self.stored[bytes] }
    }

    /// Finds the sections in `stored` and decompresses those that need it. The header's limits were
    /// checked; so nothing here takes more than [`MAX_PAYLOAD`] bytes.
    pub fn unpack(&mut self, header: &BlockHeader) -> Result<(), Flaw> {
        let directory = self.stored.get(..DIRECTORY).ok_or(Flaw::Short)?;
        self.widths.copy_from_slice(&directory[4 * SECTIONS..][..COLUMNS]);
        let stored_sizes: [_; SECTIONS] = std::array::from_fn(|i| u32_at(directory, 4 * i));
        let sizes = self.sizes(header)?;
        let (mut at, mut unpacked) = (DIRECTORY, 0);
        for (i, (stored, size)) in stored_sizes.into_iter().zip(sizes).enumerate() {
            let end = at.checked_add(stored as usize).ok_or(Flaw::Short)?;
            let bytes = self.stored.get(at..end).ok_or(Flaw::Short)?;
            if bytes.len() < size {
                self.sections[i] = Section { compressed: true, bytes: unpacked..unpacked + size };
                unpacked += size;
                if self.unpacked.len() < unpacked {
                    self.unpacked.resize(unpacked, 0);
                }
                decompress(bytes, &mut self.unpacked[unpacked - size..unpacked])?;
            } else if bytes.len() == size {
                self.sections[i] = Section { compressed: false, bytes: at..end };
            } else {
                return Err(Flaw::Sizes);
            }
            at = end;
        }
        if at == self.stored.len() { Ok(()) } else { Err(Flaw::Long) }
    }

    /// The sizes of the sections once decompressed.
    fn sizes(&self, header: &BlockHeader) -> Result<[usize; SECTIONS], Flaw> {
        let widths = &self.widths;
        if let Some(&bad) = widths.iter().find(|width| !(1..=4).contains(*width)) {
            return Err(Flaw::Width(bad));
        }
        let mut sizes = [header.names as usize; SECTIONS];
        for (size, &width) in sizes[1..].iter_mut().zip(widths) {
            *size = header.events as usize * width as usize;
        }
        Ok(sizes)
    }
}

/// Decompresses a section, which must fill `out`.
fn decompress(bytes: &[u8], out: &mut [u8]) -> Result<(), Flaw> {
    match decompress_into(bytes, out) {
        Ok(size) if size == out.len() => Ok(()),
        _ => Err(Flaw::Compression),
    }
}
