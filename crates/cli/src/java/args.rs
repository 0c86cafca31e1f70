//! The options of `interloper run`, `record` and `refine`.

use crate::args::{Engines, Style};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

const SETTINGS: &str = "\
Options can also stand in the section [run] of `interloper.toml` in the working folder, by the same
names: `atomic = [\"synchronized\"]`, `exclude = [\"com.acme.generated.*\"]`. What is given here wins;
lists of classes, methods and folders are put together.";

const RUN_EXIT_CODES: &str = "\
The report goes to standard error, because standard output is the program's own. So is the exit
code, as far as can be:

  the program's own         nothing was found, or the program failed; 128 + N if signal N ended it
  1                         the program succeeded, and there are findings
  2                         the program was not run: bad usage; or the check failed, or stopped at a
                            limit, or left a JVM out, without findings
  3                         the program succeeded, and nothing was checked: nothing was
                            instrumented, or nothing is atomic and all engines need something
                            that is";

/// Run a program and check every JVM it starts while it runs.
///
/// The program can be anything that starts JVMs: java, a build tool, a script. The classes of the
/// application are instrumented as they load; nothing is changed on disk.
#[derive(Args)]
#[command(after_help = format!("{SETTINGS}\n\n{RUN_EXIT_CODES}"))]
pub struct Run {
    #[command(flatten)]
    pub instrumentation: Instrumentation,
    #[command(flatten)]
    pub engines: Engines,
    #[command(flatten)]
    pub style: Style,
    /// Write the report to this file instead of standard error; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub program: Program,
}

const RECORD_EXIT_CODES: &str = "\
Exit codes: the program's own; if the program succeeded, 2 if the recording failed, stopped at a
limit or left a JVM out, and 3 if there was nothing to record.";

/// Run a program and record what its JVMs do, for `check`.
///
/// If several JVMs have something to record, the first to do so gets FILE, the second FILE with `.2`
/// before its ending, and so on.
#[derive(Args)]
#[command(after_help = format!("{SETTINGS}\n\n{RECORD_EXIT_CODES}"))]
pub struct Record {
    /// The trace to write
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub instrumentation: Instrumentation,
    #[command(flatten)]
    pub program: Program,
}

const REFINE_EXIT_CODES: &str = "\
Exit codes:
  0  no violation in any run
  1  there were violations: the specification says which methods are not atomic
  2  bad usage, or a run could not be checked, or not to its end, or a signal interrupted: what was
     found until then is written all the same
  3  nothing was checked in the first run";

/// Find out by repeated runs which methods of a program are not atomic.
///
/// Starts from a default (`--atomic`), runs the program, takes the methods that are to blame for
/// violations out of the specification, and so on until nothing new was found for a number of runs.
/// What is left is what the program keeps: `--spec` gives it to later runs.
#[derive(Args)]
#[command(after_help = format!("{SETTINGS}\n\n{REFINE_EXIT_CODES}"))]
pub struct Refine {
    /// Stop after so many runs in a row that found nothing new [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// Write the specification to this file: the methods that are not atomic, for `--spec`
    #[arg(long, short, value_name = "FILE", default_value = "interloper.spec")]
    pub output: PathBuf,
    /// Write the report of all violations to this file instead of standard error; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub instrumentation: Instrumentation,
    #[command(flatten)]
    pub engines: Engines,
    #[command(flatten)]
    pub style: Style,
    #[command(flatten)]
    pub program: Program,
}

/// What to instrument, and what is meant to be atomic.
#[derive(Args, Clone, Default)]
pub struct Instrumentation {
    /// Also instrument these classes, be they of the JDK: `java.util.*`, `java.util.Vector`
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub instrument: Vec<String>,
    /// Never instrument these classes
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Of the application, instrument only these classes
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub only: Vec<String>,
    /// What is meant to be atomic, separated by commas [default: methods]
    ///
    /// `methods`: all but main, run (or what is in place of it) and those that wait, notify, start or join; `public`: what is not
    /// private, and whatever is synchronized; `synchronized`: synchronized methods and blocks; `none`;
    /// `@com.acme.Atomic`: what has this annotation; `com.acme.Account.withdraw`: this method. Annotations and
    /// methods alone are all that is atomic.
    #[arg(long, value_name = "WHAT")]
    pub atomic: Vec<String>,
    /// This method is not atomic: `com.acme.Account.withdraw`
    #[arg(long, value_name = "METHOD")]
    pub not_atomic: Vec<String>,
    /// None of the methods in this file is atomic: one a line, comments after `#`
    #[arg(long, value_name = "FILE")]
    pub spec: Vec<PathBuf>,
    /// Whether to watch the elements of arrays: on, off, or only the first N [default: on]
    #[arg(long, value_name = "on|off|N")]
    pub arrays: Option<String>,
    /// Also record accesses to objects that only one thread has used so far
    #[arg(long)]
    pub all_accesses: bool,
    /// Only find out which objects are shared, record nothing: what that costs is measured by the bench
    #[arg(long, hide = true)]
    pub no_log: bool,
}

/// What to run.
#[derive(Args, Clone, Default)]
pub struct Program {
    /// Watch JVMs that outlive the program for so many seconds [default: 5]
    #[arg(long, value_name = "SECONDS")]
    pub linger: Option<u64>,
    /// Read this file instead of `interloper.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The program and its arguments
    #[arg(value_name = "CMD", last = true, required = true)]
    pub command: Vec<OsString>,
}
