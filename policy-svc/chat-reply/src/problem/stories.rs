//! Problems in words with two numbers, where the words of the question say what is to be done with them: `Tom has 3 apples
//! and gets 5 more. How many has he altogether?`

use turnwise_reply_guard::formula::{Part, Symbol};

use super::{Kind, Problem, problem};

/// What asks for an amount: `how many`, `wie lang`.
#[rustfmt::skip]
const ASKS: [&str; 15] = [
    "many", "much", "long", "old", "viel", "viele", "wieviel", "wieviele", "lang", "alt", "area", "perimeter", "fläche",
    "flächeninhalt", "umfang",
];
/// What is done, and stems of words of the question that say so.
#[rustfmt::skip]
const RULES: [(Operation, &[&str]); 5] = [
    (Operation::Area, &["area", "flächeninhalt", "fläche"]),
    (Operation::Around, &["perimeter", "umfang"]),
    (Operation::Difference, &[
        "left", "remain", "more", "fewer", "older", "younger", "difference", "übrig", "bleib", "mehr", "weniger", "älter",
        "jünger", "unterschied", "rest", "noch",
    ]),
    (Operation::Quotient, &["each", "jede"]),
    (Operation::Sum, &["altogether", "total", "all", "together", "insgesamt", "zusammen", "gesamt"]),
];
/// Words anywhere that make a product of a sum, and a share of each.
const EACH: [&str; 5] = ["each", "every", "je", "jede", "per"];
#[rustfmt::skip]
const SHARED: [&str; 9] = [
    "share", "split", "divide", "equally", "distribut", "verteil", "aufgeteilt", "teil", "gleichmä",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Sum,
    Difference,
    Quotient,
    Area,
    Around,
}

/// The problems, if a text holds two numbers and no formula, and its question says what to do with them. Where it says two
/// things, both count.
pub(super) fn read(parts: &[Part]) -> Vec<Problem> {
    found(parts).unwrap_or_default()
}

fn found(parts: &[Part]) -> Option<Vec<Problem>> {
    let mut numbers = Vec::new();
    for part in parts {
        if let Part::Formula(formula) = part {
            match formula.0.as_slice() {
                // `8 m`
                [Symbol::Number(number)] | [Symbol::Number(number), Symbol::Letter(_)] => {
                    numbers.push(number);
                }
                _ => return None,
            }
        }
    }
    let [first, second] = numbers.as_slice() else {
        return None;
    };
    let question = parts
        .split(|part| matches!(part, Part::Stop('.' | '?' | '!' | '\n')))
        .rev()
        .find(|sentence| sentence.iter().any(|part| is(part, &ASKS)))?;
    let shared = parts.iter().any(|part| begins(part, &SHARED));
    let operations = RULES.iter().filter(|(operation, stems)| {
        (shared || *operation != Operation::Quotient)
            && question.iter().any(|part| begins(part, stems))
    });
    let larger = first.parse::<f64>().ok()? >= second.parse::<f64>().ok()?;
    let (more, less) = if larger {
        (first, second)
    } else {
        (second, first)
    };
    let each = parts.iter().any(|part| is(part, &EACH));
    let problems = operations.filter_map(|(operation, _)| {
        let formula = match operation {
            Operation::Sum if each => format!("{more} * {less}"),
            Operation::Sum => format!("{more} + {less}"),
            Operation::Difference => format!("{more} - {less}"),
            Operation::Quotient => format!("{more} / {less}"),
            Operation::Area => format!("{more} * {less}"),
            Operation::Around => format!("2 * ({more} + {less})"),
        };
        problem(Kind::Other, "Work out the value.", &formula, "")
    });
    Some(problems.collect())
}

fn is(part: &Part, words: &[&str]) -> bool {
    matches!(part, Part::Word(word) if words.contains(&word.as_str()))
}

fn begins(part: &Part, stems: &[&str]) -> bool {
    matches!(part, Part::Word(word) if stems.iter().any(|stem| word.starts_with(stem)))
}
