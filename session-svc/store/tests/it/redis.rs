//! What only the store in Redis can do wrong: scripts that a server forgot, passwords, memory, slowness, restarts.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use tokio::time::{Instant, timeout};
use tracing_subscriber::fmt::MakeWriter;
use turnwise_session_store::{
    Applied, Check, Found, Key, OpenError, Outcome, Partition, Read, Store, StoreError, StudentKey,
    Transaction, Write,
    redis::{RedisOptions, RedisStore},
};
use turnwise_testing::redis::{Cluster, RedisServer, SentinelSet, ServerOptions};

/// How long a test waits for what takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

fn student(name: &str) -> Partition {
    Partition::student(&StudentKey {
        tenant: "school".to_owned(),
        student: name.to_owned(),
    })
}

fn put(key: &str, value: &str) -> Write {
    Write::Put {
        key: Key::new(key),
        fields: vec![("field".into(), Bytes::copy_from_slice(value.as_bytes()))],
    }
}

fn read(key: &str) -> Read {
    Read::Fields {
        key: Key::new(key),
        fields: vec!["field".into()],
    }
}

fn writes(writes: Vec<Write>) -> Transaction {
    Transaction {
        writes,
        ..Transaction::default()
    }
}

async fn open(url: impl Into<String>) -> RedisStore {
    RedisStore::open(&RedisOptions::new(url)).await.unwrap()
}

async fn write(store: &RedisStore, write: Write) -> Result<Outcome, StoreError> {
    store.transact(&student("s"), writes(vec![write])).await
}

/// The values of these records.
async fn values(store: &RedisStore, partition: &Partition, keys: &[&str]) -> Vec<Option<Bytes>> {
    let transaction = Transaction {
        reads: keys.iter().map(|key| read(key)).collect(),
        ..Transaction::default()
    };
    let Outcome::Applied(applied) = store.transact(partition, transaction).await.unwrap() else {
        panic!("there are no checks");
    };
    let value = |found: Found| match found {
        Found::Fields(mut fields) => fields.remove(0),
        other => panic!("{other:?}"),
    };
    applied.found.into_iter().map(value).collect()
}

const DONE: Result<Outcome, StoreError> = Ok(Outcome::Applied(Applied {
    token: None,
    found: Vec::new(),
}));

/// Everything that is logged while the test runs, on its only thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn listen() -> (Self, tracing::subscriber::DefaultGuard) {
        let log = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(log.clone())
            .with_ansi(false)
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Uses a store while its servers forget all scripts again and again.
async fn scripts_are_loaded_again(url: String, servers: &[RedisServer]) {
    let store = open(url).await;
    for round in ["1", "2"] {
        for server in servers {
            server.command(&["SCRIPT", "FLUSH"]).unwrap();
        }
        for name in ["a", "b", "c", "d", "e", "f"] {
            let partition = student(name);
            let done = store
                .transact(&partition, writes(vec![put("record", round)]))
                .await;
            assert_eq!(done, DONE);
            let seen = values(&store, &partition, &["record"]).await;
            assert_eq!(seen, [Some(Bytes::from(round))]);
        }
    }
}

#[tokio::test]
async fn a_script_that_a_server_forgot_is_loaded_again() {
    let server = RedisServer::start().unwrap();
    scripts_are_loaded_again(server.url(), std::slice::from_ref(&server)).await;
}

#[tokio::test]
async fn a_script_that_a_primary_forgot_is_loaded_again() {
    let set = SentinelSet::start().unwrap();
    scripts_are_loaded_again(set.url(), set.nodes()).await;
}

#[tokio::test]
async fn a_script_that_a_node_of_a_cluster_forgot_is_loaded_again() {
    let cluster = Cluster::start().unwrap();
    scripts_are_loaded_again(cluster.url(), cluster.nodes()).await;
}

#[tokio::test]
async fn an_address_that_cannot_be_read_is_an_error() {
    for address in ["rediss://:hunter2@host", "redis://:hunter2@one,two"] {
        let Err(OpenError::Address { problem }) =
            RedisStore::open(&RedisOptions::new(address)).await
        else {
            panic!("{address} was read");
        };
        assert!(!problem.contains("hunter2"), "{problem}");
    }
}

