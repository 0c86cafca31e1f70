//! Measures what `interloper run` and `record` cost Java programs, against the same programs alone.
//!
//! **Kernels** (`crates/bench/java`) are compute-bound and have two threads. A figure is CPU time, user and system, of all processes together: the JVM
//! and `interloper`. Each configuration is run twice, with few and with many iterations, and what counts is the difference: start-up,
//! class loading and most of the compiling cancel out, and what remains is the steady state. Configurations take turns, so that a busy
//! machine slows down all of them alike, and of several repetitions the least time counts. All methods are atomic, fields and arrays are watched.
//!
//! **Programs** are H2 and Xalan, with the drivers of the tests. **Start-up** is Hello World, in time on the wall.
//!
//! The bars are printed beside the figures; missing one does not fail the run, because what is measured is also the machine.

#[path = "../../machine.rs"]
mod machine;
mod measure;
mod report;
#[path = "../../table.rs"]
mod table;
mod workloads;

use clap::Parser;
use measure::{Bench, BenchError, Mode};
use std::path::PathBuf;
use std::process::ExitCode;
use workloads::Workload;

/// Measure what the agent costs Java programs
#[derive(Parser)]
struct Options {
    /// The command to measure [default: the one beside this program]
    #[arg(value_name = "INTERLOPER")]
    binary: Option<PathBuf>,
    /// The JDK to run on [default: JAVA_HOME, or the one whose `java` is found first]
    #[arg(long, value_name = "DIR")]
    jdk: Option<PathBuf>,
    /// How often to measure each configuration; the least time counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: u32,
    /// Only these kernels and programs, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Only these ways to run them, separated by commas; alone is always measured
    #[arg(long, value_name = "MODE", value_delimiter = ',')]
    modes: Vec<Mode>,
    /// Print tables in Markdown
    #[arg(long)]
    markdown: bool,
}

fn main() -> ExitCode {
    match measured(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-java: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measured(options: Options) -> Result<(), BenchError> {
    let binary = options.binary.unwrap_or_else(|| {
        std::env::current_exe().unwrap_or_default().with_file_name("interloper")
    });
    let jdk = options.jdk.or_else(|| std::env::var_os("JAVA_HOME").map(PathBuf::from));
    let bench = Bench::new(binary, jdk, options.repetitions)?;
    print!("{}", machine::describe(&bench.version()?, options.repetitions));
    let wanted =
        |it: &Workload| options.only.is_empty() || options.only.iter().any(|name| name == it.name);
    let modes: Vec<Mode> = Mode::ALL
        .into_iter()
        .filter(|mode| {
            *mode == Mode::Alone || options.modes.is_empty() || options.modes.contains(mode)
        })
        .collect();
    let kernels: Vec<Workload> = workloads::kernels().into_iter().filter(wanted).collect();
    let programs: Vec<Workload> = workloads::programs().into_iter().filter(wanted).collect();
    let classes = bench.compile(kernels.iter().chain(&programs))?;
    let mut kernel_rows = vec![];
    for kernel in &kernels {
        kernel_rows.push(bench.steady(&classes, kernel, &modes)?);
    }
    print!("{}", report::kernels(&kernel_rows, &modes).render(options.markdown));
    let mut program_rows = vec![];
    for program in &programs {
        program_rows.push(bench.steady(&classes, program, &modes)?);
    }
    if !program_rows.is_empty() {
        print!("\n{}", report::programs(&program_rows, &modes).render(options.markdown));
    }
    if options.only.is_empty() {
        let start_up = bench.start_up(&classes, &modes)?;
        print!("\n{}", report::start_up(&start_up).render(options.markdown));
    }
    Ok(())
}
