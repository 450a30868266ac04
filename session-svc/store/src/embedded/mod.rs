//! The store of one process: a file on this machine's disk, with nothing to install.
//!
//! A write is answered once it is on disk. Reads see everything that was answered, and never wait for a write; what is
//! about leases alone writes nothing. Neither runs on a worker of the runtime: both may wait for the disk.
//!
//! What is removed leaves room in the file; when there is much of it, a new file with the same rows takes its place.
//!
//! The file is opened as `turnwise-embedded-file` says, and every row stands under a checksum ([`sealed`]).

mod apply;
mod expiry;
mod file;
mod inventory;
mod leases;
mod queue;
mod reader;
mod rescue;
mod rewrite;
mod rows;
mod sealed;
mod view;
mod writer;

use std::{
    convert::Infallible,
    path::PathBuf,
    pin::pin,
    sync::{Arc, Mutex, PoisonError, mpsc},
};

use tokio::{
    sync::{Semaphore, watch},
    task::spawn_blocking,
};
use turnwise_kit::Clock;

use self::{
    file::{StoreFile, told},
    leases::Leases,
    reader::{Asked, Reader},
    writer::{Work, Writer},
};
use crate::{
    Key, OpenError, Outcome, Partition, Reply, Store, StoreError, Transaction, Write,
    changes::Changes,
};

/// How the embedded store is opened.
#[derive(Debug, Clone)]
pub struct EmbeddedOptions {
    /// The file; made with its folder if it is not there.
    pub path: PathBuf,
    /// Whether a write is on disk before it is answered. Without it the latest writes live in this process's memory
    /// only, and are lost when it is killed or crashes: for benchmarks.
    pub fsync: bool,
}

/// How many transactions read at once; more wait for a place.
const READERS: usize = 16;

/// The store in a file. Dropped, it writes what it has taken and closes the file.
pub struct EmbeddedStore {
    // Dropped in this order: the writer ends before the file is closed.
    writer: Writer,
    reader: Arc<Reader>,
    readers: Arc<Semaphore>,
    /// Each read has one of these; none is left once all have ended.
    reading: Option<mpsc::Sender<Infallible>>,
    ended: Mutex<mpsc::Receiver<Infallible>>,
    changes: Arc<Changes>,
}

impl EmbeddedStore {
    /// Opens the store; called inside a runtime, whose time the leases follow. Expiry follows `clock`.
    ///
    /// # Errors
    ///
    /// If the file cannot be made or opened, or is in use.
    pub fn open(options: &EmbeddedOptions, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let file = Arc::new(StoreFile::open(&options.path)?);
        let leases = Arc::new(Leases::new(file.start()));
        let changes = Arc::new(Changes::default());
        let writer = Writer::start(Work {
            file: Arc::clone(&file),
            leases: Arc::clone(&leases),
            changes: Arc::clone(&changes),
            clock: Arc::clone(&clock),
            fsync: options.fsync,
        })?;
        let (reading, ended) = mpsc::channel();
        Ok(Self {
            writer,
            reader: Arc::new(Reader {
                file,
                leases,
                clock,
            }),
            readers: Arc::new(Semaphore::new(READERS)),
            reading: Some(reading),
            ended: Mutex::new(ended),
            changes,
        })
    }

    /// Runs a transaction that writes nothing to disk. It runs on no worker of the runtime: a row that is not in memory
    /// is waited for, and the lock of the leases as well.
    async fn run(
        &self,
        partition: &Partition,
        transaction: Transaction,
    ) -> Result<Outcome, StoreError> {
        let asked = Arc::new(Asked {
            names: leases::names(partition, &transaction),
            partition: partition.clone(),
            transaction,
        });
        loop {
            let mut unpinned = pin!(self.reader.leases.unpinned().notified());
            unpinned.as_mut().enable();
            let place = Arc::clone(&self.readers).acquire_owned().await;
            let place = place.map_err(|_| StoreError::Unavailable)?;
            let (reader, asking) = (Arc::clone(&self.reader), Arc::clone(&asked));
            let reading = self.reading.clone();
            let read = spawn_blocking(move || {
                let outcome = reader.run(&asking);
                drop(reader);
                drop((place, reading));
                outcome
            });
            // Fails if the runtime ends.
            let outcome = read.await.map_err(|_| StoreError::Unavailable)?;
            match outcome.map_err(told)? {
                // Told after the transaction that may change them is on disk, or has failed.
                None => unpinned.await,
                Some(outcome) => return Ok(outcome),
            }
        }
    }
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        // Calls that were given up may still read, and the file is closed after them.
        self.reading = None;
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Err(mpsc::RecvError) = ended.recv();
    }
}

impl Store for EmbeddedStore {
    fn transact<'a>(
        &'a self,
        partition: &'a Partition,
        transaction: Transaction,
    ) -> Reply<'a, Outcome> {
        Box::pin(async move {
            if transaction.writes.iter().all(is_about_leases) {
                self.run(partition, transaction).await
            } else {
                let one = vec![(partition.clone(), transaction)];
                let outcome = self.writer.write(one).await?.pop();
                outcome.ok_or(StoreError::Unavailable)
            }
        })
    }

    fn transact_in_turn(
        &self,
        transactions: Vec<(Partition, Transaction)>,
    ) -> Reply<'_, Vec<Outcome>> {
        Box::pin(self.writer.write(transactions))
    }

    fn watch(&self, partition: &Partition, log: &Key) -> watch::Receiver<u64> {
        self.changes.watch(&log_name(partition, log))
    }
}

/// Whether a write changes nothing on disk.
fn is_about_leases(write: &Write) -> bool {
    matches!(
        write,
        Write::TakeLease { .. } | Write::RenewLease { .. } | Write::ReleaseLease { .. }
    )
}

/// The name that a log is watched under.
fn log_name(partition: &Partition, log: &Key) -> String {
    format!("{} {}", partition.as_str(), log.as_str())
}
