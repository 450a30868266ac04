//! The reply that needs no model: deterministic, and valid by the same rules as a model's.

use turnwise_reply_guard::{Form, form_fault};

use crate::{
    course::{Course, Drill, Unit},
    drill_terms::DrillTerms,
    exercise::fnv1a,
    limits,
    policy::Policy,
    quote::{quotable, unit_name},
    reply::{LlmDrillCard, LlmExamSuggestion, LlmReply},
    words::Action,
};

/// The most characters that are taken of a misconception.
const MISCONCEPTION_CHARS: usize = 400;

/// Makes the fallback of a policy: a question, else a drill, else an exam question, always on the focus. It is spelled as a
/// model's reply, so that the same validation holds for it; but where the course has no drill to set, the text asks for an
/// example, and there is no card: nobody could grade it.
#[must_use]
pub fn fallback(course: &Course, policy: &Policy) -> LlmReply {
    let unit = course.find(&policy.focus_unit_id).map(|at| course.unit(at));
    let title = unit_name(course, &policy.focus_unit_id);
    let reply = |action, text| LlmReply::saying(action, policy.focus_unit_id.clone(), text);
    if policy.allows(Action::SocraticQuestion) {
        reply(Action::SocraticQuestion, question(unit, &title))
    } else if policy.allows(Action::DrillCard) {
        let found = unit.and_then(|unit| drill(unit, policy, &DrillTerms::default()));
        drill_reply(course, &policy.focus_unit_id, found.map(|(drill, _)| drill))
    } else if let Some(question_id) = policy.exam_candidate_ids.first() {
        let text = first_safe(
            [format!(
                "Here is a question to check what you know about {title}."
            )],
            "Here is a question to check what you know.",
        );
        LlmReply {
            exam_suggestion: Some(LlmExamSuggestion {
                question_id: question_id.clone(),
                difficulty_tier: policy.desired_exam_tier,
            }),
            ..reply(Action::ExamBlock, text)
        }
    } else {
        reply(Action::SocraticQuestion, String::new())
    }
}

/// A ready-made drill of a unit; without any, words that ask for an example.
pub(crate) fn drill_reply(course: &Course, unit_id: &str, drill: Option<&Drill>) -> LlmReply {
    let title = unit_name(course, unit_id);
    let said = |text| LlmReply::saying(Action::DrillCard, unit_id.to_owned(), text);
    let Some(drill) = drill else {
        return said(first_safe(
            [format!(
                "Write down a small example of your own for {title}, and solve it."
            )],
            "Write down a small example of your own, and solve it.",
        ));
    };
    let text = first_safe(
        [format!(
            "Here is a short exercise on {title}. Take your time."
        )],
        "Here is a short exercise. Take your time.",
    );
    LlmReply {
        drill_card: Some(LlmDrillCard {
            prompt: drill.prompt.clone(),
            question_latex: drill.question_latex.clone(),
        }),
        ..said(text)
    }
}

/// One guiding question, made of the unit's title and its first misconception.
fn question(unit: Option<&Unit>, title: &str) -> String {
    let misconception = unit
        .and_then(|u| u.misconceptions.first())
        .map(|text| quotable(text, MISCONCEPTION_CHARS))
        .filter(|text| !text.is_empty());
    let about_misconception = misconception.map(|misconception| {
        format!(
            "Let us look at {title} together. Somebody says: “{misconception}” \
             Would you agree, and how could you check it?"
        )
    });
    let about_title = format!(
        "Let us look at {title} together. What do you already know about it, \
         and where does it become unclear?"
    );
    first_safe(
        about_misconception.into_iter().chain([about_title]),
        "What do you already know about this, and where does it become unclear?",
    )
}

/// The first text that a reply may hold. A course's words are its author's, and a fallback keeps what a model must keep.
fn first_safe(texts: impl IntoIterator<Item = String>, otherwise: &str) -> String {
    texts
        .into_iter()
        .find(|text| form_fault(text, Form::Prose).is_none())
        .unwrap_or_else(|| otherwise.to_owned())
}

/// One of the unit's ready-made drills, one that did not count yet if there is any, and whether it counted.
pub(crate) fn drill<'c>(
    unit: &'c Unit,
    policy: &Policy,
    terms: &DrillTerms,
) -> Option<(&'c Drill, bool)> {
    let mut places = candidates(unit, policy, terms).peekable();
    let first = *places.peek()?;
    let other = places.find(|at| !terms.has_counted(unit, || unit.exercise_at(*at)));
    Some((&unit.drills[other.unwrap_or(first)], other.is_none()))
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
        !terms.exams.contains(&drill.id) && fits(&drill.prompt, &drill.question_latex, policy)
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
