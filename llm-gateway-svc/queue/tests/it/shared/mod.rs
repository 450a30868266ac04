//! The queue that replicas share through Redis.

mod cost;
mod declared_keys;
mod differential;
mod one_of_three;
mod one_replica;
mod ordinals;
mod outages;
mod replicas;
mod topologies;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::{sleep, timeout};
use turnwise_kit::Kit;
use turnwise_llm_queue::{Queue, QueueOptions, Slot, view::Scope};
use turnwise_redis::{Redis, RedisOptions};

use crate::conformance::SOON;

/// A process that has a queue.
pub struct Replica {
    pub queue: Queue,
    pub kit: Kit,
}

impl Replica {
    /// A replica that has joined.
    pub async fn join(url: &str, options: QueueOptions) -> Self {
        let replica = Self::start(url, options).await;
        replica.until(Scope::Shared).await;
        replica
    }

    /// A replica that may not have joined yet.
    pub async fn start(url: &str, options: QueueOptions) -> Self {
        Self::start_named(url, "kind/backend/model", options).await
    }

    /// One with a queue of this name.
    pub async fn start_named(url: &str, name: &str, options: QueueOptions) -> Self {
        let redis = Redis::open(&RedisOptions::new(url))
            .await
            .expect("an address");
        let kit = Kit::for_tests();
        let queue = Queue::shared(options, redis, name, &kit).expect("options within bounds");
        Self { queue, kit }
    }

    /// Waits until the queue is whose it should be.
    pub async fn until(&self, scope: Scope) {
        let changes = async {
            while self.queue.view(0).await.scope != scope {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(SOON, changes).await.expect("soon");
    }

    /// Ends in order.
    pub async fn stop(self) {
        self.kit.served.cancel();
        self.kit.tasks.close();
        timeout(SOON, self.kit.tasks.wait()).await.expect("soon");
    }
}

/// So many replicas that share so many slots, all joined.
pub async fn replicas(url: &str, replicas: usize, options: &QueueOptions) -> Vec<Replica> {
    let mut all = Vec::new();
    for replica_index in 0..replicas {
        let options = QueueOptions {
            replicas,
            replica_index,
            ..options.clone()
        };
        all.push(Replica::start(url, options).await);
    }
    for replica in &all {
        replica.until(Scope::Shared).await;
    }
    all
}

/// Counts the calls that run at a time.
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<(AtomicUsize, AtomicUsize, AtomicUsize)>);

/// A call that is counted.
pub struct Counted(Meter);

impl Meter {
    pub fn call(&self) -> Counted {
        let (running, most, all) = &*self.0;
        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        all.fetch_add(1, Ordering::SeqCst);
        Counted(self.clone())
    }

    /// The most at a time.
    pub fn most(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }

    /// All that have begun.
    pub fn all(&self) -> usize {
        self.0.2.load(Ordering::SeqCst)
    }

    /// Runs a call in a slot for so long, or until the slot is lost.
    pub async fn run(&self, slot: Slot, span: Duration) {
        let lost = slot.lost();
        let counted = self.call();
        tokio::select! {
            () = sleep(span) => {}
            () = lost.cancelled() => {}
        }
        drop(counted);
        slot.done(Some(span));
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}
