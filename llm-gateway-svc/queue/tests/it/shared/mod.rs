//! The line that replicas share through Redis.

mod alone;
mod beside_others;
mod differential;
mod figures;
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
use turnwise_llm_queue::{Line, LineOptions, Slot, view::Scope};
use turnwise_redis::{Redis, RedisOptions};

use crate::conformance::SOON;

/// A process that has a line.
pub struct Replica {
    pub line: Line,
    pub kit: Kit,
}

impl Replica {
    /// A replica that has joined.
    pub async fn join(url: &str, options: LineOptions) -> Self {
        let replica = Self::start(url, options).await;
        replica.until(Scope::Shared).await;
        replica
    }

    /// A replica that may not have joined yet.
    pub async fn start(url: &str, options: LineOptions) -> Self {
        Self::start_named(url, "kind/backend/model", options).await
    }

    /// One with a line of this name.
    pub async fn start_named(url: &str, name: &str, options: LineOptions) -> Self {
        let redis = Redis::open(&RedisOptions::new(url))
            .await
            .expect("an address");
        let kit = Kit::for_tests();
        let line = Line::shared(options, redis, name, &kit).expect("options within bounds");
        Self { line, kit }
    }

    /// Waits until the line is whose it should be.
    pub async fn until(&self, scope: Scope) {
        let changes = async {
            while self.line.view(0).await.scope != scope {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(SOON, changes).await.expect("soon");
    }

    /// Ends in order.
    pub async fn stop(self) {
        self.kit.shutdown.cancel();
        self.kit.tasks.close();
        timeout(SOON, self.kit.tasks.wait()).await.expect("soon");
    }
}

/// So many replicas that share so many slots, all joined.
pub async fn replicas(url: &str, replicas: usize, options: &LineOptions) -> Vec<Replica> {
    let mut all = Vec::new();
    for replica_index in 0..replicas {
        let options = LineOptions {
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
