//! The policy's constants. A course may set its own.

/// When a student counts as stuck.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StuckRule {
    /// Enough attempts and no right answer in a row.
    #[default]
    AttemptsWithoutStreak,
    /// Enough wrong answers in a row.
    ConsecutiveWrong,
}

/// How far the search for a missing prerequisite goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PrereqWalk {
    /// On to a unit whose own prerequisites are all met.
    #[default]
    Transitive,
    /// The first missing prerequisite of the target, in file order, and no further.
    First,
}

/// The constants of one course.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// When a student counts as stuck.
    pub stuck_rule: StuckRule,
    /// How far the search for a missing prerequisite goes.
    pub prereq_walk: PrereqWalk,
    /// Confidence from which a mapped unit becomes the target.
    pub target_confidence: f64,
    /// Hours after which a unit's recency has fallen to 0.
    pub recency_window_hours: f64,
    /// Units in a turn's scope; read it through [`Rules::scope_size`].
    pub max_scoped_units: usize,
    /// Mapped units that become candidates.
    pub candidates_mapped: usize,
    /// Units in progress that become candidates.
    pub candidates_in_progress: usize,
    /// Mapped units that enter the scope.
    pub scope_mapped: usize,
    /// Units in progress that enter the scope.
    pub scope_in_progress: usize,
    /// Attempts, or wrong answers in a row, from which a student may be stuck.
    pub stuck_attempts: u32,
    /// Right drills in a row that make a student ready for an exam.
    pub ready_streak: u32,
    /// Words in a concept card: key ideas and worked example together.
    pub max_concept_words: u32,
    /// Worked examples in a concept card, 0 or 1.
    pub max_worked_examples: u32,
    /// Key ideas in a concept card.
    pub max_key_ideas: u32,
    /// Steps of a drill.
    pub drill_max_steps: u32,
    /// Exam candidates in a turn.
    pub max_exam_candidates: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            stuck_rule: StuckRule::default(),
            prereq_walk: PrereqWalk::default(),
            target_confidence: 0.55,
            recency_window_hours: 72.0,
            max_scoped_units: 6,
            candidates_mapped: 3,
            candidates_in_progress: 3,
            scope_mapped: 2,
            scope_in_progress: 2,
            stuck_attempts: 2,
            ready_streak: 2,
            max_concept_words: 170,
            max_worked_examples: 1,
            max_key_ideas: 3,
            drill_max_steps: 2,
            max_exam_candidates: 10,
        }
    }
}

impl Rules {
    /// The most units that any scope may hold.
    pub const MOST_SCOPED_UNITS: usize = 6;

    /// Units in a turn's scope: at least 3, so that focus, blocker and target always fit, and at most 6.
    #[must_use]
    pub fn scope_size(&self) -> usize {
        self.max_scoped_units.clamp(3, Self::MOST_SCOPED_UNITS)
    }
}
