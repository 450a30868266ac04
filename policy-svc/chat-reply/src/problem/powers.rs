//! Unknowns where the rules of the grader need help: as a power (`2^x = 8`) and between bars (`|x| = 5`).

use std::sync::LazyLock;

use regex::{Captures, Regex};
use turnwise_reply_guard::formula::{Formula, Symbol};

use super::{Kind, MOST as MOST_PROBLEMS, Problem, problem};

/// The largest numerator and denominator of an exponent that are tried.
const MOST: (i32, u32) = (20, 4);

/// An equality of a power with an unknown exponent and a number, as one of exponents: `2x = 6` for `2^x = 8`.
pub(super) fn exponent(formula: &Formula) -> Option<Problem> {
    let mut sides = formula.0.split(|symbol| *symbol == Symbol::Sign('='));
    let (left, right, None) = (sides.next()?, sides.next()?, sides.next()) else {
        return None;
    };
    let (power, value) = if Formula(left.to_vec()).has_letter() {
        (left, right)
    } else {
        (right, left)
    };
    // `2^x + 3`
    let (power, added) = match power {
        [
            power @ ..,
            Symbol::Sign(sign @ ('+' | '-')),
            Symbol::Number(number),
        ] if !power.contains(&Symbol::Sign('(')) => (power, Some((*sign, whole(number)?))),
        power => (power, None),
    };
    // `3 * 2^x`
    let (factor, power) = match power {
        [Symbol::Number(factor), Symbol::Sign('*'), power @ ..] => (whole(factor)?, power),
        power => (1, power),
    };
    let [Symbol::Number(base), Symbol::Sign('^'), exponent @ ..] = power else {
        return None;
    };
    let exponent = match exponent {
        [Symbol::Letter(_)] => exponent,
        [Symbol::Sign('('), inner @ .., Symbol::Sign(')')]
            if !inner.contains(&Symbol::Sign(')')) =>
        {
            inner
        }
        _ => return None,
    };
    let (above, below) = match value {
        [Symbol::Number(value)] => (whole(value)?, 1),
        [
            Symbol::Number(above),
            Symbol::Sign('/'),
            Symbol::Number(below),
        ] => (whole(above)?, whole(below)?),
        [
            Symbol::Number(base),
            Symbol::Sign('^'),
            Symbol::Number(times),
        ] => (whole(base)?.checked_pow(times.parse().ok()?)?, 1),
        _ => return None,
    };
    let above = match added {
        Some(('+', number)) => above.checked_sub(number.checked_mul(below)?)?,
        Some((_, number)) => above.checked_add(number.checked_mul(below)?)?,
        None => above,
    };
    let base = whole(base).filter(|base| *base > 1)?;
    let below = below.checked_mul(factor)?;
    let (above, below) = lowest(above, below)?;
    let (times, root) = logarithm(base, above, below)?;
    let exponent = Formula(exponent.to_vec());
    let unknown = exponent.letters().first().copied()?;
    let prompt = format!("Solve for {unknown}.");
    // With a factor, since an unknown that stands alone is no problem.
    let question = format!("{}*({exponent}) = {}", 2 * root, 2 * times);
    problem(Kind::Equation, &prompt, &question, &formula.to_string())
}

fn whole(number: &str) -> Option<u128> {
    number.parse().ok()
}

fn lowest(above: u128, below: u128) -> Option<(u128, u128)> {
    let (mut greater, mut rest) = (above, below);
    while rest > 0 {
        (greater, rest) = (rest, greater % rest);
    }
    Some((above.checked_div(greater)?, below.checked_div(greater)?))
}

/// The fraction that a base to the power of it is `above / below`; one of both is 1.
fn logarithm(base: u128, above: u128, below: u128) -> Option<(i32, u32)> {
    let (value, sign) = match (above, below) {
        (value, 1) => (value, 1),
        (1, value) => (value, -1),
        _ => return None,
    };
    (1..=MOST.1).find_map(|root| {
        let power = value.checked_pow(root)?;
        let times = (0..=MOST.0).find(|times| {
            let times = times.unsigned_abs();
            base.checked_pow(times) == Some(power)
        })?;
        Some((sign * times, root))
    })
}

static ABSOLUTE: LazyLock<Option<[Regex; 4]>> = LazyLock::new(|| {
    Some([
        Regex::new(r"\\left\s*\||\\right\s*\||\\[lr]?vert\b|[∣｜]").ok()?,
        Regex::new(r"(?i)\babs\(([^()\n]*)\)").ok()?,
        Regex::new(r"(?i)\b(?:absolute value of|betrag von)\s+([a-z])\s+(?:is equal to|ist gleich|equals|gleich|ist|is|=)").ok()?,
        Regex::new(
            r"(?:\d+\s*[*·]?\s*)?\|[^|=<>≤≥\n]*[a-z][^|=<>≤≥\n]*\|\s*(?:[-+]\s*\d+\s*)?[=<>≤≥]=?\s*[-−]?\d+(?:[./]\d+)?|\d+(?:[./]\d+)?\s*=\s*\|[^|=<>≤≥\n]*[a-z][^|=<>≤≥\n]*\|",
        )
        .ok()?,
    ])
});

/// The problems with an unknown between bars, and the text without them.
pub(super) fn absolute(text: &str) -> (String, Vec<Problem>) {
    let Some([bars, named, words, relation]) = &*ABSOLUTE else {
        return (text.to_owned(), Vec::new());
    };
    let plain = bars.replace_all(text, "|");
    let plain = named.replace_all(&plain, "|$1|");
    let plain = words.replace_all(&plain, "|$1| =");
    let mut found = Vec::new();
    let rest = relation.replace_all(&plain, |captures: &Captures<'_>| {
        let shown = captures[0].trim();
        let unknown = shown.chars().find(|c| c.is_ascii_alphabetic());
        let prompt = format!("Solve for {}.", unknown.unwrap_or('x'));
        let kind = if shown.contains('=') {
            Kind::Equation
        } else {
            Kind::Inequality
        };
        let own = (found.len() < MOST_PROBLEMS)
            .then(|| problem(kind, &prompt, shown, shown))
            .flatten();
        let left = if own.is_some() { "\n" } else { shown }.to_owned();
        found.extend(own);
        left
    });
    let rest = if found.is_empty() {
        text.to_owned()
    } else {
        rest.into_owned()
    };
    (rest, found)
}
