//! Listens as `interloper run` does, and prints what a JVM sends, as it is: every message, and the
//! words of every log at the end.
//!
//!     cargo run -p interloper-agent --example dump -- FOLDER
//!     java -agentpath:target/debug/libinterloper_agent.so=FOLDER …
//!
//! For looking at agent, weaver and probe without the merger between. Ends when the first JVM does.
//! Chunks are not given back, so a long run fills the arena, and the program waits: take small
//! programs.

#[path = "../tests/wire/mod.rs"]
mod wire;

use interloper_tap::log;
use std::os::unix::net::UnixListener;
use std::path::Path;
use wire::{Failure, Wire, entries};

const TAGS: [&str; 24] = [
    "?", "ACCESS", "ELEMENT", "EDGE", "MAKE", "SEEN", "BEGIN", "END", "ACQ", "REL", "WAIT",
    "NOTIFY", "FORK", "JOIN", "START", "EXIT", "SIGNAL", "AWAIT", "BARRIER", "OBJECT", "NEXT",
    "MADE_BY", "DEAD", "MAKES",
];

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("usage: dump FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    if !folder.join("config").exists() {
        std::fs::write(folder.join("config"), "")?;
    }
    let socket = folder.join("socket");
    if socket.exists() {
        std::fs::remove_file(&socket)?;
    }
    let (stream, _) = UnixListener::bind(&socket)?.accept()?;
    let mut wire = Wire::greet(stream)?;
    while let Some(message) = wire.message()? {
        println!("{message:?}");
    }
    for slot in 0..wire.arena.slots() {
        let entries = entries(&wire.arena, slot);
        if !entries.is_empty() {
            println!("slot {slot}: {} blocks", wire.arena.blocks(slot));
        }
        for (word, second) in entries {
            let tag = TAGS.get(usize::from(log::tag(word))).unwrap_or(&"?");
            let second = second.map(|second| format!(" ; {second}")).unwrap_or_default();
            println!("  {tag} id {} site {}{second}", log::id(word), log::site(word));
        }
    }
    Ok(())
}
