//! Normalised text to words, numbers, variables and operators.

use unicode_segmentation::UnicodeSegmentation;

use super::{languages::Language, normalise::is_greek_name};

/// One symbol of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Symbol<'a> {
    /// A word; ends a formula.
    Word(&'a str),
    /// Two letters inside a formula: a product such as `xy`, or a unit such as `cm`.
    Product(&'a str),
    /// A number without separators of thousands.
    Number(String),
    /// A single letter that stands for a quantity.
    Variable(&'a str),
    /// `sqrt`, or `root` before a degree.
    Root(&'a str),
    /// The name of a Greek letter, a quantity in a formula: `pi`.
    Constant(&'a str),
    /// An operator, a relation, a bar or a parenthesis.
    Operator(char),
    /// Anything else that ends a formula.
    Break,
}

/// A run of characters of one class.
#[derive(Clone, Copy)]
struct Piece<'a> {
    class: Class,
    text: &'a str,
    /// Whether it follows the piece before it without white space.
    glued: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letters,
    Digits,
    Operator,
    Other,
}

const OPERATORS: &str = "+-*/^=<>%|()";

/// The symbols of a normalised text. The language says which lone letters and which pairs of letters are words.
pub(super) fn symbols<'a>(text: &'a str, language: Option<&Language>) -> Vec<Symbol<'a>> {
    let pieces = pieces(text);
    let mut symbols = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        match piece.class {
            Class::Letters => match degree(&pieces, at) {
                Some((name, degree)) => {
                    symbols.extend([Symbol::Root(name), Symbol::Variable(degree)]);
                }
                None => symbols.push(letters(&pieces, at, language)),
            },
            Class::Digits => symbols.push(Symbol::Number(number(&pieces, at))),
            Class::Operator => {
                let operator = piece.text.chars().next().unwrap_or(' ');
                let last = symbols.last();
                match (operator, last) {
                    // `<=` counts as `<`: what matters is that it is an inequality.
                    ('=', Some(Symbol::Operator('<' | '>'))) if piece.glued => {}
                    ('=', _) if piece.glued && begins_relation(&pieces, at - 1) => {
                        let relation = if pieces[at - 1].text == "!" {
                            '≠'
                        } else {
                            '≈'
                        };
                        symbols.push(Symbol::Operator(relation));
                    }
                    _ => symbols.push(Symbol::Operator(operator)),
                }
            }
            // The point of `.5` belongs to the number, the sign before `=` to a relation.
            Class::Other if starts_number(&pieces, at) || begins_relation(&pieces, at) => {}
            Class::Other => symbols.push(Symbol::Break),
        }
    }
    without_idle_parentheses(symbols)
}

/// Whether the piece is the first half of `!=` or `~=`.
fn begins_relation(pieces: &[Piece<'_>], at: usize) -> bool {
    matches!(pieces[at].text, "!" | "~")
        && pieces
            .get(at + 1)
            .is_some_and(|next| next.glued && next.text == "=")
}

fn letters<'a>(pieces: &[Piece<'a>], at: usize, language: Option<&Language>) -> Symbol<'a> {
    let word = pieces[at].text;
    if word == "sqrt" || word == "root" && has_degree(pieces, at) {
        return Symbol::Root(word);
    }
    if is_greek_name(word) {
        return Symbol::Constant(word);
    }
    let mut characters = word.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some(letter), None, None) if is_quantity(letter) => {
            let is_word = language.is_some_and(|language| language.is_word(word));
            if is_word && !in_formula(pieces, at) && !is_spaced_variable(pieces, at) {
                Symbol::Break
            } else {
                Symbol::Variable(word)
            }
        }
        (Some(first), Some(second), None)
            if is_quantity(first)
                && is_quantity(second)
                && !language.is_some_and(|language| language.is_stop_word(word))
                && in_formula(pieces, at) =>
        {
            Symbol::Product(word)
        }
        _ => Symbol::Word(word),
    }
}

