//! What was said a moment ago is not said again, and nobody reads the same sentence twice in a row.

/// Shorter pieces are no sentences: `Well done.`
const LEAST_CHARS: usize = 12;

/// The place, from one, of the latest text that says this; zero if none does.
pub(crate) fn last(words: &str, said: &[String]) -> usize {
    let said = said
        .iter()
        .rposition(|before| before.contains(words.trim()));
    said.map_or(0, |at| at + 1)
}

/// Whether the latest text has a sentence in common with this one's first paragraph.
pub(crate) fn repeats(text: &str, said: &[String]) -> bool {
    said.last().is_some_and(|before| shares(text, before))
}

/// Whether a text's first paragraph has a sentence in common with the text before it.
#[must_use]
pub fn shares(text: &str, before: &str) -> bool {
    // Behind it stand the lines of a worked example, in which steps look alike.
    let first = text.split("\n\n").next().unwrap_or(text);
    let mut sentences = first
        .split(['.', '?', '!', '\n'])
        .map(str::trim)
        .filter(|sentence| sentence.chars().count() >= LEAST_CHARS)
        .peekable();
    if sentences.peek().is_none() {
        return before.contains(first.trim());
    }
    sentences.any(|sentence| before.contains(sentence))
}
