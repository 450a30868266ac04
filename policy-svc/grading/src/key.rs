//! Compares an answer with a key: the same value, whatever its form.

mod values;

use num_bigint::BigInt;

use self::values::lists;
use crate::{
    algebra::{Env, Rational, Roots, Work, normal, primitive_part},
    answer::{self, Answer, Item, Letters, Part, Phrase, Reading},
    grade::Verdict,
    notation::{Expression, Relation, Sign},
    rounding::{is_rounded, may_be_rounded},
    solving::answer_set,
};

/// Longer texts are not read.
pub(crate) const MAX_BYTES: usize = 16_000;

/// Whether an answer has the value of its key, in any form: `2/4` for `0.5`, `3(6n+7)` for `18n+21`, `3<x` for `(3, inf)`. It
/// is not checked against the question, so a question that is copied has its own value.
pub(crate) fn equivalent(key: &str, answer: &str) -> Verdict {
    if key.len() > MAX_BYTES || answer.len() > MAX_BYTES || key.trim().is_empty() {
        return Verdict::CannotTell;
    }
    if written(key).is_empty() {
        return Verdict::CannotTell;
    }
    if is_written_alike(key, answer) {
        return Verdict::Right;
    }
    let keys = answer::usual_readings(key);
    let answers = answer::readings(answer);
    let mut work = Work::new();
    match by_readings(&keys, answer, &answers, &mut work) {
        Verdict::Wrong if is_doubted(key, &keys, answer, &answers, &mut work) => {
            Verdict::CannotTell
        }
        verdict => verdict,
    }
}

/// Whether an answer is the key as it stands, spaces aside. Capitals and small letters are different variables, and the same
/// word.
pub(crate) fn is_written_alike(key: &str, answer: &str) -> bool {
    let (own, theirs) = (written(key), written(answer));
    // `5!` and `5...` say more than 5; `5?` and a `"5"` are read like every other answer.
    let says_more = ["!", "?", "…", "..", "\"", "`"]
        .iter()
        .any(|mark| answer.contains(*mark) && !key.contains(*mark));
    if says_more || own.is_empty() || own.to_lowercase() != theirs.to_lowercase() {
        return false;
    }
    own == theirs || answer::usual_readings(key).is_empty() && answer::readings(answer).is_empty()
}

/// Whether a wrong answer would not be wrong in a less usual reading of it or of the key.
fn is_doubted(
    key_text: &str,
    keys: &[(Reading, Answer)],
    answer: &str,
    answers: &[(Reading, Answer)],
    work: &mut Work,
) -> bool {
    let mut compared = |key: &Answer, answer: &Answer| compare(key, answer, work);
    for (_, key) in keys {
        if answer::as_list(answer).is_some_and(|list| compared(key, &list) == Verdict::Right)
            || answer::doubts(answer)
                .iter()
                .any(|other| compared(key, other) != Verdict::Wrong)
        {
            return true;
        }
    }
    answer::readings(key_text)
        .into_iter()
        .map(|(_, key)| key)
        .chain(answer::doubts(key_text))
        .any(|key| {
            answers
                .iter()
                .any(|(_, answer)| compared(&key, answer) == Verdict::Right)
        })
}

fn by_readings(
    keys: &[(Reading, Answer)],
    answer: &str,
    answers: &[(Reading, Answer)],
    work: &mut Work,
) -> Verdict {
    let [(_, key)] = keys else {
        // An ambiguous key is met only by what means the same in each of its readings.
        let met = !keys.is_empty()
            && keys.iter().all(|(reading, key)| {
                answer::read(answer, *reading)
                    .is_some_and(|answer| compare(key, &answer, work) == Verdict::Right)
            });
        return verdict_if(met, Verdict::Right);
    };
    let mut wrong = false;
    for (_, answer) in answers {
        match compare(key, answer, work) {
            Verdict::Right => return Verdict::Right,
            Verdict::Wrong => wrong = true,
            Verdict::CannotTell => return Verdict::CannotTell,
        }
    }
    verdict_if(wrong, Verdict::Wrong)
}

/// Words and signs without the sentence's end and the white space that parts nothing.
fn written(text: &str) -> String {
    let mut written = String::new();
    let mut spaced = false;
    for character in answer::stripped(text).chars() {
        if character.is_whitespace() {
            spaced = true;
            continue;
        }
        if std::mem::take(&mut spaced)
            && character.is_alphanumeric()
            && written.ends_with(char::is_alphanumeric)
        {
            written.push(' ');
        }
        written.push(match character {
            '−' | '–' => '-',
            other => other,
        });
    }
    written
}