/// The degree of a root in one piece with its name, as in `rootn(x)`; `roots(…)` is none.
fn degree<'a>(pieces: &[Piece<'a>], at: usize) -> Option<(&'a str, &'a str)> {
    let (name, degree) = pieces[at].text.split_at_checked("root".len())?;
    let is_letter = degree.len() == 1 && degree != "s" && degree.starts_with(is_quantity);
    (name == "root" && is_letter && opens(pieces, at + 1)).then_some((name, degree))
}

/// Whether the piece is a parenthesis that opens close behind the piece before it.
fn opens(pieces: &[Piece<'_>], at: usize) -> bool {
    pieces
        .get(at)
        .is_some_and(|piece| piece.glued && piece.text == "(")
}

/// Whether the piece is the `root` of `root3(x)`.
fn has_degree(pieces: &[Piece<'_>], at: usize) -> bool {
    let degree = pieces.get(at + 1);
    degree.is_some_and(|degree| degree.glued && degree.class == Class::Digits)
        && opens(pieces, at + 2)
}

/// Letters that stand for quantities: Latin and Greek. In other scripts one letter can be a word.
fn is_quantity(letter: char) -> bool {
    letter.is_ascii_lowercase() || ('α'..='ω').contains(&letter)
}

/// Whether the piece touches a number or an operator.
fn in_formula(pieces: &[Piece<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| pieces.get(before));
    let after = pieces.get(at + 1).filter(|after| after.glued);
    let touches_before = before
        .filter(|_| pieces[at].glued)
        .is_some_and(|piece| piece.is_formula() && piece.text != "(");
    touches_before
        || after.is_some_and(|piece| piece.is_formula() && piece.text != ")")
        || in_factor(pieces, at)
}

/// Whether the piece stands alone in parentheses that touch an operator or a root: `sqrt(a)`, `(a)^2`.
fn in_factor(pieces: &[Piece<'_>], at: usize) -> bool {
    let Some([open, piece, close]) = at
        .checked_sub(1)
        .and_then(|before| pieces.get(before..at + 2))
    else {
        return false;
    };
    let is_operator = |piece: &Piece<'_>| {
        piece.class == Class::Operator && !matches!(piece.text, "(" | ")" | "-")
    };
    let before = at.checked_sub(2).and_then(|before| pieces.get(before));
    let after = pieces.get(at + 2).filter(|after| after.glued);
    (open.text, close.text) == ("(", ")")
        && piece.glued
        && close.glued
        && (before.is_some_and(|b| open.glued && (is_operator(b) || b.text == "sqrt"))
            || after.is_some_and(is_operator))
}

/// Whether the piece is a `y` beside an operator: a word of some languages, but rarely there.
fn is_spaced_variable(pieces: &[Piece<'_>], at: usize) -> bool {
    let is_operator = |piece: &Piece<'_>| piece.class == Class::Operator;
    let before = at.checked_sub(1).and_then(|before| pieces.get(before));
    pieces[at].text == "y"
        && (before.is_some_and(|before| is_operator(before) && before.text != ")")
            || pieces
                .get(at + 1)
                .is_some_and(|after| is_operator(after) && after.text != "("))
}

impl Piece<'_> {
    fn is_formula(&self) -> bool {
        matches!(self.class, Class::Digits | Class::Operator)
    }
}

/// Whether the piece is the point of a number such as `.5`.
fn starts_number(pieces: &[Piece<'_>], at: usize) -> bool {
    let follows = at > 0
        && pieces[at].glued
        && matches!(pieces[at - 1].class, Class::Letters | Class::Digits);
    pieces[at].text == "."
        && !follows
        && pieces.get(at + 1).is_some_and(|next| {
            next.glued && next.class == Class::Digits && !next.text.contains('.')
        })
}

fn number(pieces: &[Piece<'_>], at: usize) -> String {
    let digits: String = pieces[at].text.chars().filter(|c| *c != ',').collect();
    if at > 0 && pieces[at].glued && starts_number(pieces, at - 1) {
        format!("0.{digits}")
    } else {
        digits
    }
}

/// Cuts at white space, at word boundaries (UAX 29), and then between letters, digits and signs, which those boundaries do
/// not part.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    for token in text.split_whitespace() {
        let mut glued = false;
        if token.is_ascii() {
            // Within ASCII the classes part all that word boundaries do.
            cut(token, &mut glued, &mut pieces);
        } else {
            for segment in token.split_word_bounds() {
                cut(segment, &mut glued, &mut pieces);
            }
        }
    }
    without_underscores(pieces)
}

/// Cuts between characters of different classes.
fn cut<'a>(mut rest: &'a str, glued: &mut bool, pieces: &mut Vec<Piece<'a>>) {
    while let Some(first) = rest.chars().next() {
        let (class, length) = if first.is_alphabetic() {
            (Class::Letters, letters_length(rest))
        } else if first.is_ascii_digit() {
            (Class::Digits, digits_length(rest))
        } else if OPERATORS.contains(first) {
            (Class::Operator, first.len_utf8())
        } else {
            (Class::Other, first.len_utf8())
        };
        let (text, tail) = rest.split_at(length);
        // A sign of money is no part of a formula and ends none.
        *glued = if text == "$" {
            false
        } else {
            pieces.push(Piece {
                class,
                text,
                glued: *glued,
            });
            true
        };
        rest = tail;
    }
}

/// `x_1` is the variable and its index, as `x1` is. The line of a blank to fill in stays.
fn without_underscores(mut pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let binds = |piece: &Piece<'_>| matches!(piece.class, Class::Letters | Class::Digits);
    let underscores: Vec<bool> = (0..pieces.len())
        .map(|at| {
            pieces[at].text == "_"
                && pieces[at].glued
                && at > 0
                && (binds(&pieces[at - 1]) || pieces[at - 1].text == ")")
                && pieces
                    .get(at + 1)
                    .is_some_and(|next| next.glued && (binds(next) || next.text == "("))
        })
        .collect();
    let mut is_underscore = underscores.into_iter();
    pieces.retain(|_| !is_underscore.next().unwrap_or(false));
    pieces
}

/// The length of a word in bytes: letters, the marks on them, and apostrophes between letters.
fn letters_length(text: &str) -> usize {
    let mut length = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next_is_letter = characters
            .peek()
            .is_some_and(|(_, next)| next.is_alphabetic());
        let belongs = character.is_alphabetic()
            || unicode_normalization::char::is_combining_mark(character)
            || (character == '\'' && next_is_letter);
        if !belongs {
            break;
        }
        length = at + character.len_utf8();
    }
    length
}

