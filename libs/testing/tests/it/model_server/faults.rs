//! The ways in which the model server fails.

use std::io;

use serde_json::{Value, json};
use turnwise_testing::model_server::{Fault, Settings};

use super::{chat, post, server};

#[tokio::test]
async fn failures_with_a_status() {
    let server = server(Settings::default()).await;
    for (model, status, retry_after) in [
        ("fault:429", 429, None),
        ("fault:429:7", 429, Some("retry-after: 7")),
        ("fault:500", 500, None),
    ] {
        let answer = post(&server, "/v1/chat/completions", chat(model, true))
            .await
            .unwrap();
        assert_eq!(answer.status, status);
        assert!(answer.json()["error"]["message"].is_string());
        let given = answer
            .head
            .lines()
            .find(|line| line.starts_with("retry-after"));
        assert_eq!(given, retry_after);
    }
    let ollama = post(&server, "/api/chat", chat("fault:500", true))
        .await
        .unwrap();
    assert!(ollama.json()["error"].is_string());
    for (path, body) in [("/v1/chat/completions", json!([])), ("/nowhere", json!({}))] {
        assert!((400..500).contains(&post(&server, path, body).await.unwrap().status));
    }
}

#[tokio::test]
async fn answers_that_break_off() {
    let server = server(Settings::default()).await;
    for stream in [true, false] {
        let reset = post(&server, "/v1/chat/completions", chat("fault:reset", stream)).await;
        assert_eq!(reset.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        let midway = post(
            &server,
            "/v1/chat/completions",
            chat("fault:reset_midway", stream),
        )
        .await;
        assert_eq!(midway.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        let early = post(
            &server,
            "/v1/chat/completions",
            chat("fault:early_close", stream),
        )
        .await;
        let early = early.unwrap();
        assert!(!early.whole && !early.body.is_empty(), "{early:?}");
        let odd = post(
            &server,
            "/v1/chat/completions",
            chat("fault:malformed", stream),
        )
        .await;
        let odd = odd.unwrap();
        assert!(odd.whole);
        let bad = match stream {
            true => odd
                .body
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .any(|data| data != "[DONE]" && serde_json::from_str::<Value>(data).is_err()),
            false => serde_json::from_str::<Value>(&odd.body).is_err(),
        };
        assert!(bad, "{odd:?}");
    }
    let seen = server.statistics().completions;
    assert_eq!((seen.begun, seen.ended, seen.in_flight), (8, 8, 0));
}

#[tokio::test]
async fn long_and_slow_answers_are_whole() {
    let server = server(Settings {
        trickle_ms: 0,
        ..Settings::default()
    })
    .await;
    for stream in [true, false] {
        let large = post(&server, "/v1/chat/completions", chat("fault:large", stream))
            .await
            .unwrap();
        assert!(large.whole && large.body.len() >= 1_000_000);
        let usual = post(&server, "/v1/chat/completions", chat("m", stream))
            .await
            .unwrap();
        let slow = post(
            &server,
            "/v1/chat/completions",
            chat("fault:trickle", stream),
        )
        .await
        .unwrap();
        assert_eq!(slow.body, usual.body.replace("\"m\"", "\"fault:trickle\""));
    }
}

#[test]
fn every_fault_has_a_word() {
    for word in [
        "none",
        "reset",
        "stall_midway",
        "429",
        "429:12",
        "500",
        "embeddings_null",
    ] {
        assert_eq!(word.parse::<Fault>().unwrap().to_string(), word);
    }
    for word in ["", "429:", "429:soon", "fault:500"] {
        word.parse::<Fault>().unwrap_err();
    }
}
