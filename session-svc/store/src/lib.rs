//! The port to the store. It knows nothing of threads, turns or evidence: it keeps records, logs, rankings and leases
//! in partitions, and changes a partition in transactions. All that the service promises about a student's data is
//! written once above it, and both stores pass one suite of tests.
//!
//! What every store holds to:
//! - A transaction is one atomic step and one round trip: its checks are looked at in their order; if all hold, its
//!   writes are done in their order and its reads see the result; if one does not, nothing is written.
//! - Nothing of one partition is reachable through another.
//! - What was acknowledged is still there after a restart, as far as the store's durability goes. Leases alone may be
//!   gone.
//! - Numbers only rise: the ids of a log even after it was cleared, and fencing tokens even across restarts and
//!   failovers.
//! - What has expired counts as absent, whether or not it has been removed yet.
//! - What is not what was written is never answered as if it were, nor as absent: a field or an entry is answered as
//!   [`DAMAGED`], and whatever else needs a damaged row fails with [`StoreError::Damaged`].

pub mod changes;
pub mod embedded;
mod error;
pub mod inventory;
pub mod redis;

use std::{fmt, future::Future, pin::Pin, time::Duration};

use bytes::Bytes;
use tokio::sync::watch;

pub use crate::error::{OpenError, StoreError};

/// Stands for the value of a field or an entry that is not what was written: no text, no number and no record. A check
/// that a field is this holds if the field is damaged still.
pub const DAMAGED: &[u8] = &[0x00, 0xff];

/// What an operation answers, some time.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place for all state.
pub trait Store: Send + Sync + 'static {
    /// Runs a transaction on a partition.
    ///
    /// # Errors
    ///
    /// If the store did not answer or could not write; then the transaction may have been done or not, as a whole. Sent
    /// again it must be safe, which its checks see to.
    fn transact<'a>(
        &'a self,
        partition: &'a Partition,
        transaction: Transaction,
    ) -> Reply<'a, Outcome>;

    /// Runs transactions one after another, up to the first that is refused, and answers what came of each that was run. A
    /// store that waits for its disk waits once for all of them.
    ///
    /// # Errors
    ///
    /// As [`transact`](Self::transact); those before the one that failed may have been done.
    fn transact_in_turn(
        &self,
        transactions: Vec<(Partition, Transaction)>,
    ) -> Reply<'_, Vec<Outcome>> {
        Box::pin(async move {
            let mut outcomes = Vec::with_capacity(transactions.len());
            for (partition, transaction) in transactions {
                outcomes.push(self.transact(&partition, transaction).await?);
                if matches!(outcomes.last(), Some(Outcome::Refused(_))) {
                    break;
                }
            }
            Ok(outcomes)
        })
    }

    /// Tells that a log may have changed: the value changes after each transaction that appended to it or removed it, on
    /// whatever replica, and also whenever news may have been missed; while none can arrive, every few seconds. Whoever
    /// waits reads the log then, and need not read it without.
    fn watch(&self, partition: &Partition, log: &Key) -> watch::Receiver<u64>;
}

/// What is changed together: all data of one student, one class's index, and so on. On a Redis Cluster a partition lives
/// in one slot. Made of ids that were checked at the edge, and so of nothing but `[A-Za-z0-9._~@-]`, `/` and `:`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Partition(String);

impl Partition {
    /// All data of one student.
    pub fn student(key: &StudentKey) -> Self {
        Self(format!("{}/{}", key.tenant, key.student))
    }

    /// What belongs to one class of a tenant.
    pub fn class(tenant: &str, class_id: &str) -> Self {
        Self(format!("{tenant}/class:{class_id}"))
    }

    /// What belongs to a tenant as a whole.
    pub fn tenant(tenant: &str) -> Self {
        Self(format!("{tenant}/tenant:"))
    }

    /// What belongs to the installation, such as the list of deferred work.
    pub fn system(name: &str) -> Self {
        Self(format!("/system:{name}"))
    }

