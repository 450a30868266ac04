//! Whether a reply holds an exam question: its words in any spelling, or its expression in any order.

use std::collections::HashSet;

use turnwise_fingerprint::{Letters, RunSet, Words, expression, phrase, runs, verbatim};
use turnwise_grading::exercise_traits;

/// The letters of a passage that is no longer what questions on a subject have in common.
const PASSAGE: usize = 30;

/// Exam questions, as hashes.
#[derive(Debug, Clone, Default)]
pub struct ExamQuestions {
    runs: RunSet,
    expressions: HashSet<u64>,
    names: RunSet,
    /// Runs of the course's texts that are no exam's.
    common: HashSet<u64>,
}

/// One question as hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuestionHashes {
    /// Its runs of letters, but for those that other texts of the course have, too.
    pub runs: Vec<u64>,
    /// Its expressions.
    pub expressions: Vec<u64>,
}

/// A question as it is told to the guard.
#[derive(Debug, Clone, Copy)]
pub struct ExamText<'a> {
    /// What names it.
    pub id: &'a str,
    /// What to do.
    pub prompt: &'a str,
    /// The formula; may be empty.
    pub question_latex: &'a str,
}

impl ExamQuestions {
    /// Hashes of these questions. `common`: texts of the same course that are no exam's, whose wording anybody may use.
    #[must_use]
    pub fn new<'a>(
        questions: impl IntoIterator<Item = ExamText<'a>>,
        common: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut made = Self {
            common: common.into_iter().flat_map(runs).collect(),
            ..Self::default()
        };
        let mut found = Vec::new();
        let mut names = Vec::new();
        for question in questions {
            let hashes = made.hashes(question.prompt, question.question_latex);
            found.extend(hashes.runs);
            made.expressions.extend(hashes.expressions);
            names.extend(phrase(question.id));
        }
        made.names = RunSet::new(names);
        made.runs = RunSet::new(found);
        made
    }

    /// The hashes of a question of the same course: the same for one of the catalogue and for one that an exam system words.
    #[must_use]
    pub fn hashes(&self, prompt: &str, question_latex: &str) -> QuestionHashes {
        let mut found = runs(prompt);
        found.retain(|run| !self.common.contains(run));
        QuestionHashes {
            runs: found,
            expressions: expressions(prompt, question_latex),
        }
    }

    /// Questions whose hashes are known, from [`Self::hashes`].
    #[must_use]
    pub fn of_hashes(runs: Vec<u64>, expressions: impl IntoIterator<Item = u64>) -> Self {
        Self {
            runs: RunSet::new(runs),
            expressions: expressions.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The runs that a text holds, and whether they are a question's words.
    pub(crate) fn words(&self, letters: &Letters) -> (Vec<u64>, bool) {
        let found = self.runs.find(letters);
        (found.runs, found.longest >= PASSAGE)
    }

    /// Whether a text names a question.
    pub(crate) fn is_named(&self, letters: &Letters) -> bool {
        !self.names.is_empty()
            && Words::of(letters)
                .phrases()
                .any(|name| self.names.contains(name))
    }

    /// The expressions of an exercise that are a question's.
    #[must_use]
    pub fn expressions_in(&self, prompt: &str, question_latex: &str) -> Vec<u64> {
        if self.expressions.is_empty() {
            return Vec::new();
        }
        let mut found = expressions(prompt, question_latex);
        found.retain(|hash| self.expressions.contains(hash));
        found
    }

    /// Whether an exercise is one of the questions.
    #[must_use]
    pub fn is_exercise(&self, prompt: &str, question_latex: &str) -> bool {
        !self.expressions_in(prompt, question_latex).is_empty()
            || self.words(&Letters::of(prompt)).1
    }
}

/// The hashes that tell an exercise from others, in order: those of its formula and of the formulas in its words, with their
/// parts in any order, and those of what counting exercises goes by, so that another name of the unknown, sides that are
/// swapped, zeros and ones make no other exercise.
#[must_use]
pub fn expressions(prompt: &str, question_latex: &str) -> Vec<u64> {
    let traits = exercise_traits(prompt, question_latex);
    let mut found: Vec<u64> = [question_latex]
        .into_iter()
        .chain(formulas(prompt))
        .filter_map(expression)
        .chain(traits.iter().map(|text| verbatim(text)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The formulas of a text: between dollars, and rows of signs and values.
pub(crate) fn formulas(text: &str) -> impl Iterator<Item = &str> {
    let marked = text.split('$').skip(1).step_by(2);
    let bare = text.split(|c: char| c.is_alphabetic() && !c.is_ascii() || c == '$' || c == '\n');
    let bare = bare.flat_map(|part| {
        // A word of two letters and more ends a formula.
        let mut pieces = Vec::new();
        let mut start = 0;
        let mut at = 0;
        for word in part.split_inclusive(|c: char| c.is_whitespace()) {
            let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
            let wordy = letters > 1
                && !word
                    .bytes()
                    .any(|b| b.is_ascii_digit() || b == b'\\' || b == b'=');
            if wordy {
                pieces.push(&part[start..at]);
                start = at + word.len();
            }
            at += word.len();
        }
        pieces.push(&part[start..]);
        pieces
    });
    marked.chain(bare)
}
