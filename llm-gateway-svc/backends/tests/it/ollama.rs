//! Ollama's protocol, against a fake server.

use std::time::Duration;

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use turnwise_llm_backends::{Failure, Finish, failure::Problem, ollama_answers};

use crate::{
    harness::{ask, ask_of, ask_with_policy, connect, one_system_message, problem, settings},
    upstream::{Upstream, at_ollama as at, ollama_delta, ollama_end, ollama_whole, streaming},
};

#[tokio::test]
async fn the_prompt_goes_out_and_the_pieces_come_in() {
    let text = ollama_delta("Hel") + &ollama_delta("lo ä") + "\n" + &ollama_end("stop");
    let mut server = Upstream::saying(text).await;
    let ollama = connect(&at(&server.url));
    let schema = json!({"type": "object", "required": ["b", "a"]});

    let (deltas, end) = ollama.stream(&ask().schema(&schema)).await.unwrap();
    assert_eq!(deltas, ["Hel", "lo ä"]);
    assert_eq!(end.model, "llama3.2:1b");
    assert_eq!(ollama.0.name(), "ollama");
    assert_eq!(end.finish, Finish::Stop);
    assert_eq!((end.input_tokens, end.output_tokens), (26, 298));

    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.path, "/api/chat");
    assert_eq!(asked.headers["content-type"], "application/json");
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
            "format": schema,
            "keep_alive": 1800
        })
    );
    assert!((options["temperature"].as_f64().unwrap() - 0.2).abs() < 1e-6);
    assert!((options["top_p"].as_f64().unwrap() - 0.9).abs() < 1e-6);
    assert_eq!(options["num_predict"], 400);
    assert_eq!(options["num_ctx"], 4096);
}

#[tokio::test]
async fn the_window_and_the_time_in_memory_are_settings() {
    let mut server = Upstream::saying(ollama_end("stop")).await;
    for (window, sent) in [("8192", json!(8192)), ("0", json!(null))] {
        let own = vec![
            "--ollama-num-ctx",
            window,
            "--ollama-keep-alive-seconds",
            "60",
        ];
        let ollama = connect(&[at(&server.url), own].concat());
        ollama.stream(&ask()).await.unwrap();
        let body = server.asked.recv().await.unwrap().body;
        assert_eq!(body["options"]["num_ctx"], sent);
        assert_eq!(body["keep_alive"], 60);
    }
}

#[tokio::test]
async fn a_later_system_message_heads_the_last_user_message_where_there_may_be_one_only() {
    let mut server = Upstream::saying(ollama_end("stop")).await;
    for (setting, expected) in one_system_message() {
        let args = [at(&server.url), vec!["--llm-one-system-message", setting]].concat();
        connect(&args).stream(&ask_with_policy()).await.unwrap();
        let body = server.asked.recv().await.unwrap().body;
        assert_eq!(body["messages"], expected);
    }
}

#[tokio::test]
async fn a_whole_answer_is_one_object() {
    let mut server = Upstream::by_mode(
        ollama_delta("Hi") + &ollama_end("stop"),
        ollama_whole("Hello ä", "length"),
    )
    .await;
    let ollama = connect(&at(&server.url));
    // The first call shows how quick the server is.
    assert_eq!(ollama.complete(&ask()).await.unwrap().text, "Hi");
    let whole = ollama.complete(&ask()).await.unwrap();
    assert_eq!(whole.text, "Hello ä");
    assert_eq!(whole.end.model, "llama3.2:1b");
    assert_eq!(whole.end.finish, Finish::Length);
    assert_eq!((whole.end.input_tokens, whole.end.output_tokens), (26, 298));
    let streamed = server.asked.recv().await.unwrap().body;
    let mut asked = server.asked.recv().await.unwrap().body;
    assert_eq!(asked["stream"], false);
    asked["stream"] = Value::Bool(true);
    assert_eq!(asked, streamed);
}

