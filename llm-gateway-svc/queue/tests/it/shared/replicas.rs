//! Several replicas: one order, notices that are lost, replicas that die or have the same index.

use std::{
    io::Write,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    task::block_in_place,
    time::{Instant, sleep, timeout},
};
use turnwise_llm_queue::{QueueOptions, Refusal, view::Scope};
use turnwise_testing::redis::RedisServer;

use super::{Meter, Replica, replicas};
use crate::conformance::{AskExt, SOON, ask, enter, slot_of, soon};

const TTL: Duration = Duration::from_secs(2);

fn options(slots: usize) -> QueueOptions {
    QueueOptions {
        slot_ttl: TTL,
        ..QueueOptions::with_slots(slots)
    }
}

#[tokio::test]
async fn students_and_classes_take_turns_across_replicas() {
    let server = RedisServer::start().unwrap();
    let all = replicas(&server.url(), 3, &options(1)).await;
    let mut slot = slot_of(&all[0].queue, ask("z", "z")).await;
    let mut waiting = Vec::new();
    for (name, replica, class, student, thread) in [
        ("x1", 0, "x", "1", "a"),
        ("x1 again", 1, "x", "1", "b"),
        ("x2", 2, "x", "2", "a"),
        ("y1", 1, "y", "1", "a"),
        ("y2", 0, "y", "2", "a"),
    ] {
        let ask = ask(class, student).thread(thread);
        waiting.push((name, enter(&all[replica].queue, ask).await));
    }
    for expected in ["x1", "y1", "x2", "y2", "x1 again"] {
        slot.done(None);
        let at = waiting
            .iter()
            .position(|(name, _)| *name == expected)
            .unwrap();
        slot = soon(waiting.remove(at).1).await;
    }
}

