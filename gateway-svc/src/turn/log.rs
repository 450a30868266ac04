//! The turn in the process's log.

use turnwise_proto::{
    explain::v1::TurnFacts,
    policy::v1::{Plan, Policy},
    tutor::v1::DegradedReason,
};

/// The turn's decision for the log: ids and verdicts, no text.
pub(super) fn log_turn(facts: &TurnFacts) {
    let no_policy = Policy::default();
    let no_plan = Plan::default();
    let policy = facts.policy.as_ref().unwrap_or(&no_policy);
    let plan = facts.plan.as_ref().unwrap_or(&no_plan);
    let verdict = facts.verdict.clone().unwrap_or_default();
    let mapped: Vec<(&str, f64)> = plan
        .mapped_units
        .iter()
        .map(|m| (m.unit_id.as_str(), m.confidence))
        .collect();
    let allowed: Vec<&str> = policy
        .allowed_actions()
        .map(|action| action.as_str_name())
        .collect();
    let degraded: Vec<&str> = facts
        .degraded_reasons()
        .map(|reason: DegradedReason| reason.as_str_name())
        .collect();
    tracing::info!(
        turn_id = facts.turn_id,
        course_id = facts.course_id,
        pack_hash = plan.pack_hash,
        index_id = facts.index_id,
        focus = plan.focus_unit_id,
        target_unit = plan.primary_target_unit_id,
        asked_for = plan.target_unit_id,
        blocker = plan.prereq_blocking_unit_id,
        mapped = ?mapped,
        allowed = ?allowed,
        desired_tier = policy.desired_exam_tier().as_str_name(),
        availability = policy.exam_availability().as_str_name(),
        next_eligible_at = policy.exam_next_eligible_at.map(|at| at.seconds),
        action = verdict.action().as_str_name(),
        replied_about = verdict.target_unit_id,
        fallback = verdict.fallback_reason().as_str_name(),
        violation = verdict.violation,
        observations = ?verdict.observations,
        degraded = ?degraded,
        guardrail = facts.guardrail,
        clarification = facts.clarification.as_ref().map(|taken| taken.step().as_str_name()),
        no_model = facts.no_model,
        model = facts.model_call.as_ref().map(|call| call.model.as_str()),
        "turn"
    );
}
