//! Reads what a student answered: values, relations, intervals, points, or a phrase such as "no solution".

mod doubts;
mod phrases;
mod reading;

use std::rc::Rc;

use num_traits::Zero;

pub(crate) use self::{
    doubts::{as_list, doubts, other_sides},
    phrases::phrase,
    reading::{read, readings, stripped, usual_readings},
};

use crate::{
    algebra::{Env, Roots, Work, normal},
    notation::{Comma, Expression, Relation, Sign, Slash, relations, shape},
    units::Unit,
};

/// A way to read a text: some are ambiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    /// What a comma between digits is.
    pub(crate) comma: Comma,
    /// How far a slash reaches.
    pub(crate) slash: Slash,
}

/// An answer that says something without a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phrase {
    /// No solution.
    Nothing,
    /// All real numbers.
    Everything,
    /// Infinitely many solutions.
    Infinite,
    /// Not a real number.
    NotReal,
    /// Not defined.
    Undefined,
    /// Cannot be factored.
    Prime,
    /// Yes, true.
    Yes,
    /// No, false.
    No,
    /// A sign of comparison alone.
    Comparison(Sign),
}

/// How an item is linked to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// A comma, a semicolon, a new line, or nothing before it.
    List,
    /// `and`
    And,
    /// `or`, `∪`
    Or,
}

/// An end of an interval, or a coordinate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// A value.
    Value(Expression),
    /// Infinity, negative or not.
    Infinite(bool),
}

/// One item of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    /// A value, with and without reading its end as a unit. At least one is there.
    Value {
        /// As a formula.
        plain: Option<Expression>,
        /// As a number with a unit.
        united: Option<Box<(Expression, Unit)>>,
    },
    /// Sides and the signs between them; a unit may follow the last.
    Chain {
        /// The sides.
        sides: Vec<Part>,
        /// The signs, one less.
        signs: Vec<Sign>,
        /// What followed the last side.
        unit: Option<Unit>,
    },
    /// `(a, b)`, `[a, b)`, `(a, b, c)`.
    Bracket {
        /// The opening bracket.
        open: char,
        /// The closing bracket, named by its opening one.
        close: char,
        /// What stands between them.
        parts: Vec<Part>,
    },
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// A phrase.
    Phrase(Phrase),
    /// Items, at least one.
    Items(Vec<(Link, Item)>),
}

/// A value with the variable it was given for.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// The variable, where one was named.
    pub(crate) variable: Option<Rc<str>>,
    /// The value.
    pub(crate) expression: Expression,
    /// Its unit.
    pub(crate) unit: Option<Unit>,
}

/// What letters behind a number are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    /// Variables.
    Variables,
    /// Units, where they can be.
    Units,
}

impl Answer {
    /// The answer as values: `4`, `x = 4`, `2 or -3`, `x = 2, y = 3`, `-4 ± 3`. Nothing where it is something else.
    ///
    /// Where letters cannot be variables, `5 m` is a number with a unit.
    pub(crate) fn values(&self, letters: Letters, work: &mut Work) -> Option<Vec<Value>> {
        let Self::Items(items) = self else {
            return None;
        };
        let mut values: Vec<Value> = Vec::new();
        for (link, item) in items {
            let (variable, expression, unit) = match item {
                Item::Value { plain, united } => match (plain, united) {
                    (Some(expression), None) => (None, expression.clone(), None),
                    (Some(expression), Some(_)) if letters == Letters::Variables => {
                        (None, expression.clone(), None)
                    }
                    (_, Some(united)) => {
                        let (expression, unit) = (**united).clone();
                        (None, expression, Some(unit))
                    }
                    (None, None) => return None,
                },
                Item::Chain { sides, signs, unit } => {
                    let (variable, expression) = assignment(sides, signs, work)?;
                    (variable, expression, unit.clone())
                }
                // `(2, 3)` is no list, but `(2), (3)` was read as values already.
                Item::Bracket { .. } => return None,
            };
            let inherited = values.first().and_then(|first| first.variable.clone());
            // `x = 3 or y = 1` does not say which.
            if *link == Link::Or && variable.is_some() && inherited.is_some() {
                let name = |name: &Option<Rc<str>>| {
                    name.as_deref()
                        .and_then(|name| name.split('_').next().map(str::to_owned))
                };
                if name(&variable) != name(&inherited) {
                    return None;
                }
            }
            for expression in expression.branches() {
                values.push(Value {
                    variable: variable.clone().or_else(|| inherited.clone()),
                    expression,
                    unit: unit.clone(),
                });
            }
        }
        Some(values)
    }

    /// Whether an equality without a variable stands in the answer: `5 + 4 = 9`.
    pub(crate) fn is_arithmetic(&self) -> bool {
        let Self::Items(items) = self else {
            return false;
        };
        items.iter().any(|(_, item)| match item {
            Item::Chain { sides, signs, .. } => {
                signs.iter().all(|sign| *sign == Sign::Equal)
                    && sides
                        .iter()
                        .all(|side| matches!(side, Part::Value(value) if !value.has_variable()))
            }
            _ => false,
        })
    }

