//! The one writer: it takes all transactions that wait, applies them as one, brings that to disk once, and only then
//! answers them all. So a disk that syncs slowly limits how long a write takes, not how many there are.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::Duration,
};

use redb::{Durability, ReadableTable};
use tokio::{runtime::Handle, sync::oneshot, time::Instant};
use turnwise_kit::Clock;

use super::{
    apply::Writing,
    expiry,
    failure::Failure,
    file::StoreFile,
    leases::{self, Leases, Pins},
    queue::{Job, Next, Queue},
    rows::{BATCHES, COUNTERS, EXPIRIES},
};
use crate::{
    Applied, OpenError, Outcome, Partition, StoreError, Transaction, Write, changes::Changes,
};

/// The most transactions of one batch.
const MAX_BATCH: usize = 256;
/// Without fsync, every so many batches one is brought to disk all the same: it bounds what a crash loses, and the
/// pages that the store can use again.
const DURABLE_EVERY: u64 = 256;
/// How often an idle writer looks for what has expired, and tries to open a file that was closed by a failure.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The longest that a batch waits for callers that have just been answered to come again.
const MAX_LINGER: Duration = Duration::from_micros(500);

/// What the writer works on.
pub(super) struct Work {
    pub(super) file: Arc<StoreFile>,
    pub(super) leases: Arc<Leases>,
    pub(super) changes: Arc<Changes>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) fsync: bool,
}

/// The way to the writer. Dropped, it waits until all that was taken is written.
pub(super) struct Writer {
    queue: Arc<Queue>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Writer {
    /// Starts the writer, which shares the clock of the runtime that it is called in.
    pub(super) fn start(work: Work) -> Result<Self, OpenError> {
        let queue = Arc::new(Queue::default());
        let runtime = Handle::try_current().ok();
        let thread = thread::Builder::new()
            .name("session-writer".to_owned())
            .spawn({
                let queue = Arc::clone(&queue);
                move || {
                    let _inside = runtime.as_ref().map(Handle::enter);
                    work.run(&queue);
                }
            })
            .map_err(|source| OpenError::StartWriter { source })?;
        Ok(Self {
            queue,
            thread: Some(thread),
        })
    }

    /// Runs a transaction and answers once it is on disk.
    pub(super) async fn write(
        &self,
        partition: Partition,
        transaction: Transaction,
    ) -> Result<Outcome, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job = Job {
            partition,
            transaction,
            reply,
        };
        self.queue.push(job).await?;
        answer.await.unwrap_or(Err(StoreError::Unavailable))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that writes to the embedded store ended in a panic");
        }
    }
}

/// Why a batch failed.
struct BatchFailure {
    failure: Failure,
    /// The number that the batch would have, if it failed where it may be on disk all the same.
    maybe_written: Option<i64>,
}

impl<F: Into<Failure>> From<F> for BatchFailure {
    fn from(failure: F) -> Self {
        Self {
            failure: failure.into(),
            maybe_written: None,
        }
    }
}

impl Work {
    fn run(&self, queue: &Queue) {
        let mut batches = 0_u64;
        let mut last = (1, Duration::ZERO);
        loop {
            let (patience, sweep) = self.look();
            let jobs = match queue.take(MAX_BATCH, patience, last.0, last.1) {
                Next::Jobs(jobs) => jobs,
                Next::Idle if sweep => Vec::new(),
                Next::Idle => continue,
                Next::Closed => break,
            };
            batches += 1;
            let durable = self.fsync || batches.is_multiple_of(DURABLE_EVERY);
            let began = Instant::now();
            let count = jobs.len();
            self.batch(jobs, durable);
            last = (count, (began.elapsed() / 8).min(MAX_LINGER));
        }
        if !self.fsync {
            self.batch(Vec::new(), true);
        }
    }

