//! Why something is so in a turn: a closed list, each reason with its facts.

use jiff::Timestamp;

use crate::{
    plan::DrillFacts,
    rules::StuckRule,
    words::{Action, EventKind, Tier},
};

/// One reason, with all that a sentence about it needs. Counts and times are facts of the record, the rules and the exam
/// system's answer; no reason holds a student's words.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// For a question: it takes no evidence.
    NoEvidenceNeeded,
    /// For a drill: the turn is about a unit that can be practised.
    UnitToPractise {
        /// The unit.
        unit_id: String,
    },
    /// For a concept card: the drills show that the student is stuck.
    Stuck(StuckFacts),
    /// For an exam question: no prerequisite of the unit is missing and its drills are good enough.
    Ready {
        /// The unit.
        unit_id: String,
        /// Right drills in a row.
        have: u32,
        /// How many the rules ask for; never more than `have`.
        needed: u32,
    },
    /// For an exam question: some can be attempted.
    QuestionsOpen {
        /// The unit that they test.
        unit_id: String,
        /// How hard they are.
        tier: Tier,
        /// How many may be offered in this turn; at least 1.
        count: usize,
    },
    /// For an action: the button that was pressed asks for it, and for nothing else.
    AskedFor {
        /// The button.
        event: EventKind,
    },

    /// Against all but a question: the message could not be placed in the course.
    MessageNotPlaced,
    /// Against all but a question: the unit is where the course begins, and carries nothing to practise.
    EntryUnit {
        /// The unit.
        unit_id: String,
    },
    /// Against an exam question: a prerequisite comes first.
    BlockedBy {
        /// The prerequisite, which is the turn's focus.
        unit_id: String,
        /// What it comes before.
        target_unit_id: String,
    },
    /// Against an exam question: the unit itself has missing prerequisites. Where a course looks one prerequisite far.
    FocusBlockedBy {
        /// The unit.
        unit_id: String,
        /// What it misses, in file order; never empty.
        missing_unit_ids: Vec<String>,
    },
    /// Against an exam question: too few right drills in a row.
    StreakShort {
        /// The unit.
        unit_id: String,
        /// Right drills in a row.
        have: u32,
        /// How many the rules ask for; always more than `have`.
        needed: u32,
    },
    /// Against a concept card: the drills do not show that the student is stuck.
    NotStuck(StuckFacts),
    /// Against an exam question: none of those that were found tests the unit at the tier.
    NoQuestionAtTier {
        /// The unit.
        unit_id: String,
        /// The tier.
        tier: Tier,
    },
    /// Against an exam question: the exam system was asked and did not answer.
    ExamSystemUnavailable,
    /// Against an exam question: the exam system says that some are locked.
    QuestionsLocked {
        /// The unit that they test.
        unit_id: String,
        /// How hard they are.
        tier: Tier,
        /// How many; at least 1.
        count: usize,
        /// When the first lock ends, as the exam system says; `None` where it does not say.
        until: Option<Timestamp>,
    },
    /// Against an exam question: the exam system says that some are passed.
    QuestionsPassed {
        /// The unit that they test.
        unit_id: String,
        /// How hard they are.
        tier: Tier,
        /// How many; at least 1.
        count: usize,
    },
    /// Against an exam question: the exam system answered, and did not speak of some.
    QuestionsUnknown {
        /// The unit that they test.
        unit_id: String,
        /// How hard they are.
        tier: Tier,
        /// How many; at least 1.
        count: usize,
    },
    /// Against an action: the button that was pressed asks for another one.
    NarrowedByEvent {
        /// The button.
        event: EventKind,
        /// What it asks for.
        action: Action,
    },

    /// Of the target: the button that was pressed stands on it.
    TargetOfEvent {
        /// The button.
        event: EventKind,
    },
    /// Of the target: the message is about it.
    TargetMapped {
        /// How sure that is.
        confidence: f64,
        /// How sure it must be; never more than `confidence`.
        needed: f64,
    },
    /// Of the target: no unit is certain from the message, so the turn stays where the student stands.
    TargetKept {
        /// The best guess, and how sure it is: always less than `needed`. `None` where there is none.
        best: Option<(String, f64)>,
        /// How sure it would have to be.
        needed: f64,
    },
    /// Of the focus: it is the target, and nothing comes before it.
    FocusIsTarget,
    /// Of the focus: it is a missing prerequisite of the target.
    FocusIsPrerequisite {
        /// The target.
        target_unit_id: String,
    },

    /// For the next unit, and of the prerequisite: it leads to what was asked for.
    LeadsToTarget {
        /// What was asked for.
        target_unit_id: String,
    },
    /// For the next unit, and against an exam question: no badge can be earned on the focus.
    NoBadgeToEarn {
        /// The focus.
        unit_id: String,
    },
    /// For the next unit: the focus has its last badge.
    LastBadgeEarned {
        /// The focus.
        unit_id: String,
    },
    /// For the next unit: no exam question for the next badge on the focus can be taken now.
    NextBadgeClosed {
        /// The focus.
        unit_id: String,
        /// The next badge.
        tier: Tier,
    },
    /// Against a next unit: the focus has no badge yet.
    NoBadgeYet {
        /// The focus.
        unit_id: String,
    },
    /// Against a next unit: the drills on the focus still lead to its next badge.
    NextBadgeAhead {
        /// The focus.
        unit_id: String,
        /// The next badge.
        tier: Tier,
    },
    /// Against a next unit: none is left to suggest.
    NoUnitLeft,

    /// Of the prerequisite: its drills are good enough, so that its exam question can be asked for.
    CheckOpen {
        /// The prerequisite.
        unit_id: String,
        /// Right drills in a row.
        have: u32,
        /// How many the rules ask for; never more than `have`.
        needed: u32,
    },
    /// Against a prerequisite: none of the target's is missing.
    NoneMissing {
        /// The target.
        target_unit_id: String,
    },
}

/// What decides whether a student is stuck on a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StuckFacts {
    /// The unit.
    pub unit_id: String,
    /// The drills on it.
    pub drills: DrillFacts,
    /// The course's rule.
    pub rule: StuckRule,
    /// What the rule asks for: graded drills without a right one at the end, or wrong ones in a row.
    pub needed: u32,
}
