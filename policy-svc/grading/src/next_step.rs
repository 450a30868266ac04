//! The first step of working an exercise out by hand: which operation it is, never what comes of it.

use num_traits::{One, Signed, Zero};

use crate::{
    algebra::{Env, Rational, Roots, Work, normal},
    grade::{Drill, Task},
    notation::{Expression, Relation, Sign},
    task::{self, Problem, Subject},
};

/// A step. Its text, where it has one, is LaTeX: a number, or a term of the exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// This is added to both sides.
    Add(String),
    /// This is subtracted from both sides.
    Subtract(String),
    /// Both sides are multiplied by this.
    Multiply(String),
    /// Both sides are divided by this.
    Divide(String),
    /// Both sides of an inequality are divided by this, which turns its sign around.
    DivideAndTurn(String),
    /// Brackets are multiplied out.
    MultiplyOut,
    /// Like terms are put together.
    PutTogether,
    /// The root of both sides is taken.
    TakeRoot,
    /// One factor of a product that is zero is zero.
    ZeroProduct,
    /// What all terms share is taken out.
    TakeOut,
    /// Two numbers are looked for, by their product and their sum.
    TwoNumbers,
    /// What stands in brackets, or above and below a fraction's bar, comes first.
    Brackets,
    /// Powers come first.
    Powers,
    /// Products and quotients come before sums.
    Products,
    /// Fractions get one denominator.
    CommonDenominator,
}

impl Step {
    /// Whether its text is a fraction.
    fn has_fraction(&self) -> bool {
        match self {
            Self::Add(term)
            | Self::Subtract(term)
            | Self::Multiply(term)
            | Self::Divide(term)
            | Self::DivideAndTurn(term) => term.contains("\\frac"),
            _ => false,
        }
    }
}

/// The highest power of the unknown that steps are known for.
const MOST_DEGREE: usize = 2;

/// See [`crate::next_step`].
pub(crate) fn next_step(drill: &Drill<'_>) -> Option<Step> {
    // Where the words are not known, an equation alone is to be solved and a number alone to be worked out.
    let wordless = Drill {
        prompt: "",
        ..*drill
    };
    let problem = task::problem(drill)
        .or_else(|_| task::problem(&wordless))
        .ok()?;
    match &problem.subject {
        Subject::Relations(relations) if problem.task == Task::Solve => {
            let [only] = relations.as_slice() else {
                return None;
            };
            let has_decimals = [&only.left, &only.right]
                .iter()
                .any(|side| side.decimal_places().is_some());
            // A decimal would come back as a fraction, which nobody would know again.
            of_relation(&problem, only).filter(|step| !(has_decimals && step.has_fraction()))
        }
        Subject::Expression(expression) => of_expression(&problem, expression),
        _ => None,
    }
}

fn of_relation(problem: &Problem, relation: &Relation) -> Option<Step> {
    let variables = problem.variables();
    let [variable] = variables.as_slice() else {
        return None;
    };
    let sides = [&relation.left, &relation.right];
    let is_equation = relation.sign == Sign::Equal;
    for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        if is_zero(other) && variable_factors(side) > 1 {
            return is_equation.then_some(Step::ZeroProduct);
        }
    }
    for side in sides {
        if let Expression::Divide(above, below) = side
            && matches!(**above, Expression::Add(_))
            && above.has_variable()
        {
            let below = coefficients(below, variable)?;
            return (below.len() == 1 && below[0].is_positive())
                .then(|| Step::Multiply(latex(&below[0])));
        }
    }
    if sides.iter().any(|side| has_product_of_sum(side)) {
        return Some(Step::MultiplyOut);
    }
    if sides.iter().any(|side| has_like_summands(side)) {
        return Some(Step::PutTogether);
    }
    let left = coefficients(sides[0], variable)?;
    let right = coefficients(sides[1], variable)?;
    if left.len().max(right.len()) > MOST_DEGREE {
        // Roots and factors solve equations alone.
        is_equation.then(|| quadratic(&left, &right, variable))?
    } else {
        linear(relation.sign, &left, &right, variable)
    }
}

