//! A course's text as part of a sentence of ours.

use turnwise_messages::{Texts, keys};

use crate::{course::Course, limits, words::Tier};

/// The most characters that are taken of a title.
const TITLE_CHARS: usize = 160;

/// A course's text on one line, bounded, and without question marks, so that only our own question remains.
pub(crate) fn quotable(text: &str, most_chars: usize) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !limits::is_question_mark(*c))
        .collect();
    let words: Vec<_> = plain.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= most_chars {
        return line;
    }
    let cut: String = line.chars().take(most_chars).collect();
    format!("{}…", cut.trim_end())
}

/// What a unit is called in a sentence: its title, else its id.
#[must_use]
pub fn unit_name(course: &Course, unit_id: &str) -> String {
    let title = course.find(unit_id).map(|at| &course.unit(at).title);
    title
        .map(|title| quotable(title, TITLE_CHARS))
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| quotable(unit_id, TITLE_CHARS))
}

/// What a badge is called in a sentence.
#[must_use]
pub fn tier_name(texts: &Texts, tier: Tier) -> String {
    let key = match tier {
        Tier::None => return String::new(),
        Tier::Bronze => keys::TIER_BRONZE,
        Tier::Silver => keys::TIER_SILVER,
        Tier::Gold => keys::TIER_GOLD,
    };
    texts.text(key, &[])
}
