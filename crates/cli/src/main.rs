//! The `interloper` command: arguments in, exit code out. Thin: the work is done in other rooms.

mod analysis;
mod args;
mod check;
mod failure;
mod java;
mod manual;
mod output;
mod progress;
mod reading;
mod scan;
mod settings;
mod trace;

use args::{Cli, Command};
use clap::Parser;
use failure::{Exit, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Check(args) => check::check(args, cli.color),
        Command::Run(args) => java::run(args, cli.color),
        Command::Record(args) => java::record(args),
        Command::Refine(args) => java::refine(args, cli.color),
        Command::Doctor => java::doctor(),
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
    ExitCode::from(exit.code())
}
