//! The handles: a queue, a request that waits in it, and a slot.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use turnwise_kit::Kit;
use turnwise_redis::Redis;

use crate::{
    local::LocalQueue,
    options::{InvalidOption, QueueOptions},
    order::EntryId,
    request::{Band, HeldPlace, Owner, Place, PlaceWatch, Refusal, SlotRequest},
    shared::{Ordinals, SharedQueue},
    view::QueueView,
    waiter::{Grant, Outcome, OutcomeReceiver},
};

/// No request waits longer. Times that far ahead can still be added to an instant.
const MAX_WAIT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The queue in front of one model. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Queue {
    backing: Backing,
}

/// Where the queue is kept.
#[derive(Debug, Clone)]
enum Backing {
    /// This process.
    Local(Arc<LocalQueue>),
    /// All replicas, through Redis.
    Shared(Arc<SharedQueue>),
}

/// What becomes of a request that enters.
#[derive(Debug)]
pub(crate) enum Entered {
    /// A slot, at once.
    Granted(Grant),
    /// A place in the queue.
    Queued {
        /// The id of its entry.
        id: EntryId,
        /// What ends the wait.
        answer: OutcomeReceiver,
        /// The place, as far as it is known.
        place: Option<Place>,
    },
}

impl Queue {
    /// The queue of this process alone, over its own slots.
    ///
    /// Fails with the first option that is out of its bounds.
    pub fn local(options: QueueOptions) -> Result<Self, InvalidOption> {
        options.check()?;
        Ok(Self {
            backing: Backing::Local(Arc::new(LocalQueue::new(options))),
        })
    }

    /// The queue of this name that replicas share through Redis; all must be given the same options but for their index.
    /// Whenever Redis is out of reach, each replica goes on with the slots that are its own. A task keeps the queue until the
    /// kit has served its calls and the last has ended. To be called within a runtime.
    ///
    /// Fails with the first option that is out of its bounds.
    pub fn shared(
        options: QueueOptions,
        redis: Redis,
        name: &str,
        kit: &Kit,
    ) -> Result<Self, InvalidOption> {
        options.check()?;
        Ok(Self {
            backing: Backing::Shared(SharedQueue::open(options, redis, name, kit, None)),
        })
    }

    /// As [`Self::shared`], but which slots are this replica's own is leased: the options' `replicas` and `replica_index` are
    /// not looked at.
    ///
    /// Fails with the first option that is out of its bounds.
    pub fn leased(
        options: QueueOptions,
        redis: Redis,
        name: &str,
        kit: &Kit,
        ordinals: &Ordinals,
    ) -> Result<Self, InvalidOption> {
        options.check()?;
        let shared = SharedQueue::open(options, redis, name, kit, Some(ordinals));
        Ok(Self {
            backing: Backing::Shared(shared),
        })
    }

    /// Joins the queue. Who may not wait long enough, or finds the queue full, is refused at once.
    pub async fn enter(&self, ask: SlotRequest) -> Result<Waiting, Refusal> {
        let entered_at = Instant::now();
        let patience = entered_at + ask.max_wait.min(MAX_WAIT);
        let until = ask
            .deadline
            .map_or(patience, |deadline| deadline.min(patience));
        let entered = match &self.backing {
            Backing::Local(local) => local.enter(ask, entered_at, until),
            // Boxed, so that the local queue's future stays small.
            Backing::Shared(shared) => Box::pin(shared.enter(ask, entered_at, until)).await,
        }?;
        Ok(Waiting {
            backing: self.backing.clone(),
            entered_at,
            until,
            state: match entered {
                Entered::Granted(grant) => State::Granted(grant),
                Entered::Queued { id, answer, place } => State::Queued { id, answer, place },
            },
        })
    }

    /// Ends the request of this owner that waits, as superseded, and holds its place; one that has a slot goes on. Where none
    /// waits and no slot is free, a place at the end is held. None: no place is held.
    pub async fn take_over(&self, owner: Owner, band: Band) -> Option<HeldPlace> {
        let ask = SlotRequest {
            owner,
            band,
            bytes: 0,
            max_wait: Duration::ZERO,
            deadline: None,
            ticket: None,
        };
        let refusal = match self.enter(ask).await {
            Ok(waiting) => waiting.slot().await.err(),
            Err(refusal) => Some(refusal),
        };
        match refusal {
            Some(Refusal::TooLong(hint)) => hint.held,
            _ => None,
        }
    }

    /// The queue as it is now, with the first `max` of those who wait.
    pub async fn view(&self, max: usize) -> QueueView {
        match &self.backing {
            Backing::Local(local) => local.view(max),
            Backing::Shared(shared) => Box::pin(shared.view(max)).await,
        }
    }

