//! Evidence as a timeline: events, and the whole of the record after each.

use std::collections::BTreeSet;

use turnwise_decisions::{
    Applied, Course, EventKind, Evidence, EvidenceEvent, Progress, QuestionRef, Snapshot, Tier,
    UnitProgress,
    evidence::{PassedByTier, apply},
};

use super::{
    page::{Page, list, maybe},
    turns::turn,
};
use crate::fixtures::{Turn, event, now};

pub fn drill(unit: &str, correct: bool, tag: Option<&str>) -> EvidenceEvent {
    EvidenceEvent::DrillGraded {
        unit_id: unit.to_owned(),
        correct,
        mistake_tag: tag.map(str::to_owned),
        exercise: None,
    }
}

/// A right drill whose exercise is known by its number.
pub fn right_exercise(unit: &str, number: u64) -> EvidenceEvent {
    EvidenceEvent::DrillGraded {
        unit_id: unit.to_owned(),
        correct: true,
        mistake_tag: None,
        exercise: Some(number),
    }
}

pub fn right(unit: &str) -> EvidenceEvent {
    drill(unit, true, None)
}

pub fn wrong(unit: &str) -> EvidenceEvent {
    drill(unit, false, None)
}

pub fn the(question: &str, unit: &str, tier: Tier) -> QuestionRef {
    QuestionRef {
        question_id: question.to_owned(),
        unit_id: unit.to_owned(),
        tier,
    }
}

/// The answer to a unit's first question of a tier.
pub fn exam(unit: &str, tier: Tier, passed: bool) -> EvidenceEvent {
    EvidenceEvent::ExamResult {
        question: the(&format!("{unit}-{}-1", tier.as_str()), unit, tier),
        passed,
    }
}

pub fn support(question: &str, locked: bool) -> EvidenceEvent {
    EvidenceEvent::SupportViewed {
        question: the(question, "one-step", Tier::Bronze),
        locked,
    }
}

pub fn mark(unit: &str, met: bool) -> EvidenceEvent {
    EvidenceEvent::PrerequisiteMarked {
        unit_id: unit.to_owned(),
        met,
    }
}

/// Events, each an hour after the one before, the last one now.
pub fn timeline(course: &Course, events: &[EvidenceEvent]) -> (Page, Evidence) {
    timeline_from(course, Evidence::default(), events)
}

pub fn timeline_from(
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

pub fn described(event: &EvidenceEvent) -> String {
    match event {
        EvidenceEvent::DrillGraded {
            unit_id,
            correct,
            mistake_tag,
            exercise,
        } => {
            let verdict = if *correct { "right" } else { "wrong" };
            let tag = mistake_tag.as_ref();
            let tag = tag.map_or_else(String::new, |tag| format!(", {tag}"));
            let exercise = exercise.map_or_else(String::new, |n| format!(", exercise {n}"));
            format!("drill on {unit_id} {verdict}{tag}{exercise}")
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
        exercise_repeated,
        observations,
    } = applied;
    page.line("unit", unit_id);
    page.line(
        "badge",
        format!("{} → {}", tier_before.as_str(), tier_after.as_str()),
    );
    page.line("status", format!("{status_before:?} → {status_after:?}"));
    page.line("needs review", needs_review);
    page.some("repeated", exercise_repeated.then_some("yes"));
    page.line("observed", list(observations.iter().map(|o| o.as_str())));
    let Evidence {
        progress,
        units_in_progress,
        revisit_queue,
        exam_touched,
        prerequisite_overrides,
        placed,
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
    for (id, placed) in placed {
        let until = if placed.undone { ", undone" } else { "" };
        page.line(
            &format!("placed on {id}"),
            format!("{} wrong drills since{until}", placed.wrong_drills),
        );
    }
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
        counted_exercises,
    } = unit;
    let PassedByTier {
        bronze,
        silver,
        gold,
    } = passed;
    let tags = confusion_tags
        .iter()
        .map(|(tag, count)| format!("{tag} {count}"));
    let exercises = match counted_exercises.len() {
        0 => String::new(),
        count => format!("; {count} exercises remembered"),
    };
    format!(
        "{}; {correct} of {attempts} drills right, {streak_correct} right in a row, {streak_wrong} wrong in a row; \
         passed {bronze} bronze, {silver} silver, {gold} gold; mistakes {}; touched {}{exercises}",
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
        placed: placed_units(evidence, false),
        unplaced: placed_units(evidence, true),
        ..Snapshot::default()
    }
}

/// Units that a placement showed to be known: those where that holds, or those where drills undid it.
fn placed_units(evidence: &Evidence, undone: bool) -> BTreeSet<String> {
    let units = evidence.placed.iter();
    let units = units.filter(|(_, placed)| placed.undone == undone);
    units.map(|(id, _)| id.clone()).collect()
}

/// The turn after the evidence: "Continue" was pressed.
pub fn goes_on(evidence: &Evidence, kind: EventKind, unit: &str) -> Turn {
    Turn {
        event: event(kind, unit),
        target_locked: true,
        ..turn(record(evidence, unit))
    }
}
