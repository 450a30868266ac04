//! Cuts a text into numbers, words and signs.

use std::ops::Range;

use crate::statements::scan::is_dash;

#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'t> {
    /// `12`, `0,5`, `1/2`, `2^3`
    Number(&'t str),
    /// The parts of `\\frac{1}{2}`.
    Fraction(&'t str, &'t str),
    /// Letters, with a hyphen between them or without.
    Word(&'t str),
    /// A sign between numbers, in one spelling.
    Sign(&'static str),
    /// A minus before a number.
    Minus,
    Percent,
    /// A bracket.
    Open,
    Close,
    /// What ends a clause.
    Stop,
    /// What is not read.
    Other,
}

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        let (kind, length) = token(text, at, rest, first);
        if let Some(kind) = kind {
            tokens.push(Token {
                kind,
                range: at..at + length,
            });
        }
        at += length;
    }
    tokens
}

/// The token at a place, nothing for what parts tokens only, and its length.
fn token<'t>(text: &'t str, at: usize, rest: &'t str, first: char) -> (Option<Kind<'t>>, usize) {
    let length = first.len_utf8();
    let behind = rest.get(length..).unwrap_or_default();
    let before = text.get(..at).unwrap_or_default();
    let last = before.bytes().next_back();
    let begins_line = match last {
        None | Some(b'\n') => true,
        Some(b' ') => before.trim_end_matches(' ').is_empty(),
        Some(_) => false,
    };
    if begins_line && let Some(length) = list_mark(rest) {
        return (Some(Kind::Stop), length);
    }
    if first.is_ascii_digit() {
        let length = number_length(rest);
        let is_glued = rest.get(length..).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_alphanumeric() || "/^_²³".contains(c))
        });
        let number = rest.get(..length).map(Kind::Number);
        return (if is_glued { Some(Kind::Other) } else { number }, length);
    }
    if first.is_alphabetic() {
        let length = word_length(rest);
        return (rest.get(..length).map(Kind::Word), length);
    }
    let is_spaced = matches!(last, None | Some(b' ' | b'$' | b'(' | b'\n'));
    let goes_apart = behind.bytes().next() == Some(b' ');
    let kind = match first {
        ' ' | '$' => return (None, length),
        '%' => Kind::Percent,
        '(' => Kind::Open,
        ')' => Kind::Close,
        '=' => Kind::Sign("="),
        '+' => Kind::Sign("+"),
        '·' | '×' => Kind::Sign("·"),
        '*' if is_spaced && goes_apart => Kind::Sign("·"),
        '*' => return (None, length),
        '÷' => Kind::Sign("÷"),
        ':' if is_spaced && goes_apart => Kind::Sign("÷"),
        '\\' => {
            if let Some((above, below, length)) = fraction(rest) {
                return (Some(Kind::Fraction(above, below)), length);
            }
            let commands = [
                ("\\cdot", "·"),
                ("\\times", "·"),
                ("\\div", "÷"),
                ("\\%", "%"),
            ];
            return match commands.iter().find(|(own, _)| rest.starts_with(own)) {
                Some((own, "%")) => (Some(Kind::Percent), own.len()),
                Some((own, sign)) => (Some(Kind::Sign(sign)), own.len()),
                None => (Some(Kind::Other), length),
            };
        }
        _ if is_dash(first) && is_spaced && goes_apart => Kind::Sign("-"),
        _ if is_dash(first) && is_spaced => Kind::Minus,
        '.' | ',' | ';' | ':' | '!' | '?' | '\n' | '—' | '„' | '“' | '”' | '"' => {
            Kind::Stop
        }
        _ => Kind::Other,
    };
    (Some(kind), length)
}

/// How long the mark of a list is that a line begins with: `- `, `• `, `(1) `, `a) `.
fn list_mark(line: &str) -> Option<usize> {
    let (mark, _) = line.split_once(' ')?;
    let first = mark.chars().next()?;
    let is_bullet = mark.chars().count() == 1 && (is_dash(first) || matches!(first, '*' | '•'));
    let number = mark.strip_suffix(')').unwrap_or_default();
    let number = number.strip_prefix('(').unwrap_or(number);
    let is_number =
        (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_bullet || is_number).then_some(mark.len())
}

/// The whole numbers of a fraction in LaTeX that a text begins with, and its length.
fn fraction(text: &str) -> Option<(&str, &str, usize)> {
    let rest = ["\\frac{", "\\dfrac{", "\\tfrac{"];
    let rest = rest.iter().find_map(|begin| text.strip_prefix(begin))?;
    let (above, rest) = rest.split_once("}{")?;
    let (below, rest) = rest.split_once('}')?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (is_number(above) && is_number(below)).then_some((above, below, text.len() - rest.len()))
}

/// How long the number is that a text begins with.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while digit(end) || matches!(bytes.get(end), Some(b'.' | b',' | b'/' | b'^')) && digit(end + 1)
    {
        end += 1;
    }
    end
}

/// How long the word is that a text begins with.
fn word_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters
            .peek()
            .is_some_and(|(_, next)| next.is_alphabetic());
        if !(character.is_alphabetic() || matches!(character, '-' | '\'' | '’') && next) {
            return at;
        }
    }
    text.len()
}
