//! Channels: messages arrive, and a gap is told.

use std::collections::BTreeSet;

use tokio::{sync::watch, time::timeout};
use turnwise_redis::{Event, Redis, Script, Subscription};
use turnwise_testing::redis::{Cluster, RedisServer, SentinelSet, ServerOptions, command};

use crate::calls::{PARTITIONS, PATIENCE, key, name_another, open};

async fn next(news: &mut Subscription) -> Event {
    timeout(PATIENCE, news.next())
        .await
        .expect("nothing was told")
}

/// Takes events up to this one, which must come.
async fn take_until(news: &mut Subscription, wanted: &Event) {
    loop {
        let event = next(news).await;
        if event == *wanted {
            return;
        }
    }
}

fn message(channel: &str, payload: &str) -> Event {
    Event::Message {
        channel: channel.to_owned(),
        payload: payload.as_bytes().to_vec(),
    }
}

/// Publishes from a script that runs where the partition is.
async fn publish(redis: &Redis, partition: &str, channel: &str, payload: &str) {
    let publish = Script::new("redis.call('PUBLISH', ARGV[1], ARGV[2])");
    let keys = [key(partition)];
    redis
        .run(&publish, partition, &keys, &[channel, payload])
        .await
        .unwrap();
}

/// Two processes on the same servers: one hears what the other one publishes, also after its subscription broke.
async fn messages_arrive(url: String, servers: &[RedisServer]) {
    let (one, other) = (open(url.clone()).await, open(url).await);
    let mut news = one.subscribe(["first", "second"]);
    for _ in 0..3 {
        assert_eq!(next(&mut news).await, Event::Listening);
        for partition in PARTITIONS {
            publish(&other, partition, "unheard", "x").await;
            for channel in ["first", "second"] {
                publish(&other, partition, channel, partition).await;
                assert_eq!(next(&mut news).await, message(channel, partition));
            }
        }
        for server in servers {
            server
                .command(&["CLIENT", "KILL", "TYPE", "pubsub"])
                .unwrap();
        }
        assert_eq!(next(&mut news).await, Event::Lost);
    }
}

#[tokio::test]
async fn messages_arrive_from_a_server() {
    let server = RedisServer::start().unwrap();
    messages_arrive(server.url(), std::slice::from_ref(&server)).await;
}

#[tokio::test]
async fn messages_arrive_from_a_sentinel_set() {
    let set = SentinelSet::start().unwrap();
    messages_arrive(set.url(), set.nodes()).await;
}

#[tokio::test]
async fn messages_arrive_from_a_cluster() {
    let cluster = Cluster::start().unwrap();
    messages_arrive(cluster.url(), cluster.nodes()).await;
}

#[tokio::test]
async fn a_server_that_comes_late_or_hangs_is_listened_to_once_it_answers() {
    let mut server = RedisServer::start().unwrap();
    server.kill();
    let redis = open(server.url()).await;
    let mut news = redis.subscribe(["channel"]);
    server.start_again().unwrap();
    assert_eq!(next(&mut news).await, Event::Listening);
    server.stop().unwrap();
    assert_eq!(next(&mut news).await, Event::Lost);
    server.cont().unwrap();
    assert_eq!(next(&mut news).await, Event::Listening);
    publish(&redis, "a", "channel", "x").await;
    assert_eq!(next(&mut news).await, message("channel", "x"));
}

#[tokio::test]
async fn whoever_takes_no_more_news_listens_no_more() {
    let server = RedisServer::start().unwrap();
    let redis = open(server.url()).await;
    let mut news = redis.subscribe(["channel"]);
    assert_eq!(next(&mut news).await, Event::Listening);
    let listeners = || {
        server
            .command(&["CLIENT", "LIST", "TYPE", "pubsub"])
            .unwrap()
            .text()
    };
    assert_eq!(listeners().lines().count(), 1);
    drop(news);
    let gone = async {
        while !listeners().trim().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, gone).await.unwrap();
}

