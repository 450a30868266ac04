//! Following a log live: from any event on, over replicas, and with a bound for slow readers.

use std::{sync::Arc, time::Duration};

use tokio::sync::mpsc::Receiver;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{Sessions, events::AppendEvents, watch::Watched},
};

use crate::{
    bench::{
        Bench, event, gate::Counter, idempotency, make_thread, skip, take_turn, unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_watch_begins_after_any_event,
    what_another_replica_appends_is_seen,
    nothing_is_lost_between_what_was_and_what_comes,
    a_slow_reader_is_told_where_to_resume,
    an_idle_watch_reads_nothing,
    a_watch_ends_with_its_reader,
    a_watch_ends_when_the_thread_is_gone,
);

/// The most events that wait for a reader.
const BUFFER: usize = 64;

async fn append(sessions: &Sessions, student: &StudentKey, key: &str, count: usize) {
    let append = AppendEvents {
        thread_id: "t1".to_owned(),
        events: vec![event("note", key); count],
        idempotency: idempotency(key, 4),
        alert: None,
    };
    sessions.append_events(student, append).await.unwrap();
}

async fn watch(sessions: &Sessions, student: &StudentKey, after: i64) -> Receiver<Watched> {
    let watched = sessions.watch_events(student.clone(), "t1".to_owned(), after);
    watched.await.unwrap()
}

/// The ids of the next events.
async fn next(watch: &mut Receiver<Watched>, count: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    while ids.len() < count {
        let next = tokio::time::timeout(Duration::from_secs(10), watch.recv()).await;
        let next = next.expect("there is a next event");
        ids.push(next.expect("the watch goes on").unwrap().id);
    }
    ids
}

/// Lets the other tasks run until something holds.
async fn until(holds: impl Fn() -> bool) {
    let waited = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(10), waited).await;
    waited.expect("it holds some time");
}

async fn a_watch_begins_after_any_event(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    append(sessions, &ada, "old", 5).await;
    let mut watches = Vec::new();
    for (after, expected) in [(0, vec![1, 2, 3, 4, 5]), (3, vec![4, 5]), (5, vec![])] {
        let mut watch = watch(sessions, &ada, after).await;
        assert_eq!(next(&mut watch, expected.len()).await, expected);
        watches.push(watch);
    }
    // Nobody has what is not there yet.
    let refused = sessions.watch_events(ada.clone(), "t1".to_owned(), 6).await;
    assert_eq!(refused.unwrap_err(), SessionError::NoSuchEvent { after: 6 });
    // A turn's messages come with their text.
    take_turn(sessions, &ada, "t1", "hello").await;
    for watch in &mut watches {
        for id in [6, 7] {
            let event = watch.recv().await.unwrap().unwrap();
            assert_eq!(
                (event.id, event.message.unwrap().text),
                (id, "hello".to_owned())
            );
        }
    }
}

async fn what_another_replica_appends_is_seen(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let replica = bench.replica().await;
    let mut watch = watch(&replica, &ada, 0).await;
    for number in 1..=3 {
        append(sessions, &ada, &format!("e{number}"), 1).await;
        assert_eq!(next(&mut watch, 1).await, [number]);
    }
}

async fn nothing_is_lost_between_what_was_and_what_comes(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let replica = bench.replica().await;
    let writer = {
        let (sessions, ada) = (sessions.clone(), ada.clone());
        tokio::spawn(async move {
            for number in 0..100 {
                append(&sessions, &ada, &format!("e{number}"), 1 + number % 3).await;
            }
        })
    };
    // Watches that begin while events come in.
    let mut watches = Vec::new();
    for _ in 0..4 {
        watches.push(watch(sessions, &ada, 0).await);
        watches.push(watch(&replica, &ada, 0).await);
        let first = &mut watches[0];
        next(first, 1).await;
    }
    for (number, watch) in watches.iter_mut().enumerate() {
        let seen = if number == 0 { 4 } else { 0 };
        assert_eq!(
            next(watch, 199 - seen).await,
            Vec::from_iter(seen as i64 + 1..=199)
        );
    }
    writer.await.unwrap();
}

async fn a_slow_reader_is_told_where_to_resume(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    for number in 0..10 {
        append(sessions, &ada, &format!("e{number}"), 20).await;
    }
    let counter = Counter::new(bench.store());
    let counted = bench.sessions_over(Arc::clone(&counter) as _);
    let mut slow = watch(&counted, &ada, 0).await;
    // The tenant's key of pseudonyms and the thread were looked up, and two pages of its log were read: the second one waits
    // for the reader.
    until(|| slow.len() == BUFFER && counter.done() == 4).await;
    // However long nobody reads, no more than the buffer waits.
    assert_eq!(slow.len(), BUFFER);
    skip(Duration::from_secs(11)).await;
    until(|| slow.is_closed()).await;
    assert_eq!(next(&mut slow, BUFFER).await, Vec::from_iter(1..=64));
    let end = slow.recv().await.unwrap().unwrap_err();
    assert_eq!(end, SessionError::ResumeRequired { after_id: 64 });
    assert_eq!(slow.recv().await, None);
    let mut resumed = watch(sessions, &ada, 64).await;
    assert_eq!(next(&mut resumed, 136).await, Vec::from_iter(65..=200));
}

async fn an_idle_watch_reads_nothing(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let counter = Counter::new(bench.store());
    let counted = bench.sessions_over(Arc::clone(&counter) as _);
    let mut watch = watch(&counted, &ada, 0).await;
    let mut number = 0;
    // The first news make up for what was missed before they were listened to.
    loop {
        let before = counter.done();
        number += 1;
        append(sessions, &ada, &format!("e{number}"), 1).await;
        assert_eq!(next(&mut watch, 1).await, [number]);
        until(|| counter.is_idle()).await;
        if counter.done() == before + 1 {
            break;
        }
    }
    let before = counter.done();
    skip(Duration::from_secs(200)).await;
    append(sessions, &ada, "last", 1).await;
    assert_eq!(next(&mut watch, 1).await, [number + 1]);
    until(|| counter.is_idle()).await;
    assert_eq!(counter.done(), before + 1);
}

async fn a_watch_ends_with_its_reader(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    append(sessions, &ada, "e", 1).await;
    let mut watch = watch(sessions, &ada, 0).await;
    next(&mut watch, 1).await;
    let running = sessions.tasks().len();
    drop(watch);
    until(|| sessions.tasks().len() < running).await;
}

async fn a_watch_ends_when_the_thread_is_gone(bench: &mut Bench) {
    let ada = bench.student("ada");
    let sessions = bench.sessions();
    make_thread(sessions, &ada, "t1").await;
    append(sessions, &ada, "e", 1).await;
    let mut watch = watch(sessions, &ada, 0).await;
    next(&mut watch, 1).await;
    let erased = sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await;
    assert_eq!(erased.unwrap().threads, 1);
    let end = watch.recv().await.unwrap().unwrap_err();
    assert_eq!(end, unknown_thread("t1"));
    assert_eq!(watch.recv().await, None);
}
