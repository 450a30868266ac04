//! The registry of the breakers that a process knows of, and what happens to them.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{sync::broadcast, time::Instant};
use tokio_util::task::TaskTracker;

use crate::{
    breakers::{Change, Open},
    permit::Permit,
    replica::Replica,
    shared::{Event, Shared},
    state_machine::{Machine, Rules, State, Ticket},
};

/// How many breakers are remembered. Those that are closed and not in use are forgotten when there are more.
const MOST_KEYS: usize = 1024;
/// How many changes wait for who follows them.
const CHANGES: usize = 256;

/// All breakers of a name.
pub(crate) struct Registry {
    pub(crate) rules: Rules,
    start: Instant,
    breakers: Mutex<HashMap<Arc<str>, Arc<Breaker>>>,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) shared: Option<Shared>,
    /// Whether Redis was there when something was last heard of it.
    pub(crate) reachable: AtomicBool,
    /// What must be told even if who tells it goes away.
    pub(crate) tasks: TaskTracker,
}

/// One breaker.
pub(crate) struct Breaker {
    pub(crate) key: Arc<str>,
    copy: Mutex<LocalCopy>,
}

pub(crate) struct LocalCopy {
    pub(crate) replica: Replica,
    /// The state that was announced last.
    announced: State,
}

impl Registry {
    pub(crate) fn new(rules: Rules, shared: Option<Shared>, tasks: TaskTracker) -> Self {
        Self {
            rules,
            start: Instant::now(),
            breakers: Mutex::default(),
            changes: broadcast::channel(CHANGES).0,
            shared,
            reachable: AtomicBool::new(true),
            tasks,
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn breakers(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Breaker>>> {
        self.breakers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn breaker(&self, key: &str) -> Arc<Breaker> {
        let mut breakers = self.breakers();
        if let Some(breaker) = breakers.get(key) {
            return Arc::clone(breaker);
        }
        let now = self.now();
        if breakers.len() >= MOST_KEYS {
            breakers.retain(|_, breaker| Arc::strong_count(breaker) > 1 || !breaker.is_idle(now));
        }
        let breaker = Arc::new(Breaker::new(key, self.rules));
        if breakers.len() < MOST_KEYS {
            breakers.insert(Arc::clone(&breaker.key), Arc::clone(&breaker));
        }
        breaker
    }

    pub(crate) async fn admit_after_asking(
        self: Arc<Self>,
        breaker: Arc<Breaker>,
    ) -> Result<Permit, Open> {
        let answer = match self.step(&breaker, Event::Admit, None).await {
            Some((ticket, state)) => ticket.ok_or(match state {
                State::Closed { .. } => Duration::ZERO,
                State::Open { retry_after } => retry_after,
                State::HalfOpen { probing } => probing.unwrap_or_default(),
            }),
            None => self.change(&breaker, |machine, now| machine.probe(now)),
        };
        match answer {
            Ok(ticket) => Ok(Permit::new(&self, &breaker, ticket)),
            Err(retry_after) => Err(Open { retry_after }),
        }
    }

    /// Does a step in Redis, and returns the ticket if there is one, and the state after it; `None` if Redis did not
    /// answer, or there is none.
    pub(crate) async fn step(
        &self,
        breaker: &Breaker,
        event: Event,
        ticket: Option<Ticket>,
    ) -> Option<(Option<Ticket>, State)> {
        let shared = self.shared.as_ref()?;
        let ticket = ticket.unwrap_or_else(|| Ticket {
            generation: breaker.lock().replica.generation(),
            probe: None,
        });
        let step = shared.step(&breaker.key, event, ticket).await;
        self.reachable.store(step.is_some(), Ordering::Relaxed);
        let step = step?;
        let mut told = Machine::new(self.rules);
        let now = self.now();
        told.adopt(&step.snapshot, now);
        self.with(breaker, |replica, now| replica.learn(&step.snapshot, now));
        Some((step.ticket, told.state(now)))
    }

    /// Tells of an event, to Redis if that answers.
    pub(crate) async fn tell(self: Arc<Self>, breaker: Arc<Breaker>, event: Event, ticket: Ticket) {
        if self.step(&breaker, event, Some(ticket)).await.is_none() {
            self.do_alone(&breaker, event, ticket);
        }
    }

    pub(crate) fn do_alone(&self, breaker: &Breaker, event: Event, ticket: Ticket) {
        self.change(breaker, |machine, now| match event {
            Event::Look | Event::Admit => {}
            Event::Renew => {
                machine.renew(ticket, now);
            }
            Event::Succeeded => machine.succeeded(ticket, now),
            Event::Failed => machine.failed(ticket, now),
            Event::Released => machine.released(ticket),
        });
    }

    fn change<T>(&self, breaker: &Breaker, change: impl FnOnce(&mut Machine, Duration) -> T) -> T {
        self.with(breaker, |replica, now| {
            replica.alone(|machine| change(machine, now))
        })
    }

    /// Does something to a copy, and announces it if the breaker turned.
    pub(crate) fn with<T>(
        &self,
        breaker: &Breaker,
        change: impl FnOnce(&mut Replica, Duration) -> T,
    ) -> T {
        let mut copy = breaker.lock();
        let now = self.now();
        let result = change(&mut copy.replica, now);
        let state = copy.replica.state(now);
        if std::mem::discriminant(&state) != std::mem::discriminant(&copy.announced) {
            // Nobody need listen.
            let _ = self.changes.send(Change {
                key: Arc::clone(&breaker.key),
                state,
            });
        }
        copy.announced = state;
        result
    }
}

impl Breaker {
    fn new(key: &str, rules: Rules) -> Self {
        Self {
            key: key.into(),
            copy: Mutex::new(LocalCopy {
                replica: Replica::new(rules),
                announced: State::Closed { failures: 0 },
            }),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, LocalCopy> {
        self.copy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_idle(&self, now: Duration) -> bool {
        self.lock().replica.state(now) == State::Closed { failures: 0 }
    }
}
