//! The turn in the log.

use turnwise_proto::policy::v1::{Plan, Policy, ResolveReplyResponse};

/// The turn's decision for the log: ids and verdicts, no text.
pub(super) fn log_turn(plan: &Plan, policy: &Policy, resolved: &ResolveReplyResponse, model: &str) {
    let action = resolved
        .reply
        .as_ref()
        .map_or("", |reply| reply.action().as_str_name());
    let target = resolved
        .reply
        .as_ref()
        .map_or("", |reply| reply.target_unit_id.as_str());
    let mapped: Vec<(&str, f64)> = plan
        .mapped_units
        .iter()
        .map(|m| (m.unit_id.as_str(), m.confidence))
        .collect();
    let allowed: Vec<&str> = policy
        .allowed_actions()
        .map(|action| action.as_str_name())
        .collect();
    tracing::info!(
        turn_id = policy.turn_id,
        course_id = policy.course_id,
        pack_hash = policy.pack_hash,
        focus = policy.focus_unit_id,
        target_unit = policy.primary_target_unit_id,
        blocker = policy.prereq_blocking_unit_id,
        mapped = ?mapped,
        allowed = ?allowed,
        desired_tier = policy.desired_exam_tier().as_str_name(),
        availability = policy.exam_availability().as_str_name(),
        action,
        replied_about = target,
        fallback = resolved.fallback_reason().as_str_name(),
        violation = resolved.violation,
        observations = ?resolved.observations,
        model,
        "turn"
    );
}
