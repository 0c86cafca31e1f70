//! Where output goes: a file the user named, standard output or standard error.

use crate::args::Color;
use crate::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The name by which users mean standard output.
pub const STANDARD_OUTPUT: &str = "-";

/// An open output, with its name for messages.
pub struct Output {
    /// Its name.
    pub path: PathBuf,
    /// It.
    pub writer: Box<dyn Write>,
    /// Whether a person looks at it.
    pub terminal: bool,
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
                let writer = Box::new(BufWriter::new(Replacing::open(path)?));
                Ok(Output { path: path.to_path_buf(), writer, terminal: false })
            }
        }
    }

    /// Opens the file, or standard output for `-`, or standard error for none.
    pub fn open_or_stderr(path: Option<&Path>) -> Result<Output, Failure> {
        match path {
            Some(path) => Output::open(Some(path)),
            None => Ok(Output {
                path: PathBuf::from("standard error"),
                writer: Box::new(BufWriter::new(io::stderr())),
                terminal: io::stderr().is_terminal(),
            }),
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

/// A file whose old contents go when the first new ones come: not before, as there may never be any.
pub struct Replacing {
    file: File,
    started: bool,
}

impl Replacing {
    /// Opens the file, which may be there.
    pub fn open(path: &Path) -> Result<Replacing, Failure> {
        let file = File::options().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| Failure::output(path, error))?;
        Ok(Replacing { file, started: false })
    }
}

impl Write for Replacing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.started, true) && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Refuses a file that cannot be written, as far as can be known before it is. One that is not there is not there after, either:
/// there may never be anything to write.
pub fn refuse_unwritable(path: &Path) -> Result<(), Failure> {
    // a link that leads nowhere is there
    let new = path.symlink_metadata().is_err();
    Replacing::open(path)?;
    if new {
        // if it stays, it is empty
        let _ = std::fs::remove_file(path);
    }
    Ok(())
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
