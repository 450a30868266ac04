//! The words that pupils write around formulas, in English and German, and what each says.

/// What words say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The sign that they stand for.
    Sign(&'static str),
    /// Nothing, before an answer.
    Lead,
    /// Nothing, behind an answer.
    Tail,
    /// What follows is concluded from what stands before.
    So,
    /// What follows is the reason.
    Because,
    /// A step that was taken: `I subtracted 7 on both sides`.
    Step,
}

use Meaning::{Because, Lead, Sign, So, Step, Tail};

/// Words in lower case, parted by blanks. Of several that fit, the longest is meant.
#[rustfmt::skip]
const PHRASES: &[(Meaning, &[&str])] = &[
    (Sign("="), &[
        "is", "are", "be", "equals", "equal", "equal to", "is equal to", "are equal to", "must be", "has to be", "will be",
        "would be", "should be", "comes out as", "comes out to", "comes out to be", "comes to", "works out as",
        "works out to", "works out to be", "makes", "gives", "costs", "ist", "sind", "gleich", "ist gleich", "beträgt",
        "betraegt", "lautet", "lauten", "ergibt", "ergeben", "kostet", "muss sein",
    ]),
    (Sign("≤"), &[
        "is less than or equal to", "less than or equal to", "is less or equal to", "is smaller than or equal to",
        "smaller than or equal to", "is at most", "at most", "ist kleiner gleich", "kleiner gleich", "kleiner oder gleich",
        "ist kleiner oder gleich", "ist höchstens", "höchstens",
    ]),
    (Sign("<"), &[
        "is less than", "less than", "is smaller than", "smaller than", "is lower than", "is below", "ist kleiner als",
        "kleiner als", "kleiner",
    ]),
    (Sign("≥"), &[
        "is greater than or equal to", "greater than or equal to", "is more than or equal to", "is bigger than or equal to",
        "bigger than or equal to", "is larger than or equal to", "larger than or equal to", "is at least", "at least",
        "ist größer gleich", "größer gleich", "ist groesser gleich", "groesser gleich", "größer oder gleich",
        "ist größer oder gleich", "ist mindestens", "mindestens",
    ]),
    (Sign(">"), &[
        "is greater than", "greater than", "is more than", "more than", "is bigger than", "bigger than", "is larger than",
        "larger than", "is above", "ist größer als", "größer als", "größer", "ist groesser als", "groesser als",
    ]),
    (Sign("±"), &["plus or minus", "plus minus", "plusminus", "plus oder minus"]),
    (Sign("+"), &["plus"]),
    (Sign("-"), &["minus", "negative", "negativ"]),
    (Sign("*"), &["times", "multiplied by", "mal", "multipliziert mit"]),
    (Sign("/"), &["divided by", "over", "geteilt durch", "dividiert durch", "durch"]),
    (Sign("^2"), &["squared", "zum quadrat", "quadrat", "im quadrat", "to the power of two", "hoch zwei"]),
    (Sign("^3"), &["cubed", "hoch drei"]),
    (Sign("^"), &["to the power of", "to the power", "to the", "hoch"]),
    (Sign("√"), &["square root of", "the square root of", "root of", "root", "sqrt of", "wurzel aus", "wurzel von", "wurzel"]),
    (Sign("%"), &["percent", "percents", "per cent", "pct", "prozent"]),
    (Sign("∞"), &["unendlich"]),
    (Sign(" or "), &["or", "oder", "or else", "as well as", "beziehungsweise"]),
    (Sign(" and "), &["and", "und", "sowie", "and also", "und auch", "and the other is", "and the other one is"]),
    (Lead, &[
        "the", "my", "our", "your", "first", "both", "zuerst", "erst", "beide", "this", "that", "that's", "thats", "it", "its", "it's", "we", "you", "we've", "i've",
        "answer", "answers", "ans", "solution", "solutions", "solution set", "result", "results", "final", "value", "values",
        "number", "numbers", "sum", "difference", "product", "quotient", "price", "slope", "gradient", "share", "amount",
        "fraction", "total", "equation", "expression", "factors", "roots", "point", "coordinate", "variable", "unknown",
        "get", "got", "have", "has", "there", "there's", "found", "find", "ok", "okay", "well", "finally", "i think",
        "i think that", "i believe", "i believe that", "i think it's", "i get", "i got", "i have", "i found", "i found that",
        "i calculated", "i worked out", "i worked it out", "i'm getting", "i came to", "i say", "we find", "we have", "for", "all",
        "die", "der", "das", "den", "dem", "mein", "meine", "unsere", "antwort", "lösung", "lösungen", "loesung",
        "lösungsmenge", "ergebnis", "endergebnis", "resultat", "wert", "zahl", "gesuchte", "summe", "differenz", "produkt",
        "preis", "steigung", "anteil", "bruch", "gleichung", "punkt", "es", "ich", "wir", "man", "glaube", "denke", "habe",
        "haben", "hab", "hat", "gibt", "bekomme", "bekommt", "bekommen", "erhalte", "erhält", "erhalten", "komme", "kommt",
        "kommen", "auf", "ich glaube", "ich denke", "ich meine", "bei mir", "dass", "für", "fuer",
    ]),
    (Tail, &[
        "is the answer", "is my answer", "is my final answer", "is the final answer", "is the solution", "is my solution",
        "is the result", "is what i got", "is what i get", "is my result", "i think", "i believe", "thanks", "thank you",
        "please", "done", "ist die lösung", "ist die loesung", "ist meine lösung", "ist das ergebnis", "ist mein ergebnis",
        "ist die antwort", "ist meine antwort", "glaube ich", "denke ich", "raus", "heraus", "rausbekommen",
        "herausbekommen", "bekommen", "danke", "bitte", "fertig",
    ]),
    (So, &[
        "so", "and so", "therefore", "thus", "hence", "then", "and then", "which gives", "this gives", "that gives",
        "which means", "which means that", "that means", "this means", "it follows that", "so that", "also", "daher",
        "deshalb", "folglich", "somit", "damit", "dann", "und dann", "das heißt", "das heisst", "daraus folgt",
        "das ergibt", "implies",
    ]),
    (Because, &[
        "because", "since", "because of", "as", "from", "weil", "denn", "da", "wegen", "check", "probe", "aus",
    ]),
    (Step, &[
        "subtracted", "subtract", "subtracting", "took away", "take away", "added", "add", "adding", "divided", "divide",
        "dividing", "multiplied", "multiply", "multiplying", "moved", "abgezogen", "subtrahiert", "subtrahiere", "addiert",
        "addiere", "geteilt", "teile", "dividiert", "dividiere", "multipliziert", "multipliziere", "gerechnet", "ziehe",
    ]),
];

