//! Exam answers: the exam system's word is the evidence, one answer counts, and nobody else is believed.

use futures_util::future::join_all;
use turnwise_gateway_svc::tokens::OfferClaims;
use turnwise_kit::Clock;
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::QuestionState,
    session::v1::QuestionRecord,
    tutor::v1::{
        ButtonCall, ExamResult, GetExamQuestionRequest, MasteryTier, SubmitExamAnswerRequest,
        SubmitExamAnswerResponse, submit_exam_answer_request::Answer, tutor_card::Content,
    },
};

use super::{
    policy::{QUESTION, UNIT},
    session::{Kept, Mishap},
    world::World,
};

pub fn locked_count(answer: &SubmitExamAnswerResponse) -> i32 {
    let standing = answer.snapshot_lite.as_ref().unwrap();
    standing.revisit.as_ref().unwrap().locked_count
}

#[tokio::test]
async fn a_right_answer_passes_the_question() {
    let world = World::start().await;
    let answer = world.submit(world.submission("key-1", "b")).await.unwrap();
    assert_eq!(answer.result(), ExamResult::Passed);
    assert!(answer.recorded);
    assert_eq!(answer.locked_until, None);
    assert_eq!(answer.mastery_tier_before(), MasteryTier::None);
    assert_eq!(answer.mastery_tier(), MasteryTier::Bronze);
    assert_eq!(answer.buttons[0].label_key, "continue");
    assert_eq!(locked_count(&answer), 0);
    assert!(answer.notices.is_empty() && answer.degraded_reasons.is_empty());
    let kept = world.session.kept();
    assert_eq!(kept.commits, 1, "evidence and record in one commit");
    assert_eq!(kept.records[QUESTION].state(), QuestionState::Passed);
    assert!(kept.evidence.revisit_queue.is_empty());
}

#[tokio::test]
async fn a_wrong_answer_locks_for_a_day_and_no_answer_counts_meanwhile() {
    let world = World::start().await;
    let wrong = world.submission("key-1", "a");
    let first = world.submit(wrong.clone()).await.unwrap();
    assert_eq!(first.result(), ExamResult::Locked);
    assert!(first.recorded);
    assert_eq!(first.locked_until, world.in_hours(24));
    assert_eq!(locked_count(&first), 1);
    let standing = first.snapshot_lite.as_ref().unwrap();
    let revisit = standing.revisit.as_ref().unwrap();
    assert_eq!(revisit.next_eligible_at, world.in_hours(24));
    assert_eq!(revisit.next_question_id, QUESTION);
    assert_eq!(world.session.kept().commits, 1);

    // The same request again is the same answer.
    assert_eq!(world.submit(wrong).await.unwrap(), first);
    assert_eq!(world.policy.compared().len(), 1);

    // The right one, a minute before the lock ends, is not even looked at.
    let until = first.locked_until;
    world.pass_hours(23);
    let early = world.submit(world.submission("key-2", "b")).await.unwrap();
    assert!(!early.recorded);
    assert_eq!(early.result(), ExamResult::Locked);
    assert_eq!(early.locked_until, until);
    assert_eq!(locked_count(&early), 1);
    assert_eq!(early.mastery_tier(), MasteryTier::None);
    assert_eq!(early.buttons[0].label_key, "continue");
    assert_eq!(world.policy.compared().len(), 0);
    assert_eq!(world.session.kept().commits, 1);

    world.pass_hours(1);
    let again = world.submit(world.submission("key-3", "b")).await.unwrap();
    assert!(again.recorded);
    assert_eq!(again.result(), ExamResult::Passed);
    assert_eq!(locked_count(&again), 0);

    // A passed question takes no further answer.
    let late = world.submit(world.submission("key-4", "a")).await.unwrap();
    assert!(!late.recorded);
    assert_eq!(late.result(), ExamResult::Passed);
    assert_eq!(late.mastery_tier(), MasteryTier::Bronze);
    assert_eq!(
        world.session.kept().records[QUESTION].state(),
        QuestionState::Passed
    );
}

#[tokio::test]
async fn what_a_client_thinks_of_its_answer_is_compared_and_never_believed() {
    let world = World::start().await;
    let claims = |key: &str, option: &str, is_correct| SubmitExamAnswerRequest {
        is_correct: Some(is_correct),
        ..world.submission(key, option)
    };
    let answer = world.submit(claims("key-1", "a", true)).await.unwrap();
    assert_eq!(answer.result(), ExamResult::Locked);
    assert_eq!(
        answer.notices().collect::<Vec<_>>(),
        [ErrorReason::ResultMismatch]
    );
    assert_eq!(answer.notice_texts.len(), 1);
    assert_eq!(answer.mastery_tier(), MasteryTier::None);
    world.pass_hours(24);
    let answer = world.submit(claims("key-2", "b", true)).await.unwrap();
    assert_eq!(answer.result(), ExamResult::Passed);
    assert!(answer.notices.is_empty());
}

