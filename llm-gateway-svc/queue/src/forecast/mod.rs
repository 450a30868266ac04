//! How long a wait will be: service times, and a simulation of the order that is run forward.

mod simulated_order;

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
    time::Duration,
};

use self::simulated_order::SimulatedOrder;
use crate::{
    order::{EntryId, Micros},
    snapshot::OrderSnapshot,
};

/// How many calls the mean remembers.
const MEMORY: u64 = 32;

/// Standard deviations between the mean and the bound: as many as a normal distribution needs for nineteen in twenty.
const DEVIATIONS: f64 = 1.65;
/// Standard deviations more where times vary as much as their mean: such times are skewed.
const SKEW_DEVIATIONS: f64 = 1.2;
/// The part of a wait, and the microseconds besides, that are added to its bound for what takes time besides the calls.
const OVERHEAD_SHARE: f64 = 0.02;
const OVERHEAD: f64 = 5_000.0;

/// How much a service time is assumed to vary, as a part of the mean, before anything is known of that.
const PRIOR_VARIATION: f64 = 0.15;

/// The service times of recent calls: an exponentially weighted mean and variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceTimes {
    /// How many have been measured.
    pub count: u64,
    /// Their mean, in microseconds.
    pub mean: f64,
    /// Their variance, in square microseconds.
    pub variance: f64,
}

/// A slot, as far as a forecast needs to know it: since when a call runs in it; none if it is free.
pub type Busy = Option<Micros>;

/// The estimate of an entry's wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitEstimate {
    /// The entry.
    pub id: EntryId,
    /// Where it is in [`OrderSnapshot::entries`].
    pub index: usize,
    /// 1 for who starts next.
    pub position: usize,
    /// How long it will take until the start, in the mean.
    pub expected: Duration,
    /// How long it will take at the most, nineteen times in twenty.
    pub bound: Duration,
}

impl WaitEstimate {
    /// Whether this is too long for who may wait so long. For a newcomer it is, unless it starts in time nineteen times in
    /// twenty: else it might wait for nothing. Who returns with its ticket has followed its retry hint, and stays if it is
    /// expected to start in time.
    pub fn is_too_long(&self, allowed: Duration, has_ticket: bool) -> bool {
        let wait = if has_ticket {
            self.expected
        } else {
            self.bound
        };
        wait > allowed
    }
}

impl ServiceTimes {
    /// None have been measured; this mean is assumed until one is.
    pub fn prior(mean: Duration) -> Self {
        let mean = mean.as_secs_f64() * 1e6;
        Self {
            count: 0,
            mean,
            variance: (PRIOR_VARIATION * mean).powi(2),
        }
    }

    /// The mean.
    pub fn mean(&self) -> Duration {
        Duration::from_micros(self.mean as u64)
    }

    /// The square of the coefficient of variation: 0 for constant times, 1 for exponential ones, and never more.
    fn varies(&self) -> f64 {
        (self.variance / (self.mean * self.mean).max(1.0)).min(1.0)
    }

    /// Learns a service time.
    ///
    /// The first replaces what was assumed, and is thought to vary by [`PRIOR_VARIATION`] of itself. Each later one moves the mean
    /// by `alpha = max(1/n, 1/32)` of its difference `d`, and the variance to `(1 − alpha)(variance + alpha d²)`
    /// (Finch, *Incremental calculation of weighted mean and variance*, 2009).
    pub fn record(&mut self, service_time: Duration) {
        let time = service_time.as_secs_f64() * 1e6;
        self.count += 1;
        if self.count == 1 {
            self.mean = time;
            self.variance = (PRIOR_VARIATION * time).powi(2);
            return;
        }
        let alpha = 1.0 / self.count.min(MEMORY) as f64;
        let difference = time - self.mean;
        self.mean += alpha * difference;
        self.variance = (1.0 - alpha) * (self.variance + alpha * difference * difference);
    }
}

/// Estimates the wait of everybody in the queue, in the order of their starts, with absent ones as if they were there.
/// Empty if there are no slots.
///
/// The order is run forward: each slot becomes free when its call has taken the time that is to be expected, and each start
/// keeps it busy for the mean. `snapshot` is sorted.
///
/// The bound adds [`DEVIATIONS`] standard deviations, and up to [`SKEW_DEVIATIONS`] more. A start that `k` calls of `c`
/// slots each come before varies by what is left of the first call, by `k / c` times the variance of a call, and by `k²`
/// times the variance of the mean itself; and a little for what takes time besides the calls.
pub fn estimate_waits(
    snapshot: &OrderSnapshot,
    slots: &[Busy],
    times: &ServiceTimes,
    aging: Duration,
    now: Micros,
) -> Vec<WaitEstimate> {
    let mut slots: BinaryHeap<Reverse<NextFree>> = slots
        .iter()
        .map(|busy| Reverse(NextFree::first(*busy, times, now)))
        .collect();
    let count = slots.len() as f64;
    let sure = DEVIATIONS + SKEW_DEVIATIONS * times.varies().sqrt();
    let mut order = SimulatedOrder::new(snapshot, aging, now);
    let mut estimates = Vec::with_capacity(snapshot.entries.len());
    while let Some(mut slot) = slots.peek_mut()
        && let Some(index) = order.start(now.saturating_add(slot.0.free_in))
    {
        let Some(entry) = snapshot.entries.get(index) else {
            break;
        };
        let next = &mut slot.0;
        let calls = next.calls as f64;
        let variance = next.rest_variance
            + calls / count * times.variance
            + calls * calls * times.variance / times.count.clamp(1, MEMORY) as f64;
        let free_in = next.free_in as f64;
        let bound = free_in * (1.0 + OVERHEAD_SHARE) + sure * variance.sqrt() + OVERHEAD;
        estimates.push(WaitEstimate {
            id: entry.id,
            index,
            position: estimates.len() + 1,
            expected: Duration::from_micros(next.free_in),
            bound: Duration::from_micros(bound as u64),
        });
        next.free_in = next.free_in.saturating_add(times.mean as u64);
        next.calls += 1;
    }
    estimates
}

/// When a slot is next free.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NextFree {
    free_in: Micros,
    /// How many simulated calls come before.
    calls: u32,
    /// The variance of what is left of the running call.
    rest_variance: f64,
}

impl Eq for NextFree {}

impl PartialOrd for NextFree {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for NextFree {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.free_in, self.calls)
            .cmp(&(other.free_in, other.calls))
            .then(self.rest_variance.total_cmp(&other.rest_variance))
    }
}

impl NextFree {
    /// Of a slot as it is now.
    ///
    /// What is left of a call lies between two cases: times that hardly vary leave the mean less what has passed, and
    /// times that vary as much as their mean (exponential ones) leave the mean, whatever has passed. The square of the
    /// coefficient of variation says how far a call is from the one to the other. A call that runs longer than it should
    /// is assumed to do so for a quarter of that again.
    fn first(busy: Busy, times: &ServiceTimes, now: Micros) -> Self {
        let Some(since) = busy else {
            return Self {
                free_in: 0,
                calls: 0,
                rest_variance: 0.0,
            };
        };
        let passed = now.saturating_sub(since) as f64;
        let varies = times.varies();
        let left = (times.mean - passed).max(0.0) * (1.0 - varies) + times.mean * varies;
        let overdue = (passed - times.mean).max(0.0) / 4.0;
        Self {
            free_in: left.max(overdue).max(times.mean / 20.0) as Micros,
            calls: 0,
            rest_variance: times.variance,
        }
    }
}
