//! A real model, where there is one: set TURNWISE_REAL_LLM to the address of a llama.cpp server.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use turnwise_llm_backends::{Completion, Finish, Piece, Role};

use crate::{
    harness::{Ask, Model, ask, connect, message},
    mock::turn_schema,
};

/// The model through both of OpenAI's protocols, and its address.
fn models() -> Option<(String, [Model; 2])> {
    let Ok(url) = std::env::var("TURNWISE_REAL_LLM") else {
        eprintln!("skipped: TURNWISE_REAL_LLM names no server");
        return None;
    };
    let models = ["openai_compatible", "openai"].map(|backend| {
        connect(&[
            "--helper-llm-backend",
            backend,
            "--openai-base-url",
            &url,
            "--openai-api-key",
            "sk-none",
            "--openai-timeout-seconds",
            "120",
            "--helper-remote-mode-acknowledged",
            "1",
        ])
    });
    Some((url, models))
}

fn turn() -> (Value, Ask) {
    let mut schema = turn_schema(&["SOCRATIC_QUESTION", "DRILL_CARD"]);
    // A small model writes without end where it may.
    schema["properties"]["tutor_text"] =
        json!({"type": "string", "minLength": 1, "maxLength": 120});
    let ask = ask().schema(&schema).tokens(400);
    (schema, ask)
}

fn keeps(schema: &Value, text: &str, finish: Finish) {
    if finish == Finish::Stop {
        let reply: Value = serde_json::from_str(text).unwrap();
        let validator = jsonschema::validator_for(schema).unwrap();
        assert!(validator.is_valid(&reply), "{reply}");
    } else {
        assert_eq!(finish, Finish::Length, "{text}");
    }
}

/// One test: parts that ran beside each other would count each other's calls.
#[tokio::test]
async fn a_real_model() {
    let Some((url, models)) = models() else {
        return;
    };
    it_keeps_the_schema_of_a_turn(&models).await;
    it_answers_whole(&models).await;
    a_cancelled_call_frees_its_slot(&url, &models).await;
}

async fn it_keeps_the_schema_of_a_turn(models: &[Model]) {
    let (schema, ask) = turn();
    for model in models {
        let (deltas, end) = model.stream(&ask).await.unwrap();
        assert!(deltas.len() > 1, "it streams");
        assert!(end.output_tokens > 0 && end.input_tokens > 0);
        assert!(!end.model.is_empty());
        // This server's Responses take a schema and do not keep it.
        if model.0.name() == "openai_compatible" {
            keeps(&schema, &deltas.concat(), end.finish);
        }
    }
}

/// As a caller does: this server sometimes closes a connection just when the next call is sent on it.
async fn tried_again(model: &Model, ask: &Ask) -> Completion {
    for _ in 0..3 {
        match model.complete(ask).await {
            Ok(answer) => return answer,
            Err(failure) => assert!(failure.may_retry(), "{failure:?}"),
        }
    }
    panic!("three attempts failed");
}

async fn it_answers_whole(models: &[Model]) {
    for model in models {
        // The first call shows how quick the server is, the second takes the other way.
        for bound in [16, 24] {
            let answer = tried_again(model, &ask().tokens(bound)).await;
            assert!(!answer.text.is_empty());
            assert!(answer.end.output_tokens <= bound);
            assert!(answer.end.input_tokens > 0);
        }
    }
}

/// How many calls the model works on.
async fn busy(url: &str) -> usize {
    let slots = reqwest::get(format!("{url}/slots")).await.unwrap();
    let slots: Value = slots.json().await.unwrap();
    let busy = |slot: &&Value| slot["is_processing"] == true;
    slots.as_array().unwrap().iter().filter(busy).count()
}

/// Waits until the model works on nothing more than that.
async fn settled(url: &str, calls: usize) {
    timeout(Duration::from_secs(10), async {
        while busy(url).await != calls {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await
    .unwrap_or_else(|_| panic!("not {calls} calls"));
}

async fn a_cancelled_call_frees_its_slot(url: &str, models: &[Model]) {
    // Long enough not to end by itself meanwhile, with the schema where that is kept and by its kind elsewhere.
    let schema = json!({"type": "array", "items": {"type": "integer"}, "minItems": 1_000});
    let mut long = ask().schema(&schema).tokens(1_000);
    let story = "Write a very long story about a dragon, with many chapters.";
    long.prompt.messages = vec![message(Role::User, story)];
    settled(url, 0).await;
    for model in models {
        let mut pieces = model.pieces(&long);
        let first = pieces.next().await.unwrap().unwrap();
        assert!(matches!(first, Piece::Delta(_)), "{first:?}");
        assert_eq!(busy(url).await, 1);
        drop(pieces);
        settled(url, 0).await;
    }
    // The same where the answer is awaited whole. This server would not notice it if it were asked for a whole answer, which
    // is what `openai` does.
    for model in models.iter().filter(|m| m.0.name() == "openai_compatible") {
        let call = tokio::spawn({
            let (model, long) = (model.clone(), long.clone());
            async move { model.complete(&long).await }
        });
        settled(url, 1).await;
        call.abort();
        settled(url, 0).await;
    }
}
