//! What the decisions give, turned into answers.

use turnwise_decisions::{self as decisions, schema::reply_schema_text};
use turnwise_kit::time;
use turnwise_messages::Texts;
use turnwise_proto::{policy::v1 as policy, session::v1 as session, tutor::v1 as tutor};

use super::{announcement, reply, words};
use crate::courses::LoadedCourse;

pub(super) fn course(loaded: &LoadedCourse) -> policy::Course {
    policy::Course {
        course_id: loaded.id.clone(),
        title: loaded.title.clone(),
        pack_hash: loaded.pack_hash.clone(),
        entry_unit_id: loaded.course.id(loaded.course.entry()).to_owned(),
        unit_count: count(loaded.course.unit_count()),
        locale: loaded.locale.clone(),
    }
}

/// The plan. The event goes back as it came, with what the client says of how it went: the plan's own is a part of it.
pub(super) fn plan(
    loaded: &LoadedCourse,
    plan: decisions::Plan,
    event: Option<tutor::ClientEvent>,
) -> policy::Plan {
    policy::Plan {
        course_id: loaded.id.clone(),
        pack_hash: loaded.pack_hash.clone(),
        primary_target_unit_id: plan.primary_target_unit_id,
        target_unit_id: plan.target_unit_id,
        prereq_blocking_unit_id: plan.prereq_blocking_unit_id.unwrap_or_default(),
        focus_unit_id: plan.focus_unit_id,
        focus_mastery_tier: words::tier_to_proto(plan.focus_tier),
        stuck: plan.stuck,
        exam_ready: plan.exam_ready,
        desired_exam_tier: words::tier_to_proto(plan.desired_exam_tier),
        candidates: plan
            .candidates
            .into_iter()
            .map(|unit| policy::ScoredUnit {
                unit_id: unit.unit_id,
                score: unit.parts.total(),
                intent: unit.parts.intent,
                recency: unit.parts.recency,
                in_progress: unit.parts.in_progress,
                tier_need: unit.parts.tier_need,
                drill_evidence: unit.parts.drill_evidence,
            })
            .collect(),
        scoped_unit_ids: plan.scoped_unit_ids,
        mapped_units: mapped_units(plan.mapped_units),
        target_locked: plan.target_locked,
        clamped: plan.clamped,
        event: event.filter(|_| plan.event.is_some()),
        revisit_question_ids: plan.revisit_question_ids,
        standing: Some(standing(loaded.course.texts(), plan.standing)),
        focus_revisit_question_ids: plan.focus_revisit_question_ids,
        units_in_progress: plan.units_in_progress,
        next_unit_id: plan.next_unit_id.unwrap_or_default(),
        next_leads_to_target: plan.next_leads_to_target,
        choice_unit_ids: plan.choice_unit_ids,
        prereq_check_open: plan.prereq_check_open,
        focus_drills: Some(policy::FocusDrills {
            attempts: bound(plan.focus_drills.attempts),
            streak_correct: bound(plan.focus_drills.streak_correct),
            streak_wrong: bound(plan.focus_drills.streak_wrong),
        }),
        focus_missing_unit_ids: plan.focus_missing_unit_ids,
        target_confidence: plan.target_confidence,
        // The service sets these, by its own setting and by the record.
        asks_for_context: false,
        context_handoff_off: false,
        placement_question: None,
        needs_review: plan.needs_review,
        locale: loaded.locale.clone(),
        policy_semantics: decisions::POLICY_SEMANTICS.to_owned(),
    }
}

pub(super) fn mapped_units(units: Vec<decisions::MappedUnit>) -> Vec<session::MappedUnit> {
    units
        .into_iter()
        .map(|unit| session::MappedUnit {
            unit_id: unit.unit_id,
            confidence: unit.confidence,
        })
        .collect()
}

/// Buttons on a card.
pub(super) fn on_card(texts: &Texts, buttons: Vec<decisions::Button>) -> Vec<tutor::Button> {
    let say = |button: &decisions::Button| texts.text(button.label.message(true), &[]);
    let on_card = |said: decisions::Button| tutor::Button {
        label: say(&said),
        ..button(texts, said)
    };
    buttons.into_iter().map(on_card).collect()
}

/// Buttons below a reply, or with a result.
pub(super) fn buttons(texts: &Texts, buttons: Vec<decisions::Button>) -> Vec<tutor::Button> {
    let written = |said| button(texts, said);
    buttons.into_iter().map(written).collect()
}

pub(super) fn button(texts: &Texts, button: decisions::Button) -> tutor::Button {
    use decisions::{Call, SupportKind};
    use tutor::ButtonCall;
    let (call, event) = match button.call {
        Call::Turn(event) => {
            let event = tutor::ClientEvent {
                kind: words::event_kind_to_proto(event.kind),
                unit_id: event.unit_id,
                question_id: event.question_id,
                ..tutor::ClientEvent::default()
            };
            (ButtonCall::Turn, Some(event))
        }
        Call::GradeDrill => (ButtonCall::GradeDrill, None),
        Call::SubmitExam => (ButtonCall::SubmitExam, None),
        Call::ViewSupport(SupportKind::Memo) => (ButtonCall::ViewMemo, None),
        Call::ViewSupport(SupportKind::Video) => (ButtonCall::ViewVideo, None),
        Call::Compose => (ButtonCall::Compose, None),
    };
    tutor::Button {
        label_key: button.label.as_str().to_owned(),
        event,
        primary: button.primary,
        call: call.into(),
        label: texts.text(button.label.message(false), &[]),
        ..tutor::Button::default()
    }
}

