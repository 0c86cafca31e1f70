//! How a command ends, and what goes wrong on the way.

use interloper_report::number;
use interloper_trace::{ShapeError, TraceError};
use std::fmt::Arguments;
use std::io::{self, Write};
use std::path::Path;
use thiserror::Error;

/// The exit codes. They are a contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Nothing found.
    Clean,
    /// Findings, of any engine and however certain.
    Found,
    /// Bad usage or bad input.
    BadInput,
    /// Nothing was checked: never a silent green.
    NothingChecked,
    /// What a program that was run ended with.
    Program(u8),
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Found => 1,
            Exit::BadInput => 2,
            Exit::NothingChecked => 3,
            Exit::Program(code) => code,
        }
    }
}

/// Why a command could not do what it was asked.
#[derive(Debug, Error)]
pub enum Failure {
    #[error("{0}")]
    Trace(#[from] TraceError),
    #[error("{0}")]
    Shape(#[from] ShapeError),
    #[error("{0}")]
    Usage(String),
    #[error("{path}: {error}")]
    Output { path: String, error: io::Error },
    /// A signal came before there was anything that it could be passed on to.
    #[error("interrupted before the program was started")]
    Interrupted,
    /// Who reads our output has seen enough: not an error.
    #[error("nobody reads the output")]
    ReaderGone,
}

impl Failure {
    /// A failure to write to `path`.
    pub fn output(path: &Path, error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Output { path: path.display().to_string(), error },
        }
    }

    /// Says it on standard error.
    pub fn tell(&self) {
        say(format_args!("error: {self}"));
    }
}

/// How much was skipped of what is not a valid event.
pub fn skipped(count: u64) -> String {
    match count {
        1 => "1 entry that is no valid event".to_string(),
        _ => format!("{} entries that are no valid events", number(count)),
    }
}

/// Says something on standard error. Names of the input must not act on the terminal. Where nobody
/// listens any more, nobody is told.
pub fn say(line: Arguments) {
    let acts = |c: char| c.is_control() && c != '\n';
    let line = line.to_string().replace(acts, "\u{fffd}");
    let _ = writeln!(io::stderr(), "{line}");
}
