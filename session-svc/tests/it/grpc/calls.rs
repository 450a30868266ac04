//! Calls that go through, and what a failure says.

use super::*;
use turnwise_proto::session::v1::{
    CommitEvidenceResponse, GetThreadRequest, GetTurnLogRequest, ListEventsRequest,
    RenewLeaseRequest, WatchEventsRequest, begin_evidence_response::Outcome,
    commit_evidence_response,
};

#[tokio::test]
async fn a_thread_of_somebody_else_is_answered_like_a_missing_one() {
    let service = service().await;
    let thread = service.thread("ada").await;
    let mut answers = Vec::new();
    for id in [&thread.thread_id, "00000000-0000-4000-8000-000000000000"] {
        let bob = caller("student", "bob");
        let read = GetThreadRequest {
            student_id: "bob".to_owned(),
            thread_id: id.to_owned(),
            ..Default::default()
        };
        let mut session = service.session();
        let read = session
            .get_thread(request_as(&bob, read))
            .await
            .unwrap_err();
        let begun = session
            .begin_turn(request_as(&bob, begin("bob", id)))
            .await
            .unwrap_err();
        assert_eq!(read.code(), Code::NotFound);
        let fault = Fault::from_status(&read);
        assert_eq!(fault.reason(), ErrorReason::UnknownThread);
        assert_eq!(fault.metadata("thread_id"), Some(id));
        answers.push(format!("{read:?} {begun:?}").replace(id, "ID").len());
        assert_eq!(read.message(), begun.message());
        answers.push(read.details().len());
    }
    assert_eq!(answers[..2], answers[2..]);
}

#[tokio::test]
async fn a_turn_goes_through() {
    let service = service().await;
    let ada = caller("student", "ada");
    let thread = service.thread("ada").await;
    let id = thread.thread_id.as_str();
    assert_eq!(thread.create_time.unwrap().seconds, 1_767_225_600);
    assert_eq!(thread.update_time, thread.create_time);
    let start = service.start("ada", id).await;
    assert_eq!(start.lease_ttl.unwrap().seconds, 15);
    let mut session = service.session();

    let second = session
        .begin_turn(request_as(&ada, begin("ada", id)))
        .await
        .unwrap_err();
    assert_eq!(second.code(), Code::Aborted);
    let fault = Fault::from_status(&second);
    assert_eq!(fault.reason(), ErrorReason::TurnInProgress);
    assert!(fault.retry_delay().unwrap() <= Duration::from_secs(1));

    let renew = RenewLeaseRequest {
        student_id: "ada".to_owned(),
        thread_id: id.to_owned(),
        fencing_token: start.fencing_token,
    };
    let renewed = session
        .renew_lease(request_as(&ada, renew.clone()))
        .await
        .unwrap();
    assert_eq!(renewed.into_inner().lease_ttl.unwrap().seconds, 15);

    service.clock.advance(5_000_000);
    let mut turn = commit("ada", id, start.fencing_token);
    turn.carry = start.carry;
    session.commit_turn(request_as(&ada, turn)).await.unwrap();
    let begun = session
        .begin_turn(request_as(&ada, begin("ada", id)))
        .await
        .unwrap();
    let answer = begin_turn_response::Outcome::StoredAnswer(Bytes::from_static(b"hello back"));
    assert_eq!(begun.into_inner().outcome, Some(answer));
    let read = GetThreadRequest {
        student_id: "ada".to_owned(),
        thread_id: id.to_owned(),
        ..Default::default()
    };
    let read = session
        .get_thread(request_as(&ada, read))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(read.messages.len(), 1);
    assert_eq!(
        read.thread.unwrap().update_time.unwrap().seconds,
        1_767_225_605
    );
    let lost = session
        .renew_lease(request_as(&ada, renew))
        .await
        .unwrap_err();
    assert_eq!(reason(&lost), ErrorReason::VersionConflict);
    assert!(Fault::from_status(&lost).retry_delay().is_some());
}

#[tokio::test]
async fn evidence_goes_through() {
    let service = service().await;
    let ada = caller("student", "ada");
    let id = service.thread("ada").await.thread_id;
    let records = vec![
        question("Q1", QuestionState::Passed, None),
        question("Q2", QuestionState::Locked, Some(60)),
    ];
    let mut session = service.session();
    let begin = || request_as(&ada, begin_evidence("ada", &id));
    let begun = session.begin_evidence(begin()).await;
    let Some(Outcome::Start(cold)) = begun.unwrap().into_inner().outcome else {
        panic!("the key has no answer");
    };
    assert_eq!(cold.thread.unwrap().thread_id, id);
    assert_eq!(cold.snapshot.unwrap().evidence_version, 0);
    assert_eq!((cold.question_records, cold.already_graded), (vec![], None));

    let mut grade = evidence("ada", records.clone());
    grade.drill_nonce = "nonce".to_owned();
    grade.drill_verdict = Bytes::from_static(b"verdict");
    // As long as it may be.
    grade.answer = vec![7; 65_536].into();
    let answer = grade.answer.clone();
    for outcome in [
        commit_evidence_response::Outcome::CommittedVersion(1),
        commit_evidence_response::Outcome::StoredAnswer(answer.clone()),
    ] {
        let committed = session.commit_evidence(request_as(&ada, grade.clone()));
        let expected = CommitEvidenceResponse {
            outcome: Some(outcome),
            question_records: vec![],
        };
        assert_eq!(committed.await.unwrap().into_inner(), expected);
    }
    let begun = session.begin_evidence(begin()).await;
    let stored = Outcome::StoredAnswer(answer);
    assert_eq!(begun.unwrap().into_inner().outcome, Some(stored));

    let mut other = begin_evidence("ada", &id);
    other.idempotency_key = "other".to_owned();
    let begun = session.begin_evidence(request_as(&ada, other)).await;
    let Some(Outcome::Start(warm)) = begun.unwrap().into_inner().outcome else {
        panic!("the key has no answer");
    };
    assert_eq!(warm.question_records, records);
    assert_eq!(warm.already_graded, Some(Bytes::from_static(b"verdict")));
    let mut late = evidence("ada", vec![]);
    late.idempotency_key = "late".to_owned();
    let conflict = session.commit_evidence(request_as(&ada, late)).await;
    let expected = CommitEvidenceResponse {
        outcome: warm
            .snapshot
            .map(commit_evidence_response::Outcome::Conflict),
        question_records: records.clone(),
    };
    assert_eq!(conflict.unwrap().into_inner(), expected);
    let start = service.start("ada", &id).await;
    assert_eq!(start.question_records, records);
}

