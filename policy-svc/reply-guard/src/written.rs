//! Numbers in English and German words, and small ones in other languages of our schools.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use turnwise_grading::numerals::{ENGLISH, ENGLISH_TENS, GERMAN, GERMAN_TENS};

/// Numbers in French, Italian and Spanish that are no words of English or German.
const OTHERS: [(&str, u32); 43] = [
    ("deux", 2),
    ("trois", 3),
    ("quatre", 4),
    ("cinq", 5),
    ("sept", 7),
    ("huit", 8),
    ("neuf", 9),
    ("dix", 10),
    ("onze", 11),
    ("douze", 12),
    ("treize", 13),
    ("quatorze", 14),
    ("quinze", 15),
    ("seize", 16),
    ("vingt", 20),
    ("tre", 3),
    ("quattro", 4),
    ("cinque", 5),
    ("sette", 7),
    ("otto", 8),
    ("nove", 9),
    ("dieci", 10),
    ("undici", 11),
    ("dodici", 12),
    ("tredici", 13),
    ("quattordici", 14),
    ("quindici", 15),
    ("sedici", 16),
    ("venti", 20),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
    ("doce", 12),
    ("trece", 13),
    ("catorce", 14),
    ("quince", 15),
    ("veinte", 20),
];
/// Words for one that mostly count nothing.
const SHY: [&str; 7] = ["one", "ein", "eine", "einen", "einem", "einer", "a"];

static WRITTEN: LazyLock<HashMap<String, u32>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for (number, names) in (0..).zip(ENGLISH.iter().zip(GERMAN)) {
        words.insert((*names.0).to_owned(), number);
        words.insert(names.1.to_owned(), number);
    }
    for (tens, (english, german)) in (2..).zip(ENGLISH_TENS.iter().zip(GERMAN_TENS)) {
        let german = german.replace('ß', "ss");
        words.insert((*english).to_owned(), tens * 10);
        words.insert(german.clone(), tens * 10);
        for (ones, (en, de)) in (1..10).zip(ENGLISH.iter().zip(GERMAN).skip(1)) {
            let de = if ones == 1 { "ein" } else { de };
            words.insert(format!("{english}-{en}"), tens * 10 + ones);
            words.insert(format!("{de}und{german}"), tens * 10 + ones);
        }
    }
    for (word, number) in [
        ("dozen", 12),
        ("dutzend", 12),
        ("zwo", 2),
        ("hundred", 100),
        ("hundert", 100),
        ("ii", 2),
        ("iii", 3),
        ("iv", 4),
        ("vi", 6),
        ("vii", 7),
        ("viii", 8),
        ("ix", 9),
        ("xi", 11),
        ("xii", 12),
        ("thousand", 1000),
        ("tausend", 1000),
    ] {
        words.insert(word.to_owned(), number);
    }
    words.extend(OTHERS.map(|(word, number)| (word.to_owned(), number)));
    words.remove("one");
    words
});

/// The number that a word in lower case is; `one` and `ein` are none: see [`is_one`].
pub(crate) fn number(word: &str) -> Option<u32> {
    // `ss` and `ß` are both written.
    let word = match word.contains('ß') {
        true => Cow::Owned(word.replace('ß', "ss")),
        false => Cow::Borrowed(word),
    };
    if let Some(number) = WRITTEN.get(&*word) {
        return Some(*number);
    }
    // `four's the one`, `fo-ur`
    if word.contains(['-', '\'']) {
        let bare = word.strip_suffix("'s").unwrap_or(&word).replace('-', "");
        if let Some(number) = WRITTEN.get(&bare) {
            return Some(*number);
        }
    }
    // `zweihundertvier`
    let (hundreds, rest) = word.split_once("hundert")?;
    let part = |word: &str, none: u32| match word {
        "" => Some(none),
        "ein" => Some(1),
        word => WRITTEN.get(word).copied(),
    };
    let rest = rest.strip_prefix("und").unwrap_or(rest);
    let (hundreds, rest) = (part(hundreds, 1)?, part(rest, 0)?);
    (hundreds < 10 && rest < 100).then_some(hundreds * 100 + rest)
}

/// Whether a word is one, where a number is meant.
pub(crate) fn is_one(word: &str) -> bool {
    SHY.contains(&word)
}

/// The denominator that a word names: `quarters`, `Viertel`.
pub(crate) fn denominator(word: &str) -> Option<u32> {
    let found = match word {
        "half" | "halves" | "halb" | "halbe" | "halbes" | "halben" | "hälfte" | "hälften" => 2,
        "third" | "thirds" | "drittel" => 3,
        "quarter" | "quarters" | "fourth" | "fourths" | "viertel" => 4,
        "fifth" | "fifths" => 5,
        "sixth" | "sixths" => 6,
        "seventh" | "sevenths" | "siebtel" => 7,
        "eighth" | "eighths" | "achtel" => 8,
        "ninth" | "ninths" => 9,
        "twelfth" | "twelfths" => 12,
        word => {
            let english = word.strip_suffix("ths").or_else(|| word.strip_suffix("th"));
            let german = word
                .strip_suffix("stel")
                .or_else(|| word.strip_suffix("tel"));
            // `twentieths`
            let stem = english
                .map(|stem| stem.strip_suffix("ie").map(|tens| format!("{tens}y")))
                .map(|tens| tens.unwrap_or_else(|| english.unwrap_or_default().to_owned()));
            return stem
                .or_else(|| german.map(str::to_owned))
                .and_then(|stem| number(&stem))
                .filter(|below| *below > 1);
        }
    };
    Some(found)
}

/// A number and a half, and other fractions in one word: numerator and denominator.
pub(crate) fn fraction(word: &str) -> Option<(u32, u32)> {
    match word {
        "anderthalb" | "anderthalbe" => return Some((3, 2)),
        "dreiviertel" => return Some((3, 4)),
        "half" | "hälfte" => return Some((1, 2)),
        _ => {}
    }
    let whole = word.strip_suffix("einhalb")?;
    let whole = match whole.strip_suffix("und").unwrap_or(whole) {
        "ein" => 1,
        whole => number(whole)?,
    };
    Some((whole * 2 + 1, 2))
}
