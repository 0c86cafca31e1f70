//! The binary trace format: for recorded runs, compact and fast to read back.
//!
//! A file is a short header, blocks of events, and an end mark. Every block brings the names that
//! it is the first to mention and carries checksums, so that a file that was cut off or altered is
//! read up to its last whole block, and the reader says where and why it stopped: see
//! [`Damage`](crate::Damage). The exact layout is in `docs/binary-format.md`.

mod columns;
mod format;
mod payload;
mod reader;
mod remarks;
mod tables;
mod writer;

pub use format::is_binary;
pub use reader::BinaryReader;
pub use writer::BinaryWriter;
