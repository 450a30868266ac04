//! What is not taken: the request stays as it was.

use tonic::Code;
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    context::v1::{ContextRequestState, ForceRunRequest, PutArtifactRequest},
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student, fresh_key},
    teacher::Teacher,
    token,
};

use super::{BUDGET, CHECK, check, client, in_phase, replies, requests, skip, supplied, supply};

in_both_deployments!(
    what_is_no_such_artifact_is_refused,
    a_reset_takes_what_waits_with_it,
    who_left_the_class_adds_nothing,
);

async fn what_is_no_such_artifact_is_refused(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let (ada, bob) = (suite.student("ada"), suite.student("bob"));
    let thread = ada.open(DEMO_COURSE).await;
    let required = check(&ada, &thread).await;
    let before = requests(&ada, &thread).await.unwrap();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let large = format!("[\"{}\"]", "x".repeat(300 * 1024));
    let too_much = format!(
        "[{}]",
        vec![r#"{"name": "bus and museum and lunch", "amount": 1}"#; 400].join(",")
    );
    for (content, reason) in [
        (large.as_str(), ErrorReason::PayloadTooLarge),
        (too_much.as_str(), ErrorReason::UnsupportedPayload),
        (deep.as_str(), ErrorReason::UnsupportedPayload),
        ("bus 480, museum 7.50", ErrorReason::UnsupportedPayload),
        ("<script>alert(1)</script>", ErrorReason::UnsupportedPayload),
        (r#"[{"name": 5}]"#, ErrorReason::UnsupportedPayload),
    ] {
        let sent = ada.request(supply(&thread, &required.request_id, content));
        let refused = supplied(&ada.channel, sent).await.unwrap_err();
        let fault = Fault::from_status(&refused);
        assert_eq!(fault.reason(), reason, "{} bytes: {refused}", content.len());
        assert!(!refused.message().contains("museum"), "{refused}");
    }
    // Somebody else's request, and somebody else.
    let unknown = ada.request(supply(&thread, &fresh_key(), BUDGET));
    let refused = supplied(&ada.channel, unknown).await.unwrap_err();
    assert_eq!(
        Fault::from_status(&refused).reason(),
        ErrorReason::ContextRequestClosed
    );
    let foreign = bob.request(supply(&thread, &required.request_id, BUDGET));
    let refused = supplied(&ada.channel, foreign).await.unwrap_err();
    assert_eq!(
        Fault::from_status(&refused).reason(),
        ErrorReason::UnknownThread
    );
    let mut of_ada = supply(&thread, &required.request_id, BUDGET);
    of_ada.student_id.clone_from(&ada.id);
    for stranger in [
        bob.request(of_ada.clone()),
        Teacher::with_role(&suite, "mr-x", "teacher", "8a").request(of_ada.clone()),
        // The course takes it from students and teachers alone.
        Teacher::with_role(&suite, "office", "staff", "7b").request(of_ada),
    ] {
        let refused = supplied(&ada.channel, stranger).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
    }
    let force = ada.request(ForceRunRequest {
        student_id: ada.id.clone(),
        thread_id: thread.thread_id.clone(),
        request_id: required.request_id.clone(),
    });
    let refused = client(&ada.channel).force_run(force).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert_eq!(requests(&ada, &thread).await.unwrap(), before);
    assert_eq!(before[0].state(), ContextRequestState::Open);

    // One slot twice: neither is taken.
    let mut twice = supply(&thread, &required.request_id, BUDGET);
    twice.payloads.push(twice.payloads[0].clone());
    let refused = supplied(&ada.channel, ada.request(twice))
        .await
        .unwrap_err();
    let (code, reason) = (Code::InvalidArgument, ErrorReason::InvalidArgument);
    check_refusal(&refused, code, reason, "payloads.slot");
    assert_eq!(requests(&ada, &thread).await.unwrap(), before);
    // Checked by another course than the thread's.
    let put = ada.request(PutArtifactRequest {
        thread_id: thread.thread_id.clone(),
        course_id: "no-such-course".to_owned(),
        artifact_type: "trip-budget".to_owned(),
        content: BUDGET.to_owned(),
        ..PutArtifactRequest::default()
    });
    let refused = client(&ada.channel).put_artifact(put).await.unwrap_err();
    let fault = Fault::from_status(&refused);
    assert_eq!(fault.reason(), ErrorReason::UnknownCourse);
    // A phase that the course has not.
    let other = ada.open(DEMO_COURSE).await;
    let asked = in_phase(&other, "party", CHECK);
    let refused = ada.turn(asked).await.unwrap_err();
    check_refusal(
        &refused,
        Code::InvalidArgument,
        ErrorReason::InvalidArgument,
        "project.phase",
    );

    // After the end.
    skip(&ada, &thread, &required.request_id).await.unwrap();
    let late = ada.request(supply(&thread, &required.request_id, BUDGET));
    let refused = supplied(&ada.channel, late).await.unwrap_err();
    assert_eq!(
        Fault::from_status(&refused).reason(),
        ErrorReason::ContextRequestClosed
    );
    assert_eq!(replies(&ada, &thread, 1).await.len(), 1);
    suite.nothing_panicked();
}

async fn a_reset_takes_what_waits_with_it(kind: Kind) {
    let options = Options::new().env("CONTEXT_SLA_SECONDS", "10");
    let suite = Deployment::start(kind, options).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let required = check(&ada, &thread).await;
    Teacher::of(&suite).reset("reset-1").await;
    let late = ada.request(supply(&thread, &required.request_id, BUDGET));
    let refused = supplied(&ada.channel, late).await.unwrap_err();
    let reason = Fault::from_status(&refused).reason();
    let gone = [
        ErrorReason::UnknownThread,
        ErrorReason::ContextRequestClosed,
    ];
    assert!(gone.contains(&reason), "{refused}");
    // What was due for it finds nothing, and another thread's is answered in its time.
    let other = ada.open(DEMO_COURSE).await;
    check(&ada, &other).await;
    assert_eq!(replies(&ada, &other, 1).await.len(), 1);
    suite.nothing_panicked();
}

async fn who_left_the_class_adds_nothing(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let required = check(&ada, &thread).await;
    let token = token::student(&suite.data_dir, "ada", "9z");
    let elsewhere = Student::new("ada", &token, suite.channel());
    let give = elsewhere.request(supply(&thread, &required.request_id, BUDGET));
    let supplied = supplied(&elsewhere.channel, give).await.unwrap_err();
    let skipped = skip(&elsewhere, &thread, &required.request_id).await;
    for refused in [supplied, skipped.unwrap_err()] {
        let reason = Fault::from_status(&refused).reason();
        assert_eq!(reason, ErrorReason::PermissionDenied, "{refused}");
    }
    let found = requests(&ada, &thread).await.unwrap();
    assert_eq!(found[0].state(), ContextRequestState::Open);
    suite.nothing_panicked();
}
