//! Tokens to parts: words for numbers, operations and relations become signs, and what belongs together a formula.

use super::{
    Formula, Part, Symbol, is_relation,
    lexer::{Placed, Token},
};
use crate::written;

/// Words for signs, longest first.
#[rustfmt::skip]
const SIGNS: &[(&str, char)] = &[
    ("is greater than or equal to", '≥'), ("greater than or equal to", '≥'), ("größer oder gleich", '≥'),
    ("is less than or equal to", '≤'), ("less than or equal to", '≤'), ("kleiner oder gleich", '≤'),
    ("is greater than", '>'), ("is bigger than", '>'), ("is larger than", '>'), ("is more than", '>'),
    ("ist größer als", '>'), ("is less than", '<'), ("is smaller than", '<'), ("ist kleiner als", '<'),
    ("greater than", '>'), ("bigger than", '>'), ("larger than", '>'), ("größer als", '>'),
    ("less than", '<'), ("smaller than", '<'), ("kleiner als", '<'), ("is at least", '≥'), ("is at most", '≤'),
    ("at least", '≥'), ("at most", '≤'), ("ist mindestens", '≥'), ("ist höchstens", '≤'), ("mindestens", '≥'),
    ("höchstens", '≤'), ("divided by", '/'), ("multiplied by", '*'), ("geteilt durch", '/'), ("multipliziert mit", '*'),
    ("to the power of", '^'), ("square root of", '√'), ("root of", '√'), ("plus", '+'), ("minus", '-'), ("negative", '-'),
    ("times", '*'), ("mal", '*'), ("hoch", '^'), ("over", '/'), ("durch", '/'), ("percent", '%'), ("prozent", '%'),
];
/// Words behind a number that was divided by.
const DONE: &[&str] = &[
    "geteilt",
    "dividiert",
    "teilen",
    "dividieren",
    "teile",
    "dividiere",
];
/// Words that say what a value is, and words that may stand among them.
#[rustfmt::skip]
const EQUALS: &[&str] = &[
    "is", "are", "equals", "equal", "be", "becomes", "gives", "makes", "ist", "gleich", "sind", "beträgt", "lautet", "wird",
    "ergibt", "macht", "wert", "value", "sein", "comes",
];
#[rustfmt::skip]
const AROUND_EQUALS: &[&str] = &[
    "to", "must", "has", "have", "would", "should", "will", "the", "of", "turns", "out", "as", "exactly", "just", "simply",
    "muss", "hat", "den", "genau", "also", "dann", "einfach", "nur", "actually", "zu", "can", "only", "kann", "here", "hier",
    "a", "called", "number", "die", "zahl", "then",
];
/// The most words that say what a value is.
const MOST_EQUALS: usize = 5;

pub(super) fn parts(tokens: Vec<Placed>) -> Vec<Part> {
    grouped(&read(&spelled(&tokens)))
}

/// Tokens with letters and digits that stand apart put together: `f o u r`, `1 2`.
fn spelled<'t>(tokens: &'t [Placed]) -> Vec<Placed> {
    let mut joined: Vec<Placed> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(placed) = tokens.get(at) {
        let rest = &tokens[at..];
        if let Some((word, length)) = letters(rest) {
            joined.push(Placed {
                token: Token::Word(word),
                glued: false,
            });
            at += length;
            continue;
        }
        let digit = |placed: &'t Placed| match &placed.token {
            Token::Number(number) if number.len() == 1 => Some(number.as_str()),
            _ => None,
        };
        let digits: String = rest.iter().map_while(digit).collect();
        if digits.len() > 1 {
            joined.push(Placed {
                token: Token::Number(digits.clone()),
                glued: placed.glued,
            });
            // Each for itself as well: two numbers may stand side by side.
            joined.push(Placed {
                token: Token::Stop(','),
                glued: false,
            });
        }
        joined.push(placed.clone());
        at += 1;
        for placed in rest.iter().skip(1).take(digits.len().saturating_sub(1)) {
            joined.push(placed.clone());
            at += 1;
        }
    }
    joined
}

/// A number that is spelled letter by letter here, and its tokens.
fn letters(tokens: &[Placed]) -> Option<(String, usize)> {
    let mut word = String::new();
    for (at, placed) in tokens.iter().enumerate().take(24) {
        match &placed.token {
            Token::Letter(letter) => word.push(*letter),
            Token::Sign('-' | '*') | Token::Stop('.' | ',' | '|') if at > 0 => {}
            _ => break,
        }
        let ends = !matches!(
            tokens.get(at + 1).map(|next| &next.token),
            Some(Token::Letter(_))
        );
        if word.chars().count() > 2 && ends && written::number(&word).is_some() {
            return Some((word, at + 1));
        }
    }
    None
}

