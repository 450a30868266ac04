//! The score of a unit, from its parts.

use turnwise_decisions::Tier;

use super::{clamp01, record::World};

/// How sure a turn is of each unit; it is a part of every score.
#[derive(Debug, Clone)]
pub struct Scores {
    pub confidences: Vec<(String, f64)>,
}

/// The parts of one unit's score, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    pub intent: f64,
    pub recency: f64,
    pub in_progress: f64,
    pub tier_need: f64,
    pub drill_evidence: f64,
}

impl Scores {
    pub fn parts(&self, world: &World<'_>, id: &str) -> Parts {
        let mut mapped = 0.0;
        for (unit, confidence) in &self.confidences {
            if unit == id {
                mapped = clamp01(*confidence);
            }
        }
        let is_focus = if world.focus() == id { 1.0 } else { 0.0 };
        let in_progress = world.units_in_progress().iter().any(|unit| unit == id);
        Parts {
            intent: 0.7 * mapped + 0.3 * is_focus,
            recency: recency(world, id),
            in_progress: if in_progress { 1.0 } else { 0.0 },
            tier_need: match world.tier(id) {
                Tier::None => 1.0,
                Tier::Bronze => 0.7,
                Tier::Silver => 0.4,
                Tier::Gold => 0.1,
            },
            drill_evidence: match world.progress(id).streak_correct {
                0 => 0.0,
                1 => 0.5,
                _ => 1.0,
            },
        }
    }

    pub fn total(&self, world: &World<'_>, id: &str) -> f64 {
        let parts = self.parts(world, id);
        clamp01(
            0.35 * parts.intent
                + 0.15 * parts.recency
                + 0.15 * parts.in_progress
                + 0.20 * parts.tier_need
                + 0.15 * parts.drill_evidence,
        )
    }

    /// Sorts by score, highest first, then by id.
    pub fn sort(&self, world: &World<'_>, units: &mut [String]) {
        units.sort_by(|a, b| {
            let (left, right) = (self.total(world, a), self.total(world, b));
            right.partial_cmp(&left).unwrap().then(a.cmp(b))
        });
    }
}

/// Falls linearly to 0 over the window. A unit is touched by evidence, the focus also by the latest turn; what never
/// happened was infinitely long ago, and the future is now.
fn recency(world: &World<'_>, id: &str) -> f64 {
    let mut times = Vec::new();
    times.extend(world.progress(id).last_touched_at);
    if world.focus() == id {
        times.extend(world.snapshot.last_turn_at);
    }
    let mut hours = f64::INFINITY;
    for time in times {
        let seconds = world.now.duration_since(time).as_secs_f64();
        let since = if seconds < 0.0 { 0.0 } else { seconds / 3600.0 };
        if since < hours {
            hours = since;
        }
    }
    if hours.is_finite() {
        clamp01(1.0 - hours / world.course.rules.recency_window_hours)
    } else {
        0.0
    }
}
