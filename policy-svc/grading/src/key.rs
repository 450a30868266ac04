//! Compares an answer with a key: the same value, whatever its form.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::{
    algebra::{Env, Quotient, Rational, Roots, Work, normal, primitive_part},
    answer::{self, Answer, Item, Letters, Part, Phrase, Value},
    grade::Verdict,
    notation::{Expression, Relation, Sign},
    solving::{answer_set, may_be_rounded},
    units::Unit,
};

/// Longer texts are not compared.
const MAX_BYTES: usize = 16_000;

/// See [`crate::equivalent`].
pub(crate) fn equivalent(key: &str, answer: &str) -> Verdict {
    if key.len() > MAX_BYTES || answer.len() > MAX_BYTES || key.trim().is_empty() {
        return Verdict::CannotTell;
    }
    let (plain_key, plain_answer) = (plain(key), plain(answer));
    if plain_key == plain_answer && !plain_key.is_empty() {
        return Verdict::Right;
    }
    let keys = answer::readings(key);
    let answers = answer::readings(answer);
    let mut work = Work::new();
    let [(_, key)] = keys.as_slice() else {
        // An ambiguous key is met only by what means the same in each of its readings.
        let met = !keys.is_empty()
            && keys.iter().all(|(reading, key)| {
                answer::read(answer, *reading)
                    .is_some_and(|answer| compare(key, &answer, &mut work) == Verdict::Right)
            });
        return verdict_if(met, Verdict::Right);
    };
    let mut wrong = false;
    for (_, answer) in &answers {
        match compare(key, answer, &mut work) {
            Verdict::Right => return Verdict::Right,
            Verdict::Wrong => wrong = true,
            Verdict::CannotTell => return Verdict::CannotTell,
        }
    }
    verdict_if(wrong, Verdict::Wrong)
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
    match answer.values(letters, work) {
        Some(values) => lists(&keys, &values, work),
        None => Verdict::CannotTell,
    }
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
    let linear = |sum: &crate::algebra::Sum| {
        sum.is_polynomial()
            && sum.terms().all(|(monomial, _)| {
                monomial.0.len() <= 1
                    && monomial
                        .0
                        .iter()
                        .all(|(_, exponent)| exponent.is_integer() && exponent.to_integer() <= 1)
            })
    };
    if linear(&own) && linear(&theirs) && own.variables() == theirs.variables() {
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

/// The whole set of values, in any order.
fn lists(keys: &[Value], values: &[Value], work: &mut Work) -> Verdict {
    let mut matched = vec![false; keys.len()];
    let mut strange = false;
    for value in values {
        let mut own = false;
        for (key, matched) in keys.iter().zip(&mut matched) {
            match single(key, value, keys.len() > 1, work) {
                Verdict::Right => {
                    own = true;
                    *matched = true;
                }
                Verdict::Wrong => {}
                Verdict::CannotTell => return Verdict::CannotTell,
            }
        }
        strange |= !own;
    }
    verdict(!strange && matched.iter().all(|matched| *matched))
}

fn single(key: &Value, value: &Value, several: bool, work: &mut Work) -> Verdict {
    match (&key.variable, &value.variable) {
        (Some(own), Some(theirs)) if own != theirs => {
            // Of x = 2, y = 3 each has its own; alone, another name is another question.
            return if several {
                Verdict::Wrong
            } else {
                Verdict::CannotTell
            };
        }
        _ => {}
    }
    let equal = expressions(&key.expression, &value.expression, work);
    match (&key.unit, &value.unit) {
        (None, None) => equal,
        (Some(own), Some(theirs)) => {
            let known = |unit: &Unit| unit.dimension != unit.words;
            // Of several counted things, other numbers of other things are other items of the list.
            if several && equal == Verdict::Wrong && !known(own) && !known(theirs) {
                return Verdict::Wrong;
            }
            quantities(key, own, value, theirs, work)
        }
        // The value is what counts, as long as the number itself is the key's.
        (None, Some(_)) if equal == Verdict::Right => Verdict::Right,
        _ => Verdict::CannotTell,
    }
}

fn quantities(key: &Value, own: &Unit, value: &Value, theirs: &Unit, work: &mut Work) -> Verdict {
    let scaled = |value: &Value, unit: &Unit, work: &mut Work| {
        let number = normal(&value.expression, &mut Env::new(Roots::Real), work).ok()?;
        number
            .multiply(&Quotient::number(unit.factor.clone()), work)
            .ok()
    };
    let (Some(left), Some(right)) = (scaled(key, own, work), scaled(value, theirs, work)) else {
        return Verdict::CannotTell;
    };
    let singular = |unit: &Unit| unit.dimension.trim_end_matches('s').to_owned();
    if singular(own) != singular(theirs) {
        // Units of the table measure different things; words that are not in it may name the same thing.
        let known = |unit: &Unit| unit.dimension != unit.words;
        return verdict_if(known(own) && known(theirs), Verdict::Wrong);
    }
    match left.equals(&right, work) {
        Ok(Some(equal)) => verdict(equal),
        _ => Verdict::CannotTell,
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
    if may_be_rounded(answer, &left) || may_be_rounded(key, &right) {
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
    // Another variable is another question.
    let names = |expression: &Expression| -> Vec<Rc<str>> { expression.variables() };
    if names(key) != names(answer) && (names(key).is_empty() || names(answer).is_empty()) {
        return Verdict::CannotTell;
    }
    Verdict::Wrong
}
