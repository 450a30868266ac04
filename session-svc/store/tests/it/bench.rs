//! What a test of any store works with: the store, what it lives in, and short words for transactions.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tempfile::TempDir;
use turnwise_kit::{Clock, clock::ManualClock};
use turnwise_session_store::{
    Applied, Check, Found, Key, Outcome, Partition, Read, Refused, Store, StudentKey, Transaction,
    Write,
    embedded::{EmbeddedOptions, EmbeddedStore},
    redis::{RedisOptions, RedisStore},
};
use turnwise_testing::redis::{Cluster, RedisServer, SentinelSet, ServerOptions, User};

/// A kind of store. All of them pass the same suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Embedded,
    Redis,
    Sentinel,
    Cluster,
}

/// What the data lives in, for as long as the bench lives.
enum Home {
    Embedded(TempDir),
    /// One server, used as the user that deploy/ makes for this service.
    Redis(RedisServer, User),
    Sentinel(SentinelSet),
    Cluster(Cluster),
}

impl Home {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Embedded => Self::Embedded(tempfile::tempdir().unwrap()),
            Kind::Redis => {
                let user = User::deployed("session").unwrap();
                let options = user.known_to(ServerOptions::default());
                Self::Redis(RedisServer::start_with(&options).unwrap(), user)
            }
            Kind::Sentinel => Self::Sentinel(SentinelSet::start().unwrap()),
            Kind::Cluster => Self::Cluster(Cluster::start().unwrap()),
        }
    }

    async fn open(&self, clock: &Arc<ManualClock>) -> Arc<dyn Store> {
        let url = match self {
            Self::Embedded(directory) => {
                let options = EmbeddedOptions {
                    path: directory.path().join("store.redb"),
                    fsync: true,
                };
                let clock: Arc<dyn Clock> = Arc::clone(clock) as _;
                return Arc::new(EmbeddedStore::open(&options, clock).unwrap());
            }
            Self::Redis(server, user) => user.url(server),
            Self::Sentinel(set) => set.url(),
            Self::Cluster(cluster) => cluster.url(),
        };
        Arc::new(RedisStore::open(&RedisOptions::new(url)).await.unwrap())
    }
}

/// A store and what it lives in.
pub struct Bench {
    pub kind: Kind,
    store: Option<Arc<dyn Store>>,
    home: Home,
    clock: Arc<ManualClock>,
    partition: Partition,
}

impl Bench {
    /// A new, empty store.
    pub async fn new(kind: Kind) -> Self {
        let home = Home::new(kind);
        let clock = Arc::new(ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap()));
        let store = home.open(&clock).await;
        Self {
            kind,
            store: Some(store),
            home,
            clock,
            partition: student("case"),
        }
    }

    /// From now on the short words below are about the partition of this name.
    pub fn at(&mut self, name: &str) {
        self.partition = student(name);
    }

    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(self.store.as_ref().unwrap())
    }

    /// The store is closed and opened again, as after a restart of the process.
    pub async fn reopen(&mut self) {
        let old = self.store.take().unwrap();
        assert_eq!(Arc::strong_count(&old), 1, "nobody uses the old store");
        drop(old);
        self.store = Some(self.home.open(&self.clock).await);
    }

    /// Lets time go by, for expiry and for leases.
    pub async fn pass(&self, time: Duration) {
        self.clock.advance(i64::try_from(time.as_micros()).unwrap());
        // Redis' own clock cannot be moved; and what ends in a millisecond may take one more.
        tokio::time::sleep(time + Duration::from_millis(2)).await;
    }

    /// Moves the clock that expiry follows; only an embedded store has one.
    pub fn advance(&self, time: Duration) {
        assert_eq!(self.kind, Kind::Embedded);
        self.clock.advance(i64::try_from(time.as_micros()).unwrap());
    }

    pub async fn transact_in(&self, partition: &Partition, transaction: Transaction) -> Outcome {
        self.store().transact(partition, transaction).await.unwrap()
    }

    pub async fn transact(&self, transaction: Transaction) -> Outcome {
        self.transact_in(&self.partition, transaction).await
    }

    /// A transaction whose checks must hold.
    pub async fn apply(&self, transaction: Transaction) -> Applied {
        match self.transact(transaction).await {
            Outcome::Applied(applied) => applied,
            Outcome::Refused(refused) => panic!("refused: {refused:?}"),
        }
    }

    /// A transaction of which a check must not hold.
    pub async fn refuse(&self, transaction: Transaction) -> Refused {
        match self.transact(transaction).await {
            Outcome::Refused(refused) => refused,
            Outcome::Applied(applied) => panic!("applied: {applied:?}"),
        }
    }

    pub async fn write(&self, writes: impl Into<Vec<Write>>) -> Applied {
        self.apply(Transaction {
            writes: writes.into(),
            ..Transaction::default()
        })
        .await
    }

    pub async fn read(&self, read: Read) -> Found {
        let transaction = Transaction {
            reads: vec![read],
            ..Transaction::default()
        };
        let mut found = self.apply(transaction).await.found;
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    /// Whether a check holds.
    pub async fn holds(&self, check: Check) -> bool {
        let transaction = Transaction {
            checks: vec![check],
            ..Transaction::default()
        };
        match self.transact(transaction).await {
            Outcome::Applied(_) => true,
            Outcome::Refused(refused) => {
                assert_eq!(refused.check, 0);
                false
            }
        }
    }

    /// All fields of a record.
    pub async fn record(&self, key: &str) -> Vec<(String, Bytes)> {
        match self.read(Read::Record { key: named(key) }).await {
            Found::Record(fields) => fields,
            other => panic!("{other:?}"),
        }
    }

    /// One field of a record.
    pub async fn field(&self, key: &str, field: &'static str) -> Option<Bytes> {
        let fields = vec![field.into()];
        match self
            .read(Read::Fields {
                key: named(key),
                fields,
            })
            .await
        {
            Found::Fields(mut values) if values.len() == 1 => values.remove(0),
            other => panic!("{other:?}"),
        }
    }

    /// All entries of a log, oldest first.
    pub async fn log(&self, key: &str) -> Vec<(i64, Bytes)> {
        let read = Read::LogAfter {
            key: named(key),
            after: 0,
            limit: 1_000_000,
        };
        match self.read(read).await {
            Found::Entries(entries) => entries,
            other => panic!("{other:?}"),
        }
    }

    /// All members of a ranking, lowest first.
    pub async fn ranking(&self, key: &str) -> Vec<(String, i64)> {
        let read = Read::Lowest {
            key: named(key),
            from: i64::MIN,
            to: i64::MAX,
            limit: 1_000_000,
        };
        match self.read(read).await {
            Found::Members(members) => members,
            other => panic!("{other:?}"),
        }
    }
}

