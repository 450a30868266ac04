//! Whether a reply gives the answer of the exercise that the student works on: as a side of an equality, as a formula, or as a
//! number that is none of the exercise's.

use std::{collections::HashMap, sync::LazyLock};

use turnwise_fingerprint::expression;
use turnwise_grading::{Drill, Verdict, grade};

use crate::{exam::formulas, fold};

/// The most statements that are held against the exercise; each may take the grader some time.
const MOST_STATEMENTS: usize = 32;
/// Words before a number that only counts something.
const COUNTERS: [&str; 16] = [
    "step", "steps", "schritt", "line", "zeile", "part", "teil", "exercise", "aufgabe", "question",
    "frage", "number", "nummer", "hint", "tipp", "unit",
];
/// Words before a number that is the answer whatever else it is.
const TELLS: [&str; 14] = [
    "answer", "result", "solution", "equals", "gives", "makes", "write", "type", "antwort",
    "lösung", "ergebnis", "ergibt", "schreib", "tippe",
];

/// The exercise that the student works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenDrill<'a> {
    /// What to do.
    pub prompt: &'a str,
    /// The formula; may be empty.
    pub question_latex: &'a str,
    /// Its answer, where the course has one; without one it is worked out.
    pub key: Option<&'a str>,
    /// What the student said: to repeat it gives nothing away.
    pub said: &'a str,
}

/// Whether any of the texts gives the answer.
pub(crate) fn is_given<'a>(texts: impl Iterator<Item = &'a str>, open: &OpenDrill<'_>) -> bool {
    let drill = Drill {
        prompt: open.prompt,
        question_latex: open.question_latex,
        key: open.key,
    };
    // A sign in the exercise may be an operator.
    let exercise = [open.prompt, open.question_latex].map(numbers).concat();
    let known: Vec<String> = exercise
        .iter()
        .map(|number| number.trim_start_matches('-').to_owned())
        .collect();
    let quoted = numbers(open.said);
    let problem = [open.question_latex, open.prompt].map(expression);
    let mut tried: Vec<String> = Vec::new();
    for text in texts {
        let folded = fold::folded(text);
        for statement in statements(&folded, &known, &quoted, &problem) {
            if tried.len() == MOST_STATEMENTS {
                return false;
            }
            if tried.contains(&statement) {
                continue;
            }
            if grade(&drill, &statement).verdict == Verdict::Right {
                return true;
            }
            tried.push(statement);
        }
    }
    false
}

fn statements(
    text: &str,
    known: &[String],
    quoted: &[String],
    problem: &[Option<u64>; 2],
) -> Vec<String> {
    let mut found = Vec::new();
    for formula in formulas(text) {
        let formula = trimmed(formula);
        let itself = expression(formula);
        if formula.is_empty() || (itself.is_some() && problem.contains(&itself)) {
            continue;
        }
        let sides: Vec<&str> = formula.split('=').map(trimmed).collect();
        let is_sum = itself.is_some();
        if sides.len() > 1 || is_sum {
            found.extend(sides.iter().map(|side| (*side).to_owned()));
        }
        if sides.len() > 1 {
            found.push(formula.to_owned());
        }
    }
    let said = spelled(text);
    for (at, token) in said.iter().enumerate() {
        let Token::Number(number) = token else {
            continue;
        };
        let before = said[..at].iter().rev().take(3);
        let told = before.clone().any(|token| token.is_one_of(&TELLS));
        let counts = said[..at]
            .last()
            .is_some_and(|token| token.is_one_of(&COUNTERS));
        let known = known.contains(number) && !told;
        if !counts && !known && !quoted.contains(number) {
            found.push(number.clone());
        }
    }
    found.retain(|statement| !statement.is_empty());
    found
}

fn trimmed(formula: &str) -> &str {
    formula.trim_matches(|c: char| c.is_whitespace() || ".,?!:;\"“”„'".contains(c))
}

#[derive(Debug, PartialEq)]
enum Token<'a> {
    Number(String),
    Word(&'a str),
}

