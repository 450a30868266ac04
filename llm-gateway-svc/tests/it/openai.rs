//! OpenAI's chat completions, against a fake server.

use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{CompleteRequest, FinishReason},
};

use crate::{
    harness::{fault, gateway, request},
    upstream::{Upstream, streaming},
};

fn at(url: &str) -> Vec<&str> {
    vec![
        "--helper-llm-backend",
        "openai_compatible",
        "--openai-base-url",
        url,
    ]
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn delta(text: &str) -> String {
    let delta = json!({"content": text});
    event(&json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.2-2025",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}], "usage": null
    }))
}

fn finish(reason: &str) -> String {
    event(&json!({
        "model": "gpt-5.2-2025", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]
    }))
}

fn usage() -> String {
    event(&json!({
        "model": "gpt-5.2-2025", "choices": [],
        "usage": {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}
    }))
}

const DONE: &str = "data: [DONE]\n\n";

fn answer() -> String {
    let role = event(&json!({
        "model": "gpt-5.2-2025",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": null}, "finish_reason": null}]
    }));
    format!(
        ": hello\n\n{role}{}{}{}{}{DONE}",
        delta("Hel"),
        delta("lo ä"),
        finish("stop"),
        usage()
    )
}

#[tokio::test]
async fn the_prompt_goes_out_and_the_pieces_come_in() {
    let mut server = Upstream::saying(answer()).await;
    let args = [at(&server.url), vec!["--openai-api-key", "sk-test-1"]].concat();
    let gateway = gateway(&args).await;
    let schema = json!({"type": "object", "required": ["b", "a"]});
    let request = CompleteRequest {
        json_schema: schema.to_string(),
        ..request()
    };

    let (deltas, end) = gateway.stream_all(request.clone()).await.unwrap();
    assert_eq!(deltas, ["Hel", "lo ä"]);
    assert_eq!(end.model, "gpt-5.2-2025");
    assert_eq!(end.backend, "openai_compatible");
    assert_eq!(end.finish_reason(), FinishReason::Stop);
    assert_eq!((end.input_tokens, end.output_tokens), (21, 9));

    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.headers["authorization"], "Bearer sk-test-1");
    assert_eq!(
        asked.body,
        json!({
            "model": "gpt-5.2",
            "messages": [
                {"role": "system", "content": "Answer in JSON."},
                {"role": "user", "content": "How do I solve x + 7 = 12?"}
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
            "max_tokens": 400,
            "response_format": {
                "type": "json_schema", "json_schema": {"name": "reply", "schema": schema}
            }
        })
    );
    assert_eq!(gateway.complete(request).await.unwrap().text, "Hello ä");
}

#[tokio::test]
async fn no_key_no_schema_no_bound() {
    let mut server = Upstream::saying(answer()).await;
    let base = format!("{}/v1/", server.url);
    let args = [at(&base), vec!["--openai-max-output-tokens", "0"]].concat();
    gateway(&args).await.complete(request()).await.unwrap();
    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.path, "/v1/chat/completions");
    assert!(asked.headers.get("authorization").is_none());
    assert!(asked.body.get("max_tokens").is_none());
    assert!(asked.body.get("response_format").is_none());
}

#[tokio::test]
async fn a_key_from_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "sk-from-file\n").unwrap();
    let mut server = Upstream::saying(answer()).await;
    let path = file.path().to_str().unwrap();
    let args = [at(&server.url), vec!["--openai-api-key-file", path]].concat();
    gateway(&args).await.complete(request()).await.unwrap();
    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.headers["authorization"], "Bearer sk-from-file");
}

#[tokio::test]
async fn variants_of_the_stream() {
    let crlf = answer().replace('\n', "\r\n");
    let no_space = answer().replace("data: ", "data:");
    let named = answer().replace("data: ", "event: chunk\nid: 1\nretry: 5\ndata: ");
    let two_lines = answer().replace(",\"choices\"", ",\ndata: \"choices\"");
    let no_done = answer().replace(DONE, "");
    let unfinished_done = answer().trim_end().to_owned();
    for text in [crlf, no_space, named, two_lines, no_done, unfinished_done] {
        let server = Upstream::answering(move |_| {
            let bytes: Vec<_> = text.bytes().map(|b| Ok(Bytes::from(vec![b]))).collect();
            async move { streaming(stream::iter(bytes)) }
        })
        .await;
        let answer = gateway(&at(&server.url))
            .await
            .complete(request())
            .await
            .unwrap();
        assert_eq!(answer.text, "Hello ä");
        assert_eq!(answer.end.unwrap().output_tokens, 9);
    }
}

#[tokio::test]
async fn reasons_to_finish() {
    for (word, reason) in [
        ("stop", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("content_filter", FinishReason::Other),
    ] {
        let server = Upstream::saying(delta("a") + &finish(word) + DONE).await;
        let answer = gateway(&at(&server.url))
            .await
            .complete(request())
            .await
            .unwrap();
        assert_eq!(answer.end.unwrap().finish_reason(), reason);
    }
    let server = Upstream::saying(delta("a") + DONE).await;
    let answer = gateway(&at(&server.url))
        .await
        .complete(request())
        .await
        .unwrap();
    let end = answer.end.unwrap();
    assert_eq!(end.finish_reason(), FinishReason::Unspecified);
    assert_eq!((end.input_tokens, end.output_tokens), (0, 0));
}

#[tokio::test]
async fn failures() {
    for (status, reason) in [
        (404, ErrorReason::UnknownModel),
        (401, ErrorReason::BackendError),
        (500, ErrorReason::BackendError),
    ] {
        let server = Upstream::status(status).await;
        let failure = gateway(&at(&server.url)).await.complete(request()).await;
        fault(&failure.unwrap_err(), reason);
    }
    for text in [
        "",
        "garbage",
        "data: garbage\n\n",
        "data: {}\n\n",
        "\u{feff}data: {\"choices\": []}\n\n",
        "{\"choices\": [{\"message\": {\"content\": \"not a stream\"}}]}",
        "data: {\"error\": {\"message\": \"the secret text of an error\"}}\n\n",
        // Breaks off.
        &delta("half"),
    ] {
        let server = Upstream::saying(text).await;
        let failure = gateway(&at(&server.url)).await.complete(request()).await;
        let failure = failure.unwrap_err();
        fault(&failure, ErrorReason::BackendError);
        assert!(!format!("{failure:?}").contains("secret"));
    }
}
