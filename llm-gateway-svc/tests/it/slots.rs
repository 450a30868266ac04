//! The slots: never more calls than allowed, first come first served, a bounded wait.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::Instant,
};
use turnwise_proto::{common::v1::ErrorReason, llm::v1::stream_complete_response::Piece};

use crate::{
    harness::{Gateway, fault, gateway, mock, request, request_to, with_wait},
    upstream::{Upstream, ollama_text},
};

/// Takes a slot for as long as the stream lives.
async fn hold(
    gateway: &Gateway,
) -> tonic::Streaming<turnwise_proto::llm::v1::StreamCompleteResponse> {
    gateway.stream(request_to("mock:stall")).await.unwrap()
}

#[tokio::test]
async fn no_more_calls_than_slots_reach_the_server() {
    const SLOTS: usize = 3;
    const CALLS: usize = 12;
    let gate = Arc::new(Semaphore::new(0));
    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    let server = Upstream::answering({
        let gate = Arc::clone(&gate);
        move |_| {
            let (gate, arrived) = (Arc::clone(&gate), arrived.clone());
            async move {
                arrived.send(()).unwrap();
                gate.acquire().await.unwrap().forget();
                ollama_text("ok")
            }
        }
    })
    .await;
    let gateway = gateway(&[
        "--ollama-base-url",
        &server.url,
        "--helper-max-concurrency",
        "3",
    ])
    .await;
    let mut calls = JoinSet::new();
    for _ in 0..CALLS {
        let gateway = gateway.clone();
        calls.spawn(async move { gateway.complete(request()).await });
    }
    let mut inside = 0;
    for finished in 0..CALLS {
        while inside < SLOTS.min(CALLS - finished) {
            arrivals.recv().await.unwrap();
            inside += 1;
        }
        // All slots are taken, and nobody else is inside.
        assert_eq!(gateway.metric("llm_slots_in_use"), inside.to_string());
        assert!(arrivals.try_recv().is_err());
        gate.add_permits(1);
        calls.join_next().await.unwrap().unwrap().unwrap();
        inside -= 1;
    }
    assert_eq!(gateway.metric("llm_slots_in_use"), "0");
    assert_eq!(gateway.metric("llm_slots"), "3");
}

#[tokio::test(start_paused = true)]
async fn busy_after_the_wait_with_a_time_to_try_again() {
    let gateway = mock(&["--helper-max-concurrency", "1"]).await;
    let _held = hold(&gateway).await;
    for (wait, waited) in [
        (None, 10),
        (Some(0), 0),
        (Some(3), 3),
        // The most that anybody may ask for.
        (Some(100_000), 600),
    ] {
        let request = match wait {
            None => request(),
            Some(seconds) => with_wait(Duration::from_secs(seconds), request()),
        };
        let begun = Instant::now();
        let failure = gateway.complete(request).await.unwrap_err();
        let busy = fault(&failure, ErrorReason::Busy);
        assert_eq!(busy.metadata("slots"), Some("1"));
        assert!(busy.retry_delay().is_some());
        assert_eq!(begun.elapsed().as_secs(), waited);
    }
    let metrics = gateway.kit.metrics.encode();
    let count = r#"llm_calls_total{backend="mock",outcome="BUSY"} 4"#;
    assert!(metrics.contains(count), "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn no_wait_goes_past_the_deadline() {
    let gateway = mock(&["--helper-max-concurrency", "1"]).await;
    let _held = hold(&gateway).await;
    let begun = Instant::now();
    let late = gateway.complete_within(request(), Duration::from_secs(4));
    fault(&late.await.unwrap_err(), ErrorReason::DeadlineExceeded);
    assert_eq!(begun.elapsed().as_secs(), 4);
}

#[tokio::test(start_paused = true)]
async fn the_wait_is_told() {
    let gateway = mock(&["--helper-max-concurrency", "1"]).await;
    let first = gateway.complete(request_to("mock:delay:2000"));
    let second = gateway.complete(request_to("mock:delay:1000"));
    let (first, second) = tokio::join!(first, second);
    let times = |answer: turnwise_proto::llm::v1::CompleteResponse| {
        let end = answer.end.unwrap();
        let millis =
            |d: Option<prost_types::Duration>| Duration::try_from(d.unwrap()).unwrap().as_millis();
        (millis(end.queue_wait), millis(end.total))
    };
    let (wait, total) = times(first.unwrap());
    assert!(
        wait < 10 && (2_000..2_020).contains(&total),
        "{wait} {total}"
    );
    let (wait, total) = times(second.unwrap());
    assert!((2_000..2_020).contains(&wait), "{wait}");
    assert!((3_000..3_040).contains(&total), "{total}");
}

#[tokio::test(start_paused = true)]
async fn first_come_first_served() {
    let gateway = mock(&["--helper-max-concurrency", "1"]).await;
    let held = hold(&gateway).await;
    let (done, mut order) = mpsc::unbounded_channel();
    let mut calls = JoinSet::new();
    for number in 0..8 {
        let (gateway, done) = (gateway.clone(), done.clone());
        calls.spawn(async move {
            gateway.complete(request_to("mock:delay:1")).await.unwrap();
            done.send(number).unwrap();
        });
        // One after the other into the line.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    drop(held);
    for number in 0..8 {
        assert_eq!(order.recv().await, Some(number));
    }
}

#[tokio::test(start_paused = true)]
async fn who_leaves_the_line_leaves_no_gap() {
    let gateway = mock(&["--helper-max-concurrency", "1"]).await;
    let held = hold(&gateway).await;
    let gone = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.complete(request_to("mock:stall")).await }
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    let next = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.complete(request()).await }
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    drop(held);
    next.await.unwrap().unwrap();
    assert_eq!(gateway.metric("llm_slots_in_use"), "0");
    let metrics = gateway.kit.metrics.encode();
    let count = r#"llm_calls_total{backend="mock",outcome="CANCELLED"} 2"#;
    assert!(metrics.contains(count), "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_keeps_its_slot_until_its_end() {
    let gateway = mock(&["--helper-max-concurrency", "1"]).await;
    let mut stream = gateway.stream(request_to("mock:slow:10")).await.unwrap();
    let first = stream.message().await.unwrap().unwrap();
    assert!(matches!(first.piece, Some(Piece::Delta(_))));
    let failure = gateway.complete(with_wait(Duration::ZERO, request())).await;
    fault(&failure.unwrap_err(), ErrorReason::Busy);
    while let Some(message) = stream.message().await.unwrap() {
        if matches!(message.piece, Some(Piece::End(_))) {
            // The end has been sent, so the slot is free although the stream still stands.
            gateway
                .complete(with_wait(Duration::ZERO, request()))
                .await
                .unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_at_its_deadline() {
    let gateway = mock(&["--helper-max-concurrency", "1"]).await;
    let request = turnwise_proto::llm::v1::StreamCompleteRequest {
        request: Some(request_to("mock:stall")),
    };
    let request =
        turnwise_kit::CallContext::background(None, Duration::from_secs(5)).request(request);
    let mut stream = gateway
        .client
        .clone()
        .stream_complete(request)
        .await
        .unwrap()
        .into_inner();
    fault(
        &stream.message().await.unwrap_err(),
        ErrorReason::DeadlineExceeded,
    );
    assert_eq!(gateway.metric("llm_slots_in_use"), "0");
}
