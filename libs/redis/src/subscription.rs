//! Subscriptions to channels: their messages, and events that say when some may have been missed.

use std::{
    collections::BTreeSet,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use redis::{PushInfo, PushKind, Value, aio::MultiplexedConnection};
use tokio::{
    sync::{Notify, mpsc, watch},
    time::{Instant, MissedTickBehavior, interval_at, sleep, timeout, timeout_at},
};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    address::parse_text, failure::Failure, failure_log::FailureLog, node::Node, topology::Topology,
};

/// How many messages wait to be taken; more are thrown away.
const QUEUE: usize = 4096;
/// How often a server that says nothing is asked whether it is still there and still the right one.
const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// How long it may take to answer.
const ALIVE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long it may take to find out which server to listen to.
const FIND_TIMEOUT: Duration = Duration::from_secs(2);
/// The shortest and the longest pause before the next try to subscribe.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// An event of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// All messages arrive that are published from now on. Those before may have been missed, so this is the time to look
    /// for oneself: at the beginning, as soon as Redis answers, and after each gap.
    Listening,
    /// From now on all messages of these channels arrive, too, which were added while it was listening. Those before may
    /// have been missed.
    Joined {
        /// The channels.
        channels: Vec<String>,
    },
    /// No messages arrive until it says [`Event::Listening`] again.
    Lost,
    /// Messages came faster than they were taken, and some were thrown away: this is the time to look for oneself.
    Missed,
    /// A message.
    Message {
        /// The channel on which it was published.
        channel: String,
        /// What was published.
        payload: Vec<u8>,
    },
}

/// A subscription to some channels, until it is dropped.
#[derive(Debug)]
pub struct Subscription {
    outbox: Outbox,
    _listener: AbortOnDropHandle<()>,
}

impl Subscription {
    pub(crate) fn open(
        topology: Arc<Topology>,
        failure_log: Arc<FailureLog>,
        channels: watch::Receiver<BTreeSet<String>>,
    ) -> Self {
        let (inbox, outbox) = queue();
        let listener = Listener {
            topology,
            failure_log,
            channels,
            inbox,
        };
        Self {
            outbox,
            _listener: AbortOnDropHandle::new(tokio::spawn(listener.run())),
        }
    }

    /// Waits for the next event. A call that is given up has taken none.
    pub async fn next(&mut self) -> Event {
        self.outbox.next().await
    }
}

/// Where events are put.
#[derive(Debug, Clone)]
struct Inbox {
    events: mpsc::Sender<Event>,
    missed: Arc<AtomicBool>,
}

/// Where events are taken.
#[derive(Debug)]
struct Outbox {
    events: mpsc::Receiver<Event>,
    missed: Arc<AtomicBool>,
}

fn queue() -> (Inbox, Outbox) {
    let (to, from) = mpsc::channel(QUEUE);
    let missed = Arc::new(AtomicBool::new(false));
    let inbox = Inbox {
        events: to,
        missed: Arc::clone(&missed),
    };
    let outbox = Outbox {
        events: from,
        missed,
    };
    (inbox, outbox)
}

impl Inbox {
    /// Puts in a message, if there is room.
    fn message(&self, info: PushInfo) {
        if let Some(message) = read(info)
            && self.events.try_send(message).is_err()
        {
            self.missed.store(true, Ordering::Relaxed);
        }
    }

    /// Puts in another event, once there is room.
    async fn put(&self, event: Event) {
        // Nobody takes it only when this is about to be dropped.
        let _ = self.events.send(event).await;
    }
}

impl Outbox {
    async fn next(&mut self) -> Event {
        if self.missed.swap(false, Ordering::Relaxed) {
            return Event::Missed;
        }
        match self.events.recv().await {
            Some(event) => event,
            // The runtime is being shut down.
            None => pending().await,
        }
    }
}

/// A message: its channel and what was published.
fn read(info: PushInfo) -> Option<Event> {
    let [channel, payload] = <[Value; 2]>::try_from(info.data).ok()?;
    let Value::BulkString(payload) = payload else {
        return None;
    };
    Some(Event::Message {
        channel: parse_text(&channel)?.to_owned(),
        payload,
    })
}

/// What listens.
struct Listener {
    topology: Arc<Topology>,
    failure_log: Arc<FailureLog>,
    channels: watch::Receiver<BTreeSet<String>>,
    inbox: Inbox,
}