#[tokio::test]
async fn the_bound_on_tokens_is_the_requests_then_the_settings_then_the_models() {
    let mut server = Upstream::saying(ollama_end("length")).await;
    let configured = connect(&at(&server.url));
    let unbounded = connect(&[at(&server.url), vec!["--ollama-num-predict", "0"]].concat());
    for (ollama, ask, sent) in [
        (&configured, ask_of("other"), json!(400)),
        (&configured, ask_of("other").tokens(77), json!(77)),
        (&unbounded, ask_of("other"), json!(null)),
        (&unbounded, ask_of("other").tokens(77), json!(77)),
    ] {
        let end = ollama.stream(&ask).await.unwrap().1;
        assert_eq!(end.finish, Finish::Length);
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
    let answer = connect(&at(&server.url)).streamed(&ask()).await.unwrap();
    assert_eq!(answer.text, "grüne ∑");
}

#[tokio::test]
async fn legal_oddities() {
    let crlf = (ollama_delta("Hi") + &ollama_end("stop")).replace('\n', "\r\n");
    let no_newline = (ollama_delta("Hi") + &ollama_end("stop")).trim().to_owned();
    let thinking =
        r#"{"message": {"role": "assistant", "content": "", "thinking": "Hm."}, "done": false}"#;
    let thinking = format!("{thinking}\n{}{}", ollama_delta("Hi"), ollama_end("stop"));
    // The text comes with the end, and the server neither counts nor says which model it was.
    let at_once = r#"{"message": {"content": "H\u0069"}, "done": true, "done_reason": "stop"}"#;
    for text in [crlf, no_newline, thinking, at_once.to_owned()] {
        let server = Upstream::saying(text).await;
        let answer = connect(&at(&server.url)).streamed(&ask()).await.unwrap();
        assert_eq!(answer.text, "Hi");
        assert_eq!(answer.end.model, "llama3.2:1b");
        assert_eq!(answer.end.finish, Finish::Stop);
    }
    for (end, finish) in [
        (r#"{"done": true}"#, Finish::Unknown),
        (r#"{"done": true, "done_reason": "load"}"#, Finish::Other),
    ] {
        let server = Upstream::saying(end).await;
        let answer = connect(&at(&server.url)).streamed(&ask()).await.unwrap();
        assert_eq!((&*answer.text, answer.end.finish), ("", finish));
    }
}

#[tokio::test]
async fn unreadable_answers_are_errors() {
    let long = format!("{}\n", "x".repeat(300_000));
    let half = ollama_delta("half");
    for (text, expected) in [
        ("", Problem::BrokeOff),
        ("garbage\n", Problem::Unreadable),
        ("{\"done\": false}\n", Problem::Unreadable),
        ("[1]\n", Problem::Unreadable),
        ("\u{fffd}\n", Problem::Unreadable),
        (
            "{\"error\": \"the secret text of an error\"}\n",
            Problem::Reported,
        ),
        (&half, Problem::BrokeOff),
        (&(half.clone() + "{\"mess"), Problem::Unreadable),
        (&long, Problem::TooLong),
    ] {
        let server = Upstream::saying(text).await;
        let failure = connect(&at(&server.url)).stream(&ask()).await.unwrap_err();
        assert_eq!(problem(&failure), expected, "{text:.40}");
        assert!(!format!("{failure:?} {failure}").contains("secret"));
    }
}

#[tokio::test]
async fn unreadable_whole_answers_are_errors() {
    for (whole, expected) in [
        ("garbage", Problem::Unreadable),
        ("{\"done\": true}", Problem::Unreadable),
        (
            "{\"message\": {\"content\": \"half\"}}",
            Problem::Unreadable,
        ),
        (
            "{\"error\": \"the secret text of an error\"}",
            Problem::Reported,
        ),
    ] {
        let server = Upstream::by_mode(ollama_end("stop"), whole).await;
        let ollama = connect(&at(&server.url));
        ollama.complete(&ask()).await.unwrap();
        let failure = ollama.complete(&ask()).await.unwrap_err();
        assert_eq!(problem(&failure), expected);
        assert!(!format!("{failure:?} {failure}").contains("secret"));
    }
}

#[tokio::test]
async fn a_base_address_may_have_a_path() {
    let mut server = Upstream::saying(ollama_end("stop")).await;
    let url = format!("{}/models/", server.url);
    connect(&at(&url)).stream(&ask()).await.unwrap();
    assert_eq!(server.asked.recv().await.unwrap().path, "/models/api/chat");
}

#[tokio::test]
async fn a_model_that_is_not_there() {
    let server = Upstream::status(404).await;
    let failure = connect(&at(&server.url)).stream(&ask()).await.unwrap_err();
    let unknown = Failure::UnknownModel {
        backend: "ollama",
        model: "llama3.2:1b".to_owned(),
    };
    assert_eq!(failure, unknown);
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
    let patient = tokio::time::timeout(Duration::from_secs(5), probe);
    assert!(!patient.await.unwrap());
}
