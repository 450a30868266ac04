//! OpenAI's Responses, against a fake server.

use serde_json::{Value, json};
use turnwise_llm_backends::{Finish, failure::Problem};

use crate::{
    harness::{ask, ask_with_policy, connect, one_system_message, problem},
    upstream::Upstream,
};

pub fn at(url: &str) -> Vec<&str> {
    vec![
        "--helper-llm-backend",
        "openai",
        "--openai-base-url",
        url,
        "--openai-api-key",
        "sk-test-1",
    ]
}

fn event(kind: &str, mut data: Value) -> String {
    data["type"] = kind.into();
    format!("event: {kind}\ndata: {data}\n\n")
}

fn delta(text: &str) -> String {
    event(
        "response.output_text.delta",
        json!({"item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text, "logprobs": []}),
    )
}

fn response(status: &str, content: &Value, reason: Option<&str>) -> Value {
    json!({
        "id": "resp_1", "object": "response", "created_at": 1, "status": status, "error": null,
        "incomplete_details": reason.map(|reason| json!({"reason": reason})),
        "instructions": null, "max_output_tokens": 400, "model": "gpt-5.2-2025-12-11",
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content}
        ],
        "text": {"format": {"type": "text"}},
        "usage": {
            "input_tokens": 37, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 11,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 48
        }
    })
}

fn text(text: &str) -> Value {
    json!([{"type": "output_text", "text": text, "annotations": []}])
}

fn end(status: &str, reason: Option<&str>) -> String {
    let response = response(status, &text("Hello ä"), reason);
    event(&format!("response.{status}"), json!({"response": response}))
}

/// What comes before the first token.
fn begin() -> String {
    let mut response = response("in_progress", &json!([]), None);
    response["usage"] = Value::Null;
    response["output"] = json!([]);
    event("response.created", json!({"response": response}))
        + &event("response.in_progress", json!({"response": response}))
        + &event(
            "response.output_item.added",
            json!({"output_index": 0, "item": {"type": "message", "content": []}}),
        )
        + &event(
            "response.content_part.added",
            json!({"part": {"type": "output_text", "text": ""}}),
        )
}

fn answer() -> String {
    begin()
        + &delta("Hel")
        + &delta("lo ä")
        + &event("response.output_text.done", json!({"text": "Hello ä"}))
        // A kind of event that may come one day, with a delta that is no text.
        + &event("response.something.delta", json!({"delta": {"a": [1]}}))
        + &end("completed", None)
}

#[tokio::test]
async fn the_prompt_goes_out_and_the_pieces_come_in() {
    let mut server = Upstream::saying(answer()).await;
    let openai = connect(&at(&server.url));
    let schema = json!({"type": "object", "required": ["b", "a"]});

    let (deltas, end) = openai.stream(&ask().schema(&schema)).await.unwrap();
    assert_eq!(deltas, ["Hel", "lo ä"]);
    assert_eq!(end.model, "gpt-5.2-2025-12-11");
    assert_eq!(openai.0.name(), "openai");
    assert_eq!(end.finish, Finish::Stop);
    assert_eq!((end.input_tokens, end.output_tokens), (37, 11));

    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.path, "/v1/responses");
    assert_eq!(asked.headers["authorization"], "Bearer sk-test-1");
    assert_eq!(
        asked.body,
        json!({
            "model": "gpt-5.2",
            "input": [
                {"role": "system", "content": "Answer in JSON."},
                {"role": "user", "content": "How do I solve x + 7 = 12?"}
            ],
            "stream": true,
            "store": false,
            "max_output_tokens": 400,
            "text": {"format": {"type": "json_schema", "name": "reply", "schema": schema, "strict": false}}
        })
    );
}

#[tokio::test]
async fn a_later_system_message_heads_the_last_user_message_where_there_may_be_one_only() {
    let mut server = Upstream::saying(answer()).await;
    for (setting, expected) in one_system_message() {
        let args = [at(&server.url), vec!["--llm-one-system-message", setting]].concat();
        connect(&args).stream(&ask_with_policy()).await.unwrap();
        let body = server.asked.recv().await.unwrap().body;
        assert_eq!(body["input"], expected);
    }
}

#[tokio::test]
async fn a_whole_answer_is_one_object() {
    let content = json!([
        {"type": "output_text", "text": "Hello", "annotations": []},
        {"type": "output_text", "text": " ä", "annotations": []}
    ]);
    let whole = response("completed", &content, None).to_string();
    let mut server = Upstream::by_mode(answer(), whole).await;
    let openai = connect(&at(&server.url));
    // The first call shows how quick the server is.
    let streamed = openai.complete(&ask()).await.unwrap();
    assert_eq!(openai.complete(&ask()).await.unwrap(), streamed);
    let streamed = server.asked.recv().await.unwrap().body;
    let mut asked = server.asked.recv().await.unwrap().body;
    assert_eq!(asked["stream"], false);
    asked["stream"] = Value::Bool(true);
    assert_eq!(asked, streamed);
}

