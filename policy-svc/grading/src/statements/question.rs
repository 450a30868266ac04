//! What a question leaves open of a statement in it, and what it presupposes.

use super::{cues, denial::is_addressed, doubt::words};

/// So many words may stand between a word that presupposes a statement and the statement.
const NEAR: usize = 3;

/// Whether a question leaves a statement open, by what stands before and after it.
pub(super) fn leaves_open(before: &str, after: &str) -> bool {
    !presupposes(before) && !is_tagged(before, after) && !is_asked_beside(before, after)
}

/// Whether a sentence that asks is about what is true: `Is that right?`, `Which of them holds?`
pub(super) fn asks_for_truth(question: &str) -> bool {
    begins_as_question(question) && words(question).any(|word| cues::HOLDING.has(word))
}

fn begins_as_question(text: &str) -> bool {
    let begins = words(text).find(|word| !cues::CONCLUDING.has(word));
    begins.is_some_and(|word| cues::VERIFYING.has(word))
}

/// `Why is …?`, `Do you see that …?`: but not `Why do you think that …?`
fn presupposes(before: &str) -> bool {
    let all: Vec<&str> = words(before).collect();
    let is_near = |at: usize| {
        let between = all.get(at + 1..).unwrap_or_default();
        between.len() <= NEAR && !between.iter().any(|word| cues::ADDRESSING.has(word))
    };
    let knows = |until: usize| {
        let mut before = all.iter().take(until);
        before.any(|word| cues::KNOWING.has(word))
    };
    all.iter().enumerate().any(|(at, word)| {
        let is_fact = cues::WHY.has(word) || cues::INTRODUCING.has(word) && knows(at);
        is_fact && is_near(at)
    })
}

/// `So 2 + 3 = 6, right?`
fn is_tagged(before: &str, after: &str) -> bool {
    let tag: Vec<&str> = words(after).collect();
    is_parted(after)
        && cues::TAGS
            .iter()
            .any(|own| own.split(' ').eq(tag.iter().copied()))
        && !begins_as_question(before)
        && !is_addressed(before)
}

/// `So 2 + 3 = 6, do you see why?` says something and asks something else.
fn is_asked_beside(before: &str, after: &str) -> bool {
    let concludes = |word: &&str| cues::CONCLUDING.has(word);
    let mut asked = words(after).skip_while(concludes);
    words(before).all(|word| concludes(&word))
        && is_parted(after)
        && !asked.any(|word| cues::DOUBTING.has(word))
}

/// Whether a mark parts what stands after a statement from it.
fn is_parted(after: &str) -> bool {
    let after = after.trim_start_matches(['$', '*', ' ']);
    after.starts_with([',', ';', ':', '–', '—'])
}
