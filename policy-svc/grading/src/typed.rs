//! The answer to a drill in a message, be it right or wrong.

use crate::{
    algebra::Work,
    answer::{self, Answer, Item, Letters, Part, Phrase},
    grade::Drill,
    key::{self, plain},
    notation::{Expression, Sign},
    units, wording,
};

/// Signs that compare.
const RELATIONS: &str = "=<>≤≥≠";

/// Words behind an answer that ask whether it is right, or say that it was checked, in the catalogue's languages.
#[rustfmt::skip]
const CHECKED: &[&str] = &[
    "and", "i", "have", "checked", "check", "it", "is", "that", "this", "right", "correct", "please", "am",
    "und", "ich", "habe", "hab", "überprüft", "geprüft", "kontrolliert", "nachgerechnet", "es", "das", "ist", "stimmt",
    "stimmt's", "richtig", "korrekt", "bitte",
];

/// Words by which a number names something and is no answer, unless the exercise has them: `number 5`, `slope 3`.
#[rustfmt::skip]
const NAMED: &[&str] = &[
    "number", "numbers", "slope", "gradient", "price", "share", "amount", "fraction", "equation", "expression", "point",
    "coordinate", "variable", "zahl", "steigung", "preis", "anteil", "bruch", "gleichung", "punkt",
];

/// Words around a value by which it is only supposed: `ok so maybe 4?`, `4 glaub ich`.
#[rustfmt::skip]
const SUPPOSING: &[&str] = &[
    "ok", "okay", "so", "well", "um", "umm", "ummm", "uh", "did", "done", "hm", "hmm", "no", "yes", "then", "also", "maybe", "perhaps", "probably", "i", "i'd",
    "guess", "think", "say", "would", "could", "might", "must", "be", "it", "it's", "is", "that", "that's", "this", "the",
    "answer", "makes", "oh", "ah", "wait", "mean", "meant", "guessing", "idk", "ähm", "äh", "na", "gut", "nein",
    "ja", "dann", "vielleicht", "wahrscheinlich", "ich", "würde", "sagen",
    "glaub", "glaube", "denke", "könnte", "müsste", "muss", "wäre", "es", "sein", "raus", "rauskommen", "kommt", "das", "macht",
    "ist", "die", "antwort", "lösung", "oder", "ach", "meine", "meinte", "tippe", "schätze", "wären",
    "right", "correct", "solution", "richtige", "result", "ergebnis", "stimmt", "passt",
];

/// Pairs of words that do.
const UNSURE: &[[&str; 2]] = &[["not", "sure"], ["nicht", "sicher"], ["bin", "mir"]];

/// Words before what somebody says to have got, with what stands before them: `I got`, `came up with`, `komme ich auf`.
const GOT: &[(&[&str], &[&str])] = &[
    (&["i", "we", "and", "then", "so"], &["got", "get"]),
    (&["up"], &["with"]),
    (
        &["ich", "wir", "und", "dann"],
        &["bekomme", "bekam", "erhalte", "erhielt", "kriege"],
    ),
    (&["komme", "kam", "kommen", "ich", "tippe"], &["auf"]),
];

/// Words behind what somebody says to have got, and words that go on with how: `got 4 by adding`, `habe 4 bekommen`.
const GOT_LAST: &[&str] = &[
    "bekommen",
    "herausbekommen",
    "rausbekommen",
    "erhalten",
    "gekriegt",
    "raus",
    "heraus",
];
const GOING_ON: &[&str] = &[
    "as", "by", "because", "since", "after", "when", "als", "indem", "weil", "nachdem", "wenn",
];

/// Words of who tells what they did.
const OWN: &[&str] = &["i", "we", "ich", "wir"];

/// Words of who asks, denies or wants something instead.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "why", "how", "what", "which", "where", "who", "if", "not", "never", "don't", "can't", "cannot", "isn't", "want",
    "need", "explain", "show", "tell", "please", "learn", "can", "could", "test", "exam", "grade", "erklär", "erkläre", "zeig",
    "zeige", "bitte", "lernen", "kannst", "könntest", "note", "klasse", "warum", "wieso", "weshalb",
    "wie", "was", "wann", "wo", "wer", "welche", "nicht", "nie", "kein",
    "keine", "möchte", "will",
];

