//! Trace files being written: text or binary, compressed or not.

use crate::args::TraceFormat;
use crate::failure::Failure;
use crate::output::{Output, STANDARD_OUTPUT};
use flate2::write::GzEncoder;
use interloper_trace::{BinaryWriter, Event, Extent, Names, Remarks, TextWriter};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The ending of binary traces.
const BINARY_ENDING: &str = "itl";

/// A trace file being written. Until it is complete it has another name, so that a failure leaves
/// an older file of the name as it was.
pub struct TraceOutput {
    path: PathBuf,
    writer: Option<TraceWriter>,
    partial: Option<Partial>,
}

/// A file that is removed unless it is completed.
struct Partial {
    path: PathBuf,
    /// The name it gets when it is complete.
    complete: PathBuf,
}

impl Partial {
    /// A partial file for this path; none where something else than a file is to be written to.
    fn of(path: &Path) -> Option<Partial> {
        if path == Path::new(STANDARD_OUTPUT) || (path.exists() && !path.is_file()) {
            return None;
        }
        let mut name = path.file_name()?.to_os_string();
        name.push(".partial");
        Some(Partial { path: path.with_file_name(name), complete: path.to_path_buf() })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already if it was completed.
        let _ = std::fs::remove_file(&self.path);
    }
}

enum TraceWriter {
    Text(Box<TextWriter<Packer>>),
    Binary(Box<BinaryWriter<Packer>>),
}

impl TraceOutput {
    /// Opens the output in `format`, by default that of the path's ending; compressed if the path
    /// ends so.
    pub fn open(path: &str, format: Option<TraceFormat>) -> Result<TraceOutput, Failure> {
        let (by_ending, compression) = by_ending(Path::new(path));
        let format = format.unwrap_or(by_ending);
        let partial = Partial::of(Path::new(path));
        let written = partial.as_ref().map_or(Path::new(path), |partial| &partial.path);
        let Output { path, writer, terminal } = Output::open(Some(written))?;
        if terminal && format == TraceFormat::Binary {
            let message = "a binary trace is no sight for a terminal: name a file, or use a pipe";
            return Err(Failure::Usage(message.to_string()));
        }
        let opened = Packer::new(writer, compression).and_then(|packer| {
            Ok(match format {
                TraceFormat::Std => TraceWriter::Text(Box::new(TextWriter::new(packer))),
                TraceFormat::Binary => TraceWriter::Binary(Box::new(BinaryWriter::new(packer)?)),
            })
        });
        let writer = opened.map_err(|error| Failure::output(&path, error))?;
        Ok(TraceOutput { path, writer: Some(writer), partial })
    }

    /// Writes events.
    pub fn write(&mut self, names: &Names, events: &[Event]) -> Result<(), Failure> {
        let written = match &mut self.writer {
            Some(TraceWriter::Text(writer)) => writer.write(names, events),
            Some(TraceWriter::Binary(writer)) => writer.write(names, events),
            None => Ok(()),
        };
        written.map_err(|error| Failure::output(&self.path, error))
    }

    /// Writes what a recorder has remarked; false if it is that something is missing, and the format has no place for it.
    pub fn remark(&mut self, remarks: Option<&Remarks>) -> Result<bool, Failure> {
        let Some(remarks) = remarks else { return Ok(true) };
        match &mut self.writer {
            Some(TraceWriter::Binary(writer)) => {
                writer.remark(remarks).map_err(|error| Failure::output(&self.path, error))?;
                Ok(true)
            }
            _ => Ok(remarks.extent == Extent::Whole),
        }
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<(), Failure> {
        let packed = match self.writer.take() {
            Some(TraceWriter::Text(writer)) => writer.finish().and_then(Packer::finish),
            Some(TraceWriter::Binary(writer)) => writer.finish().and_then(Packer::finish),
            None => Ok(()),
        };
        packed.map_err(|error| Failure::output(&self.path, error))?;
        match &self.partial {
            Some(Partial { path, complete }) => {
                std::fs::rename(path, complete).map_err(|error| Failure::output(complete, error))
            }
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

/// What a path's endings ask for: `a.itl.gz` is a binary trace in gzip.
fn by_ending(path: &Path) -> (TraceFormat, Compression) {
    let ends_in = |path: &Path, ending: &str| path.extension().is_some_and(|e| e == ending);
    let compression = match () {
        _ if ends_in(path, "gz") => Compression::Gzip,
        _ if ends_in(path, "zst") => Compression::Zstd,
        _ => Compression::None,
    };
    let inner = match compression {
        Compression::None => path.to_path_buf(),
        _ => path.with_extension(""),
    };
    let format = match ends_in(&inner, BINARY_ENDING) {
        true => TraceFormat::Binary,
        false => TraceFormat::Std,
    };
    (format, compression)
}

/// A writer that compresses, or does not.
enum Packer {
    Plain(Box<dyn Write>),
    Gzip(GzEncoder<Box<dyn Write>>),
    Zstd(zstd::Encoder<'static, Box<dyn Write>>),
}

impl Packer {
    fn new(writer: Box<dyn Write>, compression: Compression) -> io::Result<Packer> {
        Ok(match compression {
            Compression::None => Packer::Plain(writer),
            Compression::Gzip => {
                Packer::Gzip(GzEncoder::new(writer, flate2::Compression::default()))
            }
            Compression::Zstd => {
                Packer::Zstd(zstd::Encoder::new(writer, zstd::DEFAULT_COMPRESSION_LEVEL)?)
            }
        })
    }

    /// Writes what the compression holds back, and its end.
    fn finish(self) -> io::Result<()> {
        let mut writer = match self {
            Packer::Plain(writer) => writer,
            Packer::Gzip(encoder) => encoder.finish()?,
            Packer::Zstd(encoder) => encoder.finish()?,
        };
        writer.flush()
    }
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packer::Plain(writer) => writer.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packer::Plain(writer) => writer.flush(),
            Packer::Gzip(encoder) => encoder.flush(),
            Packer::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_choose_format_and_compression() {
        use {Compression as C, TraceFormat as F};
        for (path, format, compression) in [
            ("a.std", F::Std, C::None),
            ("a", F::Std, C::None),
            ("-", F::Std, C::None),
            ("a.itl", F::Binary, C::None),
            ("a.itl.gz", F::Binary, C::Gzip),
            ("b/a.itl.zst", F::Binary, C::Zstd),
            ("a.std.gz", F::Std, C::Gzip),
            ("a.gz", F::Std, C::Gzip),
            ("a.itl.std", F::Std, C::None),
            ("a.gz.itl", F::Binary, C::None),
            (".zst", F::Std, C::None),
        ] {
            assert!(by_ending(Path::new(path)) == (format, compression), "{path}");
        }
    }
}
