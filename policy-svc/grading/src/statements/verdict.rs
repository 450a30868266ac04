//! Decides a formula with relations: each side against the next.

use std::{borrow::Cow, cell::LazyCell, rc::Rc};

use num_bigint::BigInt;
use num_traits::Zero;

use super::{
    identity::{self, Meant, Place},
    scan::is_dash,
};
use crate::{
    algebra::{Env, Quotient, Rational, Roots, Work, compare, is_rounding, normal, residue},
    forms::{is_literal, signed_number},
    notation::{
        Comma, Expression, Relation, Shape, Sign, Slash, Token, relation_chain, relation_shape,
        tokens,
    },
    rounding::may_be_rounded,
};

/// So many units of the last digit shown are no rounding any more.
const ROUNDING_UNITS: u32 = 2;

/// How two sides of a chain are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// By a sign.
    Exactly(Sign),
    /// `≈`
    Nearly,
}

/// Sides and what stands between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) sides: Vec<Expression>,
    pub(super) links: Vec<Link>,
}

impl Chain {
    /// The ways to read a formula, the most usual first; one may come twice.
    pub(super) fn readings(formula: &str) -> impl Iterator<Item = Self> {
        let undotted = without_parted_thousands(formula);
        let commas: &[Comma] = if formula.contains(',') || undotted.is_some() {
            &[Comma::Separates, Comma::Decimal, Comma::Point]
        } else {
            &[Comma::Separates]
        };
        let whole = with_whole_fractions(formula).map(Cow::Owned);
        let formulas = [
            Some(Cow::Borrowed(formula)),
            undotted.map(Cow::Owned),
            whole,
        ];
        formulas.into_iter().flatten().flat_map(move |formula| {
            let by_comma = move |comma: &Comma| Self::by_slashes(&formula, *comma);
            commas.iter().flat_map(by_comma)
        })
    }

    /// The most usual way to read a formula.
    pub(super) fn usual(formula: &str) -> Option<Self> {
        Self::readings(formula).next()
    }

    /// The way to read a formula, where there is one only.
    pub(super) fn only(formula: &str) -> Option<Self> {
        let mut readings = Self::readings(formula);
        let first = readings.next()?;
        readings.all(|other| other == first).then_some(first)
    }

    fn by_slashes(formula: &str, comma: Comma) -> impl Iterator<Item = Self> + use<> {
        let parts = formula.split('≈').map(|part| tokens(part, comma));
        let parts: Option<Vec<_>> = parts.collect();
        let read = |slash| Self::read(parts.as_deref()?, slash);
        let short = read(Slash::Short);
        let has_slash = formula.contains(['/', '÷', '∕', '⁄']);
        let long = has_slash.then(|| read(Slash::Long)).flatten();
        let long = long.filter(|long| short.as_ref() != Some(long));
        short.into_iter().chain(long)
    }

    fn read(parts: &[Vec<Token>], slash: Slash) -> Option<Self> {
        let mut chain = Self {
            sides: Vec::new(),
            links: Vec::new(),
        };
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                chain.links.push(Link::Nearly);
            }
            let (sides, signs) = relation_chain(part, slash)?;
            chain.sides.extend(sides);
            chain.links.extend(signs.into_iter().map(Link::Exactly));
        }
        Some(chain)
    }

    /// Neighbouring sides and what stands between them.
    fn pairs(&self) -> impl Iterator<Item = (&Expression, Link, &Expression)> {
        let pairs = self.sides.windows(2).zip(&self.links);
        pairs.filter_map(|(pair, link)| match pair {
            [left, right] => Some((left, *link, right)),
            _ => None,
        })
    }

    /// Whether the same variables stand in all sides: an intermediate step of a calculation, and no `y = 2x = x + 3`.
    fn has_same_variables(&self) -> bool {
        self.sides
            .windows(2)
            .all(|pair| matches!(pair, [left, right] if left.variables() == right.variables()))
    }

    /// The relations with a sign.
    pub(super) fn relations(&self) -> impl Iterator<Item = Relation> {
        self.pairs().filter_map(|(left, link, right)| match link {
            Link::Exactly(sign) => Some(Relation {
                left: left.clone(),
                sign,
                right: right.clone(),
            }),
            Link::Nearly => None,
        })
    }
}

