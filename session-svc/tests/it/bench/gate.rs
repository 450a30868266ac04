//! Stores around a store: one holds a transaction up, so that a test can do something in between, and one counts.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::sync::{Notify, watch};
use turnwise_session_store::{Key, Outcome, Partition, Reply, Store, Transaction, Write};

type Wanted = Box<dyn Fn(&Transaction) -> bool + Send + Sync>;

/// Holds up the first transaction that is wanted, until it is opened.
pub struct Gate {
    store: Arc<dyn Store>,
    wanted: Wanted,
    passed: AtomicBool,
    arrived: Notify,
    opened: Notify,
}

impl Gate {
    pub fn new(
        store: Arc<dyn Store>,
        wanted: impl Fn(&Transaction) -> bool + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            wanted: Box::new(wanted),
            passed: AtomicBool::new(false),
            arrived: Notify::new(),
            opened: Notify::new(),
        })
    }

    /// Waits until a transaction is held up.
    pub async fn arrival(&self) {
        self.arrived.notified().await;
    }

    /// Lets it go on.
    pub fn open(&self) {
        self.opened.notify_one();
    }
}

impl Store for Gate {
    fn transact<'a>(
        &'a self,
        partition: &'a Partition,
        transaction: Transaction,
    ) -> Reply<'a, Outcome> {
        Box::pin(async move {
            if (self.wanted)(&transaction) && !self.passed.swap(true, Ordering::SeqCst) {
                self.arrived.notify_one();
                self.opened.notified().await;
            }
            self.store.transact(partition, transaction).await
        })
    }

    fn watch(&self, partition: &Partition, log: &Key) -> watch::Receiver<u64> {
        self.store.watch(partition, log)
    }
}

/// Whether a transaction fences a thread: it takes the thread's text.
pub fn strips(transaction: &Transaction) -> bool {
    let fences = |write: &Write| matches!(write, Write::Fence { field: "floor", .. });
    transaction.writes.iter().any(fences)
}

/// Whether a transaction makes a thread.
pub fn makes_thread(transaction: &Transaction) -> bool {
    let makes =
        |write: &Write| matches!(write, Write::Rank { key, .. } if key.as_str() == "threads:tutor");
    transaction.writes.iter().any(makes)
}

/// Counts the transactions that were begun and those that were done.
pub struct Counter {
    store: Arc<dyn Store>,
    begun: AtomicUsize,
    done: AtomicUsize,
}

impl Counter {
    pub fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self {
            store,
            begun: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        })
    }

    pub fn done(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    /// Whether no transaction is on its way.
    pub fn is_idle(&self) -> bool {
        self.begun.load(Ordering::SeqCst) == self.done()
    }
}

impl Store for Counter {
    fn transact<'a>(
        &'a self,
        partition: &'a Partition,
        transaction: Transaction,
    ) -> Reply<'a, Outcome> {
        Box::pin(async move {
            self.begun.fetch_add(1, Ordering::SeqCst);
            let reply = self.store.transact(partition, transaction).await;
            self.done.fetch_add(1, Ordering::SeqCst);
            reply
        })
    }

    fn watch(&self, partition: &Partition, log: &Key) -> watch::Receiver<u64> {
        self.store.watch(partition, log)
    }
}
