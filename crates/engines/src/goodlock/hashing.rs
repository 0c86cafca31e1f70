//! Hash maps by ids. Who makes up a trace chooses names, not the ids they get, so a hash that is
//! merely quick will do.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map by ids.
pub(super) type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// Multiplies and folds.
#[derive(Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    #[inline(always)]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline(always)]
    fn write_u64(&mut self, number: u64) {
        let wide = u128::from((self.0 ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15))
            * 0xd6e8_feb8_6659_fd93;
        self.0 = (wide >> 64) as u64 ^ wide as u64;
    }

    #[inline(always)]
    fn finish(&self) -> u64 {
        self.0
    }
}