impl Token<'_> {
    fn is_one_of(&self, words: &[&str]) -> bool {
        matches!(self, Self::Word(word) if words.contains(word))
    }
}

/// The numbers of a text, with their signs: who said -12 has not said 12.
fn numbers(text: &str) -> Vec<String> {
    let folded = fold::folded(text);
    let tokens = spelled(&folded).into_iter();
    tokens
        .filter_map(|token| match token {
            Token::Number(number) => Some(number),
            Token::Word(_) => None,
        })
        .collect()
}

/// The words and numbers of a folded text; marks of lists are left out.
fn spelled(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut negative = false;
    while at < bytes.len() {
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { break };
        if c.is_ascii_digit() {
            let end = rest
                .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '/')))
                .unwrap_or(rest.len());
            let number = rest[..end].trim_end_matches(['.', ',', '/']);
            let after = &rest[number.len()..];
            let line_start = text[..at].trim_end_matches(' ').chars().next_back();
            let is_mark = line_start.is_none_or(|c| c == '\n') && after.starts_with([')', '.']);
            if !is_mark {
                let sign = if negative { "-" } else { "" };
                tokens.push(Token::Number(format!("{sign}{}", number.replace(',', "."))));
            }
            at += end;
            negative = false;
        } else if c.is_alphabetic() {
            let end = rest
                .find(|c: char| !(c.is_alphabetic() || c == '-'))
                .unwrap_or(rest.len());
            let word = rest[..end].trim_end_matches('-');
            if word == "minus" || word == "negative" {
                negative = true;
            } else {
                match WRITTEN.get(word) {
                    Some(number) if negative => tokens.push(Token::Number(format!("-{number}"))),
                    Some(number) => tokens.push(Token::Number(number.to_string())),
                    None => tokens.push(Token::Word(word)),
                }
                negative = false;
            }
            at += end;
        } else {
            // A sign that stands before a number and behind none.
            let behind_value = text[..at]
                .trim_end()
                .ends_with(|c: char| c.is_alphanumeric() || c == ')');
            negative = matches!(c, '-' | '−') && !behind_value || (negative && c == ' ');
            at += c.len_utf8();
        }
    }
    tokens
}

/// Numbers up to a hundred in English and German words. `one` and `ein` are left out: they mostly count nothing.
static WRITTEN: LazyLock<HashMap<String, u32>> = LazyLock::new(|| {
    const ENGLISH: [&str; 20] = [
        "zero",
        "",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const ENGLISH_TENS: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    const GERMAN: [&str; 20] = [
        "null",
        "eins",
        "zwei",
        "drei",
        "vier",
        "fünf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf",
        "dreizehn",
        "vierzehn",
        "fünfzehn",
        "sechzehn",
        "siebzehn",
        "achtzehn",
        "neunzehn",
    ];
    const GERMAN_TENS: [&str; 8] = [
        "zwanzig", "dreissig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig",
    ];
    let mut words = HashMap::new();
    for (number, (english, german)) in (0..).zip(ENGLISH.iter().zip(GERMAN)) {
        words.insert((*english).to_owned(), number);
        words.insert(german.to_owned(), number);
    }
    for (tens, (english, german)) in (2..).zip(ENGLISH_TENS.iter().zip(GERMAN_TENS)) {
        words.insert((*english).to_owned(), tens * 10);
        words.insert(german.to_owned(), tens * 10);
        for ones in 1..10u32 {
            let named = if ones == 1 {
                "one"
            } else {
                ENGLISH[ones as usize]
            };
            words.insert(format!("{english}-{named}"), tens * 10 + ones);
            let named = if ones == 1 {
                "ein"
            } else {
                GERMAN[ones as usize]
            };
            words.insert(format!("{named}und{german}"), tens * 10 + ones);
        }
    }
    words.insert("dreißig".to_owned(), 30);
    words.insert("hundred".to_owned(), 100);
    words.insert("hundert".to_owned(), 100);
    words.remove("");
    words
});
