//! The shared memory that logs are written to and read from.
//!
//! Both sides map the same anonymous file. Nothing in it is ever read or written but through atomics, by
//! either side, so whatever the other process does there is no data race, only strange values; every number
//! found in it is checked before it is used as an index. The file is sealed against shrinking, which is
//! checked as well: nobody can take mapped memory away.
//!
//! Layout, in bytes, all numbers little endian (which is the machine's own order, or `create` and `map` refuse):
//!
//! | at | what |
//! |---|---|
//! | 0 | magic `u64` "ITLARENA", version `u32`, words a chunk `u32`, chunks `u32`, slots `u32` |
//! | 64 | `stop` `u32`: 0 while recording goes on, 1 when nobody reads any more, 2 when the writer has stopped for a reason of its own, which a note tells |
//! | 68 | `fresh` `u32`: the next chunk that was never used |
//! | 128 | `u64` count of chunks that the reader has pushed to the ring of free chunks |
//! | 192 | `u64` count of chunks that writers have popped from it |
//! | 4096 | slots of 64 bytes: first chunk + 1 `u32` (0: none), unused `u32`, blocks begun `u64` |
//! | then | the ring: a `u32` for every chunk |
//! | then | at the next page: the chunks |

#![allow(unsafe_code)]

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};
use std::ffi::c_void;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use thiserror::Error;

const MAGIC: u64 = u64::from_le_bytes(*b"ITLARENA");
const VERSION: u32 = 1;
const PAGE: usize = 4096;

/// What can be wrong with an arena.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// The system refused.
    #[error("shared memory: {0}")]
    System(#[from] rustix::io::Errno),
    /// More chunks or slots than an arena can have, or none.
    #[error("an arena of {chunks} chunks and {slots} slots is not possible")]
    Size {
        /// Chunks asked for.
        chunks: u32,
        /// Slots asked for.
        slots: u32,
    },
    /// The file is not an arena, or one of another version.
    #[error("this is no arena that this program knows")]
    Unknown,
    /// The file is smaller than its header says, or could become so.
    #[error("the arena is too small for what its header says")]
    Short,
}

/// Whether recording goes on, and if not, who has stopped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// It goes on.
    On,
    /// Nobody reads any more.
    Unread,
    /// The writer has stopped for a reason of its own.
    Stopped,
}

#[derive(Clone, Copy)]
struct Layout {
    chunks: u32,
    slots: u32,
}

impl Layout {
    fn checked(chunks: u32, slots: u32) -> Result<Layout, ArenaError> {
        let possible = |count: u32, most: u32| (1..=most).contains(&count);
        if possible(chunks, Arena::MOST_CHUNKS) && possible(slots, Arena::MOST_SLOTS) {
            Ok(Layout { chunks, slots })
        } else {
            Err(ArenaError::Size { chunks, slots })
        }
    }

    fn ring(self) -> usize {
        Arena::AT_SLOTS + self.slots as usize * Arena::SLOT_BYTES
    }

    fn data(self) -> usize {
        (self.ring() + self.chunks as usize * 4).next_multiple_of(PAGE)
    }

    fn size(self) -> usize {
        self.data() + self.chunks as usize * Arena::CHUNK_WORDS * 8
    }
}

/// An arena, mapped. Unmapped when dropped.
pub struct Arena {
    fd: OwnedFd,
    base: NonNull<c_void>,
    layout: Layout,
}

// SAFETY: the memory belongs to no thread: it is only touched through atomics, and unmapped only when nobody
// has a reference to the arena any more.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

impl Arena {
    /// The words of a chunk.
    pub const CHUNK_WORDS: usize = 512;
    /// The chunks of an arena unless asked otherwise: 256 MiB, of which only what is used takes memory.
    pub const CHUNKS: u32 = 65_536;
    /// The slots of an arena unless asked otherwise: how many threads can run at a time.
    pub const SLOTS: u32 = 32_768;
    /// The most chunks: 4 GiB.
    pub const MOST_CHUNKS: u32 = 1 << 20;
    /// The most slots: they must fit into the 16 bits that states of objects have for their owners.
    pub const MOST_SLOTS: u32 = 1 << 16;

