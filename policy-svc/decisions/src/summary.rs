//! What a model sees of a record. People see more, and other things: that is [`crate::standing`].

use jiff::Timestamp;

use crate::{plan::Plan, standing::Standing, words::Tier};

/// The part of a record that a model sees. It holds no counters and no locks that the student does not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotSummary {
    /// The unit to work on now.
    pub focus_unit_id: String,
    /// The badge on it.
    pub focus_tier: Tier,
    /// Units with evidence that have more to show, most recent first.
    pub units_in_progress: Vec<String>,
    /// How many exam questions to come back to are locked.
    pub revisit_locked_count: usize,
    /// When the first of these locks ends, as the exam system says.
    pub revisit_next_eligible_at: Option<Timestamp>,
}

impl SnapshotSummary {
    /// Sums a record up, as it was planned for and with what the exam system says of the revisit queue.
    pub(crate) fn new(plan: &Plan, standing: &Standing) -> Self {
        Self {
            focus_unit_id: plan.focus_unit_id.clone(),
            focus_tier: plan.focus_tier,
            units_in_progress: plan.units_in_progress.clone(),
            revisit_locked_count: standing.revisit.locked_count,
            revisit_next_eligible_at: standing.revisit.next_eligible_at,
        }
    }
}
