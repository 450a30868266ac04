//! What a turn leaves beside its messages: its chain, and what the thread's log tells of it.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::Message;
use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    session::v1::{NewAlert, NewEvent, TurnActivity, TurnLog},
    tutor::v1::{ClientEventKind, DegradedReason, TutorAction},
};

use crate::conversation::guards;

/// The most bytes of either part of a turn's log.
const LOG_PART_BYTES: usize = 262_144;
/// Tells of every turn; its chain is in the turn's log.
const TURN: &str = "turn";

/// The turn's chain for its log. One that is too large is kept without its texts and as far as it fits, and says so.
pub(super) fn turn_log(facts: &TurnFacts, texts: &TurnTexts) -> TurnLog {
    let whole = (facts.encode_to_vec(), texts.encode_to_vec());
    let turn_id = facts.turn_id.clone();
    let (facts, text) = if whole.0.len() <= LOG_PART_BYTES && whole.1.len() <= LOG_PART_BYTES {
        whole
    } else {
        let head = TurnFacts {
            format: facts.format,
            turn_id: facts.turn_id.clone(),
            thread_id: facts.thread_id.clone(),
            student_id: facts.student_id.clone(),
            class_id: facts.class_id.clone(),
            course_id: facts.course_id.clone(),
            planned_at: facts.planned_at,
            plan: facts.plan.clone(),
            candidate_question_ids: facts.candidate_question_ids.clone(),
            statuses: facts.statuses.clone(),
            exam_system_unavailable: facts.exam_system_unavailable,
            policy: facts.policy.clone(),
            prompt: facts.prompt.clone(),
            model_call: facts.model_call.clone(),
            verdict: facts.verdict.clone(),
            turn_state: facts.turn_state.clone(),
            degraded_reasons: facts.degraded_reasons.clone(),
            guardrail: facts.guardrail.clone(),
            guardrail_finding: facts.guardrail_finding.clone(),
            class_policy: facts.class_policy,
            incomplete: true,
            times: facts.times.clone(),
            ..TurnFacts::default()
        };
        (head.encode_to_vec(), Vec::new())
    };
    TurnLog {
        turn_id,
        facts: Bytes::from(facts),
        text: Bytes::from(text),
        ..TurnLog::default()
    }
}

/// The alert for whoever looks after the class; none where nothing calls for help.
pub(super) fn alert(facts: &TurnFacts) -> Option<NewAlert> {
    let finding = facts.guardrail_finding.as_ref()?;
    guards::alert(finding, &facts.turn_id)
}

/// What the turn counts for in its class.
pub(super) fn activity(facts: &TurnFacts) -> TurnActivity {
    let pressed = facts
        .event
        .as_ref()
        .filter(|event| event.kind() == ClientEventKind::StuckHint);
    let verdict = facts.verdict.as_ref();
    let hint = verdict.filter(|verdict| verdict.action() == TutorAction::SocraticQuestion);
    // What a class's teacher switched off is no fallback.
    let fallback = facts.degraded_reasons().find(|reason| {
        !matches!(
            reason,
            DegradedReason::RetrievalUnavailable | DegradedReason::ExamApiUnavailable
        )
    });
    TurnActivity {
        stuck_unit_id: pressed.map_or_else(String::new, |event| event.unit_id.clone()),
        hint_unit_id: hint.map_or_else(String::new, |verdict| verdict.target_unit_id.clone()),
        fallback_reason: fallback.map_or(0, Into::into),
    }
}

/// What the thread's log tells of the turn: ids and codes.
pub(super) fn events(facts: &TurnFacts) -> Vec<NewEvent> {
    let mut told = BTreeMap::new();
    if let Some(verdict) = &facts.verdict {
        told.insert(
            "action".to_owned(),
            verdict.action().as_str_name().to_owned(),
        );
        told.insert("unit".to_owned(), verdict.target_unit_id.clone());
    }
    if let Some(event) = &facts.event {
        told.insert("event".to_owned(), event.kind().as_str_name().to_owned());
    }
    if !facts.degraded_reasons.is_empty() {
        let reasons: Vec<&str> = facts
            .degraded_reasons()
            .map(|reason| reason.as_str_name())
            .collect();
        told.insert("degraded".to_owned(), reasons.join(" "));
    }
    let mut events = vec![NewEvent {
        kind: TURN.to_owned(),
        related_id: facts.turn_id.clone(),
        facts: told,
        ..NewEvent::default()
    }];
    let found = facts.guardrail_finding.as_ref();
    events.extend(found.and_then(|finding| guards::event(finding, &facts.turn_id)));
    events
}
