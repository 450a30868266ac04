//! Which drills may be set: what a policy leaves open, decided by the course, the class and the record.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    course::{Course, Unit},
    fallback,
    policy::Policy,
    reply::Card,
    resolve::{self, Observation, Resolution},
    teaching::{Situation, set::drill_reply},
    words::Action,
};

/// What a drill must be to be set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DrillTerms {
    /// It must be one of the course's own.
    pub course_only: bool,
    /// It must be one of the course's own, or one that mathematics can grade.
    pub checkable: bool,
    /// The exercises that counted, by unit. One of these is set only where no other is at hand.
    pub counted: BTreeMap<String, Vec<u64>>,
    /// The course's drills, by id, that are exam questions of a platform. None of them is set.
    pub exams: BTreeSet<String>,
    /// Whether a platform's exam questions could not be read: then no drill is worked out.
    pub exams_unknown: bool,
    /// The exercise that a placement of the student's waits for an answer to. It is not set.
    pub placement: Option<u64>,
}

impl DrillTerms {
    /// Whether an exercise of a unit counted already. Its number is asked for only where any counted.
    pub(crate) fn has_counted(&self, unit: &Unit, exercise: impl FnOnce() -> u64) -> bool {
        let counted = self.counted.get(&unit.id);
        counted.is_some_and(|counted| !counted.is_empty() && counted.contains(&exercise()))
    }

    /// Whether a ready-made drill, by its place, is asked elsewhere: in a platform's exams, or in the student's placement.
    pub(crate) fn is_asked(&self, unit: &Unit, at: usize) -> bool {
        let placement = self.placement;
        self.exams.contains(&unit.drills[at].id)
            || placement.is_some_and(|exercise| unit.exercise_at(at) == exercise)
    }
}

/// The resolution with a ready-made drill of the same unit in the place of one that may not be set. Where the course has
/// none, the reply says in words what to do.
#[must_use]
pub fn with_drill_on_terms(
    course: &Course,
    policy: &Policy,
    terms: &DrillTerms,
    situation: &Situation<'_>,
    resolution: Resolution,
) -> Resolution {
    let (Action::DrillCard, Some(Card::Drill(card))) = (resolution.action, &resolution.card) else {
        return resolution;
    };
    let Some(unit) = course
        .find(&resolution.target_unit_id)
        .map(|at| course.unit(at))
    else {
        return resolution;
    };
    let (prompt, question) = (&card.prompt, &card.question_latex);
    let is_own = resolution.drill_id.is_some();
    let is_asked = (resolution.drill_id.as_ref()).is_some_and(|id| terms.exams.contains(id))
        || (terms.placement).is_some_and(|asked| unit.exercise(prompt, question) == asked);
    let observation = if is_asked || (!is_own && terms.course_only) {
        None
    } else if !is_own && terms.checkable && !turnwise_grading::is_checkable(prompt, question) {
        Some(Observation::DrillNotCheckable)
    } else if terms.has_counted(unit, || unit.exercise(prompt, question)) {
        Some(Observation::DrillRepeated)
    } else {
        return resolution;
    };
    let found = fallback::drill(unit, policy, terms, situation);
    if observation == Some(Observation::DrillRepeated)
        && found.is_none_or(|(_, is_repeat)| is_repeat)
    {
        return resolution;
    }
    let drill = found.map(|(drill, _)| drill);
    let reply = drill_reply(course, &unit.id, drill, situation);
    let mut observations = resolution.observations;
    // A fallback's own choice is no news.
    observations.extend(observation.filter(|_| resolution.fallback_reason.is_none()));
    Resolution {
        analysis: resolution.analysis,
        observations,
        fallback_reason: resolution.fallback_reason,
        violation: resolution.violation,
        ..resolve::resolution(course, policy, reply)
    }
}
