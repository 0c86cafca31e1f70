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

    /// The numbers in rising order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.words)
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
}
