//! `interloper check`: traces in, engines, report out.

use crate::analysis::{Chosen, refuse_missing_sources, write};
use crate::args::{Check, Color};
use crate::failure::{Exit, Failure, say};
use crate::output::{Output, refuse_overwriting};
use crate::progress::Finishing;
use crate::reading::{Read, extent, read_through, tell_damage, tell_shortcoming};
use interloper_report::{Report, Run};
use interloper_trace::{Extent, STANDARD_INPUT, Source, TraceError};

/// Analyses the traces and reports. A bad trace does not keep the others from being analysed.
pub fn check(args: &Check, color: Color) -> Result<Exit, Failure> {
    refuse_nonsense(args)?;
    let chosen = Chosen::new(&args.engines)?;
    for path in &args.traces {
        refuse_overwriting(path, args.output.as_deref())?;
    }
    let mut output = Output::open(args.output.as_deref())?;
    let mut report = Report::default();
    let (mut bad, mut limited, mut empty) = (false, false, false);
    for path in &args.traces {
        match check_one(path, &chosen, args.lenient) {
            Ok((run, quality)) => {
                bad |= quality == Quality::Bad;
                limited |= quality == Quality::Limited;
                empty |= run.events == 0;
                report.runs.push(run);
            }
            Err(error) => {
                bad = true;
                report.runs.push(Run::failed(path, error.headline()));
                Failure::from(error).tell();
            }
        }
    }
    write(&report, &args.style, color, &mut output)?;
    Ok(match () {
        _ if bad => Exit::BadInput,
        _ if report.found() => Exit::Found,
        _ if limited => Exit::BadInput,
        _ if empty => Exit::NothingChecked,
        _ => Exit::Clean,
    })
}

/// Refuses what cannot be meant.
fn refuse_nonsense(args: &Check) -> Result<(), Failure> {
    if args.traces.iter().filter(|path| *path == STANDARD_INPUT).count() > 1 {
        return Err(Failure::Usage("standard input (`-`) can be read only once".to_string()));
    }
    refuse_missing_sources(&args.style)
}

/// What a trace is worth, for the exit code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quality {
    /// As good as it can be; also of a program that was killed.
    Good,
    /// The recorder reached a limit: only findings count.
    Limited,
    /// Altered, or in doubt from the beginning.
    Bad,
}

impl Quality {
    fn of(source: &dyn Source) -> Quality {
        match extent(source) {
            _ if source.damage().is_some_and(|damage| !damage.cut_off) => Quality::Bad,
            Extent::Doubtful => Quality::Bad,
            Extent::Limited => Quality::Limited,
            Extent::Whole | Extent::Cut => Quality::Good,
        }
    }
}

/// What it means for atomicity that a trace has no blocks.
const NO_BLOCKS: &str = "no atomic block begins in the trace: each event stands for itself, so there was nothing to violate";

/// Analyses one trace; also tells what it is worth.
fn check_one(path: &str, chosen: &Chosen, lenient: bool) -> Result<(Run, Quality), TraceError> {
    let mut analysis = chosen.start();
    let Read { source, .. } =
        read_through(path, lenient, |batch, names| analysis.feed(batch, names))?;
    let blocks = analysis.has_blocks();
    let mut run = analysis.finish(&source, &mut |engine| Box::new(Finishing::new(engine)));
    if !blocks {
        run.doubt_atomicity(NO_BLOCKS);
    }
    if let Some(damage) = source.damage() {
        tell_damage("warning", source.input(), damage);
    }
    tell_shortcoming(source.input(), extent(&source));
    if let (0, Some(why)) = (run.events, run.notes.last()) {
        say(format_args!("warning: {path}: {why}, nothing was checked"));
    }
    Ok((Run { input: path.to_string(), ..run }, Quality::of(&source)))
}
