//! `interloper check`: traces in, engines, report out.

use crate::analysis::{Chosen, refuse_missing_sources, write};
use crate::args::{Check, Color};
use crate::failure::{Exit, Failure, say};
use crate::output::{Output, refuse_overwriting};
use crate::progress::Finishing;
use crate::reading::{Read, read_through, tell_damage};
use interloper_report::{Report, Run};
use interloper_trace::{STANDARD_INPUT, Source, TraceError};

/// Analyses the traces and reports. A bad trace does not keep the others from being analysed.
pub fn check(args: &Check, color: Color) -> Result<Exit, Failure> {
    refuse_nonsense(args)?;
    let chosen = Chosen::new(&args.engines)?;
    for path in &args.traces {
        refuse_overwriting(path, args.output.as_deref())?;
    }
    let mut output = Output::open(args.output.as_deref())?;
    let (mut report, mut bad, mut empty) = (Report::default(), false, false);
    for path in &args.traces {
        match check_one(path, &chosen, args.lenient) {
            Ok((run, damaged)) => {
                bad |= damaged;
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

/// Analyses one trace; also tells whether it is damaged.
fn check_one(path: &str, chosen: &Chosen, lenient: bool) -> Result<(Run, bool), TraceError> {
    let mut analysis = chosen.start();
    let Read { source, .. } =
        read_through(path, lenient, |batch, names| analysis.feed(batch, names))?;
    let run = analysis.finish(&source, &mut |engine| Box::new(Finishing::new(engine)));
    let damage = source.damage();
    if let Some(damage) = damage {
        tell_damage("warning", source.input(), damage);
    }
    if let (0, Some(why)) = (run.events, run.notes.last()) {
        say(format_args!("warning: {path}: {why}, nothing was checked"));
    }
    Ok((Run { input: path.to_string(), ..run }, damage.is_some_and(|damage| !damage.cut_off)))
}
