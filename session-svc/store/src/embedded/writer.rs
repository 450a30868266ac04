//! The one writer: it takes all operations that wait, applies them in one transaction, brings that to disk once, and
//! only then answers them all. So a disk that syncs slowly limits how long a write takes, not how many there are.

use std::{sync::Arc, thread};

use redb::{Database, Durability};
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
};
use turnwise_kit::Clock;

use super::{
    apply::{self, Times},
    failure::Failure,
    leases::Held,
    tables::Tables,
};
use crate::error::{SessionError, StartError};

/// The most operations of one transaction.
const MAX_BATCH: usize = 256;
/// The most operations that wait for the writer; more wait for a place here.
const QUEUE: usize = 1024;
/// Without fsync, every so many transactions one is brought to disk all the same: it bounds what a crash loses, and
/// the pages that the store can use again.
const DURABLE_EVERY: u64 = 256;

/// An operation to apply; a failure of the store ends the whole transaction.
type Job = Box<dyn FnOnce(&mut Tables<'_>, Times) -> Result<Finish, Failure> + Send>;
/// Answers an operation, once it is known whether its transaction was committed.
type Finish = Box<dyn FnOnce(bool) + Send>;

/// The way to the writer. Dropped, it waits until all that was taken is written.
pub(super) struct Writer {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Writer {
    /// Starts the writer; called inside a runtime, whose clock it shares.
    pub(super) fn start(
        database: Arc<Database>,
        clock: Arc<dyn Clock>,
        fsync: bool,
        keep_answers: i64,
    ) -> Result<Self, StartError> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let runtime = Handle::current();
        let thread = thread::Builder::new()
            .name("session-writer".to_owned())
            .spawn(move || {
                let _inside = runtime.enter();
                run(queue, &database, clock.as_ref(), fsync, keep_answers);
            })
            .map_err(|source| StartError::StartWriter { source })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Applies an operation and answers once it is on disk. A lease that it holds is released then.
    pub(super) async fn write<T, F>(&self, operation: F) -> Result<T, SessionError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tables<'_>, Times) -> Result<(T, Option<Held>), Failure> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |tables, times| {
            let outcome = match operation(tables, times) {
                Ok(outcome) => Ok(outcome),
                Err(Failure::Refused(error)) => Err(error),
                Err(broken) => return Err(broken),
            };
            Ok(Box::new(move |committed| {
                let answer = match outcome {
                    Ok((answer, held)) if committed => {
                        if let Some(held) = held {
                            held.release();
                        }
                        Ok(answer)
                    }
                    Err(refused) if committed => Err(refused),
                    _ => Err(SessionError::Unavailable),
                };
                // Nobody waits any more where the caller has gone.
                let _ = reply.send(answer);
            }))
        });
        let jobs = self.jobs.as_ref().ok_or(SessionError::Unavailable)?;
        jobs.send(job)
            .await
            .map_err(|_| SessionError::Unavailable)?;
        answer.await.unwrap_or(Err(SessionError::Unavailable))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs.take();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that writes to the embedded store ended in a panic");
        }
    }
}

fn run(
    mut queue: mpsc::Receiver<Job>,
    database: &Database,
    clock: &dyn Clock,
    fsync: bool,
    keep_answers: i64,
) {
    let mut transactions = 0_u64;
    while let Some(first) = queue.blocking_recv() {
        let mut batch = Vec::with_capacity(1);
        batch.push(first);
        while batch.len() < MAX_BATCH
            && let Ok(next) = queue.try_recv()
        {
            batch.push(next);
        }
        transactions += 1;
        let durable = fsync || transactions.is_multiple_of(DURABLE_EVERY);
        let times = Times {
            now: clock.now().as_millisecond(),
            keep_answers,
        };
        write_batch(database, batch, durable, times);
    }
    if !fsync {
        write_batch(
            database,
            Vec::new(),
            true,
            Times {
                now: clock.now().as_millisecond(),
                keep_answers,
            },
        );
    }
}

fn write_batch(database: &Database, batch: Vec<Job>, durable: bool, times: Times) {
    let mut finishes = Vec::with_capacity(batch.len());
    let result = apply_batch(database, batch, durable, times, &mut finishes);
    let committed = result.is_ok();
    if let Err(failure) = result {
        failure.into_session_error();
    }
    for finish in finishes {
        finish(committed);
    }
}

fn apply_batch(
    database: &Database,
    batch: Vec<Job>,
    durable: bool,
    times: Times,
    finishes: &mut Vec<Finish>,
) -> Result<(), Failure> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(if durable {
        Durability::Immediate
    } else {
        Durability::None
    })?;
    {
        let mut tables = Tables::open(&transaction)?;
        for job in batch {
            finishes.push(job(&mut tables, times)?);
        }
        apply::sweep(&mut tables, times.now)?;
    }
    transaction.commit()?;
    Ok(())
}
