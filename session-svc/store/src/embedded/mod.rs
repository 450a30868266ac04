//! The store of one process: a file on this machine's disk, with nothing to install.
//!
//! A write is answered once it is on disk. Reads see everything that was answered, and never wait for a write.

mod apply;
mod failure;
mod leases;
mod read;
pub mod tables;
mod writer;

use std::{
    fs::{DirBuilder, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable};
use turnwise_kit::Clock;
use turnwise_proto::session::v1::{QuestionRecord, StudentSnapshot, TurnStart};
use turnwise_proto::tutor::v1::Thread;

use self::{
    failure::Failure,
    leases::Leases,
    read::Reader,
    tables::{COUNTERS, Tables},
    writer::Writer,
};
use crate::{
    error::{SessionError, StartError},
    store::{
        BeginTurn, Begun, CommitEvidence, CommitTurn, EvidenceOutcome, MessagePage, NewThread,
        Reply, Store, StudentKey, ThreadPage,
    },
};

/// How much of the file is kept in memory at most.
const CACHE_BYTES: usize = 256 * 1024 * 1024;
/// The counter of the starts of this store.
const STARTS: &str = "starts";

/// How the embedded store is opened.
#[derive(Debug, Clone)]
pub struct EmbeddedOptions {
    /// The file; made with its folder if it is not there.
    pub path: PathBuf,
    /// Whether a write is on disk before it is answered. Without it the latest writes live in this process's memory
    /// only, and are lost when it is killed or crashes.
    pub fsync: bool,
    /// How long a turn's lease lasts.
    pub lease_ttl: Duration,
    /// How long an idempotent answer is kept.
    pub idempotency_ttl: Duration,
}

/// The store in a file. Dropped, it writes what it has taken and closes the file.
pub struct EmbeddedStore {
    // Dropped in this order: the writer ends before the file is closed.
    writer: Writer,
    database: Arc<Database>,
    leases: Arc<Leases>,
    clock: Arc<dyn Clock>,
}

impl EmbeddedStore {
    /// Opens the store; called inside a runtime.
    pub fn open(options: &EmbeddedOptions, clock: Arc<dyn Clock>) -> Result<Self, StartError> {
        let path = &options.path;
        create_private(path).map_err(|source| StartError::CreateStore {
            path: path.clone(),
            source,
        })?;
        let database = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create(path)
            .map_err(|error| match error {
                DatabaseError::DatabaseAlreadyOpen => StartError::StoreInUse { path: path.clone() },
                other => StartError::OpenStore {
                    path: path.clone(),
                    source: Box::new(other.into()),
                },
            })?;
        let start = count_start(&database).map_err(|source| StartError::OpenStore {
            path: path.clone(),
            source: Box::new(source),
        })?;
        let database = Arc::new(database);
        let keep_answers = i64::try_from(options.idempotency_ttl.as_millis()).unwrap_or(i64::MAX);
        let writer = Writer::start(
            Arc::clone(&database),
            Arc::clone(&clock),
            options.fsync,
            keep_answers,
        )?;
        Ok(Self {
            writer,
            database,
            leases: Arc::new(Leases::new(start, options.lease_ttl)),
            clock,
        })
    }

    // Reads run where they are called: they come from memory nearly always, and take microseconds.
    fn read<T>(&self, read: impl FnOnce(&Reader) -> Result<T, Failure>) -> Result<T, SessionError> {
        self.database
            .begin_read()
            .map_err(Failure::from)
            .and_then(|transaction| read(&Reader(transaction)))
            .map_err(Failure::into_session_error)
    }

    fn begin(&self, student: &StudentKey, begin: &BeginTurn) -> Result<Begun, SessionError> {
        let fingerprint = begin.idempotency.fingerprint(&begin.thread_id);
        let now = self.clock.now().as_millisecond();
        let answer = |reader: &Reader| reader.turn_answer(student, begin, &fingerprint, now);
        // The key comes before the lease: a retry of a turn that is done gets its answer while another one runs.
        if let Some(stored) = self.read(answer)? {
            return Ok(Begun::Answered(stored));
        }
        let key = &begin.idempotency.key;
        let thread_id = &begin.thread_id;
        let fencing_token = self.leases.take(student, thread_id, key, &fingerprint)?;
        // And once more under the lease: the turn may have been committed in between.
        let begun = self.read(|reader| {
            if let Some(stored) = answer(reader)? {
                return Ok(Begun::Answered(stored));
            }
            let start = reader.turn_start(student, begin)?;
            Ok(Begun::Started(Box::new(TurnStart {
                fencing_token,
                lease_ttl: Some(self.lease_ttl()),
                ..start
            })))
        });
        if !matches!(begun, Ok(Begun::Started(_))) {
            self.leases.give_back(student, thread_id, fencing_token);
        }
        begun
    }

    fn lease_ttl(&self) -> prost_types::Duration {
        prost_types::Duration::try_from(self.leases.ttl()).unwrap_or_default()
    }
}

impl Store for EmbeddedStore {
    fn create_thread<'a>(&'a self, student: &'a StudentKey, new: NewThread) -> Reply<'a, Thread> {
        let student = student.clone();
        Box::pin(self.writer.write(move |tables, times| {
            Ok((apply::create_thread(tables, times, &student, new)?, None))
        }))
    }

    fn list_threads<'a>(
        &'a self,
        student: &'a StudentKey,
        before: Option<u64>,
        limit: usize,
    ) -> Reply<'a, ThreadPage> {
        Box::pin(async move { self.read(|reader| reader.threads(student, before, limit)) })
    }

    fn get_thread<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        after: i64,
        limit: usize,
    ) -> Reply<'a, MessagePage> {
        Box::pin(
            async move { self.read(|reader| reader.thread_page(student, thread_id, after, limit)) },
        )
    }

    fn begin_turn<'a>(&'a self, student: &'a StudentKey, begin: BeginTurn) -> Reply<'a, Begun> {
        Box::pin(async move { self.begin(student, &begin) })
    }

    fn commit_turn<'a>(&'a self, student: &'a StudentKey, commit: CommitTurn) -> Reply<'a, ()> {
        let student = student.clone();
        let leases = Arc::clone(&self.leases);
        Box::pin(self.writer.write(move |tables, times| {
            let held = apply::commit_turn(tables, times, &leases, &student, commit)?;
            Ok(((), held))
        }))
    }

    fn renew_lease<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        fencing_token: i64,
    ) -> Reply<'a, Duration> {
        Box::pin(async move {
            if self.leases.renew(student, thread_id, fencing_token) {
                Ok(self.leases.ttl())
            } else {
                Err(SessionError::LeaseLost)
            }
        })
    }

    fn abandon_turn<'a>(
        &'a self,
        student: &'a StudentKey,
        thread_id: &'a str,
        fencing_token: i64,
    ) -> Reply<'a, ()> {
        Box::pin(async move {
            self.leases.give_back(student, thread_id, fencing_token);
            Ok(())
        })
    }

    fn get_snapshot<'a>(
        &'a self,
        student: &'a StudentKey,
        course_id: &'a str,
    ) -> Reply<'a, StudentSnapshot> {
        Box::pin(async move { self.read(|reader| reader.snapshot(student, course_id)) })
    }

    fn commit_evidence<'a>(
        &'a self,
        student: &'a StudentKey,
        commit: CommitEvidence,
    ) -> Reply<'a, EvidenceOutcome> {
        let student = student.clone();
        Box::pin(self.writer.write(move |tables, times| {
            Ok((
                apply::commit_evidence(tables, times, &student, commit)?,
                None,
            ))
        }))
    }

    fn question_records<'a>(
        &'a self,
        student: &'a StudentKey,
        course_id: &'a str,
        question_ids: &'a [String],
    ) -> Reply<'a, Vec<Option<QuestionRecord>>> {
        Box::pin(async move {
            self.read(|reader| reader.question_records(student, course_id, question_ids))
        })
    }
}

/// Makes the folder and the file, for this user alone, where they are not there.
fn create_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)?;
    Ok(())
}

/// Makes all tables and counts this start, on disk before anything else: no later start has the same number.
fn count_start(database: &Database) -> Result<i64, redb::Error> {
    let transaction = database.begin_write()?;
    Tables::open(&transaction)?;
    let start = {
        let mut counters = transaction.open_table(COUNTERS)?;
        let before = counters.get(STARTS)?.map_or(0, |found| found.value());
        counters.insert(STARTS, before + 1)?;
        before + 1
    };
    transaction.commit()?;
    Ok(start)
}