#[tokio::test]
async fn the_password_is_needed_and_never_shown() {
    let (log, _guard) = Log::listen();
    let options = ServerOptions::default().password("hunter-right@");
    let server = RedisServer::start_with(&options).unwrap();
    let wrong = RedisOptions {
        password: Some("hunter-wrong".to_owned()),
        ..RedisOptions::new(server.url())
    };
    let right = RedisOptions {
        password: Some("hunter-right@".to_owned()),
        ..wrong.clone()
    };
    let in_url = RedisOptions::new(server.url().replace("//", "//:hunter-right%40@"));
    for refused in [RedisOptions::new(server.url()), wrong] {
        let store = RedisStore::open(&refused).await.unwrap();
        assert_eq!(
            write(&store, put("record", "x")).await,
            Err(StoreError::Refused)
        );
    }
    for accepted in [right, in_url] {
        let store = RedisStore::open(&accepted).await.unwrap();
        assert_eq!(write(&store, put("record", "x")).await, DONE);
    }
    let log = log.text();
    assert!(log.contains("check the store's user and password"), "{log}");
    assert!(!log.contains("hunter"), "{log}");
}

#[tokio::test]
async fn a_password_that_is_set_right_later_is_taken() {
    let server = RedisServer::start_with(&ServerOptions::default().password("old")).unwrap();
    let store = RedisStore::open(&RedisOptions {
        password: Some("new".to_owned()),
        ..RedisOptions::new(server.url())
    })
    .await
    .unwrap();
    let refused = write(&store, put("record", "x")).await;
    assert_eq!(refused, Err(StoreError::Refused));
    server
        .command(&["CONFIG", "SET", "requirepass", "new"])
        .unwrap();
    assert_eq!(write(&store, put("record", "x")).await, DONE);
}

#[tokio::test]
async fn a_full_redis_writes_nothing_and_goes_on_once_it_has_room() {
    let server = RedisServer::start().unwrap();
    let store = open(server.url()).await;
    let partition = student("s");
    let both = |value| writes(vec![put("one", value), put("two", value)]);
    assert_eq!(store.transact(&partition, both("before")).await, DONE);
    server
        .command(&["CONFIG", "SET", "maxmemory", "1"])
        .unwrap();
    let full = store.transact(&partition, both("while full")).await;
    assert_eq!(full, Err(StoreError::Full));
    let before = Some(Bytes::from("before"));
    let seen = values(&store, &partition, &["one", "two"]).await;
    assert_eq!(seen, [before.clone(), before.clone()]);

    // A write that needs no room may be done, but then so is all that follows it.
    let removal = Write::Remove {
        key: Key::new("one"),
    };
    let removed = store
        .transact(&partition, writes(vec![removal, put("two", "after")]))
        .await;
    let seen = values(&store, &partition, &["one", "two"]).await;
    match removed {
        Ok(_) => assert_eq!(seen, [None, Some(Bytes::from("after"))]),
        Err(error) => {
            assert_eq!(error, StoreError::Full);
            assert_eq!(seen, [before.clone(), before]);
        }
    }

    server
        .command(&["CONFIG", "SET", "maxmemory", "0"])
        .unwrap();
    assert_eq!(store.transact(&partition, both("with room")).await, DONE);
}

#[tokio::test]
async fn a_redis_that_does_not_answer_is_given_up_in_time_and_used_again() {
    let mut server = RedisServer::start().unwrap();
    let options = RedisOptions {
        response_timeout: Duration::from_millis(400),
        ..RedisOptions::new(server.url())
    };
    let store = RedisStore::open(&options).await.unwrap();
    assert_eq!(write(&store, put("record", "x")).await, DONE);
    server.stop().unwrap();
    for _ in 0..3 {
        let begun = Instant::now();
        assert_eq!(
            write(&store, put("record", "y")).await,
            Err(StoreError::TimedOut)
        );
        let took = begun.elapsed();
        assert!(took >= options.response_timeout, "{took:?}");
        assert!(took < options.response_timeout * 2, "{took:?}");
    }
    server.cont().unwrap();
    assert_eq!(write(&store, put("record", "z")).await, DONE);
}

#[tokio::test]
async fn a_redis_that_is_not_there_yet_is_used_once_it_is() {
    let mut server = RedisServer::start().unwrap();
    server.kill();
    let store = open(server.url()).await;
    let away = write(&store, put("record", "x")).await;
    assert_eq!(away, Err(StoreError::Unavailable));
    server.start_again().unwrap();
    assert_eq!(write(&store, put("record", "x")).await, DONE);
}

