//! The answer to a drill in a message, be it right or wrong.

use crate::{
    algebra::Work,
    answer::{self, Answer, Item, Letters, Part, Phrase},
    grade::Drill,
    key::{self, plain},
    notation::{Expression, Sign},
    wording,
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

/// See [`crate::answer_in`].
pub(crate) fn answer_in<'m>(drill: &Drill<'_>, message: &'m str) -> Option<&'m str> {
    if reads_as_answer(drill, message) {
        return Some(message);
    }
    let message = message.trim();
    let (working, last) = message.rsplit_once('\n').unwrap_or_default();
    let last = without_checks(if working.is_empty() { message } else { last });
    let mut lines = working.lines().filter(|line| !line.trim().is_empty());
    let is_working = lines.all(|line| line.contains(is_formula));
    let has_value = last.contains(char::is_numeric);
    (is_working && has_value && reads_as_answer(drill, last)).then_some(last)
}

/// A line without the words at its end that only ask whether it is right: `I got 4, is that right?`
fn without_checks(line: &str) -> &str {
    let mut rest = line;
    while let Some((before, last)) = rest.rsplit_once(char::is_whitespace) {
        let word = last.trim_matches(['.', ',', '?', '!']).to_lowercase();
        if !CHECKED.contains(&word.replace('’', "'").as_str()) {
            break;
        }
        rest = before.trim_end().trim_end_matches([',', '.', ';']);
    }
    rest
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
    let Some(heard) = wording::heard(drill, message) else {
        return false;
    };
    // `is it 3 + 4?`
    if is_copied(drill, &heard.answer) {
        return false;
    }
    // A letter or a word alone, such as `no`, may mean anything.
    heard.answer.contains(is_formula)
        && answer::readings(&heard.answer)
            .iter()
            .any(|(_, answer)| is_answer(answer))
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
