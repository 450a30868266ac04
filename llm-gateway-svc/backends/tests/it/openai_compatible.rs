//! OpenAI's chat completions, against a fake server.

use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use turnwise_llm_backends::{Failure, Finish, failure::Problem};

use crate::{
    harness::{ask, ask_with_policy, connect, one_system_message, problem},
    upstream::{Upstream, streaming},
};

pub fn at(url: &str) -> Vec<&str> {
    vec![
        "--helper-llm-backend",
        "openai_compatible",
        "--openai-base-url",
        url,
    ]
}

/// The same for a server that stops when its caller goes away.
fn at_whole(url: &str) -> Vec<&str> {
    [at(url), vec!["--openai-compatible-whole-answers", "1"]].concat()
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

pub fn answer() -> String {
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

fn whole(message: &Value, reason: &str) -> String {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5.2-2025",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": null}],
        "usage": {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}
    })
    .to_string()
}

#[tokio::test]
async fn the_prompt_goes_out_and_the_pieces_come_in() {
    let mut server = Upstream::saying(answer()).await;
    let args = [at(&server.url), vec!["--openai-api-key", "sk-test-1"]].concat();
    let compatible = connect(&args);
    let schema = json!({"type": "object", "required": ["b", "a"]});

    let (deltas, end) = compatible.stream(&ask().schema(&schema)).await.unwrap();
    assert_eq!(deltas, ["Hel", "lo ä"]);
    assert_eq!(end.model, "gpt-5.2-2025");
    assert_eq!(compatible.0.name(), "openai_compatible");
    assert_eq!(end.finish, Finish::Stop);
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
}

#[tokio::test]
async fn a_whole_answer_is_one_object() {
    let message = json!({"role": "assistant", "content": "Hello ä", "refusal": null});
    let mut server = Upstream::by_mode(answer(), whole(&message, "length")).await;
    let compatible = connect(&at_whole(&server.url));
    // The first call shows how quick the server is.
    let streamed = compatible.complete(&ask()).await.unwrap();
    let answer = compatible.complete(&ask()).await.unwrap();
    assert_eq!(answer.text, "Hello ä");
    assert_eq!(answer.text, streamed.text);
    assert_eq!(answer.end.model, "gpt-5.2-2025");
    assert_eq!(answer.end.finish, Finish::Length);
    assert_eq!((answer.end.input_tokens, answer.end.output_tokens), (21, 9));
    let streamed = server.asked.recv().await.unwrap().body;
    let mut asked = server.asked.recv().await.unwrap().body;
    assert_eq!(asked["stream"], false);
    assert!(asked.get("stream_options").is_none());
    asked["stream"] = Value::Bool(true);
    asked["stream_options"] = streamed["stream_options"].clone();
    assert_eq!(asked, streamed);
}

#[tokio::test]
async fn tokens_are_asked_for_unless_a_setting_says_that_the_server_notices_who_leaves() {
    let mut server = Upstream::saying(answer()).await;
    let compatible = connect(&at(&server.url));
    for _ in 0..3 {
        assert_eq!(compatible.complete(&ask()).await.unwrap().text, "Hello ä");
        let asked = server.asked.recv().await.unwrap();
        assert_eq!(asked.body["stream"], true);
    }
}

#[tokio::test]
async fn no_key_no_schema_no_bound() {
    let mut server = Upstream::saying(answer()).await;
    let base = format!("{}/v1/", server.url);
    let args = [at(&base), vec!["--openai-max-output-tokens", "0"]].concat();
    connect(&args).stream(&ask()).await.unwrap();
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
    connect(&args).stream(&ask()).await.unwrap();
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
    let unfinished_usage = answer().replace(DONE, "").trim_end().to_owned();
    for text in [
        crlf,
        no_space,
        named,
        two_lines,
        no_done,
        unfinished_done,
        unfinished_usage,
    ] {
        let server = Upstream::answering(move |_| {
            let bytes: Vec<_> = text.bytes().map(|b| Ok(Bytes::from(vec![b]))).collect();
            async move { streaming(stream::iter(bytes)) }
        })
        .await;
        let answer = connect(&at(&server.url)).streamed(&ask()).await.unwrap();
        assert_eq!(answer.text, "Hello ä");
        assert_eq!(answer.end.output_tokens, 9);
    }
}

#[tokio::test]
async fn reasons_to_finish() {
    for (word, reason) in [
        ("stop", Finish::Stop),
        ("length", Finish::Length),
        ("content_filter", Finish::Other),
    ] {
        let server = Upstream::saying(delta("a") + &finish(word) + DONE).await;
        let answer = connect(&at(&server.url)).streamed(&ask()).await.unwrap();
        assert_eq!(answer.end.finish, reason);
    }
    let server = Upstream::saying(delta("a") + DONE).await;
    let end = connect(&at(&server.url)).stream(&ask()).await.unwrap().1;
    assert_eq!(end.finish, Finish::Unknown);
    assert_eq!((end.input_tokens, end.output_tokens), (0, 0));
}

