//! Mastery and evidence: what a student has shown, and what one more fact makes of it.
//!
//! | module | is about |
//! | --- | --- |
//! | [`event`] | the facts that change a student's evidence |
//! | [`mod@unit`] | one unit's progress and what a fact makes of it |
//! | [`mod@placed`] | a unit that a placement showed to be known |
//!
//! Nothing is lost: units, questions and tags that the course no longer has stay in the record as they are. An event
//! changes its own unit's progress, its own question's entries, and which units are in progress.

pub mod event;
pub mod placed;
pub mod unit;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

pub use event::{EvidenceEvent, QuestionRef};
pub use placed::Placed;
pub use unit::{PassedByTier, UnitProgress, UnitStatus, advance};

use crate::{
    course::{Course, Unit},
    record::Record,
    words::Tier,
};

/// What a student has shown in one course.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// By unit. Units without evidence are absent.
    pub progress: BTreeMap<String, UnitProgress>,
    /// Units with evidence that have more to show, most recent first, at most [`Record::MOST_IN_PROGRESS`].
    pub units_in_progress: Vec<String>,
    /// Exam questions to come back to, oldest first.
    pub revisit_queue: Vec<QuestionRef>,
    /// Exam questions with a result or a lock, in the order of the first time.
    pub exam_touched: Vec<String>,
    /// Units that a teacher marked as met. They are no badge.
    pub prerequisite_overrides: BTreeSet<String>,
    /// Units that a placement showed to be known. They are no badge; one takes its place.
    pub placed: BTreeMap<String, Placed>,
}

/// What an event made of a student's evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The new evidence, whole.
    pub evidence: Evidence,
    /// The one unit that the event is about.
    pub unit_id: String,
    /// Its badge before.
    pub tier_before: Tier,
    /// Its badge now; never lower.
    pub tier_after: Tier,
    /// Its status before.
    pub status_before: UnitStatus,
    /// Its status now.
    pub status_after: UnitStatus,
    /// It has a badge that its latest drills would no longer earn. It keeps the badge.
    pub needs_review: bool,
    /// The drill's exercise counted before: nothing changed.
    pub exercise_repeated: bool,
    /// Things worth counting that are no fault.
    pub observations: Vec<EvidenceObservation>,
}

/// Something about an event that is worth counting and no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceObservation {
    /// A wrong drill's mistake is one that the unit does not list; it counts as none.
    UnknownTag,
}

impl EvidenceObservation {
    /// The name that logs and metrics use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTag => "unknown_tag",
        }
    }
}

/// Why an event is refused. Then nothing changes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceFault {
    /// The course has no such unit.
    #[error("the course has no unit `{0}`")]
    UnknownUnit(String),
    /// The entry unit is a pointer into the course; nothing can be shown there.
    #[error("`{0}` is the course's entry unit, which carries no evidence")]
    EntryUnit(String),
    /// The catalogue has no such question.
    #[error("the course has no exam question `{0}`")]
    UnknownQuestion(String),
    /// The question does not test the unit.
    #[error("exam question `{question_id}` does not test unit `{unit_id}`")]
    ForeignUnit {
        /// The question.
        question_id: String,
        /// The unit that the event names.
        unit_id: String,
    },
    /// The question is of another tier.
    #[error("exam question `{question_id}` is of tier {tier}", tier = tier.as_str())]
    ForeignTier {
        /// The question.
        question_id: String,
        /// The question's own tier.
        tier: Tier,
    },
}

