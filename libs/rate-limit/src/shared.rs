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

/// What the script does with hits.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Counts all of them or none.
    Take,
    /// Counts them whatever is left.
    Charge,
    /// Undoes a take.
    Return,
}

/// What the script returned.
struct Counted {
    /// The place of the hit that was refused, from 1 on; 0 for none.
    refused: usize,
    wait: Duration,
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

    /// Counts all of these hits or none; `None` if Redis did not answer. In a cluster no node knows of all of them, so
    /// what one has counted is returned if another one refuses. Until then it counts: a hit may be refused that would pass
    /// a moment later, but none passes that should be refused.
    pub(crate) async fn take(
        &self,
        hits: &[Hit<'_>],
        local: &Local,
    ) -> Option<Result<(), Refused>> {
        let together = self.together(hits);
        let mut refused: Option<Refused> = None;
        let mut taken: Vec<&Hit<'_>> = Vec::new();
        let mut is_away = false;
        let answers = self.count_all(Way::Take, hits, local).await?;
        for (at, (group, answer)) in hits.chunks(together).zip(answers).enumerate() {
            match answer {
                Some(Counted { refused: 0, .. }) => {
                    taken.extend(group.iter().filter(|hit| hit.cost > 0));
                }
                Some(counted) => {
                    if refused.is_none_or(|refused| refused.wait < counted.wait) {
                        let hit = at * together + counted.refused - 1;
                        let wait = counted.wait;
                        refused = Some(Refused { hit, wait });
                    }
                }
                None => is_away = true,
            }
        }
        if is_away || refused.is_some() {
            let returned = taken
                .into_iter()
                .map(|hit| self.count(Way::Return, std::slice::from_ref(hit), local));
            join_all(returned).await;
        }
        match refused {
            Some(refused) => Some(Err(refused)),
            None if is_away => None,
            None => Some(Ok(())),
        }
    }

    /// Counts these hits; returns those that Redis did not count.
    pub(crate) async fn charge<'a>(&self, hits: &[Hit<'a>], local: &Local) -> Vec<Hit<'a>> {
        let Some(answers) = self.count_all(Way::Charge, hits, local).await else {
            return hits.to_vec();
        };
        let groups = hits.chunks(self.together(hits)).zip(answers);
        let missed = groups.filter(|(_, answer)| answer.is_none());
        missed.flat_map(|(group, _)| group).copied().collect()
    }

    /// How many of the hits one script may look at: in a cluster they lie on different nodes.
    fn together(&self, hits: &[Hit<'_>]) -> usize {
        if self.redis.is_cluster() {
            1
        } else {
            hits.len().max(1)
        }
    }

    /// Counts hits, those together that one script may look at, and all at the same time. `None` if it is not worth trying;
    /// for each group `None` if Redis did not answer.
    async fn count_all(
        &self,
        way: Way,
        hits: &[Hit<'_>],
        local: &Local,
    ) -> Option<Vec<Option<Counted>>> {
        if hits.is_empty() || !self.reach.may_ask() {
            return None;
        }
        let groups = hits.chunks(self.together(hits));
        let answers = join_all(groups.map(|group| self.count(way, group, local))).await;
        if answers.iter().all(Option::is_some) {
            self.reach.found();
        } else {
            self.reach.lost();
        }
        Some(answers)
    }

    /// Counts hits that one script may look at.
    async fn count(&self, way: Way, hits: &[Hit<'_>], local: &Local) -> Option<Counted> {
        let partition = |hit: &Hit<'_>| format!("limits:{}:{}", self.name, without_braces(hit.key));
        let keys: Vec<String> = hits
            .iter()
            .map(|hit| format!("turnwise:{{{}}}", partition(hit)))
            .collect();
        let partition = hits.first().map(partition)?;
        let arguments = (way.word(), hits.iter().flat_map(sums).collect::<Vec<_>>());
        let call = self.redis.run(&self.script, &partition, &keys, arguments);
        let answer = match timeout(RESPONSE_TIMEOUT, call).await {
            Ok(answer) => answer.ok()?,
            Err(_) => {
                self.redis.failure_log().log(&Failure::TimedOut);
                return None;
            }
        };
        let numbers = from_redis_value::<Vec<u64>>(answer).ok()?;
        let [refused, wait, counts @ ..] = numbers.as_slice() else {
            return None;
        };
        local.learn(hits, counts.iter().copied());
        Some(Counted {
            refused: usize::try_from(*refused).ok()?,
            wait: Duration::from_micros(*wait),
        })
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