/// See [`crate::answer_in`].
pub(crate) fn answer_in<'m>(drill: &Drill<'_>, message: &'m str) -> Option<&'m str> {
    let unasked = without_last(message.trim(), CHECKED);
    // `is -15 right?`
    let bare = without_supposing(unasked);
    if unasked != message.trim() && is_value(drill, bare) {
        return Some(bare);
    }
    if reads_as_answer(drill, message) {
        return Some(message);
    }
    let message = unasked;
    // `2x = 8, x = 4`
    let in_a_row = || {
        let parted = message.rsplit_once(", ");
        parted.filter(|(working, _)| working.split(", ").all(is_equation))
    };
    let lines = message.rsplit_once('\n').or_else(in_a_row);
    let (working, last) = lines.unwrap_or_default();
    let last = if working.is_empty() { message } else { last };
    let mut lines = working.lines().filter(|line| !line.trim().is_empty());
    let is_working = lines.all(|line| line.contains(is_formula));
    let has_value = last.contains(char::is_numeric);
    if !is_working || !has_value {
        return None;
    }
    let supposed = || Some(without_supposing(last)).filter(|value| is_value(drill, value));
    (reads_as_answer(drill, last).then_some(last))
        .or_else(supposed)
        .or_else(|| told(drill, last))
}

/// A line without the words at both ends that only suppose.
fn without_supposing(line: &str) -> &str {
    let mut rest = line;
    while let Some((first, behind)) = rest.split_once(char::is_whitespace) {
        let behind = behind.trim_start();
        let next = behind.split_once(char::is_whitespace);
        let is_unsure = |[one, other]: &[&str; 2]| {
            is_of(first, &[one]) && next.is_some_and(|(next, _)| is_of(next, &[other]))
        };
        rest = match next {
            Some((_, behind)) if UNSURE.iter().any(is_unsure) => behind.trim_start(),
            _ if is_of(first, SUPPOSING) => behind,
            // `I'm guessing 4`, but not `I'm 12`
            Some((next, _))
                if is_of(first, &["i'm"]) && (is_of(next, SUPPOSING) || is_of(next, &["not"])) =>
            {
                behind
            }
            _ => break,
        };
    }
    without_last(rest, SUPPOSING)
}

/// A line without the words of a list at its end: `I got 4, is that right?`
fn without_last<'m>(line: &'m str, list: &[&str]) -> &'m str {
    let mut rest = line;
    while let Some((before, last)) = rest.rsplit_once(char::is_whitespace)
        && is_of(last, list)
    {
        rest = before.trim_end().trim_end_matches([',', '.', ';']);
    }
    rest
}

/// Whether a word is one of a list, whatever marks stand around it.
fn is_of(word: &str, list: &[&str]) -> bool {
    words(word).any(|word| list.contains(&word.as_str()))
}

/// What a student says to have got, and how: `I added the fractions and got 7`.
fn told<'m>(drill: &Drill<'_>, line: &'m str) -> Option<&'m str> {
    let said: Vec<String> = words(line).collect();
    let has = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    if !has(OWN) || has(ASKING) {
        return None;
    }
    // `When do I get 4?`
    let is_asked = line.contains('?') && has(&["when", "wenn"]);
    if is_asked {
        return None;
    }
    if let Some((before, last)) = line.rsplit_once(char::is_whitespace)
        && is_of(last, GOT_LAST)
    {
        let value = before.rsplit(char::is_whitespace).next()?;
        return is_value(drill, value).then_some(value);
    }
    let mut before = line;
    while let Some((rest, last)) = before.rsplit_once(char::is_whitespace) {
        let rest = rest.trim_end();
        let previous = rest.rsplit(char::is_whitespace).next().unwrap_or_default();
        let leads =
            |(before, words): &(&[&str], &[&str])| is_of(last, words) && is_of(previous, before);
        if GOT.iter().any(leads)
            && (!is_of(last, &["auf"]) || has(&["komme", "kam", "kommen", "tippe"]))
        {
            let value = line.get(before.len()..)?.trim();
            let goes_on = value.match_indices(' ').find(|(at, _)| {
                let next = value[at + 1..].split(' ').next().unwrap_or_default();
                is_of(next, GOING_ON)
            });
            let value = goes_on.map_or(value, |(at, _)| &value[..at]);
            return is_value(drill, value).then_some(value);
        }
        before = rest;
    }
    None
}

