//! `interloper run`: a program is run and checked at the same time.

use super::args::Run;
use super::config::Section;
use super::exit::{after, verdict, why_nothing};
use super::session;
use super::signals::Signals;
use super::watch::Watch;
use crate::analysis::{Chosen, refuse_missing_sources, write};
use crate::args::Color;
use crate::failure::{Exit, Failure, say};
use crate::output::Output;
use interloper_report::{Report, count};

/// Runs, checks and reports.
pub fn run(args: &Run, color: Color) -> Result<Exit, Failure> {
    let section = Section::read(&args.program)?;
    let config = section.instrumentation(&args.instrumentation)?;
    let chosen = Chosen::new(&section.engines(&args.engines)?)?;
    let style = section.style(&args.style)?;
    refuse_missing_sources(&style)?;
    let mut output = Output::open_or_stderr(section.output(args.output.as_deref()).as_deref())?;
    let watch = Watch {
        command: args.program.command.clone(),
        linger: section.linger(&args.program),
        signals: Signals::default(),
    };
    let checked = session::check(&watch, &config, &chosen)?;
    let exit = after(checked.status, verdict(&checked));
    let report = Report { runs: checked.runs.clone() };
    write(&report, &style, color, &mut output)?;
    for warning in checked.warnings.iter().chain(&checked.unmet) {
        say(format_args!("warning: {warning}"));
    }
    let idle = checked.jvms.len() - checked.runs.len();
    if !checked.judged() {
        let ended = (&watch.command[..], checked.status);
        let why = why_nothing(ended, &checked.jvms, checked.lost, &config);
        say(format_args!("warning: nothing was checked: {why}"));
    } else if idle > 0 {
        let idle = count(idle as u64, "further JVM");
        say(format_args!("note: {idle} had no class to instrument"));
    }
    Ok(exit)
}
