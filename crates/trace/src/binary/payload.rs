//! A block's payload: a directory, then four sections (names and three columns), and a fifth where there are accesses of
//! several variables (a column again), each compressed by itself or left as it is.
//!
//! Sections are compressed one by one because they differ: sites repeat and shrink, operands often
//! hardly do, and decompressing is most of what reading costs. A section is stored compressed only
//! where that saves a quarter.

use super::format::{BlockHeader, Flaw, MAX_EVENTS, MAX_NAMES, u32_at};
use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};
use std::ops::Range;

/// Names, steps (thread and operation), operands, sites, and spans, which most blocks do without.
pub(super) const SECTIONS: usize = 5;

/// The columns: all sections but the first.
pub(super) const COLUMNS: usize = SECTIONS - 1;

/// The number of the section of spans.
pub(super) const SPANS: usize = SECTIONS - 1;

/// The stored size of every section but the last, and the bytes an entry of every column takes. If the last has any,
/// its stored size follows.
const DIRECTORY: usize = 4 * SPANS + COLUMNS;
const LONG_DIRECTORY: usize = DIRECTORY + 4;

/// The most bytes a payload may have.
pub(super) const MAX_PAYLOAD: usize = LONG_DIRECTORY + MAX_NAMES + MAX_EVENTS * 4 * COLUMNS;

/// Where the directory has the stored size of a section.
fn size_at(section: usize) -> usize {
    if section == SPANS { DIRECTORY } else { 4 * section }
}

/// How long the directory is, and how many sections there are, with these widths of columns.
fn layout(widths: &[u8; COLUMNS]) -> (usize, usize) {
    if widths[SPANS - 1] == 0 { (DIRECTORY, SPANS) } else { (LONG_DIRECTORY, SECTIONS) }
}

/// Puts a payload together; keeps its buffers.
#[derive(Default)]
pub(super) struct Packer {
    payload: Vec<u8>,
    compressed: Vec<u8>,
}

impl Packer {
    /// The payload of these sections, whose columns have these widths.
    pub fn pack(&mut self, sections: &[Vec<u8>; SECTIONS], widths: [u8; COLUMNS]) -> &[u8] {
        let (directory, count) = layout(&widths);
        self.payload.clear();
        self.payload.resize(directory, 0);
        for (i, section) in sections.iter().enumerate().take(count) {
            self.compressed.resize(get_maximum_output_size(section.len()), 0);
            let stored = match compress_into(section, &mut self.compressed) {
                Ok(size) if size <= section.len() / 4 * 3 => &self.compressed[..size],
                _ => section,
            };
            self.payload[size_at(i)..][..4].copy_from_slice(&(stored.len() as u32).to_le_bytes());
            self.payload.extend_from_slice(stored);
        }
        self.payload[4 * SPANS..][..COLUMNS].copy_from_slice(&widths);
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
        self.widths.copy_from_slice(&directory[4 * SPANS..][..COLUMNS]);
        let (length, count) = layout(&self.widths);
        let directory = self.stored.get(..length).ok_or(Flaw::Short)?;
        let stored_sizes: Vec<u32> = (0..count).map(|i| u32_at(directory, size_at(i))).collect();
        let sizes = self.sizes(header)?;
        let (mut at, mut unpacked) = (length, 0);
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
        let least = |column| if column == SPANS - 1 { 0 } else { 1 };
        let is_bad = |(column, width): &(usize, &u8)| !(least(*column)..=4).contains(*width);
        if let Some((_, &bad)) = widths.iter().enumerate().find(is_bad) {
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