#[tokio::test]
async fn evidence_of_an_unknown_thread_or_course_says_so() {
    let service = service().await;
    let ada = caller("student", "ada");
    let id = service.thread("ada").await.thread_id;
    let mut other = begin_evidence("ada", &id);
    other.course_id = "chemistry".to_owned();
    let mut session = service.session();
    for (wrong, expected) in [
        (begin_evidence("ada", "none"), ErrorReason::UnknownThread),
        (other, ErrorReason::UnknownCourse),
    ] {
        let begun = session.begin_evidence(request_as(&ada, wrong)).await;
        let status = begun.unwrap_err();
        assert_eq!(status.code(), Code::NotFound);
        assert_eq!(reason(&status), expected);
    }
}

#[tokio::test]
async fn a_commit_without_its_carry_is_one_all_the_same() {
    let service = service().await;
    let ada = caller("student", "ada");
    let thread = service.thread("ada").await;
    let start = service.start("ada", &thread.thread_id).await;
    let turn = commit("ada", &thread.thread_id, start.fencing_token);
    let committed = service.session().commit_turn(request_as(&ada, turn)).await;
    assert_eq!(committed.unwrap().into_inner().pending, None);
}

#[tokio::test]
async fn events_are_listed_and_watched() {
    let service = service().await;
    let ada = caller("student", "ada");
    let id = service.thread("ada").await.thread_id;
    let mut session = service.session();
    let watch = WatchEventsRequest {
        student_id: "ada".to_owned(),
        thread_id: id.clone(),
        after_id: 0,
    };
    let watched = session.watch_events(request_as(&ada, watch)).await;
    let mut watched = watched.unwrap().into_inner();
    for _ in 0..2 {
        let sent = append("ada", &id);
        session.append_events(request_as(&ada, sent)).await.unwrap();
    }
    let seen = watched.message().await.unwrap().unwrap().event.unwrap();
    assert_eq!((seen.id, seen.text.as_str()), (1, "text"));
    let list = ListEventsRequest {
        student_id: "ada".to_owned(),
        thread_id: id.clone(),
        newest_first: true,
        ..Default::default()
    };
    let listed = session.list_events(request_as(&ada, list)).await.unwrap();
    let listed = listed.into_inner();
    assert_eq!((listed.events, listed.more), (vec![seen], false));
}

#[tokio::test]
async fn a_nonce_that_was_spent_answers_its_verdict() {
    let service = service().await;
    let ada = caller("student", "ada");
    let mut session = service.session();
    for (key, verdict) in [("a", "first"), ("b", "second")] {
        let mut grade = evidence("ada", vec![]);
        grade.idempotency_key = key.to_owned();
        grade.drill_nonce = "nonce/1".to_owned();
        grade.drill_verdict = Bytes::from(verdict);
        let graded = session.commit_evidence(request_as(&ada, grade)).await;
        let expected = match key {
            "a" => commit_evidence_response::Outcome::CommittedVersion(1),
            _ => commit_evidence_response::Outcome::AlreadyGraded(Bytes::from_static(b"first")),
        };
        assert_eq!(graded.unwrap().into_inner().outcome, Some(expected));
    }
}

#[tokio::test]
async fn a_turn_log_is_found_by_its_turn() {
    let service = service().await;
    let ada = caller("student", "ada");
    let thread = service.thread("ada").await;
    let start = service.start("ada", &thread.thread_id).await;
    let mut turn = commit("ada", &thread.thread_id, start.fencing_token);
    turn.turn_log = Some(crate::bench::turn_log("turn-1", "chain"));
    let mut session = service.session();
    session.commit_turn(request_as(&ada, turn)).await.unwrap();
    let staff = caller("staff", "tess");
    let mut log = GetTurnLogRequest {
        student_id: "ada".to_owned(),
        turn_id: "turn-1".to_owned(),
    };
    let found = session.get_turn_log(request_as(&staff, log.clone())).await;
    assert_eq!(found.unwrap().into_inner().turn_log.unwrap().text, "chain");
    log.turn_id = "turn-2".to_owned();
    let missing = session
        .get_turn_log(request_as(&staff, log))
        .await
        .unwrap_err();
    assert_eq!(missing.code(), Code::NotFound);
    let fault = Fault::from_status(&missing);
    assert_eq!(fault.reason(), ErrorReason::UnknownTurn);
    assert_eq!(fault.metadata("turn_id"), Some("turn-2"));
}
