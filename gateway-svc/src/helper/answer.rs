//! The answer, and what it leaves: messages, memory, the record, the thread's log, a line in the process's log.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;
use turnwise_kit::time;
use turnwise_proto::{
    explain::v1::{TurnFacts, TurnTexts},
    helper::v1::{ChatResponse, Citation, MessageIntent},
    session::v1::{CommitTurnRequest, MemoryTurn, NewEvent, TurnStart},
    tutor::v1::{DegradedReason, Role, TutorMessage},
};

use super::compose::Composed;
use crate::{
    conversation::{Request, clarification, guards, turn_log},
    record,
};

/// The event that tells of every message.
const TURN: &str = "turn";

/// Makes the answer.
pub(super) fn answer(
    request: &Request<'_>,
    start: &TurnStart,
    composed: &Composed,
    scope_verified: bool,
    begun: Instant,
) -> ChatResponse {
    let facts = composed.facts();
    let decision = composed.decision();
    let open = composed.questions.open.as_ref();
    let call = facts.model_call.unwrap_or_default();
    let waited = call.queue_wait.and_then(|wait| wait.try_into().ok());
    ChatResponse {
        text: composed.text(),
        request_id: request.context.request_id().unwrap_or_default().to_owned(),
        conversation_id: request.thread_id.to_owned(),
        attempts: call.attempts,
        queue_wait_ms: millis(waited.unwrap_or_default()),
        total_ms: millis(begun.elapsed()),
        truncated: composed.chat.truncated,
        intent: match decision.intent() {
            // Words that a guardrail stops are not decided on.
            MessageIntent::Unspecified => MessageIntent::General.into(),
            intent => intent.into(),
        },
        follow_up_suggestions: decision.follow_up_suggestions.clone(),
        citations: citations(composed),
        degraded_reasons: facts.degraded_reasons,
        scope_verified,
        redirect: decision.redirect,
        model: call.model,
        turn_id: facts.turn_id,
        dialog_state: clarification::dialog_state(open).into(),
        session_status: clarification::session_status(start, facts.clarification.as_ref()).into(),
        clarification: open.map(clarification::progress),
        buttons: open.map_or_else(Vec::new, clarification::buttons),
    }
}

fn millis(duration: Duration) -> i32 {
    i32::try_from(duration.as_millis()).unwrap_or(i32::MAX)
}

fn citations(composed: &Composed) -> Vec<Citation> {
    let cited = composed.chat.cited.iter().filter_map(|number| {
        let at = usize::try_from(*number).ok()?.checked_sub(1)?;
        let chunk = composed.texts.chunks.get(at)?;
        let from = chunk.citation.clone().unwrap_or_default();
        Some(Citation {
            number: *number,
            source: match from.title.is_empty() {
                true => chunk.source_id.clone(),
                false => from.title,
            },
            section: chunk.section.clone(),
            page: from.page,
            start: from.start_time,
            url: chunk.url.clone(),
        })
    });
    cited.collect()
}

/// The two new messages of the timeline.
pub(super) fn messages(
    start: &TurnStart,
    composed: &Composed,
    now: Timestamp,
) -> Vec<TutorMessage> {
    let last_id = start.thread.as_ref().map_or(0, |t| t.message_count);
    let thread_id = start.thread.as_ref().map(|t| t.thread_id.clone());
    let thread_id = thread_id.unwrap_or_default();
    let said = composed.texts.input.clone().unwrap_or_default().text;
    let message = |id: i64, role: Role, text: &str| TutorMessage {
        id,
        thread_id: thread_id.clone(),
        role: role.into(),
        text: text.to_owned(),
        create_time: Some(time::to_proto(now)),
        ..TutorMessage::default()
    };
    vec![
        message(last_id + 1, Role::User, &said),
        message(last_id + 2, Role::Assistant, &composed.text()),
    ]
}

/// What the conversation remembers of it.
pub(super) fn memory_turns(composed: &Composed) -> Vec<MemoryTurn> {
    if !composed.is_remembered {
        return Vec::new();
    }
    let said = record::asked(&composed.texts).map(|input| input.text.clone());
    let said = said.unwrap_or_default();
    vec![
        MemoryTurn {
            role: Role::User.into(),
            text: said,
        },
        MemoryTurn {
            role: Role::Assistant.into(),
            text: composed.text(),
        },
    ]
}

/// The record, the alert and the thread's log: ids and codes.
pub(super) fn left(facts: &TurnFacts, texts: TurnTexts) -> CommitTurnRequest {
    let decision = facts.chat.clone().unwrap_or_default().decision;
    let decision = decision.unwrap_or_default();
    let mut told = BTreeMap::from([
        ("call".to_owned(), "chat".to_owned()),
        (
            "intent".to_owned(),
            decision.intent().as_str_name().to_owned(),
        ),
        (
            "redirect".to_owned(),
            decision.redirect().as_str_name().to_owned(),
        ),
        ("degraded".to_owned(), degraded(facts)),
    ]);
    if let Some(taken) = &facts.clarification {
        let step = taken.step().as_str_name().to_owned();
        told.insert("clarification".to_owned(), step);
    }
    let mut events = vec![NewEvent {
        kind: TURN.to_owned(),
        related_id: facts.turn_id.clone(),
        facts: told,
        ..NewEvent::default()
    }];
    let finding = facts.guardrail_finding.as_ref();
    events.extend(finding.and_then(|finding| guards::event(finding, &facts.turn_id)));
    CommitTurnRequest {
        turn_log: Some(turn_log(facts, texts)),
        events,
        alert: finding.and_then(|finding| guards::alert(finding, &facts.turn_id)),
        ..CommitTurnRequest::default()
    }
}

/// The message in the process's log: ids and verdicts, no text.
pub(super) fn log(facts: &TurnFacts) {
    let chat = facts.chat.clone().unwrap_or_default();
    let decision = chat.decision.unwrap_or_default();
    let verdict = facts.verdict.clone().unwrap_or_default();
    tracing::info!(
        turn_id = facts.turn_id,
        course_id = facts.course_id,
        pack_hash = decision.pack_hash,
        lesson = decision.lesson.as_ref().map(|lesson| lesson.slug.as_str()),
        scope_verified = chat.scope.is_some(),
        strictness = decision.strictness().as_str_name(),
        intent = decision.intent().as_str_name(),
        redirect = decision.redirect().as_str_name(),
        off_topic = decision.off_topic,
        violation = verdict.violation,
        observations = ?verdict.observations,
        degraded = degraded(facts),
        guardrail = facts.guardrail,
        attempts = facts.model_call.as_ref().map(|call| call.attempts),
        model = facts.model_call.as_ref().map(|call| call.model.as_str()),
        truncated = chat.truncated,
        "chat"
    );
}

fn degraded(facts: &TurnFacts) -> String {
    let reasons = facts.degraded_reasons();
    let names: Vec<&str> = reasons
        .map(|reason: DegradedReason| reason.as_str_name())
        .collect();
    names.join(" ")
}
