//! Texts as counted and weighted terms.

use std::collections::BTreeMap;

use turnwise_text::{Analyser, Analysis, Term, TermKind};

use crate::{turn::Reading, vocabulary::TermId};

/// How much a term of a query counts. A number or a letter of a formula agrees by chance more often than a word does, and
/// a scrap of a formula more often still. Round figures, chosen on the development queries.
pub(crate) fn weight(kind: TermKind) -> f64 {
    match kind {
        TermKind::Word => 1.0,
        TermKind::Number | TermKind::Variable => 0.5,
        TermKind::Shape => 0.3,
    }
}

/// Numbers of so many digits and more are of one kind.
const MOST_DIGITS: usize = 7;
/// Numbers of so few digits are everywhere.
const FEW_DIGITS: usize = 2;

/// The stems of small numbers in words: `x = four` says no more than `x = 4`.
const NUMERALS: [&str; 24] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelv", "eins", "zwei", "drei", "vier", "funf", "sech", "sieb", "acht", "neun", "zehn", "elf",
    "zwolf",
];

/// The terms of a text, and for each number what kind of number it is: `§d` a decimal, `§n3` a whole number of three
/// digits. Students answer with a bare number more often than with a word, and a course of decimals holds decimals. Numbers
/// of one and two digits may not say what a text is about, the rarer kinds may.
pub(crate) fn analyse(analyser: &Analyser, text: &str) -> Analysis {
    let mut analysis = analyser.analyse(text);
    for at in 0..analysis.terms.len() {
        let term = &analysis.terms[at];
        analysis.telling[at] &= !NUMERALS.contains(&term.text.as_str());
        if term.kind != TermKind::Number {
            continue;
        }
        let is_decimal = term.text.contains('.');
        let digits = term.text.len();
        analysis.terms.push(Term {
            kind: TermKind::Shape,
            text: if is_decimal {
                "§d".to_owned()
            } else {
                format!("§n{}", digits.min(MOST_DIGITS))
            },
        });
        analysis.telling.push(is_decimal || digits > FEW_DIGITS);
    }
    analysis
}

/// How often each term occurs, by term.
pub(crate) fn counts(analysis: &Analysis) -> BTreeMap<&Term, u32> {
    let mut counts = BTreeMap::new();
    for term in &analysis.terms {
        *counts.entry(term).or_default() += 1;
    }
    counts
}

/// A term of a text.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) term: Term,
    /// Its number, where the course holds it.
    id: Option<TermId>,
    /// How much it tells about units, 0 to 1.
    pub(crate) topicality: f64,
    /// How much it counts for being said so often. A word said twice means more, but not twice as much.
    often: f64,
}

impl Counted {
    /// The terms of a text, each once, ascending. `known` gives a term's number and its topicality.
    pub(crate) fn all(
        analysis: &Analysis,
        known: impl Fn(&Term) -> (Option<TermId>, f64),
    ) -> Vec<Self> {
        let counts = counts(analysis).into_iter();
        let counted = counts.map(|(term, times)| {
            let (id, topicality) = known(term);
            Self {
                term: term.clone(),
                id,
                topicality,
                often: 1.0 + f64::from(times).ln(),
            }
        });
        counted.collect()
    }
}

/// The terms of several texts together, each text with its own weight: how much each counts, and what is known of it. By
/// term, so that sums have one order.
pub(crate) fn weighted<'a>(
    texts: impl IntoIterator<Item = (f64, &'a Reading)>,
) -> BTreeMap<&'a Term, (f64, &'a Counted)> {
    let mut terms: BTreeMap<&Term, (f64, &Counted)> = BTreeMap::new();
    for (text_weight, text) in texts {
        for counted in &text.counted {
            let term = &counted.term;
            let (sum, _) = terms.entry(term).or_insert((0.0, counted));
            *sum += text_weight * weight(term.kind) * counted.often;
        }
    }
    terms
}

/// Terms of a course with their weights, and how much weight fell on terms that the course does not hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct WeightedTerms {
    /// Terms that the course holds, ascending.
    pub(crate) terms: Vec<(TermId, f64)>,
    /// The weight of all other terms.
    pub(crate) unknown: f64,
}

impl WeightedTerms {
    /// The terms as a course numbers them.
    pub(crate) fn of(weighted: &BTreeMap<&Term, (f64, &Counted)>) -> Self {
        let mut terms = Self::default();
        for (weight, counted) in weighted.values() {
            match counted.id {
                Some(id) => terms.terms.push((id, *weight)),
                None => terms.unknown += weight,
            }
        }
        terms.terms.sort_unstable_by_key(|(term, _)| *term);
        terms
    }
}
