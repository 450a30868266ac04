//! Limits and budgets that all replicas keep together, in Redis.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::time::{Instant, timeout};
use turnwise_redis::{Failure, Redis, Script, from_redis_value};

use crate::{Bound, Hit, Refused, daily_budget, gcra::Meter, local::Local};

/// The script that counts.
const LIMITS: &str = include_str!("limits.lua");
/// How long Redis may take to answer: whoever waits here has not begun yet.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(250);
/// How long nobody asks again after it did not.
const PAUSE: Duration = Duration::from_secs(1);
/// The largest budget that is told; a Lua number holds it exactly.
const MOST_BUDGET: u64 = 1 << 53;

/// Counts hits in Redis.
pub(crate) struct Shared {
    redis: Redis,
    script: Script,
    /// All keys are in one partition, as one script looks at several of them.
    partition: String,
    reach: Reach,
}

/// What the script does with hits for which too little is left.
#[derive(Clone, Copy)]
enum Way {
    Take = 0,
    Charge = 1,
}

/// What the script returned.
struct Counted {
    /// The place of the hit that was refused, from 1 on; 0 for none.
    refused: u64,
    wait: Duration,
}

impl Shared {
    pub(crate) fn new(redis: Redis, name: &str) -> Self {
        Self {
            redis,
            script: Script::new(LIMITS),
            partition: format!("limits:{name}"),
            reach: Reach::new(),
        }
    }

    /// Counts all of these hits or none; `None` if Redis did not answer.
    pub(crate) async fn take(
        &self,
        hits: &[Hit<'_>],
        local: &Local,
    ) -> Option<Result<(), Refused>> {
        let counted = self.count(Way::Take, hits, local).await?;
        Some(match usize::try_from(counted.refused).unwrap_or_default() {
            0 => Ok(()),
            place => Err(Refused {
                hit: place - 1,
                wait: counted.wait,
            }),
        })
    }

    /// Counts these hits; returns whether Redis did.
    pub(crate) async fn charge(&self, hits: &[Hit<'_>], local: &Local) -> bool {
        self.count(Way::Charge, hits, local).await.is_some()
    }

    async fn count(&self, way: Way, hits: &[Hit<'_>], local: &Local) -> Option<Counted> {
        if hits.is_empty() || !self.reach.may_ask() {
            return None;
        }
        let partition = &self.partition;
        let keys: Vec<String> = hits
            .iter()
            .map(|hit| format!("turnwise:{{{partition}}}:{}", hit.key))
            .collect();
        let mut arguments = Vec::with_capacity(1 + 5 * hits.len());
        arguments.push(way as u64);
        arguments.extend(hits.iter().flat_map(sums));
        let call = self.redis.run(&self.script, partition, &keys, arguments);
        let answer = match timeout(RESPONSE_TIMEOUT, call).await {
            Ok(answer) => answer,
            Err(_) => {
                self.redis.failure_log().log(&Failure::TimedOut);
                Err(Failure::TimedOut)
            }
        };
        let numbers = answer
            .and_then(|value| from_redis_value::<Vec<u64>>(value).map_err(|_| Failure::Unreadable));
        let Ok(numbers) = numbers else {
            self.reach.lost();
            return None;
        };
        self.reach.found();
        let [refused, wait, counts @ ..] = numbers.as_slice() else {
            return None;
        };
        local.learn(hits, counts.iter().copied());
        Some(Counted {
            refused: *refused,
            wait: Duration::from_micros(*wait),
        })
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
