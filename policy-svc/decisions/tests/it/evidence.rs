//! What a drill, an exam result, a look at support material and a teacher's mark make of the evidence.

mod cases;
mod exercises;
mod properties;
mod refused;
mod strategies;
mod untidy;

use jiff::{SignedDuration, Timestamp};
use turnwise_decisions::{
    Course, Evidence, EvidenceEvent, QuestionRef, Tier, UnitProgress,
    evidence::{Applied, apply},
};

use crate::fixtures::now;

pub fn drill(unit: &str, correct: bool) -> EvidenceEvent {
    EvidenceEvent::DrillGraded {
        unit_id: unit.to_owned(),
        correct,
        mistake_tag: None,
        exercise: None,
    }
}

pub fn wrong_drill(unit: &str, mistake: &str) -> EvidenceEvent {
    graded(unit, false, mistake)
}

pub fn graded(unit: &str, correct: bool, mistake: &str) -> EvidenceEvent {
    EvidenceEvent::DrillGraded {
        unit_id: unit.to_owned(),
        correct,
        mistake_tag: Some(mistake.to_owned()),
        exercise: None,
    }
}

/// A drill with this exercise.
pub fn exercise(unit: &str, correct: bool, number: u64) -> EvidenceEvent {
    EvidenceEvent::DrillGraded {
        unit_id: unit.to_owned(),
        correct,
        mistake_tag: None,
        exercise: Some(number),
    }
}

/// The fixture's question `UNIT-tier-n`.
pub fn question(unit: &str, tier: Tier, n: u32) -> QuestionRef {
    QuestionRef {
        question_id: format!("{unit}-{}-{n}", tier.as_str()),
        unit_id: unit.to_owned(),
        tier,
    }
}

pub fn passed(question: QuestionRef) -> EvidenceEvent {
    EvidenceEvent::ExamResult {
        question,
        passed: true,
    }
}

pub fn failed(question: QuestionRef) -> EvidenceEvent {
    EvidenceEvent::ExamResult {
        question,
        passed: false,
    }
}

pub fn viewed(question: QuestionRef, locked: bool) -> EvidenceEvent {
    EvidenceEvent::SupportViewed { question, locked }
}

pub fn marked(unit: &str, met: bool) -> EvidenceEvent {
    EvidenceEvent::PrerequisiteMarked {
        unit_id: unit.to_owned(),
        met,
    }
}

/// The time of the n-th event: a minute after the one before.
pub fn minute(n: usize) -> Timestamp {
    now() + SignedDuration::from_mins(i64::try_from(n).unwrap())
}

/// The evidence of a new student after these events, and what the last one did.
pub fn last_of(course: &Course, events: &[EvidenceEvent]) -> Applied {
    let mut evidence = Evidence::default();
    let mut last = None;
    for (n, event) in events.iter().enumerate() {
        let applied = apply(course, &evidence, event, minute(n)).unwrap();
        evidence = applied.evidence.clone();
        last = Some(applied);
    }
    last.expect("an event")
}

pub fn after(course: &Course, events: &[EvidenceEvent]) -> Evidence {
    last_of(course, events).evidence
}

/// A record with this progress on one unit and nothing else.
pub fn on(unit: &str, progress: UnitProgress) -> Evidence {
    Evidence {
        progress: [(unit.to_owned(), progress)].into(),
        ..Evidence::default()
    }
}

pub fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}
