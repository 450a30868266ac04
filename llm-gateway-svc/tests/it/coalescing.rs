//! Identical requests of one class that share a completion.

use tokio::{task::JoinHandle, time::Instant};
use tonic::Status;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{ChatRole, CompleteRequest, CompleteResponse},
};

use crate::harness::{
    Gateway, LONG, call, fault, in_class, message, mock_taking, read, seconds, settle, student,
    student_of, with_wait,
};

/// A gateway whose model needs a second, with these slots.
async fn sharing(slots: usize) -> Gateway {
    mock_taking(1000, slots, &["--llm-coalesce", "1"]).await
}

/// How often models were called for each answer.
async fn attempts(
    calls: impl IntoIterator<Item = JoinHandle<Result<CompleteResponse, Status>>>,
) -> Vec<i32> {
    let mut attempts = Vec::new();
    for call in calls {
        attempts.push(call.await.unwrap().unwrap().end.unwrap().attempts);
    }
    attempts
}

#[tokio::test(start_paused = true)]
async fn identical_requests_of_a_class_share_one_call() {
    let gateway = sharing(8).await;
    let begun = Instant::now();
    let mut calls = Vec::new();
    for student in ["ada", "ben", "cid"] {
        calls.push(gateway.starts(student, in_class("7a")).await);
    }
    assert_eq!(gateway.running().await, 1);
    assert_eq!(attempts(calls).await, [1, 0, 0]);
    assert!(begun.elapsed() < seconds(1.1));
    assert_eq!(gateway.calls(), 1.0);
    assert_eq!(gateway.metric("llm_coalesced_total", ""), 2.0);
    assert_eq!(gateway.metric("llm_calls_total", "OK"), 3.0);

    // There is no cache: who comes afterwards is answered anew.
    let after = gateway.starts("dan", in_class("7a")).await;
    assert_eq!(attempts([after]).await, [1]);
}

