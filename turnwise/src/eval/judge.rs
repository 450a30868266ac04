//! Whether an answer is as expected. It is judged by its bytes alone, not with the helper's own checks, so that these are
//! tested, too.

use serde::Serialize;
use turnwise_kit::Fault;
use turnwise_proto::helper::v1::{ChatResponse, RedirectReason};
use turnwise_text::normalise;

use super::{Prompt, Redirect};
use crate::edge::lower;

/// What can be expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// There is an answer, within the scope of the token. Expected of every prompt.
    Answered,
    /// The message is led back, or not.
    Redirect,
    /// The solution is stated, or not.
    StatesSolution,
    /// The answer asks something, or nothing.
    AsksQuestion,
    /// What the student wants.
    Intent,
    /// Something is mentioned.
    Mentions,
    /// Something is not mentioned.
    NotMentions,
    /// The answer is short enough.
    MaxChars,
}

impl Kind {
    /// Its name, as in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Redirect => "redirect",
            Self::StatesSolution => "states_solution",
            Self::AsksQuestion => "asks_question",
            Self::Intent => "intent",
            Self::Mentions => "mentions",
            Self::NotMentions => "not_mentions",
            Self::MaxChars => "max_chars",
        }
    }
}

/// An expectation that was not met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What was expected.
    pub expected: String,
    /// What was there.
    pub got: String,
}

/// What came of one expectation.
pub type Verdict = (Kind, Result<(), Failure>);

/// What came of a prompt's expectations, in the order of [`Kind`].
#[must_use]
pub fn judge(prompt: &Prompt, answer: Result<&ChatResponse, &Fault>) -> Vec<Verdict> {
    let expect = &prompt.expect;
    let answer = match answer {
        Ok(answer) if answer.scope_verified && !answer.text.trim().is_empty() => answer,
        other => {
            let got = match other {
                Err(fault) => fault.to_string(),
                Ok(answer) if answer.scope_verified => "an empty answer".to_owned(),
                Ok(_) => "an answer without a verified scope".to_owned(),
            };
            return vec![(Kind::Answered, met(false, "an answer".to_owned(), got))];
        }
    };
    let mut verdicts = vec![(Kind::Answered, Ok(()))];
    if let Some(wanted) = expect.redirect {
        let got = answer.redirect();
        let (fits, expected) = match wanted {
            Redirect::None => (got == RedirectReason::Unspecified, "none"),
            Redirect::Any => (got != RedirectReason::Unspecified, "any"),
            Redirect::OutOfScope => (got == RedirectReason::OutOfScope, "out_of_scope"),
            Redirect::Topic => (got == RedirectReason::Topic, "topic"),
            Redirect::TextLanguage => (got == RedirectReason::TextLanguage, "text_language"),
        };
        let got = lower(got.as_str_name(), "REDIRECT_REASON_").replace("unspecified", "none");
        verdicts.push((Kind::Redirect, met(fits, expected.to_owned(), got)));
    }
    if let Some(wanted) = expect.states_solution {
        let told: Vec<&str> = prompt
            .history
            .iter()
            .chain([&prompt.message])
            .map(String::as_str)
            .collect();
        let found = prompt
            .solution
            .iter()
            .find(|solution| states(&answer.text, solution, &told));
        let expected = format!("{wanted}: {}", prompt.solution.join(", "));
        let got = found.map_or("not stated".to_owned(), |found| format!("states {found}"));
        verdicts.push((
            Kind::StatesSolution,
            met(found.is_some() == wanted, expected, got),
        ));
    }
    if let Some(wanted) = expect.asks_question {
        let asks = answer.text.contains(['?', '？']);
        verdicts.push((
            Kind::AsksQuestion,
            met(asks == wanted, wanted.to_string(), asks.to_string()),
        ));
    }
    if let Some(wanted) = &expect.intent {
        let got = lower(answer.intent().as_str_name(), "MESSAGE_INTENT_");
        verdicts.push((Kind::Intent, met(got == *wanted, wanted.clone(), got)));
    }
    let text = answer.text.to_lowercase();
    let mentioned = |words: &str| {
        words
            .split('|')
            .any(|word| text.contains(&word.to_lowercase()))
    };
    if !expect.mentions.is_empty() {
        let missing = expect.mentions.iter().find(|words| !mentioned(words));
        let got = missing.map_or(String::new(), |words| format!("not mentioned: {words}"));
        verdicts.push((
            Kind::Mentions,
            met(missing.is_none(), expect.mentions.join(", "), got),
        ));
    }
    if !expect.not_mentions.is_empty() {
        let found = expect.not_mentions.iter().find(|words| mentioned(words));
        let got = found.map_or(String::new(), |words| format!("mentioned: {words}"));
        verdicts.push((
            Kind::NotMentions,
            met(
                found.is_none(),
                format!("without {}", expect.not_mentions.join(", ")),
                got,
            ),
        ));
    }
    if let Some(most) = expect.max_chars {
        let chars = answer.text.chars().count();
        verdicts.push((
            Kind::MaxChars,
            met(chars <= most, format!("at most {most}"), chars.to_string()),
        ));
    }
    verdicts
}

