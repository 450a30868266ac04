//! What drills, exam results, looks at support material and teachers' marks make of a record.

use turnwise_decisions::{
    Applied, Course, EventKind, Evidence, EvidenceEvent, Progress, QuestionRef,
    QuestionState::{Available, Locked},
    Snapshot, Tier, UnitProgress, UnitStatus,
    evidence::{PassedByTier, apply},
};

use super::{
    course::{algebra, algebra_with},
    golden,
    page::{Page, list, maybe},
    story::Story,
    turns::turn,
};
use crate::fixtures::{Turn, event, now};

fn drill(unit: &str, correct: bool, tag: Option<&str>) -> EvidenceEvent {
    EvidenceEvent::DrillGraded {
        unit_id: unit.to_owned(),
        correct,
        mistake_tag: tag.map(str::to_owned),
    }
}

fn right(unit: &str) -> EvidenceEvent {
    drill(unit, true, None)
}

fn wrong(unit: &str) -> EvidenceEvent {
    drill(unit, false, None)
}

fn the(question: &str, unit: &str, tier: Tier) -> QuestionRef {
    QuestionRef {
        question_id: question.to_owned(),
        unit_id: unit.to_owned(),
        tier,
    }
}

/// The answer to a unit's first question of a tier.
fn exam(unit: &str, tier: Tier, passed: bool) -> EvidenceEvent {
    EvidenceEvent::ExamResult {
        question: the(&format!("{unit}-{}-1", tier.as_str()), unit, tier),
        passed,
    }
}

fn support(question: &str, locked: bool) -> EvidenceEvent {
    EvidenceEvent::SupportViewed {
        question: the(question, "one-step", Tier::Bronze),
        locked,
    }
}

fn mark(unit: &str, met: bool) -> EvidenceEvent {
    EvidenceEvent::PrerequisiteMarked {
        unit_id: unit.to_owned(),
        met,
    }
}

/// Events, each an hour after the one before, the last one now.
fn timeline(course: &Course, events: &[EvidenceEvent]) -> (Page, Evidence) {
    timeline_from(course, Evidence::default(), events)
}

fn timeline_from(
    course: &Course,
    mut evidence: Evidence,
    events: &[EvidenceEvent],
) -> (Page, Evidence) {
    let mut page = Page::default();
    for (event, hours) in events.iter().zip((0..events.len()).rev()) {
        let hours = i64::try_from(hours).unwrap();
        let at = now() - jiff::SignedDuration::from_hours(hours);
        let applied = apply(course, &evidence, event, at).unwrap();
        page.section(&described(event));
        happened(&mut page, &applied);
        evidence = applied.evidence;
    }
    (page, evidence)
}

fn described(event: &EvidenceEvent) -> String {
    match event {
        EvidenceEvent::DrillGraded {
            unit_id,
            correct,
            mistake_tag,
        } => {
            let verdict = if *correct { "right" } else { "wrong" };
            let tag = mistake_tag.as_ref();
            let tag = tag.map_or_else(String::new, |tag| format!(", {tag}"));
            format!("drill on {unit_id} {verdict}{tag}")
        }
        EvidenceEvent::ExamResult { question, passed } => {
            let verdict = if *passed { "passed" } else { "not passed" };
            format!(
                "exam {} on {} {verdict}",
                question.question_id, question.unit_id
            )
        }
        EvidenceEvent::SupportViewed { question, locked } => {
            let lock = if *locked {
                "which locks it"
            } else {
                "passed before"
            };
            format!("support of {} viewed, {lock}", question.question_id)
        }
        EvidenceEvent::PrerequisiteMarked { unit_id, met } => {
            let met = if *met { "met" } else { "not met" };
            format!("teacher marks {unit_id} as {met}")
        }
    }
}

