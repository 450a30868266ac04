//! The course texts that a reply without a model quotes from.

use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    policy::v1::Passage,
    retrieval::v1::Chunk,
    tutor::v1::ClientEventKind,
};

use super::event;

/// The most characters of a piece of course text that a reply without a model quotes from.
const PASSAGE_MOST_CHARS: usize = 2_000;
/// The most course texts on a unit that a reply without a model chooses from.
const PASSAGES_MOST: usize = 16;
/// What a course's author calls a section that explains.
const EXPLAINS: &str = "explanation";

/// The course texts on the focus that fit the message, the best first.
pub(super) fn of_focus(facts: &TurnFacts, texts: &TurnTexts) -> Vec<Passage> {
    let policy = facts.policy.iter();
    let found =
        policy.flat_map(|policy| found(texts, move |unit_id| unit_id == policy.focus_unit_id));
    found.take(PASSAGES_MOST).map(quoted).collect()
}

/// The same of what the message is about, where that is not the focus and has a text that fits better: of the message's
/// target, or of the first unit to choose.
pub(super) fn elsewhere(facts: &TurnFacts, texts: &TurnTexts) -> Vec<Passage> {
    let Some(policy) = &facts.policy else {
        return Vec::new();
    };
    let focus = &policy.focus_unit_id;
    let about = policy.choice_unit_ids.first();
    let about = about.unwrap_or(&policy.primary_target_unit_id);
    // Who chose a unit wants to read of it.
    let is_chosen = event(facts).is_some_and(|event| event.kind() == ClientEventKind::ChooseUnit);
    let may_be_of_focus = |unit_id: &str| !is_chosen && unit_id == focus;
    let first = found(texts, |unit_id| {
        may_be_of_focus(unit_id) || unit_id == about
    })
    .next();
    if first.is_none_or(|first| first.unit_id == *focus) {
        return Vec::new();
    }
    let found = found(texts, |unit_id| unit_id == about);
    found.take(PASSAGES_MOST).map(quoted).collect()
}

/// The texts of these units that fit the message, the best first. What only fills up does not fit.
fn found(texts: &TurnTexts, is_of: impl Fn(&str) -> bool) -> impl Iterator<Item = &Chunk> {
    let chunks = texts.chunks.iter();
    chunks.filter(move |chunk| chunk.score > 0.0 && is_of(&chunk.unit_id))
}

fn quoted(chunk: &Chunk) -> Passage {
    Passage {
        section: chunk.section.clone(),
        text: chunk.text.chars().take(PASSAGE_MOST_CHARS).collect(),
        explains: chunk.section_kind == EXPLAINS,
    }
}
