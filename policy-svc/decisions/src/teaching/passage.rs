//! A lesson's own words, with their source.

use std::fmt;

use turnwise_messages::{Key, Texts};

use crate::{limits, quote::quotable};

/// The most characters that are taken of a lesson.
const MOST_CHARS: usize = 450;

/// A piece of course text.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// Its heading.
    pub section: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Which piece of course text is quoted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Choice {
    /// Its place among those that were found.
    pub at: usize,
    /// Whether it is clearly about what the message is about.
    pub answers: bool,
}

/// The course text on a unit that fits a message.
#[derive(Clone, Copy)]
pub struct Passage<'a> {
    /// What was found, the best first.
    pub found: &'a [Found<'a>],
    /// Which of it is quoted. To choose, all of it is read: only a reply that may quote it asks.
    pub choice: &'a dyn Fn() -> Choice,
}

impl fmt::Debug for Passage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passage")
            .field("found", &self.found)
            .finish_non_exhaustive()
    }
}

impl Passage<'_> {
    /// Whether the piece that is quoted answers.
    pub(crate) fn answers(&self) -> bool {
        (self.choice)().answers
    }

    /// Its first sentences, in a sentence of ours that has an idea and a source; `None` where the first is too long.
    pub(crate) fn quoted(&self, texts: &Texts, key: Key) -> Option<String> {
        let Found { section, text } = self.found.get((self.choice)().at)?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = words.join(" ");
        let quoted = match line.char_indices().nth(MOST_CHARS) {
            Some((most, _)) => &line[..sentences_end(&line[..most])?],
            None => line.as_str(),
        };
        let source = quotable(section, limits::MOST_PART_CHARS);
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
