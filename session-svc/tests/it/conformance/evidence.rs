//! Evidence: counted once, never lost, and apart from turns.

use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::{QuestionRecord, StudentSnapshot},
};
use turnwise_session_svc::{error::SessionError, store::EvidenceOutcome};

use crate::{
    bench::{
        Bench, COURSE, at, attempts, begin, commit, count_attempts, idempotency, make_thread,
        one_more, passed, refused, started, student, take_turn,
    },
    cases,
};

cases!(
    #[tokio::test]
    a_student_who_has_not_begun_has_an_empty_record,
    evidence_reads_back,
    evidence_that_was_overtaken_gets_the_record_as_it_is,
    evidence_sent_again_counts_once,
    evidence_with_another_body_is_refused,
    evidence_in_the_middle_of_a_turn_loses_neither,
    questions_read_back_in_the_order_asked,
);

async fn a_student_who_has_not_begun_has_an_empty_record(bench: &mut Bench) {
    let found = bench.store().get_snapshot(&student("ada"), COURSE).await;
    let expected = StudentSnapshot {
        student_id: "ada".to_owned(),
        course_id: COURSE.to_owned(),
        turn: None,
        evidence: None,
        evidence_version: 0,
    };
    assert_eq!(found.unwrap(), expected);
}

async fn evidence_reads_back(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    let cold = store.get_snapshot(&ada, COURSE).await.unwrap();
    let first = store.commit_evidence(&ada, one_more(&cold, "g1")).await;
    assert_eq!(first, Ok(EvidenceOutcome::Committed(1)));
    let one = store.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!(one.evidence, Some(attempts(1)));
    assert_eq!(one.evidence_version, 1);
    let second = store.commit_evidence(&ada, one_more(&one, "g2")).await;
    assert_eq!(second, Ok(EvidenceOutcome::Committed(2)));
    // Another course has its own.
    let other = store.get_snapshot(&ada, "chemistry").await.unwrap();
    assert_eq!((other.evidence, other.evidence_version), (None, 0));
}

async fn evidence_that_was_overtaken_gets_the_record_as_it_is(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    make_thread(store, &ada, "t1").await;
    take_turn(store, &ada, "t1", "turn").await;
    let read = store.get_snapshot(&ada, COURSE).await.unwrap();
    let mut overtaken = one_more(&read, "slow");
    overtaken.question_records = vec![passed("Q1")];
    let quick = store.commit_evidence(&ada, one_more(&read, "quick")).await;
    assert_eq!(quick, Ok(EvidenceOutcome::Committed(1)));
    let now = store.get_snapshot(&ada, COURSE).await.unwrap();
    let outcome = store.commit_evidence(&ada, overtaken).await.unwrap();
    let EvidenceOutcome::Conflict(current) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(*current, now);
    assert!(current.turn.is_some());
    let ids = ["Q1".to_owned()];
    let records = store.question_records(&ada, COURSE, &ids).await.unwrap();
    assert_eq!(records, [None]);
    // The same key, applied to the record as it is, goes through.
    let again = store
        .commit_evidence(&ada, one_more(&current, "slow"))
        .await;
    assert_eq!(again, Ok(EvidenceOutcome::Committed(2)));
}

async fn evidence_sent_again_counts_once(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    let cold = store.get_snapshot(&ada, COURSE).await.unwrap();
    for _ in 0..3 {
        let outcome = store.commit_evidence(&ada, one_more(&cold, "g1")).await;
        assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
    }
    let one = store.get_snapshot(&ada, COURSE).await.unwrap();
    store
        .commit_evidence(&ada, one_more(&one, "g2"))
        .await
        .unwrap();
    // Whatever version the retry names, its own answer comes back.
    let late = store.commit_evidence(&ada, one_more(&one, "g1")).await;
    assert_eq!(late, Ok(EvidenceOutcome::Committed(1)));
    let two = store.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!((count_attempts(&two), two.evidence_version), (2, 2));
}

async fn evidence_with_another_body_is_refused(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    let cold = store.get_snapshot(&ada, COURSE).await.unwrap();
    store
        .commit_evidence(&ada, one_more(&cold, "g1"))
        .await
        .unwrap();
    let mut other = one_more(&cold, "g1");
    other.idempotency = idempotency("g1", 1);
    let body = store.commit_evidence(&ada, other).await;
    assert_eq!(refused(body), SessionError::IdempotencyConflict);
    let mut other = one_more(&cold, "g1");
    other.course_id = "chemistry".to_owned();
    let course = store.commit_evidence(&ada, other).await;
    assert_eq!(refused(course), SessionError::IdempotencyConflict);
}

async fn evidence_in_the_middle_of_a_turn_loses_neither(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    make_thread(store, &ada, "t1").await;
    let start = started(store, &ada, begin("t1", "k")).await;
    let snapshot = start.snapshot.as_ref().unwrap();
    let graded = store.commit_evidence(&ada, one_more(snapshot, "g1")).await;
    assert_eq!(graded, Ok(EvidenceOutcome::Committed(1)));
    let turn = commit(&start, "k", "ALG-01");
    store.commit_turn(&ada, turn.clone()).await.unwrap();
    let now = store.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!(now.turn, turn.turn_state);
    assert_eq!(now.evidence, Some(attempts(1)));
    // And the turn did not make the version that the next grade needs an older one.
    let read = one_more(&now, "g2");
    take_turn(store, &ada, "t1", "k2").await;
    let graded = store.commit_evidence(&ada, read).await;
    assert_eq!(graded, Ok(EvidenceOutcome::Committed(2)));
}

async fn questions_read_back_in_the_order_asked(bench: &mut Bench) {
    let (ada, store) = (student("ada"), bench.store());
    let locked = QuestionRecord {
        question_id: "Q2".to_owned(),
        state: QuestionState::Locked.into(),
        locked_until: Some(at(500)),
    };
    let cold = store.get_snapshot(&ada, COURSE).await.unwrap();
    let mut graded = one_more(&cold, "g1");
    graded.question_records = vec![passed("Q1"), locked.clone()];
    store.commit_evidence(&ada, graded).await.unwrap();
    let ids = ["Q2", "Q9", "Q1", "Q2"].map(str::to_owned);
    let found = store.question_records(&ada, COURSE, &ids).await.unwrap();
    let locked = Some(locked);
    let expected = [locked.clone(), None, Some(passed("Q1")), locked];
    assert_eq!(found, expected);
    let none = store.question_records(&ada, COURSE, &[]).await.unwrap();
    assert_eq!(none, []);
    let elsewhere = store.question_records(&ada, "chemistry", &ids).await;
    assert_eq!(elsewhere.unwrap(), [None, None, None, None]);
}
