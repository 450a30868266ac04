//! Exam answers and looks at help with a platform's exam system: its word is the evidence, and where it is away nothing is.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use tonic::Status;
use turnwise_gateway_svc::tokens::OfferClaims;
use turnwise_kit::Clock;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{
        BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, QuestionState,
        QuestionStatus, RecordSupportViewRequest as ViewRequest,
        RecordSupportViewResponse as ViewResponse, SubmitAnswerRequest, SubmitAnswerResponse,
        SupportKind,
    },
    policy::v1::{GetExamQuestionRequest, GetExamQuestionResponse},
    session::v1::RevisitEntry,
    tutor::v1::{
        DegradedReason, ExamResult, MasteryTier, SubmitExamAnswerRequest,
        submit_exam_answer_request::Answer, tutor_card::Content,
    },
};

use super::{
    exams::locked_count,
    policy::{QUESTION, UNIT},
    session::Mishap,
    world::World,
};

const SUBMIT: &str = "turnwise.exam.v1.ExamService/SubmitAnswer";
const VIEW: &str = "turnwise.exam.v1.ExamService/RecordSupportView";
const STATUS: &str = "turnwise.exam.v1.ExamService/BatchGetQuestionStatus";

/// A platform that answers so, and what it was sent.
fn platform_says(
    world: &World,
    state: QuestionState,
    recorded: bool,
) -> Arc<Mutex<Vec<SubmitAnswerRequest>>> {
    let sent: Arc<Mutex<Vec<SubmitAnswerRequest>>> = Arc::default();
    let seen = Arc::clone(&sent);
    world
        .platform
        .on(SUBMIT, move |request: SubmitAnswerRequest| {
            let status = QuestionStatus {
                question_id: request.question_id.clone(),
                state: state.into(),
                locked_until: (state == QuestionState::Locked).then_some(prost_types::Timestamp {
                    seconds: 1_900_000_000,
                    nanos: 0,
                }),
            };
            seen.lock().unwrap().push(request);
            async move {
                Ok(SubmitAnswerResponse {
                    status: Some(status),
                    recorded,
                })
            }
        });
    sent
}

#[tokio::test]
async fn a_platforms_word_is_the_evidence() {
    let world = World::with_platform().await;
    let sent = platform_says(&world, QuestionState::Locked, true);
    // The catalogue would call it right.
    let answer = world.submit(world.submission("key-1", "b")).await.unwrap();
    assert_eq!(answer.result(), ExamResult::Locked);
    assert!(answer.recorded);
    assert_eq!(answer.locked_until.unwrap().seconds, 1_900_000_000);
    assert_eq!(locked_count(&answer), 1);
    assert_eq!(world.policy.compared().len(), 0);
    {
        let kept = world.session.kept();
        assert!(kept.records.is_empty(), "the platform keeps its own");
        assert_eq!(kept.evidence.revisit_queue.len(), 1);
    }
    let sent = sent.lock().unwrap();
    assert_eq!(sent[0].student_id, "ada");
    assert_eq!(sent[0].question_id, QUESTION);
    assert_ne!(
        sent[0].idempotency_key, "key-1",
        "another student may use that"
    );
}

#[tokio::test]
async fn what_a_platform_did_not_take_writes_nothing() {
    let world = World::with_platform().await;
    platform_says(&world, QuestionState::Passed, false);
    let answer = world.submit(world.submission("key-1", "b")).await.unwrap();
    assert_eq!(answer.result(), ExamResult::Passed);
    assert!(!answer.recorded);
    assert_eq!(answer.mastery_tier(), MasteryTier::None);
    assert_eq!(world.session.kept().commits, 0);
}

/// What a platform has recorded cannot be taken back, so it is not asked about what our side would refuse.
#[tokio::test]
async fn a_look_at_a_question_of_another_unit_reaches_no_platform() {
    let world = World::with_platform().await;
    world.policy.fake.on(
        "turnwise.policy.v1.PolicyService/GetExamQuestion",
        |_: GetExamQuestionRequest| async {
            Ok(GetExamQuestionResponse {
                unit_ids: vec!["ALG-09".to_owned()],
                ..GetExamQuestionResponse::default()
            })
        },
    );
    let asked = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&asked);
    world.platform.on(VIEW, move |_: ViewRequest| {
        seen.store(true, Ordering::SeqCst);
        async { Ok(ViewResponse::default()) }
    });
    let look = world.look("key-1", SupportKind::Memo);
    let fault = world.view(look).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::InvalidArgument);
    assert!(!asked.load(Ordering::SeqCst));
}

#[tokio::test]
async fn with_the_platform_away_nothing_is_recorded() {
    let world = World::with_platform().await;
    world.platform.on(SUBMIT, |_: SubmitAnswerRequest| async {
        Err::<SubmitAnswerResponse, _>(Status::unavailable("gone"))
    });
    let request = world.submission("key-1", "b");
    let fault = world.submit(request.clone()).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::DependencyUnavailable);
    assert_eq!(fault.metadata("service"), Some("exam system"));
    assert!(fault.retry_delay().is_some());
    assert_eq!(world.session.kept().commits, 0);

    platform_says(&world, QuestionState::Passed, true);
    assert!(world.submit(request).await.unwrap().recorded);
}

