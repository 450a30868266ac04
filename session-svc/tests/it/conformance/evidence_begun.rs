//! Evidence from its beginning on: what it is applied to, and the answer that a retry gets until text is erased.

use std::time::Duration;

use bytes::Bytes;
use turnwise_proto::classes::v1::ClassPolicy;
use turnwise_proto::session::v1::{EvidenceStart, GradedDrill};
use turnwise_session_store::{StudentKey, Transaction, Write};
use turnwise_session_svc::{
    error::SessionError,
    sessions::{
        evidence::{BeginEvidence, CommitEvidence, EvidenceBegun, EvidenceOutcome, GradedInThread},
        threads::NewThread,
    },
};

use crate::{
    bench::{
        ANSWERS, Bench, COURSE, begin, begin_evidence, commit, count_attempts, evidence_start,
        gate::Gate, graded, idempotency, make_thread, new_thread, one_more, passed, refused,
        started, take_turn, unknown_thread,
    },
    cases,
};

cases!(
    #[tokio::test]
    evidence_begins_with_all_that_it_is_applied_to,
    evidence_that_begins_wrongly_is_refused,
    evidence_neither_waits_for_a_turn_nor_holds_one_up,
    evidence_without_an_answer_has_an_empty_one,
    an_answer_to_evidence_is_forgotten_after_its_time,
    a_reset_takes_the_text_and_leaves_the_outcome,
    a_reset_takes_the_text_of_many_answers,
    a_reset_of_a_helper_takes_no_answers_to_evidence,
    a_reset_of_a_thread_that_cannot_be_read_takes_the_text,
    evidence_in_flight_leaves_no_text_after_a_reset,
    a_thread_keeps_its_latest_graded_drill_until_its_text_goes,
    what_a_thread_keeps_does_not_outlive_it,
    evidence_after_a_reset_is_found_by_the_next,
    an_erasure_takes_the_text_and_leaves_the_outcome,
    evidence_in_the_middle_of_an_erasure_leaves_no_text,
);

/// How long answers are not kept after text was erased.
const CLEARED: Duration = Duration::from_secs(600);

async fn evidence_begins_with_all_that_it_is_applied_to(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let thread = make_thread(sessions, &ada, "t1").await;
    let drill = BeginEvidence {
        drill_nonce: Some("nonce".to_owned()),
        ..begin_evidence("t1", "g1")
    };
    let cold = evidence_start(sessions, &ada, drill.clone()).await;
    let expected = EvidenceStart {
        snapshot: Some(sessions.get_snapshot(&ada, COURSE).await.unwrap()),
        thread: Some(thread),
        question_records: Vec::new(),
        already_graded: None,
        class_policy: Some(ClassPolicy::default()),
        thread_focus: None,
        graded: None,
        said: String::new(),
    };
    assert_eq!(cold, expected);
    let mut first = graded(&cold.snapshot.unwrap(), "g1", "nonce", "verdict");
    first.question_records = vec![passed("Q1")];
    sessions.commit_evidence(&ada, first).await.unwrap();

    let again = sessions.begin_evidence(&ada, drill.clone()).await;
    let answer = EvidenceBegun::Answered("answer to g1".into());
    assert_eq!(again, Ok(answer));
    // Another key of the same drill is told the verdict, and evidence of no drill is not.
    for (nonce, verdict) in [
        (drill.drill_nonce.clone(), Some("verdict".into())),
        (Some("other".to_owned()), None),
        (None, None),
    ] {
        let other = BeginEvidence {
            drill_nonce: nonce,
            ..begin_evidence("t1", "g2")
        };
        let start = evidence_start(sessions, &ada, other).await;
        assert_eq!(start.already_graded, verdict);
        assert_eq!(start.question_records, [passed("Q1")]);
        let snapshot = start.snapshot.unwrap();
        assert_eq!(
            (snapshot.evidence_version, count_attempts(&snapshot)),
            (1, 1)
        );
    }
    take_turn(sessions, &ada, "t1", "the last words").await;
    let after = evidence_start(sessions, &ada, begin_evidence("t1", "g3")).await;
    assert_eq!(after.said, "the last words");
}

