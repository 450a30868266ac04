//! Exam answers and looks at help with a platform's exam system: its word is the evidence, and where it is away nothing is.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tonic::Status;
use turnwise_gateway_svc::tokens::OfferClaims;
use turnwise_kit::{Clock, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::{
        BatchGetQuestionStatusRequest, BatchGetQuestionStatusResponse, GetQuestionRequest,
        GetQuestionResponse, QuestionOption, QuestionState, QuestionStatus,
        RecordSupportViewRequest as ViewRequest, RecordSupportViewResponse as ViewResponse,
        SubmitAnswerRequest, SubmitAnswerResponse, SupportKind,
    },
    policy::v1::{
        FindPortQuestionsRequest, FindPortQuestionsResponse, FingerprintQuestionRequest,
        FingerprintQuestionResponse, GetExamQuestionRequest, GetExamQuestionResponse,
    },
    session::v1::RevisitEntry,
    tutor::v1::{
        Button, ButtonCall, DegradedReason, ExamCard, ExamResult, MasteryTier,
        SubmitExamAnswerRequest, submit_exam_answer_request::Answer, tutor_card::Content,
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

const GET: &str = "turnwise.exam.v1.ExamService/GetQuestion";

/// The pack leaves the question's words to the platform.
fn pack_has_no_words(world: &World) {
    world.policy.fake.on(
        "turnwise.policy.v1.PolicyService/GetExamQuestion",
        |request: GetExamQuestionRequest| async move {
            Ok(GetExamQuestionResponse {
                card: Some(ExamCard {
                    question_id: request.question_id,
                    tier: MasteryTier::Bronze.into(),
                    ..ExamCard::default()
                }),
                unit_ids: vec![UNIT.to_owned()],
                buttons: vec![Button {
                    call: ButtonCall::SubmitExam.into(),
                    ..Button::default()
                }],
                ..GetExamQuestionResponse::default()
            })
        },
    );
    world.platform.on(
        STATUS,
        |request: BatchGetQuestionStatusRequest| async move {
            let statuses = request
                .question_ids
                .into_iter()
                .map(|question_id| QuestionStatus {
                    question_id,
                    state: QuestionState::Available.into(),
                    locked_until: None,
                });
            Ok(BatchGetQuestionStatusResponse {
                statuses: statuses.collect(),
            })
        },
    );
}

/// A question as the platform words it.
fn worded(question_id: &str) -> GetQuestionResponse {
    let option = |id: &str| QuestionOption {
        option_id: id.to_owned(),
        text: format!("Option {id}"),
    };
    GetQuestionResponse {
        question_id: question_id.to_owned(),
        prompt: "Which of these is prime?".to_owned(),
        question_latex: "9, 11".to_owned(),
        options: vec![option("a"), option("b")],
    }
}

#[tokio::test]
async fn a_question_without_words_in_the_pack_is_drawn_in_the_platforms() {
    let world = World::with_platform().await;
    pack_has_no_words(&world);
    world
        .platform
        .on(GET, |request: GetQuestionRequest| async move {
            assert_eq!(request.course_id, "algebra");
            assert_eq!(request.tenant, "north");
            Ok(worded(&request.question_id))
        });
    let drawn = world.question(world.again()).await.unwrap();
    assert!(drawn.degraded_reasons.is_empty());
    let card = drawn.card.unwrap();
    assert_eq!(card.buttons.len(), 1);
    let Content::Exam(exam) = card.content.unwrap() else {
        panic!("no exam card");
    };
    assert_eq!(exam.state(), QuestionState::Available);
    assert_eq!(exam.prompt, "Which of these is prime?");
    assert_eq!(exam.question_latex, "9, 11");
    assert_eq!(exam.options.len(), 2);
}

#[tokio::test]
async fn a_question_that_cannot_be_read_is_shown_as_locked() {
    let cases: [fn(String) -> Result<GetQuestionResponse, Status>; 6] = [
        |_| Err(Status::unavailable("gone")),
        |_| Err(Status::unimplemented("an older one")),
        |_| Ok(worded("another")),
        |id| {
            Ok(GetQuestionResponse {
                prompt: " ".to_owned(),
                ..worded(&id)
            })
        },
        |id| {
            Ok(GetQuestionResponse {
                prompt: "x".repeat(4_001),
                ..worded(&id)
            })
        },
        |id| {
            let mut twice = worded(&id);
            twice.options[1].option_id = "a".to_owned();
            Ok(twice)
        },
    ];
    for case in cases {
        let world = World::with_platform().await;
        pack_has_no_words(&world);
        world.platform.on(GET, move |request: GetQuestionRequest| {
            let answer = case(request.question_id);
            async { answer }
        });
        let drawn = world.question(world.again()).await.unwrap();
        assert_eq!(
            drawn.degraded_reasons().collect::<Vec<_>>(),
            [DegradedReason::ExamApiUnavailable]
        );
        let card = drawn.card.unwrap();
        assert!(card.buttons.is_empty());
        let Content::Exam(exam) = card.content.unwrap() else {
            panic!("no exam card");
        };
        assert_eq!(exam.state(), QuestionState::Locked);
        assert_eq!(exam.prompt, "");
    }
}

/// A drill is checked against the hashes of the unit's questions, which are read once in ten minutes.
#[tokio::test]
async fn a_graded_drill_is_held_against_the_platforms_questions() {
    let world = World::with_platform().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let policy = &world.policy.fake;
    policy.on(
        "turnwise.policy.v1.PolicyService/FindPortQuestions",
        |request: FindPortQuestionsRequest| async move {
            assert_eq!(request.unit_ids, [UNIT]);
            Ok(FindPortQuestionsResponse {
                question_ids: vec!["p-1".to_owned(), "p-2".to_owned()],
            })
        },
    );
    policy.on(
        "turnwise.policy.v1.PolicyService/FingerprintQuestion",
        |request: FingerprintQuestionRequest| async move {
            assert_eq!(request.question_latex, "9, 11");
            Ok(FingerprintQuestionResponse {
                exam_runs: vec![7],
                exam_expressions: vec![8],
            })
        },
    );
    let calls = Arc::clone(&asked);
    world.platform.on(GET, move |request: GetQuestionRequest| {
        calls.fetch_add(1, Ordering::SeqCst);
        async move {
            match request.question_id.as_str() {
                "p-1" => Ok(worded("p-1")),
                _ => Err(Status::from(Fault::new(
                    ErrorReason::UnknownQuestion,
                    "not here",
                ))),
            }
        }
    });
    for key in ["key-1", "key-2"] {
        world.grade(world.drill(key, "right")).await.unwrap();
    }
    assert_eq!(asked.load(Ordering::SeqCst), 2, "each question once");
    for checked in world.policy.checked() {
        let known = checked.known.unwrap();
        assert_eq!(
            (known.exam_runs, known.exam_expressions),
            (vec![7], vec![8])
        );
    }
}

/// A unit of a large question bank: all of it is read.
#[tokio::test]
async fn hundreds_of_the_platforms_questions_are_read() {
    const MANY: usize = 300;
    let world = World::with_platform().await;
    let policy = &world.policy.fake;
    policy.on(
        "turnwise.policy.v1.PolicyService/FindPortQuestions",
        |_: FindPortQuestionsRequest| async {
            Ok(FindPortQuestionsResponse {
                question_ids: (0..MANY).map(|n| format!("p-{n}")).collect(),
            })
        },
    );
    policy.on(
        "turnwise.policy.v1.PolicyService/FingerprintQuestion",
        |request: FingerprintQuestionRequest| async move {
            Ok(FingerprintQuestionResponse {
                exam_runs: vec![request.question_latex.parse().unwrap()],
                exam_expressions: Vec::new(),
            })
        },
    );
    world
        .platform
        .on(GET, |request: GetQuestionRequest| async move {
            let number = request.question_id.trim_start_matches("p-").to_owned();
            Ok(GetQuestionResponse {
                question_latex: number,
                ..worded(&request.question_id)
            })
        });
    world.grade(world.drill("key", "right")).await.unwrap();
    let known = world.policy.checked().pop().unwrap().known.unwrap();
    assert_eq!(known.exam_runs.len(), MANY);
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
