//! Compares lists of values, with their variables and units.

use std::rc::Rc;

use super::{expressions, verdict, verdict_if};
use crate::{
    algebra::{Env, Quotient, Roots, Work, normal},
    answer::Value,
    grade::Verdict,
    units::Unit,
};

/// The whole set of values, in any order.
pub(super) fn lists(keys: &[Value], values: &[Value], work: &mut Work) -> Verdict {
    if let Some(names) = several_names(keys)
        && several_names(values).is_none()
    {
        // Of two values without names nobody knows which is whose, but in the key's own order.
        let in_order = names.is_sorted()
            && keys.len() == values.len()
            && keys.iter().zip(values).all(|(key, value)| {
                value.variable.is_none() && single(key, value, true, work) == Verdict::Right
            });
        return verdict_if(in_order, Verdict::Right);
    }
    // `1/3 or 2/6` is one value too many.
    let says_again = keys.len() == 1 && values.len() > 1;
    let mut matched = vec![false; keys.len()];
    let mut strange = false;
    for value in values {
        let mut own = false;
        for (key, matched) in keys.iter().zip(&mut matched) {
            match single(key, value, keys.len() > 1, work) {
                Verdict::Right => {
                    own = true;
                    *matched = true;
                }
                Verdict::Wrong => {}
                Verdict::CannotTell => return Verdict::CannotTell,
            }
        }
        strange |= !own;
    }
    if says_again && !strange {
        return Verdict::CannotTell;
    }
    verdict(!strange && matched.iter().all(|matched| *matched))
}

/// The variables that values are given for, if they are several.
fn several_names(values: &[Value]) -> Option<Vec<Rc<str>>> {
    let names: Vec<Rc<str>> = values
        .iter()
        .filter_map(|value| value.variable.clone())
        .collect();
    let first = names.first()?;
    names.iter().any(|name| name != first).then_some(names)
}

fn single(key: &Value, value: &Value, several: bool, work: &mut Work) -> Verdict {
    match (&key.variable, &value.variable) {
        (Some(own), Some(theirs)) if own != theirs => {
            // Of x = 2, y = 3 each has its own; alone, another name is another question.
            return if several {
                Verdict::Wrong
            } else {
                Verdict::CannotTell
            };
        }
        _ => {}
    }
    let equal = expressions(&key.expression, &value.expression, work);
    match (&key.unit, &value.unit) {
        (None, None) => equal,
        (Some(own), Some(theirs)) => {
            let known = |unit: &Unit| unit.dimension != unit.words;
            // Of several counted things, other numbers of other things are other items of the list.
            if several && equal == Verdict::Wrong && !known(own) && !known(theirs) {
                return Verdict::Wrong;
            }
            quantities(key, own, value, theirs, work)
        }
        _ => Verdict::CannotTell,
    }
}

fn quantities(key: &Value, own: &Unit, value: &Value, theirs: &Unit, work: &mut Work) -> Verdict {
    let scaled = |value: &Value, unit: &Unit, work: &mut Work| {
        let number = normal(&value.expression, &mut Env::new(Roots::Real), work).ok()?;
        number
            .multiply(&Quotient::number(unit.factor.clone()), work)
            .ok()
    };
    let (Some(left), Some(right)) = (scaled(key, own, work), scaled(value, theirs, work)) else {
        return Verdict::CannotTell;
    };
    let singular = |unit: &Unit| unit.dimension.trim_end_matches('s').to_owned();
    if singular(own) != singular(theirs) {
        // Units of the table measure different things; words that are not in it may name the same thing.
        let known = |unit: &Unit| unit.dimension != unit.words;
        return verdict_if(known(own) && known(theirs), Verdict::Wrong);
    }
    match left.equals(&right, work) {
        Ok(Some(equal)) => verdict(equal),
        _ => Verdict::CannotTell,
    }
}
