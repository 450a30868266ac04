//! A student's record seen through a course: what is met, missing, stuck and ready.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::{
    course::{Course, UnitIndex},
    rules::StuckRule,
    snapshot::{Progress, Snapshot},
    words::Tier,
};

/// The record of one student in one course at one time. Whatever the course does not know is left out.
#[derive(Debug)]
pub struct Record<'a> {
    course: &'a Course,
    progress: BTreeMap<UnitIndex, &'a Progress>,
    overrides: BTreeSet<UnitIndex>,
    focus: UnitIndex,
    units_in_progress: Vec<UnitIndex>,
    last_turn_at: Option<Timestamp>,
    now: Timestamp,
}

impl<'a> Record<'a> {
    /// The most units that count as in progress.
    pub const MOST_IN_PROGRESS: usize = 6;

    /// Looks at a snapshot through a course.
    #[must_use]
    pub fn new(course: &'a Course, snapshot: &'a Snapshot, now: Timestamp) -> Self {
        let progress: BTreeMap<_, _> = snapshot
            .progress
            .iter()
            .filter_map(|(id, progress)| Some((course.find(id)?, progress)))
            .collect();
        let mut units_in_progress = Vec::with_capacity(Self::MOST_IN_PROGRESS);
        for at in snapshot
            .units_in_progress
            .iter()
            .filter_map(|id| course.find(id))
        {
            let gold = progress.get(&at).is_some_and(|p| p.tier == Tier::Gold);
            if !gold
                && !units_in_progress.contains(&at)
                && units_in_progress.len() < Self::MOST_IN_PROGRESS
            {
                units_in_progress.push(at);
            }
        }
        Self {
            overrides: snapshot
                .prerequisite_overrides
                .iter()
                .filter_map(|id| course.find(id))
                .collect(),
            focus: course
                .find(&snapshot.focus_unit_id)
                .unwrap_or_else(|| course.entry()),
            last_turn_at: snapshot.last_turn_at,
            course,
            progress,
            units_in_progress,
            now,
        }
    }

    /// The course.
    #[must_use]
    pub fn course(&self) -> &'a Course {
        self.course
    }

    /// The unit of the latest turn, or the entry unit.
    #[must_use]
    pub fn focus(&self) -> UnitIndex {
        self.focus
    }

    /// Units with evidence and without gold, most recent first.
    #[must_use]
    pub fn units_in_progress(&self) -> &[UnitIndex] {
        &self.units_in_progress
    }

    /// The badge on a unit.
    #[must_use]
    pub fn tier(&self, at: UnitIndex) -> Tier {
        self.progress.get(&at).map_or(Tier::None, |p| p.tier)
    }

    /// Right drills in a row.
    #[must_use]
    pub fn streak(&self, at: UnitIndex) -> u32 {
        self.progress.get(&at).map_or(0, |p| p.streak_correct)
    }

    /// Whether a unit counts as met where it is a prerequisite: it has a badge, can have none, or a teacher says so.
    #[must_use]
    pub fn is_met(&self, at: UnitIndex) -> bool {
        !self.course.unit(at).assessable
            || self.tier(at) >= Tier::Bronze
            || self.overrides.contains(&at)
    }

    /// Whether the student is stuck on a unit, by the evidence of drills alone.
    #[must_use]
    pub fn is_stuck(&self, at: UnitIndex) -> bool {
        let rules = self.course.rules();
        self.progress
            .get(&at)
            .is_some_and(|p| match rules.stuck_rule {
                StuckRule::AttemptsWithoutStreak => {
                    p.attempts >= rules.stuck_attempts && p.streak_correct == 0
                }
                StuckRule::ConsecutiveWrong => p.streak_wrong >= rules.stuck_attempts,
            })
    }

    /// Whether the drills on a unit are good enough for an exam question.
    #[must_use]
    pub fn is_drilled(&self, at: UnitIndex) -> bool {
        self.streak(at) >= self.course.rules().ready_streak
    }

    /// Hours since a unit was last worked on; `None` if it never was. A time in the future counts as now. The latest
    /// turn touches its focus.
    #[must_use]
    pub fn hours_since_touched(&self, at: UnitIndex) -> Option<f64> {
        let evidence = self.progress.get(&at).and_then(|p| p.last_touched_at);
        let turn = self.last_turn_at.filter(|_| at == self.focus);
        let touched = evidence.max(turn)?.min(self.now);
        Some(self.now.duration_since(touched).as_secs_f64() / 3600.0)
    }

    /// How many units have exactly this badge, of those in which one can be earned.
    #[must_use]
    pub fn count_at(&self, tier: Tier) -> usize {
        self.progress
            .iter()
            .filter(|(at, p)| p.tier == tier && self.course.unit(**at).assessable)
            .count()
    }
}
