//! What a student gets, from the first message to the next ones.

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    helper::v1::{
        ChatRequest, GetHelperHealthRequest, MessageIntent, RedirectReason, StreamChatRequest,
        helper_service_client::HelperServiceClient, stream_chat_response::News,
    },
    tutor::v1::{DegradedReason, TurnStage},
};
use turnwise_tests::{
    chat::{LESSON, asking, chat, going_on, lesson, page},
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::{Student, fresh_key},
    teacher::Teacher,
};

use super::{Helped, strict, without_model};

in_both_deployments!(
    an_answer_has_all_that_it_promises,
    a_conversation_goes_on_and_a_new_one_knows_nothing,
    the_same_key_gives_the_same_answer,
    a_stream_tells_the_stages_and_then_the_answer,
    teachers_and_staff_may_do_without_a_page,
    in_a_class_without_a_model_the_course_answers,
    in_a_suite_without_a_model_the_course_answers,
    a_class_that_becomes_strict_is_strict_from_the_next_message_on,
    a_call_for_help_meets_the_fixed_text,
);

async fn an_answer_has_all_that_it_promises(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    helped
        .says("An equation stays true when both sides change alike [1]. See [7] as well.")
        .await;
    let ada = helped.suite.student("ada");
    let answer = ada
        .chat(asking(
            &page,
            "Why do I undo the sum first in a two-step equation?",
        ))
        .await
        .unwrap();
    assert!(
        answer.text.contains("both sides change alike"),
        "{answer:?}"
    );
    assert!(!answer.text.contains("[7]"), "{answer:?}");
    // Light: it ends with a question for the student.
    assert!(answer.text.trim_end().ends_with('?'), "{answer:?}");
    assert_eq!(answer.attempts, 1);
    assert!(!answer.request_id.is_empty() && !answer.conversation_id.is_empty());
    assert_eq!(answer.intent(), MessageIntent::Concept);
    assert!(
        (1..=3).contains(&answer.follow_up_suggestions.len()),
        "{answer:?}"
    );
    let cited: Vec<_> = answer.citations.iter().map(|c| c.number).collect();
    assert_eq!(cited, [1], "{answer:?}");
    assert!(!answer.citations[0].source.is_empty());
    assert!(answer.degraded_reasons.is_empty(), "{answer:?}");
    assert!(answer.scope_verified && !answer.truncated);
    assert_eq!(answer.model, "model");

    let mut client = HelperServiceClient::new(helped.suite.channel());
    let health = client
        .get_helper_health(ada.request(GetHelperHealthRequest {}))
        .await
        .unwrap()
        .into_inner();
    assert!(health.up);
    assert_eq!(health.backend, "openai_compatible");
    helped.suite.nothing_panicked();
}

async fn a_conversation_goes_on_and_a_new_one_knows_nothing(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let first_page = page(&helped.suite, lesson(LESSON)).await;
    helped.says("What do you undo first?").await;
    let ada = helped.suite.student("ada");
    let first = ada
        .chat(asking(&first_page, "How do I begin with 4y - 9 = 23?"))
        .await
        .unwrap();
    // A page that is loaded again goes on with the conversation.
    let second_page = page(&helped.suite, lesson(LESSON)).await;
    let second = ada
        .chat(going_on(
            &second_page,
            &first,
            "And then what with the equation?",
        ))
        .await
        .unwrap();
    assert_eq!(second.conversation_id, first.conversation_id);
    let other = ada
        .chat(asking(&second_page, "What is an equation?"))
        .await
        .unwrap();
    assert_ne!(other.conversation_id, first.conversation_id);
    // What the prompt of each held of what was said before.
    let staff = Staff::of(&helped.suite);
    let remembered = async |turn_id: &str| {
        let texts = staff.record(&ada.id, turn_id).await.texts.unwrap();
        let turns = texts.memory.unwrap_or_default().turns;
        turns.into_iter().map(|turn| turn.text).collect::<Vec<_>>()
    };
    assert!(remembered(&first.turn_id).await.is_empty());
    assert!(remembered(&other.turn_id).await.is_empty());
    let before = remembered(&second.turn_id).await;
    assert_eq!(before.len(), 2);
    assert!(before[0].contains("4y - 9 = 23"), "{before:?}");
    // Nobody else goes on with it.
    let bob = helped.suite.student("bob");
    let refused = bob
        .chat(going_on(&second_page, &first, "And then what?"))
        .await
        .unwrap_err();
    check_refusal(
        &refused,
        Code::NotFound,
        Why::UnknownThread,
        "conversation_id",
    );
    helped.suite.nothing_panicked();
}

async fn the_same_key_gives_the_same_answer(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    let ada = helped.suite.student("ada");
    let message = ChatRequest {
        idempotency_key: fresh_key(),
        ..asking(&page, "How do I solve a two-step equation?")
    };
    helped.says("First this?").await;
    let first = ada.chat(message.clone()).await.unwrap();
    helped.says("Then that?").await;
    assert_eq!(ada.chat(message.clone()).await.unwrap(), first);
    assert_eq!(helped.asked().await, 1);
    let other = ChatRequest {
        message: "How do I check an equation?".to_owned(),
        ..message
    };
    let refused = ada.chat(other).await.unwrap_err();
    check_refusal(&refused, Code::Aborted, Why::IdempotencyConflict, "");
}

