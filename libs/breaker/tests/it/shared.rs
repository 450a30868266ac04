//! Breakers that several processes share through a real Redis.

use std::{
    collections::BTreeSet,
    future::{Future, poll_fn},
    task::Poll,
    time::Duration,
};

use tokio::time::{Instant, sleep, timeout};
use tokio_util::task::TaskTracker;
use turnwise_breaker::{Breakers, Rules, State};
use turnwise_redis::{Redis, RedisOptions};
use turnwise_testing::redis::{Cluster, RedisServer, ScriptWatch};

use crate::{
    RULES,
    conformance::{self, KEY, PATIENCE, probe, until, until_open},
};

/// So slow that nothing changes by itself while a test runs.
const SLOW: Rules = Rules {
    ttl: Duration::from_secs(600),
    ..RULES
};

async fn replica_with(url: &str, rules: Rules) -> Breakers {
    let redis = Redis::open(&RedisOptions::new(url)).await.unwrap();
    Breakers::shared(rules, redis, "test", TaskTracker::new())
}

async fn replica(url: &str) -> Breakers {
    replica_with(url, RULES).await
}

/// Two replicas that hear of each other.
async fn pair(url: &str, rules: Rules) -> (Breakers, Breakers) {
    let (one, other) = (
        replica_with(url, rules).await,
        replica_with(url, rules).await,
    );
    for (from, to) in [(&one, &other), (&other, &one)] {
        to.admit(KEY).await.unwrap().succeeded().await;
        let (begin, mut heard) = (Instant::now(), false);
        while !heard {
            assert!(begin.elapsed() < PATIENCE, "no news arrive");
            from.admit(KEY).await.unwrap().failed().await;
            let hearing = until(to, |state| state == State::Closed { failures: 1 });
            heard = timeout(Duration::from_millis(100), hearing).await.is_ok();
            from.admit(KEY).await.unwrap().succeeded().await;
        }
        until(to, |state| state == State::Closed { failures: 0 }).await;
    }
    (one, other)
}

async fn replicas() -> (Breakers, Breakers, RedisServer) {
    let server = RedisServer::start().unwrap();
    let (one, other) = pair(&server.url(), RULES).await;
    (one, other, server)
}

conforms!(replicas, tokio::test);

async fn fail(breakers: &Breakers, times: u32) {
    for _ in 0..times {
        breakers.admit(KEY).await.unwrap().failed().await;
    }
}

/// How many scripts the server ran.
fn scripts(server: &RedisServer) -> u64 {
    let stats = server.command(&["INFO", "commandstats"]).unwrap().text();
    let line = stats
        .lines()
        .find_map(|line| line.strip_prefix("cmdstat_evalsha:calls="));
    line.map_or(0, |rest| rest.split(',').next().unwrap().parse().unwrap())
}

/// Takes steps that cost nothing once all news arrive.
async fn cost_nothing(server: &RedisServer, steps: impl AsyncFn()) {
    let begin = Instant::now();
    loop {
        let before = scripts(server);
        steps().await;
        if scripts(server) == before {
            return;
        }
        assert!(
            begin.elapsed() < PATIENCE,
            "each time there are round trips"
        );
    }
}

#[tokio::test]
async fn a_closed_breaker_costs_no_round_trip() {
    let (one, other, server) = replicas().await;
    cost_nothing(&server, async || {
        for _ in 0..500 {
            one.admit(KEY).await.unwrap().succeeded().await;
            other.admit(KEY).await.unwrap().succeeded().await;
        }
    })
    .await;
    let before = scripts(&server);
    // A failure is told, and so is the success that ends the row, whoever has it.
    fail(&one, 1).await;
    until(&other, |state| state == State::Closed { failures: 1 }).await;
    other.admit(KEY).await.unwrap().succeeded().await;
    until(&one, |state| state == State::Closed { failures: 0 }).await;
    assert_eq!(scripts(&server), before + 2);
}

