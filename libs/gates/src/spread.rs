//! What an expression may be over ranges of values: interval arithmetic. A spread holds every value that the expression
//! takes, and may hold more.
//!
//! Double arithmetic rounds to the nearest, which keeps order: a bound computed from bounds as the gate computes it is a
//! bound of what the gate computes.

use crate::expr::{Comparison, Expr, Operation};

/// The values a variable or an expression may have. A range holds both its ends and is never empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Range<'g> {
    Bool {
        yes: bool,
        no: bool,
    },
    Int(i64, i64),
    /// Finite.
    Double(f64, f64),
    Text(&'g [String]),
}

/// What an expression may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread<'g> {
    /// Its values; none if it can never be computed.
    pub(crate) range: Option<Range<'g>>,
    /// Whether it may be that it cannot be computed.
    pub(crate) fails: bool,
}

impl<'g> From<Range<'g>> for Spread<'g> {
    fn from(range: Range<'g>) -> Self {
        Self {
            range: Some(range),
            fails: false,
        }
    }
}

/// What a condition may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truths {
    pub(crate) yes: bool,
    pub(crate) no: bool,
    pub(crate) fails: bool,
}

/// What a condition may be where each variable is in its range.
pub(crate) fn truths(expr: &Expr, vars: &[Range<'_>]) -> Truths {
    let spread = spread(expr, vars);
    let (yes, no) = match spread.range {
        Some(Range::Bool { yes, no }) => (yes, no),
        _ => (false, false),
    };
    Truths {
        yes,
        no,
        fails: spread.fails,
    }
}

fn spread<'g>(expr: &'g Expr, vars: &[Range<'g>]) -> Spread<'g> {
    match expr {
        Expr::Bool(value) => Range::Bool {
            yes: *value,
            no: !value,
        }
        .into(),
        Expr::Int(number) => Range::Int(*number, *number).into(),
        Expr::Double(number) => Range::Double(*number, *number).into(),
        Expr::Text(word) => Range::Text(std::slice::from_ref(word)).into(),
        Expr::Var(number) => vars[*number].into(),
        Expr::Not(part) => {
            let Truths { yes, no, fails } = truths(part, vars);
            of_truths(no, yes, fails)
        }
        Expr::And(parts) => {
            let [a, b] = parts.each_ref().map(|part| truths(part, vars));
            let fails = (a.fails && (b.yes || b.fails)) || (b.fails && (a.yes || a.fails));
            of_truths(a.yes && b.yes, a.no || b.no, fails)
        }
        Expr::Or(parts) => {
            let [a, b] = parts.each_ref().map(|part| truths(part, vars));
            let fails = (a.fails && (b.no || b.fails)) || (b.fails && (a.no || a.fails));
            of_truths(a.yes || b.yes, a.no && b.no, fails)
        }
        Expr::Negate(part) => {
            let inner = spread(part, vars);
            let negated = match inner.range {
                Some(Range::Int(low, high)) => whole([-i128::from(high), -i128::from(low)]),
                Some(Range::Double(low, high)) => Range::Double(-high, -low).into(),
                other => Spread {
                    range: other,
                    fails: true,
                },
            };
            Spread {
                fails: negated.fails || inner.fails,
                ..negated
            }
        }
        Expr::Compare(comparison, parts) => {
            let [a, b] = parts.each_ref().map(|part| spread(part, vars));
            let (yes, no) = match (a.range, b.range) {
                (Some(a), Some(b)) => compare(*comparison, a, b),
                _ => (false, false),
            };
            of_truths(yes, no, a.fails || b.fails)
        }
        Expr::Compute(operation, parts) => {
            let [a, b] = parts.each_ref().map(|part| spread(part, vars));
            let computed = match (a.range, b.range) {
                (Some(Range::Int(a, b)), Some(Range::Int(c, d))) => ints(*operation, a, b, c, d),
                (Some(Range::Double(a, b)), Some(Range::Double(c, d))) => {
                    doubles(*operation, [a, b], [c, d])
                }
                _ => NOTHING,
            };
            Spread {
                fails: computed.fails || a.fails || b.fails,
                ..computed
            }
        }
    }
}

const NOTHING: Spread<'static> = Spread {
    range: None,
    fails: true,
};

fn of_truths<'g>(yes: bool, no: bool, fails: bool) -> Spread<'g> {
    Spread {
        range: Some(Range::Bool { yes, no }),
        fails,
    }
}

/// Whether the comparison may be true, and whether it may be false.
fn compare(comparison: Comparison, a: Range<'_>, b: Range<'_>) -> (bool, bool) {
    // May a be less than b, equal to it, greater than it?
    let (less, equal, greater) = match (a, b) {
        (Range::Int(a, b), Range::Int(c, d)) => (a < d, a <= d && c <= b, b > c),
        (Range::Text(a), Range::Text(b)) => {
            let same = a.iter().any(|word| b.contains(word));
            let differ = !(a.len() == 1 && a == b);
            (differ, same, differ)
        }
        (Range::Bool { yes: a, no: b }, Range::Bool { yes: c, no: d }) => {
            (b && c, (a && c) || (b && d), a && d)
        }
        (a, b) => match (as_doubles(a), as_doubles(b)) {
            (Some([a, b]), Some([c, d])) => (a < d, a <= d && c <= b, b > c),
            _ => (false, false, false),
        },
    };
    match comparison {
        Comparison::Equal => (equal, less || greater),
        Comparison::Unequal => (less || greater, equal),
        Comparison::Less => (less, equal || greater),
        Comparison::LessOrEqual => (less || equal, greater),
        Comparison::Greater => (greater, less || equal),
        Comparison::GreaterOrEqual => (greater || equal, less),
    }
}

fn as_doubles(range: Range<'_>) -> Option<[f64; 2]> {
    match range {
        // The conversion rounds and keeps order.
        Range::Int(low, high) => Some([low as f64, high as f64]),
        Range::Double(low, high) => Some([low, high]),
        Range::Bool { .. } | Range::Text(_) => None,
    }
}

/// The range of these results, which are all or beyond all that there are; beyond the bounds of an int there is none.
fn whole<'g>(results: impl IntoIterator<Item = i128>) -> Spread<'g> {
    let (low, high) = results
        .into_iter()
        .fold((i128::MAX, i128::MIN), |(low, high), result| {
            (low.min(result), high.max(result))
        });
    let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
    let ends = (i64::try_from(low.max(least)), i64::try_from(high.min(most)));
    match ends {
        (Ok(first), Ok(last)) if first <= last => Spread {
            range: Some(Range::Int(first, last)),
            fails: low < least || high > most,
        },
        _ => NOTHING,
    }
}

/// From a..=b and c..=d.
fn ints<'g>(operation: Operation, a: i64, b: i64, c: i64, d: i64) -> Spread<'g> {
    let [first, last, low, high] = [a, b, c, d].map(i128::from);
    let ends = |f: fn(i128, i128) -> i128, low: i128, high: i128| {
        [f(first, low), f(first, high), f(last, low), f(last, high)]
    };
    match operation {
        Operation::Add => whole([first + low, last + high]),
        Operation::Subtract => whole([first - high, last - low]),
        Operation::Multiply => whole(ends(|x, y| x * y, low, high)),
        // Of divisors of one sign, the quotient's extremes are at the ends.
        Operation::Divide => {
            let below = (low < 0).then(|| ends(|x, y| x / y, low, high.min(-1)));
            let above = (high > 0).then(|| ends(|x, y| x / y, low.max(1), high));
            let quotients = whole(below.into_iter().chain(above).flatten());
            Spread {
                fails: quotients.fails || (low <= 0 && high >= 0),
                ..quotients
            }
        }
        Operation::Remainder => {
            let most = low.abs().max(high.abs()) - 1;
            if most < 0 {
                return NOTHING;
            }
            // A dividend that is smaller than every divisor is its own remainder.
            let remainders = whole([
                if first < 0 { first.max(-most) } else { 0 },
                if last > 0 { last.min(most) } else { 0 },
            ]);
            let by_minus_one = a == i64::MIN && low <= -1 && high >= -1;
            Spread {
                fails: (low <= 0 && high >= 0) || by_minus_one,
                ..remainders
            }
        }
    }
}

fn doubles<'g>(operation: Operation, a: [f64; 2], b: [f64; 2]) -> Spread<'g> {
    let ends = |f: fn(f64, f64) -> f64, [low, high]: [f64; 2]| {
        let [first, last] = a;
        [f(first, low), f(first, high), f(last, low), f(last, high)]
    };
    match operation {
        Operation::Add => finite([a[0] + b[0], a[1] + b[1]]),
        Operation::Subtract => finite([a[0] - b[1], a[1] - b[0]]),
        Operation::Multiply => finite(ends(|x, y| x * y, b)),
        // Of divisors of one sign, the quotient's extremes are at the ends.
        Operation::Divide => {
            let [low, high] = b;
            let tiny = 0.0_f64.next_up();
            let below = (low < 0.0).then(|| ends(|x, y| x / y, [low, high.min(-tiny)]));
            let above = (high > 0.0).then(|| ends(|x, y| x / y, [low.max(tiny), high]));
            let quotients = finite(below.into_iter().chain(above).flatten());
            Spread {
                fails: quotients.fails || (low <= 0.0 && high >= 0.0),
                ..quotients
            }
        }
        Operation::Remainder => NOTHING,
    }
}

/// The range of these results; beyond the bounds of a double there is none.
fn finite<'g>(results: impl IntoIterator<Item = f64>) -> Spread<'g> {
    let (low, high) = results
        .into_iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), result| {
            (low.min(result), high.max(result))
        });
    let (first, last) = (low.max(f64::MIN), high.min(f64::MAX));
    if first > last {
        return NOTHING;
    }
    Spread {
        range: Some(Range::Double(first, last)),
        fails: low < first || high > last,
    }
}
