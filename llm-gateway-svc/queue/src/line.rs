//! The handle: a line, one who waits in it, and a slot.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use turnwise_kit::Kit;
use turnwise_redis::Redis;

use crate::{
    ask::{Ask, Place, PlaceWatch, Refusal},
    local::Local,
    options::{InvalidOption, LineOptions},
    order::EntryId,
    shared::Shared,
    view::LineView,
    waiter::{Answer, Grant, Told},
};

/// Nobody waits longer; a time that far ahead can still be reckoned with.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The line in front of one model. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Line {
    keeper: Keeper,
}

/// Who keeps the line.
#[derive(Debug, Clone)]
enum Keeper {
    /// This process.
    Local(Arc<Local>),
    /// All replicas, through Redis.
    Shared(Arc<Shared>),
}

/// What a keeper answers to who enters.
#[derive(Debug)]
pub(crate) enum Entered {
    /// A slot, at once.
    Granted(Grant),
    /// A place in line.
    InLine {
        /// Its name.
        id: EntryId,
        /// What ends the wait.
        answer: Answer,
        /// The place, as far as it is known.
        place: Option<Place>,
    },
}

impl Line {
    /// The line of this process alone, over its own slots.
    ///
    /// Fails with the first option that is out of its bounds.
    pub fn local(options: LineOptions) -> Result<Self, InvalidOption> {
        options.check()?;
        Ok(Self {
            keeper: Keeper::Local(Arc::new(Local::new(options))),
        })
    }

    /// The line of this name that replicas share through Redis; all must be given the same options but for their index.
    /// Whenever Redis is out of reach, each replica goes on with the slots that are its own. A task keeps the line until the
    /// kit shuts down and the last call has ended. To be called within a runtime.
    ///
    /// Fails with the first option that is out of its bounds.
    pub fn shared(
        options: LineOptions,
        redis: Redis,
        name: &str,
        kit: &Kit,
    ) -> Result<Self, InvalidOption> {
        options.check()?;
        Ok(Self {
            keeper: Keeper::Shared(Shared::open(options, redis, name, kit)),
        })
    }

    /// Gets into line. Who may not wait long enough, or finds the line full, is refused at once.
    pub async fn enter(&self, ask: Ask) -> Result<Waiting, Refusal> {
        let entered_at = Instant::now();
        let patience = entered_at + ask.max_wait.min(FOR_EVER);
        let until = ask
            .deadline
            .map_or(patience, |deadline| deadline.min(patience));
        let entered = match &self.keeper {
            Keeper::Local(local) => local.enter(ask, entered_at, until),
            // Boxed, so that the local line's future stays small.
            Keeper::Shared(shared) => Box::pin(shared.enter(ask, entered_at, until)).await,
        }?;
        Ok(Waiting {
            keeper: self.keeper.clone(),
            entered_at,
            until,
            state: match entered {
                Entered::Granted(grant) => State::Granted(grant),
                Entered::InLine { id, answer, place } => State::InLine { id, answer, place },
            },
        })
    }

    /// The line as it is now, with the first `max` of those who wait.
    pub async fn view(&self, max: usize) -> LineView {
        match &self.keeper {
            Keeper::Local(local) => local.view(max),
            Keeper::Shared(shared) => Box::pin(shared.view(max)).await,
        }
    }

    /// Changes whenever the line does: for a view that is kept up to date.
    pub fn changes(&self) -> watch::Receiver<()> {
        match &self.keeper {
            Keeper::Local(local) => local.changes(),
            Keeper::Shared(shared) => shared.changes(),
        }
    }
}

impl Keeper {
    /// Takes a waiter out who has gone, with the slot that it may have been given meanwhile.
    fn leave(&self, id: EntryId, answer: &mut Answer) {
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

/// One who waits. Dropping it leaves the line at once.
#[derive(Debug)]
#[must_use]
pub struct Waiting {
    keeper: Keeper,
    entered_at: Instant,
    until: Instant,
    state: State,
}

#[derive(Debug)]
enum State {
    Granted(Grant),
    InLine {
        id: EntryId,
        answer: Answer,
        place: Option<Place>,
    },
    Ended,
}

impl Waiting {
    /// Follows the place in line. It never changes for one who has a slot already. To be called within a runtime.
    pub fn place(&self) -> PlaceWatch {
        match &self.state {
            State::InLine { id, place, .. } => self.keeper.watch(*id, *place),
            State::Granted(_) | State::Ended => watch::channel(None).1,
        }
    }

    /// Waits for the slot. A wait that is dropped leaves the line.
    pub async fn slot(mut self) -> Result<Slot, Refusal> {
        let allowed = self.until.saturating_duration_since(self.entered_at);
        let told = match &mut self.state {
            State::Granted(_) | State::Ended => None,
            State::InLine { id, answer, .. } => {
                let told = tokio::select! {
                    biased;
                    told = &mut *answer => told,
                    () = sleep_until(self.until) => {
                        self.keeper.give_up(*id, allowed);
                        answer.await
                    }
                };
                Some(told)
            }
        };
        let grant = match (std::mem::replace(&mut self.state, State::Ended), told) {
            (State::Granted(grant), _) | (_, Some(Ok(Told::Granted(grant)))) => grant,
            (_, Some(Ok(Told::Refused(refusal)))) => return Err(refusal),
            // The line is kept by those who wait, so it ends after them.
            (_, Some(Err(_)) | None) => {
                return Err(Refusal::NoSlot {
                    retry_after: Duration::from_secs(1),
                });
            }
        };
        Ok(Slot {
            keeper: self.keeper.clone(),
            waited: self.entered_at.elapsed(),
            grant,
            service_time: None,
        })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        match &mut self.state {
            State::Granted(grant) => self.keeper.release(grant, None),
            State::InLine { id, answer, .. } => self.keeper.leave(*id, answer),
            State::Ended => {}
        }
    }
}

/// A slot. Dropping it frees it.
#[derive(Debug)]
#[must_use]
pub struct Slot {
    keeper: Keeper,
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
        self.keeper.release(&self.grant, self.service_time);
    }
}