    /// Where `stop` is, from [`Arena::base`] like what follows.
    pub const AT_STOP: usize = 64;
    /// Where `fresh` is.
    pub const AT_FRESH: usize = 68;
    /// Where the count of chunks is that the reader has pushed.
    pub const AT_PUSHED: usize = 128;
    /// Where the count of chunks is that writers have popped.
    pub const AT_POPPED: usize = 192;
    /// Where the slots are.
    pub const AT_SLOTS: usize = 4096;
    /// The bytes of a slot.
    pub const SLOT_BYTES: usize = 64;
    /// Where a slot has its count of blocks.
    pub const IN_SLOT_BLOCKS: usize = 8;
    /// `stop`: nobody reads any more.
    pub const UNREAD: u32 = 1;
    /// `stop`: the writer has stopped.
    pub const STOPPED: u32 = 2;

    /// A new arena in memory of its own.
    pub fn create(chunks: u32, slots: u32) -> Result<Arena, ArenaError> {
        let layout = Layout::checked(chunks, slots)?;
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let fd = rustix::fs::memfd_create("interloper", flags)?;
        rustix::fs::ftruncate(&fd, layout.size() as u64)?;
        rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let arena = Arena::mapped(fd, layout)?;
        arena.u32_at(8).store(VERSION, Ordering::Relaxed);
        arena.u32_at(12).store(Arena::CHUNK_WORDS as u32, Ordering::Relaxed);
        arena.u32_at(16).store(chunks, Ordering::Relaxed);
        arena.u32_at(20).store(slots, Ordering::Relaxed);
        arena.u64_at(0).store(MAGIC, Ordering::Release);
        Ok(arena)
    }

    /// An arena that another process has created.
    pub fn map(fd: OwnedFd) -> Result<Arena, ArenaError> {
        let seals = rustix::fs::fcntl_get_seals(&fd)?;
        let size =
            usize::try_from(rustix::fs::fstat(&fd)?.st_size).map_err(|_| ArenaError::Short)?;
        if size < Arena::AT_SLOTS || !seals.contains(SealFlags::SHRINK) {
            return Err(ArenaError::Short);
        }
        let mut header = [0; 24];
        if rustix::io::pread(&fd, &mut header, 0)? != header.len() {
            return Err(ArenaError::Short);
        }
        let number = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let known = header.starts_with(b"ITLARENA")
            && number(8) == VERSION
            && number(12) == Arena::CHUNK_WORDS as u32;
        if !known {
            return Err(ArenaError::Unknown);
        }
        let layout = Layout::checked(number(16), number(20))?;
        if size < layout.size() {
            return Err(ArenaError::Short);
        }
        Arena::mapped(fd, layout)
    }

