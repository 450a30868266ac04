//! What llama.cpp's server gets beside what every OpenAI-compatible one gets, and how it is known.

use axum::{body::Body, response::Response};
use serde_json::{Value, json};
use turnwise_llm_backends::{Failure, is_llama_cpp};

use crate::{
    harness::{ask, connect, settings},
    openai_compatible::{answer, at},
    upstream::{Asked, Upstream, nobody},
};

/// llama.cpp's server.
fn at_llama_cpp(url: &str) -> Vec<&str> {
    [at(url), vec!["--openai-compatible-server", "llama_cpp"]].concat()
}

#[tokio::test]
async fn llama_cpp_gets_a_grammar_without_white_space() {
    let mut server = Upstream::saying(answer()).await;
    let compatible = connect(&at_llama_cpp(&server.url));
    let text = json!({"type": "string", "minLength": 1, "maxLength": 240});
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["ASK", "SAY \"x\""]},
            "text": text,
            "units": {"type": "array", "items": {"type": "number", "enum": [0.3, 0.9]}, "maxItems": 2},
            "ideas": {"type": "array", "items": text, "minItems": 1, "maxItems": 1},
            "tag": {"type": ["string", "null"]},
            "right": {"type": "boolean"}
        },
        "required": ["action", "text", "units", "ideas", "right"],
        "additionalProperties": false
    });
    compatible.stream(&ask().schema(&schema)).await.unwrap();
    let body = server.asked.recv().await.unwrap().body;
    assert_eq!(body["cache_prompt"], true);
    assert!(body.get("response_format").is_none());
    let expected = [
        r#"root ::= "{" "\"action\":" ("\"ASK\"" | "\"SAY \\\"x\\\"\"")"#,
        r#" ",\"text\":" "\"" char{1,240} "\"""#,
        r#" ",\"units\":" "[" ((0.3 | 0.9) ("," (0.3 | 0.9)){0,1})? "]""#,
        r#" ",\"ideas\":" "[" "\"" char{1,240} "\"" "]""#,
        r#" (",\"tag\":" ("\"" char{0,} "\"" | "null"))?"#,
        r#" ",\"right\":" ("true" | "false") "}""#,
    ]
    .concat()
    .replace("0.3", "\"0.3\"")
    .replace("0.9", "\"0.9\"");
    let grammar = body["grammar"].as_str().unwrap();
    assert_eq!(grammar.lines().next(), Some(expected.as_str()));
    // No name of a prompt's can be written in a text: a low line stands before a subscript alone.
    let character = grammar.lines().nth(1);
    let expected = r#"char ::= [^"\\_\x7F\x00-\x1F] | "\\\\" | "\\\"" | "_" [0-9{]"#;
    assert_eq!(character, Some(expected));
}

#[tokio::test]
async fn a_schema_that_is_no_grammar_goes_out_as_it_is() {
    let mut server = Upstream::saying(answer()).await;
    let compatible = connect(&at_llama_cpp(&server.url));
    let of =
        |value: Value| json!({"type": "object", "properties": {"a": value}, "required": ["a"]});
    for schema in [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"a": {"type": "null"}}}),
        of(json!({"$ref": "#/$defs/a"})),
        of(json!({"type": "string", "pattern": "^x$"})),
        of(json!({"type": "string", "maxLength": 5000})),
        of(json!({"type": "array", "items": {"type": "null"}, "minItems": 3, "maxItems": 2})),
        of(json!({})),
    ] {
        compatible.stream(&ask().schema(&schema)).await.unwrap();
        let body = server.asked.recv().await.unwrap().body;
        assert!(body.get("grammar").is_none(), "{schema}");
        assert_eq!(body["response_format"]["json_schema"]["schema"], schema);
    }
}

