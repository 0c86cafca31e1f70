//! `interloper trace`: everything about trace files that is not analysis.

mod generate;
mod stat;

use crate::args::{Convert, Trace, Validate};
use crate::failure::{Exit, Failure};
use crate::output::TraceOutput;
use crate::progress::Progress;
use interloper_trace::{Batch, Source, TraceError, Validated};

/// Runs the subcommand.
pub fn run(command: &Trace) -> Result<Exit, Failure> {
    match command {
        Trace::Stat(args) => stat::stat(args),
        Trace::Convert(args) => convert(args),
        Trace::Validate(args) => validate(args),
        Trace::Generate(args) => generate::generate(args),
    }
}

/// Copies events as they are.
fn convert(args: &Convert) -> Result<Exit, Failure> {
    if args.from == args.to && args.from != interloper_trace::STANDARD_INPUT {
        let message = format!("{}: cannot convert a file into itself", args.from);
        return Err(Failure::Usage(message));
    }
    let input = interloper_trace::open(&args.from, args.lenient)?;
    let mut progress = Progress::new(input.size, input.read.clone());
    let mut source = input.source;
    let mut output = TraceOutput::open(&args.to, args.format)?;
    let mut batch = Batch::default();
    let mut events = 0;
    while source.next_batch(&mut batch)? {
        output.write(source.names(), &batch.events)?;
        events += batch.events.len() as u64;
        progress.tick(events);
    }
    output.finish()?;
    drop(progress);
    if source.skipped() > 0 {
        eprintln!("warning: {}: skipped {} lines that are no events", args.from, source.skipped());
    }
    Ok(ending(&source, events))
}

/// Tells of damage; the exit code for what was read.
fn ending(source: &dyn Source, events: u64) -> Exit {
    match source.damage() {
        Some(damage) => {
            eprintln!("error: {}: at byte {}: {}", source.input(), damage.byte, damage.message);
            Exit::BadInput
        }
        None if events == 0 => {
            eprintln!("warning: {}: no event seen", source.input());
            Exit::NothingChecked
        }
        None => Exit::Clean,
    }
}

/// Reads the traces to their ends. The worst result decides the exit code.
fn validate(args: &Validate) -> Result<Exit, Failure> {
    let mut worst = Exit::Clean;
    for path in &args.traces {
        let exit = validate_one(path, args.lenient).unwrap_or_else(|error| {
            Failure::from(error).tell();
            Exit::BadInput
        });
        worst = match (worst, exit) {
            (Exit::BadInput, _) | (_, Exit::BadInput) => Exit::BadInput,
            (Exit::Clean, exit) => exit,
            (worst, _) => worst,
        };
    }
    Ok(worst)
}

fn validate_one(path: &str, lenient: bool) -> Result<Exit, TraceError> {
    let input = interloper_trace::open(path, lenient)?;
    let mut progress = Progress::new(input.size, input.read.clone());
    let mut source = Validated::new(input.source, lenient);
    let mut batch = Batch::default();
    let mut events = 0;
    while source.next_batch(&mut batch)? {
        events += batch.events.len() as u64;
        progress.tick(events);
    }
    drop(progress);
    let exit = ending(&source, events);
    if source.skipped() > 0 {
        println!("{path}: {events} events, {} that are no valid events", source.skipped());
        return Ok(Exit::BadInput);
    }
    if exit == Exit::Clean {
        println!("{path}: valid: {events} events of {} threads", source.names().threads.len());
    }
    Ok(exit)
}
