//! What kind of exercise it is, whatever its numbers: which operations it has, and of which numbers or terms.

use std::collections::BTreeSet;

use num_traits::{Signed, Zero};

use crate::{
    grade::{Drill, Task},
    next_step::{has_like_summands, has_product_of_sum},
    notation::{Expression, Relation, Sign},
    own::{exercise_alone, is_fraction, value},
    task::{self, Problem, Subject},
};

/// A kind of exercise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    group: Group,
    features: BTreeSet<Feature>,
}

/// Kinds of different groups have nothing in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// The value of numbers.
    Value,
    /// A term to be written in another way.
    Form,
    /// A term to be written as a product.
    Factor,
    Equation,
    Inequality,
    System,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Feature {
    Sum,
    Product,
    Quotient,
    Fraction,
    Decimal,
    Percent,
    Power,
    Root,
    Brackets,
    /// Sums are multiplied with each other.
    Binomials,
    LikeTerms,
    /// The unknown stands on both sides.
    BothSides,
    /// There is more than one operation to undo.
    TwoSteps,
    /// Both sides are quotients.
    Proportion,
    Negative,
}

impl Kind {
    /// Whether the value of numbers is asked for.
    #[must_use]
    pub fn is_of_numbers(&self) -> bool {
        self.group == Group::Value
    }

    /// Whether it is a single operation on numbers that are neither negative nor parts.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let plain = [Feature::Sum, Feature::Product, Feature::Quotient];
        self.is_of_numbers()
            && self.features.len() == 1
            && plain.iter().any(|feature| self.features.contains(feature))
    }

    /// How far two kinds are from each other; `None` where they have nothing in common.
    #[must_use]
    pub fn distance(&self, other: &Self) -> Option<usize> {
        let differ = self.features.symmetric_difference(&other.features);
        let weights = differ.map(|feature| match feature {
            Feature::Negative => 1_usize,
            _ => 2,
        });
        (self.group == other.group).then(|| weights.sum())
    }
}

/// See [`crate::kind`].
pub(crate) fn kind(drill: &Drill<'_>) -> Option<Kind> {
    // A colon divides: `12 : 4`.
    let question_latex = drill.question_latex.replace(" : ", " / ");
    let drill = Drill {
        question_latex: &question_latex,
        ..*drill
    };
    let wordless = Drill {
        prompt: "",
        ..drill
    };
    let problem = task::problem(&drill).or_else(|_| task::in_english(&wordless));
    of_problem(&problem.ok()?)
}

/// See [`crate::kind_of_message`].
pub(crate) fn kind_of_message(message: &str) -> Option<Kind> {
    let (prompt, question_latex) = exercise_alone(message)?;
    kind(&Drill {
        prompt: &prompt,
        question_latex: &question_latex,
        key: None,
    })
}

fn of_problem(problem: &Problem) -> Option<Kind> {
    let mut features = BTreeSet::new();
    let group = match (&problem.subject, problem.task) {
        (Subject::Relations(relations), Task::Solve) => {
            let [only] = relations.as_slice() else {
                return None;
            };
            if problem.variables().len() != 1 {
                return None;
            }
            of_relation(only, &mut features);
            match only.sign {
                Sign::Equal => Group::Equation,
                _ => Group::Inequality,
            }
        }
        (Subject::System(_), Task::Solve) => Group::System,
        (Subject::Expression(expression), Task::Evaluate | Task::Simplify)
            if !expression.has_variable() =>
        {
            of_numbers(expression, &mut features);
            if value(expression).is_some_and(|value| value.is_negative()) {
                features.insert(Feature::Negative);
            }
            // What comes to zero in one go needs no rule of signs.
            if value(expression).is_some_and(|value| value.is_zero()) && features.len() == 2 {
                features.remove(&Feature::Negative);
            }
            Group::Value
        }
        (Subject::Expression(expression), task) if problem.givens.is_empty() => {
            of_term(expression, &mut features);
            match task {
                Task::Simplify | Task::Expand => Group::Form,
                Task::Factor => Group::Factor,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(Kind { group, features })
}

fn of_relation(relation: &Relation, features: &mut BTreeSet<Feature>) {
    let sides = [&relation.left, &relation.right];
    for side in sides {
        of_term(side, features);
        if has_steps(side) {
            features.insert(Feature::TwoSteps);
        }
    }
    if sides.iter().all(|side| side.has_variable()) {
        features.insert(Feature::BothSides);
        features.remove(&Feature::TwoSteps);
    }
    if sides
        .iter()
        .all(|side| matches!(side, Expression::Divide(..)))
    {
        features.insert(Feature::Proportion);
    }
}

/// Whether a side with the unknown has more than one operation to undo: `2x + 3`.
fn has_steps(side: &Expression) -> bool {
    match side {
        Expression::Add(parts) => {
            let is_alone = |part: &Expression| matches!(part, Expression::Variable(_));
            parts
                .iter()
                .any(|part| part.has_variable() && !is_alone(part))
        }
        Expression::Divide(above, _) => {
            matches!(**above, Expression::Add(_)) && above.has_variable()
        }
        _ => false,
    }
}

/// What a term with variables has.
fn of_term(term: &Expression, features: &mut BTreeSet<Feature>) {
    let is_sum = |part: &Expression| matches!(part, Expression::Add(_)) && part.has_variable();
    let multiplies_sums = |part: &Expression| match part {
        Expression::Multiply(factors) => {
            factors.iter().filter(|&factor| is_sum(factor)).count() > 1
        }
        Expression::Power(base, _) => is_sum(base),
        _ => false,
    };
    let is_power = |part: &Expression| matches!(part, Expression::Power(..)) && part.has_variable();
    let has_brackets = has_product_of_sum(term);
    let found = [
        (has_brackets, Feature::Brackets),
        (term.any(&multiplies_sums), Feature::Binomials),
        (!has_brackets && has_like_summands(term), Feature::LikeTerms),
        (!has_brackets && term.any(&is_power), Feature::Power),
    ];
    features.extend(
        found
            .iter()
            .filter(|(has, _)| *has)
            .map(|(_, found)| *found),
    );
}

/// Which operations on which numbers there are. A difference is a sum.
fn of_numbers(expression: &Expression, features: &mut BTreeSet<Feature>) {
    let feature = match expression {
        Expression::Number { places, .. } => places.map(|_| Feature::Decimal),
        Expression::Mixed(..) => Some(Feature::Fraction),
        Expression::Negate(_) => Some(Feature::Negative),
        Expression::Add(_) => Some(Feature::Sum),
        Expression::Multiply(_) => Some(Feature::Product),
        Expression::Divide(..) => {
            let is_whole = value(expression).is_none_or(|value| value.is_integer());
            Some(if is_fraction(expression) && !is_whole {
                Feature::Fraction
            } else {
                Feature::Quotient
            })
        }
        Expression::Power(..) => Some(Feature::Power),
        Expression::Root(..) => Some(Feature::Root),
        Expression::Percent(_) => Some(Feature::Percent),
        Expression::Variable(_) | Expression::Absolute(_) | Expression::PlusMinus(..) => None,
    };
    features.extend(feature);
    let is_added = matches!(expression, Expression::Add(_));
    for (at, part) in expression.parts().enumerate() {
        let part = match part {
            Expression::Negate(inner) if is_added && at > 0 => &**inner,
            part => part,
        };
        if matches!(part, Expression::Add(_)) && !matches!(expression, Expression::Negate(_)) {
            features.insert(Feature::Brackets);
        }
        of_numbers(part, features);
    }
}
