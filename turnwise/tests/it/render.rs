//! How answers look in a terminal.

use jiff::{Timestamp, ToSpan};
use turnwise::render::{
    self, Ink,
    buttons::{Choice, Place, label},
    card::card,
    ink::{line, wrap},
    latex::{shown, shown_in_text},
    result,
    standing::{available, standing, standing_line},
};
use turnwise_proto::{
    common::v1::ErrorReason,
    exam::v1::QuestionState,
    tutor::v1::{
        Button, ButtonCall, ConceptCard, DegradedReason, DrillCard, DrillResult, ExamCard,
        ExamOption, ExamResult, GradeDrillResponse, GradedBy, MasteryTier,
        RecordSupportViewResponse, Role, SnapshotLite, SubmitExamAnswerResponse, TakeTurnResponse,
        TutorCard, TutorMessage, WorkedExample,
        snapshot_lite::{Focus, PrereqNudge, Progress, Revisit, Step},
        tutor_card,
    },
};

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn wire(time: Timestamp) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: time.as_second(),
        nanos: 0,
    }
}

fn button(label: &str, call: ButtonCall, primary: bool) -> Button {
    Button {
        label_key: label.to_owned(),
        event: None,
        primary,
        call: call.into(),
        ..Button::default()
    }
}

fn drawn(content: tutor_card::Content, buttons: Vec<Button>) -> String {
    let message = TutorMessage {
        role: Role::Assistant.into(),
        card: Some(TutorCard {
            unit_id: "ALG-11".to_owned(),
            content: Some(content),
            buttons,
        }),
        ..TutorMessage::default()
    };
    let choices = render::choices(&message);
    card(&message.card.unwrap(), &choices, now(), Ink::PLAIN)
}

#[test]
fn latex_as_a_terminal_shows_it() {
    for (latex, text) in [
        ("-8 \\times 4", "-8 × 4"),
        ("-35 \\div (-5)", "-35 ÷ (-5)"),
        ("\\frac{20}{28}", "20/28"),
        ("\\frac{x}{4} = 7", "x/4 = 7"),
        ("\\frac{3x + 1}{2}", "(3x + 1)/2"),
        ("\\frac12", "1/2"),
        ("x^{2} \\cdot x^5", "x² · x⁵"),
        ("x^{n + 1}", "x^(n + 1)"),
        ("2^{n} \\cdot 2^{3} = 2^{10}", "2ⁿ · 2³ = 2¹⁰"),
        ("x^{-2}", "x⁻²"),
        ("a_1 + a_{12}", "a₁ + a₁₂"),
        ("\\sqrt{16}", "√16"),
        ("\\sqrt{x + 1}", "√(x + 1)"),
        ("\\sqrt[3]{8}", "³√8"),
        ("\\left( x + 1 \\right)", "( x + 1 )"),
        ("\\text{5 left, 2 up}", "5 left, 2 up"),
        ("-11 \\text{ and } 5", "-11  and  5"),
        ("(0, 6),\\ (3, 0)", "(0, 6), (3, 0)"),
        ("+\\,9", "+ 9"),
        ("x \\le 3", "x ≤ 3"),
        ("n \\to 5n + 10", "n → 5n + 10"),
        ("50\\%", "50%"),
        ("\\unknown{3}", "\\unknown3"),
        ("\\frac{\\frac{1}{2}}{3}", "(1/2)/3"),
        (
            "\\begin{cases} x = 1 \\\\ y = 2 \\end{cases}",
            " x = 1 ;  y = 2 ",
        ),
        // What is broken is shown as far as it goes.
        ("\\frac{1", "1/"),
        ("x^", "x^"),
        ("}{", ""),
        ("", ""),
    ] {
        assert_eq!(shown(latex), text, "{latex}");
    }
    // Nobody runs out of stack by braces.
    let deep = "\\frac{".repeat(10_000);
    assert!(!shown(&deep).is_empty());
    let deep = "\\sqrt".repeat(10_000);
    assert!(!shown(&deep).is_empty());
}

#[test]
fn formulas_in_a_text() {
    for (text, seen) in [
        ("Solve $\\frac{x}{2} = 3$ now.", "Solve x/2 = 3 now."),
        ("Which step undoes the $+ 6$?", "Which step undoes the + 6?"),
        ("\\(x^2\\) and \\[y^2\\] and $$z^2$$", "x² and y² and z²"),
        ("It costs $5 and $6.", "It costs $5 and $6."),
        ("It costs $5. Solve $x^2$.", "It costs $5. Solve x²."),
        ("a lone $ sign", "a lone $ sign"),
        ("no formula", "no formula"),
    ] {
        assert_eq!(shown_in_text(text), seen);
    }
}

