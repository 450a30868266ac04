//! Second step of a turn: exam availability, allowed actions, and with them the policy.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{
    action::Condition,
    announcement::Announcement,
    buttons::{Button, buttons},
    course::{Course, UnitIndex},
    plan::Plan,
    policy::{Constraints, Policy, PolicyFault},
    standing::{Standing, revisit},
    summary::SnapshotSummary,
    words::{Action, Availability, EventKind, QuestionState, Tier},
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
    /// The unit of the drill that the student works on; empty without one. The buttons alone go by it.
    pub open_drill_unit_id: String,
    /// The unit of the course text that fits the message best; empty where none does.
    pub matched_unit_id: String,
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
    /// What the student is told before the reply.
    pub announcement: Option<Announcement>,
}

/// Makes the policy of a turn.
///
/// # Errors
/// This course could not have led to the plan.
pub fn decide(course: &Course, input: &DecideInput) -> Result<Decision, PolicyFault> {
    Ok(work_out(course, input)?.decision)
}

/// A decision, and what it was made from: whoever explains it need not work anything out again.
#[derive(Debug)]
pub(crate) struct Worked {
    /// The decision.
    pub(crate) decision: Decision,
    /// The unit to work on now.
    pub(crate) focus: UnitIndex,
    /// The exam questions that cannot be attempted; all zero where the student is not ready, as nobody looked.
    pub(crate) closed: ClosedQuestions,
    /// The one action that the event left, where it left one.
    pub(crate) narrowed_to: Option<Action>,
}

/// The exam questions of the focus at the desired tier that cannot be attempted, by why not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ClosedQuestions {
    /// Not for a while.
    pub(crate) locked: usize,
    /// They are done.
    pub(crate) passed: usize,
    /// The exam system did not speak of them.
    pub(crate) unknown: usize,
}

/// Makes the decision of [`decide`].
pub(crate) fn work_out(course: &Course, input: &DecideInput) -> Result<Worked, PolicyFault> {
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
    let narrowed_to = narrowed_to(plan, &possible);
    let policy = Policy {
        turn_id: input.turn_id.clone(),
        focus_unit_id: plan.focus_unit_id.clone(),
        primary_target_unit_id: plan.primary_target_unit_id.clone(),
        prereq_blocking_unit_id: plan.prereq_blocking_unit_id.clone(),
        scoped_unit_ids: plan.scoped_unit_ids.clone(),
        allowed_actions: narrowed_to.map_or_else(|| possible.clone(), |action| vec![action]),
        stuck: plan.stuck,
        exam_ready: plan.exam_ready,
        desired_exam_tier: plan.desired_exam_tier,
        exam_availability: exam.availability,
        exam_candidate_ids: exam.candidate_ids,
        exam_next_eligible_at: exam.next_eligible_at,
        constraints: Constraints::of(course.rules()),
        choice_unit_ids: choices(plan, &input.matched_unit_id),
    };
    policy.check(course)?;
    let mut standing = plan.standing.clone();
    let entries = std::mem::take(&mut standing.revisit.entries);
    standing.revisit = revisit(&plan.revisit_question_ids, entries, statuses);
    Ok(Worked {
        decision: Decision {
            summary: SnapshotSummary::new(plan, &standing),
            buttons: buttons(
                course,
                focus,
                plan,
                &policy.choice_unit_ids,
                &possible,
                policy.exam_availability,
                &input.open_drill_unit_id,
            ),
            announcement: Announcement::of(plan, &policy),
            standing,
            policy,
        },
        focus,
        closed: exam.closed,
        narrowed_to,
    })
}

/// The units to choose from. A text that answers the message says more than words that units share.
fn choices(plan: &Plan, matched_unit_id: &str) -> Vec<String> {
    let mut choices = plan.choice_unit_ids.clone();
    if let Some(at) = choices.iter().position(|unit| unit == matched_unit_id) {
        choices[..=at].rotate_right(1);
    }
    choices
}

#[derive(Debug, Default)]
struct ExamChoice {
    availability: Availability,
    candidate_ids: Vec<String>,
    next_eligible_at: Option<Timestamp>,
    closed: ClosedQuestions,
}

