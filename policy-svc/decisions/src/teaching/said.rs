//! What was said a moment ago is not said again.

/// Shorter pieces are no sentences: `Well done.`
const LEAST_CHARS: usize = 12;

/// The place, from one, of the latest text that has a sentence in common with this one's first paragraph; zero if none has.
pub(crate) fn last(text: &str, said: &[String]) -> usize {
    let said = said.iter().rposition(|before| shares(text, before));
    said.map_or(0, |at| at + 1)
}

fn shares(text: &str, before: &str) -> bool {
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
