//! Judges factored forms.

use num_traits::{One, Signed, ToPrimitive};

use super::{Form, has_sum, is_number, whole};
use crate::{
    algebra::{
        Env, Irreducible, ROOT_STEPS, Roots, Sum, Work, integer_factors, irreducible, normal,
    },
    notation::Expression,
};

/// The factors of a product, with powers unfolded into how often they stand there.
fn factors<'a>(
    expression: &'a Expression,
    times: u32,
    into: &mut Vec<(&'a Expression, u32)>,
) -> bool {
    match expression {
        Expression::Multiply(parts) => parts.iter().all(|part| factors(part, times, into)),
        Expression::Negate(inner) => factors(inner, times, into),
        Expression::Power(base, exponent) => match whole(exponent).and_then(|power| power.to_u32())
        {
            Some(power @ 1..=24) => factors(base, times.saturating_mul(power), into),
            _ => false,
        },
        // A fraction in front, or the whole over a number.
        Expression::Divide(above, below) if is_number(below) => factors(above, times, into),
        other => {
            into.push((other, times));
            true
        }
    }
}

/// Whether an expression is a product whose factors cannot be factored over the integers. `question` is what it must
/// equal.
pub(crate) fn factored(expression: &Expression, question: &Sum, work: &mut Work) -> Form {
    let mut parts = Vec::new();
    if !factors(expression, 1, &mut parts) {
        return Form::Unsure;
    }
    let mut form = as_one_product(expression, &parts, work);
    let whole_question = question.terms().all(|(_, number)| number.is_integer());
    let mut count = 0_u32;
    let mut numbers = 0_u32;
    for (part, times) in parts {
        if is_number(part) {
            numbers += u32::from(!is_one(part));
            continue;
        }
        count = count.saturating_add(times);
        let Ok(value) = normal(part, &mut Env::new(Roots::Real), work) else {
            return Form::Unsure;
        };
        if !value.below.as_number().is_some_and(|one| one.is_one()) || !value.above.is_polynomial()
        {
            form = form.and(Form::Unsure);
            continue;
        }
        if whole_question {
            let content = value.above.content().abs();
            if content.is_integer() && !content.is_one() {
                return Form::Missed;
            }
            if !content.is_integer() {
                form = form.and(Form::Unsure);
            }
        }
        form = form.and(match irreducible(&value.above, work) {
            Irreducible::Yes => Form::Met,
            Irreducible::No => Form::Missed,
            Irreducible::Unknown => Form::Unsure,
        });
    }
    if count + numbers < 2 && form == Form::Met {
        // One factor that cannot be factored is no product, but there was nothing to do either.
        return Form::Unsure;
    }
    form
}

/// Whether a product has one number at most, nothing to cancel, and factors with nothing left to combine.
fn as_one_product(expression: &Expression, parts: &[(&Expression, u32)], work: &mut Work) -> Form {
    let numbers = parts.iter().filter(|(part, _)| is_number(part)).count();
    let mut form = if numbers > 1 || numbers > 0 && matches!(expression, Expression::Divide(..)) {
        Form::Unsure
    } else {
        Form::Met
    };
    for (part, _) in parts {
        if let Expression::Add(terms) = part
            && normal(part, &mut Env::new(Roots::Real), work)
                .is_ok_and(|value| value.above.len() < terms.len())
        {
            form = Form::Missed;
        }
    }
    form
}

/// A factor that changes nothing, or the sign alone.
fn is_one(part: &Expression) -> bool {
    whole(part).is_some_and(|number| number.magnitude().is_one())
}

/// Whether a whole number is written as a product of primes.
pub(crate) fn factored_number(expression: &Expression, work: &mut Work) -> Form {
    let mut parts = Vec::new();
    if !factors(expression, 1, &mut parts) {
        return Form::Unsure;
    }
    let mut count = 0_u32;
    for (part, times) in parts {
        let Some(number) = whole(part) else {
            return Form::Unsure;
        };
        count = count.saturating_add(times);
        if work.take(ROOT_STEPS).is_err() {
            return Form::Unsure;
        }
        match integer_factors(&number).as_deref() {
            Some([(_, 1)]) => {}
            Some(_) => return Form::Missed,
            None => return Form::Unsure,
        }
    }
    if count > 1 { Form::Met } else { Form::Unsure }
}

/// Whether an expression is the greatest common factor times what is left.
pub(crate) fn common_factor_taken(
    expression: &Expression,
    question: &Sum,
    work: &mut Work,
) -> Form {
    let mut parts = Vec::new();
    if !factors(expression, 1, &mut parts) {
        return Form::Unsure;
    }
    let sums: Vec<&Expression> = parts
        .iter()
        .filter(|(part, _)| has_sum(part))
        .map(|(part, _)| *part)
        .collect();
    let [rest] = sums.as_slice() else {
        return if sums.is_empty() {
            Form::Missed
        } else {
            factored(expression, question, work)
        };
    };
    let Ok(rest) = normal(rest, &mut Env::new(Roots::Real), work) else {
        return Form::Unsure;
    };
    let content = rest.above.content().abs();
    let clean = content.is_one() && rest.above.common_monomial().0.is_empty();
    if !clean {
        return Form::Missed;
    }
    if parts.iter().filter(|(part, _)| !is_one(part)).count() > 1 {
        as_one_product(expression, &parts, work)
    } else {
        Form::Unsure
    }
}
