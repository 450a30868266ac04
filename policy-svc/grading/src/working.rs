//! Grades work on expressions: values, simplified, expanded and factored forms, conversions and comparisons.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use crate::{
    algebra::{
        Env, Irreducible, Quotient, Rational, Roots, Stop, Work, compare, irreducible, is_rounding,
        normal,
    },
    answer::{Answer, Letters, Phrase, Value},
    forms::{
        Form, common_factor_taken, evaluated, expanded, factored, factored_number, is_literal,
        is_lowest, is_power, is_scientific, signed_number, simplified,
    },
    grade::{Reason, Task, Verdict},
    notation::{Expression, Sign, shape},
    solving::{Judgement, OPEN, may_be_rounded},
    task::{Problem, Subject, Target},
    units,
};

/// Grades an answer to a problem that works on an expression.
pub(crate) fn judge(problem: &Problem, answer: &Answer, work: &mut Work) -> Judgement {
    let question = match &problem.subject {
        Subject::Expression(question) => question,
        Subject::Comparison(left, right) => return comparison(left, right, answer, work),
        _ => return OPEN,
    };
    let Some(mut env) = problem.env(roots_for(problem), work) else {
        return OPEN;
    };
    let exact = match normal(question, &mut env, work) {
        Ok(exact) => exact,
        Err(Stop::NotReal) => {
            return match answer {
                Answer::Phrase(Phrase::NotReal) => EQUAL,
                _ => OPEN,
            };
        }
        Err(Stop::Undefined) => {
            return match answer {
                Answer::Phrase(Phrase::Undefined) => EQUAL,
                _ => OPEN,
            };
        }
        Err(_) => return OPEN,
    };
    if let Answer::Phrase(phrase) = answer {
        return match (phrase, problem.task) {
            (Phrase::Prime, Task::Factor) => match irreducible(&exact.above, work) {
                Irreducible::Yes if exact.above.content().abs().is_one() => EQUAL,
                Irreducible::No => (Verdict::Wrong, Reason::NotFactored),
                _ => OPEN,
            },
            (Phrase::NotReal | Phrase::Undefined, Task::Evaluate) => {
                (Verdict::Wrong, Reason::NotEqual)
            }
            _ => OPEN,
        };
    }
    let letters = if question.has_variable() {
        Letters::Variables
    } else {
        Letters::Units
    };
    let Some(values) = answer.values(letters, work) else {
        return OPEN;
    };
    let [value] = values.as_slice() else {
        return OPEN;
    };
    // `x = 5` for an expression in x says something else than the expression.
    if value
        .variable
        .as_ref()
        .is_some_and(|name| question.variables().contains(name))
    {
        return OPEN;
    }
    if value.unit.is_some() {
        return OPEN;
    }
    if let Some(places) = problem.round {
        return rounded(value, &exact, places);
    }
    equal_in_form(problem, question, &exact, value, work)
}

const EQUAL: Judgement = (Verdict::Right, Reason::EqualInForm);

/// Roots in simplifications are those of school books; factoring has none.
fn roots_for(problem: &Problem) -> Roots {
    if problem.task == Task::Factor {
        Roots::Real
    } else {
        Roots::Positive
    }
}

fn equal_in_form(
    problem: &Problem,
    question: &Expression,
    exact: &Quotient,
    value: &Value,
    work: &mut Work,
) -> Judgement {
    let answer = &value.expression;
    let own = match normal(answer, &mut Env::new(roots_for(problem)), work) {
        Ok(own) => own,
        Err(_) => return OPEN,
    };
    match own.equals(exact, work) {
        Ok(Some(true)) => {}
        Ok(Some(false)) if !may_be_rounded(answer, exact) => {
            return (Verdict::Wrong, Reason::NotEqual);
        }
        _ => return OPEN,
    }
    let (form, missed) = form(problem, exact, answer, work);
    if shape(answer) == shape(question) {
        // What needs no work stays as it is, and a copy shows nothing.
        let needed = match problem.task {
            Task::Simplify => simplified(question, work),
            _ => self::form(problem, exact, question, work).0,
        };
        let verdict = if needed == Form::Missed {
            Verdict::Wrong
        } else {
            Verdict::CannotTell
        };
        return (verdict, Reason::CopiedQuestion);
    }
    match form {
        Form::Met if problem.writing => OPEN,
        Form::Met => EQUAL,
        Form::Missed => (Verdict::Wrong, missed),
        Form::Unsure => (Verdict::CannotTell, missed),
    }
}

