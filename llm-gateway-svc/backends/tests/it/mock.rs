//! Every model of the mock.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use turnwise_llm_backends::{Completion, Failure, Finish, Operation, Role, mock::Rule};

use crate::harness::{Ask, Model, ask, ask_of, message, mock};

/// A turn's schema with these actions, and what belongs to them.
pub fn turn_schema(actions: &[&str]) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": ["mapped_units", "action", "target_unit_id", "tutor_text", "turn_analysis"],
        "properties": {
            "mapped_units": {"type": "array", "items": {
                "type": "object", "additionalProperties": false, "required": ["unit_id", "confidence"],
                "properties": {"unit_id": {"$ref": "#/$defs/unit"}, "confidence": {"type": "number"}}}},
            "action": {"enum": actions},
            "target_unit_id": {"$ref": "#/$defs/unit"},
            "tutor_text": {"type": "string", "minLength": 1},
            "turn_analysis": {
                "type": "object", "additionalProperties": false,
                "required": ["student_intent", "understanding_signal", "suggested_prereq_units"],
                "properties": {
                    "student_intent": {"enum": ["solve", "explain", "check", "stuck", "unknown"]},
                    "understanding_signal": {"enum": ["confident", "uncertain", "confused"]},
                    "suggested_prereq_units": {"type": "array", "items": {"type": "string"}}}},
            "concept_card": {
                "type": "object", "additionalProperties": false, "required": ["key_ideas"],
                "properties": {
                    "key_ideas": {"type": "array", "maxItems": 3, "items": {"type": "string"}},
                    "worked_example": {
                        "type": "object", "additionalProperties": false,
                        "required": ["problem_latex", "final_answer_latex"],
                        "properties": {
                            "problem_latex": {"type": "string"}, "final_answer_latex": {"type": "string"},
                            "steps_latex": {"type": "array", "items": {"type": "string"}}}}}},
            "drill_card": {
                "type": "object", "additionalProperties": false, "required": ["prompt", "question_latex"],
                "properties": {"prompt": {"type": "string"}, "question_latex": {"type": "string"}}},
            "exam_suggestion": {
                "type": "object", "additionalProperties": false, "required": ["question_id", "difficultyTier"],
                "properties": {
                    "question_id": {"enum": ["EX-7", "EX-9"]}, "difficultyTier": {"const": "silver"}}}
        },
        "$defs": {"unit": {"enum": ["ALG-03", "ALG-02"]}}
    })
}

pub const ALL: [&str; 4] = [
    "SOCRATIC_QUESTION",
    "DRILL_CARD",
    "CONCEPT_CARD",
    "EXAM_BLOCK",
];

pub fn turn(model: &str, actions: &[&str]) -> Ask {
    ask_of(model).schema(&turn_schema(actions))
}

async fn complete(mock: &Model, ask: Ask) -> Completion {
    let whole = mock.complete(&ask).await.unwrap();
    let streamed = mock.streamed(&ask).await.unwrap();
    assert_eq!(but_for_digits(&streamed.text), but_for_digits(&whole.text));
    assert_eq!(streamed.end, whole.end);
    whole
}

/// Each answer has another drill.
fn but_for_digits(text: &str) -> String {
    text.replace(|c: char| c.is_ascii_digit(), "#")
}

async fn reply(mock: &Model, model: &str, actions: &[&str]) -> Value {
    let text = complete(mock, turn(model, actions)).await.text;
    serde_json::from_str(&text).unwrap()
}

fn keeps(actions: &[&str], reply: &Value) -> bool {
    jsonschema::validator_for(&turn_schema(actions))
        .unwrap()
        .is_valid(reply)
}