/// All data of a student of this name.
pub fn student(name: &str) -> Partition {
    Partition::student(&StudentKey {
        tenant: "school".to_owned(),
        student: name.to_owned(),
    })
}

pub fn named(key: &str) -> Key {
    Key::new(key)
}

pub fn put(key: &str, fields: &[(&'static str, &str)]) -> Write {
    let fields = fields
        .iter()
        .map(|(field, value)| ((*field).into(), Bytes::from((*value).to_owned())))
        .collect();
    Write::Put {
        key: named(key),
        fields,
    }
}

pub fn unset(key: &str, fields: &[&'static str]) -> Write {
    Write::Unset {
        key: named(key),
        fields: fields.iter().map(|field| (*field).into()).collect(),
    }
}

pub fn remove(key: &str) -> Write {
    Write::Remove { key: named(key) }
}

pub fn expire(key: &str, after: Duration) -> Write {
    Write::Expire {
        key: named(key),
        after,
    }
}

pub fn append(key: &str, entries: &[&str]) -> Write {
    Write::Append {
        key: named(key),
        entries: entries
            .iter()
            .map(|entry| Bytes::from((*entry).to_owned()))
            .collect(),
    }
}

pub fn trim(key: &str, keep: usize) -> Write {
    Write::Trim {
        key: named(key),
        keep,
    }
}

pub fn rank(key: &str, member: &str, score: i64) -> Write {
    Write::Rank {
        key: named(key),
        member: member.to_owned(),
        score,
    }
}

pub fn take(key: &str, ttl: Duration, holder: &str) -> Write {
    Write::TakeLease {
        key: named(key),
        ttl,
        holder: Bytes::from(holder.to_owned()),
    }
}

pub fn renew(key: &str, ttl: Duration) -> Write {
    Write::RenewLease {
        key: named(key),
        ttl,
    }
}

pub fn release(key: &str) -> Write {
    Write::ReleaseLease { key: named(key) }
}

pub fn free(key: &str) -> Check {
    Check::LeaseFree {
        key: named(key),
        or_of: Bytes::new(),
    }
}

pub fn held(key: &str, token: i64) -> Check {
    Check::LeaseHeld {
        key: named(key),
        token,
    }
}

pub fn absent(key: &str, tell: &[&'static str]) -> Check {
    Check::Absent {
        key: named(key),
        tell: tell.to_vec(),
    }
}

pub fn present(key: &str) -> Check {
    Check::Present { key: named(key) }
}

pub fn field_is(
    key: &str,
    field: &'static str,
    value: Option<&str>,
    tell: &[&'static str],
) -> Check {
    Check::FieldIs {
        key: named(key),
        field,
        value: value.map(|value| Bytes::from(value.to_owned())),
        tell: tell.to_vec(),
    }
}

/// Checks and writes.
pub fn when(checks: impl Into<Vec<Check>>, writes: impl Into<Vec<Write>>) -> Transaction {
    Transaction {
        checks: checks.into(),
        writes: writes.into(),
        reads: Vec::new(),
    }
}

pub fn text(value: &str) -> Option<Bytes> {
    Some(Bytes::from(value.to_owned()))
}

pub const LONG: Duration = Duration::from_secs(1000);
pub const SHORT: Duration = Duration::from_millis(20);
