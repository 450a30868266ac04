//! Outputs of a model, and what becomes of each.

use turnwise_course_pack::gates::Value;
use turnwise_decisions::FallbackReason::{self, *};
use turnwise_procedure_help::{HelpedProcedure, Outcome, Status, count_sentences};
use turnwise_procedure_steps as steps;

use crate::fixture::{demo, german, plan, resolve, values};

const GOOD: &str = r#"{"status":"ok","step_id":"goggles","overlay":{"intent":"highlight","target":"clamp"},"message":"The goggles come first."}"#;

#[test]
fn a_valid_output_is_the_help() {
    let helped = HelpedProcedure::new(demo("titration"));
    let plan = plan(&helped, &values([]));
    let told = resolve(&helped, &plan, Outcome::Completion(GOOD.as_bytes()));
    assert_eq!((told.status, told.reason), (Status::Ok, None));
    assert_eq!(told.help.message, "The goggles come first.");
    assert_eq!(told.help.highlight.as_deref(), Some("clamp"));
    // One that is unsure says it, and points at nothing.
    let unsure = GOOD.replace("\"ok\"", "\"fallback\"");
    let told = resolve(&helped, &plan, Outcome::Completion(unsure.as_bytes()));
    assert_eq!((told.status, told.reason), (Status::Fallback, None));
    assert_eq!(told.help.message, "The goggles come first.");
    assert_eq!(told.help.highlight, None);
    // Text alone is help as well.
    for overlay in ["", r#""overlay":null,"#] {
        let start = GOOD.find("\"overlay\"").unwrap();
        let end = GOOD.find("\"message\"").unwrap();
        let text = format!("{}{overlay}{}", &GOOD[..start], &GOOD[end..]);
        let told = resolve(&helped, &plan, Outcome::Completion(text.as_bytes()));
        assert_eq!((told.status, told.help.highlight), (Status::Ok, None));
    }
}

#[track_caller]
fn falls_back(output: &str, reason: FallbackReason) {
    let helped = HelpedProcedure::new(demo("titration"));
    let plan = plan(&helped, &values([]));
    let told = resolve(&helped, &plan, Outcome::Completion(output.as_bytes()));
    assert_eq!(
        (told.status, told.reason),
        (Status::Fallback, Some(reason)),
        "{output}"
    );
    assert_eq!(told.overlay_refused, reason == OverlayNotAllowed);
    assert_eq!(told.help, plan.fallback);
    assert_eq!(told.help.highlight.as_deref(), Some("goggles"));
}

