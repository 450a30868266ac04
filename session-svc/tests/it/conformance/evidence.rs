//! Evidence: counted once, never lost, and apart from turns.

use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::{QuestionRecord, StudentSnapshot},
};
use turnwise_session_svc::{error::SessionError, sessions::evidence::EvidenceOutcome};

use crate::{
    bench::{
        ANSWERS, Bench, COURSE, at, attempts, begin, commit, count_attempts, graded, idempotency,
        make_thread, one_more, passed, refused, started, take_turn,
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
    a_nonce_is_spent_once_under_whatever_key,
    a_drill_that_was_overtaken_spends_its_nonce_later,
    a_nonce_is_its_student_s,
    a_nonce_is_forgotten_after_its_time,
);

async fn a_student_who_has_not_begun_has_an_empty_record(bench: &mut Bench) {
    let found = bench
        .sessions()
        .get_snapshot(&bench.student("ada"), COURSE)
        .await;
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
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let first = sessions.commit_evidence(&ada, one_more(&cold, "g1")).await;
    assert_eq!(first, Ok(EvidenceOutcome::Committed(1)));
    let one = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!(one.evidence, Some(attempts(1)));
    assert_eq!(one.evidence_version, 1);
    let second = sessions.commit_evidence(&ada, one_more(&one, "g2")).await;
    assert_eq!(second, Ok(EvidenceOutcome::Committed(2)));
    // Another course has its own.
    let other = sessions.get_snapshot(&ada, "chemistry").await.unwrap();
    assert_eq!((other.evidence, other.evidence_version), (None, 0));
}

async fn evidence_that_was_overtaken_gets_the_record_as_it_is(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    take_turn(sessions, &ada, "t1", "turn").await;
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let mut overtaken = one_more(&read, "slow");
    overtaken.question_records = vec![passed("Q1")];
    let quick = sessions
        .commit_evidence(&ada, one_more(&read, "quick"))
        .await;
    assert_eq!(quick, Ok(EvidenceOutcome::Committed(1)));
    let now = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let outcome = sessions.commit_evidence(&ada, overtaken).await.unwrap();
    let EvidenceOutcome::Conflict(current) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(*current, now);
    assert!(current.turn.is_some());
    let ids = ["Q1".to_owned()];
    let records = sessions.question_records(&ada, COURSE, &ids).await.unwrap();
    assert_eq!(records, [None]);
    // The same key, applied to the record as it is, goes through.
    let again = sessions
        .commit_evidence(&ada, one_more(&current, "slow"))
        .await;
    assert_eq!(again, Ok(EvidenceOutcome::Committed(2)));
}

async fn evidence_sent_again_counts_once(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    for _ in 0..3 {
        let outcome = sessions.commit_evidence(&ada, one_more(&cold, "g1")).await;
        assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
    }
    let one = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&one, "g2"))
        .await
        .unwrap();
    // Whatever version the retry names, its own answer comes back.
    let late = sessions.commit_evidence(&ada, one_more(&one, "g1")).await;
    assert_eq!(late, Ok(EvidenceOutcome::Committed(1)));
    let two = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!((count_attempts(&two), two.evidence_version), (2, 2));
}

async fn evidence_with_another_body_is_refused(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&cold, "g1"))
        .await
        .unwrap();
    let mut other = one_more(&cold, "g1");
    other.idempotency = idempotency("g1", 1);
    let body = sessions.commit_evidence(&ada, other).await;
    assert_eq!(refused(body), SessionError::IdempotencyConflict);
    let mut other = one_more(&cold, "g1");
    other.course_id = "chemistry".to_owned();
    let course = sessions.commit_evidence(&ada, other).await;
    assert_eq!(refused(course), SessionError::IdempotencyConflict);
}

async fn evidence_in_the_middle_of_a_turn_loses_neither(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    let snapshot = start.snapshot.as_ref().unwrap();
    let graded = sessions
        .commit_evidence(&ada, one_more(snapshot, "g1"))
        .await;
    assert_eq!(graded, Ok(EvidenceOutcome::Committed(1)));
    let turn = commit(&start, "k", "ALG-01");
    sessions.commit_turn(&ada, turn.clone()).await.unwrap();
    let now = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!(now.turn, turn.turn_state);
    assert_eq!(now.evidence, Some(attempts(1)));
    // And the turn did not make the version that the next grade needs an older one.
    let read = one_more(&now, "g2");
    take_turn(sessions, &ada, "t1", "k2").await;
    let graded = sessions.commit_evidence(&ada, read).await;
    assert_eq!(graded, Ok(EvidenceOutcome::Committed(2)));
}

