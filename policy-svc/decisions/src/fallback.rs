//! The reply that needs no model: deterministic, and valid by the same rules as a model's. It teaches with what the course's
//! author wrote ([`crate::teaching`]).

use turnwise_reply_guard::{Form, form_fault};

use crate::{
    course::{Course, Drill, Unit},
    drill_terms::DrillTerms,
    exercise::fnv1a,
    limits,
    policy::Policy,
    reply::{LlmExamSuggestion, LlmReply},
    teaching::{
        Situation,
        lesson::Lesson,
        set::{drill_reply, exam_text, exercise},
    },
    words::Action,
};

/// Makes the fallback of a policy: what teaches where a question is allowed, else a drill, else an exam question, always on
/// the focus. It is spelled as a model's reply, so that the same validation holds for it; but where the course has no drill
/// to set, the text asks for an example, and there is no card: nobody could grade it.
#[must_use]
pub fn fallback(course: &Course, policy: &Policy, situation: &Situation<'_>) -> LlmReply {
    let focus = &policy.focus_unit_id;
    if policy.allows(Action::SocraticQuestion) {
        Lesson::new(course, policy, situation).reply()
    } else if policy.allows(Action::DrillCard) {
        let unit = course.find(focus).map(|at| course.unit(at));
        let found = unit.and_then(|unit| drill(unit, policy, &DrillTerms::default(), situation));
        drill_reply(course, focus, found.map(|(drill, _)| drill), situation)
    } else if let Some(question_id) = policy.exam_candidate_ids.first() {
        LlmReply {
            exam_suggestion: Some(LlmExamSuggestion {
                question_id: question_id.clone(),
                difficulty_tier: policy.desired_exam_tier,
            }),
            ..LlmReply::saying(
                Action::ExamBlock,
                focus.clone(),
                exam_text(course, focus, situation),
            )
        }
    } else {
        LlmReply::saying(Action::SocraticQuestion, focus.clone(), String::new())
    }
}

/// One of the unit's ready-made drills, one that is not open, did not count yet and was not worked out a moment ago if there
/// is any, else one that is not open, else the only one, which is open; and whether it counted.
pub(crate) fn drill<'c>(
    unit: &'c Unit,
    policy: &Policy,
    terms: &DrillTerms,
    situation: &Situation<'_>,
) -> Option<(&'c Drill, bool)> {
    let open = situation.open.filter(|open| open.unit_id == unit.id);
    let open = open.map(|open| unit.exercise(open.drill.prompt, open.drill.question_latex));
    let has_counted = |at: usize| terms.has_counted(unit, || unit.exercise_at(at));
    let was_shown = |at: usize| {
        let exercise = exercise(&unit.drills[at]);
        (situation.said.iter()).any(|text| text.contains(&exercise))
    };
    let (mut first, mut other) = (None, None);
    for at in candidates(unit, policy, terms) {
        first = first.or(Some(at));
        if open.is_some_and(|open| unit.exercise_at(at) == open) {
            continue;
        }
        if !has_counted(at) && !was_shown(at) {
            return Some((&unit.drills[at], false));
        }
        other = other.or(Some(at));
    }
    let at = other.or(first)?;
    Some((&unit.drills[at], has_counted(at)))
}

/// The places of the unit's ready-made drills that may be set and are short enough, each once. The turn's id chooses where
/// they begin, so that the same turn always gets the same and the next turn may get another.
fn candidates(unit: &Unit, policy: &Policy, terms: &DrillTerms) -> impl Iterator<Item = usize> {
    let count = unit.drills.len();
    let hash = fnv1a(&policy.turn_id);
    let first = hash.checked_rem(u64::try_from(count).unwrap_or(u64::MAX));
    let first = usize::try_from(first.unwrap_or(0)).unwrap_or_default();
    (first..count).chain(0..first).filter(move |at| {
        let drill = &unit.drills[*at];
        fits(&drill.prompt, &drill.question_latex, policy) && !terms.is_asked(unit, *at)
    })
}

/// Whether an exercise is one that a reply may hold.
fn fits(prompt: &str, question_latex: &str, policy: &Policy) -> bool {
    !prompt.trim().is_empty()
        && [(prompt, Form::Prose), (question_latex, Form::Formula)]
            .iter()
            .all(|(text, form)| {
                text.chars().count() <= limits::MOST_PART_CHARS && form_fault(text, *form).is_none()
            })
        && limits::drill_fault(prompt, question_latex, policy.constraints.drill_max_steps).is_none()
}
