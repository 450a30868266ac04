//! Redis is killed and started again: meanwhile each replica goes on with the slots that it owns, and whoever owns none
//! says so.

use std::time::Duration;

use tokio::{task::block_in_place, time::Instant};
use turnwise_proto::{common::v1::ErrorReason, llm::v1::QueueScope};
use turnwise_testing::redis::ServerOptions;

use super::{
    students::{Students, answered, everywhere},
    three_replicas::{REPLICAS, ThreeReplicas},
};

const LEASE: Duration = Duration::from_secs(2);
/// The replicas that own a slot.
const OWNERS: [usize; 2] = [0, 1];
/// The one that does not.
const GUEST: usize = 2;
const ALL: [usize; 3] = [0, 1, 2];
const STUDENTS: usize = 24;
/// Calls that each replica answers before the next thing happens.
const CALLS: usize = 8;

async fn goes_on(options: ServerOptions) {
    let mut trio = ThreeReplicas::start(&options, LEASE).await;
    let students = Students::start(&trio, everywhere(STUDENTS, 4));
    students.until_answered(&ALL, CALLS).await;

    block_in_place(|| trio.redis.kill());
    let killed = Instant::now();
    for index in ALL {
        trio.until_scope(index, QueueScope::Detached).await;
        let own = usize::from(OWNERS.contains(&index));
        trio.until(index, "it shows its own slots", |queue| {
            queue.slots.len() == own
        })
        .await;
    }
    let detached = students.so_far();
    students.until_answered(&OWNERS, CALLS).await;
    println!("calls go on {:?} after the kill", killed.elapsed());
    students
        .until(detached, "all students of the guest are refused", |ended| {
            let refused = ended.iter().filter(|one| one.replica == GUEST);
            refused.filter(|one| one.had_no_slot()).count() >= STUDENTS / REPLICAS
        })
        .await;

    block_in_place(|| trio.redis.start_again().unwrap());
    for index in ALL {
        trio.until_scope(index, QueueScope::Shared).await;
    }
    students.until_answered(&ALL, CALLS).await;
    let ended = students.finish().await;

    let refusals: Vec<_> = ended.iter().filter(|one| one.result.is_err()).collect();
    println!(
        "answered {:?}, refused {}",
        ALL.map(|index| answered(&ended, index)),
        refusals.len()
    );
    for one in refusals {
        let fault = one.refusal().unwrap();
        assert_eq!(fault.reason(), ErrorReason::Busy, "{one:?}");
        assert_eq!(one.replica, GUEST, "{one:?}");
    }
    let seen = trio.seen().await;
    assert_eq!(seen.cancelled, 0, "{seen:?}");
    trio.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn and_comes_back_empty() {
    goes_on(ServerOptions::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn and_comes_back_with_its_data() {
    goes_on(ServerOptions::default().persistent()).await;
}
