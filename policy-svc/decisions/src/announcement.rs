//! What a turn tells a student before the reply, of badges and locks: facts of the record, which no model may claim.

use jiff::Timestamp;

use crate::{
    plan::Plan,
    policy::Policy,
    words::{Availability, EventKind, Tier},
};

/// A fact that the student is told after a result, and what to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announcement {
    /// No exam question of the focus can be taken before a lock ends.
    ExamLocked {
        /// The focus.
        unit_id: String,
        /// The tier of the questions.
        tier: Tier,
        /// When the first lock ends, if the exam system says so.
        until: Option<Timestamp>,
        /// Another unit to work on meanwhile.
        next_unit_id: Option<String>,
    },
    /// The focus is gold.
    UnitGold {
        /// The focus.
        unit_id: String,
        /// The unit to go on with.
        next_unit_id: String,
    },
    /// Every unit of the course is gold.
    CourseGold {
        /// How many units that are.
        units: usize,
    },
}

impl Announcement {
    /// What there is to tell after a result, or where an exam question was asked for; nothing with a message.
    pub(crate) fn of(plan: &Plan, policy: &Policy) -> Option<Self> {
        let kind = plan.event.as_ref()?.kind;
        let after_result = matches!(kind, EventKind::DrillContinue | EventKind::ExamContinue);
        let progress = plan.standing.progress;
        let unit_id = plan.focus_unit_id.clone();
        if after_result && progress.total > 0 && progress.gold == progress.total {
            return Some(Self::CourseGold {
                units: progress.total,
            });
        }
        if plan.focus_tier == Tier::Gold {
            return plan
                .next_unit_id
                .clone()
                .filter(|_| after_result)
                .map(|next_unit_id| Self::UnitGold {
                    unit_id,
                    next_unit_id,
                });
        }
        let asked = after_result || kind == EventKind::RequestExam;
        (asked && policy.exam_availability == Availability::Locked).then(|| Self::ExamLocked {
            unit_id,
            tier: policy.desired_exam_tier,
            until: policy.exam_next_eligible_at,
            next_unit_id: plan.next_unit_id.clone(),
        })
    }
}
