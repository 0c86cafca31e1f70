//! Decides which classes and blocks are instrumented, and puts the probe calls into class files.
//! Class bytes in, class bytes and a description of what was put in out; no JVM is needed.
//!
//! [`Config`] says what is wanted. [`Weaver`] puts probes into the classes of the program: accesses,
//! monitors, atomic blocks, calls of the JDK that synchronise. [`hooks`] puts a few calls into classes of
//! the JDK that start, run and join threads and tasks.
//!
//! Guarantee: a woven class verifies if the class did, and does what it did but for the calls of
//! the probe. What cannot be woven is left alone and named in [`Woven::skipped`]. The calls of the probe
//! keep the rules of its windows: a window is open from an access on, or from the entry of a small method that looks once (`guards.rs`), for as long as nothing can block,
//! call, jump or (but for the accesses themselves) throw, and exceptions close it.

mod around;
mod atomic;
mod births;
pub mod bridges;
mod calls;
mod config;
mod copies;
mod describe;
mod fields;
pub mod groups;
mod guards;
mod handles;
pub mod hooks;
mod initials;
mod leaves;
mod loops;
mod met;
mod method;
mod monitors;
mod pattern;
mod plan;
mod probe;
mod repeats;
mod subclasses;
mod values;
mod weaver;
mod windows;

pub use config::{Arrays, Atomic, Config, ConfigError};
pub use interloper_tap::message;
pub use met::{MET, Naming, NamingKind};
pub use pattern::{MethodPattern, Pattern};
pub use weaver::{FIELD, Further, Loaded, SITE_LIMIT, WeaveError, Weaver, Woven};