/// The length of a number in bytes: digits, commas before groups of three, and one decimal point.
fn digits_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut length = digits(0);
    while length <= bytes.len() && bytes.get(length) == Some(&b',') && digits(length + 1) == 3 {
        length += 4;
    }
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    length
}

/// Parentheses around a single number or variable mean nothing but that a machine wrote them: `(3)/(4)` is `3/4`. Nor do
/// those around a negative power: `x^(-2)` is `x^-2`.
fn without_idle_parentheses(symbols: Vec<Symbol<'_>>) -> Vec<Symbol<'_>> {
    let mut kept: Vec<Symbol<'_>> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        kept.push(symbol);
        let idle = match kept.as_slice() {
            [
                ..,
                Symbol::Operator('('),
                Symbol::Number(_) | Symbol::Variable(_) | Symbol::Constant(_),
                Symbol::Operator(')'),
            ] => 1,
            [
                ..,
                Symbol::Operator('^'),
                Symbol::Operator('('),
                Symbol::Operator('-'),
                Symbol::Number(_) | Symbol::Variable(_) | Symbol::Constant(_),
                Symbol::Operator(')'),
            ] => 2,
            _ => continue,
        };
        kept.pop();
        let inner = kept.split_off(kept.len() - idle);
        kept.pop();
        kept.extend(inner);
    }
    kept
}
