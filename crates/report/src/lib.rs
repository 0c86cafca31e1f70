//! Findings in; text, JSON, DOT and SARIF out.
//!
//! A report knows findings only: strings and numbers, not ids, engines or traces. Names come from
//! the checked program and are not to be trusted: every format escapes them in its own way.
//!
//! | function | for | contract |
//! |---|---|---|
//! | [`text()`] | a person at a terminal | none: it may read better tomorrow |
//! | [`json()`] | tools | `docs/json.md`, schema `interloper/1` |
//! | [`dot()`] | Graphviz | a digraph per finding |
//! | [`sarif()`] | code scanning | SARIF 2.1.0 |

mod chain;
mod dot;
mod frame;
mod json;
mod located;
mod location;
mod model;
mod rules;
mod sarif;
mod source;
mod text;
mod view;
mod words;

pub use dot::dot;
pub use json::{SCHEMA, json};
pub use model::{EngineRun, Jvm, LeftAlone, Report, Run, Scanned, ToolInfo};
pub use sarif::sarif;
pub use text::{TextOptions, text};
pub use words::{count, number};
