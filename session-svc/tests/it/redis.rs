//! What the Redis store has of its own: a server that is away, full, fresh or guarded; its keys and round trips.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use turnwise_session_svc::{
    error::SessionError,
    store::{Begun, Store, redis::RedisStore},
};
use turnwise_testing::redis::RedisServer;

use crate::bench::{
    COURSE, begin, commit, keys, make_thread, new_thread, one_more, redis_options, run, started,
    student, take_turn,
};

async fn set(server: &RedisServer, name: &str, value: &str) {
    let mut command = redis::cmd("CONFIG");
    let _: String = run(server, command.arg("SET").arg(name).arg(value)).await;
}

#[tokio::test]
async fn a_server_that_is_away_fails_every_call_until_it_is_back() {
    let mut server = RedisServer::start().unwrap();
    let store = RedisStore::open(&redis_options(&server)).await.unwrap();
    let ada = student("ada");
    make_thread(&store, &ada, "t1").await;
    let start = started(&store, &ada, begin("t1", "k")).await;
    server.kill();
    for _ in 0..3 {
        let away = SessionError::Unavailable;
        let turn = commit(&start, "k", "k");
        let graded = one_more(start.snapshot.as_ref().unwrap(), "g");
        assert_eq!(
            store
                .create_thread(&ada, new_thread("t2"))
                .await
                .unwrap_err(),
            away
        );
        assert_eq!(store.list_threads(&ada, None, 1).await.unwrap_err(), away);
        assert_eq!(store.get_thread(&ada, "t1", 0, 1).await.unwrap_err(), away);
        assert_eq!(
            store.begin_turn(&ada, begin("t1", "k")).await.unwrap_err(),
            away
        );
        assert_eq!(store.commit_turn(&ada, turn).await.unwrap_err(), away);
        assert_eq!(store.renew_lease(&ada, "t1", 1).await.unwrap_err(), away);
        assert_eq!(store.abandon_turn(&ada, "t1", 1).await.unwrap_err(), away);
        assert_eq!(store.get_snapshot(&ada, COURSE).await.unwrap_err(), away);
        assert_eq!(store.commit_evidence(&ada, graded).await.unwrap_err(), away);
        let ids = ["Q1".to_owned()];
        let questions = store.question_records(&ada, COURSE, &ids).await;
        assert_eq!(questions.unwrap_err(), away);
    }
    server.start_again().unwrap();
    make_thread(&store, &ada, "t1").await;
}

#[tokio::test]
async fn a_server_that_hangs_fails_calls_after_a_time_and_what_it_did_late_counts_once() {
    let server = RedisServer::start().unwrap();
    let store = RedisStore::open(&redis_options(&server)).await.unwrap();
    let ada = student("ada");
    make_thread(&store, &ada, "t1").await;
    let start = started(&store, &ada, begin("t1", "k")).await;
    let turn = commit(&start, "k", "k");
    let mut pause = redis::cmd("CLIENT");
    let _: String = run(&server, pause.arg("PAUSE").arg(600_000).arg("WRITE")).await;
    // The clock of the runtime jumps to the end of the wait.
    tokio::time::pause();
    let hangs = store.commit_turn(&ada, turn.clone()).await;
    assert_eq!(hangs.unwrap_err(), SessionError::Unavailable);
    tokio::time::resume();
    let _: String = run(&server, redis::cmd("CLIENT").arg("UNPAUSE")).await;
    store.commit_turn(&ada, turn).await.unwrap();
    let page = store.get_thread(&ada, "t1", 0, 10).await.unwrap();
    assert_eq!(page.messages.len(), 2);
}

#[tokio::test]
async fn a_store_opens_before_its_server() {
    let mut server = RedisServer::start().unwrap();
    server.kill();
    let store = RedisStore::open(&redis_options(&server)).await.unwrap();
    let away = store.get_snapshot(&student("ada"), COURSE).await;
    assert_eq!(away.unwrap_err(), SessionError::Unavailable);
    server.start_again().unwrap();
    store.get_snapshot(&student("ada"), COURSE).await.unwrap();
}

#[tokio::test]
async fn a_full_server_writes_nothing_and_acknowledges_nothing() {
    let server = RedisServer::start().unwrap();
    let store = RedisStore::open(&redis_options(&server)).await.unwrap();
    let ada = student("ada");
    make_thread(&store, &ada, "t1").await;
    let start = started(&store, &ada, begin("t1", "k")).await;
    let turn = commit(&start, "k", "k");
    set(&server, "maxmemory", "1").await;
    let full = store.commit_turn(&ada, turn.clone()).await;
    assert_eq!(full.unwrap_err(), SessionError::Unavailable);
    let page = store.get_thread(&ada, "t1", 0, 10).await.unwrap();
    assert_eq!((page.messages.len(), page.thread.message_count), (0, 0));
    set(&server, "maxmemory", "0").await;
    store.commit_turn(&ada, turn).await.unwrap();
}

