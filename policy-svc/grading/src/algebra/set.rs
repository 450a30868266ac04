//! Sets of real numbers: unions of intervals.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::One;

use super::{Quotient, Rational, Work, compare, enclosure::bounds};

/// An end of an interval.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    /// Where; nothing at infinity.
    pub(crate) at: Option<Quotient>,
    /// Whether the end belongs to the interval.
    pub(crate) closed: bool,
}

impl Edge {
    /// An end at infinity.
    pub(crate) fn infinite() -> Self {
        Self {
            at: None,
            closed: false,
        }
    }
}

/// An interval.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// Its lower end.
    pub(crate) low: Edge,
    /// Its upper end.
    pub(crate) high: Edge,
}

impl Span {
    /// Whether `number` lies in it, where that is known.
    fn contains(&self, number: &Quotient, work: &mut Work) -> Option<bool> {
        let inside = |edge: &Edge, outside: Ordering, work: &mut Work| match &edge.at {
            None => Some(true),
            Some(at) => {
                let order = compare(number, at, work)?;
                Some(order != outside && (edge.closed || order.is_ne()))
            }
        };
        Some(
            inside(&self.low, Ordering::Less, work)?
                && inside(&self.high, Ordering::Greater, work)?,
        )
    }
}

/// A union of intervals: ascending, apart from each other.
#[derive(Debug, Clone, Default)]
pub(crate) struct RealSet {
    spans: Vec<Span>,
}

impl RealSet {
    /// All real numbers.
    pub(crate) fn all() -> Self {
        Self::of(Span {
            low: Edge::infinite(),
            high: Edge::infinite(),
        })
    }

    /// One interval; it must not be empty.
    pub(crate) fn of(span: Span) -> Self {
        Self { spans: vec![span] }
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Whether every real number is in it.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self.spans.as_slice(), [span] if span.low.at.is_none() && span.high.at.is_none())
    }

    /// Whether `number` is in it, where that is known.
    pub(crate) fn contains(&self, number: &Quotient, work: &mut Work) -> Option<bool> {
        for span in &self.spans {
            if span.contains(number, work)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The numbers for which `holds` says yes, if it only ever changes at `points`.
    pub(crate) fn build(
        points: Vec<Quotient>,
        holds: &mut dyn FnMut(&Quotient, &mut Work) -> Option<bool>,
        work: &mut Work,
    ) -> Option<Self> {
        let points = sorted(points, work)?;
        let mut pieces: Vec<(bool, Edge, Edge)> = Vec::new();
        let mut low: Option<&Quotient> = None;
        for at in 0..=points.len() {
            let high = points.get(at);
            let sample = between(low, high)?;
            let open = |at: Option<&Quotient>| Edge {
                at: at.cloned(),
                closed: false,
            };
            pieces.push((holds(&sample, work)?, open(low), open(high)));
            if let Some(point) = high {
                let edge = Edge {
                    at: Some(point.clone()),
                    closed: true,
                };
                pieces.push((holds(point, work)?, edge.clone(), edge));
            }
            low = high;
        }
        let mut set = Self::default();
        let mut continues = false;
        for (inside, low, high) in pieces {
            if inside {
                match set.spans.last_mut() {
                    Some(last) if continues => last.high = high,
                    _ => set.spans.push(Span { low, high }),
                }
            }
            continues = inside;
        }
        Some(set)
    }

    pub(crate) fn ends(&self) -> impl Iterator<Item = Quotient> {
        self.spans
            .iter()
            .flat_map(|span| [span.low.at.clone(), span.high.at.clone()])
            .flatten()
    }

    /// What is in both.
    pub(crate) fn intersection(&self, other: &Self, work: &mut Work) -> Option<Self> {
        let points = self.ends().chain(other.ends()).collect();
        Self::build(
            points,
            &mut |number, work| Some(self.contains(number, work)? && other.contains(number, work)?),
            work,
        )
    }

    /// What is in either.
    pub(crate) fn union(&self, other: &Self, work: &mut Work) -> Option<Self> {
        let points = self.ends().chain(other.ends()).collect();
        Self::build(
            points,
            &mut |number, work| Some(self.contains(number, work)? || other.contains(number, work)?),
            work,
        )
    }

    /// Whether both hold the same numbers, where that is known.
    pub(crate) fn equals(&self, other: &Self, work: &mut Work) -> Option<bool> {
        if self.spans.len() != other.spans.len() {
            return Some(false);
        }
        for (own, theirs) in self.spans.iter().zip(&other.spans) {
            for (left, right) in [(&own.low, &theirs.low), (&own.high, &theirs.high)] {
                let same = match (&left.at, &right.at) {
                    (None, None) => true,
                    (Some(one), Some(other)) => {
                        left.closed == right.closed && compare(one, other, work)?.is_eq()
                    }
                    _ => false,
                };
                if !same {
                    return Some(false);
                }
            }
        }
        Some(true)
    }
}

/// Ascending, each once.
pub(crate) fn sorted(numbers: Vec<Quotient>, work: &mut Work) -> Option<Vec<Quotient>> {
    let mut ordered: Vec<Quotient> = Vec::with_capacity(numbers.len());
    'next: for number in numbers {
        for at in 0..ordered.len() {
            match compare(&number, ordered.get(at)?, work)? {
                Ordering::Less => {
                    ordered.insert(at, number);
                    continue 'next;
                }
                Ordering::Equal => continue 'next,
                Ordering::Greater => {}
            }
        }
        ordered.push(number);
    }
    Some(ordered)
}

/// A rational number strictly between two, either of which may be infinite.
fn between(low: Option<&Quotient>, high: Option<&Quotient>) -> Option<Quotient> {
    let number = match (low, high) {
        (None, None) => Rational::default(),
        (Some(low), None) => bounds(low)?.1 + Rational::one(),
        (None, Some(high)) => bounds(high)?.0 - Rational::one(),
        (Some(low), Some(high)) => {
            let (low, high) = (bounds(low)?.1, bounds(high)?.0);
            if low >= high {
                return None;
            }
            (low + high) / Rational::from(BigInt::from(2))
        }
    };
    // Short numbers keep what follows cheap.
    let rounded = number.round();
    let fits = |candidate: &Rational| {
        low.is_none_or(|low| bounds(low).is_some_and(|bounds| bounds.1 < *candidate))
            && high.is_none_or(|high| bounds(high).is_some_and(|bounds| *candidate < bounds.0))
    };
    Some(Quotient::number(if fits(&rounded) {
        rounded
    } else {
        number
    }))
}
