//! A text within its length: cut behind a sentence, else behind a word, never inside a formula if that can be.

use turnwise_reply_guard::{Form, form_fault};
use unicode_segmentation::UnicodeSegmentation;

use crate::citations::formulas;

/// What stands where a sentence was cut.
const ELLIPSIS: &str = "…";
/// The most places that are tried.
const MOST_TRIES: usize = 64;

/// The text in at most `most` characters, and whether it was cut.
pub(crate) fn cut(text: &str, most: usize) -> (String, bool) {
    if text.chars().count() <= most {
        return (text.to_owned(), false);
    }
    // One character is left for the ellipsis.
    let room = end_of(text, most.saturating_sub(1));
    let spared = formulas(text);
    let outside = |at: &usize| {
        !spared
            .iter()
            .any(|formula| formula.start < *at && *at < formula.end)
    };
    let sentences = ends(text, room, |before, after| {
        after == '\n' || (after.is_whitespace() && before.ends_with(['.', '!', '?', '…', ':']))
    });
    let words = ends(text, room, |_, after| after.is_whitespace());
    let half = end_of(text, most / 2);
    let graphemes = text
        .grapheme_indices(true)
        .map(|(at, _)| at)
        .take_while(|at| *at <= room)
        .last()
        .unwrap_or(0);
    let sentences = sentences
        .into_iter()
        .filter(|at| *at >= half)
        .map(|at| (at, ""));
    let words = words.into_iter().map(|at| (at, ELLIPSIS));
    let made = |(at, end): (usize, &'static str)| {
        let kept = text.get(..at).unwrap_or_default().trim_end();
        format!("{kept}{end}")
    };
    let places = sentences.chain(words).filter(|(at, _)| outside(at));
    let best = places
        .take(MOST_TRIES)
        .map(made)
        .find(|cut| form_fault(cut, Form::Prose).is_none() && !cut.trim_matches('…').is_empty());
    let cut = best.unwrap_or_else(|| made((graphemes, ELLIPSIS)));
    (cut, true)
}

/// The text in at most `most` characters, cut behind a paragraph where that keeps half of it.
pub(crate) fn cut_to_paragraph(text: &str, most: usize) -> (String, bool) {
    if text.chars().count() <= most {
        return (text.to_owned(), false);
    }
    let room = end_of(text, most);
    let paragraph = text.get(..room).unwrap_or_default().rfind("\n\n");
    match paragraph.and_then(|at| text.get(..at)).map(str::trim_end) {
        Some(kept) if !kept.is_empty() => (kept.to_owned(), true),
        _ => cut(text, most),
    }
}

/// Where the first `count` characters end.
fn end_of(text: &str, count: usize) -> usize {
    text.char_indices()
        .nth(count)
        .map_or(text.len(), |(at, _)| at)
}

/// The places up to `room` before a character that ends something, the last first.
fn ends(text: &str, room: usize, is_end: impl Fn(&str, char) -> bool) -> Vec<usize> {
    let mut found: Vec<usize> = text
        .char_indices()
        .take_while(|(at, _)| *at <= room)
        .filter(|(at, after)| is_end(&text[..*at], *after))
        .map(|(at, _)| at)
        .collect();
    found.reverse();
    found
}
