//! What holds in every schedule: the checks are those of [`super::world`].

use super::{
    paused,
    schedule::{Habits, Law, Outcome, run},
    seeds,
};

const LIVELY: Habits = Habits {
    leave: 15,
    hasty: 30,
    return_: 70,
    nobody: 10,
    threads: 3,
    classes: 4,
};

fn all(law: Law) {
    let mut sum = Outcome::default();
    for seed in 0..seeds() {
        let outcome = paused(run(seed, law, LIVELY));
        sum.started.extend(outcome.started);
        sum.returned += outcome.returned;
        sum.superseded += outcome.superseded;
        sum.left += outcome.left;
    }
    println!(
        "{} started, {} came back, {} were superseded, {} left",
        sum.started.len(),
        sum.returned,
        sum.superseded,
        sum.left
    );
    // The schedules are worth their time.
    let enough = seeds() as usize;
    assert!(sum.started.len() > 10 * enough);
    assert!(sum.returned > enough && sum.superseded > enough && sum.left > enough);
}

#[test]
fn constant_service_times() {
    all(Law::Constant);
}

#[test]
fn uniform_service_times() {
    all(Law::Uniform);
}

#[test]
fn exponential_service_times() {
    all(Law::Exponential);
}
