//! Units of measure, so that 50 mm is 5 cm and 5 km is not 5 km/h.

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::One;

use crate::{
    algebra::Rational,
    notation::{Comma, Token, TokenKind, tokens},
};

/// A unit: what it measures, and how many base units it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// What it measures: `length`, `length/time`, or the words themselves where they are not known.
    pub(crate) dimension: String,
    /// The base units in one of it.
    pub(crate) factor: Rational,
    /// The words as they stood, in lower case.
    pub(crate) words: String,
}

/// Name, dimension, and the factor to the base unit as a quotient.
const TABLE: &[(&[&str], &str, u64, u64)] = &[
    (&["m", "meter", "meters", "metre", "metres"], "length", 1, 1),
    (
        &["km", "kilometer", "kilometers", "kilometre", "kilometres"],
        "length",
        1000,
        1,
    ),
    (
        &[
            "cm",
            "centimeter",
            "centimeters",
            "centimetre",
            "centimetres",
            "zentimeter",
        ],
        "length",
        1,
        100,
    ),
    (
        &[
            "mm",
            "millimeter",
            "millimeters",
            "millimetre",
            "millimetres",
        ],
        "length",
        1,
        1000,
    ),
    (&["in", "inch", "inches"], "length", 254, 10_000),
    (&["ft", "foot", "feet"], "length", 3048, 10_000),
    (&["yd", "yard", "yards"], "length", 9144, 10_000),
    (
        &["mi", "mile", "miles", "meile", "meilen"],
        "length",
        1_609_344,
        1000,
    ),
    (&["g", "gram", "grams", "gramm"], "mass", 1, 1),
    (
        &["kg", "kilogram", "kilograms", "kilogramm"],
        "mass",
        1000,
        1,
    ),
    (
        &["mg", "milligram", "milligrams", "milligramm"],
        "mass",
        1,
        1000,
    ),
    (&["t", "tonne", "tonnes", "tonnen"], "mass", 1_000_000, 1),
    (&["oz", "ounce", "ounces"], "weight", 1, 1),
    (&["lb", "lbs", "pound", "pounds"], "weight", 16, 1),
    (&["ton", "tons"], "weight", 32_000, 1),
    (
        &["l", "L", "liter", "liters", "litre", "litres"],
        "volume",
        1,
        1,
    ),
    (
        &[
            "ml",
            "mL",
            "milliliter",
            "milliliters",
            "millilitre",
            "millilitres",
        ],
        "volume",
        1,
        1000,
    ),
    (&["kl", "kL", "kiloliter", "kiloliters"], "volume", 1000, 1),
    (&["cup", "cups"], "capacity", 1, 1),
    (&["pint", "pints", "pt"], "capacity", 2, 1),
    (&["quart", "quarts", "qt"], "capacity", 4, 1),
    (&["gallon", "gallons", "gal"], "capacity", 16, 1),
    (
        &["s", "sec", "second", "seconds", "sekunde", "sekunden"],
        "time",
        1,
        1,
    ),
    (
        &["min", "minute", "minutes", "mins", "minuten"],
        "time",
        60,
        1,
    ),
    (
        &["h", "hr", "hrs", "hour", "hours", "stunde", "stunden"],
        "time",
        3600,
        1,
    ),
    (&["day", "days", "tag", "tage", "tagen"], "time", 86_400, 1),
    (&["week", "weeks", "woche", "wochen"], "time", 604_800, 1),
    (&["$", "dollar", "dollars", "usd", "USD"], "dollar", 1, 1),
    (&["¢", "cent", "cents"], "dollar", 1, 100),
    (&["€", "euro", "euros", "EUR"], "euro", 1, 1),
    (&["£", "gbp", "GBP"], "sterling", 1, 1),
    (&["¥"], "yen", 1, 1),
    (&["°", "degree", "degrees", "grad"], "angle", 1, 1),
];

/// Names that stand for a quotient of two units.
const COMPOUND: &[(&str, &str, &str)] = &[
    ("mph", "miles", "hour"),
    ("kph", "km", "h"),
    ("kmh", "km", "h"),
];

fn simple(name: &str) -> Option<(String, Rational)> {
    let (_, dimension, above, below) = TABLE.iter().find(|(names, ..)| {
        names.contains(&name)
            || name.chars().count() > 2 && names.contains(&name.to_lowercase().as_str())
    })?;
    Some((
        (*dimension).to_owned(),
        Ratio::new(BigInt::from(*above), BigInt::from(*below)),
    ))
}

/// The unit of a currency sign.
pub(crate) fn currency(sign: char) -> Option<Unit> {
    let (dimension, factor) = simple(sign.encode_utf8(&mut [0; 4]))?;
    Some(Unit {
        dimension,
        factor,
        words: sign.to_string(),
    })
}

/// The unit named by a word of a task, such as the `kilometers` in `Convert 3 m to kilometers`.
pub(crate) fn named(word: &str) -> Option<Unit> {
    let (dimension, factor) = simple(word)?;
    Some(Unit {
        dimension,
        factor,
        words: word.to_lowercase(),
    })
}

/// Reads a text as a unit: `km/h`, `€`, `square metres`.
pub(crate) fn read(text: &str) -> Option<Unit> {
    unit(&tokens(text, Comma::Separates)?)
}