/// The buttons below a reply. Those that lead to another unit say its title.
fn titled(loaded: &LoadedCourse, buttons: Vec<decisions::Button>) -> Vec<tutor::Button> {
    let course = &loaded.course;
    let title = |button: &decisions::Button| match (button.label, button.event()) {
        (decisions::Label::NextUnit | decisions::Label::ChooseUnit, Some(event)) => course
            .find(&event.unit_id)
            .map_or_else(String::new, |at| course.unit(at).title.clone()),
        _ => String::new(),
    };
    buttons
        .into_iter()
        .map(|said| tutor::Button {
            unit_title: title(&said),
            ..button(course.texts(), said)
        })
        .collect()
}

fn entry(
    texts: &Texts,
    entry: decisions::standing::RevisitEntry,
) -> tutor::snapshot_lite::RevisitEntry {
    let opens = decisions::buttons::on_revisit(&entry);
    let status = entry.status;
    let state = status.map(|status| words::question_state_to_proto(status.state));
    tutor::snapshot_lite::RevisitEntry {
        question_id: entry.question_id,
        unit_id: entry.unit.unit_id,
        unit_title: entry.unit.title,
        tier: words::tier_to_proto(entry.tier),
        state: state.unwrap_or_default(),
        locked_until: status
            .and_then(|status| status.locked_until)
            .map(time::to_proto),
        button: Some(button(texts, opens)),
    }
}

pub(super) fn standing(texts: &Texts, standing: decisions::Standing) -> tutor::SnapshotLite {
    use tutor::snapshot_lite::{Focus, PrereqNudge, Progress, Revisit, Step, Target};
    let step = |unit: decisions::standing::UnitView| Step {
        unit_id: unit.unit_id,
        title: unit.title,
    };
    tutor::SnapshotLite {
        focus: Some(Focus {
            unit_id: standing.focus.unit_id,
            title: standing.focus.title,
            mastery_tier: words::tier_to_proto(standing.focus_tier),
            needs_review: standing.needs_review,
        }),
        target: standing.target.map(|target| Target {
            unit_id: target.unit.unit_id,
            title: target.unit.title,
            path: target.path.into_iter().map(step).collect(),
            steps_to_go: count(target.steps_to_go),
        }),
        prereq_nudge: standing.prereq_nudge.map(|unit| PrereqNudge {
            unit_id: unit.unit_id,
            title: unit.title,
        }),
        revisit: Some(Revisit {
            locked_count: count(standing.revisit.locked_count),
            next_eligible_at: standing.revisit.next_eligible_at.map(time::to_proto),
            next_question_id: standing.revisit.next_question_id.unwrap_or_default(),
            entries: (standing.revisit.entries.into_iter())
                .map(|open| entry(texts, open))
                .collect(),
        }),
        progress: Some(Progress {
            bronze: count(standing.progress.bronze),
            silver: count(standing.progress.silver),
            gold: count(standing.progress.gold),
            total: count(standing.progress.total),
            placed: count(standing.progress.placed),
        }),
        placement_waits: standing.placement_waits,
        placed: standing.placed.into_iter().map(step).collect(),
    }
}

pub(super) fn decision(
    loaded: &LoadedCourse,
    decision: decisions::Decision,
    way_told: bool,
    name_schema: bool,
) -> policy::DecideResponse {
    let schema = reply_schema_text(&loaded.course, &decision.policy);
    let schema = match name_schema {
        true => schema.name,
        false => schema.text,
    };
    policy::DecideResponse {
        reply_schema: schema.to_string(),
        policy: Some(policy::Policy {
            announcement: announcement::before_reply(loaded, &decision, way_told),
            ..policy_of(loaded, decision.policy)
        }),
        summary: Some(summary(decision.summary)),
        standing: Some(standing(loaded.course.texts(), decision.standing)),
        buttons: titled(loaded, decision.buttons),
    }
}

fn summary(summary: decisions::SnapshotSummary) -> policy::SnapshotSummary {
    policy::SnapshotSummary {
        focus_unit_id: summary.focus_unit_id,
        focus_mastery_tier: words::tier_to_proto(summary.focus_tier),
        units_in_progress: summary.units_in_progress,
        revisit_locked_count: count(summary.revisit_locked_count),
        revisit_next_eligible_at: summary.revisit_next_eligible_at.map(time::to_proto),
    }
}

fn policy_of(loaded: &LoadedCourse, policy: decisions::Policy) -> policy::Policy {
    policy::Policy {
        turn_id: policy.turn_id,
        course_id: loaded.id.clone(),
        pack_hash: loaded.pack_hash.clone(),
        focus_unit_id: policy.focus_unit_id,
        primary_target_unit_id: policy.primary_target_unit_id,
        prereq_blocking_unit_id: policy.prereq_blocking_unit_id.unwrap_or_default(),
        scoped_unit_ids: policy.scoped_unit_ids,
        allowed_actions: policy
            .allowed_actions
            .into_iter()
            .map(reply::action_to_proto)
            .collect(),
        stuck: policy.stuck,
        exam_ready: policy.exam_ready,
        desired_exam_tier: words::tier_to_proto(policy.desired_exam_tier),
        exam_availability: words::availability_to_proto(policy.exam_availability),
        exam_candidate_ids: policy.exam_candidate_ids,
        exam_next_eligible_at: policy.exam_next_eligible_at.map(time::to_proto),
        constraints: Some(policy::Constraints {
            max_concept_words: bound(policy.constraints.max_concept_words),
            max_worked_examples: bound(policy.constraints.max_worked_examples),
            drill_max_steps: bound(policy.constraints.drill_max_steps),
            max_key_ideas: bound(policy.constraints.max_key_ideas),
        }),
        announcement: String::new(),
        choice_unit_ids: policy.choice_unit_ids,
    }
}

pub(super) fn count(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

pub(super) fn bound(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
