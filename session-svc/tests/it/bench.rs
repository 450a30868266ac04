//! A store to test, and the few words that tests say to it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use bytes::Bytes;
use prost_types::Timestamp;
use tempfile::TempDir;
use turnwise_kit::clock::SystemClock;
use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::{
        DrillCounters, Evidence, QuestionRecord, StudentSnapshot, TurnStart, TurnState,
        UnitProgress,
    },
    tutor::v1::{Role, Thread, TutorMessage},
};
use turnwise_session_svc::{
    error::SessionError,
    store::{
        BeginTurn, Begun, CommitEvidence, CommitTurn, Idempotency, NewThread, Store, StudentKey,
        embedded::{EmbeddedOptions, EmbeddedStore, tables},
        redis::{RedisOptions, RedisStore},
    },
};
use turnwise_testing::redis::RedisServer;

pub const COURSE: &str = "algebra";
pub const LEASE: Duration = Duration::from_secs(15);
/// What is left of a lease that has nearly run out.
pub const NEARLY: Duration = Duration::from_secs(2);
const ANSWERS: Duration = Duration::from_secs(3600);

/// Runs each case on both stores.
#[macro_export]
macro_rules! cases {
    (#[$test:meta] $($case:ident),+ $(,)?) => {
        mod embedded {
            $(#[$test] async fn $case() {
                super::$case(&mut $crate::bench::Bench::embedded().await).await;
            })+
        }
        mod redis {
            $(#[$test] async fn $case() {
                super::$case(&mut $crate::bench::Bench::redis().await).await;
            })+
        }
    };
}

/// A store of either kind.
pub struct Bench {
    store: Option<Arc<dyn Store>>,
    pub place: Place,
}

pub enum Place {
    Embedded(TempDir),
    Redis(RedisServer),
}

/// A record that a test can damage.
#[derive(Debug, Clone, Copy)]
pub enum Damaged {
    TurnState,
    Evidence,
    Thread,
}

impl Bench {
    pub async fn embedded() -> Self {
        Self::at(Place::Embedded(tempfile::tempdir().unwrap())).await
    }

    pub async fn redis() -> Self {
        Self::at(Place::Redis(RedisServer::start().unwrap())).await
    }

    async fn at(place: Place) -> Self {
        let mut bench = Self { store: None, place };
        bench.reopen().await;
        bench
    }

    pub fn store(&self) -> &dyn Store {
        self.store.as_deref().unwrap()
    }

    pub fn shared(&self) -> Arc<dyn Store> {
        Arc::clone(self.store.as_ref().unwrap())
    }

    /// Closes the store and opens it again, as a restart of the service does.
    pub async fn reopen(&mut self) {
        self.store = None;
        self.store = Some(match &self.place {
            Place::Embedded(_) => {
                let options = embedded_options(self.file());
                Arc::new(EmbeddedStore::open(&options, Arc::new(SystemClock)).unwrap())
            }
            Place::Redis(server) => {
                Arc::new(RedisStore::open(&redis_options(server)).await.unwrap())
            }
        });
    }

    pub fn file(&self) -> PathBuf {
        match &self.place {
            Place::Embedded(directory) => directory.path().join("data/session.redb"),
            Place::Redis(_) => panic!("Redis keeps no file here"),
        }
    }

    /// Lets all leases run out: by the paused clock of the runtime, or by the clock of Redis.
    pub async fn leases_run_out(&self) {
        self.leases_are_left(Duration::ZERO).await;
    }

    /// Lets all fresh leases run until [`NEARLY`] is left.
    pub async fn leases_nearly_run_out(&self) {
        self.leases_are_left(NEARLY).await;
    }

    async fn leases_are_left(&self, rest: Duration) {
        match &self.place {
            Place::Embedded(_) => {
                tokio::time::pause();
                tokio::time::advance(LEASE - rest).await;
                tokio::time::resume();
            }
            Place::Redis(server) => {
                let rest = rest.as_millis() as u64;
                for lease in keys(server, "turnwise:*:lease:*").await {
                    let mut expire = redis::cmd("PEXPIRE");
                    let set: i64 = run(server, expire.arg(&lease).arg(rest)).await;
                    assert_eq!(set, 1);
                }
            }
        }
    }

    /// Overwrites a record behind the store's back.
    pub async fn damage(&mut self, student: &StudentKey, what: Damaged, id: &str, bytes: &[u8]) {
        match &self.place {
            Place::Embedded(_) => {
                self.store = None;
                let table = match what {
                    Damaged::TurnState => tables::TURN_STATES,
                    Damaged::Evidence => tables::EVIDENCE,
                    Damaged::Thread => tables::THREADS,
                };
                let key = (student.tenant.as_str(), student.student.as_str(), id);
                let database = redb::Database::open(self.file()).unwrap();
                let transaction = database.begin_write().unwrap();
                transaction
                    .open_table(table)
                    .unwrap()
                    .insert(key, bytes)
                    .unwrap();
                transaction.commit().unwrap();
            }
            Place::Redis(server) => {
                let (kind, field) = match what {
                    Damaged::TurnState => ("snapshot", "turn"),
                    Damaged::Evidence => ("snapshot", "evidence"),
                    Damaged::Thread => ("thread", "record"),
                };
                let (tenant, student) = (&student.tenant, &student.student);
                let key = format!("turnwise:{{{tenant}/{student}}}:{kind}:{id}");
                let mut set = redis::cmd("HSET");
                let _: i64 = run(server, set.arg(key).arg(field).arg(bytes)).await;
            }
        }
        self.reopen().await;
    }
}