    /// The name, as it stands in the store.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whose data it is. Both parts are ids that were checked at the edge, so neither holds a separator.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StudentKey {
    /// The tenant.
    pub tenant: String,
    /// The student.
    pub student: String,
}

/// The name of a record, log, ranking or lease within a partition. One name stands for one of the four only.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    /// A name; visible ASCII without braces.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks, then writes, then reads; each list may be empty.
#[derive(Debug, Clone, Default)]
pub struct Transaction {
    /// What must hold. At most 64.
    pub checks: Vec<Check>,
    /// What is changed if it does. At most 4096.
    pub writes: Vec<Write>,
    /// What is read afterwards. At most 256.
    pub reads: Vec<Read>,
}

/// Something that must hold. The fields named in `tell` are read for the caller if it does not.
#[derive(Debug, Clone)]
pub enum Check {
    /// There is no such record.
    Absent {
        /// The record.
        key: Key,
        /// Told if there is one.
        tell: Vec<&'static str>,
    },
    /// There is such a record.
    Present {
        /// The record.
        key: Key,
    },
    /// A field has this value; none stands for no such field or record.
    FieldIs {
        /// The record.
        key: Key,
        /// The field.
        field: &'static str,
        /// What it must be.
        value: Option<Bytes>,
        /// Told if it is not.
        tell: Vec<&'static str>,
    },
    /// A field that [`Write::Fence`] sets is absent or below this token.
    FenceBelow {
        /// The record.
        key: Key,
        /// The field.
        field: &'static str,
        /// The token.
        token: i64,
    },
    /// Nobody holds the lease, or one whose bytes begin with `or_of`.
    LeaseFree {
        /// The lease.
        key: Key,
        /// How the bytes of a holder begin from whom it may be taken; empty: from none.
        or_of: Bytes,
    },
    /// The lease is held under this token.
    LeaseHeld {
        /// The lease.
        key: Key,
        /// The token.
        token: i64,
    },
}

/// A change.
#[derive(Debug, Clone)]
pub enum Write {
    /// Sets fields of a record; others stay. An expiry that was set stays.
    Put {
        /// The record.
        key: Key,
        /// Fields and values; at least one.
        fields: Vec<(FieldName, Bytes)>,
    },
    /// Adds to fields of a record that hold numbers in decimal; what is absent, damaged or no number counts as 0. An
    /// expiry that was set stays.
    Add {
        /// The record.
        key: Key,
        /// Fields and what is added; at least one. Sums stay within 2^53.
        fields: Vec<(FieldName, i64)>,
    },
    /// Removes fields of a record; one without fields is gone.
    Unset {
        /// The record.
        key: Key,
        /// The fields; at least one.
        fields: Vec<FieldName>,
    },
    /// Removes a record, a log with its ids, or a ranking, if it is there.
    Remove {
        /// Which.
        key: Key,
    },
    /// Lets a record, log or ranking expire so long from now, in place of what was set before; no effect if it is not
    /// there. At least 1 ms.
    Expire {
        /// Which.
        key: Key,
        /// From now.
        after: Duration,
    },
    /// The same, so long from now or up to a minute later: for what one transaction after another lets expire anew, since
    /// a store need not write a time that stays the same.
    Keep {
        /// Which.
        key: Key,
        /// From now, at least.
        after: Duration,
    },
    /// Appends entries to a log; each takes the next id, the first is 1.
    Append {
        /// The log.
        key: Key,
        /// The entries; at least one.
        entries: Vec<Bytes>,
    },
    /// Removes all entries of a log but the latest `keep`; its ids go on.
    Trim {
        /// The log.
        key: Key,
        /// How many stay.
        keep: usize,
    },
    /// Puts a member into a ranking, or moves it.
    Rank {
        /// The ranking.
        key: Key,
        /// The member.
        member: String,
        /// Its score: an integer of at most 2^53.
        score: i64,
    },
    /// Takes members out of a ranking.
    Unrank {
        /// The ranking.
        key: Key,
        /// The members; at least one.
        members: Vec<String>,
    },
    /// Takes members out of a ranking if they still have these scores.
    UnrankAt {
        /// The ranking.
        key: Key,
        /// Members and the scores that they must have; at least one.
        members: Vec<(String, i64)>,
    },
    /// Takes all members with scores up to this one out of a ranking.
    UnrankUpTo {
        /// The ranking.
        key: Key,
        /// The highest score that goes.
        score: i64,
    },
    /// Takes a lease, whoever holds it, under a new token that [`Applied::token`] tells. Combined with
    /// [`Check::LeaseFree`]. A transaction may mint one token.
    TakeLease {
        /// The lease.
        key: Key,
        /// How long it lasts.
        ttl: Duration,
        /// Told to whom finds it held.
        holder: Bytes,
    },
    /// Makes a lease last so long from now. Combined with [`Check::LeaseHeld`].
    RenewLease {
        /// The lease.
        key: Key,
        /// How long it lasts from now.
        ttl: Duration,
    },
    /// Gives a lease back, whoever holds it.
    ReleaseLease {
        /// The lease.
        key: Key,
    },
    /// Sets a field to a new token, above all that were minted in this partition before; [`Applied::token`] tells it.
    Fence {
        /// The record.
        key: Key,
        /// The field.
        field: &'static str,
    },
}

