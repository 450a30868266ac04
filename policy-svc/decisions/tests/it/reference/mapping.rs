//! Which units a turn is about.

use turnwise_decisions::{Event, MappedUnit};

use super::{clamp01, record::World, score::Scores};

/// The units of a turn's message and event, and those joined with the previous turn's; both best first.
#[derive(Debug, Clone)]
pub struct Mapping {
    pub own: Vec<(String, f64)>,
    pub joined: Vec<(String, f64)>,
    pub scores: Scores,
}

/// A unit that is there twice counts with the higher confidence.
fn add(list: &mut Vec<(String, f64)>, id: &str, confidence: f64) {
    for (unit, known) in list.iter_mut() {
        if unit == id {
            *known = known.max(confidence);
            return;
        }
    }
    list.push((id.to_owned(), confidence));
}

impl Mapping {
    pub fn new(world: &World<'_>, message: &[MappedUnit], event: Option<&Event>) -> Self {
        // Units outside the course are dropped. The event's unit counts 1.
        let mut own = Vec::new();
        for mapped in message {
            if world.is_known(&mapped.unit_id) {
                add(&mut own, &mapped.unit_id, clamp01(mapped.confidence));
            }
        }
        if let Some(event) = event {
            add(&mut own, &event.unit_id, 1.0);
        }
        // The previous turn's mapping joins at half weight.
        let mut joined = own.clone();
        for mapped in &world.snapshot.last_mapped_units {
            if world.is_known(&mapped.unit_id) {
                add(
                    &mut joined,
                    &mapped.unit_id,
                    clamp01(mapped.confidence) / 2.0,
                );
            }
        }
        let scores = Scores {
            confidences: joined.clone(),
        };
        for list in [&mut own, &mut joined] {
            sort(world, &scores, event, list);
        }
        Self {
            own,
            joined,
            scores,
        }
    }

    /// The best units, joined, without their confidences.
    pub fn best(&self, count: usize) -> Vec<String> {
        self.joined
            .iter()
            .take(count)
            .map(|(unit, _)| unit.clone())
            .collect()
    }
}

/// Confidence, highest first; equals: the event's unit, then the higher score, then the id.
fn sort(world: &World<'_>, scores: &Scores, event: Option<&Event>, list: &mut [(String, f64)]) {
    let names = |id: &str| event.is_some_and(|event| event.unit_id == id);
    list.sort_by(|(a, a_confidence), (b, b_confidence)| {
        b_confidence
            .partial_cmp(a_confidence)
            .unwrap()
            .then(names(b).cmp(&names(a)))
            .then(
                scores
                    .total(world, b)
                    .partial_cmp(&scores.total(world, a))
                    .unwrap(),
            )
            .then(a.cmp(b))
    });
}
