//! Answers that meet the key and only say again what the drill says.

use crate::{
    algebra::Work,
    answer::{self, Answer, Item, Letters, Part, Value},
    forms::{is_literal, is_lowest},
    grade::{Drill, Task},
    notation::{Expression, Shape, Sign, relation_shape, shape},
    prompt::{Piece, pieces, with_units},
    solving::is_solved,
    task::{Problem, Target, Unread},
    units,
};

/// More formulas of a drill are not looked at.
const MAX_FORMULAS: usize = 12;

/// Longer formulas are not looked at.
const MAX_CHARACTERS: usize = 400;

/// Whether an answer is one of the drill's formulas as they stand there, and not as the key stands.
pub(crate) fn is_copied(drill: &Drill<'_>, key: &str, answer: &str) -> bool {
    let own = shapes(answer);
    if own.is_empty() {
        return false;
    }
    let keys = shapes(key);
    if own.iter().any(|shapes| keys.contains(shapes)) {
        return false;
    }
    formulas(drill)
        .iter()
        .flat_map(|formula| shapes(formula))
        .any(|shapes| own.contains(&shapes))
}

/// The formulas of a drill.
pub(crate) fn formulas(drill: &Drill<'_>) -> Vec<String> {
    let mut found: Vec<String> = with_units(pieces(drill.prompt))
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Formula(formula) => Some(formula),
            Piece::Word(..) => None,
        })
        .chain(std::iter::once(drill.question_latex.to_owned()))
        .filter(|formula| formula.chars().count() <= MAX_CHARACTERS)
        .collect();
    found.truncate(MAX_FORMULAS);
    found
}

/// The shapes of a text, once for each of its readings. Numbers in lowest terms and solved equations have none: they are
/// results.
fn shapes(text: &str) -> Vec<Vec<Shape>> {
    if text.chars().count() > MAX_CHARACTERS {
        return Vec::new();
    }
    answer::usual_readings(text)
        .iter()
        .filter_map(|(_, answer)| {
            let Answer::Items(items) = answer else {
                return None;
            };
            let mut all = Vec::new();
            for (_, item) in items {
                all.extend(item_shapes(item)?);
            }
            all.sort();
            Some(all)
        })
        .collect()
}

fn item_shapes(item: &Item) -> Option<Vec<Shape>> {
    match item {
        Item::Value {
            plain: Some(expression),
            ..
        } if !is_result(expression) && !matches!(expression, Expression::Variable(_)) => {
            Some(vec![shape(expression)])
        }
        Item::Chain {
            sides,
            signs,
            unit: None,
        } => {
            let relations = item.relations()?;
            if relations.iter().any(is_solved) {
                return None;
            }
            // `y = 2(x + 3)` and `2(x + 3) = 2(x + 3)` say as little as `2(x + 3)`.
            let mut said: Vec<Shape> = sides
                .iter()
                .filter_map(|side| match side {
                    Part::Value(Expression::Variable(_)) | Part::Infinite(_) => None,
                    Part::Value(expression) => Some(shape(expression)),
                })
                .collect();
            said.dedup();
            if said.len() == 1 && signs.iter().all(|sign| *sign == Sign::Equal) {
                return Some(said);
            }
            Some(relations.iter().map(relation_shape).collect())
        }
        _ => None,
    }
}

/// A number as it is left: `18/24` is an exercise.
fn is_result(expression: &Expression) -> bool {
    is_literal(expression) && is_lowest(expression)
}

/// Whether an answer has the key's value in another unit than is asked for.
pub(crate) fn in_other_unit(
    drill: &Drill<'_>,
    problem: &Result<Problem, Unread>,
    key: &str,
    answer: &str,
) -> bool {
    let quantity = |text: &str| -> Option<Value> {
        let readings = answer::usual_readings(text);
        let (_, first) = readings.first()?;
        match first.values(Letters::Units, &mut Work::new())?.as_slice() {
            [value] => Some(value.clone()),
            _ => None,
        }
    };
    let Some(own) = quantity(answer) else {
        return false;
    };
    let Some(unit) = &own.unit else {
        return false;
    };
    let asked = match problem {
        Ok(problem) => match &problem.target {
            Some(Target::Unit(name)) => units::named(name),
            _ => None,
        },
        Err(_) => None,
    };
    if asked.is_some_and(|asked| asked.dimension != unit.dimension || asked.factor != unit.factor) {
        return true;
    }
    let other_than_key = quantity(key)
        .and_then(|key| key.unit)
        .is_some_and(|key| key.factor != unit.factor);
    let converts = matches!(problem, Err(Unread::Task(Task::Convert)));
    other_than_key
        && (converts
            || formulas(drill).iter().any(|formula| {
                quantity(formula).is_some_and(|given| {
                    given.unit.is_some_and(|given| given.factor == unit.factor)
                        && shape(&given.expression) == shape(&own.expression)
                })
            }))
}

/// Whether an answer counts something else than the prompt asks for: `15 cm` where euros are asked for. A cent may be one of
/// several currencies.
pub(crate) fn in_wrong_unit(drill: &Drill<'_>, key: &str, answer: &str) -> bool {
    let unit = |text: &str| {
        let (_, first) = answer::usual_readings(text).into_iter().next()?;
        match first.values(Letters::Units, &mut Work::new())?.as_slice() {
            [value] => Some(value.unit.clone()),
            _ => None,
        }
    };
    let (Some(None), Some(Some(own))) = (unit(key), unit(answer)) else {
        return false;
    };
    units::asked(drill.prompt).is_some_and(|asked| {
        let differs = asked.dimension != own.dimension && !units::is_same(&asked, &own);
        asked.is_known() && own.is_known() && differs && !own.words.starts_with("cent")
    })
}