#[tokio::test]
async fn concurrent_answers_count_once() {
    let world = World::start().await;
    let requests: Vec<_> = (0..10)
        .map(|n| world.submission(&format!("key-{n}"), if n % 2 == 0 { "a" } else { "b" }))
        .collect();
    world.session.begin_together(10);
    let answers = join_all(requests.into_iter().map(|request| world.submit(request))).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    let counted: Vec<_> = answers.iter().filter(|a| a.recorded).collect();
    assert_eq!(counted.len(), 1);
    let kept = world.session.kept();
    assert_eq!(kept.evidence.exam_touched, [QUESTION]);
    assert!(answers.iter().all(|a| a.result() == counted[0].result()));
}

/// Somebody passes the question between reading and writing: that pass stands.
#[tokio::test]
async fn a_conflict_is_decided_by_the_records_that_it_carries() {
    let world = World::start().await;
    world
        .session
        .next_commit(Mishap::Overtaken(|kept: &mut Kept| {
            let passed = QuestionRecord {
                question_id: QUESTION.to_owned(),
                state: QuestionState::Passed.into(),
                locked_until: None,
                support_viewed: false,
            };
            kept.records.insert(QUESTION.to_owned(), passed);
        }));
    let answer = world.submit(world.submission("key-1", "a")).await.unwrap();
    assert!(!answer.recorded);
    assert_eq!(answer.result(), ExamResult::Passed);
    let kept = world.session.kept();
    assert_eq!(kept.commits, 1);
    assert!(kept.evidence.exam_touched.is_empty());
}

#[tokio::test]
async fn an_answer_whose_outcome_is_unknown_counts_once() {
    for mishap in [Mishap::AnswerLost, Mishap::NotReceived] {
        let world = World::start().await;
        world.session.next_commit(mishap);
        let answer = world.submit(world.submission("key-1", "a")).await.unwrap();
        assert!(answer.recorded);
        let kept = world.session.kept();
        assert_eq!(kept.commits, 2);
        assert_eq!(kept.version, 1);
        assert_eq!(kept.evidence.exam_touched, [QUESTION]);
    }
}

