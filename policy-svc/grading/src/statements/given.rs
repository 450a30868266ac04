//! What is said to come out for a value that is given beside it: `With x = 3 you get 2x + 1 = 8`, `2x + 1 = 8 when x = 3`.

use super::{
    cues::{self, Words},
    doubt::{Told, is_cut, words},
    identity::Meant,
    scan::{Edge, Run},
    verdict::{Chain, Link, relates},
};
use crate::{
    algebra::{Env, Roots, Work, normal},
    notation::{Expression, Sign},
};

/// Whether one of two neighbouring formulas gives a value for which the other, which is said of it, does not hold.
pub(super) fn is_false(text: &str, told: &Told<'_>, first: &Run<'_>, then: &Run<'_>) -> bool {
    let Some(between) = text.get(first.range.end..then.range.start) else {
        return false;
    };
    let stands_behind =
        |run: &Run<'_>, list: &Words| matches!(run.before, Edge::Word(word) if list.has(word));
    let count = words(between).count();
    let is_put_in = stands_behind(first, &cues::PUTTING);
    // `If x = 3, then 2x + 1 = 7`, but not `Put x = 3 in, then 2x + 1 = 8 is to hold`
    let says = words(between).any(|word| {
        cues::YIELDING.has(word) || !is_put_in && matches!(word, "then" | "so" | "dann" | "Then")
    });
    let yields = says
        && !between.contains(char::is_numeric)
        && words(between).all(|word| cues::YIELDING.has(word) || cues::PASSING.has(word));
    let ends = then.after == Edge::Clean;
    let (given, claim, is_plain) = if is_put_in || stands_behind(first, &cues::GIVING) {
        let is_parted = !is_put_in && between.trim_matches([' ', '$']) == ",";
        (first, then, yields || is_parted && ends)
    } else {
        let is_behind = stands_behind(then, &cues::CONDITIONING) && count == 1;
        (then, first, is_behind && ends)
    };
    // What is to be solved or checked may be posed for a value.
    is_plain
        && (yields || told.meant(&claim.range) != Meant::Posed)
        && !claim.formula.contains(['.', ',', '≈'])
        && fails(given, claim)
        && !is_cut(claim, Chain::usual(&claim.formula).as_ref())
        && !told.is_no_claim(&claim.range)
}

/// Whether a claim fails in every reading for the value that a formula gives.
fn fails(given: &Run<'_>, claim: &Run<'_>) -> bool {
    let Some(env) = Chain::usual(&given.formula).as_ref().and_then(value) else {
        return false;
    };
    let mut readings = Chain::readings(&claim.formula).peekable();
    let is_wrong = |chain: Chain| {
        chain.relations().any(|relation| {
            let work = &mut Work::new();
            let mut side = |side: &Expression| normal(side, &mut env.clone(), work).ok();
            let sides = side(&relation.left).zip(side(&relation.right));
            sides.is_some_and(|(left, right)| {
                let is_known = left.is_constant() && right.is_constant();
                is_known && relates(&left, relation.sign, &right, work) == Some(false)
            })
        })
    };
    readings.peek().is_some() && readings.all(is_wrong)
}

/// The value of `x = 3`.
fn value(given: &Chain) -> Option<Env> {
    let ([Expression::Variable(name), number], [Link::Exactly(Sign::Equal)]) =
        (given.sides.as_slice(), given.links.as_slice())
    else {
        return None;
    };
    let env = Env::new(Roots::Real);
    let number = normal(number, &mut env.clone(), &mut Work::new()).ok()?;
    number.is_constant().then(|| env.with(name, number))
}
