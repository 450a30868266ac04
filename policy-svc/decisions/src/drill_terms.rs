//! Which drills may be set: what a policy leaves open, decided by the course, the class and the record.

use std::collections::BTreeMap;

use crate::{
    course::{Course, Unit},
    exercise::exercise,
    fallback,
    policy::Policy,
    reply::Card,
    resolve::{self, Observation, Resolution},
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
}

impl DrillTerms {
    /// Whether an exercise of a unit counted already.
    #[must_use]
    pub fn has_counted(&self, unit_id: &str, prompt: &str, question_latex: &str) -> bool {
        self.counted.get(unit_id).is_some_and(|counted| {
            !counted.is_empty() && counted.contains(&exercise(prompt, question_latex))
        })
    }

    /// Whether the unit has a ready-made drill that may be set and did not count yet.
    fn has_another(&self, unit: &Unit, policy: &Policy) -> bool {
        fallback::candidates(unit, policy)
            .any(|drill| !self.has_counted(&unit.id, &drill.prompt, &drill.question_latex))
    }
}

/// The resolution with a ready-made drill of the same unit in the place of one that may not be set. Where the course has
/// none, the reply says in words what to do.
#[must_use]
pub fn with_drill_on_terms(
    course: &Course,
    policy: &Policy,
    terms: &DrillTerms,
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
    let is_own = resolution.drill_id.is_some();
    let (prompt, question) = (&card.prompt, &card.question_latex);
    let observation = if !is_own && terms.course_only {
        None
    } else if !is_own && terms.checkable && !turnwise_grading::is_checkable(prompt, question) {
        Some(Observation::DrillNotCheckable)
    } else if terms.has_counted(&unit.id, prompt, question) && terms.has_another(unit, policy) {
        Some(Observation::DrillRepeated)
    } else {
        return resolution;
    };
    let reply = fallback::drill_reply(course, policy, terms, &unit.id);
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
