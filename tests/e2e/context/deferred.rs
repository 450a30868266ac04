//! Messages that may be answered later: accepted, and answered once.

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason,
    context::v1::watch_thread_response::Event,
    tutor::v1::{
        ClientEvent, ClientEventKind, DegradedReason, DialogState, Role, TakeTurnRequest,
        TakeTurnResponse, Thread,
    },
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    staff::Staff,
    student::{DEMO_COURSE, Student, empty_turn, saying},
};

use super::{BUDGET, CHECK, in_phase, replies, requests, supplied, supply, waits, watch};

in_both_deployments!(
    a_deferred_message_is_answered_later,
    what_cannot_wait_is_answered_or_refused,
);

const ASKED: &str = "Why does minus a minus make a plus?";

async fn later(ada: &Student, thread: &Thread) -> TakeTurnResponse {
    let deferred = TakeTurnRequest {
        deferred: true,
        ..saying(thread, ASKED)
    };
    // Sent again it is the same message.
    ada.turn(deferred.clone()).await.unwrap();
    ada.turn(deferred).await.unwrap()
}

async fn a_deferred_message_is_answered_later(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let accepted = later(&ada, &thread).await;
    assert_eq!(accepted.dialog_state(), DialogState::Queued);
    assert_eq!(accepted.messages.len(), 1);
    assert_eq!(accepted.messages[0].role(), Role::User);
    assert!(accepted.degraded_reasons.is_empty());
    assert!(accepted.context_required.is_none());

    let mut stream = watch(&ada, &thread, 0).await.unwrap();
    let mut kinds = Vec::new();
    let answer = loop {
        let next = stream.message().await.unwrap().unwrap();
        match next.event.unwrap() {
            Event::Message(message) if message.role() == Role::Assistant => break message,
            Event::Message(_) => kinds.push("message"),
            Event::Stage(stage) => {
                assert_eq!(stage.user_message_id, accepted.messages[0].id);
                kinds.push("stage");
            }
            Event::Delta(_) => {}
            other => panic!("nobody was asked for anything: {other:?}"),
        }
    };
    assert_eq!(kinds, ["message", "stage"]);
    assert_eq!(answer.id, 2);
    assert_eq!(replies(&ada, &thread, 1).await.len(), 1);
    assert!(requests(&ada, &thread).await.unwrap().is_empty());

    // The next one is answered at once, and knows what was said.
    let next = ada.say(&thread, "And plus a minus?").await;
    assert_eq!(next.dialog_state(), DialogState::AnswerProvided);
    let record = Staff::of(&suite).record(&ada.id, &next.turn_id).await;
    let recent = record.texts.unwrap().recent_messages;
    let recent: Vec<&str> = recent.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(recent, [ASKED, &answer.text]);

    // What a message needs is asked for all the same; then the answer has it.
    let other = ada.open(DEMO_COURSE).await;
    let needs = TakeTurnRequest {
        deferred: true,
        ..in_phase(&other, "budget", CHECK)
    };
    let required = waits(&ada.turn(needs).await.unwrap());
    let supply = supply(&other, &required.request_id, BUDGET);
    supplied(&ada.channel, ada.request(supply)).await.unwrap();
    replies(&ada, &other, 1).await;
    suite.nothing_panicked();
}

async fn what_cannot_wait_is_answered_or_refused(kind: Kind) {
    let suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let pressed = TakeTurnRequest {
        event: Some(ClientEvent {
            kind: ClientEventKind::StuckHint.into(),
            unit_id: "ALG-01".to_owned(),
            ..ClientEvent::default()
        }),
        deferred: true,
        ..empty_turn(&thread)
    };
    let refused = ada.turn(pressed).await.unwrap_err();
    let reason = ErrorReason::InvalidArgument;
    check_refusal(&refused, Code::InvalidArgument, reason, "deferred");

    // Words that call for help do not wait.
    let help = TakeTurnRequest {
        deferred: true,
        ..saying(&thread, "I want to kill myself")
    };
    let answer = ada.turn(help).await.unwrap();
    assert_eq!(answer.dialog_state(), DialogState::AnswerProvided);
    let degraded: Vec<_> = answer.degraded_reasons().collect();
    assert_eq!(degraded, [DegradedReason::Guardrail]);

    // A thread waits for one thing.
    waits(&ada.turn(in_phase(&thread, "budget", CHECK)).await.unwrap());
    let deferred = TakeTurnRequest {
        deferred: true,
        ..saying(&thread, ASKED)
    };
    let refused = ada.turn(deferred.clone()).await.unwrap_err();
    let refused = check_refusal(&refused, Code::Aborted, ErrorReason::TurnInProgress, "");
    assert_eq!(refused.metadata("cause"), Some("waiting"));
    suite.nothing_panicked();
}
