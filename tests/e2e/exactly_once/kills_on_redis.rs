//! The service is killed at a chosen byte of a commit: before Redis gets it, in the middle of it, while Redis runs the
//! script, in the middle of the reply, and after the reply while the answer goes out.

use std::time::Duration;

use tokio::time::{Instant, timeout};
use turnwise_testing::redis::RedisServer;
use turnwise_tests::{
    redis_fault_proxy::{Point, RedisFaultProxy},
    seed::{Choices, rounds, seed},
    standalone_service::StandaloneService,
};

use super::{retries::Sender, rounds::Rounds};

const STUDENTS: usize = 4;
/// The most copies of the call that is cut off.
const COPIES: usize = 4;
/// The longest time between Redis' reply and a kill: the answer is on its way to the client, or there.
const AFTER_REPLY: Duration = Duration::from_millis(2);
/// How long the call may take to Redis.
const BOUND: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn every_commit_counts_once() {
    let seed = seed();
    let redis = RedisServer::start().unwrap();
    let proxy = RedisFaultProxy::start(redis.port()).await;
    let mut other = StandaloneService::session(&redis.url(), &[]);
    let mut service = Rounds::new(StandaloneService::session(&proxy.url(), &[]), STUDENTS);
    let began = Instant::now();
    let mut told = 0;
    for round in 0..rounds() {
        let mut choices = Choices::of_round(seed, round);
        let point = point(round, &mut choices);
        told += usize::from(one_round(&mut service, &proxy, &other, round, point, choices).await);
    }
    println!(
        "exactly_once_redis: {} kills in {:.1} s, after {told} of them the client had its answer",
        rounds(),
        began.elapsed().as_secs_f64()
    );
    let count = service.end().await;
    println!("exactly_once_redis: {count} calls, each counted once");
    other.stop();
}

fn point(round: u64, choices: &mut Choices) -> Point {
    match round % 5 {
        0 => Point::Before,
        1 => Point::InCommand(choices.share()),
        2 => Point::AfterCommand,
        3 => Point::InReply(choices.share()),
        _ => Point::AfterReply(AFTER_REPLY.mul_f64(choices.share())),
    }
}

/// Kills the service at this point of one student's commit, while the others commit and copies of that call are under
/// way. Whether the call was acknowledged before.
async fn one_round(
    service: &mut Rounds,
    proxy: &RedisFaultProxy,
    other: &StandaloneService,
    round: u64,
    point: Point,
    mut choices: Choices,
) -> bool {
    let calls = service.calls(round, &mut choices).await;
    let watched = calls[0].copy();
    let all: Vec<_> = calls.iter().map(|call| call.copy()).collect();
    let copies = choices.below(COPIES);
    // The other replica goes on.
    let elsewhere = if choices.coin() { copies } else { 0 };
    println!(
        "round {round}: {point:?} of the {}, {copies} copies here, {elsewhere} elsewhere",
        watched.marker()
    );

    let struck = proxy.strike_at(&watched.marker(), point, service.service.killer());
    service.send(calls);
    service.send((0..copies).map(|_| watched.copy()).collect());
    for _ in 0..elsewhere {
        service.send_to(Sender::to(other.client()), watched.copy());
    }
    timeout(BOUND, struck)
        .await
        .expect("the commit goes to Redis")
        .unwrap();
    let stand = service.stand(&other.client(), &all).await;
    let (told, there) = stand[0];
    if elsewhere == 0 {
        // The kill came where it should.
        assert_eq!(there, point.is_run(), "{point:?}");
        assert!(!told || matches!(point, Point::AfterReply(_)), "{point:?}");
    }
    service.start_again();
    service.finish().await;
    told && elsewhere == 0
}
