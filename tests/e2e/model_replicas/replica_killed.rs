//! A replica is killed while it has every slot and others wait: its slots come back with the lease, and nobody else loses
//! anything.

use std::time::Duration;

use tokio::{
    task::{JoinSet, block_in_place},
    time::Instant,
};
use turnwise_testing::redis::ServerOptions;
use turnwise_tests::eventually::eventually;

use super::{
    students::{Students, answered, everywhere},
    three_replicas::{SERVICE, SLOTS, SOON, ThreeReplicas, help_request},
};

const LEASE: Duration = Duration::from_secs(9);
/// How much later a slot may be used again, on a busy machine.
const SLACK: Duration = Duration::from_secs(6);
/// The replica that is killed. It owns a slot, and the other slot is lent to it.
const VICTIM: usize = 0;
/// The others.
const OTHERS: [usize; 2] = [1, 2];
const STUDENTS: usize = 24;

#[tokio::test(flavor = "multi_thread")]
async fn slots_come_back_with_the_lease_and_no_call_of_another_replica_is_lost() {
    let mut trio = ThreeReplicas::start(&ServerOptions::default(), LEASE).await;

    // All slots are taken by calls of the victim that would run for long, and everybody else is in the queue.
    trio.set_service(SOON * 3).await;
    let mut dying = JoinSet::new();
    for n in 0..SLOTS {
        let client = trio.replicas[VICTIM].client();
        dying.spawn(async move {
            help_request("dying", &format!("dying-{n}"))
                .send(&client)
                .await
        });
    }
    eventually("the model is busy", SOON, async || {
        (trio.seen().await.in_flight == SLOTS).then_some(())
    })
    .await;
    trio.set_service(SERVICE).await;
    let before = trio.seen().await;
    let students = Students::start(&trio, everywhere(STUDENTS, 4));
    trio.until(OTHERS[0], "all are in the queue", |queue| {
        queue.waiting_total as usize == STUDENTS
    })
    .await;

    students.close(VICTIM);
    block_in_place(|| trio.replicas[VICTIM].process.kill());
    let killed = Instant::now();
    for outcome in dying.join_all().await {
        assert!(outcome.result.is_err(), "{outcome:?}");
    }
    trio.until_all_slots_serve_without(VICTIM).await;
    let back = killed.elapsed();
    println!("all slots are back {back:?} after the kill");
    assert!(back < LEASE + SLACK, "{back:?}");
    students.until_answered(&OTHERS, 20).await;

    // Whoever takes its place takes part in the queue.
    trio.start_again(VICTIM).await;
    students.open(&trio, VICTIM);
    students.until_answered(&[0, 1, 2], 10).await;
    let ended = students.finish().await;

    let lost: Vec<_> = ended.iter().filter(|one| one.result.is_err()).collect();
    println!("{} answered, {} lost", ended.len() - lost.len(), lost.len());
    assert_eq!(lost.len(), STUDENTS / 3, "{lost:?}");
    for one in lost {
        assert!(one.replica == VICTIM && one.sent < killed, "{one:?}");
    }
    let first = ended
        .iter()
        .filter_map(|one| one.result.as_ref().ok())
        .min();
    let first = *first.unwrap() - killed;
    println!("the first call starts {first:?} after the kill");
    // A lease is renewed while two thirds of it are left, so half of one is never given out early.
    assert!(first > LEASE / 2 && first < LEASE + SLACK, "{first:?}");

    // The model gave up what the dead replica had begun, and nothing else.
    let seen = trio.seen().await;
    assert_eq!(seen.cancelled - before.cancelled, SLOTS as u64);
    assert!(answered(&ended, VICTIM) >= 10);
    trio.until(VICTIM, "nobody is left in the queue", |queue| {
        queue.waiting_total == 0
    })
    .await;
    trio.check().await;
}