#[tokio::test]
async fn an_open_breaker_costs_no_round_trip() {
    let server = RedisServer::start().unwrap();
    let (one, other) = pair(&server.url(), SLOW).await;
    fail(&one, RULES.failures).await;
    until_open(&other).await;
    cost_nothing(&server, async || {
        for _ in 0..50 {
            assert!(one.admit(KEY).await.is_err());
            assert!(other.admit(KEY).await.is_err());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_all_that_come_at_once_one_is_the_probe() {
    let server = RedisServer::start().unwrap();
    let mut all = Vec::new();
    for _ in 0..4 {
        all.push(replica(&server.url()).await);
    }
    fail(&all[0], RULES.failures).await;
    sleep(RULES.ttl + Duration::from_millis(50)).await;
    let calls: Vec<_> = (0..80)
        .map(|call| {
            let breakers = all[call % 4].clone();
            tokio::spawn(async move { breakers.admit(KEY).await })
        })
        .collect();
    let mut permits = Vec::new();
    for call in calls {
        permits.extend(call.await.unwrap());
    }
    assert_eq!(permits.len(), 1);
    assert!(permits[0].is_probe());
}

#[tokio::test]
async fn a_caller_who_goes_away_while_asking_leaves_no_probe() {
    let (one, _other, _server) = replicas().await;
    fail(&one, RULES.failures).await;
    loop {
        let mut call = Box::pin(one.admit(KEY));
        match poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await {
            Poll::Ready(Err(open)) => sleep(open.retry_after).await,
            Poll::Ready(Ok(_)) => panic!("a probe has to ask"),
            // It asks, and nobody is there any more to hear the answer.
            Poll::Pending => break,
        }
    }
    let begin = Instant::now();
    while one.admit(KEY).await.is_err() {
        assert!(begin.elapsed() < RULES.probe_lease / 2);
        sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn the_probe_of_a_process_that_died_is_waited_for_no_longer_than_its_lease() {
    let server = RedisServer::start().unwrap();
    let one = replica(&server.url()).await;
    let url = server.url();
    let process = tokio::runtime::Runtime::new().unwrap();
    let died = process.spawn(async move {
        let other = replica(&url).await;
        fail(&other, RULES.failures).await;
        // Nobody tells anything of it any more.
        std::mem::forget(probe(&other).await);
    });
    died.await.unwrap();
    process.shutdown_background();
    let begin = Instant::now();
    probe(&one).await.succeeded().await;
    assert!(begin.elapsed() < RULES.probe_lease * 2);
    assert!(begin.elapsed() > RULES.probe_lease / 2);
}

#[tokio::test]
async fn without_redis_each_process_goes_on_from_what_it_knows() {
    let (one, other, mut server) = replicas().await;
    fail(&one, RULES.failures - 1).await;
    until(&other, |state| state == State::Closed { failures: 2 }).await;
    server.kill();
    fail(&other, 1).await;
    assert!(other.admit(KEY).await.is_err());
    assert!(one.admit(KEY).await.is_ok());
    let call = probe(&other).await;
    assert!(other.admit(KEY).await.is_err());
    call.failed().await;
    assert!(matches!(other.state(KEY), State::Open { .. }));
    // It comes back and knows nothing; whoever finds out first tells.
    server.start_again().unwrap();
    let begin = Instant::now();
    loop {
        fail(&one, 1).await;
        sleep(Duration::from_millis(20)).await;
        assert!(begin.elapsed() < PATIENCE);
        if one.admit(KEY).await.is_err() && other.admit(KEY).await.is_err() {
            break;
        }
        if one.admit(KEY).await.is_err() {
            probe(&one).await.succeeded().await;
        }
    }
    probe(&one).await.succeeded().await;
    until(&other, |state| state == State::Closed { failures: 0 }).await;
}

#[tokio::test]
async fn a_redis_that_lost_everything_counts_again() {
    let (one, other, server) = replicas().await;
    fail(&one, RULES.failures).await;
    probe(&one).await.succeeded().await;
    until(&other, |state| state == State::Closed { failures: 0 }).await;
    server.command(&["FLUSHALL"]).unwrap();
    fail(&one, 1).await;
    until(&other, |state| state == State::Closed { failures: 1 }).await;
    fail(&other, 2).await;
    assert!(other.admit(KEY).await.is_err());
    until_open(&one).await;
}

#[tokio::test]
async fn what_was_missed_is_learnt_afterwards() {
    let server = RedisServer::start().unwrap();
    let (one, other) = pair(&server.url(), SLOW).await;
    other.admit(KEY).await.unwrap().succeeded().await;
    server
        .command(&["CLIENT", "KILL", "TYPE", "pubsub"])
        .unwrap();
    fail(&one, RULES.failures).await;
    until_open(&other).await;
}

#[tokio::test]
async fn who_comes_later_finds_out_before_its_first_call() {
    let server = RedisServer::start().unwrap();
    let one = replica_with(&server.url(), SLOW).await;
    fail(&one, RULES.failures).await;
    let late = replica_with(&server.url(), SLOW).await;
    assert!(late.admit(KEY).await.is_err());
}

#[tokio::test]
async fn a_cluster_keeps_them_like_one_server() {
    let cluster = Cluster::start().unwrap();
    let (one, other) = pair(&cluster.url(), RULES).await;
    fail(&one, RULES.failures).await;
    until_open(&other).await;
    probe(&other).await.succeeded().await;
    until(&one, |state| state == State::Closed { failures: 0 }).await;
}

/// A script touches no key that it does not declare, so that a cluster knows what a call needs.
#[tokio::test]
async fn every_key_is_declared() {
    let server = RedisServer::start().unwrap();
    let watch = ScriptWatch::start(&server).unwrap();
    let (one, other) = pair(&server.url(), RULES).await;
    fail(&one, RULES.failures).await;
    let call = probe(&one).await;
    // It shows that it is alive.
    sleep(RULES.probe_lease / 2).await;
    call.succeeded().await;
    conformance::a_probe_that_is_dropped_is_left_to_the_next_call(&one, &other).await;
    let scripts = watch.finish().unwrap();
    assert_eq!(scripts.undeclared, BTreeSet::new());
    let asked: BTreeSet<&str> = scripts
        .calls
        .keys()
        .map(|(_, what)| what.as_str())
        .collect();
    let events = BTreeSet::from(["admit", "failed", "released", "renew", "succeeded"]);
    assert!(asked.is_superset(&events), "{asked:?}");
}

/// A cluster goes by what stands before the first brace.
#[tokio::test]
async fn names_with_braces_are_kept_where_the_cluster_looks_for_them() {
    let cluster = Cluster::start().unwrap();
    let (one, other) = pair(&cluster.url(), SLOW).await;
    for key in ["openai_compatible a}b", "openai_compatible {a}", "a%7Db"] {
        for _ in 0..SLOW.failures {
            one.admit(key).await.unwrap().failed().await;
        }
        let begin = Instant::now();
        while other.admit(key).await.is_ok() {
            assert!(begin.elapsed() < PATIENCE);
            sleep(Duration::from_millis(1)).await;
        }
    }
    let redirections: i64 = cluster
        .nodes()
        .iter()
        .map(|node| {
            let stats = node.command(&["INFO", "errorstats"]).unwrap().text();
            let count = stats.split("errorstat_MOVED:count=").nth(1);
            count.map_or(0, |rest| rest.lines().next().unwrap().parse().unwrap())
        })
        .sum();
    assert_eq!(redirections, 0);
}