/// The platform has recorded, and our store fails: the student's next try completes it, with the platform's first word.
#[tokio::test]
async fn a_try_with_the_same_key_completes_what_the_platform_recorded() {
    let world = World::with_platform().await;
    let sent = platform_says(&world, QuestionState::Passed, true);
    world.session.next_commit(Mishap::NotReceived);
    world.session.next_commit(Mishap::NotReceived);
    let request = world.submission("key-1", "b");
    let fault = world.submit(request.clone()).await.unwrap_err();
    assert_eq!(fault.reason().code(), tonic::Code::Unavailable);
    let answer = world.submit(request).await.unwrap();
    assert!(answer.recorded);
    assert_eq!(answer.mastery_tier(), MasteryTier::Bronze);
    let other = SubmitExamAnswerRequest {
        answer: Some(Answer::OptionId("a".to_owned())),
        ..world.submission("key-2", "a")
    };
    world.submit(other).await.unwrap();
    let sent = sent.lock().unwrap();
    assert_eq!(sent.len(), 3);
    assert_eq!(sent[0], sent[1], "the platform sees one request");
    assert_ne!(sent[0].idempotency_key, sent[2].idempotency_key);
}

#[tokio::test]
async fn what_the_catalogue_does_not_have_is_not_sent_to_a_platform() {
    let world = World::with_platform().await;
    let sent = platform_says(&world, QuestionState::Passed, true);
    let offer = |unit_id: &'static str, question_id: &'static str, tier| {
        let claims = OfferClaims {
            tenant: "north",
            student_id: "ada",
            thread_id: "thread-1",
            course_id: "algebra",
            unit_id,
            question_id,
            tier,
        };
        SubmitExamAnswerRequest {
            unit_id: unit_id.to_owned(),
            question_id: question_id.to_owned(),
            tier: tier.into(),
            offer_token: world.tokens.offer(world.clock.now(), &claims),
            ..world.submission("key", "b")
        }
    };
    let cases = [
        (
            offer("ALG-03", QUESTION, MasteryTier::Bronze),
            ErrorReason::InvalidArgument,
            Some("unit_id"),
        ),
        (
            offer(UNIT, QUESTION, MasteryTier::Gold),
            ErrorReason::InvalidArgument,
            Some("tier"),
        ),
        (
            offer(UNIT, "gone", MasteryTier::Bronze),
            ErrorReason::UnknownQuestion,
            None,
        ),
    ];
    for (request, reason, field) in cases {
        let fault = world.submit(request).await.unwrap_err();
        assert_eq!(fault.reason(), reason);
        assert_eq!(fault.fields().next(), field);
    }
    assert!(sent.lock().unwrap().is_empty());
}

/// The locks of the questions to come back to are the platform's, and an answer says where it was not asked.
#[tokio::test]
async fn the_standing_shows_what_the_platform_says_of_locks() {
    let world = World::with_platform().await;
    {
        let mut kept = world.session.kept();
        kept.version = 1;
        kept.evidence.revisit_queue.push(RevisitEntry {
            question_id: "ALG-02-B7".to_owned(),
            unit_id: UNIT.to_owned(),
            tier: MasteryTier::Bronze.into(),
        });
    }
    world.platform.on(
        STATUS,
        |request: BatchGetQuestionStatusRequest| async move {
            assert_eq!(request.question_ids, ["ALG-02-B7"]);
            Ok(BatchGetQuestionStatusResponse {
                statuses: vec![QuestionStatus {
                    question_id: "ALG-02-B7".to_owned(),
                    state: QuestionState::Locked.into(),
                    locked_until: None,
                }],
            })
        },
    );
    let answer = world.grade(world.drill("key-1", "right")).await.unwrap();
    let revisit = answer.snapshot_lite.unwrap().revisit.unwrap();
    assert_eq!(revisit.locked_count, 1);
    assert!(answer.degraded_reasons.is_empty());

    world
        .platform
        .on(STATUS, |_: BatchGetQuestionStatusRequest| async {
            Err::<BatchGetQuestionStatusResponse, _>(Status::unavailable("gone"))
        });
    let answer = world.grade(world.drill("key-2", "right")).await.unwrap();
    assert!(answer.evidence_recorded);
    assert_eq!(
        answer.degraded_reasons().collect::<Vec<_>>(),
        [DegradedReason::ExamApiUnavailable]
    );
}

#[tokio::test]
async fn a_question_of_which_nothing_is_known_is_not_available() {
    let world = World::with_platform().await;
    world
        .platform
        .on(STATUS, |_: BatchGetQuestionStatusRequest| async {
            Err::<BatchGetQuestionStatusResponse, _>(Status::unavailable("gone"))
        });
    let drawn = world.question(world.again()).await.unwrap();
    assert_eq!(
        drawn.degraded_reasons().collect::<Vec<_>>(),
        [DegradedReason::ExamApiUnavailable]
    );
    match drawn.card.unwrap().content.unwrap() {
        Content::Exam(exam) => assert_eq!(exam.state(), QuestionState::Locked),
        other => panic!("{other:?}"),
    }
}