#[tokio::test]
async fn a_newer_request_at_another_replica_takes_the_place() {
    let server = RedisServer::start().unwrap();
    let all = replicas(&server.url(), 2, &options(1)).await;
    let slot = slot_of(&all[0].queue, ask("class", "z")).await;
    let older = enter(&all[0].queue, ask("class", "a")).await;
    let other = enter(&all[0].queue, ask("class", "b")).await;
    let newer = enter(&all[1].queue, ask("class", "a")).await;
    let refused = timeout(SOON, older.slot()).await.unwrap().unwrap_err();
    assert_eq!(refused, Refusal::Superseded);
    slot.done(None);
    soon(newer).await.done(None);
    soon(other).await.done(None);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_never_exceed_slots_whatever_callers_do() {
    let server = RedisServer::start().unwrap();
    let all = replicas(&server.url(), 3, &options(2)).await;
    let meter = Meter::default();
    let mut tasks = Vec::new();
    for number in 0..300_u64 {
        let (queue, meter) = (all[number as usize % 3].queue.clone(), meter.clone());
        tasks.push(tokio::spawn(async move {
            let class = format!("{}", number % 7);
            let ask = ask(&class, &number.to_string());
            // Some leave before they are in the queue, some in the queue, some when their slot comes.
            let patience = Duration::from_micros(number * 131 % 9000);
            if number % 3 == 0 {
                let _ = timeout(patience, async {
                    let slot = queue.enter(ask).await.unwrap().slot().await.unwrap();
                    meter.run(slot, Duration::from_millis(1)).await;
                })
                .await;
            } else {
                meter
                    .run(slot_of(&queue, ask).await, Duration::from_millis(1))
                    .await;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(meter.most(), 2);
    assert!(meter.all() >= 200);
    // Nothing is left behind.
    let idle = async {
        loop {
            let view = all[0].queue.view(10).await;
            if view.waiting_total == 0
                && view.slots.iter().filter(|slot| slot.call.is_none()).count() == 2
            {
                return;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(SOON, idle).await.unwrap();
}

#[tokio::test]
async fn news_that_are_lost_are_made_good_for() {
    let server = RedisServer::start().unwrap();
    let all = replicas(&server.url(), 2, &options(1)).await;
    for round in 0..5 {
        let slot = slot_of(&all[0].queue, ask("class", "a")).await;
        let waiting = enter(&all[1].queue, ask("class", &round.to_string())).await;
        // The notice of the slot is published to nobody.
        server
            .command(&["CLIENT", "KILL", "TYPE", "pubsub"])
            .unwrap();
        slot.done(None);
        soon(waiting).await.done(None);
        for replica in &all {
            replica.until(turnwise_llm_queue::view::Scope::Shared).await;
        }
    }
}

/// Runs a replica that takes all slots and has some in the queue, and then ends as if it had been killed.
fn die(url: &str, options: QueueOptions, waiting: usize) {
    let url = url.to_owned();
    let died = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let slots = options.slots;
            let replica = Replica::join(&url, options).await;
            for student in 0..slots {
                std::mem::forget(slot_of(&replica.queue, ask("dead", &student.to_string())).await);
            }
            for student in 0..waiting {
                std::mem::forget(
                    enter(
                        &replica.queue,
                        ask("dead", &format!("in the queue {student}")),
                    )
                    .await,
                );
            }
            std::mem::forget(replica);
        });
        runtime.shutdown_background();
    });
    died.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_slots_of_a_dead_replica_are_free_again() {
    let server = RedisServer::start().unwrap();
    let options = QueueOptions {
        replicas: 2,
        ..options(2)
    };
    let living = Replica::start(&server.url(), options.clone()).await;
    living.until(turnwise_llm_queue::view::Scope::Shared).await;
    let url = server.url();
    let dead = QueueOptions {
        replica_index: 1,
        ..options
    };
    tokio::task::spawn_blocking(move || die(&url, dead, 3))
        .await
        .unwrap();
    let died = Instant::now();
    let first = slot_of(&living.queue, ask("class", "a")).await;
    let second = slot_of(&living.queue, ask("class", "b")).await;
    let took = died.elapsed();
    assert!(took <= TTL + Duration::from_secs(4), "{took:?}");
    assert_ne!(first.index(), second.index());
    assert!(!first.lost().is_cancelled() && !second.lost().is_cancelled());
    assert_eq!(living.queue.view(10).await.waiting_total, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_outlasts_its_lease_keeps_its_slot() {
    let server = RedisServer::start().unwrap();
    let options = QueueOptions {
        slot_ttl: Duration::from_secs(3),
        ..QueueOptions::with_slots(1)
    };
    let all = replicas(&server.url(), 2, &options).await;
    let slot = slot_of(&all[1].queue, ask("class", "a")).await;
    let waiting = enter(&all[0].queue, ask("class", "b")).await;
    let early = timeout(Duration::from_secs(12), waiting.slot()).await;
    assert!(early.is_err() && !slot.lost().is_cancelled());
}

#[tokio::test]
async fn a_replica_that_ends_leaves_its_slots_to_the_others() {
    let server = RedisServer::start().unwrap();
    let mut all = replicas(&server.url(), 2, &QueueOptions::with_slots(2)).await;
    let other = all.pop().unwrap();
    let slot = slot_of(&other.queue, ask("class", "a")).await;
    other.kit.served.cancel();
    // It ends when its last call has.
    let (a, b) = (ask("class", "b"), ask("class", "c"));
    let first = slot_of(&all[0].queue, a).await;
    let second = enter(&all[0].queue, b).await;
    slot.done(None);
    let second = soon(second).await;
    other.stop().await;
    first.done(None);
    second.done(None);
    let both = [
        slot_of(&all[0].queue, ask("class", "d")).await,
        slot_of(&all[0].queue, ask("class", "e")).await,
    ];
    assert_ne!(both[0].index(), both[1].index());
}

/// Its connections take in whoever comes until they are closed.
#[tokio::test]
async fn a_replica_that_drains_gives_slots_until_its_calls_have_been_served() {
    let server = RedisServer::start().unwrap();
    let mut all = replicas(&server.url(), 2, &QueueOptions::with_slots(2)).await;
    let draining = all.remove(0);
    draining.kit.shutdown.cancel();
    for number in 0..50 {
        // Time to leave, while nobody needs it.
        all[0].queue.view(0).await;
        let student = format!("student-{number}");
        let slot = slot_of(&draining.queue, ask("class", &student)).await;
        slot.done(None);
    }
    draining.stop().await;
}

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn of_two_replicas_with_one_index_one_owns_its_slots_and_both_say_so() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    // The queues' tasks run on another thread.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let mut server = RedisServer::start().unwrap();
    let options = QueueOptions {
        replicas: 2,
        ..options(2)
    };
    let one = Replica::join(&server.url(), options.clone()).await;
    let other = Replica::join(&server.url(), options.clone()).await;
    let warned = async {
        while !String::from_utf8_lossy(&log.0.lock().unwrap())
            .contains("the same QUEUE_REPLICA_INDEX")
        {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(SOON, warned).await.unwrap();
    let said = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(said.contains("joined this queue later"), "{said}");
    assert!(said.contains("\"queue/"), "which queue: {said}");
    // The one that was there first.
    block_in_place(|| server.kill());
    other.until(Scope::Detached).await;
    let refused = match other.queue.enter(ask("class", "a")).await {
        Ok(waiting) => timeout(SOON, waiting.slot()).await.unwrap().map(drop),
        Err(refusal) => Err(refusal),
    };
    assert!(
        matches!(refused, Err(Refusal::NoSlot { .. })),
        "{refused:?}"
    );
    drop(slot_of(&one.queue, ask("class", "b")).await);

    // Once that has ended, the slots are the other one's.
    block_in_place(|| server.start_again().unwrap());
    one.until(Scope::Shared).await;
    other.until(Scope::Shared).await;
    one.stop().await;
    let owned = async {
        loop {
            block_in_place(|| server.kill());
            other.until(Scope::Detached).await;
            let ask = ask("class", "c").max_wait(TTL * 2);
            if let Ok(waiting) = other.queue.enter(ask).await
                && waiting.slot().await.is_ok()
            {
                return;
            }
            block_in_place(|| server.start_again().unwrap());
            other.until(Scope::Shared).await;
        }
    };
    timeout(SOON, owned).await.unwrap();
}