#[test]
fn an_invalid_output_gives_way_to_the_fallback() {
    let with = |from: &str, to: &str| {
        let output = GOOD.replace(from, to);
        assert_ne!(output, GOOD);
        output
    };
    let overlay = r#"{"intent":"highlight","target":"clamp"}"#;
    for (output, reason) in [
        ("The goggles come first.".to_owned(), LlmNonJson),
        ("[]".to_owned(), LlmNonJson),
        (format!("{GOOD}{GOOD}"), LlmNonJson),
        (with("\"status\":\"ok\",", ""), SchemaViolation),
        (with("\"ok\"", "\"done\""), SchemaViolation),
        (with("\"ok\"", "\"error\""), LlmError),
        (with("\"goggles\"", "\"note-end\""), SchemaViolation),
        (
            with("\"status\"", "\"actions\":[\"tap\"],\"status\""),
            SchemaViolation,
        ),
        (
            with("\"status\"", "\"status\":\"ok\",\"status\""),
            SchemaViolation,
        ),
        (with("clamp", "no_such"), OverlayNotAllowed),
        // A target of another phase.
        (with("clamp", "pipette"), OverlayNotAllowed),
        (with("clamp", "lab-goggles"), OverlayNotAllowed),
        (with("highlight", "click"), OverlayNotAllowed),
        (with("highlight", "clear"), OverlayNotAllowed),
        (with("highlight", "HIGHLIGHT"), OverlayNotAllowed),
        (
            with(overlay, r#"{"intent":"highlight"}"#),
            OverlayNotAllowed,
        ),
        (with(overlay, r#"{"target":"clamp"}"#), OverlayNotAllowed),
        (with(overlay, "[]"), OverlayNotAllowed),
        (with(overlay, "\"clamp\""), OverlayNotAllowed),
        (
            with("\"clamp\"", "\"clamp\",\"key\":\"enter\""),
            OverlayNotAllowed,
        ),
        (with("\"clamp\"", "[\"clamp\",\"tap\"]"), OverlayNotAllowed),
        (with("The goggles come first.", " "), EmptyMessage),
        (with("The goggles come first.", "...!"), EmptyMessage),
        (
            with("come first.", "come first. Then this. Then that."),
            LimitsExceeded,
        ),
        (with("first.", &"so ".repeat(300)), LimitsExceeded),
        (with("first", "\\u0007first"), SchemaViolation),
        (
            with(
                "first.\"",
                "first.\",\"explanations\":[\"a\",\"b\",\"c\",\"d\"]",
            ),
            LimitsExceeded,
        ),
        (
            with("first.\"", "first.\",\"explanations\":[\" \"]"),
            SchemaViolation,
        ),
    ] {
        falls_back(&output, reason);
    }
}

#[test]
fn without_a_model_there_is_help() {
    let helped = HelpedProcedure::new(german());
    let plan = plan(&helped, &values([("brille", Value::Bool(false))]));
    let told = resolve(&helped, &plan, Outcome::Failure(LlmOff));
    assert_eq!(
        (told.status, told.reason, told.violation),
        (Status::Fallback, Some(LlmOff), None)
    );
    let message = "Spritzer schaden den Augen. Darum kommt die Brille zuerst.";
    assert_eq!(told.help.message, message);
    assert_eq!(told.help.highlight.as_deref(), Some("brille"));
}

#[test]
fn what_cannot_be_done_yet_is_not_pointed_at() {
    let helped = HelpedProcedure::new(german());
    let known = values([
        ("brille", Value::Bool(true)),
        ("hahn", Value::Text("zu".to_owned())),
    ]);
    let told = plan(&helped, &known);
    assert_eq!(told.status, steps::Status::Pending);
    assert_eq!(
        told.blocked_by.unwrap(),
        "`vars.hahn == 'offen'` gilt nicht: hahn ist zu"
    );
    assert_eq!(told.unknown, ["volumen ist nicht bekannt"]);
    assert_eq!(told.fallback.highlight, None);
}

#[test]
fn a_finished_procedure_says_so_whatever_a_model_says() {
    let helped = HelpedProcedure::new(german());
    let known = values([("brille", Value::Bool(true)), ("volumen", Value::Int(12))]);
    let plan = plan(&helped, &known);
    assert_eq!(
        (plan.status, plan.output_schema.clone()),
        (steps::Status::Finished, None)
    );
    for outcome in [
        Outcome::Completion(GOOD.as_bytes()),
        Outcome::Failure(LlmTimeout),
    ] {
        let told = resolve(&helped, &plan, outcome);
        assert_eq!((told.status, told.reason), (Status::Ok, None));
        assert_eq!(
            told.help.message,
            "Alle Schritte dieser Anleitung sind erledigt."
        );
        assert_eq!(told.help.highlight, None);
    }
}

#[test]
fn sentences_are_counted() {
    for (text, count) in [
        ("", 0),
        (" … ", 0),
        ("One", 1),
        ("One.", 1),
        ("Is it so? Yes!", 2),
        ("It is 5.2 pH, e.g. here.", 1),
        ("Nimm z. B. den Hahn. Und dann?", 2),
        ("He said “yes.” Then no.", 2),
        ("One...\nTwo", 2),
        ("1. One. 2. Two.", 4),
        ("一。二。三", 3),
    ] {
        assert_eq!(count_sentences(text), count, "{text}");
    }
}
