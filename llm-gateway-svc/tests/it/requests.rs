//! Requests that are refused, and their bounds.

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{ChatRole, CompleteRequest, Purpose, StreamCompleteRequest},
};

use crate::harness::{fault, message, mock, request};

fn user(content: &str) -> CompleteRequest {
    CompleteRequest {
        messages: vec![message(ChatRole::User, content)],
        ..request()
    }
}

#[tokio::test]
async fn each_bad_field_is_named() {
    let gateway = mock(&[]).await;
    let bad = |change: fn(&mut CompleteRequest)| {
        let mut request = request();
        change(&mut request);
        request
    };
    for (request, field) in [
        (bad(|r| r.messages.clear()), "messages"),
        (
            bad(|r| r.messages = vec![message(ChatRole::User, "x"); 65]),
            "messages",
        ),
        (
            bad(|r| r.messages[1].content.clear()),
            "messages[1].content",
        ),
        (bad(|r| r.messages[0].role = 0), "messages[0].role"),
        (bad(|r| r.messages[1].role = 9), "messages[1].role"),
        (user(&"ä".repeat(400_001)), "messages"),
        (bad(|r| r.purpose = 0), "purpose"),
        (bad(|r| r.purpose = 99), "purpose"),
        (bad(|r| r.purpose = Purpose::Search.into()), "purpose"),
        (bad(|r| r.purpose = Purpose::Index.into()), "purpose"),
        (bad(|r| r.backend = "b".repeat(129)), "backend"),
        (bad(|r| r.class_id = "c".repeat(129)), "class_id"),
        (bad(|r| r.class_id = "a\u{7}".to_owned()), "class_id"),
        (bad(|r| r.thread_id = "t".repeat(129)), "thread_id"),
        (bad(|r| r.place_ticket = "p".repeat(513)), "place_ticket"),
        (bad(|r| r.max_response_chars = -1), "max_response_chars"),
        (
            bad(|r| r.client_address = "192.0.2.1:80".to_owned()),
            "client_address",
        ),
        (bad(|r| r.max_output_tokens = -1), "max_output_tokens"),
        (bad(|r| r.max_output_tokens = 32_769), "max_output_tokens"),
        (bad(|r| r.model = "m".repeat(257)), "model"),
        (bad(|r| r.model = "a\nb".to_owned()), "model"),
        (
            bad(|r| {
                r.max_wait = Some(prost_types::Duration {
                    seconds: -1,
                    nanos: 0,
                });
            }),
            "max_wait",
        ),
    ] {
        let failure = gateway.complete(request.clone()).await.unwrap_err();
        let refused = fault(&failure, ErrorReason::InvalidArgument);
        assert_eq!(refused.fields().collect::<Vec<_>>(), [field]);
        assert_eq!(refused.metadata("field"), Some(field));
        let failure = gateway.stream(request).await.unwrap_err();
        fault(&failure, ErrorReason::InvalidArgument);
    }
    let nothing = StreamCompleteRequest { request: None };
    let failure = gateway.client.clone().stream_complete(nothing).await;
    let refused = fault(&failure.unwrap_err(), ErrorReason::InvalidArgument);
    assert_eq!(refused.fields().collect::<Vec<_>>(), ["request"]);
}

#[tokio::test]
async fn the_bounds_themselves_are_allowed() {
    let gateway = mock(&[]).await;
    let most = CompleteRequest {
        messages: vec![message(ChatRole::User, "x"); 64],
        max_output_tokens: 32_768,
        ..request()
    };
    gateway.complete(most).await.unwrap();
    gateway.complete(user(&"ä".repeat(400_000))).await.unwrap();
}

#[tokio::test]
async fn a_schema_is_one_json_object() {
    let gateway = mock(&[]).await;
    let deep = format!("{}{}", r#"{"a":"#.repeat(5_000), "}".repeat(5_000));
    for schema in [
        "true", "[]", "\"{}\"", "12", "null", "{", "{} {}", "not json", " ", "{\"a\":}", &deep,
    ] {
        let request = CompleteRequest {
            json_schema: schema.to_owned(),
            ..request()
        };
        let failure = gateway.complete(request).await.unwrap_err();
        let refused = fault(&failure, ErrorReason::InvalidSchema);
        assert_eq!(refused.fields().collect::<Vec<_>>(), ["json_schema"]);
        assert_eq!(refused.metadata("field"), Some("json_schema"));
    }
}

#[tokio::test]
async fn a_schema_that_was_sent_can_be_named() {
    let gateway = mock(&[]).await;
    let with = |schema: &str| CompleteRequest {
        json_schema: schema.to_owned(),
        ..request()
    };
    // The SHA-256 of the text below.
    let name = "sha256:e558ad9d2b68cc584a1568b20f944fe4d151496717fe156f774ecd4ef7f3ed20";
    let failure = gateway.complete(with(name)).await.unwrap_err();
    assert_eq!(failure.code(), Code::FailedPrecondition);
    let refused = fault(&failure, ErrorReason::UnknownSchema);
    assert_eq!(refused.metadata("field"), Some("json_schema"));
    let failure = gateway.stream(with(name)).await.unwrap_err();
    fault(&failure, ErrorReason::UnknownSchema);
    assert_eq!(gateway.calls(), 0.0);
    gateway
        .complete(with(r#"{"type":"object","title":"sent once"}"#))
        .await
        .unwrap();
    gateway.complete(with(name)).await.unwrap();
    assert_eq!(gateway.calls(), 2.0);
}

#[tokio::test]
async fn who_is_asked_must_be_there() {
    let gateway = mock(&[]).await;
    let of = |backend: &str, model: &str| CompleteRequest {
        backend: backend.to_owned(),
        model: model.to_owned(),
        ..request()
    };
    for (backend, model, reason, field) in [
        ("ollama", "", ErrorReason::UnknownBackend, "backend"),
        ("Mock", "", ErrorReason::UnknownBackend, "backend"),
        ("mock", "gpt", ErrorReason::UnknownModel, "model"),
        ("", "mock:delay:x", ErrorReason::UnknownModel, "model"),
    ] {
        let failure = gateway.complete(of(backend, model)).await.unwrap_err();
        let refused = fault(&failure, reason);
        assert_eq!(refused.fields().collect::<Vec<_>>(), [field]);
        assert_eq!(
            refused.metadata(field),
            Some(if field == "model" { model } else { backend })
        );
        let failure = gateway
            .stream(of(backend, model))
            .await
            .unwrap()
            .message()
            .await;
        fault(&failure.unwrap_err(), reason);
    }
    assert_eq!(gateway.calls(), 0.0);
    gateway.complete(of("mock", "mock:echo")).await.unwrap();
}

#[tokio::test]
async fn a_ticket_that_is_none_is_as_good_as_none() {
    let gateway = mock(&[]).await;
    for ticket in ["x", "not base64 at all", &"A".repeat(64), &"A".repeat(512)] {
        let request = CompleteRequest {
            place_ticket: ticket.to_owned(),
            ..request()
        };
        gateway.complete_as("ada", request).await.unwrap();
    }
}
