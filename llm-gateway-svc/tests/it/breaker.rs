//! A model that fails too often is left alone, until one call has found out that it works again.

use std::time::Duration;

use tokio::{task::JoinSet, time::sleep};
use turnwise_kit::Fault as Refusal;
use turnwise_proto::{common::v1::ErrorReason, llm::v1::BreakerState};
use turnwise_testing::model_server::{Fault, ModelServer, ServiceTime, Settings as Model};

use crate::harness::{
    Gateway, LONG, always, failing, fault, mock, ollama_at, request, request_to, seconds, until,
    with_wait,
};

/// A gateway that calls once for each request, and leaves a server alone for a second after so many failures.
async fn short(server: &ModelServer, failures: &str) -> Gateway {
    ollama_at(
        &server.url(),
        &[
            "--helper-backend-max-attempts",
            "1",
            "--helper-circuit-breaker-failures",
            failures,
            "--helper-circuit-breaker-ttl-seconds",
            "1",
        ],
    )
    .await
}

/// Longer than a breaker stays open here.
async fn half_opens() {
    sleep(Duration::from_millis(1_050)).await;
}

async fn refused(gateway: &Gateway) -> Refusal {
    let failure = gateway.complete(request()).await.unwrap_err();
    fault(&failure, ErrorReason::CircuitOpen)
}

async fn fails(gateway: &Gateway) {
    let failure = gateway.complete(request()).await.unwrap_err();
    fault(&failure, ErrorReason::BackendError);
}

async fn state(gateway: &Gateway) -> BreakerState {
    gateway.queue().await.breaker()
}

#[tokio::test(start_paused = true)]
async fn it_opens_after_so_many_failures_and_nobody_calls_meanwhile() {
    let gateway = mock(&[
        "--mock-model",
        "mock:status:503",
        "--helper-circuit-breaker-failures",
        "3",
    ])
    .await;
    for _ in 0..3 {
        assert!(
            gateway
                .all_queues()
                .await
                .iter()
                .all(|q| q.breaker() == BreakerState::Closed)
        );
        fails(&gateway).await;
    }
    assert_eq!(state(&gateway).await, BreakerState::Open);
    // Two attempts each: a request counts once.
    assert_eq!(gateway.calls(), 6.0);
    sleep(seconds(10.0)).await;
    for _ in 0..20 {
        let open = refused(&gateway).await;
        let left = open.retry_delay().unwrap();
        assert!((seconds(18.0)..=seconds(20.0)).contains(&left), "{left:?}");
        assert_eq!(open.metadata("backend"), Some("mock"));
        assert_eq!(open.metadata("model"), Some("mock:status:503"));
    }
    assert_eq!(gateway.calls(), 6.0);
    assert_eq!(gateway.metric("llm_refused_total", "CIRCUIT_OPEN"), 20.0);
    // Another model of the same backend is another matter.
    gateway.complete(request_to("mock")).await.unwrap();

    sleep(seconds(20.5)).await;
    // The probe fails, so it opens once more.
    fails(&gateway).await;
    let again = refused(&gateway).await.retry_delay().unwrap();
    assert!(again > seconds(29.0), "{again:?}");
}

#[tokio::test]
async fn one_probe_finds_out_while_all_others_are_still_refused() {
    let server = failing(&[Fault::InternalError, Fault::InternalError]).await;
    let gateway = short(&server, "2").await;
    fails(&gateway).await;
    fails(&gateway).await;
    refused(&gateway).await;
    server.set(Model {
        service_time: ServiceTime::constant(Duration::from_millis(300)),
        ..Model::default()
    });
    half_opens().await;
    server.reset_statistics();
    let mut calls = JoinSet::new();
    for _ in 0..8 {
        let (gateway, request) = (gateway.clone(), with_wait(LONG, request()));
        calls.spawn(async move { gateway.complete(request).await });
    }
    let answers = calls.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    for failure in answers.iter().filter_map(|answer| answer.as_ref().err()) {
        let open = fault(failure, ErrorReason::CircuitOpen);
        let again = open.retry_delay().unwrap();
        assert!(again <= seconds(6.0), "{again:?}");
    }
    assert_eq!(server.statistics().completions.begun, 1);
    assert_eq!(state(&gateway).await, BreakerState::Closed);
    gateway.complete(request()).await.unwrap();
}

