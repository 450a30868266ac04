//! A Redis that is full, slow, away, read-only, wrong or asks for a password, and what is told and logged of it.

use std::{
    fmt::Debug,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::time::Instant;
use tracing_subscriber::fmt::MakeWriter;
use turnwise_redis::{Failure, FailureKind, Redis, RedisOptions, Script, Value};
use turnwise_testing::redis::{Cluster, RedisServer, SentinelSet, ServerOptions};

use crate::calls::{NONE, add, bulk, command, key, name_another, open};

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

async fn count(redis: &Redis) -> Result<Value, Failure> {
    redis.run(&add(), "a", &[key("a")], 1).await
}

/// Why a call failed, in short: its kind, Redis' code, and whether it was certainly not done.
fn short(called: Result<impl Debug, Failure>) -> (FailureKind, String, bool) {
    let failure = called.unwrap_err();
    let code = failure.code().to_owned();
    (failure.kind(), code, failure.is_certainly_not_done())
}

#[tokio::test]
async fn an_address_that_cannot_be_read_is_an_error() {
    for address in ["redisss://:hunter2@host", "redis://:hunter2@one,two"] {
        let Err(error) = Redis::open(&RedisOptions::new(address)).await else {
            panic!("{address} was read");
        };
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn the_password_is_needed_and_never_shown() {
    let (log, _guard) = Log::listen();
    let options = ServerOptions::default().password("hunter-right@");
    let server = RedisServer::start_with(&options).unwrap();
    let wrong = RedisOptions {
        password: Some(Arc::new(|| "hunter-wrong".to_owned())),
        ..RedisOptions::new(server.url())
    };
    let right = RedisOptions {
        password: Some(Arc::new(|| "hunter-right@".to_owned())),
        ..wrong.clone()
    };
    let in_url = RedisOptions::new(server.url().replace("//", "//:hunter-right%40@"));
    for refused in [RedisOptions::new(server.url()), wrong] {
        let redis = Redis::open(&refused).await.unwrap();
        let failure = count(&redis).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Denied);
        assert!(failure.is_certainly_not_done());
        let shown = format!("{failure} {failure:?}");
        assert!(!shown.contains("hunter"), "{shown}");
    }
    for accepted in [right, in_url] {
        let redis = Redis::open(&accepted).await.unwrap();
        count(&redis).await.unwrap();
    }
    let log = log.text();
    assert!(log.contains("check the user, the password"), "{log}");
    assert!(!log.contains("hunter"), "{log}");
}

#[tokio::test]
async fn a_redis_that_may_evict_records_is_refused_at_the_start_and_warned_of_later() {
    for (policy, keeps_records, refused) in [
        ("allkeys-lru", true, true),
        ("noeviction", true, false),
        ("allkeys-lru", false, false),
    ] {
        let options = ServerOptions::default().set("maxmemory-policy", policy);
        let server = RedisServer::start_with(&options).unwrap();
        let options = RedisOptions {
            keeps_records,
            ..RedisOptions::new(server.url())
        };
        match Redis::open(&options).await {
            Err(error) => {
                let error = error.to_string();
                assert!(
                    refused && error.contains("maxmemory-policy allkeys-lru"),
                    "{error}"
                );
                assert!(
                    error.contains("set `maxmemory-policy noeviction`"),
                    "{error}"
                );
            }
            Ok(_) => assert!(!refused),
        }
    }
    // It was not there at the start.
    let (log, _guard) = Log::listen();
    let options = ServerOptions::default().set("maxmemory-policy", "allkeys-lru");
    let mut server = RedisServer::start_with(&options).unwrap();
    server.kill();
    let redis = open(server.url()).await;
    server.start_again().unwrap();
    count(&redis).await.unwrap();
    let log = log.text();
    assert!(log.contains("maxmemory-policy noeviction"), "{log}");
}

#[tokio::test]
async fn where_the_policy_may_not_be_asked_for_a_start_is_only_warned() {
    let (log, _guard) = Log::listen();
    let user = "keeper on nopass ~* +@all -info";
    let options = ServerOptions::default()
        .set("maxmemory-policy", "allkeys-lru")
        .set("user", user);
    let server = RedisServer::start_with(&options).unwrap();
    let address = server.url().replace("//", "//keeper:any@");
    let redis = Redis::open(&RedisOptions::new(address)).await.unwrap();
    count(&redis).await.unwrap();
    let log = log.text();
    assert!(
        log.contains("make sure that `maxmemory-policy` is noeviction"),
        "{log}"
    );
}

/// The password is asked for with every connection.
#[tokio::test]
async fn a_password_that_changes_costs_no_call() {
    let server = RedisServer::start().unwrap();
    let acl = |rule: &str| {
        let words = ["ACL", "SETUSER", "counter", "on", "~*", "&*", "+@all", rule];
        server.command(&words).unwrap();
    };
    acl(">old");
    let password = Arc::new(Mutex::new("old"));
    let told = Arc::clone(&password);
    let options = RedisOptions {
        password: Some(Arc::new(move || (*told.lock().unwrap()).to_owned())),
        ..RedisOptions::new(server.url().replace("//", "//counter@"))
    };
    let redis = Redis::open(&options).await.unwrap();
    assert_eq!(count(&redis).await.unwrap(), Value::Int(1));
    acl(">new");
    *password.lock().unwrap() = "new";
    assert_eq!(count(&redis).await.unwrap(), Value::Int(2));
    acl("<old");
    // The connection is still there, and a new one has the new password.
    assert_eq!(count(&redis).await.unwrap(), Value::Int(3));
    server
        .command(&["CLIENT", "KILL", "TYPE", "normal"])
        .unwrap();
    let mut counted = count(&redis).await;
    while counted
        .as_ref()
        .is_err_and(|failure| failure.kind() == FailureKind::Unavailable)
    {
        counted = count(&redis).await;
    }
    assert_eq!(counted.unwrap(), Value::Int(4));
}

/// A user without the right to ask is neither denied anything nor warned of what it could not ask.
#[tokio::test]
async fn where_no_records_are_kept_nobody_asks_what_may_be_evicted() {
    let (log, _guard) = Log::listen();
    let user = "counter on nopass ~* +hello +ping";
    let options = ServerOptions::default().set("user", user);
    let server = RedisServer::start_with(&options).unwrap();
    let address = server.url().replace("//", "//counter:any@");
    let options = RedisOptions {
        keeps_records: false,
        ..RedisOptions::new(address)
    };
    let redis = Redis::open(&options).await.unwrap();
    redis
        .send("", vec![turnwise_redis::cmd("PING")])
        .await
        .unwrap();
    assert!(!log.text().contains("maxmemory-policy"), "{}", log.text());
    let denied = server.command(&["ACL", "LOG"]).unwrap();
    assert_eq!(denied.items().len(), 0, "{denied:?}");
}

#[tokio::test]
async fn a_redis_that_is_not_there_yet_is_used_once_it_is() {
    let (log, _guard) = Log::listen();
    let mut server = RedisServer::start().unwrap();
    server.kill();
    let redis = open(server.url()).await;
    for _ in 0..20 {
        let away = short(count(&redis).await);
        assert_eq!(away, (FailureKind::Unavailable, String::new(), true));
    }
    let log = log.text();
    assert_eq!(
        log.matches("check the server and its address").count(),
        1,
        "{log}"
    );
    server.start_again().unwrap();
    assert_eq!(count(&redis).await.unwrap(), Value::Int(1));
}

#[tokio::test]
async fn a_redis_that_does_not_answer_is_given_up_in_time_and_used_again() {
    let mut server = RedisServer::start().unwrap();
    let options = RedisOptions {
        // Less than a new connection may take, or that would be given up first.
        response_timeout: Duration::from_millis(900),
        ..RedisOptions::new(server.url())
    };
    let redis = Redis::open(&options).await.unwrap();
    count(&redis).await.unwrap();
    server.stop().unwrap();
    // Nobody answers, so the clock goes on at once.
    tokio::time::pause();
    for _ in 0..3 {
        let begun = Instant::now();
        let slow = short(count(&redis).await);
        assert_eq!(slow, (FailureKind::TimedOut, String::new(), false));
        let took = begun.elapsed();
        assert!(took >= options.response_timeout, "{took:?}");
        assert!(took < options.response_timeout * 2, "{took:?}");
    }
    tokio::time::resume();
    server.cont().unwrap();
    count(&redis).await.unwrap();
}

/// Breaks the connection of a command that waits; it must not be sent again, wherever its partition may be by then.
async fn what_was_sent_is_not_sent_again(
    redis: Redis,
    servers: &[RedisServer],
    between: impl FnOnce(),
) {
    let wait = vec![command("BLPOP", "list", 0)];
    let waiting = tokio::spawn({
        let redis = redis.clone();
        async move { redis.send("list", wait).await }
    });
    let blocked = |server: &RedisServer| {
        let told = server.command(&["INFO", "clients"]).unwrap().text();
        told.contains("blocked_clients:1")
    };
    while !servers.iter().any(blocked) {
        tokio::task::yield_now().await;
    }
    between();
    for server in servers {
        server
            .command(&["CLIENT", "KILL", "TYPE", "normal"])
            .unwrap();
    }
    let lost = waiting.await.unwrap();
    assert_eq!(
        short(lost),
        (FailureKind::Unavailable, String::new(), false)
    );
    assert_eq!(count(&redis).await.unwrap(), Value::Int(1));
}

#[tokio::test]
async fn what_was_sent_when_the_connection_broke_may_have_been_done() {
    let server = RedisServer::start().unwrap();
    let redis = open(server.url()).await;
    what_was_sent_is_not_sent_again(redis, std::slice::from_ref(&server), || {}).await;
}

#[tokio::test]
async fn what_was_sent_when_the_connection_to_a_cluster_broke_may_have_been_done() {
    let cluster = Cluster::start().unwrap();
    let redis = open(cluster.url()).await;
    what_was_sent_is_not_sent_again(redis, cluster.nodes(), || {}).await;
}

#[tokio::test]
async fn what_was_sent_to_the_primary_before_may_have_been_done() {
    let set = SentinelSet::start().unwrap();
    let other = RedisServer::start().unwrap();
    let redis = open(set.url()).await;
    let another = || name_another(&set, &other);
    what_was_sent_is_not_sent_again(redis, set.nodes(), another).await;
    let count = other.command(&["GET", &key("a")]).unwrap();
    assert_eq!(count.text(), "1");
}

#[tokio::test]
async fn what_redis_refuses_is_not_done() {
    let server = RedisServer::start().unwrap();
    let redis = open(server.url()).await;
    count(&redis).await.unwrap();
    let set = |name, value| server.command(&["CONFIG", "SET", name, value]).unwrap();
    set("maxmemory", "1");
    let full = short(count(&redis).await);
    assert_eq!(full, (FailureKind::Full, "OOM".to_owned(), true));
    set("maxmemory", "0");
    set("min-replicas-to-write", "1");
    let alone = short(count(&redis).await);
    assert_eq!(
        alone,
        (FailureKind::ReadOnly, "NOREPLICAS".to_owned(), true)
    );
    set("min-replicas-to-write", "0");
    server.command(&["REPLICAOF", "127.0.0.1", "1"]).unwrap();
    let replica = short(count(&redis).await);
    assert_eq!(
        replica,
        (FailureKind::ReadOnly, "READONLY".to_owned(), true)
    );
    server.command(&["REPLICAOF", "NO", "ONE"]).unwrap();
    assert_eq!(count(&redis).await.unwrap(), Value::Int(2));
}

#[tokio::test]
async fn a_script_that_fails_may_have_done_a_part_of_it() {
    let (log, _guard) = Log::listen();
    let server = RedisServer::start().unwrap();
    let redis = open(server.url()).await;
    let fails = [
        (
            "redis.call('LPUSH', KEYS[1], 'y')",
            FailureKind::Unexpected,
            "WRONGTYPE",
        ),
        ("error('so')", FailureKind::Refused, "ERR"),
        (
            "return redis.error_reply('MINE no')",
            FailureKind::Refused,
            "MINE",
        ),
    ];
    for (rest, kind, code) in fails {
        let source = format!("redis.call('SET', KEYS[1], ARGV[1]) {rest}");
        let script = Script::new(source.leak());
        let failed = short(redis.run(&script, "a", &[key("a")], "a secret").await);
        assert_eq!(failed, (kind, code.to_owned(), false));
        let there = redis
            .send("a", vec![command("GET", "a", NONE)])
            .await
            .unwrap();
        assert_eq!(there, [bulk("a secret")]);
    }
    let log = log.text();
    assert!(log.contains("check what else writes"), "{log}");
    assert!(!log.contains("secret"), "{log}");
}
