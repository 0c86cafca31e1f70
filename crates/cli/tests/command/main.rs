//! Tests of the `interloper` command as users meet it: arguments and files in; output, messages and
//! exit codes out.

// Clippy's leave to unwrap in tests does not reach the functions that tests share.
#![allow(clippy::unwrap_used)]

mod common;
mod convert;
mod corpus;
mod damage;
mod engines;
mod exit_codes;
mod generate;
mod help;
mod inputs;
mod java_fake;
mod java_jvm;
mod java_program;
mod json;
mod output;
mod scan;
mod stat;
mod validate;
