//! Limits and budgets that all replicas keep together, in Redis.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use futures_util::future::join_all;
use tokio::time::{Instant, timeout};
use turnwise_redis::{Failure, Redis, Script, from_redis_value, without_braces};

use crate::{Bound, Hit, Refused, daily_budget, gcra::Meter, local::Local};

/// The script that counts.
const LIMITS: &str = include_str!("limits.lua");
/// How long Redis may take to answer: whoever waits here has not begun yet.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(250);
/// How long nobody asks again after it did not.
const PAUSE: Duration = Duration::from_secs(1);
/// The largest budget that is told; a Lua number holds it exactly.
const MOST_BUDGET: u64 = 1 << 53;

/// Counts hits in Redis. Each key is a partition of its own, so that a cluster spreads them over its nodes.
pub(crate) struct Shared {
    redis: Redis,
    script: Script,
    name: String,
    reach: Reach,
}

/// What the script does with a hit.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Counts it if there is room.
    Take,
    /// Counts it whatever is left.
    Charge,
    /// Undoes a take.
    Return,
}

impl Shared {
    pub(crate) fn new(redis: Redis, name: &str) -> Self {
        Self {
            redis,
            script: Script::new(LIMITS),
            name: name.to_owned(),
            reach: Reach::new(),
        }
    }

    /// Counts all of these hits or none; `None` if Redis did not answer. No node knows of all of them, so what one has
    /// counted is returned if another one refuses. Until then it counts: a hit may be refused that would pass a moment
    /// later, but none passes that should be refused.
    pub(crate) async fn take(
        &self,
        hits: &[Hit<'_>],
        local: &Local,
    ) -> Option<Result<(), Refused>> {
        let waits = self.count_each(Way::Take, hits, local).await?;
        let mut refused: Option<Refused> = None;
        let mut taken = Vec::new();
        let mut is_away = false;
        for (place, wait) in waits.into_iter().enumerate() {
            match wait {
                Some(Duration::ZERO) => taken.extend(hits.get(place).filter(|hit| hit.cost > 0)),
                Some(wait) if refused.is_none_or(|refused| refused.wait < wait) => {
                    refused = Some(Refused { hit: place, wait });
                }
                Some(_) => {}
                None => is_away = true,
            }
        }
        if is_away || refused.is_some() {
            let calls = taken
                .into_iter()
                .map(|hit| self.count(Way::Return, hit, local));
            join_all(calls).await;
        }
        match refused {
            Some(refused) => Some(Err(refused)),
            None if is_away => None,
            None => Some(Ok(())),
        }
    }

    /// Counts these hits; returns those that Redis did not count.
    pub(crate) async fn charge<'a>(&self, hits: &[Hit<'a>], local: &Local) -> Vec<Hit<'a>> {
        let Some(waits) = self.count_each(Way::Charge, hits, local).await else {
            return hits.to_vec();
        };
        let counted = hits.iter().zip(waits);
        counted
            .filter_map(|(hit, wait)| wait.is_none().then_some(*hit))
            .collect()
    }

    /// Counts hits at the same time; `None` if it is not worth trying. Returns how long each must wait: nothing if it was
    /// counted, and `None` if Redis did not answer.
    async fn count_each(
        &self,
        way: Way,
        hits: &[Hit<'_>],
        local: &Local,
    ) -> Option<Vec<Option<Duration>>> {
        if hits.is_empty() || !self.reach.may_ask() {
            return None;
        }
        let calls = hits.iter().map(|hit| self.count(way, hit, local));
        let waits = join_all(calls).await;
        if waits.iter().all(Option::is_some) {
            self.reach.found();
        } else {
            self.reach.lost();
        }
        Some(waits)
    }

    async fn count(&self, way: Way, hit: &Hit<'_>, local: &Local) -> Option<Duration> {
        let partition = format!("limits:{}:{}", self.name, without_braces(hit.key));
        let keys = [format!("turnwise:{{{partition}}}")];
        let arguments = (way.word(), sums(hit).to_vec());
        let call = self.redis.run(&self.script, &partition, &keys, arguments);
        let answer = match timeout(RESPONSE_TIMEOUT, call).await {
            Ok(answer) => answer.ok()?,
            Err(_) => {
                self.redis.failure_log().log(&Failure::TimedOut);
                return None;
            }
        };
        let (wait, count) = from_redis_value::<(u64, u64)>(answer).ok()?;
        local.learn(hit, count);
        Some(Duration::from_micros(wait))
    }
}

impl Way {
    fn word(self) -> &'static str {
        match self {
            Self::Take => "take",
            Self::Charge => "charge",
            Self::Return => "return",
        }
    }
}

/// The script's arguments for a hit.
fn sums(hit: &Hit<'_>) -> [u64; 5] {
    match hit.bound {
        Bound::Rate(quota) => {
            let meter = Meter::new(quota, hit.cost);
            [meter.need, meter.add, meter.brim, meter.most, meter.drain]
        }
        Bound::Daily(budget) => {
            let budget = budget.min(MOST_BUDGET);
            [
                daily_budget::need(budget, hit.cost),
                hit.cost.into(),
                budget,
                0,
                0,
            ]
        }
    }
}

/// Whether it is worth asking: while Redis does not answer, one call in a while tries and the others do not wait.
struct Reach {
    start: Instant,
    /// Until when nobody asks, in microseconds since the start; 0 while Redis answers.
    pause_until: AtomicU64,
}

impl Reach {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            pause_until: AtomicU64::new(0),
        }
    }

    fn may_ask(&self) -> bool {
        let until = self.pause_until.load(Ordering::Relaxed);
        if until == 0 {
            return true;
        }
        // Whoever moves the end of the pause is the one who tries.
        self.start.elapsed() >= Duration::from_micros(until)
            && self
                .pause_until
                .compare_exchange(until, self.pause(), Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    fn found(&self) {
        if self.pause_until.load(Ordering::Relaxed) != 0 {
            self.pause_until.store(0, Ordering::Relaxed);
        }
    }

    fn lost(&self) {
        self.pause_until.store(self.pause(), Ordering::Relaxed);
    }

    fn pause(&self) -> u64 {
        let end = self.start.elapsed() + PAUSE;
        u64::try_from(end.as_micros()).unwrap_or(u64::MAX)
    }
}
