//! Calls that go through, and what a failure says.

use super::*;

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
    let turn = commit("ada", id, start.fencing_token);
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
async fn evidence_tells_the_built_in_exam_system() {
    let service = service().await;
    let ada = caller("student", "ada");
    let now = 1_767_225_600;
    let records = vec![
        question("Q1", QuestionState::Passed, None),
        question("Q2", QuestionState::Locked, Some(now + 60)),
    ];
    let mut session = service.session();
    let request = request_as(&ada, evidence("ada", records));
    let committed = session
        .commit_evidence(request)
        .await
        .unwrap()
        .into_inner()
        .outcome;
    let version_1 = commit_evidence_response::Outcome::CommittedVersion(1);
    assert_eq!(committed, Some(version_1));

    let mut exam = ExamServiceClient::new(service.routes.clone());
    let mut states = async || {
        let ids = ["Q2", "Q9", "Q1"].map(str::to_owned).to_vec();
        let request = request_as(&ada, statuses("ada", ids));
        let response = exam.batch_get_question_status(request).await.unwrap();
        let statuses = response.into_inner().statuses.into_iter();
        statuses
            .map(|s| (s.question_id.clone(), s.state()))
            .collect::<Vec<_>>()
    };
    let expected = |second| {
        vec![
            ("Q2".to_owned(), second),
            ("Q9".to_owned(), QuestionState::Available),
            ("Q1".to_owned(), QuestionState::Passed),
        ]
    };
    assert_eq!(states().await, expected(QuestionState::Locked));
    service.clock.advance(60_000_000);
    assert_eq!(states().await, expected(QuestionState::Available));
}
