//! The store of one process: a file on this machine's disk, with nothing to install.
//!
//! A write is answered once it is on disk. Reads see everything that was answered, and never wait for a write; what is
//! about leases alone writes nothing.
//!
//! What is removed leaves room in the file; when there is much of it, a new file with the same rows takes its place.
//!
//! The file is opened as `turnwise-embedded-file` says, and every row stands under a checksum ([`sealed`]).

mod apply;
mod expiry;
mod file;
mod leases;
mod queue;
mod rescue;
mod rewrite;
mod rows;
mod sealed;
mod view;
mod writer;

use std::{path::PathBuf, pin::pin, sync::Arc};

use tokio::sync::watch;
use turnwise_kit::Clock;

use self::{
    file::{Failure, StoreFile, told},
    leases::Leases,
    rows::{Name, ROWS},
    sealed::definition,
    view::View,
    writer::{Work, Writer},
};
use crate::{
    Applied, Key, OpenError, Outcome, Partition, Reply, Store, StoreError, Transaction, Write,
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

/// The store in a file. Dropped, it writes what it has taken and closes the file.
pub struct EmbeddedStore {
    // Dropped in this order: the writer ends before the file is closed.
    writer: Writer,
    file: Arc<StoreFile>,
    leases: Arc<Leases>,
    changes: Arc<Changes>,
    clock: Arc<dyn Clock>,
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
        Ok(Self {
            writer,
            file,
            leases,
            changes,
            clock,
        })
    }

    /// Runs a transaction that writes nothing to disk. It runs where it is called: rows come from memory nearly always.
    async fn run(
        &self,
        partition: &Partition,
        transaction: &Transaction,
    ) -> Result<Outcome, StoreError> {
        let names = leases::names(partition, transaction);
        let outcome = if names.is_empty() {
            self.look(partition, transaction)
        } else {
            loop {
                let mut unpinned = pin!(self.leases.unpinned().notified());
                unpinned.as_mut().enable();
                match self.change_leases(partition, transaction, &names) {
                    // Told after the transaction that may change them is on disk, or has failed.
                    Ok(None) => unpinned.await,
                    Ok(Some(outcome)) => break Ok(outcome),
                    Err(failure) => break Err(failure),
                }
            }
        };
        outcome.map_err(told)
    }

    fn look(&self, partition: &Partition, transaction: &Transaction) -> Result<Outcome, Failure> {
        self.file.read(|reading| {
            let rows = reading.open_table(definition(ROWS))?;
            let view = self.view(&rows, partition);
            Ok(match view.refusal(&transaction.checks, |_| None)? {
                Some(refused) => Outcome::Refused(refused),
                None => Outcome::Applied(Applied {
                    token: None,
                    found: view.find(&transaction.reads)?,
                }),
            })
        })
    }

    /// Nothing if one of the leases is pinned. While nobody else can look at the leases, the state that the transaction
    /// sees is fixed: so it sees all that was written by whoever has given them back.
    fn change_leases(
        &self,
        partition: &Partition,
        transaction: &Transaction,
        names: &[Name],
    ) -> Result<Option<Outcome>, Failure> {
        let mut slots = self.leases.lock();
        if names.iter().any(|name| slots.is_pinned(name)) {
            return Ok(None);
        }
        self.file.read(move |reading| {
            let rows = reading.open_table(definition(ROWS))?;
            let view = self.view(&rows, partition);
            if let Some(refused) = view.refusal(&transaction.checks, |name| slots.holder(name))? {
                return Ok(Some(Outcome::Refused(refused)));
            }
            let mut token = None;
            for write in &transaction.writes {
                token = slots.change(&self.leases, partition, write).or(token);
            }
            drop(slots);
            match view.find(&transaction.reads) {
                Ok(found) => Ok(Some(Outcome::Applied(Applied { token, found }))),
                Err(failure) => {
                    // Nobody will know the token: the lease would be lost until its end.
                    if let Some(token) = token {
                        let mut slots = self.leases.lock();
                        for name in names {
                            slots.give_back(name, token);
                        }
                    }
                    Err(failure)
                }
            }
        })
    }

    fn view<'v, T>(&self, rows: &'v T, partition: &'v Partition) -> View<'v, T> {
        View {
            rows,
            partition,
            now: self.clock.now().as_millisecond(),
        }
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
                self.run(partition, &transaction).await
            } else {
                self.writer.write(partition.clone(), transaction).await
            }
        })
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
