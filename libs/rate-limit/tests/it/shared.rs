//! Limits and budgets that several processes keep together in a real Redis.

use std::{cell::Cell, collections::BTreeSet, sync::Arc, time::Duration};

use proptest::{prelude::*, test_runner::TestRunner};
use tokio::time::{Instant, sleep};
use turnwise_kit::clock::SystemClock;
use turnwise_rate_limit::{Bound, Hit, Limiter, Quota};
use turnwise_redis::{FailureKind, Redis, RedisOptions, cmd};
use turnwise_testing::redis::{
    Cluster, RedisServer, ScriptWatch, ServerOptions, User, commands_of,
};

use crate::{DAY, daily, rate};

/// How long a test waits for what takes a second or two.
const PATIENCE: Duration = Duration::from_secs(20);

/// What connections and scripts take, besides what the scripts call.
const CONNECTION: [&str; 6] = ["evalsha", "hello", "ping", "role", "script|load", "select"];

async fn replica(url: &str) -> Limiter {
    let redis = Redis::open(&RedisOptions::new(url)).await.unwrap();
    Limiter::shared(Arc::new(SystemClock), redis, "test")
}

#[tokio::test]
async fn replicas_count_together() {
    let server = RedisServer::start().unwrap();
    let (one, other) = (replica(&server.url()).await, replica(&server.url()).await);
    let hits = [rate("actor", 1, 1), rate("class", 3, 1)];
    assert_eq!(one.take(&hits).await, Ok(()));
    let refused = other.take(&hits).await.unwrap_err();
    assert_eq!(refused.hit, 0);
    assert!(refused.wait > Duration::from_secs(50) && refused.wait <= Duration::from_secs(60));
    // What was refused took nothing of the class.
    assert_eq!(other.take(&[rate("class", 3, 1)]).await, Ok(()));
    assert_eq!(one.take(&[rate("class", 3, 1)]).await, Ok(()));
    assert_eq!(other.take(&[rate("class", 3, 1)]).await.unwrap_err().hit, 0);
    // Of several that are refused it is the one that waits longest.
    one.charge(&[daily("7b", 5, 5), rate("short", 60, 90)])
        .await;
    let both = [daily("7b", 5, 1), rate("short", 60, 1)];
    assert_eq!(other.take(&both).await.unwrap_err().hit, 0);
    assert_eq!(other.take(&[both[1], both[0]]).await.unwrap_err().hit, 1);
    // Another name is another count.
    let redis = Redis::open(&RedisOptions::new(server.url())).await.unwrap();
    let stranger = Limiter::shared(Arc::new(SystemClock), redis, "other");
    assert_eq!(stranger.take(&hits).await, Ok(()));
}

#[tokio::test]
async fn a_cluster_counts_like_one_server() {
    let cluster = Cluster::start().unwrap();
    let (one, other) = (replica(&cluster.url()).await, replica(&cluster.url()).await);
    let hits = [
        rate("actor", 1, 1),
        rate("class", 30, 1),
        daily("tokens", 100, 0),
    ];
    assert_eq!(one.take(&hits).await, Ok(()));
    assert_eq!(other.take(&hits).await.unwrap_err().hit, 0);
    // What was refused took nothing of the class, wherever that is kept.
    for _ in 0..29 {
        assert_eq!(other.take(&[hits[1]]).await, Ok(()));
    }
    assert!(other.take(&[hits[1]]).await.is_err());
    // Braces in a name lead to no other node.
    let odd = [
        rate("}{odd} %7B", 1, 1),
        rate("%7Bodd", 1, 1),
        rate("{odd", 1, 1),
    ];
    assert_eq!(one.take(&odd).await, Ok(()));
    assert_eq!(other.take(&odd[..1]).await.unwrap_err().hit, 0);
}

/// One node cannot take the limits of everybody.
#[tokio::test]
async fn a_clusters_nodes_share_the_callers() {
    let cluster = Cluster::start().unwrap();
    let limiter = replica(&cluster.url()).await;
    for number in 0..60 {
        let (actor, class) = (format!("actor:{number}"), format!("class:{number}"));
        let hits = [rate(&actor, 5, 1), daily(&class, 100, 1)];
        assert_eq!(limiter.take(&hits).await, Ok(()));
    }
    let kept: Vec<i64> = cluster.nodes()[..3]
        .iter()
        .map(|node| node.command(&["DBSIZE"]).unwrap().int().unwrap())
        .collect();
    assert_eq!(kept.iter().sum::<i64>(), 120);
    assert!(kept.iter().all(|kept| *kept > 10), "{kept:?}");
}

