//! The shape of an expression: equal for expressions that differ only in the order of summands and factors, in brackets
//! that change nothing, and in how a product, a quotient or a root is written.

use std::fmt;

use super::{Expression, Relation};

/// A shape. The exercises in students' records are told apart by its text: another spelling makes others of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape(String);

/// The shape of an expression.
pub(crate) fn shape(expression: &Expression) -> Shape {
    Shape(write(expression))
}

/// The shape of a relation: the same with its sides swapped.
pub(crate) fn relation_shape(relation: &Relation) -> Shape {
    let left = write(&relation.left);
    let right = write(&relation.right);
    let (left, sign, right) = if left <= right {
        (left, relation.sign, right)
    } else {
        (right, relation.sign.swapped(), left)
    };
    Shape(format!("{left} {} {right}", sign.as_str()))
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn write(expression: &Expression) -> String {
    match expression {
        Expression::Add(_) => {
            let mut parts = Vec::new();
            summands(expression, &mut parts);
            parts.sort();
            format!("({})", parts.join("+"))
        }
        Expression::Multiply(_) | Expression::Negate(_) | Expression::Divide(..) => {
            let mut factors = Vec::new();
            let mut negative = false;
            collect(expression, false, &mut factors, &mut negative);
            factors.sort();
            let sign = if negative { "-" } else { "" };
            format!("{sign}[{}]", factors.join("*"))
        }
        other => atom(other),
    }
}

fn summands(expression: &Expression, parts: &mut Vec<String>) {
    match expression {
        Expression::Add(inner) => {
            for part in inner {
                summands(part, parts);
            }
        }
        other => parts.push(write(other)),
    }
}

fn collect(expression: &Expression, below: bool, factors: &mut Vec<String>, negative: &mut bool) {
    match expression {
        Expression::Multiply(inner) => {
            for factor in inner {
                collect(factor, below, factors, negative);
            }
        }
        Expression::Negate(inner) => {
            *negative = !*negative;
            collect(inner, below, factors, negative);
        }
        Expression::Divide(left, right) => {
            collect(left, below, factors, negative);
            collect(right, !below, factors, negative);
        }
        other => {
            let text = write(other);
            factors.push(if below { format!("/{text}") } else { text });
        }
    }
}

fn atom(expression: &Expression) -> String {
    match expression {
        Expression::Number { value, .. } => value.to_string(),
        Expression::Mixed(whole, above, below) => format!("{whole}_{above}_{below}"),
        Expression::Variable(name) => name.to_string(),
        Expression::Power(base, exponent) => format!("{}^{}", write(base), write(exponent)),
        Expression::Root(index, inner) => format!("{}^[/{index}*1]", write(inner)),
        Expression::Absolute(inner) => format!("|{}|", write(inner)),
        Expression::Percent(inner) => format!("{}%", write(inner)),
        Expression::PlusMinus(left, right) => format!(
            "{}±{}",
            left.as_deref().map(write).unwrap_or_default(),
            write(right)
        ),
        other => write(other),
    }
}
