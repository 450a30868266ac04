//! The one writer: it takes all transactions that wait, applies them as one, brings that to disk once, and only then
//! answers them all. So a disk that syncs slowly limits how long a write takes, not how many there are.

use std::{mem, sync::Arc, thread, time::Duration};

use redb::WriteTransaction;
use tokio::{runtime::Handle, sync::oneshot, time::Instant};
use turnwise_embedded_file::Done;
use turnwise_kit::Clock;

use super::{
    apply::Writing,
    expiry::{self, NEVER},
    file::{Failure, StoreFile, own_damage, told},
    leases::{self, Leases, Pins},
    queue::{Job, Next, Queue},
    rewrite::{self, Place, Rewrite},
    rows::EXPIRIES,
    sealed::{BATCHES, LIVE, STARTS, SUM, counter, counters, definition, set_counter},
};
use crate::{
    Applied, OpenError, Outcome, Partition, StoreError, Transaction, Write, changes::Changes,
};

/// The most jobs of one batch.
const MAX_BATCH: usize = 256;
/// Without fsync, every so many batches one is brought to disk all the same: it bounds what a crash loses, and the
/// pages that the store can use again.
const DURABLE_EVERY: u64 = 256;
/// How often an idle writer looks for what has expired, and tries to open a file again that a failure has broken.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// After so long without transactions the writer looks whether a shorter file is worth it.
const QUIET: Duration = Duration::from_millis(100);
/// After a failure a shorter file is not tried again for so long.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(3600);
/// After a shorter file so many times as long as the writer was busy with it goes by until the next.
const PAUSE: u32 = 10;
/// The longest file that is made shorter when the store is closed: it takes a second at most.
const AT_THE_END: u64 = 32 * 1024 * 1024;
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

/// What is known of the file from one batch to the next.
#[derive(Default)]
struct Known {
    room: Room,
    /// Nothing expires before; looked up where it is not known.
    soonest: Option<i64>,
}

/// What is known of the room in the file.
#[derive(Default)]
struct Room {
    /// The file that is being written in its place.
    rewrite: Option<Rewrite>,
    /// Nothing was written since it was looked at.
    looked: bool,
    /// How many tenths of its rows the last new file took.
    packed: u64,
    /// Nothing is done before.
    again_at: Option<Instant>,
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