/// Callers of both replicas at once, each also in a limit that all share: it lets in no more than it has.
#[tokio::test(flavor = "multi_thread")]
async fn hits_that_are_returned_let_nobody_in_who_should_be_refused() {
    let cluster = Cluster::start().unwrap();
    let mut tasks = Vec::new();
    for caller in 0..40 {
        let limiter = replica(&cluster.url()).await;
        tasks.push(tokio::spawn(async move {
            let own = format!("actor:{}", caller % 20);
            let hits = [rate(&own, 1, 1), rate("class", 15, 1)];
            let mut passed = 0;
            for _ in 0..3 {
                passed += usize::from(limiter.take(&hits).await.is_ok());
            }
            passed
        }));
    }
    let mut passed = 0;
    for task in tasks {
        passed += task.await.unwrap();
    }
    // A unit of the class's limit comes back in four seconds.
    assert!((15..=17).contains(&passed), "{passed}");
}

#[tokio::test]
async fn every_key_is_declared() {
    let server = RedisServer::start().unwrap();
    let cluster = Cluster::start().unwrap();
    let watch = |server| ScriptWatch::start(server).unwrap();
    let mut watches = vec![watch(&server)];
    watches.extend(cluster.nodes()[..3].iter().map(watch));
    for url in [server.url(), cluster.url()] {
        every_way_of_counting(&replica(&url).await).await;
    }
    let mut asked = BTreeSet::new();
    for watch in watches {
        let scripts = watch.finish().unwrap();
        assert_eq!(scripts.undeclared, BTreeSet::new());
        asked.extend(scripts.calls.into_keys().map(|(_, way)| way));
    }
    let ways = ["charge", "return", "take"].map(str::to_owned);
    assert_eq!(asked, BTreeSet::from(ways));
}

async fn every_way_of_counting(limiter: &Limiter) {
    let hits = [rate("actor", 1, 1), rate("class", 3, 1), daily("7b", 9, 1)];
    assert_eq!(limiter.take(&hits).await, Ok(()));
    assert_eq!(limiter.take(&hits).await.unwrap_err().hit, 0);
    limiter.charge(&hits).await;
}

/// The rights that deploy/ gives the user.
#[tokio::test]
async fn a_user_who_sees_counts_alone_suffices() {
    let user = User::deployed("limits").unwrap();
    let mut needed = commands_of(include_str!("../../src/limits.lua"));
    needed.extend(CONNECTION.map(str::to_owned));
    assert_eq!(user.commands(), needed);
    let server = RedisServer::start_with(&user.known_to(ServerOptions::default())).unwrap();
    let url = user.url(&server);
    let (one, other) = (replica(&url).await, replica(&url).await);
    let hits = [rate("actor", 1, 1), daily("7b", 1000, 5)];
    assert_eq!(one.take(&hits).await, Ok(()));
    assert_eq!(other.take(&hits).await.unwrap_err().hit, 0);
    let redis = Redis::open(&RedisOptions::new(url)).await.unwrap();
    let forbidden = [
        vec!["GET", "turnwise:{school/ada}:snapshot"],
        vec!["CONFIG", "GET", "requirepass"],
    ];
    for words in forbidden {
        let mut command = cmd(words[0]);
        command.arg(&words[1..]);
        let failure = redis.send("", vec![command]).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Denied, "{words:?}");
    }
}

#[tokio::test]
async fn the_wait_is_exact() {
    let server = RedisServer::start().unwrap();
    let limiter = replica(&server.url()).await;
    // One in 50 ms, after a burst of 1200.
    assert_eq!(limiter.take(&[rate("ada", 1200, 1200)]).await, Ok(()));
    let mut waits = 0;
    while waits < 5 {
        // A slow machine may find that one came back already.
        let Err(refused) = limiter.take(&[rate("ada", 1200, 1)]).await else {
            continue;
        };
        assert!(refused.wait <= Duration::from_millis(50));
        sleep(refused.wait).await;
        assert_eq!(limiter.take(&[rate("ada", 1200, 1)]).await, Ok(()));
        waits += 1;
    }
}

#[tokio::test]
async fn what_was_charged_afterwards_keeps_all_replicas_out() {
    let server = RedisServer::start().unwrap();
    let (one, other) = (replica(&server.url()).await, replica(&server.url()).await);
    assert_eq!(
        one.take(&[rate("tokens", 600, 0), daily("7b", 1000, 0)])
            .await,
        Ok(())
    );
    one.charge(&[rate("tokens", 600, 900), daily("7b", 1000, 900)])
        .await;
    let refused = other
        .take(&[rate("tokens", 600, 0), daily("7b", 1000, 0)])
        .await
        .unwrap_err();
    assert_eq!(refused.hit, 0);
    assert!(
        refused.wait > Duration::from_secs(20) && refused.wait <= Duration::from_millis(30_100)
    );
    assert_eq!(other.take(&[daily("7b", 1000, 0)]).await, Ok(()));
    other.charge(&[daily("7b", 1000, 200)]).await;
    let refused = one
        .take(&[rate("other", 600, 0), daily("7b", 1000, 0)])
        .await
        .unwrap_err();
    assert_eq!(refused.hit, 1);
    assert!(refused.wait <= DAY);
}