/// Words beside those of a step that say nothing more.
#[rustfmt::skip]
const STEP_GLUE: &[&str] = &[
    "i", "we", "you", "just", "have", "both", "sides", "side", "on", "from", "to", "by", "with", "each", "the", "it", "and",
    "then", "over", "ich", "wir", "man", "habe", "haben", "auf", "beiden", "beide", "seiten", "durch", "mit", "von", "und",
    "dann", "minus", "plus", "mal",
];

/// The most words that one meaning has.
const LONGEST: usize = 7;

/// The meaning of the words that begin here, and how many they are.
pub(super) fn meaning(
    words: &[&str],
    allowed: impl Fn(Meaning) -> bool,
) -> Option<(Meaning, usize)> {
    (1..=LONGEST.min(words.len())).rev().find_map(|length| {
        let own = words.get(..length)?;
        let found = PHRASES.iter().find(|(meaning, phrases)| {
            allowed(*meaning)
                && phrases
                    .iter()
                    .any(|phrase| phrase.split(' ').eq(own.iter().copied()))
        });
        found.map(|(meaning, _)| (*meaning, length))
    })
}

/// Whether words say which step was taken, and nothing else.
pub(super) fn is_step(words: &[&str]) -> bool {
    let mut rest = words;
    let mut steps = 0;
    while let Some((first, after)) = rest.split_first() {
        if let Some((_, length)) = meaning(rest, |meaning| meaning == Step) {
            steps += 1;
            rest = rest.get(length..).unwrap_or_default();
        } else if STEP_GLUE.contains(first) {
            rest = after;
        } else {
            return false;
        }
    }
    steps > 0
}

/// Words of a prompt that change what a sentence says. An answer that repeats them is not waved through.
#[rustfmt::skip]
pub(super) const TURNING: &[&str] = &[
    "not", "no", "none", "never", "isn't", "without", "except", "nicht", "kein", "keine", "nie", "ohne", "less", "more",
    "than", "fewer", "least", "most", "below", "above", "under", "half", "twice", "double", "doubled", "third", "times",
    "added", "subtracted", "multiplied", "divided", "squared", "minus", "plus", "before", "after", "other", "opposite",
    "about", "nearly", "almost", "between", "if", "or", "and", "by", "wrong", "false", "old", "given", "falsch",
    "cubed", "triple", "tripled", "increased", "decreased", "reduced", "reciprocal", "inverse", "square", "root", "power",
    "percent", "halb", "doppelt", "verdoppelt", "weniger", "mehr", "unter", "über", "vor", "nach", "andere", "zwischen", "oder",
];