pub fn embedded_options(path: PathBuf) -> EmbeddedOptions {
    EmbeddedOptions {
        path,
        fsync: true,
        lease_ttl: LEASE,
        idempotency_ttl: ANSWERS,
    }
}

pub fn redis_options(server: &RedisServer) -> RedisOptions {
    RedisOptions {
        url: server.url(),
        password: None,
        lease_ttl: LEASE,
        idempotency_ttl: ANSWERS,
    }
}

/// The keys of a server that match.
pub async fn keys(server: &RedisServer, pattern: &str) -> Vec<String> {
    run(server, redis::cmd("KEYS").arg(pattern)).await
}

/// One command over a connection of its own.
pub async fn run<T: redis::FromRedisValue>(server: &RedisServer, command: &redis::Cmd) -> T {
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    command.query_async(&mut connection).await.unwrap()
}

pub fn student(name: &str) -> StudentKey {
    of_tenant("default", name)
}

pub fn of_tenant(tenant: &str, name: &str) -> StudentKey {
    StudentKey {
        tenant: tenant.to_owned(),
        student: name.to_owned(),
    }
}

/// An idempotency key for a body.
pub fn idempotency(key: &str, body: u8) -> Idempotency {
    Idempotency {
        key: key.to_owned(),
        body_hash: Bytes::from(vec![body; 32]),
    }
}

pub fn at(seconds: i64) -> Timestamp {
    Timestamp { seconds, nanos: 0 }
}

pub fn new_thread(id: &str) -> NewThread {
    NewThread {
        thread: Thread {
            thread_id: id.to_owned(),
            course_id: COURSE.to_owned(),
            class_id: "7b".to_owned(),
            title: format!("about {id}"),
            create_time: Some(at(100)),
            update_time: Some(at(100)),
            message_count: 0,
        },
        idempotency: idempotency(&format!("make-{id}"), 1),
    }
}

pub async fn make_thread(store: &dyn Store, student: &StudentKey, id: &str) -> Thread {
    store.create_thread(student, new_thread(id)).await.unwrap()
}

pub fn begin(thread_id: &str, key: &str) -> BeginTurn {
    BeginTurn {
        course_id: COURSE.to_owned(),
        thread_id: thread_id.to_owned(),
        idempotency: idempotency(key, 7),
        history_limit: 50,
    }
}

/// Begins a turn that must start.
pub async fn started(store: &dyn Store, student: &StudentKey, begin: BeginTurn) -> TurnStart {
    match store.begin_turn(student, begin).await.unwrap() {
        Begun::Started(start) => *start,
        Begun::Answered(answer) => panic!("the turn was answered before: {answer:?}"),
    }
}

/// A turn's commit with one question and one answer, as it follows from its start.
pub fn commit(start: &TurnStart, key: &str, text: &str) -> CommitTurn {
    let thread = start.thread.clone().unwrap();
    let first = thread.message_count + 1;
    CommitTurn {
        course_id: thread.course_id,
        fencing_token: start.fencing_token,
        idempotency: idempotency(key, 7),
        turn_state: Some(TurnState {
            focus_unit_id: text.to_owned(),
            last_turn_analysis: None,
            last_turn_at: Some(at(200)),
        }),
        target_locked: false,
        messages: vec![
            message(&thread.thread_id, first, Role::User, text),
            message(&thread.thread_id, first + 1, Role::Assistant, text),
        ],
        thread_id: thread.thread_id,
        answer: Bytes::from(format!("answer to {text}")),
        time: at(200),
    }
}

pub fn message(thread_id: &str, id: i64, role: Role, text: &str) -> TutorMessage {
    TutorMessage {
        id,
        thread_id: thread_id.to_owned(),
        role: role.into(),
        text: text.to_owned(),
        create_time: Some(at(200)),
        ..TutorMessage::default()
    }
}

/// Begins and commits a turn.
pub async fn take_turn(store: &dyn Store, student: &StudentKey, thread: &str, key: &str) {
    let start = started(store, student, begin(thread, key)).await;
    store
        .commit_turn(student, commit(&start, key, key))
        .await
        .unwrap();
}

/// Evidence in which one drill of one unit was tried so often.
pub fn attempts(count: i32) -> Evidence {
    Evidence {
        unit_progress: vec![UnitProgress {
            unit_id: "ALG-01".to_owned(),
            drill: Some(DrillCounters {
                attempts: count,
                ..DrillCounters::default()
            }),
            ..UnitProgress::default()
        }],
        ..Evidence::default()
    }
}

/// How often the drill was tried.
pub fn count_attempts(snapshot: &StudentSnapshot) -> i32 {
    let units = snapshot.evidence.iter().flat_map(|e| &e.unit_progress);
    units.filter_map(|u| u.drill).map(|d| d.attempts).sum()
}

/// The commit of one more attempt, on top of what was read.
pub fn one_more(snapshot: &StudentSnapshot, key: &str) -> CommitEvidence {
    CommitEvidence {
        course_id: COURSE.to_owned(),
        expected_version: snapshot.evidence_version,
        evidence: attempts(count_attempts(snapshot) + 1),
        question_records: Vec::new(),
        idempotency: idempotency(key, 9),
    }
}

/// A question that was passed.
pub fn passed(id: &str) -> QuestionRecord {
    QuestionRecord {
        question_id: id.to_owned(),
        state: QuestionState::Passed.into(),
        locked_until: None,
    }
}

/// The error of a call that must fail.
pub fn refused<T: std::fmt::Debug>(result: Result<T, SessionError>) -> SessionError {
    result.unwrap_err()
}