/// Unknowns to one side, numbers to the other, and then the coefficient.
fn linear(sign: Sign, left: &[Rational], right: &[Rational], variable: &str) -> Option<Step> {
    let (of_left, of_right) = (part(left, 1), part(right, 1));
    if !of_left.is_zero() && !of_right.is_zero() {
        return Some(removed(&of_left.min(of_right), variable));
    }
    let side = if of_left.is_zero() { right } else { left };
    let (number, coefficient) = (part(side, 0), part(side, 1));
    if coefficient.is_zero() {
        None
    } else if !number.is_zero() {
        Some(removed(&number, ""))
    } else if coefficient.is_one() {
        None
    } else if !coefficient.is_integer() {
        Some(Step::Multiply(coefficient.denom().to_string()))
    } else if sign != Sign::Equal && coefficient.is_negative() {
        Some(Step::DivideAndTurn(latex(&coefficient)))
    } else {
        Some(Step::Divide(latex(&coefficient)))
    }
}

/// A square alone is isolated; anything else is brought to zero and factored.
fn quadratic(left: &[Rational], right: &[Rational], variable: &str) -> Option<Step> {
    let (side, other) = if left.len() > MOST_DEGREE {
        (left, right)
    } else {
        (right, left)
    };
    let (number, coefficient, square) = (part(side, 0), part(side, 1), part(side, 2));
    let is_number = other.len() < 2;
    if coefficient.is_zero() && is_number {
        return Some(if !number.is_zero() {
            removed(&number, "")
        } else if square.is_one() {
            Step::TakeRoot
        } else if square.is_integer() {
            Step::Divide(latex(&square))
        } else {
            Step::Multiply(square.denom().to_string())
        });
    }
    match other {
        [] if number.is_zero() => Some(Step::TakeOut),
        [] => square.is_one().then_some(Step::TwoNumbers),
        [constant] => Some(removed(constant, "")),
        [_, linear] => Some(removed(linear, variable)),
        _ => None,
    }
}