    /// Maps a file of at least the layout's size that cannot shrink.
    fn mapped(fd: OwnedFd, layout: Layout) -> Result<Arena, ArenaError> {
        if cfg!(target_endian = "big") {
            return Err(ArenaError::Unknown);
        }
        // SAFETY: a new mapping at an address of the system's choice; it replaces nothing.
        let base = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                layout.size(),
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED | MapFlags::NORESERVE,
                &fd,
                0,
            )?
        };
        let base = NonNull::new(base).ok_or(ArenaError::Short)?;
        Ok(Arena { fd, base, layout })
    }

    /// Where the arena begins, for a writer that is not Rust. Good for as long as the arena lives; to be
    /// used by atomic operations only, within [`Arena::size`].
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr().cast()
    }

    /// How many bytes the arena has.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> u32 {
        self.layout.chunks
    }

    /// How many slots there are.
    pub fn slots(&self) -> u32 {
        self.layout.slots
    }

    /// Where the ring of free chunks begins, from [`Arena::base`].
    pub fn ring_offset(&self) -> usize {
        self.layout.ring()
    }

    /// Where the chunks begin, from [`Arena::base`].
    pub fn data_offset(&self) -> usize {
        self.layout.data()
    }

    /// Tells writers that nobody reads any more. Who stopped first has.
    pub fn stop(&self) {
        self.end(Arena::UNREAD);
    }

    fn end(&self, why: u32) {
        let stop = self.u32_at(Arena::AT_STOP);
        // Failure means that it is stopped already.
        let _ = stop.compare_exchange(0, why, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Whether recording goes on.
    pub fn recording(&self) -> Recording {
        match self.u32_at(Arena::AT_STOP).load(Ordering::Acquire) {
            0 => Recording::On,
            Arena::STOPPED => Recording::Stopped,
            _ => Recording::Unread,
        }
    }

    /// Whether recording has stopped, for whatever reason.
    pub fn is_stopped(&self) -> bool {
        self.recording() != Recording::On
    }

    /// The chunk in which a slot's log begins, once it has begun; whether the chunk exists is to be seen.
    pub fn first_chunk(&self, slot: u32) -> Option<u32> {
        self.u32_at(self.slot(slot)).load(Ordering::Acquire).checked_sub(1)
    }

    /// How many atomic blocks a slot's threads have begun, as they have counted by themselves.
    pub fn blocks(&self, slot: u32) -> u64 {
        self.u64_at(self.slot(slot) + Arena::IN_SLOT_BLOCKS).load(Ordering::Relaxed)
    }

    /// The words of a chunk, if there is such a chunk.
    #[inline]
    pub fn chunk(&self, chunk: u32) -> Option<&[AtomicU64]> {
        if chunk >= self.layout.chunks {
            return None;
        }
        let at = self.layout.data() + chunk as usize * Arena::CHUNK_WORDS * 8;
        // SAFETY: the chunk lies within the mapping, which lives as long as `self` and starts at a page;
        // `at` is a multiple of 8. Everybody, also the other process, uses this memory atomically.
        Some(unsafe {
            std::slice::from_raw_parts(self.base.as_ptr().byte_add(at).cast(), Arena::CHUNK_WORDS)
        })
    }

    /// Reader: clears a chunk that was read to its end and gives it back. There is one reader.
    pub fn recycle(&self, chunk: u32) {
        let Some(words) = self.chunk(chunk) else { return };
        for word in words {
            word.store(0, Ordering::Relaxed);
        }
        let pushed = self.u64_at(Arena::AT_PUSHED);
        let count = pushed.load(Ordering::Relaxed);
        self.ring_place(count).store(chunk, Ordering::Relaxed);
        pushed.store(count.wrapping_add(1), Ordering::Release);
    }

    fn slot(&self, slot: u32) -> usize {
        assert!(slot < self.layout.slots, "slot {slot} of {}", self.layout.slots);
        Arena::AT_SLOTS + slot as usize * Arena::SLOT_BYTES
    }

    fn ring_place(&self, count: u64) -> &AtomicU32 {
        let place = (count % u64::from(self.layout.chunks)) as usize;
        self.u32_at(self.layout.ring() + place * 4)
    }

    fn u32_at(&self, at: usize) -> &AtomicU32 {
        assert!(at.is_multiple_of(4) && at < self.layout.data());
        // SAFETY: within the mapping, which starts at a page, and aligned; used atomically by everybody.
        unsafe { &*self.base.as_ptr().byte_add(at).cast() }
    }

    fn u64_at(&self, at: usize) -> &AtomicU64 {
        assert!(at.is_multiple_of(8) && at < self.layout.data());
        // SAFETY: as above.
        unsafe { &*self.base.as_ptr().byte_add(at).cast() }
    }
}

/// The writer's part as tests play it: in a JVM the probe does this.
#[cfg(any(test, feature = "writer"))]
impl Arena {
    /// Stops for a reason of the writer's own.
    pub fn stop_writing(&self) {
        self.end(Arena::STOPPED);
    }

    /// Takes a chunk of zeros; `None` if there is none at the moment.
    pub fn take_chunk(&self) -> Option<u32> {
        let popped = self.u64_at(Arena::AT_POPPED);
        let mut count = popped.load(Ordering::Acquire);
        while count < self.u64_at(Arena::AT_PUSHED).load(Ordering::Acquire) {
            let chunk = self.ring_place(count).load(Ordering::Relaxed);
            let next = count + 1;
            match popped.compare_exchange(count, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(chunk),
                Err(now) => count = now,
            }
        }
        let fresh = self.u32_at(Arena::AT_FRESH);
        let one_more = |count: u32| (count < self.layout.chunks).then_some(count + 1);
        fresh.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).ok()
    }

    /// Begins the log of a slot that has none yet.
    pub fn begin_slot(&self, slot: u32, chunk: u32) {
        self.u32_at(self.slot(slot)).store(chunk + 1, Ordering::Release);
    }

    /// Counts blocks that a slot's threads have begun.
    pub fn count_blocks(&self, slot: u32, more: u64) {
        self.u64_at(self.slot(slot) + Arena::IN_SLOT_BLOCKS).fetch_add(more, Ordering::Relaxed);
    }
}