#[tokio::test]
async fn answers_well_with_the_first_allowed_action_and_an_exam_before_all() {
    let mock = mock(&[]);
    for (actions, chosen, card) in [
        (&ALL[..1], "SOCRATIC_QUESTION", None),
        (&ALL[..2], "SOCRATIC_QUESTION", None),
        (&ALL[1..2], "DRILL_CARD", Some("drill_card")),
        (&ALL[2..3], "CONCEPT_CARD", Some("concept_card")),
        (&ALL[..], "EXAM_BLOCK", Some("exam_suggestion")),
    ] {
        let reply = reply(&mock, "", actions).await;
        assert!(keeps(actions, &reply), "{reply}");
        assert_eq!(reply["action"], chosen);
        assert_eq!(reply["target_unit_id"], "ALG-03");
        for key in ["concept_card", "drill_card", "exam_suggestion"] {
            assert_eq!(reply.get(key).is_some(), card == Some(key), "{reply}");
        }
    }
    let exam = &reply(&mock, "mock", &ALL).await["exam_suggestion"];
    assert_eq!(
        exam,
        &json!({"question_id": "EX-7", "difficultyTier": "silver"})
    );
}

#[tokio::test]
async fn a_question_asks_once() {
    let reply = reply(&mock(&[]), "mock", &ALL[..1]).await;
    let text = reply["tutor_text"].as_str().unwrap();
    assert_eq!(text.matches('?').count(), 1, "{text}");
}

#[tokio::test]
async fn reads_one_branch_per_action_and_writes_null_where_cards_are_required() {
    let branch = |action: &str| json!({"properties": {"action": {"const": action}}});
    let mut schema = turn_schema(&ALL);
    schema["properties"]["action"] = json!({"type": "string"});
    schema["oneOf"] = json!([branch("DRILL_CARD"), branch("SOCRATIC_QUESTION")]);
    schema["required"] = json!(["action", "concept_card", "drill_card", "exam_suggestion"]);
    let ask = ask().schema(&schema);
    let text = complete(&mock(&[]), ask).await.text;
    let reply: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(reply["action"], "DRILL_CARD");
    assert_eq!(addend(&reply), sum(&reply) - 5);
    assert_eq!(reply.get("concept_card"), Some(&Value::Null));
    assert_eq!(reply.get("exam_suggestion"), Some(&Value::Null));
}

/// The numbers of `x + 42 = 47`.
fn addend(reply: &Value) -> i64 {
    let exercise = reply["drill_card"]["question_latex"].as_str().unwrap();
    let (left, _) = exercise.split_once(" = ").unwrap();
    left.strip_prefix("x + ").unwrap().parse().unwrap()
}

fn sum(reply: &Value) -> i64 {
    let exercise = reply["drill_card"]["question_latex"].as_str().unwrap();
    exercise.split_once(" = ").unwrap().1.parse().unwrap()
}

#[tokio::test]
async fn each_answer_has_another_drill_with_the_same_solution() {
    let mock = mock(&[]);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let reply = reply(&mock, "mock", &ALL[1..2]).await;
        assert_eq!(sum(&reply), addend(&reply) + 5);
        seen.insert(addend(&reply));
    }
    assert_eq!(seen.len(), 100);
}

#[tokio::test]
async fn a_concept_card_keeps_the_schemas_bounds() {
    let mut schema = turn_schema(&ALL[2..3]);
    let card = &mut schema["properties"]["concept_card"]["properties"];
    card["key_ideas"]["maxItems"] = json!(1);
    card.as_object_mut().unwrap().remove("worked_example");
    let ask = ask().schema(&schema);
    let text = complete(&mock(&[]), ask).await.text;
    let reply: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&reply), "{reply}");
}

#[tokio::test]
async fn is_deterministic_and_says_that_it_is_the_mock() {
    let mock = mock(&["--mock-model", "mock:extra_key"]);
    let first = complete(&mock, turn("", &ALL)).await;
    let second = complete(&mock, turn("", &ALL)).await;
    assert_eq!(first.text, second.text);
    assert!(
        first.text.contains("confusion_tags"),
        "the configured model"
    );
    let end = first.end;
    assert_eq!((end.model.as_str(), mock.0.name()), ("mock", "mock"));
    assert_eq!(end.finish, Finish::Stop);
    assert_eq!(end.output_tokens as usize, first.text.len().div_ceil(4));
    assert!(end.input_tokens > 0);
}

