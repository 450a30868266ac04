//! The slots: never more calls than allowed, for each model its own, and free again whatever happens.

use std::time::Duration;

use tokio::{task::JoinSet, time::Instant};
use turnwise_proto::{common::v1::ErrorReason, llm::v1::stream_complete_response::Piece};
use turnwise_testing::model_server::{ModelServer, ServiceTime, Settings as Model};

use crate::harness::{
    LONG, fault, millis, mock, mock_taking, ollama_at, read, request, request_to, seconds,
    with_wait,
};

#[tokio::test]
async fn no_more_calls_than_slots_reach_the_server() {
    let server = ModelServer::start(Model {
        service_time: ServiceTime::constant(Duration::from_millis(20)),
        ..Model::default()
    })
    .await
    .unwrap();
    let gateway = ollama_at(&server.url(), &["--helper-max-concurrency", "3"]).await;
    let mut calls = JoinSet::new();
    for number in 0..30 {
        let gateway = gateway.clone();
        calls.spawn(async move {
            if number % 3 == 0 {
                read(gateway.stream(with_wait(LONG, request())).await.unwrap())
                    .await
                    .end
                    .unwrap()
            } else {
                gateway
                    .complete(with_wait(LONG, request()))
                    .await
                    .unwrap()
                    .end
                    .unwrap()
            }
        });
    }
    calls.join_all().await;
    let seen = server.statistics().completions;
    assert_eq!((seen.begun, seen.max_in_flight), (30, 3));
    assert_eq!(gateway.running().await, 0);
}

#[tokio::test(start_paused = true)]
async fn each_model_has_slots_of_its_own() {
    let args = [
        "--helper-max-concurrency",
        "1",
        "--llm-model-concurrency",
        "mock:delay:1000=3",
    ];
    let gateway = mock(&args).await;
    let mut calls = JoinSet::new();
    let begun = Instant::now();
    for model in ["mock:delay:1000", "mock:delay:2000"] {
        for _ in 0..3 {
            let gateway = gateway.clone();
            let request = with_wait(LONG, request_to(model));
            calls.spawn(async move {
                gateway.complete(request).await.unwrap();
                (model, begun.elapsed().as_secs())
            });
        }
    }
    let mut ends = calls.join_all().await;
    ends.sort_unstable();
    let (three, one) = ("mock:delay:1000", "mock:delay:2000");
    assert_eq!(
        ends,
        [
            (three, 1),
            (three, 1),
            (three, 1),
            (one, 2),
            (one, 4),
            (one, 6)
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_wait_is_told() {
    let gateway = mock_taking(2000, 1, &[]).await;
    let (first, second) = tokio::join!(gateway.complete(request()), gateway.complete(request()));
    let times = |answer: turnwise_proto::llm::v1::CompleteResponse| {
        let end = answer.end.unwrap();
        (millis(end.queue_wait), millis(end.total))
    };
    let (wait, total) = times(first.unwrap());
    assert!(
        wait < 10 && (2_000..2_020).contains(&total),
        "{wait} {total}"
    );
    let (wait, total) = times(second.unwrap());
    assert!((2_000..2_020).contains(&wait), "{wait}");
    assert!((4_000..4_040).contains(&total), "{total}");
}

#[tokio::test(start_paused = true)]
async fn first_come_first_served() {
    let gateway = mock_taking(100, 1, &[]).await;
    let mut calls = Vec::new();
    let begun = Instant::now();
    for number in 0..8 {
        calls.push(gateway.starts(&number.to_string(), request()).await);
    }
    for number in 0..8 {
        calls.remove(0).await.unwrap().unwrap();
        assert_eq!(begun.elapsed().as_millis() / 100, number + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn who_leaves_the_queue_leaves_no_gap() {
    let gateway = mock_taking(1000, 1, &[]).await;
    let begun = Instant::now();
    let held = gateway.starts("ada", request()).await;
    let gone = gateway.starts("ben", request()).await;
    let next = gateway.starts("cid", request()).await;
    assert_eq!(gateway.queue().await.waiting_total, 2);
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    assert_eq!(gateway.queue().await.waiting_total, 1);
    held.await.unwrap().unwrap();
    next.await.unwrap().unwrap();
    assert!(begun.elapsed() < seconds(2.1));
    assert_eq!(gateway.running().await, 0);
    assert_eq!(gateway.metric("llm_calls_total", "CANCELLED"), 1.0);
}

#[tokio::test(start_paused = true)]
async fn a_stream_keeps_its_slot_until_its_end() {
    let gateway = mock(&[
        "--mock-model",
        "mock:slow:10",
        "--helper-max-concurrency",
        "1",
    ])
    .await;
    let mut stream = gateway.stream(request()).await.unwrap();
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
async fn more_models_than_lines_are_kept_for() {
    let gateway = mock(&[]).await;
    for number in 0..300 {
        gateway
            .complete(request_to(&format!("mock:delay:{number}")))
            .await
            .unwrap();
    }
    assert!(gateway.all_queues().await.len() <= 128);
    // Those in use are kept, and no further ones are made.
    let mut held = Vec::new();
    for number in 0..128 {
        let model = format!("mock:delay:{}", 500_000 + number);
        held.push(gateway.starts("ada", request_to(&model)).await);
    }
    let refused = gateway
        .complete(request_to("mock:delay:7"))
        .await
        .unwrap_err();
    let busy = fault(&refused, ErrorReason::Busy);
    assert!(busy.retry_delay().is_some());
    held.pop().unwrap().abort();
    crate::harness::settle().await;
    gateway.complete(request_to("mock:delay:7")).await.unwrap();
    for call in held {
        call.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_not_there_keeps_no_queue() {
    let gateway = mock(&[]).await;
    let failure = gateway
        .complete(request_to("mock:status:404"))
        .await
        .unwrap_err();
    fault(&failure, ErrorReason::UnknownModel);
    let failure = gateway.complete(request_to("gpt-9")).await.unwrap_err();
    let unknown = fault(&failure, ErrorReason::UnknownModel);
    assert_eq!(unknown.metadata("model"), Some("gpt-9"));
    assert_eq!(unknown.fields().collect::<Vec<_>>(), ["model"]);
    assert_eq!(gateway.all_queues().await, []);
    // Nor does anybody's invention become a label.
    assert_eq!(
        gateway.calls(),
        gateway.metric("gen_ai_client_operation_duration_seconds_count", "_OTHER")
    );
}
