//! The primary of Redis is killed, or another one takes its place as planned, while students work. With
//! `SESSION_REDIS_WAIT_REPLICAS` at the number of a primary's replicas no acknowledged call is lost; without it, what is
//! lost is told and nothing is promised.

use std::{io, time::Duration};

use turnwise_testing::redis::{Cluster, RedisServer, SentinelSet, ServerOptions};
use turnwise_tests::standalone_service::StandaloneService;

use super::load::{Load, Worked};

const STUDENTS: usize = 6;
/// Calls of each student before and after each event.
const CALLS: usize = 25;
/// The longest that a student may wait for an acknowledgement, whatever happens to Redis.
const OUTAGE: Duration = Duration::from_secs(30);
/// A turn whose beginning was cut off holds its thread for no longer than this.
const LEASE: (&str, &str) = ("TURN_LEASE_TTL_SECONDS", "1");

fn waiting_for(replicas: &'static str) -> [(&'static str, &'static str); 2] {
    [LEASE, ("SESSION_REDIS_WAIT_REPLICAS", replicas)]
}

fn students(event: &str) -> Vec<String> {
    (0..STUDENTS).map(|n| format!("{event}-{n}")).collect()
}

/// What fixtures do, which block.
fn done<T>(step: impl FnOnce() -> io::Result<T>) -> T {
    tokio::task::block_in_place(step).unwrap()
}

/// Has students work while an event happens to Redis; answers what they did, and has checked nothing yet.
async fn during(
    service: &StandaloneService,
    students: &[String],
    event: impl AsyncFnOnce(&Load),
) -> Worked {
    let load = Load::start(&service.client(), students).await;
    load.go_on(CALLS).await;
    event(&load).await;
    load.go_on(CALLS).await;
    load.end().await
}

/// Insists that nothing was lost, and tells how long students waited.
async fn nothing_lost(name: &str, service: &StandaloneService, worked: &Worked) {
    worked.ledger.check(&service.client()).await;
    let (count, outage) = (worked.ledger.count(), worked.outage);
    println!(
        "exactly_once_{name}: {count} acknowledged, none lost, outage {} ms",
        outage.as_millis()
    );
    assert!(outage < OUTAGE, "{name}: a student waited {outage:?}");
}

