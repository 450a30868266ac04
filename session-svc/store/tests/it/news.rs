//! News of other processes over Redis: who waits is told, however often the connection breaks, and nobody else.

use std::time::Duration;

use bytes::Bytes;
use tokio::{
    sync::watch,
    task::block_in_place,
    time::{sleep, timeout},
};
use turnwise_session_store::{
    Found, Key, Outcome, Partition, Read, Store, Transaction, Write, redis::RedisStore,
};
use turnwise_testing::redis::{Cluster, RedisServer, SentinelSet, ServerOptions, Value};

use crate::redis::{DONE, open, student, writes};

/// How long a test waits for what takes milliseconds, or a failover.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longer than anybody takes to look at what may have changed or is not needed any more.
const A_WHILE: Duration = Duration::from_secs(6);

fn log() -> Key {
    Key::new("log")
}

/// Appends to the log of a student.
async fn append(store: &RedisStore, partition: &Partition) {
    let append = Write::Append {
        key: log(),
        entries: vec![Bytes::from("entry")],
    };
    let done = store.transact(partition, writes(vec![append])).await;
    assert_eq!(done, DONE);
}

async fn length(store: &RedisStore, partition: &Partition) -> usize {
    let read = Transaction {
        reads: vec![Read::LogAfter {
            key: log(),
            after: 0,
            limit: 1000,
        }],
        ..Transaction::default()
    };
    match store.transact(partition, read).await {
        Ok(Outcome::Applied(applied)) => match applied.found.as_slice() {
            [Found::Entries(entries)] => entries.len(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// Reads the log whenever there are news and not before, until it is so long.
async fn read_until(
    store: &RedisStore,
    partition: &Partition,
    news: &mut watch::Receiver<u64>,
    wanted: usize,
) {
    loop {
        timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
        if length(store, partition).await == wanted {
            return;
        }
    }
}

/// How many hear what is published on the channels of partitions.
fn listeners(server: &RedisServer) -> i64 {
    let channels = server
        .command(&["PUBSUB", "CHANNELS", "turnwise:changed*"])
        .unwrap();
    let heard = |channel: &Value| {
        let told = server.command(&["PUBLISH", &channel.text(), ""]);
        told.unwrap().int().unwrap()
    };
    channels.items().iter().map(heard).sum()
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let holds = async {
        while !holds() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, holds).await.expect(what);
}

/// What is written is told, whatever the reads of the same transaction meet.
#[tokio::test]
async fn who_waits_is_told_though_a_read_fails() {
    let server = RedisServer::start().unwrap();
    let store = open(server.url()).await;
    let mut news = store.watch(&student("s"), &log());
    until("it is listened to", || listeners(&server) == 1).await;
    append(&store, &student("s")).await;
    read_until(&store, &student("s"), &mut news, 1).await;
    let append = Write::Append {
        key: log(),
        entries: vec![Bytes::from("entry")],
    };
    // A log is no record.
    let fails = Transaction {
        reads: vec![Read::Record { key: log() }],
        ..writes(vec![append])
    };
    assert!(store.transact(&student("s"), fails).await.is_err());
    read_until(&store, &student("s"), &mut news, 2).await;
}

#[tokio::test]
async fn a_replica_listens_only_to_what_somebody_waits_for() {
    let server = RedisServer::start().unwrap();
    let (one, other) = (open(server.url()).await, open(server.url()).await);
    append(&other, &student("s")).await;
    assert_eq!(listeners(&server), 0);
    let first = one.watch(&student("s"), &log());
    until("one is listened to", || listeners(&server) == 1).await;
    let again = one.watch(&student("s"), &Key::new("another"));
    let elsewhere = one.watch(&student("t"), &log());
    let there = other.watch(&student("t"), &log());
    until("both are listened to", || listeners(&server) == 3).await;
    drop(elsewhere);
    drop(first);
    until("the others are listened to", || listeners(&server) == 2).await;
    drop((again, there));
    until("nobody listens", || listeners(&server) == 0).await;
}

#[tokio::test]
async fn whoever_waits_is_woken_by_nothing_else() {
    let server = RedisServer::start().unwrap();
    let (one, other) = (open(server.url()).await, open(server.url()).await);
    let mut news = one.watch(&student("s"), &log());
    append(&other, &student("s")).await;
    read_until(&one, &student("s"), &mut news, 1).await;
    sleep(Duration::from_secs(1)).await;
    let before = *news.borrow_and_update();
    sleep(A_WHILE).await;
    for number in 0..300 {
        append(&other, &student(&number.to_string())).await;
    }
    append(&other, &student("s")).await;
    timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
    assert_eq!(*news.borrow(), before + 1);
}

/// Whoever waits hears of what was written while nobody could hear it.
async fn a_gap_is_made_up_for(url: String, servers: &[RedisServer]) {
    let (one, other) = (open(url.clone()).await, open(url).await);
    let names = ["s", "t", "u"];
    let mut waiting: Vec<_> = names
        .iter()
        .map(|name| one.watch(&student(name), &log()))
        .collect();
    for round in 0..3 {
        for (name, news) in names.iter().zip(&mut waiting) {
            append(&other, &student(name)).await;
            read_until(&one, &student(name), news, 2 * round + 1).await;
        }
        for server in servers {
            server
                .command(&["CLIENT", "KILL", "TYPE", "pubsub"])
                .unwrap();
        }
        for name in names {
            append(&other, &student(name)).await;
        }
        for (name, news) in names.iter().zip(&mut waiting) {
            read_until(&one, &student(name), news, 2 * round + 2).await;
        }
    }
}

#[tokio::test]
async fn a_gap_is_made_up_for_on_a_server() {
    let server = RedisServer::start().unwrap();
    a_gap_is_made_up_for(server.url(), std::slice::from_ref(&server)).await;
}

#[tokio::test]
async fn a_gap_is_made_up_for_on_a_sentinel_set() {
    let set = SentinelSet::start().unwrap();
    a_gap_is_made_up_for(set.url(), set.nodes()).await;
}

#[tokio::test]
async fn a_gap_is_made_up_for_on_a_cluster() {
    let cluster = Cluster::start().unwrap();
    a_gap_is_made_up_for(cluster.url(), cluster.nodes()).await;
}

/// Appends as soon as the servers take it, and waits until that is told.
async fn is_told(store: &RedisStore, news: &mut watch::Receiver<u64>) {
    let entry = || Write::Append {
        key: log(),
        entries: vec![Bytes::from("entry")],
    };
    let appended = async {
        while store
            .transact(&student("s"), writes(vec![entry()]))
            .await
            .is_err()
        {
            sleep(Duration::from_millis(20)).await;
        }
    };
    news.borrow_and_update();
    timeout(PATIENCE, appended).await.unwrap();
    timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_of_a_sentinel_set_is_made_up_for() {
    let servers = ServerOptions::default().failing_over();
    let mut set = SentinelSet::start_with(&servers).unwrap();
    let (one, other) = (open(set.url()).await, open(set.url()).await);
    let mut news = one.watch(&student("s"), &log());
    is_told(&other, &mut news).await;
    news.borrow_and_update();
    block_in_place(|| {
        let old = set.kill_primary().unwrap();
        set.wait_for_primary_other_than(old).unwrap();
    });
    timeout(PATIENCE, news.changed()).await.unwrap().unwrap();
    for _ in 0..3 {
        is_told(&other, &mut news).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_of_a_cluster_is_made_up_for() {
    let servers = ServerOptions::default().failing_over();
    let mut cluster = Cluster::start_with(&servers).unwrap();
    let (one, other) = (open(cluster.url()).await, open(cluster.url()).await);
    let mut news = one.watch(&student("s"), &log());
    is_told(&other, &mut news).await;
    let key = format!("{{{}}}", student("s").as_str());
    block_in_place(|| {
        let old = cluster.kill_primary_of(&key).unwrap();
        cluster.wait_for_primary_of(&key, old).unwrap();
    });
    for _ in 0..3 {
        is_told(&other, &mut news).await;
    }
}
