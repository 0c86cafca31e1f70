//! Prints a sample finding: `cargo run -p interloper-report --example show -- [text|colour|json|dot|sarif]`.

#[path = "../tests/samples/mod.rs"]
mod samples;

use interloper_report::{TextOptions, dot, json, sarif, text};
use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let format = std::env::args().nth(1).unwrap_or_else(|| "text".into());
    let which = std::env::args().nth(2).unwrap_or_else(|| "lost-update".into());
    let finding = match which.as_str() {
        "three-threads" => samples::three_threads(),
        "no-blame" => samples::no_blame(),
        "nested" => samples::nested(),
        "nameless" => samples::nameless(),
        "program-order" => samples::program_order_hop(),
        "hostile" => samples::hostile(),
        "long" => samples::long(12),
        _ => samples::lost_update(),
    };
    let report = samples::one("bank.std", finding);
    let mut out = io::stdout().lock();
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/source");
    let opts =
        TextOptions { colour: format == "colour", sources: vec![here], ..Default::default() };
    match format.as_str() {
        "json" => json(&report, &samples::tool(), &mut out),
        "dot" => dot(&report, &mut out),
        "sarif" => sarif(&report, &samples::tool(), &mut out),
        "bare" => text(&report, &TextOptions::default(), &mut out),
        _ => text(&report, &opts, &mut out),
    }
}
