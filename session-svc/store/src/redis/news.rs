//! News of logs that have changed, whoever did it: one subscription of each process, to the channels of those partitions
//! alone in which somebody waits.
//!
//! Each partition has one of 256 channels. A channel is listened to from the first reader that waits on; what was
//! published until then is made up for by waking those who wait, as it is after each gap. While nothing can be heard at
//! all they are woken from time to time.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};
use turnwise_redis::{Event, Redis, Subscription, slot};

use crate::{Key, Partition, Transaction, Write, changes::Changes};

/// How many channels there are. All processes must have the same number.
const CHANNELS: u16 = 256;
/// What their names begin with; a number follows.
const CHANNEL: &str = "turnwise:changed:";
/// How often channels are looked for that nobody needs any more; and how often those who wait look for themselves while
/// nothing can be heard.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The channel of a partition.
fn channel_of(partition: &str) -> String {
    format!("{CHANNEL}{}", slot(partition) % CHANNELS)
}

/// Where those are told who wait, if a transaction changes logs; else nothing. What is removed may have been a log. The
/// message is the script's: the partition and the logs, with spaces in between.
pub(super) fn channel(partition: &Partition, transaction: &Transaction) -> String {
    let mut writes = transaction.writes.iter();
    if writes.any(|write| matches!(write, Write::Append { .. } | Write::Remove { .. })) {
        channel_of(partition.as_str())
    } else {
        String::new()
    }
}

/// Who waits for news, and the channels that are listened to for them.
pub(super) struct News {
    /// Those who wait, by their channels.
    waiting: Vec<Changes>,
    wanted: watch::Sender<BTreeSet<String>>,
}

impl News {
    /// Nobody waits yet.
    pub(super) fn new() -> Self {
        Self {
            waiting: (0..CHANNELS).map(|_| Changes::default()).collect(),
            wanted: watch::Sender::default(),
        }
    }

    /// A receiver whose value changes whenever the log may have.
    pub(super) fn watch(&self, partition: &Partition, log: &Key) -> watch::Receiver<u64> {
        let partition = partition.as_str();
        let waiting = &self.waiting[usize::from(slot(partition) % CHANNELS)];
        // It waits before its channel is wanted: so whoever looks for channels that nobody needs finds it.
        let receiver = waiting.watch(&name(partition, log.as_str()));
        self.wanted
            .send_if_modified(|wanted| wanted.insert(channel_of(partition)));
        receiver
    }

    /// The messages for those who wait.
    pub(super) fn follow(&self, redis: &Redis) -> Subscription {
        redis.subscribe_to_those_in(self.wanted.subscribe())
    }

    /// Passes the messages on, for ever.
    pub(super) async fn pass_on(self: Arc<Self>, mut messages: Subscription) {
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut listening = false;
        loop {
            tokio::select! {
                event = messages.next() => match event {
                    Event::Message { channel, payload } => self.announce(&channel, &payload),
                    Event::Joined { channels } => {
                        channels
                            .iter()
                            .filter_map(|channel| self.waiting_on(channel))
                            .for_each(Changes::announce_all);
                    }
                    Event::Listening => {
                        listening = true;
                        self.announce_all();
                    }
                    Event::Missed => self.announce_all(),
                    Event::Lost => listening = false,
                },
                _ = look.tick() => {
                    self.forget_unneeded();
                    if !listening {
                        self.announce_all();
                    }
                }
            }
        }
    }

    fn announce_all(&self) {
        self.waiting.iter().for_each(Changes::announce_all);
    }

    fn announce(&self, channel: &str, message: &[u8]) {
        let (Some(waiting), Ok(message)) = (self.waiting_on(channel), std::str::from_utf8(message))
        else {
            return;
        };
        let mut words = message.split(' ');
        let Some(partition) = words.next() else {
            return;
        };
        for log in words {
            waiting.announce(&name(partition, log));
        }
    }

    /// Gives up the channels that nobody waits for.
    fn forget_unneeded(&self) {
        self.wanted.send_if_modified(|wanted| {
            let before = wanted.len();
            wanted.retain(|channel| self.waiting_on(channel).is_some_and(Changes::is_watched));
            wanted.len() != before
        });
    }

    fn waiting_on(&self, channel: &str) -> Option<&Changes> {
        let number: usize = channel.strip_prefix(CHANNEL)?.parse().ok()?;
        self.waiting.get(number)
    }
}

/// The name under which [`Changes`] knows a log.
fn name(partition: &str, log: &str) -> String {
    format!("{partition} {log}")
}
