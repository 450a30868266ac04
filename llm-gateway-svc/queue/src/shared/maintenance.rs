//! The task of a shared queue: it takes in notices, keeps the process and its leases alive, and joins again after the
//! process was detached.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};
use turnwise_kit::CancellationToken;
use turnwise_redis::{Event, Subscription};

use super::{
    SharedQueue,
    detached::DetachCause,
    join::{self, enter_again},
    reconcile::{reconcile_entries, reconcile_leases, reconcile_own_slots},
    script::{self, Notice, ScriptClient, number, texts},
    state::{Mode, State},
};

/// How often a process shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How often the same warning is logged, and after which time of the same first: a process that was killed seems to take part
/// for some seconds.
const WARN_EVERY: Duration = Duration::from_secs(10);
const WARN_AFTER: Duration = Duration::from_secs(5);

/// Maintains a queue until it is dropped, or the process has served its calls and the last has ended.
pub(super) async fn run(queue: Weak<SharedQueue>, served: CancellationToken) {
    let Some((client, wake, ended)) = queue.upgrade().map(|queue| {
        let (wake, ended) = (Arc::clone(&queue.wake), queue.ended.clone());
        (queue.client.clone(), wake, ended)
    }) else {
        return;
    };
    let mut news = client.redis().subscribe([client.channel()]);
    let mut maintenance = Maintenance {
        queue,
        wake,
        is_new: true,
        is_listening: false,
        last_beat: None,
        must_beat: false,
        duplicate: None,
        epoch: None,
    };
    maintenance.run(&mut news, &served).await;
    maintenance.end(&client).await;
    if let Some(ended) = ended {
        ended.notify_one();
    }
}

struct Maintenance {
    queue: Weak<SharedQueue>,
    wake: Arc<Notify>,
    /// Whether the process has never joined.
    is_new: bool,
    /// Whether all messages arrive.
    is_listening: bool,
    /// When the last heartbeat was sent.
    last_beat: Option<Instant>,
    must_beat: bool,
    /// Since when there is another process with the same index, and when it was last warned of.
    duplicate: Option<(Instant, Option<Instant>)>,
    /// The epoch that was joined last.
    epoch: Option<u64>,
}

impl Maintenance {
    async fn run(&mut self, news: &mut Subscription, served: &CancellationToken) {
        let mut ending = false;
        loop {
            let wake_at = {
                let Some(queue) = self.queue.upgrade() else {
                    return;
                };
                let watched = queue.is_watched();
                let state = queue.state();
                if ending && state.calls.is_empty() && state.waiters.is_empty() {
                    return;
                }
                self.next_step(&state, watched, Instant::now())
            };
            tokio::select! {
                event = news.next() => self.handle(event).await,
                () = sleep_until(wake_at) => {}
                () = self.wake.notified() => {}
                () = served.cancelled(), if !ending => ending = true,
            }
            let Some(queue) = self.queue.upgrade() else {
                return;
            };
            self.step(&queue).await;
        }
    }

    /// When something is to be done, if nothing happens before.
    fn next_step(&self, state: &State, watched: bool, now: Instant) -> Instant {
        let next = match &state.mode {
            Mode::Joined { .. } if self.must_beat || state.is_renumbered => now,
            Mode::Joined { .. } => self.next_heartbeat(state, watched),
            Mode::Detached(_) | Mode::Left => state
                .next_detached_step(now, self.is_listening)
                .unwrap_or(now + HEARTBEAT),
        };
        state.next_lease_end().map_or(next, |end| end.min(next))
    }

    fn next_heartbeat(&self, state: &State, watched: bool) -> Instant {
        let Some(last_beat) = self.last_beat else {
            return Instant::now();
        };
        let next = last_beat + HEARTBEAT.min(state.options.slot_ttl / 3);
        if state.waiters.is_empty() && !watched {
            return next;
        }
        next.min(last_beat.max(state.heard) + state.options.poll)
    }

    /// Takes in what came on the channel.
    async fn handle(&mut self, event: Event) {
        let Some(queue) = self.queue.upgrade() else {
            return;
        };
        let now = Instant::now();
        match event {
            Event::Listening => {
                self.is_listening = true;
                self.must_beat = true;
                if let Mode::Detached(detached) = &mut queue.state().mode {
                    detached.next_try = now;
                }
            }
            Event::Missed | Event::Joined { .. } => self.must_beat = true,
            Event::Lost => {
                self.is_listening = false;
                // Redis must not lend out slots of a home that does not get the notices.
                if let Some(reply) = queue.call("detach", Vec::new()).await {
                    let mut state = queue.state();
                    if let [own] = reply.returned.as_slice() {
                        reconcile_own_slots(&mut state, own, &queue.client.process, &reply, now);
                    }
                    state.detach(DetachCause::Announced, now);
                } else {
                    queue.state().channels_closed(Instant::now());
                }
            }
            Event::Message { payload, .. } => {
                let Some(notice) = Notice::read(&payload) else {
                    return;
                };
                let follow_up = queue.state().apply_notice(notice, now);
                if let Some(follow_up) = follow_up {
                    queue.send(follow_up);
                }
                queue.changed();
            }
        }
    }

