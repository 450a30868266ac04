//! Who may hold a connection: those that have proved themselves by a first request, and those that still have to.
//!
//! The two have places of their own, so neither takes the other's. Where places run out, somebody makes place: among the
//! unproved the oldest of the address that has most of them, since whoever means to call does so at once; among the
//! proved the one that has been without a call for longest, since its owner loses least.

use std::{
    collections::{BTreeMap, HashMap},
    future::pending,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep, sleep_until};

use super::{ARRIVAL, ConnectionLimits};
use crate::{
    CancellationToken,
    metrics::{ConnectionMetrics, Ended},
};

/// The places of one listener.
pub(super) struct Places {
    limits: ConnectionLimits,
    /// What times of last calls are counted from.
    opened: Instant,
    metrics: ConnectionMetrics,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    last_id: u64,
    /// By age.
    unproved: BTreeMap<u64, Arc<Held>>,
    proved: HashMap<u64, Arc<Held>>,
}

struct Held {
    address: IpAddr,
    proved: CancellationToken,
    calls: AtomicUsize,
    /// In milliseconds since the listener opened.
    last_call: AtomicU64,
    /// Somebody else got the place.
    lost: CancellationToken,
}

/// A connection's place, given back when it is dropped.
pub(super) struct Place {
    id: u64,
    until: Instant,
    held: Arc<Held>,
    places: Arc<Places>,
}

/// A call on a connection that counts as use, until it is dropped.
pub(super) struct Call(Arc<Place>);

impl Places {
    pub(super) fn new(limits: ConnectionLimits, metrics: ConnectionMetrics) -> Arc<Self> {
        Arc::new(Self {
            limits,
            opened: Instant::now(),
            metrics,
            table: Mutex::default(),
        })
    }

    /// Takes a connection in. If there is no place for it, an older one loses its own.
    pub(super) fn enter(self: &Arc<Self>, peer: IpAddr) -> Place {
        let held = Arc::new(Held {
            address: network(peer),
            proved: CancellationToken::new(),
            calls: AtomicUsize::new(0),
            last_call: AtomicU64::new(self.now()),
            lost: CancellationToken::new(),
        });
        let mut table = self.table();
        if let Some(oldest) = table.crowded_out(held.address, &self.limits)
            && let Some(leaves) = table.unproved.remove(&oldest)
        {
            self.metrics.ended(Ended::Crowded);
            leaves.lost.cancel();
        }
        table.last_id += 1;
        let id = table.last_id;
        table.unproved.insert(id, Arc::clone(&held));
        self.metrics.opened();
        Place {
            id,
            until: Instant::now() + self.limits.proof,
            held,
            places: Arc::clone(self),
        }
    }

    /// Moves a connection to the proved ones; says whether there is a place for it.
    fn prove(&self, id: u64) -> bool {
        let mut table = self.table();
        // One that has just lost its place stays without.
        let Some(held) = table.unproved.get(&id).cloned() else {
            return table.proved.contains_key(&id);
        };
        if table.proved.len() >= self.limits.proved() {
            let quiet = table
                .proved
                .iter()
                .filter(|(_, held)| held.calls.load(Ordering::SeqCst) == 0)
                .min_by_key(|(_, held)| held.last_call.load(Ordering::SeqCst))
                .map(|(id, _)| *id);
            let Some(leaves) = quiet.and_then(|id| table.proved.remove(&id)) else {
                return false;
            };
            self.metrics.ended(Ended::Displaced);
            leaves.lost.cancel();
        }
        table.unproved.remove(&id);
        held.proved.cancel();
        table.proved.insert(id, held);
        true
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// The unproved connection that makes place for one more from `address`, if one must.
    fn crowded_out(&self, address: IpAddr, limits: &ConnectionLimits) -> Option<u64> {
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for held in self.unproved.values() {
            *counts.entry(held.address).or_default() += 1;
        }
        let crowded = if counts.get(&address).copied().unwrap_or(0) >= limits.unproved_per_address {
            address
        } else if self.unproved.len() >= limits.unproved() {
            counts.into_iter().max_by_key(|(_, count)| *count)?.0
        } else {
            return None;
        };
        let oldest = self.unproved.iter().find(|(_, h)| h.address == crowded)?;
        Some(*oldest.0)
    }
}

impl Place {
    /// Notes a request, which proves the connection. `None`: every place is taken by connections with calls.
    pub(super) fn call(self: &Arc<Self>) -> Option<Call> {
        let call = Call::begin(self);
        if !self.is_proved() && !self.places.prove(self.id) {
            return None;
        }
        Some(call)
    }

    /// Notes a request that anybody may send: it proves the connection where there is place, and does not keep it.
    pub(super) fn touch(self: &Arc<Self>) {
        drop(self.call());
    }

    /// Counts an end that this connection came to.
    pub(super) fn ended(&self, how: Ended) {
        self.places.metrics.ended(how);
    }

    /// Returns when the connection must go at once: it has lost its place, or has not proved itself until its farewell was over.
    pub(super) async fn lost(&self) {
        tokio::select! {
            () = self.held.lost.cancelled() => return,
            () = sleep_until(self.until + ARRIVAL) => {}
        }
        if self.is_proved() {
            self.held.lost.cancelled().await;
        }
    }

    /// Returns when the time to prove itself is over, for a connection that has not.
    pub(super) async fn late(&self) {
        sleep_until(self.until).await;
        if self.is_proved() {
            pending::<()>().await;
        }
        self.ended(Ended::Unproved);
    }

    /// Returns when the connection has proved itself.
    pub(super) async fn proved(&self) {
        self.held.proved.cancelled().await;
    }

    /// Returns when the connection has been without a call for as long as one may be.
    pub(super) async fn idle(&self) {
        let most = self.places.limits.idle;
        loop {
            let since = self.held.last_call.load(Ordering::SeqCst);
            let idle = Duration::from_millis(self.places.now().saturating_sub(since));
            if self.has_calls() {
                sleep(most).await;
            } else if idle < most {
                sleep(most - idle).await;
            } else {
                return self.ended(Ended::Idle);
            }
        }
    }

    /// Whether a call is running that the connection must be kept for.
    pub(super) fn has_calls(&self) -> bool {
        self.held.calls.load(Ordering::SeqCst) > 0
    }

    fn is_proved(&self) -> bool {
        self.held.proved.is_cancelled()
    }

    fn note_use(&self) {
        let now = self.places.now();
        self.held.last_call.store(now, Ordering::SeqCst);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.places.table();
        table.unproved.remove(&self.id);
        table.proved.remove(&self.id);
        self.places.metrics.closed();
    }
}

impl Call {
    fn begin(place: &Arc<Place>) -> Self {
        place.held.calls.fetch_add(1, Ordering::SeqCst);
        place.note_use();
        Self(Arc::clone(place))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.note_use();
        self.0.held.calls.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What counts as one address: with IPv6 one customer has a /64, and every address in it.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) >> 64 << 64).into()),
        v4 => v4,
    }
}
