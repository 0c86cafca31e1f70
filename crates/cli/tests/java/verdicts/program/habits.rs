//! What a program does often, and what not at all: what all programs do a little of would rarely meet itself in one.

use super::{CELLS, OBJECTS};
use crate::verdicts::random::Random;

#[derive(Clone, Copy)]
pub struct Habits {
    /// Of what is drawn at random, a bit for each result.
    items: u32,
    accesses: u32,
    /// How many cells are used, at most.
    cells: u32,
    /// How often something is guarded, of a hundred times.
    pub guards: u32,
}

impl Habits {
    pub fn random(random: &mut Random, guards: u32) -> Habits {
        let mut some = || if random.percent(50) { u32::MAX } else { bits(random) | bits(random) };
        let (items, accesses) = (some(), some());
        Habits { items, accesses, cells: 1 + random.below(CELLS), guards }
    }

    /// One of so many kinds of items, or of accesses.
    pub fn item(&self, random: &mut Random, kinds: u32) -> u32 {
        draw(random, kinds, self.items)
    }

    pub fn access(&self, random: &mut Random, kinds: u32) -> u32 {
        draw(random, kinds, self.accesses)
    }

    pub fn cell(&self, random: &mut Random) -> u32 {
        random.below(self.cells)
    }

    /// A cell or a thread.
    pub fn object(&self, random: &mut Random) -> u32 {
        let cells = random.percent(100 * CELLS / OBJECTS);
        if cells { self.cell(random) } else { CELLS + random.below(OBJECTS - CELLS) }
    }
}

fn bits(random: &mut Random) -> u32 {
    random.below(u32::MAX)
}

fn draw(random: &mut Random, kinds: u32, allowed: u32) -> u32 {
    const TRIES: u32 = 8;
    let mut kind = random.below(kinds);
    for _ in 0..TRIES {
        if allowed & 1 << (kind % u32::BITS) != 0 {
            break;
        }
        kind = random.below(kinds);
    }
    kind
}