/// The name of a field of a record.
pub type FieldName = std::borrow::Cow<'static, str>;

/// Something to read.
#[derive(Debug, Clone)]
pub enum Read {
    /// Named fields of a record; answered by [`Found::Fields`] in the same order.
    Fields {
        /// The record.
        key: Key,
        /// The fields.
        fields: Vec<FieldName>,
    },
    /// All fields of a record in no order; answered by [`Found::Record`].
    Record {
        /// The record.
        key: Key,
    },
    /// Entries with ids above `after`, oldest first; answered by [`Found::Entries`].
    LogAfter {
        /// The log.
        key: Key,
        /// 0 for the beginning.
        after: i64,
        /// At most so many.
        limit: usize,
    },
    /// Entries with ids below `before`, newest first; answered by [`Found::Entries`].
    LogBefore {
        /// The log.
        key: Key,
        /// `i64::MAX` for the end.
        before: i64,
        /// At most so many.
        limit: usize,
    },
    /// Members with scores between two, both included, lowest first; answered by [`Found::Members`].
    Lowest {
        /// The ranking.
        key: Key,
        /// The lowest score wanted.
        from: i64,
        /// The highest score wanted.
        to: i64,
        /// At most so many.
        limit: usize,
    },
    /// The same, highest first.
    Highest {
        /// The ranking.
        key: Key,
        /// The lowest score wanted.
        from: i64,
        /// The highest score wanted.
        to: i64,
        /// At most so many.
        limit: usize,
    },
}

/// What a read found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The named fields.
    Fields(Vec<Option<Bytes>>),
    /// All fields, ordered by name.
    Record(Vec<(String, Bytes)>),
    /// Ids and entries.
    Entries(Vec<(i64, Bytes)>),
    /// Members and scores; those with one score in the order of their bytes (of its reverse, highest first).
    Members(Vec<(String, i64)>),
}

/// How a transaction went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All checks held.
    Applied(Applied),
    /// One did not; nothing was written or read.
    Refused(Refused),
}

/// A transaction that was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// The token that it minted, if it minted one.
    pub token: Option<i64>,
    /// What its reads found, in their order.
    pub found: Vec<Found>,
}

/// A transaction that was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The place of the first check that did not hold.
    pub check: usize,
    /// What that check tells: the named fields; the holder's bytes for a lease that is not free; else nothing.
    pub told: Vec<Option<Bytes>>,
    /// What is left of a lease that is not free.
    pub lease_remainder: Option<Duration>,
}
