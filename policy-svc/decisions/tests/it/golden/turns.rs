//! What a turn is about and what it may do: clear and unclear messages, stuck, ready, buttons.

use turnwise_decisions::{Action, Event, EventKind, Snapshot, Tier, schema::reply_schema};

use super::{
    course::{algebra, algebra_with},
    golden,
    page::{Page, list, maybe, pressed},
    story::Story,
};
use crate::fixtures::*;

/// A turn about a record, without message and button, on a thread that is about no unit yet.
pub fn turn(snapshot: Snapshot) -> Turn {
    Turn {
        target_locked: false,
        ..input(snapshot, &[])
    }
}

/// The same record, touched this many hours ago.
pub fn ago(hours: i64, mut progress: turnwise_decisions::Progress) -> turnwise_decisions::Progress {
    progress.last_touched_at = Some(before(hours));
    progress
}

pub fn before(hours: i64) -> jiff::Timestamp {
    now() - jiff::SignedDuration::from_hours(hours)
}

/// Bronze on integers, variables and inverse operations, and one right drill on one-step equations.
pub fn ready_for_equations() -> Snapshot {
    Snapshot {
        last_turn_at: Some(before(2)),
        units_in_progress: ["inverse", "one-step", "variables", "integers"]
            .map(str::to_owned)
            .into(),
        ..snapshot(
            "inverse",
            &[
                ("integers", ago(54, progress(Tier::Bronze, 4, 2))),
                ("variables", ago(36, progress(Tier::Bronze, 5, 1))),
                ("inverse", ago(3, progress(Tier::Bronze, 3, 3))),
                ("one-step", ago(18, progress(Tier::None, 1, 1))),
            ],
        )
    }
}

/// The same student, with these drills on one-step equations, which the latest turn was about.
pub fn on_one_step(attempts: u32, streak: u32) -> Snapshot {
    let mut record = ready_for_equations();
    record.focus_unit_id = "one-step".to_owned();
    let drilled = ago(18, progress(Tier::None, attempts, streak));
    record.progress.insert("one-step".to_owned(), drilled);
    record
}

fn about(unit: &'static str, confidence: f64, snapshot: Snapshot) -> Turn {
    Turn {
        mapped_units: mapped(&[(unit, confidence)]),
        ..turn(snapshot)
    }
}

#[test]
fn clear_message_with_prerequisites_met() {
    let course = algebra();
    let turn = about("one-step", 0.82, ready_for_equations());
    golden!(
        "A message that is clearly about a unit whose prerequisites are met: a question or a drill on it.",
        Story::new(&course, turn)
            .replying(|policy| reply(policy, Action::DrillCard))
            .page(),
    );
}

#[test]
fn clear_message_with_a_prerequisite_missing() {
    let course = algebra();
    let mut record = ready_for_equations();
    record
        .progress
        .insert("inverse".to_owned(), ago(3, progress(Tier::None, 2, 1)));
    let turn = about("one-step", 0.82, record);
    golden!(
        "A message that is clearly about a unit whose prerequisite is missing: the focus shifts to the prerequisite, \
         where a question or a drill is allowed. The target stays in scope.",
        Story::new(&course, turn)
            .replying(|policy| reply(policy, Action::SocraticQuestion))
            .page(),
    );
}

#[test]
fn unclear_first_message_only_asks() {
    let course = algebra();
    let turn = Turn {
        mapped_units: mapped(&[("one-step", 0.54), ("inverse", 0.4)]),
        ..turn(snapshot("welcome", &[]))
    };
    golden!(
        "The first message of a new student cannot be placed: one clarifying question, no card. The units that it may \
         be about are in scope, so that the question can name them.",
        Story::new(&course, turn)
            .replying(|policy| reply(policy, Action::SocraticQuestion))
            .page(),
    );
}

#[test]
fn unclear_message_on_a_focused_thread_stays_on_the_focus() {
    let course = algebra();
    let words = Turn {
        target_locked: true,
        ..about("two-step", 0.3, on_one_step(1, 1))
    };
    let nothing = Turn {
        target_locked: true,
        ..turn(on_one_step(1, 1))
    };
    golden!(
        "\"I don't get it\" and \"x = 4\" on a thread about one-step equations: a question or a drill on that unit, \
         whatever the words are near to.",
        Page::chapters([
            ("I don't get it", Story::new(&course, words).page()),
            ("x = 4", Story::new(&course, nothing).page()),
        ]),
    );
}

#[test]
fn unclear_message_in_a_new_thread_of_a_known_student() {
    let course = algebra();
    golden!(
        "A new thread that is about no unit yet, while the record stands on one: not clamped, as only the entry unit \
         says nothing.",
        Story::new(&course, about("two-step", 0.3, on_one_step(1, 1))).page(),
    );
}

#[test]
fn entry_unit_carries_no_drills() {
    let course = algebra();
    let turn = about("welcome", 0.9, snapshot("welcome", &[]));
    golden!(
        "A message that is clearly about the entry unit: the thread is locked, and still only a question is allowed. \
         The button leads to the first unit.",
        Story::new(&course, turn).page(),
    );
}

#[test]
fn stuck_allows_a_concept_card() {
    let course = algebra();
    let turn = about("one-step", 0.82, on_one_step(3, 0));
    golden!(
        "Three drills and none right in a row: an explanation is allowed, and a drill to go on with.",
        Story::new(&course, turn)
            .replying(|policy| reply(policy, Action::ConceptCard))
            .page(),
    );
}