/// Applies one event to a student's evidence.
///
/// It counts the event, whether or not it was applied before: that an event is applied once is for the store to keep.
///
/// # Errors
/// The event is about something that the course does not have, or is evidence on the entry unit.
pub fn apply(
    course: &Course,
    evidence: &Evidence,
    event: &EvidenceEvent,
    now: Timestamp,
) -> Result<Applied, EvidenceFault> {
    let unit = check(course, event)?;
    let before = evidence.progress.get(&unit.id).cloned().unwrap_or_default();
    let exercise_repeated = before.has_counted(event);
    let after = advance(unit, course.rules(), &before, event, now);

    let mut next = evidence.clone();
    match event {
        EvidenceEvent::DrillGraded { .. } if exercise_repeated => {}
        EvidenceEvent::DrillGraded { correct, .. } => {
            next.write_progress(course, unit, after.clone());
            if !correct && let Some(placed) = next.placed.get_mut(&unit.id) {
                placed.count_wrong_drill();
            }
        }
        EvidenceEvent::ExamResult { question, passed } => {
            next.write_progress(course, unit, after.clone());
            next.touch_question(question);
            if *passed {
                next.forget(question);
            } else {
                next.revisit(question);
            }
        }
        EvidenceEvent::SupportViewed { question, locked } => {
            next.write_progress(course, unit, after.clone());
            // Where nothing is locked, the look says nothing of the question: a pass that only the platform knows is still
            // to come.
            if *locked {
                next.touch_question(question);
                next.revisit(question);
            }
        }
        EvidenceEvent::PrerequisiteMarked { met, .. } => {
            if *met {
                next.prerequisite_overrides.insert(unit.id.clone());
            } else {
                next.prerequisite_overrides.remove(&unit.id);
            }
        }
    }
    Ok(Applied {
        evidence: next,
        unit_id: unit.id.clone(),
        tier_before: before.tier,
        tier_after: after.tier,
        status_before: UnitStatus::of(&before),
        status_after: UnitStatus::of(&after),
        needs_review: after.tier >= Tier::Bronze
            && after.streak_correct < course.rules().ready_streak,
        exercise_repeated,
        observations: if exercise_repeated {
            Vec::new()
        } else {
            observations(unit, event)
        },
    })
}

/// The event's unit, if the course has all that the event names.
fn check<'a>(course: &'a Course, event: &EvidenceEvent) -> Result<&'a Unit, EvidenceFault> {
    let unit_id = event.unit_id();
    let at = course
        .find(unit_id)
        .ok_or_else(|| EvidenceFault::UnknownUnit(unit_id.to_owned()))?;
    let is_evidence = !matches!(event, EvidenceEvent::PrerequisiteMarked { .. });
    if is_evidence && at == course.entry() {
        return Err(EvidenceFault::EntryUnit(unit_id.to_owned()));
    }
    if let Some(QuestionRef {
        question_id, tier, ..
    }) = event.question()
    {
        let known = course
            .question(question_id)
            .ok_or_else(|| EvidenceFault::UnknownQuestion(question_id.clone()))?;
        if !known.fits(unit_id, known.tier) {
            return Err(EvidenceFault::ForeignUnit {
                question_id: question_id.clone(),
                unit_id: unit_id.to_owned(),
            });
        }
        if known.tier != *tier {
            return Err(EvidenceFault::ForeignTier {
                question_id: question_id.clone(),
                tier: known.tier,
            });
        }
    }
    Ok(course.unit(at))
}

fn observations(unit: &Unit, event: &EvidenceEvent) -> Vec<EvidenceObservation> {
    match event {
        EvidenceEvent::DrillGraded {
            correct: false,
            mistake_tag: Some(tag),
            ..
        } if !unit.lists_mistake(tag) => vec![EvidenceObservation::UnknownTag],
        _ => Vec::new(),
    }
}

impl Evidence {
    /// Writes a unit's progress, and puts the unit before the others in progress; gold takes it out, and where no badge can
    /// be earned, drills that are good enough. The list is put in order on the way: every unit once, none that is finished,
    /// at most [`Record::MOST_IN_PROGRESS`]. A badge takes the place of what a placement showed.
    fn write_progress(&mut self, course: &Course, unit: &Unit, progress: UnitProgress) {
        if progress.tier >= Tier::Bronze {
            self.placed.remove(&unit.id);
        }
        self.progress.insert(unit.id.clone(), progress);
        let earlier = std::mem::take(&mut self.units_in_progress);
        for id in std::iter::once(unit.id.clone()).chain(earlier) {
            let known = course.find(&id).map(|at| course.unit(at));
            let progress = self.progress.get(&id);
            let is_finished = progress.is_some_and(|p| p.is_finished(known, course.rules()));
            if self.units_in_progress.len() < Record::MOST_IN_PROGRESS
                && !is_finished
                && !self.units_in_progress.contains(&id)
            {
                self.units_in_progress.push(id);
            }
        }
    }

    /// Notes that a question was interacted with.
    fn touch_question(&mut self, question: &QuestionRef) {
        if !self.exam_touched.contains(&question.question_id) {
            self.exam_touched.push(question.question_id.clone());
        }
    }

    /// Puts a question at the end of the queue, unless it waits there already.
    fn revisit(&mut self, question: &QuestionRef) {
        let waits = |waiting: &QuestionRef| waiting.question_id == question.question_id;
        if !self.revisit_queue.iter().any(waits) {
            self.revisit_queue.push(question.clone());
        }
    }

    /// Takes a question out of the queue.
    fn forget(&mut self, question: &QuestionRef) {
        self.revisit_queue
            .retain(|waiting| waiting.question_id != question.question_id);
    }
}
