//! The protocols that the model server speaks.

use serde_json::{Value, json};
use turnwise_testing::model_server::Settings;

use super::{ask, chat, post, server};

#[tokio::test]
async fn chat_completions() {
    let server = server(Settings::default()).await;
    let text = Settings::default().text;
    let whole = post(&server, "/v1/chat/completions", chat("a \"model\"", false))
        .await
        .unwrap();
    assert_eq!(whole.json()["choices"][0]["message"]["content"], text);
    assert_eq!(whole.json()["model"], "a \"model\"");
    assert_eq!(whole.json()["usage"]["completion_tokens"], 8);

    let stream = post(&server, "/v1/chat/completions", chat("m", true))
        .await
        .unwrap();
    assert!(
        stream.head.contains("content-type: text/event-stream"),
        "{}",
        stream.head
    );
    assert!(stream.body.ends_with("data: [DONE]\n\n"));
    let events = stream.events();
    let deltas: Vec<&str> = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    // The first one brings the role alone.
    assert_eq!(deltas.len(), 9);
    assert_eq!(deltas.concat(), text);
    let last = &events[events.len() - 1];
    assert_eq!(last["usage"]["total_tokens"], 33);
    assert_eq!(
        events[events.len() - 2]["choices"][0]["finish_reason"],
        "stop"
    );
}

#[tokio::test]
async fn responses() {
    let server = server(Settings {
        pieces: 3,
        ..Settings::default()
    })
    .await;
    let text = Settings::default().text;
    let whole = post(
        &server,
        "/v1/responses",
        json!({"model": "m", "input": "hi"}),
    )
    .await
    .unwrap();
    assert_eq!(whole.json()["output"][0]["content"][0]["text"], text);
    assert_eq!(whole.json()["status"], "completed");

    let ask = json!({"model": "m", "input": [{"role": "user", "content": "hi"}], "stream": true});
    let stream = post(&server, "/v1/responses", ask).await.unwrap();
    let events = stream.events();
    let kinds: Vec<_> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    let delta = "response.output_text.delta";
    assert_eq!(
        kinds,
        [
            "response.created",
            delta,
            delta,
            delta,
            "response.completed"
        ]
    );
    let deltas: String = events
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert_eq!(deltas, text);
    assert_eq!(events[4]["response"]["usage"]["output_tokens"], 3);
}

#[tokio::test]
async fn ollama() {
    let server = server(Settings {
        pieces: 2,
        ..Settings::default()
    })
    .await;
    let text = Settings::default().text;
    // Ollama streams unless it is told not to.
    let stream = post(&server, "/api/chat", json!({"model": "m", "messages": []}))
        .await
        .unwrap();
    let lines: Vec<Value> = stream
        .body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let content: String = lines
        .iter()
        .filter_map(|line| line["message"]["content"].as_str())
        .collect();
    assert_eq!((lines.len(), content), (3, text.clone()));
    assert_eq!(lines[2]["done"], true);
    assert_eq!(lines[2]["eval_count"], 2);
    let whole = post(&server, "/api/chat", chat("m", false)).await.unwrap();
    assert_eq!(whole.json()["message"]["content"], text);

    let tags = ask(&server, "GET", "/api/tags", &json!(null))
        .await
        .unwrap();
    assert_eq!(tags.json()["models"][0]["name"], "llama3.2:1b");
    let embedded = post(
        &server,
        "/api/embed",
        json!({"model": "m", "input": ["a", "b"]}),
    )
    .await;
    assert_eq!(
        embedded.unwrap().json()["embeddings"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn embeddings_good_and_wrong() {
    let server = server(Settings {
        dimensions: 3,
        ..Settings::default()
    })
    .await;
    let vectors = async |model: &str, input: Value| {
        let answer = post(
            &server,
            "/v1/embeddings",
            json!({"model": model, "input": input}),
        )
        .await;
        let data = answer.unwrap().json()["data"].as_array().unwrap().clone();
        data.into_iter()
            .map(|one| one["embedding"].clone())
            .collect::<Vec<_>>()
    };
    let inputs = || json!(["a", "b"]);
    assert_eq!(
        vectors("m", inputs()).await,
        [json!([1.0, 0.0, 0.0]), json!([0.0, 1.0, 0.0])]
    );
    assert_eq!(vectors("m", json!("a")).await.len(), 1);
    assert_eq!(vectors("fault:embeddings_missing", inputs()).await.len(), 1);
    assert_eq!(
        vectors("fault:embeddings_uneven", inputs()).await[1],
        json!([0.0, 1.0])
    );
    assert_eq!(
        vectors("fault:embeddings_null", inputs()).await[1],
        json!([null, 1.0, 0.0])
    );
    let seen = server.statistics();
    assert_eq!((seen.embeddings.ended, seen.completions.begun), (5, 0));
    assert_eq!(seen.faults.len(), 3);
}
