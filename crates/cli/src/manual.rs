//! Completions and manual pages, from the definitions of the arguments.

use crate::args::Cli;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use clap::CommandFactory;
use std::path::Path;

/// Prints completions for a shell.
pub fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    Output::open(None)?.write(|out| {
        let mut script = vec![];
        clap_complete::generate(shell, &mut Cli::command(), "interloper", &mut script);
        out.write_all(&script)
    })?;
    Ok(Exit::Clean)
}

/// Prints the manual page, or writes the pages of all commands into a folder.
pub fn man(dir: Option<&Path>) -> Result<Exit, Failure> {
    match dir {
        None => {
            Output::open(None)?.write(|out| clap_mangen::Man::new(Cli::command()).render(out))?
        }
        Some(dir) => {
            let fail = |error| Failure::output(dir, error);
            std::fs::create_dir_all(dir).map_err(fail)?;
            clap_mangen::generate_to(Cli::command(), dir).map_err(fail)?;
        }
    }
    Ok(Exit::Clean)
}
