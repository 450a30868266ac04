//! The line of one process.

mod announce;
mod core;
mod slots;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Notify, watch},
    time::Instant,
};

use self::core::Core;
use crate::{
    ask::{Ask, Place, PlaceWatch, Refusal},
    line::Entered,
    options::LineOptions,
    order::EntryId,
    view::LineView,
    waiter::{Answer, Grant, Told},
};

/// The line of one process, over its own slots. It does nothing by itself: whoever enters, leaves, or frees a slot moves it
/// on, and while somebody follows a place one task announces them.
#[derive(Debug)]
pub(crate) struct Local {
    core: Mutex<Core>,
    /// Wakes the task that announces places.
    news: Arc<Notify>,
    changes: watch::Sender<()>,
}

impl Local {
    /// An empty line.
    pub(crate) fn new(options: LineOptions) -> Self {
        Self {
            core: Mutex::new(Core::new(options, Instant::now())),
            news: Arc::new(Notify::new()),
            changes: watch::Sender::new(()),
        }
    }

    /// Gets into line, until the given time at the latest.
    pub(crate) fn enter(&self, ask: Ask, now: Instant, until: Instant) -> Result<Entered, Refusal> {
        let entered = self.core().enter(ask, now, until);
        self.changed();
        entered
    }

    /// Takes a waiter out who has gone, with the slot that it may have been given meanwhile.
    pub(crate) fn leave(&self, id: EntryId, answer: &mut Answer) {
        let now = Instant::now();
        let mut core = self.core();
        match answer.try_recv() {
            Ok(Told::Granted(grant)) => core.release(&grant, None, now),
            Ok(Told::Refused(_)) => {}
            Err(_) => core.leave(id, now),
        }
        drop(core);
        self.changed();
    }

    /// Has a waiter refused whose time is over, if it has not been told of a slot by now.
    pub(crate) fn give_up(&self, id: EntryId, allowed: Duration) {
        self.core().give_up(id, allowed, Instant::now());
        self.changed();
    }

    /// Frees a slot.
    pub(crate) fn release(&self, grant: &Grant, service_time: Option<Duration>) {
        self.core().release(grant, service_time, Instant::now());
        self.changed();
    }

    /// Follows a waiter's place.
    pub(crate) fn watch(self: &Arc<Self>, id: EntryId, first: Option<Place>) -> PlaceWatch {
        let (places, start) = self.core().watch(id, first);
        if start {
            tokio::spawn(announce::run(Arc::downgrade(self), Arc::clone(&self.news)));
        }
        places
    }

    /// The line as it is now.
    pub(crate) fn view(&self, max: usize) -> LineView {
        self.core().view(max, Instant::now())
    }

    /// Changes whenever the line does.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    fn changed(&self) {
        self.news.notify_one();
        if self.changes.receiver_count() > 0 {
            self.changes.send_replace(());
        }
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