#[tokio::test]
async fn only_what_was_offered_can_be_answered() {
    let world = World::start().await;
    let good = world.submission("key", "b");
    let with = |change: fn(&mut SubmitExamAnswerRequest)| {
        let mut request = good.clone();
        change(&mut request);
        request
    };
    let to_bob = OfferClaims {
        tenant: "north",
        student_id: "bob",
        thread_id: "thread-1",
        course_id: "algebra",
        unit_id: UNIT,
        question_id: QUESTION,
        tier: MasteryTier::Bronze,
    };
    let stolen = SubmitExamAnswerRequest {
        offer_token: world.tokens.offer(world.clock.now(), &to_bob),
        ..good.clone()
    };
    let drill = world.drill("key", "4").drill.unwrap().drill_token;
    let cases = [
        (with(|r| r.offer_token.clear()), "missing"),
        (with(|r| r.offer_token = "x y".to_owned()), "malformed"),
        (with(|r| r.question_id = "ALG-02-G1".to_owned()), "mismatch"),
        (with(|r| r.unit_id = "ALG-03".to_owned()), "mismatch"),
        (with(|r| r.tier = MasteryTier::Gold.into()), "mismatch"),
        (stolen, "mismatch"),
        (
            SubmitExamAnswerRequest {
                offer_token: drill,
                ..good.clone()
            },
            "mismatch",
        ),
    ];
    for (request, cause) in cases {
        let fault = world.submit(request).await.unwrap_err();
        assert_eq!(fault.reason(), ErrorReason::DrillTokenInvalid);
        assert_eq!(fault.metadata("cause"), Some(cause));
    }
    // A thread that is not the student's is unknown before the token is looked at.
    for elsewhere in [
        with(|r| r.thread_id = "thread-2".to_owned()),
        with(|r| r.course_id = "geometry".to_owned()),
    ] {
        let fault = world.submit(elsewhere).await.unwrap_err();
        assert!(
            matches!(
                fault.reason(),
                ErrorReason::UnknownThread | ErrorReason::DrillTokenInvalid
            ),
            "{fault}"
        );
    }
    world.pass_hours(2);
    let fault = world.submit(good).await.unwrap_err();
    assert_eq!(fault.metadata("cause"), Some("expired"));
    assert_eq!(world.session.kept().commits, 0);
    assert_eq!(world.policy.compared().len(), 0);
    let metrics = world.kit.metrics.encode();
    assert!(metrics.contains(r#"card_tokens_refused_total{card="offer",cause="expired"} 1"#));
}

#[tokio::test]
async fn faults_name_the_clients_own_fields() {
    let world = World::start().await;
    let good = world.submission("key", "b");
    let with = |change: fn(&mut SubmitExamAnswerRequest)| {
        let mut request = good.clone();
        change(&mut request);
        request
    };
    use ErrorReason::{InvalidArgument, InvalidText, MessageTooLong, MissingMessage};
    let text = |text: &str| Some(Answer::AnswerText(text.to_owned()));
    let typed = |answer: &str| SubmitExamAnswerRequest {
        answer: text(answer),
        ..good.clone()
    };
    let cases = [
        (with(|r| r.thread_id.clear()), InvalidArgument, "thread_id"),
        (with(|r| r.course_id.clear()), InvalidArgument, "course_id"),
        (with(|r| r.unit_id.clear()), InvalidArgument, "unit_id"),
        (
            with(|r| r.question_id.clear()),
            InvalidArgument,
            "question_id",
        ),
        (
            with(|r| r.idempotency_key.clear()),
            InvalidArgument,
            "idempotency_key",
        ),
        (with(|r| r.tier = 0), InvalidArgument, "tier"),
        (with(|r| r.tier = 77), InvalidArgument, "tier"),
        (with(|r| r.answer = None), MissingMessage, "answer"),
        (typed(""), MissingMessage, "answer"),
        (typed("\u{7}"), InvalidText, "answer_text"),
        (typed(&"4".repeat(4_001)), MessageTooLong, "answer_text"),
        (typed("?"), InvalidArgument, "answer_text"),
        (
            with(|r| r.answer = Some(Answer::OptionId("no option".to_owned()))),
            InvalidArgument,
            "option_id",
        ),
        (
            with(|r| r.answer = Some(Answer::OptionId("z".to_owned()))),
            InvalidArgument,
            "option_id",
        ),
    ];
    for (request, reason, field) in cases {
        let fault = world.submit(request).await.unwrap_err();
        assert_eq!(fault.reason(), reason, "{fault}");
        assert_eq!(fault.fields().collect::<Vec<_>>(), [field], "{fault}");
    }
    // A question that has moved to another tier since it was offered.
    let claims = OfferClaims {
        tenant: "north",
        student_id: "ada",
        thread_id: "thread-1",
        course_id: "algebra",
        unit_id: UNIT,
        question_id: QUESTION,
        tier: MasteryTier::Silver,
    };
    let moved = SubmitExamAnswerRequest {
        tier: MasteryTier::Silver.into(),
        offer_token: world.tokens.offer(world.clock.now(), &claims),
        ..good.clone()
    };
    let fault = world.submit(moved).await.unwrap_err();
    assert_eq!(fault.reason(), InvalidArgument);
    assert_eq!(fault.fields().collect::<Vec<_>>(), ["tier"]);
    assert_eq!(world.session.kept().commits, 0);
}

#[tokio::test]
async fn a_typed_answer_is_compared_without_names() {
    let world = World::start().await;
    let mut request = world.submission("key-1", "");
    request.answer = Some(Answer::AnswerText("Grace Hopper says 4".to_owned()));
    world.submit(request).await.unwrap();
    let compared = world.policy.compared();
    let seen = format!("{compared:?}");
    assert!(seen.contains("[name] says 4"), "{seen}");
}

#[tokio::test]
async fn an_offered_question_can_be_drawn_again() {
    let world = World::start().await;
    let calls = |card: &turnwise_proto::tutor::v1::TutorCard| -> Vec<ButtonCall> {
        card.buttons.iter().map(|button| button.call()).collect()
    };
    let exam = |card: &turnwise_proto::tutor::v1::TutorCard| match card.content.clone().unwrap() {
        Content::Exam(exam) => exam,
        other => panic!("{other:?}"),
    };
    let request = world.again();
    let card = world.question(request.clone()).await.unwrap().card.unwrap();
    assert_eq!(card.unit_id, UNIT);
    assert_eq!(calls(&card), [ButtonCall::SubmitExam, ButtonCall::ViewMemo]);
    assert_eq!(exam(&card).state(), QuestionState::Available);
    assert_eq!(exam(&card).offer_token, request.offer_token);
    assert_eq!(exam(&card).options.len(), 2);

    world.submit(world.submission("key-1", "a")).await.unwrap();
    let card = world.question(request.clone()).await.unwrap().card.unwrap();
    assert_eq!(exam(&card).state(), QuestionState::Locked);
    assert_eq!(exam(&card).locked_until, world.in_hours(24));
    assert_eq!(
        calls(&card),
        [ButtonCall::ViewMemo],
        "nothing to submit now"
    );

    let forged = GetExamQuestionRequest {
        question_id: "ALG-02-G1".to_owned(),
        ..request
    };
    let fault = world.question(forged).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::DrillTokenInvalid);
}
