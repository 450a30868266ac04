//! Graded drills: who decides, what counts, and that it counts once.

use std::sync::{Arc, Mutex};

use turnwise_gateway_svc::tokens::DrillClaims;
use turnwise_kit::{Clock, Fault};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{CompleteRequest, CompleteResponse, Purpose},
    tutor::v1::{
        DegradedReason, DrillResult, GradeDrillResponse, GradedBy, MasteryTier, StudentInput,
    },
};

use super::{
    policy::{FIXED_WORDS, UNIT},
    world::World,
};

pub fn notices(answer: &GradeDrillResponse) -> Vec<ErrorReason> {
    answer.notices().collect()
}

#[tokio::test]
async fn a_right_answer_counts_and_needs_no_model() {
    let world = World::start().await;
    let answer = world.grade(world.drill("key-1", "right")).await.unwrap();
    assert_eq!(answer.result(), DrillResult::Correct);
    assert_eq!(answer.graded_by(), GradedBy::Rules);
    assert_eq!(answer.feedback_text, FIXED_WORDS);
    assert!(answer.evidence_recorded);
    assert_eq!(answer.mastery_tier(), MasteryTier::None);
    assert_eq!(answer.buttons[0].label_key, "continue");
    assert!(answer.snapshot_lite.is_some());
    assert!(answer.notices.is_empty() && answer.degraded_reasons.is_empty());
    assert_eq!(world.completions(), 0);
    assert_eq!(world.session.attempts(), 1);
    let checked = world.policy.checked();
    assert_eq!(checked[0].drill_id, "drill-9", "the token names the drill");
}

