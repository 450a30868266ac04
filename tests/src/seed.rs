//! Choices that a seed repeats, and how many rounds of them a test makes.

use uuid::Uuid;

/// The setting that says how many rounds are made; .ci/profiles.env has CI's number.
const ROUNDS: &str = "EXACTLY_ONCE_ROUNDS";
/// The setting that says by which seed.
const SEED: &str = "EXACTLY_ONCE_SEED";
/// Rounds of somebody who names no number.
const FEW: u64 = 20;

/// How many rounds are made: `EXACTLY_ONCE_ROUNDS`, or a few.
pub fn rounds() -> u64 {
    number(ROUNDS).unwrap_or(FEW)
}

/// The seed of this run: `EXACTLY_ONCE_SEED`, or a new one. It is printed, so that a failure can be tried again.
pub fn seed() -> u64 {
    let seed = number(SEED).unwrap_or_else(|| Uuid::new_v4().as_u64_pair().0 >> 16);
    println!("{SEED}={seed}");
    seed
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{name} must be a number")))
}

/// Choices, the same ones for the same seed: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014).
#[derive(Debug, Clone)]
pub struct Choices(u64);

impl Choices {
    /// The choices of one round.
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

    /// A number below this one.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
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
