//! The reader's end of the wire, without the merger: messages and logs as they come.
//! Used by the tests, and by the example that prints them.

use interloper_tap::message::Message;
use interloper_tap::{Arena, log};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::error::Error;
use std::io::{IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;

/// What can go wrong.
pub type Failure = Box<dyn Error + Send + Sync>;

/// An entry of a log: its first word, and the second if it has one.
pub type Entry = (u64, Option<u64>);

/// One JVM, connected.
pub struct Wire {
    stream: UnixStream,
    bytes: Vec<u8>,
    /// Where its logs are.
    pub arena: Arena,
}

impl Wire {
    /// Takes the arena, and with it the first bytes of the messages.
    pub fn greet(stream: UnixStream) -> Result<Wire, Failure> {
        let mut bytes = vec![0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut parts = [IoSliceMut::new(&mut bytes)];
        let received = recvmsg(&stream, &mut parts, &mut control, RecvFlags::empty())?;
        bytes.truncate(received.bytes);
        let fds = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(fds) => Some(fds),
            _ => None,
        });
        let fd: OwnedFd = fds.flatten().next().ok_or("no arena came with the first message")?;
        Ok(Wire { stream, bytes, arena: Arena::map(fd)? })
    }

    /// The next message; `None` when the JVM is gone.
    pub fn message(&mut self) -> Result<Option<Message>, Failure> {
        let mut piece = [0; 16_384];
        loop {
            if let Some((message, length)) = Message::decode(&self.bytes)? {
                self.bytes.drain(..length);
                return Ok(Some(message));
            }
            match self.stream.read(&mut piece)? {
                0 => return Ok(None),
                count => self.bytes.extend_from_slice(&piece[..count]),
            }
        }
    }
}

/// All entries of a slot's log; empty if there is none.
pub fn entries(arena: &Arena, slot: u32) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut chunk = arena.first_chunk(slot);
    while let Some(words) = chunk.take().and_then(|chunk| arena.chunk(chunk)) {
        let mut words = words.iter().map(|word| word.load(Ordering::Acquire));
        while let Some(word) = words.next().filter(|word| *word != 0) {
            match log::tag(word) {
                log::NEXT => chunk = Some(log::id(word)),
                tag if log::length(tag) == Some(2) => found.push((word, words.next())),
                _ => found.push((word, None)),
            }
        }
    }
    found
}
