//! What the embedded store has of its own: its file, and answers that are forgotten.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc, time::Duration};

use redb::{ReadableDatabase, ReadableTableMetadata};
use tempfile::TempDir;
use turnwise_kit::clock::{ManualClock, SystemClock};
use turnwise_session_svc::{
    error::StartError,
    store::{
        Begun, Store,
        embedded::{EmbeddedOptions, EmbeddedStore, tables},
    },
};

use crate::bench::{
    COURSE, begin, commit, embedded_options, make_thread, new_thread, one_more, started, student,
    take_turn,
};

fn open(options: &EmbeddedOptions) -> EmbeddedStore {
    EmbeddedStore::open(options, Arc::new(SystemClock)).unwrap()
}

fn options(directory: &TempDir) -> EmbeddedOptions {
    embedded_options(directory.path().join("a/b/session.redb"))
}

#[tokio::test]
async fn the_file_and_its_folder_are_for_this_user_alone() {
    let directory = tempfile::tempdir().unwrap();
    let options = options(&directory);
    let _store = open(&options);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&options.path), 0o600);
    assert_eq!(mode(options.path.parent().unwrap()), 0o700);
    assert_eq!(mode(&directory.path().join("a")), 0o700);
}

#[tokio::test]
async fn a_file_opens_once_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let options = options(&directory);
    let first = open(&options);
    let second = EmbeddedStore::open(&options, Arc::new(SystemClock));
    assert!(matches!(second, Err(StartError::StoreInUse { .. })));
    drop(first);
    open(&options);
}

#[tokio::test]
async fn what_cannot_be_a_store_says_where_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("text");
    fs::write(&file, "this is no store, and it is longer than nothing").unwrap();
    let cases = [
        (file.join("below.redb"), "cannot create"),
        (file, "cannot open the store"),
    ];
    for (path, expected) in cases {
        let opened = EmbeddedStore::open(&embedded_options(path.clone()), Arc::new(SystemClock));
        let message = opened.err().unwrap().to_string();
        assert!(message.contains(expected), "{message}");
        assert!(message.contains(path.to_str().unwrap()), "{message}");
    }
}

#[tokio::test]
async fn without_fsync_an_orderly_stop_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = options(&directory);
    options.fsync = false;
    let ada = student("ada");
    let store = open(&options);
    for number in 0..300 {
        make_thread(&store, &ada, &format!("t{number}")).await;
    }
    drop(store);
    let page = open(&options).list_threads(&ada, None, 1000).await.unwrap();
    assert_eq!(page.threads.len(), 300);
}

#[tokio::test]
async fn answers_are_forgotten_after_their_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = options(&directory);
    options.idempotency_ttl = Duration::from_secs(60);
    let clock = Arc::new(ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap()));
    let store = EmbeddedStore::open(&options, Arc::clone(&clock) as _).unwrap();
    let ada = student("ada");
    // More than one write removes.
    for number in 0..100 {
        make_thread(&store, &ada, &format!("t{number}")).await;
    }
    take_turn(&store, &ada, "t0", "k").await;
    clock.advance(59_000_000);
    let begun = store.begin_turn(&ada, begin("t0", "k")).await.unwrap();
    assert!(matches!(begun, Begun::Answered(_)));
    clock.advance(1_000_000);
    // The key is fresh again, whether its old answer is still there or not.
    let start = started(&store, &ada, begin("t0", "k")).await;
    store
        .commit_turn(&ada, commit(&start, "k", "again"))
        .await
        .unwrap();
    let record = store.get_snapshot(&ada, COURSE).await.unwrap();
    store
        .commit_evidence(&ada, one_more(&record, "g1"))
        .await
        .unwrap();
    let begun = store.begin_turn(&ada, begin("t0", "k")).await.unwrap();
    assert_eq!(begun, Begun::Answered("answer to again".into()));
    drop(store);
    // Left: the second turn's answer and the evidence's.
    assert_eq!(count_answers(&options.path), (2, 2));
}

#[tokio::test]
async fn a_thread_is_made_again_once_its_key_is_forgotten() {
    let directory = tempfile::tempdir().unwrap();
    let options = options(&directory);
    let clock = Arc::new(ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap()));
    let store = EmbeddedStore::open(&options, Arc::clone(&clock) as _).unwrap();
    let ada = student("ada");
    make_thread(&store, &ada, "t1").await;
    clock.advance(3_600_000_000);
    let mut later = new_thread("t2");
    later.idempotency = new_thread("t1").idempotency;
    let made = store.create_thread(&ada, later).await.unwrap();
    assert_eq!(made.thread_id, "t2");
}

/// How many answers the file holds, and how many ends of answers.
fn count_answers(path: &Path) -> (u64, u64) {
    let database = redb::Database::open(path).unwrap();
    let transaction = database.begin_read().unwrap();
    let answers = transaction.open_table(tables::ANSWERS).unwrap();
    let expiry = transaction.open_table(tables::ANSWER_EXPIRY).unwrap();
    (answers.len().unwrap(), expiry.len().unwrap())
}