fn of_expression(problem: &Problem, expression: &Expression) -> Option<Step> {
    match problem.task {
        Task::Evaluate if !expression.has_variable() => first_operation(expression),
        Task::Expand if has_product_of_sum(expression) => Some(Step::MultiplyOut),
        Task::Simplify if has_product_of_sum(expression) => Some(Step::MultiplyOut),
        Task::Simplify if has_like_summands(expression) => Some(Step::PutTogether),
        Task::Factor => {
            let variables = problem.variables();
            let [variable] = variables.as_slice() else {
                return None;
            };
            let powers = coefficients(expression, variable)?;
            let (number, coefficient, square) =
                (part(&powers, 0), part(&powers, 1), part(&powers, 2));
            if number.is_zero() {
                Some(Step::TakeOut)
            } else if !coefficient.is_zero() && square.is_one() && powers.len() == 3 {
                Some(Step::TwoNumbers)
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Which of several operations on numbers comes first.
fn first_operation(expression: &Expression) -> Option<Step> {
    let is_sum = |part: &Expression| matches!(part, Expression::Add(_));
    let groups = |part: &Expression| {
        let mut inner = part.parts().into_iter();
        inner.any(|inner| unsigned(inner, is_sum))
    };
    if expression.any(&groups) {
        return Some(Step::Brackets);
    }
    let is_power = |part: &Expression| matches!(part, Expression::Power(..));
    let operates = |part: &Expression| {
        matches!(part, Expression::Add(_) | Expression::Multiply(_)) || is_quotient(part)
    };
    if expression.any(&is_power) && expression.any(&operates) {
        return Some(Step::Powers);
    }
    let Expression::Add(parts) = expression else {
        return None;
    };
    let below: Vec<Rational> = parts.iter().filter_map(denominator).collect();
    if below.len() == parts.len() {
        let first = below.first()?;
        return (below.iter().any(|other| other != first)).then_some(Step::CommonDenominator);
    }
    let is_product =
        |part: &Expression| matches!(part, Expression::Multiply(_)) || is_quotient(part);
    parts
        .iter()
        .any(|part| unsigned(part, is_product))
        .then_some(Step::Products)
}

/// Whether `test` holds for an expression without its signs.
fn unsigned(expression: &Expression, test: impl Fn(&Expression) -> bool) -> bool {
    let mut expression = expression;
    while let Expression::Negate(inner) = expression {
        expression = inner;
    }
    test(expression)
}

/// A quotient that is no fraction of two whole numbers.
fn is_quotient(expression: &Expression) -> bool {
    matches!(expression, Expression::Divide(..)) && denominator(expression).is_none()
}

/// The denominator of a number as it is written: that of a fraction, or one.
fn denominator(expression: &Expression) -> Option<Rational> {
    match expression {
        Expression::Number { places: None, .. } => Some(Rational::one()),
        Expression::Negate(inner) => denominator(inner),
        Expression::Divide(above, below) => match (&**above, &**below) {
            (
                Expression::Number { places: None, .. },
                Expression::Number {
                    value,
                    places: None,
                },
            ) => Some(value.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn is_zero(expression: &Expression) -> bool {
    matches!(expression, Expression::Number { value, .. } if value.is_zero())
}

/// How many factors with the unknown a product has.
fn variable_factors(expression: &Expression) -> usize {
    match expression {
        Expression::Multiply(factors) => factors
            .iter()
            .filter(|factor| factor.has_variable())
            .count(),
        _ => 0,
    }
}

/// Whether a sum with a variable is multiplied, subtracted or raised to a power.
pub(crate) fn has_product_of_sum(expression: &Expression) -> bool {
    let is_sum = |part: &Expression| matches!(part, Expression::Add(_)) && part.has_variable();
    expression.any(&|part| match part {
        Expression::Multiply(factors) => factors.iter().any(is_sum),
        Expression::Power(base, _) => is_sum(base),
        Expression::Negate(inner) => is_sum(inner),
        _ => false,
    })
}

/// Whether a sum has two terms with the same powers, as far as one variable goes.
pub(crate) fn has_like_summands(expression: &Expression) -> bool {
    let Expression::Add(parts) = expression else {
        return false;
    };
    let shape = |part: &Expression| {
        let variables = part.variables();
        match variables.as_slice() {
            [] => Some((String::new(), 0)),
            [only] => Some((only.to_string(), coefficients(part, only)?.len())),
            _ => None,
        }
    };
    let mut seen = Vec::new();
    parts.iter().filter_map(shape).any(|shape| {
        let again = seen.contains(&shape);
        seen.push(shape);
        again
    })
}

/// The coefficients of a polynomial, constant first; none for zero.
fn coefficients(expression: &Expression, variable: &str) -> Option<Vec<Rational>> {
    let normal = normal(expression, &mut Env::new(Roots::Real), &mut Work::new()).ok()?;
    if !normal.below.as_number()?.is_one() {
        return None;
    }
    normal.above.coefficients(variable, MOST_DEGREE)
}

fn part(coefficients: &[Rational], at: usize) -> Rational {
    coefficients.get(at).cloned().unwrap_or_else(Rational::zero)
}

/// The step that takes a term away from a side.
fn removed(coefficient: &Rational, variable: &str) -> Step {
    let size = coefficient.abs();
    let term = if size.is_one() && !variable.is_empty() {
        variable.to_owned()
    } else {
        format!("{}{variable}", latex(&size))
    };
    if coefficient.is_negative() {
        Step::Add(term)
    } else {
        Step::Subtract(term)
    }
}

fn latex(number: &Rational) -> String {
    if number.is_integer() {
        return number.to_string();
    }
    let sign = if number.is_negative() { "-" } else { "" };
    format!(
        "{sign}\\frac{{{}}}{{{}}}",
        number.numer().abs(),
        number.denom()
    )
}
