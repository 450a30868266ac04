//! Which units of the course a message is about, best first.

use std::cmp::Ordering;

use crate::{
    course::UnitIndex,
    record::Record,
    score::{Scorer, clamp01},
    snapshot::MappedUnit,
};

/// What the previous turn's mapping still counts, so that it never locks a target by itself.
const PREVIOUS_TURN_WEIGHT: f64 = 0.5;

/// What a turn's message and event are about.
#[derive(Debug)]
pub struct Mapping {
    /// The units of this turn's message and event, best first.
    pub own: Vec<(UnitIndex, f64)>,
    /// This turn's units and the previous turn's at half weight, best first.
    pub ranked: Vec<(UnitIndex, f64)>,
}

/// Confidences by unit, each unit once. A turn names a handful, so a list is searched faster than a tree.
#[derive(Debug, Clone, Default)]
pub struct ByUnit(Vec<(UnitIndex, f64)>);

impl ByUnit {
    /// A unit's confidence; 0 where none is known.
    #[must_use]
    pub fn get(&self, at: UnitIndex) -> f64 {
        self.0
            .iter()
            .find(|(unit, _)| *unit == at)
            .map_or(0.0, |(_, confidence)| *confidence)
    }

    /// Of two confidences in one unit the higher counts.
    fn raise(&mut self, at: UnitIndex, confidence: f64) {
        match self.0.iter_mut().find(|(unit, _)| *unit == at) {
            Some((_, known)) => *known = known.max(confidence),
            None => self.0.push((at, confidence)),
        }
    }
}

/// The confidences of a turn: of its own message and event, and joined with the previous turn's.
#[derive(Debug)]
pub struct Confidences {
    own: ByUnit,
    joined: ByUnit,
    event: Option<UnitIndex>,
}

impl Confidences {
    /// Units outside the course are dropped; of a unit that is there twice the higher confidence counts; the event's
    /// unit counts 1.
    #[must_use]
    pub fn new(record: &Record<'_>, mapped: &[MappedUnit], event: Option<UnitIndex>) -> Self {
        let mut own = ByUnit::default();
        for unit in mapped {
            if let Some(at) = record.course().find(&unit.unit_id) {
                own.raise(at, clamp01(unit.confidence));
            }
        }
        if let Some(at) = event {
            own.raise(at, 1.0);
        }
        let mut joined = own.clone();
        for (at, confidence) in record.last_mapped() {
            joined.raise(*at, clamp01(*confidence) * PREVIOUS_TURN_WEIGHT);
        }
        Self { own, joined, event }
    }

    /// The joined confidences, for scores.
    #[must_use]
    pub fn joined(&self) -> &ByUnit {
        &self.joined
    }

    /// Ranks the units: confidence descending, the event's unit before its equals, then score descending, then id.
    #[must_use]
    pub fn rank(&self, scorer: &Scorer<'_>) -> Mapping {
        let order = |a: &(UnitIndex, f64), b: &(UnitIndex, f64)| -> Ordering {
            b.1.total_cmp(&a.1)
                .then_with(|| (self.event == Some(b.0)).cmp(&(self.event == Some(a.0))))
                .then_with(|| scorer.by_score_then_id(a.0, b.0))
        };
        let sorted = |units: &ByUnit| {
            let mut units = units.0.clone();
            units.sort_by(order);
            units
        };
        Mapping {
            own: sorted(&self.own),
            ranked: sorted(&self.joined),
        }
    }
}
