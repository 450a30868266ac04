//! What an expression is for given values. As in CEL, `&&` and `||` do not mind a side that cannot be computed where the
//! other decides.

use crate::expr::{Comparison, Expr, Operation};
use crate::vars::Point;

/// The expression's value; none if it cannot be computed: a division by zero, a number beyond the bounds, or a variable
/// without a value.
pub(crate) fn eval<'e>(expr: &'e Expr, vars: &[Option<Point<'e>>]) -> Option<Point<'e>> {
    Some(match expr {
        Expr::Bool(value) => Point::Bool(*value),
        Expr::Int(number) => Point::Int(*number),
        Expr::Double(number) => Point::Double(*number),
        Expr::Text(word) => Point::Text(word),
        Expr::Var(number) => return *vars.get(*number)?,
        Expr::Not(part) => Point::Bool(!truth(part, vars)?),
        Expr::And(parts) => Point::Bool(joined(parts, vars, false)?),
        Expr::Or(parts) => Point::Bool(joined(parts, vars, true)?),
        Expr::Negate(part) => match eval(part, vars)? {
            Point::Int(number) => Point::Int(number.checked_neg()?),
            Point::Double(number) => Point::Double(-number),
            Point::Bool(_) | Point::Text(_) => return None,
        },
        Expr::Compare(comparison, parts) => {
            let [left, right] = parts.as_ref();
            Point::Bool(compare(*comparison, eval(left, vars)?, eval(right, vars)?))
        }
        Expr::Compute(operation, parts) => {
            let [left, right] = parts.as_ref();
            return compute(*operation, eval(left, vars)?, eval(right, vars)?);
        }
    })
}

/// Whether the expression is true; none if it cannot be computed.
pub(crate) fn truth(expr: &Expr, vars: &[Option<Point<'_>>]) -> Option<bool> {
    match eval(expr, vars)? {
        Point::Bool(value) => Some(value),
        _ => None,
    }
}

/// Two sides, of which either decides if it is `decides`.
fn joined(parts: &[Expr; 2], vars: &[Option<Point<'_>>], decides: bool) -> Option<bool> {
    let [left, right] = parts.each_ref().map(|part| truth(part, vars));
    if left == Some(decides) || right == Some(decides) {
        return Some(decides);
    }
    left.and(right)
}

fn compare(comparison: Comparison, left: Point<'_>, right: Point<'_>) -> bool {
    let order = match (left, right) {
        (Point::Int(left), Point::Int(right)) => Some(left.cmp(&right)),
        (Point::Text(left), Point::Text(right)) => Some(left.cmp(right)),
        (Point::Bool(left), Point::Bool(right)) => Some(left.cmp(&right)),
        (Point::Double(left), Point::Double(right)) => left.partial_cmp(&right),
        (Point::Int(left), Point::Double(right)) => (left as f64).partial_cmp(&right),
        (Point::Double(left), Point::Int(right)) => left.partial_cmp(&(right as f64)),
        _ => None,
    };
    order.is_some_and(|order| match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::Unequal => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    })
}

fn compute<'e>(operation: Operation, left: Point<'_>, right: Point<'_>) -> Option<Point<'e>> {
    match (left, right) {
        (Point::Int(left), Point::Int(right)) => {
            let number = match operation {
                Operation::Add => left.checked_add(right),
                Operation::Subtract => left.checked_sub(right),
                Operation::Multiply => left.checked_mul(right),
                Operation::Divide => left.checked_div(right),
                Operation::Remainder => left.checked_rem(right),
            };
            number.map(Point::Int)
        }
        (Point::Double(left), Point::Double(right)) => {
            let number = match operation {
                Operation::Add => left + right,
                Operation::Subtract => left - right,
                Operation::Multiply => left * right,
                Operation::Divide => left / right,
                Operation::Remainder => return None,
            };
            number.is_finite().then_some(Point::Double(number))
        }
        _ => None,
    }
}
