//! Many callers at once: what is sent many times counts once, and what differs is not lost.

use std::{
    collections::{HashMap, HashSet},
    future::Future,
};

use bytes::Bytes;
use tokio::task::JoinSet;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        Sessions,
        evidence::{BeginEvidence, CommitEvidence, EvidenceBegun, EvidenceOutcome},
        turns::{BeginTurn, Begun},
    },
};

use crate::{
    bench::{
        Bench, COURSE, TUTOR, begin, begin_evidence, commit, count_attempts, graded, make_thread,
        new_thread, one_more, texts,
    },
    cases,
};

cases!(
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    one_turn_sent_fifty_times_has_one_answer,
    twenty_turns_of_one_thread_come_one_after_the_other,
    one_grade_sent_fifty_times_counts_once,
    one_nonce_sent_under_forty_keys_counts_once,
    drills_under_several_keys_count_once_each,
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

/// What a gateway does with a grade: it applies it to the record as it is until it goes through. Answers the version that
/// it made, if it did, and the answer that whoever sent it gets.
async fn grade(sessions: &Sessions, ada: &StudentKey, key: &str, caller: usize) -> (i64, Bytes) {
    let begun = sessions
        .begin_evidence(ada, begin_evidence("t1", key))
        .await;
    let mut record = match begun.unwrap() {
        EvidenceBegun::Answered(answer) => return (0, answer),
        EvidenceBegun::Started(start) => start.snapshot.unwrap(),
    };
    let answer = Bytes::from(format!("answer to {key} from {caller}"));
    loop {
        let commit = CommitEvidence {
            answer: answer.clone(),
            ..one_more(&record, key)
        };
        match sessions.commit_evidence(ada, commit).await {
            Ok(EvidenceOutcome::Committed(version)) => return (version, answer),
            Ok(EvidenceOutcome::Answered(answer)) => return (0, answer),
            Ok(EvidenceOutcome::Conflict(now)) => record = now.snapshot,
            other => panic!("{other:?}"),
        }
    }
}

/// Each key counted once, and everybody who sent it has the same answer.
fn expect_once(graded: &[(usize, (i64, Bytes))]) {
    let mut answers = HashMap::new();
    let mut versions: Vec<_> = Vec::new();
    for (key, (version, answer)) in graded {
        assert_eq!(answers.entry(key).or_insert(answer), &answer);
        versions.extend(Some(*version).filter(|version| *version > 0));
    }
    versions.sort_unstable();
    let counted = i64::try_from(answers.len()).unwrap();
    assert_eq!(versions, (1..=counted).collect::<Vec<_>>());
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
    let page = bench.sessions().get_thread(&ada, TUTOR, "t1", 0, 200).await;
    let messages = page.unwrap().messages;
    let ids: Vec<_> = messages.iter().map(|m| m.id).collect();
    assert_eq!(ids, (1..=40).collect::<Vec<_>>());
    // Each turn's two messages stand together.
    assert!(messages.chunks(2).all(|pair| pair[0].text == pair[1].text));
}

async fn one_grade_sent_fifty_times_counts_once(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    let graded = at_once(bench, 50, |sessions, ada, number| async move {
        (0, grade(&sessions, &ada, "g", number).await)
    })
    .await;
    expect_once(&graded);
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
                EvidenceOutcome::Conflict(now) => record = now.snapshot,
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

async fn drills_under_several_keys_count_once_each(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    // Five drills, each under two keys, each key sent six times.
    let answers = at_once(bench, 60, |sessions, ada, number| async move {
        let (key, nonce) = (format!("g{}", number % 10), format!("nonce{}", number % 5));
        let begin = BeginEvidence {
            drill_nonce: Some(nonce.clone()),
            ..begin_evidence("t1", &key)
        };
        let begun = sessions.begin_evidence(&ada, begin).await.unwrap();
        let start = match begun {
            EvidenceBegun::Answered(answer) => return (nonce, answer),
            EvidenceBegun::Started(start) => start,
        };
        if let Some(verdict) = start.already_graded {
            return (nonce, verdict);
        }
        let mut record = start.snapshot.unwrap();
        let verdict = format!("verdict {number}");
        loop {
            let drill = CommitEvidence {
                answer: verdict.clone().into(),
                ..graded(&record, &key, &nonce, &verdict)
            };
            match sessions.commit_evidence(&ada, drill).await.unwrap() {
                EvidenceOutcome::Conflict(now) => record = now.snapshot,
                EvidenceOutcome::Committed(_) => return (nonce, verdict.into()),
                EvidenceOutcome::AlreadyGraded(answer) | EvidenceOutcome::Answered(answer) => {
                    return (nonce, answer);
                }
            }
        }
    })
    .await;
    let verdicts: HashSet<_> = answers.iter().collect();
    assert_eq!(verdicts.len(), 5, "{verdicts:?}");
    let record = bench.sessions().get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!((count_attempts(&record), record.evidence_version), (5, 5));
}

async fn twenty_grades_count_twenty(bench: &mut Bench) {
    let ada = bench.student("ada");
    make_thread(bench.sessions(), &ada, "t1").await;
    let graded = at_once(bench, 40, |sessions, ada, number| async move {
        let key = number % 20;
        (
            key,
            grade(&sessions, &ada, &format!("g{key}"), number).await,
        )
    })
    .await;
    expect_once(&graded);
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
    let page = bench.sessions().list_threads(&ada, TUTOR, None, 100).await;
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
    let page = bench.sessions().list_threads(&ada, TUTOR, None, 100).await;
    assert_eq!(page.unwrap().threads.len(), 31);
}