/// A server that is said to be llama.cpp and is not: it refuses what it does not know, or takes no notice of it. It is asked
/// once; a request with a schema beside the grammar would be one that llama.cpp refuses.
#[tokio::test]
async fn a_server_that_knows_no_grammar() {
    let schema = json!({
        "type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]
    });
    let asked = ask().schema(&schema);
    let mut strict = Upstream::replying(|asked| {
        let is_known = asked.body.get("grammar").is_none();
        let status = if is_known { 200 } else { 400 };
        let said = Response::builder().status(status);
        said.body(Body::from(answer())).unwrap()
    })
    .await;
    for whole in [false, true] {
        let llama_cpp = connect(&at_llama_cpp(&strict.url));
        let failed = match whole {
            true => llama_cpp.complete(&asked).await.err(),
            false => llama_cpp.stream(&asked).await.err(),
        };
        let failure = failed.unwrap();
        let refused = Failure::Status {
            backend: "openai_compatible",
            status: 400,
            retry_after: None,
        };
        assert_eq!(failure, refused);
        assert_eq!(failure.word(), "refused");
        assert!(!failure.may_retry() && !failure.counts_against_breaker());
        let body = strict.asked.recv().await.unwrap().body;
        assert!(body.get("grammar").is_some() && body.get("response_format").is_none());
        assert!(strict.asked.try_recv().is_err(), "one attempt");
    }
    // Called as any server is, it gets what it knows.
    connect(&at(&strict.url)).stream(&asked).await.unwrap();

    // What it says then is not what was asked for; whoever reads it finds that out.
    let careless = Upstream::saying(answer()).await;
    let llama_cpp = connect(&at_llama_cpp(&careless.url));
    assert_eq!(llama_cpp.streamed(&asked).await.unwrap().text, "Hello ä");
}

/// The beginning of what llama.cpp says of itself.
const PROPERTIES: &str =
    r#"{"default_generation_settings": {"n_ctx": 4096}, "total_slots": 2, "chat_template": "…"}"#;

/// A server that answers `GET PATH` so, and nothing else.
async fn with_properties(path: &'static str, said: &'static str) -> Upstream {
    Upstream::replying(move |asked: &Asked| {
        let (status, said) = match asked.path == path {
            true => (200, said),
            false => (404, ""),
        };
        let answer = Response::builder().status(status);
        answer.body(Body::from(said)).unwrap()
    })
    .await
}

#[tokio::test]
async fn it_is_known_by_its_properties() {
    for (base, path, said, is_it) in [
        ("", "/props", PROPERTIES, true),
        ("/v1", "/props", PROPERTIES, true),
        ("/v1/", "/props", PROPERTIES, true),
        ("/models/v1", "/models/props", PROPERTIES, true),
        ("/models", "/models/props", PROPERTIES, true),
        ("/v1", "/v1/props", PROPERTIES, false),
        ("/v1", "/props", r#"{"model": "m"}"#, false),
        ("/v1", "/props", "[]", false),
        ("/v1", "/props", "<html>", false),
        ("/v1", "/health", PROPERTIES, false),
    ] {
        let mut server = with_properties(path, said).await;
        let url = format!("{}{base}", server.url);
        let args = [at(&url), vec!["--openai-api-key", "sk-test-1"]].concat();
        assert_eq!(
            is_llama_cpp(&settings(&args)).await,
            is_it,
            "{base} {path} {said}"
        );
        let asked = server.asked.recv().await.unwrap();
        assert_eq!(asked.headers["authorization"], "Bearer sk-test-1");
        assert!(server.asked.try_recv().is_err(), "one look");
    }
    let mut server = with_properties("/props", PROPERTIES).await;
    assert!(is_llama_cpp(&settings(&at(&server.url))).await);
    let asked = server.asked.recv().await.unwrap();
    assert!(asked.headers.get("authorization").is_none());
    // Nobody is there; no server is named; it is remote, and nobody agreed to it.
    assert!(!is_llama_cpp(&settings(&at(&nobody().await))).await);
    assert!(!is_llama_cpp(&settings(&[])).await);
    assert!(!is_llama_cpp(&settings(&at("http://models.invalid.example"))).await);
    // It is not waited for longer than a moment.
    let silent = Upstream::answering(|_| std::future::pending::<Response<Body>>()).await;
    assert!(!is_llama_cpp(&settings(&at(&silent.url))).await);
}
