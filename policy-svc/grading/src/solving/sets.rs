//! The set of numbers that an answer describes.

use std::rc::Rc;

use crate::{
    algebra::{Edge, Env, RealSet, Roots, Span, Work, compare, normal},
    answer::{Answer, Item, Link, Part, Phrase},
    notation::Expression,
};

/// The set of numbers that an answer describes, and the variable that it names.
pub(crate) fn answer_set(answer: &Answer, work: &mut Work) -> Option<(RealSet, Option<Rc<str>>)> {
    let items = match answer {
        Answer::Phrase(Phrase::Nothing) => return Some((RealSet::default(), None)),
        Answer::Phrase(Phrase::Everything) => return Some((RealSet::all(), None)),
        Answer::Phrase(_) => return None,
        Answer::Items(items) => items,
    };
    let mut whole: Option<RealSet> = None;
    let mut variable: Option<Rc<str>> = None;
    for (link, item) in items {
        let (set, named) = item_set(item, work)?;
        match (&variable, named) {
            (Some(known), Some(named)) if *known != named => return None,
            (None, named) => variable = named,
            _ => {}
        }
        whole = Some(match (whole, link) {
            (None, _) => set,
            (Some(before), Link::Or) => before.union(&set, work)?,
            (Some(before), Link::And) => before.intersection(&set, work)?,
            // A comma between inequalities could be either.
            (Some(_), Link::List) => return None,
        });
    }
    Some((whole?, variable))
}

fn item_set(item: &Item, work: &mut Work) -> Option<(RealSet, Option<Rc<str>>)> {
    let number = |expression: &Expression, work: &mut Work| {
        let value = normal(expression, &mut Env::new(Roots::Real), work).ok()?;
        value.is_constant().then_some(value)
    };
    match item {
        Item::Bracket { open, close, parts } => {
            let [low, high] = parts.as_slice() else {
                return None;
            };
            let edge = |part: &Part, bracket: char, low: bool, work: &mut Work| match part {
                Part::Infinite(negative) => {
                    (*negative == low && bracket == '(').then(Edge::infinite)
                }
                Part::Value(expression) => Some(Edge {
                    at: Some(number(expression, work)?),
                    closed: bracket == '[',
                }),
            };
            let span = Span {
                low: edge(low, *open, true, work)?,
                high: edge(high, *close, false, work)?,
            };
            if let (Some(low), Some(high)) = (&span.low.at, &span.high.at) {
                let order = compare(low, high, work)?;
                if order.is_gt() || order.is_eq() && !(span.low.closed && span.high.closed) {
                    return None;
                }
            }
            Some((RealSet::of(span), None))
        }
        Item::Chain {
            sides,
            signs,
            unit: None,
        } => {
            let mut set = RealSet::all();
            let mut variable: Option<Rc<str>> = None;
            for (pair, sign) in sides.windows(2).zip(signs) {
                let [left, right] = pair else {
                    return None;
                };
                let (name, sign, bound) = match (left, right) {
                    (Part::Value(Expression::Variable(name)), bound) => (name, *sign, bound),
                    (bound, Part::Value(Expression::Variable(name))) => {
                        (name, sign.swapped(), bound)
                    }
                    _ => return None,
                };
                if variable.get_or_insert_with(|| Rc::clone(name)) != name {
                    return None;
                }
                let half = match bound {
                    Part::Infinite(_) => RealSet::all(),
                    Part::Value(bound) => {
                        let bound = number(bound, work)?;
                        RealSet::build(
                            vec![bound.clone()],
                            &mut |own, work| Some(sign.holds(compare(own, &bound, work)?)),
                            work,
                        )?
                    }
                };
                set = set.intersection(&half, work)?;
            }
            Some((set, variable))
        }
        Item::Value {
            plain: Some(expression),
            ..
        } => {
            let at = number(expression, work)?;
            let edge = Edge {
                at: Some(at),
                closed: true,
            };
            Some((
                RealSet::of(Span {
                    low: edge.clone(),
                    high: edge,
                }),
                None,
            ))
        }
        _ => None,
    }
}