/// Tells what a grade costs, which is a read and a write.
async fn cost(name: &str, service: &StandaloneService, students: &[String]) {
    let mut worked = during(service, &students[..1], async |load| {
        load.go_on(4 * CALLS).await
    })
    .await;
    worked.ledger.check(&service.client()).await;
    println!(
        "exactly_once_{name}: p50 of a grade {} us",
        worked.median().as_micros()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_redis_with_an_append_only_file() {
    // With `everysec` Redis holds writes back in its own memory for up to two seconds while a sync to a slow disk runs, and
    // acknowledges them.
    let options = ServerOptions::default()
        .persistent()
        .set("appendfsync", "always");
    let mut redis = done(|| RedisServer::start_with(&options));
    let mut service = StandaloneService::session(&redis.url(), &[LEASE]);
    let worked = during(&service, &students("killed"), async |load| {
        for _ in 0..3 {
            done(|| redis.start_again());
            load.go_on(CALLS).await;
        }
    })
    .await;
    nothing_lost("one_redis_killed_three_times", &service, &worked).await;
    service.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn sentinel() {
    let options = ServerOptions::default()
        .min_replicas_to_write(1)
        .failing_over();
    let mut set = done(|| SentinelSet::start_with(&options));
    let mut safe = StandaloneService::session(&set.url(), &waiting_for("2"));
    let mut fast = StandaloneService::session(&set.url(), &waiting_for("0"));
    cost("sentinel_without_waiting", &fast, &students("fast")).await;
    cost("sentinel_waiting_for_2", &safe, &students("safe")).await;

    let worked = during(&safe, &students("killed"), async |load| {
        let killed = done(|| set.kill_primary());
        done(|| set.wait_for_primary_other_than(killed));
        // One replica is left.
        load.go_on(CALLS).await;
        done(|| set.restart(killed));
        done(|| set.settle());
    })
    .await;
    nothing_lost("sentinel_primary_killed", &safe, &worked).await;

    // A former primary takes itself for the primary until the sentinels tell it otherwise, and takes no replica's part.
    let worked = during(&safe, &students("planned"), async |load| {
        done(|| set.planned_failover());
        load.go_on(CALLS).await;
        done(|| set.settle());
    })
    .await;
    nothing_lost("sentinel_planned_failover", &safe, &worked).await;

    // Unless an operator tells it first.
    let worked = during(&safe, &students("told"), async |load| {
        let former = done(|| set.primary());
        let next = done(|| set.planned_failover()).to_string();
        done(|| {
            set.node(former)?
                .command(&["REPLICAOF", "127.0.0.1", &next])
        });
        load.go_on(CALLS).await;
        done(|| set.settle());
    })
    .await;
    nothing_lost("sentinel_planned_failover_and_replicaof", &safe, &worked).await;

    let worked = during(&fast, &students("unprotected"), async |load| {
        done(|| set.planned_failover());
        load.go_on(CALLS).await;
        done(|| set.settle());
    })
    .await;
    told_without_a_promise("sentinel_planned_failover_without_waiting", &fast, &worked).await;
    safe.stop();
    fast.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn cluster() {
    let options = ServerOptions::default()
        .min_replicas_to_write(1)
        .failing_over();
    let mut cluster = done(|| Cluster::start_with(&options));
    let mut safe = StandaloneService::session(&cluster.url(), &waiting_for("1"));
    let mut fast = StandaloneService::session(&cluster.url(), &waiting_for("0"));
    let on_one = |cluster: &Cluster, event: &str| done(|| on_one_primary(cluster, event));
    cost("cluster_without_waiting", &fast, &on_one(&cluster, "fast")).await;
    cost("cluster_waiting_for_1", &safe, &on_one(&cluster, "safe")).await;

    let students = on_one(&cluster, "killed");
    let tag = hash_tag(&students[0]);
    let worked = during(&safe, &students, async |_| {
        let killed = done(|| cluster.kill_primary_of(&tag));
        done(|| cluster.wait_for_primary_of(&tag, killed));
        // It has no replica, so it takes no writes: `min-replicas-to-write`.
        done(|| cluster.restart(killed));
        done(|| cluster.settle());
    })
    .await;
    nothing_lost("cluster_primary_killed", &safe, &worked).await;

    let students = on_one(&cluster, "planned");
    let tag = hash_tag(&students[0]);
    let worked = during(&safe, &students, async |load| {
        done(|| cluster.planned_failover_of(&tag));
        load.go_on(CALLS).await;
        done(|| cluster.settle());
    })
    .await;
    nothing_lost("cluster_planned_failover", &safe, &worked).await;
    safe.stop();
    fast.stop();
}

/// Tells how much was lost where nothing is promised.
async fn told_without_a_promise(name: &str, service: &StandaloneService, worked: &Worked) {
    let lost = worked.ledger.lost(&service.client()).await;
    println!(
        "exactly_once_{name}: {} acknowledged, {} lost, outage {} ms",
        worked.ledger.count(),
        lost.len(),
        worked.outage.as_millis()
    );
}

/// What a student's keys have in braces, which decides on the slot.
fn hash_tag(student: &str) -> String {
    format!("{{default/{student}}}")
}

/// Students whose records all lie on the same primary.
fn on_one_primary(cluster: &Cluster, event: &str) -> io::Result<Vec<String>> {
    let mut students = Vec::new();
    let primary = cluster.primary_of(&hash_tag(&format!("{event}-0")))?;
    for n in 0.. {
        let student = format!("{event}-{n}");
        if cluster.primary_of(&hash_tag(&student))? == primary {
            students.push(student);
        }
        if students.len() == STUDENTS {
            break;
        }
    }
    Ok(students)
}
