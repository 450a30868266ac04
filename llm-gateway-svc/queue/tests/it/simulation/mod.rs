//! The local queue under seeded schedules, with a paused clock.
//!
//! `QUEUE_SEEDS` says how many schedules each test tries.

mod fairness;
mod forecasts;
mod invariants;
mod schedule;
mod world;

use turnwise_testing::choices::Choices;

/// How many seeds a test tries.
pub fn seeds() -> u64 {
    std::env::var("QUEUE_SEEDS")
        .map_or(300, |seeds| seeds.parse().expect("QUEUE_SEEDS is a number"))
}

/// Runs one simulation, with a clock of its own.
pub fn paused<T>(simulation: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
        .block_on(simulation)
}

/// True so many times in a hundred.
pub fn percent(choices: &mut Choices, percent: usize) -> bool {
    choices.below(100) < percent
}