fn happened(page: &mut Page, applied: &Applied) {
    let Applied {
        evidence,
        unit_id,
        tier_before,
        tier_after,
        status_before,
        status_after,
        needs_review,
        observations,
    } = applied;
    page.line("unit", unit_id);
    page.line(
        "badge",
        format!("{} → {}", tier_before.as_str(), tier_after.as_str()),
    );
    page.line("status", format!("{status_before:?} → {status_after:?}"));
    page.line("needs review", needs_review);
    page.line("observed", list(observations.iter().map(|o| o.as_str())));
    let Evidence {
        progress,
        units_in_progress,
        revisit_queue,
        exam_touched,
        prerequisite_overrides,
    } = evidence;
    for (id, unit) in progress {
        page.line(&format!("record of {id}"), counters(unit));
    }
    page.line("in progress", list(units_in_progress));
    page.line(
        "revisit queue",
        list(
            revisit_queue
                .iter()
                .map(|q| format!("{} ({}, {})", q.question_id, q.unit_id, q.tier.as_str())),
        ),
    );
    page.line("questions touched", list(exam_touched));
    page.line("marked as met", list(prerequisite_overrides));
}

fn counters(unit: &UnitProgress) -> String {
    let UnitProgress {
        tier,
        last_touched_at,
        attempts,
        correct,
        streak_correct,
        streak_wrong,
        passed,
        confusion_tags,
    } = unit;
    let PassedByTier {
        bronze,
        silver,
        gold,
    } = passed;
    let tags = confusion_tags
        .iter()
        .map(|(tag, count)| format!("{tag} {count}"));
    format!(
        "{}; {correct} of {attempts} drills right, {streak_correct} right in a row, {streak_wrong} wrong in a row; \
         passed {bronze} bronze, {silver} silver, {gold} gold; mistakes {}; touched {}",
        tier.as_str(),
        list(tags),
        maybe(*last_touched_at)
    )
}

/// The record that the next turn gets.
fn record(evidence: &Evidence, focus: &str) -> Snapshot {
    Snapshot {
        focus_unit_id: focus.to_owned(),
        progress: evidence
            .progress
            .iter()
            .map(|(id, unit)| {
                let progress = Progress {
                    tier: unit.tier,
                    last_touched_at: unit.last_touched_at,
                    attempts: unit.attempts,
                    streak_correct: unit.streak_correct,
                    streak_wrong: unit.streak_wrong,
                };
                (id.clone(), progress)
            })
            .collect(),
        units_in_progress: evidence.units_in_progress.clone(),
        revisit_question_ids: evidence
            .revisit_queue
            .iter()
            .map(|question| question.question_id.clone())
            .collect(),
        prerequisite_overrides: evidence.prerequisite_overrides.clone(),
        ..Snapshot::default()
    }
}

/// The turn after the evidence: "Continue" was pressed.
fn goes_on(evidence: &Evidence, kind: EventKind, unit: &str) -> Turn {
    Turn {
        event: event(kind, unit),
        target_locked: true,
        ..turn(record(evidence, unit))
    }
}

/// Both prerequisites of one-step equations are marked as met, so that the pages stay short.
fn open() -> [EvidenceEvent; 2] {
    [mark("variables", true), mark("inverse", true)]
}

fn with_open_way(events: &[EvidenceEvent]) -> Vec<EvidenceEvent> {
    open().into_iter().chain(events.iter().cloned()).collect()
}

#[test]
fn drill_graded_right() {
    let course = algebra();
    let events = with_open_way(&[right("one-step"), right("one-step")]);
    let (page, evidence) = timeline(&course, &events);
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::DrillContinue, "one-step"),
    )
    .available(&["one-step-bronze-1"]);
    golden!(
        "Two right drills: counted, in a row, no mistake, no badge. The turn after allows the exam.",
        Page::chapters([("evidence", page), ("the turn after", next.policy_page())]),
    );
}

#[test]
fn drill_graded_wrong_with_a_tag() {
    let course = algebra();
    let events = with_open_way(&[
        right("one-step"),
        drill("one-step", false, Some("sign_error")),
        drill("one-step", false, Some("sign_error")),
        drill("one-step", false, Some("made_up")),
        drill("one-step", false, None),
        drill("one-step", true, Some("sign_error")),
    ]);
    let (page, _) = timeline(&course, &events);
    // The two marks, the right drill and the first wrong one.
    let (_, evidence) = timeline(&course, &events[..4]);
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::DrillContinue, "one-step"),
    );
    golden!(
        "A wrong drill ends the streak and counts its mistake by one, if the unit lists it. A tag that is not listed is \
         observed and counts as none, and a right drill counts no mistake. With two attempts and none right in a row the \
         student is stuck.",
        Page::chapters([
            ("evidence", page),
            ("the turn after the first wrong one", next.policy_page())
        ]),
    );
}

