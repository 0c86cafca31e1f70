//! Sets of small numbers.

/// A set of numbers, a bit each; grows as needed and never ends in a zero word, so equal sets are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|w| w >> (number % 64) & 1 == 1)
    }

    /// Adds a number; says whether it was new.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let at = number as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let bit = 1 << (number % 64);
        let new = self.words[at] & bit == 0;
        self.words[at] |= bit;
        new
    }

    /// Adds all numbers of another set; says whether any was new.
    pub(crate) fn union(&mut self, other: &Self) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        join(&mut self.words, &other.words)
    }

    /// Adds the numbers that two other sets have in common; says whether any was new.
    pub(crate) fn add_common(&mut self, a: &Self, b: &Self) -> bool {
        let common = a.words.iter().zip(&b.words).map(|(a, b)| a & b);
        self.union(&common.collect())
    }

    /// Adds the numbers that one set has and another has not; says whether any was new.
    pub(crate) fn add_without(&mut self, a: &Self, b: &Self) -> bool {
        let without = |(at, word): (usize, &u64)| word & !b.words.get(at).copied().unwrap_or(0);
        self.union(&a.words.iter().enumerate().map(without).collect())
    }

    /// The bits of the numbers from 64 × `at`.
    pub(crate) fn word(&self, at: u32) -> u64 {
        self.words.get(at as usize).copied().unwrap_or(0)
    }

    /// Adds the numbers from 64 × `at` that have a bit in a word.
    pub(crate) fn add_word(&mut self, at: u32, word: u64) {
        if word != 0 {
            let at = at as usize;
            self.words.resize(self.words.len().max(at + 1), 0);
            self.words[at] |= word;
        }
    }

    /// Which words have bits.
    pub(crate) fn used_words(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.words).filter(|(_, word)| **word != 0).map(|(at, _)| at)
    }

    /// The numbers in rising order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.words)
    }
}

impl FromIterator<u64> for BitSet {
    /// From words, 64 numbers each.
    fn from_iter<I: IntoIterator<Item = u64>>(words: I) -> Self {
        let mut words: Vec<u64> = words.into_iter().collect();
        let used = words.iter().rposition(|&w| w != 0).map_or(0, |last| last + 1);
        words.truncate(used);
        Self { words }
    }
}

/// Adds the bits of one row to another; says whether any was new. Rows may differ in length as long as the
/// surplus of `from` would not be needed.
pub(crate) fn join(into: &mut [u64], from: &[u64]) -> bool {
    let mut new = 0;
    for (to, &from) in into.iter_mut().zip(from) {
        new |= from & !*to;
        *to |= from;
    }
    new != 0
}

/// Whether a row has a bit.
pub(crate) fn has(row: &[u64], bit: u32) -> bool {
    row[bit as usize / 64] >> (bit % 64) & 1 == 1
}

/// Sets a bit of a row.
pub(crate) fn set(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] |= 1 << (bit % 64);
}

/// The positions of the set bits of a row.
pub(crate) fn ones(row: &[u64]) -> impl Iterator<Item = u32> + '_ {
    row.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                at as u32 * 64 + bit
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_a_set() {
        let mut set = BitSet::default();
        assert!(set.is_empty());
        assert!(set.insert(200) && set.insert(3) && !set.insert(200));
        assert!(set.contains(200) && !set.contains(199) && !set.contains(9999));
        let mut other = BitSet::default();
        other.insert(64);
        assert!(other.union(&set) && !other.union(&set));
        assert_eq!(other.iter().collect::<Vec<_>>(), [3, 64, 200]);
    }

    #[test]
    fn parts_of_other_sets_are_added() {
        let set = |numbers: &[u32]| {
            let mut set = BitSet::default();
            numbers.iter().for_each(|&n| assert!(set.insert(n)));
            set
        };
        let (a, b) = (set(&[1, 70, 300]), set(&[1, 300]));
        let mut common = set(&[1]);
        assert!(common.add_common(&a, &b) && !common.add_common(&a, &b));
        assert_eq!(common, b);
        let mut without = BitSet::default();
        assert!(without.add_without(&a, &b) && !without.add_without(&b, &a));
        assert_eq!(without, set(&[70]));
        assert_eq!(a.used_words().collect::<Vec<_>>(), [0, 1, 4]);
        assert_eq!((a.word(4), a.word(9)), (1 << 44, 0));
    }
}