#[tokio::test]
async fn says_what_the_setting_says() {
    let mock = mock(&["--helper-mock-response-text", "Read page 3."]);
    let reply = reply(&mock, "mock", &ALL[..1]).await;
    assert_eq!(reply["tutor_text"], "Read page 3.");
    assert!(keeps(&ALL[..1], &reply));
    assert_eq!(complete(&mock, ask()).await.text, "Read page 3.");
}

#[tokio::test]
async fn answers_in_words_without_a_schema_and_with_the_smallest_value_for_another() {
    let mock = mock(&[]);
    let words = complete(&mock, ask()).await.text;
    assert!(words.starts_with("This is the mock model"), "{words}");

    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["isCorrect", "tag", "steps", "note", "points"],
        "properties": {
            "isCorrect": {"type": "boolean"}, "tag": {"anyOf": [{"enum": ["sign"]}, {"type": "null"}]},
            "steps": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/step"}},
            "note": {"type": ["string", "null"], "minLength": 9}, "points": {"type": "integer", "minimum": 1}},
        "$defs": {"step": {"const": "a"}}
    });
    let ask = ask().schema(&schema);
    let text = complete(&mock, ask).await.text;
    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(
        jsonschema::validator_for(&schema).unwrap().is_valid(&value),
        "{value}"
    );

    let endless = json!({"$ref": "#"});
    let ask = crate::harness::ask().schema(&endless);
    assert_eq!(complete(&mock, ask).await.text, "null");
}

#[tokio::test]
async fn answers_badly_by_name() {
    let mock = mock(&[]);
    let text = complete(&mock, turn("mock:invalid_json", &ALL)).await.text;
    assert!(serde_json::from_str::<Value>(&text).is_err());

    assert_eq!(complete(&mock, turn("mock:empty", &ALL)).await.text, "");

    let whole = complete(&mock, turn("mock", &ALL)).await.text;
    let half = complete(&mock, turn("mock:truncated", &ALL)).await;
    assert_eq!(half.text, whole[..whole.len() / 2]);
    assert_eq!(half.end.finish, Finish::Length);

    let mut reply = reply(&mock, "mock:extra_key", &ALL).await;
    assert!(!keeps(&ALL, &reply));
    reply
        .as_object_mut()
        .unwrap()
        .remove("confusion_tags")
        .unwrap();
    assert!(keeps(&ALL, &reply), "nothing else is wrong");
}

#[tokio::test]
async fn stops_at_the_bound_of_the_request() {
    let answer = complete(&mock(&[]), turn("mock", &ALL).tokens(3)).await;
    assert_eq!(answer.text.len(), 12);
    let end = answer.end;
    assert_eq!(end.finish, Finish::Length);
    assert_eq!(end.output_tokens, 3);
}

