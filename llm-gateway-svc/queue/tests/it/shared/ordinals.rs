//! Replicas that lease their ordinals: they come, end and are killed, and so is Redis.

use std::time::Duration;

use tokio::{
    task::block_in_place,
    time::{Instant, sleep, timeout},
};
use turnwise_kit::Kit;
use turnwise_llm_queue::{Ordinals, Queue, QueueOptions, Refusal, membership::Share, view::Scope};
use turnwise_redis::{Redis, RedisOptions};
use turnwise_testing::redis::RedisServer;

use super::{Meter, Replica, outages::Callers};
use crate::conformance::{AskExt, SOON, ask, slot_of};

const LEASE: Duration = Duration::from_secs(2);
const SLOTS: usize = 3;

fn options() -> QueueOptions {
    QueueOptions {
        slot_ttl: LEASE,
        ..QueueOptions::with_slots(SLOTS)
    }
}

struct Leased {
    replica: Replica,
    ordinals: Ordinals,
}

impl Leased {
    async fn start(url: &str) -> Self {
        let redis = Redis::open(&RedisOptions::new(url))
            .await
            .expect("an address");
        let kit = Kit::for_tests();
        let ordinals = Ordinals::lease(redis.clone(), LEASE, &kit);
        let queue = Queue::leased(options(), redis, "kind/backend/model", &kit, &ordinals)
            .expect("options within bounds");
        Self {
            replica: Replica { queue, kit },
            ordinals,
        }
    }

    /// Waits until it has its part of the slots, which so many share.
    async fn until_one_of(&self, replicas: usize) -> Share {
        let applied = async {
            loop {
                match self.ordinals.share() {
                    Some(share) if share.replicas == replicas => return share,
                    _ => sleep(Duration::from_millis(5)).await,
                }
            }
        };
        timeout(SOON, applied).await.expect("soon")
    }

    async fn refuses(&self) {
        let refused = match self.replica.queue.enter(ask("class", "nobody")).await {
            Ok(waiting) => timeout(SOON, waiting.slot()).await.unwrap().map(drop),
            Err(refusal) => Err(refusal),
        };
        assert!(
            matches!(refused, Err(Refusal::NoSlot { .. })),
            "{refused:?}"
        );
    }
}

/// The generation of the membership that holds, as Redis has it.
fn generation(server: &RedisServer) -> u64 {
    let record = server.command(&["GET", "turnwise:{queue/members}:record"]);
    let record: serde_json::Value = serde_json::from_str(&record.unwrap().text()).unwrap();
    record["applied"]["generation"].as_u64().unwrap()
}

/// Whatever comes and goes, calls go on, and there are never more than slots.
#[tokio::test(flavor = "multi_thread")]
async fn replicas_come_and_go_and_redis_is_killed() {
    let mut server = RedisServer::start().unwrap();
    let one = Leased::start(&server.url()).await;
    let other = Leased::start(&server.url()).await;
    let meter = Meter::default();
    let callers = Callers::start(&[&one.replica, &other.replica], &meter, 0);
    one.until_one_of(2).await;
    other.until_one_of(2).await;
    callers.go_on(100).await;

    let third = Leased::start(&server.url()).await;
    for replica in [&one, &other, &third] {
        replica.until_one_of(3).await;
        replica.replica.until(Scope::Shared).await;
    }
    let thirds = Callers::start(&[&third.replica], &meter, 100);
    callers.go_on(100).await;
    block_in_place(|| server.kill());
    for replica in [&one, &other, &third] {
        replica.replica.until(Scope::Detached).await;
    }
    // Each goes on with its own, and has no other.
    callers.go_on(100).await;
    let every_slot = async {
        loop {
            let mut owned = Vec::new();
            for replica in [&one, &other, &third] {
                let view = replica.replica.queue.view(0).await;
                assert_eq!(view.scope, Scope::Detached);
                owned.extend(view.slots.iter().map(|slot| slot.index));
            }
            owned.sort_unstable();
            assert!(owned.is_sorted_by(|one, next| one < next), "{owned:?}");
            if owned.len() == SLOTS {
                return;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(SOON, every_slot).await.expect("soon");

    block_in_place(|| server.start_again().unwrap());
    for replica in [&one, &other, &third] {
        replica.replica.until(Scope::Shared).await;
    }
    callers.go_on(100).await;
    thirds.finish().await;
    third.replica.stop().await;
    one.until_one_of(2).await;
    other.until_one_of(2).await;
    callers.go_on(100).await;
    callers.finish().await;
    assert_eq!(meter.most(), SLOTS, "of {} calls", meter.all());
}

/// Runs a replica until all share the slots, and then ends it as if it had been killed.
fn die(url: String, replicas: usize) {
    let died = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let leased = Leased::start(&url).await;
            leased.until_one_of(replicas).await;
            std::mem::forget(leased);
        });
        runtime.shutdown_background();
    });
    died.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_slots_of_one_that_was_killed_are_the_others_after_a_lease() {
    let mut server = RedisServer::start().unwrap();
    let living = Leased::start(&server.url()).await;
    let url = server.url();
    tokio::task::spawn_blocking(move || die(url, 2))
        .await
        .unwrap();
    let died = Instant::now();
    living.until_one_of(1).await;
    // It was seen half a second before at the earliest.
    assert!(died.elapsed() > LEASE / 2, "{:?}", died.elapsed());
    living.replica.until(Scope::Shared).await;
    block_in_place(|| server.kill());
    living.replica.until(Scope::Detached).await;
    let mut slots = Vec::new();
    for student in ["a", "b", "c"] {
        let slot = slot_of(&living.replica.queue, ask("class", student)).await;
        assert!(!slots.contains(&slot.index()));
        slots.push(slot.index());
        std::mem::forget(slot);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ordinal_of_one_that_ended_is_the_next_ones_and_nothing_else_changes() {
    let server = RedisServer::start().unwrap();
    let (one, other) = (
        Leased::start(&server.url()).await,
        Leased::start(&server.url()).await,
    );
    let (before, kept) = (one.until_one_of(2).await, other.until_one_of(2).await);
    let held = block_in_place(|| generation(&server));
    one.replica.stop().await;
    let next = Leased::start(&server.url()).await;
    assert_eq!(next.until_one_of(2).await, before);
    assert_eq!(other.ordinals.share(), Some(kept));
    assert_eq!(block_in_place(|| generation(&server)), held);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_redis_at_the_start_no_slot_is_owned() {
    let mut server = RedisServer::start().unwrap();
    let url = server.url();
    block_in_place(|| server.kill());
    let replica = Leased::start(&url).await;
    let begun = Instant::now();
    while begun.elapsed() < LEASE * 2 {
        replica.refuses().await;
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(replica.ordinals.share(), None);
    block_in_place(|| server.start_again().unwrap());
    replica.replica.until(Scope::Shared).await;
    let patient = ask("class", "a").max_wait(SOON);
    drop(slot_of(&replica.replica.queue, patient).await);
}
