//! Second step of a turn: exam availability, allowed actions, and with them the policy.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{
    buttons::{Button, buttons},
    course::{Course, UnitIndex},
    plan::Plan,
    policy::{Constraints, Policy, PolicyFault},
    standing::{Standing, revisit},
    summary::SnapshotSummary,
    words::{Action, Availability, EventKind, QuestionState},
};

pub use crate::standing::{QuestionStatus, Statuses};

/// What a policy is made from.
#[derive(Debug, Clone)]
pub struct DecideInput {
    /// The plan.
    pub plan: Plan,
    /// The turn's id; copied.
    pub turn_id: String,
    /// The exam questions that retrieval found, in its order.
    pub candidate_question_ids: Vec<String>,
    /// The exam system's answer, for the candidates and for the revisit queue.
    pub statuses: Statuses,
    /// The exam system was asked and did not answer.
    pub exam_system_unavailable: bool,
}

/// The policy and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What is allowed in this turn.
    pub policy: Policy,
    /// What people see of the record after this turn.
    pub standing: Standing,
    /// What the model sees of it.
    pub summary: SnapshotSummary,
    /// What the student may press next, the primary button first.
    pub buttons: Vec<Button>,
}

/// Makes the policy of a turn.
///
/// # Errors
/// This course could not have led to the plan.
pub fn decide(course: &Course, input: &DecideInput) -> Result<Decision, PolicyFault> {
    let plan = &input.plan;
    let focus = course.find(&plan.focus_unit_id).ok_or(PolicyFault {
        field: "focus_unit_id",
        problem: "must be a unit of the course",
    })?;
    let nothing_known = Statuses::default();
    let statuses = if input.exam_system_unavailable {
        &nothing_known
    } else {
        &input.statuses
    };
    let exam = if plan.exam_ready {
        exam_availability(course, focus, input, statuses)
    } else {
        ExamChoice::default()
    };

    let possible = possible_actions(course, focus, plan, exam.availability);
    let policy = Policy {
        turn_id: input.turn_id.clone(),
        focus_unit_id: plan.focus_unit_id.clone(),
        primary_target_unit_id: plan.primary_target_unit_id.clone(),
        prereq_blocking_unit_id: plan.prereq_blocking_unit_id.clone(),
        scoped_unit_ids: plan.scoped_unit_ids.clone(),
        allowed_actions: narrow(plan, &possible),
        stuck: plan.stuck,
        exam_ready: plan.exam_ready,
        desired_exam_tier: plan.desired_exam_tier,
        exam_availability: exam.availability,
        exam_candidate_ids: exam.candidate_ids,
        exam_next_eligible_at: exam.next_eligible_at,
        constraints: Constraints::of(course.rules()),
    };
    policy.check(course)?;
    let mut standing = plan.standing.clone();
    standing.revisit = revisit(&plan.revisit_question_ids, statuses);
    Ok(Decision {
        summary: SnapshotSummary::new(plan, &standing),
        buttons: buttons(course, focus, plan, &possible),
        standing,
        policy,
    })
}

#[derive(Debug, Default)]
struct ExamChoice {
    availability: Availability,
    candidate_ids: Vec<String>,
    next_eligible_at: Option<Timestamp>,
}

/// Whether a question for the focus at the desired tier can be attempted: those to revisit first, oldest first, then
/// retrieval's order. What the catalogue does not have for this unit and tier, and what the exam system did not speak of,
/// is not offered.
fn exam_availability(
    course: &Course,
    focus: UnitIndex,
    input: &DecideInput,
    statuses: &Statuses,
) -> ExamChoice {
    let plan = &input.plan;
    let mut seen = BTreeSet::new();
    let mut choice = ExamChoice::default();
    let mut any_locked = false;
    for id in plan
        .focus_revisit_question_ids
        .iter()
        .chain(&input.candidate_question_ids)
        .filter(|id| course.question_fits(id, focus, plan.desired_exam_tier))
        .filter(|id| seen.insert(id.as_str()))
    {
        match statuses.get(id) {
            Some(QuestionStatus {
                state: QuestionState::Available,
                ..
            }) => choice.candidate_ids.push(id.clone()),
            Some(QuestionStatus {
                state: QuestionState::Locked,
                locked_until,
            }) => {
                any_locked = true;
                choice.next_eligible_at = earlier(choice.next_eligible_at, locked_until);
            }
            Some(QuestionStatus {
                state: QuestionState::Passed,
                ..
            })
            | None => {}
        }
    }
    if choice.candidate_ids.is_empty() {
        choice.availability = if any_locked {
            Availability::Locked
        } else {
            Availability::None
        };
    } else {
        choice.availability = Availability::Available;
        choice.next_eligible_at = None;
        choice
            .candidate_ids
            .truncate(course.rules().max_exam_candidates);
    }
    choice
}

fn earlier(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}

/// What a reply may do before the event is looked at. A message that could not be placed, and the entry unit, which
/// carries no drills, leave only a question.
fn possible_actions(
    course: &Course,
    focus: UnitIndex,
    plan: &Plan,
    availability: Availability,
) -> Vec<Action> {
    let mut actions = vec![Action::SocraticQuestion];
    if plan.clamped || focus == course.entry() {
        return actions;
    }
    actions.push(Action::DrillCard);
    if plan.stuck {
        actions.push(Action::ConceptCard);
    }
    if plan.exam_ready && availability == Availability::Available {
        actions.push(Action::ExamBlock);
    }
    actions
}

/// A button does what it says, where that is possible; no button makes anything possible.
fn narrow(plan: &Plan, possible: &[Action]) -> Vec<Action> {
    let wanted = plan.event.as_ref().and_then(|event| match event.kind {
        EventKind::RequestDrill => Some(Action::DrillCard),
        EventKind::RequestExam => {
            (event.unit_id == plan.focus_unit_id).then_some(Action::ExamBlock)
        }
        EventKind::StuckHint => Some(Action::SocraticQuestion),
        EventKind::DrillContinue | EventKind::ExamContinue => None,
    });
    match wanted {
        Some(action) if possible.contains(&action) => vec![action],
        _ => possible.to_vec(),
    }
}