#[test]
fn exam_passed() {
    let course = algebra();
    let events = with_open_way(&[
        right("one-step"),
        right("one-step"),
        exam("one-step", Tier::Bronze, false),
        exam("one-step", Tier::Bronze, true),
        support("one-step-bronze-1", false),
    ]);
    let (page, evidence) = timeline(&course, &events);
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::ExamContinue, "one-step"),
    )
    .exams(&[("one-step-silver-1", Available, None)]);
    golden!(
        "A bronze question passed with two right drills in a row: bronze, and the question leaves the queue, where a \
         look at its support does not bring it back. The turn after asks for silver.",
        Page::chapters([("evidence", page), ("the turn after", next.policy_page())]),
    );
}

#[test]
fn exam_not_passed_and_support_viewed() {
    let course = algebra();
    let events = with_open_way(&[
        right("one-step"),
        right("one-step"),
        exam("one-step", Tier::Bronze, false),
        support("one-step-bronze-2", true),
        exam("one-step", Tier::Bronze, false),
    ]);
    let (page, evidence) = timeline(&course, &events);
    let until = "2026-03-03T10:00:00Z";
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::ExamContinue, "one-step"),
    )
    .exams(&[
        ("one-step-bronze-1", Locked, Some(until)),
        ("one-step-bronze-2", Locked, Some(until)),
    ]);
    golden!(
        "A question that was not passed, and one whose support was looked at, wait in the queue, each once, in the order \
         of the first time. Neither changes a drill's counters nor the badge. The turn after offers no exam.",
        Page::chapters([("evidence", page), ("the turn after", next.policy_page())]),
    );
}

#[test]
fn badge_outlasts_a_lost_streak() {
    let course = algebra();
    let events = with_open_way(&[
        right("one-step"),
        right("one-step"),
        exam("one-step", Tier::Bronze, true),
        wrong("one-step"),
        exam("one-step", Tier::Silver, true),
        wrong("one-step"),
    ]);
    let (page, evidence) = timeline(&course, &events);
    let next = Story::new(
        &course,
        goes_on(&evidence, EventKind::DrillContinue, "one-step"),
    )
    .exams(&[("one-step-gold-1", Available, None)]);
    golden!(
        "A wrong drill after bronze ends the streak and takes no badge, and silver passed with no streak counts. What is \
         lost shows in the turn after: stuck, and not ready for gold.",
        Page::chapters([("evidence", page), ("the turn after", next.policy_page())]),
    );
}

#[test]
fn badge_of_an_older_record_is_kept() {
    let course = algebra();
    let mut older = Evidence::default();
    let silver = UnitProgress {
        tier: Tier::Silver,
        ..UnitProgress::default()
    };
    older.progress.insert("one-step".to_owned(), silver);
    let events = [
        wrong("one-step"),
        exam("one-step", Tier::Bronze, true),
        exam("one-step", Tier::Gold, true),
        exam("one-step", Tier::Silver, true),
    ];
    golden!(
        "A record has silver and no passes, as an older system may have left it. What is worked out anew is lower and takes \
         nothing away; gold needs a silver pass as well as its own.",
        timeline_from(&course, older, &events).0,
    );
}

#[test]
fn passes_before_their_time_count_once_bronze_is_reached() {
    let course = algebra();
    let events = [
        exam("one-step", Tier::Gold, true),
        exam("one-step", Tier::Silver, true),
        right("one-step"),
        exam("one-step", Tier::Bronze, true),
        right("one-step"),
    ];
    golden!(
        "Gold, silver and bronze are passed before the drills are there. Each is counted and none gives a badge; the \
         second right drill brings bronze, and with it silver and gold in the same moment.",
        timeline(&course, &events).0,
    );
}

#[test]
fn each_tier_needs_its_own_pass() {
    let course = algebra();
    let events = [
        right("one-step"),
        right("one-step"),
        exam("one-step", Tier::Silver, true),
        exam("one-step", Tier::Gold, true),
        exam("one-step", Tier::Bronze, true),
    ];
    golden!(
        "Drilled well, silver and gold passed: no badge before a bronze question is passed.",
        timeline(&course, &events).0,
    );
}

