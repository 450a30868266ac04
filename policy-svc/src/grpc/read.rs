//! Requests, checked and turned into what the decisions take.

use std::collections::BTreeSet;

use jiff::Timestamp;
use prost::Message;
use turnwise_decisions as decisions;
use turnwise_kit::{ids, time};
use turnwise_proto::{
    exam::v1 as exam,
    policy::v1::{self as policy, DecideRequest, PlanRequest},
    session::v1 as session,
    tutor::v1 as tutor,
};

use super::{client_event, reply, words};
use crate::{courses::LoadedCourse, error::PolicyError};

pub(super) type Read<T> = Result<T, PolicyError>;

/// The most units that a message may be mapped to: far more than any mapping holds, and few enough to compare each with
/// each.
const MOST_MAPPED_UNITS: usize = 1000;

pub(super) const WRONG_ID: &str = "must match [A-Za-z0-9._~@-]{1,128}";

/// What a plan is made from, beside the record.
pub(super) fn plan_input(request: PlanRequest) -> Read<decisions::PlanInput> {
    Ok(decisions::PlanInput {
        mapped_units: mapped_units("mapped_units", request.mapped_units)?,
        event: client_event::read("event", request.event)?,
        target_locked: request.target_locked,
    })
}

/// The record of a student in this course. Evidence that no drill can lead to is read as the nearest that one can.
pub(super) fn record(
    course: &LoadedCourse,
    snapshot: Option<session::StudentSnapshot>,
    now: Option<prost_types::Timestamp>,
) -> Read<decisions::Record<'_>> {
    let snapshot = self::snapshot(&course.id, snapshot)?;
    let now = required_time("now", now)?;
    Ok(decisions::Record::new(&course.course, &snapshot, now))
}

/// The record that was sent, if it is one of this course.
pub(super) fn of_course(
    course_id: &str,
    snapshot: Option<session::StudentSnapshot>,
) -> Read<session::StudentSnapshot> {
    let snapshot = snapshot.ok_or_else(|| PolicyError::missing("snapshot"))?;
    if snapshot.course_id != course_id {
        return Err(PolicyError::invalid(
            "snapshot.course_id",
            "must be the request's course",
        ));
    }
    Ok(snapshot)
}

/// The same, of which other evidence is made: nothing of what is stored may have been lost on the way.
pub(super) fn to_change(
    course_id: &str,
    snapshot: Option<session::StudentSnapshot>,
) -> Read<session::StudentSnapshot> {
    let snapshot = of_course(course_id, snapshot)?;
    let size = snapshot.evidence.as_ref().map_or(0, Message::encoded_len);
    let is_whole = usize::try_from(snapshot.evidence_size) == Ok(size);
    match snapshot.evidence_size == 0 || is_whole {
        true => Ok(snapshot),
        false => Err(PolicyError::EvidenceTooNew),
    }
}

fn snapshot(
    course_id: &str,
    snapshot: Option<session::StudentSnapshot>,
) -> Read<decisions::Snapshot> {
    let snapshot = of_course(course_id, snapshot)?;
    let turn = snapshot.turn.unwrap_or_default();
    let evidence = snapshot.evidence.unwrap_or_default();
    let mut progress = std::collections::BTreeMap::new();
    for (i, unit) in evidence.unit_progress.into_iter().enumerate() {
        let field = |name| format!("snapshot.evidence.unit_progress[{i}].{name}");
        let drill = unit.drill.unwrap_or_default();
        let read = decisions::Progress {
            tier: words::badge(unit.mastery_tier),
            last_touched_at: time_at(|| field("last_touched_at"), unit.last_touched_at)?,
            attempts: counter(drill.attempts),
            streak_correct: counter(drill.streak_correct),
            streak_wrong: counter(drill.streak_wrong),
        };
        if progress.insert(unit.unit_id, read).is_some() {
            return Err(PolicyError::invalid(
                field("unit_id"),
                "must not come twice",
            ));
        }
    }
    let (unplaced, placed): (Vec<_>, Vec<_>) =
        evidence.placed.into_iter().partition(|unit| unit.undone);
    let ids =
        |units: Vec<session::PlacedUnit>| units.into_iter().map(|unit| unit.unit_id).collect();
    Ok(decisions::Snapshot {
        focus_unit_id: turn.focus_unit_id,
        target_unit_id: turn.target_unit_id,
        last_mapped_units: mapped_units(
            "snapshot.turn.last_turn_analysis.mapped_units",
            turn.last_turn_analysis.unwrap_or_default().mapped_units,
        )?,
        last_turn_at: optional_time("snapshot.turn.last_turn_at", turn.last_turn_at)?,
        progress,
        units_in_progress: evidence.units_in_progress,
        revisit_question_ids: evidence
            .revisit_queue
            .into_iter()
            .map(|entry| entry.question_id)
            .collect(),
        prerequisite_overrides: evidence.prerequisite_overrides.into_iter().collect(),
        placed: ids(placed),
        unplaced: ids(unplaced),
        placement_waits: match evidence.placement {
            Some(placement) => matches!(
                placement.state(),
                tutor::PlacementState::Running | tutor::PlacementState::Paused
            ),
            None => snapshot.class_placement,
        },
    })
}

