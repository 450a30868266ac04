//! Numbers in words, in English and German.

/// From nought to twenty.
pub const ENGLISH: [&str; 21] = [
    "zero",
    "one",
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
    "twenty",
];

/// The same in German.
pub const GERMAN: [&str; 21] = [
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
    "zwanzig",
];

/// The tens from twenty on.
pub const ENGLISH_TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// The same in German.
pub const GERMAN_TENS: [&str; 8] = [
    "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig",
];

/// Parts of a whole, from halves on.
const PARTS: [&[&str]; 11] = [
    &["half", "halves", "halb", "halbe"],
    &["third", "thirds", "drittel"],
    &["quarter", "quarters", "fourth", "fourths", "viertel"],
    &["fifth", "fifths", "fünftel"],
    &["sixth", "sixths", "sechstel"],
    &["seventh", "sevenths", "siebtel"],
    &["eighth", "eighths", "achtel"],
    &["ninth", "ninths", "neuntel"],
    &["tenth", "tenths", "zehntel"],
    &["eleventh", "elevenths", "elftel"],
    &["twelfth", "twelfths", "zwölftel"],
];

fn place(word: &str, names: &[&str]) -> Option<usize> {
    names.iter().position(|name| *name == word)
}

/// The number that the words begin with, up to 99, and how many words it takes.
pub(crate) fn number(words: &[&str]) -> Option<(usize, usize)> {
    let first = words.first()?;
    let tens = |word: &str, names: &[&str]| place(word, names).map(|at| 10 * (at + 2));
    if let Some(tens) = tens(first, &ENGLISH_TENS)
        && let Some(ones @ 1..=9) = words.get(1).and_then(|next| place(next, &ENGLISH))
    {
        return Some((tens + ones, 2));
    }
    let whole = place(first, &ENGLISH)
        .or_else(|| place(first, &GERMAN))
        .or_else(|| tens(first, &ENGLISH_TENS))
        .or_else(|| tens(first, &GERMAN_TENS))
        .or_else(|| {
            let (ones, rest) = first.split_once("und")?;
            let ones = if ones == "ein" {
                1
            } else {
                place(ones, &GERMAN)?
            };
            (1..=9)
                .contains(&ones)
                .then_some(ones + tens(rest, &GERMAN_TENS)?)
        });
    if let Some(whole) = whole {
        return Some((whole, 1));
    }
    // An article counts only what is cut in parts: "ein Drittel", "a third".
    let article = matches!(*first, "a" | "ein" | "eine");
    (article && words.get(1).is_some_and(|next| part(next).is_some())).then_some((1, 1))
}

/// How many such parts are a whole: 3 for thirds.
pub(crate) fn part(word: &str) -> Option<usize> {
    PARTS
        .iter()
        .position(|names| names.contains(&word))
        .map(|at| at + 2)
}
