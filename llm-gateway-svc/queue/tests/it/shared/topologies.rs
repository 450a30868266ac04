//! Wherever the primary is.

use std::time::Duration;

use tokio::task::block_in_place;
use turnwise_llm_queue::{QueueOptions, view::Scope};
use turnwise_testing::redis::{Cluster, SentinelSet, ServerOptions};

use super::{Meter, Replica, replicas};
use crate::conformance::{AskExt, ask, enter, refused_with_hint, slot_of, soon, starts};

const CALL: Duration = Duration::from_millis(2);
/// What the keys of the replicas' queue begin with.
const QUEUE: &str = "turnwise:{queue/kind/backend/model}";

/// What three replicas do together on any Redis.
async fn it_is_shared(url: &str) {
    let options = QueueOptions {
        service_time: Duration::from_secs(10),
        ..QueueOptions::with_slots(2)
    };
    let all = replicas(url, 3, &options).await;
    let queues = all.iter().map(|replica| &replica.queue).collect::<Vec<_>>();
    let first = slot_of(queues[2], ask("class", "a")).await;
    let second = slot_of(queues[2], ask("class", "b")).await;
    assert_ne!(first.index(), second.index());
    let c = enter(queues[0], ask("class", "c")).await;
    let d = enter(queues[1], ask("class", "d")).await;
    refused_with_hint(
        queues[1],
        ask("class", "e").max_wait(Duration::from_secs(1)),
    )
    .await;
    assert_eq!(queues[0].view(10).await.waiting_total, 3);
    first.done(None);
    let c = soon(c).await;
    drop(d);
    second.done(None);
    let e = slot_of(queues[0], ask("class", "e")).await;
    c.done(None);
    e.done(None);
    busy(&all, 30).await;
    for replica in all {
        replica.stop().await;
    }
}

/// So many calls of each replica; never more than two at a time.
async fn busy(all: &[Replica], calls: usize) {
    let meter = Meter::default();
    let mut tasks = Vec::new();
    for replica in all {
        for student in 0..calls {
            let (queue, meter) = (replica.queue.clone(), meter.clone());
            tasks.push(tokio::spawn(async move {
                let slot = slot_of(
                    &queue,
                    ask("class", &student.to_string()).thread(&student.to_string()),
                )
                .await;
                meter.run(slot, CALL).await;
            }));
        }
    }
    for task in tasks {
        // Of one student's requests at two replicas the newer takes over.
        let _ = task.await;
    }
    assert_eq!(meter.most(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_on_a_set_that_sentinels_watch() {
    let mut set = SentinelSet::start_with(&ServerOptions::default().failing_over()).unwrap();
    it_is_shared(&set.url()).await;
    let all = replicas(&set.url(), 2, &QueueOptions::with_slots(2)).await;
    let slot = slot_of(&all[0].queue, ask("class", "a")).await;
    let second = slot_of(&all[0].queue, ask("class", "a")).await;
    let waiting = enter(&all[1].queue, ask("class", "b")).await;
    block_in_place(|| {
        let old = set.kill_primary().unwrap();
        set.wait_for_primary_other_than(old).unwrap();
    });
    for replica in &all {
        replica.until(Scope::Shared).await;
    }
    assert!(!slot.lost().is_cancelled() && !second.lost().is_cancelled());
    assert_eq!(all[1].queue.view(10).await.waiting_total, 1);
    slot.done(None);
    soon(waiting).await.done(None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_on_a_cluster() {
    let cluster = Cluster::start().unwrap();
    it_is_shared(&cluster.url()).await;
}

/// While the slot of the queue moves to another node, whoever waits keeps the place, and nobody begins an empty queue.
#[tokio::test(flavor = "multi_thread")]
async fn a_queue_whose_slot_moves_while_students_wait() {
    let cluster = Cluster::start().unwrap();
    let options = QueueOptions {
        service_time: Duration::from_secs(10),
        ..QueueOptions::with_slots(1)
    };
    let all = replicas(&cluster.url(), 3, &options).await;
    let queues = all.iter().map(|replica| &replica.queue).collect::<Vec<_>>();
    let held = slot_of(queues[0], ask("class", "z")).await;
    let mut waiting = vec![
        ("a", enter(queues[0], ask("class", "a")).await),
        ("b", enter(queues[1], ask("class", "b")).await),
        ("c", enter(queues[2], ask("class", "c")).await),
    ];
    let absent = ask("class", "absent").max_wait(Duration::from_secs(1));
    let hint = refused_with_hint(queues[1], absent).await;

    let moving = block_in_place(|| cluster.begin_move_of(QUEUE)).unwrap();
    // The old node still has everything, and goes on.
    waiting.push(("d", enter(queues[0], ask("class", "d")).await));
    for queue in &queues {
        let view = queue.view(10).await;
        assert_eq!((view.scope, view.waiting_total), (Scope::Shared, 5));
    }
    let (before, none) = block_in_place(|| moving.keys()).unwrap();
    assert!(before > 0 && none == 0, "{before} and {none} keys");
    // One node has some of the records and the other one the rest: nobody goes on with a part.
    let carried = block_in_place(|| moving.carry(7)).unwrap();
    for queue in &queues {
        let _ = queue.view(10).await;
    }
    let (left, there) = block_in_place(|| moving.keys()).unwrap();
    let there = usize::try_from(there).unwrap();
    assert_eq!((left, there), (before - 7, carried));
    block_in_place(|| moving.finish()).unwrap();

    for replica in &all {
        replica.until(Scope::Shared).await;
    }
    assert!(!held.lost().is_cancelled());
    assert_eq!(queues[2].view(10).await.waiting_total, 5);
    let back = ask("class", "absent").ticket(&hint.held.unwrap().ticket);
    waiting.push(("absent", enter(queues[2], back).await));
    assert_eq!(starts(held, waiting).await, ["a", "b", "c", "absent", "d"]);
}