async fn a_stream_tells_the_stages_and_then_the_answer(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    helped.says("What do you undo first?").await;
    let ada = helped.suite.student("ada");
    let request = ada.request(StreamChatRequest {
        chat: Some(asking(&page, "How do I solve a two-step equation?")),
    });
    let mut client = HelperServiceClient::new(helped.suite.channel());
    let mut news = client.stream_chat(request).await.unwrap().into_inner();
    let mut stages = Vec::new();
    let mut answers = Vec::new();
    while let Some(piece) = news.message().await.unwrap() {
        match piece.news.unwrap() {
            News::Progress(progress) => stages.push(progress.stage()),
            News::Answer(answer) => answers.push(answer),
        }
    }
    assert_eq!(answers.len(), 1);
    assert!(answers[0].text.contains("What do you undo first?"));
    stages.dedup();
    assert_eq!(stages.first(), Some(&TurnStage::Reading));
    assert_eq!(stages.last(), Some(&TurnStage::Checking));
}

async fn teachers_and_staff_may_do_without_a_page(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    helped
        .says("Ask your class what a variable is. Would that help?")
        .await;
    for (role, subject) in [("teacher", "ms-hopper"), ("staff", "principal")] {
        let caller = Teacher::with_role(&helped.suite, subject, role, Student::CLASS);
        let request = caller.request(asking("", "How do I introduce variables?"));
        let answer = chat(&helped.suite.channel(), request).await.unwrap();
        assert!(!answer.scope_verified);
        assert_eq!(answer.redirect(), RedirectReason::Unspecified);
        assert!(!answer.text.is_empty());
    }
    helped.suite.nothing_panicked();
}

async fn in_a_class_without_a_model_the_course_answers(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    helped.decide(without_model()).await;
    the_course_answers(&helped).await;
}

async fn in_a_suite_without_a_model_the_course_answers(kind: Kind) {
    let helped = Helped::with_backend(kind, Options::new(), "none").await;
    helped.decide(strict()).await;
    the_course_answers(&helped).await;
}

/// Hints, references and redirects answer; where none does, the helper says that no model is called.
async fn the_course_answers(helped: &Helped) {
    let page = page(&helped.suite, lesson(LESSON)).await;
    let ada = helped.suite.student("ada");
    for message in [
        "I am stuck with 2x + 3 = 11",
        "What is a two-step equation?",
    ] {
        let answer = ada.chat(asking(&page, message)).await.unwrap();
        assert!(!answer.text.is_empty());
        assert_eq!((answer.attempts, answer.model.as_str()), (0, ""));
        assert!(answer.degraded_reasons.is_empty(), "{answer:?}");
        let record = Staff::of(&helped.suite)
            .record("ada", &answer.turn_id)
            .await;
        let facts = record.facts.unwrap();
        assert!(facts.no_model);
        assert_eq!((facts.model_call, facts.prompt), (None, None));
    }
    let elsewhere = asking(&page, "Who won the football match yesterday?");
    let redirected = ada.chat(elsewhere).await.unwrap();
    assert_ne!(redirected.redirect(), RedirectReason::Unspecified);
    assert!(redirected.degraded_reasons.is_empty(), "{redirected:?}");
    let mut without_lesson = lesson("A page of our own");
    without_lesson.topics = vec!["equations".to_owned()];
    let page = turnwise_tests::chat::page(&helped.suite, without_lesson).await;
    let refused = ada
        .chat(asking(&page, "What are equations good for?"))
        .await
        .unwrap_err();
    check_refusal(&refused, Code::FailedPrecondition, Why::LlmOff, "");
    assert_eq!(helped.asked().await, 0);
}

async fn a_class_that_becomes_strict_is_strict_from_the_next_message_on(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    helped
        .says("Subtract 3, then halve: x = 4. Can you check it?")
        .await;
    let ada = helped.suite.student("ada");
    let light = ada
        .chat(asking(&page, "Solve 2x + 3 = 11 for me"))
        .await
        .unwrap();
    assert!(light.text.contains("x = 4"), "{light:?}");
    helped.decide(strict()).await;
    let bob = helped.suite.student("bob");
    let strict = bob
        .chat(asking(&page, "Solve 2x + 3 = 11 for me"))
        .await
        .unwrap();
    assert!(!strict.text.contains('4'), "{strict:?}");
    assert_eq!(
        strict.degraded_reasons().collect::<Vec<_>>(),
        [DegradedReason::AnswerGiven]
    );
    let asked = helped.asked().await;
    let redirected = ada
        .chat(going_on(
            &page,
            &light,
            "Who won the football match yesterday?",
        ))
        .await
        .unwrap();
    assert_ne!(redirected.redirect(), RedirectReason::Unspecified);
    assert_eq!(redirected.attempts, 0);
    assert_eq!(helped.asked().await, asked);
}

async fn a_call_for_help_meets_the_fixed_text(kind: Kind) {
    let helped = Helped::start(kind, Options::new()).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    let ada = helped.suite.student("ada");
    let answer = ada
        .chat(asking(&page, "I am going to commit suicide"))
        .await
        .unwrap();
    assert_eq!(
        answer.degraded_reasons().collect::<Vec<_>>(),
        [DegradedReason::Guardrail]
    );
    assert_eq!(helped.asked().await, 0);
    let teacher = Teacher::of(&helped.suite);
    let request = teacher.request(turnwise_proto::school::v1::ListSafeguardingAlertsRequest {
        class_id: Student::CLASS.to_owned(),
        ..Default::default()
    });
    let alerts = teacher.classes().list_safeguarding_alerts(request).await;
    let alerts = alerts.unwrap().into_inner().alerts;
    assert_eq!(alerts.len(), 1);
    // The teacher sees what was said, and why it went as it did.
    let explained = Staff::of(&helped.suite)
        .explain_turn("ada", &alerts[0].turn_id)
        .await
        .unwrap();
    let facts = explained.record.unwrap().facts.unwrap();
    assert_eq!(facts.guardrail, "self_harm");
}
