//! Prints a sample finding.
//!
//!     cargo run -p interloper-report --example show -- [FORMAT] [SAMPLE]
//!
//! FORMAT is `text` (the default), `colour`, `bare` (without source), `json`, `dot` or `sarif`;
//! SAMPLE one of the names in `tests/samples/mod.rs`, such as `lost-update` or `nested`, or
//! `many-engines`.

#[path = "../tests/samples/mod.rs"]
mod samples;

use interloper_report::{TextOptions, dot, json, sarif, text};
use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let format = std::env::args().nth(1).unwrap_or_else(|| "text".into());
    let which = std::env::args().nth(2).unwrap_or_else(|| "lost-update".into());
    let sample = samples::all().into_iter().find(|(name, _)| *name == which);
    let finding = sample.map_or_else(samples::lost_update, |(_, finding)| finding);
    let report = match which.as_str() {
        "many-engines" => samples::many_engines(),
        _ => samples::one("bank.std", finding),
    };
    let mut out = io::stdout().lock();
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/source");
    let opts =
        TextOptions { colour: format == "colour", sources: vec![here], ..Default::default() };
    match format.as_str() {
        "json" => json(&report, &samples::tool(), &mut out),
        "dot" => dot(&report, &mut out),
        "sarif" => sarif(&report, &samples::tool(), &[], &mut out),
        "bare" => text(&report, &TextOptions::default(), &mut out),
        _ => text(&report, &opts, &mut out),
    }
}