async fn questions_read_back_in_the_order_asked(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let locked = QuestionRecord {
        question_id: "Q2".to_owned(),
        state: QuestionState::Locked.into(),
        locked_until: Some(at(500)),
    };
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let mut graded = one_more(&cold, "g1");
    graded.question_records = vec![passed("Q1"), locked.clone()];
    sessions.commit_evidence(&ada, graded).await.unwrap();
    let ids = ["Q2", "Q9", "Q1", "Q2"].map(str::to_owned);
    let found = sessions.question_records(&ada, COURSE, &ids).await.unwrap();
    let locked = Some(locked);
    let expected = [locked.clone(), None, Some(passed("Q1")), locked];
    assert_eq!(found, expected);
    let none = sessions.question_records(&ada, COURSE, &[]).await.unwrap();
    assert_eq!(none, []);
    let elsewhere = sessions.question_records(&ada, "chemistry", &ids).await;
    assert_eq!(elsewhere.unwrap(), [None, None, None, None]);
}

async fn a_nonce_is_spent_once_under_whatever_key(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let first = graded(&cold, "g1", "nonce", "first");
    for _ in 0..2 {
        let outcome = sessions.commit_evidence(&ada, first.clone()).await;
        assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
    }
    let one = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    // Whatever version it names.
    for (number, snapshot) in [&cold, &one].into_iter().enumerate() {
        let mut again = graded(snapshot, &format!("again{number}"), "nonce", "second");
        again.question_records = vec![passed("Q1")];
        let outcome = sessions.commit_evidence(&ada, again).await;
        let spent = EvidenceOutcome::AlreadyGraded("first".into());
        assert_eq!(outcome, Ok(spent));
    }
    assert_eq!(sessions.get_snapshot(&ada, COURSE).await, Ok(one.clone()));
    let ids = ["Q1".to_owned()];
    let records = sessions.question_records(&ada, COURSE, &ids).await;
    assert_eq!(records, Ok(vec![None]));
    // Another one is not spent.
    let other = graded(&one, "g2", "other", "third");
    let outcome = sessions.commit_evidence(&ada, other).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(2)));
}

async fn a_drill_that_was_overtaken_spends_its_nonce_later(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let quick = sessions
        .commit_evidence(&ada, one_more(&cold, "quick"))
        .await;
    assert_eq!(quick, Ok(EvidenceOutcome::Committed(1)));
    let slow = graded(&cold, "slow", "nonce", "verdict");
    let outcome = sessions.commit_evidence(&ada, slow).await.unwrap();
    let EvidenceOutcome::Conflict(current) = outcome else {
        panic!("{outcome:?}");
    };
    let again = graded(&current, "slow", "nonce", "verdict");
    let outcome = sessions.commit_evidence(&ada, again).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(2)));
    let now = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let late = graded(&now, "late", "nonce", "other");
    let outcome = sessions.commit_evidence(&ada, late).await;
    assert_eq!(
        outcome,
        Ok(EvidenceOutcome::AlreadyGraded("verdict".into()))
    );
    assert_eq!(count_attempts(&now), 2);
}

async fn a_nonce_is_its_student_s(bench: &mut Bench) {
    let sessions = bench.sessions();
    for name in ["ada", "bob"] {
        let student = bench.student(name);
        let cold = sessions.get_snapshot(&student, COURSE).await.unwrap();
        let drill = graded(&cold, "g", "nonce", name);
        let outcome = sessions.commit_evidence(&student, drill).await;
        assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
    }
}

async fn a_nonce_is_forgotten_after_its_time(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let drill = graded(&cold, "g1", "nonce", "verdict");
    sessions.commit_evidence(&ada, drill).await.unwrap();
    bench.runs_out("nonce:nonce", ANSWERS);
    let one = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let again = graded(&one, "g2", "nonce", "verdict");
    let outcome = sessions.commit_evidence(&ada, again).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(2)));
}
