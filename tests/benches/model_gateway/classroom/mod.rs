//! A school's box: a model with two slots, and students of ten classes who press *help*.
//!
//! The model needs 2 s for a call; to be done in minutes, this time and all waits with it are divided by a scale. What
//! the gateway spends on a call is not scaled, so the scale makes the bounds harder to keep, never easier.

mod accuracy;
mod fairness;
mod first_come;
mod probe;
mod rush;
mod school;

use turnwise_tests::model_gateway::{REDIS_SETTING, has_setting};

use crate::Args;
use first_come::first_come_first_served;
use school::School;

/// Runs all cases with a queue of one process, and with queues that one and three replicas share through Redis.
pub async fn run(args: &Args) {
    let shared = has_setting(REDIS_SETTING);
    if !shared {
        println!("skipped: queues in Redis, because llm-gateway-svc has no {REDIS_SETTING}");
    }
    fairness::must_fail("first_come", &first_come_first_served(args), args).await;
    let mut schools = vec![("local", 1, false)];
    if shared {
        schools.extend([("redis_1", 1, true), ("redis_3", 3, true)]);
    }
    for (name, replicas, redis) in schools {
        if !name.contains(&args.only) {
            continue;
        }
        println!(
            "\n{name}: replicas {replicas}, Redis {redis}, scale {}",
            args.scale
        );
        // Each case has processes of its own: no case finds what another has left.
        rush::patient(name, &School::start(args, replicas, redis).await, args).await;
        rush::obedient(name, &School::start(args, replicas, redis).await, args).await;
        fairness::closed_loop(name, &School::start_fast(args, replicas, redis).await, args).await;
        fairness::large_class(name, &School::start_fast(args, replicas, redis).await, args).await;
    }
}