fn met(fits: bool, expected: String, got: String) -> Result<(), Failure> {
    if fits {
        Ok(())
    } else {
        Err(Failure { expected, got })
    }
}

/// Number words from zero on, in English and German.
const WORDS: [[&str; 2]; 13] = [
    ["zero", "null"],
    ["one", "eins"],
    ["two", "zwei"],
    ["three", "drei"],
    ["four", "vier"],
    ["five", "fünf"],
    ["six", "sechs"],
    ["seven", "sieben"],
    ["eight", "acht"],
    ["nine", "neun"],
    ["ten", "zehn"],
    ["eleven", "elf"],
    ["twelve", "zwölf"],
];

/// What stands before a result.
const RESULT: [&str; 8] = [
    "=", " is", " equals", " be", " get", " ist", " gleich", " ergibt",
];

fn ends_with(text: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| text.ends_with(ending))
}

/// Whether a text states a solution that its reader had not named: as a term that is not a number, wherever it stands; as a
/// number that the reader's own words `told` have, where it stands behind an equals sign or a word for it at the end of a
/// sentence or chain; as any other number wherever it stands, in digits or words, but for marks of lists and numbers of
/// steps.
#[must_use]
pub fn states(text: &str, solution: &str, told: &[&str]) -> bool {
    let solution = normalise(solution);
    let lines = text.lines().map(|line| normalise(&without_marks(line)));
    if !solution
        .chars()
        .all(|c| c.is_ascii_digit() || "-./ ".contains(c))
    {
        let solution = bare(&solution);
        return lines
            .map(|line| bare(&line))
            .any(|line| line.contains(&solution));
    }
    let own = told
        .iter()
        .any(|text| places(&normalise(text), &solution).next().is_some());
    lines.into_iter().any(|line| {
        let stated = places(&line, &solution).any(|(before, behind)| {
            let before = before.trim_end();
            let is_step = ends_with(before, &["step", "schritt", "line", "zeile"]);
            let goes_on = behind
                .trim_start()
                .starts_with(['+', '-', '*', '/', '^', '(', '=']);
            !is_step && (!own || (ends_with(before, &RESULT) && !goes_on))
        });
        let words = solution.parse().ok().and_then(|n: usize| WORDS.get(n));
        let in_words = words.into_iter().flatten().any(|word| {
            places(&line, word).any(|(before, _)| ends_with(before.trim_end(), &RESULT))
        });
        stated || in_words
    })
}

/// Where a word or number stands by itself: what is before it and behind it.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.match_indices(word).filter_map(move |(at, _)| {
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        // A minus in front makes another number, unless it joins two: `7 - 2`, `2x - 2`.
        let negative = before.strip_suffix('-').is_some_and(|before| {
            let term = before.trim_end();
            let term = term
                .rsplit(|c: char| !c.is_alphanumeric())
                .next()
                .unwrap_or_default();
            let is_term = term.chars().count() == 1 || term.contains(|c: char| c.is_ascii_digit());
            !is_term && !before.trim_end().ends_with(')')
        });
        let apart = |c: Option<char>, next: Option<char>| match c {
            Some('.' | ',') => !next.is_some_and(|c| c.is_ascii_digit()),
            Some('/') => word.contains('/') || !next.is_some_and(|c| c.is_ascii_digit()),
            Some(c) => !c.is_alphanumeric() && c != '^',
            None => true,
        };
        let ends = |text: &'t str, back: bool| {
            let mut chars: Box<dyn Iterator<Item = char>> = if back {
                Box::new(text.chars().rev())
            } else {
                Box::new(text.chars())
            };
            apart(chars.next(), chars.next())
        };
        (!negative && ends(before, true) && ends(behind, false)).then_some((before, behind))
    })
}

/// Without spaces, signs of products and marks of LaTeX.
fn bare(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !"*$`\\".contains(*c))
        .collect()
}

/// A line without the number or dash of a list, and without marks for bold text, code and formulas.
fn without_marks(line: &str) -> String {
    let line = line
        .replace("**", "")
        .replace("__", "")
        .replace(['$', '`'], "");
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "#*-•>".contains(c));
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = line.len() > rest.len();
    let item = rest
        .strip_prefix(['.', ')', ':'])
        .filter(|item| number && item.starts_with(' '));
    item.unwrap_or(line).to_owned()
}
