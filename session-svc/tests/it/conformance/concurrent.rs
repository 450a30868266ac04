//! Many callers at once, on both stores: what is sent many times counts once, and what differs is not lost.

use std::{collections::HashSet, future::Future, sync::Arc};

use bytes::Bytes;
use tokio::task::JoinSet;
use turnwise_session_svc::{
    error::SessionError,
    store::{Begun, EvidenceOutcome, Store},
};

use crate::bench::{
    Bench, COURSE, begin, commit, count_attempts, make_thread, new_thread, one_more, student,
};
use crate::cases;

cases!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    one_turn_sent_fifty_times_has_one_answer,
    twenty_turns_of_one_thread_come_one_after_the_other,
    one_grade_sent_fifty_times_counts_once,
    twenty_grades_count_twenty,
    one_thread_made_fifty_times_is_one,
    a_refused_write_fails_no_other,
);

/// Runs `call` so many times at once and collects what they answer.
async fn at_once<T, F>(bench: &Bench, times: usize, call: fn(Arc<dyn Store>, usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut calls = JoinSet::new();
    for number in 0..times {
        calls.spawn(call(bench.shared(), number));
    }
    calls.join_all().await
}

/// What a client does with a turn: it goes on with the same key until there is an answer.
async fn answer_of(store: &dyn Store, key: &str) -> Bytes {
    let ada = student("ada");
    loop {
        match store.begin_turn(&ada, begin("t1", key)).await {
            Ok(Begun::Answered(answer)) => return answer,
            Ok(Begun::Started(start)) => {
                let turn = commit(&start, key, key);
                tokio::task::yield_now().await;
                store.commit_turn(&ada, turn).await.unwrap();
            }
            Err(SessionError::TurnInProgress { .. }) => tokio::task::yield_now().await,
            Err(other) => panic!("{other}"),
        }
    }
}

/// What a gateway does with a grade: it applies it to the record as it is until it goes through.
async fn grade(store: &dyn Store, key: &str) -> i64 {
    let ada = student("ada");
    let mut record = store.get_snapshot(&ada, COURSE).await.unwrap();
    loop {
        match store.commit_evidence(&ada, one_more(&record, key)).await {
            Ok(EvidenceOutcome::Committed(version)) => return version,
            Ok(EvidenceOutcome::Conflict(current)) => record = *current,
            Err(error) => panic!("{error}"),
        }
    }
}

async fn one_turn_sent_fifty_times_has_one_answer(bench: &mut Bench) {
    make_thread(bench.store(), &student("ada"), "t1").await;
    let answers = at_once(bench, 50, |store, _| async move {
        answer_of(&*store, "k").await
    })
    .await;
    assert_eq!(answers.len(), 50);
    assert!(answers.iter().all(|answer| answer == "answer to k"));
    let page = bench
        .store()
        .get_thread(&student("ada"), "t1", 0, 200)
        .await;
    assert_eq!(page.unwrap().messages.len(), 2);
}

async fn twenty_turns_of_one_thread_come_one_after_the_other(bench: &mut Bench) {
    make_thread(bench.store(), &student("ada"), "t1").await;
    let answers = at_once(bench, 20, |store, number| async move {
        answer_of(&*store, &format!("k{number}")).await
    })
    .await;
    assert_eq!(answers.iter().collect::<HashSet<_>>().len(), 20);
    let page = bench
        .store()
        .get_thread(&student("ada"), "t1", 0, 200)
        .await;
    let messages = page.unwrap().messages;
    let ids: Vec<_> = messages.iter().map(|m| m.id).collect();
    assert_eq!(ids, (1..=40).collect::<Vec<_>>());
    // Each turn's two messages stand together.
    assert!(messages.chunks(2).all(|pair| pair[0].text == pair[1].text));
}

async fn one_grade_sent_fifty_times_counts_once(bench: &mut Bench) {
    let versions = at_once(
        bench,
        50,
        |store, _| async move { grade(&*store, "g").await },
    )
    .await;
    assert_eq!(versions, [1; 50]);
    let record = bench.store().get_snapshot(&student("ada"), COURSE).await;
    assert_eq!(count_attempts(&record.unwrap()), 1);
}

async fn twenty_grades_count_twenty(bench: &mut Bench) {
    let versions = at_once(bench, 40, |store, number| async move {
        grade(&*store, &format!("g{}", number % 20)).await
    })
    .await;
    let versions: HashSet<_> = versions.into_iter().collect();
    assert_eq!(versions, (1..=20).collect());
    let record = bench.store().get_snapshot(&student("ada"), COURSE).await;
    assert_eq!(count_attempts(&record.unwrap()), 20);
}

async fn one_thread_made_fifty_times_is_one(bench: &mut Bench) {
    let made = at_once(bench, 50, |store, number| async move {
        let mut new = new_thread(&format!("t{number}"));
        new.idempotency = new_thread("same").idempotency;
        store.create_thread(&student("ada"), new).await.unwrap()
    })
    .await;
    assert!(made.iter().all(|thread| thread == &made[0]));
    let page = bench.store().list_threads(&student("ada"), None, 100).await;
    assert_eq!(page.unwrap().threads, [made[0].clone()]);
}

async fn a_refused_write_fails_no_other(bench: &mut Bench) {
    make_thread(bench.store(), &student("ada"), "t0").await;
    let results = at_once(bench, 60, |store, number| async move {
        let mut new = new_thread(&format!("t{number}"));
        if number % 2 == 0 {
            new.idempotency.key = new_thread("t0").idempotency.key;
            new.idempotency.body_hash = Bytes::from_static(&[5; 32]);
        }
        (number, store.create_thread(&student("ada"), new).await)
    })
    .await;
    for (number, result) in results {
        match result {
            Ok(thread) => assert_eq!((number % 2, thread.thread_id), (1, format!("t{number}"))),
            Err(error) => {
                assert_eq!((number % 2, error), (0, SessionError::IdempotencyConflict));
            }
        }
    }
    let page = bench.store().list_threads(&student("ada"), None, 100).await;
    assert_eq!(page.unwrap().threads.len(), 31);
}