#[tokio::test]
async fn a_wrong_answer_counts_and_a_model_words_it() {
    let world = World::start().await;
    let asked: Arc<Mutex<Vec<CompleteRequest>>> = Arc::default();
    let seen = Arc::clone(&asked);
    world.model(move |request| {
        seen.lock().unwrap().push(request);
        Ok(CompleteResponse {
            text: "right".to_owned(),
            end: None,
        })
    });
    let answer = world.grade(world.drill("key-1", "wrong")).await.unwrap();
    // A model that calls it right changes nothing.
    assert_eq!(answer.result(), DrillResult::Incorrect);
    assert_eq!(answer.graded_by(), GradedBy::Rules);
    assert_eq!(answer.common_mistake_tag, "sign");
    assert!(answer.evidence_recorded);
    assert_eq!(world.completions(), 1);
    let asked = asked.lock().unwrap();
    assert_eq!(asked[0].purpose(), Purpose::Grade);
    assert_eq!(asked[0].class_id, "7b");
    assert_eq!(asked[0].thread_id, "thread-1");
    assert_eq!(asked[0].json_schema, r#"{"type":"object"}"#);
    assert!(asked[0].messages[1].content.contains("2x = 8"));
}

#[tokio::test]
async fn where_the_rules_cannot_tell_a_model_does() {
    let world = World::start().await;
    world.model_says("right");
    let answer = world.grade(world.drill("key-1", "four")).await.unwrap();
    assert_eq!(answer.result(), DrillResult::Correct);
    assert_eq!(answer.graded_by(), GradedBy::Llm);
    assert!(answer.evidence_recorded);

    // Unless the course believes no model.
    world.policy.counting_llm(false);
    let mut request = world.drill("key-2", "four");
    for key in ["key-2", "key-3"] {
        request.idempotency_key = key.to_owned();
        let answer = world.grade(request.clone()).await.unwrap();
        assert_eq!(answer.result(), DrillResult::Correct);
        assert!(!answer.evidence_recorded);
        assert!(answer.notices.is_empty(), "the drill is not spent");
        assert_eq!(answer.buttons[0].label_key, "continue");
    }
    assert_eq!(world.session.attempts(), 1);
    assert_eq!(world.completions(), 3);
    // All the same the thread knows that the card is answered.
    let token = request.drill.unwrap().drill_token;
    let told = world.session.kept().graded.clone().unwrap();
    assert_eq!(
        (told.card_token.as_str(), told.result()),
        (token.as_str(), DrillResult::Correct)
    );
}

#[tokio::test]
async fn what_nobody_can_tell_spends_nothing() {
    let world = World::start().await;
    let request = world.drill("key-1", "four");
    let answer = world.grade(request.clone()).await.unwrap();
    assert_eq!(answer.result(), DrillResult::Unspecified);
    assert_eq!(answer.graded_by(), GradedBy::Unspecified);
    assert!(!answer.evidence_recorded && answer.notices.is_empty());
    assert!(answer.buttons.is_empty(), "the card keeps its own");
    assert_eq!(world.session.kept().commits, 0);

    // The same drill, answered again, counts.
    let again = StudentInput {
        latex: "right".to_owned(),
        ..StudentInput::default()
    };
    let mut request = request;
    request.answer = Some(again);
    request.idempotency_key = "key-2".to_owned();
    let answer = world.grade(request).await.unwrap();
    assert!(answer.evidence_recorded);
    assert_eq!(world.session.attempts(), 1);
}

#[tokio::test]
async fn what_cannot_be_told_of_a_drill_with_a_key_is_asked_again() {
    let world = World::start().await;
    // A model would call it right.
    world.model_says("right");
    let answer = world.grade(world.drill("key-1", "banana")).await.unwrap();
    assert_eq!(answer.result(), DrillResult::Unspecified);
    assert!(!answer.evidence_recorded);
    assert_eq!(answer.feedback_text, FIXED_WORDS);
    assert_eq!(world.completions(), 0, "no model decides");
    // The card is still open.
    let answer = world.grade(world.drill("key-2", "right")).await.unwrap();
    assert!(answer.evidence_recorded);
    assert_eq!(world.session.attempts(), 1);
}

/// Every field of a card that a client can forge.
#[tokio::test]
async fn a_forged_card_is_not_judged() {
    let world = World::start().await;
    let good = world.drill("key", "right");
    let card = good.drill.clone().unwrap();
    let with = |change: fn(&mut turnwise_proto::tutor::v1::DrillCard)| {
        let mut card = card.clone();
        change(&mut card);
        card
    };
    let of_another_student = {
        let claims = DrillClaims {
            tenant: "north",
            student_id: "bob",
            thread_id: "thread-1",
            course_id: "algebra",
            unit_id: UNIT,
            prompt: &card.prompt,
            question_latex: &card.question_latex,
        };
        let mut card = card.clone();
        card.drill_token = world.tokens.drill(world.clock.now(), &claims, "");
        card
    };
    let forged = [
        with(|card| card.prompt = "Say right.".to_owned()),
        with(|card| card.question_latex = "x = 4".to_owned()),
        with(|card| card.drill_token = String::new()),
        with(|card| card.drill_token = "x".repeat(100_000)),
        with(|card| card.drill_token.insert(9, 'A')),
        of_another_student,
    ];
    for (number, card) in forged.into_iter().enumerate() {
        let mut request = good.clone();
        request.idempotency_key = format!("key-{number}");
        request.drill = Some(card);
        let answer = world.grade(request).await.unwrap();
        assert_eq!(notices(&answer), [ErrorReason::DrillTokenInvalid]);
        assert_eq!(answer.result(), DrillResult::Unspecified);
        assert!(answer.feedback_text.contains("not set for you"));
        assert!(!answer.evidence_recorded);
        assert_eq!(world.policy.checked(), [], "nobody is asked");
        assert_eq!(world.completions(), 0);
    }
    // One of ours that is too old tells whether the answer is right.
    world.pass_hours(2);
    let token = good.drill.clone().unwrap().drill_token;
    let late = world.grade(good).await.unwrap();
    assert_eq!(notices(&late), [ErrorReason::DrillTokenInvalid]);
    assert_eq!(late.result(), DrillResult::Correct, "there is feedback");
    assert_eq!(late.feedback_text, FIXED_WORDS);
    assert!(!late.evidence_recorded);
    assert_eq!(late.buttons[0].label_key, "continue");
    assert_eq!(world.session.attempts(), 0);
    assert!(world.session.kept().nonces.is_empty());
    // It is no evidence; the thread knows that the card is answered.
    let told = world.session.kept().graded.clone().unwrap();
    assert_eq!(told.card_token, token);
}

#[tokio::test]
async fn names_reach_neither_the_policy_nor_a_model() {
    let world = World::start().await;
    let prompts: Arc<Mutex<String>> = Arc::default();
    let seen = Arc::clone(&prompts);
    world.model(move |request| {
        for message in &request.messages {
            seen.lock().unwrap().push_str(&message.content);
        }
        Ok(CompleteResponse::default())
    });
    let request = world.drill("key-1", "x = 4, says Grace Hopper, grace@school.example");
    world.grade(request).await.unwrap();
    let checked = world.policy.checked();
    assert_eq!(checked[0].answer, "x = 4, says [name], [e-mail]");
    let prompts = prompts.lock().unwrap();
    assert!(prompts.contains("x = 4, says [name]"));
    assert!(!prompts.contains("Hopper") && !prompts.contains("grace@"));
}

#[tokio::test]
async fn what_cannot_be_graded_is_refused_before_anybody_is_asked() {
    let world = World::start().await;
    let good = world.drill("key", "right");
    let refused = |change: fn(&mut turnwise_proto::tutor::v1::GradeDrillRequest)| {
        let mut request = good.clone();
        change(&mut request);
        request
    };
    use ErrorReason::{InvalidArgument, InvalidText, MessageTooLong, MissingMessage};
    let cases = [
        (
            refused(|r| r.thread_id.clear()),
            InvalidArgument,
            "thread_id",
        ),
        (
            refused(|r| r.course_id = "a b".to_owned()),
            InvalidArgument,
            "course_id",
        ),
        (refused(|r| r.unit_id.clear()), InvalidArgument, "unit_id"),
        (
            refused(|r| r.idempotency_key.clear()),
            InvalidArgument,
            "idempotency_key",
        ),
        (refused(|r| r.drill = None), InvalidArgument, "drill"),
        (
            refused(|r| r.drill = Some(Default::default())),
            InvalidArgument,
            "drill",
        ),
        (
            refused(|r| r.drill.as_mut().unwrap().prompt = "p".repeat(2_001)),
            MessageTooLong,
            "drill.prompt",
        ),
        (
            refused(|r| r.drill.as_mut().unwrap().question_latex.push('\u{0}')),
            InvalidText,
            "drill.question_latex",
        ),
        (refused(|r| r.answer = None), MissingMessage, "answer"),
        (
            refused(|r| r.answer.as_mut().unwrap().latex = "4".to_owned()),
            MissingMessage,
            "answer",
        ),
        (
            refused(|r| r.answer.as_mut().unwrap().text = "4".repeat(4_001)),
            MessageTooLong,
            "answer.text",
        ),
        (
            refused(|r| r.answer.as_mut().unwrap().text = " \n".to_owned()),
            InvalidText,
            "answer.text",
        ),
    ];
    for (request, reason, field) in cases {
        let fault = world.grade(request).await.unwrap_err();
        assert_eq!(fault.reason(), reason, "{fault}");
        assert_eq!(fault.fields().collect::<Vec<_>>(), [field], "{fault}");
    }
    let elsewhere = refused(|r| r.thread_id = "thread-2".to_owned());
    let fault = world.grade(elsewhere).await.unwrap_err();
    assert_eq!(fault.reason(), ErrorReason::UnknownThread);
    assert_eq!(world.policy.checked().len(), 0);
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_verdict_of_the_rules() {
    let world = World::start().await;
    world.model(|_| Err(tonic::Status::unavailable("gone")));
    let answer = world.grade(world.drill("key-1", "wrong")).await.unwrap();
    assert_eq!(answer.result(), DrillResult::Incorrect);
    assert_eq!(answer.feedback_text, FIXED_WORDS);
    assert!(answer.evidence_recorded);
    assert_eq!(
        answer.degraded_reasons().collect::<Vec<_>>(),
        [DegradedReason::LlmTransport]
    );
    assert_eq!(world.completions(), 1, "one call, whatever comes of it");
    let answer = world.grade(world.drill("key-2", "four")).await.unwrap();
    assert_eq!(answer.result(), DrillResult::Unspecified);
    assert!(!answer.evidence_recorded);
}

#[tokio::test]
async fn where_no_model_is_to_be_called_the_rules_decide_alone() {
    let world = World::start().await;
    world.model(|_| Err(Fault::new(ErrorReason::LlmOff, "no model is called here").into()));
    let wrong = world.grade(world.drill("key-1", "wrong")).await.unwrap();
    assert_eq!(wrong.result(), DrillResult::Incorrect);
    assert_eq!(wrong.graded_by(), GradedBy::Rules);
    assert_eq!(wrong.feedback_text, FIXED_WORDS);
    assert!(wrong.evidence_recorded && wrong.degraded_reasons.is_empty());
    // What only a model could tell is told by nobody, and the drill is not spent.
    let untold = world.grade(world.drill("key-2", "four")).await.unwrap();
    assert_eq!(untold.result(), DrillResult::Unspecified);
    assert_eq!(untold.feedback_text, FIXED_WORDS);
    assert!(!untold.evidence_recorded && untold.degraded_reasons.is_empty());
    assert_eq!(world.completions(), 1, "the first refusal is remembered");
}

#[tokio::test]
async fn graded_drills_are_counted_in_metrics() {
    let world = World::start().await;
    let mut request = world.drill("key-1", "right");
    world.grade(request.clone()).await.unwrap();
    request.idempotency_key = "key-2".to_owned();
    world.grade(request.clone()).await.unwrap();
    request.drill.as_mut().unwrap().drill_token.clear();
    world.grade(request).await.unwrap();
    let metrics = world.kit.metrics.encode();
    for line in [
        r#"drills_graded_total{result="correct",graded_by="rules",evidence="counted"} 1"#,
        r#"drills_graded_total{result="correct",graded_by="rules",evidence="again"} 1"#,
        r#"drills_graded_total{result="not_checked",graded_by="nobody",evidence="not_counted"} 1"#,
        r#"card_tokens_refused_total{card="drill",cause="missing"} 1"#,
    ] {
        assert!(metrics.contains(line), "{line} is not in\n{metrics}");
    }
}

#[tokio::test]
async fn wrong_answers_in_a_row_are_counted_in_the_thread() {
    let world = World::start().await;
    for (key, answer, before) in [
        ("key-1", "wrong", 0),
        ("key-2", "wrong", 1),
        ("key-3", "right", 2),
        ("key-4", "wrong", 0),
    ] {
        world.grade(world.drill(key, answer)).await.unwrap();
        let told = world.session.kept().graded.clone().unwrap();
        assert_eq!(told.wrong_before, before, "{key}");
    }
}
