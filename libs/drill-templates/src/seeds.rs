//! The numbers that a seed draws.

/// SplitMix64 (Steele, Lea and Flood: Fast splittable pseudorandom number generators, 2014).
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) fn new(state: u64) -> Self {
        Self(state)
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.draw()) * u128::from(bound);
        // The upper half of a product of two numbers of 64 bits has 64 bits.
        u64::try_from(product >> 64).unwrap_or(u64::MAX)
    }
}

/// FNV-1a, 64 bits.
pub(crate) fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
