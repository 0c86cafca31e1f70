//! What belongs to the probe of each site: eight bytes for what it has found out about the site's field, and four that say
//! in which leaf the site is (a block whose begin the probe need not remember).

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// As many as there can be sites: their ids have 24 bits.
const SITES: usize = 1 << 24;

/// The zeroed tables, never given back: compiled Java code has their addresses. Memory is used only
/// where it is written.
pub struct SiteWords(usize);

impl SiteWords {
    /// Reserves the tables.
    pub fn reserve() -> io::Result<Self> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new mapping at an address the kernel chooses touches nothing that exists.
        let start = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                SITES * (8 + 4),
                ProtFlags::READ | ProtFlags::WRITE,
                flags,
            )
        }?;
        Ok(Self(start as usize))
    }

    /// Where the words about fields begin.
    pub fn address(&self) -> usize {
        self.0
    }

    /// Where the numbers of leaves begin.
    pub fn leaves(&self) -> usize {
        self.0 + SITES * 8
    }

    /// Says in which leaf a site is, before its code can run.
    pub fn set_leaf(&self, site: u32, method: u32) {
        let site = site as usize;
        if site < SITES {
            let word = (self.leaves() + site * 4) as *const AtomicU32;
            // SAFETY: the word is within the mapping, which is never given back, and is aligned, as that begins at a page.
            unsafe { &*word }.store(method, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_have_their_own_places() {
        let words = SiteWords::reserve().expect("memory");
        words.set_leaf(0, 7);
        words.set_leaf(SITES as u32 - 1, 8);
        words.set_leaf(SITES as u32, 9);
        let read = |address: usize| {
            // SAFETY: the addresses are within the mapping, which is never given back.
            unsafe { &*(address as *const AtomicU32) }.load(Ordering::Relaxed)
        };
        assert_eq!(read(words.leaves()), 7);
        assert_eq!(read(words.leaves() + 4 * (SITES - 1)), 8);
        assert_eq!(read(words.leaves() - 4), 0);
    }
}