/// Words as the numbers and signs that they are.
fn read(tokens: &[Placed]) -> Vec<Placed> {
    let mut out: Vec<Placed> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(placed) = tokens.get(at) {
        let rest = &tokens[at..];
        let made = cross(rest, &out)
            .or_else(|| number(rest))
            .or_else(|| sign(rest, &out))
            .or_else(|| equals(rest, &out));
        let Some((made, length)) = made else {
            out.push(placed.clone());
            at += 1;
            continue;
        };
        for (place, token) in made.into_iter().enumerate() {
            out.push(Placed {
                token,
                glued: placed.glued || place > 0,
            });
        }
        at += length;
    }
    out
}

/// `17 x 3`: a letter that stands for a sign.
fn cross(tokens: &[Placed], before: &[Placed]) -> Option<(Vec<Token>, usize)> {
    let is_number = |placed: Option<&Placed>| {
        placed.is_some_and(|placed| matches!(placed.token, Token::Number(_)))
    };
    let apart = |at: usize| tokens.get(at).is_some_and(|placed| !placed.glued);
    let is_cross = tokens.first()?.token == Token::Letter('x') && apart(0) && apart(1);
    (is_cross && is_number(before.last()) && is_number(tokens.get(1)))
        .then(|| (vec![Token::Sign('*')], 1))
}

fn word(tokens: &[Placed], at: usize) -> Option<&str> {
    match tokens.get(at).map(|placed| &placed.token) {
        Some(Token::Word(word)) => Some(word),
        // `a half`
        Some(Token::Letter('a')) => Some("a"),
        _ => None,
    }
}

fn digits(number: impl ToString) -> Token {
    Token::Number(number.to_string())
}

/// A number in words, and how many tokens it takes.
fn number(tokens: &[Placed]) -> Option<(Vec<Token>, usize)> {
    let quotient = |above: u32, below: u32| vec![digits(above), Token::Sign('/'), digits(below)];
    let first = match &tokens.first()?.token {
        Token::Number(number) => {
            let whole = number.parse::<u32>().ok()?;
            // `2 and a half`
            if matches!(word(tokens, 1), Some("and" | "und"))
                && word(tokens, 2).is_some_and(written::is_one)
                && let Some(below) = word(tokens, 3).and_then(written::denominator)
            {
                let above = whole.checked_mul(below)?.checked_add(1)?;
                return Some((quotient(above, below), 4));
            }
            // `3 quarters`
            let below = written::denominator(word(tokens, 1)?)?;
            return Some((quotient(whole, below), 2));
        }
        _ => word(tokens, 0)?,
    };
    let next = word(tokens, 1);
    let below = next.and_then(written::denominator);
    let is_one = written::is_one(first);
    if let Some(below) = below.filter(|_| is_one) {
        return Some((quotient(1, below), 2));
    }
    if let Some((above, below)) = written::fraction(first) {
        return Some((quotient(above, below), 1));
    }
    let mut number = if is_one { 1 } else { written::number(first)? };
    let mut length = 1;
    if let Some(below) = below {
        return Some((quotient(number, below), 2));
    }
    // `two hundred and five`, `twenty one`
    while let Some(next) = word(tokens, length) {
        let skipped = usize::from(next == "and" && number >= 100);
        let value = word(tokens, length + skipped).and_then(|word| match word {
            "one" if number >= 20 => Some(1),
            word => written::number(word),
        });
        match value {
            Some(100 | 1000) if skipped == 0 && number < 100 => number *= value.unwrap_or(1),
            Some(value) if number >= 100 && number % 100 == 0 && value < 100 => number += value,
            Some(value) if (20..100).contains(&number) && number % 10 == 0 && value < 10 => {
                number += value;
            }
            _ => break,
        }
        length += 1 + skipped;
    }
    // `two and a half`
    if matches!(word(tokens, length), Some("and" | "und"))
        && word(tokens, length + 1).is_some_and(written::is_one)
        && let Some(below) = word(tokens, length + 2).and_then(written::denominator)
    {
        return Some((quotient(number * below + 1, below), length + 3));
    }
    // `four point five`
    if matches!(word(tokens, length), Some("point" | "komma")) {
        let decimals: Vec<String> = (length + 1..)
            .map_while(|at| word(tokens, at).and_then(written::number))
            .map(|digit| digit.to_string())
            .collect();
        if !decimals.is_empty() {
            let text = format!("{number}.{}", decimals.concat());
            return Some((vec![Token::Number(text)], length + 1 + decimals.len()));
        }
    }
    (!is_one || length > 1).then(|| (vec![digits(number)], length))
}

fn is_value(token: &Token) -> bool {
    matches!(
        token,
        Token::Number(_) | Token::Letter(_) | Token::Sign(')' | '%')
    )
}

/// Whether a formula may go on with this token.
fn begins_value(tokens: &[Placed], at: usize) -> bool {
    match tokens.get(at).map(|placed| &placed.token) {
        Some(Token::Number(_) | Token::Letter(_) | Token::Sign('-' | '(' | '√' | '±')) => true,
        Some(Token::Word(word)) => {
            matches!(word.as_str(), "minus" | "negative") || number(&tokens[at..]).is_some()
        }
        _ => false,
    }
}

