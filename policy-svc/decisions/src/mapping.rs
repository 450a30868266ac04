//! Which units of the course a message is about, best first.

use std::{cmp::Ordering, collections::BTreeMap};

use crate::{
    course::{Course, UnitIndex},
    score::{Scorer, clamp01},
    snapshot::MappedUnit,
};

/// What the previous turn's mapping still counts, so that it never locks a target by itself.
const PREVIOUS_TURN_WEIGHT: f64 = 0.5;

/// What a turn's message and event are about.
#[derive(Debug)]
pub struct Mapping {
    /// The best unit of this turn's message and event, and its confidence.
    pub top: Option<(UnitIndex, f64)>,
    /// This turn's units and the previous turn's at half weight, best first.
    pub ranked: Vec<(UnitIndex, f64)>,
}

/// The confidences of a turn: of its own message and event, and joined with the previous turn's.
#[derive(Debug)]
pub struct Confidences {
    own: BTreeMap<UnitIndex, f64>,
    joined: BTreeMap<UnitIndex, f64>,
    event: Option<UnitIndex>,
}

impl Confidences {
    /// Units outside the course are dropped; of a unit that is there twice the higher confidence counts; the event's
    /// unit counts 1.
    #[must_use]
    pub fn new(
        course: &Course,
        mapped: &[MappedUnit],
        previous: &[MappedUnit],
        event: Option<UnitIndex>,
    ) -> Self {
        let mut own = BTreeMap::new();
        raise(&mut own, course, mapped, 1.0);
        if let Some(unit) = event {
            own.insert(unit, 1.0);
        }
        let mut joined = own.clone();
        raise(&mut joined, course, previous, PREVIOUS_TURN_WEIGHT);
        Self { own, joined, event }
    }

    /// The joined confidences, for scores.
    #[must_use]
    pub fn joined(&self) -> &BTreeMap<UnitIndex, f64> {
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
        let mut ranked: Vec<_> = self.joined.iter().map(|(at, c)| (*at, *c)).collect();
        ranked.sort_by(order);
        Mapping {
            top: self.own.iter().map(|(at, c)| (*at, *c)).min_by(order),
            ranked,
        }
    }
}

fn raise(
    confidences: &mut BTreeMap<UnitIndex, f64>,
    course: &Course,
    mapped: &[MappedUnit],
    weight: f64,
) {
    for unit in mapped {
        if let Some(at) = course.find(&unit.unit_id) {
            let confidence = clamp01(unit.confidence) * weight;
            let known = confidences.entry(at).or_insert(0.0);
            *known = known.max(confidence);
        }
    }
}
