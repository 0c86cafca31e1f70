//! The reader's end of the socket: takes JVMs in and receives their messages.

use crate::arena::Arena;
use crate::connect::{SOCKET, TapError, retry};
use crate::merge::Jvm;
use crate::message::{Message, MessageError, VERSION};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a JVM that has connected may take to say hello.
const PATIENCE: Duration = Duration::from_secs(5);

/// The reader's end: takes JVMs in.
pub struct Listener {
    listener: UnixListener,
}

impl Listener {
    /// Listens in this folder, which should be readable by the user only.
    pub fn bind(folder: &Path) -> Result<Listener, TapError> {
        let listener = UnixListener::bind(folder.join(SOCKET))?;
        listener.set_nonblocking(true)?;
        Ok(Listener { listener })
    }

    /// The next JVM; `None` if none has connected within this time. An error concerns the one that
    /// connected, and others can still be accepted, but for [`TapError::Closed`].
    pub fn accept(&self, timeout: Duration) -> Result<Option<Jvm>, TapError> {
        if !wait_for(&self.listener, timeout).map_err(TapError::Closed)? {
            return Ok(None);
        }
        match self.listener.accept() {
            Ok((stream, _)) => introduced(stream).map(Some),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(TapError::Closed(error)),
        }
    }
}

/// Whether there is something to read (or the end) within this time.
fn wait_for(fd: &impl AsFd, timeout: Duration) -> io::Result<bool> {
    let timeout = Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: timeout.subsec_nanos().into(),
    };
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    match rustix::event::poll(&mut fds, Some(&timeout)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// Waits for `Hello` and the arena.
fn introduced(stream: UnixStream) -> Result<Jvm, TapError> {
    stream.set_nonblocking(true)?;
    let deadline = Instant::now() + PATIENCE;
    let mut inbox = Inbox::new(stream);
    loop {
        let more = inbox.receive()?;
        if let Some(message) = inbox.next()? {
            let (Message::Hello(hello), Some(fd)) = (message, inbox.came_along.take()) else {
                return Err(TapError::NoHello);
            };
            if hello.version != VERSION {
                return Err(TapError::Version(hello.version));
            }
            return Ok(Jvm::new(hello, Arena::map(fd)?, inbox));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if inbox.at_end || left.is_zero() {
            return Err(TapError::NoHello);
        }
        if !more {
            wait_for(&inbox.stream, left)?;
        }
    }
}

/// Messages that come in, as far as they have come.
pub(crate) struct Inbox {
    stream: UnixStream,
    /// Where bytes are received before they join the others: a read of nothing should cost nothing.
    piece: Box<[u8]>,
    buffer: Vec<u8>,
    /// How much of the buffer was taken.
    taken: usize,
    /// A file descriptor that came along.
    came_along: Option<OwnedFd>,
    at_end: bool,
}

impl Inbox {
    fn new(stream: UnixStream) -> Inbox {
        let piece = vec![0; 64 << 10].into_boxed_slice();
        Inbox { stream, piece, buffer: Vec::new(), taken: 0, came_along: None, at_end: false }
    }

    /// Whether the other side is gone and everything it sent was received.
    pub(crate) fn at_end(&self) -> bool {
        self.at_end
    }

    /// Receives some of what is there, without waiting; `false`: there is nothing.
    pub(crate) fn receive(&mut self) -> Result<bool, TapError> {
        if self.at_end {
            return Ok(false);
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let got = retry(|| {
            let mut parts = [IoSliceMut::new(&mut self.piece)];
            rustix::net::recvmsg(&self.stream, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)
        });
        let count = match got {
            Ok(got) => got.bytes,
            Err(rustix::io::Errno::AGAIN) => return Ok(false),
            Err(rustix::io::Errno::CONNRESET) => 0,
            Err(errno) => return Err(errno.into()),
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(mut fds) = message {
                self.came_along = fds.next().or(self.came_along.take());
            }
        }
        self.at_end = count == 0;
        self.buffer.drain(..std::mem::take(&mut self.taken));
        self.buffer.extend_from_slice(&self.piece[..count]);
        Ok(count > 0)
    }

    /// The next message that has come in whole.
    pub(crate) fn next(&mut self) -> Result<Option<Message>, MessageError> {
        let Some((message, length)) = Message::decode(&self.buffer[self.taken..])? else {
            return Ok(None);
        };
        self.taken += length;
        Ok(Some(message))
    }
}
