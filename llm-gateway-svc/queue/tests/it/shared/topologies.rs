//! Wherever the primary is.

use std::time::Duration;

use tokio::task::block_in_place;
use turnwise_llm_queue::{QueueOptions, view::Scope};
use turnwise_testing::redis::{Cluster, SentinelSet, ServerOptions};

use super::{Meter, Replica, replicas};
use crate::conformance::{AskExt, ask, enter, refused_with_hint, slot_of, soon};

const CALL: Duration = Duration::from_millis(2);

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
