//! The queue of one process.

mod announce;
mod slots;
mod state;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Notify, watch},
    time::Instant,
};

use self::state::State;
use crate::{
    options::QueueOptions,
    order::EntryId,
    queue::Entered,
    request::{Place, PlaceWatch, Refusal, SlotRequest},
    view::QueueView,
    waiter::{Grant, Outcome, OutcomeReceiver},
};

/// The queue of one process, over its own slots. It does nothing by itself: whoever enters, leaves, or frees a slot moves it
/// on, and while somebody follows a place one task announces them.
#[derive(Debug)]
pub(crate) struct LocalQueue {
    state: Mutex<State>,
    /// Wakes the task that announces places.
    news: Arc<Notify>,
    changes: watch::Sender<()>,
}

impl LocalQueue {
    /// An empty queue.
    pub(crate) fn new(options: QueueOptions) -> Self {
        Self {
            state: Mutex::new(State::new(options, Instant::now())),
            news: Arc::new(Notify::new()),
            changes: watch::Sender::new(()),
        }
    }

    /// Joins the queue, until the given time at the latest.
    pub(crate) fn enter(
        &self,
        ask: SlotRequest,
        now: Instant,
        until: Instant,
    ) -> Result<Entered, Refusal> {
        let entered = self.state().enter(ask, now, until);
        self.changed();
        entered
    }

    /// Takes a waiter out who has gone, with the slot that it may have been given meanwhile.
    pub(crate) fn leave(&self, id: EntryId, answer: &mut OutcomeReceiver) {
        let now = Instant::now();
        let mut state = self.state();
        match answer.try_recv() {
            Ok(Outcome::Granted(grant)) => state.release(&grant, None, now),
            Ok(Outcome::Refused(_)) => {}
            Err(_) => state.leave(id, now),
        }
        drop(state);
        self.changed();
    }

    /// Has a waiter refused whose time is over, if it has got no slot by now.
    pub(crate) fn give_up(&self, id: EntryId, allowed: Duration) {
        self.state().give_up(id, allowed, Instant::now());
        self.changed();
    }

    /// Frees a slot.
    pub(crate) fn release(&self, grant: &Grant, service_time: Option<Duration>) {
        self.state().release(grant, service_time, Instant::now());
        self.changed();
    }

    /// Follows a waiter's place.
    pub(crate) fn watch(self: &Arc<Self>, id: EntryId, first: Option<Place>) -> PlaceWatch {
        let (places, start) = self.state().watch(id, first);
        if start {
            tokio::spawn(announce::run(Arc::downgrade(self), Arc::clone(&self.news)));
        }
        places
    }

    /// The queue as it is now.
    pub(crate) fn view(&self, max: usize) -> QueueView {
        self.state().view(max, Instant::now())
    }

    /// Changes whenever the queue does.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    fn changed(&self) {
        self.news.notify_one();
        if self.changes.receiver_count() > 0 {
            self.changes.send_replace(());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
