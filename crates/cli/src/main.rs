//! The `interloper` command: arguments in, exit code out. Thin: the work is done in other rooms.

mod args;
mod check;
mod failure;
mod manual;
mod output;
mod progress;
mod reading;
mod scan;
mod trace;

use args::{Cli, Command};
use clap::Parser;
use failure::{Exit, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Check(args) => check::check(args, cli.color),
        Command::Scan(args) => scan::scan(args, cli.color),
        Command::Trace(command) => trace::run(command),
        Command::Completions { shell } => manual::completions(*shell),
        Command::Man { dir } => manual::man(dir.as_deref()),
    };
    let exit = done.unwrap_or_else(|failure| match failure {
        Failure::ReaderGone => Exit::Clean,
        failure => {
            failure.tell();
            Exit::BadInput
        }
    });
    ExitCode::from(exit as u8)
}
