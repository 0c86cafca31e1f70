//! Reading a valid trace to its end, with a progress bar where that takes long.

use crate::failure::say;
use crate::progress::Progress;
use interloper_trace::{Batch, Damage, Names, Source, TraceError, Validated};

/// A trace that was read.
pub struct Read {
    /// What it was read from, at its end.
    pub source: Validated<Box<dyn Source>>,
    /// What kind of file it is, in words.
    pub format: &'static str,
}

/// Reads the trace at `path` to its end; `each` gets its events.
pub fn read_through(
    path: &str,
    lenient: bool,
    mut each: impl FnMut(&Batch, &Names),
) -> Result<Read, TraceError> {
    let input = interloper_trace::open(path, lenient)?;
    let mut progress = Progress::new(input.size, input.read.clone());
    let mut source = Validated::new(input.source, lenient);
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        each(&batch, source.names());
        progress.tick(batch.first + batch.events.len() as u64);
    }
    Ok(Read { source, format: input.format })
}

/// Says where and how an input is damaged.
pub fn tell_damage(level: &str, input: &str, damage: &Damage) {
    say(format_args!("{level}: {input}: at byte {}: {}", damage.byte, damage.message));
}
