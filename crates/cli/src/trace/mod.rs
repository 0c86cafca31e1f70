//! `interloper trace`: everything about trace files that is not analysis.

mod file;
mod generate;
mod stat;

use crate::args::{Convert, Trace, Validate};
use crate::failure::{Exit, Failure, say, skipped};
use crate::output::{Output, refuse_overwriting};
use crate::progress::Progress;
use crate::reading::{Read, extent, read_through, tell_damage, tell_shortcoming};
use file::TraceOutput;
use interloper_report::{count, number};
use interloper_trace::{Batch, Source};
use std::path::Path;

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
    refuse_overwriting(&args.from, Some(Path::new(&args.to)))?;
    let input = interloper_trace::open(&args.from, args.lenient)?;
    let mut progress = Progress::new(input.size, input.read.clone());
    let mut source = input.source;
    let mut output = TraceOutput::open(&args.to, args.format)?;
    let mut batch = Batch::default();
    let mut events = 0;
    while source.next_batch(&mut batch)? {
        output.write(source.names(), &batch.events)?;
        events += batch.end() - batch.first;
        progress.tick(events);
    }
    let kept = output.remark(source.remarks())?;
    output.finish()?;
    drop(progress);
    if source.skipped() > 0 {
        let lines = match source.skipped() {
            1 => "1 line that is no event".to_string(),
            lines => format!("{} lines that are no events", number(lines)),
        };
        say(format_args!("warning: {}: skipped {lines}", args.from));
    }
    Ok(match ending(&source, events) {
        Exit::Clean if !kept => {
            let lost = "a text trace cannot keep that, and will pass for complete";
            say(format_args!("error: {}: {lost}", args.to));
            Exit::BadInput
        }
        exit => exit,
    })
}

/// Tells of damage, and of recordings that are not whole; the exit code for what was read.
fn ending(source: &dyn Source, events: u64) -> Exit {
    tell_shortcoming(source.input(), extent(source));
    match source.damage() {
        Some(damage) => {
            tell_damage("error", source.input(), damage);
            Exit::BadInput
        }
        None if events == 0 => {
            say(format_args!("warning: {}: no event seen", source.input()));
            Exit::NothingChecked
        }
        None => Exit::Clean,
    }
}

/// Reads the traces to their ends. The worst result decides the exit code.
fn validate(args: &Validate) -> Result<Exit, Failure> {
    let mut worst = Exit::Clean;
    for path in &args.traces {
        let exit = match validate_one(path, args.lenient) {
            Err(Failure::Trace(error)) => {
                Failure::from(error).tell();
                Exit::BadInput
            }
            done => done?,
        };
        worst = match (worst, exit) {
            (Exit::BadInput, _) | (_, Exit::BadInput) => Exit::BadInput,
            (Exit::Clean, exit) => exit,
            (worst, _) => worst,
        };
    }
    Ok(worst)
}

fn validate_one(path: &str, lenient: bool) -> Result<Exit, Failure> {
    let mut events = 0;
    let Read { source, .. } =
        read_through(path, lenient, |batch, _| events += batch.end() - batch.first)?;
    let exit = ending(&source, events);
    if source.skipped() > 0 {
        let events = count(events, "event");
        let line = format!("{path}: not valid: {events}, {}", skipped(source.skipped()));
        Output::open(None)?.write(|out| writeln!(out, "{line}"))?;
        return Ok(Exit::BadInput);
    }
    if exit == Exit::Clean {
        let threads = count(source.validator().threads(), "thread");
        let line = format!("{path}: valid: {} of {threads}", count(events, "event"));
        Output::open(None)?.write(|out| writeln!(out, "{line}"))?;
    }
    Ok(exit)
}
