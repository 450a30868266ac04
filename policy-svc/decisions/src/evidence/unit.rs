//! What a student has shown in one unit, and what one more fact makes of it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::event::EvidenceEvent;
use crate::{course::Unit, exercise::MOST_REMEMBERED, rules::Rules, words::Tier};

/// What a student has shown in one unit: the whole of it, where [`crate::Progress`] is the part that plans need.
/// Nothing yet is the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitProgress {
    /// The badge. It never falls.
    pub tier: Tier,
    /// When evidence last came in.
    pub last_touched_at: Option<Timestamp>,
    /// Graded drills.
    pub attempts: u32,
    /// Right drills.
    pub correct: u32,
    /// Right drills in a row, up to now.
    pub streak_correct: u32,
    /// Wrong drills in a row, up to now.
    pub streak_wrong: u32,
    /// Exam questions that were passed.
    pub passed: PassedByTier,
    /// How often each mistake was made in graded drills, by tag.
    pub confusion_tags: BTreeMap<String, u32>,
    /// The exercises of the latest drills that counted, the latest last, at most [`MOST_REMEMBERED`].
    pub counted_exercises: Vec<u64>,
}

impl UnitProgress {
    /// Whether an event is a drill whose exercise counted already.
    #[must_use]
    pub fn has_counted(&self, event: &EvidenceEvent) -> bool {
        match event {
            EvidenceEvent::DrillGraded {
                exercise: Some(exercise),
                ..
            } => self.counted_exercises.contains(exercise),
            _ => false,
        }
    }

    /// Whether the unit has nothing more to show: gold, or, where no badge can be earned, drills that are good enough.
    pub(crate) fn is_finished(&self, unit: Option<&Unit>, rules: &Rules) -> bool {
        self.tier == Tier::Gold
            || unit.is_some_and(|unit| !unit.assessable)
                && self.streak_correct >= rules.ready_streak
    }
}

/// Exam questions that were passed, by tier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassedByTier {
    /// Bronze questions.
    pub bronze: u32,
    /// Silver questions.
    pub silver: u32,
    /// Gold questions.
    pub gold: u32,
}

/// How far a student is with a unit, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitStatus {
    /// No evidence yet.
    NotStarted,
    /// Some evidence.
    InProgress,
    /// Gold.
    Mastered,
}

impl UnitStatus {
    /// The status that follows from what was shown.
    #[must_use]
    pub fn of(progress: &UnitProgress) -> Self {
        if progress.tier == Tier::Gold {
            Self::Mastered
        } else if *progress == UnitProgress::default() {
            Self::NotStarted
        } else {
            Self::InProgress
        }
    }
}

/// The most that a counter holds: what the stored record can. It stays there.
pub const MOST_COUNTED: u32 = i32::MAX.unsigned_abs();

/// What a unit's progress is after an event about it.
///
/// A graded drill counts, lengthens one streak and ends the other; a wrong one counts its mistake, if the unit lists it. One
/// whose exercise counted already changes nothing.
/// A passed exam question counts at its tier. Both bring the badge up to date; it is latched, so that a lost streak never
/// takes it away. A look at support material only touches the unit. A teacher's mark changes nothing here.
#[must_use]
pub fn advance(
    unit: &Unit,
    rules: &Rules,
    before: &UnitProgress,
    event: &EvidenceEvent,
    now: Timestamp,
) -> UnitProgress {
    let mut after = before.clone();
    if before.has_counted(event) {
        return after;
    }
    match event {
        EvidenceEvent::DrillGraded {
            unit_id: _,
            correct,
            mistake_tag,
            exercise,
        } => {
            after.counted_exercises.extend(*exercise);
            let forgotten = after
                .counted_exercises
                .len()
                .saturating_sub(MOST_REMEMBERED);
            after.counted_exercises.drain(..forgotten);
            count(&mut after.attempts);
            if *correct {
                count(&mut after.correct);
                count(&mut after.streak_correct);
                after.streak_wrong = 0;
            } else {
                count(&mut after.streak_wrong);
                after.streak_correct = 0;
                if let Some(tag) = mistake_tag.as_ref().filter(|tag| unit.lists_mistake(tag)) {
                    count(after.confusion_tags.entry(tag.clone()).or_default());
                }
            }
            raise_tier(&mut after, unit, rules);
        }
        EvidenceEvent::ExamResult { question, passed } => {
            if *passed {
                match question.tier {
                    Tier::None => {}
                    Tier::Bronze => count(&mut after.passed.bronze),
                    Tier::Silver => count(&mut after.passed.silver),
                    Tier::Gold => count(&mut after.passed.gold),
                }
            }
            raise_tier(&mut after, unit, rules);
        }
        EvidenceEvent::SupportViewed { .. } => {}
        EvidenceEvent::PrerequisiteMarked { .. } => return after,
    }
    after.last_touched_at = Some(now);
    after
}

/// Raises the badge to what was shown. Each tier needs the one below and a question passed at its own, so one recorded
/// before its time counts as soon as the tier below is there; bronze also needs the streak, but only once.
fn raise_tier(progress: &mut UnitProgress, unit: &Unit, rules: &Rules) {
    if !unit.assessable {
        return;
    }
    let passed = progress.passed;
    let bronze = progress.tier >= Tier::Bronze
        || (progress.streak_correct >= rules.ready_streak && passed.bronze > 0);
    let silver = bronze && passed.silver > 0;
    let gold = silver && passed.gold > 0;
    let shown = if gold {
        Tier::Gold
    } else if silver {
        Tier::Silver
    } else if bronze {
        Tier::Bronze
    } else {
        Tier::None
    };
    progress.tier = progress.tier.max(shown);
}

fn count(counter: &mut u32) {
    if *counter < MOST_COUNTED {
        *counter += 1;
    }
}