/// Whether a part of a line reads as an answer, and has no word in it.
fn is_value(drill: &Drill<'_>, part: &str) -> bool {
    let mut words = part.split_whitespace();
    words.all(|word| word.contains(is_formula) || word.chars().nth(1).is_none())
        && part.contains(char::is_numeric)
        && reads_as_answer(drill, part)
}

/// Whether a part of a line is an equation without words.
fn is_equation(part: &str) -> bool {
    let is_word = |word: &str| word.chars().nth(1).is_some();
    part.contains('=') && !part.split(|c: char| !c.is_alphabetic()).any(is_word)
}

fn is_formula(c: char) -> bool {
    c.is_numeric() || RELATIONS.contains(c)
}

/// Whether a text reads as an answer, and no more.
fn reads_as_answer(drill: &Drill<'_>, message: &str) -> bool {
    let texts = [drill.prompt, drill.question_latex, message];
    let mut texts = texts.into_iter().chain(drill.key);
    if texts.any(|text| text.len() > key::MAX_BYTES) || is_copied(drill, message) {
        return false;
    }
    if speaks_of_another(drill, message) {
        return false;
    }
    let Some(heard) = wording::heard(drill, message) else {
        return false;
    };
    // `is it 3 + 4?`
    if is_copied(drill, &heard.answer) {
        return false;
    }
    // A letter or a word alone, such as `no` or `impossible`, may mean anything.
    says_what_solves(&heard.answer)
        || heard.answer.contains(is_formula)
            && answer::readings(&heard.answer)
                .iter()
                .any(|(_, answer)| is_answer(answer))
}

/// Whether a number stands in the message that counts, measures or names what the exercise has not: `5 minutes`, `number 5`.
fn speaks_of_another(drill: &Drill<'_>, message: &str) -> bool {
    let own = [
        drill.prompt,
        drill.question_latex,
        drill.key.unwrap_or_default(),
    ]
    .join(" ");
    let own: Vec<String> = words(&own).collect();
    let said: Vec<String> = words(message).collect();
    let is_unit = |word: &String| word.chars().nth(1).is_some() && units::named(word).is_some();
    // A problem in words may leave its unit to who reads it.
    let is_in_words = drill.question_latex.trim().is_empty() && !drill.prompt.contains(is_sign);
    let measures = is_in_words || units::asked(drill.prompt).is_some() || own.iter().any(is_unit);
    said.windows(2).any(|pair| match pair {
        [first, second] if first.starts_with(is_formula) => !measures && is_unit(second),
        [first, second] => {
            second.starts_with(is_formula)
                && NAMED.contains(&first.as_str())
                && !own.contains(first)
        }
        _ => false,
    })
}

fn is_sign(c: char) -> bool {
    "=+*/^·$\\".contains(c)
}

/// The words of a text in small letters, and its numbers and signs as they stand between them.
fn words(text: &str) -> impl Iterator<Item = String> {
    let marks = |c: char| matches!(c, '.' | ',' | ':' | ';' | '?' | '!' | '$' | '(' | ')');
    let words = text.split_whitespace();
    words.map(move |word| word.trim_matches(marks).to_lowercase().replace('’', "'"))
}

/// Whether words say what solves the exercise: `no solution`.
fn says_what_solves(text: &str) -> bool {
    let says = |phrase| !matches!(phrase, Phrase::Yes | Phrase::No | Phrase::Comparison(_));
    text.contains(' ') && answer::phrase(text).is_some_and(says)
}

/// Whether the message is the exercise again.
fn is_copied(drill: &Drill<'_>, message: &str) -> bool {
    let message = plain(message);
    [drill.prompt, drill.question_latex]
        .iter()
        .any(|text| !text.trim().is_empty() && plain(text) == message)
}

/// Values, whether a variable is named or not, intervals and points, inequalities that are solved for a variable. A step such
/// as `2x = 8` is none.
fn is_answer(answer: &Answer) -> bool {
    let items = match answer {
        Answer::Phrase(phrase) => return matches!(phrase, Phrase::Comparison(_)),
        Answer::Items(items) => items,
    };
    let ranges = items.iter().all(|(_, item)| match item {
        Item::Bracket { .. } => true,
        Item::Chain { sides, signs, .. } => {
            let is_variable = |side: &Part| matches!(side, Part::Value(Expression::Variable(_)));
            !signs.contains(&Sign::Equal) && sides.iter().any(is_variable)
        }
        Item::Value { .. } => false,
    });
    ranges
        || answer
            .values(Letters::Variables, &mut Work::new())
            .is_some()
}
