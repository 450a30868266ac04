//! What one more fact makes of a student's evidence.

use jiff::Timestamp;
use turnwise_decisions::{
    CourseSpec, Evidence, EvidenceEvent, QuestionRef, Tier, UnitProgress, UnitSpec, UnitStatus,
};

/// The most that a stored counter holds.
const MOST: u32 = 2_147_483_647;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub evidence: Evidence,
    pub unit: String,
    pub tiers: (Tier, Tier),
    pub statuses: (UnitStatus, UnitStatus),
    pub unknown_tag: bool,
    pub repeated: bool,
}

/// Why an event is refused, in the words of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    UnknownUnit,
    EntryUnit,
    UnknownQuestion,
    ForeignUnit,
    ForeignTier,
}

/// Unit and tier are checked against the catalogue; the entry unit carries no drills and no exams. A mark is neither.
pub fn refusals(course: &CourseSpec, event: &EvidenceEvent) -> Vec<Refused> {
    let (unit, question) = subject(event);
    let mut refused = Vec::new();
    if !course.units.iter().any(|known| known.id == unit) {
        refused.push(Refused::UnknownUnit);
    }
    let is_mark = matches!(event, EvidenceEvent::PrerequisiteMarked { .. });
    if unit == course.entry_unit && !is_mark {
        refused.push(Refused::EntryUnit);
    }
    if let Some(named) = question {
        match course.questions.iter().find(|q| q.id == named.question_id) {
            None => refused.push(Refused::UnknownQuestion),
            Some(question) => {
                if !question.units.contains(&unit) {
                    refused.push(Refused::ForeignUnit);
                }
                if question.tier != named.tier {
                    refused.push(Refused::ForeignTier);
                }
            }
        }
    }
    refused
}

fn subject(event: &EvidenceEvent) -> (String, Option<&QuestionRef>) {
    match event {
        EvidenceEvent::DrillGraded { unit_id, .. }
        | EvidenceEvent::PrerequisiteMarked { unit_id, .. } => (unit_id.clone(), None),
        EvidenceEvent::ExamResult { question, .. }
        | EvidenceEvent::SupportViewed { question, .. } => {
            (question.unit_id.clone(), Some(question))
        }
    }
}

/// The evidence after an event that is not refused.
pub fn apply(
    course: &CourseSpec,
    before: &Evidence,
    event: &EvidenceEvent,
    now: Timestamp,
) -> Applied {
    let (unit, _) = subject(event);
    let mut after = before.clone();
    let mut unknown_tag = false;
    let repeated = repeats(before, &unit, event);
    match event {
        EvidenceEvent::DrillGraded { .. } if repeated => {}
        EvidenceEvent::DrillGraded {
            correct,
            mistake_tag,
            exercise,
            ..
        } => {
            let progress = touch(&mut after, &unit, now);
            if let Some(exercise) = exercise {
                progress.counted_exercises.push(*exercise);
            }
            while progress.counted_exercises.len() > 64 {
                progress.counted_exercises.remove(0);
            }
            progress.attempts = plus_one(progress.attempts);
            if *correct {
                progress.correct = plus_one(progress.correct);
                progress.streak_correct = plus_one(progress.streak_correct);
                progress.streak_wrong = 0;
            } else {
                progress.streak_correct = 0;
                progress.streak_wrong = plus_one(progress.streak_wrong);
            }
            // Tags come from graded, incorrect drills and from nowhere else; one that the unit does not list is none.
            if let Some(tag) = mistake_tag
                && !correct
            {
                let listed = course
                    .units
                    .iter()
                    .any(|known| known.id == unit && known.mistake_tags.contains(tag));
                if listed {
                    let count = progress.confusion_tags.get(tag).copied().unwrap_or(0);
                    progress.confusion_tags.insert(tag.clone(), plus_one(count));
                }
                unknown_tag = !listed;
            }
            recompute_tier(course, &unit, &mut after);
        }
        EvidenceEvent::ExamResult { question, passed } => {
            let progress = touch(&mut after, &unit, now);
            if *passed {
                let count = match question.tier {
                    Tier::Bronze => Some(&mut progress.passed.bronze),
                    Tier::Silver => Some(&mut progress.passed.silver),
                    Tier::Gold => Some(&mut progress.passed.gold),
                    Tier::None => None,
                };
                if let Some(count) = count {
                    *count = plus_one(*count);
                }
                after
                    .revisit_queue
                    .retain(|entry| entry.question_id != question.question_id);
            } else {
                queue(&mut after, question);
            }
            remember(&mut after, question);
            recompute_tier(course, &unit, &mut after);
        }
        EvidenceEvent::SupportViewed { question, locked } => {
            touch(&mut after, &unit, now);
            if *locked {
                queue(&mut after, question);
                remember(&mut after, question);
            }
        }
        EvidenceEvent::PrerequisiteMarked { met, .. } => {
            if *met {
                after.prerequisite_overrides.insert(unit.clone());
            } else {
                after.prerequisite_overrides.remove(&unit);
            }
        }
    }
    if !matches!(event, EvidenceEvent::PrerequisiteMarked { .. }) && !repeated {
        in_progress(course, &mut after, &unit);
        placed(&mut after, &unit, event);
    }
    Applied {
        tiers: (tier(before, &unit), tier(&after, &unit)),
        statuses: (status(before, &unit), status(&after, &unit)),
        evidence: after,
        unit,
        unknown_tag,
        repeated,
    }
}

