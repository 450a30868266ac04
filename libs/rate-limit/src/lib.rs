//! Rate limits and daily budgets, kept by one process or shared through Redis.
//!
//! A [`Limiter`] counts [`Hit`]s, each against its [`Bound`]: so many in a minute, or so many in a day. One hit may cost
//! more than one unit, and what is only known afterwards, such as the tokens of an answer, is asked for with a cost of 0
//! before and [charged](Limiter::charge) afterwards; a debt then keeps others out until it is worked off.
//!
//! | module | is about |
//! | --- | --- |
//! | `gcra`, `daily_budget` | the sums |
//! | `local`, `bounded_map` | counting in memory, which is bounded |
//! | `shared` | counting in Redis |
//! | `address` | whose address it is |

mod address;
mod bounded_map;
mod daily_budget;
mod gcra;
mod local;
mod shared;

use std::{sync::Arc, time::Duration};

use turnwise_kit::Clock;
use turnwise_redis::Redis;

pub use address::address_key;

use local::Local;
use shared::Shared;

/// So many units in a minute, of which a burst may come at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    per_minute: u32,
    burst: u32,
}

/// The most units in a minute, and at once.
const MOST_UNITS: u32 = 60_000_000;

impl Quota {
    /// `units` in a minute (1 to 60 million; what is outside counts as the bound), and as many at once.
    pub const fn per_minute(units: u32) -> Self {
        let units = within_bounds(units);
        Self {
            per_minute: units,
            burst: units,
        }
    }

    /// The same with another burst, in the same bounds.
    #[must_use]
    pub const fn with_burst(self, units: u32) -> Self {
        Self {
            per_minute: self.per_minute,
            burst: within_bounds(units),
        }
    }

    /// The units in a minute.
    pub const fn units(self) -> u32 {
        self.per_minute
    }

    /// The units at once.
    pub const fn burst(self) -> u32 {
        self.burst
    }
}

const fn within_bounds(units: u32) -> u32 {
    match units {
        0 => 1,
        1..=MOST_UNITS => units,
        _ => MOST_UNITS,
    }
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// So much in a minute; it comes back evenly.
    Rate(Quota),
    /// So many units from midnight to midnight, UTC; all come back at once.
    Daily(u64),
}

/// Something that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit<'a> {
    /// Whose bound of which kind, such as `actor:school/ada`. The hits of one call have different keys, and a key always
    /// has a bound of the same kind.
    pub key: &'a str,
    /// The bound.
    pub bound: Bound,
    /// The units that it takes: 0 asks whether there is one and takes none. More than there can ever be passes where
    /// nothing was used.
    pub cost: u32,
}

impl Hit<'_> {
    /// Whether it does not fit into its day any more.
    fn is_over_budget(&self, used: u64) -> bool {
        match self.bound {
            Bound::Rate(_) => false,
            Bound::Daily(budget) => {
                used.saturating_add(daily_budget::need(budget, self.cost)) > budget
            }
        }
    }
}

/// There is too little left for a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// Its place among the hits. If several are refused, that of the one that must wait longest.
    pub hit: usize,
    /// How long until all of them pass, if nobody else comes.
    pub wait: Duration,
}

/// Counts hits. Cheap to clone; the clones count together.
#[derive(Clone)]
pub struct Limiter {
    local: Arc<Local>,
    shared: Option<Arc<Shared>>,
}

impl Limiter {
    /// A limiter that counts in this process alone. It remembers 25,000 keys of each kind at least and 50,000 at most:
    /// those that were used last. The clock says when a day ends.
    pub fn local(clock: Arc<dyn Clock>) -> Self {
        Self {
            local: Arc::new(Local::new(clock)),
            shared: None,
        }
    }

    /// A limiter that counts together with all others of this name in this Redis, whose clock is the one that counts. While
    /// Redis is out of reach it counts in this process, from where it knows the shared counts to stand; what is counted
    /// there stays there.
    pub fn shared(clock: Arc<dyn Clock>, redis: Redis, name: &str) -> Self {
        Self {
            local: Arc::new(Local::new(clock)),
            shared: Some(Arc::new(Shared::new(redis, name))),
        }
    }

    /// Counts all of these hits, or none of them.
    ///
    /// # Errors
    ///
    /// If one of them does not pass.
    pub async fn take(&self, hits: &[Hit<'_>]) -> Result<(), Refused> {
        if let Some(shared) = &self.shared
            && let Some(answer) = shared.take(hits, &self.local).await
        {
            return answer;
        }
        self.local.take(hits)
    }

    /// Whether a hit passes, as far as this process knows without asking anybody. Counts nothing.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub fn known(&self, hit: &Hit<'_>) -> Result<(), Refused> {
        self.local.take(&[Hit { cost: 0, ..*hit }])
    }

    /// Counts these hits whatever is left: what they cost was only known when it was spent. A debt on a limit per minute
    /// is let off above what a day works off.
    pub async fn charge(&self, hits: &[Hit<'_>]) {
        match &self.shared {
            Some(shared) => self.local.charge(&shared.charge(hits, &self.local).await),
            None => self.local.charge(hits),
        }
    }
}
