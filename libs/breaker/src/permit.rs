//! The permit of a call, which is told how that ended.

use std::sync::Arc;

use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    cells::{Cell, Inner},
    machine::{State, Ticket},
    shared::Event,
};

/// A call that was let through. Dropping it without an outcome says nothing about what it called: so end calls that were
/// given up and those that failed for reasons of the caller's own; a probe is then left to the next call.
#[must_use = "a permit that is dropped says nothing of how the call ended"]
pub struct Permit {
    inner: Arc<Inner>,
    cell: Arc<Cell>,
    /// `None` once the outcome was told.
    ticket: Option<Ticket>,
    /// Gives signs of life for a probe.
    _renewal: Option<AbortOnDropHandle<()>>,
}

impl Permit {
    pub(crate) fn new(inner: &Arc<Inner>, cell: &Arc<Cell>, ticket: Ticket) -> Self {
        let renewal = ticket.probe.map(|_| {
            let renewal = renew(Arc::clone(inner), Arc::clone(cell), ticket);
            AbortOnDropHandle::new(tokio::spawn(renewal))
        });
        Self {
            inner: Arc::clone(inner),
            cell: Arc::clone(cell),
            ticket: Some(ticket),
            _renewal: renewal,
        }
    }

    /// Whether this call finds out for all others if the breaker may close.
    pub fn is_probe(&self) -> bool {
        self.ticket.is_some_and(|ticket| ticket.probe.is_some())
    }

    /// The call succeeded. Returns at once unless this changes something. It is told even if nobody waits for it.
    pub async fn succeeded(mut self) {
        let row = matches!(
            self.cell.lock().replica.state(self.inner.now()),
            State::Closed { failures: 1.. }
        );
        if row || self.is_probe() {
            self.end(Event::Succeeded).await;
        } else {
            self.ticket = None;
        }
    }

    /// The call failed, and all that was tried to help it. It is told even if nobody waits for it.
    pub async fn failed(mut self) {
        self.end(Event::Failed).await;
    }

    async fn end(&mut self, event: Event) {
        let Some(ticket) = self.ticket.take() else {
            return;
        };
        let (inner, cell) = (Arc::clone(&self.inner), Arc::clone(&self.cell));
        if inner.shared.is_none() {
            inner.do_alone(&cell, event, ticket);
            return;
        }
        let tasks = inner.tasks.clone();
        // An error means that the runtime is being shut down.
        let _ = tasks.spawn(inner.tell(cell, event, ticket)).await;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket.take().filter(|ticket| ticket.probe.is_some()) else {
            return;
        };
        let (inner, cell) = (Arc::clone(&self.inner), Arc::clone(&self.cell));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if inner.shared.is_some() => {
                let tasks = inner.tasks.clone();
                tasks.spawn_on(inner.tell(cell, Event::Released, ticket), &runtime);
            }
            _ => inner.do_alone(&cell, Event::Released, ticket),
        }
    }
}

/// Gives signs of life for a probe, until it is dropped.
async fn renew(inner: Arc<Inner>, cell: Arc<Cell>, ticket: Ticket) {
    loop {
        sleep(inner.rules.probe_lease / 3).await;
        Arc::clone(&inner)
            .tell(Arc::clone(&cell), Event::Renew, ticket)
            .await;
    }
}
