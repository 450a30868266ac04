//! The leases of running turns. They live in memory and die with the process: beginning a turn writes nothing.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::time::Instant;

use crate::{error::SessionError, store::StudentKey};

/// Fencing tokens of one start of the process; the number of the start stands above these bits.
const TOKEN_BITS: u32 = 40;
/// Leases that have run out are looked for only when there are more than this many.
const SWEEP_AT_LEAST: usize = 1024;

type LeaseKey = (StudentKey, String);

/// Who holds a thread, and until when.
#[derive(Debug)]
struct Lease {
    fencing_token: i64,
    idempotency_key: String,
    fingerprint: Bytes,
    ends: Instant,
    /// Its turn is being written: until that is done nobody else may begin, whatever the time.
    committing: bool,
}

impl Lease {
    fn is_held(&self, now: Instant) -> bool {
        self.committing || now < self.ends
    }
}

#[derive(Debug)]
struct Table {
    leases: HashMap<LeaseKey, Lease>,
    sweep_at: usize,
}

/// All leases of the process.
#[derive(Debug)]
pub(super) struct Leases {
    table: Mutex<Table>,
    next_token: AtomicI64,
    ttl: Duration,
}

impl Leases {
    /// No leases. `start` is a number that no earlier start of the process on this store had: so no token comes twice.
    pub(super) fn new(start: i64, ttl: Duration) -> Self {
        Self {
            table: Mutex::new(Table {
                leases: HashMap::new(),
                sweep_at: SWEEP_AT_LEAST,
            }),
            next_token: AtomicI64::new((start << TOKEN_BITS) + 1),
            ttl,
        }
    }

    /// How long a lease lasts.
    pub(super) fn ttl(&self) -> Duration {
        self.ttl
    }

    /// Takes a thread's lease; answers its fencing token.
    pub(super) fn take(
        &self,
        student: &StudentKey,
        thread_id: &str,
        idempotency_key: &str,
        fingerprint: &Bytes,
    ) -> Result<i64, SessionError> {
        let now = Instant::now();
        let key = (student.clone(), thread_id.to_owned());
        let mut table = self.lock();
        if let Some(holder) = table.leases.get(&key).filter(|l| l.is_held(now)) {
            if holder.idempotency_key == idempotency_key && holder.fingerprint != *fingerprint {
                return Err(SessionError::IdempotencyConflict);
            }
            return Err(SessionError::TurnInProgress {
                lease_remainder: holder.ends.saturating_duration_since(now),
            });
        }
        if table.leases.len() >= table.sweep_at {
            table.leases.retain(|_, lease| lease.is_held(now));
            table.sweep_at = SWEEP_AT_LEAST.max(table.leases.len() * 2);
        }
        let fencing_token = self.next_token.fetch_add(1, Ordering::Relaxed);
        table.leases.insert(
            key,
            Lease {
                fencing_token,
                idempotency_key: idempotency_key.to_owned(),
                fingerprint: fingerprint.clone(),
                ends: now + self.ttl,
                committing: false,
            },
        );
        Ok(fencing_token)
    }

    /// Makes a lease last its full time again; false if it is not held by this token.
    pub(super) fn renew(&self, student: &StudentKey, thread_id: &str, fencing_token: i64) -> bool {
        let now = Instant::now();
        let key = (student.clone(), thread_id.to_owned());
        match self.lock().leases.get_mut(&key) {
            Some(lease) if lease.fencing_token == fencing_token && lease.is_held(now) => {
                lease.ends = now + self.ttl;
                true
            }
            _ => false,
        }
    }

    /// Gives a lease back, unless it is not held by this token or its turn is being written.
    pub(super) fn give_back(&self, student: &StudentKey, thread_id: &str, fencing_token: i64) {
        let key = (student.clone(), thread_id.to_owned());
        let mut table = self.lock();
        if table
            .leases
            .get(&key)
            .is_some_and(|l| l.fencing_token == fencing_token && !l.committing)
        {
            table.leases.remove(&key);
        }
    }

    /// Keeps a lease from running out while its turn is written; `None` if it is not held by this token, or is being
    /// written by another call.
    pub(super) fn hold(
        self: &Arc<Self>,
        student: &StudentKey,
        thread_id: &str,
        fencing_token: i64,
    ) -> Option<Held> {
        let now = Instant::now();
        let key = (student.clone(), thread_id.to_owned());
        let mut table = self.lock();
        let lease = table.leases.get_mut(&key)?;
        if lease.fencing_token != fencing_token || lease.committing || !lease.is_held(now) {
            return None;
        }
        lease.committing = true;
        Some(Held {
            leases: Arc::clone(self),
            key,
            fencing_token,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lease that does not run out while this lives. Dropped without [`Held::release`], it is a lease like before.
#[derive(Debug)]
pub(super) struct Held {
    leases: Arc<Leases>,
    key: LeaseKey,
    fencing_token: i64,
}

impl Held {
    /// Ends the lease: its turn is stored.
    pub(super) fn release(self) {
        self.leases.lock().leases.remove(&self.key);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut table = self.leases.lock();
        // After a release the thread may be somebody else's already.
        if let Some(lease) = table.leases.get_mut(&self.key)
            && lease.fencing_token == self.fencing_token
        {
            lease.committing = false;
        }
    }
}
