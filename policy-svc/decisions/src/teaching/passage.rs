//! A lesson's own words, with their source.

use std::fmt;

use turnwise_messages::{Key, Texts};

use crate::{limits, quote::quotable};

/// The most characters that are taken of a lesson.
const MOST_CHARS: usize = 450;

/// A piece of course text.
#[derive(Clone, Copy)]
pub struct Passage<'a> {
    /// Its heading.
    pub section: &'a str,
    /// The text.
    pub text: &'a str,
    /// Whether it is clearly about what the message is about. To find out, the whole text is read: only a reply that may
    /// quote it asks.
    pub answers: &'a dyn Fn() -> bool,
}

impl fmt::Debug for Passage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passage")
            .field("section", &self.section)
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

impl Passage<'_> {
    /// Its first sentences, in a sentence of ours that has an idea and a source; `None` where the first is too long.
    pub(crate) fn quoted(&self, texts: &Texts, key: Key) -> Option<String> {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let line = words.join(" ");
        let quoted = match line.char_indices().nth(MOST_CHARS) {
            Some((most, _)) => &line[..sentences_end(&line[..most])?],
            None => line.as_str(),
        };
        let source = quotable(self.section, limits::MOST_PART_CHARS);
        let known = [
            ("idea", quoted.to_owned().into()),
            ("source", source.into()),
        ];
        (!quoted.is_empty()).then(|| texts.text(key, &known))
    }
}

/// Where the last sentence ends that ends in a text. A short word before a point is an abbreviation: `z. B.`
fn sentences_end(text: &str) -> Option<usize> {
    let is_end = |at: usize, mark: &str| {
        let before = text[..at].chars().rev();
        let word = before.take_while(|c| c.is_alphanumeric()).count();
        text[at + mark.len()..].starts_with(' ') && (mark != "." || !(1..=2).contains(&word))
    };
    let mut marks = text.rmatch_indices(['.', '?', '!']);
    let last = marks.find(|&(at, mark)| is_end(at, mark));
    last.map(|(at, mark)| at + mark.len())
}