#[test]
fn status_follows_the_evidence() {
    let course = algebra();
    let status = |evidence: &Evidence| {
        let unit = evidence
            .progress
            .get("one-step")
            .cloned()
            .unwrap_or_default();
        format!("{:?}", UnitStatus::of(&unit))
    };
    let mut page = Page::default();
    page.section("one-step equations");
    for (name, events) in [
        ("no evidence", vec![]),
        ("a teacher's mark", vec![mark("one-step", true)]),
        ("evidence on another unit", vec![right("inverse")]),
        ("a wrong drill", vec![wrong("one-step")]),
        (
            "an exam not passed",
            vec![exam("one-step", Tier::Bronze, false)],
        ),
        ("support viewed", vec![support("one-step-bronze-1", true)]),
        (
            "bronze",
            vec![
                right("one-step"),
                right("one-step"),
                exam("one-step", Tier::Bronze, true),
            ],
        ),
        (
            "gold",
            vec![
                right("one-step"),
                right("one-step"),
                exam("one-step", Tier::Bronze, true),
                exam("one-step", Tier::Silver, true),
                exam("one-step", Tier::Gold, true),
            ],
        ),
    ] {
        page.line(name, status(&timeline(&course, &events).1));
    }
    golden!(
        "Not started without evidence, in progress with any, mastered at gold.",
        page
    );
}

#[test]
fn units_in_progress_are_the_six_latest() {
    let course = algebra();
    let mut page = Page::default();
    let mut events = Vec::new();
    page.section("after");
    for event in [
        right("integers"),
        wrong("inverse"),
        right("variables"),
        exam("one-step", Tier::Bronze, false),
        support("one-step-bronze-2", true),
        right("two-step"),
        right("lines"),
        right("puzzles"),
        right("inverse"),
        mark("integers", true),
        right("puzzles"),
        exam("puzzles", Tier::Bronze, true),
        exam("puzzles", Tier::Silver, true),
        exam("puzzles", Tier::Gold, true),
        wrong("puzzles"),
    ] {
        events.push(event.clone());
        let (_, evidence) = timeline(&course, &events);
        page.line(&described(&event), list(&evidence.units_in_progress));
    }
    golden!(
        "A unit joins with its first evidence and moves to the front with each more; the seventh pushes the oldest out; \
         gold leaves, and stays away. A teacher's mark is no evidence.",
        page,
    );
}

#[test]
fn teachers_mark_is_no_badge() {
    let course = algebra();
    let events = [
        mark("inverse", true),
        mark("variables", true),
        mark("inverse", false),
    ];
    golden!(
        "A teacher marks prerequisites as met and takes one mark back. Nothing else changes.",
        timeline(&course, &events).0,
    );
}

#[test]
fn streak_of_the_course_decides_for_bronze() {
    let course = algebra_with(|spec| spec.rules.ready_streak = 3);
    let events = [
        exam("one-step", Tier::Bronze, true),
        right("one-step"),
        right("one-step"),
        right("one-step"),
    ];
    golden!(
        "A course that asks for three right drills in a row.",
        timeline(&course, &events).0,
    );
}

#[test]
fn evidence_that_is_refused() {
    let course = algebra();
    let mut page = Page::default();
    page.section("refused");
    for (name, event) in [
        ("a unit of another course", right("geometry")),
        ("a drill on the entry unit", right("welcome")),
        (
            "a question of another course",
            EvidenceEvent::ExamResult {
                question: the("geometry-bronze-1", "one-step", Tier::Bronze),
                passed: true,
            },
        ),
        (
            "a question of another unit",
            EvidenceEvent::ExamResult {
                question: the("inverse-bronze-1", "one-step", Tier::Bronze),
                passed: true,
            },
        ),
        (
            "another tier than the catalogue's",
            EvidenceEvent::ExamResult {
                question: the("one-step-bronze-1", "one-step", Tier::Gold),
                passed: true,
            },
        ),
        (
            "support of a question of another unit",
            EvidenceEvent::SupportViewed {
                question: the("inverse-bronze-1", "one-step", Tier::Bronze),
                locked: true,
            },
        ),
        ("a mark on a unit of another course", mark("geometry", true)),
    ] {
        let fault = apply(&course, &Evidence::default(), &event, now()).unwrap_err();
        page.line(name, fault);
    }
    golden!(
        "Unit and tier are checked against the catalogue, whoever sends them.",
        page
    );
}
