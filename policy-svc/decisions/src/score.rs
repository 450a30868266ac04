//! How relevant a unit is now. The score ranks; it never decides what is blocked, stuck, ready or allowed.

use std::cmp::Ordering;

use crate::{course::UnitIndex, mapping::ByUnit, record::Record, words::Tier};

const INTENT: f64 = 0.35;
const RECENCY: f64 = 0.15;
const IN_PROGRESS: f64 = 0.15;
const TIER_NEED: f64 = 0.20;
const DRILL_EVIDENCE: f64 = 0.15;
const INTENT_MAPPED: f64 = 0.7;
const INTENT_FOCUS: f64 = 0.3;

/// The parts of a unit's score. Each is 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ScoreParts {
    /// 0.7·mapped + 0.3·is_focus.
    pub intent: f64,
    /// Falls linearly from 1 to 0 over the recency window.
    pub recency: f64,
    /// 1 or 0.
    pub in_progress: f64,
    /// 1.0 without a badge, then 0.7, 0.4 and 0.1.
    pub tier_need: f64,
    /// 0, 0.5 or 1.0 for a streak of none, one, or two and more.
    pub drill_evidence: f64,
}

impl ScoreParts {
    /// The weighted sum, 0 to 1. The weights sum to 1.
    #[must_use]
    pub fn total(&self) -> f64 {
        clamp01(
            INTENT * self.intent
                + RECENCY * self.recency
                + IN_PROGRESS * self.in_progress
                + TIER_NEED * self.tier_need
                + DRILL_EVIDENCE * self.drill_evidence,
        )
    }
}

/// The nearest value from 0 to 1; 0 for what is no finite number.
#[must_use]
pub fn clamp01(value: f64) -> f64 {
    if value.is_finite() {
        value.clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// 1 now, 0 from the end of the window on, linear between; 0 for what is no finite number.
#[must_use]
pub fn recency_value(hours: f64, window_hours: f64) -> f64 {
    if hours.is_finite() && window_hours > 0.0 {
        clamp01(1.0 - hours / window_hours)
    } else {
        0.0
    }
}

/// How much a unit at this tier still needs.
#[must_use]
pub fn tier_need_value(tier: Tier) -> f64 {
    match tier {
        Tier::None => 1.0,
        Tier::Bronze => 0.7,
        Tier::Silver => 0.4,
        Tier::Gold => 0.1,
    }
}

/// What a streak of right drills is worth.
#[must_use]
pub fn drill_evidence_value(streak: u32) -> f64 {
    match streak {
        0 => 0.0,
        1 => 0.5,
        _ => 1.0,
    }
}

/// How much a message and the focus point at a unit.
#[must_use]
pub fn intent_value(confidence: f64, is_focus: bool) -> f64 {
    INTENT_MAPPED * clamp01(confidence) + INTENT_FOCUS * f64::from(u8::from(is_focus))
}

/// Scores the units of one turn.
#[derive(Debug)]
pub struct Scorer<'a> {
    record: &'a Record<'a>,
    confidence: &'a ByUnit,
}

impl<'a> Scorer<'a> {
    /// A scorer for a record and what the message is about.
    #[must_use]
    pub fn new(record: &'a Record<'a>, confidence: &'a ByUnit) -> Self {
        Self { record, confidence }
    }

    /// The parts of a unit's score.
    #[must_use]
    pub fn parts(&self, at: UnitIndex) -> ScoreParts {
        let record = self.record;
        let progress = record.progress(at);
        ScoreParts {
            intent: intent_value(self.confidence.get(at), at == record.focus()),
            recency: (record.hours_since_touched(at, &progress)).map_or(0.0, |hours| {
                recency_value(hours, record.course().rules().recency_window_hours)
            }),
            in_progress: f64::from(u8::from(record.units_in_progress().contains(&at))),
            tier_need: tier_need_value(progress.tier),
            drill_evidence: drill_evidence_value(progress.streak_correct),
        }
    }

    /// A unit's score.
    #[must_use]
    pub fn score(&self, at: UnitIndex) -> f64 {
        self.parts(at).total()
    }

    /// Best first: score descending, then id ascending.
    #[must_use]
    pub fn by_score_then_id(&self, a: UnitIndex, b: UnitIndex) -> Ordering {
        let course = self.record.course();
        self.score(b)
            .total_cmp(&self.score(a))
            .then_with(|| course.id(a).cmp(course.id(b)))
    }
}
