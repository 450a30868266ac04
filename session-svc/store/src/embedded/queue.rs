//! Where transactions wait for the writer. The callers are tasks, the writer is a thread.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::{Semaphore, oneshot};

use crate::{Outcome, Partition, StoreError, Transaction};

/// The most jobs that wait; more wait for a place here.
const ROOM: usize = 1024;

/// Transactions that wait to be written, one after another up to the first that is refused.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) transactions: Vec<(Partition, Transaction)>,
    /// What came of each that was run.
    pub(super) reply: oneshot::Sender<Result<Vec<Outcome>, StoreError>>,
}

/// What the writer finds in the queue.
#[derive(Debug)]
pub(super) enum Next {
    /// Jobs, in the order in which they came.
    Jobs(Vec<Job>),
    /// Nothing came in time.
    Idle,
    /// Nothing will come any more.
    Closed,
}

/// The queue.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
    room: Semaphore,
}

#[derive(Debug, Default)]
struct State {
    jobs: VecDeque<Job>,
    /// The writer sleeps until so many jobs are here.
    wanted: usize,
    closed: bool,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            arrived: Condvar::new(),
            room: Semaphore::new(ROOM),
        }
    }
}

impl Queue {
    /// Puts a job into the queue, as soon as there is room.
    pub(super) async fn push(&self, job: Job) -> Result<(), StoreError> {
        let place = self.room.acquire().await;
        place.map_err(|_| StoreError::Unavailable)?.forget();
        let mut state = self.lock();
        if state.closed {
            return Err(StoreError::Unavailable);
        }
        state.jobs.push_back(job);
        let enough = state.jobs.len() >= state.wanted;
        drop(state);
        if enough {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Takes at most `most` jobs. Waits for one, at most for `patience` or without end; and when one is there, for
    /// `linger` at most until there are `expected`.
    pub(super) fn take(
        &self,
        most: usize,
        patience: Option<Duration>,
        expected: usize,
        linger: Duration,
    ) -> Next {
        let mut state = self.lock();
        state.wanted = 1;
        let empty = |state: &mut State| state.jobs.is_empty() && !state.closed;
        state = match patience {
            None => self
                .arrived
                .wait_while(state, empty)
                .unwrap_or_else(PoisonError::into_inner),
            Some(patience) => {
                self.arrived
                    .wait_timeout_while(state, patience, empty)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        };
        let expected = expected.min(most);
        if state.jobs.len() < expected && !state.jobs.is_empty() && !state.closed {
            state.wanted = expected;
            state = self
                .arrived
                .wait_timeout_while(state, linger, |state| {
                    state.jobs.len() < expected && !state.closed
                })
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        if state.jobs.is_empty() {
            return if state.closed {
                Next::Closed
            } else {
                Next::Idle
            };
        }
        let count = state.jobs.len().min(most);
        let jobs = state.jobs.drain(..count).collect();
        drop(state);
        self.room.add_permits(count);
        Next::Jobs(jobs)
    }

    /// Lets no more jobs in; those that wait are still taken.
    pub(super) fn close(&self) {
        self.room.close();
        self.lock().closed = true;
        self.arrived.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
