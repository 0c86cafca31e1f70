//! The options of `interloper scan`.

use crate::args::Format;
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Options can also stand in the section [scan] of `interloper.toml` in the working folder, by the same
names: `variant = true`, `filter = [\"org.example.Buffer\"]`, `paths = [\"build/app.jar\"]`. What is
given here wins; lists are put together.

Exit codes:
  0  nothing found, or nothing that is not in the baseline
  1  findings
  2  bad usage, or something could not be read; the rest was scanned
  3  nothing was scanned: no method with code";

/// Look for likely atomicity violations in class files and jars, without running anything.
///
/// Finds code that acquires and releases a lock twice while it holds another one: the lock that is
/// held says that a block was meant to be atomic, and between the two acquisitions of the other other
/// threads can change what it protects.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Scan {
    /// Jars (also with jars in them), folders and class files
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Also read the modules of a JDK: of HOME, or of JAVA_HOME, or of the `java` that is found
    ///
    /// With a PATH, calls into the JDK are followed, and what the JDK does without that code is left
    /// out; without, the JDK itself is scanned.
    #[arg(long, value_name = "HOME", num_args = 0..=1, require_equals = true)]
    pub jdk: Option<Option<PathBuf>>,
    /// Also report two different locks that are acquired and released one after the other
    #[arg(long)]
    pub variant: bool,
    /// Locks are known by expressions of at most N parts, such as `this.list` with two [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=32))]
    pub bound: Option<u8>,
    /// Calls that could reach more than N methods are not followed [default: 16, or 4 with --jdk]
    #[arg(long, value_name = "N")]
    pub callees: Option<usize>,
    /// Follow calls on types that are not scanned (`Runnable`, `Map`, `SourceDataLine`) into scanned
    /// classes that implement them
    #[arg(long)]
    pub callbacks: bool,
    /// Report only what chains of at most N calls lead to: longer ones are seldom possible [default: 3]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Also report locks that may be the one that is held under another name: a mutex that objects hand
    /// on to each other, a path that may lead back
    #[arg(long)]
    pub aliases: bool,
    /// Also report what needs a call to come to itself with the same arguments, or a loop to meet two
    /// objects that take the lock where not all do
    #[arg(long)]
    pub unlikely: bool,
    /// With --jdk and a PATH, also report what the JDK does without the code of PATH
    #[arg(long)]
    pub within_jdk: bool,
    /// Also report the locking of Vector, StringBuffer and other classes that mostly serve one thread
    #[arg(long)]
    pub all: bool,
    /// Do not report the locking of this class either, as that of Vector; separated by commas
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    pub filter: Vec<String>,
    /// Suppress a finding by its fingerprint, or all of a package, class, method or static lock; `*` is
    /// any text (may be given several times)
    #[arg(long, value_name = "ENTRY")]
    pub suppress: Vec<String>,
    /// Suppress the entries of this file: one a line, with a reason after `#`
    #[arg(long, value_name = "FILE")]
    pub suppressions: Vec<PathBuf>,
    /// Suppress what is in classes and methods with this annotation
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub suppress_annotation: Vec<String>,
    /// Report only what is not in this file
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write all findings to this file, as a baseline for later scans
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Instead of a report, print what the analysis knows of a method: `Line.contains`
    #[arg(long, value_name = "METHOD")]
    pub explain: Option<String>,
    /// Look for source files here, to show their lines (may be given several times)
    #[arg(long, value_name = "DIR")]
    pub source_path: Vec<PathBuf>,
    /// How to report [default: text]
    #[arg(long, short, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Write the report to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How many threads work [default: as many as there are cores]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Also tell what was seen and counted
    #[arg(long)]
    pub stats: bool,
    /// Show all places of a finding
    #[arg(long)]
    pub full: bool,
    /// Read this file instead of `interloper.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}