impl AsFd for Arena {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the mapping is this arena's own, and nothing borrows from it any more. It cannot fail for
        // a mapping that exists, and there would be nothing to do about it.
        let _ = unsafe { rustix::mm::munmap(self.base.as_ptr(), self.layout.size()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reopened(arena: &Arena) -> Arena {
        Arena::map(arena.as_fd().try_clone_to_owned().expect("dup")).expect("map")
    }

    #[test]
    fn both_sides_see_the_same() {
        let writer = Arena::create(4, 3).expect("create");
        let reader = reopened(&writer);
        assert_eq!((reader.chunks(), reader.slots()), (4, 3));
        assert_eq!(reader.first_chunk(2), None);
        let chunk = writer.take_chunk().expect("chunk");
        writer.chunk(chunk).expect("exists")[5].store(77, Ordering::Release);
        writer.begin_slot(2, chunk);
        writer.count_blocks(2, 5);
        assert_eq!(reader.first_chunk(2), Some(chunk));
        assert_eq!(reader.blocks(2), 5);
        assert_eq!(reader.chunk(chunk).expect("exists")[5].load(Ordering::Acquire), 77);
        assert_eq!(writer.recording(), Recording::On);
        reader.stop();
        assert!(writer.is_stopped());
        writer.stop_writing();
        assert_eq!(reader.recording(), Recording::Unread);
    }

    #[test]
    fn who_stops_first_has_stopped() {
        let writer = Arena::create(4, 3).expect("create");
        let reader = reopened(&writer);
        writer.stop_writing();
        reader.stop();
        assert_eq!(reader.recording(), Recording::Stopped);
    }

    #[test]
    fn chunks_run_out_and_come_back_clean() {
        let arena = Arena::create(2, 1).expect("create");
        for round in 0..5 {
            let taken = [arena.take_chunk().expect("one"), arena.take_chunk().expect("two")];
            assert_eq!(arena.take_chunk(), None, "round {round}");
            for chunk in taken {
                let words = arena.chunk(chunk).expect("exists");
                assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
                words[0].store(1, Ordering::Relaxed);
                arena.recycle(chunk);
            }
        }
        assert!(arena.chunk(2).is_none());
    }

    #[test]
    fn files_that_are_no_arena_are_refused() {
        let short = rustix::fs::memfd_create("x", MemfdFlags::ALLOW_SEALING).expect("memfd");
        assert!(matches!(Arena::map(short), Err(ArenaError::Short)));
        let sealed = |size, header: &[u8]| {
            let fd = rustix::fs::memfd_create("x", MemfdFlags::ALLOW_SEALING).expect("memfd");
            rustix::fs::ftruncate(&fd, size).expect("size");
            rustix::io::pwrite(&fd, header, 0).expect("write");
            rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK).expect("seal");
            Arena::map(fd)
        };
        assert!(matches!(sealed(1 << 20, b"nothing"), Err(ArenaError::Unknown)));
        let header = |chunks: u32, slots: u32| {
            let mut header = b"ITLARENA".to_vec();
            for number in [VERSION, Arena::CHUNK_WORDS as u32, chunks, slots] {
                header.extend_from_slice(&number.to_le_bytes());
            }
            header
        };
        assert!(sealed(1 << 20, &header(100, 10)).is_ok());
        assert!(matches!(sealed(1 << 20, &header(1000, 10)), Err(ArenaError::Short)));
        assert!(matches!(sealed(1 << 20, &header(u32::MAX, 10)), Err(ArenaError::Size { .. })));
        assert!(matches!(sealed(1 << 20, &header(0, 10)), Err(ArenaError::Size { .. })));
        assert!(matches!(sealed(1 << 20, &header(10, 65_537)), Err(ArenaError::Size { .. })));
    }
}
