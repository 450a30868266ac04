//! Forms of a line's equation that a prompt can ask for.

use num_traits::Signed;

use crate::{
    algebra::{Env, Roots, Sum, Work, normal},
    answer::Answer,
    forms::{Form, expanded, simplified},
    notation::{Expression, Sign},
};

/// A form of a line's equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineForm {
    /// `y = 2x + 1`
    SlopeIntercept,
    /// `2x - y = -1`
    Standard,
}

/// The form that a prompt asks for.
pub(crate) fn asked(prompt: &str) -> Option<LineForm> {
    let prompt = prompt.to_lowercase().replace('-', " ");
    if prompt.contains("slope intercept form") {
        Some(LineForm::SlopeIntercept)
    } else if prompt.contains("standard form") {
        Some(LineForm::Standard)
    } else {
        None
    }
}

impl LineForm {
    /// Whether an answer has the form.
    pub(crate) fn is_of(self, answer: &Answer, key: &Answer) -> bool {
        let name = |answer: &Answer| match answer.relation()?.left {
            Expression::Variable(name) => Some(name),
            _ => None,
        };
        let Some(relation) = answer
            .relation()
            .filter(|relation| relation.sign == Sign::Equal)
        else {
            return false;
        };
        let mut work = Work::new();
        match self {
            Self::SlopeIntercept => {
                name(answer).is_some_and(|own| name(key) == Some(own))
                    && expanded(&relation.right, &mut work) == Form::Met
                    && is_linear(&relation.right, &mut work)
            }
            Self::Standard => {
                let whole = |side: &Expression, work: &mut Work| {
                    normal(side, &mut Env::new(Roots::Real), work).is_ok_and(|side| {
                        side.below
                            .as_number()
                            .is_some_and(|below| below.is_integer() && below.is_positive())
                            && side.above.terms().all(|(_, number)| number.is_integer())
                    })
                };
                !relation.right.has_variable()
                    && relation.left.has_variable()
                    && simplified(&relation.left, &mut work) == Form::Met
                    && simplified(&relation.right, &mut work) == Form::Met
                    && whole(&relation.left, &mut work)
                    && whole(&relation.right, &mut work)
                    && is_linear(&relation.left, &mut work)
                    && !has_constant(&relation.left, &mut work)
            }
        }
    }
}

fn terms<T>(side: &Expression, work: &mut Work, read: impl Fn(&Sum) -> T) -> Option<T> {
    let side = normal(side, &mut Env::new(Roots::Real), work).ok()?;
    Some(read(&side.above))
}

fn has_constant(side: &Expression, work: &mut Work) -> bool {
    terms(side, work, |sum| {
        sum.terms().any(|(monomial, _)| monomial.0.is_empty())
    })
    .unwrap_or(true)
}

fn is_linear(side: &Expression, work: &mut Work) -> bool {
    terms(side, work, Sum::is_linear).unwrap_or(false)
}