/// Whether an expression equal to the question has the form that the task asks for, and the reason if not.
fn form(
    problem: &Problem,
    exact: &Quotient,
    answer: &Expression,
    work: &mut Work,
) -> (Form, Reason) {
    match problem.task {
        Task::Evaluate => {
            let form = evaluated(answer, work);
            if form == Form::Met && problem.simplified && !is_lowest(answer) {
                return (Form::Missed, Reason::NotSimplified);
            }
            (form, Reason::NotEvaluated)
        }
        Task::Simplify => {
            let form = if problem.powers && is_power(answer) {
                Form::Met
            } else {
                simplified(answer, work)
            };
            // Only where the prompt says so is a form that could be simpler wrong.
            let form = if form == Form::Missed && !problem.simplified && answer.has_variable() {
                Form::Unsure
            } else {
                form
            };
            (form, Reason::NotSimplified)
        }
        Task::Expand => {
            let form = expanded(answer, work);
            if form == Form::Unsure
                && problem.simplified
                && simplified(answer, work) == Form::Missed
            {
                return (Form::Missed, Reason::NotSimplified);
            }
            let reason = if form == Form::Unsure {
                Reason::NotSimplified
            } else {
                Reason::NotExpanded
            };
            (form, reason)
        }
        Task::Factor => {
            let form = if exact.as_number().is_some() {
                factored_number(answer, work)
            } else if !exact.below.as_number().is_some_and(|one| one.is_one())
                || !exact.above.is_polynomial()
            {
                Form::Unsure
            } else {
                match factored(answer, &exact.above, work) {
                    Form::Met => Form::Met,
                    _ if problem.common_factor => common_factor_taken(answer, &exact.above, work),
                    other => other,
                }
            };
            (form, Reason::NotFactored)
        }
        Task::Convert => (
            converted(problem.target.as_ref(), answer),
            Reason::NotConverted,
        ),
        Task::Solve | Task::Compare | Task::Unknown => (Form::Unsure, Reason::Undecided),
    }
}

fn converted(target: Option<&Target>, answer: &Expression) -> Form {
    let positive = match answer {
        Expression::Negate(inner) => inner,
        other => other,
    };
    let met = match target {
        Some(Target::Decimal) => matches!(positive, Expression::Number { .. }),
        Some(Target::Fraction) => match positive {
            Expression::Divide(..) if is_literal(positive) => {
                if !is_lowest(positive) {
                    return Form::Unsure;
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
                    return Form::Unsure;
                }
                true
            }
            Expression::Number { places: None, .. } => return Form::Unsure,
            _ => false,
        },
        Some(Target::Improper) => match positive {
            Expression::Divide(above, below) if is_literal(positive) => {
                let size = |part: &Expression| signed_number(part).map(|(value, _)| value.abs());
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

/// Rounding was asked for: the rounded value is right, the exact one may be, and what is far from it is wrong.
fn rounded(value: &Value, exact: &Quotient, places: u32) -> Judgement {
    let Some((number, own_places)) = signed_number(&value.expression) else {
        return OPEN;
    };
    let scale = Rational::from(BigInt::from(10).pow(places));
    let on_grid = (&number * &scale).is_integer();
    if on_grid && own_places.unwrap_or(0) <= places.max(1) {
        if is_rounding(&number, places, exact, false) {
            return EQUAL;
        }
        // Off by more than one unit of the last place, no way of rounding explains it.
        if !is_rounding(&number, places, exact, true) {
            return (Verdict::Wrong, Reason::NotEqual);
        }
    }
    OPEN
}

fn comparison(
    left: &Expression,
    right: &Expression,
    answer: &Answer,
    work: &mut Work,
) -> Judgement {
    let mut value =
        |expression: &Expression| normal(expression, &mut Env::new(Roots::Real), work).ok();
    let (Some(left_value), Some(right_value)) = (value(left), value(right)) else {
        return OPEN;
    };
    let Some(order) = compare(&left_value, &right_value, work) else {
        return OPEN;
    };
    let sign = match answer {
        Answer::Phrase(Phrase::Comparison(sign)) => *sign,
        Answer::Phrase(_) => return OPEN,
        Answer::Items(_) => match answer.relation() {
            Some(relation)
                if shape(&relation.left) == shape(left)
                    && shape(&relation.right) == shape(right) =>
            {
                relation.sign
            }
            Some(relation)
                if shape(&relation.left) == shape(right)
                    && shape(&relation.right) == shape(left) =>
            {
                relation.sign.swapped()
            }
            _ => return OPEN,
        },
    };
    match sign {
        Sign::Less | Sign::Greater | Sign::Equal if sign.holds(order) => EQUAL,
        // True, but not the sign that says most.
        _ if sign.holds(order) => OPEN,
        _ => (Verdict::Wrong, Reason::NotEqual),
    }
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
