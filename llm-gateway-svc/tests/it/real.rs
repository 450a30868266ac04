//! A real model, where there is one: set TURNWISE_REAL_LLM to the address of an OpenAI-compatible server.

use serde_json::{Value, json};
use turnwise_proto::llm::v1::{CompleteRequest, FinishReason};

use crate::{
    harness::{gateway, request},
    mock::turn_schema,
};

#[tokio::test]
async fn a_real_model_keeps_the_schema_of_a_turn() {
    let Ok(url) = std::env::var("TURNWISE_REAL_LLM") else {
        eprintln!("skipped: TURNWISE_REAL_LLM names no server");
        return;
    };
    let gateway = gateway(&[
        "--helper-llm-backend",
        "openai_compatible",
        "--openai-base-url",
        &url,
        "--openai-timeout-seconds",
        "120",
        "--helper-remote-mode-acknowledged",
        "1",
    ])
    .await;
    let mut schema = turn_schema(&["SOCRATIC_QUESTION", "DRILL_CARD"]);
    // A small model writes without end where it may.
    schema["properties"]["tutor_text"] =
        json!({"type": "string", "minLength": 1, "maxLength": 120});
    let request = CompleteRequest {
        json_schema: schema.to_string(),
        max_output_tokens: 400,
        ..request()
    };
    let (deltas, end) = gateway.stream_all(request).await.unwrap();
    assert!(deltas.len() > 1, "it streams");
    assert!(end.output_tokens > 0 && end.input_tokens > 0);
    let text = deltas.concat();
    if end.finish_reason() == FinishReason::Stop {
        let reply: Value = serde_json::from_str(&text).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&reply), "{reply}");
    } else {
        assert_eq!(end.finish_reason(), FinishReason::Length, "{text}");
    }
}