#[test]
fn a_countdown() {
    for (seconds, said) in [
        (86_399, "Available in 23h 59m"),
        (65_520, "Available in 18h 12m"),
        (3600, "Available in 1h 00m"),
        (3599, "Available in 59m 59s"),
        (61, "Available in 1m 01s"),
        (59, "Available in 59s"),
        (0, "Available now"),
        (-5, "Available now"),
        (200_000, "Available in 2d 07h"),
    ] {
        assert_eq!(available(Some(now() + seconds.seconds()), now()), said);
    }
    assert_eq!(available(None, now()), "It is not known for how long");
}

#[test]
fn a_standing_in_one_line() {
    let standing = SnapshotLite {
        focus: Some(Focus {
            unit_id: "ALG-11".to_owned(),
            title: "Two-step equations".to_owned(),
            mastery_tier: MasteryTier::Silver.into(),
            needs_review: false,
        }),
        target: None,
        prereq_nudge: Some(PrereqNudge {
            unit_id: "ALG-09".to_owned(),
            title: "Inverse operations".to_owned(),
        }),
        revisit: Some(Revisit {
            locked_count: 2,
            next_eligible_at: Some(wire(now() + 90.minutes())),
            next_question_id: "ALG-11-G1".to_owned(),
            ..Revisit::default()
        }),
        progress: Some(Progress {
            bronze: 3,
            silver: 0,
            gold: 1,
            total: 24,
            placed: 0,
        }),
        placement_waits: false,
        placed: Vec::new(),
    };
    assert_eq!(
        standing_line(&standing, now()),
        "Two-step equations (ALG-11), silver badge · first: Inverse operations · badges: 3 bronze, 1 gold of 24 · \
         revisit: 2 locked, the next available in 1h 30m (ALG-11-G1)"
    );
    let open = SnapshotLite {
        revisit: Some(Revisit {
            next_question_id: "ALG-11-G1".to_owned(),
            ..Revisit::default()
        }),
        ..SnapshotLite::default()
    };
    assert_eq!(
        standing_line(&open, now()),
        "revisit: ALG-11-G1 is open again"
    );
}

#[test]
fn what_is_placed_is_named() {
    let step = |unit_id: &str, title: &str| Step {
        unit_id: unit_id.to_owned(),
        title: title.to_owned(),
    };
    let placed = SnapshotLite {
        progress: Some(Progress {
            total: 19,
            placed: 2,
            ..Progress::default()
        }),
        placed: vec![step("ALG-01", "Integers"), step("ALG-03", "Fractions")],
        ..SnapshotLite::default()
    };
    assert_eq!(
        standing_line(&placed, now()),
        "badges: none of 19 · placed: 2"
    );
    let rows = standing(&placed, now());
    let row = "placed        2 units, no badges: Integers, Fractions\n";
    assert!(rows.contains(row), "{rows}");
}

#[test]
fn labels() {
    assert_eq!(label("ask_hint", Place::Card), "I'm stuck");
    assert_eq!(label("ask_hint", Place::Message), "Give me a hint");
    assert_eq!(label("continue", Place::Result), "Continue");
    assert_eq!(label("no_such_key", Place::Card), "no_such_key");
}

#[test]
fn a_button_and_a_notice_say_what_came_with_them() {
    let mut drill = button("try_drill", ButtonCall::Turn, true);
    drill.label = "Eine\u{7} Aufgabe üben".to_owned();
    let choices: Vec<_> = Choice::all(&[drill], Place::Result).collect();
    let response = GradeDrillResponse {
        notices: vec![ErrorReason::DrillAlreadyGraded.into()],
        notice_texts: vec!["Es bleibt\u{7} beim ersten Ergebnis.".to_owned()],
        ..GradeDrillResponse::default()
    };
    let drawn = result::graded(&response, &choices, Ink::PLAIN);
    assert!(drawn.contains("Eine Aufgabe üben"), "{drawn}");
    assert!(drawn.contains("Es bleibt beim ersten Ergebnis."), "{drawn}");
    assert!(!drawn.contains("graded before"), "{drawn}");
}