/// Words and signs without white space, upper case and the sentence's end.
pub(crate) fn plain(text: &str) -> String {
    answer::stripped(text)
        .chars()
        .filter(|character| !character.is_whitespace())
        .flat_map(char::to_lowercase)
        .map(|character| match character {
            '−' | '–' => '-',
            other => other,
        })
        .collect()
}

fn verdict(equal: bool) -> Verdict {
    if equal {
        Verdict::Right
    } else {
        Verdict::Wrong
    }
}

fn compare(key: &Answer, answer: &Answer, work: &mut Work) -> Verdict {
    match (key, answer) {
        (Answer::Phrase(key), Answer::Phrase(answer)) => phrases(*key, *answer),
        (Answer::Phrase(Phrase::Nothing), Answer::Items(_)) => {
            match answer.values(Letters::Variables, work) {
                Some(_) => Verdict::Wrong,
                None => Verdict::CannotTell,
            }
        }
        (Answer::Items(_), Answer::Phrase(Phrase::Nothing)) => {
            match key.values(Letters::Variables, work) {
                Some(_) => Verdict::Wrong,
                None => Verdict::CannotTell,
            }
        }
        (Answer::Items(own), Answer::Items(theirs)) => items(key, own, answer, theirs, work),
        _ => sets(key, answer, work),
    }
}

fn phrases(key: Phrase, answer: Phrase) -> Verdict {
    use Phrase::{Comparison, Everything, Infinite, No, Nothing, Yes};
    match (key, answer) {
        _ if key == answer => Verdict::Right,
        (Yes, No)
        | (No, Yes)
        | (Nothing, Everything | Infinite)
        | (Everything | Infinite, Nothing) => Verdict::Wrong,
        (Comparison(_), Comparison(_)) => Verdict::Wrong,
        _ => Verdict::CannotTell,
    }
}

fn sets(key: &Answer, answer: &Answer, work: &mut Work) -> Verdict {
    let (Some((own, own_name)), Some((theirs, their_name))) =
        (answer_set(key, work), answer_set(answer, work))
    else {
        return Verdict::CannotTell;
    };
    if own_name.is_some() && their_name.is_some() && own_name != their_name {
        return Verdict::CannotTell;
    }
    own.equals(&theirs, work)
        .map_or(Verdict::CannotTell, verdict)
}

fn items(
    key: &Answer,
    own: &[(answer::Link, Item)],
    answer: &Answer,
    theirs: &[(answer::Link, Item)],
    work: &mut Work,
) -> Verdict {
    if let (
        [
            (
                _,
                Item::Bracket {
                    open: '(',
                    close: '(',
                    parts: own,
                },
            ),
        ],
        [
            (
                _,
                Item::Bracket {
                    open: '(',
                    close: '(',
                    parts: theirs,
                },
            ),
        ],
    ) = (own, theirs)
    {
        return points(own, theirs, work);
    }
    let is_inequality = |items: &[(answer::Link, Item)]| {
        items.iter().any(|(_, item)| match item {
            Item::Chain { signs, .. } => signs.iter().any(|sign| *sign != Sign::Equal),
            Item::Bracket { open, close, parts } => {
                *open == '['
                    || *close == '['
                    || parts.iter().any(|part| matches!(part, Part::Infinite(_)))
            }
            Item::Value { .. } => false,
        })
    };
    if is_inequality(own) {
        return sets(key, answer, work);
    }
    // A relation between variables: a line, a formula.
    if let (Some(left), Some(right)) = (key.relation(), answer.relation())
        && left.sign == Sign::Equal
        && right.sign == Sign::Equal
        && between_variables(&left)
        && between_variables(&right)
    {
        return equations(&left, &right, work);
    }
    let Some(keys) = key.values(Letters::Variables, work) else {
        return points_in_order(own, theirs, work);
    };
    if is_inequality(theirs) {
        return Verdict::CannotTell;
    }
    let with_variables = keys.iter().any(|value| value.expression.has_variable());
    let letters = if with_variables {
        Letters::Variables
    } else {
        Letters::Units
    };
    if let Some(values) = answer.values(letters, work) {
        return lists(&keys, &values, work);
    }
    // `10 * 1.5 = 16` does not hold: it is wrong if 16 is.
    let concluded = answer
        .concluded(None, with_variables, work)
        .and_then(|last| last.values(letters, work));
    verdict_if(
        concluded.is_some_and(|values| lists(&keys, &values, work) == Verdict::Wrong),
        Verdict::Wrong,
    )
}