async fn evidence_that_begins_wrongly_is_refused(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student("ada"), bench.student("bob"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let missing = sessions
        .begin_evidence(&ada, begin_evidence("t2", "g"))
        .await;
    assert_eq!(refused(missing), unknown_thread("t2"));
    let of_ada = sessions
        .begin_evidence(&bob, begin_evidence("t1", "g"))
        .await;
    assert_eq!(refused(of_ada), unknown_thread("t1"));
    let elsewhere = BeginEvidence {
        course_id: "chemistry".to_owned(),
        ..begin_evidence("t1", "g")
    };
    let other = SessionError::OtherCourse {
        course_id: "chemistry".to_owned(),
    };
    let begun = sessions.begin_evidence(&ada, elsewhere).await;
    assert_eq!(refused(begun), other);

    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&cold, "g"))
        .await
        .unwrap();
    let another_body = BeginEvidence {
        idempotency: idempotency("g", 1),
        ..begin_evidence("t1", "g")
    };
    let begun = sessions.begin_evidence(&ada, another_body).await;
    assert_eq!(refused(begun), SessionError::IdempotencyConflict);
    // The key of a turn is none of evidence.
    take_turn(sessions, &ada, "t1", "turn").await;
    evidence_start(sessions, &ada, begin_evidence("t1", "turn")).await;
}

async fn evidence_neither_waits_for_a_turn_nor_holds_one_up(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let turn = started(sessions, &ada, begin("t1", "k")).await;
    let start = evidence_start(sessions, &ada, begin_evidence("t1", "g")).await;
    sessions
        .commit_turn(&ada, commit(&turn, "k", "k"))
        .await
        .unwrap();
    take_turn(sessions, &ada, "t1", "next").await;
    let late = one_more(&start.snapshot.unwrap(), "g");
    let outcome = sessions.commit_evidence(&ada, late).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
}

async fn evidence_without_an_answer_has_an_empty_one(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let silent = CommitEvidence {
        answer: Bytes::new(),
        ..one_more(&cold, "g")
    };
    let first = sessions.commit_evidence(&ada, silent.clone()).await;
    assert_eq!(first, Ok(EvidenceOutcome::Committed(1)));
    let again = sessions.commit_evidence(&ada, silent).await;
    assert_eq!(again, Ok(EvidenceOutcome::Answered(Bytes::new())));
    let begun = sessions.begin_evidence(&ada, begin_evidence("t1", "g"));
    assert_eq!(begun.await, Ok(EvidenceBegun::Answered(Bytes::new())));
}

async fn an_answer_to_evidence_is_forgotten_after_its_time(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    sessions
        .commit_evidence(&ada, one_more(&cold, "g"))
        .await
        .unwrap();
    bench.runs_out("idempotency:evidence:g", ANSWERS);
    evidence_start(sessions, &ada, begin_evidence("t1", "g")).await;
}

/// What a retry of evidence of this thread gets.
async fn retried(bench: &Bench, student: &StudentKey, thread: &str, key: &str) -> EvidenceBegun {
    let begin = begin_evidence(thread, key);
    let begun = bench.sessions().begin_evidence(student, begin).await;
    begun.unwrap()
}

fn answered(text: &'static str) -> EvidenceBegun {
    EvidenceBegun::Answered(Bytes::from_static(text.as_bytes()))
}

/// Evidence from its beginning to its end.
async fn grade(bench: &Bench, student: &StudentKey, thread: &str, key: &str) {
    let sessions = bench.sessions();
    let start = evidence_start(sessions, student, begin_evidence(thread, key)).await;
    let evidence = one_more(&start.snapshot.unwrap(), key);
    let outcome = sessions.commit_evidence(student, evidence).await;
    assert!(matches!(outcome, Ok(EvidenceOutcome::Committed(_))));
}

async fn a_reset_takes_the_text_and_leaves_the_outcome(bench: &mut Bench) {
    let (ada, bob, sessions) = (bench.student("ada"), bench.student("bob"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let drill = graded(&cold, "g", "nonce", "verdict");
    sessions.commit_evidence(&ada, drill).await.unwrap();
    // Of another course, and of another class.
    let mut other = one_more(&cold, "other/g");
    other.course_id = "chemistry".to_owned();
    sessions.commit_evidence(&ada, other.clone()).await.unwrap();
    let mut elsewhere = new_thread("t1");
    elsewhere.thread.class_id = "8a".to_owned();
    sessions.create_thread(&bob, elsewhere).await.unwrap();
    grade(bench, &bob, "t1", "g").await;

    assert_eq!(
        retried(bench, &ada, "t1", "g").await,
        answered("answer to g")
    );
    assert_eq!(bench.reset().await.threads, 1);
    assert_eq!(retried(bench, &ada, "t1", "g").await, answered(""));
    assert_eq!(
        retried(bench, &bob, "t1", "g").await,
        answered("answer to g")
    );
    let late = sessions.commit_evidence(&ada, other).await;
    let kept = EvidenceOutcome::Answered("answer to other/g".into());
    assert_eq!(late, Ok(kept));
    // It is still known to be done, under its key and under its nonce.
    let again = graded(&cold, "g", "nonce", "another");
    let outcome = sessions.commit_evidence(&ada, again).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Answered(Bytes::new())));
    let again = graded(&cold, "g2", "nonce", "another");
    let outcome = sessions.commit_evidence(&ada, again).await;
    assert_eq!(
        outcome,
        Ok(EvidenceOutcome::AlreadyGraded("verdict".into()))
    );
    let mut forged = one_more(&cold, "g");
    forged.idempotency = idempotency("g", 1);
    let outcome = sessions.commit_evidence(&ada, forged).await;
    assert_eq!(refused(outcome), SessionError::IdempotencyConflict);
    let now = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!((now.evidence_version, count_attempts(&now)), (1, 1));
}

