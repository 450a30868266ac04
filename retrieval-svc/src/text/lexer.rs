//! Normalised text to words, numbers, variables and operators.

use unicode_segmentation::UnicodeSegmentation;

use super::stop_words;

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
    /// The sign of a square root.
    Root,
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

/// The symbols of a normalised text. `articles` says that a lone `a` or `i` outside a formula is a word of no meaning.
pub(super) fn symbols(text: &str, articles: bool) -> Vec<Symbol<'_>> {
    let pieces = pieces(text);
    let mut symbols = Vec::with_capacity(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        match piece.class {
            Class::Letters => symbols.push(letters(&pieces, at, articles)),
            Class::Digits => symbols.push(Symbol::Number(number(&pieces, at))),
            Class::Operator => {
                let operator = piece.text.chars().next().unwrap_or(' ');
                // `<=` counts as `<`: what matters is that it is an inequality.
                let follows_relation = matches!(symbols.last(), Some(Symbol::Operator('<' | '>')));
                if !(operator == '=' && piece.glued && follows_relation) {
                    symbols.push(Symbol::Operator(operator));
                }
            }
            // The point of `.5` belongs to the number.
            Class::Other if starts_number(&pieces, at) => {}
            Class::Other => symbols.push(Symbol::Break),
        }
    }
    without_idle_parentheses(symbols)
}

fn letters<'a>(pieces: &[Piece<'a>], at: usize, articles: bool) -> Symbol<'a> {
    let word = pieces[at].text;
    if word == "sqrt" {
        return Symbol::Root;
    }
    let mut characters = word.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some(letter), None, None) if is_quantity(letter) => {
            if articles && matches!(word, "a" | "i") && !in_formula(pieces, at) {
                Symbol::Break
            } else {
                Symbol::Variable(word)
            }
        }
        (Some(first), Some(second), None)
            if is_quantity(first)
                && is_quantity(second)
                && !(articles && stop_words::is_english(word))
                && in_formula(pieces, at) =>
        {
            Symbol::Product(word)
        }
        _ => Symbol::Word(word),
    }
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
    touches_before || after.is_some_and(|piece| piece.is_formula() && piece.text != ")")
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

/// Cuts at word boundaries (UAX 29) and then between letters, digits and signs, which those boundaries do not part.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut glued = false;
    for segment in text.split_word_bounds() {
        if segment.chars().all(char::is_whitespace) {
            glued = false;
            continue;
        }
        let mut rest = segment;
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
            pieces.push(Piece { class, text, glued });
            glued = true;
            rest = tail;
        }
    }
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

/// Parentheses around a single number or variable mean nothing but that a machine wrote them: `(3)/(4)` is `3/4`.
fn without_idle_parentheses(symbols: Vec<Symbol<'_>>) -> Vec<Symbol<'_>> {
    let mut kept: Vec<Symbol<'_>> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        kept.push(symbol);
        if let [
            ..,
            Symbol::Operator('('),
            Symbol::Number(_) | Symbol::Variable(_),
            Symbol::Operator(')'),
        ] = kept.as_slice()
        {
            kept.pop();
            let inner = kept.pop();
            kept.pop();
            kept.extend(inner);
        }
    }
    kept
}