    /// Takes no part for a moment, to join again as another one of the replicas.
    async fn step_aside(&self, queue: &SharedQueue) {
        let is_due = {
            let mut state = queue.state();
            let is_joined = matches!(state.mode, Mode::Joined { .. });
            std::mem::take(&mut state.is_renumbered) && is_joined
        };
        if is_due && queue.call("detach", Vec::new()).await.is_some() {
            queue
                .state()
                .detach(DetachCause::Renumbered, Instant::now());
        }
    }

    /// Does what is due.
    async fn step(&mut self, queue: &SharedQueue) {
        self.step_aside(queue).await;
        let now = Instant::now();
        let watched = queue.is_watched();
        let (beat, join) = {
            let mut state = queue.state();
            state.end_leases(now);
            match &state.mode {
                Mode::Joined { .. } => (
                    self.must_beat || self.next_heartbeat(&state, watched) <= now,
                    false,
                ),
                Mode::Detached(detached) => {
                    let due = self.is_listening && detached.next_try <= now;
                    state.step_detached(now);
                    (false, due)
                }
                Mode::Left => (false, false),
            }
        };
        if join {
            let Some(epoch) = join::join(queue, self.is_new).await else {
                if let Mode::Detached(detached) = &mut queue.state().mode {
                    detached.try_later(Instant::now());
                }
                return;
            };
            self.is_new = false;
            self.epoch = Some(epoch);
        }
        if beat || join {
            self.must_beat = false;
            self.last_beat = Some(Instant::now());
            self.heartbeat(queue).await;
        }
    }

    /// Shows that the process is alive, renews its leases, and makes good for notices that were lost.
    async fn heartbeat(&mut self, queue: &SharedQueue) -> Option<()> {
        let sent = Instant::now();
        let queued = queue.state().waiters.len();
        let reply = queue.call("heartbeat", vec![queued.to_string()]).await?;
        let [leases, own, ids, duplicate] = reply.returned.as_slice() else {
            script::unreadable();
            return None;
        };
        let (follow_up, missing) = {
            let mut state = queue.state();
            let now = Instant::now();
            state.be_stranger(number(duplicate) == Some(2), now);
            reconcile_own_slots(&mut state, own, &queue.client.process, &reply, now);
            let mut follow_up = reconcile_leases(&mut state, leases, &reply, sent, now)?;
            let missing = match texts(ids) {
                Some(ids) => reconcile_entries(&state, &ids, sent, &mut follow_up),
                None => Vec::new(),
            };
            state.expire_held(reply.now);
            (follow_up, missing)
        };
        for follow_up in follow_up {
            queue.send(follow_up);
        }
        if number(duplicate) == Some(0) {
            self.duplicate = None;
        } else {
            self.warn_of_duplicate(queue);
        }
        enter_again(queue, missing).await
    }

    fn warn_of_duplicate(&mut self, queue: &SharedQueue) {
        let now = Instant::now();
        let (since, warned) = self.duplicate.get_or_insert((now, None));
        let is_due = warned.is_none_or(|warned| now - warned >= WARN_EVERY);
        if now - *since >= WARN_AFTER && is_due {
            *warned = Some(now);
            let state = queue.state();
            tracing::error!(
                queue = queue.client.partition.as_str(),
                replica_index = state.options.replica_index,
                owned = state.own.len(),
                "another process has the same QUEUE_REPLICA_INDEX, so the one that joined this queue later has none of its \
                 slots when Redis is away; give each replica its own index, or set neither QUEUE_REPLICA_INDEX nor QUEUE_REPLICAS"
            );
        }
    }

    /// The queue ends here: its slots are for the others now.
    async fn end(&mut self, client: &ScriptClient) {
        let epoch = match self.queue.upgrade() {
            Some(queue) => {
                let mut state = queue.state();
                let epoch = state.epoch();
                state.mode = Mode::Left;
                epoch
            }
            None => self.epoch,
        };
        let Some(epoch) = epoch else { return };
        loop {
            match client.call("shut_down", epoch, 0, Vec::new()).await {
                Ok(reply) if reply.returned.first().and_then(number) == Some(1) => {}
                // If Redis is away, the others find out by themselves.
                _ => return,
            }
        }
    }
}
