//! The generator's own source of chance: SplitMix64 (Steele, Lea, Flood 2014), integers only, so that
//! a seed gives the same trace on every platform and with every release.

/// A stream of pseudo-random numbers.
#[derive(Clone, Debug)]
pub(super) struct Rng {
    state: u64,
}

impl Rng {
    pub(super) fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// The next 64 random bits.
    #[inline(always)]
    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if `bound` is 0.
    #[inline(always)]
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        scale(high(self.next()), bound)
    }

    /// A number from 1 to `2 * mean - 1`, so `mean` on average and never far more.
    #[inline(always)]
    pub(super) fn around(&mut self, mean: u32) -> u32 {
        1 + self.below(2 * mean - 1)
    }
}

/// The upper half of a draw.
#[inline(always)]
pub(super) fn high(bits: u64) -> u32 {
    (bits >> 32) as u32
}

/// The lower half of a draw, independent of the upper.
#[inline(always)]
pub(super) fn low(bits: u64) -> u32 {
    bits as u32
}

/// Maps 32 random bits onto the numbers below `bound`, without a division.
#[inline(always)]
pub(super) fn scale(bits: u32, bound: u32) -> u32 {
    ((u64::from(bits) * u64::from(bound)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_published_sequence() {
        let mut rng = Rng::new(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| rng.next()).collect();
        assert_eq!(
            drawn,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn stays_within_its_bounds_and_reaches_them() {
        let mut rng = Rng::new(7);
        let drawn: Vec<u32> = (0..1000).map(|_| rng.around(3)).collect();
        assert_eq!(drawn.iter().min(), Some(&1));
        assert_eq!(drawn.iter().max(), Some(&5));
        assert!((0..100).all(|_| rng.below(1) == 0 && rng.around(1) == 1));
    }
}
