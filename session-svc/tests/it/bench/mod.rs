//! Sessions to test over a store of any kind, and what tests do to what is stored.

pub mod archives;
pub mod dump;
pub mod gate;
pub mod home;
pub mod words;

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use jiff::Timestamp;
use tempfile::TempDir;
use turnwise_kit::{CancellationToken, Clock, TaskTracker};
use turnwise_proto::{school::v1::AuditEntry, session::v1::ResetClassResponse};
use turnwise_session_archive::ArchiveDir;
use turnwise_session_store::{
    Key, Outcome, Partition, Store, StudentKey, Transaction, Write, embedded::EmbeddedStore,
};
use turnwise_session_svc::{
    memory::MemoryLimits,
    metrics::SessionMetrics,
    record,
    sessions::{
        Limits, Sessions,
        audit::{Actor, AuditFilter},
    },
};

pub use self::{
    dump::Dump,
    home::{Home, Kind},
    words::*,
};

pub const LEASE: Duration = Duration::from_secs(15);
/// What is left of a lease that has nearly run out.
pub const NEARLY: Duration = Duration::from_secs(30);
/// How long a claim of deferred work lasts.
pub const CLAIM: Duration = Duration::from_secs(30);
pub const ANSWERS: Duration = Duration::from_secs(3600);
pub const CONVERSATION: Duration = Duration::from_secs(600);
pub const TURN_LOGS: Duration = Duration::from_secs(90 * 86_400);
pub const THREADS: Duration = Duration::from_secs(400 * 86_400);

/// A case of the suite. All kinds of stores pass it.
pub struct Case {
    pub name: &'static str,
    pub run: for<'a> fn(&'a mut Bench) -> Pin<Box<dyn Future<Output = ()> + 'a>>,
}

/// Makes tests of cases: each one alone on an embedded store and on a Redis server of its own. `CASES` names them for
/// the runs on sentinels and on a cluster.
#[macro_export]
macro_rules! cases {
    (#[$test:meta] $($case:ident),+ $(,)?) => {
        mod embedded {
            use $crate::bench::{Bench, Kind};
            $(#[$test] async fn $case() {
                super::$case(&mut Bench::new(Kind::Embedded, stringify!($case)).await).await;
            })+
        }
        mod redis {
            use $crate::bench::{Bench, Kind};
            $(#[$test] async fn $case() {
                super::$case(&mut Bench::new(Kind::Redis, stringify!($case)).await).await;
            })+
        }
        pub const CASES: &[$crate::bench::Case] = &[
            $($crate::bench::Case {
                name: stringify!($case),
                run: |bench| Box::pin($case(bench)),
            }),+
        ];
    };
}

/// Sessions over a store, and a tenant that no other case has.
pub struct Bench {
    pub home: Arc<Home>,
    pub tenant: String,
    pub clock: Arc<TestClock>,
    pub limits: Limits,
    open: Option<Open>,
    archives: TempDir,
}