#[tokio::test]
async fn breaks_each_rule_by_name() {
    let mock = mock(&[]);
    for (name, rule) in Rule::ALL {
        let model = format!("mock:break:{name}");
        // A turn in which the rule can be broken alone.
        let actions: &[&str] = match rule {
            Rule::ActionNotAllowed | Rule::ConceptNotStuck => &ALL[..2],
            Rule::ExamNotCandidate | Rule::TierMismatch => &ALL[3..],
            Rule::LimitsExceeded => &ALL[..3],
            Rule::TwoCards | Rule::MissingCard => &ALL[1..2],
            _ => &ALL[..2],
        };
        let reply = reply(&mock, &model, actions).await;
        let allowed = actions.iter().any(|a| reply["action"] == **a);
        let has = |key: &str| reply.get(key).is_some();
        let text = reply["tutor_text"].as_str().unwrap();
        match rule {
            Rule::ActionNotAllowed => {
                assert!(!allowed);
                assert!(has("concept_card"));
            }
            Rule::TargetOutOfScope => assert_eq!(reply["target_unit_id"], "UNIT-OUT-OF-SCOPE"),
            Rule::ExamNotCandidate => {
                assert_eq!(
                    reply["exam_suggestion"]["question_id"],
                    "QUESTION-NOT-CANDIDATE"
                );
                assert_eq!(reply["exam_suggestion"]["difficultyTier"], "silver");
            }
            Rule::TierMismatch => {
                assert_eq!(reply["exam_suggestion"]["question_id"], "EX-7");
                assert_eq!(reply["exam_suggestion"]["difficultyTier"], "bronze");
            }
            Rule::ConceptNotStuck => {
                assert_eq!(reply["action"], "CONCEPT_CARD");
                assert!(has("concept_card"));
            }
            Rule::LimitsExceeded => {
                let words = reply["concept_card"]["key_ideas"].to_string();
                assert!(words.split(' ').count() > 170);
            }
            Rule::TwoCards => assert!(has("drill_card") && has("exam_suggestion")),
            Rule::SocraticWithCard => {
                assert_eq!(reply["action"], "SOCRATIC_QUESTION");
                assert!(has("drill_card"));
            }
            Rule::MissingCard => {
                assert_eq!(reply["action"], "DRILL_CARD");
                assert!(!has("drill_card"));
            }
            Rule::ManyQuestions => assert!(text.matches('?').count() > 2),
            Rule::EmptyMessage => assert_eq!(text.trim(), ""),
            Rule::SchemaViolation => assert_eq!(reply["turn_analysis"]["student_intent"], "win"),
            Rule::FalseMathematics => {
                assert!(keeps(actions, &reply), "{reply}");
                assert_eq!(text, "So 1/4 + 1/3 = 2/9.");
            }
        }
        if !matches!(rule, Rule::ActionNotAllowed | Rule::ConceptNotStuck) {
            assert!(allowed, "{name} breaks one rule");
        }
    }
    let long = reply(&mock, "mock:break:limits_exceeded", &ALL[..1]).await;
    assert!(long["tutor_text"].as_str().unwrap().len() > 2_200);
    let drill = reply(&mock, "mock:break:limits_exceeded", &ALL[1..2]).await;
    let question = drill["drill_card"]["question_latex"].as_str().unwrap();
    assert!(question.matches('=').count() > 2);
    let words = complete(&mock, ask_of("mock:break:false_mathematics")).await;
    assert_eq!(words.text, "So 1/4 + 1/3 = 2/9.");
}

