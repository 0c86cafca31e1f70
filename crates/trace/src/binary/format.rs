//! The fixed parts of the binary format: file header, block header, end mark, limits.
//!
//! Numbers are little-endian. A block's header has a checksum of its own, apart from its payload's:
//! without it a flipped bit in a size could not be told from a file that was cut off.

use super::payload::MAX_PAYLOAD;
use crate::error::Problem;
use std::io;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every binary trace. The first is no start of UTF-8 text; the line ends betray
/// a transfer that "corrected" them.
const MAGIC: [u8; 8] = *b"\x89ILPR\r\n\x1a";

/// The version written, and the only one read.
pub(super) const VERSION: u32 = 1;

/// The size of the file header: magic, version, flags.
pub(super) const FILE_HEADER: usize = 16;

/// The size of a block's header.
pub(super) const BLOCK_HEADER: usize = 40;

/// The most events a block may have.
pub(super) const MAX_EVENTS: usize = 64 * 1024;

/// The most bytes a block's names may take, once decompressed.
pub(super) const MAX_NAMES: usize = 2 * 1024 * 1024;

/// The longest name. (The next size stands for a family.)
pub(super) const MAX_NAME: u16 = u16::MAX - 1;

/// The number of name tables: threads, variables, locks, labels, sites, in this order.
pub(super) const TABLES: usize = 5;

/// The number of the table of variables.
pub(super) const VARIABLES: usize = 1;

/// How many names each table has before the first block: labels and sites have the empty name.
pub(super) const PREDEFINED: [u32; TABLES] = [0, 0, 0, 1, 1];

/// The tables' names, for messages.
pub(super) const TABLE_NAMES: [&str; TABLES] = ["thread", "variable", "lock", "label", "site"];

/// The payload of the end mark: the size of every table, and the number of blocks.
pub(super) const END_PAYLOAD: usize = 4 * TABLES + 8;

/// The most bytes that remarks may take.
pub(super) const MAX_REMARKS: usize = 1024 * 1024;

const TAG_EVENTS: [u8; 4] = *b"EVTS";
const TAG_REMARKS: [u8; 4] = *b"NOTE";
const TAG_END: [u8; 4] = *b"LAST";

/// Whether a file that begins with these bytes is a binary trace. Eight bytes decide; of a shorter
/// file, all it has.
pub fn is_binary(prefix: &[u8]) -> bool {
    let shared = prefix.len().min(MAGIC.len());
    shared > 0 && prefix[..shared] == MAGIC[..shared]
}

/// The file header as written.
pub(super) fn file_header() -> [u8; FILE_HEADER] {
    let mut bytes = [0; FILE_HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes
}

/// Checks a file header, or what there is of it.
pub(super) fn check_file_header(bytes: &[u8]) -> Result<(), Problem> {
    if !is_binary(bytes) {
        return Err(Problem::Damaged("this is not a binary trace".into()));
    }
    if bytes.len() < FILE_HEADER {
        return Err(Problem::Damaged(format!(
            "the file header is cut off after {} of {FILE_HEADER} bytes",
            bytes.len()
        )));
    }
    let found = u32_at(bytes, 8);
    if found != VERSION {
        return Err(Problem::Version { found, known: VERSION });
    }
    match u32_at(bytes, 12) {
        0 => Ok(()),
        flags => Err(Problem::Damaged(format!("the file header has unknown flags {flags:#x}"))),
    }
}

/// What a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    /// Names and events.
    Events,
    /// What the recorder remarks.
    Remarks,
    /// The end mark.
    End,
}

/// A block's header, without the checksum of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockHeader {
    /// What the block is.
    pub tag: Tag,
    /// The payload's bytes, as stored.
    pub stored: u32,
    /// The number of events.
    pub events: u32,
    /// The bytes of the names, once decompressed.
    pub names: u32,
    /// The position of the first event (in the end mark: the number of events of the trace).
    pub first: u64,
    /// The checksum of the payload as stored.
    pub payload_sum: u64,
}