#[tokio::test(start_paused = true)]
async fn it_is_off_by_default() {
    let gateway = mock_taking(1000, 8, &[]).await;
    let one = gateway.starts("ada", in_class("7a")).await;
    let other = gateway.starts("ben", in_class("7a")).await;
    assert_eq!(attempts([one, other]).await, [1, 1]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_shared_across_classes_and_tenants() {
    let gateway = sharing(8).await;
    let mut calls = Vec::new();
    for (tenant, class) in [
        ("school", "7a"),
        ("school", "7b"),
        ("other", "7a"),
        ("school", ""),
        ("school", ""),
    ] {
        let gateway = gateway.clone();
        let request = call(Some(student_of(tenant, "ada")), LONG, in_class(class));
        calls.push(tokio::spawn(async move { gateway.complete(request).await }));
    }
    settle().await;
    assert_eq!(attempts(calls).await, [1; 5]);
}

#[tokio::test(start_paused = true)]
async fn whatever_is_asked_differently_is_not_shared() {
    let gateway = sharing(8).await;
    let base = || in_class("7a");
    let others = [
        base(),
        CompleteRequest {
            max_output_tokens: 9,
            ..base()
        },
        CompleteRequest {
            max_response_chars: 300,
            ..base()
        },
        CompleteRequest {
            json_schema: r#"{"type":"object"}"#.to_owned(),
            ..base()
        },
        CompleteRequest {
            model: "mock:delay:999".to_owned(),
            ..base()
        },
        CompleteRequest {
            backend: "mock".to_owned(),
            ..base()
        },
        CompleteRequest {
            messages: vec![message(ChatRole::User, "How do I solve x + 7 = 12?")],
            ..base()
        },
        CompleteRequest {
            messages: vec![
                message(ChatRole::User, "Answer in JSON."),
                message(ChatRole::User, "How do I solve x + 7 = 12?"),
            ],
            ..base()
        },
    ];
    let mut calls = Vec::new();
    for (number, request) in others.into_iter().enumerate() {
        calls.push(gateway.starts(&number.to_string(), request).await);
    }
    assert_eq!(attempts(calls).await, [1; 8]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_shared_from_its_beginning() {
    let args = ["--mock-model", "mock:slow:100", "--llm-coalesce", "1"];
    let gateway = crate::harness::mock(&args).await;
    let first = gateway.stream_as(Some(student("ada")), LONG, in_class("7a"));
    let first = tokio::spawn(read(first.await.unwrap()));
    tokio::time::sleep(seconds(0.25)).await;
    let second = gateway.stream_as(Some(student("ben")), LONG, in_class("7a"));
    let second = read(second.await.unwrap()).await;
    let first = first.await.unwrap();
    assert_eq!(first.text, second.text);
    assert_eq!(first.end.unwrap().attempts, 1);
    assert_eq!(second.end.unwrap().attempts, 0);
    assert_eq!(gateway.calls(), 1.0);
}

#[tokio::test(start_paused = true)]
async fn the_first_one_may_leave() {
    let gateway = sharing(8).await;
    let first = gateway.starts("ada", in_class("7a")).await;
    let second = gateway.starts("ben", in_class("7a")).await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    assert_eq!(gateway.running().await, 1);
    assert_eq!(attempts([second]).await, [0]);
    assert_eq!(gateway.calls(), 1.0);
}

#[tokio::test(start_paused = true)]
async fn with_the_last_one_the_call_ends() {
    let gateway = sharing(8).await;
    let first = gateway.starts("ada", in_class("7a")).await;
    let second = gateway.starts("ben", in_class("7a")).await;
    for gone in [first, second] {
        assert_eq!(gateway.running().await, 1);
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        settle().await;
    }
    assert_eq!(gateway.running().await, 0);
    // Nobody is left in whose call the next one could share.
    let next = gateway.starts("cid", in_class("7a")).await;
    assert_eq!(attempts([next]).await, [1]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_the_first_is_not_the_second_ones() {
    // The model is slower than foreseen, so the first one is refused only when its time is over.
    let slow = [
        "--llm-coalesce",
        "1",
        "--queue-expected-call-seconds",
        "0.2",
    ];
    let model = [
        "--mock-model",
        "mock:delay:3000",
        "--helper-max-concurrency",
        "1",
    ];
    let gateway = crate::harness::mock(&[&slow[..], &model].concat()).await;
    let held = [
        gateway.starts("eve", in_class("8a")).await,
        gateway.starts("eve", in_class("8b")).await,
    ];
    let impatient = with_wait(seconds(2.5), in_class("7a"));
    let first = gateway.starts("ada", impatient).await;
    let second = gateway.starts("ben", in_class("7a")).await;
    assert_eq!(gateway.queue().await.waiting_total, 2);
    fault(&first.await.unwrap().unwrap_err(), ErrorReason::Busy);
    assert_eq!(attempts([second]).await, [1]);
    assert_eq!(attempts(held).await, [1, 1]);
    // Each is counted once, and admitted once.
    assert_eq!(gateway.metric("llm_calls_total", ""), 4.0);
}

#[tokio::test(start_paused = true)]
async fn each_keeps_its_own_deadline() {
    let gateway =
        crate::harness::mock(&["--mock-model", "mock:slow:200", "--llm-coalesce", "1"]).await;
    let first = gateway.stream_as(Some(student("ada")), seconds(1.0), in_class("7a"));
    let first = tokio::spawn(read(first.await.unwrap()));
    settle().await;
    let second = gateway.stream_as(Some(student("ben")), LONG, in_class("7a"));
    let second = tokio::spawn(read(second.await.unwrap()));
    settle().await;
    let third = gateway.stream_as(Some(student("cid")), seconds(0.8), in_class("7a"));
    let third = read(third.await.unwrap()).await;
    for late in [first.await.unwrap(), third] {
        assert!(!late.text.is_empty());
        fault(&late.failure.unwrap(), ErrorReason::DeadlineExceeded);
    }
    let second = second.await.unwrap();
    assert!(second.end.is_some(), "{second:?}");
    assert_eq!(gateway.calls(), 1.0);
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_model_is_everybodys() {
    let args = ["--mock-model", "mock:status:503:1", "--llm-coalesce", "1"];
    let gateway = crate::harness::mock(&args).await;
    let one = gateway.starts("ada", in_class("7a")).await;
    let other = gateway.starts("ben", in_class("7a")).await;
    for failed in [one, other] {
        fault(
            &failed.await.unwrap().unwrap_err(),
            ErrorReason::BackendError,
        );
    }
    assert_eq!(gateway.calls(), 2.0);
}

#[tokio::test(start_paused = true)]
async fn limits_count_each_request_once() {
    let limit = [
        "--llm-coalesce",
        "1",
        "--llm-class-requests-per-minute",
        "3",
    ];
    let gateway = mock_taking(1000, 1, &limit).await;
    let mut calls = Vec::new();
    for student in ["ada", "ben", "cid"] {
        calls.push(gateway.starts(student, in_class("7a")).await);
    }
    let refused = gateway.complete_as("dan", in_class("7a")).await;
    fault(&refused.unwrap_err(), ErrorReason::RateLimited);
    assert_eq!(attempts(calls).await, [1, 0, 0]);
}
