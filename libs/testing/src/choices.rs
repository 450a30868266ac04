//! Choices that a seed repeats.

/// Choices, the same ones for the same seed: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014).
#[derive(Debug, Clone)]
pub struct Choices(u64);

impl Choices {
    /// The choices of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The choices of one round of a seed.
    pub fn of_round(seed: u64, round: u64) -> Self {
        let mut choices = Self(seed);
        Self(choices.next() ^ round.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below this one; 0 below 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The remainder is below a `usize`, so nothing is cut off.
        (self.next() % (bound as u64).max(1)) as usize
    }

    /// From 0 to 1, without 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}
