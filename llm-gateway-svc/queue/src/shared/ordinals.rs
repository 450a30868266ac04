//! The lease of this process's ordinal: the task that keeps it, and what its queues are told of it.

use std::{
    pin::Pin,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until, timeout},
};
use turnwise_kit::{CancellationToken, Kit};
use turnwise_redis::{Failure, Redis, Script, Value};
use uuid::Uuid;

use super::{
    SharedQueue,
    clock::micros,
    script::{TIMEOUT, number, text},
};
use crate::{
    membership::{Holding, Membership, Moment, News, Process, Share},
    order::Micros,
};

static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("members.lua")));
/// What its key has in braces. Queues have a kind, a backend and a model there.
const PARTITION: &str = "queue/members";
const KEYS: [&str; 1] = ["turnwise:{queue/members}:record"];
/// How often a process gives a sign of life, unless a lease is short.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How often a step is tried again if another process has taken one meanwhile.
const TRIES: usize = 8;
/// Indexes that are set are below this; a process whose ordinal is leased is shown under a number from here on.
pub(super) const NUMBERS: usize = 1024;

/// The lease of this process's ordinal among the replicas, which share a Redis. Cheap to clone.
///
/// Until a membership with this process was applied it owns no slot, and what Redis lends it is all that it has. While Redis
/// is away, what was applied last holds.
#[derive(Clone)]
pub struct Ordinals {
    lease: Arc<Lease>,
}

struct Lease {
    redis: Redis,
    me: Process,
    /// How it is shown.
    number: usize,
    ttl: Duration,
    state: Mutex<LeaseState>,
    /// Told when a queue has ended.
    ended: Arc<Notify>,
}

#[derive(Default)]
struct LeaseState {
    holding: Holding,
    queues: Vec<Weak<SharedQueue>>,
}

/// What Redis has.
struct Read {
    was_written: bool,
    now: Micros,
    server: String,
    record: String,
}

impl std::fmt::Debug for Ordinals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ordinals")
            .field("me", &self.lease.me)
            .finish_non_exhaustive()
    }
}

impl Ordinals {
    /// Leases an ordinal, and keeps it until the kit has served its calls and the last of the process's queues has ended. `slot_ttl`:
    /// after which silence a process is dead, and for how long the members must be the same before they are applied. To be
    /// called within a runtime.
    pub fn lease(redis: Redis, slot_ttl: Duration, kit: &Kit) -> Self {
        let id = Uuid::new_v4();
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let lease = Arc::new(Lease {
            redis,
            me: Process {
                id: id.simple().to_string(),
                host: host.trim().to_owned(),
            },
            number: NUMBERS + usize::from(u16::from_be_bytes([id.as_bytes()[0], id.as_bytes()[1]])),
            ttl: slot_ttl,
            state: Mutex::default(),
            ended: Arc::default(),
        });
        kit.tasks.spawn(Arc::clone(&lease).keep(kit.served.clone()));
        Self { lease }
    }

    /// The part of the slots that is this process's own, as it was applied last; none while it has seen none.
    pub fn share(&self) -> Option<Share> {
        self.lease.state().holding.share()
    }

    /// The number under which this process is shown, from 1024 on.
    pub(super) fn number(&self) -> usize {
        self.lease.number
    }

    /// To be told when a queue has ended.
    pub(super) fn ended(&self) -> Arc<Notify> {
        Arc::clone(&self.lease.ended)
    }

    /// Makes a queue with what the process holds, which is told of every change from now on.
    pub(super) fn register(
        &self,
        make: impl FnOnce(Holding) -> Arc<SharedQueue>,
    ) -> Arc<SharedQueue> {
        let mut state = self.lease.state();
        let queue = make(state.holding.clone());
        state.queues.retain(|queue| queue.strong_count() > 0);
        state.queues.push(Arc::downgrade(&queue));
        queue
    }
}

impl Lease {
    async fn keep(self: Arc<Self>, served: CancellationToken) {
        let pause = HEARTBEAT.min(self.ttl / 4);
        let mut next = Instant::now();
        let mut ending = false;
        loop {
            tokio::select! {
                () = sleep_until(next) => {}
                () = self.ended.notified() => {}
                () = served.cancelled(), if !ending => ending = true,
            }
            let leaves = ending && self.state().queues().all(|queue| queue.has_left());
            let again = self.beat(leaves).await;
            if leaves {
                return;
            }
            // Who has agreed says so at once.
            let pause = if again == Some(true) {
                Duration::ZERO
            } else {
                pause
            };
            next = Instant::now() + pause;
        }
    }

    /// Gives a sign of life, or leaves. Returns whether there is more to say; none if Redis is out of reach.
    async fn beat(&self, leaves: bool) -> Option<bool> {
        let mut read = self.call(&[]).await?;
        for _ in 0..TRIES {
            let at = Moment {
                now: read.now,
                server: &read.server,
                lease: micros(self.ttl),
            };
            // One that cannot be read is as good as lost.
            let mut record: Membership = serde_json::from_str(&read.record).unwrap_or_default();
            let news = if leaves {
                record.leave(&self.me, at);
                News::None
            } else {
                record.beat(&self.me, &self.state().holding, at)
            };
            let written = serde_json::to_string(&record).ok()?;
            let done = self.call(&[&read.record, &written]).await?;
            if done.was_written {
                return Some(self.hear(news));
            }
            read = done;
        }
        Some(false)
    }

    async fn call(&self, arguments: &[&str]) -> Option<Read> {
        let run = self.redis.run(&SCRIPT, PARTITION, &KEYS, arguments);
        let run: Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send + '_>> = Box::pin(run);
        let Value::Array(parts) = timeout(TIMEOUT, run).await.ok()?.ok()? else {
            return None;
        };
        let [written, now, server, record] = parts.as_slice() else {
            return None;
        };
        Some(Read {
            was_written: number(written)? == 1,
            now: number(now)?,
            server: text(server)?.to_owned(),
            record: text(record)?.to_owned(),
        })
    }

    /// Does what was heard, in all queues. Returns whether it has agreed to something.
    fn hear(&self, news: News) -> bool {
        let now = Instant::now();
        let mut state = self.state();
        let holding = state.holding.clone().after(news);
        match news {
            News::None => return false,
            News::Asked { .. } => {
                // All of them, or else it has not agreed; what some have given up comes back with the next application.
                if !state
                    .queues()
                    .all(|queue| queue.give_up_slots(&holding, now))
                {
                    return false;
                }
            }
            News::Applied { share, .. } => {
                for queue in state.queues() {
                    queue.hold(&holding, now);
                }
                match share {
                    Some(share) => tracing::info!(
                        ordinal = share.ordinal,
                        replicas = share.replicas,
                        "this replica has its part of the slots for as long as Redis is away"
                    ),
                    None => tracing::info!("this replica has no slots of its own for now"),
                }
            }
        }
        state.holding = holding;
        matches!(news, News::Asked { .. })
    }

    fn state(&self) -> MutexGuard<'_, LeaseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeaseState {
    fn queues(&self) -> impl Iterator<Item = Arc<SharedQueue>> {
        self.queues.iter().filter_map(Weak::upgrade)
    }
}
