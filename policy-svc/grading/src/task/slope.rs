//! The slope of a line through two points: a task whose numbers stand in points.

use num_bigint::BigInt;

use super::{Problem, Subject, described, words};
use crate::{
    algebra::Rational,
    grade::{Drill, Task},
    notation::Expression,
    prompt::{Piece, pieces},
};

/// The words that such a prompt is made of.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "a", "and", "between", "calculate", "compute", "connecting", "contains", "determine", "find", "from", "given",
    "goes", "going", "gradient", "is", "joining", "line", "of", "out", "passes", "passing", "point", "points", "segment",
    "slope", "straight", "that", "the", "these", "through", "to", "two", "what", "which", "work",
];

/// Marks between points that say nothing.
const MARKS: [&str; 8] = [
    "\\left",
    "\\right",
    "\\quad",
    "\\text{ and }",
    "\\text{and}",
    "\\ ",
    "\\,",
    "\\;",
];

/// The two points, in order, where a prompt asks for the slope of the line through them and for nothing else.
pub(crate) fn points_of(drill: &Drill<'_>) -> Option<[[i64; 2]; 2]> {
    let pieces = pieces(drill.prompt);
    let words = words(&pieces);
    let has = |own: &[&str]| words.iter().any(|word| own.contains(word));
    // "Is the slope …" asks for yes or no.
    let asks = has(&["slope", "gradient"]) && !matches!(words.first(), Some(&("is" | "which")));
    if !asks || !words.iter().all(|word| KNOWN.contains(word)) {
        return None;
    }
    let formulas = pieces.iter().filter_map(|piece| match piece {
        Piece::Formula(formula) => Some(formula.as_str()),
        Piece::Word(..) => None,
    });
    let mut all: Vec<[i64; 2]> = Vec::new();
    for text in formulas.chain([drill.question_latex]) {
        // The exercise may repeat the points of the prompt.
        for point in points(text)? {
            if !all.contains(&point) {
                all.push(point);
            }
        }
    }
    // Which of them comes first makes no difference.
    all.sort_unstable();
    let points: [[i64; 2]; 2] = all.try_into().ok()?;
    (points[0][0] != points[1][0]).then_some(points)
}

/// The problem of working out that slope.
pub(crate) fn problem(drill: &Drill<'_>) -> Option<Problem> {
    let [[x, y], [other_x, other_y]] = points_of(drill)?;
    // Written as nobody writes it: who puts the points in has begun to work and copies nothing.
    let slope = Expression::Multiply(vec![
        difference(other_y, y),
        Expression::Divide(Box::new(number(1)), Box::new(difference(other_x, x))),
    ]);
    let pieces = pieces(drill.prompt);
    Some(Problem {
        subject: Subject::Expression(slope),
        ..described(drill, Task::Evaluate, &words(&pieces))
    })
}

/// The points that a formula lists, `(1, 2), (4, 11)`; nothing where it says anything else.
fn points(formula: &str) -> Option<Vec<[i64; 2]>> {
    let mut plain = formula.replace(['−', '–'], "-");
    for mark in MARKS {
        plain = plain.replace(mark, " ");
    }
    let is_between = |text: &str| text.chars().all(|c| c.is_whitespace() || ",;".contains(c));
    let mut parts = plain.split('(');
    if !is_between(parts.next().unwrap_or_default()) {
        return None;
    }
    let mut found = Vec::new();
    for part in parts {
        let (inside, after) = part.split_once(')')?;
        let (x, y) = inside.split_once(',')?;
        if !is_between(after) {
            return None;
        }
        found.push([x.trim().parse().ok()?, y.trim().parse().ok()?]);
    }
    Some(found)
}

fn difference(left: i64, right: i64) -> Expression {
    Expression::Add(vec![
        number(left),
        Expression::Negate(Box::new(number(right))),
    ])
}

fn number(value: i64) -> Expression {
    let size = Expression::Number {
        value: Rational::from(BigInt::from(value.unsigned_abs())),
        places: None,
    };
    if value < 0 {
        Expression::Negate(Box::new(size))
    } else {
        size
    }
}
