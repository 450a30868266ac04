//! Looks at help for exam questions: what is shown, and that it locks.

use tonic::Status;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{
        QuestionState, QuestionStatus, RecordSupportViewRequest, RecordSupportViewResponse,
        SupportKind,
    },
    policy::v1::{GetExamQuestionRequest, GetExamQuestionResponse},
    retrieval::v1::{RetrieveRequest, RetrieveResponse},
    tutor::v1::ExamResult,
};

use super::{policy::QUESTION, world::World};

const VIEW: &str = "turnwise.exam.v1.ExamService/RecordSupportView";

#[tokio::test]
async fn a_memo_is_shown_and_locks_the_question() {
    let world = World::start().await;
    let request = world.look("key-1", SupportKind::Memo);
    let seen = world.view(request.clone()).await.unwrap();
    assert_eq!(seen.text, "Think of scales.");
    assert_eq!(seen.url, "");
    assert!(seen.locked);
    assert_eq!(seen.locked_until, world.in_hours(24));
    assert_eq!(seen.buttons[0].label_key, "continue");
    let revisit = seen
        .snapshot_lite
        .as_ref()
        .unwrap()
        .revisit
        .as_ref()
        .unwrap();
    assert_eq!(revisit.locked_count, 1);
    {
        let kept = world.session.kept();
        assert_eq!(kept.commits, 1);
        assert_eq!(kept.evidence.exam_touched, [QUESTION]);
        assert_eq!(kept.evidence.revisit_queue[0].question_id, QUESTION);
        assert_eq!(kept.records[QUESTION].state(), QuestionState::Locked);
    }
    assert_eq!(world.view(request).await.unwrap(), seen);

    let early = world.submit(world.submission("key-2", "b")).await.unwrap();
    assert!(!early.recorded);
    assert_eq!(early.result(), ExamResult::Locked);
    let metrics = world.kit.metrics.encode();
    assert!(metrics.contains(r#"support_views_total{kind="memo",locked="yes"} 1"#));
}

#[tokio::test]
async fn a_videos_address_comes_with_its_description() {
    let world = World::start().await;
    let seen = world
        .view(world.look("key-1", SupportKind::Video))
        .await
        .unwrap();
    assert_eq!(seen.url, "https://videos.example/2");
    assert!(seen.text.starts_with("Scales"));
}

#[tokio::test]
async fn a_passed_question_stays_passed() {
    let world = World::start().await;
    world.submit(world.submission("key-1", "b")).await.unwrap();
    let seen = world
        .view(world.look("key-2", SupportKind::Memo))
        .await
        .unwrap();
    assert_eq!(seen.text, "Think of scales.");
    assert!(!seen.locked);
    assert_eq!(seen.locked_until, None);
    let kept = world.session.kept();
    assert_eq!(kept.records[QUESTION].state(), QuestionState::Passed);
    assert!(kept.evidence.revisit_queue.is_empty());
}

#[tokio::test]
async fn a_look_in_the_last_hour_of_a_lock_locks_anew() {
    let world = World::start().await;
    world.submit(world.submission("key-1", "a")).await.unwrap();
    world.pass_hours(23);
    let seen = world
        .view(world.look("key-2", SupportKind::Memo))
        .await
        .unwrap();
    assert_eq!(seen.locked_until, world.in_hours(24));
}

#[tokio::test]
async fn help_that_there_is_not_locks_nothing() {
    let world = World::start().await;
    world.retrieval.on(
        "turnwise.retrieval.v1.RetrievalService/Retrieve",
        |_: RetrieveRequest| async { Ok(RetrieveResponse::default()) },
    );
    let fault = world
        .view(world.look("key-1", SupportKind::Memo))
        .await
        .unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::UnknownQuestion);

    world.policy.fake.on(
        "turnwise.policy.v1.PolicyService/GetExamQuestion",
        |_: GetExamQuestionRequest| async { Ok(GetExamQuestionResponse::default()) },
    );
    let fault = world
        .view(world.look("key-2", SupportKind::Memo))
        .await
        .unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::UnknownQuestion);
    assert_eq!(world.session.kept().commits, 0);
}

#[tokio::test]
async fn help_that_cannot_be_fetched_locks_nothing() {
    let world = World::start().await;
    world.retrieval.on(
        "turnwise.retrieval.v1.RetrievalService/Retrieve",
        |_: RetrieveRequest| async { Err::<RetrieveResponse, _>(Status::unavailable("gone")) },
    );
    let fault = world
        .view(world.look("key-1", SupportKind::Memo))
        .await
        .unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::DependencyUnavailable);
    assert_eq!(world.session.kept().commits, 0);
}

#[tokio::test]
async fn what_is_looked_at_must_be_named_and_offered() {
    let world = World::start().await;
    let nothing = world.look("key-1", SupportKind::Unspecified);
    let fault = world.view(nothing).await.unwrap_err();
    assert_eq!(fault.fields().collect::<Vec<_>>(), ["kind"]);
    let mut unoffered = world.look("key-1", SupportKind::Memo);
    unoffered.question_id = "ALG-02-G1".to_owned();
    let fault = world.view(unoffered).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::DrillTokenInvalid);
    let late = world.look("key-1", SupportKind::Memo);
    world.pass_hours(2);
    let fault = world.view(late).await.unwrap_err();
    assert_eq!(fault.metadata("cause"), Some("expired"));
}

#[tokio::test]
async fn a_platform_shows_its_own_help_and_says_what_it_did() {
    for (state, locked) in [
        (QuestionState::Locked, true),
        (QuestionState::Passed, false),
    ] {
        let world = World::with_platform().await;
        world
            .platform
            .on(VIEW, move |request: RecordSupportViewRequest| async move {
                Ok(RecordSupportViewResponse {
                    status: Some(QuestionStatus {
                        question_id: request.question_id,
                        state: state.into(),
                        locked_until: None,
                    }),
                    text: "A video.".to_owned(),
                    url: "https://platform.example/v".to_owned(),
                })
            });
        let seen = world
            .view(world.look("key-1", SupportKind::Video))
            .await
            .unwrap();
        assert_eq!(seen.text, "A video.");
        assert_eq!(seen.url, "https://platform.example/v");
        assert_eq!(seen.locked, locked);
        let kept = world.session.kept();
        // A look that locks nothing leaves a pass to be counted that only the platform knows.
        assert_eq!(kept.evidence.exam_touched.len(), usize::from(locked));
        assert_eq!(kept.evidence.revisit_queue.len(), usize::from(locked));
        assert!(kept.records.is_empty());
    }
}