#[tokio::test]
async fn a_redis_that_takes_no_writes_is_read_only() {
    let server = RedisServer::start().unwrap();
    let store = open(server.url()).await;
    assert_eq!(write(&store, put("record", "x")).await, DONE);
    server
        .command(&["CONFIG", "SET", "min-replicas-to-write", "1"])
        .unwrap();
    let refused = write(&store, put("record", "y")).await;
    assert_eq!(refused, Err(StoreError::ReadOnly));
    server.command(&["REPLICAOF", "127.0.0.1", "1"]).unwrap();
    let refused = write(&store, put("record", "y")).await;
    assert_eq!(refused, Err(StoreError::ReadOnly));
    let seen = values(&store, &student("s"), &["record"]).await;
    assert_eq!(seen, [Some(Bytes::from("x"))]);
}

#[tokio::test]
async fn what_somebody_else_wrote_under_a_name_is_corrupted() {
    let (log, _guard) = Log::listen();
    let server = RedisServer::start().unwrap();
    let store = open(server.url()).await;
    server
        .command(&["SET", "turnwise:{school/s}:record", "a secret"])
        .unwrap();
    let refused = write(&store, put("record", "another secret")).await;
    assert_eq!(refused, Err(StoreError::Corrupted));
    assert!(!log.text().contains("secret"), "{}", log.text());
}

#[tokio::test]
async fn a_redis_that_may_evict_is_warned_of() {
    for (policy, warned) in [("allkeys-lru", true), ("noeviction", false)] {
        let (log, _guard) = Log::listen();
        let options = ServerOptions::default().set("maxmemory-policy", policy);
        let server = RedisServer::start_with(&options).unwrap();
        let _store = open(server.url()).await;
        let log = log.text();
        assert_eq!(log.contains("maxmemory-policy noeviction"), warned, "{log}");
    }
}

#[tokio::test]
async fn without_replicas_a_write_that_waits_for_one_is_in_place_and_not_acknowledged() {
    let server = RedisServer::start().unwrap();
    let store = RedisStore::open(&RedisOptions {
        wait_replicas: 1,
        wait_timeout: Duration::from_millis(50),
        ..RedisOptions::new(server.url())
    })
    .await
    .unwrap();
    let absent = Transaction {
        checks: vec![Check::Absent {
            key: Key::new("record"),
            tell: vec!["field"],
        }],
        ..writes(vec![put("record", "x")])
    };
    // The second attempt finds the first one's write, which still is on this server alone.
    for _ in 0..2 {
        let waited = store.transact(&student("s"), absent.clone()).await;
        assert_eq!(waited, Err(StoreError::NotReplicated));
    }
    let seen = values(&store, &student("s"), &["record"]).await;
    assert_eq!(seen, [Some(Bytes::from("x"))]);
}

#[tokio::test]
async fn tokens_rise_even_if_the_server_lost_everything() {
    let mut server = RedisServer::start().unwrap();
    let mut last = 0;
    for _ in 0..3 {
        let store = open(server.url()).await;
        for _ in 0..20 {
            let lease = Write::TakeLease {
                key: Key::new("lease"),
                ttl: PATIENCE,
                holder: Bytes::new(),
            };
            let Ok(Outcome::Applied(applied)) = write(&store, lease).await else {
                panic!("no lease was taken");
            };
            let token = applied.token.unwrap();
            assert!(token > last, "{token} after {last}");
            last = token;
        }
        server.start_again().unwrap();
    }
}

/// Two processes on the same servers: one hears what the other one appends, also after its subscription broke.
async fn news_arrive(url: String, servers: &[RedisServer]) {
    let (one, other) = (open(url.clone()).await, open(url).await);
    let (partition, log) = (student("s"), Key::new("log"));
    let append = || Write::Append {
        key: log.clone(),
        entries: vec![Bytes::from("entry")],
    };
    let mut news = one.watch(&partition, &log);
    for _ in 0..3 {
        assert_eq!(write(&other, append()).await, DONE);
        timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
        for server in servers {
            server
                .command(&["CLIENT", "KILL", "TYPE", "pubsub"])
                .unwrap();
        }
        timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
        news.mark_unchanged();
    }
}