#[test]
fn cards() {
    let concept = drawn(
        tutor_card::Content::Concept(ConceptCard {
            key_ideas: vec![
                "What you do to one side, you do to the other.".to_owned(),
                "Undo the last step first: in $3x + 6$ that is the $+ 6$, since multiplication comes before addition."
                    .to_owned(),
            ],
            worked_example: Some(WorkedExample {
                problem_latex: "3x + 6 = 18".to_owned(),
                final_answer_latex: "x = 4".to_owned(),
                steps_latex: vec!["3x = 12".to_owned(), "x = \\frac{12}{3}".to_owned()],
            }),
        }),
        vec![
            button("try_drill", ButtonCall::Turn, true),
            button("ask_follow_up", ButtonCall::Compose, false),
        ],
    );
    let drill = drawn(
        tutor_card::Content::Drill(DrillCard {
            prompt: "Solve for $x$.".to_owned(),
            question_latex: "\\frac{3x}{2} + 6 = 18".to_owned(),
            drill_token: "token".to_owned(),
        }),
        vec![
            button("check_answer", ButtonCall::GradeDrill, true),
            button("ask_hint", ButtonCall::Turn, false),
        ],
    );
    let exam = |state: QuestionState, locked_until| {
        drawn(
            tutor_card::Content::Exam(ExamCard {
                question_id: "ALG-11-B1".to_owned(),
                tier: MasteryTier::Bronze.into(),
                prompt: "Which number makes it true?".to_owned(),
                question_latex: "5x - 3 = 12".to_owned(),
                options: vec![
                    ExamOption {
                        option_id: "a".to_owned(),
                        text: "3".to_owned(),
                    },
                    ExamOption {
                        option_id: "b".to_owned(),
                        text: "x^{2}".to_owned(),
                    },
                ],
                state: state.into(),
                locked_until,
                offer_token: "token".to_owned(),
            }),
            vec![
                button("submit_answer", ButtonCall::SubmitExam, true),
                button("view_memo", ButtonCall::ViewMemo, false),
                button("view_video", ButtonCall::ViewVideo, false),
            ],
        )
    };
    let until = Some(wire(now() + 18.hours() + 12.minutes()));
    let all = [
        concept,
        drill,
        exam(QuestionState::Available, None),
        exam(QuestionState::Locked, until),
        exam(QuestionState::Unspecified, None),
        exam(QuestionState::Passed, None),
    ]
    .join("\n");
    insta::assert_snapshot!("cards", all);
}

#[test]
fn results() {
    let go_on = Choice {
        button: button("continue", ButtonCall::Turn, true),
        place: Place::Result,
    };
    let choices = [go_on];
    let graded = |change: fn(&mut GradeDrillResponse)| {
        let mut response = GradeDrillResponse {
            result: DrillResult::Correct.into(),
            feedback_text: "Yes, that is it.".to_owned(),
            graded_by: GradedBy::Rules.into(),
            evidence_recorded: true,
            ..GradeDrillResponse::default()
        };
        change(&mut response);
        result::graded(&response, &choices, Ink::PLAIN)
    };
    let submitted = |change: fn(&mut SubmitExamAnswerResponse)| {
        let mut response = SubmitExamAnswerResponse {
            result: ExamResult::Passed.into(),
            recorded: true,
            mastery_tier: MasteryTier::Silver.into(),
            mastery_tier_before: MasteryTier::Bronze.into(),
            ..SubmitExamAnswerResponse::default()
        };
        change(&mut response);
        result::submitted(&response, &choices, now(), Ink::PLAIN)
    };
    let locked = |response: &mut SubmitExamAnswerResponse| {
        response.result = ExamResult::Locked.into();
        response.locked_until = Some(wire(now() + 24.hours() - 1.second()));
        response.mastery_tier = response.mastery_tier_before;
    };
    let mut locked_before = SubmitExamAnswerResponse::default();
    locked(&mut locked_before);
    let viewed = RecordSupportViewResponse {
        text: "How to undo two steps.".to_owned(),
        url: "https://videos.example.org/two-steps".to_owned(),
        locked: true,
        ..RecordSupportViewResponse::default()
    };
    let all = [
        graded(|_| {}),
        graded(|response| {
            response.result = DrillResult::Incorrect.into();
            response.common_mistake_tag = "sign_error".to_owned();
            response.graded_by = GradedBy::Llm.into();
            response.needs_review = true;
            response.mastery_tier = MasteryTier::Bronze.into();
        }),
        graded(|response| {
            response.result = DrillResult::Unspecified.into();
            response.evidence_recorded = false;
            response.degraded_reasons = vec![DegradedReason::LlmTimeout.into()];
        }),
        graded(|response| {
            response.evidence_recorded = false;
            response.notices = vec![ErrorReason::DrillTokenInvalid.into()];
        }),
        graded(|response| {
            response.feedback_text = String::new();
            response.notices = vec![ErrorReason::DrillAlreadyGraded.into()];
        }),
        graded(|response| {
            response.evidence_recorded = false;
            response.notices = vec![ErrorReason::ExerciseRepeated.into()];
        }),
        graded(|response| response.evidence_recorded = false),
        submitted(|_| {}),
        submitted(locked),
        result::submitted(&locked_before, &choices, now(), Ink::PLAIN),
        submitted(|response| {
            response.recorded = false;
            response.mastery_tier = response.mastery_tier_before;
            response.notices = vec![ErrorReason::ResultMismatch.into()];
        }),
        submitted(|response| {
            response.result = ExamResult::Unspecified.into();
            response.mastery_tier = response.mastery_tier_before;
            response.degraded_reasons = vec![DegradedReason::ExamApiUnavailable.into()];
        }),
        result::viewed(&viewed, &choices, now(), Ink::PLAIN),
    ]
    .join("\n");
    insta::assert_snapshot!("results", all);
}