/// One exercise counts once for a unit.
fn repeats(before: &Evidence, unit: &str, event: &EvidenceEvent) -> bool {
    match (event, before.progress.get(unit)) {
        (
            EvidenceEvent::DrillGraded {
                exercise: Some(exercise),
                ..
            },
            Some(progress),
        ) => progress
            .counted_exercises
            .iter()
            .any(|counted| counted == exercise),
        _ => false,
    }
}

/// A badge ends that a unit is placed; else the second wrong drill undoes it.
fn placed(evidence: &mut Evidence, unit: &str, event: &EvidenceEvent) {
    if tier(evidence, unit) != Tier::None {
        evidence.placed.remove(unit);
    }
    let is_wrong = matches!(event, EvidenceEvent::DrillGraded { correct: false, .. });
    if let Some(placed) = evidence.placed.get_mut(unit)
        && is_wrong
        && !placed.undone
    {
        placed.wrong_drills = plus_one(placed.wrong_drills);
        placed.undone = placed.wrong_drills >= 2;
    }
}

fn plus_one(count: u32) -> u32 {
    if count >= MOST { MOST } else { count + 1 }
}

fn touch<'a>(evidence: &'a mut Evidence, unit: &str, now: Timestamp) -> &'a mut UnitProgress {
    let progress = evidence.progress.entry(unit.to_owned()).or_default();
    progress.last_touched_at = Some(now);
    progress
}

/// Adds a question to come back to; one that is there already keeps its place.
fn queue(evidence: &mut Evidence, question: &QuestionRef) {
    let there = evidence
        .revisit_queue
        .iter()
        .any(|entry| entry.question_id == question.question_id);
    if !there {
        evidence.revisit_queue.push(question.clone());
    }
}

fn remember(evidence: &mut Evidence, question: &QuestionRef) {
    if !evidence.exam_touched.contains(&question.question_id) {
        evidence.exam_touched.push(question.question_id.clone());
    }
}

/// Bronze: there already, or drilled and a bronze question passed. Silver: bronze and a silver one passed. Gold: silver
/// and a gold one passed. Stored is the higher of the old tier and this one. A unit that is not assessable earns none.
fn recompute_tier(course: &CourseSpec, unit: &str, evidence: &mut Evidence) {
    let Some(progress) = evidence.progress.get_mut(unit) else {
        return;
    };
    if !course.units.iter().any(|u| u.id == unit && u.assessable) {
        return;
    }
    let old = progress.tier;
    let drilled = progress.streak_correct >= course.rules.ready_streak;
    let bronze = old >= Tier::Bronze || (drilled && progress.passed.bronze >= 1);
    let silver = bronze && progress.passed.silver >= 1;
    let gold = silver && progress.passed.gold >= 1;
    let computed = match (bronze, silver, gold) {
        (_, _, true) => Tier::Gold,
        (_, true, _) => Tier::Silver,
        (true, _, _) => Tier::Bronze,
        _ => Tier::None,
    };
    progress.tier = if computed > old { computed } else { old };
}

/// A unit joins with its evidence, in front of the others, and leaves at gold, or, where it has no badge, with its drills
/// done; at most six.
fn in_progress(course: &CourseSpec, evidence: &mut Evidence, unit: &str) {
    let mut list = Vec::new();
    if tier(evidence, unit) != Tier::Gold && !is_drilled_out(course, evidence, unit) {
        list.push(unit.to_owned());
    }
    for other in &evidence.units_in_progress {
        if other != unit && !is_drilled_out(course, evidence, other) {
            list.push(other.clone());
        }
    }
    list.truncate(6);
    evidence.units_in_progress = list;
}

/// There is no badge to earn, and the drills went well.
fn is_drilled_out(course: &CourseSpec, evidence: &Evidence, unit: &str) -> bool {
    let no_badge = |known: &UnitSpec| !known.assessable || known.id == course.entry_unit;
    let streak = evidence.progress.get(unit).map_or(0, |p| p.streak_correct);
    course
        .units
        .iter()
        .any(|known| known.id == unit && no_badge(known))
        && streak >= course.rules.ready_streak
}

fn tier(evidence: &Evidence, unit: &str) -> Tier {
    evidence
        .progress
        .get(unit)
        .map_or(Tier::None, |progress| progress.tier)
}

/// No evidence, any evidence, gold.
fn status(evidence: &Evidence, unit: &str) -> UnitStatus {
    match evidence.progress.get(unit) {
        Some(progress) if progress.tier == Tier::Gold => UnitStatus::Mastered,
        Some(progress) if *progress != UnitProgress::default() => UnitStatus::InProgress,
        _ => UnitStatus::NotStarted,
    }
}