/// A sign in words, where it stands between values or before one.
fn sign(tokens: &[Placed], before: &[Placed]) -> Option<(Vec<Token>, usize)> {
    let Token::Word(first) = &tokens.first()?.token else {
        return None;
    };
    let has_value = before.last().is_some_and(|last| is_value(&last.token));
    if has_value && let Some(word @ ("squared" | "cubed" | "quadrat")) = word(tokens, 0) {
        let power = if word == "cubed" { 3 } else { 2 };
        return Some((vec![Token::Sign('^'), digits(power)], 1));
    }
    let mut signs = SIGNS.iter().filter(|(words, _)| words.starts_with(first));
    signs.find_map(|(words, sign)| {
        let length = words.split(' ').count();
        let said = words
            .split(' ')
            .enumerate()
            .all(|(at, own)| word(tokens, at) == Some(own));
        let stands = || match sign {
            '-' | '√' | '<' | '>' | '≤' | '≥' => begins_value(tokens, length),
            '%' => has_value,
            _ => has_value && begins_value(tokens, length),
        };
        // "3x = 12 durch 3 geteilt" is what somebody did to both sides.
        let is_done =
            || *words == "durch" && word(tokens, 2).is_some_and(|word| DONE.contains(&word));
        (said && stands() && !is_done()).then(|| (vec![Token::Sign(*sign)], length))
    })
}

/// Words between two values that say that they are equal.
fn equals(tokens: &[Placed], before: &[Placed]) -> Option<(Vec<Token>, usize)> {
    if !before.last().is_some_and(|last| is_value(&last.token)) {
        return None;
    }
    let mut says = false;
    for at in 0..MOST_EQUALS {
        if says && begins_value(tokens, at) {
            return Some((vec![Token::Sign('=')], at));
        }
        match word(tokens, at) {
            // Only here is `one` a number.
            Some(word)
                if says && written::is_one(word) && word != "a" && !says_more(tokens, at) =>
            {
                return Some((vec![Token::Sign('='), digits(1)], at + 1));
            }
            Some(word) if EQUALS.contains(&word) => says = true,
            Some(word) if AROUND_EQUALS.contains(&word) => {}
            _ => {
                let goes_on = tokens
                    .get(at)
                    .is_some_and(|placed| placed.token == Token::Stop(':'));
                if !goes_on {
                    return None;
                }
            }
        }
    }
    None
}

/// Whether a word follows, so that `one` counts it: `x is one of the sides`.
fn says_more(tokens: &[Placed], at: usize) -> bool {
    word(tokens, at + 1)
        .is_some_and(|next| !matches!(next, "and" | "und" | "because" | "weil" | "since"))
}

/// What belongs together as formulas.
fn grouped(tokens: &[Placed]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut symbols: Vec<Symbol> = Vec::new();
    let close = |symbols: &mut Vec<Symbol>, parts: &mut Vec<Part>| {
        let formula = Formula::tidied(&std::mem::take(symbols));
        if !formula.0.is_empty() {
            parts.push(Part::Formula(formula));
        }
    };
    for (at, placed) in tokens.iter().enumerate() {
        match &placed.token {
            Token::Number(number) => symbols.push(Symbol::Number(number.clone())),
            Token::Letter(letter) if is_variable(tokens, at, &symbols) => {
                symbols.push(Symbol::Letter(*letter));
            }
            Token::Letter(letter) => {
                close(&mut symbols, &mut parts);
                parts.push(Part::Word(letter.to_string()));
            }
            Token::Sign(sign) => symbols.push(Symbol::Sign(*sign)),
            Token::Word(word) => {
                close(&mut symbols, &mut parts);
                parts.push(Part::Word(word.clone()));
            }
            Token::Stop(stop) => {
                close(&mut symbols, &mut parts);
                parts.push(Part::Stop(*stop));
            }
        }
    }
    close(&mut symbols, &mut parts);
    parts
}

/// Whether a letter is a variable here and no word.
fn is_variable(tokens: &[Placed], at: usize, before: &[Symbol]) -> bool {
    let own_glued = tokens.get(at).is_some_and(|placed| placed.glued);
    let article = matches!(
        tokens.get(at).map(|placed| &placed.token),
        Some(Token::Letter('a' | 'i' | 'o'))
    );
    let next = tokens.get(at + 1);
    let ahead = match next.map(|next| &next.token) {
        Some(Token::Sign('(')) => next.is_some_and(|next| next.glued),
        Some(Token::Sign(_)) => true,
        Some(Token::Number(_)) => !article,
        Some(Token::Letter(_)) => next.is_some_and(|next| next.glued),
        _ => false,
    };
    let behind = match before.last() {
        Some(Symbol::Number(_)) => own_glued || !article,
        Some(Symbol::Letter(_)) => own_glued,
        Some(sign @ Symbol::Sign(_)) => {
            *sign != Symbol::Sign('(') || own_glued || is_relation(sign)
        }
        None => false,
    };
    ahead || behind
}