    /// How long the writer may wait for transactions, and whether there is something to do if none comes.
    fn look(&self) -> (Option<Duration>, bool) {
        if self.file.is_closed() {
            return (Some(LOOK_EVERY), true);
        }
        let next = self
            .file
            .begin_read()
            .and_then(|transaction| expiry::next(&transaction.open_table(EXPIRIES)?));
        match next {
            Ok(Some(at)) if at <= self.now() => (Some(Duration::ZERO), true),
            Ok(None) => (None, false),
            Ok(Some(_)) | Err(_) => (Some(LOOK_EVERY), false),
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    fn batch(&self, jobs: Vec<Job>, durable: bool) {
        // Whatever goes wrong in the database, the writer lives on; whoever waits for this batch is told.
        let done = catch_unwind(AssertUnwindSafe(|| {
            if self.file.is_closed() {
                self.reopen();
            }
            let mut pins = Pins::new(&self.leases);
            match self.apply(&jobs, durable, &mut pins) {
                Ok(outcomes) => {
                    pins.commit();
                    self.announce(&jobs, &outcomes);
                    for (job, outcome) in jobs.into_iter().zip(outcomes) {
                        // Nobody waits any more where the caller has gone.
                        let _ = job.reply.send(Ok(outcome));
                    }
                }
                Err(BatchFailure {
                    failure: Failure::Damaged(_),
                    ..
                }) if jobs.len() > 1 => {
                    // One meets a damaged row: the others must not suffer from it.
                    drop(pins);
                    for job in jobs {
                        self.batch(vec![job], durable);
                    }
                }
                Err(failure) => {
                    let kind = self.recover(&failure);
                    drop(pins);
                    for job in jobs {
                        let _ = job.reply.send(Err(kind));
                    }
                }
            }
        }));
        if done.is_err() {
            tracing::error!("the database of the embedded store panicked");
            self.reopen();
        }
    }

    fn apply(
        &self,
        jobs: &[Job],
        durable: bool,
        pins: &mut Pins,
    ) -> Result<Vec<Outcome>, BatchFailure> {
        let mut transaction = self.file.begin_write()?;
        transaction.set_durability(if durable {
            Durability::Immediate
        } else {
            Durability::None
        })?;
        let mut outcomes = Vec::with_capacity(jobs.len());
        let number = {
            let mut tables = Writing::open(&transaction, self.now())?;
            for job in jobs {
                outcomes.push(self.apply_one(
                    &mut tables,
                    pins,
                    &job.partition,
                    &job.transaction,
                )?);
            }
            let wrote = outcomes.iter().any(|o| matches!(o, Outcome::Applied(_)));
            if !(tables.sweep()? || wrote || jobs.is_empty()) {
                drop(tables);
                transaction.abort()?;
                return Ok(outcomes);
            }
            let mut counters = transaction.open_table(COUNTERS)?;
            let number = counters.get(BATCHES)?.map_or(0, |found| found.value()) + 1;
            counters.insert(BATCHES, number)?;
            number
        };
        transaction.commit().map_err(|error| BatchFailure {
            failure: error.into(),
            maybe_written: Some(number),
        })?;
        Ok(outcomes)
    }

    fn apply_one(
        &self,
        tables: &mut Writing<'_>,
        pins: &mut Pins,
        partition: &Partition,
        transaction: &Transaction,
    ) -> Result<Outcome, Failure> {
        let names = leases::names(partition, transaction);
        let mut token = None;
        let checks = &transaction.checks;
        if names.is_empty() {
            if let Some(refused) = tables.view(partition).refusal(checks, |_| None)? {
                return Ok(Outcome::Refused(refused));
            }
        } else {
            let mut slots = self.leases.lock();
            let holder = |name: &_| slots.holder(name);
            if let Some(refused) = tables.view(partition).refusal(checks, holder)? {
                return Ok(Outcome::Refused(refused));
            }
            for name in names {
                pins.pin(&mut slots, name);
            }
            for write in &transaction.writes {
                token = slots.change(&self.leases, partition, write).or(token);
            }
        }
        for write in &transaction.writes {
            token = tables.write(&self.leases, partition, write)?.or(token);
        }
        let found = tables.view(partition).find(&transaction.reads)?;
        Ok(Outcome::Applied(Applied { token, found }))
    }

    fn announce(&self, jobs: &[Job], outcomes: &[Outcome]) {
        for (job, outcome) in jobs.iter().zip(outcomes) {
            if !matches!(outcome, Outcome::Applied(_)) {
                continue;
            }
            for write in &job.transaction.writes {
                if let Write::Append { key, .. } = write {
                    let name = super::log_name(&job.partition, key);
                    self.changes.announce(&name);
                }
            }
        }
    }

    /// Logs a failure, makes the file usable again, and says what to tell the callers.
    fn recover(&self, failed: &BatchFailure) -> StoreError {
        failed.failure.log();
        let kind = failed.failure.kind();
        if !matches!(failed.failure, Failure::Storage(_)) {
            return kind;
        }
        let committed = self.reopen();
        match (failed.maybe_written, committed) {
            (None, _) => kind,
            // What the file holds says for certain that the batch is not in it.
            (Some(number), Some(committed)) if committed < number => kind,
            _ => StoreError::Unavailable,
        }
    }

    /// Opens the file again; answers how many batches it holds.
    fn reopen(&self) -> Option<i64> {
        match self.file.reopen() {
            Ok(batches) => {
                tracing::warn!("the embedded store was opened again after a failure");
                Some(batches)
            }
            Err(failure) => {
                failure.log();
                None
            }
        }
    }
}