#[test]
fn exam_ready_and_available() {
    let course = algebra();
    let turn = about("one-step", 0.82, on_one_step(3, 2));
    golden!(
        "Prerequisites met, two drills right in a row, and a bronze question that may be attempted: the exam is allowed, \
         at the tier that comes next.",
        Story::new(&course, turn)
            .available(&["one-step-bronze-2", "one-step-bronze-1"])
            .replying(|policy| reply(policy, Action::ExamBlock))
            .page(),
    );
}

#[test]
fn stuck_by_attempts_or_by_wrong_answers_in_a_row() {
    let by_streak = algebra();
    let by_wrong = algebra_with(|spec| {
        spec.rules.stuck_rule = turnwise_decisions::StuckRule::ConsecutiveWrong;
    });
    let mut page = Page::default();
    page.section("drills on the focus: stuck by the default rule, stuck by wrong answers in a row");
    for (attempts, right, wrong) in [
        (0, 0, 0),
        (1, 0, 1),
        (2, 0, 1),
        (2, 0, 2),
        (5, 0, 2),
        (5, 1, 0),
        (1, 1, 0),
    ] {
        let mut record = on_one_step(attempts, right);
        record.progress.get_mut("one-step").unwrap().streak_wrong = wrong;
        let stuck = |course| {
            let policy = Story::new(course, turn(record.clone())).policy();
            assert_eq!(policy.stuck, policy.allows(Action::ConceptCard));
            policy.stuck
        };
        page.line(
            &format!("{attempts} graded, {right} right in a row, {wrong} wrong in a row"),
            format!("{}, {}", stuck(&by_streak), stuck(&by_wrong)),
        );
    }
    golden!(
        "The default: at least two attempts and no right answer in a row. A course may ask for two wrong in a row.",
        page,
    );
}

fn press(kind: EventKind, unit: &str, snapshot: Snapshot) -> Turn {
    Turn {
        event: event(kind, unit),
        ..turn(snapshot)
    }
}

#[test]
fn hint_button_asks_and_explains_nothing() {
    let course = algebra();
    golden!(
        "The button \"I'm stuck\" of a student who is not stuck by evidence, and could take an exam: a question on the \
         focus and nothing else, and the student is not stuck.",
        Story::new(
            &course,
            press(EventKind::StuckHint, "one-step", on_one_step(3, 2))
        )
        .available(&["one-step-bronze-1"])
        .page(),
    );
}

#[test]
fn hint_button_of_a_stuck_student_asks_too() {
    let course = algebra();
    golden!(
        "The same button of a student who is stuck by evidence: stuck stays true and the reply is still a question.",
        Story::new(
            &course,
            press(EventKind::StuckHint, "one-step", on_one_step(3, 0))
        )
        .policy_page(),
    );
}

#[test]
fn drill_button_gives_a_drill() {
    let course = algebra();
    golden!(
        "\"Try another\" of a student who could take an exam: a drill and nothing else. The buttons still show the exam.",
        Story::new(
            &course,
            press(EventKind::RequestDrill, "one-step", on_one_step(3, 2))
        )
        .available(&["one-step-bronze-1"])
        .replying(|policy| reply(policy, Action::DrillCard))
        .page(),
    );
}

#[test]
fn every_button_on_every_kind_of_unit() {
    let course = algebra();
    let mut page = Page::default();
    page.section("button: focus, blocked by, allowed");
    for kind in [
        EventKind::RequestDrill,
        EventKind::RequestExam,
        EventKind::DrillContinue,
        EventKind::ExamContinue,
        EventKind::StuckHint,
    ] {
        // Ready, not drilled enough, blocked by a unit that is ready, without a badge, the entry unit.
        for unit in ["one-step", "puzzles", "two-step", "calculator", "welcome"] {
            let policy = Story::new(&course, press(kind, unit, on_one_step(3, 2)))
                .available(&["one-step-bronze-1", "two-step-bronze-1"])
                .policy();
            let button = Event {
                kind,
                unit_id: unit.to_owned(),
                question_id: String::new(),
            };
            page.line(
                &pressed(&button),
                format!(
                    "{}, {}, {}",
                    policy.focus_unit_id,
                    maybe(policy.prereq_blocking_unit_id.as_ref()),
                    list(policy.allowed_actions.iter().map(|a| a.as_str())),
                ),
            );
        }
    }
    golden!(
        "A button does what it says where that is possible, and goes on like after a drill where it is not. None gets \
         past a missing prerequisite: two-step equations stay shut while one-step equations have no badge.",
        page,
    );
}

#[test]
fn schema_when_stuck() {
    let course = algebra();
    let policy = Story::new(&course, about("one-step", 0.82, on_one_step(3, 0))).policy();
    golden!(
        "The reply's schema where a question, a drill and a concept card are allowed.",
        serde_json::to_string_pretty(&reply_schema(&course, &policy)).unwrap(),
    );
}

#[test]
fn schema_when_an_exam_was_asked_for() {
    let course = algebra();
    let press = press(EventKind::RequestExam, "one-step", on_one_step(3, 2));
    let policy = Story::new(&course, press)
        .available(&["one-step-bronze-2", "one-step-bronze-1"])
        .policy();
    golden!(
        "The reply's schema where only an exam question is allowed: no alternatives, the focus as the only target, the \
         candidates and the tier as the only values.",
        serde_json::to_string_pretty(&reply_schema(&course, &policy)).unwrap(),
    );
}
