//! Events of multithreaded programs: the model, trace files, validation, a generator.
//!
//! The first room of Interloper. Events come in through a [`Source`], in [`Batch`]es; every name in
//! them is a number whose text is in [`Names`].

mod ahead;
mod anew;
mod binary;
mod error;
mod event;
mod families;
mod generate;
mod input;
mod names;
mod parts;
mod remarks;
mod retired;
mod source;
mod stat;
mod text;
mod validate;

pub use ahead::prefetch;
pub use binary::{BinaryReader, BinaryWriter, is_binary};
pub use error::{Disorder, Place, Problem, TraceError};
pub use event::{
    Batch, Event, LabelId, LockId, Op, OperandKind, Position, SiteId, ThreadId, VarId, positions,
};
pub use families::StemId;
pub use generate::{Generator, Placement, Preset, Shape, ShapeError};
pub use input::{Input, STANDARD_INPUT, open, open_reader};
pub use names::{Interner, Names};
pub use parts::{Part, WordId};
pub use remarks::{Extent, Remarks};
pub use retired::{Retired, VarRange};
pub use source::{Damage, Source};
pub use stat::Stats;
pub use text::{TextReader, TextWriter};
pub use validate::{Validated, Validator};
