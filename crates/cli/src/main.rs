//! The `interloper` command.

fn main() {}
