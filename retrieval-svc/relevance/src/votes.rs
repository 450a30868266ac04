//! Documents vote for their units.

use std::collections::BTreeMap;

use crate::units::UnitIndex;

/// Units with their parts of a vote, which sum up to 1 if anybody voted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Votes(BTreeMap<UnitIndex, f64>);

impl Votes {
    /// Of documents with their scores, best first. A document's vote is its score relative to the best one, divided by
    /// the square root of its rank: several good hits in one unit beat a single lucky one elsewhere. Its units share it.
    pub(crate) fn of<'a>(ranked: impl IntoIterator<Item = (f64, &'a [UnitIndex])>) -> Self {
        let mut votes: BTreeMap<UnitIndex, f64> = BTreeMap::new();
        let (mut all, mut best) = (0.0, None);
        for (place, (score, units)) in ranked.into_iter().enumerate() {
            let best = *best.get_or_insert(score);
            if score <= 0.0 || units.is_empty() {
                continue;
            }
            let vote = score / best / ((place + 1) as f64).sqrt();
            for unit in units {
                *votes.entry(*unit).or_default() += vote / units.len() as f64;
            }
            all += vote;
        }
        for vote in votes.values_mut() {
            *vote /= all;
        }
        Self(votes)
    }

    /// The mean of two votes; the other one alone where nobody took part in one.
    pub(crate) fn mean(self, other: Self) -> Self {
        if self.0.is_empty() || other.0.is_empty() {
            return if self.0.is_empty() { other } else { self };
        }
        let mut votes = self.0;
        for (unit, part) in other.0 {
            *votes.entry(unit).or_default() += part;
        }
        for vote in votes.values_mut() {
            *vote /= 2.0;
        }
        Self(votes)
    }

    /// Each unit's part, in the units' order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (UnitIndex, f64)> {
        self.0.iter().map(|(unit, part)| (*unit, *part))
    }
}
