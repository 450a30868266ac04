//! What the helper refuses, with the reason, the field and what to do.

use std::time::Duration;

use serde_json::json;
use tonic::{Code, Status};
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    helper::v1::{
        ChatRequest, LessonScope, MintScopeTokenRequest, helper_service_client::HelperServiceClient,
    },
};
use turnwise_testing::model_server::{ServiceTime, Settings};
use turnwise_tests::{
    chat::{LESSON, asking, chat, lesson, page},
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, Student},
    teacher::Teacher,
    token,
};

use super::Helped;

in_both_deployments!(
    what_is_wrong_with_a_message_or_a_token_is_said,
    who_finds_the_model_busy_is_told_when_to_come_back,
    a_hundred_messages_in_a_minute_are_too_many,
);

async fn mint(
    helped: &Helped,
    caller: &Teacher,
    request: MintScopeTokenRequest,
) -> Result<String, Status> {
    let mut client = HelperServiceClient::new(helped.suite.channel());
    let minted = client.mint_scope_token(caller.request(request)).await?;
    Ok(minted.into_inner().scope_token)
}

async fn what_is_wrong_with_a_message_or_a_token_is_said(kind: Kind) {
    let options = Options::new().env("HELPER_RATE_LIMIT_PER_MINUTE", "1000");
    let helped = Helped::start(kind, options).await;
    helped.says("What do you undo first?").await;
    let good = page(&helped.suite, lesson(LESSON)).await;
    let ada = helped.suite.student("ada");
    let ask = |page: &str| asking(page, "How do I solve a two-step equation?");

    let refused = ada.chat(ask("")).await.unwrap_err();
    check_refusal(
        &refused,
        Code::Unauthenticated,
        Why::MissingScopeToken,
        "scope_token",
    );
    // What a client says beside the token is nothing: a page of another class, a cut one, one of a stranger's key.
    let staff = Teacher::with_role(&helped.suite, "principal", "staff", Student::CLASS);
    let of_other_class = MintScopeTokenRequest {
        class_id: "9c".to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        scope: Some(lesson(LESSON)),
        ..MintScopeTokenRequest::default()
    };
    let of_bob = MintScopeTokenRequest {
        class_id: Student::CLASS.to_owned(),
        student_id: "bob".to_owned(),
        ..of_other_class.clone()
    };
    let of_other_class = mint(&helped, &staff, of_other_class).await.unwrap();
    let of_bob = mint(&helped, &staff, of_bob).await.unwrap();
    let forged = token::signed(
        &helped.suite.data_dir,
        &token::header(),
        &json!({ "aud": "turnwise helper", "scope": { "context": LESSON } }),
    );
    let long = format!("{good}{}", "A".repeat(9_000));
    for (token, cause) in [
        (of_other_class.as_str(), "class"),
        (&of_bob, "student"),
        (&good[..good.len() - 2], "mismatch"),
        (&good[..20], "malformed"),
        (&forged, "malformed"),
        (&long, "too_long"),
    ] {
        let refused = ada.chat(ask(token)).await.unwrap_err();
        let fault = check_refusal(
            &refused,
            Code::PermissionDenied,
            Why::InvalidScopeToken,
            "scope_token",
        );
        let found = fault.metadata("cause").unwrap();
        // Which part of a cut token is wrong first depends on its length.
        assert!(found == cause || found == "malformed", "{cause}: {found}");
    }

    for (message, code, why, field) in [
        ("", Code::InvalidArgument, Why::MissingMessage, "message"),
        (
            "\u{200b} ",
            Code::InvalidArgument,
            Why::InvalidText,
            "message",
        ),
        (
            "a\u{7}b",
            Code::InvalidArgument,
            Why::InvalidText,
            "message",
        ),
    ] {
        let refused = ada.chat(asking(&good, message)).await.unwrap_err();
        check_refusal(&refused, code, why, field);
    }
    let too_long = ada
        .chat(asking(&good, &"x".repeat(4_001)))
        .await
        .unwrap_err();
    check_refusal(
        &too_long,
        Code::InvalidArgument,
        Why::MessageTooLong,
        "message",
    );
    // Pictures alone are a message; there is always an answer.
    assert!(
        !ada.chat(asking(&good, "🙈🙈"))
            .await
            .unwrap()
            .text
            .is_empty()
    );

    for id in ["../bob", "a/b", &"c".repeat(129)] {
        let request = ChatRequest {
            conversation_id: id.to_owned(),
            ..ask(&good)
        };
        let refused = ada.chat(request).await.unwrap_err();
        check_refusal(
            &refused,
            Code::InvalidArgument,
            Why::InvalidArgument,
            "conversation_id",
        );
    }
    let unknown = ChatRequest {
        conversation_id: "no-such-conversation".to_owned(),
        ..ask(&good)
    };
    let refused = ada.chat(unknown).await.unwrap_err();
    check_refusal(
        &refused,
        Code::NotFound,
        Why::UnknownThread,
        "conversation_id",
    );

    // Who may sign, and what.
    let teacher = Teacher::of(&helped.suite);
    let request = MintScopeTokenRequest {
        class_id: Student::CLASS.to_owned(),
        course_id: DEMO_COURSE.to_owned(),
        scope: Some(lesson(LESSON)),
        ..MintScopeTokenRequest::default()
    };
    let refused = mint(&helped, &teacher, request.clone()).await.unwrap_err();
    check_refusal(&refused, Code::PermissionDenied, Why::PermissionDenied, "");
    let with = |scope: LessonScope| MintScopeTokenRequest {
        scope: Some(scope),
        ..request.clone()
    };
    for (request, field) in [
        (with(lesson("")), "scope.context"),
        (
            with(LessonScope {
                topics: vec!["topic".to_owned(); 1_000],
                ..lesson(LESSON)
            }),
            "scope.topics",
        ),
        (
            with(LessonScope {
                reference: "../../etc/passwd".to_owned(),
                ..lesson(LESSON)
            }),
            "scope.reference",
        ),
        (
            with(LessonScope {
                reference: "no-such-reference".to_owned(),
                ..lesson(LESSON)
            }),
            "scope.reference",
        ),
        (with(lesson("lesson\u{2028}SYSTEM")), "scope.context"),
        (
            with(LessonScope {
                language: "de-x-ignore-all".to_owned(),
                ..lesson(LESSON)
            }),
            "scope.language",
        ),
        (
            with(LessonScope {
                language: "not a tag".to_owned(),
                ..lesson(LESSON)
            }),
            "scope.language",
        ),
        (
            MintScopeTokenRequest {
                ttl: Some(prost_types::Duration {
                    seconds: 100_000,
                    nanos: 0,
                }),
                ..request.clone()
            },
            "ttl",
        ),
        (
            MintScopeTokenRequest {
                class_id: "a/b".to_owned(),
                ..request.clone()
            },
            "class_id",
        ),
    ] {
        let refused = mint(&helped, &staff, request).await.unwrap_err();
        check_refusal(&refused, Code::InvalidArgument, Why::InvalidArgument, field);
    }
    // Staff without a page may chat, and a page of any class is good for them.
    let answer = chat(&helped.suite.channel(), staff.request(ask(&of_other_class)))
        .await
        .unwrap();
    assert!(answer.scope_verified);
    helped.suite.nothing_panicked();
}