fn between_variables(relation: &Relation) -> bool {
    let lone = |one: &Expression, other: &Expression| {
        matches!(one, Expression::Variable(_)) && !other.has_variable()
    };
    !(lone(&relation.left, &relation.right) || lone(&relation.right, &relation.left))
        && (relation.left.has_variable() || relation.right.has_variable())
}

/// Equal up to a factor: the same line, the same formula.
fn equations(key: &Relation, answer: &Relation, work: &mut Work) -> Verdict {
    let mut zero = |relation: &Relation| {
        let mut env = Env::new(Roots::Real);
        let left = normal(&relation.left, &mut env, work).ok()?;
        let right = normal(&relation.right, &mut env, work).ok()?;
        let difference = left.subtract(&right, work).ok()?;
        (!difference.is_zero()).then(|| primitive_part(&difference.above).1)
    };
    let (Some(own), Some(theirs)) = (zero(key), zero(answer)) else {
        return Verdict::CannotTell;
    };
    if own == theirs {
        return Verdict::Right;
    }
    if own.is_linear() && theirs.is_linear() && own.variables() == theirs.variables() {
        Verdict::Wrong
    } else {
        Verdict::CannotTell
    }
}

fn points(own: &[Part], theirs: &[Part], work: &mut Work) -> Verdict {
    if own.len() != theirs.len() {
        return Verdict::Wrong;
    }
    let mut all = Verdict::Right;
    for (key, answer) in own.iter().zip(theirs) {
        let one = match (key, answer) {
            (Part::Infinite(left), Part::Infinite(right)) => verdict(left == right),
            (Part::Value(key), Part::Value(answer)) => expressions(key, answer, work),
            _ => Verdict::CannotTell,
        };
        match one {
            Verdict::Right => {}
            Verdict::Wrong => all = Verdict::Wrong,
            Verdict::CannotTell => return Verdict::CannotTell,
        }
    }
    all
}

/// Several points or intervals: right where all match one by one, open otherwise.
fn points_in_order(
    own: &[(answer::Link, Item)],
    theirs: &[(answer::Link, Item)],
    work: &mut Work,
) -> Verdict {
    if own.len() != theirs.len() || own.len() < 2 {
        return Verdict::CannotTell;
    }
    let right = own
        .iter()
        .zip(theirs)
        .all(|((_, left), (_, right))| match (left, right) {
            (
                Item::Bracket { open, close, parts },
                Item::Bracket {
                    open: other_open,
                    close: other_close,
                    parts: other,
                },
            ) => {
                open == other_open
                    && close == other_close
                    && points(parts, other, work) == Verdict::Right
            }
            _ => false,
        });
    if right {
        Verdict::Right
    } else {
        Verdict::CannotTell
    }
}

fn verdict_if(certain: bool, verdict: Verdict) -> Verdict {
    if certain {
        verdict
    } else {
        Verdict::CannotTell
    }
}

/// Whether two expressions have one value.
fn expressions(key: &Expression, answer: &Expression, work: &mut Work) -> Verdict {
    // Another variable is another question.
    let (own, theirs) = (key.variables(), answer.variables());
    if own.is_empty() != theirs.is_empty() {
        return Verdict::CannotTell;
    }
    let mut value =
        |expression: &Expression, roots: Roots| normal(expression, &mut Env::new(roots), work).ok();
    let absolute = |expression: &Expression| {
        expression.any(&|part| matches!(part, Expression::Absolute(inner) if inner.has_variable()))
    };
    // |x| and x are told apart only with signs unknown.
    let roots = if absolute(key) == absolute(answer) {
        Roots::Positive
    } else {
        Roots::Real
    };
    let (Some(left), Some(right)) = (value(key, roots), value(answer, roots)) else {
        return Verdict::CannotTell;
    };
    match left.equals(&right, work) {
        Ok(Some(true)) => return Verdict::Right,
        Ok(Some(false)) if roots == Roots::Positive => {}
        _ => return Verdict::CannotTell,
    }
    if may_be_rounded(answer, &left) || is_rounded(key, &right) {
        return Verdict::CannotTell;
    }
    // 5 for 5 %: the sign is missing, or too much.
    let percent =
        |expression: &Expression| expression.any(&|part| matches!(part, Expression::Percent(_)));
    if percent(key) != percent(answer)
        && let (Some(left), Some(right)) = (left.as_number(), right.as_number())
    {
        let hundred = Rational::from(BigInt::from(100));
        if &left * &hundred == right || &right * &hundred == left {
            return Verdict::CannotTell;
        }
    }
    Verdict::Wrong
}
