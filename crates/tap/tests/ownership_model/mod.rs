//! A model of the ownership protocol; what it is for stands in `ownership_model.rs`.

mod check;
pub mod explore;
mod from_owner;
pub mod generate;
mod machine;
mod polling;
pub mod program;
pub mod protocol;
mod sharing;
mod taking;
pub mod violation;
mod watching;
