//! Solves equations and inequalities in one variable, and systems of linear equations.

use std::{collections::BTreeMap, rc::Rc};

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{
    Env, Quotient, Rational, RealSet, Roots, Stop, Sum, Work, normal, roots::real_roots, sign,
};
use crate::notation::{Expression, Relation, Sign};

/// Polynomials of a higher degree are not solved.
const MAX_DEGREE: usize = 12;

/// Roots that are eliminated by squaring, one after another.
const MAX_ELIMINATIONS: usize = 3;

/// Systems of more variables are not solved.
const MAX_UNKNOWNS: usize = 6;

/// The real solutions of a relation.
#[derive(Debug, Clone)]
pub(crate) enum Solutions {
    /// So many numbers, each once.
    Numbers(Vec<Quotient>),
    /// Intervals.
    Set(RealSet),
}

/// The solutions of a system of linear equations.
#[derive(Debug, Clone)]
pub(crate) enum SystemSolution {
    /// One value for each variable.
    Unique(BTreeMap<Rc<str>, Rational>),
    /// None.
    Empty,
    /// Infinitely many.
    Many,
}

/// All real solutions of relations that must hold together.
pub(crate) fn solve_relation(
    relations: &[Relation],
    variable: &str,
    work: &mut Work,
) -> Result<Solutions, Stop> {
    if let [relation] = relations
        && relation.sign == Sign::Equal
    {
        return equation(relation, variable, work);
    }
    let mut all = RealSet::all();
    for relation in relations {
        if matches!(relation.sign, Sign::Equal | Sign::NotEqual) {
            return Err(Stop::Unsupported);
        }
        let set = inequality(relation, variable, work)?;
        all = all.intersection(&set, work).ok_or(Stop::Unsupported)?;
    }
    Ok(Solutions::Set(all))
}

fn has_root(relation: &Relation) -> bool {
    let test = |part: &Expression| match part {
        Expression::Root(_, inner) => inner.has_variable(),
        Expression::Power(base, exponent) => {
            base.has_variable()
                && !matches!(&**exponent, Expression::Number { value, .. } if value.is_integer())
        }
        _ => false,
    };
    relation.left.any(&test) || relation.right.any(&test)
}

fn has_absolute(relation: &Relation) -> bool {
    let test =
        |part: &Expression| matches!(part, Expression::Absolute(inner) if inner.has_variable());
    relation.left.any(&test) || relation.right.any(&test)
}

fn equation(relation: &Relation, variable: &str, work: &mut Work) -> Result<Solutions, Stop> {
    let mut env = Env::new(Roots::Real);
    let left = normal(&relation.left, &mut env, work)?;
    let right = normal(&relation.right, &mut env, work)?;
    let difference = left.subtract(&right, work)?;
    if difference.is_zero() {
        if has_root(relation) {
            return Err(Stop::Unsupported);
        }
        let excluded = zeros_of(&env.denominators, variable, work)?;
        let set = RealSet::build(
            excluded.clone(),
            &mut |number, _| Some(!excluded.contains(number)),
            work,
        );
        return Ok(Solutions::Set(set.ok_or(Stop::Unsupported)?));
    }
    let candidates = zeros(&difference.above, variable, work)?;
    let certain = env.denominators.is_empty() && !has_root(relation) && !has_absolute(relation);
    let mut solutions = Vec::new();
    for candidate in candidates {
        if certain || satisfies(relation, variable, &candidate, work)? {
            solutions.push(candidate);
        }
    }
    Ok(Solutions::Numbers(solutions))
}

/// Whether a number solves an equation, by putting it in.
fn satisfies(
    relation: &Relation,
    variable: &str,
    number: &Quotient,
    work: &mut Work,
) -> Result<bool, Stop> {
    Ok(match difference_at(relation, variable, number, work)? {
        None => false,
        Some(difference) if difference.is_zero() => true,
        Some(difference) => match sign(&difference) {
            Some(sign) => sign == 0,
            None => return Err(Stop::Unsupported),
        },
    })
}

