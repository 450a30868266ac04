//! Course text that was found for a message: which of it fits best, and whether that answers it.

use std::{cmp::Reverse, collections::BTreeSet};

use turnwise_decisions::{
    self as decisions,
    teaching::{Choice, Found},
};
use turnwise_proto::policy::v1::Passage;
use turnwise_text::{Analyser, Analysis, Term, TermKind};

use super::{guard, read};
use crate::error::PolicyError;

/// The most characters of a piece of course text.
const MOST_CHARS: usize = 20_000;
/// The most pieces that were found on a unit.
const MOST_PASSAGES: usize = 16;

/// So many of a message's terms an answer has at the least.
const LEAST_TERMS: usize = 2;
/// So many sentences of a text say what it is about.
const FIRST_SENTENCES: usize = 2;
/// So many the text has that was found first, of a long message.
const LEAST_TERMS_OF_LONG: usize = 3;

/// The course texts that were found on a unit, the best first; refuses texts that no course has.
pub(super) fn read(
    field: &str,
    first: Option<Passage>,
    more: Vec<Passage>,
) -> Result<Vec<Passage>, PolicyError> {
    let mut passages: Vec<Passage> = first.into_iter().chain(more).collect();
    if passages.len() > MOST_PASSAGES {
        let problem = format!("must be at most {MOST_PASSAGES} texts");
        return Err(PolicyError::invalid(field, problem));
    }
    for passage in &passages {
        read::bounded(&format!("{field}.text"), &passage.text, MOST_CHARS)?;
        let section = format!("{field}.section");
        read::bounded(&section, &passage.section, guard::MOST_CHARS)?;
    }
    passages.retain(|passage| !passage.text.is_empty());
    Ok(passages)
}

/// Pieces of course text as a reply quotes them.
pub(super) fn found(passages: &[Passage]) -> Vec<Found<'_>> {
    let found = passages.iter().map(|passage| Found {
        section: &passage.section,
        text: &passage.text,
    });
    found.collect()
}

/// The same with the choice among them; `None` without any.
pub(super) fn of<'a>(
    found: &'a [Found<'a>],
    choice: &'a dyn Fn() -> Choice,
) -> Option<decisions::Passage<'a>> {
    (!found.is_empty()).then_some(decisions::Passage { found, choice })
}

/// Operations and signs as students say them, and as lessons do, in the catalogue's languages.
static SAID: [(&str, &str); 6] = [
    ("times", "multiplying"),
    ("minus", "negative"),
    ("plus", "positive"),
    ("mal", "malnehmen"),
    ("minus", "negativ"),
    ("plus", "positiv"),
];

/// What course text is chosen by.
pub(super) struct Wanted<'a> {
    /// The course's language.
    pub(super) locale: &'a str,
    /// What the student wrote.
    pub(super) message: &'a str,
    /// Whether that asks for a reason.
    pub(super) is_why: bool,
    /// Whether its unit was chosen by the student.
    pub(super) is_chosen: bool,
    /// The title of the unit that the text is on.
    pub(super) title: &'a str,
}

