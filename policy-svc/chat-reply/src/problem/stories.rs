//! Problems in words with two numbers, where the words of the question say what is to be done with them: `Tom has 3 apples
//! and gets 5 more. How many has he altogether?`

use turnwise_reply_guard::formula::{Part, Symbol};

use super::{Kind, Problem, problem};

/// What asks for an amount.
#[rustfmt::skip]
const ASKS: [&str; 14] = [
    "how", "what", "what's", "find", "calculate", "work", "compute", "wie", "wieviel", "wieviele", "was", "welche", "berechne",
    "bestimme",
];
/// What is done, and stems of words of the question that say so. The first that is found counts.
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
const SHARED: [&str; 10] = [
    "share",
    "split",
    "divide",
    "equally",
    "distribut",
    "verteil",
    "aufgeteilt",
    "geteilt",
    "teil",
    "gleichmä",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Sum,
    Difference,
    Quotient,
    Area,
    Around,
}

/// The problem, if a text holds two numbers and no formula, and its question says what to do with them.
pub(super) fn read(parts: &[Part]) -> Option<Problem> {
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
    let sentences = parts
        .split(|part| matches!(part, Part::Stop('.' | '?' | '!' | '\n')))
        .filter(|sentence| !sentence.is_empty())
        .collect::<Vec<_>>();
    let asks = |sentence: &&&[Part]| sentence.iter().any(|part| is(part, &ASKS));
    let question = sentences.iter().rev().find(asks).or(sentences.last())?;
    let (operation, _) = RULES
        .iter()
        .find(|(_, stems)| question.iter().any(|part| begins(part, stems)))?;
    let says = |stems: &[&str]| parts.iter().any(|part| begins(part, stems));
    let larger = first.parse::<f64>().ok()? >= second.parse::<f64>().ok()?;
    let (more, less) = if larger {
        (first, second)
    } else {
        (second, first)
    };
    let formula = match operation {
        Operation::Sum if parts.iter().any(|part| is(part, &EACH)) => format!("{more} * {less}"),
        Operation::Sum => format!("{more} + {less}"),
        Operation::Difference => format!("{more} - {less}"),
        Operation::Quotient if says(&SHARED) => format!("{more} / {less}"),
        Operation::Quotient => return None,
        Operation::Area => format!("{more} * {less}"),
        Operation::Around => format!("2 * ({more} + {less})"),
    };
    problem(Kind::Other, "Work out the value.", &formula, "")
}

fn is(part: &Part, words: &[&str]) -> bool {
    matches!(part, Part::Word(word) if words.contains(&word.as_str()))
}

fn begins(part: &Part, stems: &[&str]) -> bool {
    matches!(part, Part::Word(word) if stems.iter().any(|stem| word.starts_with(stem)))
}