#[tokio::test]
async fn no_schema_no_bound_and_the_protocols_least_bound() {
    let mut server = Upstream::saying(answer()).await;
    let base = format!("{}/v1", server.url);
    let args = [at(&base), vec!["--openai-max-output-tokens", "0"]].concat();
    let openai = connect(&args);
    openai.stream(&ask()).await.unwrap();
    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.path, "/v1/responses");
    assert!(asked.body.get("max_output_tokens").is_none());
    assert!(asked.body.get("text").is_none());
    openai.stream(&ask().tokens(3)).await.unwrap();
    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.body["max_output_tokens"], 16);
}

#[tokio::test]
async fn reasons_to_finish() {
    for (status, reason, finish) in [
        ("completed", None, Finish::Stop),
        ("incomplete", Some("max_output_tokens"), Finish::Length),
        ("incomplete", Some("content_filter"), Finish::Other),
        ("incomplete", None, Finish::Other),
    ] {
        let stream = begin() + &delta("Hello ä") + &end(status, reason);
        let whole = response(status, &text("Hello ä"), reason).to_string();
        let server = Upstream::by_mode(stream, whole).await;
        let openai = connect(&at(&server.url));
        for _ in 0..2 {
            let answer = openai.complete(&ask()).await.unwrap();
            assert_eq!((&*answer.text, answer.end.finish), ("Hello ä", finish));
        }
    }
}

#[tokio::test]
async fn a_refusal_is_a_text_that_nobody_asked_for() {
    let content = json!([{"type": "refusal", "refusal": "I will not."}]);
    let refusal = event("response.refusal.delta", json!({"delta": "I will not."}));
    let whole = response("completed", &content, None).to_string();
    let server = Upstream::by_mode(begin() + &refusal + &end("completed", None), whole).await;
    let openai = connect(&at(&server.url));
    for _ in 0..2 {
        let answer = openai.complete(&ask()).await.unwrap();
        assert_eq!(
            (&*answer.text, answer.end.finish),
            ("I will not.", Finish::Other)
        );
    }
}

#[tokio::test]
async fn legal_oddities() {
    let crlf = answer().replace('\n', "\r\n");
    let unnamed = answer()
        .lines()
        .filter(|line| !line.starts_with("event:"))
        .collect::<Vec<_>>()
        .join("\n");
    let done = answer() + "data: [DONE]\n\n";
    let done_before = begin() + &delta("Hello ä") + "data: [DONE]\n\n" + &end("completed", None);
    let no_last_line = answer().trim_end().to_owned();
    let keep_alive = answer().replace("event: response.in", ": still here\n\nevent: response.in");
    for text in [crlf, unnamed, done, done_before, no_last_line, keep_alive] {
        let server = Upstream::saying(text).await;
        let answer = connect(&at(&server.url)).streamed(&ask()).await.unwrap();
        assert_eq!(answer.text, "Hello ä");
        assert_eq!(answer.end.output_tokens, 11);
    }
}

#[tokio::test]
async fn an_event_may_repeat_a_long_text() {
    let long = "x".repeat(900_000);
    let mut stream: String = long
        .as_bytes()
        .chunks(9_000)
        .map(|piece| delta(std::str::from_utf8(piece).unwrap()))
        .collect();
    let response = response("completed", &text(&long), None);
    stream += &event("response.completed", json!({"response": response}));
    let server = Upstream::saying(stream).await;
    let answer = connect(&at(&server.url)).streamed(&ask()).await.unwrap();
    assert_eq!(answer.text, long);
}

#[tokio::test]
async fn failures() {
    let secret = json!({"code": "server_error", "message": "the secret text of an error"});
    let mut failed = response("failed", &json!([]), None);
    failed["error"] = secret.clone();
    let failed_event = event("response.failed", json!({"response": failed}));
    let mut error = secret;
    error["param"] = Value::Null;
    let odd_status = response("thinking", &text("a"), None);
    for (stream, expected) in [
        (String::new(), Problem::BrokeOff),
        ("garbage".to_owned(), Problem::Unreadable),
        ("data: {}\n\n".to_owned(), Problem::Unreadable),
        (begin() + &delta("half"), Problem::BrokeOff),
        (begin() + &failed_event, Problem::Reported),
        (
            begin() + &delta("a") + &event("error", error),
            Problem::Reported,
        ),
        (
            event("response.completed", json!({"response": odd_status})),
            Problem::Unreadable,
        ),
        (event("response.completed", json!({})), Problem::Unreadable),
        (
            event("response.output_text.delta", json!({"delta": 1})),
            Problem::Unreadable,
        ),
    ] {
        let server = Upstream::saying(stream.clone()).await;
        let failure = connect(&at(&server.url)).stream(&ask()).await.unwrap_err();
        assert_eq!(problem(&failure), expected, "{stream}");
        assert!(!format!("{failure:?} {failure}").contains("secret"));
    }
    for (whole, expected) in [
        (String::new(), Problem::Unreadable),
        ("{}".to_owned(), Problem::Unreadable),
        (failed.to_string(), Problem::Reported),
        (odd_status.to_string(), Problem::Unreadable),
    ] {
        let server = Upstream::by_mode(answer(), whole.clone()).await;
        let openai = connect(&at(&server.url));
        openai.complete(&ask()).await.unwrap();
        let failure = openai.complete(&ask()).await.unwrap_err();
        assert_eq!(problem(&failure), expected, "{whole}");
        assert!(!format!("{failure:?} {failure}").contains("secret"));
    }
}
