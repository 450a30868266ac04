//! Ollama's protocol, against a fake server.

use std::time::Duration;

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures_util::stream;
use serde_json::json;
use tokio::net::TcpListener;
use turnwise_llm_gateway_svc::ollama_answers;
use turnwise_proto::{
    common::v1::ErrorReason,
    llm::v1::{CompleteRequest, FinishReason},
};

use crate::{
    harness::{fault, gateway, request, request_to, settings},
    upstream::{Upstream, ollama_delta, ollama_end, stalling, streaming},
};

fn at(url: &str) -> Vec<&str> {
    vec!["--helper-llm-backend", "ollama", "--ollama-base-url", url]
}

#[tokio::test]
async fn the_prompt_goes_out_and_the_pieces_come_in() {
    let text = ollama_delta("Hel") + &ollama_delta("lo ä") + "\n" + &ollama_end("stop");
    let mut server = Upstream::saying(text).await;
    let gateway = gateway(&at(&server.url)).await;
    let schema = json!({"type": "object", "required": ["b", "a"]});
    let request = CompleteRequest {
        json_schema: schema.to_string(),
        ..request()
    };

    let (deltas, end) = gateway.stream_all(request.clone()).await.unwrap();
    assert_eq!(deltas, ["Hel", "lo ä"]);
    assert_eq!(end.model, "llama3.2:1b");
    assert_eq!(end.backend, "ollama");
    assert_eq!(end.finish_reason(), FinishReason::Stop);
    assert_eq!((end.input_tokens, end.output_tokens), (26, 298));

    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.path, "/api/chat");
    let mut body = asked.body;
    // Single precision on its way to JSON.
    let options = body.as_object_mut().unwrap().remove("options").unwrap();
    assert_eq!(
        body,
        json!({
            "model": "llama3.2:1b",
            "messages": [
                {"role": "system", "content": "Answer in JSON."},
                {"role": "user", "content": "How do I solve x + 7 = 12?"}
            ],
            "stream": true,
            "format": schema
        })
    );
    assert!((options["temperature"].as_f64().unwrap() - 0.2).abs() < 1e-6);
    assert!((options["top_p"].as_f64().unwrap() - 0.9).abs() < 1e-6);
    assert_eq!(options["num_predict"], 400);

    let whole = gateway.complete(request).await.unwrap();
    assert_eq!(whole.text, "Hello ä");
    assert_eq!(whole.end.unwrap().output_tokens, 298);
}

#[tokio::test]
async fn the_bound_on_tokens_is_the_requests_then_the_settings_then_the_models() {
    let mut server = Upstream::saying(ollama_end("length")).await;
    let configured = gateway(&at(&server.url)).await;
    let unbounded = gateway(&[at(&server.url), vec!["--ollama-num-predict", "0"]].concat()).await;
    for (gateway, asked, sent) in [
        (&configured, 0, json!(400)),
        (&configured, 77, json!(77)),
        (&unbounded, 0, json!(null)),
        (&unbounded, 77, json!(77)),
    ] {
        let request = CompleteRequest {
            max_output_tokens: asked,
            ..request_to("other")
        };
        let end = gateway.complete(request).await.unwrap().end.unwrap();
        assert_eq!(end.finish_reason(), FinishReason::Length);
        let body = server.asked.recv().await.unwrap().body;
        assert_eq!(body["options"]["num_predict"], sent);
        assert_eq!(body["model"], "other");
        assert!(body.get("format").is_none());
    }
}

#[tokio::test]
async fn lines_may_come_in_any_pieces() {
    let text = ollama_delta("grün") + &ollama_delta("e ∑") + &ollama_end("stop");
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
    assert_eq!(answer.text, "grüne ∑");
}

#[tokio::test]
async fn statuses_have_their_reasons_and_no_text_of_the_server() {
    for (status, reason) in [
        (404, ErrorReason::UnknownModel),
        (400, ErrorReason::BackendError),
        (302, ErrorReason::BackendError),
        (204, ErrorReason::BackendError),
        (429, ErrorReason::BackendError),
        (500, ErrorReason::BackendError),
        (503, ErrorReason::BackendError),
    ] {
        let mut server = Upstream::status(status).await;
        let gateway = gateway(&at(&server.url)).await;
        let failure = gateway.complete(request()).await.unwrap_err();
        let fault = fault(&failure, reason);
        assert!(!format!("{failure:?}").contains("secret"));
        if reason == ErrorReason::BackendError {
            assert_eq!(fault.metadata("backend"), Some("ollama"));
            assert_eq!(fault.metadata("status"), Some(status.to_string().as_str()));
        } else {
            assert_eq!(fault.metadata("model"), Some("llama3.2:1b"));
        }
        server.asked.recv().await.unwrap();
        assert!(server.asked.try_recv().is_err(), "one attempt");
    }
}

