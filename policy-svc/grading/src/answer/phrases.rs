//! Phrases that are an answer, such as "no solution".

use super::Phrase;
use crate::notation::Sign;

/// A phrase, read by its words alone.
pub(crate) fn phrase(text: &str) -> Option<Phrase> {
    if text.chars().count() > 60 {
        return None;
    }
    let words: Vec<String> = text
        .replace("\\text", " ")
        .split(|character: char| {
            !character.is_alphabetic() && character != '\'' && character != '’'
        })
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    // Digits or signs of a formula mean that it is more than a phrase.
    if text
        .chars()
        .any(|character| character.is_numeric() || "=<>+*/^|≤≥≠±∞".contains(character))
    {
        return None;
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Some(match words.as_slice() {
        ["dne"]
        | ["does", "not", "exist"]
        | ["no", "solution" | "solutions"]
        | ["no", "real", "solution" | "solutions" | "root" | "roots"]
        | ["none"]
        | ["the" | "an", "empty", "set"]
        | ["empty", "set"]
        | [
            "there" | "it",
            "is" | "are" | "has",
            "no",
            "solution" | "solutions",
        ]
        | [
            "there" | "it",
            "is" | "are" | "has",
            "no",
            "real",
            "solution" | "solutions",
        ] => Phrase::Nothing,
        ["all", "real", "numbers"]
        | ["all", "reals"]
        | ["any", "real", "number"]
        | ["every", "real", "number"]
        | ["all", "numbers"]
        | ["x", "can", "be", "any", "real", "number"] => Phrase::Everything,
        ["infinitely", "many", "solutions"]
        | ["infinitely", "many"]
        | ["infinite", "solutions"]
        | ["infinite", "number", "of", "solutions"]
        | ["infinite", "many", "solutions"] => Phrase::Infinite,
        ["not", "a", "real", "number"]
        | ["not", "real"]
        | ["no", "real", "number"]
        | ["is", "not", "a", "real", "number"]
        | ["complex"] => Phrase::NotReal,
        ["undefined"] | ["not", "defined"] | ["it", "is", "undefined"] => Phrase::Undefined,
        ["prime"]
        | ["it", "is", "prime"]
        | ["not", "factorable"]
        | ["cannot", "be", "factored"]
        | ["not", "factorisable"]
        | ["can't", "be", "factored"]
        | ["irreducible"] => Phrase::Prime,
        ["yes"] | ["true"] => Phrase::Yes,
        ["no"] | ["false"] => Phrase::No,
        ["less", "than"] | ["is", "less", "than"] => Phrase::Comparison(Sign::Less),
        ["greater", "than"] | ["is", "greater", "than"] => Phrase::Comparison(Sign::Greater),
        ["equal"] | ["equals"] | ["equal", "to"] => Phrase::Comparison(Sign::Equal),
        _ => return None,
    })
}
