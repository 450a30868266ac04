//! What a message is about, where it says so itself: it is an exercise, a step of one, an answer to the card, or a word that is
//! about nothing.

use turnwise_grading::{Drill, answer_in, goes_on};
use turnwise_proto::{
    policy::v1::{PlanRequest, WaitingCard},
    session::v1::MappedUnit,
};

use super::{
    asks::{asked_why, keep_topics},
    guard,
    own_exercise::OwnExercise,
    read::{self, Read},
};
use crate::courses::LoadedCourse;

/// Leaves a request the units that its message may be about: of an exercise, and of what goes on with one, the unit that teaches
/// it alone.
pub(super) fn settle(loaded: &LoadedCourse, request: &mut PlanRequest) -> Read<()> {
    let PlanRequest {
        mapped_units,
        message,
        before,
        said,
        card,
        event,
        ..
    } = request;
    read::bounded("message", message, guard::MOST_CHARS)?;
    guard::check_quotable("before", before)?;
    read::bounded("said", said, guard::MOST_CHARS)?;
    if let Some(card) = card {
        read::bounded("card.prompt", &card.prompt, guard::MOST_CHARS)?;
        read::bounded(
            "card.question_latex",
            &card.question_latex,
            guard::MOST_CHARS,
        )?;
        // It is about the card, whatever it looks like: an answer, and why it is one.
        if answers(card, message) || asked_why(message).is_some_and(|asked| answers(card, asked)) {
            mapped_units.clear();
        } else if event.is_none() {
            keep_topics(mapped_units, message, said.is_empty());
        }
        // Below a card nothing is an exercise of the student's own.
        return Ok(());
    }
    let units = &loaded.exercise_units;
    let texts = std::slice::from_ref(said);
    let again = || OwnExercise::again(loaded, &[message.as_str()], before, texts);
    let taught_in = if let Some(own) = goes_on(message).then(again).flatten() {
        // What a step comes to is about what the step was about, whatever else it looks like.
        mapped_units.clear();
        own.unit(units)
    } else {
        if event.is_none() {
            keep_topics(mapped_units, message, said.is_empty());
        }
        units.unit_of(message)
    };
    if let Some(unit_id) = taught_in {
        // An exercise says what it is about, whatever its numbers have in common with other texts.
        *mapped_units = vec![MappedUnit {
            unit_id: unit_id.to_owned(),
            confidence: 1.0,
        }];
    }
    Ok(())
}

/// Whether a message reads as the answer to a card.
fn answers(card: &WaitingCard, message: &str) -> bool {
    is_answer(&card.prompt, &card.question_latex, message)
}

/// Whether a message reads as the answer to a question.
pub(super) fn is_answer(prompt: &str, question_latex: &str, message: &str) -> bool {
    let drill = Drill {
        prompt,
        question_latex,
        key: None,
    };
    answer_in(&drill, message).is_some()
}
