//! The student's record as it comes in: ids are not checked yet and may name units that the course no longer has.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::words::Tier;

/// The parts of a student's record in one course that decide something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// The unit of the latest turn; empty or unknown means the course's entry unit.
    pub focus_unit_id: String,
    /// What was asked for; empty or unknown means nothing.
    pub target_unit_id: String,
    /// The units that the model saw in the latest turn.
    pub last_mapped_units: Vec<MappedUnit>,
    /// When the latest turn was committed.
    pub last_turn_at: Option<Timestamp>,
    /// What the student has shown, by unit.
    pub progress: BTreeMap<String, Progress>,
    /// Units with evidence, most recent first.
    pub units_in_progress: Vec<String>,
    /// Exam questions to come back to, oldest first.
    pub revisit_question_ids: Vec<String>,
    /// Units that a teacher marked as met. They are no badge.
    pub prerequisite_overrides: BTreeSet<String>,
    /// Units that a placement showed to be known. They are no badge.
    pub placed: BTreeSet<String>,
    /// Units that were placed, and are no more. What needs them and has evidence stays open.
    pub unplaced: BTreeSet<String>,
    /// A placement was begun and has not ended.
    pub placement_waits: bool,
}

/// What the student has shown in one unit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// The badge.
    pub tier: Tier,
    /// When evidence last came in.
    pub last_touched_at: Option<Timestamp>,
    /// Graded drills.
    pub attempts: u32,
    /// Right drills in a row, up to now.
    pub streak_correct: u32,
    /// Wrong drills in a row, up to now.
    pub streak_wrong: u32,
}

/// A unit that a message is about, and how sure that is.
#[derive(Debug, Clone, PartialEq)]
pub struct MappedUnit {
    /// The unit.
    pub unit_id: String,
    /// 0 to 1; anything else is read as the nearer bound, and what is no number as 0.
    pub confidence: f64,
}
