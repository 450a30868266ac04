//! Breakers that replicas share, in Redis: each step is one call of one script, and its outcome is told to everybody.

use std::time::Duration;

use tokio::time::timeout;
use turnwise_redis::{Failure, Redis, Script, Subscription, from_redis_value, without_braces};

use crate::state_machine::{Rules, Snapshot, Ticket};

/// The script of all steps.
const BREAKER: &str = include_str!("breaker.lua");
/// How long Redis may take to answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(250);

/// What happened to a breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// Somebody wants to know.
    Look,
    /// A call wants to go on.
    Admit,
    /// The probe gave a sign of life.
    Renew,
    /// A call succeeded.
    Succeeded,
    /// A call failed.
    Failed,
    /// A call ended in a way that says nothing.
    Released,
}

/// What Redis said to a step.
pub(crate) struct Step {
    /// With what the call was admitted, if it was asked for and granted.
    pub(crate) ticket: Option<Ticket>,
    /// The breaker after it.
    pub(crate) snapshot: Snapshot,
}

/// The breakers of one name in Redis.
pub(crate) struct Shared {
    redis: Redis,
    script: Script,
    rules: Rules,
    name: String,
    channel: String,
}

impl Shared {
    pub(crate) fn new(redis: Redis, rules: Rules, name: &str) -> Self {
        Self {
            redis,
            script: Script::new(BREAKER),
            rules,
            name: name.to_owned(),
            channel: format!("turnwise:breaker:{name}"),
        }
    }

    /// What there is to learn of all of them, from now on.
    pub(crate) fn subscription(&self) -> Subscription {
        self.redis.subscribe([&self.channel])
    }

    /// Does a step of a breaker; `None` if Redis did not answer.
    pub(crate) async fn step(&self, key: &str, event: Event, ticket: Ticket) -> Option<Step> {
        let partition = format!("breaker:{}:{}", self.name, without_braces(key));
        let keys = [format!("turnwise:{{{partition}}}")];
        let arguments = (
            event.name(),
            vec![
                u64::from(self.rules.failures),
                micros(self.rules.ttl),
                micros(self.rules.probe_lease),
                ticket.generation,
                ticket.probe.unwrap_or_default(),
            ],
            self.channel.as_str(),
            key,
        );
        let call = self.redis.run(&self.script, &partition, &keys, arguments);
        let answer = timeout(RESPONSE_TIMEOUT, call).await.unwrap_or_else(|_| {
            self.redis.failure_log().log(&Failure::TimedOut);
            Err(Failure::TimedOut)
        });
        let numbers: Vec<u64> = from_redis_value(answer.ok()?).ok()?;
        let (admitted, numbers) = numbers.split_first()?;
        let snapshot = snapshot(numbers)?;
        let ticket = (*admitted > 0).then_some(Ticket {
            generation: snapshot.generation,
            probe: (*admitted == 2).then_some(snapshot.probe),
        });
        Some(Step { ticket, snapshot })
    }
}

impl Event {
    fn name(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Admit => "admit",
            Self::Renew => "renew",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Released => "released",
        }
    }
}

/// Reads a message: the numbers of a snapshot and the breaker's key, with spaces in between.
pub(crate) fn read(message: &[u8]) -> Option<(&str, Snapshot)> {
    let mut words = std::str::from_utf8(message).ok()?.splitn(9, ' ');
    let numbers = words
        .by_ref()
        .take(8)
        .map(|word| word.parse().ok())
        .collect::<Option<Vec<u64>>>()?;
    Some((words.next()?, snapshot(&numbers)?))
}

fn snapshot(numbers: &[u64]) -> Option<Snapshot> {
    let &[
        version,
        generation,
        failures,
        failures_for,
        tripped,
        open_for,
        probe,
        probe_for,
    ] = numbers
    else {
        return None;
    };
    Some(Snapshot {
        version,
        generation,
        failures: u32::try_from(failures).ok()?,
        failures_for: Duration::from_micros(failures_for),
        tripped: tripped != 0,
        open_for: Duration::from_micros(open_for),
        probe,
        probe_for: Duration::from_micros(probe_for),
    })
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
