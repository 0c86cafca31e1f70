//! Events of multithreaded programs: the model, trace files, validation, a generator.
//!
//! The first room of Interloper. Events come in through a [`Source`], in [`Batch`]es; every name in
//! them is a number whose text is in [`Names`].

mod error;
mod event;
mod names;
mod source;

pub use error::{Disorder, Place, Problem, TraceError};
pub use event::{
    Batch, Event, LabelId, LockId, Op, OperandKind, Position, SiteId, ThreadId, VarId,
};
pub use names::{Interner, Names};
pub use source::{Damage, Source};