impl Listener {
    /// Listens for ever.
    async fn run(self) {
        let mut pause = PAUSES.0;
        loop {
            match self.listen().await {
                Ok(()) => {
                    pause = PAUSES.0;
                    self.inbox.put(Event::Lost).await;
                }
                Err(failure) => self.failure_log.log(&failure),
            }
            self.topology.doubt();
            sleep(pause).await;
            pause = PAUSES.1.min(pause * 2);
        }
    }

    /// Listens until the connection breaks.
    ///
    /// # Errors
    ///
    /// If it could not be made.
    async fn listen(&self) -> Result<(), Failure> {
        let listened_to = self
            .topology
            .listened_to(Instant::now() + FIND_TIMEOUT)
            .await?;
        let broken = Arc::new(Notify::new());
        let notify = Arc::clone(&broken);
        let inbox = self.inbox.clone();
        let mut connection = listened_to
            .listen(move |info| match info.kind {
                PushKind::Message => inbox.message(info),
                PushKind::Disconnection => notify.notify_one(),
                _ => {}
            })
            .await?;
        let mut wanted = self.channels.clone();
        let mut heard = BTreeSet::new();
        follow(&mut connection, &mut wanted, &mut heard).await?;
        self.check(&listened_to, &mut connection).await?;
        self.inbox.put(Event::Listening).await;
        let mut alive = interval_at(Instant::now() + ALIVE_EVERY, ALIVE_EVERY);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = broken.notified() => return Ok(()),
                Ok(()) = wanted.changed() => {
                    match follow(&mut connection, &mut wanted, &mut heard).await {
                        Ok(channels) if channels.is_empty() => {}
                        Ok(channels) => self.inbox.put(Event::Joined { channels }).await,
                        Err(failure) => {
                            self.failure_log.log(&failure);
                            return Ok(());
                        }
                    }
                }
                _ = alive.tick() => {
                    if self.check(&listened_to, &mut connection).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn check(
        &self,
        listened_to: &Node,
        connection: &mut MultiplexedConnection,
    ) -> Result<(), Failure> {
        let deadline = Instant::now() + ALIVE_TIMEOUT;
        let hears_all = self.topology.hears_all(listened_to, connection, deadline);
        timeout_at(deadline, hears_all)
            .await
            .unwrap_or(Err(Failure::TimedOut))
    }
}

/// Subscribes to the channels that are wanted now and to no others, and returns those that are new.
async fn follow(
    connection: &mut MultiplexedConnection,
    wanted: &mut watch::Receiver<BTreeSet<String>>,
    heard: &mut BTreeSet<String>,
) -> Result<Vec<String>, Failure> {
    let now = wanted.borrow_and_update().clone();
    let new: Vec<String> = now.difference(heard).cloned().collect();
    let gone: Vec<String> = heard.difference(&now).cloned().collect();
    let change = async {
        if !new.is_empty() {
            connection.subscribe(&new).await?;
        }
        if !gone.is_empty() {
            connection.unsubscribe(&gone).await?;
        }
        Ok(())
    };
    timeout(ALIVE_TIMEOUT, change)
        .await
        .map_err(|_| Failure::TimedOut)?
        .map_err(Failure::of_answer)?;
    *heard = now;
    Ok(new)
}

#[cfg(test)]
mod tests {
    use redis::{PushInfo, PushKind, Value};

    use super::{Event, QUEUE, queue};

    fn message(number: usize) -> PushInfo {
        let text = |text: &str| Value::BulkString(text.as_bytes().to_vec());
        PushInfo {
            kind: PushKind::Message,
            data: vec![text("channel"), text(&number.to_string())],
        }
    }

    #[tokio::test]
    async fn whoever_takes_messages_too_slowly_is_told_so_once() {
        let (inbox, mut outbox) = queue();
        for number in 0..=QUEUE {
            inbox.message(message(number));
        }
        assert_eq!(outbox.next().await, Event::Missed);
        for number in 0..QUEUE {
            let expected = Event::Message {
                channel: "channel".to_owned(),
                payload: number.to_string().into_bytes(),
            };
            assert_eq!(outbox.next().await, expected);
        }
        inbox.put(Event::Lost).await;
        assert_eq!(outbox.next().await, Event::Lost);
    }
}