pub(super) fn counter(value: i32) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

fn mapped_units(field: &str, units: Vec<session::MappedUnit>) -> Read<Vec<decisions::MappedUnit>> {
    if units.len() > MOST_MAPPED_UNITS {
        let problem = format!("must hold at most {MOST_MAPPED_UNITS} units");
        return Err(PolicyError::invalid(field, problem));
    }
    units
        .into_iter()
        .enumerate()
        .map(|(i, unit)| {
            if (0.0..=1.0).contains(&unit.confidence) {
                Ok(decisions::MappedUnit {
                    unit_id: unit.unit_id,
                    confidence: unit.confidence,
                })
            } else {
                Err(PolicyError::invalid(
                    format!("{field}[{i}].confidence"),
                    "must be a number from 0 to 1",
                ))
            }
        })
        .collect()
}

pub(super) fn decide_input(request: DecideRequest) -> Read<decisions::DecideInput> {
    let plan = request.plan.ok_or_else(|| PolicyError::missing("plan"))?;
    Ok(decisions::DecideInput {
        plan: self::plan(plan)?,
        turn_id: request.turn_id,
        candidate_question_ids: request.candidate_question_ids,
        statuses: statuses(request.statuses)?,
        exam_system_unavailable: request.exam_system_unavailable,
        open_drill_unit_id: request.open_drill_unit_id,
        matched_unit_id: request.matched_unit_id,
    })
}

/// The exam system's answer. A time counts only with a lock.
pub(super) fn statuses(statuses: Vec<exam::QuestionStatus>) -> Read<decisions::Statuses> {
    statuses
        .into_iter()
        .enumerate()
        .map(|(i, status)| {
            let state = words::question_state(status.state);
            let field = format!("statuses[{i}].locked_until");
            let locked_until = optional_time(&field, status.locked_until)?
                .filter(|_| state == decisions::QuestionState::Locked);
            Ok((
                status.question_id,
                decisions::QuestionStatus {
                    state,
                    locked_until,
                },
            ))
        })
        .collect()
}

fn plan(plan: policy::Plan) -> Read<decisions::Plan> {
    Ok(decisions::Plan {
        primary_target_unit_id: plan.primary_target_unit_id,
        target_unit_id: plan.target_unit_id,
        prereq_blocking_unit_id: present(plan.prereq_blocking_unit_id),
        focus_unit_id: plan.focus_unit_id,
        focus_tier: words::badge(plan.focus_mastery_tier),
        stuck: plan.stuck,
        exam_ready: plan.exam_ready,
        desired_exam_tier: words::badge(plan.desired_exam_tier),
        candidates: plan
            .candidates
            .into_iter()
            .map(|unit| decisions::plan::ScoredUnit {
                unit_id: unit.unit_id,
                parts: decisions::score::ScoreParts {
                    intent: unit.intent,
                    recency: unit.recency,
                    in_progress: unit.in_progress,
                    tier_need: unit.tier_need,
                    drill_evidence: unit.drill_evidence,
                },
            })
            .collect(),
        scoped_unit_ids: plan.scoped_unit_ids,
        mapped_units: mapped_units("plan.mapped_units", plan.mapped_units)?,
        target_locked: plan.target_locked,
        clamped: plan.clamped,
        event: client_event::read("plan.event", plan.event)?,
        revisit_question_ids: plan.revisit_question_ids,
        focus_revisit_question_ids: plan.focus_revisit_question_ids,
        standing: standing(plan.standing)?,
        units_in_progress: plan.units_in_progress,
        next_unit_id: present(plan.next_unit_id),
        next_leads_to_target: plan.next_leads_to_target,
        choice_unit_ids: plan.choice_unit_ids,
        prereq_check_open: plan.prereq_check_open,
        focus_drills: plan.focus_drills.map_or_else(Default::default, |drills| {
            decisions::DrillFacts {
                attempts: counter(drills.attempts),
                streak_correct: counter(drills.streak_correct),
                streak_wrong: counter(drills.streak_wrong),
            }
        }),
        focus_missing_unit_ids: plan.focus_missing_unit_ids,
        target_confidence: plan.target_confidence,
        needs_review: plan.needs_review,
    })
}