/// What a formula says.
#[derive(Debug)]
pub(super) struct Judged {
    /// Whether it holds, where that is certain in every reading.
    pub(super) holds: Option<bool>,
    /// Its most usual reading.
    pub(super) chain: Option<Chain>,
    /// What does not hold in that reading.
    pub(super) wrong: Vec<Shape>,
}

/// Judges a formula. `meant` says how an equality with variables is meant.
pub(super) fn judge(formula: &str, meant: &dyn Fn() -> Meant) -> Judged {
    let mut judged = Judged {
        holds: None,
        chain: None,
        wrong: Vec::new(),
    };
    let mut open = false;
    for chain in Chain::readings(formula) {
        let mut work = Work::new();
        let (holds, wrong) = by_pairs(&chain, meant, &mut work);
        if judged.chain.is_none() || judged.wrong.is_empty() {
            judged.chain = Some(chain);
            judged.wrong = wrong;
        }
        match holds {
            Some(true) => {
                judged.holds = Some(true);
                return judged;
            }
            Some(false) => judged.holds = Some(false),
            None => open = true,
        }
    }
    if judged.holds == Some(false) && (open || is_open(formula)) {
        judged.holds = None;
    }
    judged
}

/// Whether a formula may say something else than it seems to: a comma may part two statements, a dash a remark; and a ratio
/// of three numbers is no quotient.
fn is_open(formula: &str) -> bool {
    formula.contains(',') && formula.matches(is_sign).count() > 1
        || formula.contains(" – ")
        || is_side_by_side(formula)
        || has_pair(formula)
        || has_range(formula)
        || formula.split(is_sign).filter(|side| has_call(side)).count() > 1
        || formula
            .split(is_sign)
            .any(|side| side.matches('÷').count() > 1)
}

/// `(1,5)`: a number, or a point of the plane.
fn has_pair(formula: &str) -> bool {
    let is_whole = |text: &str| {
        let digits = text.trim().trim_start_matches(is_dash);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    formula.split('(').skip(1).any(|part| {
        let inner = part.split(')').next().unwrap_or_default();
        inner
            .split_once(',')
            .is_some_and(|(left, right)| is_whole(left) && is_whole(right))
    })
}

/// `3–5`: a difference, or from 3 to 5.
fn has_range(formula: &str) -> bool {
    let mut parts = formula.split('–');
    let mut before = parts.next().unwrap_or_default();
    parts.any(|after| {
        let joins = before.ends_with(|c: char| c.is_ascii_digit())
            && after.starts_with(|c: char| c.is_ascii_digit());
        before = after;
        joins
    })
}

/// `a(n)`: a product, or the value of a function. `x`, `y` and `z` name none.
fn has_call(side: &str) -> bool {
    let characters: Vec<char> = [' '].into_iter().chain(side.chars()).collect();
    characters.windows(3).any(|three| match three {
        [before, letter, '('] => {
            letter.is_alphabetic() && !before.is_alphabetic() && !matches!(letter, 'x' | 'y' | 'z')
        }
        _ => false,
    })
}

fn is_sign(character: char) -> bool {
    matches!(character, '=' | '<' | '>' | '≤' | '≥' | '≠' | '≈')
}

fn by_pairs(
    chain: &Chain,
    meant: &dyn Fn() -> Meant,
    work: &mut Work,
) -> (Option<bool>, Vec<Shape>) {
    let place = LazyCell::new(
        || match chain.links.len() > 1 && chain.has_same_variables() {
            true => Place::Chain,
            false => Place::Alone,
        },
    );
    let mut holds = None;
    let mut wrong = Vec::new();
    let mut near = false;
    for (left, link, right) in chain.pairs() {
        let found = match link {
            Link::Nearly => {
                near = true;
                nearly(left, right, work)
            }
            Link::Exactly(Sign::Equal) if is_seen_to_hold(left, right) => Some(true),
            // What was rounded before is only nearly equal to what follows.
            Link::Exactly(sign) => {
                pair(left, sign, right, *place, meant, work).filter(|holds| *holds || !near)
            }
        };
        match (found, link) {
            (Some(false), Link::Exactly(sign)) => wrong.push(relation_shape(&Relation {
                left: left.clone(),
                sign,
                right: right.clone(),
            })),
            (Some(false), Link::Nearly) => wrong.push(relation_shape(&Relation {
                left: left.clone(),
                sign: Sign::Equal,
                right: right.clone(),
            })),
            _ => {}
        }
        holds = match (holds, found) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), _) | (_, Some(true)) => Some(true),
            _ => None,
        };
    }
    (holds, wrong)
}

