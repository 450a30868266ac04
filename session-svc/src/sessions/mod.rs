//! What the service promises about students' data, written once above the store.

mod archived;
mod archives;
pub mod artifacts;
pub mod audit;
pub mod classes;
pub mod context;
mod context_events;
mod conversations;
pub mod cursor;
pub mod due;
pub mod erase;
pub mod events;
pub mod evidence;
pub mod export;
mod fence;
mod fields;
mod graded;
pub mod help_sessions;
mod idempotency;
mod interactions;
mod json;
pub mod keys;
pub mod outbox;
mod payloads;
mod reset;
pub mod resets;
mod stored;
pub mod threads;
pub mod turns;
pub mod watch;

use std::{sync::Arc, time::Duration};

use prost::Message;
use turnwise_kit::{CancellationToken, Clock, TaskTracker, sizes::PUBLIC_MESSAGE};
use turnwise_session_archive::ArchiveDir;
use turnwise_session_store::{
    Applied, Key, Outcome, Partition, Read, Refused, Store, StudentKey, Transaction, Write,
};

use crate::{error::SessionError, memory::MemoryLimits, metrics::SessionMetrics};
use audit::Pseudonyms;
use classes::settings::ClassSettings;
pub use idempotency::Idempotency;

/// Above all scores of rankings.
const END: i64 = i64::MAX >> 11;

/// The most bytes of a page of messages or events, but for its first entry: callers of the public port are sent it with
/// something around it.
const PAGE_BYTES: usize = PUBLIC_MESSAGE / 2;

/// How many of these, from the first one on, fit into a page.
fn fitting(entries: &[impl Message]) -> usize {
    let mut bytes = 0;
    let fits = entries.iter().take_while(|entry| {
        bytes += entry.encoded_len();
        bytes <= PAGE_BYTES
    });
    fits.count().max(1)
}

/// How long things are kept, and how much of them.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long a turn holds its thread unless it renews the lease.
    pub lease_ttl: Duration,
    /// How long the answer to an idempotency key is kept, and a spent nonce.
    pub idempotency_ttl: Duration,
    /// How long a thread is kept after its latest turns.
    pub thread_retention: Duration,
    /// How long the log of a turn is kept.
    pub turn_log_retention: Duration,
    /// How long a conversation remembers after its latest turn, and how long a clarification in it waits.
    pub conversation_ttl: Duration,
    /// What a conversation remembers; none: nothing.
    pub memory: Option<MemoryLimits>,
    /// How long a clarification in a tutor's thread waits.
    pub clarification_ttl: Duration,
    /// How long a context request stays open.
    pub context_sla: Duration,
    /// The most conversations of one batch of a class reset.
    pub reset_batch: usize,
    /// Whether a class reset writes an archive first.
    pub export_before_reset: bool,
    /// The most messages of a conversation in an archive.
    pub archive_max_messages: usize,
    /// How long archives are kept.
    pub archive_retention: Duration,
}

/// All operations on students' data.
#[derive(Clone)]
pub struct Sessions {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    limits: Limits,
    classes: ClassSettings,
    metrics: SessionMetrics,
    pseudonyms: Pseudonyms,
    archives: Option<ArchiveDir>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Sessions {
    /// The operations over a store. `archives` is where class resets and exports write; without it they refuse to
    /// export.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        limits: Limits,
        archives: Option<ArchiveDir>,
        tasks: TaskTracker,
        shutdown: CancellationToken,
        metrics: SessionMetrics,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                classes: ClassSettings::new(Arc::clone(&store)),
                metrics,
                pseudonyms: Pseudonyms::default(),
                store,
                clock,
                limits,
                archives,
                tasks,
                shutdown,
            }),
        }
    }

    /// Where background tasks are spawned.
    pub fn tasks(&self) -> &TaskTracker {
        &self.inner.tasks
    }

    /// Cancelled when the process starts to drain.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.inner.shutdown
    }

    /// The folder of the archives, if archives are enabled.
    pub fn archives(&self) -> Option<ArchiveDir> {
        self.inner.archives.clone()
    }

    /// Archives written before this are past their time.
    pub fn archives_older_than(&self) -> jiff::Timestamp {
        let kept = self.limits().archive_retention;
        self.now()
            .checked_sub(kept)
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }

    fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    fn now(&self) -> jiff::Timestamp {
        self.inner.clock.now()
    }

    fn now_millis(&self) -> i64 {
        self.now().as_millisecond()
    }

    /// Where a student's data is. It is named by what stands for the student, so that what outlives an erasure names nobody.
    pub async fn partition(&self, student: &StudentKey) -> Result<Partition, SessionError> {
        Ok(Partition::student(&StudentKey {
            tenant: student.tenant.clone(),
            student: self.pseudonym(&student.tenant, &student.student).await?,
        }))
    }

    async fn transact(
        &self,
        partition: &Partition,
        transaction: Transaction,
    ) -> Result<Outcome, SessionError> {
        Ok(self.inner.store.transact(partition, transaction).await?)
    }

    /// A transaction that cannot be refused, because it has no checks.
    async fn apply(
        &self,
        partition: &Partition,
        transaction: Transaction,
    ) -> Result<Applied, SessionError> {
        match self.transact(partition, transaction).await? {
            Outcome::Applied(applied) => Ok(applied),
            Outcome::Refused(Refused { .. }) => Err(SessionError::Unavailable),
        }
    }

    async fn write(
        &self,
        partition: &Partition,
        writes: Vec<Write>,
    ) -> Result<Applied, SessionError> {
        let transaction = Transaction {
            writes,
            ..Transaction::default()
        };
        self.apply(partition, transaction).await
    }

    async fn read(
        &self,
        partition: &Partition,
        reads: Vec<Read>,
    ) -> Result<fields::Reads, SessionError> {
        let applied = self
            .apply(
                partition,
                Transaction {
                    reads,
                    ..Transaction::default()
                },
            )
            .await?;
        Ok(fields::Reads::new(applied.found))
    }
}

/// A member of a class's index.
pub(crate) fn member(student: &StudentKey, thread_id: &str) -> String {
    format!("{}/{thread_id}", student.student)
}

/// Enters a member into an index for so long, and takes out what has been there too long. The index itself lasts as long,
/// or up to a minute longer.
fn entered(key: Key, member: String, now: i64, kept: Duration) -> [Write; 3] {
    [
        Write::Rank {
            key: key.clone(),
            member,
            score: now.saturating_add(millis(kept)),
        },
        Write::UnrankUpTo {
            key: key.clone(),
            score: now,
        },
        Write::Keep { key, after: kept },
    ]
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
