//! Limits and budgets that this process keeps by itself.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::time::Instant;
use turnwise_kit::Clock;

use crate::{
    Bound, Hit, Refused,
    bounded_map::BoundedMap,
    daily_budget,
    gcra::{Level, Meter},
};

/// How many keys of each kind are remembered at least, and twice as many at most.
const MOST_KEYS: usize = 25_000;

/// Counts hits in memory.
pub(crate) struct Local {
    clock: Arc<dyn Clock>,
    start: Instant,
    counts: Mutex<Counts>,
}

struct Counts {
    levels: BoundedMap<Level>,
    days: BoundedMap<daily_budget::Used>,
}

/// What is known of a hit's bound before it counts.
enum Standing {
    Rate(Meter, u64),
    Daily(u64),
}

/// The time of a call: since the start in microseconds, and of day.
#[derive(Clone, Copy)]
struct Now {
    micros: u64,
    date: Timestamp,
}

impl Local {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            start: Instant::now(),
            counts: Mutex::new(Counts {
                levels: BoundedMap::new(MOST_KEYS),
                days: BoundedMap::new(MOST_KEYS),
            }),
        }
    }

    /// Counts all of these hits, or none and says which must wait longest.
    pub(crate) fn take(&self, hits: &[Hit<'_>]) -> Result<(), Refused> {
        let now = self.now();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut refused: Option<Refused> = None;
        for (place, hit) in hits.iter().enumerate() {
            let wait = match counts.standing(hit, now) {
                Standing::Rate(meter, level) => meter.wait(level).map(Duration::from_micros),
                Standing::Daily(used) => hit
                    .is_over_budget(used)
                    .then(|| daily_budget::rest(now.date)),
            };
            if let Some(wait) = wait
                && refused.is_none_or(|refused| refused.wait < wait)
            {
                refused = Some(Refused { hit: place, wait });
            }
        }
        if let Some(refused) = refused {
            return Err(refused);
        }
        counts.add(hits, now);
        Ok(())
    }

    /// Counts these hits, whatever is left.
    pub(crate) fn charge(&self, hits: &[Hit<'_>]) {
        let now = self.now();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.add(hits, now);
    }

    /// Takes over what others know: for each hit its bound's level now, or what was used today.
    pub(crate) fn learn(&self, hits: &[Hit<'_>], known: impl Iterator<Item = u64>) {
        let now = self.now();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (hit, known) in hits.iter().zip(known) {
            counts.set(hit, known, now);
        }
    }

    fn now(&self) -> Now {
        let micros = self.start.elapsed().as_micros();
        Now {
            micros: u64::try_from(micros).unwrap_or(u64::MAX),
            date: self.clock.now(),
        }
    }
}

impl Counts {
    fn standing(&self, hit: &Hit<'_>, now: Now) -> Standing {
        match hit.bound {
            Bound::Rate(quota) => {
                let meter = Meter::new(quota, hit.cost);
                let level = self.levels.get(hit.key).unwrap_or_default();
                Standing::Rate(meter, meter.drained(level, now.micros))
            }
            Bound::Daily(_) => {
                let used = self.days.get(hit.key).unwrap_or_default();
                Standing::Daily(used.on(daily_budget::number(now.date)))
            }
        }
    }

    fn add(&mut self, hits: &[Hit<'_>], now: Now) {
        for hit in hits.iter().filter(|hit| hit.cost > 0) {
            let after = match self.standing(hit, now) {
                Standing::Rate(meter, level) => meter.after(level),
                Standing::Daily(used) => used.saturating_add(hit.cost.into()),
            };
            self.set(hit, after, now);
        }
    }

    fn set(&mut self, hit: &Hit<'_>, count: u64, now: Now) {
        match hit.bound {
            Bound::Rate(_) => {
                let at = now.micros;
                self.levels.put(hit.key, Level { level: count, at });
            }
            Bound::Daily(_) => {
                let day = daily_budget::number(now.date);
                self.days
                    .put(hit.key, daily_budget::Used { day, units: count });
            }
        }
    }
}
