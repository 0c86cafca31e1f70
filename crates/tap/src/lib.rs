//! From a running JVM to a trace.
//!
//! The threads of a JVM write what they do into logs in shared memory ([`Arena`], [`log`]); the agent
//! tells of classes, sites and names in messages over a socket ([`message`], [`Connection`]). On the
//! other side [`Listener`] takes JVMs in, and each [`Jvm`] is an [`interloper_trace::Source`]: it merges
//! the logs into one stream of events whose order agrees with what happened.

pub mod archive;
mod arena;
mod connect;
#[cfg(feature = "reader")]
mod facts;
#[cfg(feature = "reader")]
mod listen;
pub mod log;
#[cfg(feature = "reader")]
mod merge;
pub mod message;
pub mod option;

pub use arena::{Arena, ArenaError, Recording};
pub use connect::{Connection, TapError, UNWATCHED};
#[cfg(feature = "reader")]
pub use facts::{Facts, Omission};
#[cfg(feature = "reader")]
pub use listen::Listener;
#[cfg(feature = "reader")]
pub use merge::Jvm;
pub use message::{Class, Field, Hello, Message, MessageError, Method, Site, SiteKind};
