//! The slots: how many calls run at once, first come, first served.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use crate::error::Error;

/// The slots of this process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Slots {
    free: Arc<Semaphore>,
    count: usize,
}

/// A taken slot; dropping it frees it.
#[derive(Debug)]
pub struct Slot {
    _permit: OwnedSemaphorePermit,
}

impl Slots {
    /// This many slots.
    pub fn new(count: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(count)),
            count,
        }
    }

    /// Waits for a slot in the order of arrival. A wait that is dropped leaves the line.
    ///
    /// Fails with `Busy` after `max_wait`, or with `DeadlineExceeded` where the caller's deadline comes first.
    pub async fn take(&self, max_wait: Duration, deadline: Option<Instant>) -> Result<Slot, Error> {
        let patience = Instant::now() + max_wait;
        let until = deadline.map_or(patience, |d| d.min(patience));
        match timeout_at(until, Arc::clone(&self.free).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Slot { _permit: permit }),
            // The semaphore is never closed; if it were, no slot would ever come.
            Ok(Err(_)) => Err(Error::Busy { slots: self.count }),
            Err(_) if until < patience => Err(Error::DeadlineExceeded),
            Err(_) => Err(Error::Busy { slots: self.count }),
        }
    }
}