/// Whether an equality of numbers, or of terms with the same variables, is seen to hold by [`residue`], as most do.
fn is_seen_to_hold(left: &Expression, right: &Expression) -> bool {
    let names = left.variables();
    let is_variable = |name: &Rc<str>| &**name != "i";
    let own = residue(left);
    own.is_some()
        && own == residue(right)
        && names == right.variables()
        && names.iter().all(is_variable)
}

fn value(expression: &Expression, work: &mut Work) -> Option<Quotient> {
    normal(expression, &mut Env::new(Roots::Real), work).ok()
}

fn pair(
    left: &Expression,
    sign: Sign,
    right: &Expression,
    place: Place,
    meant: &dyn Fn() -> Meant,
    work: &mut Work,
) -> Option<bool> {
    if left.has_variable() || right.has_variable() {
        return identity::holds(left, sign, right, place, meant, work);
    }
    let (own, other) = (value(left, work)?, value(right, work)?);
    let holds = relates(&own, sign, &other, work)?;
    let open = || {
        mixes_percent(left)
            || mixes_percent(right)
            || sign == Sign::Equal
                && (may_be_rounded(left, &other)
                    || may_be_rounded(right, &own)
                    || is_bare(left) && is_bare(right)
                    || may_be_share(left, &own, right)
                    || may_be_share(right, &other, left)
                    || may_be_product(left, &other)
                    || may_be_product(right, &own))
    };
    (holds || !open()).then_some(holds)
}

/// Whether two numbers are in a relation.
pub(super) fn relates(
    own: &Quotient,
    sign: Sign,
    other: &Quotient,
    work: &mut Work,
) -> Option<bool> {
    Some(match sign {
        Sign::Equal => own.equals(other, work).ok()??,
        Sign::NotEqual => !own.equals(other, work).ok()??,
        _ => sign.holds(compare(own, other, work)?),
    })
}

/// `3 = 8` is what is left of an equation without a solution.
fn is_bare(expression: &Expression) -> bool {
    matches!(signed_number(expression), Some((_, None)))
}

/// `100 % = 80`, `1/4 = 15`: how much a share of something is.
fn may_be_share(share: &Expression, value: &Quotient, amount: &Expression) -> bool {
    let one = Rational::from(BigInt::from(1));
    let is_share = match share {
        Expression::Percent(_) => is_literal(share),
        Expression::Divide(..) => {
            is_literal(share)
                && value
                    .as_number()
                    .is_some_and(|value| value > Rational::zero() && value < one)
        }
        _ => false,
    };
    is_share && matches!(signed_number(amount), Some((amount, None)) if amount > one)
}

/// `80 + 25 %`: whether 25 % of 80 is meant cannot be told.
fn mixes_percent(expression: &Expression) -> bool {
    let has_percent =
        |part: &Expression| part.any(&|inner| matches!(inner, Expression::Percent(_)));
    expression.any(&|part| match part {
        Expression::Add(parts) => parts.iter().any(has_percent) && !parts.iter().all(has_percent),
        _ => false,
    })
}

/// `2\frac{1}{2}` that was meant as 2 times one half.
fn may_be_product(expression: &Expression, other: &Quotient) -> bool {
    match expression {
        Expression::Mixed(whole, above, below) if !below.is_zero() => {
            other.as_number() == Some(whole * above / below)
        }
        _ => false,
    }
}