/// Left minus right at a number; nothing where a side is not defined there.
fn difference_at(
    relation: &Relation,
    variable: &str,
    number: &Quotient,
    work: &mut Work,
) -> Result<Option<Quotient>, Stop> {
    let mut env = Env::new(Roots::Real).with(variable, number.clone());
    let mut side =
        |expression: &Expression, work: &mut Work| match normal(expression, &mut env, work) {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Undefined | Stop::NotReal) => Ok(None),
            Err(stop) => Err(stop),
        };
    let left = side(&relation.left, work)?;
    let right = side(&relation.right, work)?;
    match (left, right) {
        (Some(left), Some(right)) => left.subtract(&right, work).map(Some),
        _ => Ok(None),
    }
}

/// Real numbers among which all zeros of a sum are: roots of the variable are eliminated by multiplying with the other
/// values that the root could have, which may add zeros.
fn zeros(sum: &Sum, variable: &str, work: &mut Work) -> Result<Vec<Quotient>, Stop> {
    let mut sum = sum.clone();
    for _ in 0..MAX_ELIMINATIONS {
        let Some((radicand, index)) = sum.radicand_with(variable) else {
            break;
        };
        let parts = sum.by_root(&radicand, index).ok_or(Stop::Unsupported)?;
        sum = match parts.as_slice() {
            [constant, root] => {
                let square = root.multiply(root, work)?.multiply(&radicand, work)?;
                constant.multiply(constant, work)?.subtract(&square, work)?
            }
            [constant, root, square] => cubic_norm(constant, root, square, &radicand, work)?,
            _ => return Err(Stop::Unsupported),
        };
    }
    if sum.is_zero() || sum.radicand_with(variable).is_some() {
        return Err(Stop::Unsupported);
    }
    if let Some(coefficients) = sum.coefficients(variable, MAX_DEGREE) {
        let found = real_roots(&coefficients, work)?;
        return if found.complete {
            Ok(found.roots)
        } else {
            Err(Stop::Unsupported)
        };
    }
    match sum.by_powers(variable, 1).as_deref() {
        Some([constant]) if constant.variables().is_empty() => Ok(Vec::new()),
        Some([constant, slope])
            if slope.variables().is_empty() && constant.variables().is_empty() =>
        {
            let above = Quotient::whole(constant.negated());
            Ok(vec![above.divide(&Quotient::whole(slope.clone()), work)?])
        }
        _ => Err(Stop::Unsupported),
    }
}

/// The product of `a + br + cr²` over the three values of `r = radicand^(1/3)`.
fn cubic_norm(a: &Sum, b: &Sum, c: &Sum, radicand: &Sum, work: &mut Work) -> Result<Sum, Stop> {
    let cube = |sum: &Sum, work: &mut Work| sum.power(3, work);
    let first = cube(a, work)?;
    let second = cube(b, work)?.multiply(radicand, work)?;
    let third = cube(c, work)?
        .multiply(radicand, work)?
        .multiply(radicand, work)?;
    let mixed = a
        .multiply(b, work)?
        .multiply(c, work)?
        .multiply(radicand, work)?
        .scale(&Rational::from(BigInt::from(-3)));
    first
        .add(&second, work)?
        .add(&third, work)?
        .add(&mixed, work)
}

fn zeros_of(sums: &[Sum], variable: &str, work: &mut Work) -> Result<Vec<Quotient>, Stop> {
    let mut all = Vec::new();
    for sum in sums {
        if !sum.is_zero() && sum.variables().iter().any(|name| &**name == variable) {
            all.extend(zeros(sum, variable, work)?);
        }
    }
    Ok(all)
}

