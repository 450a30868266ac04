//! Scripts touch no key that they do not declare, whatever they are asked for: in a cluster a server must know from the
//! keys alone whether it has all that a call needs.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use tokio::task::block_in_place;
use turnwise_llm_queue::{Queue, QueueOptions, view::Scope};
use turnwise_testing::redis::{RedisServer, ScriptWatch};

use super::Replica;
use crate::conformance::{
    Queues, ask, enter, leaving, order, slot_of, slots, soon, take_over, tickets, view,
};

/// What the script can be asked for.
const OPERATIONS: [&str; 10] = [
    "detach",
    "enter",
    "heartbeat",
    "hold",
    "join",
    "leave",
    "release",
    "shut_down",
    "snapshot",
    "time",
];

/// Queues of different names on one Redis.
struct OnOneServer {
    url: String,
    made: AtomicUsize,
}

impl Queues for OnOneServer {
    async fn queue(&self, options: QueueOptions) -> Queue {
        let name = format!("queue {}", self.made.fetch_add(1, Ordering::Relaxed));
        let replica = Replica::start_named(&self.url, &name, options).await;
        replica.until(Scope::Shared).await;
        replica.queue
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_key_is_declared() {
    let server = RedisServer::start().unwrap();
    let watch = ScriptWatch::start(&server).unwrap();
    let queues = OnOneServer {
        url: server.url(),
        made: AtomicUsize::new(0),
    };
    slots::at_most_so_many_calls_run(&queues).await;
    order::classes_get_shares_by_weight(&queues).await;
    order::batch_is_let_in_now_and_then(&queues).await;
    take_over::a_newer_request_takes_the_place(&queues).await;
    take_over::a_request_of_another_band_replaces_without_the_place(&queues).await;
    leaving::who_leaves_is_out_of_the_queue(&queues).await;
    tickets::a_refused_request_keeps_its_place(&queues).await;
    tickets::an_expired_place_is_gone(&queues).await;
    view::the_view_shows_slots_and_who_waits(&queues).await;

    // A replica that hears nothing takes no part for a moment, and another one ends.
    let options = |replica_index| QueueOptions {
        replicas: 2,
        replica_index,
        ..QueueOptions::with_slots(2)
    };
    let deaf = Replica::join(&server.url(), options(0)).await;
    let other = Replica::join(&server.url(), options(1)).await;
    let slot = slot_of(&deaf.queue, ask("class", "a")).await;
    let second = slot_of(&deaf.queue, ask("class", "b")).await;
    let waiting = enter(&other.queue, ask("class", "c")).await;
    block_in_place(|| server.command(&["CLIENT", "KILL", "TYPE", "pubsub"])).unwrap();
    deaf.until(Scope::Detached).await;
    deaf.until(Scope::Shared).await;
    other.until(Scope::Shared).await;
    slot.done(Some(Duration::from_millis(1)));
    soon(waiting).await.done(None);
    drop(second);
    other.stop().await;
    deaf.stop().await;

    let scripts = block_in_place(|| watch.finish()).unwrap();
    let asked: BTreeSet<&str> = scripts
        .calls
        .keys()
        .map(|(_, what)| what.as_str())
        .collect();
    assert_eq!(scripts.undeclared, BTreeSet::new());
    assert_eq!(asked, BTreeSet::from(OPERATIONS));
}
