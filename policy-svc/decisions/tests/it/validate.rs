//! Replies that are refused, each with its reason, and what an accepted one becomes.

mod limits;

use serde_json::{Value, json};
use turnwise_decisions::{
    Action::{self, ConceptCard, DrillCard, ExamBlock, SocraticQuestion},
    Course, FallbackReason, Outcome, Policy, resolve,
    resolve::{Card, Observation},
};

use crate::fixtures::*;

/// The reason why the reply is refused, or `accepted`.
fn verdict(course: &Course, policy: &Policy, reply: &Value) -> &'static str {
    let resolution = resolve_value(course, policy, reply);
    resolution
        .fallback_reason
        .map_or("accepted", FallbackReason::as_str)
}

fn verdict_of_bytes(bytes: &[u8]) -> &'static str {
    let course = course();
    let policy = plain_policy(&course);
    resolve(&course, &policy, Outcome::Completion(bytes))
        .unwrap()
        .fallback_reason
        .map_or("accepted", FallbackReason::as_str)
}

/// Changes a valid reply and expects this reason.
fn check(
    policy: impl FnOnce(&Course) -> Policy,
    action: Action,
    change: impl FnOnce(&mut Value),
    expected: &str,
) {
    let course = course();
    let policy = policy(&course);
    let mut reply = reply(&policy, action);
    change(&mut reply);
    assert_eq!(verdict(&course, &policy, &reply), expected, "{reply}");
}

#[test]
fn valid_replies_are_accepted() {
    check(plain_policy, SocraticQuestion, |_| {}, "accepted");
    check(plain_policy, DrillCard, |_| {}, "accepted");
    check(stuck_policy, ConceptCard, |_| {}, "accepted");
    check(exam_policy, ExamBlock, |_| {}, "accepted");
}

