//! The agent: what Interloper puts into a JVM to watch the program that runs there.
//!
//! `Agent_OnLoad` gets the run folder as its option, connects to the waiting `interloper` process
//! and asks the JVM for events. From then on three things happen: classes pass the hook and are
//! woven (`hook.rs`), the woven code calls the probe (Java, defined by `probe.rs`), and the probe
//! asks for what Java cannot do itself (`natives.rs`). The log of events does not pass through
//! here: the probe writes it into shared memory.
//!
//! The checked program comes first. Whatever goes wrong in the agent, the program runs on,
//! unwatched if need be, and somebody is told: by a message, or by one line on standard error where
//! there is nobody to send messages to.
#![allow(unsafe_code)] // JVMTI and JNI are C interfaces; `frame.rs` keeps most of it in one place.

mod barrier;
mod book;
mod caching;
mod callbacks;
#[cfg(test)]
mod constants;
mod deaths;
mod environment;
mod fields;
mod frame;
mod handles;
mod hook;
mod loading;
mod names;
mod natives;
mod pausing;
mod probe;
mod retransform;
mod session;
mod site_words;
mod sites;
