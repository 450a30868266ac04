//! The JSON Schema of a policy.

use serde_json::{Value, json};
use turnwise_decisions::{
    FallbackReason, Policy, Situation, fallback::fallback, schema::reply_schema, validate::validate,
};

use crate::fixtures::*;

fn schema(policy: impl FnOnce(&turnwise_decisions::Course) -> Policy) -> Value {
    let course = course();
    reply_schema(&course, &policy(&course))
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn there_is_a_branch_for_each_action_and_what_it_does_comes_first() {
    let schema = schema(exam_policy);
    assert_eq!(keys(&schema), ["$schema", "type", "anyOf"]);
    let common = ["action", "target_unit_id", "tutor_text", "turn_analysis"];
    for (branch, action, card) in [
        (0, "SOCRATIC_QUESTION", None),
        (1, "DRILL_CARD", Some("drill_card")),
        (2, "EXAM_BLOCK", Some("exam_suggestion")),
    ] {
        let branch = &schema["anyOf"][branch];
        let expected: Vec<_> = common.into_iter().chain(card).collect();
        assert_eq!(keys(&branch["properties"]), expected);
        assert_eq!(branch["required"], json!(expected));
        assert_eq!(branch["properties"]["action"]["enum"], json!([action]));
    }
}

#[test]
fn this_turns_choices_are_enums() {
    let schema = schema(exam_policy);
    let enumeration = |branch: usize, pointer: &str| {
        let at = format!("/anyOf/{branch}/properties/{pointer}/enum");
        schema.pointer(&at).unwrap().clone()
    };
    assert_eq!(enumeration(0, "target_unit_id"), json!(["B", "ENTRY"]));
    assert_eq!(enumeration(1, "target_unit_id"), json!(["B"]));
    assert_eq!(enumeration(2, "target_unit_id"), json!(["B"]));
    assert_eq!(
        enumeration(2, "exam_suggestion/properties/question_id"),
        json!(["B-bronze-1", "B-bronze-2"])
    );
    assert_eq!(
        enumeration(2, "exam_suggestion/properties/difficultyTier"),
        json!(["bronze"])
    );
}

#[test]
fn a_model_is_asked_for_the_short_form_and_may_write_it_out() {
    let course = course();
    let policy = exam_policy(&course);
    let asked = reply_schema(&course, &policy);
    let analyses = asked
        .pointer("/anyOf/0/properties/turn_analysis/enum")
        .unwrap()
        .as_array()
        .unwrap();
    assert_eq!(analyses.len(), 15);
    assert_eq!(analyses[0], "solve confident");

    let mut whole =
        serde_json::to_value(fallback(&course, &policy, &Situation::default())).unwrap();
    whole["tutor_text"] = json!("What comes first?");
    assert!(!jsonschema::is_valid(&asked, &whole));
    let mut short = whole.clone();
    short.as_object_mut().unwrap().remove("mapped_units");
    for analysis in analyses {
        short["turn_analysis"] = analysis.clone();
        assert!(jsonschema::is_valid(&asked, &short), "{analysis}");
        let reply = validate(&course, &policy, short.to_string().as_bytes()).unwrap();
        let written = serde_json::to_value(&reply).unwrap();
        let (intent, signal) = analysis.as_str().unwrap().split_once(' ').unwrap();
        assert_eq!(written["turn_analysis"]["student_intent"], intent);
        assert_eq!(written["turn_analysis"]["understanding_signal"], signal);
        assert_eq!(written["mapped_units"], json!([]));
    }
    // A server that knows no grammar may have others between the two words.
    short["turn_analysis"] = json!("stuck, confused");
    assert!(validate(&course, &policy, short.to_string().as_bytes()).is_ok());
    // Only the short form may leave something out, and it has no words of its own.
    let mut lacking = whole.clone();
    lacking.as_object_mut().unwrap().remove("mapped_units");
    let mut other = short.clone();
    other["turn_analysis"] = json!("solve sure");
    for reply in [lacking, other] {
        let refused = validate(&course, &policy, reply.to_string().as_bytes());
        let reason = refused.unwrap_err().reason;
        assert_eq!(reason, FallbackReason::SchemaViolation, "{reply}");
    }
    // A reply that is written out may name units that it was not told about.
    let mut wide = whole;
    wide["mapped_units"] = json!([{"unit_id": "A", "confidence": 0.93}]);
    assert!(validate(&course, &policy, wide.to_string().as_bytes()).is_ok());
}

#[test]
fn a_single_action_needs_no_branches() {
    let course = course();
    let plan = plan_event(
        &course,
        snapshot("B", &[]),
        turnwise_decisions::EventKind::RequestDrill,
        "B",
    );
    let schema = reply_schema(&course, &decide_available(&course, plan, &[]).policy);
    assert!(schema.get("anyOf").is_none());
    assert_eq!(
        schema["properties"]["action"]["enum"],
        json!(["DRILL_CARD"])
    );
}

#[test]
fn nothing_else_is_allowed_at_any_level() {
    fn walk(value: &Value, objects: &mut usize) {
        if value["type"] == "object" && value.get("anyOf").is_none() {
            *objects += 1;
            assert_eq!(value["additionalProperties"], json!(false), "{value}");
        }
        match value {
            Value::Object(entries) => entries.values().for_each(|v| walk(v, objects)),
            Value::Array(items) => items.iter().for_each(|v| walk(v, objects)),
            _ => {}
        }
    }
    let (mut exam, mut concept) = (0, 0);
    walk(&schema(exam_policy), &mut exam);
    walk(&schema(stuck_policy), &mut concept);
    assert_eq!((exam, concept), (5, 6));
}
