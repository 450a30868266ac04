//! The leases. They live in memory and die with the process: to take one writes nothing.
//!
//! A transaction that is being brought to disk pins the leases that it looked at or changes: nobody sees what it made
//! of them before it is on disk, and nobody decides anything about them until then. So whoever finds a lease free
//! also finds what its last holder wrote.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::{sync::Notify, time::Instant};

use super::rows::Name;
use crate::{Check, Partition, Transaction, Write};

/// Tokens of one start of the process; the number of the start stands above these bits.
const TOKEN_BITS: u32 = 40;
/// Leases that have run out are looked for only when there are more than this many.
const SWEEP_AT_LEAST: usize = 1024;

/// Who holds a lease, and until when.
#[derive(Debug, Clone)]
pub(super) struct Lease {
    /// The token that it was taken under.
    pub(super) token: i64,
    /// Told to whom finds it held.
    pub(super) holder: Bytes,
    /// What is left of it.
    pub(super) remainder: Duration,
}

#[derive(Debug, Clone)]
struct Held {
    token: i64,
    holder: Bytes,
    ends: Instant,
}

/// A lease as all see it and, while it is pinned, as it will be once the pinning transaction is on disk.
#[derive(Debug, Default)]
struct Slot {
    now: Option<Held>,
    then: Option<Option<Held>>,
}

impl Slot {
    fn latest(&self) -> Option<&Held> {
        self.then.as_ref().unwrap_or(&self.now).as_ref()
    }

    fn latest_mut(&mut self) -> &mut Option<Held> {
        self.then.as_mut().unwrap_or(&mut self.now)
    }
}

/// All leases of the process.
#[derive(Debug)]
pub(super) struct Leases {
    slots: Mutex<Slots>,
    next_token: AtomicI64,
    unpinned: Notify,
}

/// All leases, for as long as nobody else can look at them.
#[derive(Debug)]
pub(super) struct Slots {
    slots: HashMap<Name, Slot>,
    sweep_at: usize,
}

impl Leases {
    /// No leases. `start` is a number that no earlier start of the process on this store had: so no token comes twice.
    pub(super) fn new(start: i64) -> Self {
        Self {
            slots: Mutex::new(Slots {
                slots: HashMap::new(),
                sweep_at: SWEEP_AT_LEAST,
            }),
            next_token: AtomicI64::new((start << TOKEN_BITS) + 1),
            unpinned: Notify::new(),
        }
    }

    /// A token above all before it.
    pub(super) fn mint(&self) -> i64 {
        self.next_token.fetch_add(1, Ordering::Relaxed)
    }

    /// The leases; whoever has them must not wait for anything.
    pub(super) fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Told when leases are no longer pinned.
    pub(super) fn unpinned(&self) -> &Notify {
        &self.unpinned
    }
}

impl Slots {
    /// Who holds a lease.
    pub(super) fn holder(&self, name: &Name) -> Option<Lease> {
        let held = self.slots.get(name)?.latest()?;
        let now = Instant::now();
        (now < held.ends).then(|| Lease {
            token: held.token,
            holder: held.holder.clone(),
            remainder: held.ends - now,
        })
    }

    /// Whether a transaction that is being brought to disk may change the lease.
    pub(super) fn is_pinned(&self, name: &Name) -> bool {
        self.slots.get(name).is_some_and(|slot| slot.then.is_some())
    }

    /// Does the part of a write that is about leases; answers the token that was minted.
    pub(super) fn change(
        &mut self,
        leases: &Leases,
        partition: &Partition,
        write: &Write,
    ) -> Option<i64> {
        match write {
            Write::TakeLease { key, ttl, holder } => {
                let token = leases.mint();
                self.sweep();
                let slot = self.slots.entry(Name::new(partition, key)).or_default();
                *slot.latest_mut() = Some(Held {
                    token,
                    holder: holder.clone(),
                    ends: Instant::now() + *ttl,
                });
                return Some(token);
            }
            Write::RenewLease { key, ttl } => {
                let now = Instant::now();
                if let Some(slot) = self.slots.get_mut(&Name::new(partition, key))
                    && let Some(held) = slot.latest_mut()
                    && now < held.ends
                {
                    held.ends = now + *ttl;
                }
            }
            Write::ReleaseLease { key } => {
                if let Some(slot) = self.slots.get_mut(&Name::new(partition, key)) {
                    *slot.latest_mut() = None;
                }
            }
            _ => {}
        }
        None
    }

    /// Gives a lease back if it is still held under this token.
    pub(super) fn give_back(&mut self, name: &Name, token: i64) {
        if let Some(slot) = self.slots.get_mut(name)
            && slot.latest().is_some_and(|held| held.token == token)
        {
            *slot.latest_mut() = None;
        }
    }

    fn sweep(&mut self) {
        if self.slots.len() >= self.sweep_at {
            let now = Instant::now();
            self.slots.retain(|_, slot| {
                slot.then.is_some() || slot.now.as_ref().is_some_and(|held| now < held.ends)
            });
            self.sweep_at = SWEEP_AT_LEAST.max(self.slots.len() * 2);
        }
    }
}

/// The leases that are pinned by what is being brought to disk. Dropped without [`Pins::commit`], all is as before.
#[derive(Debug)]
pub(super) struct Pins {
    leases: Arc<Leases>,
    names: Vec<Name>,
}

impl Pins {
    /// Nothing is pinned.
    pub(super) fn new(leases: &Arc<Leases>) -> Self {
        Self {
            leases: Arc::clone(leases),
            names: Vec::new(),
        }
    }

    /// Pins a lease: what changes from now on is seen after [`Pins::commit`].
    pub(super) fn pin(&mut self, slots: &mut Slots, name: Name) {
        let slot = slots.slots.entry(name.clone()).or_default();
        if slot.then.is_none() {
            slot.then = Some(slot.now.clone());
            self.names.push(name);
        }
    }

    /// All is on disk: the changes are there for everybody.
    pub(super) fn commit(mut self) {
        self.unpin(true);
    }

    fn unpin(&mut self, committed: bool) {
        if self.names.is_empty() {
            return;
        }
        let mut slots = self.leases.lock();
        for name in self.names.drain(..) {
            if let Some(slot) = slots.slots.get_mut(&name) {
                if let Some(then) = slot.then.take()
                    && committed
                {
                    slot.now = then;
                }
                if slot.now.is_none() {
                    slots.slots.remove(&name);
                }
            }
        }
        drop(slots);
        self.leases.unpinned.notify_waiters();
    }
}

impl Drop for Pins {
    fn drop(&mut self) {
        self.unpin(false);
    }
}

/// The leases that a transaction looks at or changes.
pub(super) fn names(partition: &Partition, transaction: &Transaction) -> Vec<Name> {
    let checked = transaction.checks.iter().filter_map(|check| match check {
        Check::LeaseFree { key, .. } | Check::LeaseHeld { key, .. } => Some(key),
        _ => None,
    });
    let changed = transaction.writes.iter().filter_map(|write| match write {
        Write::TakeLease { key, .. }
        | Write::RenewLease { key, .. }
        | Write::ReleaseLease { key } => Some(key),
        _ => None,
    });
    let keys = checked.chain(changed);
    keys.map(|key| Name::new(partition, key)).collect()
}