#[tokio::test]
async fn a_server_that_forgot_the_scripts_is_told_again() {
    let server = RedisServer::start().unwrap();
    let store = RedisStore::open(&redis_options(&server)).await.unwrap();
    let ada = student("ada");
    make_thread(&store, &ada, "t1").await;
    take_turn(&store, &ada, "t1", "k1").await;
    let _: String = run(&server, redis::cmd("SCRIPT").arg("FLUSH")).await;
    take_turn(&store, &ada, "t1", "k2").await;
}

#[tokio::test]
async fn a_turn_takes_two_round_trips() {
    let server = RedisServer::start().unwrap();
    let store = RedisStore::open(&redis_options(&server)).await.unwrap();
    let ada = student("ada");
    make_thread(&store, &ada, "t1").await;
    take_turn(&store, &ada, "t1", "k1").await;
    let _: String = run(&server, redis::cmd("CONFIG").arg("RESETSTAT")).await;
    take_turn(&store, &ada, "t1", "k2").await;
    let stats: String = run(&server, redis::cmd("INFO").arg("commandstats")).await;
    assert!(stats.contains("cmdstat_evalsha:calls=2,"), "{stats}");
    assert!(!stats.contains("cmdstat_eval:"), "{stats}");
    assert!(!stats.contains("cmdstat_script"), "{stats}");
}

#[tokio::test]
async fn all_keys_of_a_student_are_in_one_slot_and_what_is_temporary_ends() {
    let server = RedisServer::start().unwrap();
    let store = RedisStore::open(&redis_options(&server)).await.unwrap();
    let ada = student("ada");
    make_thread(&store, &ada, "t1").await;
    take_turn(&store, &ada, "t1", "k{1}").await;
    let start = started(&store, &ada, begin("t1", "k2")).await;
    let mut graded = one_more(start.snapshot.as_ref().unwrap(), "g");
    graded.question_records = vec![turnwise_proto::session::v1::QuestionRecord {
        question_id: "Q1".to_owned(),
        ..Default::default()
    }];
    store.commit_evidence(&ada, graded).await.unwrap();

    let all = keys(&server, "*").await;
    assert_eq!(all.len(), 10, "{all:?}");
    for key in all {
        assert!(key.starts_with("turnwise:{default/ada}:"), "{key}");
        let ttl: i64 = run(&server, redis::cmd("PTTL").arg(&key)).await;
        let temporary = key.contains(":lease:") || key.contains(":answer:");
        assert_eq!(ttl > 0, temporary, "{key} has {ttl}");
    }
}

#[tokio::test]
async fn the_password_opens_a_guarded_server() {
    let server = RedisServer::start().unwrap();
    set(&server, "requirepass", "sesame").await;
    for (password, opens) in [
        (None, false),
        (Some("wrong"), false),
        (Some("sesame"), true),
    ] {
        let mut options = redis_options(&server);
        options.password = password.map(str::to_owned);
        let store = RedisStore::open(&options).await.unwrap();
        let found = store.get_snapshot(&student("ada"), COURSE).await;
        assert_eq!(found.is_ok(), opens, "{password:?}");
    }
}

#[tokio::test]
async fn a_server_that_may_throw_records_away_is_warned_about() {
    let server = RedisServer::start().unwrap();
    assert_eq!(log_of_opening(&server).await, "");
    set(&server, "maxmemory-policy", "allkeys-lru").await;
    let log = log_of_opening(&server).await;
    assert!(log.contains("set `maxmemory-policy noeviction`"), "{log}");
    assert!(log.contains("allkeys-lru"), "{log}");
    // Where CONFIG is refused, that is said.
    let mut rule = redis::cmd("ACL");
    rule.arg("SETUSER").arg("default").arg("-config");
    let _: String = run(&server, &rule).await;
    let log = log_of_opening(&server).await;
    assert!(log.contains("cannot tell what Redis does"), "{log}");
}

#[tokio::test]
async fn an_answer_lasts_as_long_as_it_should() {
    let server = RedisServer::start().unwrap();
    let store = RedisStore::open(&redis_options(&server)).await.unwrap();
    let ada = student("ada");
    make_thread(&store, &ada, "t1").await;
    take_turn(&store, &ada, "t1", "k").await;
    let answers = keys(&server, "*:answer:turn:k").await;
    let ttl: i64 = run(&server, redis::cmd("TTL").arg(&answers[0])).await;
    assert!((3590..=3600).contains(&ttl), "{ttl}");
    let _: i64 = run(&server, redis::cmd("PEXPIRE").arg(&answers[0]).arg(0)).await;
    let begun = store.begin_turn(&ada, begin("t1", "k")).await.unwrap();
    assert!(matches!(begun, Begun::Started(_)));
}

/// What is logged while a store is opened.
async fn log_of_opening(server: &RedisServer) -> String {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(tracing::Level::WARN)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    RedisStore::open(&redis_options(server)).await.unwrap();
    let bytes = log.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
