//! Random numbers for tests.

/// A small generator of random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed >> 33) % u64::from(limit)) as u32
    }

    /// Whether something happens that happens so often.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}
