//! Whether digits are part of an expression: what stands beside them decides.

use std::ops::Range;

use super::is_glued;
use crate::text::{Text, is_blank};

/// Words after which digits are an exercise.
const MATHS_WORDS: [&str; 30] = [
    "add",
    "answer",
    "calculate",
    "compute",
    "cos",
    "difference",
    "divide",
    "equal",
    "equals",
    "evaluate",
    "expression",
    "factor",
    "log",
    "minus",
    "multiply",
    "plus",
    "product",
    "quotient",
    "round",
    "simplify",
    "sin",
    "solution",
    "solve",
    "sqrt",
    "subtract",
    "sum",
    "tan",
    "times",
    "total",
    "x",
];

/// Words after which an "of" leads to an operand.
const MATHS_NOUNS: [&str; 12] = [
    "sum",
    "product",
    "difference",
    "quotient",
    "value",
    "root",
    "square",
    "multiple",
    "multiples",
    "factor",
    "factors",
    "logarithm",
];

/// Whether what stands before or after a range of digits makes it part of an expression or of a longer number.
pub fn reads_as_expression(text: &Text, range: &Range<usize>) -> bool {
    operator_before(text, range.start) || operator_after(text, range.end)
}

fn operator_before(text: &Text, start: usize) -> bool {
    let near = text.before(start);
    if is_glued(near)
        || near.is_some_and(|c| is_sign(c) || "^\\{$\u{20ac}\u{a3}\u{a5}%-".contains(c))
    {
        return true;
    }
    let is_digit_at = |place: usize| text.before(place).is_some_and(|c| c.is_ascii_digit());
    if matches!(near, Some('.' | ',' | ':')) && (is_digit_at(start - 1) || near == Some('.')) {
        return true;
    }
    let place = text.skip_back(start, is_blank);
    match text.before(place) {
        // A dash between words, or one that begins a line, is no operator.
        Some('-') => !is_dash(text, place - 1, false),
        Some('(') => {
            let outer = text.skip_back(place - 1, is_blank);
            let beside = text.before(outer);
            is_glued(beside) && outer == place - 1
                || beside.is_some_and(|c| is_sign(c) || c == '-' || c == '^' || c.is_ascii_digit())
                || is_command_before(text, outer)
        }
        Some(c) if is_sign(c) => true,
        _ => is_command_before(text, place) || is_maths_before(text, place),
    }
}

/// Whether a command of LaTeX ends at a place, such as `\cdot`.
fn is_command_before(text: &Text, place: usize) -> bool {
    text.word_ending_at(place)
        .is_some_and(|index| text.before(text.words()[index].range.start) == Some('\\'))
}

/// Whether the word before a place makes what follows an exercise or an operand.
pub fn is_maths_before(text: &Text, place: usize) -> bool {
    let Some(index) = text.word_ending_at(text.skip_back(place, is_blank)) else {
        return false;
    };
    let word = text.lower(Some(index));
    let before = text.lower(text.word_before(index));
    MATHS_WORDS.contains(&word)
        || matches!(word, "is" | "s") && before == "what"
        || word == "of" && MATHS_NOUNS.contains(&before)
}

/// Whether an operator, a unit or more of the number stands after a place.
pub fn operator_after(text: &Text, end: usize) -> bool {
    let near = text.at(end);
    if is_glued(near) || near.is_some_and(|c| is_sign(c) || "^\\{%\u{b0}-".contains(c)) {
        return true;
    }
    let digit_next = text.at(end + 1).is_some_and(|c| c.is_ascii_digit());
    if matches!(near, Some('.' | ',' | ':')) && digit_next {
        return true;
    }
    let place = text.skip(end, is_blank);
    match text.at(place) {
        Some('-') => !is_dash(text, place, true),
        Some(')') => {
            let outer = text.skip(place + 1, is_blank);
            let beside = text.at(outer);
            is_glued(beside) && outer == place + 1
                || beside.is_some_and(|c| {
                    is_sign(c) || matches!(c, '-' | '^' | '\\') || c.is_ascii_digit()
                })
        }
        // A command of LaTeX, such as `\cdot`.
        Some('\\') if text.at(place + 1).is_some_and(char::is_alphabetic) => true,
        Some(c) if is_sign(c) => true,
        _ => text.word_starting_at(place).is_some_and(|index| {
            let extension = text
                .at(text.words()[index].range.end)
                .is_some_and(|c| c.is_ascii_digit());
            match text.lower(Some(index)) {
                "x" => !extension,
                word => matches!(word, "times" | "plus" | "minus" | "divided" | "mod"),
            }
        }),
    }
}

/// Whether the hyphen at a place is a dash of the sentence: a word of two letters or more, or nothing, on its far side.
fn is_dash(text: &Text, place: usize, forward: bool) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    if forward {
        let far = text.skip(place + 1, is_blank);
        let ends = text.at(far).is_none_or(|c| matches!(c, '\n' | '\r'));
        ends || is_letter(text.at(far)) && is_letter(text.at(far + 1))
    } else {
        let far = text.skip_back(place, is_blank);
        let begins = text.before(far).is_none_or(|c| matches!(c, '\n' | '\r'));
        begins || is_letter(text.before(far)) && far > 1 && is_letter(text.at(far - 2))
    }
}

/// A sign of an operation or a relation, but for the hyphen.
fn is_sign(c: char) -> bool {
    "+*/=<>^\u{b1}\u{b7}\u{d7}\u{f7}\u{2212}\u{2215}\u{2217}\u{2219}\u{221a}\u{2248}\u{2260}\u{2264}\u{2265}\u{22c5}"
        .contains(c)
}