#[tokio::test]
async fn a_probe_that_fails_opens_it_again() {
    let server = always(Fault::InternalError).await;
    let gateway = short(&server, "1").await;
    fails(&gateway).await;
    for round in 1..=2 {
        refused(&gateway).await;
        half_opens().await;
        assert_eq!(state(&gateway).await, BreakerState::HalfOpen);
        fails(&gateway).await;
        assert_eq!(server.statistics().completions.begun, round + 1);
    }
}

#[tokio::test]
async fn a_probe_whose_caller_leaves_is_given_back() {
    let server = failing(&[Fault::InternalError, Fault::Stall]).await;
    let gateway = short(&server, "1").await;
    fails(&gateway).await;
    half_opens().await;
    let probe = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.complete(request()).await }
    });
    until(async || server.statistics().completions.begun == 2).await;
    refused(&gateway).await;
    probe.abort();
    assert!(probe.await.unwrap_err().is_cancelled());
    gateway.complete(request()).await.unwrap();
    assert_eq!(state(&gateway).await, BreakerState::Closed);
}

#[tokio::test]
async fn a_success_ends_a_row_of_failures() {
    let script = [Fault::InternalError, Fault::None].repeat(6);
    let server = failing(&script).await;
    let gateway = short(&server, "2").await;
    for _ in 0..6 {
        fails(&gateway).await;
        gateway.complete(request()).await.unwrap();
    }
}

#[tokio::test]
async fn a_broken_answer_counts() {
    let server = always(Fault::EarlyClose).await;
    let gateway = short(&server, "2").await;
    fails(&gateway).await;
    let streamed = crate::harness::read(gateway.stream(request()).await.unwrap()).await;
    fault(&streamed.failure.unwrap(), ErrorReason::BackendError);
    refused(&gateway).await;
}

#[tokio::test(start_paused = true)]
async fn configuration_and_callers_do_not_count() {
    for (status, reason) in [
        ("401", ErrorReason::BackendError),
        ("400", ErrorReason::BackendError),
        ("404", ErrorReason::UnknownModel),
        ("429:60", ErrorReason::BackendError),
    ] {
        let model = format!("mock:status:{status}");
        let gateway = mock(&[
            "--mock-model",
            &model,
            "--helper-circuit-breaker-failures",
            "1",
        ])
        .await;
        for _ in 0..5 {
            fault(&gateway.complete(request()).await.unwrap_err(), reason);
        }
    }
    let gateway = mock(&[
        "--mock-model",
        "mock:stall",
        "--helper-circuit-breaker-failures",
        "1",
    ])
    .await;
    for _ in 0..5 {
        let gone = gateway.starts("ada", request()).await;
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        let late = gateway.complete_within(request(), seconds(1.0)).await;
        fault(&late.unwrap_err(), ErrorReason::DeadlineExceeded);
    }
    assert_eq!(state(&gateway).await, BreakerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn who_waits_when_it_opens_is_refused_without_a_call() {
    // The one in the slot waits two seconds between its attempts.
    let gateway = mock(&[
        "--mock-model",
        "mock:status:503:2",
        "--helper-max-concurrency",
        "1",
        "--helper-circuit-breaker-failures",
        "1",
    ])
    .await;
    let first = gateway.starts("ada", request()).await;
    let second = gateway.starts("ben", request()).await;
    assert_eq!(gateway.queue().await.waiting_total, 1);
    fault(
        &first.await.unwrap().unwrap_err(),
        ErrorReason::BackendError,
    );
    fault(
        &second.await.unwrap().unwrap_err(),
        ErrorReason::CircuitOpen,
    );
    assert_eq!(gateway.calls(), 2.0);
}