    /// Runs transactions, up to the first that is refused, and answers once all are on disk.
    pub(super) async fn write(
        &self,
        transactions: Vec<(Partition, Transaction)>,
    ) -> Result<Vec<Outcome>, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job = Job {
            transactions,
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

/// How far a batch came.
#[derive(Clone, Copy)]
enum Reached {
    /// What belongs to none of its jobs.
    Tables,
    /// The job at this place.
    Job(usize),
    /// The commit under this number: if it failed, it may be on disk all the same.
    Commit(i64),
}

impl Work {
    fn run(&self, queue: &Queue) {
        let mut batches = 0_u64;
        let mut last = (1, Duration::ZERO);
        let mut known = Known::default();
        loop {
            let (patience, sweep) = self.look(&mut known.soonest);
            let patience = match &known.room {
                _ if sweep => patience,
                Room {
                    rewrite: Some(_), ..
                } => Some(Duration::ZERO),
                Room { looked: false, .. } => Some(QUIET),
                Room { .. } => patience,
            };
            let jobs = match queue.take(MAX_BATCH, patience, last.0, last.1) {
                Next::Jobs(jobs) => jobs,
                Next::Idle if sweep => Vec::new(),
                Next::Idle => {
                    self.make_room(&mut known.room);
                    continue;
                }
                Next::Closed => break,
            };
            batches += 1;
            let durable = self.fsync || batches.is_multiple_of(DURABLE_EVERY);
            let began = Instant::now();
            let count = jobs.len();
            self.batch(jobs, durable, &mut known);
            last = (count, (began.elapsed() / 8).min(MAX_LINGER));
        }
        if !self.fsync {
            self.batch(Vec::new(), true, &mut known);
        }
        // Nobody waits any more but for the end.
        while self
            .file
            .sizes()
            .is_ok_and(|(allocated, _)| allocated <= AT_THE_END)
        {
            self.make_room(&mut known.room);
            if known.room.rewrite.is_none() {
                break;
            }
        }
    }

    /// Does a little for a shorter file, if one is worth it.
    fn make_room(&self, room: &mut Room) {
        room.looked = room.again_at.is_none_or(|at| at <= Instant::now());
        if let (true, Err(failure)) = (room.looked, self.rewrite(room)) {
            let problem = match failure {
                Failure::File(fault) => fault.problem(),
                Failure::Owner(error) => error.to_string(),
            };
            tracing::warn!(problem, "the embedded store's file stays as long as it is");
            room.again_at = Some(Instant::now() + TRY_AGAIN_AFTER);
        }
    }

    fn rewrite(&self, room: &mut Room) -> Result<(), Failure> {
        match room.rewrite.take() {
            None if rewrite::is_worth_it(&self.file, room.packed)? => {
                room.rewrite = Rewrite::begin(&self.file)?;
            }
            None => {}
            Some(mut rewrite) => {
                if rewrite.step(&self.file)? {
                    let (packed, took) = rewrite.finish(&self.file)?;
                    room.packed = packed;
                    room.again_at = Some(Instant::now() + took * PAUSE);
                } else {
                    room.rewrite = Some(rewrite);
                }
            }
        }
        Ok(())
    }

    /// How long the writer may wait for transactions, and whether there is something to do if none comes.
    fn look(&self, soonest: &mut Option<i64>) -> (Option<Duration>, bool) {
        if self.file.is_broken() {
            return (Some(LOOK_EVERY), true);
        }
        if soonest.is_none() {
            let found = self.file.read(|transaction| {
                expiry::soonest(&transaction.open_table(definition(EXPIRIES))?)
            });
            *soonest = found.ok();
        }
        match *soonest {
            Some(at) if at <= self.now() => (Some(Duration::ZERO), true),
            Some(NEVER) => (None, false),
            Some(_) | None => (Some(LOOK_EVERY), false),
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    fn batch(&self, mut jobs: Vec<Job>, durable: bool, known: &mut Known) {
        let room = &mut known.room;
        // What a file that is opened again holds is not known.
        let soonest = known.soonest.take().filter(|_| !self.file.is_broken());
        let mut soonest = soonest.unwrap_or(i64::MIN);
        let mut pins = Pins::new(&self.leases);
        let mut reached = Reached::Tables;
        let mut changed = room.rewrite.is_some().then(Vec::new);
        room.looked = false;
        let applied = self.file.write(durable, |transaction| {
            let told = (&mut reached, &mut changed);
            self.apply(&jobs, transaction, &mut pins, told, &mut soonest)
        });
        match applied {
            Ok(outcomes) => {
                known.soonest = Some(soonest);
                if let (Some(rewrite), Some(changed)) = (&mut room.rewrite, changed) {
                    rewrite.note(changed);
                }
                pins.commit();
                self.announce(&jobs, &outcomes);
                for (job, outcomes) in jobs.into_iter().zip(outcomes) {
                    // Nobody waits any more where the caller has gone.
                    let _ = job.reply.send(Ok(outcomes));
                }
            }
            Err(failure) => {
                if matches!(failure, Failure::File(_)) && room.rewrite.take().is_some() {
                    // What is in the file now is not known; and if the disk is full, the new one was too much.
                    room.again_at = Some(Instant::now() + TRY_AGAIN_AFTER);
                }
                let failed = match (&failure, reached) {
                    // It needs a damaged row: the others must not suffer from it.
                    (Failure::Owner(_), Reached::Job(job)) => vec![jobs.remove(job)],
                    _ => mem::take(&mut jobs),
                };
                let error = self.recover(failure, reached);
                drop(pins);
                for job in failed {
                    let _ = job.reply.send(Err(error.clone()));
                }
                if !jobs.is_empty() {
                    self.batch(jobs, durable, known);
                }
            }
        }
    }

    /// Applies a batch, and notes how far it came; the rows that it changed, if they are wanted; and before when nothing
    /// expires.
    fn apply(
        &self,
        jobs: &[Job],
        transaction: &WriteTransaction,
        pins: &mut Pins,
        (reached, changed): (&mut Reached, &mut Option<Vec<Place>>),
        soonest: &mut i64,
    ) -> Result<Done<Vec<Vec<Outcome>>>, Failure> {
        let mut outcomes = Vec::with_capacity(jobs.len());
        let mut tables = Writing::open(transaction, self.now(), *soonest, changed.is_some())?;
        for (index, job) in jobs.iter().enumerate() {
            *reached = Reached::Job(index);
            let mut done = Vec::with_capacity(job.transactions.len());
            for (partition, transaction) in &job.transactions {
                done.push(self.apply_one(&mut tables, pins, partition, transaction)?);
                if matches!(done.last(), Some(Outcome::Refused(_))) {
                    break;
                }
            }
            outcomes.push(done);
        }
        *reached = Reached::Tables;
        let mut all = outcomes.iter().flatten();
        let wrote = all.any(|outcome| matches!(outcome, Outcome::Applied(_)));
        let swept = tables.sweep()?;
        *soonest = tables.soonest;
        if !(swept || wrote || jobs.is_empty()) {
            return Ok(Done::Nothing(outcomes));
        }
        let mut counters = transaction.open_table(counters())?;
        let counted = |name| counter(&counters, name)?.map_err(own_damage);
        let (starts, batches) = (counted(STARTS)?, counted(BATCHES)?);
        let (mut sum, mut live) = (counted(SUM)?, counted(LIVE)?);
        for (place, change) in tables.take_changes().into_iter().enumerate() {
            sum = sum.wrapping_add(change.sum);
            live += change.live;
            if let Some(changed) = changed {
                let keys = change.keys.unwrap_or_default();
                changed.extend(keys.into_iter().map(|key| (place, key)));
            }
        }
        if starts != self.file.start() {
            tracing::error!("the file of the embedded store is not the one that was opened");
            return Err(Failure::Owner(StoreError::Corrupted));
        }
        set_counter(&mut counters, BATCHES, batches + 1)?;
        set_counter(&mut counters, SUM, sum)?;
        set_counter(&mut counters, LIVE, live)?;
        *reached = Reached::Commit(batches + 1);
        Ok(Done::Commit(outcomes))
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

    fn announce(&self, jobs: &[Job], outcomes: &[Vec<Outcome>]) {
        let pairs = jobs.iter().zip(outcomes);
        let done = pairs.flat_map(|(job, outcomes)| job.transactions.iter().zip(outcomes));
        for ((partition, transaction), outcome) in done {
            if !matches!(outcome, Outcome::Applied(_)) {
                continue;
            }
            for write in &transaction.writes {
                if let Write::Append { key, .. } | Write::Remove { key } = write {
                    self.changes.announce(&super::log_name(partition, key));
                }
            }
        }
    }

    /// Makes the file usable again, and says what to tell the callers of a batch that failed.
    fn recover(&self, failure: Failure, reached: Reached) -> StoreError {
        let error = told(failure);
        match (reached, self.file.batches()) {
            (Reached::Tables | Reached::Job(_), _) => error,
            // What the file holds says for certain that the batch is not in it.
            (Reached::Commit(number), Ok(committed)) if committed < number => error,
            _ => StoreError::Unavailable,
        }
    }
}
