//! What only the store in Redis can do wrong: tokens and ids.

use std::time::Duration;

use bytes::Bytes;
use turnwise_session_store::{
    Applied, Check, Found, Key, Outcome, Partition, Read, Store, StoreError, StudentKey,
    Transaction, Write,
    redis::{RedisOptions, RedisStore},
};
use turnwise_testing::redis::{Cluster, RedisServer, ScriptWatch};

/// How long a test waits for what takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn student(name: &str) -> Partition {
    Partition::student(&StudentKey {
        tenant: "school".to_owned(),
        student: name.to_owned(),
    })
}

pub fn put(key: &str, value: &str) -> Write {
    Write::Put {
        key: Key::new(key),
        fields: vec![("field".into(), Bytes::copy_from_slice(value.as_bytes()))],
    }
}

pub fn read(key: &str) -> Read {
    Read::Fields {
        key: Key::new(key),
        fields: vec!["field".into()],
    }
}

pub fn writes(writes: Vec<Write>) -> Transaction {
    Transaction {
        writes,
        ..Transaction::default()
    }
}

pub async fn open(url: impl Into<String>) -> RedisStore {
    RedisStore::open(&RedisOptions::new(url)).await.unwrap()
}

pub async fn write(store: &RedisStore, write: Write) -> Result<Outcome, StoreError> {
    store.transact(&student("s"), writes(vec![write])).await
}

/// The values of these records.
pub async fn values(
    store: &RedisStore,
    partition: &Partition,
    keys: &[&str],
) -> Vec<Option<Bytes>> {
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

pub const DONE: Result<Outcome, StoreError> = Ok(Outcome::Applied(Applied {
    token: None,
    found: Vec::new(),
}));

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

/// A node that gives a slot away looks for the keys that are declared.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_cluster_the_script_touches_no_key_that_is_not_declared() {
    let cluster = Cluster::start().unwrap();
    let store = open(cluster.url()).await;
    let key = |name: &str| Key::new(format!("{name}:an-id"));
    let all = Transaction {
        checks: vec![Check::Absent {
            key: key("absent"),
            tell: vec!["field"],
        }],
        writes: vec![
            put("record:an-id", "x"),
            Write::TakeLease {
                key: key("lease"),
                ttl: PATIENCE,
                holder: Bytes::new(),
            },
            Write::Append {
                key: key("log"),
                entries: vec![Bytes::from("entry")],
            },
            Write::Expire {
                key: key("log"),
                after: PATIENCE,
            },
            Write::Rank {
                key: key("ranking"),
                member: "record:an-id".to_owned(),
                score: 1,
            },
            Write::Remove { key: key("gone") },
        ],
        reads: vec![
            read("record:an-id"),
            Read::Lowest {
                key: key("ranking"),
                from: 0,
                to: 9,
                limit: 9,
            },
        ],
    };
    // Told the script before it is watched.
    write(&store, put("record:an-id", "before")).await.unwrap();
    let watches: Vec<_> = cluster.nodes().iter().map(ScriptWatch::start).collect();
    let done = store.transact(&student("s"), all).await.unwrap();
    let Outcome::Applied(applied) = done else {
        panic!("{done:?}");
    };
    assert!(applied.token.is_some());
    let expected = [
        Found::Fields(vec![Some(Bytes::from("x"))]),
        Found::Members(vec![("record:an-id".to_owned(), 1)]),
    ];
    assert_eq!(applied.found, expected);
    let mut calls = 0;
    for watch in watches {
        let scripts = watch.unwrap().finish().unwrap();
        assert!(scripts.undeclared.is_empty(), "{:?}", scripts.undeclared);
        calls += scripts.calls.values().sum::<usize>();
    }
    assert_eq!(calls, 1);
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
