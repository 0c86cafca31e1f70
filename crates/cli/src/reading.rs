//! Reading a valid trace to its end, with a progress bar where that takes long.

use crate::failure::say;
use crate::progress::Progress;
use interloper_trace::{Batch, Damage, Extent, Names, Source, TraceError, Validated};

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

/// How much of what was recorded is there, by what the recorder says of it.
pub fn extent(source: &dyn Source) -> Extent {
    source.remarks().map_or(Extent::Whole, |remarks| remarks.extent)
}

/// Whether an input that was read to its end is all that there was to be.
pub fn is_complete(source: &dyn Source) -> bool {
    source.damage().is_none() && extent(source) == Extent::Whole
}

/// Says what is the matter with a recording that is not whole.
pub fn tell_shortcoming(input: &str, extent: Extent) {
    if let Some(shortcoming) = extent.shortcoming() {
        say(format_args!("warning: {input}: {shortcoming}"));
    }
}