    /// Changes whenever the queue does: for a view that is kept up to date.
    pub fn changes(&self) -> watch::Receiver<()> {
        match &self.backing {
            Backing::Local(local) => local.changes(),
            Backing::Shared(shared) => shared.changes(),
        }
    }
}

impl Backing {
    /// Takes a waiter out who has gone, with the slot that it may have been given meanwhile.
    fn leave(&self, id: EntryId, answer: &mut OutcomeReceiver) {
        match self {
            Self::Local(local) => local.leave(id, answer),
            Self::Shared(shared) => shared.leave(id, answer),
        }
    }

    /// Has a waiter refused whose time is over. The refusal, or a slot that came before it, comes as its answer.
    fn give_up(&self, id: EntryId, allowed: Duration) {
        match self {
            Self::Local(local) => local.give_up(id, allowed),
            Self::Shared(shared) => shared.give_up(id, allowed),
        }
    }

    /// Follows a waiter's place.
    fn watch(&self, id: EntryId, first: Option<Place>) -> PlaceWatch {
        match self {
            Self::Local(local) => local.watch(id, first),
            Self::Shared(shared) => shared.watch(id, first),
        }
    }

    /// Frees a slot, with the service time if there is one to learn from.
    fn release(&self, grant: &Grant, service_time: Option<Duration>) {
        match self {
            Self::Local(local) => local.release(grant, service_time),
            Self::Shared(shared) => shared.release(grant, service_time),
        }
    }
}

/// A request that waits. Dropping it leaves the queue at once.
#[derive(Debug)]
#[must_use]
pub struct Waiting {
    backing: Backing,
    entered_at: Instant,
    until: Instant,
    state: State,
}

#[derive(Debug)]
enum State {
    Granted(Grant),
    Queued {
        id: EntryId,
        answer: OutcomeReceiver,
        place: Option<Place>,
    },
    Ended,
}

impl Waiting {
    /// Follows the place in the queue. It never changes for one who has a slot already. To be called within a runtime.
    pub fn place(&self) -> PlaceWatch {
        match &self.state {
            State::Queued { id, place, .. } => self.backing.watch(*id, *place),
            State::Granted(_) | State::Ended => watch::channel(None).1,
        }
    }

    /// Waits for the slot. A wait that is dropped leaves the queue.
    pub async fn slot(mut self) -> Result<Slot, Refusal> {
        let allowed = self.until.saturating_duration_since(self.entered_at);
        let outcome = match &mut self.state {
            State::Granted(_) | State::Ended => None,
            State::Queued { id, answer, .. } => {
                let outcome = tokio::select! {
                    biased;
                    outcome = &mut *answer => outcome,
                    () = sleep_until(self.until) => {
                        self.backing.give_up(*id, allowed);
                        answer.await
                    }
                };
                Some(outcome)
            }
        };
        let grant = match (std::mem::replace(&mut self.state, State::Ended), outcome) {
            (State::Granted(grant), _) | (_, Some(Ok(Outcome::Granted(grant)))) => grant,
            (_, Some(Ok(Outcome::Refused(refusal)))) => return Err(refusal),
            // Whoever waits holds the queue, so it cannot end before them.
            (_, Some(Err(_)) | None) => {
                return Err(Refusal::NoSlot {
                    retry_after: Duration::from_secs(1),
                });
            }
        };
        Ok(Slot {
            backing: self.backing.clone(),
            waited: self.entered_at.elapsed(),
            grant,
            service_time: None,
        })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        match &mut self.state {
            State::Granted(grant) => self.backing.release(grant, None),
            State::Queued { id, answer, .. } => self.backing.leave(*id, answer),
            State::Ended => {}
        }
    }
}

/// A slot. Dropping it frees it.
#[derive(Debug)]
#[must_use]
pub struct Slot {
    backing: Backing,
    waited: Duration,
    grant: Grant,
    service_time: Option<Duration>,
}

impl Slot {
    /// How long it took to get it.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// The slot's number, from 0.
    pub fn index(&self) -> usize {
        self.grant.slot
    }

    /// Cancelled when the slot's lease cannot be renewed any more: the call must end now.
    pub fn lost(&self) -> CancellationToken {
        self.grant.lost.clone()
    }

    /// Frees it, with the time that the call took if it is one to learn from.
    pub fn done(mut self, service_time: Option<Duration>) {
        self.service_time = service_time;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.backing.release(&self.grant, self.service_time);
    }
}
