//! The breakers that a process knows of, and what happens to them.

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
    machine::{Machine, Rules, State, Ticket},
    permit::Permit,
    replica::Replica,
    shared::{Event, Shared},
};

/// How many breakers are remembered. Those that are closed and not in use are forgotten when there are more.
const MOST_KEYS: usize = 1024;
/// How many changes wait for who follows them.
const CHANGES: usize = 256;

/// All breakers of a name.
pub(crate) struct Inner {
    pub(crate) rules: Rules,
    start: Instant,
    cells: Mutex<HashMap<Arc<str>, Arc<Cell>>>,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) shared: Option<Shared>,
    /// Whether Redis was there when something was last heard of it.
    pub(crate) reachable: AtomicBool,
    /// What must be told even if who tells it goes away.
    pub(crate) tasks: TaskTracker,
}

/// One breaker.
pub(crate) struct Cell {
    pub(crate) key: Arc<str>,
    kept: Mutex<Kept>,
}

pub(crate) struct Kept {
    pub(crate) replica: Replica,
    /// The state that was announced last.
    announced: State,
}

impl Inner {
    pub(crate) fn new(rules: Rules, shared: Option<Shared>, tasks: TaskTracker) -> Self {
        Self {
            rules,
            start: Instant::now(),
            cells: Mutex::default(),
            changes: broadcast::channel(CHANGES).0,
            shared,
            reachable: AtomicBool::new(true),
            tasks,
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn cells(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Cell>>> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn cell(&self, key: &str) -> Arc<Cell> {
        let mut cells = self.cells();
        if let Some(cell) = cells.get(key) {
            return Arc::clone(cell);
        }
        let now = self.now();
        if cells.len() >= MOST_KEYS {
            cells.retain(|_, cell| Arc::strong_count(cell) > 1 || !cell.is_idle(now));
        }
        let cell = Arc::new(Cell::new(key, self.rules));
        if cells.len() < MOST_KEYS {
            cells.insert(Arc::clone(&cell.key), Arc::clone(&cell));
        }
        cell
    }

    pub(crate) async fn admit_after_asking(
        self: Arc<Self>,
        cell: Arc<Cell>,
    ) -> Result<Permit, Open> {
        let answer = match self.step(&cell, Event::Admit, None).await {
            Some((ticket, state)) => ticket.ok_or(match state {
                State::Closed { .. } => Duration::ZERO,
                State::Open { retry_after } => retry_after,
                State::HalfOpen { probing } => probing.unwrap_or_default(),
            }),
            None => self.change(&cell, |machine, now| machine.probe(now)),
        };
        match answer {
            Ok(ticket) => Ok(Permit::new(&self, &cell, ticket)),
            Err(retry_after) => Err(Open { retry_after }),
        }
    }

    /// Does a step in Redis, and returns the ticket if there is one, and the state after it; `None` if Redis did not
    /// answer, or there is none.
    pub(crate) async fn step(
        &self,
        cell: &Cell,
        event: Event,
        ticket: Option<Ticket>,
    ) -> Option<(Option<Ticket>, State)> {
        let shared = self.shared.as_ref()?;
        let ticket = ticket.unwrap_or_else(|| Ticket {
            generation: cell.lock().replica.generation(),
            probe: None,
        });
        let step = shared.step(&cell.key, event, ticket).await;
        self.reachable.store(step.is_some(), Ordering::Relaxed);
        let step = step?;
        let mut told = Machine::new(self.rules);
        let now = self.now();
        told.adopt(&step.snapshot, now);
        self.with(cell, |replica, now| replica.learn(&step.snapshot, now));
        Some((step.ticket, told.state(now)))
    }

    /// Tells of an event, to Redis if that answers.
    pub(crate) async fn tell(self: Arc<Self>, cell: Arc<Cell>, event: Event, ticket: Ticket) {
        if self.step(&cell, event, Some(ticket)).await.is_none() {
            self.do_alone(&cell, event, ticket);
        }
    }

    pub(crate) fn do_alone(&self, cell: &Cell, event: Event, ticket: Ticket) {
        self.change(cell, |machine, now| match event {
            Event::Look | Event::Admit => {}
            Event::Renew => {
                machine.renew(ticket, now);
            }
            Event::Succeeded => machine.succeeded(ticket, now),
            Event::Failed => machine.failed(ticket, now),
            Event::Released => machine.released(ticket),
        });
    }

    fn change<T>(&self, cell: &Cell, change: impl FnOnce(&mut Machine, Duration) -> T) -> T {
        self.with(cell, |replica, now| {
            replica.alone(|machine| change(machine, now))
        })
    }

    /// Does something to a copy, and announces it if the breaker turned.
    pub(crate) fn with<T>(
        &self,
        cell: &Cell,
        change: impl FnOnce(&mut Replica, Duration) -> T,
    ) -> T {
        let mut kept = cell.lock();
        let now = self.now();
        let result = change(&mut kept.replica, now);
        let state = kept.replica.state(now);
        if std::mem::discriminant(&state) != std::mem::discriminant(&kept.announced) {
            // Nobody need listen.
            let _ = self.changes.send(Change {
                key: Arc::clone(&cell.key),
                state,
            });
        }
        kept.announced = state;
        result
    }
}

impl Cell {
    fn new(key: &str, rules: Rules) -> Self {
        Self {
            key: key.into(),
            kept: Mutex::new(Kept {
                replica: Replica::new(rules),
                announced: State::Closed { failures: 0 },
            }),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_idle(&self, now: Duration) -> bool {
        self.lock().replica.state(now) == State::Closed { failures: 0 }
    }
}
