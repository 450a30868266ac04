//! The first step of working an exercise out by hand: which operation it is, never what comes of it.

mod numbers;

use num_traits::{One, Signed, Zero};

use self::numbers::first_operation;
use crate::{
    algebra::{Env, Rational, Roots, Work, normal},
    grade::{Drill, Task},
    notation::{Expression, Relation, Sign},
    own::{value, without_words},
    prompt::{Piece, pieces},
    solving::is_solved,
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
    /// A sum in brackets is raised to a power.
    PowerOfSum,
    /// Like terms are put together.
    PutTogether,
    /// The numbers of a sum are put together.
    WorkOutNumbers,
    /// The root of both sides is taken.
    TakeRoot,
    /// A square is compared with a negative number.
    SquareSign,
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
    /// Products and quotients of whole numbers are worked out one after the other.
    LeftToRight,
    /// Fractions get one denominator.
    CommonDenominator,
    /// The only operation: numerators over the same denominator are added or subtracted.
    Numerators,
    /// The only operation: fractions are multiplied with each other, or with whole numbers.
    MultiplyFractions,
    /// The only operation: a fraction is raised to a power.
    PowerOfFraction,
    /// The only operation: integers are added, one of which is negative.
    CompareSigns,
    /// The only operation: an integer is subtracted.
    AddOpposite,
    /// The only operation: integers are multiplied or divided, one of which is negative.
    SignFirst,
    /// A number is put in for the unknown, to see whether it is a solution.
    PutIn,
}

impl Step {
    /// Whether it is the whole way.
    pub(crate) fn is_only(&self) -> bool {
        matches!(
            self,
            Self::Numerators
                | Self::MultiplyFractions
                | Self::PowerOfFraction
                | Self::CompareSigns
                | Self::AddOpposite
                | Self::SignFirst
        )
    }

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
    if asks_whether_solution(drill.prompt) {
        return has_equation(drill).then_some(Step::PutIn);
    }
    // Where the words are not known, an equation alone is to be solved and a number alone to be worked out.
    let wordless = Drill {
        prompt: "",
        ..*drill
    };
    let problem = task::in_english(drill)
        .or_else(|_| task::in_english(&wordless))
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
        Subject::Expression(expression) => match of_expression(&problem, expression)? {
            // `8 + (-12)` and `8 - 12` are read as the same.
            Step::AddOpposite if adds_negative(drill) => Some(Step::CompareSigns),
            step => Some(step),
        },
        _ => None,
    }
}

/// Whether a plus and a minus stand side by side: `8 + (-12)`.
fn adds_negative(drill: &Drill<'_>) -> bool {
    [drill.prompt, drill.question_latex].iter().any(|text| {
        let text = text.replace("\\left", "");
        let is_between = |sign: &char| sign.is_whitespace() || "({[".contains(*sign);
        let signs: String = text.chars().filter(|sign| !is_between(sign)).collect();
        ["+-", "+−", "+–"].iter().any(|pair| signs.contains(pair))
    })
}

/// Whether a prompt asks for yes or no: `Is 3 a solution of the equation?`
fn asks_whether_solution(prompt: &str) -> bool {
    let prompt = prompt.to_lowercase();
    let words = prompt.split(|c: char| !c.is_alphabetic());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let is_named = |pair: &[&str]| matches!(pair, ["a", "solution"] | ["eine", "lösung"]);
    words.windows(2).any(is_named)
        && has(&["is", "whether", "if", "ist", "ob"])
        && !has(&["what", "which", "there", "find", "was", "welche", "gibt"])
}

/// Whether an equation with an unknown stands in the formula or in the words, solved ones aside.
fn has_equation(drill: &Drill<'_>) -> bool {
    let is_equation = |text: &str| match task::formula(text) {
        Some(Subject::Relations(relations)) => match relations.as_slice() {
            [only] => {
                let has_unknown = only.left.has_variable() || only.right.has_variable();
                only.sign == Sign::Equal && has_unknown && !is_solved(only)
            }
            _ => false,
        },
        _ => false,
    };
    let said = pieces(drill.prompt);
    let is_said = |piece: &Piece| match piece {
        Piece::Formula(formula) => is_equation(&without_words(formula)),
        Piece::Word(..) => false,
    };
    is_equation(drill.question_latex) || said.iter().any(is_said)
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
    if let Some(side) = sides.iter().find(|side| has_product_of_sum(side)) {
        return multiplied_out(side);
    }
    let together = sides.iter().filter_map(|side| put_together(side));
    if let Some(step) = together.min_by_key(|step| *step == Step::WorkOutNumbers) {
        return Some(step);
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
        } else if square.is_one() && part(other, 0).is_negative() {
            Step::SquareSign
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
        Task::Expand | Task::Simplify if has_product_of_sum(expression) => {
            multiplied_out(expression)
        }
        Task::Simplify => put_together(expression),
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

/// The step for such brackets as [`has_product_of_sum`] finds.
fn multiplied_out(expression: &Expression) -> Option<Step> {
    let whole = |part: &Expression| match part {
        Expression::Power(base, exponent) if is_sum(base) => {
            Some(value(exponent).is_some_and(|times| times.is_integer() && times > Rational::one()))
        }
        _ => None,
    };
    if expression.any(&|part| whole(part) == Some(false)) {
        None
    } else if expression.any(&|part| whole(part).is_some()) {
        Some(Step::PowerOfSum)
    } else {
        Some(Step::MultiplyOut)
    }
}

fn is_sum(expression: &Expression) -> bool {
    matches!(expression, Expression::Add(_)) && expression.has_variable()
}

/// Whether a sum with a variable is multiplied, subtracted or raised to a power.
pub(crate) fn has_product_of_sum(expression: &Expression) -> bool {
    expression.any(&|part| match part {
        Expression::Multiply(factors) => factors.iter().any(is_sum),
        Expression::Power(base, _) => is_sum(base),
        Expression::Negate(inner) => is_sum(inner),
        _ => false,
    })
}

/// Whether a sum has two terms with the same powers, as far as one variable goes.
pub(crate) fn has_like_summands(expression: &Expression) -> bool {
    put_together(expression).is_some()
}

/// The step for such terms: of letters, else of numbers alone.
fn put_together(expression: &Expression) -> Option<Step> {
    let Expression::Add(parts) = expression else {
        return None;
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
    let mut found = None;
    for shape in parts.iter().filter_map(shape) {
        if seen.contains(&shape) {
            match shape.0.is_empty() {
                true => found = Some(Step::WorkOutNumbers),
                false => return Some(Step::PutTogether),
            }
        }
        seen.push(shape);
    }
    found
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
