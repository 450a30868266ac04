//! A caller that goes away: its slot is free at once, and the server sees the connection close.

use std::time::Duration;

use turnwise_proto::llm::v1::stream_complete_response::Piece;
use turnwise_testing::model_server::{Fault, ModelServer, ServiceTime, Settings as Model};

use crate::harness::{Gateway, failing, ollama_at, read, request, until};

async fn one_slot(server: &ModelServer) -> Gateway {
    ollama_at(&server.url(), &["--helper-max-concurrency", "1"]).await
}

async fn cancelled(server: &ModelServer) {
    until(async || server.statistics().completions.cancelled == 1).await;
    assert_eq!(server.statistics().completions.in_flight, 0);
}

#[tokio::test]
async fn a_dropped_stream_closes_the_connection_and_frees_the_slot() {
    let server = failing(&[Fault::StallMidway]).await;
    let gateway = one_slot(&server).await;
    let mut stream = gateway.stream(request()).await.unwrap();
    let piece = stream.message().await.unwrap().unwrap().piece;
    assert!(matches!(piece, Some(Piece::Delta(_))), "{piece:?}");
    assert_eq!(gateway.running().await, 1);

    drop(stream);
    assert_eq!(gateway.running().await, 0);
    cancelled(&server).await;
    gateway.complete(request()).await.unwrap();
}

#[tokio::test]
async fn a_dropped_unary_call_does_the_same() {
    let server = failing(&[Fault::Stall]).await;
    let gateway = one_slot(&server).await;
    let gone = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.complete(request()).await }
    });
    until(async || server.statistics().completions.in_flight == 1).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    assert_eq!(gateway.running().await, 0);
    cancelled(&server).await;
    gateway.complete(request()).await.unwrap();
    assert_eq!(gateway.metric("llm_calls_total", "CANCELLED"), 1.0);
    let took = "gen_ai_client_operation_duration_seconds_count";
    assert_eq!(gateway.metric(took, "error_type=\"cancelled\""), 1.0);
}

#[tokio::test]
async fn a_deadline_does_the_same() {
    let server = failing(&[Fault::Stall]).await;
    let gateway = one_slot(&server).await;
    let late = gateway.complete_within(request(), Duration::from_secs(3));
    late.await.unwrap_err();
    assert_eq!(gateway.running().await, 0);
    cancelled(&server).await;
}

#[tokio::test]
async fn callers_come_and_go_and_leave_nothing_behind() {
    let server = ModelServer::start(Model {
        service_time: ServiceTime::Uniform {
            from_ms: 0.0,
            to_ms: 20.0,
        },
        ..Model::default()
    })
    .await
    .unwrap();
    let gateway = ollama_at(&server.url(), &["--helper-max-concurrency", "3"]).await;
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..120 {
        let gateway = gateway.clone();
        calls.spawn(async move {
            let answer = async {
                if number % 2 == 0 {
                    read(gateway.stream(request()).await.unwrap()).await.end
                } else {
                    gateway.complete(request()).await.unwrap().end
                }
            };
            // Some have no patience at all, and some a little.
            let patience = Duration::from_millis(number % 40);
            let _ = tokio::time::timeout(patience, answer).await;
        });
    }
    while calls.join_next().await.is_some() {}
    let queue = gateway.queue().await;
    assert!(queue.slots.iter().all(|slot| slot.call.is_none()));
    assert_eq!(queue.waiting_total, 0);
    assert!(server.statistics().completions.max_in_flight <= 4);
    until(async || server.statistics().completions.in_flight == 0).await;
}
