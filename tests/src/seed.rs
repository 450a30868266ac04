//! Choices that a seed repeats, and how many rounds of them a test makes.

use uuid::Uuid;

pub use turnwise_testing::choices::Choices;

/// The setting that says how many rounds are made; .ci/profiles.env has CI's number.
const ROUNDS: &str = "EXACTLY_ONCE_ROUNDS";
/// The setting that says by which seed.
const SEED: &str = "EXACTLY_ONCE_SEED";
/// Rounds of somebody who names no number.
const FEW: u64 = 20;

/// How many rounds are made: `EXACTLY_ONCE_ROUNDS`, or a few.
pub fn rounds() -> u64 {
    count(ROUNDS, FEW)
}

/// The seed of this run: `EXACTLY_ONCE_SEED`, or a new one. It is printed, so that a failure can be tried again.
pub fn seed() -> u64 {
    seed_of(SEED)
}

/// How many rounds this setting names, or else `few`.
pub fn count(setting: &str, few: u64) -> u64 {
    number(setting).unwrap_or(few)
}

/// The seed that this setting names, or a new one. It is printed, so that a failure can be tried again.
pub fn seed_of(setting: &str) -> u64 {
    let seed = number(setting).unwrap_or_else(|| Uuid::new_v4().as_u64_pair().0 >> 16);
    println!("{setting}={seed}");
    seed
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{name} must be a number")))
}
