//! `interloper trace generate`.

use crate::args::{Generate, Violation};
use crate::failure::{Exit, Failure};
use crate::trace::file::TraceOutput;
use interloper_trace::{Batch, Placement, Shape, Source};

/// Writes a made-up trace.
pub fn generate(args: &Generate) -> Result<Exit, Failure> {
    let mut source = shape(args)?.generate()?;
    let mut output = TraceOutput::open(&args.output, args.format)?;
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        output.write(source.names(), &batch.events)?;
    }
    output.finish()?;
    Ok(Exit::Clean)
}

/// The named shape with the user's changes.
fn shape(args: &Generate) -> Result<Shape, Failure> {
    let preset = Shape::preset(&args.shape)?;
    Ok(Shape {
        events: args.events.unwrap_or(preset.events),
        threads: args.threads.unwrap_or(preset.threads),
        vars: args.vars.unwrap_or(preset.vars),
        locks: args.locks.unwrap_or(preset.locks),
        block_length: args.block_length.unwrap_or(preset.block_length),
        nesting: args.nesting.unwrap_or(preset.nesting),
        unary: args.unary.unwrap_or(preset.unary),
        writes: args.writes.unwrap_or(preset.writes),
        phases: args.phases.unwrap_or(preset.phases),
        barriers: args.barriers.unwrap_or(preset.barriers),
        patterns: args.patterns.unwrap_or(preset.patterns),
        long: args.long.unwrap_or(preset.long),
        violation: args.violation.map_or(preset.violation, |violation| match violation {
            Violation::None => Placement::None,
            Violation::Early => Placement::Early,
            Violation::Last => Placement::Last,
        }),
        locations: args.locations.unwrap_or(preset.locations),
        burst: args.burst.unwrap_or(preset.burst),
        seed: args.seed.unwrap_or(preset.seed),
    })
}