    /// The one relation that the answer is.
    pub(crate) fn relation(&self) -> Option<Relation> {
        match self {
            Self::Items(items) => match items.as_slice() {
                [(_, item @ Item::Chain { signs, .. })] if signs.len() == 1 => {
                    item.relations()?.pop()
                }
                _ => None,
            },
            Self::Phrase(_) => None,
        }
    }
}

impl Answer {
    /// The answer with what it comes to in place of each chain of equalities that does not hold: `x = 15 - 6 = 8` as `x = 8`.
    /// Nothing where all hold. What says the question again is passed over. Sides with variables may be steps, such as
    /// `4x = 24`: they count only where values have variables.
    pub(crate) fn concluded(
        &self,
        question: Option<&Expression>,
        with_variables: bool,
        work: &mut Work,
    ) -> Option<Self> {
        let Self::Items(items) = self else {
            return None;
        };
        let mut is_other = false;
        let mut concluded = Vec::with_capacity(items.len());
        for (link, item) in items {
            let last = item.last_side(question, with_variables, work);
            is_other |= last.is_some();
            concluded.push((*link, last.unwrap_or_else(|| item.clone())));
        }
        is_other.then_some(Self::Items(concluded))
    }

    /// How many items the answer has; a phrase is one.
    pub(crate) fn item_count(&self) -> usize {
        match self {
            Self::Items(items) => items.len(),
            Self::Phrase(_) => 1,
        }
    }

    /// Every expression that stands in the answer.
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        let Self::Items(items) = self else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for (_, item) in items {
            match item {
                Item::Value { plain, united } => {
                    all.extend(plain);
                    all.extend(united.as_ref().map(|united| &united.0));
                }
                Item::Chain { sides: parts, .. } | Item::Bracket { parts, .. } => {
                    all.extend(parts.iter().filter_map(|part| match part {
                        Part::Value(expression) => Some(expression),
                        Part::Infinite(_) => None,
                    }));
                }
            }
        }
        all
    }
}

impl Item {
    /// The relations of a chain without infinities.
    pub(crate) fn relations(&self) -> Option<Vec<Relation>> {
        let Self::Chain { sides, signs, .. } = self else {
            return None;
        };
        let sides: Vec<Expression> = sides
            .iter()
            .map(|side| match side {
                Part::Value(expression) => Some(expression.clone()),
                Part::Infinite(_) => None,
            })
            .collect::<Option<_>>()?;
        Some(relations(&sides, signs))
    }

    /// What a chain of equalities that does not hold comes to, with its variable: see [`Answer::concluded`].
    fn last_side(
        &self,
        question: Option<&Expression>,
        with_variables: bool,
        work: &mut Work,
    ) -> Option<Self> {
        let Self::Chain { sides, signs, unit } = self else {
            return None;
        };
        let equal = signs.iter().all(|sign| *sign == Sign::Equal);
        if !equal || assignment(sides, signs, work).is_some() {
            return None;
        }
        let (variable, rest) = match sides.as_slice() {
            [variable @ Part::Value(Expression::Variable(_)), rest @ ..] => (Some(variable), rest),
            all => (None, all),
        };
        let mut last = None;
        for side in rest {
            let Part::Value(side) = side else {
                return None;
            };
            if side.has_variable() && !with_variables {
                return None;
            }
            if question.is_none_or(|question| shape(question) != shape(side)) {
                last = Some(side.clone());
            }
        }
        let last = last?;
        // `4x + 12 = 0` makes an equation of an expression.
        let is_zero = matches!(&last, Expression::Number { value, .. } if value.is_zero());
        if is_zero
            && rest
                .iter()
                .any(|side| matches!(side, Part::Value(side) if side.has_variable()))
        {
            return None;
        }
        Some(match (variable, unit) {
            (Some(variable), unit) => Self::Chain {
                sides: vec![variable.clone(), Part::Value(last)],
                signs: vec![Sign::Equal],
                unit: unit.clone(),
            },
            (None, Some(unit)) => Self::Value {
                plain: None,
                united: Some(Box::new((last, unit.clone()))),
            },
            (None, None) => Self::Value {
                plain: Some(last),
                united: None,
            },
        })
    }
}

/// `x = 4`, `4 = x`, `12 * 5 = 60`: the variable if a side is one, and the last other side. All others must be equal to it.
fn assignment(
    sides: &[Part],
    signs: &[Sign],
    work: &mut Work,
) -> Option<(Option<Rc<str>>, Expression)> {
    if signs.iter().any(|sign| *sign != Sign::Equal) {
        return None;
    }
    let sides: Vec<&Expression> = sides
        .iter()
        .map(|side| match side {
            Part::Value(expression) => Some(expression),
            Part::Infinite(_) => None,
        })
        .collect::<Option<_>>()?;
    let (variable, rest) = match sides.as_slice() {
        [first, Expression::Variable(name)] => (Some(Rc::clone(name)), vec![*first]),
        [Expression::Variable(name), rest @ ..] => (Some(Rc::clone(name)), rest.to_vec()),
        all => (None, all.to_vec()),
    };
    let last = rest.last()?;
    for side in rest.iter().rev().skip(1) {
        let mut env = Env::new(Roots::Positive);
        let left = normal(side, &mut env, work).ok()?;
        let right = normal(last, &mut env, work).ok()?;
        if left.equals(&right, work) != Ok(Some(true)) {
            return None;
        }
    }
    Some((variable, (*last).clone()))
}
