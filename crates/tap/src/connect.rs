//! The socket between a JVM and the reader, the JVM's end ([`crate::Listener`] is the other).
//!
//! The agent connects to `socket` in the run folder and sends `Hello` together with the arena's file
//! descriptor; then messages as they come. The socket's end is the JVM's end, however it came about. When the
//! reader is gone, sending fails once: the arena is told to stop, and everything sent later is thrown away.

use crate::arena::{Arena, ArenaError};
use crate::message::{Hello, Message, MessageError, VERSION};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// The file in the folder of a run to which JVMs that are not watched add why, a line each.
pub const UNWATCHED: &str = "unwatched";

/// The socket's name in the run folder.
pub(crate) const SOCKET: &str = "socket";

/// What can go wrong between a JVM and the reader.
#[derive(Debug, Error)]
pub enum TapError {
    /// The system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The arena is unusable.
    #[error("{0}")]
    Arena(#[from] ArenaError),
    /// A message makes no sense.
    #[error("{0}")]
    Message(#[from] MessageError),
    /// Whoever connected did not begin with `Hello` and an arena.
    #[error("a process connected and did not introduce itself as a JVM")]
    NoHello,
    /// Nobody can be let in for now, whoever it is.
    #[error("no JVM can be taken in: {0}")]
    Closed(io::Error),
    /// The agent is of another version.
    #[error("the agent speaks version {0} of the protocol, this program version {VERSION}")]
    Version(u32),
}

impl From<rustix::io::Errno> for TapError {
    fn from(errno: rustix::io::Errno) -> TapError {
        TapError::Io(errno.into())
    }
}

/// The JVM's end.
pub struct Connection {
    arena: Arc<Arena>,
    /// Nothing once the reader is gone.
    stream: Mutex<Option<UnixStream>>,
}

impl Connection {
    /// Connects to the reader that listens in this folder and hands it the arena.
    pub fn open(folder: &Path, arena: Arc<Arena>, hello: Hello) -> Result<Connection, TapError> {
        let stream = UnixStream::connect(folder.join(SOCKET))?;
        let mut bytes = Vec::new();
        Message::Hello(hello).encode(&mut bytes)?;
        let fds = [arena.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&fds));
        let sent = retry(|| {
            let parts = [IoSlice::new(&bytes)];
            rustix::net::sendmsg(&stream, &parts, &mut control, SendFlags::NOSIGNAL)
        })?;
        send_all(&stream, &bytes[sent..])?;
        Ok(Connection { arena, stream: Mutex::new(Some(stream)) })
    }

    /// Sends a message; when this returns, the reader can see it. If the reader is gone, the arena is told
    /// to stop and nothing happens. `false`: the message is too long and was not sent.
    pub fn send(&self, message: &Message) -> bool {
        let mut bytes = Vec::new();
        if message.encode(&mut bytes).is_err() {
            return false;
        }
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = &*stream
            && send_all(open, &bytes).is_err()
        {
            self.arena.stop();
            *stream = None;
        }
        true
    }

    /// The arena that the reader was handed.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }
}

/// Without the signal that a plain write to a closed socket raises: this is somebody else's process.
fn send_all(stream: &UnixStream, mut bytes: &[u8]) -> Result<(), TapError> {
    while !bytes.is_empty() {
        let sent = retry(|| rustix::net::send(stream, bytes, SendFlags::NOSIGNAL))?;
        bytes = &bytes[sent..];
    }
    Ok(())
}

pub(crate) fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    loop {
        match call() {
            Err(rustix::io::Errno::INTR) => {}
            result => return result,
        }
    }
}
