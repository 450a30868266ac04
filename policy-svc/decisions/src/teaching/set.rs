//! What is set: a drill or an exam question, with a sentence before it.

use turnwise_messages::{Key, keys};

use super::{lesson::is_safe, said, situation::Situation};
use crate::{
    course::{Course, Drill},
    limits,
    quote::unit_name,
    reply::{LlmDrillCard, LlmReply},
    words::Action,
};

/// Sentences before a drill. Only the first has the unit's title, which may hold what must not be said.
pub(super) const DRILLS: [Key; 3] = [
    keys::TEACHING_DRILL_1,
    keys::TEACHING_DRILL_2,
    keys::TEACHING_DRILL_3,
];

/// The same where there is no drill to set.
const NO_DRILLS: [Key; 2] = [keys::TEACHING_NO_DRILL_1, keys::TEACHING_NO_DRILL_2];

/// The same before an exam question.
const EXAMS: [Key; 2] = [keys::TEACHING_EXAM_1, keys::TEACHING_EXAM_2];

/// An exercise in a text.
pub(crate) fn exercise(drill: &Drill) -> String {
    match drill.question_latex.trim() {
        "" => drill.prompt.clone(),
        formula => format!("{} ${formula}$", drill.prompt.trim()),
    }
}

/// Of sentences that say the same, one that may be said and was not said a moment ago.
fn freshest(keys: &[Key], course: &Course, unit_id: &str, situation: &Situation<'_>) -> String {
    let title = unit_name(course, unit_id);
    let say = |key: &Key| {
        let known = [("unit", title.clone().into())];
        course.texts().text(*key, &known)
    };
    keys.iter()
        .map(say)
        .filter(|text| is_safe(text, limits::MOST_TEXT_CHARS))
        .min_by_key(|text| match said::repeats(text, situation.said) {
            true => situation.said.len(),
            false => said::last(text, situation.said),
        })
        .unwrap_or_default()
}

/// A ready-made drill of a unit; without any, words that ask for an example.
pub(crate) fn drill_reply(
    course: &Course,
    unit_id: &str,
    drill: Option<&Drill>,
    situation: &Situation<'_>,
) -> LlmReply {
    let keys = if drill.is_some() {
        &DRILLS[..]
    } else {
        &NO_DRILLS[..]
    };
    let text = freshest(keys, course, unit_id, situation);
    LlmReply {
        drill_card: drill.map(|drill| LlmDrillCard {
            prompt: drill.prompt.clone(),
            question_latex: drill.question_latex.clone(),
        }),
        ..LlmReply::saying(Action::DrillCard, unit_id.to_owned(), text)
    }
}

/// The sentence before an exam question.
pub(crate) fn exam_text(course: &Course, unit_id: &str, situation: &Situation<'_>) -> String {
    freshest(&EXAMS, course, unit_id, situation)
}
