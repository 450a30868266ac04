//! One hash of an expression, however it is written.

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

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let start = at;
        at += 1;
        let mut run = |belongs: fn(char) -> bool| {
            while chars.get(at).is_some_and(|c| belongs(*c)) {
                at += 1;
            }
            chars[start..at].iter().collect::<String>()
        };
        match c {
            '\\' => {
                let command = run(|c| c.is_ascii_alphabetic());
                match command.trim_start_matches('\\') {
                    "times" | "cdot" => tokens.push("*".to_owned()),
                    "div" => tokens.push("/".to_owned()),
                    "frac" | "dfrac" | "tfrac" => tokens.push("/".to_owned()),
                    "le" | "leq" => tokens.push("≤".to_owned()),
                    "ge" | "geq" => tokens.push("≥".to_owned()),
                    // A space or an escaped sign.
                    "" => at = (start + 2).min(chars.len()),
                    name if LOOKS.contains(&name) => {}
                    name => tokens.push(format!("\\{name}")),
                }
            }
            '0'..='9' => {
                let number = run(|c| c.is_ascii_digit() || c == '.');
                tokens.push(number.trim_end_matches('.').to_owned());
            }
            '×' | '·' | '⋅' | '∙' | '*' => tokens.push("*".to_owned()),
            '÷' | '/' | ':' => tokens.push("/".to_owned()),
            '−' | '–' | '-' => tokens.push("-".to_owned()),
            '{' | '}' | '(' | ')' | '[' | ']' | '$' | '&' | ',' | '.' | ';' | '?' => {}
            '²' => tokens.extend(["^".to_owned(), "2".to_owned()]),
            '³' => tokens.extend(["^".to_owned(), "3".to_owned()]),
            c if c.is_whitespace() => {}
            c => tokens.extend(c.to_lowercase().map(String::from)),
        }
    }
    tokens
}
