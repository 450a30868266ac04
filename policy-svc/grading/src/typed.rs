//! Whether a message reads as an answer to a drill, be it right or wrong.

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

/// See [`crate::reads_as_answer`].
pub(crate) fn reads_as_answer(drill: &Drill<'_>, message: &str) -> bool {
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
    let is_formula = |c: char| c.is_numeric() || RELATIONS.contains(c);
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
