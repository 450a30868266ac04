//! When an answer is asked for whole, and when in tokens.

use std::time::Duration;

use axum::{body::Body, response::Response};
use turnwise_llm_backends::{Failure, failure::Problem};

use crate::{
    harness::{Model, ask, connect, problem},
    upstream::{Act, Upstream, at_ollama, nobody, ollama_text, ollama_whole},
};

/// Ollama at this address, with a longest silence of so many seconds.
fn ollama(url: &str, silence: &str) -> Model {
    connect(&[at_ollama(url), vec!["--ollama-timeout-seconds", silence]].concat())
}

/// Whether each of the calls that the server has seen asked for tokens.
fn streams(server: &mut Upstream) -> Vec<bool> {
    std::iter::from_fn(|| server.asked.try_recv().ok())
        .map(|asked| asked.body["stream"] == true)
        .collect()
}

#[tokio::test]
async fn a_quick_server_is_asked_for_whole_answers_once_it_is_known() {
    let mut server = Upstream::by_mode(ollama_text("a"), ollama_whole("a", "stop")).await;
    let ollama = ollama(&server.url, "30");
    for _ in 0..3 {
        ollama.complete(&ask()).await.unwrap();
    }
    // Who wants a stream gets one.
    ollama.stream(&ask()).await.unwrap();
    assert_eq!(streams(&mut server), [true, false, false, true]);
}

#[tokio::test]
async fn a_slow_server_is_asked_for_tokens() {
    let mut server = Upstream::answering(|_| async {
        tokio::time::sleep(Duration::from_millis(1200)).await;
        Response::new(Body::from(ollama_text("a")))
    })
    .await;
    // A quarter of 4 s is less than what the server takes.
    let ollama = ollama(&server.url, "4");
    for _ in 0..3 {
        ollama.complete(&ask()).await.unwrap();
    }
    assert_eq!(streams(&mut server), [true, true, true]);
}

#[tokio::test]
async fn a_server_that_becomes_slow_is_asked_for_tokens_again() {
    let mut server = Upstream::answering(|number| async move {
        match number {
            0 | 3 => Response::new(Body::from(ollama_text("a"))),
            1 => Response::new(Body::from(ollama_whole("a", "stop"))),
            _ => std::future::pending().await,
        }
    })
    .await;
    let ollama = ollama(&server.url, "5");
    ollama.complete(&ask()).await.unwrap();
    ollama.complete(&ask()).await.unwrap();
    let silent = ollama.complete(&ask()).await.unwrap_err();
    assert!(matches!(silent, Failure::Silent { .. }), "{silent:?}");
    ollama.complete(&ask()).await.unwrap();
    assert_eq!(streams(&mut server), [true, false, false, true]);
}

#[tokio::test]
async fn a_server_that_was_never_reached_is_not_quick() {
    let ollama = connect(&at_ollama(&nobody().await));
    for _ in 0..2 {
        let failure = ollama.complete(&ask()).await.unwrap_err();
        assert_eq!(failure, Failure::Unreachable { backend: "ollama" });
    }
}

#[tokio::test]
async fn a_whole_answer_has_the_same_bounds() {
    let body = ollama_whole(&"x".repeat(1024 * 1024 + 1), "stop");
    let server = Upstream::by_mode(ollama_text("a"), body).await;
    let model = ollama(&server.url, "30");
    model.complete(&ask()).await.unwrap();
    let failure = model.complete(&ask()).await.unwrap_err();
    assert_eq!(problem(&failure), Problem::TooLong);

    let most = ollama_whole(&"x".repeat(1024 * 1024), "stop");
    let server = Upstream::by_mode(ollama_text("a"), most).await;
    let model = ollama(&server.url, "30");
    model.complete(&ask()).await.unwrap();
    assert_eq!(model.complete(&ask()).await.unwrap().text.len(), 1 << 20);
}

#[tokio::test]
async fn an_announced_length_above_the_bound_is_not_read() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n";
    let server = Upstream::acting(vec![Act::Write(head.into()), Act::Hang]).await;
    let failure = connect(&at_ollama(&server.url)).complete(&ask()).await;
    assert_eq!(problem(&failure.unwrap_err()), Problem::TooLong);
}