async fn a_reset_takes_the_text_of_many_answers(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let mut record = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    // More than one transaction names.
    for number in 0..1050 {
        let evidence = one_more(&record, &format!("g{number}"));
        sessions.commit_evidence(&ada, evidence).await.unwrap();
        record.evidence_version += 1;
    }
    assert_eq!(bench.dump().holding("answer to g").len(), 1050);
    bench.reset().await;
    assert_eq!(bench.dump().holding("answer to g"), [""; 0]);
    assert_eq!(retried(bench, &ada, "t1", "g0").await, answered(""));
}

async fn a_reset_of_a_helper_takes_no_answers_to_evidence(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    let mut elsewhere = new_thread("t1");
    elsewhere.thread.class_id = "8a".to_owned();
    sessions.create_thread(&ada, elsewhere).await.unwrap();
    make_thread(sessions, &ada, "h2").await;
    for key in ["before", "after"] {
        grade(bench, &ada, "t1", key).await;
        bench.reset().await;
    }
    let kept = answered("answer to before");
    assert_eq!(retried(bench, &ada, "t1", "before").await, kept);
    let kept = answered("answer to after");
    assert_eq!(retried(bench, &ada, "t1", "after").await, kept);
}

async fn a_reset_of_a_thread_that_cannot_be_read_takes_the_text(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    grade(bench, &ada, "t1", "g").await;
    let partition = bench.partition(&ada).await;
    bench.put(&partition, "thread:t1", "record", &[]).await;
    assert_eq!(bench.reset().await.threads, 1);
    assert_eq!(bench.dump().holding("answer to g"), [""; 0]);
    assert_eq!(retried(bench, &ada, "t1", "g").await, answered(""));
}

async fn evidence_in_flight_leaves_no_text_after_a_reset(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let start = evidence_start(sessions, &ada, begin_evidence("t1", "g")).await;
    bench.reset().await;
    let mut late = graded(&start.snapshot.unwrap(), "g", "nonce", "verdict");
    late.question_records = vec![passed("Q1")];
    // It counts all the same.
    let outcome = sessions.commit_evidence(&ada, late).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
    assert_eq!(bench.dump().holding("answer to g"), [""; 0]);
    assert_eq!(retried(bench, &ada, "t1", "g").await, answered(""));
    let start = evidence_start(sessions, &ada, begin_evidence("t1", "g2")).await;
    assert_eq!(start.question_records, [passed("Q1")]);
    assert_eq!(start.snapshot.unwrap().evidence_version, 1);
    bench.runs_out("cleared", CLEARED);
    grade(bench, &ada, "t1", "g2").await;
    let kept = answered("answer to g2");
    assert_eq!(retried(bench, &ada, "t1", "g2").await, kept);
}

/// A drill that counts in a thread, answered with these words.
fn graded_in(thread: &str, evidence: CommitEvidence, answer: &str) -> CommitEvidence {
    CommitEvidence {
        graded: Some(GradedInThread {
            thread_id: thread.to_owned(),
            drill: GradedDrill {
                unit_id: "u1".to_owned(),
                answer: answer.to_owned(),
                ..GradedDrill::default()
            },
        }),
        ..evidence
    }
}

/// The answer to the latest graded drill that a turn of the thread is told of.
async fn told(bench: &Bench, student: &StudentKey, thread: &str) -> Option<String> {
    let sessions = bench.sessions();
    let start = started(sessions, student, begin(thread, "look")).await;
    let token = start.fencing_token;
    sessions.abandon_turn(student, thread, token).await.unwrap();
    start.graded.map(|graded| graded.answer)
}

