//! Commands that run Java programs under the agent: `run`, `record`, `refine`, `doctor`.

mod args;
mod config;
mod doctor;
mod exit;
mod facts;
mod jdk;
mod launch;
mod library;
mod record;
mod refine;
mod run;
mod session;
mod signals;
mod unmet;
mod watch;
mod writing;

pub use args::{Record, Refine, Run};
pub use doctor::doctor;
pub use record::record;
pub use refine::refine;
pub use run::run;
