//! Breakers by their keys, which let calls go on or not.

use std::{
    sync::{Arc, Weak, atomic::Ordering},
    time::Duration,
};

use tokio::sync::broadcast;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};
use turnwise_redis::{Event as Heard, News, Redis};

use crate::{
    cells::Inner,
    machine::{Look, Rules, State},
    permit::Permit,
    shared::{Event, Shared, read},
};

/// Circuit breakers by key. Cheap to clone; the clones are the same breakers.
#[derive(Clone)]
pub struct Breakers {
    inner: Arc<Inner>,
    /// Learns of what happens to shared breakers.
    _follower: Option<Arc<AbortOnDropHandle<()>>>,
}

/// The breaker is open, or its probe is running: the call may not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    /// How long until the next look is worth it.
    pub retry_after: Duration,
}

/// A breaker turned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The breaker's key.
    pub key: Arc<str>,
    /// What it is now.
    pub state: State,
}

impl Breakers {
    /// Breakers of this process.
    pub fn local(rules: Rules) -> Self {
        Self {
            inner: Arc::new(Inner::new(rules, None, TaskTracker::new())),
            _follower: None,
        }
    }

    /// Breakers that are one with all others of this name in this Redis; all have the same rules. What must be told to
    /// Redis is told in tasks of the tracker. Must be called within a tokio runtime.
    pub fn shared(rules: Rules, redis: Redis, name: &str, tasks: TaskTracker) -> Self {
        let shared = Shared::new(redis, rules, name);
        let news = shared.news();
        let inner = Arc::new(Inner::new(rules, Some(shared), tasks));
        let follower = tokio::spawn(follow(Arc::downgrade(&inner), news));
        Self {
            inner,
            _follower: Some(Arc::new(AbortOnDropHandle::new(follower))),
        }
    }

    /// Lets a call go on, or not. The permit wants to be told how the call ended.
    ///
    /// # Errors
    ///
    /// If the breaker is open, or half-open with a probe that is running.
    pub async fn admit(&self, key: &str) -> Result<Permit, Open> {
        let inner = &self.inner;
        let cell = inner.cell(key);
        let (known, look) = {
            let kept = cell.lock();
            (kept.replica.is_known(), kept.replica.look(inner.now()))
        };
        // While Redis is away only those calls wait for it that depend on it.
        let learn = !known && inner.reachable.load(Ordering::Relaxed);
        let ask = inner.shared.is_some() && (learn || look == Look::ProbeDue);
        match look {
            Look::Admitted(ticket) if !ask => Ok(Permit::new(inner, &cell, ticket)),
            Look::Refused(retry_after) if !ask => Err(Open { retry_after }),
            _ => {
                // A caller who goes away in the middle must leave no probe behind.
                let asking = Arc::clone(inner).admit_after_asking(cell);
                match inner.tasks.spawn(asking).await {
                    Ok(answer) => answer,
                    // The runtime is being shut down.
                    Err(_) => Err(Open {
                        retry_after: inner.rules.ttl,
                    }),
                }
            }
        }
    }

    /// What a breaker is now, as far as this process knows.
    pub fn state(&self, key: &str) -> State {
        let cells = self.inner.cells();
        match cells.get(key) {
            Some(cell) => cell.lock().replica.state(self.inner.now()),
            None => State::Closed { failures: 0 },
        }
    }

    /// All breakers that this process knows of and what they are now, by key.
    pub fn states(&self) -> Vec<(Arc<str>, State)> {
        let now = self.inner.now();
        let mut states: Vec<_> = self
            .inner
            .cells()
            .values()
            .map(|cell| (Arc::clone(&cell.key), cell.lock().replica.state(now)))
            .collect();
        states.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        states
    }

    /// Each opening and closing from now on, whoever caused it. That the time of an open breaker is over shows in
    /// [`Breakers::state`] and is announced with the next call. Who lags behind looks at the states.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.inner.changes.subscribe()
    }
}

/// Learns of what happens to shared breakers, for as long as there are any.
async fn follow(inner: Weak<Inner>, mut news: News) {
    loop {
        let heard = news.next().await;
        let Some(inner) = inner.upgrade() else {
            return;
        };
        match heard {
            Heard::Listening | Heard::Missed => look_again(&inner),
            Heard::Lost => inner.reachable.store(false, Ordering::Relaxed),
            Heard::Message { payload, .. } => {
                if let Some((key, snapshot)) = read(&payload) {
                    let cell = inner.cell(key);
                    inner.with(&cell, |replica, now| replica.learn(&snapshot, now));
                }
            }
        }
    }
}

/// Looks at all breakers that are known, since some news may have been missed.
fn look_again(inner: &Arc<Inner>) {
    let cells: Vec<_> = inner.cells().values().cloned().collect();
    for cell in &cells {
        cell.lock().replica.doubt();
    }
    inner.reachable.store(true, Ordering::Relaxed);
    for cell in cells {
        let inner = Arc::clone(inner);
        let tasks = inner.tasks.clone();
        tasks.spawn(async move { inner.step(&cell, Event::Look, None).await });
    }
}