#[tokio::test]
async fn another_primary_is_listened_to_although_the_old_one_still_answers() {
    let set = SentinelSet::start().unwrap();
    let other = RedisServer::start().unwrap();
    let redis = open(set.url()).await;
    let mut news = redis.subscribe(["channel"]);
    assert_eq!(next(&mut news).await, Event::Listening);
    name_another(&set, &other);
    // Nobody told of it, but each time that a sentinel may have gone unheard it is asked.
    for sentinel in set.sentinel_ports() {
        command(sentinel, &["CLIENT", "KILL", "TYPE", "pubsub"]).unwrap();
    }
    assert_eq!(next(&mut news).await, Event::Lost);
    assert_eq!(next(&mut news).await, Event::Listening);
    other.command(&["PUBLISH", "channel", "x"]).unwrap();
    assert_eq!(next(&mut news).await, message("channel", "x"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_cut_off_from_its_cluster_is_left() {
    let mut cluster = Cluster::start_with(&ServerOptions::default().failing_over()).unwrap();
    let redis = open(cluster.url()).await;
    let mut news = redis.subscribe(["channel"]);
    assert_eq!(next(&mut news).await, Event::Listening);
    let listens = |server: &RedisServer| {
        let told = server.command(&["CLIENT", "LIST", "TYPE", "pubsub"]);
        !told.unwrap().text().trim().is_empty()
    };
    let listened_to = cluster
        .nodes()
        .iter()
        .find(|node| listens(node))
        .unwrap()
        .port();
    let others: Vec<u16> = cluster
        .ports()
        .into_iter()
        .filter(|port| *port != listened_to)
        .collect();
    for port in &others {
        cluster.node(*port).unwrap().stop().unwrap();
    }
    // The node itself answers all the time.
    assert_eq!(next(&mut news).await, Event::Lost);
    for port in &others {
        cluster.node(*port).unwrap().cont().unwrap();
    }
    assert_eq!(next(&mut news).await, Event::Listening);
    tokio::task::block_in_place(|| cluster.settle().unwrap());
    for partition in PARTITIONS {
        publish(&redis, partition, "channel", partition).await;
        take_until(&mut news, &message("channel", partition)).await;
    }
}

#[tokio::test]
async fn channels_come_and_go_while_it_listens() {
    let server = RedisServer::start().unwrap();
    let redis = open(server.url()).await;
    let wanted = watch::Sender::<BTreeSet<String>>::default();
    let mut news = redis.subscribe_to_those_in(wanted.subscribe());
    assert_eq!(next(&mut news).await, Event::Listening);
    let want = |channels: &[&str]| {
        wanted.send_replace(channels.iter().map(|name| (*name).to_owned()).collect());
    };
    let joined = |channel: &str| Event::Joined {
        channels: vec![channel.to_owned()],
    };
    want(&["first"]);
    assert_eq!(next(&mut news).await, joined("first"));
    want(&["second"]);
    assert_eq!(next(&mut news).await, joined("second"));
    // Given up after the other one was joined.
    want(&["second", "third"]);
    assert_eq!(next(&mut news).await, joined("third"));
    for channel in ["first", "second", "third"] {
        publish(&redis, "a", channel, "x").await;
    }
    assert_eq!(next(&mut news).await, message("second", "x"));
    assert_eq!(next(&mut news).await, message("third", "x"));
    // What changes while it is away is followed when it is back.
    server
        .command(&["CLIENT", "KILL", "TYPE", "pubsub"])
        .unwrap();
    want(&["first", "third"]);
    take_until(&mut news, &Event::Listening).await;
    for channel in ["first", "second", "third"] {
        publish(&redis, "a", channel, "y").await;
    }
    assert_eq!(next(&mut news).await, message("first", "y"));
    assert_eq!(next(&mut news).await, message("third", "y"));
}