impl Unit {
    /// Whether it is one of the table, or made of such.
    pub(crate) fn is_known(&self) -> bool {
        self.dimension != self.words
    }
}

/// Words before the unit that a prompt asks for. Behind those that begin with a blank nothing else may follow.
const ASKING: &[&str] = &[
    " in ",
    " into ",
    " to ",
    "how many ",
    "how much ",
    "wie viele ",
    "wieviele ",
    "wie viel ",
];

/// Words behind "how many" that name nothing.
const UNCOUNTED: &[&str] = &[
    "more", "times", "of", "are", "is", "do", "does", "did", "can", "mehr", "mal", "sind", "ist",
];

/// The unit that a prompt asks for: "the price in euros", "how many units".
pub(crate) fn asked(prompt: &str) -> Option<Unit> {
    let lower = prompt.to_lowercase();
    ASKING.iter().find_map(|asking| {
        let at = lower.rfind(asking)? + asking.len();
        let rest = prompt
            .get(at..)?
            .split(['.', '?', '!', ',', ';', ':'])
            .next()?;
        let all = tokens(rest, Comma::Separates)?;
        if asking.starts_with(' ') {
            return unit(&all).filter(Unit::is_known);
        }
        let known = (1..=all.len().min(5))
            .rev()
            .filter_map(|length| unit(all.get(..length)?))
            .find(Unit::is_known);
        known.or_else(|| unit(all.get(..1)?).filter(|one| !UNCOUNTED.contains(&one.words.as_str())))
    })
}

/// Whether two units are one, by size or by name.
pub(crate) fn is_same(one: &Unit, other: &Unit) -> bool {
    let name = |unit: &Unit| unit.words.trim_end_matches('s').to_owned();
    let is_pound = |unit: &Unit| matches!(name(unit).as_str(), "pound" | "£");
    one.dimension == other.dimension && one.factor == other.factor
        || name(one) == name(other)
        || is_pound(one) && is_pound(other)
}

/// Whether a word names what a prompt counts.
pub(crate) fn is_counted(asked: &Unit, word: &str) -> bool {
    asked.words.trim_end_matches('s') == word.trim_end_matches('s')
}

/// Reads tokens as a unit: words, signs, a slash or `per`, and whole powers.
pub(crate) fn unit(tokens: &[Token]) -> Option<Unit> {
    if tokens.is_empty() || tokens.len() > 12 {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    for token in tokens {
        match &token.kind {
            TokenKind::Word(word) => words.push(word.to_string()),
            TokenKind::Degree => words.push("°".to_owned()),
            TokenKind::Currency(sign) => words.push(sign.to_string()),
            TokenKind::Operator('/') => words.push("per".to_owned()),
            TokenKind::Operator('^') => words.push("^".to_owned()),
            TokenKind::Number {
                value,
                places: None,
            } if words.last().is_some_and(|last| last == "^") => words.push(value.to_string()),
            TokenKind::Open('g') | TokenKind::Close('g') => {}
            _ => return None,
        }
    }
    let spelling = words.join(" ").to_lowercase();
    match known(&words) {
        Some((dimension, factor)) => Some(Unit {
            dimension,
            factor,
            words: spelling,
        }),
        // Words that are no unit of the table name what is counted.
        None => words
            .iter()
            .all(|word| word.chars().all(char::is_alphabetic) && word.chars().count() > 1)
            .then(|| Unit {
                dimension: spelling.clone(),
                factor: Rational::one(),
                words: spelling,
            }),
    }
}

fn known(words: &[String]) -> Option<(String, Rational)> {
    if let [word] = words
        && let Some((_, above, below)) = COMPOUND.iter().find(|(name, ..)| name == word)
    {
        return known(&[(*above).to_owned(), "per".to_owned(), (*below).to_owned()]);
    }
    let mut parts = words.splitn(2, |word| word == "per");
    let above = powered(parts.next()?)?;
    let Some(below) = parts.next() else {
        return Some(above);
    };
    let below = powered(below)?;
    Some((format!("{}/{}", above.0, below.0), above.1 / below.1))
}

fn powered(words: &[String]) -> Option<(String, Rational)> {
    let (name, power) = match words {
        [name] => (name, 1),
        [name, hat, power] if hat == "^" => (name, power.parse::<i32>().ok()?),
        [square, name] if matches!(square.as_str(), "square" | "sq") => (name, 2),
        [cubic, name] if matches!(cubic.as_str(), "cubic" | "cu") => (name, 3),
        [degree, scale] if degree == "°" && matches!(scale.as_str(), "C" | "F") => {
            return Some((format!("temperature {scale}"), Rational::one()));
        }
        [degree, scale]
            if degree.starts_with("degree")
                && matches!(scale.to_lowercase().as_str(), "celsius" | "fahrenheit") =>
        {
            let scale = if scale.to_lowercase() == "celsius" {
                "C"
            } else {
                "F"
            };
            return Some((format!("temperature {scale}"), Rational::one()));
        }
        _ => return None,
    };
    let (dimension, factor) = simple(name)?;
    match power {
        1 => Some((dimension, factor)),
        2 | 3 => Some((format!("{dimension}^{power}"), factor.pow(power))),
        _ => None,
    }
}