#[tokio::test]
async fn echoes_the_student() {
    let mock = mock(&[]);
    for (prompt, student) in [
        (
            r#"CONTEXT {"a": 1} STUDENT_INPUT {"messageText": "I said \"no\"", "voiceTranscript": null}"#,
            "I said \"no\"",
        ),
        (
            r#"{"messageText": null, "messageLatex": "\\frac{1}{2}"}"#,
            "\\frac{1}{2}",
        ),
        (r#"{"messageText": "hi", "messageLatex": null}"#, "hi"),
        ("no data at all", "no data at all"),
        (
            r#"CONTEXT {"unitAnchors": ["secret"]} STUDENT_INPUT {}"#,
            "",
        ),
    ] {
        let mut ask = turn("mock:echo", &ALL[..1]);
        let messages = &mut ask.prompt.messages;
        messages.push(message(Role::User, prompt));
        messages.push(message(Role::Assistant, "not me"));
        let text = complete(&mock, ask).await.text;
        let reply: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(reply["tutor_text"], format!("You wrote: {student}"));
        assert!(keeps(&ALL[..1], &reply));
    }
}

#[tokio::test]
async fn fails_by_status() {
    let mock = mock(&[]);
    let status = |status, retry_after: Option<u64>| Failure::Status {
        backend: "mock",
        status,
        retry_after: retry_after.map(Duration::from_secs),
    };
    let unreachable = Failure::Unreachable { backend: "mock" };
    let unknown = Failure::UnknownModel {
        backend: "mock",
        model: "mock".to_owned(),
    };
    for (argument, failure) in [
        ("503", status(503, None)),
        ("503:7", status(503, Some(7))),
        ("429", status(429, None)),
        ("429:0", status(429, Some(0))),
        ("500", status(500, None)),
        ("INTERNAL", status(500, None)),
        ("RESOURCE_EXHAUSTED:30", status(429, Some(30))),
        ("UNAUTHENTICATED", status(401, None)),
        ("UNAVAILABLE", unreachable.clone()),
        ("DEADLINE_EXCEEDED", unreachable),
        ("404", unknown.clone()),
        ("NOT_FOUND", unknown),
    ] {
        let model = format!("mock:status:{argument}");
        mock.0.admit(&model, Operation::Completion).unwrap();
        assert_eq!(mock.complete(&ask_of(&model)).await.unwrap_err(), failure);
        assert_eq!(mock.stream(&ask_of(&model)).await.unwrap_err(), failure);
        assert_eq!(mock.embed_by(&model, &["a"]).await.unwrap_err(), failure);
    }
}

#[tokio::test(start_paused = true)]
async fn streams_slowly_and_answers_late() {
    let mock = mock(&[]);
    let whole = complete(&mock, turn("mock", &ALL)).await.text;

    let begun = Instant::now();
    let (deltas, _) = mock.stream(&turn("mock:slow:20", &ALL)).await.unwrap();
    assert_eq!(deltas.concat(), whole);
    assert_eq!(deltas.len(), whole.len().div_ceil(12));
    let took = Duration::from_millis(20) * u32::try_from(deltas.len()).unwrap();
    assert!(begun.elapsed() >= took);

    let begun = Instant::now();
    let (deltas, _) = mock.stream(&turn("mock:delay:700", &ALL)).await.unwrap();
    assert_eq!(deltas, [whole]);
    assert!(begun.elapsed() >= Duration::from_millis(700));
}

#[tokio::test(start_paused = true)]
async fn stalls_for_ever() {
    let mock = mock(&[]);
    let hour = Duration::from_secs(3600);
    let ask = ask_of("mock:stall");
    assert!(timeout(hour, mock.complete(&ask)).await.is_err());
    assert!(timeout(hour, mock.stream(&ask)).await.is_err());
    let texts = ["a"];
    let late = timeout(hour, mock.embed_by("mock:stall", &texts));
    assert!(late.await.is_err());
}

#[tokio::test]
async fn knows_no_other_names() {
    let mock = mock(&[]);
    for model in [
        "llama3.2:1b",
        "mock:",
        "mock:nice",
        "mock:empty:1",
        "mock:break",
        "mock:break:all",
        "mock:status:200",
        "mock:status:teapot",
        "mock:status:429:soon",
        "mock:status:429:-1",
        "mock:slow:-1",
        "mock:delay:600001",
        "mock:length:0",
        "mock:length:4097",
        "MOCK",
    ] {
        let unknown = Failure::UnknownModel {
            backend: "mock",
            model: model.to_owned(),
        };
        let ask = ask_of(model);
        assert_eq!(mock.complete(&ask).await.unwrap_err(), unknown);
        assert_eq!(mock.stream(&ask).await.unwrap_err(), unknown);
        assert_eq!(mock.embed_by(model, &["a"]).await.unwrap_err(), unknown);
        for operation in [Operation::Completion, Operation::Embedding] {
            assert_eq!(mock.0.admit(model, operation).unwrap_err(), unknown);
        }
    }
    // Each name is for what its table says.
    assert!(mock.0.admit("mock:obey", Operation::Completion).is_ok());
    assert!(mock.0.admit("mock:obey", Operation::Embedding).is_err());
    assert!(mock.0.admit("mock:length:8", Operation::Embedding).is_ok());
    assert!(
        mock.0
            .admit("mock:length:8", Operation::Completion)
            .is_err()
    );
}