async fn a_thread_keeps_its_latest_graded_drill_until_its_text_goes(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    for thread in ["t1", "t2"] {
        make_thread(sessions, &ada, thread).await;
    }
    assert_eq!(told(bench, &ada, "t1").await, None);
    for (key, answer) in [("a", "x = 3"), ("b", "x = 4")] {
        let now = sessions.get_snapshot(&ada, COURSE).await.unwrap();
        let drill = graded_in("t1", graded(&now, key, key, "verdict"), answer);
        sessions.commit_evidence(&ada, drill).await.unwrap();
    }
    // Evidence of no drill leaves it.
    grade(bench, &ada, "t1", "c").await;
    assert_eq!(told(bench, &ada, "t1").await.as_deref(), Some("x = 4"));
    assert_eq!(told(bench, &ada, "t2").await, None);
    let next = evidence_start(sessions, &ada, begin_evidence("t1", "d")).await;
    let latest = next.graded.map(|graded| graded.answer);
    assert_eq!(latest.as_deref(), Some("x = 4"));
    let (document, _) = super::export::export(bench, &ada).await;
    assert_eq!(document["threads"][0]["graded"]["answer"], "x = 4");
    assert_eq!(document["threads"][1].get("graded"), None);

    let now = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    bench.reset().await;
    assert_eq!(told(bench, &ada, "t1").await, None);
    // What was judged meanwhile counts, and leaves no words.
    let late = graded_in("t1", graded(&now, "late", "late", "verdict"), "x = 5");
    let outcome = sessions.commit_evidence(&ada, late).await;
    assert!(matches!(outcome, Ok(EvidenceOutcome::Committed(_))));
    assert_eq!(told(bench, &ada, "t1").await, None);
    assert_eq!(bench.dump().holding("x = "), [""; 0]);
}

async fn what_a_thread_keeps_does_not_outlive_it(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    // The thread is gone, or is about another course.
    let drill = graded_in("gone", graded(&cold, "a", "a", "verdict"), "x = 4");
    let outcome = sessions.commit_evidence(&ada, drill).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
    let mut drill = graded_in("t1", graded(&cold, "b", "b", "verdict"), "x = 4");
    drill.course_id = "chemistry".to_owned();
    let outcome = sessions.commit_evidence(&ada, drill).await;
    assert_eq!(outcome, Ok(EvidenceOutcome::Committed(1)));
    assert_eq!(told(bench, &ada, "t1").await, None);
    assert_eq!(bench.dump().holding("x = 4"), [""; 0]);
}

async fn evidence_after_a_reset_is_found_by_the_next(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    bench.reset().await;
    bench.runs_out("cleared", CLEARED);
    // Without a turn in between the thread is in no index yet.
    grade(bench, &ada, "t1", "g").await;
    assert_eq!(bench.dump().holding("answer to g").len(), 1);
    assert_eq!(bench.reset().await.threads, 1);
    assert_eq!(bench.dump().holding("answer to g"), [""; 0]);
}

async fn an_erasure_takes_the_text_and_leaves_the_outcome(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    let cold = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    for course in [COURSE, "chemistry"] {
        let mut evidence = one_more(&cold, course);
        evidence.course_id = course.to_owned();
        sessions.commit_evidence(&ada, evidence).await.unwrap();
    }
    sessions
        .erase_student(bench.actor(), ada.clone(), String::new())
        .await
        .unwrap();
    let dump = bench.dump();
    assert_eq!(dump.holding("answer to"), [""; 0]);
    for name in ["graded", "cleared"] {
        let left = dump.only(|held| held.ends_with(&format!(":{name}")));
        assert_eq!(left.names(), [""; 0]);
    }
    assert_eq!(retried(bench, &ada, "t1", COURSE).await, answered(""));
    // Whoever starts anew has answers again.
    let anew = NewThread {
        idempotency: idempotency("anew", 1),
        ..new_thread("t2")
    };
    sessions.create_thread(&ada, anew).await.unwrap();
    grade(bench, &ada, "t2", "g").await;
    assert_eq!(
        retried(bench, &ada, "t2", "g").await,
        answered("answer to g")
    );
}

fn removes_snapshot(transaction: &Transaction) -> bool {
    let name = format!("snapshot:{COURSE}");
    let removes = |write: &Write| matches!(write, Write::Remove { key } if key.as_str() == name);
    transaction.writes.iter().any(removes)
}

async fn evidence_in_the_middle_of_an_erasure_leaves_no_text(bench: &mut Bench) {
    let (ada, sessions) = (bench.student("ada"), bench.sessions());
    make_thread(sessions, &ada, "t1").await;
    grade(bench, &ada, "t1", "first").await;
    let read = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    let gate = Gate::new(bench.store(), removes_snapshot);
    let gated = bench.sessions_over(gate.clone());
    let (actor, student) = (bench.actor(), ada.clone());
    let erase =
        tokio::spawn(async move { gated.erase_student(actor, student, String::new()).await });
    gate.arrival().await;
    // The record is still there, and nothing is added to it any more.
    let outcome = sessions
        .commit_evidence(&ada, one_more(&read, "last"))
        .await;
    assert_eq!(outcome, Err(SessionError::ErasureUnderWay));
    gate.open();
    erase.await.unwrap().unwrap();
    assert_eq!(bench.dump().holding("answer to"), [""; 0]);
    let now = sessions.get_snapshot(&ada, COURSE).await.unwrap();
    assert_eq!(now.evidence, None);
}
