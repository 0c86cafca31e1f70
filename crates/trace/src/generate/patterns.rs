//! Code patterns: the methods of a made-up program. Each is a label and a fixed sequence of
//! operations, each at its own place in the source, over the roles of one object: its lock, and the
//! variables that the lock guards. A transaction runs a pattern on some object of the pattern's
//! class.

use super::rng::{Rng, high, low, scale};
use crate::event::{LabelId, LockId, Op, SiteId};

/// How many patterns a class has: these run on the same objects.
const METHODS: u32 = 10;

/// A line of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) site: SiteId,
    pub(super) act: Act,
}

/// What a line does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// Opens a block; the first line of a pattern.
    Begin(LabelId),
    /// Reads the flag of the long transaction.
    Flag,
    /// Takes the object's lock.
    Acquire,
    /// Reads or writes the object's variable of this number.
    Access(Op, u32),
    /// Lets the object's lock go.
    Release,
    /// Closes an inner block.
    End,
    /// Closes the transaction; the last line of a pattern.
    Return,
}

/// What patterns are drawn from.
pub(super) struct Style {
    pub(super) first_site: u32,
    pub(super) sites: u32,
    pub(super) first_label: u32,
    pub(super) flag: bool,
    pub(super) block_length: u32,
    pub(super) nesting: u32,
    /// The chance of a write, out of 2^32.
    pub(super) write: u64,
    /// How many variables every object has.
    pub(super) roles: u32,
}

/// All patterns.
pub(super) struct Patterns {
    lines: Vec<Line>,
    /// Where each pattern begins.
    starts: Vec<u32>,
    classes: u32,
}

impl Patterns {
    /// Draws so many patterns for so many objects.
    pub(super) fn new(count: u32, objects: u32, style: &Style, seed: u64) -> Patterns {
        // Apart from the draws of the trace itself, which has its own.
        let mut author = Author { style, rng: Rng::new(!seed), labels: count, lines: vec![] };
        let mut starts = vec![];
        for number in 0..count {
            starts.push(author.lines.len() as u32);
            author.write(LabelId(style.first_label + number));
        }
        let classes = count.div_ceil(METHODS).clamp(1, objects);
        Patterns { lines: author.lines, starts, classes }
    }

    pub(super) fn len(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The number of the first line of a pattern.
    pub(super) fn start(&self, pattern: u32) -> u32 {
        self.starts[pattern as usize]
    }

    #[inline(always)]
    pub(super) fn line(&self, number: u32) -> Line {
        self.lines[number as usize]
    }

    /// An object of the pattern's class, by its lock: any of `objects`, as `bits` choose.
    pub(super) fn object(&self, pattern: u32, objects: u32, bits: u32) -> LockId {
        let class = pattern % self.classes;
        let of_class = (objects - class).div_ceil(self.classes);
        LockId(class + scale(bits, of_class) * self.classes)
    }
}

/// Writes patterns.
struct Author<'a> {
    style: &'a Style,
    rng: Rng,
    labels: u32,
    lines: Vec<Line>,
}

impl Author<'_> {
    fn write(&mut self, label: LabelId) {
        self.line(Act::Begin(label));
        if self.style.flag {
            self.line(Act::Flag);
        }
        self.line(Act::Acquire);
        self.body();
        self.line(Act::Release);
        self.line(Act::Return);
    }

    fn line(&mut self, act: Act) {
        let site = self.style.first_site + self.rng.below(self.style.sites);
        self.lines.push(Line { site: SiteId(site), act });
    }

    /// Accesses, some in inner blocks. No block stays without an access.
    fn body(&mut self) {
        let mut left = self.rng.around(self.style.block_length);
        let deepest = 1 + self.rng.below(self.style.nesting);
        let (mut depth, mut fresh) = (1, true);
        while left > 0 || depth > 1 {
            let bits = self.rng.next();
            if depth > 1 && (left == 0 || !fresh && high(bits) >> 30 == 0) {
                depth -= 1;
                self.line(Act::End);
            } else if left > 0 && depth < deepest && high(bits) >> 31 == 1 {
                (depth, fresh) = (depth + 1, true);
                let label = self.style.first_label + scale(low(bits), self.labels);
                self.line(Act::Begin(LabelId(label)));
            } else {
                (left, fresh) = (left - 1, false);
                let op = if u64::from(low(bits)) < self.style.write { Op::Write } else { Op::Read };
                let role = self.rng.below(self.style.roles);
                self.line(Act::Access(op, role));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_belongs_to_one_class_and_is_drawn() {
        let style = Style {
            first_site: 1,
            sites: 50,
            first_label: 1,
            flag: false,
            block_length: 3,
            nesting: 3,
            write: 1 << 31,
            roles: 4,
        };
        for (count, objects) in [(25, 10), (25, 2), (1, 7), (500, 101)] {
            let patterns = Patterns::new(count, objects, &style, 1);
            let mut class_of = vec![None; objects as usize];
            for pattern in 0..count {
                for bits in (0..400).map(|n| n * (u32::MAX / 400)) {
                    let lock = patterns.object(pattern, objects, bits);
                    let class = pattern % patterns.classes;
                    assert!(*class_of[lock.index()].get_or_insert(class) == class);
                }
            }
            assert!(class_of.iter().all(Option::is_some), "{count} patterns, {objects} objects");
        }
    }
}
