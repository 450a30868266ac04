//! Whether the words around a number make it the answer, count something with it, ask for it or use it.

use crate::formula::Part;

/// Words before a number that only counts something.
const COUNTERS: [&str; 16] = [
    "step", "steps", "schritt", "line", "zeile", "part", "teil", "exercise", "aufgabe", "question",
    "frage", "number", "nummer", "hint", "tipp", "unit",
];
/// Words behind a number that counts them.
#[rustfmt::skip]
const COUNTED: [&str; 41] = [
    "points", "punkte", "punkten", "numbers", "sides", "steps", "terms", "factors", "ways", "cases", "brackets", "parts", "equations", "things", "fractions",
    "lines", "examples", "solutions", "unknowns", "questions", "more", "other", "different", "same", "times",
    "zahlen", "seiten", "schritte", "schritten", "terme", "faktoren", "klammern", "fälle", "teile", "gleichungen", "brüche",
    "zeilen", "beispiele", "lösungen", "fragen", "weitere",
];
/// Words before a number that is the answer whatever else it is.
#[rustfmt::skip]
const TELLS: [&str; 44] = [
    "answer", "result", "solution", "equals", "gives", "makes", "write", "type", "antwort", "lösung", "ergebnis",
    "ergibt", "schreib", "schreibe", "tippe", "resultat", "root", "get", "gets", "unknown", "therefore", "hence",
    "somit", "folglich", "end", "ends", "ending", "endest", "endet", "setz", "setze", "plug", "substitute", "insert",
    "try", "probier", "probiere", "set", "put", "enter", "print", "kommt", "comes", "amounts",
];
/// Words behind a number that is the answer.
const TELLS_AFTER: [&str; 14] = [
    "answer", "result", "solution", "antwort", "lösung", "ergebnis", "resultat", "works", "fits",
    "stimmt", "passt", "root", "heraus", "raus",
];
/// Words beside a number that is used and not stated.
#[rustfmt::skip]
const USES: [&str; 49] = [
    "by", "from", "subtract", "subtracting", "add", "adding", "divide", "multiply", "times", "take", "taking", "minus", "plus",
    "of", "the", "this", "that", "and", "to", "than", "into", "undo", "undoes", "both", "factor", "coefficient",
    "denominator", "numerator", "constant", "durch", "von", "um", "ab", "zu", "addiere", "subtrahiere", "ziehe",
    "teile", "dividiere", "multipliziere", "die", "der", "diese", "und", "mal", "nenner", "zähler", "faktor", "ein",
];
#[rustfmt::skip]
const USES_AFTER: [&str; 14] = [
    "times", "from", "to", "and", "mal", "von", "und", "plus", "minus", "away", "ab", "abziehen",
    "addieren", "dazu",
];
const MULTIPLIES: [&str; 5] = ["multipl", "erweiter", "kürz", "mal", "replac"];
/// How many words before a number may make it the answer, and how many behind it.
const NEAR: (usize, usize) = (4, 4);

fn ends_sentence(part: &Part) -> bool {
    matches!(part, Part::Stop('.' | '?' | '!' | ';' | '\n' | '…'))
}

fn has_word(part: &Part, words: &[&str]) -> bool {
    matches!(part, Part::Word(word) if words.contains(&word.as_str()))
}

/// Whether the words around a number say that it is the answer.
pub(crate) fn is_told(parts: &[Part], at: usize) -> bool {
    let (before, after) = (&parts[..at], &parts[at + 1..]);
    let before = before.iter().rev().take_while(|part| !ends_sentence(part));
    let after = after.iter().take_while(|part| !ends_sentence(part));
    before.take(NEAR.0).any(|part| has_word(part, &TELLS))
        || after.take(NEAR.1).any(|part| has_word(part, &TELLS_AFTER))
}

pub(crate) fn counts(parts: &[Part], at: usize) -> bool {
    let counted = parts
        .get(at + 1)
        .is_some_and(|part| has_word(part, &COUNTED));
    counted || (at > 0 && has_word(&parts[at - 1], &COUNTERS))
}

/// Whether what stands here is what a sentence asks for: `What is 8/2?`
pub(crate) fn is_asked(parts: &[Part], at: usize) -> bool {
    const ASKS: [&str; 10] = [
        "what",
        "what's",
        "whats",
        "much",
        "was",
        "viel",
        "calculate",
        "berechne",
        "compute",
        "rechne",
    ];
    let before = parts[..at].iter().rev().take(2);
    parts.get(at + 1) == Some(&Part::Stop('?'))
        && before.into_iter().any(|part| has_word(part, &ASKS))
}

/// Whether a number is used and not stated: `divide by 3`.
pub(crate) fn is_operand(parts: &[Part], at: usize) -> bool {
    let next = parts.get(at + 1);
    let before = at.checked_sub(1).and_then(|at| parts.get(at));
    // `mit 3 multiplizieren`, and not `Wie wäre es mit 3?`
    let multiplies = || {
        parts.iter().any(|part| {
            matches!(part, Part::Word(word) if MULTIPLIES.iter().any(|stem| word.starts_with(stem)))
        })
    };
    before.is_some_and(|part| {
        has_word(part, &USES) || (has_word(part, &["with", "mit"]) && multiplies())
    }) || next.is_some_and(|part| has_word(part, &USES_AFTER))
}
