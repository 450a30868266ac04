//! The permit of a call, which is told how that ended.

use std::sync::Arc;

use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    registry::{Breaker, Registry},
    shared::Event,
    state_machine::{State, Ticket},
};

/// A call that was let through. Dropping it without an outcome says nothing about what it called: so end calls that were
/// given up and those that failed for reasons of the caller's own; a probe is then left to the next call.
#[must_use = "a permit that is dropped says nothing of how the call ended"]
pub struct Permit {
    registry: Arc<Registry>,
    breaker: Arc<Breaker>,
    /// `None` once the outcome was told.
    ticket: Option<Ticket>,
    /// Gives signs of life for a probe.
    _renewal: Option<AbortOnDropHandle<()>>,
}

impl Permit {
    pub(crate) fn new(registry: &Arc<Registry>, breaker: &Arc<Breaker>, ticket: Ticket) -> Self {
        let renewal = ticket.probe.map(|_| {
            let renewal = renew(Arc::clone(registry), Arc::clone(breaker), ticket);
            AbortOnDropHandle::new(tokio::spawn(renewal))
        });
        Self {
            registry: Arc::clone(registry),
            breaker: Arc::clone(breaker),
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
            self.breaker.lock().replica.state(self.registry.now()),
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
        let (registry, breaker) = (Arc::clone(&self.registry), Arc::clone(&self.breaker));
        if registry.shared.is_none() {
            registry.do_alone(&breaker, event, ticket);
            return;
        }
        let tasks = registry.tasks.clone();
        // An error means that the runtime is being shut down.
        let _ = tasks.spawn(registry.tell(breaker, event, ticket)).await;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket.take().filter(|ticket| ticket.probe.is_some()) else {
            return;
        };
        let (registry, breaker) = (Arc::clone(&self.registry), Arc::clone(&self.breaker));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if registry.shared.is_some() => {
                let tasks = registry.tasks.clone();
                tasks.spawn_on(registry.tell(breaker, Event::Released, ticket), &runtime);
            }
            _ => registry.do_alone(&breaker, Event::Released, ticket),
        }
    }
}

/// Gives signs of life for a probe, until it is dropped.
async fn renew(registry: Arc<Registry>, breaker: Arc<Breaker>, ticket: Ticket) {
    loop {
        sleep(registry.rules.probe_lease / 3).await;
        Arc::clone(&registry)
            .tell(Arc::clone(&breaker), Event::Renew, ticket)
            .await;
    }
}
