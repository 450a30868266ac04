//! A caller that goes away: its slot is free at once, and the server sees the connection close.

use std::sync::{Arc, Mutex};

use turnwise_proto::llm::v1::stream_complete_response::Piece;

use crate::{
    harness::{gateway, request},
    upstream::{Upstream, ollama_delta, ollama_text, stalling},
};

#[tokio::test]
async fn a_dropped_stream_closes_the_connection_and_frees_the_slot() {
    let first = ollama_delta("Hi");
    let (answer, dropped) = stalling(&[&first]);
    let answer = Arc::new(Mutex::new(Some(answer)));
    let server = Upstream::answering(move |_| {
        let answer = answer.lock().unwrap().take();
        async move { answer.unwrap_or_else(|| ollama_text("next")) }
    })
    .await;
    let gateway = gateway(&[
        "--ollama-base-url",
        &server.url,
        "--helper-max-concurrency",
        "1",
    ])
    .await;

    let mut stream = gateway.stream(request()).await.unwrap();
    let piece = stream.message().await.unwrap().unwrap().piece;
    assert_eq!(piece, Some(Piece::Delta("Hi".to_owned())));
    assert_eq!(gateway.metric("llm_slots_in_use"), "1");

    drop(stream);
    assert_eq!(gateway.metric("llm_slots_in_use"), "0");
    assert!(dropped.await.is_err(), "the server let go of its answer");
    assert_eq!(gateway.complete(request()).await.unwrap().text, "next");
}

#[tokio::test]
async fn a_dropped_unary_call_does_the_same() {
    let (answer, dropped) = stalling(&[]);
    let answer = Arc::new(Mutex::new(Some(answer)));
    let mut server = Upstream::answering(move |_| {
        let answer = answer.lock().unwrap().take();
        async move { answer.unwrap_or_else(|| ollama_text("next")) }
    })
    .await;
    let gateway = gateway(&[
        "--ollama-base-url",
        &server.url,
        "--helper-max-concurrency",
        "1",
    ])
    .await;

    let call = tokio::spawn({
        let gateway = gateway.clone();
        async move { gateway.complete(request()).await }
    });
    server.asked.recv().await.unwrap();
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert!(dropped.await.is_err(), "the server let go of its answer");
    assert_eq!(gateway.complete(request()).await.unwrap().text, "next");
    let metrics = gateway.kit.metrics.encode();
    let count = r#"llm_calls_total{backend="ollama",outcome="CANCELLED"} 1"#;
    assert!(metrics.contains(count), "{metrics}");
}