#[tokio::test]
async fn keys_are_gone_by_themselves() {
    let server = RedisServer::start().unwrap();
    let limiter = replica(&server.url()).await;
    let hits = [rate("actor", 60, 30), daily("7b", 1000, 5)];
    limiter.take(&hits).await.unwrap();
    limiter.take(&[rate("asked", 60, 0)]).await.unwrap();
    assert_eq!(
        server.command(&["DBSIZE"]).unwrap().int(),
        Some(2),
        "who only asks leaves nothing"
    );
    let left = |key: &str| server.command(&["PTTL", key]).unwrap().int().unwrap();
    let actor = left("turnwise:{limits:test:actor}");
    assert!(actor > 20_000 && actor <= 30_001, "{actor}");
    let class = left("turnwise:{limits:test:7b}");
    assert!(class > 0 && class <= 86_400_000, "{class}");
}

#[tokio::test]
async fn without_redis_each_process_goes_on_from_what_it_knows() {
    let mut server = RedisServer::start().unwrap();
    let (one, other) = (replica(&server.url()).await, replica(&server.url()).await);
    let (ada, class) = ([rate("ada", 2, 1)], [daily("7b", 1000, 0)]);
    one.take(&ada).await.unwrap();
    other.take(&ada).await.unwrap();
    one.charge(&[daily("7b", 1000, 1000)]).await;
    assert!(other.take(&class).await.is_err());
    server.kill();
    // The second hit and the refusal told the other one where things stand.
    assert!(other.take(&ada).await.is_err());
    assert!(other.take(&class).await.is_err());
    // The first one knows of its own hit alone.
    assert_eq!(one.take(&ada).await, Ok(()));
    assert!(one.take(&ada).await.is_err());
    assert!(one.take(&class).await.is_err());
    // Never unlimited, and nobody waits for Redis.
    let begin = Instant::now();
    for _ in 0..1000 {
        let _ = one.take(&[rate("ben", 10, 1)]).await;
    }
    assert!(one.take(&[rate("ben", 10, 1)]).await.is_err());
    assert!(begin.elapsed() < Duration::from_secs(1));
    // Back, and empty.
    server.start_again().unwrap();
    let begin = Instant::now();
    while one.take(&ada).await.is_err() {
        assert!(begin.elapsed() < PATIENCE);
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_redis_that_does_not_answer_holds_up_one_call_in_a_while() {
    let mut server = RedisServer::start().unwrap();
    let limiter = replica(&server.url()).await;
    limiter.take(&[rate("ada", 5, 1)]).await.unwrap();
    server.stop().unwrap();
    let begin = Instant::now();
    for _ in 0..4 {
        assert_eq!(limiter.take(&[rate("ada", 5, 1)]).await, Ok(()));
    }
    assert!(limiter.take(&[rate("ada", 5, 1)]).await.is_err());
    assert!(
        begin.elapsed() < Duration::from_millis(900),
        "{:?}",
        begin.elapsed()
    );
    server.cont().unwrap();
}

/// So slow that nothing comes back while the test runs: then both count the same units.
#[tokio::test(flavor = "multi_thread")]
async fn the_script_counts_as_the_process_does() {
    let server = RedisServer::start().unwrap();
    let shared = replica(&server.url()).await;
    let handle = tokio::runtime::Handle::current();
    let check = move || {
        let hits = prop::collection::vec((0usize..4, 0u32..30, any::<bool>()), 1..40);
        let cases = Cell::new(0);
        let mut runner = TestRunner::new(ProptestConfig {
            cases: 64,
            source_file: Some(file!()),
            ..ProptestConfig::default()
        });
        runner.run(&hits, |hits| {
            cases.set(cases.get() + 1);
            handle.block_on(both_count_alike(&shared, cases.get(), hits))
        })
    };
    tokio::task::spawn_blocking(check).await.unwrap().unwrap();
}

/// Counts hits in Redis, under keys of this case alone, and in a fresh process.
async fn both_count_alike(
    shared: &Limiter,
    case: u32,
    hits: Vec<(usize, u32, bool)>,
) -> Result<(), TestCaseError> {
    let local = Limiter::local(Arc::new(SystemClock));
    for (which, cost, charge) in hits {
        let (key, pair) = (format!("{case} {which}"), format!("{case} pair"));
        let hit = if which < 2 {
            Hit {
                key: &key,
                bound: Bound::Rate(Quota::per_minute(1).with_burst(60)),
                cost,
            }
        } else {
            daily(&key, 60, cost)
        };
        let hits = [hit, daily(&pair, 500, cost)];
        if charge {
            shared.charge(&hits).await;
            local.charge(&hits).await;
            continue;
        }
        match (shared.take(&hits).await, local.take(&hits).await) {
            (Ok(()), Ok(())) => {}
            (Err(one), Err(other)) => {
                prop_assert_eq!(one.hit, other.hit);
                prop_assert!(one.wait.abs_diff(other.wait) < Duration::from_secs(5));
            }
            (one, other) => prop_assert!(false, "{one:?} in Redis, {other:?} in the process"),
        }
    }
    Ok(())
}