impl BlockHeader {
    /// The header as written.
    pub fn encode(&self) -> [u8; BLOCK_HEADER] {
        let mut bytes = [0; BLOCK_HEADER];
        bytes[..4].copy_from_slice(match self.tag {
            Tag::Events => &TAG_EVENTS,
            Tag::Remarks => &TAG_REMARKS,
            Tag::End => &TAG_END,
        });
        bytes[4..8].copy_from_slice(&self.stored.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.events.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.names.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.payload_sum.to_le_bytes());
        let sum = xxh3_64(&bytes[..32]);
        bytes[32..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads a header, and checks that its sizes are within the limits.
    pub fn decode(bytes: &[u8; BLOCK_HEADER]) -> Result<BlockHeader, Flaw> {
        let tag = match &bytes[..4] {
            tag if tag == TAG_EVENTS => Tag::Events,
            tag if tag == TAG_REMARKS => Tag::Remarks,
            tag if tag == TAG_END => Tag::End,
            _ => return Err(Flaw::NoBlock),
        };
        if xxh3_64(&bytes[..32]) != u64_at(bytes, 32) {
            return Err(Flaw::HeaderSum);
        }
        let header = BlockHeader {
            tag,
            stored: u32_at(bytes, 4),
            events: u32_at(bytes, 8),
            names: u32_at(bytes, 12),
            first: u64_at(bytes, 16),
            payload_sum: u64_at(bytes, 24),
        };
        header.check_limits()?;
        Ok(header)
    }

    fn check_limits(&self) -> Result<(), Flaw> {
        let [stored, events, names] = [self.stored, self.events, self.names].map(|n| n as usize);
        let fits = match self.tag {
            Tag::Events => stored <= MAX_PAYLOAD && events <= MAX_EVENTS && names <= MAX_NAMES,
            Tag::Remarks => stored <= MAX_REMARKS && events == 0 && names == 0,
            Tag::End => stored == END_PAYLOAD && events == 0 && names == 0,
        };
        if fits { Ok(()) } else { Err(Flaw::Sizes) }
    }
}

/// What is wrong with a block.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum Flaw {
    #[error("no block begins here")]
    NoBlock,
    #[error("its header does not match its checksum")]
    HeaderSum,
    #[error("its payload does not match its checksum")]
    PayloadSum,
    #[error("it has impossible sizes")]
    Sizes,
    #[error("it begins with event {found} where event {due} is due")]
    Position { found: u64, due: u64 },
    #[error("its payload cannot be decompressed")]
    Compression,
    #[error("its payload is shorter than its contents")]
    Short,
    #[error("its payload is longer than its contents")]
    Long,
    #[error("{0} name {1} is not valid UTF-8")]
    NameNotUtf8(&'static str, u32),
    #[error("{0} name {1} is there already")]
    NameTwice(&'static str, u32),
    #[error("it has a family of {0} names that cannot be")]
    Family(&'static str),
    #[error("a column has entries of {0} bytes")]
    Width(u8),
    #[error("event {0} has the unknown operation code {1}")]
    Operation(u64, u8),
    #[error("event {0} has {1} number {2}, which has no name")]
    Id(u64, &'static str, u32),
    #[error("event {0} has operand {1} where none is allowed")]
    Operand(u64, u32),
    #[error("event {0} is about several variables that it cannot be about")]
    Span(u64),
    #[error("its remarks make no sense")]
    Remarks,
    #[error("the end mark does not match what came before it")]
    Totals,
    #[error("there are bytes after the end mark")]
    AfterEnd,
}

/// Why a reader stops.
pub(super) enum Stop {
    /// The block is not right.
    Flaw(Flaw),
    /// The file ends after this many bytes of the block.
    CutOff(usize),
    /// Not the file is at fault, or more than a block of it.
    Problem(Problem),
}

impl From<Flaw> for Stop {
    fn from(flaw: Flaw) -> Stop {
        Stop::Flaw(flaw)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Problem(Problem::Io(error))
    }
}

/// The `u32` at an offset. Panics beyond the end: for headers of fixed size only.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The `u64` at an offset, as [`u32_at`].
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
