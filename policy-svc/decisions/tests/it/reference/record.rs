//! What a record says of single units.

use jiff::Timestamp;
use turnwise_decisions::{CourseSpec, Progress, Snapshot, StuckRule, Tier, UnitSpec};

use super::add_once;

/// A course, a student's record in it, and the time.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    pub course: &'a CourseSpec,
    pub snapshot: &'a Snapshot,
    pub now: Timestamp,
}

impl<'a> World<'a> {
    pub fn unit(&self, id: &str) -> Option<&'a UnitSpec> {
        self.course.units.iter().find(|unit| unit.id == id)
    }

    pub fn is_known(&self, id: &str) -> bool {
        self.unit(id).is_some()
    }

    pub fn prerequisites(&self, id: &str) -> Vec<String> {
        self.unit(id)
            .map_or_else(Vec::new, |unit| unit.prerequisites.clone())
    }

    /// The entry unit is a pointer and carries no badge, whatever the file says of it.
    pub fn has_badges(&self, id: &str) -> bool {
        id != self.course.entry_unit && self.unit(id).is_some_and(|unit| unit.assessable)
    }

    /// Units without evidence are absent from the record, which is the same as all zero.
    pub fn progress(&self, id: &str) -> Progress {
        let mut found = Progress::default();
        for (unit, progress) in &self.snapshot.progress {
            if unit == id {
                found = *progress;
            }
        }
        found
    }

    pub fn tier(&self, id: &str) -> Tier {
        self.progress(id).tier
    }

    /// The unit of the latest turn; the entry unit where that is none of the course.
    pub fn focus(&self) -> String {
        if self.is_known(&self.snapshot.focus_unit_id) {
            self.snapshot.focus_unit_id.clone()
        } else {
            self.course.entry_unit.clone()
        }
    }

    /// A unit leaves the list at gold, or, where it has no badge, with its drills done; at most 6, most recent first.
    pub fn units_in_progress(&self) -> Vec<String> {
        let mut list = Vec::new();
        for id in &self.snapshot.units_in_progress {
            let done = !self.has_badges(id) && self.is_drilled(id);
            if self.is_known(id) && self.tier(id) != Tier::Gold && !done {
                add_once(&mut list, id);
            }
        }
        list.truncate(6);
        list
    }

    /// The revisit queue without what the catalogue does not hold and what is at or below the badge, every question once,
    /// oldest first.
    pub fn revisit_queue(&self) -> Vec<String> {
        let mut list = Vec::new();
        for id in &self.snapshot.revisit_question_ids {
            if self.unit_to_revisit(id).is_some() {
                add_once(&mut list, id);
            }
        }
        list
    }

    /// The first unit of a question whose badge is below the question's tier.
    pub fn unit_to_revisit(&self, question_id: &str) -> Option<String> {
        let mut questions = self.course.questions.iter();
        let question = questions.find(|question| question.id == question_id)?;
        let mut units = question.units.iter();
        units
            .find(|unit| self.is_known(unit) && self.tier(unit) < question.tier)
            .cloned()
    }

    /// Stuck comes from drills alone: enough attempts and no right one at the end, or enough wrong ones in a row.
    pub fn is_stuck(&self, id: &str) -> bool {
        let progress = self.progress(id);
        let needed = self.course.rules.stuck_attempts;
        match self.course.rules.stuck_rule {
            StuckRule::AttemptsWithoutStreak => {
                progress.attempts >= needed && progress.streak_correct == 0
            }
            StuckRule::ConsecutiveWrong => progress.streak_wrong >= needed,
        }
    }

    /// The drills are good enough for an exam question.
    pub fn is_drilled(&self, id: &str) -> bool {
        self.progress(id).streak_correct >= self.course.rules.ready_streak
    }

    /// Whether the catalogue holds this question for this unit and tier.
    pub fn question_is_for(&self, question: &str, unit: &str, tier: Tier) -> bool {
        self.course.questions.iter().any(|q| {
            q.id == question && q.tier == tier && q.units.iter().any(|tested| tested == unit)
        })
    }
}