fn standing(standing: Option<tutor::SnapshotLite>) -> Read<decisions::Standing> {
    let missing = |field| PolicyError::missing(field);
    let standing = standing.ok_or_else(|| missing("plan.standing"))?;
    let focus = standing
        .focus
        .ok_or_else(|| missing("plan.standing.focus"))?;
    let revisit = standing.revisit.unwrap_or_default();
    let progress = standing.progress.unwrap_or_default();
    let unit = |unit_id, title| decisions::standing::UnitView { unit_id, title };
    let step = |step: tutor::snapshot_lite::Step| unit(step.unit_id, step.title);
    Ok(decisions::Standing {
        focus_tier: words::badge(focus.mastery_tier),
        needs_review: focus.needs_review,
        focus: unit(focus.unit_id, focus.title),
        target: standing
            .target
            .map(|target| decisions::standing::TargetView {
                unit: unit(target.unit_id, target.title),
                path: target.path.into_iter().map(step).collect(),
                steps_to_go: count(target.steps_to_go),
            }),
        prereq_nudge: standing
            .prereq_nudge
            .map(|nudge| unit(nudge.unit_id, nudge.title)),
        revisit: decisions::standing::Revisit {
            locked_count: count(revisit.locked_count),
            next_eligible_at: optional_time(
                "plan.standing.revisit.next_eligible_at",
                revisit.next_eligible_at,
            )?,
            next_question_id: present(revisit.next_question_id),
            // A plan is made before the exam system is asked.
            entries: (revisit.entries.into_iter())
                .map(|entry| decisions::standing::RevisitEntry {
                    question_id: entry.question_id,
                    unit: unit(entry.unit_id, entry.unit_title),
                    tier: words::badge(entry.tier),
                    status: None,
                })
                .collect(),
        },
        progress: decisions::standing::BadgeCounts {
            bronze: count(progress.bronze),
            silver: count(progress.silver),
            gold: count(progress.gold),
            total: count(progress.total),
            placed: count(progress.placed),
        },
        placement_waits: standing.placement_waits,
        placed: standing.placed.into_iter().map(step).collect(),
    })
}

pub(super) fn policy(policy: policy::Policy) -> Read<decisions::Policy> {
    let constraints = policy
        .constraints
        .ok_or_else(|| PolicyError::missing("policy.constraints"))?;
    let bound = |field: &str, value: i32| {
        u32::try_from(value).map_err(|_| {
            PolicyError::invalid(
                format!("policy.constraints.{field}"),
                "must not be negative",
            )
        })
    };
    Ok(decisions::Policy {
        turn_id: id("policy.turn_id", policy.turn_id)?,
        focus_unit_id: policy.focus_unit_id,
        primary_target_unit_id: policy.primary_target_unit_id,
        prereq_blocking_unit_id: present(policy.prereq_blocking_unit_id),
        scoped_unit_ids: policy.scoped_unit_ids,
        allowed_actions: policy
            .allowed_actions
            .into_iter()
            .enumerate()
            .map(|(i, value)| {
                reply::action(value).ok_or_else(|| {
                    PolicyError::invalid(
                        format!("policy.allowed_actions[{i}]"),
                        "must be an action of the contract",
                    )
                })
            })
            .collect::<Read<_>>()?,
        stuck: policy.stuck,
        exam_ready: policy.exam_ready,
        desired_exam_tier: words::badge(policy.desired_exam_tier),
        exam_availability: words::availability(policy.exam_availability),
        exam_candidate_ids: policy.exam_candidate_ids,
        exam_next_eligible_at: optional_time(
            "policy.exam_next_eligible_at",
            policy.exam_next_eligible_at,
        )?,
        constraints: decisions::Constraints {
            max_concept_words: bound("max_concept_words", constraints.max_concept_words)?,
            max_worked_examples: bound("max_worked_examples", constraints.max_worked_examples)?,
            drill_max_steps: bound("drill_max_steps", constraints.drill_max_steps)?,
            max_key_ideas: bound("max_key_ideas", constraints.max_key_ideas)?,
        },
        choice_unit_ids: policy.choice_unit_ids,
    })
}

