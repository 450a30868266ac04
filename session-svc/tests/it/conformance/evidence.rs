//! Evidence: counted once, never lost, and apart from turns.

use std::time::Duration;

use turnwise_proto::{
    exam::v1::QuestionState,
    session::v1::{QuestionRecord, StudentSnapshot},
};
use turnwise_session_svc::{
    error::SessionError,
    sessions::evidence::{BeginEvidence, EvidenceOutcome},
};

use crate::{
    bench::{
        Bench, COURSE, at, attempts, begin, begin_evidence, commit, count_attempts, evidence_start,
        graded, idempotency, make_thread, new_thread, one_more, passed, questions, refused,
        started, take_turn,
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
    questions_read_back_by_their_ids,
    all_questions_of_a_large_catalogue_are_read,
    a_nonce_is_spent_once_under_whatever_key,
    a_drill_that_was_overtaken_spends_its_nonce_later,
    a_nonce_is_its_student_s,
    a_nonce_is_kept_as_long_as_a_card_may_be_good,
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
        class_placement: false,
        evidence_size: 0,
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
    let mut quick = one_more(&read, "quick");
    quick.question_records = vec![passed("Q2")];
    let quick = sessions.commit_evidence(&ada, quick).await;
    assert_eq!(quick, Ok(EvidenceOutcome::Committed(1)));
    let now = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let outcome = sessions.commit_evidence(&ada, overtaken).await.unwrap();
    let EvidenceOutcome::Conflict(current) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(current.snapshot, now);
    assert!(current.snapshot.turn.is_some());
    // Nothing was written, and what the other one wrote is told.
    assert_eq!(current.question_records, [passed("Q2")]);
    assert_eq!(questions(sessions, &ada).await, [passed("Q2")]);
    // The same key, applied to the record as it is, goes through.
    let again = sessions
        .commit_evidence(&ada, one_more(&current.snapshot, "slow"))
        .await;
    assert_eq!(again, Ok(EvidenceOutcome::Committed(2)));
}

async fn evidence_sent_again_counts_once(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let first = sessions.commit_evidence(&ada, one_more(&cold, "g1")).await;
    assert_eq!(first, Ok(EvidenceOutcome::Committed(1)));
    let answered = Ok(EvidenceOutcome::Answered("answer to g1".into()));
    let again = sessions.commit_evidence(&ada, one_more(&cold, "g1")).await;
    assert_eq!(again, answered);
    let one = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&one, "g2"))
        .await
        .unwrap();
    // Whatever version the retry names, its own answer comes back.
    let late = sessions.commit_evidence(&ada, one_more(&one, "g1")).await;
    assert_eq!(late, answered);
    // And whatever the retry would store.
    let mut late = one_more(&one, "g1");
    late.answer = "another".into();
    late.question_records = vec![passed("Q1")];
    assert_eq!(sessions.commit_evidence(&ada, late).await, answered);
    assert_eq!(questions(sessions, &ada).await, []);
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

async fn questions_read_back_by_their_ids(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let locked = QuestionRecord {
        question_id: "Q2".to_owned(),
        state: QuestionState::Locked.into(),
        locked_until: Some(at(500)),
        support_viewed: true,
    };
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let mut graded = one_more(&cold, "g1");
    graded.question_records = vec![passed("Q1"), locked.clone()];
    sessions.commit_evidence(&ada, graded).await.unwrap();
    assert_eq!(questions(sessions, &ada).await, [passed("Q1"), locked]);
    // A later record takes the place of the one before, and the others stay.
    let one = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let mut graded = one_more(&one, "g2");
    graded.question_records = vec![passed("Q2"), passed("Q3")];
    sessions.commit_evidence(&ada, graded).await.unwrap();
    let all = ["Q1", "Q2", "Q3"].map(passed);
    assert_eq!(questions(sessions, &ada).await, all);
    // A turn is told the same, and another course knows nothing of it.
    make_thread(sessions, &ada, "t1").await;
    let start = started(sessions, &ada, begin("t1", "k")).await;
    assert_eq!(start.question_records, all);
    let mut elsewhere = new_thread("t2");
    elsewhere.thread.course_id = "chemistry".to_owned();
    sessions.create_thread(&ada, elsewhere).await.unwrap();
    let of_chemistry = BeginEvidence {
        course_id: "chemistry".to_owned(),
        ..begin_evidence("t2", "c")
    };
    let start = evidence_start(sessions, &ada, of_chemistry).await;
    assert_eq!(start.question_records, []);
    assert_eq!(questions(sessions, &bench.student("bob")).await, []);
}

async fn all_questions_of_a_large_catalogue_are_read(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let mut record = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let ids: Vec<_> = (0..2000).map(|number| format!("Q{number:04}")).collect();
    for (round, ids) in ids.chunks(100).enumerate() {
        let mut graded = one_more(&record, &format!("g{round}"));
        graded.question_records = ids.iter().map(|id| passed(id)).collect();
        sessions.commit_evidence(&ada, graded).await.unwrap();
        record.evidence_version += 1;
    }
    let found = questions(sessions, &ada).await.into_iter();
    assert_eq!(found.map(|q| q.question_id).collect::<Vec<_>>(), ids);
}

async fn a_nonce_is_spent_once_under_whatever_key(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let first = graded(&cold, "g1", "nonce", "first");
    for expected in [
        EvidenceOutcome::Committed(1),
        EvidenceOutcome::Answered("answer to g1".into()),
    ] {
        let outcome = sessions.commit_evidence(&ada, first.clone()).await;
        assert_eq!(outcome, Ok(expected));
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
    assert_eq!(questions(sessions, &ada).await, []);
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
    let again = graded(&current.snapshot, "slow", "nonce", "verdict");
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

async fn a_nonce_is_kept_as_long_as_a_card_may_be_good(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let drill = graded(&cold, "g1", "nonce", "verdict");
    sessions.commit_evidence(&ada, drill).await.unwrap();
    // Answers are kept for less.
    bench.runs_out("nonce:nonce", Duration::from_secs(86_400));
    let one = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let again = graded(&one, "g2", "nonce", "verdict");
    let outcome = sessions.commit_evidence(&ada, again).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(2)));
}
