//! A Redis that is full, slow, away, read-only or asks for a password, and what is told of it.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::time::Instant;
use turnwise_session_store::{
    Check, Found, Key, OpenError, Outcome, Read, Store, StoreError, Transaction, Write,
    redis::{RedisOptions, RedisStore},
};
use turnwise_testing::redis::{RedisServer, ServerOptions};

use crate::redis::{DONE, open, put, read, student, values, write, writes};

#[tokio::test]
async fn an_address_that_cannot_be_read_is_an_error() {
    for address in ["redisss://:hunter2@host", "redis://:hunter2@one,two"] {
        let Err(OpenError::Redis(error)) = RedisStore::open(&RedisOptions::new(address)).await
        else {
            panic!("{address} was read");
        };
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn a_password_that_is_set_right_later_is_taken() {
    let server = RedisServer::start_with(&ServerOptions::default().password("old")).unwrap();
    let mut options = RedisOptions::new(server.url());
    options.server.password = Some(Arc::new(|| "new".to_owned()));
    let store = RedisStore::open(&options).await.unwrap();
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
    let mut options = RedisOptions::new(server.url());
    // Less than a new connection may take, or that would be given up first.
    options.server.response_timeout = Duration::from_millis(900);
    let store = RedisStore::open(&options).await.unwrap();
    assert_eq!(write(&store, put("record", "x")).await, DONE);
    server.stop().unwrap();
    // Nobody answers, so the clock goes on at once.
    tokio::time::pause();
    for _ in 0..3 {
        let begun = Instant::now();
        assert_eq!(
            write(&store, put("record", "y")).await,
            Err(StoreError::TimedOut)
        );
        let took = begun.elapsed();
        assert!(took >= options.server.response_timeout, "{took:?}");
        assert!(took < options.server.response_timeout * 2, "{took:?}");
    }
    tokio::time::resume();
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
    let server = RedisServer::start().unwrap();
    let store = open(server.url()).await;
    server
        .command(&["SET", "turnwise:{school/s}:record", "a secret"])
        .unwrap();
    let refused = write(&store, put("record", "another secret")).await;
    assert_eq!(refused, Err(StoreError::Corrupted));
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
    let reads = |present: Option<&str>| Transaction {
        checks: present
            .map(|name| Check::Present {
                key: Key::new(name),
            })
            .into_iter()
            .collect(),
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
        for present in [Some("record"), None, Some("nothing")] {
            seen.push(store.transact(&partition, reads(present)).await.unwrap());
        }
    }
    assert_eq!(seen[..3], seen[3..]);
    assert_eq!(seen[0], seen[1]);
    let Outcome::Applied(applied) = &seen[0] else {
        panic!("the record is there");
    };
    assert_eq!(applied.found.len(), 9);
    assert_eq!(
        applied.found[7],
        Found::Members(vec![("a".to_owned(), -7), ("b".to_owned(), 1 << 53)])
    );
    assert!(matches!(seen[2], Outcome::Refused(_)));
}
