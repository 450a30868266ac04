//! The signs, names and numbers of a template's expressions.

use crate::fault::SyntaxError;

/// The most digits of a number.
const MOST_DIGITS: usize = 6;

/// The signs, longer ones first.
const SIGNS: [&str; 15] = [
    "..", "!=", "<=", ">=", "<", ">", "=", "+", "-", "*", "/", "^", "(", ")", ",",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    Number(i64),
    Name(&'t str),
    Sign(&'static str),
}

/// Splits a text into tokens.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_ascii_digit() {
            number(rest)?
        } else if first.is_ascii_lowercase() {
            let ends = |c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            let length = rest.find(ends).unwrap_or(rest.len());
            (Token::Name(&rest[..length]), length)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(*sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return Err(SyntaxError::new(format!(
                "`{first}` is no part of an expression"
            )));
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// The number that a text begins with, and its length.
fn number(text: &str) -> Result<(Token<'_>, usize), SyntaxError> {
    let ends = |c: char| !c.is_ascii_digit();
    let length = text.find(ends).unwrap_or(text.len());
    let digits = &text[..length];
    let number = digits.parse().ok().filter(|_| length <= MOST_DIGITS);
    let number = number.ok_or_else(|| {
        SyntaxError::new(format!(
            "`{digits}` has more than {MOST_DIGITS} digits, which no drill needs"
        ))
    })?;
    Ok((Token::Number(number), length))
}
