//! A table of bare ids, found by the hash of what they stand for: eight bytes an entry, however long
//! that is.

/// Hashes words one by one.
#[derive(Clone, Copy)]
pub(super) struct Mixer(u64);

impl Mixer {
    pub(super) fn new() -> Mixer {
        Mixer(0x9e37_79b9_7f4a_7c15)
    }

    #[inline(always)]
    pub(super) fn word(&mut self, word: u32) {
        let product = u128::from(self.0 ^ u64::from(word)) * 0xe703_7ed1_a0b4_28db;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }

    #[inline(always)]
    pub(super) fn finish(self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// Ids from 0, in the order in which they were added.
#[derive(Default)]
pub(super) struct Table {
    /// An id plus one; 0 where there is none. The length is a power of two.
    slots: Vec<u32>,
    /// By id.
    hashes: Vec<u32>,
}

impl Table {
    /// The id with this hash of which `same` is true.
    #[inline]
    pub(super) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut place = hash as usize & mask;
        loop {
            let id = self.slots[place].checked_sub(1)?;
            if self.hashes[id as usize] == hash as u32 && same(id) {
                return Some(id);
            }
            place = (place + 1) & mask;
        }
    }

    /// Adds the next id.
    pub(super) fn add(&mut self, hash: u64) -> u32 {
        let id = self.hashes.len() as u32;
        self.hashes.push(hash as u32);
        if self.hashes.len() * 4 > self.slots.len() * 3 {
            self.grow();
        } else {
            self.put(id);
        }
        id
    }

    fn put(&mut self, id: u32) {
        let mask = self.slots.len() - 1;
        let mut place = self.hashes[id as usize] as usize & mask;
        while self.slots[place] != 0 {
            place = (place + 1) & mask;
        }
        self.slots[place] = id + 1;
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 2).max(16)];
        for id in 0..self.hashes.len() as u32 {
            self.put(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found() {
        let (mut table, mut words) = (Table::default(), vec![]);
        for word in (0..5_000u32).map(|n| n / 2 * 7) {
            let mut mixer = Mixer::new();
            mixer.word(word);
            let hash = mixer.finish();
            match table.find(hash, |id| words[id as usize] == word) {
                Some(id) => assert_eq!(words[id as usize], word),
                None => {
                    assert_eq!(table.add(hash) as usize, words.len());
                    words.push(word);
                }
            }
        }
        assert_eq!(words.len(), 2_500);
    }
}