#[tokio::test]
async fn news_of_another_process_arrive() {
    let server = RedisServer::start().unwrap();
    news_arrive(server.url(), std::slice::from_ref(&server)).await;
}

#[tokio::test]
async fn news_of_another_process_arrive_in_a_cluster() {
    let cluster = Cluster::start().unwrap();
    news_arrive(cluster.url(), cluster.nodes()).await;
}

#[tokio::test]
async fn each_log_that_expired_goes_on_with_its_own_ids() {
    let server = RedisServer::start().unwrap();
    let store = open(server.url()).await;
    let logs = ["a", "b", "ab:log", "cd:log"];
    for (log, count) in logs.iter().zip(1..) {
        let key = Key::new(*log);
        let append = Write::Append {
            key: key.clone(),
            entries: vec![Bytes::from("entry"); count],
        };
        let expire = Write::Expire {
            key,
            after: PATIENCE,
        };
        assert_eq!(write(&store, append.clone()).await, DONE);
        assert_eq!(write(&store, expire).await, DONE);
        assert_eq!(write(&store, append).await, DONE);
        // As if it had expired.
        let name = format!("turnwise:{{school/s}}:{log}");
        server.command(&["DEL", &name]).unwrap();
    }
    for (log, count) in logs.iter().zip(1..) {
        let append = Write::Append {
            key: Key::new(*log),
            entries: vec![Bytes::from("next")],
        };
        let transaction = Transaction {
            reads: vec![Read::LogAfter {
                key: Key::new(*log),
                after: 0,
                limit: 9,
            }],
            ..writes(vec![append])
        };
        let done = store.transact(&student("s"), transaction).await;
        let expected = Found::Entries(vec![(2 * count + 1, Bytes::from("next"))]);
        let Ok(Outcome::Applied(applied)) = done else {
            panic!("{done:?}");
        };
        assert_eq!(applied.found, [expected]);
    }
}

#[tokio::test]
async fn a_full_redis_is_read_as_one_with_room_is() {
    let server = RedisServer::start().unwrap();
    let store = open(server.url()).await;
    let partition = student("s");
    let entries = vec![Bytes::from("one"), Bytes::from("two"), Bytes::from("three")];
    let rank = |member: &str, score| Write::Rank {
        key: Key::new("ranking"),
        member: member.to_owned(),
        score,
    };
    let all = writes(vec![
        put("record", "x"),
        Write::Append {
            key: Key::new("log"),
            entries,
        },
        rank("a", -7),
        rank("b", 1 << 53),
    ]);
    assert_eq!(store.transact(&partition, all).await, DONE);
    let (log, ranking) = (Key::new("log"), Key::new("ranking"));
    let reads = |present: &str| Transaction {
        checks: vec![Check::Present {
            key: Key::new(present),
        }],
        reads: vec![
            read("record"),
            read("nothing"),
            Read::Record {
                key: Key::new("record"),
            },
            Read::Record {
                key: Key::new("nothing"),
            },
            Read::LogAfter {
                key: log.clone(),
                after: 1,
                limit: 9,
            },
            Read::LogBefore {
                key: log.clone(),
                before: i64::MAX,
                limit: 2,
            },
            Read::LogAfter {
                key: Key::new("nothing"),
                after: 0,
                limit: 0,
            },
            Read::Lowest {
                key: ranking.clone(),
                from: i64::MIN,
                to: i64::MAX,
                limit: 9,
            },
            Read::Highest {
                key: ranking.clone(),
                from: 0,
                to: i64::MAX,
                limit: 9,
            },
        ],
        ..Transaction::default()
    };
    let mut seen = Vec::new();
    for maxmemory in ["0", "1"] {
        server
            .command(&["CONFIG", "SET", "maxmemory", maxmemory])
            .unwrap();
        for present in ["record", "nothing"] {
            seen.push(store.transact(&partition, reads(present)).await.unwrap());
        }
    }
    assert_eq!(seen[..2], seen[2..]);
    let Outcome::Applied(applied) = &seen[0] else {
        panic!("the record is there");
    };
    assert_eq!(applied.found.len(), 9);
    assert_eq!(
        applied.found[7],
        Found::Members(vec![("a".to_owned(), -7), ("b".to_owned(), 1 << 53)])
    );
    assert!(matches!(seen[1], Outcome::Refused(_)));
}