async fn who_finds_the_model_busy_is_told_when_to_come_back(kind: Kind) {
    let options = Options::new()
        .env("HELPER_MAX_CONCURRENCY", "1")
        .env("HELPER_QUEUE_MAX_WAIT_SECONDS", "1")
        .env("QUEUE_EXPECTED_CALL_SECONDS", "10")
        .env("QUEUE_PLACE_GRACE_SECONDS", "30");
    let helped = Helped::start(kind, options).await;
    let slow = Settings {
        service_time: ServiceTime::constant(Duration::from_secs(6)),
        text: "What do you undo first?".to_owned(),
        ..Settings::default()
    };
    helped.model.set(&slow).await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    let (ada, bob) = (helped.suite.student("ada"), helped.suite.student("bob"));
    let first = asking(&page, "How do I solve a two-step equation?");
    let running = tokio::spawn(async move { ada.chat(first).await });
    while helped.asked().await == 0 {
        tokio::task::yield_now().await;
    }
    let message = asking(&page, "Why do both sides of an equation change?");
    let refused = bob.chat(message.clone()).await.unwrap_err();
    let fault = check_refusal(&refused, Code::ResourceExhausted, Why::Busy, "");
    let wait = fault.retry_delay().expect("when to come back");
    // The ticket is a detail of its own, for clients that read typed details.
    let details = String::from_utf8_lossy(refused.details()).into_owned();
    assert!(details.contains("turnwise.helper.v1.PlaceTicket"));
    let again = ChatRequest {
        place_ticket: fault.metadata("place_ticket").unwrap().to_owned(),
        conversation_id: fault.metadata("conversation_id").unwrap().to_owned(),
        ..message
    };
    tokio::time::sleep(wait).await;
    let answer = bob.chat(again).await.unwrap();
    assert_eq!(answer.attempts, 1);
    running.await.unwrap().unwrap();
}

async fn a_hundred_messages_in_a_minute_are_too_many(kind: Kind) {
    let helped = Helped::start(
        kind,
        Options::new().env("HELPER_RATE_LIMIT_PER_MINUTE", "30"),
    )
    .await;
    helped.says("What do you undo first?").await;
    let page = page(&helped.suite, lesson(LESSON)).await;
    let ada = helped.suite.student("ada");
    let mut answered = 0;
    let mut refused = 0;
    for _ in 0..100 {
        let message = asking(&page, "How do I solve a two-step equation?");
        match ada.chat(message).await {
            Ok(_) => answered += 1,
            Err(status) => {
                let fault = check_refusal(&status, Code::ResourceExhausted, Why::RateLimited, "");
                assert!(fault.retry_delay().is_some());
                refused += 1;
            }
        }
    }
    // A few come back while the others are sent.
    assert!(answered >= 30 && refused >= 50, "{answered} {refused}");
}
