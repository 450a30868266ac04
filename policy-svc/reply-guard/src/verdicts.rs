//! Whether a text says of a graded answer what its recorded verdict is not: right where it is wrong, or wrong where it is
//! right. Formulas are `mathematics`' matter; this is about words such as `Exactly!`.

use regex::RegexSet;
use serde::Deserialize;

use crate::{
    fold::plain_words,
    profile::{Rules, pattern_set, sentences, whole_words},
};

/// An answer that was graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Graded<'a> {
    /// What the student answered.
    pub answer: &'a str,
    /// Whether it is right, as the record has it.
    pub is_right: bool,
    /// The student's message that the text replies to; `None`: the text is the feedback on the answer.
    pub message: Option<&'a str>,
}

/// The part of a profile that is about verdicts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictRules {
    /// What says that the answer is right.
    right: Rules,
    /// What says that it is wrong.
    wrong: Rules,
    /// Sentences that ask.
    questions: Vec<String>,
    /// Messages that ask about the answer.
    asked: Vec<String>,
    /// Sentences of a reply that speak of the answer, where they have its numbers.
    named: Vec<String>,
}

#[derive(Debug)]
struct Claims {
    says: RegexSet,
    unless: RegexSet,
}

/// The patterns of all languages.
#[derive(Debug)]
pub(crate) struct Verdicts {
    right: Claims,
    wrong: Claims,
    questions: RegexSet,
    asked: RegexSet,
    named: RegexSet,
}

impl Verdicts {
    pub(crate) fn new(languages: &[VerdictRules]) -> Result<Self, regex::Error> {
        Ok(Self {
            right: Claims {
                says: set(languages, |own| &own.right.says)?,
                unless: set(languages, |own| &own.right.unless)?,
            },
            wrong: Claims {
                says: set(languages, |own| &own.wrong.says)?,
                unless: set(languages, |own| &own.wrong.unless)?,
            },
            questions: set(languages, |own| &own.questions)?,
            asked: set(languages, |own| &own.asked)?,
            named: set(languages, |own| &own.named)?,
        })
    }

    /// Whether the text says of the answer what its verdict is not. In a reply to a message, praise may be of something else:
    /// it counts where the message asks about the answer, or the sentence names it.
    pub(crate) fn are_contradicted(&self, text: &str, graded: &Graded<'_>) -> bool {
        let plain = plain_words(text);
        let claims = if graded.is_right {
            &self.wrong
        } else {
            &self.right
        };
        let answer = numbers(&plain_words(graded.answer));
        let is_asked = match graded.message {
            Some(message) => self.asks_about(&plain_words(message), &answer),
            None => true,
        };
        sentences(&plain).any(|sentence| {
            claims.says.is_match(sentence)
                && !claims.unless.is_match(sentence)
                && !self.questions.is_match(sentence)
                && (is_asked || holds(sentence, &answer) && self.named.is_match(sentence))
        })
    }

    /// Whether a message is about the answer: it repeats it, or asks whether it is right. With other numbers it is about
    /// something else.
    fn asks_about(&self, message: &str, answer: &[String]) -> bool {
        let own = numbers(message);
        if own.is_empty() {
            return self.asked.is_match(message);
        }
        own.iter().all(|number| answer.contains(number))
            || self.asked.is_match(message) && holds(message, answer)
    }
}

/// The patterns of one kind in all languages.
fn set(
    languages: &[VerdictRules],
    list: fn(&VerdictRules) -> &Vec<String>,
) -> Result<RegexSet, regex::Error> {
    let patterns = languages.iter().flat_map(list);
    pattern_set(patterns.map(|pattern| whole_words(pattern)))
}

/// The words with a digit of a text in the form of [`plain_words`].
fn numbers(plain: &str) -> Vec<String> {
    let words = plain.split(' ');
    words
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

/// Whether a text in the form of [`plain_words`] holds all of these numbers, and there are some.
fn holds(plain: &str, numbers: &[String]) -> bool {
    let holds = |number: &String| plain.split(' ').any(|word| word == number);
    !numbers.is_empty() && numbers.iter().all(holds)
}
