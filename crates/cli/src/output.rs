//! Where output goes: a file the user named, or standard output.

use crate::args::{Color, TraceFormat};
use crate::failure::Failure;
use interloper_trace::{BinaryWriter, Event, Names, TextWriter};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The name by which users mean standard output.
const STANDARD_OUTPUT: &str = "-";

/// The ending of binary traces.
const BINARY_ENDING: &str = "itl";

/// An open output, with its name for messages.
pub struct Output {
    path: PathBuf,
    writer: Box<dyn Write>,
    terminal: bool,
}

impl Output {
    /// Opens the file, or standard output for none or `-`.
    pub fn open(path: Option<&Path>) -> Result<Output, Failure> {
        match path.filter(|path| *path != Path::new(STANDARD_OUTPUT)) {
            None => Ok(Output {
                path: PathBuf::from("standard output"),
                writer: Box::new(BufWriter::new(io::stdout())),
                terminal: io::stdout().is_terminal(),
            }),
            Some(path) => {
                let file = File::create(path).map_err(|error| Failure::output(path, error))?;
                let writer = Box::new(BufWriter::new(file));
                Ok(Output { path: path.to_path_buf(), writer, terminal: false })
            }
        }
    }

    /// Whether to colour what goes there.
    pub fn is_coloured(&self, color: Color) -> bool {
        match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                self.terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }

    /// How many columns there are to fill.
    pub fn width(&self) -> usize {
        const PIPED: usize = 100;
        match self.terminal {
            true => terminal_size::terminal_size().map_or(PIPED, |(width, _)| width.0.into()),
            false => PIPED,
        }
    }

    /// Writes by `write`, and everything that is buffered.
    pub fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        write(&mut self.writer)
            .and_then(|()| self.writer.flush())
            .map_err(|error| Failure::output(&self.path, error))
    }
}

/// Refuses to write to a file that is to be read: opening it would empty it.
pub fn refuse_overwriting(input: &str, output: Option<&Path>) -> Result<(), Failure> {
    let same = output.is_some_and(|output| {
        match (Path::new(input).canonicalize(), output.canonicalize()) {
            (Ok(from), Ok(to)) => from == to && from.is_file(),
            _ => false,
        }
    });
    if same {
        let message = format!("{input}: cannot write to the file that is read");
        return Err(Failure::Usage(message));
    }
    Ok(())
}

/// A trace file being written.
pub struct TraceOutput {
    path: PathBuf,
    writer: TraceWriter,
}

enum TraceWriter {
    Text(TextWriter<Box<dyn Write>>),
    Binary(Box<BinaryWriter<Box<dyn Write>>>),
}

impl TraceOutput {
    /// Opens the output in `format`, by default that of the path's ending.
    pub fn open(path: &str, format: Option<TraceFormat>) -> Result<TraceOutput, Failure> {
        let path = Path::new(path);
        let by_ending = match path.extension() {
            Some(ending) if ending == BINARY_ENDING => TraceFormat::Binary,
            _ => TraceFormat::Std,
        };
        let Output { path, writer, terminal } = Output::open(Some(path))?;
        let writer = match format.unwrap_or(by_ending) {
            TraceFormat::Std => TraceWriter::Text(TextWriter::new(writer)),
            TraceFormat::Binary if terminal => {
                let message =
                    "a binary trace is no sight for a terminal: name a file, or use a pipe";
                return Err(Failure::Usage(message.to_string()));
            }
            TraceFormat::Binary => {
                let fail = |error| Failure::output(&path, error);
                TraceWriter::Binary(Box::new(BinaryWriter::new(writer).map_err(fail)?))
            }
        };
        Ok(TraceOutput { path, writer })
    }

    /// Writes events.
    pub fn write(&mut self, names: &Names, events: &[Event]) -> Result<(), Failure> {
        let written = match &mut self.writer {
            TraceWriter::Text(writer) => writer.write(names, events),
            TraceWriter::Binary(writer) => writer.write(names, events),
        };
        written.map_err(|error| Failure::output(&self.path, error))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), Failure> {
        let writer = match self.writer {
            TraceWriter::Text(writer) => writer.finish(),
            TraceWriter::Binary(writer) => writer.finish(),
        };
        let flushed = writer.and_then(|mut writer| writer.flush());
        flushed.map_err(|error| Failure::output(&self.path, error))
    }
}