struct Open {
    store: Arc<dyn Store>,
    sessions: Sessions,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Bench {
    /// A store of its own.
    pub async fn new(kind: Kind, tenant: &str) -> Self {
        Self::on(Arc::new(Home::start(kind)), tenant).await
    }

    /// A tenant of its own on a store that is shared.
    pub async fn on(home: Arc<Home>, tenant: &str) -> Self {
        let mut bench = Self {
            home,
            tenant: tenant.to_owned(),
            clock: Arc::default(),
            limits: limits(),
            open: None,
            archives: tempfile::tempdir().unwrap(),
        };
        bench.reopen().await;
        bench
    }

    /// The same with other limits.
    pub async fn limit(&mut self, change: impl FnOnce(&mut Limits)) {
        change(&mut self.limits);
        self.reopen().await;
    }

    pub fn sessions(&self) -> &Sessions {
        &self.opened().sessions
    }

    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.opened().store)
    }

    fn opened(&self) -> &Open {
        self.open.as_ref().unwrap()
    }

    /// Stops the service in order and starts it again.
    pub async fn reopen(&mut self) {
        self.stop().await;
        let store = self.open_store().await;
        self.open = Some(self.over(store));
    }

    /// Stops the service in order: what runs ends, and the store is closed.
    pub async fn stop(&mut self) {
        if let Some(open) = self.open.take() {
            open.shutdown.cancel();
            open.tasks.close();
            open.tasks.wait().await;
        }
    }

    /// Another replica of the service: over Redis with a store of its own, else over the same store.
    pub async fn replica(&self) -> Sessions {
        let store = match self.home.address() {
            Some(_) => self.open_store().await,
            None => self.store(),
        };
        self.over(store).sessions
    }

    /// Sessions over a store, usually one that does something to what goes through it.
    pub fn sessions_over(&self, store: Arc<dyn Store>) -> Sessions {
        self.over(store).sessions
    }

    async fn open_store(&self) -> Arc<dyn Store> {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        match self.home.embedded_options() {
            Some(options) => Arc::new(EmbeddedStore::open(&options, clock).unwrap()),
            None => self.home.open_redis().await,
        }
    }

    fn over(&self, store: Arc<dyn Store>) -> Open {
        let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
        let sessions = Sessions::new(
            Arc::clone(&store),
            Arc::clone(&self.clock) as _,
            self.limits.clone(),
            Some(self.archives()),
            tasks.clone(),
            shutdown.clone(),
            SessionMetrics::default(),
        );
        Open {
            store,
            sessions,
            tasks,
            shutdown,
        }
    }

    pub fn archives(&self) -> ArchiveDir {
        ArchiveDir::open(&self.archives.path().join("archives")).unwrap()
    }

    pub fn student(&self, name: &str) -> StudentKey {
        StudentKey {
            tenant: self.tenant.clone(),
            student: name.to_owned(),
        }
    }

    /// Where a student's data is.
    pub async fn partition(&self, student: &StudentKey) -> Partition {
        self.sessions().partition(student).await.unwrap()
    }

    /// Staff of the tenant.
    pub fn actor(&self) -> Actor {
        Actor {
            tenant: self.tenant.clone(),
            id: "principal".to_owned(),
        }
    }

    /// The tenant's audit log, newest first.
    pub async fn audited(&self) -> Vec<AuditEntry> {
        self.sessions()
            .audit_entries(&self.tenant, &AuditFilter::default(), None, 100)
            .await
            .unwrap()
            .entries
    }

    /// Resets the class of the tests' threads.
    pub async fn reset(&self) -> ResetClassResponse {
        self.sessions()
            .reset_class(&self.actor(), CLASS, "new term", &fresh(), PATIENCE)
            .await
            .unwrap()
    }

    /// How long the file of an embedded store is.
    pub fn file_length(&self) -> u64 {
        let options = self.home.embedded_options().expect("it has a file");
        std::fs::metadata(options.path).unwrap().len()
    }

    /// Everything that is stored of this tenant, and of the installation.
    pub fn dump(&self) -> Dump {
        self.home.dump().of_tenant(&self.tenant)
    }

    /// Lets all leases of turns run out: by the paused clock of the runtime, or by the clock of Redis.
    pub async fn leases_run_out(&self) {
        self.leases_are_left(Duration::ZERO).await;
    }

    /// Lets all fresh leases, which must be longer, run until [`NEARLY`] is left.
    pub async fn leases_nearly_run_out(&self) {
        self.leases_are_left(NEARLY).await;
    }

    async fn leases_are_left(&self, rest: Duration) {
        if self.home.address().is_none() {
            skip(self.limits.lease_ttl - rest).await;
            return;
        }
        let leases = self.home.keys(&self.names_of("lease:*"));
        self.home.expire(&leases, rest);
    }

    /// Lets all claims of deferred work run out.
    pub async fn claims_run_out(&self) {
        self.clock.advance(CLAIM);
        if self.home.address().is_none() {
            skip(CLAIM).await;
            return;
        }
        let claims = self.home.keys("turnwise:{/system:due}:claim:*");
        self.home.expire(&claims, Duration::ZERO);
    }

    /// Lets what has a name of this form run out: it must have been kept for `kept`. The clock moves on by as much.
    pub fn runs_out(&self, name: &str, kept: Duration) {
        self.clock.advance(kept);
        if self.home.address().is_none() {
            return;
        }
        let found = self.home.keys(&self.names_of(name));
        assert!(!found.is_empty(), "{name} is nowhere");
        for key in &found {
            let rest = self.home.rest(key).expect("it expires");
            let slack = Duration::from_secs(60);
            assert!(rest <= kept && rest + slack > kept, "{key}: {rest:?}");
        }
        self.home.expire(&found, Duration::ZERO);
    }

    /// The names in Redis of this form, in all partitions of the tenant.
    pub fn names_of(&self, name: &str) -> String {
        format!("turnwise:{{{}/*}}:{name}", self.tenant)
    }

    /// Writes behind the service's back.
    pub async fn put(&self, partition: &Partition, key: &str, field: &'static str, bytes: &[u8]) {
        let fields = vec![(field.into(), Bytes::copy_from_slice(bytes))];
        self.write(
            partition,
            Write::Put {
                key: Key::new(key),
                fields,
            },
        )
        .await;
    }

    pub async fn write(&self, partition: &Partition, write: Write) {
        let transaction = Transaction {
            writes: vec![write],
            ..Transaction::default()
        };
        let outcome = self.store().transact(partition, transaction).await.unwrap();
        assert!(matches!(outcome, Outcome::Applied(_)));
    }
}

/// A whole record of the next version.
pub fn newer(body: &[u8]) -> Vec<u8> {
    sealed(record::SCHEMA_VERSION + 1, body)
}

/// A record of a version, whose checksum holds.
pub fn sealed(version: u8, body: &[u8]) -> Vec<u8> {
    let sum = crc32fast::hash(&[&[version], body].concat()).to_be_bytes();
    [&[version], &sum[..], body].concat()
}

/// Lets the runtime's time go by at once.
pub async fn skip(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

pub fn limits() -> Limits {
    Limits {
        lease_ttl: LEASE,
        idempotency_ttl: ANSWERS,
        thread_retention: THREADS,
        turn_log_retention: TURN_LOGS,
        conversation_ttl: CONVERSATION,
        memory: Some(MemoryLimits {
            max_messages: 8,
            turn_max_chars: 800,
            history_max_chars: 2400,
            summary_max_chars: 900,
        }),
        clarification_ttl: Duration::from_secs(3600),
        context_sla: Duration::from_secs(300),
        reset_batch: 4000,
        export_before_reset: true,
        archive_max_messages: 120,
        archive_retention: Duration::from_secs(30 * 86_400),
    }
}

/// A clock that moves by a millisecond with every look at it, and further by hand.
#[derive(Debug)]
pub struct TestClock(AtomicI64);

impl Default for TestClock {
    fn default() -> Self {
        let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        Self(AtomicI64::new(start.as_microsecond()))
    }
}

impl TestClock {
    pub fn advance(&self, time: Duration) {
        let micros = i64::try_from(time.as_micros()).unwrap();
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.0.fetch_add(1000, Ordering::SeqCst)).unwrap()
    }
}
