//! Eight bytes a site that belongs to the probe: what it has found out about the site's field.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use std::io;

/// As many as there can be sites: their ids have 24 bits.
const WORDS: usize = 1 << 24;

/// The zeroed table, never given back: compiled Java code has its address. Memory is used only
/// where it is written.
pub struct SiteWords(usize);

impl SiteWords {
    /// Reserves the table.
    pub fn reserve() -> io::Result<Self> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new mapping at an address the kernel chooses touches nothing that exists.
        let start = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                WORDS * 8,
                ProtFlags::READ | ProtFlags::WRITE,
                flags,
            )
        }?;
        Ok(Self(start as usize))
    }

    /// Where the table begins.
    pub fn address(&self) -> usize {
        self.0
    }
}