/// What a drill must be to be set: by the course, the class, what counted before, and a platform's exam questions.
pub(super) fn drill_terms(
    loaded: &LoadedCourse,
    course_only: bool,
    counted: Vec<policy::CountedExercises>,
    exams: BTreeSet<String>,
) -> Read<decisions::DrillTerms> {
    let most = decisions::Rules::MOST_SCOPED_UNITS;
    if counted.len() > most {
        let problem = format!("must hold at most {most} units");
        return Err(PolicyError::invalid("counted", problem));
    }
    let most = decisions::exercise::MOST_REMEMBERED;
    if counted.iter().any(|unit| unit.exercises.len() > most) {
        let problem = format!("must hold at most {most} exercises of a unit");
        return Err(PolicyError::invalid("counted", problem));
    }
    Ok(decisions::DrillTerms {
        course_only,
        checkable: loaded.checkable_drills,
        counted: counted
            .into_iter()
            .map(|unit| (unit.unit_id, unit.exercises))
            .collect(),
        exams,
        ..decisions::DrillTerms::default()
    })
}

/// Why a model wrote nothing.
pub(super) fn failure(reason: i32) -> Read<decisions::FallbackReason> {
    words::fallback_reason(reason)
        .ok_or_else(|| PolicyError::invalid("failure", "must be a reason for a fallback"))
}

pub(super) fn required_time(field: &str, time: Option<prost_types::Timestamp>) -> Read<Timestamp> {
    optional_time(field, time)?.ok_or_else(|| PolicyError::missing(field))
}

pub(super) fn optional_time(
    field: &str,
    time: Option<prost_types::Timestamp>,
) -> Read<Option<Timestamp>> {
    time_at(|| field.to_owned(), time)
}

/// The same, where the field's name is made only if it is needed: a record has hundreds of times.
fn time_at(
    field: impl Fn() -> String,
    time: Option<prost_types::Timestamp>,
) -> Read<Option<Timestamp>> {
    time.map(|time| {
        time::from_proto(&time)
            .ok_or_else(|| PolicyError::invalid(field(), "must be a time that exists"))
    })
    .transpose()
}

/// An id as all ids are spelled. Anything else is neither looked up nor repeated in an answer or a log.
pub(super) fn id(field: &str, id: String) -> Read<String> {
    if id.is_empty() {
        Err(PolicyError::missing(field))
    } else if ids::is_valid(&id) {
        Ok(id)
    } else {
        Err(PolicyError::invalid(field, WRONG_ID))
    }
}

/// A text that must say something within this bound.
pub(super) fn filled(field: &str, text: &str, most_chars: usize) -> Read<()> {
    if text.trim().is_empty() {
        return Err(PolicyError::missing(field));
    }
    bounded(field, text, most_chars)
}

/// A text within this bound.
pub(super) fn bounded(field: &str, text: &str, most_chars: usize) -> Read<()> {
    if text.chars().count() > most_chars {
        let problem = format!("must have at most {most_chars} characters");
        return Err(PolicyError::invalid(field, problem));
    }
    Ok(())
}

pub(super) fn present(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn count(value: i32) -> usize {
    usize::try_from(value).unwrap_or(0)
}
