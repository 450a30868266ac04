//! Grades work on expressions: values, simplified, expanded and factored forms, conversions and comparisons.

mod conversion;

use num_traits::{One, Signed};

use self::conversion::lacks_percent;
pub(crate) use self::conversion::{converted, judge_unit};
use crate::{
    algebra::{
        Env, Irreducible, Quotient, Roots, Stop, Work, compare, integer_factors, irreducible,
        normal,
    },
    answer::{Answer, Letters, Phrase, Value},
    forms::{
        Form, common_factor_taken, evaluated, expanded, factored, factored_number, is_decimal,
        is_literal, is_lowest, is_power, simplified,
    },
    grade::{Reason, Task, Verdict},
    notation::{Expression, Sign, shape},
    rounding::{may_be_rounded, rounded},
    solving::{Judgement, OPEN, UNFINISHED},
    task::{Problem, Subject, Target},
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
            (Phrase::Prime, Task::Factor) if exact.as_number().is_some() => prime_number(&exact),
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
        return match problem.target {
            None | Some(Target::Decimal) => rounded(value, &exact, places),
            _ => OPEN,
        };
    }
    equal_in_form(problem, question, &exact, value, work)
}

fn prime_number(exact: &Quotient) -> Judgement {
    let factors = exact
        .as_number()
        .filter(|number| number.is_integer() && number.is_positive())
        .and_then(|number| integer_factors(&number.to_integer()));
    match factors.as_deref() {
        Some([(_, 1)]) => EQUAL,
        Some([_, ..]) => (Verdict::Wrong, Reason::NotFactored),
        _ => OPEN,
    }
}

pub(crate) const EQUAL: Judgement = (Verdict::Right, Reason::EqualInForm);

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
        Ok(Some(false))
            if problem.target == Some(Target::Percent) && lacks_percent(answer, &own, exact) =>
        {
            return OPEN;
        }
        Ok(Some(false)) if !may_be_rounded(answer, exact) => {
            return (Verdict::Wrong, Reason::NotEqual);
        }
        _ => return OPEN,
    }
    let (form, missed) = form(problem, exact, answer, work);
    if shape(answer) == shape(question) && !is_quotient_of_division(problem, answer) {
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
        Form::Met
            if problem.writing
                && (problem.target.is_none() || converted(problem, answer) != Form::Met) =>
        {
            OPEN
        }
        Form::Met => EQUAL,
        // "Finish it" is the answer to what is still to be worked out.
        Form::Missed if missed == Reason::NotEvaluated => UNFINISHED,
        Form::Missed => (Verdict::Wrong, missed),
        Form::Unsure => (Verdict::CannotTell, missed),
    }
}

/// Whether an expression equal to the question has the form that the task asks for, and the reason if not.
pub(crate) fn form(
    problem: &Problem,
    exact: &Quotient,
    answer: &Expression,
    work: &mut Work,
) -> (Form, Reason) {
    match problem.task {
        Task::Evaluate => {
            let form = evaluated(answer, work);
            if form == Form::Met && is_other_quotient(problem, answer) {
                return (Form::Unsure, Reason::NotEvaluated);
            }
            if form == Form::Met && problem.simplified && !is_lowest(answer) {
                return (Form::Missed, Reason::NotSimplified);
            }
            (form, Reason::NotEvaluated)
        }
        Task::Simplify if problem.lowest && is_decimal(answer) => {
            (Form::Unsure, Reason::NotConverted)
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
        Task::Convert => (converted(problem, answer), Reason::NotConverted),
        Task::Solve | Task::Compare | Task::Unknown => (Form::Unsure, Reason::Undecided),
    }
}

/// Whether the form that a task asks for can be told of answers: factors are those of whole numbers and of polynomials.
pub(crate) fn has_form(problem: &Problem, question: &Expression, work: &mut Work) -> bool {
    if problem.task != Task::Factor {
        return true;
    }
    let Some(mut env) = problem.env(roots_for(problem), work) else {
        return false;
    };
    normal(question, &mut env, work).is_ok_and(|exact| {
        exact.as_number().is_some()
            || exact.below.as_number().is_some_and(|one| one.is_one())
                && exact.above.is_polynomial()
    })
}

/// `7/2` for `7 \div 2`: as a number, the quotient is its own answer.
fn is_quotient_of_division(problem: &Problem, answer: &Expression) -> bool {
    problem.divides
        && problem.task == Task::Evaluate
        && matches!(answer, Expression::Divide(..))
        && is_literal(answer)
        && is_lowest(answer)
}

/// `24/8` where `12/4` is to be worked out.
fn is_other_quotient(problem: &Problem, answer: &Expression) -> bool {
    let quotient = |expression: &Expression| {
        let positive = match expression {
            Expression::Negate(inner) => inner,
            other => other,
        };
        matches!(positive, Expression::Divide(..)) && is_literal(positive)
    };
    matches!(&problem.subject, Subject::Expression(question) if quotient(question))
        && quotient(answer)
        && !is_lowest(answer)
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
