//! The questions that wait for an answer, which no reply gives.

use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    policy::v1::OpenDrill,
    tutor::v1::{TutorCard, tutor_card::Content},
};

use super::said_lately;
use crate::open_card;

/// The drill that the student works on.
#[must_use]
pub fn open_drill(facts: &TurnFacts, texts: &TurnTexts) -> Option<OpenDrill> {
    of_card(open_card::open(facts, texts)?, texts)
}

/// The other drills that were set lately and not graded.
pub(super) fn others(facts: &TurnFacts, texts: &TurnTexts) -> Vec<OpenDrill> {
    let cards = open_card::others(facts, texts);
    cards.filter_map(|card| of_card(card, texts)).collect()
}

fn of_card(card: &TutorCard, texts: &TurnTexts) -> Option<OpenDrill> {
    let Some(Content::Drill(drill)) = &card.content else {
        return None;
    };
    Some(OpenDrill {
        unit_id: card.unit_id.clone(),
        prompt: drill.prompt.clone(),
        question_latex: drill.question_latex.clone(),
        said: said_lately(texts),
    })
}

/// The question that the student's placement waits for an answer to.
pub(super) fn placement_question(facts: &TurnFacts, texts: &TurnTexts) -> Option<OpenDrill> {
    let question = facts.plan.as_ref()?.placement_question.as_ref()?;
    Some(OpenDrill {
        unit_id: question.unit_id.clone(),
        prompt: question.prompt.clone(),
        question_latex: question.question_latex.clone(),
        said: said_lately(texts),
    })
}

/// The exam question that waits for an answer. What the student said of it is no part: that its answer was guessed is no
/// reason to tell it.
pub(super) fn exam_question(facts: &TurnFacts, texts: &TurnTexts) -> Option<OpenDrill> {
    let exam = open_card::waiting_exam(facts, texts)?;
    Some(OpenDrill {
        prompt: exam.prompt.clone(),
        question_latex: exam.question_latex.clone(),
        ..OpenDrill::default()
    })
}
