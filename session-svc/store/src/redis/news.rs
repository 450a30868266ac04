//! News of logs that have grown, whoever appended to them: one subscription of each process.

use std::{sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval};
use turnwise_redis::{Event, Redis, Subscription};

use crate::changes::Changes;

/// The channel; `transact.lua` names it too.
const CHANNEL: &str = "turnwise:changed";
/// How often those who wait look for themselves, should a message have been lost.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The name under which [`Changes`] knows a log: that of a message which is about it alone.
pub(super) fn name(partition: &str, log: &str) -> String {
    format!("{partition} {log}")
}

/// The messages that tell the news.
pub(super) fn follow(redis: &Redis) -> Subscription {
    redis.subscribe([CHANNEL])
}

/// Passes the news on, for ever.
pub(super) async fn pass_on(mut news: Subscription, changes: Arc<Changes>) {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            event = news.next() => match event {
                Event::Message { payload, .. } => announce(&changes, &payload),
                Event::Listening | Event::Lost | Event::Missed => changes.announce_all(),
            },
            _ = look.tick() => changes.announce_all(),
        }
    }
}

/// Reads a message: the partition and the logs, with spaces in between.
fn announce(changes: &Changes, message: &[u8]) {
    let Ok(message) = std::str::from_utf8(message) else {
        return;
    };
    let mut words = message.split(' ');
    let Some(partition) = words.next() else {
        return;
    };
    for log in words {
        changes.announce(&name(partition, log));
    }
}