/// A word says everything that colour says.
#[test]
fn colour_adds_nothing_but_colour() {
    let response = GradeDrillResponse {
        result: DrillResult::Incorrect.into(),
        feedback_text: "Not quite.".to_owned(),
        ..GradeDrillResponse::default()
    };
    let plain = result::graded(&response, &[], Ink::PLAIN);
    let coloured = result::graded(&response, &[], Ink::COLOUR);
    assert!(coloured.contains("\u{1b}[1;31m[✗ Incorrect]\u{1b}[0m"));
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        stripped.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
}

/// A guardrail's text is nothing less than usual; and a model may be there later.
#[test]
fn remarks_on_an_answer() {
    let mut answer = TakeTurnResponse {
        degraded_reasons: vec![DegradedReason::Guardrail.into()],
        ..TakeTurnResponse::default()
    };
    assert_eq!(render::remarks(&answer, Ink::PLAIN), "");
    answer.degraded_reasons = vec![DegradedReason::LlmOff.into()];
    for (seconds, span) in [(4, "4 s"), (150, "3 min"), (40_000, "12 h")] {
        answer.retry_after = Some(prost_types::Duration { seconds, nanos: 0 });
        assert_eq!(
            render::remarks(&answer, Ink::PLAIN),
            format!(
                "  (a simpler answer than usual: llm_off)\n  (no model could answer now; the same message may \
                 find one in {span})\n"
            )
        );
    }
}

/// Nothing that a model or another person wrote moves the cursor or draws outside its box.
#[test]
fn foreign_text_stays_in_its_place() {
    let evil = "\u{1b}[2J\u{7}gone\r\u{9b}31m";
    let answer = TakeTurnResponse {
        messages: vec![TutorMessage {
            role: Role::Assistant.into(),
            text: evil.to_owned(),
            card: Some(TutorCard {
                unit_id: evil.repeat(20),
                content: Some(tutor_card::Content::Drill(DrillCard {
                    prompt: "x".repeat(500),
                    question_latex: evil.to_owned(),
                    drill_token: String::new(),
                })),
                buttons: vec![button(evil, ButtonCall::Turn, true)],
            }),
            ..TutorMessage::default()
        }],
        ..TakeTurnResponse::default()
    };
    let drawn = render::answer(&answer, now(), Ink::PLAIN);
    assert!(
        drawn.chars().all(|c| c == '\n' || !c.is_control()),
        "{drawn:?}"
    );
    for row in drawn.lines().filter(|row| row.starts_with("  │")) {
        assert_eq!(row.chars().count(), 76, "{row}");
        assert!(row.ends_with('│'));
    }
    assert_eq!(line(evil), "[2Jgone 31m");
}

#[test]
fn lines_are_broken_at_spaces() {
    assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(
        wrap("   one two three", 9),
        ["   one", "   two", "   three"]
    );
    assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    assert_eq!(wrap("a\n\nb", 4), ["a", "", "b"]);
    assert!(wrap("", 4).is_empty());
}
