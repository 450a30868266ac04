//! The service is killed at a chosen moment around the commits of eight students, with its store in a file.

use std::time::Duration;

use tokio::time::Instant;
use turnwise_tests::{
    precise_wait::wait_exactly,
    seed::{Choices, rounds, seed},
    standalone_service::StandaloneService,
};

use super::rounds::Rounds;

const STUDENTS: usize = 8;
/// Rounds without a kill that tell how long the commits take.
const MEASURED: u64 = 5;
/// Into so many steps the time of the commits is divided; each round has the next one, and a moment of its own in it.
const STEPS: u64 = 16;
/// Kills are spread over so much more than the time of the commits.
const SPREAD: f64 = 1.25;

#[tokio::test(flavor = "multi_thread")]
async fn every_commit_counts_once() {
    let seed = seed();
    let home = tempfile::tempdir().unwrap();
    let store = format!("embedded:{}", home.path().join("session.redb").display());
    let mut service = Rounds::new(StandaloneService::session(&store, &[]), STUDENTS);

    let mut longest = Duration::ZERO;
    for round in 0..MEASURED {
        let calls = service
            .calls(round, &mut Choices::of_round(seed, round))
            .await;
        let began = Instant::now();
        service.send(calls);
        service.sent().await;
        longest = longest.max(began.elapsed());
        service.finish().await;
    }

    let began = Instant::now();
    let mut stands = Vec::new();
    for round in MEASURED..MEASURED + rounds() {
        let mut choices = Choices::of_round(seed, round);
        let part = ((round % STEPS) as f64 + choices.share()) / STEPS as f64;
        let after = longest.mul_f64(part * SPREAD);
        stands.extend(one_round(&mut service, round, after, choices).await);
    }
    let count = |wanted| stands.iter().filter(|stand| **stand == wanted).count();
    println!(
        "exactly_once_embedded: {} kills in {:.1} s up to {:?} into the commits; when they came {} calls had been \
         acknowledged, {} were written and not acknowledged, {} not written",
        rounds(),
        began.elapsed().as_secs_f64(),
        longest.mul_f64(SPREAD),
        count((true, true)),
        count((false, true)),
        count((false, false)),
    );
    let count = service.end().await;
    println!("exactly_once_embedded: {count} calls, each counted once");
}

/// Kills the service this long after eight commits, and copies of some of them, went out. Answers of each call whether it
/// had been acknowledged and whether it was there afterwards.
async fn one_round(
    service: &mut Rounds,
    round: u64,
    after: Duration,
    mut choices: Choices,
) -> Vec<(bool, bool)> {
    let calls = service.calls(round, &mut choices).await;
    let all: Vec<_> = calls.iter().map(|call| call.copy()).collect();
    let mut copies = Vec::new();
    for call in &calls {
        if choices.coin() {
            copies.push(call.copy());
        }
    }
    println!("round {round}: after {after:?}, {} copies", copies.len());
    let killer = service.service.killer();
    let killing = tokio::task::spawn_blocking(move || {
        wait_exactly(after);
        killer();
    });
    service.send(calls);
    service.send(copies);
    killing.await.unwrap();
    service.start_again();
    let stand = service.stand(&service.service.client(), &all).await;
    service.finish().await;
    stand
}