fn inequality(relation: &Relation, variable: &str, work: &mut Work) -> Result<RealSet, Stop> {
    if has_root(relation) {
        return Err(Stop::Unsupported);
    }
    let mut env = Env::new(Roots::Real);
    let left = normal(&relation.left, &mut env, work)?;
    let right = normal(&relation.right, &mut env, work)?;
    let difference = left.subtract(&right, work)?;
    // The set can only begin or end where the sides meet or one of them is not defined.
    let mut points = zeros_of(&env.denominators, variable, work)?;
    if !difference.is_zero() {
        points.extend(zeros(&difference.above, variable, work)?);
    }
    let mut failed = false;
    let set = RealSet::build(
        points,
        &mut |number, work| match difference_at(relation, variable, number, work) {
            Ok(None) => Some(false),
            Ok(Some(difference)) => Some(relation.sign.holds(sign(&difference)?.cmp(&0))),
            Err(_) => {
                failed = true;
                None
            }
        },
        work,
    );
    match set {
        Some(set) if !failed => Ok(set),
        _ => Err(Stop::Unsupported),
    }
}

/// Solves a system of linear equations by elimination.
pub(crate) fn solve_system(
    relations: &[Relation],
    variables: &[Rc<str>],
    work: &mut Work,
) -> Result<SystemSolution, Stop> {
    if variables.len() > MAX_UNKNOWNS || relations.len() > 2 * MAX_UNKNOWNS {
        return Err(Stop::TooBig);
    }
    let mut rows: Vec<Vec<Rational>> = Vec::new();
    for relation in relations {
        rows.push(linear_row(relation, variables, work)?);
    }
    let unknowns = variables.len();
    let mut rank = 0;
    for column in 0..unknowns {
        let Some(pivot) = (rank..rows.len()).find(|row| !cell(&rows, *row, column).is_zero())
        else {
            continue;
        };
        rows.swap(rank, pivot);
        let scale = cell(&rows, rank, column).recip();
        let lead: Vec<Rational> = rows
            .get(rank)
            .map(|row| row.iter().map(|value| value * &scale).collect())
            .unwrap_or_default();
        for (at, row) in rows.iter_mut().enumerate() {
            work.take(unknowns)?;
            if at == rank {
                row.clone_from(&lead);
                continue;
            }
            let factor = row.get(column).cloned().unwrap_or_default();
            for (value, own) in row.iter_mut().zip(&lead) {
                *value -= &factor * own;
                super::bounded(value)?;
            }
        }
        rank += 1;
    }
    let contradiction = rows
        .iter()
        .skip(rank)
        .any(|row| row.last().is_some_and(|value| !value.is_zero()));
    if contradiction {
        return Ok(SystemSolution::Empty);
    }
    if rank < unknowns {
        return Ok(SystemSolution::Many);
    }
    let values = variables
        .iter()
        .enumerate()
        .map(|(row, name)| (Rc::clone(name), cell(&rows, row, unknowns)))
        .collect();
    Ok(SystemSolution::Unique(values))
}

fn cell(rows: &[Vec<Rational>], row: usize, column: usize) -> Rational {
    rows.get(row)
        .and_then(|row| row.get(column))
        .cloned()
        .unwrap_or_default()
}

/// The coefficients of the variables, and the constant on the other side.
fn linear_row(
    relation: &Relation,
    variables: &[Rc<str>],
    work: &mut Work,
) -> Result<Vec<Rational>, Stop> {
    if relation.sign != Sign::Equal {
        return Err(Stop::Unsupported);
    }
    let mut env = Env::new(Roots::Real);
    let left = normal(&relation.left, &mut env, work)?;
    let right = normal(&relation.right, &mut env, work)?;
    let difference = left.subtract(&right, work)?;
    if !env.denominators.is_empty() || !difference.below.as_number().is_some_and(|one| one.is_one())
    {
        return Err(Stop::Unsupported);
    }
    let mut rest = difference.above;
    let mut row = Vec::new();
    for variable in variables {
        let powers = rest.by_powers(variable, 1).ok_or(Stop::Unsupported)?;
        let slope = match powers.get(1) {
            Some(slope) => slope.as_number().ok_or(Stop::Unsupported)?,
            None => Rational::zero(),
        };
        row.push(slope);
        rest = powers.into_iter().next().unwrap_or_default();
    }
    row.push(-rest.as_number().ok_or(Stop::Unsupported)?);
    Ok(row)
}