#[tokio::test]
async fn unreadable_answers_are_errors() {
    let long = format!("{}\n", "x".repeat(300_000));
    for text in [
        "",
        "garbage\n",
        "{\"done\": false}\n",
        "[1]\n",
        "{\"error\": \"the secret text of an error\"}\n",
        // Breaks off before its end.
        &ollama_delta("half"),
        &(ollama_delta("half") + "{\"mess"),
        &long,
    ] {
        let server = Upstream::saying(text).await;
        let gateway = gateway(&at(&server.url)).await;
        let failure = gateway.complete(request()).await.unwrap_err();
        let fault = fault(&failure, ErrorReason::BackendError);
        assert_eq!(fault.metadata("status"), Some("200"));
        assert!(!format!("{failure:?}").contains("secret"));
        assert_eq!(gateway.metric("llm_slots_in_use"), "0");
    }
}

#[tokio::test]
async fn no_text_is_longer_than_the_bound() {
    let line = ollama_delta(&"x".repeat(100_000));
    let server = Upstream::saying(line.repeat(11) + &ollama_end("stop")).await;
    let failure = gateway(&at(&server.url)).await.complete(request()).await;
    fault(&failure.unwrap_err(), ErrorReason::BackendError);
}

#[tokio::test]
async fn a_connection_that_breaks_off() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for (bytes, reason) in [
        // Before anything, and before the first byte of the body.
        ("", ErrorReason::BackendUnavailable),
        (HEAD, ErrorReason::BackendUnavailable),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{\"message\":",
            ErrorReason::BackendError,
        ),
        ("SSH-2.0-OpenSSH_9.9\r\n", ErrorReason::BackendError),
    ] {
        let server = Upstream::raw(bytes.as_bytes()).await;
        let failure = gateway(&at(&server.url)).await.complete(request()).await;
        let fault = fault(&failure.unwrap_err(), reason);
        assert_eq!(fault.metadata("backend"), Some("ollama"));
        let retry = fault.retry_delay().is_some();
        assert_eq!(retry, reason == ErrorReason::BackendUnavailable);
    }
}

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let failure = gateway(&at(&url)).await.complete(request()).await;
    let fault = fault(&failure.unwrap_err(), ErrorReason::BackendUnavailable);
    assert!(fault.retry_delay().is_some());
    assert!(!ollama_answers(&settings(&at(&url))).await);
}

#[tokio::test]
async fn a_silent_server_is_unavailable_before_its_first_byte_and_broken_after() {
    for (chunks, reason) in [
        (&[][..], ErrorReason::BackendUnavailable),
        (&["{\"mess"][..], ErrorReason::BackendError),
    ] {
        let server = Upstream::answering(move |_| async move { stalling(chunks).0 }).await;
        let args = [at(&server.url), vec!["--ollama-timeout-seconds", "1"]].concat();
        let failure = gateway(&args).await.complete(request()).await.unwrap_err();
        fault(&failure, reason);
    }
}

#[tokio::test]
async fn a_base_address_may_have_a_path() {
    let mut server = Upstream::saying(ollama_end("stop")).await;
    let url = format!("{}/models/", server.url);
    gateway(&at(&url)).await.complete(request()).await.unwrap();
    assert_eq!(server.asked.recv().await.unwrap().path, "/models/api/chat");
}

#[tokio::test]
async fn the_launcher_asks_for_the_configured_model() {
    let tags = json!({"models": [{"name": "llama3.2:1b"}, {"name": "qwen2:latest"}]});
    let mut server = Upstream::saying(tags.to_string()).await;
    for (model, answers) in [
        ("llama3.2:1b", true),
        ("qwen2", true),
        ("qwen2:latest", true),
        ("llama3.2", false),
        ("llama3.2:3b", false),
    ] {
        let args = [at(&server.url), vec!["--ollama-model", model]].concat();
        assert_eq!(ollama_answers(&settings(&args)).await, answers, "{model}");
        assert_eq!(server.asked.recv().await.unwrap().path, "/api/tags");
    }
    for other in ["garbage", "{}", "[]"] {
        let server = Upstream::saying(other).await;
        assert!(!ollama_answers(&settings(&at(&server.url))).await);
    }
    let server = Upstream::status(500).await;
    assert!(!ollama_answers(&settings(&at(&server.url))).await);
    let server = Upstream::answering(|_| std::future::pending::<Response<Body>>()).await;
    let settings = settings(&at(&server.url));
    let probe = ollama_answers(&settings);
    assert!(
        !tokio::time::timeout(Duration::from_secs(5), probe)
            .await
            .unwrap()
    );
}
