//! Everything that a client can get wrong with a turn, row by row: a status, a reason, a field; nothing is written,
//! nothing panics.

use tonic::Code;
use turnwise_proto::{
    common::v1::ErrorReason as Why,
    tutor::v1::{ClientEvent, ClientEventKind, StudentInput, TakeTurnRequest},
};
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Options},
    refusal::check_refusal,
    student::{DEMO_COURSE, empty_turn, pressing, saying, writing},
    visible_state::visible_state,
};
use uuid::Uuid;

/// The longest message that is read, in characters.
const MAX_CHARS: usize = 4000;

const MISSING: (Code, Why) = (Code::InvalidArgument, Why::MissingMessage);
const TEXT: (Code, Why) = (Code::InvalidArgument, Why::InvalidText);
const LONG: (Code, Why) = (Code::InvalidArgument, Why::MessageTooLong);
const INVALID: (Code, Why) = (Code::InvalidArgument, Why::InvalidArgument);
const NO_THREAD: (Code, Why) = (Code::NotFound, Why::UnknownThread);
const NO_COURSE: (Code, Why) = (Code::NotFound, Why::UnknownCourse);
const NO_UNIT: (Code, Why) = (Code::NotFound, Why::UnknownUnit);

in_both_deployments!(bad_turns_are_refused);

async fn bad_turns_are_refused(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, "how do I add negative numbers?").await;
    let before = visible_state(&ada).await;

    let input = |text: &str, latex: &str, voice: &str| TakeTurnRequest {
        input: Some(StudentInput {
            text: text.to_owned(),
            latex: latex.to_owned(),
            voice_transcript: voice.to_owned(),
        }),
        ..empty_turn(&thread)
    };
    let event = |kind: i32, unit: &str| TakeTurnRequest {
        event: Some(ClientEvent {
            kind,
            unit_id: unit.to_owned(),
            ..ClientEvent::default()
        }),
        ..empty_turn(&thread)
    };
    let drill = i32::from(ClientEventKind::RequestDrill);
    let long = "x".repeat(MAX_CHARS + 1);
    let long_in_chars = "é".repeat(MAX_CHARS + 1);
    let long_key = "k".repeat(129);
    let long_id = "t".repeat(129);
    let keyed = |key: &str| TakeTurnRequest {
        idempotency_key: key.to_owned(),
        ..saying(&thread, "hello")
    };
    let of_thread = |id: &str| TakeTurnRequest {
        thread_id: id.to_owned(),
        ..saying(&thread, "hello")
    };
    let of_course = |id: &str| TakeTurnRequest {
        course_id: id.to_owned(),
        ..saying(&thread, "hello")
    };
    let unknown_thread = Uuid::new_v4().to_string();
    let rows = [
        ("no input", empty_turn(&thread), MISSING, "input"),
        ("empty input", input("", "", ""), MISSING, "input"),
        ("only a voice", input("", "", "hello"), MISSING, "input"),
        ("text and LaTeX", input("x", "x", ""), MISSING, "input"),
        (
            "white space",
            saying(&thread, " \t\r\n "),
            TEXT,
            "input.text",
        ),
        (
            "wide white space",
            saying(&thread, "\u{2003}\u{a0}"),
            TEXT,
            "input.text",
        ),
        ("blank LaTeX", writing(&thread, "  "), TEXT, "input.latex"),
        ("NUL", saying(&thread, "a\0b"), TEXT, "input.text"),
        (
            "escape",
            saying(&thread, "\u{1b}[31mred"),
            TEXT,
            "input.text",
        ),
        ("delete", saying(&thread, "a\u{7f}"), TEXT, "input.text"),
        (
            "C1 control",
            writing(&thread, "x\u{85}y"),
            TEXT,
            "input.latex",
        ),
        (
            "control in the voice",
            input("hi", "", "h\u{8}i"),
            TEXT,
            "input.voice_transcript",
        ),
        ("long text", saying(&thread, &long), LONG, "input.text"),
        (
            "long in characters",
            saying(&thread, &long_in_chars),
            LONG,
            "input.text",
        ),
        ("long LaTeX", writing(&thread, &long), LONG, "input.latex"),
        (
            "long voice",
            input("hi", "", &long),
            LONG,
            "input.voice_transcript",
        ),
        ("no key", keyed(""), INVALID, "idempotency_key"),
        ("long key", keyed(&long_key), INVALID, "idempotency_key"),
        ("key with a blank", keyed("a b"), INVALID, "idempotency_key"),
        (
            "key beyond ASCII",
            keyed("schlüssel"),
            INVALID,
            "idempotency_key",
        ),
        ("no thread", of_thread(""), INVALID, "thread_id"),
        ("bad thread", of_thread("a/b"), INVALID, "thread_id"),
        ("long thread", of_thread(&long_id), INVALID, "thread_id"),
        (
            "unknown thread",
            of_thread(&unknown_thread),
            NO_THREAD,
            "thread_id",
        ),
        ("no course", of_course(""), INVALID, "course_id"),
        ("bad course", of_course("algebra:9"), INVALID, "course_id"),
        (
            "unknown course",
            of_course("algebra-9"),
            NO_COURSE,
            "course_id",
        ),
        (
            "event without a unit",
            event(drill, ""),
            INVALID,
            "event.unit_id",
        ),
        (
            "event with a bad unit",
            event(drill, "ALG 01"),
            INVALID,
            "event.unit_id",
        ),
        (
            "event with an unknown unit",
            event(drill, "ALG-99"),
            NO_UNIT,
            "event.unit_id",
        ),
        (
            "unit without an event",
            event(0, "ALG-01"),
            INVALID,
            "event.kind",
        ),
        ("unknown event", event(99, "ALG-01"), INVALID, "event.kind"),
        ("negative event", event(-1, "ALG-01"), INVALID, "event.kind"),
        (
            "unknown unit beside text",
            TakeTurnRequest {
                event: event(drill, "ALG-99").event,
                ..saying(&thread, "hello")
            },
            NO_UNIT,
            "event.unit_id",
        ),
    ];
    for (name, turn, refusal, field) in rows {
        println!("{name}");
        let status = ada.turn(turn).await.unwrap_err();
        let fault = check_refusal(&status, refusal.0, refusal.1, field);
        if refusal == LONG {
            assert_eq!(fault.metadata("max_chars"), Some("4000"));
            assert_eq!(fault.metadata("chars"), Some("4001"));
        }
        assert_eq!(visible_state(&ada).await, before, "{name}");
    }

    // A refused turn holds nothing back: the thread takes the next one at once, and the bounds themselves are fine.
    let now = ada.thread(&thread.thread_id).await.unwrap();
    assert_eq!(now.message_count, 2);
    ada.say(&thread, &"é ".repeat(MAX_CHARS / 2)).await;
    ada.turn(keyed(&long_key[..128])).await.unwrap();
    ada.turn(saying(&thread, "tab\tand\r\nline breaks"))
        .await
        .unwrap();
    ada.turn(pressing(&thread, ClientEventKind::RequestDrill, "ALG-01"))
        .await
        .unwrap();
    let now = ada.thread(&thread.thread_id).await.unwrap();
    assert_eq!(now.message_count, 10);
    suite.stop();
}
