//! What a turn leaves beside its messages: its chain, and what the thread's log tells of it.

use std::collections::BTreeMap;

use turnwise_proto::{
    explain::v1::TurnFacts,
    session::v1::{NewAlert, NewEvent, TurnActivity},
    tutor::v1::{ClientEventKind, DegradedReason, TutorAction},
};

use crate::conversation::guards;

/// Tells of every turn; its chain is in the turn's log.
const TURN: &str = "turn";

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
    if let Some(taken) = &facts.clarification {
        let step = taken.step().as_str_name().to_owned();
        told.insert("clarification".to_owned(), step);
    }
    if let Some(context) = &facts.context {
        let step = match (context.opened, context.apology) {
            (true, _) => "requested",
            (false, true) => "apology",
            (false, false) => "answered",
        };
        told.insert("context".to_owned(), step.to_owned());
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
