//! Course text that was found for a message, and whether it answers it.

use std::collections::BTreeSet;

use turnwise_decisions as decisions;
use turnwise_proto::policy::v1::Passage;
use turnwise_text::{Analyser, Analysis};

use super::{guard, read};
use crate::error::PolicyError;

/// The most characters of a piece of course text.
const MOST_CHARS: usize = 20_000;

/// So many of a message's terms an answer has at the least.
const LEAST_TERMS: usize = 2;

/// Refuses texts that no course has.
pub(super) fn check(field: &str, passage: &Passage) -> Result<(), PolicyError> {
    read::bounded(&format!("{field}.text"), &passage.text, MOST_CHARS)?;
    let section = format!("{field}.section");
    read::bounded(&section, &passage.section, guard::MOST_CHARS)
}

/// A piece of course text as the reply quotes it; `None` without one.
pub(super) fn of<'a>(
    passage: &'a Passage,
    answers: &'a dyn Fn() -> bool,
) -> Option<decisions::Passage<'a>> {
    (!passage.text.is_empty()).then_some(decisions::Passage {
        section: &passage.section,
        text: &passage.text,
        answers,
    })
}

/// Whether a piece of course text has half of the terms that say what a message is about, and two at the least; of a unit
/// that was chosen (`is_chosen`), one is enough. Its unit's title has a say, but does not answer alone.
pub(super) fn is_about(
    locale: &str,
    passage: &Passage,
    message: &str,
    is_chosen: bool,
    title: &str,
) -> bool {
    let analyser = Analyser::new(locale);
    let asked = telling(&analyser, message);
    let mut held = telling(&analyser, &passage.text);
    held.extend(telling(&analyser, &passage.section));
    let own = asked.intersection(&held).count();
    held.extend(telling(&analyser, title));
    let shared = asked.intersection(&held).count();
    own > 0 && (is_chosen || shared >= LEAST_TERMS && shared * 2 >= asked.len())
}

fn telling(analyser: &Analyser, text: &str) -> BTreeSet<String> {
    let Analysis { terms, telling } = analyser.analyse(text);
    let terms = terms.into_iter().zip(telling);
    let telling = terms.filter(|(_, tells)| *tells);
    telling.map(|(term, _)| term.text).collect()
}
