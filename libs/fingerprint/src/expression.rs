//! One hash of an expression, however it is written.

use std::borrow::Cow;

use crate::hash;

/// Commands that only change how an expression looks.
const LOOKS: [&str; 16] = [
    "left",
    "right",
    "displaystyle",
    "textstyle",
    "big",
    "Big",
    "quad",
    "qquad",
    "text",
    "mathrm",
    "mathit",
    "mathbf",
    "limits",
    "nolimits",
    "tfrac",
    "dfrac",
];

/// The hash of an expression, the same for every order of its parts and every spelling of its signs: `-8 + 5`, `5-8` and
/// `{-8}+5` are one. `None` where it holds less than an operation on two values, which says nothing.
#[must_use]
pub fn expression(text: &str) -> Option<u64> {
    let mut tokens = tokens(text);
    let values = tokens.iter().filter(|token| is_value(token)).count();
    let operations = tokens.len() - values;
    if values < 2 || operations == 0 {
        return None;
    }
    // What stands side by side after a plus may change places: the plus says no more than that.
    tokens.retain(|token| token != "+");
    tokens.sort_unstable();
    Some(hash(tokens.join(" ").bytes()))
}

fn is_value(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric())
}

fn tokens(text: &str) -> Vec<Cow<'_, str>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        let run = |belongs: fn(char) -> bool| {
            let end = behind.find(|c| !belongs(c)).unwrap_or(behind.len());
            &rest[..c.len_utf8() + end]
        };
        rest = match c {
            '\\' => {
                let command = run(|c| c.is_ascii_alphabetic());
                match &command[1..] {
                    "times" | "cdot" => tokens.push("*".into()),
                    "div" | "frac" | "dfrac" | "tfrac" => tokens.push("/".into()),
                    "le" | "leq" => tokens.push("≤".into()),
                    "ge" | "geq" => tokens.push("≥".into()),
                    name if name.is_empty() || LOOKS.contains(&name) => {}
                    _ => tokens.push(command.into()),
                }
                match command.len() {
                    // A space or an escaped sign.
                    1 => &behind[behind.chars().next().map_or(0, char::len_utf8)..],
                    length => &rest[length..],
                }
            }
            '0'..='9' => {
                let number = run(|c| c.is_ascii_digit() || c == '.');
                tokens.push(number.trim_end_matches('.').into());
                &rest[number.len()..]
            }
            _ => {
                match c {
                    '×' | '·' | '⋅' | '∙' | '*' => tokens.push("*".into()),
                    '÷' | '/' | ':' => tokens.push("/".into()),
                    '−' | '–' | '-' => tokens.push("-".into()),
                    '{' | '}' | '(' | ')' | '[' | ']' | '$' | '&' | ',' | '.' | ';' | '?' => {}
                    '²' => tokens.extend(["^".into(), "2".into()]),
                    '³' => tokens.extend(["^".into(), "3".into()]),
                    c if c.is_whitespace() => {}
                    c if c.is_ascii() && !c.is_ascii_uppercase() => tokens.push(rest[..1].into()),
                    c => tokens.extend(c.to_lowercase().map(|c| String::from(c).into())),
                }
                behind
            }
        };
    }
    tokens
}
