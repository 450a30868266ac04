//! The reply that needs no model.

use serde_json::Value;
use turnwise_decisions::{Action, CourseSpec};

use super::{decide::Decision, plan::Plan};

/// A turn as it was decided.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    pub course: &'a CourseSpec,
    pub plan: &'a Plan,
    pub decision: &'a Decision,
}

/// A question where one is allowed; else a drill, the course's own if it has any for the unit, and words without a card if
/// it has none; else the first exam candidate. Always on the focus. The question is built from the unit's title and first misconception and ends with
/// exactly one question mark.
pub fn is_fallback(turn: &Turn<'_>, reply: &Value) -> bool {
    let allowed = |action| turn.decision.allowed.contains(&action);
    let unit = turn
        .course
        .units
        .iter()
        .find(|unit| unit.id == turn.plan.focus);
    let Some(unit) = unit else {
        return false;
    };
    let text = reply["tutor_text"].as_str().unwrap_or_default();
    let right = if allowed(Action::SocraticQuestion) {
        reply["action"] == "SOCRATIC_QUESTION"
            && text.contains(&unit.title)
            && unit
                .misconceptions
                .first()
                .is_none_or(|idea| text.contains(idea))
            && text.ends_with('?')
            && text.matches('?').count() == 1
    } else if allowed(Action::DrillCard) {
        let card = &reply["drill_card"];
        reply["action"] == "DRILL_CARD"
            && if unit.drills.is_empty() {
                card.is_null()
            } else {
                unit.drills.iter().any(|drill| {
                    card["prompt"] == drill.prompt && card["question_latex"] == drill.question_latex
                })
            }
    } else {
        reply["action"] == "EXAM_BLOCK"
            && reply["exam_suggestion"]["question_id"] == turn.decision.candidates[0]
    };
    right && reply["target_unit_id"] == turn.plan.focus
}
