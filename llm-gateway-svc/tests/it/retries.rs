//! Another attempt: for what failures, how often, after how long, and never past the deadline.

use std::time::Duration;

use tokio::time::Instant;
use turnwise_proto::common::v1::ErrorReason;
use turnwise_testing::model_server::Fault;

use crate::harness::{
    Gateway, always, call, failing, fault, mock, ollama_at, read, request, request_to, seconds,
};

/// The arguments of a gateway whose breakers stay closed and whose budget for retries is large.
const UNBOUNDED: [&str; 4] = [
    "--helper-circuit-breaker-failures",
    "1000",
    "--llm-retry-budget-percent",
    "1000",
];

async fn unbounded(args: &[&str]) -> Gateway {
    mock(&[&UNBOUNDED, args].concat()).await
}

#[tokio::test]
async fn what_the_transport_lost_is_tried_again() {
    for lost in [
        Fault::Reset,
        Fault::Stall,
        Fault::InternalError,
        Fault::TooManyRequests(None),
        Fault::TooManyRequests(Some(0)),
    ] {
        let server = failing(&[lost, Fault::None, lost]).await;
        // Of these only silence takes its time.
        let patience: &[&str] = if lost == Fault::Stall {
            &["--ollama-timeout-seconds", "2"]
        } else {
            &[]
        };
        let gateway = ollama_at(&server.url(), patience).await;
        let answer = gateway.complete(request()).await.unwrap();
        assert_eq!(answer.end.unwrap().attempts, 2, "{lost}");
        let streamed = read(gateway.stream(request()).await.unwrap()).await;
        assert_eq!(streamed.text, answer.text, "{lost}");
        assert_eq!(streamed.end.unwrap().attempts, 2, "{lost}");
        assert_eq!(server.statistics().completions.begun, 4);
        assert_eq!(gateway.metric("llm_retries_total", "ollama"), 2.0);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_tried_again() {
    // Its port is free again once it is dropped.
    let url = failing(&[]).await.url();
    let gateway = ollama_at(&url, &["--helper-backend-max-attempts", "3"]).await;
    let failure = gateway.complete(request()).await.unwrap_err();
    let away = fault(&failure, ErrorReason::BackendUnavailable);
    assert!(away.retry_delay().is_some());
    assert_eq!(gateway.metric("llm_retries_total", ""), 2.0);
    assert_eq!(gateway.calls(), 3.0);
}

#[tokio::test]
async fn once_a_body_has_begun_there_is_no_second_call() {
    for broken in [
        Fault::ResetMidway,
        Fault::StallMidway,
        Fault::EarlyClose,
        Fault::Malformed,
    ] {
        let server = failing(&[broken]).await;
        let patience = ["--ollama-timeout-seconds", "3"];
        let gateway = ollama_at(&server.url(), &patience).await;
        let failure = gateway.complete(request()).await.unwrap_err();
        fault(&failure, ErrorReason::BackendError);
        assert_eq!(server.statistics().completions.begun, 1, "{broken}");

        let server = failing(&[broken]).await;
        let gateway = ollama_at(&server.url(), &patience).await;
        let streamed = read(gateway.stream(request()).await.unwrap()).await;
        assert!(!streamed.text.is_empty(), "{broken}");
        fault(&streamed.failure.unwrap(), ErrorReason::BackendError);
        assert_eq!(server.statistics().completions.begun, 1, "{broken}");
        assert_eq!(gateway.metric("llm_retries_total", ""), 0.0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_is_not_tried_again() {
    let gateway = unbounded(&[]).await;
    for (status, reason) in [
        ("400", ErrorReason::BackendError),
        ("401", ErrorReason::BackendError),
        ("404", ErrorReason::UnknownModel),
        ("499", ErrorReason::BackendError),
        ("300", ErrorReason::BackendError),
    ] {
        let refused = gateway.complete(request_to(&format!("mock:status:{status}")));
        fault(&refused.await.unwrap_err(), reason);
    }
    assert_eq!(gateway.metric("llm_retries_total", ""), 0.0);
    assert_eq!(gateway.calls(), 5.0);
}

#[tokio::test]
async fn attempts_are_bounded() {
    for (most, failures, passes) in [
        ("1", 1, false),
        ("1", 0, true),
        ("4", 3, true),
        ("4", 4, false),
    ] {
        let server = failing(&vec![Fault::InternalError; failures]).await;
        let gateway = ollama_at(&server.url(), &["--helper-backend-max-attempts", most]).await;
        let answer = gateway.complete(request()).await;
        let made = server.statistics().completions.begun;
        match answer {
            Ok(answer) => {
                assert!(passes, "{most} {failures}");
                assert_eq!(made, failures as u64 + 1);
                assert_eq!(answer.end.unwrap().attempts, failures as i32 + 1);
            }
            Err(failure) => {
                assert!(!passes, "{most} {failures}");
                fault(&failure, ErrorReason::BackendError);
                assert_eq!(made, failures as u64);
            }
        }
    }
}

/// How long a request to this model of the mock takes until it fails, and when it may be tried again.
async fn failed_after(gateway: &Gateway, model: &str) -> (Duration, Option<Duration>) {
    let begun = Instant::now();
    let failure = gateway.complete(request_to(model)).await.unwrap_err();
    let failed = fault(&failure, ErrorReason::BackendError);
    (begun.elapsed(), failed.retry_delay())
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_waited_for_unless_it_is_too_long() {
    let gateway = unbounded(&["--llm-retry-after-max-seconds", "5"]).await;
    for (status, waited, asked) in [
        ("429:2", 2, 2),
        ("503:5", 5, 5),
        ("503:6", 0, 6),
        ("429:60", 0, 60),
    ] {
        let (took, told) = failed_after(&gateway, &format!("mock:status:{status}")).await;
        assert_eq!(took.as_secs(), waited, "{status}");
        assert_eq!(told, Some(seconds(asked.into())), "{status}");
    }
    // What was not waited for was not called either.
    assert_eq!(gateway.metric("llm_retries_total", ""), 2.0);
}

#[tokio::test(start_paused = true)]
async fn pauses_are_left_to_chance_and_double() {
    let gateway = unbounded(&[
        "--helper-backoff-seconds",
        "1",
        "--helper-backend-max-attempts",
        "3",
    ])
    .await;
    let mut pauses = Vec::new();
    for _ in 0..300 {
        let (took, told) = failed_after(&gateway, "mock:status:503").await;
        assert!(told.is_some());
        pauses.push(took.as_secs_f64());
    }
    // The sum of one pause up to 1 s and one up to 2 s.
    assert!(pauses.iter().all(|pause| *pause < 3.01), "{pauses:?}");
    let mean = pauses.iter().sum::<f64>() / 300.0;
    assert!((1.3..1.7).contains(&mean), "{mean}");
    assert!(pauses.iter().any(|pause| *pause < 0.5));
    assert!(pauses.iter().any(|pause| *pause > 2.5));
}

#[tokio::test(start_paused = true)]
async fn retries_stay_within_their_budget() {
    for (percent, least, most) in [("0", 0.0, 0.0), ("20", 20.0, 32.0), ("50", 50.0, 62.0)] {
        let gateway = mock(&[
            "--helper-circuit-breaker-failures",
            "1000",
            "--helper-backoff-seconds",
            "0",
            "--llm-retry-budget-percent",
            percent,
        ])
        .await;
        for _ in 0..100 {
            let (took, _) = failed_after(&gateway, "mock:status:503").await;
            assert!(took < seconds(0.1));
        }
        let retries = gateway.metric("llm_retries_total", "");
        assert!((least..=most).contains(&retries), "{percent}: {retries}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_attempt_begins_after_the_deadline() {
    let gateway = unbounded(&[]).await;
    for (deadline, waited, retries) in [(2.0, 0, 0.0), (3.2, 0, 0.0), (3.5, 3, 1.0)] {
        let before = gateway.metric("llm_retries_total", "");
        let begun = Instant::now();
        let request = call(None, seconds(deadline), request_to("mock:status:503:3"));
        let failure = gateway.complete(request).await.unwrap_err();
        fault(&failure, ErrorReason::BackendError);
        assert_eq!(begun.elapsed().as_secs(), waited, "{deadline}");
        let made = gateway.metric("llm_retries_total", "") - before;
        assert_eq!(made, retries, "{deadline}");
    }
}

#[tokio::test]
async fn a_slot_is_held_between_attempts() {
    // The next attempt is long after the test.
    let server = always(Fault::TooManyRequests(Some(60))).await;
    let args = [
        "--helper-max-concurrency",
        "1",
        "--llm-retry-after-max-seconds",
        "60",
    ];
    let gateway = ollama_at(&server.url(), &args).await;
    let first = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.complete(request()).await }
    });
    crate::harness::until(async || server.statistics().completions.ended == 1).await;
    assert_eq!(gateway.running().await, 1);
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    assert_eq!(gateway.running().await, 0);
    assert_eq!(server.statistics().completions.begun, 1);
}
