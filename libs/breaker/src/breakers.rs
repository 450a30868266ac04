//! Breakers by their keys, which let calls go on or not.

use std::{
    sync::{Arc, Weak, atomic::Ordering},
    time::Duration,
};

use tokio::sync::broadcast;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};
use turnwise_redis::{Event as SubscriptionEvent, Redis, Subscription};

use crate::{
    permit::Permit,
    registry::Registry,
    shared::{Event, Shared, read},
    state_machine::{Look, Rules, State},
};

/// Circuit breakers by key. Cheap to clone; the clones are the same breakers.
#[derive(Clone)]
pub struct Breakers {
    registry: Arc<Registry>,
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
            registry: Arc::new(Registry::new(rules, None, TaskTracker::new())),
            _follower: None,
        }
    }

    /// Breakers that are one with all others of this name in this Redis; all have the same rules. What must be told to
    /// Redis is told in tasks of the tracker. Must be called within a tokio runtime.
    pub fn shared(rules: Rules, redis: Redis, name: &str, tasks: TaskTracker) -> Self {
        let shared = Shared::new(redis, rules, name);
        let subscription = shared.subscription();
        let registry = Arc::new(Registry::new(rules, Some(shared), tasks));
        let follower = tokio::spawn(follow(Arc::downgrade(&registry), subscription));
        Self {
            registry,
            _follower: Some(Arc::new(AbortOnDropHandle::new(follower))),
        }
    }

    /// Lets a call go on, or not. The permit wants to be told how the call ended.
    ///
    /// # Errors
    ///
    /// If the breaker is open, or half-open with a probe that is running.
    pub async fn admit(&self, key: &str) -> Result<Permit, Open> {
        let registry = &self.registry;
        let breaker = registry.breaker(key);
        let (known, look) = {
            let copy = breaker.lock();
            (copy.replica.is_known(), copy.replica.look(registry.now()))
        };
        // While Redis is away only those calls wait for it that depend on it.
        let learn = !known && registry.reachable.load(Ordering::Relaxed);
        let ask = registry.shared.is_some() && (learn || look == Look::ProbeDue);
        match look {
            Look::Admitted(ticket) if !ask => Ok(Permit::new(registry, &breaker, ticket)),
            Look::Refused(retry_after) if !ask => Err(Open { retry_after }),
            _ => {
                // A caller who goes away in the middle must leave no probe behind.
                let asking = Arc::clone(registry).admit_after_asking(breaker);
                match registry.tasks.spawn(asking).await {
                    Ok(answer) => answer,
                    // The runtime is being shut down.
                    Err(_) => Err(Open {
                        retry_after: registry.rules.ttl,
                    }),
                }
            }
        }
    }

    /// What a breaker is now, as far as this process knows.
    pub fn state(&self, key: &str) -> State {
        let breakers = self.registry.breakers();
        match breakers.get(key) {
            Some(breaker) => breaker.lock().replica.state(self.registry.now()),
            None => State::Closed { failures: 0 },
        }
    }

    /// All breakers that this process knows of and what they are now, by key.
    pub fn states(&self) -> Vec<(Arc<str>, State)> {
        let now = self.registry.now();
        let mut states: Vec<_> = self
            .registry
            .breakers()
            .values()
            .map(|breaker| (Arc::clone(&breaker.key), breaker.lock().replica.state(now)))
            .collect();
        states.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        states
    }

    /// Each opening and closing from now on, whoever caused it. That the time of an open breaker is over shows in
    /// [`Breakers::state`] and is announced with the next call. Who lags behind looks at the states.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.registry.changes.subscribe()
    }
}

/// Learns of what happens to shared breakers, for as long as there are any.
async fn follow(registry: Weak<Registry>, mut subscription: Subscription) {
    loop {
        let heard = subscription.next().await;
        let Some(registry) = registry.upgrade() else {
            return;
        };
        match heard {
            SubscriptionEvent::Listening
            | SubscriptionEvent::Joined { .. }
            | SubscriptionEvent::Missed => look_again(&registry),
            SubscriptionEvent::Lost => registry.reachable.store(false, Ordering::Relaxed),
            SubscriptionEvent::Message { payload, .. } => {
                if let Some((key, snapshot)) = read(&payload) {
                    let breaker = registry.breaker(key);
                    registry.with(&breaker, |replica, now| replica.learn(&snapshot, now));
                }
            }
        }
    }
}

/// Looks at all breakers that are known, since some news may have been missed.
fn look_again(registry: &Arc<Registry>) {
    let breakers: Vec<_> = registry.breakers().values().cloned().collect();
    for breaker in &breakers {
        breaker.lock().replica.doubt();
    }
    registry.reachable.store(true, Ordering::Relaxed);
    for breaker in breakers {
        let registry = Arc::clone(registry);
        let tasks = registry.tasks.clone();
        tasks.spawn(async move { registry.step(&breaker, Event::Look, None).await });
    }
}