impl Wanted<'_> {
    /// Of the texts that were found on a unit, the best first, the one with most of the terms that say what the message is
    /// about; one that answers comes before all others. The unit's title is true of all its texts, so a text has those terms
    /// only where they stand in it. Of two with as many, the one with more that the title has not, then the one whose heading
    /// has more of them, then an explanation if a reason is asked for. A message with one such term asks what that is: a text answers whose heading has it, or that explains and
    /// begins with it, and where the
    /// unit's title has it one that has it, too, or explains.
    pub(super) fn choice(&self, passages: &[Passage]) -> Choice {
        let analyser = Analyser::new(self.locale);
        let asked = Terms::of(&analyser, &self.asked());
        let title = Terms::of(&analyser, self.title);
        let is_only = asked.telling.len() == 1;
        let is_of_title = is_only && asked.telling.is_subset(&title.telling);
        let fits = passages.iter().enumerate().map(|(at, passage)| {
            let held = Terms::of(&analyser, &format!("{}\n{}", passage.section, passage.text));
            let own = asked.telling.intersection(&held.telling).count();
            let of_title = asked.telling.intersection(&title.telling);
            let of_title = of_title.filter(|term| !held.telling.contains(*term));
            let shared = own + of_title.count();
            let heading = analyser.analyse(&passage.section).terms;
            let is_asked = |term: &&Term| asked.telling.contains(&term.text);
            let leads = is_only && heading.first().as_ref().is_some_and(is_asked);
            let in_heading = heading.iter().filter(is_asked).count();
            let is_headed = is_only && in_heading > 0;
            let answers = own > 0 && self.is_enough(at, shared, asked.telling.len())
                || at == 0 && asked.has_formulas_in(&held)
                || is_headed
                || is_only && passage.explains && defines(&analyser, &passage.text, &asked)
                || is_of_title && (own > 0 || passage.explains);
            let explains = (self.is_why || is_only) && passage.explains;
            let fit = (
                answers,
                own,
                shared,
                in_heading,
                explains,
                leads,
                Reverse(at),
            );
            (fit, Choice { at, answers })
        });
        let best = fits.max_by_key(|(fit, _)| *fit);
        best.map_or_else(Choice::default, |(_, choice)| choice)
    }

    /// The message, in a lesson's words where a reason is asked for: `minus times minus`.
    fn asked(&self) -> String {
        if !self.is_why {
            return self.message.to_owned();
        }
        let said = if self.locale.starts_with("de") {
            &SAID[3..]
        } else {
            &SAID[..3]
        };
        let words = self.message.split_whitespace().map(|word| {
            let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
            let meant = said
                .iter()
                .find(|(spoken, _)| plain.eq_ignore_ascii_case(spoken));
            meant.map_or(word, |(_, meant)| *meant)
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Whether a text with so many of a message's terms answers it: half of them, and two at the least; of a unit that was
    /// chosen, one. A long message has words beside its topic, so a third will do in the text that was found first.
    fn is_enough(&self, at: usize, shared: usize, asked: usize) -> bool {
        self.is_chosen
            || shared >= LEAST_TERMS && shared * 2 >= asked
            || at == 0 && shared >= LEAST_TERMS_OF_LONG && shared * 3 >= asked
    }
}

/// The places of those misconceptions that have something in common with a message, alone or in what is asked about them: the
/// nearest first, of equals the first.
pub(super) fn nearest_misconceptions(
    locale: &str,
    (misconceptions, questions): (&[String], &[String]),
    message: &str,
) -> Vec<usize> {
    let analyser = Analyser::new(locale);
    let asked = Terms::of(&analyser, message);
    let shared = misconceptions.iter().enumerate().map(|(at, idea)| {
        let question = questions.get(at).map_or("", String::as_str);
        let held = Terms::of(&analyser, &format!("{idea}\n{question}"));
        let words = asked.telling.intersection(&held.telling).count();
        (
            words + asked.formulas.intersection(&held.formulas).count(),
            at,
        )
    });
    let mut near: Vec<_> = shared.filter(|(shared, _)| *shared > 0).collect();
    near.sort_by_key(|(shared, at)| (Reverse(*shared), *at));
    near.into_iter().map(|(_, at)| at).collect()
}

/// Whether a text begins with what is asked about: its first sentences have it.
fn defines(analyser: &Analyser, text: &str, asked: &Terms) -> bool {
    let begins: String = text.split_inclusive(". ").take(FIRST_SENTENCES).collect();
    let begins = Terms::of(analyser, &begins);
    asked.telling.is_subset(&begins.telling)
}

/// The terms of a text.
#[derive(Default)]
struct Terms {
    /// Those that say what it is about.
    telling: BTreeSet<String>,
    /// Those of its formulas.
    formulas: BTreeSet<String>,
    /// Whether a formula of it is more than a number or a letter, and none is an equation.
    has_formula: bool,
}

impl Terms {
    fn of(analyser: &Analyser, text: &str) -> Self {
        let Analysis { terms, telling } = analyser.analyse(text);
        let mut all = Self::default();
        let (mut has_shape, mut has_equation) = (false, false);
        for (term, tells) in terms.into_iter().zip(telling) {
            if term.kind != TermKind::Word {
                has_shape |= term.kind == TermKind::Shape;
                has_equation |= term.text.contains('=');
                all.formulas.insert(term.text.clone());
            }
            if tells {
                all.telling.insert(term.text);
            }
        }
        all.has_formula = has_shape && !has_equation;
        all
    }

    /// Whether a text has all that stands in this one's formulas: `x^0` tells nothing by its shape alone.
    fn has_formulas_in(&self, held: &Self) -> bool {
        self.has_formula && self.formulas.is_subset(&held.formulas)
    }
}
