//! Phrases that are an answer, such as "no solution".

use super::Phrase;
use crate::notation::Sign;

/// Phrases in lower case, by what they say.
#[rustfmt::skip]
const PHRASES: &[(Phrase, &[&str])] = &[
    (Phrase::Nothing, &[
        "dne", "does not exist", "no solution", "no solutions", "no real solution", "no real solutions", "no real root",
        "no real roots", "none", "the empty set", "an empty set", "empty set", "there is no solution",
        "there are no solutions", "there's no solution", "it has no solution", "it has no solutions", "has no solution",
        "has no solutions", "there is no real solution", "there are no real solutions", "it has no real solution",
        "it has no real solutions", "no value", "no number", "no such number", "there is no such number", "no x",
        "keine lösung", "keine lösungen", "keine loesung", "keine reelle lösung", "keine reellen lösungen", "unlösbar",
        "nicht lösbar", "leere menge", "die leere menge", "keine zahl", "nie", "never true", "unsolvable", "not solvable", "impossible", "not possible", "no solution exists", "there is none", "there isn't one",
        "there isn't a solution", "nothing works", "no solutions exist", "can't be solved", "cannot be solved", "it doesn't exist", "doesn't exist", "no roots", "unmöglich", "kein x",
        "es gibt keine lösung",
    ]),
    (Phrase::Everything, &[
        "all real numbers", "all reals", "any real number", "every real number", "all numbers", "any number", "every number",
        "x can be any real number", "x can be any number", "x can be anything", "can be any number", "every x", "any x",
        "all x", "for all x", "for every x", "true for all x", "true for every x", "true for all numbers", "always true",
        "it's always true", "it is always true", "is always true", "all values", "any value", "everything", "anything", "any real", "every real", "all real", "every value works", "every value", "all real x",
        "alle zahlen", "alle reellen zahlen", "jede zahl", "jede reelle zahl", "jedes x", "alle x", "für alle x",
        "gilt für alle x", "x kann jede zahl sein", "immer wahr", "ist immer wahr", "gilt immer", "stimmt immer",
    ]),
    (Phrase::Infinite, &[
        "infinitely many solutions", "infinitely many", "infinite solutions", "infinite number of solutions",
        "infinite many solutions", "an infinite number of solutions", "there are infinitely many solutions",
        "it has infinitely many solutions", "unendlich viele lösungen", "unendlich viele", "unendlich lösungen",
    ]),
    (Phrase::NotReal, &[
        "not a real number", "not real", "no real number", "is not a real number", "complex", "keine reelle zahl",
    ]),
    (Phrase::Undefined, &[
        "undefined", "not defined", "it is undefined", "it's undefined", "nicht definiert", "undefiniert",
    ]),
    (Phrase::Prime, &[
        "prime", "it is prime", "it's prime", "not factorable", "cannot be factored", "not factorisable", "can't be factored",
        "irreducible", "nicht faktorisierbar",
    ]),
    (Phrase::Yes, &["yes", "true", "ja", "wahr"]),
    (Phrase::No, &["no", "false", "nein"]),
    (Phrase::Comparison(Sign::Less), &["less than", "is less than", "less", "smaller than", "kleiner", "kleiner als", "ist kleiner als"]),
    (Phrase::Comparison(Sign::Greater), &["greater than", "is greater than", "greater", "more than", "bigger than", "größer", "größer als", "ist größer als"]),
    (Phrase::Comparison(Sign::Equal), &["equal", "equals", "equal to", "is equal to", "gleich", "ist gleich"]),
];

/// Longer texts are no phrases.
const MAX_CHARACTERS: usize = 60;

/// A phrase, read by its words alone.
pub(crate) fn phrase(text: &str) -> Option<Phrase> {
    // Digits or signs of a formula mean that it is more than a phrase.
    if text.chars().count() > MAX_CHARACTERS
        || text
            .chars()
            .any(|character| character.is_numeric() || "=<>+*/^|≤≥≠±∞".contains(character))
    {
        return None;
    }
    let words = text
        .replace("\\text", " ")
        .replace('’', "'")
        .split(|character: char| !character.is_alphabetic() && character != '\'')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    PHRASES
        .iter()
        .find(|(_, phrases)| phrases.contains(&words.as_str()))
        .map(|(phrase, _)| *phrase)
}
