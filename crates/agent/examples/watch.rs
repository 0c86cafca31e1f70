//! Listens as `interloper run` does, merges what a JVM logs, checks that it is a possible trace, and
//! prints it as text; what is known of the run goes to standard error.
//!
//!     cargo run -p interloper-agent --example watch -- FOLDER > TRACE
//!     java -agentpath:target/debug/libinterloper_agent.so=FOLDER …
//!
//! Ends when the first JVM does, with an error if its trace is not one that a program can make.

use interloper_tap::Listener;
use interloper_trace::{Batch, Source, TextWriter, Validator};
use std::error::Error;
use std::io::{BufWriter, stdout};
use std::path::Path;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: watch FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    if !folder.join("config").exists() {
        std::fs::write(folder.join("config"), "")?;
    }
    if folder.join("socket").exists() {
        std::fs::remove_file(folder.join("socket"))?;
    }
    let listener = Listener::bind(folder)?;
    let mut jvm = loop {
        if let Some(jvm) = listener.accept(Duration::from_secs(1))? {
            break jvm;
        }
    };
    let mut writer = TextWriter::new(BufWriter::new(stdout().lock()));
    let mut validator = Validator::new(false);
    let mut batch = Batch::default();
    let mut disorder = None;
    while jvm.next_batch(&mut batch)? {
        writer.write(jvm.names(), &batch.events)?;
        if disorder.is_none() {
            disorder = validator.check(&mut batch, jvm.names()).err();
        }
    }
    writer.finish()?;
    eprintln!("{:#?}", jvm.facts());
    disorder
        .map_or(Ok(()), |(position, problem)| Err(format!("event {position}: {problem}").into()))
}
