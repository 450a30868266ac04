//! The options of a queue, and their bounds.

use std::{collections::BTreeMap, ops::RangeInclusive, time::Duration};

/// The options of a queue.
#[derive(Debug, Clone)]
pub struct QueueOptions {
    /// The calls that the model works on at once, over all replicas: 1 to 4096.
    pub slots: usize,
    /// How many replicas share the slots: 1 to 1024. Slot i is replica i mod `replicas`'s own.
    pub replicas: usize,
    /// Which of them this process is, from 0 to 1023. One beyond their number has no slot of its own, only what is lent to it.
    pub replica_index: usize,
    /// The classes' weights against each other: 1 to 1000. A class that is not here weighs 1.
    pub weights: BTreeMap<String, u32>,
    /// How many may wait, places that are held included: 1 to 100,000.
    pub max_entries: usize,
    /// The bytes that the waiting requests of this process may hold.
    pub max_bytes: usize,
    /// While interactive requests wait, one batch request starts in each of these spans nevertheless.
    pub aging: Duration,
    /// For how long a place is held after the time of its owner's retry hint.
    pub place_grace: Duration,
    /// The service time to assume until a call has been measured; more than 0.
    pub service_time: Duration,
    /// A shared queue asks Redis how it stands when no message has come for so long. A local queue has nobody to ask.
    pub poll: Duration,
    /// The time after which the slot of a process that died is given to others.
    pub slot_ttl: Duration,
}

impl QueueOptions {
    /// A queue of one process with so many slots and everything else as it usually is.
    pub fn with_slots(slots: usize) -> Self {
        Self {
            slots,
            replicas: 1,
            replica_index: 0,
            weights: BTreeMap::new(),
            max_entries: 10_000,
            max_bytes: 64 * 1024 * 1024,
            aging: Duration::from_secs(30),
            place_grace: Duration::from_secs(5),
            service_time: Duration::from_secs(2),
            poll: Duration::from_millis(200),
            slot_ttl: Duration::from_secs(120),
        }
    }

    /// A class's weight.
    pub fn weight(&self, class: &str) -> u32 {
        self.weights.get(class).copied().unwrap_or(1)
    }

    /// Whether a slot is this replica's own.
    pub fn owns(&self, slot: usize) -> bool {
        slot % self.replicas == self.replica_index
    }

    /// Fails with the first option that is out of its bounds.
    pub fn check(&self) -> Result<(), InvalidOption> {
        within("slots", self.slots, 1..=4096)?;
        within("replicas", self.replicas, 1..=1024)?;
        within("replica_index", self.replica_index, 0..=1023)?;
        within("max_entries", self.max_entries, 1..=100_000)?;
        for weight in self.weights.values() {
            within("weights", *weight as usize, 1..=1000)?;
        }
        for (option, span) in [
            ("aging", self.aging),
            ("service_time", self.service_time),
            ("poll", self.poll),
            ("slot_ttl", self.slot_ttl),
        ] {
            if span.is_zero() {
                return Err(InvalidOption {
                    option,
                    bounds: "more than 0".to_owned(),
                });
            }
        }
        Ok(())
    }
}

fn within(
    option: &'static str,
    value: usize,
    bounds: RangeInclusive<usize>,
) -> Result<(), InvalidOption> {
    if bounds.contains(&value) {
        return Ok(());
    }
    Err(InvalidOption {
        option,
        bounds: format!("{} to {}", bounds.start(), bounds.end()),
    })
}

/// An option that is out of its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option} must be {bounds}")]
pub struct InvalidOption {
    /// The field of [`QueueOptions`].
    pub option: &'static str,
    /// Its bounds.
    pub bounds: String,
}
