//! Shares and percentages in words: `15% of 80`, `3/4 von 20`, `80 um 15 % erhöhen`.

use std::ops::Range;

use turnwise_reply_guard::formula::{Formula, Part, Symbol};

use super::{Kind, Problem, problem};

/// Stems of words that say that something becomes more, and less.
const MORE: [&str; 8] = [
    "increas", "erhöh", "rais", "steig", "more", "vermehr", "zuschlag", "markup",
];
const LESS: [&str; 12] = [
    "decreas",
    "reduc",
    "discount",
    "off",
    "less",
    "verminder",
    "reduzier",
    "rabatt",
    "senk",
    "billiger",
    "nachlass",
    "skonto",
];

/// A number, or so many per cent.
#[derive(Debug, Clone)]
struct Amount {
    at: usize,
    text: String,
    percent: bool,
}

/// The quantity that a sentence asks for, and the parts that name it.
pub(super) fn read(parts: &[Part]) -> Option<(Range<usize>, Vec<Problem>)> {
    let amounts: Vec<Amount> = parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match part {
            Part::Formula(formula) => Some((at, formula)),
            _ => None,
        })
        // `80 is 12` has two.
        .flat_map(|(at, formula)| {
            let sides = formula.0.split(|symbol| *symbol == Symbol::Sign('='));
            sides.filter_map(move |side| amount(at, side))
        })
        .collect();
    let says = |stems: &[&str]| {
        parts.iter().any(|part| {
            matches!(part, Part::Word(word) if stems.iter().any(|stem| word.starts_with(stem)))
        })
    };
    let [first, second] = amounts.as_slice() else {
        return None;
    };
    let range = first.at..second.at + 1;
    let between = parts
        .get(first.at + 1..second.at.max(first.at + 1))
        .unwrap_or_default();
    let of = between.iter().any(
        |part| matches!(part, Part::Word(word) if matches!(word.as_str(), "of" | "von" | "vom")),
    );
    let made = |kind, question: String, shown: String| {
        Some((
            range.clone(),
            vec![problem(kind, "Work out the value.", &question, &shown)?],
        ))
    };
    let share = match (first.percent, second.percent) {
        (true, false) => Some((first, second)),
        (false, true) => Some((second, first)),
        _ => None,
    };
    if let Some((share, whole)) = share {
        let part = format!("{}/100*{}", share.text, whole.text);
        let shown = format!("{}% · {}", share.text, whole.text);
        return if says(&LESS) {
            made(Kind::Percent, format!("{} - {part}", whole.text), shown)
        } else if says(&MORE) {
            made(Kind::Percent, format!("{} + {part}", whole.text), shown)
        } else if of {
            made(Kind::Percent, part, shown)
        } else {
            None
        };
    }
    if first.percent {
        return None;
    }
    let asks_percent = says(&["percent", "prozent", "percentage"]);
    if asks_percent {
        // `What percent of 80 is 12?`, `Wie viel Prozent sind 12 von 80?`
        let (above, below) = if of { (first, second) } else { (second, first) };
        let share = format!("{}/{}", above.text, below.text);
        let shown = format!("{}, {}", first.text, second.text);
        let (range, mut problems) = made(Kind::Percent, format!("{share}*100"), shown.clone())?;
        problems.extend(problem(
            Kind::Percent,
            "Convert to a percent.",
            &share,
            &shown,
        ));
        return Some((range, problems));
    }
    if of && first.text.contains('/') {
        let question = format!("({})*{}", first.text, second.text);
        let shown = format!("{} · {}", first.text, second.text);
        return made(Kind::Fraction, question, shown);
    }
    None
}

fn amount(at: usize, symbols: &[Symbol]) -> Option<Amount> {
    let (number, percent) = match symbols {
        [number @ .., Symbol::Sign('%')] => (number, true),
        number => (number, false),
    };
    let plain = match number {
        [Symbol::Number(_)] => true,
        [Symbol::Number(_), Symbol::Sign('/'), Symbol::Number(_)] => !percent,
        _ => false,
    };
    plain.then(|| Amount {
        at,
        text: Formula(number.to_vec()).to_string(),
        percent,
    })
}

/// What an operation is called, and how its two values stand: in their order, or the other way round.
#[rustfmt::skip]
const OPERATIONS: [(&[&str], char, &[&str]); 4] = [
    (&["add", "adding", "sum", "addier", "summe", "zusammen"], '+', &["to", "and", "und", "zu", "with", "mit"]),
    (&["subtract", "take", "difference", "subtrahier", "differenz", "zieh"], '-', &["from", "and", "und", "von"]),
    (&["multipl", "product", "produkt"], '*', &["by", "and", "und", "mit", "with"]),
    (&["divid", "quotient", "dividier", "teile"], '/', &["by", "and", "und", "durch"]),
];

/// The operation that words name between two values: `add 3/4 to 1/6`, `die Summe von 3/4 und 1/6`.
pub(super) fn named(parts: &[Part]) -> Option<Problem> {
    let values: Vec<(usize, &Formula)> = parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match part {
            Part::Formula(formula) => Some((at, formula)),
            _ => None,
        })
        .collect();
    let [(first_at, first), (second_at, second)] = values.as_slice() else {
        return None;
    };
    let plain = |formula: &Formula| !formula.has_letter() && !formula.is_relation();
    let joined = match parts.get(first_at + 1..*second_at)? {
        [Part::Word(word)] => word.as_str(),
        _ => return None,
    };
    let (_, sign, _) = OPERATIONS.iter().find(|(stems, _, joins)| {
        joins.contains(&joined)
            && parts.iter().take(*first_at).any(|part| {
                matches!(part, Part::Word(word) if stems.iter().any(|stem| word.starts_with(stem)))
            })
    })?;
    let turned = *sign == '-' && matches!(joined, "from" | "von");
    let (left, right) = if turned {
        (second, first)
    } else {
        (first, second)
    };
    let question = format!("({left}) {sign} ({right})");
    let shown = format!("{left} {sign} {right}");
    (plain(first) && plain(second))
        .then(|| problem(Kind::Calculation, "Work out the value.", &question, &shown))?
}