#[test]
fn what_is_not_one_json_object_is_not_json() {
    for bytes in [
        &b""[..],
        b"   ",
        b"I think you should try again.",
        b"```json\n{}\n```",
        b"{",
        b"{} {}",
        b"{}x",
        b"[]",
        b"null",
        b"\"text\"",
        b"42",
        b"{'action': 1}",
        b"{\"a\": NaN}",
        b"{\"a\": 1e999}",
        b"{\"a\": \"\\ud800\"}",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b"{\"a\": \"\xff\"}",
    ] {
        assert_eq!(
            verdict_of_bytes(bytes),
            "llm_non_json",
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn duplicate_keys_and_deep_nesting_are_refused() {
    let course = course();
    let policy = plain_policy(&course);
    let text = serde_json::to_string(&reply(&policy, SocraticQuestion)).unwrap();
    let twice = text.replacen('{', r#"{"action":"DRILL_CARD","#, 1);
    assert_eq!(verdict_of_bytes(twice.as_bytes()), "schema_violation");
    let inner = text.replacen(r#"{"unit_id""#, r#"{"confidence":1,"unit_id""#, 1);
    assert_eq!(verdict_of_bytes(inner.as_bytes()), "schema_violation");
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(verdict_of_bytes(deep.as_bytes()), "schema_violation");
}

#[test]
fn an_oversized_reply_is_refused_unread() {
    let big = vec![b'x'; 64 * 1024 + 1];
    assert_eq!(verdict_of_bytes(&big), "limits_exceeded");
    let mut padded =
        serde_json::to_vec(&reply(&plain_policy(&course()), SocraticQuestion)).unwrap();
    padded.resize(64 * 1024, b' ');
    assert_eq!(verdict_of_bytes(&padded), "accepted");
    padded.push(b' ');
    assert_eq!(verdict_of_bytes(&padded), "limits_exceeded");
}

#[test]
fn every_key_of_the_contract_is_required() {
    for key in [
        "action",
        "target_unit_id",
        "tutor_text",
        "mapped_units",
        "turn_analysis",
    ] {
        check(
            plain_policy,
            SocraticQuestion,
            |r| {
                r.as_object_mut().unwrap().remove(key);
            },
            "schema_violation",
        );
    }
    for key in [
        "student_intent",
        "understanding_signal",
        "suggested_prereq_units",
    ] {
        check(
            plain_policy,
            SocraticQuestion,
            |r| {
                r["turn_analysis"].as_object_mut().unwrap().remove(key);
            },
            "schema_violation",
        );
    }
}

#[test]
fn foreign_keys_are_refused_at_every_level() {
    for (policy, action, pointer) in [
        (plain_policy as fn(&Course) -> Policy, SocraticQuestion, ""),
        (plain_policy, SocraticQuestion, "/mapped_units/0"),
        (plain_policy, SocraticQuestion, "/turn_analysis"),
        (plain_policy, DrillCard, "/drill_card"),
        (stuck_policy, ConceptCard, "/concept_card"),
        (stuck_policy, ConceptCard, "/concept_card/worked_example"),
        (exam_policy, ExamBlock, "/exam_suggestion"),
    ] {
        check(
            policy,
            action,
            |r| r.pointer_mut(pointer).unwrap()["confusion_tags"] = json!(["sign_error"]),
            "schema_violation",
        );
    }
}

#[test]
fn wrong_types_are_refused() {
    for (pointer, value) in [
        ("/action", json!(1)),
        ("/action", json!(null)),
        ("/target_unit_id", json!(["B"])),
        ("/tutor_text", json!({"text": "hi"})),
        ("/mapped_units", json!({})),
        ("/mapped_units/0", json!("B")),
        ("/mapped_units/0/confidence", json!("0.5")),
        ("/mapped_units/0/confidence", json!(1.01)),
        ("/mapped_units/0/confidence", json!(-0.01)),
        ("/mapped_units/0/unit_id", json!(7)),
        ("/turn_analysis", json!(null)),
        ("/turn_analysis/student_intent", json!("cheat")),
        ("/turn_analysis/understanding_signal", json!("SURE")),
        ("/turn_analysis/suggested_prereq_units", json!("A")),
        ("/drill_card", json!(null)),
        ("/drill_card/prompt", json!(1)),
        ("/drill_card/prompt", json!("  ")),
    ] {
        check(
            plain_policy,
            DrillCard,
            |r| *r.pointer_mut(pointer).unwrap() = value,
            "schema_violation",
        );
    }
}

#[test]
fn the_action_must_be_allowed() {
    for action in ["EXAM_BLOCK", "GIVE_ANSWER", "socratic_question", ""] {
        check(
            plain_policy,
            SocraticQuestion,
            |r| r["action"] = json!(action),
            "action_not_allowed",
        );
    }
}

#[test]
fn a_concept_card_needs_a_stuck_student() {
    check(
        plain_policy,
        SocraticQuestion,
        |r| {
            r["action"] = json!("CONCEPT_CARD");
            r["concept_card"] = json!({"key_ideas": ["An idea."]});
        },
        "concept_not_stuck",
    );
}

#[test]
fn the_target_must_be_in_scope() {
    for target in ["D", "nowhere", "", "b"] {
        check(
            plain_policy,
            SocraticQuestion,
            |r| r["target_unit_id"] = json!(target),
            "target_out_of_scope",
        );
    }
    // In scope, but a pointer: no drill belongs there.
    check(
        plain_policy,
        SocraticQuestion,
        |r| r["target_unit_id"] = json!("ENTRY"),
        "accepted",
    );
    check(
        plain_policy,
        DrillCard,
        |r| r["target_unit_id"] = json!("ENTRY"),
        "target_out_of_scope",
    );
    check(
        exam_policy,
        ExamBlock,
        |r| r["target_unit_id"] = json!("ENTRY"),
        "target_out_of_scope",
    );
}

#[test]
fn an_exam_question_must_be_a_candidate_at_the_desired_tier() {
    for question in ["B-silver-1", "A-bronze-1", "made-up"] {
        check(
            exam_policy,
            ExamBlock,
            |r| r["exam_suggestion"]["question_id"] = json!(question),
            "exam_not_candidate",
        );
    }
    for tier in ["silver", "none", "platinum"] {
        check(
            exam_policy,
            ExamBlock,
            |r| r["exam_suggestion"]["difficultyTier"] = json!(tier),
            "tier_mismatch",
        );
    }
}

#[test]
fn each_action_has_its_own_card_and_no_other() {
    let drill = json!({"prompt": "Solve.", "question_latex": "x = 1"});
    check(
        plain_policy,
        SocraticQuestion,
        |r| r["drill_card"] = drill.clone(),
        "schema_violation",
    );
    check(
        plain_policy,
        DrillCard,
        |r| {
            r.as_object_mut().unwrap().remove("drill_card");
        },
        "schema_violation",
    );
    check(
        stuck_policy,
        ConceptCard,
        |r| r["drill_card"] = drill.clone(),
        "schema_violation",
    );
    check(
        exam_policy,
        ExamBlock,
        |r| r["drill_card"] = drill.clone(),
        "schema_violation",
    );
    check(
        exam_policy,
        SocraticQuestion,
        |r| {
            r["exam_suggestion"] = json!({"question_id": "B-bronze-1", "difficultyTier": "bronze"});
        },
        "schema_violation",
    );
}

#[test]
fn the_violation_names_the_place_and_quotes_nothing() {
    let course = course();
    let policy = plain_policy(&course);
    let mut reply = reply(&policy, DrillCard);
    reply["drill_card"]["secret words"] = json!("of the model");
    let resolution = resolve_value(&course, &policy, &reply);
    assert_eq!(
        resolution.violation.as_deref(),
        Some("/drill_card additionalProperties")
    );
    assert_eq!(resolution.analysis, None);
}

#[test]
fn an_accepted_reply_keeps_its_words_and_drops_unknown_units() {
    let course = course();
    let policy = plain_policy(&course);
    let mut reply = reply(&policy, DrillCard);
    reply["mapped_units"] = json!([
        {"unit_id": "D", "confidence": 0.4},
        {"unit_id": "made-up", "confidence": 1},
        {"unit_id": "D", "confidence": 0.9},
    ]);
    reply["turn_analysis"]["suggested_prereq_units"] = json!(["made-up", "A", "A"]);
    let resolution = resolve_value(&course, &policy, &reply);
    assert_eq!(resolution.text, "What would you try first?");
    let analysis = resolution.analysis.unwrap();
    assert_eq!(analysis.mapped_units, mapped(&[("D", 0.4)]));
    assert_eq!(analysis.suggested_prereq_units, ["A"]);
    assert!(matches!(resolution.card, Some(Card::Drill(_))));
}

#[test]
fn markdown_is_made_plain_and_formulas_are_left() {
    let course = course();
    let policy = plain_policy(&course);
    let mut drill = reply(&policy, DrillCard);
    drill["tutor_text"] = json!("## Now you\n**Undo** the last step.");
    drill["drill_card"] = json!({
        "prompt": "Solve the *equation*.",
        "question_latex": "2*y*3 = 12",
    });
    let resolution = resolve_value(&course, &policy, &drill);
    assert_eq!(resolution.fallback_reason, None);
    assert_eq!(resolution.text, "Now you\nUndo the last step.");
    let Some(Card::Drill(card)) = resolution.card else {
        panic!("no drill");
    };
    assert_eq!(card.prompt, "Solve the equation.");
    assert_eq!(card.question_latex, "2*y*3 = 12");

    let policy = stuck_policy(&course);
    let mut concept = reply(&policy, ConceptCard);
    concept["concept_card"]["key_ideas"] = json!(["`Both` sides stay equal."]);
    let resolution = resolve_value(&course, &policy, &concept);
    let Some(Card::Concept(card)) = resolution.card else {
        panic!("no concept");
    };
    assert_eq!(card.key_ideas, ["Both sides stay equal."]);
}

#[test]
fn an_exam_card_says_what_the_catalogue_says() {
    let course = course();
    let policy = exam_policy(&course);
    let resolution = resolve_value(&course, &policy, &reply(&policy, ExamBlock));
    let Some(Card::Exam(card)) = resolution.card else {
        panic!("no exam card");
    };
    assert_eq!(Some(&card), course.question("B-bronze-1"));
}

#[test]
fn observations_are_counted_and_no_fault() {
    let course = course();
    let plan = plan_for(&course, snapshot("ENTRY", &[]), &[("C", 0.9)]);
    let policy = decide_available(&course, plan, &[]).policy;
    let mut reply = reply(&policy, SocraticQuestion);
    assert_eq!(resolve_value(&course, &policy, &reply).observations, []);
    reply["target_unit_id"] = json!("C");
    reply["tutor_text"] = json!("What is a fraction? Where have you seen one?");
    let resolution = resolve_value(&course, &policy, &reply);
    assert_eq!(resolution.fallback_reason, None);
    assert_eq!(
        resolution.observations,
        [Observation::TargetNotBlocker, Observation::TwoQuestions]
    );
}