/// Whether a number that is shown stands near enough for the digits that it shows.
fn nearly(left: &Expression, right: &Expression, work: &mut Work) -> Option<bool> {
    if left.has_variable() {
        return None;
    }
    let (shown, places) = match right {
        Expression::Percent(inner) => {
            let (shown, places) = signed_number(inner)?;
            (
                shown / Rational::from(BigInt::from(100)),
                places.unwrap_or(0) + 2,
            )
        }
        _ => {
            let (shown, places) = signed_number(right)?;
            (shown, places.unwrap_or(0))
        }
    };
    let exact = value(left, work)?;
    // The last digit of 1,200 that is shown is the 2.
    let mut unit = Rational::from(BigInt::from(1));
    let ten = Rational::from(BigInt::from(10));
    if places == 0 && !shown.is_zero() {
        while (&shown / (&unit * &ten)).is_integer() {
            unit *= &ten;
        }
    }
    let scaled = |most: &Rational, work: &mut Work| {
        let factor = Quotient::number((&unit * most).recip());
        let exact = exact.multiply(&factor, work).ok()?;
        Some(is_rounding(
            &(&shown / (&unit * most)),
            places,
            &exact,
            true,
        ))
    };
    if scaled(&Rational::from(BigInt::from(1)), work)? {
        return Some(true);
    }
    let is_far = !scaled(&Rational::from(BigInt::from(ROUNDING_UNITS)), work)?;
    // A whole number may stand for the nearest that is easy to work with.
    (is_far && places > 0).then_some(false)
}

/// `5 · 3 = 15 −5 · 3 = −15`: two statements with nothing between them.
fn is_side_by_side(formula: &str) -> bool {
    let characters: Vec<char> = formula.chars().collect();
    let ends = |c: char| c.is_ascii_digit() || matches!(c, ')' | '}' | '%');
    let several = formula.matches(is_sign).count() > 1;
    characters.windows(4).any(|four| match four {
        [end, ' ', dash, next] if is_dash(*dash) => ends(*end) && *next != ' ',
        [end, ' ', '(', _] => ends(*end) && several,
        _ => false,
    })
}

/// `1/2 ÷ 1/6`: the formula with brackets around fractions, where something else is a division.
fn with_whole_fractions(formula: &str) -> Option<String> {
    if !formula.contains('÷') && !formula.contains(" / ") {
        return None;
    }
    let characters: Vec<char> = formula.chars().collect();
    let digits = |from: usize| {
        let rest = characters.get(from..).unwrap_or_default();
        rest.iter().take_while(|c| c.is_ascii_digit()).count()
    };
    let mut whole = String::new();
    let mut found = false;
    let mut at = 0;
    while let Some(character) = characters.get(at) {
        let above = digits(at);
        let below = match characters.get(at + above) {
            Some('/') if above > 0 => digits(at + above + 1),
            _ => 0,
        };
        let length = if below > 0 {
            above + 1 + below
        } else {
            above.max(1)
        };
        let piece: String = characters.iter().skip(at).take(length).collect();
        if below > 0 {
            found = true;
            whole.push('(');
            whole.push_str(&piece);
            whole.push(')');
        } else if above > 0 {
            whole.push_str(&piece);
        } else {
            whole.push(*character);
        }
        at += length;
    }
    found.then_some(whole)
}

/// The formula without the points that part thousands: `1.250 + 750`; nothing where none can.
fn without_parted_thousands(formula: &str) -> Option<String> {
    if !formula.contains('.') {
        return None;
    }
    let bytes = formula.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let parts = |at: usize| {
        let before = (0..at).rev().take_while(|at| digit(*at)).count();
        let after = (at + 1..bytes.len()).take_while(|at| digit(*at)).count();
        let leads = at
            .checked_sub(before)
            .is_some_and(|first| bytes.get(first) != Some(&b'0'));
        (1..=3).contains(&before) && after == 3 && leads
    };
    let mut found = false;
    let kept: String = formula
        .char_indices()
        .filter(|(at, character)| {
            let parted = *character == '.' && parts(*at);
            found |= parted;
            !parted
        })
        .map(|(_, character)| character)
        .collect();
    found.then_some(kept)
}
