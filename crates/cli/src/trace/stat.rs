//! `interloper trace stat`.

use crate::args::{Stat, StatFormat};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::reading::{Read, extent, is_complete, read_through, tell_damage, tell_shortcoming};
use interloper_report::number;
use interloper_trace::{Names, Op, Source, Stats, TraceError};
use std::io::{self, Write};

/// What is told of one trace: a name and a number each.
struct Sheet {
    input: String,
    format: &'static str,
    complete: bool,
    rows: Vec<(String, u64)>,
}

/// Tells what is in the traces.
pub fn stat(args: &Stat) -> Result<Exit, Failure> {
    let mut sheets = vec![];
    let mut exit = Exit::Clean;
    for path in &args.traces {
        match sheet(path, args.lenient) {
            Ok((sheet, damaged)) => {
                sheets.push(sheet);
                if damaged {
                    exit = Exit::BadInput;
                }
            }
            Err(error) => {
                Failure::from(error).tell();
                exit = Exit::BadInput;
            }
        }
    }
    Output::open(None)?.write(|out| match args.format {
        StatFormat::Text => sheets.iter().try_for_each(|sheet| write_text(sheet, out)),
        StatFormat::Json => write_json(&sheets, out),
    })?;
    Ok(exit)
}

fn sheet(path: &str, lenient: bool) -> Result<(Sheet, bool), TraceError> {
    let mut stats = Stats::default();
    let Read { source, format } = read_through(path, lenient, |batch, _| stats.count(batch))?;
    let mut rows = rows(&stats, source.names(), source.validator().threads());
    let (blocks, locks) = source.validator().open();
    rows.push(("blocks open at the end".into(), blocks));
    rows.push(("locks held at the end".into(), locks));
    rows.push(("re-entrant events filtered".into(), source.validator().reentrant()));
    rows.push(("skipped".into(), source.skipped()));
    let damage = source.damage();
    if let Some(damage) = damage {
        tell_damage("warning", path, damage);
    }
    tell_shortcoming(path, extent(&source));
    let complete = is_complete(&source);
    let damaged = damage.is_some_and(|damage| !damage.cut_off);
    Ok((Sheet { input: path.to_string(), format, complete, rows }, damaged))
}

fn rows(stats: &Stats, names: &Names, threads: u64) -> Vec<(String, u64)> {
    let mut rows: Vec<(String, u64)> = vec![("events".into(), stats.events())];
    for op in Op::ALL {
        let count = stats.by_op[op as usize];
        if count > 0 {
            rows.push((format!("events {}", op.word()), count));
        }
    }
    // Numbers 0 of labels and sites are the empty names.
    let rest = [
        ("threads", threads),
        ("variables", names.vars.len() as u64),
        ("locks", names.locks.len() as u64),
        ("labels", names.labels.len() as u64 - 1),
        ("locations", names.sites.len() as u64 - 1),
        ("transactions", stats.transactions),
        ("events outside blocks", stats.outside),
        ("longest transaction", stats.longest),
        ("deepest nesting", u64::from(stats.deepest)),
    ];
    rows.extend(rest.map(|(name, value)| (name.to_string(), value)));
    rows
}

fn write_text(sheet: &Sheet, out: &mut dyn Write) -> io::Result<()> {
    let cut = if sheet.complete { "" } else { ", incomplete" };
    writeln!(out, "{} ({}{cut})", sheet.input, sheet.format)?;
    for (name, value) in &sheet.rows {
        writeln!(out, "  {name:<28}{:>16}", number(*value))?;
    }
    Ok(())
}

fn write_json(sheets: &[Sheet], out: &mut dyn Write) -> io::Result<()> {
    let sheet = |sheet: &Sheet| {
        let counts: serde_json::Map<_, _> =
            sheet.rows.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
        serde_json::json!({
            "input": sheet.input,
            "format": sheet.format,
            "complete": sheet.complete,
            "counts": counts,
        })
    };
    let sheets: Vec<_> = sheets.iter().map(sheet).collect();
    let all = serde_json::json!({ "schema": "interloper-stat/1", "traces": sheets });
    serde_json::to_writer_pretty(&mut *out, &all)?;
    writeln!(out)
}
