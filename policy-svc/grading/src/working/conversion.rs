//! Grades conversions: forms of numbers, and units.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::EQUAL;
use crate::{
    algebra::{Env, Quotient, Rational, Roots, Work, normal},
    answer::{Answer, Letters},
    forms::{Form, is_literal, is_lowest, is_scientific, signed_number},
    grade::{Reason, Verdict},
    notation::Expression,
    rounding::may_be_rounded,
    solving::{Judgement, OPEN},
    task::{Problem, Target},
    units,
};

/// Whether an answer has the form that a conversion asks for.
pub(crate) fn converted(problem: &Problem, answer: &Expression) -> Form {
    // In lowest terms where the prompt says so; elsewhere teachers differ.
    let not_lowest = if problem.simplified {
        Form::Missed
    } else {
        Form::Unsure
    };
    let positive = match answer {
        Expression::Negate(inner) => inner,
        other => other,
    };
    let met = match &problem.target {
        Some(Target::Decimal) => matches!(positive, Expression::Number { .. }),
        Some(Target::Fraction) => match positive {
            Expression::Divide(..) if is_literal(positive) => {
                if !is_lowest(positive) {
                    return not_lowest;
                }
                true
            }
            Expression::Number { places: None, .. } => return Form::Unsure,
            Expression::Mixed(..) => return Form::Unsure,
            _ => false,
        },
        Some(Target::Percent) => matches!(positive, Expression::Percent(_)) && is_literal(positive),
        Some(Target::Mixed) => match positive {
            Expression::Mixed(..) => {
                if !is_lowest(positive) {
                    return not_lowest;
                }
                true
            }
            Expression::Number { places: None, .. } => return Form::Unsure,
            _ => false,
        },
        Some(Target::Improper) => match positive {
            Expression::Divide(above, below) if is_literal(positive) => {
                let size = |part: &Expression| signed_number(part).map(|(value, _)| value.abs());
                if size(above) > size(below) && !is_lowest(positive) {
                    return not_lowest;
                }
                size(above) > size(below)
            }
            Expression::Number { places: None, .. } => return Form::Unsure,
            _ => false,
        },
        Some(Target::Scientific) => {
            return if is_scientific(answer) {
                Form::Met
            } else if is_literal(answer) {
                Form::Missed
            } else {
                Form::Unsure
            };
        }
        Some(Target::Unit(_)) | None => return Form::Unsure,
    };
    if met {
        Form::Met
    } else if is_literal(answer) {
        Form::Missed
    } else {
        Form::Unsure
    }
}

/// `75` for `75%`
pub(super) fn lacks_percent(answer: &Expression, own: &Quotient, exact: &Quotient) -> bool {
    if answer.any(&|part| matches!(part, Expression::Percent(_))) {
        return false;
    }
    let percent = Expression::Percent(Box::new(answer.clone()));
    let hundred = Rational::from(BigInt::from(100));
    let is_hundredfold = match (own.as_number(), exact.as_number()) {
        (Some(own), Some(exact)) => own == exact * hundred,
        _ => false,
    };
    is_hundredfold || may_be_rounded(&percent, exact)
}

/// Grades a conversion between units: `question` is a number with a unit, such as `350 L`.
pub(crate) fn judge_unit(
    question: &Answer,
    target: &str,
    answer: &Answer,
    work: &mut Work,
) -> Judgement {
    let Some(target) = units::named(target) else {
        return OPEN;
    };
    let one = |answer: &Answer, work: &mut Work| {
        let values = answer.values(Letters::Units, work)?;
        match values.as_slice() {
            [value] if value.variable.is_none() => Some(value.clone()),
            _ => None,
        }
    };
    let (Some(given), Some(value)) = (one(question, work), one(answer, work)) else {
        return OPEN;
    };
    let Some(from) = given.unit else {
        return OPEN;
    };
    if from.dimension != target.dimension {
        return OPEN;
    }
    let number = |expression: &Expression, work: &mut Work| {
        normal(expression, &mut Env::new(Roots::Real), work)
            .ok()?
            .as_number()
    };
    let (Some(given), Some(own)) = (
        number(&given.expression, work),
        number(&value.expression, work),
    ) else {
        return OPEN;
    };
    let exact = given * &from.factor / &target.factor;
    match &value.unit {
        None => {}
        Some(unit) if unit.dimension == target.dimension && unit.factor == target.factor => {}
        Some(unit)
            if unit.dimension == target.dimension
                && &own * &unit.factor == &exact * &target.factor =>
        {
            return (Verdict::Wrong, Reason::NotConverted);
        }
        Some(_) => return OPEN,
    }
    if own == exact {
        return if is_literal(&value.expression) {
            EQUAL
        } else {
            OPEN
        };
    }
    // Tables of units give rounded factors between the metric and other systems.
    let metric =
        |unit: &units::Unit| only_tens(unit.factor.numer()) && only_tens(unit.factor.denom());
    if metric(&from) == metric(&target)
        && !may_be_rounded(&value.expression, &Quotient::number(exact))
    {
        (Verdict::Wrong, Reason::NotEqual)
    } else {
        OPEN
    }
}

fn only_tens(number: &BigInt) -> bool {
    let mut rest = number.clone();
    let ten = BigInt::from(10);
    while rest > BigInt::one() {
        if &rest % &ten != BigInt::default() {
            return false;
        }
        rest /= &ten;
    }
    true
}