/// Whether a question for the focus at the desired tier can be attempted: those to revisit first, oldest first, then
/// retrieval's order. What the catalogue does not have for this unit and tier, and what the exam system did not speak of,
/// is not offered. Where the student wants to come back to one of the queue, no other counts.
fn exam_availability(
    course: &Course,
    focus: UnitIndex,
    input: &DecideInput,
    statuses: &Statuses,
) -> ExamChoice {
    let plan = &input.plan;
    let pressed = plan.event.as_ref();
    let pressed = pressed.filter(|event| event.kind == EventKind::RequestExam);
    let wanted = pressed.map_or("", |event| event.question_id.as_str());
    let others = input.candidate_question_ids.iter();
    let others = others.filter(|_| wanted.is_empty());
    let mut seen = BTreeSet::new();
    let mut choice = ExamChoice::default();
    for id in plan
        .focus_revisit_question_ids
        .iter()
        .filter(|id| wanted.is_empty() || *id == wanted)
        .chain(others)
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
                choice.closed.locked += 1;
                choice.next_eligible_at = earlier(choice.next_eligible_at, locked_until);
            }
            Some(QuestionStatus {
                state: QuestionState::Passed,
                ..
            }) => choice.closed.passed += 1,
            None => choice.closed.unknown += 1,
        }
    }
    if choice.candidate_ids.is_empty() {
        choice.availability = if choice.closed.locked > 0 {
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

/// What stands against an action before the event is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The message could not be placed.
    NotPlaced,
    /// The focus is the entry unit, which carries nothing but questions.
    OnEntry,
    /// The student is not stuck on the focus.
    NotStuck,
    /// The student is not ready for the exam question of the focus.
    NotReady,
    /// No exam question can be attempted.
    NoneAvailable,
}

/// What stands against an action before the event is looked at, the most fundamental first. A message that could not be
/// placed, and the entry unit, which carries no drills, leave only a question.
pub(crate) fn obstacles(
    course: &Course,
    focus: UnitIndex,
    plan: &Plan,
    availability: Availability,
    action: Action,
) -> impl Iterator<Item = Obstacle> {
    let condition = action.facts().condition;
    let needs_unit = condition != Condition::Always;
    let exam = condition == Condition::ExamQuestion;
    [
        (needs_unit && plan.clamped, Obstacle::NotPlaced),
        (needs_unit && focus == course.entry(), Obstacle::OnEntry),
        (
            condition == Condition::Stuck && !plan.stuck,
            Obstacle::NotStuck,
        ),
        (exam && !plan.exam_ready, Obstacle::NotReady),
        (
            exam && plan.exam_ready && availability != Availability::Available,
            Obstacle::NoneAvailable,
        ),
    ]
    .into_iter()
    .filter_map(|(stands, obstacle)| stands.then_some(obstacle))
}

/// What a reply may do before the event is looked at: whatever nothing stands against.
fn possible_actions(
    course: &Course,
    focus: UnitIndex,
    plan: &Plan,
    availability: Availability,
) -> Vec<Action> {
    let is_open = |action: &Action| {
        obstacles(course, focus, plan, availability, *action)
            .next()
            .is_none()
    };
    Action::ALL.into_iter().filter(is_open).collect()
}

/// A button does what it says, where that is possible; no button makes anything possible. From a gold unit, and from one
/// that is no more in the way of what was asked for, the student goes on with another one, so that going on there leaves a
/// question.
fn narrowed_to(plan: &Plan, possible: &[Action]) -> Option<Action> {
    let event = plan.event.as_ref()?;
    let wanted = match event.kind {
        EventKind::RequestDrill => Action::DrillCard,
        EventKind::RequestExam if event.unit_id == plan.focus_unit_id => Action::ExamBlock,
        EventKind::StuckHint => Action::SocraticQuestion,
        EventKind::DrillContinue | EventKind::ExamContinue
            if plan.focus_tier == Tier::Gold || plan.next_leads_to_target =>
        {
            Action::SocraticQuestion
        }
        EventKind::RequestExam
        | EventKind::DrillContinue
        | EventKind::ExamContinue
        | EventKind::ChooseUnit => return None,
    };
    possible.contains(&wanted).then_some(wanted)
}
