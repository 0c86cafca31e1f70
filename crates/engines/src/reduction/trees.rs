//! All transactions of a trace, equal ones once. A transaction is a sequence of words (see
//! [`super::recording`]); of those that are equal the first stands for all, with its thread, places
//! and positions.
//!
//! The items lie one after the other in large chunks, the index holds hashes: no allocation a
//! transaction, sixteen bytes an event that is remembered.

use super::item::Item;
use interloper_trace::ThreadId;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// A transaction and how often it ran.
#[derive(Clone, Copy)]
pub(super) struct Tree {
    /// Who ran it first.
    pub(super) thread: ThreadId,
    /// How often it ran.
    pub(super) count: u64,
    chunk: u32,
    start: u32,
    len: u32,
    /// The next one with the same hash, plus one; 0 if there is none.
    next: u32,
}

/// Items of a chunk, unless a single transaction is larger.
const CHUNK: usize = 1 << 18;

/// All distinct transactions so far.
pub(super) struct Trees {
    trees: Vec<Tree>,
    chunks: Vec<Vec<Item>>,
    /// By hash: a tree plus one, the head of a chain.
    index: HashMap<u64, u32, BuildHasherDefault<Same>>,
    /// Names come from outside: nobody shall be able to make up transactions of one hash.
    seed: u64,
}

impl Default for Trees {
    fn default() -> Trees {
        let seed = RandomState::new().hash_one(0);
        Trees { trees: vec![], chunks: vec![], index: HashMap::default(), seed }
    }
}

impl Trees {
    /// A transaction of a thread has ended.
    pub(super) fn add(&mut self, thread: ThreadId, items: &[Item]) {
        let hash = self.hash(items);
        let head = self.index.get(&hash).copied().unwrap_or(0);
        let mut place = head;
        while place != 0 {
            let tree = &self.trees[place as usize - 1];
            if same(self.items(tree), items) {
                self.trees[place as usize - 1].count += 1;
                return;
            }
            place = tree.next;
        }
        let (chunk, start) = self.store(items);
        let len = items.len() as u32;
        self.trees.push(Tree { thread, count: 1, chunk, start, len, next: head });
        self.index.insert(hash, self.trees.len() as u32);
    }

    fn store(&mut self, items: &[Item]) -> (u32, u32) {
        let full = |chunk: &Vec<Item>| chunk.len() + items.len() > chunk.capacity();
        if self.chunks.last().is_none_or(full) {
            // The first one is small: most traces are.
            let size = if self.chunks.is_empty() { CHUNK >> 6 } else { CHUNK };
            self.chunks.push(Vec::with_capacity(size.max(items.len())));
        }
        let last = self.chunks.len() - 1;
        let start = self.chunks[last].len();
        self.chunks[last].extend_from_slice(items);
        (last as u32, start as u32)
    }

    fn hash(&self, items: &[Item]) -> u64 {
        let mut hash = self.seed;
        for item in items {
            let mixed = u128::from(hash ^ u64::from(item.word.bits())) * 0x9e37_79b9_7f4a_7c15_u128;
            hash = (mixed >> 64) as u64 ^ (mixed as u64).rotate_left(23) ^ self.seed;
        }
        hash
    }

    /// The trees, in the order of their first occurrence.
    pub(super) fn all(&self) -> &[Tree] {
        &self.trees
    }

    /// A tree's events.
    pub(super) fn items(&self, tree: &Tree) -> &[Item] {
        &self.chunks[tree.chunk as usize][tree.start as usize..][..tree.len as usize]
    }

    /// How many items are remembered.
    pub(super) fn stored(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.len() as u64).sum()
    }
}

/// Whether two transactions are equal, whatever their places.
fn same(a: &[Item], b: &[Item]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.word == b.word)
}

/// Hashes of what is a hash already.
#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
