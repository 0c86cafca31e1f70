//! Opens a trace, whatever it is: a file or standard input, compressed or not, text or binary.

use crate::binary::{BinaryReader, is_binary};
use crate::error::TraceError;
use crate::source::Source;
use crate::text::TextReader;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The name by which users mean standard input.
pub const STANDARD_INPUT: &str = "-";

/// An opened trace.
pub struct Input {
    /// Its events, as they stand in the file.
    pub source: Box<dyn Source>,
    /// What kind of file it is, in words: `text`, `binary, zstd`.
    pub format: &'static str,
    /// The file's size in bytes, if it has one.
    pub size: Option<u64>,
    /// How many bytes of the file have been read so far.
    pub read: Arc<AtomicU64>,
}

/// Opens the trace at `path`; `-` is standard input. If `lenient`, what is not an event is passed
/// over.
pub fn open(path: &str, lenient: bool) -> Result<Input, TraceError> {
    if path == STANDARD_INPUT {
        return open_reader("standard input", io::stdin(), None, lenient);
    }
    let fail = |error: io::Error| TraceError::whole(path, error);
    let file = File::open(path).map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if metadata.is_dir() {
        return Err(fail(io::Error::new(ErrorKind::IsADirectory, "this is a folder, not a trace")));
    }
    let size = metadata.is_file().then_some(metadata.len());
    open_reader(path, file, size, lenient)
}

/// Opens a trace from any reader, which the user knows as `input`.
pub fn open_reader(
    input: &str,
    reader: impl Read + 'static,
    size: Option<u64>,
    lenient: bool,
) -> Result<Input, TraceError> {
    let read = Arc::new(AtomicU64::new(0));
    let reader = Counted { reader, read: read.clone() };
    let fail = |error: io::Error| TraceError::whole(input, error);
    let (start, reader) = peek(reader).map_err(fail)?;
    let (compression, reader): (_, Box<dyn Read>) = match start.as_slice() {
        [0x1f, 0x8b, ..] => {
            let decoder = flate2::read::MultiGzDecoder::new(reader);
            (Compression::Gzip, Box::new(Unpacked { decoder, cut_off: false }))
        }
        // A frame of data, or one to be skipped, with which some packers begin.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            let decoder = zstd::Decoder::new(reader).map_err(fail)?;
            (Compression::Zstd, Box::new(Unpacked { decoder, cut_off: false }))
        }
        _ => (Compression::None, Box::new(reader)),
    };
    let (start, reader) = peek(reader).map_err(fail)?;
    let binary = is_binary(&start);
    let source: Box<dyn Source> = match binary {
        true => Box::new(BinaryReader::new(input, reader)?),
        false => Box::new(TextReader::new(input, reader, lenient)),
    };
    let format = match (binary, compression) {
        (false, Compression::None) => "text",
        (false, Compression::Gzip) => "text, gzip",
        (false, Compression::Zstd) => "text, zstd",
        (true, Compression::None) => "binary",
        (true, Compression::Gzip) => "binary, gzip",
        (true, Compression::Zstd) => "binary, zstd",
    };
    Ok(Input { source, format, size, read })
}

#[derive(Clone, Copy)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

/// Enough bytes to tell every format.
const PEEK: usize = 16;

type Peeked<R> = io::Chain<Cursor<Vec<u8>>, R>;

fn peek<R: Read>(mut reader: R) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut start = vec![];
    match reader.by_ref().take(PEEK as u64).read_to_end(&mut start) {
        // Whoever reads on meets it again, and knows better what to make of it.
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {}
        read => _ = read?,
    }
    Ok((start.clone(), Cursor::new(start).chain(reader)))
}

/// What a decoder gives. If the compressed file is cut off it says so in plain words, as an
/// [`ErrorKind::UnexpectedEof`], to everyone who asks: decoders tell it once and then claim to be at
/// the end.
struct Unpacked<D> {
    decoder: D,
    cut_off: bool,
}

impl<D: Read> Read for Unpacked<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.cut_off {
            match self.decoder.read(buffer) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => self.cut_off = true,
                read => return read,
            }
        }
        Err(io::Error::new(ErrorKind::UnexpectedEof, "the compressed file is cut off"))
    }
}

/// Counts what is read, for progress bars.
struct Counted<R> {
    reader: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

impl Source for Box<dyn Source> {
    fn next_batch(&mut self, batch: &mut crate::Batch) -> Result<bool, TraceError> {
        (**self).next_batch(batch)
    }

    fn names(&self) -> &crate::Names {
        (**self).names()
    }

    fn take_retired(&mut self) -> crate::Retired {
        (**self).take_retired()
    }

    fn take_back(&mut self, free: crate::Retired) {
        (**self).take_back(free);
    }

    fn input(&self) -> &str {
        (**self).input()
    }

    fn place(&self, batch: &crate::Batch, position: crate::Position) -> crate::Place {
        (**self).place(batch, position)
    }

    fn skipped(&self) -> u64 {
        (**self).skipped()
    }

    fn remarks(&self) -> Option<&crate::Remarks> {
        (**self).remarks()
    }

    fn damage(&self) -> Option<&crate::Damage> {
        (**self).damage()
    }
}
