//! A replica's own slots as it knows them: what it may use while Redis is out of reach.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;

use crate::order::Micros;

/// A replica's own slots.
#[derive(Debug)]
pub(super) struct OwnSlots {
    slots: BTreeMap<usize, Own>,
    /// Nothing that is told of them now is to be relied on.
    is_frozen: bool,
}

/// What is known of one.
#[derive(Debug, Clone)]
struct Own {
    /// Since when it is so, on Redis' clock: notices may come late.
    as_of: Micros,
    holder: Holder,
}

/// Who has a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Holder {
    /// Nobody, or this process, which knows its calls.
    None,
    /// Another process, until then at the latest.
    Other {
        process: String,
        fence: u64,
        until: Instant,
    },
    /// Perhaps a process that an earlier process of this replica lent it to, until then at the latest.
    Unknown { until: Instant },
}

/// A slot that another process has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lent {
    pub(super) slot: usize,
    pub(super) process: String,
    pub(super) fence: u64,
    pub(super) since: Micros,
    pub(super) left: Duration,
}

impl OwnSlots {
    /// These slots. Nothing is known of them, but that whoever has one has it until then at the latest.
    pub(super) fn unknown(slots: impl Iterator<Item = usize>, until: Instant) -> Self {
        let own = Own {
            as_of: 0,
            holder: Holder::Unknown { until },
        };
        Self {
            slots: slots.map(|slot| (slot, own.clone())).collect(),
            is_frozen: false,
        }
    }

    /// Nothing that is told of them is to be relied on until [`Self::thaw`].
    pub(super) fn freeze(&mut self) {
        self.is_frozen = true;
    }

    /// What is told of them is true again.
    pub(super) fn thaw(&mut self) {
        self.is_frozen = false;
    }

    /// Whether what is told of them is not to be relied on.
    pub(super) fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether this slot is one.
    pub(super) fn has(&self, slot: usize) -> bool {
        self.slots.contains_key(&slot)
    }

    /// Another process has this slot since `at`, until then at the latest unless it renews its lease.
    pub(super) fn lent(
        &mut self,
        slot: usize,
        process: String,
        fence: u64,
        at: Micros,
        until: Instant,
    ) {
        self.learn(
            slot,
            at,
            Holder::Other {
                process,
                fence,
                until,
            },
        );
    }

    /// No other process has this slot since `at`.
    pub(super) fn back(&mut self, slot: usize, at: Micros) {
        self.learn(slot, at, Holder::None);
    }

    fn learn(&mut self, slot: usize, at: Micros, holder: Holder) {
        if !self.is_frozen
            && let Some(own) = self.slots.get_mut(&slot)
            && own.as_of <= at
        {
            *own = Own { as_of: at, holder };
        }
    }

    /// Redis is out of reach from now on. Whoever has a slot may have renewed its lease a moment ago, but renews it no more.
    pub(super) fn detach(&mut self, now: Instant, lease: Duration) {
        for own in self.slots.values_mut() {
            if let Holder::Other { until, .. } | Holder::Unknown { until } = &mut own.holder {
                *until = (*until).max(now + lease);
            }
        }
    }

    /// The slots that no other process has at `now`.
    pub(super) fn free(&self, now: Instant) -> impl Iterator<Item = usize> {
        self.slots
            .iter()
            .filter(move |(_, own)| own.holder.until().is_none_or(|until| until <= now))
            .map(|(slot, _)| *slot)
    }

    /// When the next slot comes back from another process at the latest.
    pub(super) fn next_back(&self, now: Instant) -> Option<Instant> {
        let untils = self.slots.values().filter_map(|own| own.holder.until());
        untils.filter(|until| *until > now).min()
    }

    /// The slots that other processes are known to have.
    pub(super) fn lent_out(&self, now: Instant) -> impl Iterator<Item = Lent> {
        self.slots
            .iter()
            .filter_map(move |(slot, own)| match &own.holder {
                Holder::Other {
                    process,
                    fence,
                    until,
                } if *until > now => Some(Lent {
                    slot: *slot,
                    process: process.clone(),
                    fence: *fence,
                    since: own.as_of,
                    left: *until - now,
                }),
                _ => None,
            })
    }
}

impl Holder {
    fn until(&self) -> Option<Instant> {
        match self {
            Self::None => None,
            Self::Other { until, .. } | Self::Unknown { until } => Some(*until),
        }
    }
}