#[tokio::test]
async fn a_refusal_is_a_text_that_nobody_asked_for() {
    let refusal = event(&json!({
        "choices": [{"index": 0, "delta": {"refusal": "I will not."}, "finish_reason": null}]
    }));
    let message = json!({"role": "assistant", "content": null, "refusal": "I will not."});
    let server = Upstream::by_mode(refusal + &finish("stop") + DONE, whole(&message, "stop")).await;
    let compatible = connect(&at_whole(&server.url));
    for _ in 0..2 {
        let answer = compatible.complete(&ask()).await.unwrap();
        assert_eq!(
            (&*answer.text, answer.end.finish),
            ("I will not.", Finish::Other)
        );
    }
}

#[tokio::test]
async fn failures() {
    let server = Upstream::status(404).await;
    let failure = connect(&at(&server.url)).stream(&ask()).await.unwrap_err();
    let unknown = Failure::UnknownModel {
        backend: "openai_compatible",
        model: "gpt-5.2".to_owned(),
    };
    assert_eq!(failure, unknown);
    let half = delta("half");
    for (text, expected) in [
        ("", Problem::BrokeOff),
        ("garbage", Problem::Unreadable),
        ("data: garbage\n\n", Problem::Unreadable),
        ("data: {}\n\n", Problem::Unreadable),
        ("\u{feff}data: {\"choices\": []}\n\n", Problem::Unreadable),
        (
            "{\"choices\": [{\"message\": {\"content\": \"not a stream\"}}]}",
            Problem::Unreadable,
        ),
        (
            "data: {\"error\": {\"message\": \"the secret text of an error\"}}\n\n",
            Problem::Reported,
        ),
        (&half, Problem::BrokeOff),
    ] {
        let server = Upstream::saying(text).await;
        let failure = connect(&at(&server.url)).stream(&ask()).await.unwrap_err();
        assert_eq!(problem(&failure), expected, "{text}");
        assert!(!format!("{failure:?} {failure}").contains("secret"));
    }
    for (text, expected) in [
        ("", Problem::Unreadable),
        ("{\"choices\": []}", Problem::Unreadable),
        ("{\"choices\": [{\"text\": \"old\"}]}", Problem::Unreadable),
        ("{\"error\": {\"message\": \"secret\"}}", Problem::Reported),
        (&answer(), Problem::Unreadable),
    ] {
        let server = Upstream::by_mode(answer(), text).await;
        let compatible = connect(&at_whole(&server.url));
        compatible.complete(&ask()).await.unwrap();
        let failure = compatible.complete(&ask()).await.unwrap_err();
        assert_eq!(problem(&failure), expected, "{text}");
        assert!(!format!("{failure:?} {failure}").contains("secret"));
    }
}

#[tokio::test]
async fn what_was_read_before_is_counted_where_a_server_says_so() {
    let with = |part: Value| {
        let mut last = json!({"model": "m", "choices": []});
        for (key, value) in part.as_object().unwrap() {
            last[key] = value.clone();
        }
        delta("a") + &finish("stop") + &event(&last) + DONE
    };
    let usage = |details: Value| {
        json!({"usage": {
            "prompt_tokens": 21, "completion_tokens": 9, "prompt_tokens_details": details
        }})
    };
    for (part, counted) in [
        (usage(json!({"cached_tokens": 16})), (21, 16, 9)),
        (usage(json!({"cached_tokens": null})), (21, 0, 9)),
        (usage(json!({})), (21, 0, 9)),
        (usage(json!(null)), (21, 0, 9)),
        (usage(json!("none")), (21, 0, 9)),
        (
            json!({"timings": {"cache_n": 16, "prompt_n": 5, "predicted_n": 9, "prompt_ms": 1.5}}),
            (21, 16, 9),
        ),
        (json!({"timings": {"prompt_n": 5}}), (5, 0, 0)),
        (json!({"timings": "none"}), (0, 0, 0)),
    ] {
        let server = Upstream::saying(with(part.clone())).await;
        let end = connect(&at(&server.url)).stream(&ask()).await.unwrap().1;
        let found = (end.input_tokens, end.cached_input_tokens, end.output_tokens);
        assert_eq!(found, counted, "{part}");
    }
}

#[tokio::test]
async fn a_later_system_message_heads_the_last_user_message_where_there_may_be_one_only() {
    let mut server = Upstream::saying(answer()).await;
    let asked = ask_with_policy();
    for (setting, expected) in one_system_message() {
        let args = [at(&server.url), vec!["--llm-one-system-message", setting]].concat();
        connect(&args).stream(&asked).await.unwrap();
        let body = server.asked.recv().await.unwrap().body;
        assert_eq!(body["messages"], expected);
    }
}
