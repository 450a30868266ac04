//! What a student may send.

use proptest::prelude::*;
use turnwise_gateway_svc::input::{Unredacted, said};
use turnwise_kit::Fault;
use turnwise_proto::{
    common::v1::ErrorReason,
    tutor::v1::{
        ClientEvent, ClientEventKind, DrillResult, ExamResult, StudentInput, TakeTurnRequest,
    },
};
use turnwise_redaction::Roster;

const MAX: usize = 40;

/// Text, LaTeX, event; and what they get: reason and field.
type Case<'a> = (
    &'a str,
    &'a str,
    Option<(i32, &'a str)>,
    ErrorReason,
    &'a str,
);

type Read = Result<(StudentInput, Option<ClientEvent>), Fault>;

fn read(text: &str, latex: &str, event: Option<(i32, &str)>) -> Read {
    let event = event.map(|(kind, unit)| ClientEvent {
        kind,
        unit_id: unit.to_owned(),
        ..ClientEvent::default()
    });
    read_event(text, latex, event)
}

fn read_event(text: &str, latex: &str, event: Option<ClientEvent>) -> Read {
    let request = TakeTurnRequest {
        input: Some(StudentInput {
            text: text.to_owned(),
            latex: latex.to_owned(),
            voice_transcript: String::new(),
        }),
        event,
        ..TakeTurnRequest::default()
    };
    Unredacted::read(&request, MAX).map(|read| read.redact(&Roster::default()))
}

#[test]
fn each_way_to_be_wrong_has_its_reason_and_field() {
    let drill = i32::from(ClientEventKind::RequestDrill);
    let long = "é".repeat(MAX + 1);
    let cases: [Case<'_>; 13] = [
        ("", "", None, ErrorReason::MissingMessage, "input"),
        ("x", "x", None, ErrorReason::MissingMessage, "input"),
        (
            "x",
            "x",
            Some((drill, "U")),
            ErrorReason::MissingMessage,
            "input",
        ),
        ("", "", Some((0, "")), ErrorReason::MissingMessage, "input"),
        (&long, "", None, ErrorReason::MessageTooLong, "input.text"),
        ("", &long, None, ErrorReason::MessageTooLong, "input.latex"),
        ("a\u{0}b", "", None, ErrorReason::InvalidText, "input.text"),
        (
            "",
            "\u{1b}[2J",
            None,
            ErrorReason::InvalidText,
            "input.latex",
        ),
        (" \n\t ", "", None, ErrorReason::InvalidText, "input.text"),
        // Characters without width.
        (
            "\u{200b}\u{2060} \u{feff}",
            "",
            None,
            ErrorReason::InvalidText,
            "input.text",
        ),
        (
            "",
            "\u{202e}\u{ad}",
            None,
            ErrorReason::InvalidText,
            "input.latex",
        ),
        (
            "x",
            "",
            Some((99, "U")),
            ErrorReason::InvalidArgument,
            "event.kind",
        ),
        (
            "x",
            "",
            Some((drill, "no unit")),
            ErrorReason::InvalidArgument,
            "event.unit_id",
        ),
    ];
    for (text, latex, event, reason, field) in cases {
        let fault = read(text, latex, event).unwrap_err();
        assert_eq!(fault.reason(), reason, "{text:?} {latex:?} {event:?}");
        assert_eq!(fault.fields().next(), Some(field));
    }
}

#[test]
fn what_is_right_passes_unchanged() {
    let drill = i32::from(ClientEventKind::RequestDrill);
    let (text, _) = read("What is 3²?\n", "", None).unwrap();
    assert_eq!(said(&text), "What is 3²?\n");
    let (latex, _) = read("", r"\frac{1}{2}", None).unwrap();
    assert_eq!(said(&latex), r"\frac{1}{2}");
    let exact = "é".repeat(MAX);
    assert_eq!(read(&exact, "", None).unwrap().0.text, exact);
    let (_, pressed) = read("", "", Some((drill, "ALG-01"))).unwrap();
    assert_eq!(pressed.unwrap().unit_id, "ALG-01");
    assert!(read("and here", "", Some((drill, "ALG-01"))).is_ok());
}

/// What a client says of a result goes only with the buttons that follow one.
#[test]
fn results_go_with_the_buttons_that_follow_them() {
    let event = |kind: ClientEventKind| ClientEvent {
        kind: kind.into(),
        unit_id: "ALG-01".to_owned(),
        ..ClientEvent::default()
    };
    let drill = |kind, result: i32| ClientEvent {
        drill_result: result,
        ..event(kind)
    };
    let exam = |kind, question: &str, result: i32| ClientEvent {
        question_id: question.to_owned(),
        exam_result: result,
        ..event(kind)
    };
    let correct = i32::from(DrillResult::Correct);
    let passed = i32::from(ExamResult::Passed);
    for good in [
        drill(ClientEventKind::DrillContinue, correct),
        drill(ClientEventKind::DrillContinue, 0),
        exam(ClientEventKind::ExamContinue, "ALG-01-B1", passed),
        exam(ClientEventKind::ExamContinue, "", 0),
        exam(ClientEventKind::RequestExam, "ALG-01-B1", 0),
    ] {
        let (_, read) = read_event("", "", Some(good.clone())).unwrap();
        assert_eq!(read, Some(good));
    }
    for (bad, field) in [
        (
            drill(ClientEventKind::RequestDrill, correct),
            "event.drill_result",
        ),
        (
            drill(ClientEventKind::DrillContinue, 9),
            "event.drill_result",
        ),
        (
            exam(ClientEventKind::DrillContinue, "", passed),
            "event.exam_result",
        ),
        (
            exam(ClientEventKind::ExamContinue, "", 9),
            "event.exam_result",
        ),
        (
            exam(ClientEventKind::StuckHint, "ALG-01-B1", 0),
            "event.question_id",
        ),
        (
            exam(ClientEventKind::ExamContinue, "no id", 0),
            "event.question_id",
        ),
    ] {
        let fault = read_event("", "", Some(bad)).unwrap_err();
        assert_eq!(fault.reason(), ErrorReason::InvalidArgument);
        assert_eq!(fault.fields().next(), Some(field));
    }
}

#[test]
fn a_cards_token_goes_with_the_hint_on_it() {
    let event = |kind: ClientEventKind, card_token: &str| ClientEvent {
        kind: kind.into(),
        unit_id: "ALG-01".to_owned(),
        card_token: card_token.to_owned(),
        ..ClientEvent::default()
    };
    let good = event(ClientEventKind::StuckHint, "a-token");
    let (_, read) = read_event("", "", Some(good.clone())).unwrap();
    assert_eq!(read, Some(good));
    let long = "x".repeat(512);
    for bad in [
        event(ClientEventKind::StuckHint, &long),
        event(ClientEventKind::RequestDrill, "a-token"),
        event(ClientEventKind::DrillContinue, "a-token"),
    ] {
        let fault = read_event("", "", Some(bad)).unwrap_err();
        assert_eq!(fault.reason(), ErrorReason::InvalidArgument);
        assert_eq!(fault.fields().next(), Some("event.card_token"));
    }
}

proptest! {
    #[test]
    fn no_text_at_all_panics_or_slips_through(text in ".{0,60}", latex in ".{0,60}") {
        if let Ok((input, _)) = read(&text, &latex, None) {
            prop_assert!(input.text.is_empty() != input.latex.is_empty());
            prop_assert!(text.chars().count() <= MAX && latex.chars().count() <= MAX);
            let bad = |c: char| c.is_control() && !"\t\n\r".contains(c);
            prop_assert!(!text.contains(bad) && !latex.contains(bad));
        }
    }
}
