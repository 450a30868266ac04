//! Many callers at once: what is sent many times counts once, and what differs is not lost.

use std::{collections::HashSet, future::Future};

use bytes::Bytes;
use tokio::task::JoinSet;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        Sessions,
        evidence::EvidenceOutcome,
        turns::{BeginTurn, Begun},
    },
};

use crate::{
    bench::{
        Bench, COURSE, begin, commit, count_attempts, graded, make_thread, new_thread, one_more,
        texts,
    },
    cases,
};

cases!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    one_turn_sent_fifty_times_has_one_answer,
    twenty_turns_of_one_thread_come_one_after_the_other,
    one_grade_sent_fifty_times_counts_once,
    one_nonce_sent_under_forty_keys_counts_once,
    twenty_grades_count_twenty,
    one_thread_made_fifty_times_is_one,
    a_refused_write_fails_no_other,
);

/// Runs `call` so many times at once, on two replicas, and collects what they answer.
async fn at_once<T, F>(
    bench: &Bench,
    times: usize,
    call: fn(Sessions, StudentKey, usize) -> F,
) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let replicas = [bench.sessions().clone(), bench.replica().await];
    let mut calls = JoinSet::new();
    for number in 0..times {
        let sessions = replicas[number % 2].clone();
        calls.spawn(call(sessions, bench.student("ada"), number));
    }
    calls.join_all().await
}

/// What a client does with a turn: it goes on with the same key until there is an answer.
async fn answer_of(sessions: &Sessions, ada: &StudentKey, key: &str) -> Bytes {
    let turn: BeginTurn = begin("t1", key);
    loop {
        match sessions.begin_turn(ada, turn.clone()).await {
            Ok(Begun::Answered(answer)) => return answer,
            Ok(Begun::Started(start)) => {
                let turn = commit(&start, key, key);
                tokio::task::yield_now().await;
                sessions.commit_turn(ada, turn).await.unwrap();
            }
            Err(SessionError::TurnInProgress { .. }) => tokio::task::yield_now().await,
            Err(other) => panic!("{other}"),
        }
    }
}

/// What a gateway does with a grade: it applies it to the record as it is until it goes through.
async fn grade(sessions: &Sessions, ada: &StudentKey, key: &str) -> i64 {
    let mut record = sessions.get_snapshot(ada, COURSE).await.unwrap();
    loop {
        match sessions.commit_evidence(ada, one_more(&record, key)).await {
            Ok(EvidenceOutcome::Committed(version)) => return version,
            Ok(EvidenceOutcome::Conflict(current)) => record = *current,
            other => panic!("{other:?}"),
        }
    }
}

async fn one_turn_sent_fifty_times_has_one_answer(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    let answers = at_once(bench, 50, |sessions, ada, _| async move {
        answer_of(&sessions, &ada, "k").await
    })
    .await;
    assert_eq!(answers.len(), 50);
    assert!(answers.iter().all(|answer| answer == "answer to k"));
    assert_eq!(texts(bench.sessions(), &ada, "t1").await.len(), 2);
}

async fn twenty_turns_of_one_thread_come_one_after_the_other(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    let answers = at_once(bench, 20, |sessions, ada, number| async move {
        answer_of(&sessions, &ada, &format!("k{number}")).await
    })
    .await;
    assert_eq!(answers.iter().collect::<HashSet<_>>().len(), 20);
    let page = bench.sessions().get_thread(&ada, "t1", 0, 200).await;
    let messages = page.unwrap().messages;
    let ids: Vec<_> = messages.iter().map(|m| m.id).collect();
    assert_eq!(ids, (1..=40).collect::<Vec<_>>());
    // Each turn's two messages stand together.
    assert!(messages.chunks(2).all(|pair| pair[0].text == pair[1].text));
}

async fn one_grade_sent_fifty_times_counts_once(bench: &mut Bench) {
    let versions = at_once(bench, 50, |sessions, ada, _| async move {
        grade(&sessions, &ada, "g").await
    })
    .await;
    assert_eq!(versions, [1; 50]);
    let ada = bench.student("ada");
    let record = bench.sessions().get_snapshot(&ada, COURSE).await;
    assert_eq!(count_attempts(&record.unwrap()), 1);
}

async fn one_nonce_sent_under_forty_keys_counts_once(bench: &mut Bench) {
    let outcomes = at_once(bench, 40, |sessions, ada, number| async move {
        let mut record = sessions.get_snapshot(&ada, COURSE).await.unwrap();
        loop {
            let verdict = format!("verdict {number}");
            let drill = graded(&record, &format!("g{number}"), "nonce", &verdict);
            match sessions.commit_evidence(&ada, drill).await.unwrap() {
                EvidenceOutcome::Conflict(current) => record = *current,
                EvidenceOutcome::Committed(1) => return (true, Bytes::from(verdict)),
                EvidenceOutcome::AlreadyGraded(verdict) => return (false, verdict),
                other => panic!("{other:?}"),
            }
        }
    })
    .await;
    let winners: Vec<_> = outcomes.iter().filter(|(won, _)| *won).collect();
    assert_eq!(winners.len(), 1);
    assert!(outcomes.iter().all(|(_, verdict)| *verdict == winners[0].1));
    let ada = bench.student("ada");
    let record = bench.sessions().get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!((count_attempts(&record), record.evidence_version), (1, 1));
}

async fn twenty_grades_count_twenty(bench: &mut Bench) {
    let versions = at_once(bench, 40, |sessions, ada, number| async move {
        grade(&sessions, &ada, &format!("g{}", number % 20)).await
    })
    .await;
    let versions: HashSet<_> = versions.into_iter().collect();
    assert_eq!(versions, (1..=20).collect());
    let ada = bench.student("ada");
    let record = bench.sessions().get_snapshot(&ada, COURSE).await;
    assert_eq!(count_attempts(&record.unwrap()), 20);
}

async fn one_thread_made_fifty_times_is_one(bench: &mut Bench) {
    let made = at_once(bench, 50, |sessions, ada, number| async move {
        let mut new = new_thread(&format!("t{number}"));
        new.idempotency = new_thread("same").idempotency;
        sessions.create_thread(&ada, new).await.unwrap()
    })
    .await;
    assert!(made.iter().all(|thread| thread == &made[0]));
    let ada = bench.student("ada");
    let page = bench.sessions().list_threads(&ada, None, 100).await;
    assert_eq!(page.unwrap().threads, [made[0].clone()]);
}

async fn a_refused_write_fails_no_other(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t0").await;
    let results = at_once(bench, 60, |sessions, ada, number| async move {
        let mut new = new_thread(&format!("t{number}"));
        if number % 2 == 0 {
            new.idempotency.key = new_thread("t0").idempotency.key;
            new.idempotency.body_hash = Bytes::from_static(&[5; 32]);
        }
        (number, sessions.create_thread(&ada, new).await)
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
    let page = bench.sessions().list_threads(&ada, None, 100).await;
    assert_eq!(page.unwrap().threads.len(), 31);
}
